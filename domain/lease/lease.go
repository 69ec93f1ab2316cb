// Package lease is what a process knows of a lease that it has in the database: until when it may work, by its own
// monotonic clock, counted from before the renewal was sent. The database counts from later on, by its own clock; so
// whatever either clock shows, the process stops first.
//
// How a lease is taken, renewed and fenced in the database belongs to whoever has it.
package lease

import (
	"sync/atomic"
	"time"
)

// Lease is a lease of this process. Once it is over it stays so, though the database may not have noticed: whoever
// saw its end has let go of the work. Begin begins it anew, which a new claim may, or a write that the fence guarded.
type Lease struct {
	began time.Time
	until atomic.Int64 // nanoseconds after began; over for one that ended
}

const over = -1

// New returns a lease that has not begun.
func New() *Lease { return &Lease{began: time.Now()} }

// Begin begins a lease that was asked for at sent.
func (o *Lease) Begin(sent time.Time, length time.Duration) {
	o.until.Store(int64(sent.Sub(o.began) + length))
}

// Renew prolongs the lease after a renewal that was sent then, and reports whether it was not over by now.
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

// Valid reports whether the process may work. After false it never says true.
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
