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

// lock is an advisory lock on a file. The kernel releases it with the process.
type lock struct{ file *os.File }

func (s *Server) openLocks() (err error) {
	for name, l := range map[string]**lock{"owner.lock": &s.owning, "attached.lock": &s.attached, "closing.lock": &s.closing} {
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
			l.file.Close()
		}
	}
}

func openLock(path string) (*lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &lock{file}, nil
}

// try takes the lock, or changes the one held, if nobody stands against it. A refused change may
// lose the lock held.
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
		err := syscall.Flock(int(l.file.Fd()), how)
		if err == nil {
			return nil
		}
		if err != syscall.EINTR {
			return fmt.Errorf("lock %s: %w", l.file.Name(), err)
		}
	}
}
