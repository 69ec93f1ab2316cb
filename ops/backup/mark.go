package backup

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/ops/hold"
)

// A restore holds its database (package hold). The mark gets a row once the database was seen to be empty: from then on
// all that is in it is of the restore.

// take returns a hold of a database, or AtWork.
func take(ctx context.Context, pool *sql.DB) (hold.Hold, error) {
	h, err := hold.Take(ctx, pool, db.RestoreMark)
	if errors.Is(err, hold.ErrTaken) {
		err = AtWork()
	}
	return h, err
}

// found returns whether the database is marked, and whether what is in it was left by a restore that was cut off.
func found(ctx context.Context, h hold.Hold) (marked, left bool, err error) {
	if marked, err = h.Found(ctx); err != nil || !marked {
		return false, false, err
	}
	n, err := h.Rows(ctx)
	return true, n > 0, err
}

// begin keeps everybody else out of a database that is empty, or is made empty if left says that a restore was cut off
// here. Nothing is in it then but an unused schema.
func begin(ctx context.Context, h hold.Hold, left bool) error {
	err := h.Close(ctx)
	if err == nil && left {
		return dropTables(ctx, h.Conn)
	}
	if err == nil {
		err = claim(ctx, h)
	}
	if err != nil && !left {
		_ = h.Open(context.WithoutCancel(ctx)) // else the next restore takes over the mark
	}
	return err
}

// claim looks once more whether the database is empty, for somebody may have been there before the mark, and notes that
// from now on all that is in it is the restore's.
func claim(ctx context.Context, h hold.Hold) error {
	if err := unused(ctx, h.Conn); err != nil {
		return err
	}
	halfway, err := dirty(ctx, h.Conn)
	if err == nil && halfway { // a program that began was killed, or its connection ended just now
		err = dropTables(ctx, h.Conn)
	}
	if err != nil {
		return err
	}
	return h.AddRow(ctx, h.Conn)
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
	defer h.Conn.Close()
	if _, left, err := found(ctx, h); err != nil || !left {
		return
	}
	if dropTables(ctx, h.Conn) == nil {
		_ = h.Open(ctx)
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
