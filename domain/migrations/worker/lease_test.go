package worker

import (
	"context"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// TestLeaseIsToBeLonger has the only run with a short lease end, so that the next lease is of the usual length. The
// short one, which is still running, has to be renewed in its own time.
func TestLeaseIsToBeLonger(t *testing.T) {
	t.Parallel()
	b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
	w := b.manualWorker(b.running(0, migrations.Knobs{})).w
	w.leaseFor.Store(int64(2 * time.Second))
	domaintest.Must(t, w.renew(t.Context()))
	w.leaseFor.Store(int64(migrations.DefaultKnobs.Lease))

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.keepLease(ctx) }()
	domaintest.Until(t, "the lease is a long one, or lost", func() bool {
		return !w.lease.Valid() || w.lease.Left() > migrations.DefaultKnobs.Lease/2
	})
	stop()
	if err := <-ended; err != nil || !w.lease.Valid() {
		t.Errorf("the lease is lost: %v", err)
	}
}
