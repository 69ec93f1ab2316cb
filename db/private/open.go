package private

import (
	"context"
	"errors"
	"time"

	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	pollEvery     = 15 * time.Millisecond
	progressEvery = 3 * time.Second
	// attachLimit is how long an attached program waits for the owner's database.
	attachLimit = 5 * time.Minute
)

// Open returns once the database of the data directory answers and has its schema: its owner started or adopted it, or
// this program is attached to the owner's. Errors are NotInstalled, TooOld, OtherEngine, NewerData, OtherUser,
// NotWritable, PathTooLong, DiskFull, StartFailed, Unreachable, or ctx's. On existing data a start takes a second or
// less, except after a crash: then it lasts as long as the recovery, which is logged.
func Open(ctx context.Context, o Options) (*Server, error) {
	s, err := newServer(o)
	if err != nil {
		return nil, err
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if err := s.join(ctx); err != nil {
		// A failed start is cleaned up even if the caller's time is up.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		if err := s.leave(ctx); err != nil {
			s.log.Warn("leave the database", "err", err)
		}
		return nil, err
	}
	return s, nil
}

func (s *Server) join(ctx context.Context) error {
	limit := time.Now().Add(attachLimit)
	progress := s.progress("waiting for the database of another counterfoil")
	for {
		owner, err := s.own()
		if err != nil {
			return err
		}
		if owner {
			return s.keep(ctx)
		}
		answer := s.attach(ctx)
		if answer == nil {
			return nil
		}
		if time.Now().After(limit) {
			return Unreachable(s.dir, answer)
		}
		progress(answer.Error())
		if err := wait.Sleep(ctx, pollEvery); err != nil {
			return err
		}
	}
}

// own tries to become the owner, and gives up the share of an attached program that succeeds.
func (s *Server) own() (bool, error) {
	got, err := s.owning.try(exclusive)
	if err != nil || !got {
		return false, err
	}
	s.set(func() { s.owner = true })
	return true, s.attached.unlock()
}

// attach returns nil once this program holds its share and the owner's database answers.
func (s *Server) attach(ctx context.Context) error {
	held, err := s.attached.try(shared)
	if err != nil {
		return err
	}
	if !held {
		return errors.New("it is stopping")
	}
	state, err := readState(s.dir)
	if err != nil {
		return err
	}
	if err := checkOwner(state.Socket, s.users()); err != nil {
		return err
	}
	if err := probe(ctx, state.Socket); err != nil {
		return err
	}
	s.set(func() { s.state = state })
	return nil
}

// keep makes the owner's database run: a former owner's, else a new process.
func (s *Server) keep(ctx context.Context) error {
	adopted, err := s.adopt(ctx)
	if adopted || err != nil {
		return err
	}
	return s.start(ctx)
}

// progress returns a function that logs what is awaited, and the latest detail, every few seconds.
func (s *Server) progress(what string) func(detail string) {
	began, last := time.Now(), time.Now()
	return func(detail string) {
		if time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		s.log.Info(what, "for", time.Since(began).Round(time.Second).String(), "dir", s.dir, "last", detail)
	}
}
