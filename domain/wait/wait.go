// Package wait has the ways in which a goroutine waits: for a time or a channel while its context lasts (Sleep, For,
// Every), for another goroutine (Wakeup, Broadcast), and longer after each failure (Backoff). The caller counts its
// failures, often in a row that several servers share.
package wait

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Sleep waits for d, or returns the context's error if ctx ends first, or has ended.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	return For(ctx, timer.C)
}

// For waits until c has a value or is closed, or returns the context's error if ctx ends first.
func For[T any](ctx context.Context, c <-chan T) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c:
		return nil
	}
}

// Every calls f at once and then every d until ctx ends. Calls do not overlap; those missed during a long one are
// skipped.
func Every(ctx context.Context, d time.Duration, f func(ctx context.Context)) {
	ticker := time.NewTicker(d)
	defer ticker.Stop()
	for {
		f(ctx)
		if For(ctx, ticker.C) != nil {
			return
		}
	}
}

// Wakeup wakes one goroutine, which receives from it. Any number of Wake before that are one.
type Wakeup chan struct{}

// NewWakeup returns a Wakeup. The zero value never wakes anyone.
func NewWakeup() Wakeup { return make(Wakeup, 1) }

// Wake wakes the goroutine that receives, or else the next to do so. It never blocks.
func (w Wakeup) Wake() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// Broadcast wakes all goroutines that wait. Its zero value is ready.
type Broadcast struct {
	mu   sync.Mutex
	next chan struct{}
}

// Next returns a channel that the next Wake closes. Get it before checking the condition that Wake announces.
func (b *Broadcast) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Wake wakes all goroutines that wait.
func (b *Broadcast) Wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// Backoff returns how long to wait after so many failures before the latest: first, doubled with each of them,
// up to longest.
func Backoff(first, longest time.Duration, failures int) time.Duration {
	if failures = max(failures, 0); failures < 62 && first > 0 && first < longest>>failures {
		return first << failures
	}
	return longest
}

// Jitter returns d plus or minus up to a part of it, such as 0.25, so that many callers spread out.
func Jitter(d time.Duration, part float64) time.Duration {
	spread := time.Duration(float64(d) * part)
	return d - spread + rand.N(2*spread+1)
}
