// Package lease is a process's view of a lease in the database: until when it may work, by its own monotonic clock,
// counted from before the renewal was sent. The database counts from later on, by its own clock; so whatever either
// clock shows, the process stops first. The owner of a lease claims, renews and fences it in the database.
package lease

import (
	"sync/atomic"
	"time"
)

// Lease is a lease of this process. Once it is over it stays so, even if it is renewed in the database, because its
// work was stopped. Begin starts it again, after a new claim or a write that the fence guarded.
type Lease struct {
	began time.Time
	until atomic.Int64 // nanoseconds after began; over if it ended
}

const over = -1

// New returns a lease that has not begun.
func New() *Lease { return &Lease{began: time.Now()} }

// Begin begins a lease that was asked for at sent.
func (o *Lease) Begin(sent time.Time, length time.Duration) {
	o.until.Store(int64(sent.Sub(o.began) + length))
}

// Renew extends the lease after a renewal that was sent at sent, and reports whether it was still valid.
func (o *Lease) Renew(sent time.Time, length time.Duration) bool {
	for {
		until := o.until.Load()
		if !o.Valid() {
			return false
		}
		if o.until.CompareAndSwap(until, int64(sent.Sub(o.began)+length)) {
			return true
		}
	}
}

// Left is how long the process may yet work; not above 0 once the lease is over.
func (o *Lease) Left() time.Duration { return time.Duration(o.until.Load()) - time.Since(o.began) }

// Valid reports whether the process may work. Once false, it stays false until Begin.
func (o *Lease) Valid() bool {
	for {
		until := o.until.Load()
		if until == over || time.Since(o.began) < time.Duration(until) {
			return until != over
		}
		if o.until.CompareAndSwap(until, over) {
			return false
		}
	}
}
