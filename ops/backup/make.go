package backup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/blobs"
)

// Make writes a backup of one moment to a new file, readable by its owner only. The installation may be in use. It
// returns Exists, InUse, BadFile, BadSchema or Torn, and leaves nothing behind then. program is the version of this program,
// for the manifest.
func Make(ctx context.Context, from Installation, program, file string) (Summary, error) {
	out, err := newPart(file)
	if err != nil {
		return Summary{}, err
	}
	defer out.discard()
	summary, err := write(ctx, from, program, out)
	if err != nil {
		return Summary{}, fmt.Errorf("backup: %w", readable(err))
	}
	if err := out.finish(); err != nil {
		return Summary{}, err
	}
	return summary, nil
}

// readable turns the system's error about a file into BadFile, and temporary database errors into Unavailable.
func readable(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return BadFile(at.Path, err)
	}
	_, err = db.Read(0, err)
	return err
}

func write(ctx context.Context, from Installation, program string, out *part) (Summary, error) {
	d, err := db.OpenToRead(from.URL, db.AnswerWithin(0))
	if err != nil {
		return Summary{}, err
	}
	defer d.Close()
	server, err := d.Check(ctx)
	if err != nil {
		return Summary{}, err
	}
	pool, err := openRaw(from.URL)
	if err != nil {
		return Summary{}, err
	}
	defer pool.Close()
	a := newArchive(out, d.Now())
	a.progress = from.Progress
	summary := Summary{Manifest: Manifest{Format: Format, Engine: server.String(), Program: program, CreatedAt: d.Now()}}
	err = view(ctx, pool, server.MariaDB, func(conn *sql.Conn) error { return writeRows(ctx, conn, a, &summary) })
	if err != nil {
		return Summary{}, err
	}
	if err := writeBlobs(ctx, from.Blobs, a, &summary); err != nil {
		return Summary{}, err
	}
	if err := a.close(); err != nil {
		return Summary{}, err
	}
	summary.Bytes, err = out.Seek(0, io.SeekCurrent)
	return summary, err
}

// openRaw returns connections that return values as the server writes them, times too.
func openRaw(url string) (*sql.DB, error) {
	cfg, err := db.Config(url)
	if err != nil {
		return nil, err
	}
	cfg.ParseTime = false
	// The server must not time out while a slow disk is written to, or a change of the schema takes its time.
	cfg.Params = map[string]string{"time_zone": "'+00:00'", "net_write_timeout": "3600", "wait_timeout": "28800"}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

func writeRows(ctx context.Context, conn *sql.Conn, a *archive, summary *Summary) error {
	var err error
	if summary.Manifest.Schema, err = schemaVersion(ctx, conn); err != nil {
		return err
	}
	tables, err := describe(ctx, conn)
	if err != nil {
		return err
	}
	for _, t := range tables {
		summary.Manifest.Tables = append(summary.Manifest.Tables, t.Table)
	}
	if err := a.addJSON(manifestName, summary.Manifest); err != nil {
		return err
	}
	if a.estimate, err = estimatedRows(ctx, conn); err != nil {
		return err
	}
	for _, t := range tables {
		if err := writeTable(ctx, conn, a, t); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		summary.Rows += a.sums.Rows[t.Name]
	}
	return nil
}

// estimatedRows is the server's estimate of the rows, for the progress only.
func estimatedRows(ctx context.Context, conn *sql.Conn) (n int64, err error) {
	err = conn.QueryRowContext(ctx,
		"SELECT CAST(COALESCE(SUM(TABLE_ROWS), 0) AS SIGNED) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()").Scan(&n)
	return n, err
}

// writeTable writes rows as the server sends them, a chunk at a time. It forces the index: a server whose statistics
// say that the table is empty would sort all of it first.
func writeTable(ctx context.Context, conn *sql.Conn, a *archive, t tableInfo) error {
	a.sums.Rows[t.Name] = 0
	rows, err := conn.QueryContext(ctx,
		"SELECT "+quoteAll(t.names())+" FROM "+quote(t.Name)+" FORCE INDEX (PRIMARY) ORDER BY "+quoteAll(t.key))
	if err != nil {
		return err
	}
	defer rows.Close()
	values := make([]sql.RawBytes, len(t.Columns))
	targets := make([]any, len(values))
	for i := range values {
		targets[i] = &values[i]
	}
	var buffer []byte
	var inBuffer, parts int64
	flush := func() error {
		if inBuffer == 0 {
			return nil
		}
		parts++
		err := a.addRows(t.Name, parts, inBuffer, buffer)
		buffer, inBuffer = buffer[:0], 0
		return err
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if buffer, err = appendRow(buffer, t.Columns, values); err != nil {
			return err
		}
		if inBuffer++; len(buffer) < chunk {
			continue
		}
		if len(buffer) > maxRows {
			return fmt.Errorf("a row is larger than %d MiB", (maxRows-chunk)>>20)
		}
		if err := flush(); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return flush()
}

// writeBlobs runs after the rows were read: a file that a row of the snapshot names is there, or was removed since.
func writeBlobs(ctx context.Context, folder string, a *archive, summary *Summary) error {
	if folder == "" {
		return nil
	}
	if blobs.Remote(folder) {
		return writeBucket(ctx, folder, a, summary)
	}
	folder, err := filepath.EvalSymlinks(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			summary.Gone++
			return nil
		}
		if err != nil {
			return err
		}
		if err := stop(ctx); err != nil || !entry.Type().IsRegular() || passing(entry.Name()) {
			return err
		}
		relative, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		return writeBlob(name, path.Join("blobs", filepath.ToSlash(relative)), a, summary)
	})
}

func writeBlob(file, name string, a *archive, summary *Summary) error {
	blob, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		summary.Gone++
		return nil
	}
	if err != nil {
		return err
	}
	defer blob.Close()
	info, err := blob.Stat()
	if err != nil {
		return err
	}
	summary.Blobs++
	return a.addBlob(name, info.Size(), blob)
}
