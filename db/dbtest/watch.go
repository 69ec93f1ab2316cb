package dbtest

import (
	"context"
	"database/sql/driver"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// Watch records what is sent to a database, and how long it took.
type Watch struct {
	mu      sync.Mutex
	keeps   bool // since the first Take
	sent    []string
	took    time.Duration
	commits func() // before each
	after   func(statement string)
	before  func(ctx context.Context, statement string) error
	wrote   func(statement string, rows int64)
	rewrite func(statement string) string
	asks    func(ctx context.Context, statement string, args []driver.NamedValue)
	found   func(ctx context.Context, row Row)
}

// Row is a row of an answer.
type Row struct {
	Statement string
	Args      []driver.NamedValue
	Columns   []string
	Values    []driver.Value
}

// NewWatched returns a new database with the newest schema, and its Watch.
func NewWatched(t testing.TB) (*db.DB, *Watch) {
	t.Helper()
	w := &Watch{}
	d, err := db.OpenWith(URL(t), func(c driver.Connector) driver.Connector { return watchedConnector{patient{c}, w} },
		db.AnswerWithin(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, w
}

// Take returns the statements sent since the last Take, COMMIT among them, and how long the caller waited for them.
// The first returns none.
func (w *Watch) Take() (sent []string, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sent, took = w.sent, w.took
	w.keeps = true
	w.sent, w.took = nil, 0
	return sent, took
}

// BeforeCommit calls do whenever a COMMIT is about to be sent.
func (w *Watch) BeforeCommit(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commits = do
}

// After calls do after each statement, before its answer is used.
func (w *Watch) After(do func(statement string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.after = do
}

// Wrote calls do after each statement that writes, with how many rows it did.
func (w *Watch) Wrote(do func(statement string, rows int64)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrote = do
}

// Before calls do before each statement; if it returns an error, that is the answer and nothing is sent.
func (w *Watch) Before(do func(ctx context.Context, statement string) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before = do
}

// Rewrite sends what do returns in the place of each statement.
func (w *Watch) Rewrite(do func(statement string) string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rewrite = do
}

// Follow calls asks before each statement that reads, and found with each row of its answer.
func (w *Watch) Follow(
	asks func(ctx context.Context, statement string, args []driver.NamedValue), found func(ctx context.Context, row Row),
) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asks, w.found = asks, found
}

func (w *Watch) asking(ctx context.Context, statement string, args []driver.NamedValue) func(context.Context, Row) {
	w.mu.Lock()
	asks, found := w.asks, w.found
	w.mu.Unlock()
	if asks != nil {
		asks(ctx, statement, args)
	}
	return found
}

func (w *Watch) rewritten(statement string) string {
	w.mu.Lock()
	do := w.rewrite
	w.mu.Unlock()
	if do == nil {
		return statement
	}
	return do(statement)
}

func (w *Watch) sending(ctx context.Context, statement string) error {
	w.mu.Lock()
	do := w.before
	w.mu.Unlock()
	if do == nil {
		return nil
	}
	return do(ctx, statement)
}

func (w *Watch) committing() {
	w.mu.Lock()
	do := w.commits
	w.mu.Unlock()
	if do != nil {
		do()
	}
}

func (w *Watch) counted(statement string, result driver.Result) {
	w.mu.Lock()
	do := w.wrote
	w.mu.Unlock()
	if do == nil {
		return
	}
	if rows, err := result.RowsAffected(); err == nil {
		do(statement, rows)
	}
}

func (w *Watch) saw(statement string, since time.Time) {
	w.note(statement, since)
	w.mu.Lock()
	do := w.after
	w.mu.Unlock()
	if do != nil {
		do(statement)
	}
}

func (w *Watch) note(statement string, since time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.keeps {
		return
	}
	if statement != "" {
		w.sent = append(w.sent, statement)
	}
	w.took += time.Since(since)
}

type watchedConnector struct {
	driver.Connector
	watch *Watch
}

func (c watchedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{inner.(whole), c.watch}, nil
}

// whole is the set of a driver connection's methods that database/sql uses.
type whole interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	driver.NamedValueChecker
}

type conn struct {
	whole
	watch *Watch
}

func (c *conn) ExecContext(ctx context.Context, statement string, args []driver.NamedValue) (driver.Result, error) {
	defer c.watch.saw(statement, time.Now())
	if err := c.watch.sending(ctx, statement); err != nil {
		return nil, err
	}
	result, err := c.whole.ExecContext(ctx, c.watch.rewritten(statement), args)
	if err == nil {
		c.watch.counted(statement, result)
	}
	return result, err
}

func (c *conn) QueryContext(ctx context.Context, statement string, args []driver.NamedValue) (driver.Rows, error) {
	defer c.watch.saw(statement, time.Now())
	if err := c.watch.sending(ctx, statement); err != nil {
		return nil, err
	}
	each := c.watch.asking(ctx, statement, args)
	found, err := c.whole.QueryContext(ctx, c.watch.rewritten(statement), args)
	if err != nil {
		return nil, err
	}
	if each == nil {
		return &rows{found, c.watch, nil}, nil
	}
	columns := found.Columns()
	return &rows{found, c.watch, func(values []driver.Value) { each(ctx, Row{statement, args, columns, values}) }}, nil
}

func (c *conn) Prepare(statement string) (driver.Stmt, error) {
	return c.whole.Prepare(c.watch.rewritten(statement))
}

func (c *conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	defer c.watch.saw("BEGIN", time.Now())
	begun, err := c.whole.BeginTx(ctx, options)
	return tx{begun, c.watch}, err
}

type rows struct {
	driver.Rows
	watch *Watch
	each  func(values []driver.Value)
}

func (r *rows) Next(into []driver.Value) error {
	defer r.watch.saw("", time.Now())
	err := r.Rows.Next(into)
	if err == nil && r.each != nil {
		r.each(into)
	}
	return err
}

type tx struct {
	driver.Tx
	watch *Watch
}

func (t tx) Commit() error {
	t.watch.committing()
	defer t.watch.saw("COMMIT", time.Now())
	return t.Tx.Commit()
}
