package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	succeedEvery = 250 * time.Millisecond
	socketEvery  = time.Second
	// steady is how long a database runs before a death counts as its first.
	steady       = time.Minute
	longestPause = 15 * time.Second
	// startsTried is how often in a row a database may fail to start before Watch gives up.
	startsTried = 8
)

// Watch keeps the database for a program that runs for long. The owner restarts a server that
// died; an attached program becomes the owner when the owner is gone. It returns nil when ctx
// ends or Close begins, and an error when the database cannot be kept. A full disk is waited out.
func (s *Server) Watch(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.open, cancel)()
	if err := s.succeed(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	failed := 0
	for deaths := 0; ; deaths++ {
		began := time.Now()
		reason := s.awaitLoss(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if time.Since(began) > steady {
			deaths = 0
		}
		if failed == 0 {
			s.log.Warn("bringing the database back", "reason", reason, "dir", s.dir)
		}
		if wait.Sleep(ctx, backoff(deaths)) != nil {
			return nil
		}
		err := s.revive(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if failed, err = s.judge(err, failed); err != nil {
			return err
		}
	}
}

// succeed returns when this program is the owner, or ctx ends.
func (s *Server) succeed(ctx context.Context) error {
	for !s.Owner() {
		s.changing.Lock()
		_, err := s.ownOpen()
		s.changing.Unlock()
		if err != nil {
			return err
		}
		if s.Owner() {
			return nil
		}
		if err := wait.Sleep(ctx, succeedEvery); err != nil {
			return nil //nolint:nilerr // the end of ctx is no failure
		}
	}
	return nil
}

// ownOpen is own unless the server is closed.
func (s *Server) ownOpen() (bool, error) {
	if s.closed {
		return false, nil
	}
	return s.own()
}

// awaitLoss waits until the database cannot be reached, and returns why.
func (s *Server) awaitLoss(ctx context.Context) string {
	s.mu.Lock()
	p, st := s.proc, s.state
	s.mu.Unlock()
	if p == nil {
		return "the counterfoil that kept it is gone"
	}
	tick := time.NewTicker(socketEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ""
		case <-p.done:
			return "it ended: " + p.exit + "\n" + s.logOf(st.Engine).tail()
		case <-tick.C:
			s.warnOfSpace()
			if _, err := os.Lstat(st.Socket); errors.Is(err, os.ErrNotExist) {
				return "its socket " + st.Socket + " was removed"
			}
		}
	}
}

// warnOfSpace names the disk that is full, and what to do, which an engine's own error does not.
func (s *Server) warnOfSpace() {
	full := s.DiskFull()
	if full == nil || time.Since(s.warned) < time.Minute {
		return
	}
	s.warned = time.Now()
	s.log.Error("the database has no room", "err", full)
}

// revive makes the database run again.
func (s *Server) revive(ctx context.Context) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.closed {
		return nil
	}
	socket := s.state.Socket
	if s.proc != nil && !s.proc.gone() {
		if err := s.proc.end(ctx, s.grace); err != nil {
			return err
		}
	}
	if err := s.keep(ctx); err != nil {
		return err
	}
	if socket != "" && socket != s.state.Socket {
		return movedError{NoRuntimeDir(filepath.Dir(socket),
			errors.New("it was removed while the database ran; start counterfoil again"))}
	}
	return nil
}

// judge counts failed starts in a row and decides when there were too many.
func (s *Server) judge(err error, failed int) (int, error) {
	if err == nil {
		return 0, nil
	}
	var gone movedError
	if errors.As(err, &gone) {
		return failed, gone.error
	}
	s.log.Error("the database does not start", "err", err)
	if failed++; failed < startsTried || errors.Is(err, CodeDiskFull) {
		return failed, nil
	}
	return failed, fmt.Errorf("keep the database: %w", err)
}

// movedError ends a Watch: the connections of every program lead to the former socket.
type movedError struct{ error }

func backoff(deaths int) time.Duration {
	if deaths == 0 {
		return 0
	}
	return wait.Backoff(200*time.Millisecond, longestPause, deaths-1)
}
