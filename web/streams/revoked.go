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
	// Guests returns where accounts are guests.
	Guests(ctx context.Context, list []accounts.ID) (map[accounts.In]bool, error)
}

// reader is the token of a request, or else a session that began in an epoch, of an account in a company.
type reader struct {
	accounts.In
	guest bool
	token id.Token
	epoch uint64
}

const (
	// watchEvery is the time between two looks for readers that lost their access: streams end within a second.
	watchEvery = 500 * time.Millisecond
	watchedMax = 1000 // tokens or accounts of one statement
)

// watch ends the responses of tokens and sessions that have ended, and of members that became guests or the other way
// round, who see other boards then, until no response is open: with three statements for up to a thousand readers,
// however many responses they have. Checks of each stream (Limits.Check) find the rest.
func (s *Streams) watch() {
	for wait.Sleep(s.ending, watchEvery) == nil {
		readers := s.readers()
		if readers == nil {
			return
		}
		for _, lost := range s.lost(readers) {
			s.endReader(lost, true)
		}
		for _, changed := range s.changed(readers) {
			s.endReader(changed, false)
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
			list = append(list, r.Account)
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
		if r.token == 0 && epochs[r.Account] != r.epoch {
			lost = append(lost, r)
		}
	}
	return lost
}

// changed are the readers that became guests, or are no longer.
func (s *Streams) changed(readers []reader) (changed []reader) {
	ctx, cancel := context.WithTimeout(s.ending, 5*time.Second)
	defer cancel()
	for chunk := range slices.Chunk(readers, watchedMax) {
		list := make([]accounts.ID, len(chunk))
		for i, r := range chunk {
			list[i] = r.Account
		}
		guests, err := s.access.Guests(ctx, list)
		if err != nil {
			return changed
		}
		for _, r := range chunk {
			if guests[r.In] != r.guest {
				changed = append(changed, r)
			}
		}
	}
	return changed
}

// endReader ends the responses of a reader, which lost its access or may come again.
func (s *Streams) endReader(which reader, lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.held[which] {
		if lost {
			r.lost.Store(true)
		}
		r.end()
	}
}
