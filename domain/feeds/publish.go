package feeds

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	// Batch is how many rows are published in one transaction at most.
	Batch = 500
	// every is the default interval of polling for other processes' changes.
	every = 200 * time.Millisecond
	// overdue is how long a locked row is skipped before its lock is waited for.
	overdue = time.Second
	// roundTime is how long it may take to publish a batch, or to look at the feeds.
	roundTime = 10 * time.Second
)

// Wake makes this process publish at once. It never blocks.
func (e *Engine) Wake() {
	e.signal.woken.Add(1)
	e.pending.Wake()
}

// Published waits until what Wake was called for is published, and Head has it, or ctx ends.
func (e *Engine) Published(ctx context.Context) error {
	for woken := e.signal.woken.Load(); ; {
		done := e.signal.rounds.Next()
		if e.signal.answered.Load() >= woken {
			return nil
		}
		if err := wait.For(ctx, done); err != nil {
			return err
		}
	}
}

// PollEvery sets the interval of polling for other processes' changes, 200 ms by default. Call it before Run.
func (e *Engine) PollEvery(d time.Duration) { e.every = d }

// Run publishes, and wakes waiting readers, until ctx ends. Any number of processes may run it.
func (e *Engine) Run(ctx context.Context) {
	ticks := time.NewTicker(e.every)
	defer ticks.Stop()
	var insisting sync.WaitGroup
	defer insisting.Wait()
	insisting.Go(func() { e.publishOverdue(ctx) })
	for ctx.Err() == nil {
		woken := e.signal.woken.Load()
		more, all := e.round(ctx)
		err := within(ctx, e.listen)
		if err != nil && ctx.Err() == nil {
			e.log.Warn("the feeds could not be looked at; it is tried again", "error", err)
		}
		if more {
			continue
		}
		if err == nil && all {
			e.signal.answered.Store(woken)
			e.signal.rounds.Wake()
		}
		select {
		case <-ctx.Done():
		case <-ticks.C:
		case <-e.pending:
		}
	}
}

// within calls f with roundTime.
func within(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, roundTime)
	defer cancel()
	return f(ctx)
}

// round publishes a batch of each feed, so that none waits for another's backlog. It reports whether one has more to
// publish at once, and whether all that was found is published: locked rows are left for the next round.
func (e *Engine) round(ctx context.Context) (more, all bool) {
	var found map[string][]uint64
	err := within(ctx, func(ctx context.Context) (err error) {
		found, err = e.find(ctx, e.feeds...)
		return err
	})
	if err != nil && ctx.Err() == nil {
		e.log.Warn("the feeds could not be searched for changes; it is tried again", "error", err)
	}
	all = err == nil
	for _, feed := range e.feeds {
		for _, table := range feed.tables() {
			published := 0
			err := within(ctx, func(ctx context.Context) (err error) {
				published, err = e.publish(ctx, feed, table, found[table])
				return err
			})
			if err != nil && ctx.Err() == nil {
				e.log.Warn("a feed could not be published; it is tried again", "feed", feed.Name, "error", err)
			}
			more = more || len(found[table]) == Batch && published > 0
			all = all && published == len(found[table])
		}
	}
	return more, all
}

// RunOnce publishes one batch of the unpublished rows of each of a feed's tables, and returns how many they were. Rows
// that others have locked are left for the next time. If there are none, it has readers see all that was published.
func (e *Engine) RunOnce(ctx context.Context, name string) (published int, err error) {
	feed, err := e.Feed(name)
	if err != nil {
		return 0, err
	}
	found, err := e.find(ctx, feed)
	if err != nil {
		return 0, err
	}
	if len(found) == 0 {
		return 0, e.settle(ctx, name)
	}
	for _, table := range feed.tables() {
		n, err := e.publish(ctx, feed, table, found[table])
		if published += n; err != nil {
			return published, err
		}
	}
	return published, nil
}

// find returns at most Batch unpublished rows of each table of some feeds, by table.
func (e *Engine) find(ctx context.Context, feeds ...Feed) (map[string][]uint64, error) {
	var tables []string
	for _, feed := range feeds {
		tables = append(tables, feed.tables()...)
	}
	found, err := db.Read(e.db.Unpublished(ctx, tables, Batch))
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		e.backlog.found(table, found[table])
	}
	return found, nil
}

