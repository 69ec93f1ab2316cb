package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// facts are what the server and the system report.
type facts struct {
	server  db.Server
	unfit   string            // why the server cannot be used at all
	global  map[string]string // variables
	session map[string]string
	status  map[string]string
	account string // as in a GRANT

	mark         db.Mark // of a database that nothing may use: of its tables nothing is asked
	schema       db.SchemaStatus
	oddTables    []string // not InnoDB, or of another collation
	dataBytes    uint64
	clock        time.Duration      // how far the server's clock is ahead of ours
	history      value              // row versions that wait for purge
	transactions value              // age of the oldest open one, in seconds
	claims       *monitor.ClaimPlan // nil if the schema has no tasks yet
	waiting      *backlog           // nil if the schema has no feeds yet

	key *secrets.State // nil if the schema has no secrets yet

	forwarded bool // lately a peer that is no trusted proxy sent X-Forwarded-For

	sources      []db.Source
	sourcesKnown bool
	members      []member // of the group
	membersKnown bool

	disks []disk
}

// disk is a disk of this machine, by the folder of Counterfoil that is on it.
type disk struct {
	folder string
	free   uint64
}

// firstWithTasks is the schema version that added the table migration_task.
const firstWithTasks = 5

// firstWithFeeds is the schema version that added the table feed_batch.
const firstWithFeeds = 7

// firstWithSights is the schema version that added the changes of sight.
const firstWithSights = 20

// firstWithForwarded is the first whose servers note X-Forwarded-For.
const firstWithForwarded = 18

// firstWithSecrets is the schema version that added the table sealed_secret.
const firstWithSecrets = 24

// manyWaiting is the most changes that are counted.
const manyWaiting = 1000

// backlog is the unpublished changes, and the seconds since the last batch.
type backlog struct {
	rows  int
	since sql.NullInt64 // NULL if there was none
}

// value is a number that some accounts may not read.
type value struct {
	value int64
	known bool
}

// ask runs on one connection: some questions depend on its settings.
func ask(ctx context.Context, d *db.DB, folders []string) (f facts, err error) {
	conn, err := d.SQL.Conn(ctx)
	if err != nil {
		return f, err
	}
	defer conn.Close()
	for _, question := range []func(context.Context, *sql.Conn) error{
		f.askSettings, f.askAccount, f.askClock, f.askSchema, f.askTables, f.askHistory, f.askTransactions, f.askFeeds,
		f.askReplication,
	} {
		if err := question(ctx, conn); err != nil {
			return f, err
		}
	}
	if f.schema.Version >= firstWithForwarded && !f.schema.Dirty {
		if f.forwarded, err = accounts.Forwarded(ctx, db.New(conn), time.Now().UTC()); err != nil {
			return f, err
		}
	}
	f.askDisks(folders)
	return f, nil
}

// askClaims runs when the connection of the other questions is closed: the pool may have only one.
func (f *facts) askClaims(ctx context.Context, d *db.DB) {
	if f.schema.Version >= firstWithTasks && !f.schema.Dirty {
		plan := monitor.PlanOfClaim(ctx, d)
		f.claims = &plan
	}
}

func (f *facts) askSettings(ctx context.Context, conn *sql.Conn) (err error) {
	if f.global, err = pairs(ctx, conn, "SHOW GLOBAL VARIABLES"); err != nil {
		return err
	}
	if f.session, err = pairs(ctx, conn, "SHOW SESSION VARIABLES"); err != nil {
		return err
	}
	f.status, err = pairs(ctx, conn, "SHOW GLOBAL STATUS")
	return err
}

func pairs(ctx context.Context, conn *sql.Conn, query string) (map[string]string, error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	values := make(map[string]string)
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		values[strings.ToLower(name)] = value
	}
	return values, rows.Err()
}

func (f *facts) askAccount(ctx context.Context, conn *sql.Conn) (err error) {
	f.account, err = db.Grantee(ctx, conn)
	return err
}

// askClock compares clocks at the middle of the question.
func (f *facts) askClock(ctx context.Context, conn *sql.Conn) error {
	var theirs time.Time
	before := time.Now()
	if err := conn.QueryRowContext(ctx, "SELECT UTC_TIMESTAMP(6)").Scan(&theirs); err != nil {
		return err
	}
	f.clock = theirs.Sub(before.Add(time.Since(before) / 2).Round(0))
	return nil
}

func (f *facts) askSchema(ctx context.Context, conn *sql.Conn) error {
	f.schema.Latest = db.LatestSchema()
	var err error
	if f.mark, err = db.FindMark(ctx, conn); err != nil || f.mark != "" {
		return err
	}
	var there bool
	err = conn.QueryRowContext(ctx, `SELECT COUNT(*) FROM information_schema.tables
		WHERE table_schema = DATABASE() AND table_name = 'schema_migrations'`).Scan(&there)
	if err != nil || !there {
		return err
	}
	err = conn.QueryRowContext(ctx, "SELECT version, dirty FROM schema_migrations").Scan(&f.schema.Version,
		&f.schema.Dirty)
	if db.IsNotFound(err) {
		return nil
	}
	return err
}

// collations are those that the schema uses.
var collations = []string{"utf8mb4_unicode_520_ci", "utf8mb4_bin", "ascii_bin"}

