package feeds

// A stage on which actors run one statement at a time: each has a connection of its own, and before each statement,
// and each COMMIT, it stops until the schedule continues or kills it.

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// fate is the fate of a stopped actor: it survives, or its process dies just before its next step, or just after.
type fate int

const (
	survives fate = iota
	diesBefore
	diesAfter
)

// errDied is an actor's own death: it begins anew, without its memory.
var errDied = errors.New("the process died")

type env struct {
	url    string
	watch  *sql.DB
	stops  chan arrival
	actors []*actor
	log    []string
	did    string // the step that was taken last
	// victims counts deadlocks and lock wait timeouts.
	victims atomic.Int64
	crashes atomic.Int64 // of the server
	// answered is set by the answer to a commit: all that is visible by then is durable.
	answered atomic.Bool
}

func newEnv(t testing.TB, url string, names ...string) *env {
	t.Helper()
	cfg := domaintest.OK(db.Config(url))(t)
	connector := domaintest.OK(mysql.NewConnector(cfg))(t)
	s := &env{url: url, watch: sql.OpenDB(connector), stops: make(chan arrival, len(names))}
	t.Cleanup(func() { s.watch.Close() })
	for _, name := range names {
		a := &actor{stage: s, name: name, free: true, verdict: make(chan fate)}
		a.db = domaintest.OK(db.OpenWith(url, func(c driver.Connector) driver.Connector { return gate{c, a} },
			db.AnswerWithin(0)))(t)
		a.db.Connections(1)
		t.Cleanup(func() { a.db.Close() })
		s.actors = append(s.actors, a)
	}
	return s
}

// arrival is an actor that waits before its next step, or has ended.
type arrival struct {
	actor *actor
	ended bool
}

func (s *env) meet(at arrival) { at.actor.waiting, at.actor.ended = !at.ended, at.ended }

// actor is a process with one connection. Its fields belong to its own goroutine while it runs, and to the schedule
// while it waits.
type actor struct {
	stage      *env
	name       string
	db         *db.DB
	connection atomic.Uint64 // of the server; the director reads it while the actor runs
	free       bool          // does not stop
	dead       bool
	ended      bool
	waiting    bool
	next       string // its next step
	verdict    chan fate
	err        error
	read       *picture // what was committed when it had read a page, if it then waited until that is durable
}

// stop waits until the schedule decides.
func (a *actor) stop(next string) fate {
	if a.free {
		return survives
	}
	if a.dead {
		return diesBefore
	}
	a.next = next
	a.stage.stops <- arrival{actor: a}
	f := <-a.verdict
	a.dead = f != survives
	return f
}

// does is a step that is not a statement: its change outlives the process.
func (a *actor) does(what string, change func()) error {
	f := a.stop(what)
	if f != diesBefore {
		change()
	}
	if f != survives {
		return errDied
	}
	return nil
}

// act runs the parts of an actor one after another. One that dies is the end of that part.
func (a *actor) act(parts []func() error) {
	for _, part := range parts {
		if a.stop("begin") != survives {
			a.dead = false
			continue
		}
		err := part()
		if err != nil && !errors.Is(err, errDied) {
			a.err = fmt.Errorf("%s: %w", a.name, err)
			break
		}
		a.dead = false
	}
	a.stage.stops <- arrival{a, true}
}

// choice is the next actor, by index among those that can continue, and its fate.
type choice struct {
	index int
	fate  fate
}

// play runs all parts to their ends. choose gets the actors that can continue, the last one first; after is called
// when all wait again.
func (s *env) play(parts map[string][]func() error, choose func(able []*actor) choice, after func() error) error {
	s.log = s.log[:0]
	for _, a := range s.actors {
		a.free, a.dead, a.ended, a.waiting, a.err, a.read = false, false, false, false, nil, nil
		go a.act(parts[a.name])
	}
	err := s.direct(choose, after)
	if err != nil { // let those who wait for each other end
		s.abandon()
	}
	for _, a := range s.actors {
		a.free = true
		err = errors.Join(err, a.err)
	}
	return err
}

