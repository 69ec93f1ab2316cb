package backup

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// hold is a restore's hold of a database: a lock against other restores, as long as its connection lasts, and the mark
// that keeps everybody else out, which outlasts it. The mark has a row once the database was seen to be empty: from
// then on all that is in it is of the restore.
type hold struct{ conn *sql.Conn }

// patience is how long a restore waits for the end of one whose process is gone: its last statement may take a moment.
const patience = 5 * time.Second

// take returns a hold of a database, or AtWork.
func take(ctx context.Context, pool *sql.DB) (hold, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return hold{}, err
	}
	var mine sql.NullBool
	err = conn.QueryRowContext(ctx, "SELECT GET_LOCK(CONCAT('counterfoil restore ', LEFT(SHA2(DATABASE(), 256), 32)), ?)",
		patience.Seconds()).Scan(&mine)
	if err == nil && !mine.Bool {
		err = AtWork()
	}
	if err != nil {
		conn.Close()
		return hold{}, err
	}
	return hold{conn}, nil
}

// found returns whether the database is marked, and whether what is in it was left by a restore that was cut off.
func (h hold) found(ctx context.Context) (marked, left bool, err error) {
	if marked, err = db.IsRestoring(ctx, h.conn); err != nil || !marked {
		return marked, false, err
	}
	return true, left, h.conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+db.RestoreMark).Scan(&left)
}

// begin keeps everybody else out of a database that is empty, or is made empty if left says that a restore was cut off
// here. Nothing is in it then but an unused schema.
func (h hold) begin(ctx context.Context, left bool) error {
	if _, err := h.conn.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+db.RestoreMark+
		" (began_at DATETIME(6) NOT NULL, PRIMARY KEY (began_at)) ENGINE=InnoDB"); err != nil {
		return err
	}
	err := db.EndOthers(ctx, h.conn)
	if err == nil && left {
		return dropTables(ctx, h.conn)
	}
	if err == nil {
		err = h.claim(ctx)
	}
	if err != nil && !left {
		_ = h.end(context.WithoutCancel(ctx)) // else the next restore takes over the mark
	}
	return err
}

// claim looks once more whether the database is empty, for somebody may have been there before the mark, and notes that
// from now on all that is in it is the restore's.
func (h hold) claim(ctx context.Context) error {
	if err := unused(ctx, h.conn); err != nil {
		return err
	}
	halfway, err := dirty(ctx, h.conn)
	if err == nil && halfway { // a program that began was killed, or its connection ended just now
		err = dropTables(ctx, h.conn)
	}
	if err != nil {
		return err
	}
	_, err = h.conn.ExecContext(ctx, "INSERT INTO "+db.RestoreMark+" (began_at) VALUES (?)", time.Now().UTC())
	return err
}

// end lets everybody in.
func (h hold) end(ctx context.Context) error {
	_, err := h.conn.ExecContext(ctx, "DROP TABLE "+db.RestoreMark)
	return err
}

// clearing is how long a restore that failed tries to leave an empty database.
const clearing = time.Minute

// clear empties the database after a restore failed, and lets everybody in. If it cannot, the mark stays, and the next
// restore does it. Its connection may be lost, and another restore may have taken the database since.
func clear(ctx context.Context, pool *sql.DB) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearing)
	defer cancel()
	h, err := take(ctx, pool)
	if err != nil {
		return
	}
	defer h.conn.Close()
	if _, left, err := h.found(ctx); err != nil || !left {
		return
	}
	if dropTables(ctx, h.conn) == nil {
		_ = h.end(ctx)
	}
}

// dropTables drops all tables of the schema. Unlike the removal of rows that locks none, whatever they hold.
func dropTables(ctx context.Context, conn *sql.Conn) error {
	names, err := tableNames(ctx, conn)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return !slices.Contains(backedUp, name) && !slices.Contains(leftOut, name)
	})
	if len(names) == 0 {
		return nil
	}
	if _, err := conn.ExecContext(ctx, "SET SESSION foreign_key_checks = 0"); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "DROP TABLE "+quoteAll(names)); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "SET SESSION foreign_key_checks = 1")
	return err
}
