package workflows

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// lookAtRecount is how often it is looked whether codes are to be counted.
const lookAtRecount = time.Minute

// WorkRecounts holds the counters of reference codes against the tables once a day, until ctx ends.
func (w *Workflows) WorkRecounts(ctx context.Context) {
	wait.Every(ctx, lookAtRecount, func(ctx context.Context) {
		if err := w.RecountRefs(ctx); err != nil && ctx.Err() == nil {
			w.log.Warn("count reference codes", "error", err)
		}
	})
}

// RecountRefs does once what WorkRecounts does, where it is due.
func (w *Workflows) RecountRefs(ctx context.Context) error {
	r, done, err := refs.RecountIfDue(ctx, w.bulk, refs.LongestRecount)
	switch {
	case err != nil || !done:
		return err
	case r.Lost > 0:
		w.log.Error("the tables of reference codes disagree: run counterfoil verify", "codes", r.Lost)
	case r.Off > 0:
		w.log.Warn("the counters of reference codes were off, and are mended", "codes", r.Off)
	}
	return nil
}
