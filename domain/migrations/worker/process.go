package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// slot processes tasks, one after the other, until quit is closed.
func (d *dispatcher) slot(quit chan struct{}) {
	for {
		select {
		case <-quit:
			return
		case h := <-d.queue:
			d.begun.Add(1)
			d.busy.Add(1)
			if d.m.Write != nil && !d.run.Load().Dry {
				d.writeQueued(h)
				d.busy.Add(-1)
				continue
			}
			if !d.process(h, quit) {
				return // another slot is in its place
			}
			d.busy.Add(-1)
		}
	}
}

// process processes a task, unless the worker must stop. It is false if the task was abandoned.
func (d *dispatcher) process(h *attempt, slot chan struct{}) bool {
	h.outcome, h.began, h.slot = returned, time.Now(), slot
	if !d.awaitRead() {
		d.outcomes <- h
		return true
	}
	h.began = time.Now()
	timeout := d.timeout()
	ctx, cancel := context.WithTimeoutCause(d.work, timeout, migrations.Overdue{Timeout: timeout})
	defer cancel()
	d.mu.Lock()
	d.underWay[h] = h.began.Add(timeout + abandonAfter)
	d.mu.Unlock()
	err := d.call(ctx, h.work)
	took := time.Since(h.began)
	d.mu.Lock()
	delete(d.underWay, h)
	d.mu.Unlock()
	if !h.taken.CompareAndSwap(false, true) {
		d.stuck.Add(-1)
		return false
	}
	h.took = took
	h.judge(ctx, d.work, err)
	if h.outcome == complete && h.work.Outcome().Commit != nil {
		d.commits <- h
		return true
	}
	d.outcomes <- h
	return true
}

// judge decides the outcome by the processor's error. An error after the worker's cancellation is no failure: the task
// is returned.
func (h *attempt) judge(ctx, work context.Context, err error) {
	h.err = err
	switch {
	case err == nil:
		h.outcome = complete
	case work.Err() != nil:
		h.outcome = returned
	case errors.As(err, new(migrations.Later)):
		h.outcome = postponed
	default:
		h.outcome = failed
		if ctx.Err() != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
			h.err = stoppedAt{context.Cause(ctx), err}
		}
	}
}

// stoppedAt is an attempt that was ended by its timeout.
type stoppedAt struct{ cause, err error }

func (e stoppedAt) Error() string  { return e.cause.Error() }
func (e stoppedAt) Detail() string { return e.err.Error() }
func (e stoppedAt) Unwrap() error  { return e.cause }

// call runs the processor, or the preview of a dry run. A panic is an error.
func (d *dispatcher) call(ctx context.Context, work *migrations.Work) (err error) {
	defer recoverPanic(&err)
	if !d.run.Load().Dry {
		return d.m.Process(ctx, work)
	}
	if d.m.Preview == nil {
		return nil
	}
	note, err := d.m.Preview(ctx, work)
	result := work.Outcome()
	result.Note, result.Commit = note, nil
	return err
}

func recoverPanic(err *error) {
	if value := recover(); value != nil {
		*err = migrations.PanicError{Value: value, Stack: string(debug.Stack())}
	}
}

func (d *dispatcher) timeout() time.Duration {
	if timeout := d.run.Load().Knobs.Timeout; timeout > 0 {
		return timeout
	}
	return 24 * time.Hour
}

// awaitRead waits while the last look at the runs is too old to begin a task by, and reports whether the run goes on: a
// worker that is cut off must not begin what it has queued, for the run may be stopped.
func (d *dispatcher) awaitRead() bool {
	for !d.stops() {
		if d.w.isFresh() {
			return true
		}
		_ = wait.Sleep(d.work, readEvery/10)
	}
	return false
}

// writeQueued processes tasks in a transaction once the process has few enough of them open.
func (d *dispatcher) writeQueued(first *attempt) {
	for d.awaitRead() {
		select {
		case d.w.p.writers <- struct{}{}:
			d.write(d.block(first))
			<-d.w.p.writers
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	first.outcome, first.began = returned, time.Now()
	d.outcomes <- first
}

// block takes the tasks of one transaction out of the queue.
func (d *dispatcher) block(first *attempt) []*attempt {
	list := []*attempt{first}
	for most := min(d.run.Load().Knobs.Block, migrations.MaxPerStatement); len(list) < most; {
		select {
		case h := <-d.queue:
			d.begun.Add(1)
			list = append(list, h)
		default:
			return list
		}
	}
	return list
}

// write processes tasks in the transaction that completes them.
func (d *dispatcher) write(list []*attempt) {
	began := time.Now()
	for _, h := range list {
		h.outcome, h.began = returned, began
	}
	if d.stops() {
		d.reportAll(list)
		return
	}
	timeout := d.timeout()
	ctx, cancel := context.WithTimeoutCause(d.work, timeout, migrations.Overdue{Timeout: timeout})
	defer cancel()
	err := d.complete(ctx, list, func(ctx context.Context, tx *db.Tx, present []*attempt) error {
		works := make([]*migrations.Work, len(present))
		for i, h := range present {
			works[i] = h.work
			result := h.work.Outcome()
			result.Note, result.Err = "", nil
		}
		return d.callWrite(ctx, tx, works)
	})
	d.judgeAll(ctx, list, err, d.write)
}

func (d *dispatcher) callWrite(ctx context.Context, tx *db.Tx, works []*migrations.Work) (err error) {
	defer recoverPanic(&err)
	return d.m.Write(ctx, tx, works)
}

// judgeAll decides the outcomes of tasks that were to be completed in one transaction; if it failed for more than one,
// each is tried alone.
func (d *dispatcher) judgeAll(ctx context.Context, list []*attempt, err error, alone func([]*attempt)) {
	took := time.Since(list[0].began)
	switch {
	case err == nil:
		for _, h := range list {
			if h.took == 0 {
				h.took = took
			}
			if h.outcome = written; h.work.Outcome().Err != nil {
				h.judge(ctx, d.work, h.work.Outcome().Err)
			}
		}
	case d.work.Err() != nil || !d.w.lease.Valid():
		for _, h := range list {
			h.outcome = returned
		}
	case ctx.Err() == nil && transient(err) && (list[0].tries < 5 || !db.IsDeadlock(err)):
		for _, h := range list {
			h.tries++
		}
		_ = wait.Sleep(d.work, 100*time.Millisecond<<min(list[0].tries, 5))
		alone(list)
		return
	case len(list) > 1:
		for _, h := range list {
			h.tries = 0
			alone([]*attempt{h})
		}
		return
	default:
		list[0].took = took
		list[0].judge(ctx, d.work, fmt.Errorf("write: %w", err))
	}
	d.reportAll(list)
}

func (d *dispatcher) reportAll(list []*attempt) {
	for _, h := range list {
		d.outcomes <- h
	}
}
