//go:build soak

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// TestOutOfMemory has the kernel kill a server, and workers, that find no more memory, by the limit of a control group
// of their own. The next one goes on, and nothing is lost or done twice.
func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	i := onURL(t, dbtest.URL(t))
	i.env = append(i.env, "COUNTERFOIL_ADDR="+freePort(t))
	b := newBusy(t, i, newPatientClient(i), 8_000, nil)
	for n := range 6 {
		b.goesOn(fmt.Sprintf("before kill %d", n))
		victim := b.all()[n%3]
		group := newMemoryGroup(t)
		group.bound(t, victim.cmd.Process.Pid, 256<<10)
		err := <-victim.exited
		victim.exited <- err
		status := victim.cmd.ProcessState.Sys().(syscall.WaitStatus)
		if kills := group.kills(t); kills == 0 || status.Signal() != syscall.SIGKILL {
			t.Fatalf("it ended with %v; the kernel killed %d processes", err, kills)
		}
		if n%3 == 2 {
			b.server = i.serve(t)
		} else {
			b.workers[n%3] = i.work(t)
		}
	}
	b.goesOn("after the last kill")
	b.ends()
}

// groups numbers control groups.
var groups atomic.Int64

// memoryGroup is a control group below the test's own, of either version.
type memoryGroup struct {
	dir, limit, events string
}

func newMemoryGroup(t *testing.T) memoryGroup {
	t.Helper()
	of := string(domaintest.OK(os.ReadFile("/proc/self/cgroup"))(t))
	g := memoryGroup{"/sys/fs/cgroup", "memory.max", "memory.events"}
	own := regexp.MustCompile(`(?m)^0::(.*)$`).FindStringSubmatch(of)
	if first := regexp.MustCompile(`(?m)^\d+:memory:(.*)$`).FindStringSubmatch(of); first != nil {
		g, own = memoryGroup{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.oom_control"}, first
	}
	if own == nil {
		t.Fatalf("there is no control group of memory: %s", of)
	}
	g.dir = filepath.Join(g.dir, own[1], fmt.Sprintf("counterfoil-%d-%d", os.Getpid(), groups.Add(1)))
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		t.Fatalf("this test makes a control group of memory, which needs root: %v", err)
	}
	t.Cleanup(func() {
		domaintest.Until(t, "the control group is removed", func() bool {
			err := os.Remove(g.dir)
			return err == nil || os.IsNotExist(err)
		})
	})
	return g
}

// bound has a process take no more memory than that from now on.
func (g memoryGroup) bound(t *testing.T, pid int, bytes int64) {
	t.Helper()
	domaintest.Must(t, os.WriteFile(filepath.Join(g.dir, g.limit), fmt.Append(nil, bytes), 0o644))
	domaintest.Must(t, os.WriteFile(filepath.Join(g.dir, "cgroup.procs"), fmt.Append(nil, pid), 0o644))
}

// kills is how many processes the kernel killed in the group.
func (g memoryGroup) kills(t *testing.T) int {
	t.Helper()
	text := domaintest.OK(os.ReadFile(filepath.Join(g.dir, g.events)))(t)
	found := regexp.MustCompile(`(?m)^oom_kill (\d+)$`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s is %s", g.events, text)
	}
	return domaintest.OK(strconv.Atoi(string(found[1])))(t)
}
