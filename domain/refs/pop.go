package refs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

const (
	// MaxPop is how many codes one pop can take.
	MaxPop = 1000
	// together is how many codes are taken from one place of the pool: more would be neighbours in one pop.
	together = 4
	// apart is how many codes have a place of their own, so that a small pop gets no neighbours.
	apart = 8
	// places is how many places of the pool one statement reads.
	places = 50
	// tries is how often random places are tried before the pool is read from its first code.
	tries = 3
	// slots is into how many parts the counters are divided.
	slots = 16
	// firstRead and mostLook are how many codes are read at once during a quarantine, at first and later. mostLooked,
	// about a second's work, bounds them all.
	firstRead, maxRead, maxReadTotal = 200, 6400, 300_000
)

// costly is how long looking for the next free code may take before the pool is taken to be full of deleted codes, which
// the server cannot remove while a snapshot is open: it walks over all of them, from each place anew.
var costly = 100 * time.Millisecond

// Use is what a code is popped for; each part may be 0.
type Use struct {
	Company id.Company
	Ticket  id.Ticket
	Token   id.Token
	Purpose string // checked
}

// PopTx pops k codes for a use, in the transaction of their use: a rollback returns them to the pool. It returns Empty
// if there are too few.
func PopTx(ctx context.Context, tx *db.Tx, use Use, k int) ([]Code, error) {
	return PopEach(ctx, tx, slices.Repeat([]Use{use}, k))
}

// PopEach is PopTx with a code for each of the uses, in their order.
//
// Codes are taken from random places of the pool, so that concurrent pops do not contend and the order of pops tells
// nothing. Locked codes are skipped.
func PopEach(ctx context.Context, tx *db.Tx, uses []Use) ([]Code, error) {
	p := popper{tx: tx, slot: uint8(rand.N(slots)), picked: map[string]bool{}}
	codes, err := p.take(ctx, len(uses))
	if err != nil {
		return nil, fmt.Errorf("take reference codes: %w", err)
	}
	rand.Shuffle(len(codes), func(i, j int) { codes[i], codes[j] = codes[j], codes[i] })
	rows, popped := make([]db.RefIssue, len(uses)), make([]Code, len(uses))
	for i, use := range uses {
		popped[i] = Code(codes[i])
		rows[i] = db.RefIssue{Code: codes[i], IssuedAt: tx.Now, CompanyID: use.Company, TicketID: use.Ticket,
			TokenID: use.Token, Purpose: use.Purpose}
	}
	if err := tx.IssueRefs(ctx, rows); err != nil {
		return nil, fmt.Errorf("note who reference codes are for: %w", err)
	}
	return popped, nil
}

// popper is a taking of codes in a transaction.
type popper struct {
	tx     *db.Tx
	slot   uint8
	picked map[string]bool // locked by it
}

// take takes k codes from the pool and counts them. During a quarantine it quarantines those of the lot.
func (p *popper) take(ctx context.Context, k int) ([]string, error) {
	codes, err := p.pick(ctx, k)
	if err != nil {
		return nil, err
	}
	guarded, err := p.count(ctx, codes, p.issued)
	if err == nil && guarded {
		codes, err = p.replace(ctx, codes)
	}
	return codes, err
}

// replace quarantines the taken codes of quarantined lots, takes others for them, and counts all. Counters come last,
// in the order of a sweep, so that neither waits for the other in a circle.
func (p *popper) replace(ctx context.Context, codes []string) ([]string, error) {
	if err := p.lockGuard(ctx); err != nil {
		return nil, err
	}
	bad, err := p.tx.QuarantinedAmong(ctx, codes)
	if err != nil {
		return nil, err
	}
	of := map[string]bool{}
	for _, r := range bad {
		of[r.Code] = true
	}
	codes = slices.DeleteFunc(codes, func(code string) bool { return of[code] })
	var out quarantineBatch
	if len(bad) > 0 {
		others, err := p.search(ctx, len(bad))
		if err != nil {
			return nil, err
		}
		codes = append(codes, others...)
		if err := out.put(ctx, p.tx, bad); err != nil {
			return nil, err
		}
	}
	missing, err := p.count(ctx, codes, p.issuedUnguarded)
	if err == nil && missing {
		err = fmt.Errorf("the counters have no slot %d", p.slot)
	}
	if err != nil {
		return nil, err
	}
	return codes, out.count(ctx, p.tx, p.slot)
}

// search takes k codes of lots in use by reading the pool from a random place on. It reads before it locks, so that it
// locks no code that it leaves.
func (p *popper) search(ctx context.Context, k int) (codes []string, err error) {
	start, read := randomStarts(1)[0], 0
	for _, part := range [][2]string{{start, ""}, {"", start}} {
		from, more := part[0], true
		for size := firstRead; more && len(codes) < k && read < maxReadTotal; size = min(2*size, maxRead) {
			page, err := p.tx.PooledFrom(ctx, from, part[1], size, from == part[0])
			if err != nil {
				return nil, err
			}
			if read, more = read+len(page), len(page) == size; more {
				from = page[size-1].Code
			}
			locked, err := p.lockSome(ctx, page, k-len(codes))
			if err != nil {
				return nil, err
			}
			codes = append(codes, locked...)
		}
	}
	if len(codes) < k {
		return nil, Empty{k}
	}
	return codes, p.drop(ctx, codes)
}

