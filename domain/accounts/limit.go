package accounts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// Sign-ins are limited so that guessing passwords leads nowhere, and so that nobody can lock someone
// out by guessing theirs. An attempt is counted before its password is looked at, and given back when
// it was right.
const (
	freeTries = 10 // failures of an account from an address; then each doubles the wait
	firstWait = time.Second
	maxWait   = 15 * time.Minute
	forgetful = 24 * time.Hour // after which such failures are forgotten

	// Failures from an address, and of an account from all addresses that have not signed in to it
	// lately, leak out of a bucket: 100 at once, then 100 in a quarter of an hour.
	bucketSize = 100
	leak       = 15 * time.Minute / bucketSize

	knownFor  = 30 * 24 * time.Hour // an address that signed in to an account
	saidAgain = time.Hour           // the audit list hears of a limited account once in this time
)

// KeepLimits is how long anything has to be known about an attempt to sign in.
const KeepLimits = knownFor

// Attempt is one try at a password, counted.
type Attempt struct {
	email, address string
	known          bool
	Full           bool // it is the one that filled a bucket, and this was not said lately
}

func (a Attempt) pair() []byte    { return limitName("pair", a.email, a.address) }
func (a Attempt) from() []byte    { return limitName("from", a.address) }
func (a Attempt) account() []byte { return limitName("account", a.email) }
func (a Attempt) before() []byte  { return limitName("known", a.email, a.address) }
func (a Attempt) said() []byte    { return limitName("said", a.email) }

func limitName(parts ...string) []byte {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return sum[:]
}

// network is what a limit takes for one address: an IPv6 network of 64 bits belongs to one person.
func network(address string) string {
	at, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	if at.Is6() {
		prefix, _ := at.Prefix(64)
		return prefix.String()
	}
	return at.String()
}

// Try counts an attempt to sign in with an email address, or returns TooManyAttempts and counts
// nothing. It is to be committed before the password is looked at.
func Try(ctx context.Context, tx *db.Tx, email, address string) (Attempt, error) {
	a := Attempt{email: strings.ToLower(strings.TrimSpace(email)), address: network(address)}
	known, err := limit(ctx, tx, a.before())
	if err != nil {
		return Attempt{}, err
	}
	a.known = known.failures > 0 && tx.Now.Sub(known.at) < knownFor
	levels := []level{{name: a.pair(), next: nextTry}, {name: a.from(), next: nextDrop}}
	if !a.known {
		levels = append(levels, level{name: a.account(), next: nextDrop})
	}
	slices.SortFunc(levels, func(a, b level) int { return bytes.Compare(a.name, b.name) }) // the order of locks
	var wait time.Duration
	for i := range levels {
		l := &levels[i]
		if err := tx.HoldLimit(ctx, l.name, tx.Now); err != nil {
			return Attempt{}, fmt.Errorf("hold limit: %w", err)
		}
		was, err := limit(ctx, tx, l.name)
		if err != nil {
			return Attempt{}, err
		}
		var w time.Duration
		l.count, w = l.next(was, tx.Now)
		wait = max(wait, w)
	}
	if wait > 0 {
		return Attempt{}, TooManyAttempts{Wait: wait}
	}
	for _, l := range levels {
		if err := tx.SetLimit(ctx, db.SetLimitParams{Failures: l.failures, LastAt: l.at, Name: l.name}); err != nil {
			return Attempt{}, fmt.Errorf("count attempt: %w", err)
		}
		if l.failures == freeTries && bytes.Equal(l.name, a.pair()) || l.failures == bucketSize && bytes.Equal(l.name, a.account()) {
			a.Full = true
		}
	}
	if a.Full {
		a.Full, err = sayOnce(ctx, tx, a.said())
	}
	return a, err
}

// sayOnce reports whether that was not said within the last hour.
func sayOnce(ctx context.Context, tx *db.Tx, name []byte) (bool, error) {
	if err := tx.HoldLimit(ctx, name, tx.Now); err != nil {
		return false, fmt.Errorf("hold limit: %w", err)
	}
	said, err := limit(ctx, tx, name)
	if err != nil || said.failures > 0 && tx.Now.Sub(said.at) < saidAgain {
		return false, err
	}
	return true, set(ctx, tx, name, 1)
}

