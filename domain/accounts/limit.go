package accounts

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/limits"
)

// Sign-ins are limited so that passwords cannot be guessed, and so that guessing locks no user out. An attempt is
// counted before its password is checked, and uncounted if it was right.
var (
	// Failures of an account from an address.
	tries = limits.Doubling{Free: 10, First: time.Second, Longest: 15 * time.Minute, Forget: 24 * time.Hour}
	// Failures from an address, and of an account from all addresses that have not signed in to it lately: 100 at
	// once, then 100 in a quarter of an hour.
	bucket = limits.Bucket{Size: 100, Leak: 15 * time.Minute / 100}
	// Failures from an IPv6 network, which has 65536 addresses.
	networkBucket = limits.Bucket{Size: 300, Leak: 15 * time.Minute / 300}
)

const (
	knownFor   = 30 * 24 * time.Hour // an address that signed in to an account
	auditEvery = time.Hour           // the audit list has a limited account once in this time
)

// How long counts of attempts to sign in are kept: those of addresses that signed in, and all others.
const (
	KeepLimits = knownFor
	KeepOthers = 24 * time.Hour
)

// Attempt is one try at a password, counted.
type Attempt struct {
	email, address string
	network        string // "" if it has none
	device         string // the browser's, if it has signed in to the account; else ""
	known          bool
	Full           bool // it filled a bucket, and that was not recorded lately
}

func (a Attempt) pair() []byte     { return limits.Name("pair", a.email, a.address) }
func (a Attempt) from() []byte     { return limits.Name("from", a.address) }
func (a Attempt) around() []byte   { return limits.Name("network", a.network) }
func (a Attempt) browser() []byte  { return limits.Name("device", a.email, a.device) }
func (a Attempt) account() []byte  { return limits.Name("account", a.email) }
func (a Attempt) before() []byte   { return limits.Name("known", a.email, a.address) }
func (a Attempt) auditKey() []byte { return limits.Name("said", a.email) }

// CountAttempt counts an attempt to sign in with an email address, or returns TooManyAttempts and counts nothing.
// Commit it before the password is checked. An attempt from a device, a browser that has signed in to the account,
// counts for that alone: others at its address cannot lock it out.
func CountAttempt(ctx context.Context, tx *db.Tx, email, address, device string) (Attempt, error) {
	from := limits.OriginOf(address)
	a := Attempt{email: strings.ToLower(strings.TrimSpace(email)), address: from.Address, network: from.Network,
		device: device}
	known, err := limit(ctx, tx, a.before())
	if err != nil {
		return Attempt{}, err
	}
	a.known = known.Used > 0 && tx.Now.Sub(known.At) < knownFor
	levels := a.levels()
	if wait, err := lockLevels(ctx, tx, levels); err != nil {
		return Attempt{}, err
	} else if wait > 0 {
		return Attempt{}, TooManyAttempts{Wait: wait}
	}
	if err := countLevels(ctx, tx, levels); err != nil {
		return Attempt{}, err
	}
	for _, l := range levels {
		if l.Used == tries.Free && (bytes.Equal(l.name, a.pair()) || bytes.Equal(l.name, a.browser())) || l.Used == bucket.Size && bytes.Equal(l.name,
			a.account()) {
			a.Full = true
		}
	}
	if a.Full {
		a.Full, err = recordOnce(ctx, tx, a.auditKey())
	}
	return a, err
}

func (a Attempt) levels() []level {
	if a.device != "" {
		return []level{{name: a.browser(), next: nextTry}}
	}
	levels := []level{{name: a.pair(), next: nextTry}, {name: a.from(), next: bucket.Add}}
	if a.network != "" {
		levels = append(levels, level{name: a.around(), next: networkBucket.Add})
	}
	if !a.known {
		levels = append(levels, level{name: a.account(), next: bucket.Add})
	}
	return levels
}

// lockLevels locks the counts, and adds an attempt to each in levels alone. It returns how long to wait, if at all.
func lockLevels(ctx context.Context, tx *db.Tx, levels []level) (longest time.Duration, err error) {
	slices.SortFunc(levels, func(a, b level) int { return bytes.Compare(a.name, b.name) }) // the order of locks
	for i := range levels {
		l := &levels[i]
		if err := tx.LockLimit(ctx, l.name, tx.Now); err != nil {
			return 0, fmt.Errorf("hold limit: %w", err)
		}
		was, err := limit(ctx, tx, l.name)
		if err != nil {
			return 0, err
		}
		var wait time.Duration
		l.Count, wait = l.next(was, tx.Now)
		longest = max(longest, wait)
	}
	return longest, nil
}

