package feeds

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

const (
	// Batch is how many rows are published in one transaction at most.
	Batch = 500
	// every is how often a process looks for changes of other processes.
	every = 200 * time.Millisecond
)

// Wake has this process publish at once: something has changed. It never blocks.
func (e *Engine) Wake() { e.pending.ring() }

// Work publishes, and tells those who wait for changes, until ctx ends. Any number of processes may.
func (e *Engine) Work(ctx context.Context) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for ctx.Err() == nil {
		more := e.round(ctx)
		if err := e.listen(ctx); err != nil && ctx.Err() == nil {
			e.log.Warn("the feeds could not be looked at; it is tried again", "error", err)
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
		case <-ticks.C:
		case <-e.pending:
		}
	}
}

// round publishes a batch of each feed, so that none waits for another's backlog, and reports whether one
// has more to publish at once.
func (e *Engine) round(ctx context.Context) (more bool) {
	for _, feed := range e.feeds {
		found, published, err := e.publish(ctx, feed)
		if err != nil && ctx.Err() == nil {
			e.log.Warn("a feed could not be published; it is tried again", "feed", feed.Name, "error", err)
		}
		more = more || found == Batch && published > 0
	}
	return more
}

// RunOnce publishes one batch of a feed's rows that are not published, and returns how many they were. Rows
// that others have locked are left for the next time.
func (e *Engine) RunOnce(ctx context.Context, name string) (published int, err error) {
	feed, err := e.Feed(name)
	if err != nil {
		return 0, err
	}
	_, published, err = e.publish(ctx, feed)
	return published, err
}

// publish returns how many rows it found, and how many of them it published.
//
// Rows are locked before the sequence, and never waited for, so nothing is waited for with the sequence in
// hand; it is held to the commit, so batches become visible in the order of their positions.
func (e *Engine) publish(ctx context.Context, feed Feed) (found, published int, err error) {
	candidates, err := db.Read(e.db.Unpublished(ctx, feed.Table, Batch))
	if err != nil {
		return 0, 0, err
	}
	e.waiting.found(feed.Name, candidates)
	if len(candidates) == 0 {
		return 0, 0, nil
	}
	var given []uint64
	err = e.db.InTx(ctx, func(tx *db.Tx) error {
		rows, err := tx.LockUnpublished(ctx, feed.Table, candidates)
		given = rows
		if err != nil || len(rows) == 0 {
			return err
		}
		last, err := take(ctx, tx, feed.Name, len(rows))
		if err != nil {
			return err
		}
		n, err := tx.Publish(ctx, feed.Table, rows, last-uint64(len(rows)))
		if err != nil {
			return err
		}
		if n != int64(len(rows)) {
			return fmt.Errorf("feeds: %d of %d locked rows of %s were published", n, len(rows), feed.Table)
		}
		return tx.RecordBatch(ctx, db.RecordBatchParams{Feed: feed.Name, Hi: last, K: uint32(len(rows))})
	})
	if err != nil {
		return len(candidates), 0, err
	}
	e.waiting.published(feed.Name, given)
	return len(candidates), len(given), nil
}

// take hands out k positions and returns the last of them.
func take(ctx context.Context, tx *db.Tx, feed string, k int) (uint64, error) {
	result, err := tx.TakePositions(ctx, uint64(k), feed)
	if err != nil {
		return 0, err
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		return 0, fmt.Errorf("feeds: sequences has %d rows of %q (%w)", n, feed, err)
	}
	last, err := result.LastInsertId()
	return uint64(last), err
}
