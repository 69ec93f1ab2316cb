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
	// tendRefs is how often the pool is looked at.
	tendRefs = 5 * time.Second
	// refillAgain is how long after a refill that did not end well the next one begins.
	refillAgain = time.Hour
)

// WorkRefs keeps the pool of reference codes filled and notes how many are given out, until ctx ends.
func (d *Delivery) WorkRefs(ctx context.Context) {
	wait.Every(ctx, tendRefs, func(ctx context.Context) {
		if err := d.TendRefs(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("keep reference codes", "error", err)
		}
	})
}

// lastSample stores what was noted until the process ends.
func (d *Delivery) lastSample(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := d.sampleRefs(ctx); err != nil {
		d.log.Warn("store what became of reference codes", "error", err)
	}
}

// sampleRefs stores how many codes were given out and looked up.
func (d *Delivery) sampleRefs(ctx context.Context) error {
	return errors.Join(d.refs.Sample(ctx), d.looked.Store(ctx, d.db.Queries, d.db.Now()))
}

// TendRefs does once what WorkRefs does.
func (d *Delivery) TendRefs(ctx context.Context) error {
	sampling := d.sampleRefs(ctx) // a pool runs dry also where nobody can note how fast
	return errors.Join(sampling, d.keepFilled(ctx))
}

func (d *Delivery) keepFilled(ctx context.Context) error {
	standing, err := d.refs.State(ctx, d.db.Queries, d.db.Now())
	if err != nil {
		return err
	}
	var guarding error // a pool runs dry also where its guard does not end
	if standing.Guarded {
		guarding = d.endGuard(ctx)
	}
	if standing.Refill() == 0 {
		return guarding
	}
	return errors.Join(guarding, d.refill(ctx))
}

// refill opens a run that mints what is missing, unless there is one. One at a time does that; were there two, they
// would mint more than is needed and nothing worse.
func (d *Delivery) refill(ctx context.Context) error {
	err := d.db.InTx(ctx, func(tx *db.Tx) error {
		policy, err := refs.LockPolicy(ctx, tx)
		if err != nil {
			return err
		}
		if under, err := d.underWay(ctx, policy.Refill, refillAgain); err != nil || under {
			return err
		}
		standing, err := d.refs.State(ctx, tx.Queries, tx.Now)
		if err != nil {
			return err
		}
		n := standing.Refill()
		if n == 0 {
			return nil
		}
		run, err := d.engine.OpenIn(ctx, tx, migrations.Actor{Name: "refill"}, workflows.MintName, migrations.Values{
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

// endGuard lets codes be given out without a look at their lots, once those in quarantine are out of the pool.
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
