package delivery

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// checkRecount is how often a process checks whether a recount is due.
const checkRecount = time.Minute

// WorkRecounts compares the counters of reference codes with the tables once a day, until ctx ends.
func (d *Delivery) WorkRecounts(ctx context.Context) {
	wait.Every(ctx, checkRecount, func(ctx context.Context) {
		if err := d.RecountRefs(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("count reference codes", "error", err)
		}
	})
}

// RecountRefs does once what WorkRecounts does, if it is due.
func (d *Delivery) RecountRefs(ctx context.Context) error {
	r, done, err := refs.RecountIfDue(ctx, d.bulk, refs.LongestRecount)
	switch {
	case err != nil || !done:
		return err
	case r.Lost > 0:
		d.log.Error("the tables of reference codes disagree: run counterfoil verify", "codes", r.Lost)
	case r.Off > 0:
		d.log.Warn("the counters of reference codes were off, and are mended", "codes", r.Off)
	}
	return nil
}
