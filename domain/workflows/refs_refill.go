package workflows

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	// tendRefs is how often the pool is looked at.
	tendRefs = 5 * time.Second
	// refillAgain is how long after a refill that did not end well the next one begins.
	refillAgain = time.Hour
)

// WorkRefs keeps the pool of reference codes filled and notes how many are given out, until ctx ends.
func (w *Workflows) WorkRefs(ctx context.Context) {
	wait.Every(ctx, tendRefs, func(ctx context.Context) {
		if err := w.TendRefs(ctx); err != nil && ctx.Err() == nil {
			w.log.Warn("keep reference codes", "error", err)
		}
	})
}

// lastSample stores what was noted until the process ends.
func (w *Workflows) lastSample(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := w.sampleRefs(ctx); err != nil {
		w.log.Warn("store what became of reference codes", "error", err)
	}
}

// sampleRefs stores how many codes were given out and looked up.
func (w *Workflows) sampleRefs(ctx context.Context) error {
	return errors.Join(w.refs.Sample(ctx), w.looked.Store(ctx, w.db.Queries, w.db.Now()))
}

// TendRefs does once what WorkRefs does.
func (w *Workflows) TendRefs(ctx context.Context) error {
	sampling := w.sampleRefs(ctx) // a pool runs dry also where nobody can note how fast
	return errors.Join(sampling, w.keepFilled(ctx))
}

func (w *Workflows) keepFilled(ctx context.Context) error {
	standing, err := w.refs.Stand(ctx, w.db.Queries, w.db.Now())
	if err != nil {
		return err
	}
	var guarding error // a pool runs dry also where its guard does not end
	if standing.Guarded {
		guarding = w.endGuard(ctx)
	}
	if standing.Refill() == 0 {
		return guarding
	}
	return errors.Join(guarding, w.refill(ctx))
}

// refill opens a run that mints what is missing, unless there is one. One at a time does that; were there two, they
// would mint more than is needed and nothing worse.
func (w *Workflows) refill(ctx context.Context) error {
	err := w.db.InTx(ctx, func(tx *db.Tx) error {
		policy, err := refs.LockPolicy(ctx, tx)
		if err != nil {
			return err
		}
		if under, err := w.underWay(ctx, policy.Refill, refillAgain); err != nil || under {
			return err
		}
		standing, err := w.refs.Stand(ctx, tx.Queries, tx.Now)
		if err != nil {
			return err
		}
		n := standing.Refill()
		if n == 0 {
			return nil
		}
		run, err := w.engine.OpenIn(ctx, tx, migrations.Actor{Name: "refill"}, MintName, migrations.Values{
			"codes": strconv.FormatUint(n, 10), "length": strconv.Itoa(standing.RefillLength()),
		})
		if err != nil {
			return err
		}
		return refs.SetRefill(ctx, tx, run.ID)
	})
	if err != nil {
		return fmt.Errorf("refill the pool of reference codes: %w", err)
	}
	return nil
}

// underWay reports whether a run is not over yet, or has not ended well a short time ago.
func (w *Workflows) underWay(ctx context.Context, run id.Run, short time.Duration) (bool, error) {
	if run == 0 {
		return false, nil
	}
	r, err := w.engine.Run(ctx, run)
	if err != nil || r.FinishedAt == nil {
		return err == nil, err
	}
	bad := r.State != migrations.Complete || r.Progress.Failed+r.Progress.Skipped > 0
	return bad && w.db.Now().Sub(*r.FinishedAt) < short, nil
}

// endGuard lets codes be given out without a look at their lots, once those in quarantine are out of the pool.
func (w *Workflows) endGuard(ctx context.Context) error {
	err := w.db.InTx(ctx, func(tx *db.Tx) error {
		policy, err := refs.LockPolicy(ctx, tx)
		if err != nil {
			return err
		}
		run, err := w.engine.Run(ctx, policy.Sweep)
		if err != nil || run.State != migrations.Complete || run.Progress.Failed+run.Progress.Skipped > 0 {
			return err
		}
		return refs.Unguard(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("end the guard of reference codes: %w", err)
	}
	return nil
}
