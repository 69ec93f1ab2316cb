package private

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/counterfoil/counterfoil/domain/wait"
)

// Close detaches this program from the database. The last program stops the server cleanly and waits until ctx ends;
// the server then keeps stopping. An owner that leaves before others leaves it running for them. A second Close does
// nothing.
func (s *Server) Close(ctx context.Context) error {
	s.quit()
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.closed {
		return nil
	}
	return s.leave(ctx)
}

func (s *Server) leave(ctx context.Context) error {
	s.closed = true
	s.quit()
	defer s.forget()
	defer s.closeLocks() // releases every lock held
	last, err := s.lastState(ctx)
	if err != nil || !last {
		return err
	}
	return s.stop(ctx)
}

// lastState gives up the share and reports whether no other program needs the database; then this program holds owner.lock,
// and attached.lock exclusively.
func (s *Server) lastState(ctx context.Context) (bool, error) {
	if err := s.decide(ctx); err != nil {
		return false, err
	}
	defer s.closing.unlock()
	if err := s.attached.unlock(); err != nil {
		return false, err
	}
	owner, err := s.owning.try(exclusive)
	if err != nil || !owner {
		return false, err
	}
	alone, err := s.attached.try(exclusive)
	if err != nil || alone {
		return alone, err
	}
	s.log.Info("leaving the database to the other counterfoil programs", "pid", s.Pid())
	return false, s.owning.unlock()
}

func (s *Server) decide(ctx context.Context) error {
	for {
		mine, err := s.closing.try(exclusive)
		if err != nil || mine {
			return err
		}
		if err := wait.Sleep(ctx, pollEvery); err != nil {
			return fmt.Errorf("leave the database: %w", err)
		}
	}
}

// stop ends the database process, this program's own or a former owner's.
func (s *Server) stop(ctx context.Context) error {
	running := s.proc
	state := s.state
	if running == nil {
		found, ok := s.orphan()
		if !ok {
			return s.clearUp(state.Socket)
		}
		running, state = follow(found.PID, found.Start), found
		defer running.forget()
	}
	state.Stopping = true
	if err := writeState(s.dir, state); err != nil {
		s.log.Warn("note that the database stops", "err", err) // the disk may be full; stop it all the same
	}
	if err := running.stop(ctx); err != nil {
		return fmt.Errorf("stop the database (process %d): %w", running.pid, err)
	}
	return s.clearUp(state.Socket)
}

func (s *Server) clearUp(socket string) error {
	if err := removeState(s.dir); err != nil {
		return explain(s.dir, err)
	}
	if socket != "" {
		removeSocket(socket)
		os.Remove(filepath.Dir(socket))
	}
	return nil
}

func (s *Server) forget() {
	s.set(func() {
		s.owner = false
		if s.proc != nil {
			s.proc.forget()
			s.proc = nil
		}
	})
}