func set(ctx context.Context, tx *db.Tx, name []byte, failures uint32) error {
	if err := tx.SetLimit(ctx, db.SetLimitParams{Failures: failures, LastAt: tx.Now, Name: name}); err != nil {
		return fmt.Errorf("set limit: %w", err)
	}
	return nil
}

// Right gives an attempt back whose password was right, and remembers its address.
func (a Attempt) Right(ctx context.Context, tx *db.Tx) error {
	type step struct {
		name []byte
		do   func(name []byte) error
	}
	give := func(name []byte) error { return tx.GiveBackLimit(ctx, name) }
	steps := []step{
		{a.pair(), func(name []byte) error { return set(ctx, tx, name, 0) }},
		{a.from(), give},
		{a.before(), func(name []byte) error {
			if err := tx.HoldLimit(ctx, name, tx.Now); err != nil {
				return err
			}
			return set(ctx, tx, name, 1)
		}},
	}
	if !a.known {
		steps = append(steps, step{a.account(), give})
	}
	slices.SortFunc(steps, func(a, b step) int { return bytes.Compare(a.name, b.name) })
	for _, s := range steps {
		if err := s.do(s.name); err != nil {
			return fmt.Errorf("give an attempt back: %w", err)
		}
	}
	return nil
}

// count is what a row says.
type count struct {
	failures uint32
	at       time.Time
}

type level struct {
	count
	name []byte
	next func(was count, now time.Time) (count, time.Duration)
}

// nextTry counts one more failure of an account from an address, or says how long to wait.
func nextTry(was count, now time.Time) (count, time.Duration) {
	if now.Sub(was.at) >= forgetful {
		was.failures = 0
	}
	if was.failures >= freeTries {
		wait := maxWait
		if doubled := was.failures - freeTries; doubled < 10 {
			wait = min(maxWait, firstWait<<doubled)
		}
		if since := now.Sub(was.at); since < wait {
			return was, wait - since
		}
	}
	return count{was.failures + 1, now}, 0
}

// nextDrop counts one more failure in a bucket that leaks, or says how long to wait.
func nextDrop(was count, now time.Time) (count, time.Duration) {
	leaked := uint32(min(max(now.Sub(was.at), 0)/leak, bucketSize))
	if leaked >= was.failures {
		return count{1, now}, 0
	}
	was.failures -= leaked
	was.at = was.at.Add(time.Duration(leaked) * leak)
	if was.failures >= bucketSize {
		return was, leak - now.Sub(was.at)
	}
	return count{was.failures + 1, was.at}, 0
}

func limit(ctx context.Context, tx *db.Tx, name []byte) (count, error) {
	row, err := tx.Limit(ctx, name)
	if db.IsNotFound(err) {
		return count{at: tx.Now}, nil
	}
	if err != nil {
		return count{}, fmt.Errorf("read limit: %w", err)
	}
	return count{row.Failures, row.LastAt}, nil
}

// Forgive forgets the failures of an account from an address, which counts from now on as one that
// signed in to it: whoever got a link for a new password is not kept waiting.
func Forgive(ctx context.Context, tx *db.Tx, email, address string) error {
	a := Attempt{email: email, address: network(address)}
	names := [][]byte{a.pair(), a.before()}
	slices.SortFunc(names, bytes.Compare)
	for _, name := range names {
		if err := tx.HoldLimit(ctx, name, tx.Now); err != nil {
			return fmt.Errorf("hold limit: %w", err)
		}
		failures := uint32(0)
		if bytes.Equal(name, a.before()) {
			failures = 1
		}
		if err := set(ctx, tx, name, failures); err != nil {
			return err
		}
	}
	return nil
}

// ForgetLimits removes up to a thousand limits that no longer say anything, and returns how many.
func ForgetLimits(ctx context.Context, q *db.Queries, now time.Time) (int64, error) {
	return db.Read(q.ForgetLimits(ctx, now.Add(-KeepLimits)))
}
