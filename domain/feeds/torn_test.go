package feeds

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/private"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// A server's view of what is committed may take long to make where many transactions are open, and MariaDB
// makes it while others commit: it may then hold a batch without the one before it. Prepared XA
// transactions, which need no connection, are many open ones.

func TestTornViews(t *testing.T) {
	t.Parallel()
	prepared, rounds := 500, 2
	if soak {
		prepared, rounds = 16000, 20
	}
	d := ownServer(t)
	prepareXA(t, d, prepared)
	shown := 0
	for round := 0; round < rounds && shown == 0; round++ {
		missed := publishBeforeReaders(t, d)
		t.Logf("of %d rows beside %d prepared transactions readers missed: %v", tornPapers, prepared, missed)
		if missed["bounded"] > 0 {
			t.Fatal("the reader misses rows")
		}
		if shown = missed["in one view"] + missed["as they are there"]; !tears(t, d) {
			return
		}
	}
	if soak && shown == 0 {
		t.Errorf("nothing was found wrong with unbounded readers in %d rounds", rounds)
	}
}

// tears reports whether the server is one whose views are known to tear.
func tears(t *testing.T, d *db.DB) bool {
	t.Helper()
	var version string
	domaintest.Must(t, d.SQL.QueryRow("SELECT VERSION()").Scan(&version))
	return strings.HasPrefix(version, "10.") && strings.Contains(version, "MariaDB")
}

const tornPapers, inServer = 6000, 4

// publishBeforeReaders publishes all papers once while several readers follow, and returns how many rows
// each of these missed.
func publishBeforeReaders(t *testing.T, d *db.DB) map[string]int {
	exec(t, d, "UPDATE paper SET feed_sync_id = NULL")
	readers := map[string]reader{"bounded": (*Engine).Read, "as they are there": readPlainly, "in one view": readInOneView}
	var over atomic.Bool
	var group sync.WaitGroup
	seen := map[string]map[uint64]uint64{}
	e := New(d, nil, Feed{Name: theFeed, Table: "paper", Load: loadPapers})
	from := domaintest.OK(e.End(t.Context(), theFeed))(t)
	for name, read := range readers {
		mine := map[uint64]uint64{}
		seen[name] = mine
		group.Go(func() { follow(t, e, read, from, mine, &over) })
	}
	publishInServer(t, d)
	over.Store(true)
	group.Wait()
	last, missed := positions(t, d), map[string]int{}
	for name := range readers {
		missed[name] = countMissing(last, seen[name])
	}
	return missed
}

type reader func(e *Engine, ctx context.Context, c Cursor, limit int, scope Scope) (Page, error)

// readPlainly takes what is there.
func readPlainly(e *Engine, ctx context.Context, c Cursor, limit int, scope Scope) (Page, error) {
	rows, err := loadOutside(ctx, e, Span{After: c.Position, To: 1 << 62, Limit: limit, Scope: scope})
	if err != nil {
		return Page{}, err
	}
	head := c.Position
	if len(rows) > 0 {
		head = rows[len(rows)-1].Position
	}
	p, err := page(c, head, limit, rows)
	p.More = len(rows) == limit
	return p, err
}

// readInOneView asks how far the feed has come, and for the page, in one view.
func readInOneView(e *Engine, ctx context.Context, c Cursor, limit int, _ Scope) (Page, error) {
	tx, err := e.db.SQL.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return Page{}, err
	}
	defer tx.Rollback()
	now, err := e.db.WithTx(tx).Sequence(ctx, c.Feed)
	if err != nil {
		return Page{}, err
	}
	found, err := tx.QueryContext(ctx, pageOfPapers, c.Position, now.Value, limit)
	if err != nil {
		return Page{}, err
	}
	rows, err := papersOf(found, 0, true)
	if err != nil {
		return Page{}, err
	}
	return page(c, now.Value, limit, rows)
}