func (s *env) direct(choose func([]*actor) choice, after func() error) error {
	var last *actor
	for {
		if err := s.settle(); err != nil {
			return err
		}
		if last != nil {
			if err := after(); err != nil {
				return err
			}
		}
		able, waiting := s.able(last)
		if len(able) == 0 {
			if len(waiting) > 0 {
				return fmt.Errorf("%s wait for locks that nobody holds", strings.Join(waiting, ", "))
			}
			return nil
		}
		c := choose(able)
		last = able[c.index]
		s.log = append(s.log, fmt.Sprintf("%s: %s%s", last.name, short(last.next),
			[...]string{"", " (died before)", " (died after)"}[c.fate]))
		last.waiting, s.did = false, last.next
		last.verdict <- c.fate
	}
}

func (s *env) able(last *actor) (able []*actor, waiting []string) {
	for _, a := range s.actors {
		switch {
		case a.ended:
		case !a.waiting:
			waiting = append(waiting, a.name)
		case a == last:
			able = append([]*actor{a}, able...)
		default:
			able = append(able, a)
		}
	}
	return able, waiting
}

// settle waits until each actor waits for the schedule or for a lock, or has ended.
func (s *env) settle() error {
	limit := time.Now().Add(10 * time.Minute)
	for soon := 3 * time.Millisecond; ; soon = time.Millisecond {
		running := s.runningActors()
		if len(running) == 0 {
			return nil
		}
		timer := time.NewTimer(soon)
		select {
		case at := <-s.stops:
			timer.Stop()
			s.meet(at)
			continue
		case <-timer.C:
		}
		locked, err := s.lockWaiters()
		if err != nil {
			return err
		}
		all := true
		for _, a := range running {
			all = all && locked[a.connection.Load()]
		}
		if all && len(s.stops) == 0 {
			return nil
		}
		if time.Now().After(limit) {
			return fmt.Errorf("%s does not go on: %s", running[0].name, running[0].next)
		}
	}
}

func (s *env) runningActors() (list []*actor) {
	for _, a := range s.actors {
		if !a.ended && !a.waiting {
			list = append(list, a)
		}
	}
	return list
}

// abandon has all die, and waits for their ends.
func (s *env) abandon() {
	for {
		for _, a := range s.actors {
			if a.waiting {
				a.waiting = false
				a.verdict <- diesBefore
			}
		}
		if len(s.runningActors()) == 0 {
			return
		}
		s.meet(<-s.stops)
	}
}

var lockWait = regexp.MustCompile(`(?m)^LOCK WAIT .*\n(?:MySQL|MariaDB) thread id (\d+)`)

// lockWaiters returns the connections that wait for a lock now. (information_schema.innodb_trx is a copy of up
// to a tenth of a second ago.)
func (s *env) lockWaiters() (map[uint64]bool, error) {
	var kind, name, text string
	if err := s.watch.QueryRow("SHOW ENGINE INNODB STATUS").Scan(&kind, &name, &text); err != nil {
		return nil, err
	}
	return parseLockWaiters(text), nil
}

// parseLockWaiters leaves out the server's own threads, such as that of InnoDB's statistics, which are all number 0.
func parseLockWaiters(status string) map[uint64]bool {
	_, status, _ = strings.Cut(status, "LIST OF TRANSACTIONS FOR EACH SESSION") // the last deadlock comes before it
	found := map[uint64]bool{}
	for _, match := range lockWait.FindAllStringSubmatch(status, -1) {
		var connection uint64
		fmt.Sscan(match[1], &connection)
		found[connection] = connection != 0
	}
	return found
}

// disconnect ends the connections of all but one, as a crash of the server does.
func (s *env) disconnect(but *actor) {
	s.crashes.Add(1)
	for _, a := range s.actors {
		if connection := a.connection.Load(); a != but && connection != 0 {
			s.kill(connection)
		}
	}
}

// kill ends a connection, and returns when the server has rolled back what it did.
func (s *env) kill(connection uint64) {
	s.watch.Exec(fmt.Sprintf("KILL %d", connection)) // it may have gone already
	for {
		list, err := dbtest.Connections(context.Background(), s.watch)
		if err == nil && !slices.ContainsFunc(list, func(c dbtest.Connection) bool { return c.ID == connection }) {
			return
		}
		_ = wait.Sleep(context.Background(), 100*time.Microsecond) // thousands of them die
	}
}

func short(statement string) string {
	statement = strings.Join(strings.Fields(statement), " ")
	if _, rest, ok := strings.Cut(statement, " :"); ok && strings.HasPrefix(statement, "--") { // sqlc's heading
		_, statement, _ = strings.Cut(rest, " ")
	}
	return statement[:min(len(statement), 110)]
}

// gate stops its actor before each statement.
type gate struct {
	driver.Connector
	actor *actor
}

