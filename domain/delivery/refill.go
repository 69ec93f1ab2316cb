package delivery

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
	"github.com/counterfoil/counterfoil/domain/workflows"
)

const (
	// tendRefs is how often the pool is checked.
	tendRefs = 5 * time.Second
	// refillAgain is the pause after a refill that failed.
	refillAgain = time.Hour
)

// WorkRefs keeps the pool of reference codes filled and stores how many are popped, until ctx ends.
func (d *Delivery) WorkRefs(ctx context.Context) {
	wait.Every(ctx, tendRefs, func(ctx context.Context) {
		if err := d.TendRefs(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("keep reference codes", "error", err)
		}
	})
}

// storeLastSample stores the last counts of a process that stops.
func (d *Delivery) storeLastSample(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := d.sampleRefs(ctx); err != nil {
		d.log.Warn("store what became of reference codes", "error", err)
	}
}

// sampleRefs stores how many codes were popped and looked up.
func (d *Delivery) sampleRefs(ctx context.Context) error {
	return errors.Join(d.refs.Sample(ctx), d.lookups.Store(ctx, d.db.Queries, d.db.Now()))
}

// TendRefs does once what WorkRefs does.
func (d *Delivery) TendRefs(ctx context.Context) error {
	unsampled := d.sampleRefs(ctx) // which is no reason to let the pool run dry
	return errors.Join(unsampled, d.keepFilled(ctx))
}

func (d *Delivery) keepFilled(ctx context.Context) error {
	state, err := d.refs.State(ctx, d.db.Queries, d.db.Now())
	if err != nil {
		return err
	}
	var guarded error // which is no reason to let the pool run dry
	if state.Guarded {
		guarded = d.endGuard(ctx)
	}
	if state.Refill() == 0 {
		return guarded
	}
	return errors.Join(guarded, d.refill(ctx))
}

// refill opens a run that mints what is missing, unless there is one. Two at once would mint more than is needed, and
// do no other harm.
func (d *Delivery) refill(ctx context.Context) error {
	err := d.db.InTx(ctx, func(tx *db.Tx) error {
		policy, err := refs.LockPolicy(ctx, tx)
		if err != nil {
			return err
		}
		if under, err := d.underWay(ctx, policy.Refill, refillAgain); err != nil || under {
			return err
		}
		state, err := d.refs.State(ctx, tx.Queries, tx.Now)
		if err != nil {
			return err
		}
		n := state.Refill()
		if n == 0 {
			return nil
		}
		run, err := d.engine.OpenIn(ctx, tx, migrations.Actor{Name: "refill"}, workflows.MintName, migrations.Values{
			"codes": strconv.FormatUint(n, 10), "length": strconv.Itoa(state.RefillLength()),
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

// underWay reports whether a run is not over yet, or failed a short time ago.
func (d *Delivery) underWay(ctx context.Context, run id.Run, short time.Duration) (bool, error) {
	if run == 0 {
		return false, nil
	}
	r, err := d.engine.Run(ctx, run)
	if err != nil || r.FinishedAt == nil {
		return err == nil, err
	}
	bad := r.State != migrations.Complete || r.Progress.Failed+r.Progress.Skipped > 0
	return bad && d.db.Now().Sub(*r.FinishedAt) < short, nil
}

// endGuard lets codes be popped without a check of their lots, once those in quarantine are out of the pool.
func (d *Delivery) endGuard(ctx context.Context) error {
	err := d.db.InTx(ctx, func(tx *db.Tx) error {
		policy, err := refs.LockPolicy(ctx, tx)
		if err != nil {
			return err
		}
		run, err := d.engine.Run(ctx, policy.Sweep)
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
