package worker

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// confirm is the last step of a transaction that writes what a worker did, which was known to go on at a time: if that is
// too long ago, because the process stood still, it asks whether a stop ended the worker meanwhile. Then it returns
// errHalted.
func confirm(ctx context.Context, tx *db.Tx, worker id.Worker, known time.Time) error {
	for time.Since(known) >= stale {
		known = time.Now()
		halted, err := tx.WorkerHalted(ctx, worker)
		if err != nil {
			return err
		}
		if halted {
			return errHalted
		}
	}
	return nil
}

// confirm is confirm for the dispatcher's worker.
func (d *dispatcher) confirm(ctx context.Context, tx *db.Tx) error {
	var known time.Time
	if last := d.w.lastRead.Load(); last != nil {
		known = last.mine
	}
	return confirm(ctx, tx, d.w.id, known)
}

// returnAll has outcomes say that nothing was done: what a worker did that a stop ended is written no more.
func returnAll(batch []*attempt) {
	for _, h := range batch {
		h.outcome = returned
	}
}