func ownServer(t *testing.T) *db.DB {
	t.Helper()
	server := domaintest.OK(private.Open(t.Context(), private.Options{
		Dir: t.TempDir(), Engine: os.Getenv("COUNTERFOIL_TEST_ENGINE"),
		Settings: map[string]string{"innodb_flush_log_at_trx_commit": "0", "innodb_doublewrite": "0", "sync_binlog": "0",
			"skip-log-bin": "", "innodb_buffer_pool_size": "256M"},
	}))(t)
	t.Cleanup(func() { server.Close(context.Background()) })
	url := server.URL("counterfoil")
	domaintest.Must(t, db.SchemaUp(url))
	d := domaintest.OK(db.Open(url, db.AnswerWithin(0)))(t) // a call of publish_papers takes its time
	t.Cleanup(func() { d.Close() })
	for _, statement := range paperTables {
		exec(t, d, statement)
	}
	exec(t, d, publishPapers)
	exec(t, d, "CREATE TABLE prepared (id BIGINT UNSIGNED PRIMARY KEY) ENGINE=InnoDB")
	fillPapers(t, d, tornPapers)
	return d
}

func exec(t *testing.T, d *db.DB, statement string) {
	t.Helper()
	domaintest.Exec(t, d, statement)
}

// prepareXA leaves prepared transactions, each of a connection that has gone.
func prepareXA(t *testing.T, d *db.DB, n int) {
	t.Helper()
	var group sync.WaitGroup
	var next atomic.Int64
	for range 8 {
		group.Go(func() {
			for {
				at := next.Add(1)
				if at > int64(n) {
					return
				}
				if err := prepareOne(d, at); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

func prepareOne(d *db.DB, n int64) error {
	c, err := d.SQL.Conn(context.Background())
	if err != nil {
		return err
	}
	defer c.Close()
	for _, statement := range []string{"XA START 'x%d'", "INSERT INTO prepared (id) VALUES (%d)", "XA END 'x%d'",
		"XA PREPARE 'x%d'"} {
		if _, err := c.ExecContext(context.Background(), fmt.Sprintf(statement, n)); err != nil {
			return err
		}
	}
	c.Raw(func(any) error { return driver.ErrBadConn }) // closes it for good
	return nil
}

func fillPapers(t *testing.T, d *db.DB, n int) {
	t.Helper()
	for at := 1; at <= n; at += 1000 {
		var rows []string
		for id := at; id < at+1000 && id <= n; id++ {
			rows = append(rows, fmt.Sprintf("(%d, 1, 2, 0)", id))
		}
		exec(t, d, "INSERT INTO paper (id, board, seen_on, content) VALUES "+strings.Join(rows, ", "))
	}
}

// publishInServer publishes each paper once, with the steps of a publisher and no way between them, so that
// many commit while a view is made.
func publishInServer(t *testing.T, d *db.DB) {
	t.Helper()
	const each = tornPapers / inServer
	var group sync.WaitGroup
	for n := range inServer {
		group.Go(func() {
			if _, err := d.SQL.Exec("CALL publish_papers(?, ?)", n*each+1, (n+1)*each); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

const publishPapers = `CREATE PROCEDURE publish_papers (IN at BIGINT, IN upto BIGINT) BEGIN
	WHILE at <= upto DO
		START TRANSACTION;
		SELECT id FROM paper WHERE id = at AND feed_sync_id IS NULL FOR UPDATE INTO @locked;
		UPDATE sequences SET value = LAST_INSERT_ID(value + 1), version = version + 1 WHERE name = 'papers';
		UPDATE paper SET feed_sync_id = LAST_INSERT_ID() WHERE id = at;
		SET @given = LAST_INSERT_ID();
		COMMIT;
		INSERT INTO feed_durable (feed, head) VALUES ('papers', @given) ON DUPLICATE KEY UPDATE head = GREATEST(head, VALUES(head));
		SET at = at + 1;
	END WHILE;
END`

// follow reads until all is over, and once more.
func follow(t *testing.T, e *Engine, read reader, cursor Cursor, seen map[uint64]uint64, over *atomic.Bool) {
	var err error
	for last := false; err == nil && !last; {
		last = over.Load()
		for more := true; more && err == nil; {
			var page Page
			page, err = read(e, context.Background(), cursor, 100, Scope{})
			cursor, more = page.Cursor, page.More
			for _, item := range page.Items {
				seen[item.ID] = item.Position
			}
		}
	}
	if err != nil {
		t.Error(err)
	}
}

func positions(t *testing.T, d *db.DB) map[uint64]uint64 {
	t.Helper()
	p := domaintest.OK(takePicture(d.SQL))(t)
	last := map[uint64]uint64{}
	for n, r := range p.rows {
		last[n] = r.position
	}
	return last
}

func countMissing(last, seen map[uint64]uint64) (n int) {
	for row, position := range last {
		if seen[row] != position {
			n++
		}
	}
	return n
}
