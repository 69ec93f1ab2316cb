package api

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/limits"
)

// The limits of this file are those of one server, in its memory: they bound its load, and guard no secret, since a
// token has 256 random bits.

// keptMost is how many keys a table has; a full one is emptied, which forgives what it counted.
const keptMost = 10_000

// buckets counts attempts by key.
type buckets[K comparable] struct {
	limits.Bucket
	mu     sync.Mutex
	counts map[K]limits.Count
}

// add counts an attempt, or returns how long to wait until there is room for it.
func (b *buckets[K]) add(key K, now time.Time) (limits.Count, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	count, wait := b.Add(b.counts[key], now)
	if b.counts == nil || len(b.counts) >= keptMost {
		b.counts = make(map[K]limits.Count)
	}
	b.counts[key] = count
	return count, wait
}

// wait is how long it takes until there is room for another attempt.
func (b *buckets[K]) wait(key K, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, wait := b.Add(b.counts[key], now)
	return wait
}

// callsPerMinute are the buckets of tokens: a minute's calls at once, and then one after the other. It is nil for 0.
func callsPerMinute(rate int) *buckets[id.Token] {
	if rate == 0 {
		return nil
	}
	return &buckets[id.Token]{Bucket: limits.Bucket{Size: uint32(rate), Leak: time.Minute / time.Duration(rate)}}
}

// countCall counts a call of a token and sets the headers that say what is left. It returns TooManyCalls.
func (h *Handlers) countCall(head http.Header, token id.Token) error {
	if h.calls == nil {
		return nil
	}
	now := time.Now()
	count, wait := h.calls.add(token, now)
	free := time.Duration(count.Used)*h.calls.Leak - now.Sub(count.At)
	head.Set("RateLimit-Limit", strconv.Itoa(int(h.calls.Size)))
	head.Set("RateLimit-Remaining", strconv.Itoa(int(h.calls.Size-count.Used)))
	head.Set("RateLimit-Reset", strconv.Itoa(int((max(free, 0)+time.Second-1)/time.Second)))
	if wait > 0 {
		return accounts.TooManyCalls{Wait: wait}
	}
	return nil
}

const (
	// unknownFor is how long a token that was not found is refused without another look: short, since a new token may
	// reach another server of a cluster before its row does.
	unknownFor = 5 * time.Second
	// validFor is how long a token that was found is looked up also when its address sends many unknown ones.
	validFor = time.Hour
)

// guesses keeps unknown tokens from reaching the database each time: the same one again does not, and an address has
// 30 others at once and then one every two seconds; an IPv6 network of 48 bits four times that.
type guesses struct {
	addresses, networks buckets[string]
	mu                  sync.Mutex
	unknown             map[string]time.Time // by the token's hash, when it was looked up
	valid               map[string]time.Time
}

func newGuesses() *guesses {
	return &guesses{
		addresses: buckets[string]{Bucket: limits.Bucket{Size: 30, Leak: 2 * time.Second}},
		networks:  buckets[string]{Bucket: limits.Bucket{Size: 120, Leak: 500 * time.Millisecond}},
	}
}

// look returns what read returns for a token, BadToken if it was unknown a moment ago, or TooManyTokens.
func (g *guesses) look(token, address string, read func() (accounts.Actor, error)) (accounts.Actor, error) {
	key, origin, now := string(accounts.HashToken(token)), limits.OriginOf(address), time.Now()
	unknown, valid := g.known(key, now)
	if unknown {
		return accounts.Actor{}, accounts.BadToken()
	}
	if wait := g.wait(origin, now); wait > 0 && !valid {
		return accounts.Actor{}, accounts.TooManyTokens{Wait: wait}
	}
	actor, err := read()
	switch {
	case err == nil:
		g.found(key, now)
	case errors.Is(err, accounts.CodeBadToken):
		g.missed(key, origin, now)
	}
	return actor, err
}

// known reports whether a token was unknown a moment ago, or valid lately.
func (g *guesses) known(key string, now time.Time) (unknown, valid bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	lookedUp, isUnknown := g.unknown[key]
	found, isValid := g.valid[key]
	return isUnknown && now.Sub(lookedUp) < unknownFor, isValid && now.Sub(found) < validFor
}

func (g *guesses) found(key string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.valid = keep(g.valid, key, now)
}

// missed counts an unknown token. Counting only what was looked up lets any number of new valid ones in at once.
func (g *guesses) missed(key string, origin limits.Origin, now time.Time) {
	g.addresses.add(origin.Address, now)
	if origin.Network != "" {
		g.networks.add(origin.Network, now)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.valid, key)
	g.unknown = keep(g.unknown, key, now)
}

func (g *guesses) wait(origin limits.Origin, now time.Time) time.Duration {
	wait := g.addresses.wait(origin.Address, now)
	if origin.Network != "" {
		wait = max(wait, g.networks.wait(origin.Network, now))
	}
	return wait
}

func keep(times map[string]time.Time, key string, now time.Time) map[string]time.Time {
	if times == nil || len(times) >= keptMost {
		times = make(map[string]time.Time)
	}
	times[key] = now
	return times
}
