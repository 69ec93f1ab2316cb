package private

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	driver "github.com/go-sql-driver/mysql"
)

// start runs a server on the data directory, which it initialises if it is new, and waits until
// it answers.
func (s *Server) start(ctx context.Context) error {
	e, err := s.findEngine(ctx)
	if err != nil {
		return err
	}
	if err := s.checkSpace(e); err != nil {
		return err
	}
	if err := s.initialise(ctx, e); err != nil {
		return err
	}
	if err := s.checkData(e); err != nil {
		return err
	}
	socket, err := s.socket()
	if err != nil {
		return err
	}
	began := time.Now()
	_, left := readState(s.dir) // by a server that was not stopped
	p, st, err := s.launch(e, socket)
	if err != nil {
		return explain(s.dir, err)
	}
	if err := s.awaitAnswer(ctx, p, st); err != nil {
		return err
	}
	if left == nil {
		if err := s.renewEpoch(ctx, st.Socket); err != nil {
			return err
		}
	}
	s.log.Info("the database is ready", "engine", e.title+" "+e.version.String(), "pid", p.pid,
		"after", time.Since(began).Round(time.Millisecond).String(), "dir", s.dir)
	return s.noteVersion(e)
}

// renewEpoch follows an unclean stop: where the server's settings let that take back commits, readers of feeds may know
// positions that are given out again. A new database has no feeds yet.
func (s *Server) renewEpoch(ctx context.Context, socket string) error {
	const unknownTable = 1146
	n, err := affected(ctx, socket, database, `UPDATE sequences SET epoch = GREATEST(epoch + 1, UNIX_TIMESTAMP()), version = version + 1
WHERE @@GLOBAL.innodb_flush_log_at_trx_commit <> 1`)
	var refused *driver.MySQLError
	if errors.As(err, &refused) && refused.Number == unknownTable {
		return nil
	}
	if n > 0 {
		s.log.Warn("the database was not stopped, and its settings let that take back commits: the feeds begin a new epoch, "+
			"and their readers begin at the start", "dir", s.dir)
	}
	return err
}

// launch starts the process and records it at once for the other programs, so that they can adopt it while it starts.
func (s *Server) launch(e engine, socket string) (*process, state, error) {
	removeSocket(socket)
	temp, err := s.emptyTemp(e)
	if err != nil {
		return nil, state{}, err
	}
	log, err := s.logOf(e.name).open()
	if err != nil {
		return nil, state{}, err
	}
	defer log.Close()
	log.WriteString(logMark)
	cmd := exec.Command(e.server, slices.Concat([]string{"--no-defaults"}, s.flags(e), []string{
		"--datadir=" + filepath.Join(s.dir, e.name),
		"--socket=" + socket,
		"--pid-file=" + filepath.Join(s.dir, e.name+".pid"),
		"--tmpdir=" + temp,
	})...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = environment(), s.dir, log, log
	p, err := spawn(cmd)
	if err != nil {
		return nil, state{}, err
	}
	st := state{Engine: e.name, PID: p.pid, Start: p.start, Socket: socket, Began: time.Now()}
	s.run(st, p)
	return p, st, writeState(s.dir, st)
}

// flags are the server's settings: durable, for this machine, in the order in which later ones win.
func (s *Server) flags(e engine) []string {
	return slices.Concat(asUser(), []string{
		"--skip-networking",
		"--skip-name-resolve",
		"--character-set-server=utf8mb4",
		"--collation-server=" + collation,
		"--default-time-zone=+00:00",
		"--max-connections=500",
		"--max-allowed-packet=64M",
		"--innodb-buffer-pool-size=" + strconv.FormatUint(bufferPool(memory()), 10),
		"--innodb-flush-log-at-trx-commit=1",
		"--innodb-doublewrite=1",
		"--innodb-autoinc-lock-mode=2", // no insert waits for another's, also not on MariaDB
	}, e.flags(e), s.extra(""))
}

// extra returns the settings whose names begin with prefix, as flags in a fixed order.
func (s *Server) extra(prefix string) []string {
	var flags []string
	for name, value := range s.settings {
		name = strings.ReplaceAll(name, "_", "-")
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		if value != "" {
			value = "=" + value
		}
		flags = append(flags, "--"+name+value)
	}
	slices.Sort(flags)
	return flags
}

// asUser is for root: a server refuses to run as root unless it is asked to.
func asUser() []string {
	if os.Geteuid() != 0 {
		return nil
	}
	return []string{"--user=root"}
}

// environment is what a server needs of ours. The rest could turn it away from its flags, such as
// a service manager's sockets and notifications, which are meant for us.
func environment() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "LD_LIBRARY_PATH", "TZ"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// emptyTemp is on the disk of the data: the machine's own folder for temporary files may be small, and a
// server that starts removes the temporary tables of every other that uses the same folder.
func (s *Server) emptyTemp(e engine) (string, error) {
	dir := filepath.Join(s.dir, e.name+".tmp")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.Mkdir(dir, 0o700)
}

// startError says why a server that was to start did not; exit is how its process ended, if known.
func (s *Server) startError(log errorLog, exit string) error {
	tail := log.tail()
	if s.DiskFull() != nil || diskFullIn(tail) {
		return DiskFull(s.dir, free(s.dir), 0)
	}
	return StartFailed(s.dir, log.path, tail, exit)
}

func diskFullIn(log string) bool {
	for _, sign := range []string{"No space left on device", "Disk is full", "disk is full", "errno: 28", "error 28",
		"Errcode: 28", "OS error number 28"} {
		if strings.Contains(log, sign) {
			return true
		}
	}
	return false
}
