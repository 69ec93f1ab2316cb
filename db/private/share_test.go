package private

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestAttach(t *testing.T) {
	t.Run("a second program uses the owner's database and leaves it running", func(t *testing.T) {
		dir := seededDir(t)
		owner := open(t, dir)
		second := domaintest.OK(Open(t.Context(), options(dir, nil)))(t)
		if second.Owner() || second.Pid() != owner.Pid() || second.URL("x") != owner.URL("x") {
			t.Errorf("owner %v, pid %d and %d, %s", second.Owner(), second.Pid(), owner.Pid(), second.URL("x"))
		}
		domaintest.Must(t, second.Close(context.Background()))
		domaintest.Must(t, second.Close(context.Background()))
		execute(t, connect(t, owner.URL(database)), "DO 0")
	})

	t.Run("an owner that leaves first hands over, the last one stops the database", func(t *testing.T) {
		dir := seededDir(t)
		owner := startHelper(t, helperConfig{Dir: dir})
		pid := owner.status().Pid
		last := domaintest.OK(Open(t.Context(), options(dir, nil)))(t)
		if err := owner.close(); err != "" {
			t.Error(err)
		}
		execute(t, connect(t, last.URL(database)), "DO 0")
		if last.Pid() != pid {
			t.Errorf("process %d became %d", pid, last.Pid())
		}
		domaintest.Must(t, last.Close(context.Background()))
		if isRunning(dir) || exists(statePath(dir)) {
			t.Error("the last program left the database running")
		}
	})

	t.Run("an attached program that watches adopts the database of a killed owner", func(t *testing.T) {
		dir := seededDir(t)
		owner := startHelper(t, helperConfig{Dir: dir, Watch: true})
		pid := owner.status().Pid
		attached := open(t, dir)
		watch(t, attached)
		owner.kill()
		domaintest.Until(t, "the attached program is the owner", attached.Owner)
		execute(t, connect(t, attached.URL(database)), "DO 0")
		if attached.Pid() != pid {
			t.Errorf("process %d became %d", pid, attached.Pid())
		}
	})

	t.Run("an attached program that watches starts the database that died with its owner", func(t *testing.T) {
		dir := seededDir(t)
		owner := startHelper(t, helperConfig{Dir: dir})
		pid := owner.status().Pid
		attached := open(t, dir)
		owner.kill()
		domaintest.Must(t, syscall.Kill(pid, syscall.SIGKILL))
		watch(t, attached)
		db := connect(t, attached.URL(database))
		domaintest.Until(t, "the database answers again", func() bool { return attached.Owner() && db.Ping() == nil })
	})

}

func TestAttachAtOnce(t *testing.T) {
	t.Run("the database keeps running while its owners are killed one after another", func(t *testing.T) {
		dir := seededDir(t)
		programs := []*program{startHelper(t, helperConfig{Dir: dir, Watch: true}),
			startHelper(t, helperConfig{Dir: dir, Watch: true})}
		first := programs[0].status()
		db := connect(t, first.URL)
		for range 5 {
			programs[0].kill()
			programs = append(programs[1:], startHelper(t, helperConfig{Dir: dir, Watch: true}))
			domaintest.Until(t, "there is an owner",
				func() bool { return programs[0].status().Owner || programs[1].status().Owner })
			if programs[1].status().Owner {
				programs[0], programs[1] = programs[1], programs[0]
			}
			execute(t, db, "DO 0")
			if pid := programs[0].status().Pid; pid != first.Pid {
				t.Fatalf("process %d became %d", first.Pid, pid)
			}
		}
		for _, p := range programs {
			if err := p.close(); err != "" {
				t.Error(err)
			}
		}
		if isRunning(dir) {
			t.Error("the last program left the database running")
		}
	})
	t.Run("programs that leave together leave no database behind", func(t *testing.T) {
		dir := seededDir(t)
		const programs, rounds = 6, 3
		for range rounds {
			var all []*program
			for range programs {
				all = append(all, startHelper(t, helperConfig{Dir: dir, Watch: len(all)%2 == 0}))
			}
			var leaving sync.WaitGroup
			for _, p := range all {
				fmt.Fprintln(p.in, "close")
				leaving.Go(func() { p.cmd.Process.Wait() })
			}
			leaving.Wait()
			if isRunning(dir) {
				t.Fatal("the last program left the database running")
			}
		}
	})
	t.Run("programs that come while others leave always have a database", func(t *testing.T) {
		dir := seededDir(t)
		const programs, rounds = 5, 4
		var all sync.WaitGroup
		for range programs {
			all.Go(func() {
				for range rounds {
					s, err := Open(context.Background(), options(dir, nil))
					if err != nil {
						t.Error(err)
						return
					}
					if err := query(context.Background(), s.state.Socket, database, "DO 0"); err != nil {
						t.Error(err)
					}
					if err := s.Close(context.Background()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if isRunning(dir) {
			t.Error("the last program left the database running")
		}
	})
	t.Run("a caller whose time is up leaves nothing behind", func(t *testing.T) {
		dir := seededDir(t)
		ctx, cancel := context.WithCancel(context.Background())
		opened := make(chan error, 1)
		go func() {
			s, err := Open(ctx, options(dir, nil))
			if err == nil { // it was ready at that moment
				err = s.Close(context.Background())
			}
			opened <- err
		}()
		domaintest.Until(t, "the server is launched", func() bool { return exists(statePath(dir)) || len(opened) > 0 })
		cancel()
		if err := <-opened; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if isRunning(dir) {
			t.Error("the database still runs")
		}
	})
}
