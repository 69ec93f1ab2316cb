package private

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// adoptLimit is the age at which a database that does not answer is given up.
	adoptLimit = 5 * time.Minute
	// adoptPatience is for a database older than that.
	adoptPatience = 10 * time.Second
	// longGrace is how long such a database has to stop before it is killed.
	longGrace = 2 * time.Minute
)

// adopt takes over the database of a former owner, also one that still starts or recovers. It reports false if there
// is none, or it ended, or had to be ended.
func (s *Server) adopt(ctx context.Context) (bool, error) {
	found, ok := s.orphan()
	if !ok {
		return false, nil
	}
	p := follow(found.PID, found.Start)
	s.run(found, p)
	if found.Stopping {
		return false, p.end(ctx, s.grace)
	}
	s.log.Info("taking over the running database", "pid", found.PID, "dir", s.dir)
	patience := max(adoptPatience, adoptLimit-time.Since(found.Began))
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if s.awaitAnswer(waiting, p, found) == nil {
		return true, writeState(s.dir, found)
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if !p.gone() {
		s.log.Warn("the database does not answer; ending it", "pid", p.pid)
	}
	return false, p.end(ctx, s.grace)
}

// orphan finds the database process of the data directory. The state file names it, except when
// its owner was killed before it wrote.
func (s *Server) orphan() (state, bool) {
	if named, err := readState(s.dir); err == nil {
		start, alive := processStart(named.PID)
		if alive && start == named.Start && s.mayServe(named.PID) && s.serves(processArgs(named.PID), named.Engine) {
			return named, true
		}
	}
	for _, pid := range processes() {
		if !s.mayServe(pid) {
			continue
		}
		args := processArgs(pid)
		for _, engine := range []string{mariadb.name, mysql.name} {
			if !s.serves(args, engine) {
				continue
			}
			if start, alive := processStart(pid); alive {
				return state{Engine: engine, PID: pid, Start: start, Socket: value(args, "--socket="), Began: time.Now()}, true
			}
		}
	}
	return state{}, false
}

// mayServe reports whether a process is of one of our users: any other can start one with the arguments of a server on
// our files, and a socket of its own.
func (s *Server) mayServe(pid int) bool {
	uid, ok := processUser(pid)
	return ok && slices.Contains(s.users(), uid)
}

// serves reports whether args are those of a database server on our files.
func (s *Server) serves(args []string, engine string) bool {
	return slices.Contains(args, "--datadir="+filepath.Join(s.dir, engine)) &&
		slices.ContainsFunc(args, func(arg string) bool {
			name := filepath.Base(arg)
			return strings.HasPrefix(name, "mariadbd") || strings.HasPrefix(name, "mysqld")
		})
}

func value(args []string, option string) string {
	for _, arg := range args {
		if v, ok := strings.CutPrefix(arg, option); ok {
			return v
		}
	}
	return ""
}

// run notes the database process that is ours from now on.
func (s *Server) run(st state, p *process) {
	s.set(func() {
		if s.proc != nil {
			s.proc.forget()
		}
		s.state, s.proc = st, p
	})
}
