package backup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/ops/hold"
	"github.com/counterfoil/counterfoil/ops/keyloss"
	"github.com/counterfoil/counterfoil/ops/verify"
)

// Restore loads a backup into an empty installation, brings it to the newest schema and verifies it; the report may
// have findings. The whole file is checked before anything is written. From before the first row until what protects
// the restored data stands nobody else can use the database: rows are loaded in transactions of bounded size. If the
// restore fails the database is empty again; if it is cut off the next one empties it first. It returns BadFile,
// NotABackup, Damaged, TooNew, NotEmpty, AtWork, BadSchema or NoRoom.
func Restore(ctx context.Context, to Installation, file string) (Summary, verify.Report, error) {
	f, err := open(file)
	if err != nil {
		return Summary{}, verify.Report{}, err
	}
	defer f.Close()
	if _, err := to.Keys.IDs(); err != nil { // of no use at its end
		return Summary{}, verify.Report{}, err
	}
	c, err := inspect(ctx, f, roomIn(to.Blobs), to.Progress)
	if err != nil {
		return Summary{}, verify.Report{}, err
	}
	summary := c.summary()
	if summary.Emptied, summary.Lost, err = restore(ctx, to, f, c); err != nil {
		return Summary{}, verify.Report{}, fmt.Errorf("restore: %w", readable(err))
	}
	report, err := prove(ctx, to)
	return summary, report, err
}

// restore reports whether it first removed what a restore had left that was cut off.
func restore(
	ctx context.Context, to Installation, f *os.File, c contents,
) (emptied bool, lost keyloss.Lost, err error) {
	pool, err := openRaw(to.URL)
	if err != nil {
		return false, lost, err
	}
	defer pool.Close()
	h, err := take(ctx, pool)
	if err != nil {
		return false, lost, err
	}
	defer h.Conn.Close()
	marked, left, err := found(ctx, h)
	if err == nil && !marked {
		err = unused(ctx, h.Conn)
	}
	if err != nil {
		return false, lost, err
	}
	if err := blobsEmpty(ctx, to.Blobs, c.blobs); err != nil {
		return false, lost, err
	}
	if err := begin(ctx, h, left); err != nil {
		return false, lost, err
	}
	if lost, err = fill(ctx, h.Conn, to, f, c); err != nil {
		h.Conn.Close()
		clear(ctx, pool)
		return false, lost, err
	}
	return left, lost, h.Open(ctx)
}

// fill does all of a restore into a database that nobody else uses.
func fill(ctx context.Context, conn *sql.Conn, to Installation, f *os.File, c contents) (keyloss.Lost, error) {
	if err := fillRows(ctx, conn, to, f, c); err != nil {
		return keyloss.Lost{}, err
	}
	return protect(ctx, to)
}

func fillRows(ctx context.Context, conn *sql.Conn, to Installation, f *os.File, c contents) error {
	if err := db.SchemaTo(to.URL, c.manifest.Schema); err != nil {
		return err
	}
	if err := fit(ctx, conn, f.Name(), c.manifest); err != nil {
		return err
	}
	if err := restoreBlobs(ctx, to.Blobs, f, c); err != nil {
		return err
	}
	if err := load(ctx, conn, f, c); err != nil {
		return err
	}
	if err := analyze(ctx, conn, c.manifest); err != nil {
		return err
	}
	return db.SchemaTo(to.URL, db.LatestSchema())
}

// protect is hold.Protect, and gives up the secrets whose key is not there. Workers are not in a backup; one that knew
// the empty database is a new one.
func protect(ctx context.Context, to Installation) (keyloss.Lost, error) {
	d, err := db.OpenMarked(to.URL)
	if err != nil {
		return keyloss.Lost{}, err
	}
	defer d.Close()
	if err := hold.Protect(ctx, d, "Restored from a backup."); err != nil {
		return keyloss.Lost{}, err
	}
	return keyloss.Restored(ctx, d, to.Keys)
}

// analyze updates the server's statistics: until then it takes the tables for empty and scans them instead of using an
// index.
func analyze(ctx context.Context, conn *sql.Conn, m Manifest) error {
	names := make([]string, len(m.Tables))
	for i, t := range m.Tables {
		names[i] = t.Name
	}
	rows, err := conn.QueryContext(ctx, "ANALYZE LOCAL TABLE "+quoteAll(names))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() { // the result for each table is not used
	}
	return rows.Err()
}

func prove(ctx context.Context, to Installation) (verify.Report, error) {
	d, err := db.Open(to.URL, db.AnswerWithin(0))
	if err != nil {
		return verify.Report{}, err
	}
	defer d.Close()
	return verify.Run(ctx, d, to.Keys, "", to.Progress) // each file was proven by its checksum
}

