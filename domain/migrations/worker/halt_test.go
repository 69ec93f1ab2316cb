package worker

import (
	"context"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// A process that stands still in the middle of a transaction, and goes on after a stop, commits nothing.
func TestNothingIsCommittedAfterAStop(t *testing.T) {
	t.Parallel()
	boss := migrations.Actor{Name: "Ana"}
	for _, stillFor := range []time.Duration{0, stale} {
		wrote := false
		var b env
		var h manualWorker
		b = newEnv(t, dbtest.Open(t), &migrations.Migration{
			Write: func(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
				_, err := tx.SQL.ExecContext(ctx, "UPDATE account SET name = 'Written'")
				domaintest.OK(b.p.engine.StopAll(t.Context(), boss, "why"))(t)
				h.w.lastRead.Store(&readTimes{time.Now().Add(-stillFor), time.Now()})
				wrote = true
				return err
			},
		})
		b.exec("INSERT INTO account (email, name, password_hash, created_at) VALUES ('a@b.c', 'Ana', 'x', NOW(6))")
		run := b.running(1, migrations.Knobs{})
		h = b.manualWorker(run)
		err := h.complete(t.Context(), h.claims(1), func(ctx context.Context, tx *db.Tx, list []*attempt) error {
			return h.callWrite(ctx, tx, []*migrations.Work{list[0].work})
		})
		if !wrote {
			t.Fatalf("nothing was tried: %v", err)
		}
		want := 1 // it may have been done before the stop
		if stillFor > 0 {
			want = 0
			domaintest.Is(t, err, errHalted)
		}
		domaintest.Counts(t, b.d, want, "SELECT COUNT(*) FROM account WHERE name = 'Written'")
		domaintest.Counts(t, b.d, want, "SELECT COUNT(*) FROM migration_task WHERE state = 'complete'")
	}
}