// countLevels stores what lockLevels added.
func countLevels(ctx context.Context, tx *db.Tx, levels []level) error {
	for _, l := range levels {
		if err := tx.SetLimit(ctx, db.SetLimitParams{Failures: l.Used, LastAt: l.At, Name: l.name}); err != nil {
			return fmt.Errorf("count attempt: %w", err)
		}
	}
	return nil
}

// CountSetupCode counts a setup code from an address unless it is right. It returns TooManySetupCodes to an address or
// a network that has to wait, also if it is right.
func CountSetupCode(ctx context.Context, tx *db.Tx, address string, right bool) error {
	from := limits.OriginOf(address)
	levels := []level{{name: limits.Name("setup", from.Address), next: nextTry}}
	if from.Network != "" {
		levels = append(levels, level{name: limits.Name("setup network", from.Network), next: bucket.Add})
	}
	wait, err := lockLevels(ctx, tx, levels)
	switch {
	case err != nil:
		return err
	case wait > 0:
		return TooManySetupCodes{Wait: wait}
	case right:
		return nil
	}
	return countLevels(ctx, tx, levels)
}

// joins are attempts to join by a link, and from an address by any link.
var joins = limits.Bucket{Size: 50, Leak: time.Minute}

// CountJoin counts an attempt to join by the link with a secret, or returns TooManyJoins and counts
// nothing. Commit it before the attempt.
func CountJoin(ctx context.Context, tx *db.Tx, secret, address string) error {
	from := limits.OriginOf(address)
	levels := []level{
		{name: limits.Name("join", secret), next: joins.Add},
		{name: limits.Name("join from", from.Address), next: joins.Add},
	}
	if from.Network != "" {
		levels = append(levels, level{name: limits.Name("join network", from.Network), next: networkBucket.Add})
	}
	wait, err := lockLevels(ctx, tx, levels)
	if err != nil {
		return err
	}
	if wait > 0 {
		return TooManyJoins{Wait: wait}
	}
	return countLevels(ctx, tx, levels)
}

// Pictures of texts are fetched from other hosts: so many of an account and of a company at once, and then per hour.
var (
	picturesOfAccount = limits.Bucket{Size: 100, Leak: time.Hour / 100}
	picturesOfCompany = limits.Bucket{Size: 1000, Leak: time.Hour / 1000}
	// picturesQueued bounds what waits: each picture that does costs some statements every few minutes.
	picturesQueued = limits.Bucket{Size: 1000, Leak: time.Hour / 100}
)

// QueuePictures counts up to n pictures of an account's texts that are to be fetched, and returns how many there is room
// for.
func QueuePictures(ctx context.Context, tx *db.Tx, account ID, n int) (room int, err error) {
	add := func(c limits.Count, now time.Time) (limits.Count, time.Duration) {
		for room < n {
			more, wait := picturesQueued.Add(c, now)
			if wait > 0 {
				break
			}
			c = more
			room++
		}
		return c, 0
	}
	levels := []level{{name: limits.Name("queued pictures", strconv.FormatUint(uint64(account), 10)), next: add}}
	if _, err := lockLevels(ctx, tx, levels); err != nil || room == 0 {
		return 0, err
	}
	return room, countLevels(ctx, tx, levels)
}

// CountPicture counts a picture that is fetched for a text of an account, or returns how long to wait and counts
// nothing.
func CountPicture(ctx context.Context, tx *db.Tx, company id.Company, account ID) (wait time.Duration, err error) {
	levels := []level{
		{name: limits.Name("pictures", strconv.FormatUint(uint64(account), 10)), next: picturesOfAccount.Add},
		{name: limits.Name("pictures of company", strconv.FormatUint(uint64(company), 10)), next: picturesOfCompany.Add},
	}
	if wait, err = lockLevels(ctx, tx, levels); err != nil || wait > 0 {
		return wait, err
	}
	return 0, countLevels(ctx, tx, levels)
}

