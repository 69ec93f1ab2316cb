package refs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// Engine is a process's view of reference codes. Make one with New.
type Engine struct {
	db     *db.DB
	source uint64 // of its samples
	meter  meter

	mu       sync.Mutex
	canaries *Canaries
	before   uint64 // codes popped in the day before the last hour
	beforeAt time.Time
}

// New returns the engine of a process.
func New(d *db.DB) *Engine { return &Engine{db: d, source: rand.Uint64()} }

// Canaries returns which codes are canaries.
func (e *Engine) Canaries(ctx context.Context) (Canaries, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.canaries == nil {
		c, err := ReadCanaries(ctx, e.db.Queries)
		if err != nil {
			return Canaries{}, err
		}
		e.canaries = &c
	}
	return *e.canaries, nil
}

// Canary reports whether a code is a canary, so that its lookup is guessing.
func (e *Engine) Canary(ctx context.Context, code Code) (bool, error) {
	canaries, err := e.Canaries(ctx)
	if err != nil || !canaries.Is(code) {
		return false, err
	}
	_, err = db.Read(e.db.RefInLedger(ctx, string(code))) // a loaded code may be a canary
	if db.IsNotFound(err) {
		return true, nil
	}
	return false, err
}

// keepBefore is how long before is kept: it adds up a row for each minute and process.
const keepBefore = time.Minute

// State is ReadState with a rate whose part before the last hour may be a minute old: cheap enough for every few
// seconds.
func (e *Engine) State(ctx context.Context, q *db.Queries, now time.Time) (State, error) {
	return readState(ctx, q, now, e.poppedBefore)
}

func (e *Engine) poppedBefore(ctx context.Context, q *db.Queries, since, to time.Time) (uint64, error) {
	e.mu.Lock()
	n, age := e.before, to.Sub(e.beforeAt)
	e.mu.Unlock()
	if age >= 0 && age < keepBefore {
		return n, nil
	}
	n, err := popped(ctx, q, since, to)
	if err == nil {
		e.mu.Lock()
		e.before, e.beforeAt = n, to
		e.mu.Unlock()
	}
	return n, err
}

// RecordPop counts a pop of some codes, or of none from an empty pool, and its duration.
func (e *Engine) RecordPop(codes int, empty bool, took time.Duration) {
	e.meter.add(codes, empty, took)
}

// Totals is how many codes this process gave out since it began, and how often there were none.
func (e *Engine) Totals() (popped, empties uint64) { return e.meter.totals() }

// keepSamples is how long the samples of pops are kept.
const keepSamples = 8 * 24 * time.Hour

// Sample stores the pops since the last call, and removes old samples.
func (e *Engine) Sample(ctx context.Context) error {
	now := e.db.Now()
	if seen := e.meter.take(); seen.popped > 0 || seen.empties > 0 {
		if err := e.store(ctx, now, seen); err != nil {
			e.meter.putBack(seen)
			return err
		}
	}
	if _, err := e.db.ForgetRefSamples(ctx, now.Add(-keepSamples)); err != nil {
		return fmt.Errorf("remove old samples: %w", err)
	}
	return nil
}

func (e *Engine) store(ctx context.Context, now time.Time, seen popStats) error {
	if err := RequestRefill(ctx, e.db.Queries); err != nil {
		return err
	}
	p50, p99 := seen.slow()
	err := e.db.AddRefSample(ctx, db.AddRefSampleParams{
		At: now.Truncate(time.Minute), Source: e.source, Popped: uint32(seen.popped), Empties: uint32(seen.empties),
		P50Us: uint32(p50.Microseconds()), P99Us: uint32(p99.Microseconds()),
	})
	if err != nil {
		return fmt.Errorf("store how many codes were given out: %w", err)
	}
	return nil
}
