//go:build soak

package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/counterfoil/counterfoil/domain/migrations"
)

// TestSlowDisk has each fsync of the database take longer, while tickets are opened and a run is done. At 300 ms each
// request is answered with its ticket, and no worker loses its lease. At 2 s there are answers of 503, and leases may be
// lost, but nothing else is.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	library := compiled(t, "slowsync.c", "-shared", "-fPIC", "-ldl")
	for _, disk := range []struct {
		milliseconds int64
		lease        float64 // in seconds
		client       func(*install) *client
		calm         bool
	}{{300, 3, newClient, true}, {2000, 30, newPatientClient, false}} {
		t.Run(fmt.Sprintf("%d ms each", disk.milliseconds), func(t *testing.T) {
			i, slow := onPrivate(t), newMapped(t)
			i.withServer(t, "LD_PRELOAD="+library, "SLOWSYNC="+slow.path)
			b := newBusy(t, i, disk.client(i), 2_000, migrations.KnobChange{"lease": disk.lease})
			b.goesOn("on a quick disk")
			workers := b.allAlive()
			slow.set(t, disk.milliseconds)
			for n := range 3 {
				b.goesOn(fmt.Sprintf("on a slow disk, %d", n))
			}
			if now := b.alive(); disk.calm && !slices.Equal(workers, now) {
				t.Errorf("the workers were %v and are %v\n%s", workers, now, b.logs())
			}
			slow.set(t, 0)
			if p := b.ends().Progress; disk.calm && p.Reclaimed+p.Refused > 0 {
				t.Errorf("tasks were taken back: %+v", p)
			}
		})
	}
}
