package private

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const (
	shared    = syscall.LOCK_SH
	exclusive = syscall.LOCK_EX
)

// lock is an advisory lock on a file. The kernel releases it with the process, and otherwise only close does: an
// os.File would be closed, and the lock lost, once a caller drops its Server.
type lock struct {
	path string
	fd   int
}

func (s *Server) openLocks() (err error) {
	for name, l := range map[string]**lock{"owner.lock": &s.owning, "attached.lock": &s.attached,
		"closing.lock": &s.closing} {
		if *l, err = openLock(filepath.Join(s.dir, name)); err != nil {
			s.closeLocks()
			return explain(s.dir, err)
		}
	}
	return nil
}

func (s *Server) closeLocks() {
	for _, l := range []*lock{s.owning, s.attached, s.closing} {
		if l != nil {
			syscall.Close(l.fd)
		}
	}
}

func openLock(path string) (*lock, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC, 0o600)
		if err == nil {
			return &lock{path, fd}, nil
		}
		if err != syscall.EINTR {
			return nil, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
}

// try takes the lock, or changes the one held, if no other holder conflicts. A refused change may lose the lock held.
func (l *lock) try(how int) (bool, error) {
	err := l.flock(how | syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func (l *lock) unlock() error { return l.flock(syscall.LOCK_UN) }

func (l *lock) flock(how int) error {
	for {
		err := syscall.Flock(l.fd, how)
		if err == nil {
			return nil
		}
		if err != syscall.EINTR {
			return fmt.Errorf("lock %s: %w", l.path, err)
		}
	}
}
