//go:build soak

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// clocks are those of a program and of its private database, which a test sets apart from the machine's.
type clocks struct {
	programs mapped
	database string
}

// setClocks has an install's programs and database run by clocks of their own. libfaketime sets the database's. It does
// not reach a program in Go: testdata/faults/clock.c does.
func setClocks(t *testing.T, i *install) *clocks {
	t.Helper()
	found := domaintest.OK(filepath.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1"))(t)
	if len(found) == 0 {
		t.Fatal("libfaketime is not installed: this test needs it (scripts/need faketime)")
	}
	c := &clocks{newMapped(t), filepath.Join(t.TempDir(), "faketime")}
	c.set(t, 0, 0)
	i.under = []string{compiled(t, "clock.c"), c.programs.path}
	i.withServer(t, "LD_PRELOAD="+found[0], "FAKETIME_TIMESTAMP_FILE="+c.database, "FAKETIME_CACHE_DURATION=1",
		"DONT_FAKE_MONOTONIC=1", "FAKETIME_DONT_FAKE_MONOTONIC=1")
	return c
}

// set puts the clocks that far from the machine's.
func (c *clocks) set(t *testing.T, programs, database time.Duration) {
	t.Helper()
	c.programs.set(t, int64(programs.Seconds()))
	next := c.database + ".next"
	domaintest.Must(t, os.WriteFile(next, fmt.Appendf(nil, "%+d", int64(database.Seconds())), 0o600))
	domaintest.Must(t, os.Rename(next, c.database))
}

// shown returns by how much the clocks of a server and of its database differ from the machine's, to the minute.
func (b *busy) shown() (program, database time.Duration) {
	b.t.Helper()
	response := domaintest.OK(http.Get(b.server.url + "/healthz"))(b.t)
	response.Body.Close()
	date := domaintest.OK(http.ParseTime(response.Header.Get("Date")))(b.t)
	return time.Until(date).Round(time.Minute), time.Until(clock(b.t, b.db)).Round(time.Minute)
}

// TestClocksAreSet sets the clocks of programs and database back and ahead by an hour, one alone and both together,
// while tickets are opened and a run is done. No worker that lives loses its lease, one that is killed keeps no task, and
// a task that waits for its next attempt waits no hour.
func TestClocksAreSet(t *testing.T) {
	t.Parallel()
	i := onPrivate(t)
	c := setClocks(t, i)
	b := newBusy(t, i, newPatientClient(i), 12_000, nil)
	b.goesOn("at first")
	const h = time.Hour
	for n, to := range []struct{ programs, database time.Duration }{
		{0, h}, {0, 0}, {0, -h}, {0, 0}, {h, 0}, {0, 0}, {-h, 0}, {0, 0}, {h, h}, {0, 0}, {-h, -h}, {0, 0},
	} {
		what := fmt.Sprintf("step %d, programs %+v, database %+v", n, to.programs, to.database)
		alive := b.allAlive()
		c.set(t, to.programs, to.database)
		domaintest.Until(t, what+": the clocks are set", func() bool {
			program, database := b.shown()
			return program == to.programs && database == to.database
		})
		b.goesOn(what)
		if now := b.alive(); !slices.Equal(alive, now) {
			t.Errorf("%s: the workers were %v and are %v", what, alive, now)
		}
		domaintest.Until(t, what+": no task waits for an hour", func() bool {
			return domaintest.Number(t, b.db,
				"SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND due_at > NOW(6) + INTERVAL 1 MINUTE", uint64(b.run)) == 0
		})
		victim := n % len(b.workers)
		_, held := freezeHolding(t, b.db, b.workers[victim])
		b.workers[victim].kill(t)
		domaintest.Until(t, what+": a dead worker's tasks are done by others", func() bool {
			return domaintest.Number(t, b.db,
				"SELECT COUNT(*) FROM migration_task WHERE id = ? AND state IN ('complete', 'failed')", held[0]) == 1
		})
		b.workers[victim] = i.work(t)
		t.Log(what)
	}
	b.ends()
}

// TestSuspendedMachine stops a server, its workers and their database for longer than the leases, as a machine does that
// is suspended: afterwards their clocks are ahead by the time that was slept, which no monotonic clock has seen.
func TestSuspendedMachine(t *testing.T) {
	t.Parallel()
	i := onPrivate(t)
	c := setClocks(t, i)
	b := newBusy(t, i, newPatientClient(i), 4_000, nil)
	for n := range 5 {
		b.goesOn(fmt.Sprintf("before sleep %d", n))
		pids := []int{databasePID(t, i)}
		for _, p := range b.all() {
			pids = append(pids, p.cmd.Process.Pid)
		}
		for _, pid := range pids {
			freeze(t, pid)
		}
		slept := time.Now()
		domaintest.Until(t, "the leases are over", func() bool { return time.Since(slept) > 2*ledger().Knobs.Lease })
		ahead := time.Duration(n) * time.Hour // none the first time
		c.set(t, ahead, ahead)
		for _, pid := range pids {
			domaintest.Must(t, syscall.Kill(pid, syscall.SIGCONT))
		}
	}
	b.goesOn("after the last sleep")
	b.ends()
}
