// Package hold keeps everybody else out of a database while a restore or a failover makes it fit for use. Its
// invariant: from Close on no other connection uses the database, whatever is killed, until Open; and Open comes after
// Protect. Start at Take.
package hold

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// Hold is a command's hold of a database: a lock against other commands, as long as its connection lasts, and the mark
// that keeps everybody else out, which outlasts it.
type Hold struct {
	Conn *sql.Conn
	mark db.Mark
}

// patience is how long a command waits for the end of one whose process is gone: its last statement may take a moment.
const patience = 5 * time.Second

// ErrTaken says that another command holds the database.
var ErrTaken = errors.New("another command holds the database")

// Take returns a hold of a database, to be closed with a mark; or ErrTaken.
func Take(ctx context.Context, pool *sql.DB, mark db.Mark) (Hold, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return Hold{}, err
	}
	var mine sql.NullBool
	err = conn.QueryRowContext(ctx, "SELECT GET_LOCK(CONCAT('counterfoil restore ', LEFT(SHA2(DATABASE(), 256), 32)), ?)",
		patience.Seconds()).Scan(&mine)
	if err == nil && !mine.Bool {
		err = ErrTaken
	}
	if err != nil {
		conn.Close()
		return Hold{}, err
	}
	return Hold{conn, mark}, nil
}

// Found reports whether the database has the hold's mark, of a command that was cut off. It returns the Refusal of
// another mark.
func (h Hold) Found(ctx context.Context) (bool, error) {
	found, err := db.FindMark(ctx, h.Conn)
	if err == nil && found != "" && found != h.mark {
		err = found.Refusal()
	}
	return found == h.mark, err
}

// Rows is how many rows the mark has: what they mean is the command's.
func (h Hold) Rows(ctx context.Context) (n int, err error) {
	return n, h.Conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+string(h.mark)).Scan(&n)
}

// AddRow adds a row to the mark, on h.Conn or in a transaction.
func (h Hold) AddRow(ctx context.Context, on interface {
	ExecContext(ctx context.Context, statement string, args ...any) (sql.Result, error)
}) error {
	_, err := on.ExecContext(ctx, "INSERT INTO "+string(h.mark)+" (began_at) VALUES (?)", time.Now().UTC())
	return err
}

// Close marks the database and ends all other connections. If it fails, the mark may be there.
func (h Hold) Close(ctx context.Context) error {
	if _, err := h.Conn.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+string(h.mark)+
		" (began_at DATETIME(6) NOT NULL, PRIMARY KEY (began_at)) ENGINE=InnoDB"); err != nil {
		return err
	}
	return db.EndOthers(ctx, h.Conn)
}

// Open removes the mark: everybody may use the database.
func (h Hold) Open(ctx context.Context) error {
	_, err := h.Conn.ExecContext(ctx, "DROP TABLE IF EXISTS "+string(h.mark))
	return err
}
