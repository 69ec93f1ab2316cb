package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/counterfoil/counterfoil/domain/wait"
)

// attempts is how often InTx runs a transaction that the server keeps choosing as a victim.
const attempts = 6

// Before another attempt it waits at random, for twice as long at most with each.
const (
	shortestPause = 5 * time.Millisecond
	longestPause  = 80 * time.Millisecond
)

// Tx is an open transaction. Now is its one time: UTC, in microseconds, as the database stores it.
type Tx struct {
	*Queries
	SQL *sql.Tx
	Now time.Time
}

// InTx runs fn in a READ COMMITTED transaction and commits it. On a deadlock, a lock wait timeout
// or a changed snapshot it runs fn again from the start, so fn must touch nothing but tx. An error
// that means the database cannot be used now comes back as Unavailable: nothing was saved. If the answer to the COMMIT
// was lost it returns UnknownOutcome and does not run fn again, for that may save it twice.
func (d *DB) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	var err error
	for attempt := range attempts {
		if attempt > 0 {
			if err := wait.Sleep(ctx, rand.N(wait.Backoff(shortestPause, longestPause, attempt-1))); err != nil {
				return err
			}
		}
		if err = d.once(ctx, fn); !retryable(err) {
			return classify(err)
		}
	}
	return Unavailable{Why: "it is too busy", Err: err}
}

// ReadTx runs reads in a READ COMMITTED transaction, once: on one connection, where each statement has a view of its
// own. A proxy that sends reads to replicas sends those of such a transaction to the primary, if it is not READ ONLY.
func (d *DB) ReadTx(ctx context.Context, fn func(tx *Tx) error) error {
	tx, err := d.SQL.BeginTx(ctx, nil)
	if err != nil {
		return classify(fmt.Errorf("begin: %w", err))
	}
	defer tx.Rollback() // there is nothing to commit
	return classify(fn(&Tx{Queries: d.Queries.WithTx(tx), SQL: tx, Now: d.Now()}))
}

// Try runs fn, a part of the transaction. If fn fails, what it wrote is rolled back, and the transaction can go on: it
// keeps the locks that fn took. After an error that ended the transaction, such as a deadlock, it cannot.
func (tx *Tx) Try(ctx context.Context, fn func() error) error {
	if _, err := tx.SQL.ExecContext(ctx, "SAVEPOINT part"); err != nil {
		return fmt.Errorf("set savepoint: %w", err)
	}
	err := fn()
	if err == nil || retryable(err) {
		return err
	}
	if _, failed := tx.SQL.ExecContext(ctx, "ROLLBACK TO SAVEPOINT part"); failed != nil {
		return fmt.Errorf("roll back to savepoint: %w", failed)
	}
	return err
}

// Now is the time for a write outside a transaction.
func (d *DB) Now() time.Time { return d.now().UTC().Truncate(time.Microsecond) }

func (d *DB) once(ctx context.Context, fn func(tx *Tx) error) (err error) {
	tx, err := d.SQL.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() // after a commit this does nothing; a panic in fn must not leak locks
	if err := fn(&Tx{Queries: d.Queries.WithTx(tx), SQL: tx, Now: d.Now()}); err != nil {
		return err
	}
	switch err := tx.Commit(); {
	case errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil:
		return fmt.Errorf("commit: %w", ctx.Err()) // it was rolled back when ctx ended
	case err != nil:
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
