package streams

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// Access knows which readers lost theirs.
type Access interface {
	// ValidTokens returns those of some tokens that a program may use.
	ValidTokens(ctx context.Context, tokens []id.Token) ([]id.Token, error)
	// Epochs returns the epochs of accounts: sessions that began in another one have ended.
	Epochs(ctx context.Context, list []accounts.ID) (map[accounts.ID]uint64, error)
}

// reader is the token of a request, or else a session of an account that began in an epoch.
type reader struct {
	token   id.Token
	account accounts.ID
	epoch   uint64
}

const (
	// watchEvery is the time between two looks for readers that lost their access: streams end within a second.
	watchEvery = 500 * time.Millisecond
	watchedMax = 1000 // tokens or accounts of one statement
)

// watch ends the responses of tokens and sessions that have ended, until no response is open: with two statements
// for up to a thousand readers, however many responses they have. Checks of each stream (Limits.Check) find the rest.
func (s *Streams) watch() {
	for wait.Sleep(s.ending, watchEvery) == nil {
		readers := s.readers()
		if readers == nil {
			return
		}
		for _, lost := range s.lost(readers) {
			s.endReader(lost)
		}
	}
}

// readers are those of the open responses; without any, nobody watches any more.
func (s *Streams) readers() []reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) == 0 {
		s.watching = false
		return nil
	}
	return slices.Collect(maps.Keys(s.held))
}

// hold has a response ended when its reader loses its access.
func (s *Streams) hold(r *Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[r.reader] == nil {
		s.held[r.reader] = map[*Response]bool{}
	}
	s.held[r.reader][r] = true
	if !s.watching {
		s.watching = true
		go s.watch()
	}
}

func (s *Streams) drop(r *Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held[r.reader], r)
	if len(s.held[r.reader]) == 0 {
		delete(s.held, r.reader)
	}
}

// lost are the readers that have no access any more. If the database does not answer, nothing is read from it either.
func (s *Streams) lost(readers []reader) (lost []reader) {
	ctx, cancel := context.WithTimeout(s.ending, 5*time.Second)
	defer cancel()
	for chunk := range slices.Chunk(readers, watchedMax) {
		lost = append(lost, s.lostTokens(ctx, chunk)...)
		lost = append(lost, s.lostSessions(ctx, chunk)...)
	}
	return lost
}

func (s *Streams) lostTokens(ctx context.Context, readers []reader) (lost []reader) {
	var tokens []id.Token
	for _, r := range readers {
		if r.token != 0 {
			tokens = append(tokens, r.token)
		}
	}
	if tokens == nil {
		return nil
	}
	valid, err := s.access.ValidTokens(ctx, tokens)
	if err != nil {
		return nil
	}
	for _, r := range readers {
		if r.token != 0 && !slices.Contains(valid, r.token) {
			lost = append(lost, r)
		}
	}
	return lost
}

func (s *Streams) lostSessions(ctx context.Context, readers []reader) (lost []reader) {
	var list []accounts.ID
	for _, r := range readers {
		if r.token == 0 {
			list = append(list, r.account)
		}
	}
	if list == nil {
		return nil
	}
	epochs, err := s.access.Epochs(ctx, list)
	if err != nil {
		return nil
	}
	for _, r := range readers {
		if r.token == 0 && epochs[r.account] != r.epoch {
			lost = append(lost, r)
		}
	}
	return lost
}

func (s *Streams) endReader(lost reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.held[lost] {
		r.end()
	}
}