// recordOnce reports whether that was not recorded within the last hour.
func recordOnce(ctx context.Context, tx *db.Tx, name []byte) (bool, error) {
	if err := tx.LockLimit(ctx, name, tx.Now); err != nil {
		return false, fmt.Errorf("hold limit: %w", err)
	}
	row, err := limit(ctx, tx, name)
	if err != nil || row.Used > 0 && tx.Now.Sub(row.At) < auditEvery {
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

// Succeed uncounts an attempt with the right password, and remembers its address.
func (a Attempt) Succeed(ctx context.Context, tx *db.Tx) error {
	type step struct {
		name []byte
		do   func(name []byte) error
	}
	give := func(name []byte) error { return tx.RefundLimit(ctx, name) }
	clear := func(name []byte) error { return set(ctx, tx, name, 0) }
	steps := []step{
		{a.before(), func(name []byte) error {
			if err := tx.LockLimit(ctx, name, tx.Now); err != nil {
				return err
			}
			return tx.KeepLimit(ctx, tx.Now, name)
		}},
	}
	for _, l := range a.levels() {
		do := give
		if bytes.Equal(l.name, a.pair()) || bytes.Equal(l.name, a.browser()) {
			do = clear
		}
		steps = append(steps, step{l.name, do})
	}
	slices.SortFunc(steps, func(a, b step) int { return bytes.Compare(a.name, b.name) })
	for _, s := range steps {
		if err := s.do(s.name); err != nil {
			return fmt.Errorf("give an attempt back: %w", err)
		}
	}
	return nil
}

type level struct {
	limits.Count
	name []byte
	next func(was limits.Count, now time.Time) (limits.Count, time.Duration)
}

// nextTry counts one more failure of an account from an address, or returns how long to wait.
func nextTry(was limits.Count, now time.Time) (limits.Count, time.Duration) {
	if wait := tries.Wait(was, now); wait > 0 {
		return was, wait
	}
	if now.Sub(was.At) >= tries.Forget {
		was.Used = 0
	}
	return limits.Count{Used: was.Used + 1, At: now}, 0
}

func limit(ctx context.Context, tx *db.Tx, name []byte) (limits.Count, error) {
	row, err := tx.Limit(ctx, name)
	if db.IsNotFound(err) {
		return limits.Count{At: tx.Now}, nil
	}
	if err != nil {
		return limits.Count{}, fmt.Errorf("read limit: %w", err)
	}
	return limits.Count{Used: row.Failures, At: row.LastAt}, nil
}

// Forgive clears the failures of an account from an address, which from now on counts as one that has signed in to it,
// for users of a password link.
func Forgive(ctx context.Context, tx *db.Tx, email, address string) error {
	a := Attempt{email: email, address: limits.OriginOf(address).Address}
	names := [][]byte{a.pair(), a.before()}
	slices.SortFunc(names, bytes.Compare)
	for _, name := range names {
		if err := tx.LockLimit(ctx, name, tx.Now); err != nil {
			return fmt.Errorf("hold limit: %w", err)
		}
		var err error
		if bytes.Equal(name, a.before()) {
			err = tx.KeepLimit(ctx, tx.Now, name)
		} else {
			err = set(ctx, tx, name, 0)
		}
		if err != nil {
			return fmt.Errorf("forgive: %w", err)
		}
	}
	return nil
}

// ForgetLimits removes up to two thousand expired limits, and returns how many.
func ForgetLimits(ctx context.Context, q *db.Queries, now time.Time) (int64, error) {
	others, err := db.Read(q.ForgetLimits(ctx, false, now.Add(-KeepOthers)))
	if err != nil {
		return others, err
	}
	known, err := db.Read(q.ForgetLimits(ctx, true, now.Add(-KeepLimits)))
	return others + known, err
}

// forwarded is the name of the row that tells when a peer that is no trusted proxy sent X-Forwarded-For.
var forwarded = limits.Name("forwarded")

// NoteForwarded notes that a peer that is no trusted proxy sent X-Forwarded-For. It reports whether that was not noted
// within the last hour.
func NoteForwarded(ctx context.Context, tx *db.Tx) (bool, error) {
	return recordOnce(ctx, tx, forwarded)
}

// Forwarded reports whether that was noted within the last day.
func Forwarded(ctx context.Context, q *db.Queries, now time.Time) (bool, error) {
	row, err := db.Read(q.Limit(ctx, forwarded))
	if db.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read limit: %w", err)
	}
	return row.Failures > 0 && now.Sub(row.LastAt) < KeepOthers, nil
}