func (g gate) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := g.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := inner.(driver.QueryerContext).QueryContext(ctx, "SELECT CONNECTION_ID()", nil)
	if err != nil {
		return nil, err
	}
	into := make([]driver.Value, 1)
	err = rows.Next(into)
	rows.Close()
	if err != nil {
		return nil, err
	}
	// All its waiting is the schedule's doing.
	if _, err := inner.(driver.ExecerContext).ExecContext(ctx, "SET SESSION innodb_lock_wait_timeout = 3600, "+
		"wait_timeout = 28800 /*M!100300, idle_transaction_timeout = 0 */", nil); err != nil {
		return nil, err
	}
	c := &gatedConn{whole: inner.(whole), actor: g.actor, crashes: g.actor.stage.crashes.Load()}
	var connection uint64
	fmt.Sscan(text(into[0]), &connection)
	g.actor.connection.Store(connection)
	return c, nil
}

func text(v driver.Value) string {
	if raw, ok := v.([]byte); ok {
		return string(raw)
	}
	return fmt.Sprint(v)
}

// whole is what the driver's connections can do and database/sql makes use of.
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

type gatedConn struct {
	whole
	actor   *actor
	gone    bool
	within  bool  // a transaction
	crashes int64 // of the server before it
}

// answer is the answer to a commit, before which the server may crash and take it back.
func (c *gatedConn) answer(to string) error {
	return c.passes(to+" is answered", func() error {
		c.actor.stage.answered.Store(true)
		return nil
	})
}

func (c *gatedConn) crashed() bool { return c.crashes != c.actor.stage.crashes.Load() }

// ResetSession has the pool drop a connection that a crash has ended.
func (c *gatedConn) ResetSession(ctx context.Context) error {
	if c.gone || c.crashed() {
		return driver.ErrBadConn
	}
	return c.whole.ResetSession(ctx)
}

// passes runs a step of the connection, unless its process dies first.
func (c *gatedConn) passes(what string, step func() error) error {
	if c.gone {
		return errDied
	}
	f := c.actor.stop(what)
	if c.crashed() {
		c.lose()
		return errDied
	}
	if f != diesBefore {
		err := step()
		if c.crashed() {
			c.lose()
			return errDied
		}
		var refused *mysql.MySQLError
		if errors.As(err, &refused) && (refused.Number == 1213 || refused.Number == 1205) {
			c.actor.stage.victims.Add(1)
		}
		if f == survives {
			return err
		}
	}
	c.lose()
	c.actor.stage.kill(c.actor.connection.Load())
	return errDied
}

func (c *gatedConn) lose() {
	c.gone = true
	c.whole.Close()
}

func (c *gatedConn) ExecContext(
	ctx context.Context, statement string, args []driver.NamedValue,
) (result driver.Result, err error) {
	err = c.passes(statement, func() (err error) {
		result, err = c.whole.ExecContext(ctx, statement, args)
		return err
	})
	if err != nil || c.within {
		return result, err
	}
	if n, _ := result.RowsAffected(); n > 0 {
		err = c.answer(short(statement))
	}
	return result, err
}

func (c *gatedConn) QueryContext(
	ctx context.Context, statement string, args []driver.NamedValue,
) (rows driver.Rows, err error) {
	err = c.passes(statement, func() (err error) {
		rows, err = c.whole.QueryContext(ctx, statement, args)
		return err
	})
	return rows, err
}

func (c *gatedConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	if c.gone {
		return nil, errDied
	}
	begun, err := c.whole.BeginTx(ctx, options) // it takes no lock and opens no view
	if c.crashed() {
		c.lose()
		return nil, errDied
	}
	c.within = err == nil
	return gatedTx{begun, c}, err
}

func (c *gatedConn) IsValid() bool { return !c.gone && !c.crashed() && c.whole.IsValid() }

func (c *gatedConn) Close() error {
	if c.gone {
		return nil
	}
	return c.whole.Close()
}

type gatedTx struct {
	driver.Tx
	connection *gatedConn
}

func (t gatedTx) Commit() error {
	t.connection.within = false
	if err := t.connection.passes("COMMIT", t.Tx.Commit); err != nil {
		return err
	}
	return t.connection.answer("COMMIT")
}

func (t gatedTx) Rollback() error {
	t.connection.within = false
	if t.connection.gone || t.connection.crashed() {
		return errDied
	}
	return t.Tx.Rollback()
}