// lockSome locks up to k free codes of a page of the pool, of lots in use.
func (p *popper) lockSome(ctx context.Context, page []db.PooledRef, k int) (locked []string, err error) {
	var good []string
	for _, r := range page {
		if !r.Quarantined {
			good = append(good, r.Code)
		}
	}
	rand.Shuffle(len(good), func(i, j int) { good[i], good[j] = good[j], good[i] }) // other pops search here, too
	for len(good) > 0 && len(locked) < k {
		n := min(len(good), k-len(locked))
		free, err := p.tx.LockFree(ctx, good[:n])
		if err != nil {
			return nil, err
		}
		locked, good = append(locked, free...), good[n:]
	}
	return locked, nil
}

// pick takes k codes from the pool.
func (p *popper) pick(ctx context.Context, k int) (codes []string, err error) {
	began := time.Now()
	if codes, err = p.pickFrom(ctx, randomStarts(1), perPlace(k), k); err != nil {
		return nil, err
	}
	if time.Since(began) < costly {
		err = p.pickMore(ctx, &codes, k)
	} else {
		err = p.pickLedger(ctx, &codes, k)
	}
	if err != nil {
		return nil, err
	}
	if len(codes) < k {
		return nil, Empty{k}
	}
	return codes, p.drop(ctx, codes)
}

// pickFrom locks up to k codes that are not picked yet, each of them from each start on.
func (p *popper) pickFrom(ctx context.Context, starts []string, each, k int) (codes []string, err error) {
	found, err := p.tx.PickRefs(ctx, starts, each)
	for _, code := range found {
		if len(codes) < k && !p.picked[code] {
			p.picked[code] = true
			codes = append(codes, code)
		}
	}
	return codes, err
}

// pickMore adds codes up to k: from random places, and then from the pool's first code on.
func (p *popper) pickMore(ctx context.Context, codes *[]string, k int) error {
	add := func(starts []string, each int) error {
		found, err := p.pickFrom(ctx, starts, each, k-len(*codes))
		*codes = append(*codes, found...)
		return err
	}
	for try := 0; try < tries && len(*codes) < k; try++ {
		for left := k - len(*codes); left > 0; left -= places * together {
			if err := add(randomStarts(placesFor(left)), perPlace(left)); err != nil {
				return err
			}
		}
	}
	if len(*codes) < k {
		return add([]string{""}, len(p.picked)+k) // codes that are picked already are read again
	}
	return nil
}

// placesFor is how many places so many codes are taken from, and perPlace how many from each.
func placesFor(k int) int { return min(places, max((k+together-1)/together, min(k, apart))) }

func perPlace(k int) int { return min((k+placesFor(k)-1)/placesFor(k), together) }

// pickLedger adds codes up to k that it looks for by the ledger, which has no deleted codes: whatever the pool is full
// of, the work is bounded by maxReadTotal. Codes may then be left in the pool that are not found.
func (p *popper) pickLedger(ctx context.Context, codes *[]string, k int) error {
	start, read := randomStarts(1)[0], 0
	for _, part := range [][2]string{{start, ""}, {"", start}} {
		for from, more := part[0], true; more && len(*codes) < k && read < maxReadTotal; {
			pooled, last, err := p.tx.PooledOfLedger(ctx, from, part[1], maxRead)
			if err != nil {
				return err
			}
			from, more = last, last != ""
			read += maxRead
			free := slices.DeleteFunc(pooled, func(code string) bool { return p.picked[code] })
			rand.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] }) // other pops look here, too
			for len(free) > 0 && len(*codes) < k {
				n := min(len(free), k-len(*codes))
				locked, err := p.tx.LockFree(ctx, free[:n])
				if err != nil {
					return err
				}
				for _, code := range locked {
					p.picked[code] = true
				}
				*codes, free = append(*codes, locked...), free[n:]
			}
		}
	}
	return nil
}

// drop deletes locked codes from the pool.
func (p *popper) drop(ctx context.Context, codes []string) error {
	slices.Sort(codes)
	n, err := p.tx.DropRefs(ctx, codes)
	if err == nil && n != int64(len(codes)) {
		err = fmt.Errorf("%d of %d locked codes were in the pool", n, len(codes))
	}
	return err
}

func randomStarts(n int) []string {
	starts := make([]string, n)
	for i := range starts {
		starts[i] = nth(rand.N(Space(Long)), Long)
	}
	return starts
}

type counterUpdate func(ctx context.Context, length, slot uint8, n int64) (int64, error)

func (p *popper) issued(ctx context.Context, length, slot uint8, n int64) (int64, error) {
	return p.tx.AddIssued(ctx, db.AddIssuedParams{N: n, Length: length, Slot: slot})
}

func (p *popper) issuedUnguarded(ctx context.Context, length, slot uint8, n int64) (int64, error) {
	return p.tx.AddIssuedUnguarded(ctx, db.AddIssuedUnguardedParams{N: n, Length: length, Slot: slot})
}

// count adds codes to the counters. It reports whether it matched none, which the guard causes for issued; then
// nothing was counted.
func (p *popper) count(ctx context.Context, codes []string, add counterUpdate) (guarded bool, err error) {
	of := lengths(codes)
	for _, length := range []int{Short, Long} {
		if of[length] == 0 {
			continue
		}
		n, err := add(ctx, uint8(length), p.slot, int64(of[length]))
		if err != nil {
			return false, fmt.Errorf("count codes: %w", err)
		}
		if n == 0 {
			return true, nil // all counters are guarded at once, so no other was added to
		}
	}
	return false, nil
}

// lockGuard locks a counter until the transaction ends. A quarantine takes all of them, so from here on none begins until
// the codes are popped: the statement that found the counters guarded has locked nothing.
func (p *popper) lockGuard(ctx context.Context) error {
	if err := one(p.issuedUnguarded(ctx, Short, p.slot, 0)); err != nil {
		return fmt.Errorf("hold a counter: %w", err)
	}
	return nil
}
