package private

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestAdopt(t *testing.T) {
	t.Run("the next program takes over the database that a killed owner left", func(t *testing.T) {
		dir := seededDir(t)
		owner := startHelper(t, helperConfig{Dir: dir})
		pid := owner.status().Pid
		owner.kill()
		if next := open(t, dir); !next.Owner() || next.Pid() != pid {
			t.Errorf("owner %v, process %d became %d", next.Owner(), pid, next.Pid())
		}
	})

	t.Run("also one that still starts", func(t *testing.T) {
		dir := seededDir(t)
		owner := launch(t, helperConfig{Dir: dir})
		domaintest.Until(t, "the server is launched", func() bool { return exists(statePath(dir)) })
		owner.kill()
		st := domaintest.OK(readState(dir))(t)
		if next := open(t, dir); next.Pid() != st.PID {
			t.Errorf("process %d became %d", st.PID, next.Pid())
		}
	})

	t.Run("also one whose owner was killed before it could write", func(t *testing.T) {
		dir := seededDir(t)
		owner := startHelper(t, helperConfig{Dir: dir})
		before := owner.status()
		owner.kill()
		domaintest.Must(t, os.Remove(statePath(dir)))
		next := open(t, dir)
		if next.Pid() != before.Pid || next.URL(database) != before.URL {
			t.Errorf("process %d became %d, %s became %s", before.Pid, next.Pid(), before.URL, next.URL(database))
		}
	})

	t.Run("one that is stopping is waited for, and another starts", func(t *testing.T) {
		dir := seededDir(t)
		owner := startHelper(t, helperConfig{Dir: dir})
		pid := owner.status().Pid
		owner.kill()
		st := domaintest.OK(readState(dir))(t)
		st.Stopping = true
		domaintest.Must(t, writeState(dir, st))
		next := open(t, dir)
		if next.Pid() == pid {
			t.Error("adopted a database that stops")
		}
		execute(t, connect(t, next.URL(database)), "DO 0")
	})

	t.Run("one that does not answer is ended, and another starts", func(t *testing.T) {
		dir := seededDir(t)
		owner := startHelper(t, helperConfig{Dir: dir})
		pid := owner.status().Pid
		owner.kill()
		domaintest.Must(t, syscall.Kill(pid, syscall.SIGSTOP))
		st := domaintest.OK(readState(dir))(t)
		st.Began = st.Began.Add(-time.Hour)
		domaintest.Must(t, writeState(dir, st))
		s := domaintest.OK(newServer(options(dir, nil)))(t)
		s.grace = time.Millisecond
		t.Cleanup(func() { domaintest.Must(t, s.Close(context.Background())) })
		domaintest.Must(t, s.join(t.Context()))
		if s.Pid() == pid {
			t.Error("the silent database was kept")
		}
		execute(t, connect(t, s.URL(database)), "DO 0")
	})

	t.Run("a process that has only the number of a former database is left alone", func(t *testing.T) {
		dir := seededDir(t)
		other := launch(t, helperConfig{Dir: t.TempDir()}) // no database server
		start, _ := processStart(other.cmd.Process.Pid)
		domaintest.Must(t, writeState(dir, state{Engine: underTest(), PID: other.cmd.Process.Pid, Start: start,
			Socket: filepath.Join(t.TempDir(), "db.sock")}))
		if s := open(t, dir); s.Pid() == other.cmd.Process.Pid {
			t.Error("adopted a stranger")
		}
		other.read()
		if err := other.close(); err != "" {
			t.Error(err)
		}
	})

	t.Run("another user's process that has the arguments of our database is left alone", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Log("without root there is no other user")
			return
		}
		dir := t.TempDir()
		cmd := exec.Command("/bin/sh")
		cmd.Args = []string{"mariadbd", "-c", "read line", "--datadir=" + filepath.Join(dir, mariadb.name), "--socket=/tmp/theirs"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65533, Gid: 65533}}
		input := domaintest.OK(cmd.StdinPipe())(t)
		domaintest.Must(t, cmd.Start())
		t.Cleanup(func() { input.Close(); _ = cmd.Wait() })
		s := &Server{dir: dir}
		if found, ok := s.orphan(); ok {
			t.Errorf("process %d at %s is taken for the database", found.PID, found.Socket)
		}
		start, _ := processStart(cmd.Process.Pid)
		domaintest.Must(t, writeState(dir, state{Engine: mariadb.name, PID: cmd.Process.Pid, Start: start, Socket: "/tmp/theirs"}))
		if _, ok := s.orphan(); ok {
			t.Error("it is, for its number and time are those of a former one")
		}
	})
}