// filledBySchema are the tables with initial rows, also those that serve makes before it is set up, and the condition of
// an unused one.
var filledBySchema = map[string]string{
	"sequences": "value = 0", "ref_counter": "minted = 0 AND issued = 0 AND quarantined = 0",
	"ref_policy":   "wanted = FALSE AND canary_key IS NULL",
	"audit_sealer": "secret = ''",
	"secret_key":   "TRUE", "sealed_secret": "kind = 'signing'",
}

// dirty reports whether a change of the schema stopped halfway.
func dirty(ctx context.Context, conn *sql.Conn) (halfway bool, err error) {
	tables, err := tableNames(ctx, conn)
	if err != nil || !slices.Contains(tables, "schema_migrations") {
		return false, err
	}
	return halfway, conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM schema_migrations WHERE dirty").Scan(&halfway)
}

// unused returns NotEmpty if a table has other than initial rows. Sessions do not count: a page that was opened may
// have made some.
func unused(ctx context.Context, conn *sql.Conn) error {
	tables, err := tableNames(ctx, conn)
	if err != nil {
		return err
	}
	for _, name := range tables {
		if slices.Contains(leftOut, name) || isLock(name) {
			continue
		}
		brought := "SELECT 1 FROM " + quote(name)
		if untouched, ok := filledBySchema[name]; ok {
			brought += " WHERE NOT (" + untouched + ")"
		}
		var holds bool
		if err := conn.QueryRowContext(ctx, "SELECT EXISTS("+brought+")").Scan(&holds); err != nil {
			return err
		}
		if holds {
			return NotEmpty("the table " + name + " of this one holds rows")
		}
	}
	return nil
}

// fit returns Damaged unless the manifest names the tables and columns of its schema's version: all names in
// statements come from the database itself.
func fit(ctx context.Context, conn *sql.Conn, file string, m Manifest) error {
	tables, err := describe(ctx, conn)
	if err != nil {
		return err
	}
	if len(tables) != len(m.Tables) {
		return Damaged(file, "its tables are not those of its schema version")
	}
	for i, t := range tables {
		if m.Tables[i].Name != t.Name || !slices.Equal(m.Tables[i].Columns, t.Columns) {
			return Damaged(file, "its table "+t.Name+" is not that of its schema version")
		}
	}
	return nil
}

// load inserts all rows, in transactions of bounded size. Before them every table gets its next id: a statement of that
// kind would end a transaction.
func load(ctx context.Context, conn *sql.Conn, f *os.File, c contents) error {
	for _, t := range c.manifest.Tables {
		if t.Next == 0 {
			continue
		}
		if _, err := conn.ExecContext(ctx, fmt.Sprintf("ALTER TABLE %s AUTO_INCREMENT = %d", quote(t.Name),
			t.Next)); err != nil {
			return err
		}
	}
	// An id of 0 stays 0.
	_, err := conn.ExecContext(ctx,
		"SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION'")
	if err != nil {
		return err
	}
	for _, t := range c.manifest.Tables {
		if _, ok := filledBySchema[t.Name]; !ok {
			continue
		}
		if _, err := conn.ExecContext(ctx, "DELETE FROM "+quote(t.Name)); err != nil {
			return err
		}
	}
	in, err := newInserter(ctx, conn)
	if err != nil {
		return err
	}
	defer in.rollback()
	next := 0
	err = walk(ctx, f, c.progress.reading("load rows", f, func(m member, r io.Reader) error {
		if next++; m.Name == checksumsName {
			return nil
		}
		parts := rowsForm.FindStringSubmatch(m.Name)
		if parts == nil {
			return nil
		}
		content, err := verified(m, c.sums.Members[next-1], r)
		if err != nil {
			return err
		}
		t, _ := c.manifest.table(parts[1])
		return in.rows(t, content)
	}))
	if err != nil {
		return err
	}
	for table, want := range c.sums.Rows {
		if in.inserted[table] != want {
			return fmt.Errorf("%d rows of %s were inserted, %d are in the backup", in.inserted[table], table, want)
		}
	}
	return in.commit()
}

// verified reads a checked member once more: the file may have changed since.
func verified(m, was member, r io.Reader) ([]byte, error) {
	if m.Name != was.Name || m.Size != was.Size {
		return nil, errChanged
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if sum(content) != was.SHA256 {
		return nil, errChanged
	}
	return content, nil
}

var errChanged = errors.New("it was changed while it was restored")
