package worker

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// However many runs write, connections are left for those who look at them.
func TestWritersLeaveConnections(t *testing.T) {
	t.Parallel()
	var inside atomic.Int64
	release := make(chan struct{})
	b := newEnv(t, dbtest.Open(t), &migrations.Migration{Write: func(ctx context.Context, tx *db.Tx, _ []*migrations.Work) error {
		inside.Add(1)
		defer inside.Add(-1)
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}})
	var runs []id.Run
	for range 4 {
		runs = append(runs, b.running(20, migrations.Knobs{Concurrency: 200, Block: 1}))
	}
	b.works()
	b.until("every run has claimed for all its slots", func() bool {
		for _, run := range runs {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			p, err := b.d.ProgressOf(ctx, run)
			cancel()
			if err != nil {
				close(release)
				t.Fatalf("nobody gets to look while %d transactions go on: %v", inside.Load(), err)
			}
			if p.Processing < writersAtOnce {
				return false
			}
		}
		return inside.Load() >= writersAtOnce
	})
	if n := inside.Load(); n > writersAtOnce {
		t.Errorf("%d transactions at once", n)
	}
	close(release)
	for _, run := range runs {
		b.waitFor(run, migrations.Complete)
		b.adds(run)
	}
}
