package feeds

// A proxy that splits statements: it sends those that read outside of a transaction, and whole READ ONLY transactions,
// to one of several servers, some of which are behind.

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// splitter connects to a primary, and to a replica that is behind: a snapshot, which comes up with the primary after
// some reads. One that leaks sends reads to both within transactions, too.
type splitter struct {
	driver.Connector
	leaks bool
}

// keptReads is how many reads a replica answers before it comes up with the primary.
const keptReads = 5

func (s splitter) Connect(ctx context.Context) (driver.Conn, error) {
	primary, err := s.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	replica, err := s.Connector.Connect(ctx)
	if err != nil {
		primary.Close()
		return nil, err
	}
	c := &splitConn{whole: primary.(whole), replica: replica.(whole), leaks: s.leaks, dice: rand.New(rand.NewPCG(1, 1))}
	if _, err := c.replica.ExecContext(ctx, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", nil); err != nil {
		c.Close()
		return nil, err
	}
	return c, c.comeUp(ctx)
}

type splitConn struct {
	whole   // the primary
	replica whole
	leaks   bool
	within  bool // a transaction of the primary
	dice    *rand.Rand
	reads   int // of the replica
}

func (c *splitConn) comeUp(ctx context.Context) error {
	_, err := c.replica.ExecContext(ctx, "START TRANSACTION WITH CONSISTENT SNAPSHOT", nil) // ends the one before
	return err
}

func (c *splitConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.within && !c.leaks || strings.Contains(query, "FOR UPDATE") {
		return c.whole.QueryContext(ctx, query, args)
	}
	if c.dice.IntN(2) == 0 {
		return c.whole.QueryContext(ctx, query, args)
	}
	if c.reads++; c.reads%keptReads == 0 {
		if err := c.comeUp(ctx); err != nil {
			return nil, err
		}
	}
	return c.replica.QueryContext(ctx, query, args)
}

func (c *splitConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	tx, err := c.whole.BeginTx(ctx, options)
	c.within = err == nil && !options.ReadOnly
	return splitTx{tx, c}, err
}

func (c *splitConn) Close() error {
	c.replica.Close()
	return c.whole.Close()
}

type splitTx struct {
	driver.Tx
	conn *splitConn
}

func (t splitTx) Commit() error {
	t.conn.within = false
	return t.Tx.Commit()
}

func (t splitTx) Rollback() error {
	t.conn.within = false
	return t.Tx.Rollback()
}

func TestReadersBehindAProxyThatSplitsStatements(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		leaks  bool
		read   reader
		misses bool
	}{
		{name: "outside of transactions", read: (*Engine).Read},
		{name: "within transactions, too", leaks: true, read: (*Engine).Read},
		{name: "head and page outside of a transaction miss rows", read: readApart, misses: true},
		{name: "a page without the head in its own statement misses rows", leaks: true, read: readHeadOnce, misses: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := missedBehind(t, splitter{leaks: c.leaks}, c.read)
			t.Logf("%d of %d rows were missed", n, splitPapers)
			if n > 0 != c.misses {
				t.Errorf("the reader is at the head, and misses %d of %d rows", n, splitPapers)
			}
		})
	}
}

// readApart is a reader whose statements belong to no transaction.
func readApart(e *Engine, ctx context.Context, c Cursor, limit int, scope Scope) (Page, error) {
	now, err := e.sequence(ctx, c.Feed)
	if err != nil {
		return Page{}, err
	}
	if err := c.check(now); err != nil {
		return Page{}, err
	}
	found, err := e.db.SQL.QueryContext(ctx, pageOfPapers, c.Position, now.Head, limit)
	if err != nil {
		return Page{}, err
	}
	rows, err := papersOf(found, 0, true)
	if err != nil {
		return Page{}, err
	}
	return page(c, now.Head, limit, rows)
}

// readHeadOnce is a reader that trusts the head of the statement before its page.
func readHeadOnce(e *Engine, ctx context.Context, c Cursor, limit int, scope Scope) (Page, error) {
	load := e.feeds[0].Load
	blind := *e
	blind.feeds = []Feed{e.feeds[0]}
	blind.feeds[0].Load = func(ctx context.Context, tx *db.Tx, look Span) ([]Row, error) {
		rows, err := load(ctx, tx, look)
		for i := range rows {
			rows[i].Feed.Head = look.To
		}
		return rows, err
	}
	return blind.Read(ctx, c, limit, scope)
}

const splitPapers = 150

// missedBehind returns how many rows a reader behind a splitter misses that has come to the head of the primary.
func missedBehind(t *testing.T, s splitter, read reader) int {
	url := dbtest.URL(t)
	primary := domaintest.OK(db.Open(url))(t)
	defer primary.Close()
	for _, statement := range paperTables {
		exec(t, primary, statement)
	}
	proxy := domaintest.OK(db.OpenWith(url, func(c driver.Connector) driver.Connector {
		s.Connector = c
		return s
	}))(t)
	defer proxy.Close()
	proxy.Connections(1)
	feed := Feed{Name: theFeed, Table: "paper", Load: loadPapers}
	publisher, behind := New(primary, nil, feed), New(proxy, nil, feed)
	behind.aheadFor = 0
	seen := map[uint64]uint64{}
	cursor := domaintest.OK(publisher.Start(t.Context(), theFeed))(t)
	poll := func() {
		page, err := read(behind, t.Context(), cursor, 7, Scope{})
		if errors.Is(err, CodeCursorAhead) { // of the server that answered
			return
		}
		domaintest.Must(t, err)
		cursor = page.Cursor
		for _, item := range page.Items {
			seen[item.ID] = item.Position
		}
	}
	for n := range splitPapers {
		exec(t, primary, fmt.Sprintf("INSERT INTO paper (id, board, seen_on, content) VALUES (%d, 1, 2, 0)", n+1))
		domaintest.OK(publisher.RunOnce(t.Context(), theFeed))(t)
		if n%3 == 0 {
			poll()
		}
	}
	domaintest.Until(t, "the reader is at the head", func() bool {
		poll()
		return cursor == domaintest.OK(publisher.End(t.Context(), theFeed))(t)
	})
	return countMissing(positions(t, primary), seen)
}
