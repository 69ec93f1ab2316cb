package feedclient

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	longestAfter = 10 * time.Minute // the longest that a server may ask for
)

// backoff waits longer after each failure in a row. Half of each pause is random, so that not all clients of a server
// come back at once.
type backoff struct{ failures int }

func (b *backoff) reset() { b.failures = 0 }

// wait waits until the retry after err; it returns the error of ctx.
func (c *Client) wait(ctx context.Context, b *backoff, err error) error {
	pause := b.next(err)
	if c.Retrying != nil && ctx.Err() == nil {
		c.Retrying(err, pause)
	}
	return sleep(ctx, pause)
}

func (b *backoff) next(err error) time.Duration {
	pause := min(firstPause<<min(b.failures, 10), longestPause)
	b.failures++
	pause = pause/2 + rand.N(pause/2)
	var refused *Error
	if errors.As(err, &refused) {
		pause = max(pause, min(refused.After, longestAfter))
	}
	return pause
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