func (f *facts) askTables(ctx context.Context, conn *sql.Conn) error {
	rows, err := conn.QueryContext(ctx, `SELECT t.table_name, COALESCE(t.engine, ''), COALESCE(c.collation_name, ''), COALESCE(c.column_name, '')
		FROM information_schema.tables t
		LEFT JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.collation_name IS NOT NULL
		WHERE t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE' ORDER BY t.table_name, c.ordinal_position`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var table, engine, collation, column string
		if err := rows.Scan(&table, &engine, &collation, &column); err != nil {
			return err
		}
		switch odd := table + " (" + engine + ")"; {
		case engine != "InnoDB" && !slices.Contains(f.oddTables, odd):
			f.oddTables = append(f.oddTables, odd)
		case engine == "InnoDB" && column != "" && !slices.Contains(collations, collation):
			f.oddTables = append(f.oddTables, table+"."+column+" ("+collation+")")
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return conn.QueryRowContext(ctx, `SELECT CAST(COALESCE(SUM(data_length + index_length), 0) AS UNSIGNED) FROM information_schema.tables
		WHERE table_schema = DATABASE()`).Scan(&f.dataBytes)
}

func (f *facts) askFeeds(ctx context.Context, conn *sql.Conn) error {
	if f.schema.Version < firstWithFeeds || f.schema.Dirty {
		return nil
	}
	f.waiting = &backlog{}
	tables := []string{"ticket", "comment", "board"}
	if f.schema.Version >= firstWithSights {
		tables = append(tables, "ticket_sight", "comment_sight", "board_sight")
	}
	for _, table := range tables {
		var n int
		err := conn.QueryRowContext(ctx,
			fmt.Sprintf("SELECT COUNT(*) FROM (SELECT 1 FROM %[1]s FORCE INDEX (uq_%[1]s_feed) WHERE feed_sync_id IS NULL LIMIT %[2]d) x", table, manyWaiting)).Scan(&n)
		if err != nil {
			return err
		}
		f.waiting.rows += n
	}
	return conn.QueryRowContext(ctx,
		"SELECT TIMESTAMPDIFF(SECOND, MAX(committed_at), NOW(6)) FROM (SELECT (SELECT MAX(committed_at) FROM feed_batch b WHERE b.feed = s.name) AS committed_at FROM sequences s) x").Scan(&f.waiting.since)
}

// askHistory reads the history length: on MariaDB any account may, on MySQL those with PROCESS.
func (f *facts) askHistory(ctx context.Context, conn *sql.Conn) (err error) {
	if value, ok := f.status["innodb_history_list_length"]; ok {
		_, err := fmt.Sscan(value, &f.history.value)
		f.history.known = err == nil
		return nil
	}
	f.history, err = privileged(ctx, conn,
		"SELECT `count` FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len'")
	return err
}

// askTransactions asks in the system's time zone, which trx_started is in.
func (f *facts) askTransactions(ctx context.Context, conn *sql.Conn) (err error) {
	if _, err := conn.ExecContext(ctx, "SET SESSION time_zone = 'SYSTEM'"); err != nil {
		return err
	}
	f.transactions, err = privileged(ctx, conn,
		"SELECT COALESCE(MAX(TIMESTAMPDIFF(SECOND, trx_started, NOW())), 0) FROM information_schema.innodb_trx")
	var said *mysql.MySQLError
	if errors.As(err, &said) && said.Number == noText {
		f.transactions, err = oldestInStatus(ctx, conn)
	}
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "SET SESSION time_zone = '+00:00'")
	return err
}

// noText is MySQL's error for the list of transactions while a statement in it holds bytes that are no text.
const noText = 3854

var activeFor = regexp.MustCompile(`(?m)^---TRANSACTION .*ACTIVE (?:\([A-Z]+\) )?(\d+) sec`)

// oldestInStatus reads the age of the oldest open transaction from the engine's report, which has no fixed format and
// may be cut off.
func oldestInStatus(ctx context.Context, conn *sql.Conn) (value, error) {
	var kind, name, report string
	if err := conn.QueryRowContext(ctx, "SHOW ENGINE INNODB STATUS").Scan(&kind, &name, &report); err != nil {
		return value{}, err
	}
	oldest := value{known: true}
	for _, found := range activeFor.FindAllStringSubmatch(report, -1) {
		seconds, err := strconv.ParseInt(found[1], 10, 64)
		if err != nil {
			return value{}, err
		}
		oldest.value = max(oldest.value, seconds)
	}
	return oldest, nil
}

// privileged reads a number, or none if the account may not.
func privileged(ctx context.Context, conn *sql.Conn, query string) (r value, err error) {
	err = conn.QueryRowContext(ctx, query).Scan(&r.value)
	if db.IsForbidden(err) || db.IsNotFound(err) {
		return value{}, nil
	}
	r.known = err == nil
	return r, err
}

// askDisks examines the disks of the folders, each once.
func (f *facts) askDisks(folders []string) {
	var seen []syscall.Fsid
	for _, folder := range folders {
		of, ok := diskOf(folder)
		if !ok || slices.Contains(seen, of.Fsid) {
			continue
		}
		seen = append(seen, of.Fsid)
		f.disks = append(f.disks, disk{folder, of.Bavail * uint64(of.Bsize)})
	}
}

// diskOf examines a folder, or the nearest existing one above it.
func diskOf(folder string) (of syscall.Statfs_t, ok bool) {
	for at := folder; ; at = filepath.Dir(at) {
		if syscall.Statfs(at, &of) == nil {
			return of, true
		}
		if at == filepath.Dir(at) {
			return of, false
		}
	}
}