// publish publishes those of some rows of a feed's table that are unpublished and not locked, and returns how many they
// are.
//
// Rows are locked before the sequence and without waiting, so that nothing is waited for while the sequence is locked;
// it is locked until the commit, so that batches become visible in the order of their positions.
func (e *Engine) publish(ctx context.Context, feed Feed, table string, rows []uint64) (published int, err error) {
	if len(rows) == 0 {
		return 0, nil
	}
	return e.give(ctx, feed, table, func(tx *db.Tx) ([]uint64, error) {
		return tx.LockUnpublished(ctx, table, rows)
	})
}

// publishOverdue publishes rows that are locked whenever publish runs, such as that of a board on which tickets are opened all
// the time: waiting for a lock gets it in turn. It takes one row at a time.
func (e *Engine) publishOverdue(ctx context.Context) {
	for wait.Sleep(ctx, overdue) == nil {
		for _, feed := range e.feeds {
			for _, table := range feed.tables() {
				e.waitForOverdue(ctx, feed, table)
			}
		}
	}
}

// waitForOverdue publishes an overdue row of a feed's table, if there is one, once its lock is free.
func (e *Engine) waitForOverdue(ctx context.Context, feed Feed, table string) {
	row, ok := e.backlog.overdue(table)
	if !ok {
		return
	}
	err := within(ctx, func(ctx context.Context) error { return e.waitFor(ctx, feed, table, row) })
	if err != nil && ctx.Err() == nil {
		e.log.Warn("a row that is always in use could not be published; it is tried again", "feed", feed.Name, "row", row,
			"error", err)
	}
}

// waitFor publishes an unpublished row of a feed's table once its lock is free.
func (e *Engine) waitFor(ctx context.Context, feed Feed, table string, row uint64) error {
	_, err := e.give(ctx, feed, table, func(tx *db.Tx) ([]uint64, error) {
		return tx.WaitForUnpublished(ctx, table, row)
	})
	return err
}

// give publishes the rows of a feed's table that lock locks, and returns how many they are.
func (e *Engine) give(
	ctx context.Context, feed Feed, table string, lock func(tx *db.Tx) ([]uint64, error),
) (published int, err error) {
	var given []uint64
	var head uint64
	err = e.db.InTx(ctx, func(tx *db.Tx) error {
		rows, err := lock(tx)
		given = rows
		if err != nil || len(rows) == 0 {
			return err
		}
		last, err := take(ctx, tx, feed.Name, len(rows))
		if err != nil {
			return err
		}
		n, err := tx.Publish(ctx, table, rows, last-uint64(len(rows)))
		if err != nil {
			return err
		}
		if n != int64(len(rows)) {
			return fmt.Errorf("feeds: %d of %d locked rows of %s were published", n, len(rows), table)
		}
		head = last
		return tx.RecordBatch(ctx, db.RecordBatchParams{Feed: feed.Name, Hi: last, K: uint32(len(rows))})
	})
	if err != nil || len(given) == 0 {
		return 0, err
	}
	e.backlog.remove(table, given)
	return len(given), e.noteDurable(ctx, feed.Name, head)
}

// noteDurable notes that a feed is durable up to a position: the COMMIT that gave it out, or a later one, has returned.
func (e *Engine) noteDurable(ctx context.Context, feed string, head uint64) error {
	_, err := db.Read(0, e.db.NoteDurable(ctx, feed, head))
	return err
}

// settle notes how far a feed has come, for a publisher that has not noted its last batch. What it sees may not be
// durable: a COMMIT of its own makes it so.
func (e *Engine) settle(ctx context.Context, feed string) error {
	now, err := db.Read(e.db.Sequence(ctx, feed))
	if err != nil || uint64(now.Head) == now.Value {
		return err
	}
	if err := e.noteDurable(ctx, feed, uint64(now.Head)); err != nil {
		return err
	}
	return e.noteDurable(ctx, feed, now.Value)
}

// take takes k positions and returns the last of them.
func take(ctx context.Context, tx *db.Tx, feed string, k int) (uint64, error) {
	result, err := tx.AllocatePositions(ctx, uint64(k), feed)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, err
	}
	if n != 1 {
		return 0, fmt.Errorf("feeds: sequences has %d rows of %q", n, feed)
	}
	last, err := result.LastInsertId()
	return uint64(last), err
}
