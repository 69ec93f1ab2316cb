package coalesce

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// ErrClosed is the error of Do once the group is closed.
var ErrClosed = errors.New("coalesce: the group is closed")

// errAbandoned is the error of a batch that no caller waits for any more.
var errAbandoned = errors.New("coalesce: all callers have left")

// Panic is the error of all calls of a batch that panicked.
type Panic struct {
	Value any
	Stack []byte
}

func (p Panic) Error() string { return fmt.Sprintf("coalesce: batch panicked: %v", p.Value) }

// Trace is the stack of the panic.
func (p Panic) Trace() string { return string(p.Stack) }

// Run does a batch: ins in the order of the calls, at least one. It returns one result for each, in
// the same order, or an error, and then nothing of the batch may have happened.
type Run[K comparable, In, Out any] func(ctx context.Context, key K, ins []In) ([]Out, error)

// Options of a group.
type Options struct {
	// Max is how many calls a batch may hold; 0 means 100.
	Max int
	// Timeout ends a batch's context; 0 means 15 seconds: callers wait no longer.
	Timeout time.Duration
	// Alone reports whether a batch that failed with err is repeated call by call, because one bad call may have
	// caused it. Nil means always. It is not asked after an error of unknown outcome or of a context.
	Alone func(err error) bool
	// Return is for how long at most a batch waits for callers of the batch before it to call again, if that had
	// several: half of the time that it took, and no longer than this. 0 means not at all.
	Return time.Duration
}

// Group runs calls in batches by key. Make one with New.
type Group[K comparable, In, Out any] struct {
	run     Run[K, In, Out]
	options Options

	mu     sync.Mutex
	lanes  map[K]*lane[In, Out] // with a running batch
	closed bool
	idle   sync.WaitGroup // counts lanes
}

// lane is the queue of one key.
type lane[In, Out any] struct {
	waiting  []*call[In, Out]
	expected int           // how many calls end the wait of full
	full     chan struct{} // closed when they wait; nil while nothing waits for them
}

type call[In, Out any] struct {
	in   In
	done chan result[Out] // buffered, so that a caller that left blocks no batch
	left atomic.Bool      // its caller did
}

type result[Out any] struct {
	out Out
	err error
}

// New returns a group that runs batches with run.
func New[K comparable, In, Out any](run Run[K, In, Out], options Options) *Group[K, In, Out] {
	if options.Max <= 0 {
		options.Max = 100
	}
	if options.Timeout <= 0 {
		options.Timeout = 15 * time.Second
	}
	if options.Alone == nil {
		options.Alone = func(error) bool { return true }
	}
	return &Group[K, In, Out]{run: run, options: options, lanes: make(map[K]*lane[In, Out])}
}

// Do runs in in a batch of its key and returns its result.
//
// If ctx ends first, Do returns its error: a waiting call is withdrawn; whether one whose batch runs is done is not
// known. The batch never sees a caller's context; see Wanted. A batch that fails is repeated call by call
// (Options.Alone), so a bad call fails alone. A panic comes back as Panic.
func (g *Group[K, In, Out]) Do(ctx context.Context, key K, in In) (Out, error) {
	var none Out
	if err := ctx.Err(); err != nil {
		return none, err
	}
	c := &call[In, Out]{in: in, done: make(chan result[Out], 1)}
	if !g.join(key, c) {
		return none, ErrClosed
	}
	select {
	case r := <-c.done:
		return r.out, r.err
	case <-ctx.Done():
		c.left.Store(true)
		g.withdraw(key, c)
		return none, ctx.Err()
	}
}

type callersKey struct{}

// Wanted returns nil while a caller of the batch with that context waits for it. A batch asks before its commit, and
// rolls back on the error: callers that were told that it is not known what became of their calls may have tried again.
func Wanted(ctx context.Context) error {
	if anyWaits, ok := ctx.Value(callersKey{}).(func() bool); ok && !anyWaits() {
		return errAbandoned
	}
	return nil
}

// Close refuses further calls and waits for the accepted ones, or until ctx ends.
func (g *Group[K, In, Out]) Close(ctx context.Context) error {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	done := make(chan struct{})
	go func() { g.idle.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close: calls are still running: %w", ctx.Err())
	}
}

func (g *Group[K, In, Out]) join(key K, c *call[In, Out]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	if l, busy := g.lanes[key]; busy {
		l.waiting = append(l.waiting, c)
		if l.full != nil && len(l.waiting) >= l.expected {
			close(l.full)
			l.full = nil
		}
		return true
	}
	l := &lane[In, Out]{waiting: []*call[In, Out]{c}}
	g.lanes[key] = l
	g.idle.Add(1)
	go g.serve(key, l)
	return true
}

func (g *Group[K, In, Out]) withdraw(key K, c *call[In, Out]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l, busy := g.lanes[key]; busy {
		l.waiting = slices.DeleteFunc(l.waiting, func(other *call[In, Out]) bool { return other == c })
	}
}

// serve runs the batches of a key until no call waits.
func (g *Group[K, In, Out]) serve(key K, l *lane[In, Out]) {
	defer g.idle.Done()
	for batch := g.next(key, l); batch != nil; batch = g.next(key, l) {
		start := time.Now()
		outs, err := g.try(key, batch)
		var pause time.Duration
		if err == nil && len(batch) > 1 {
			pause = min(time.Since(start)/2, g.options.Return)
		}
		full := g.expect(l, len(batch), pause)
		g.answer(key, batch, outs, err)
		runtime.Gosched() // callers just answered may call again and join the next batch
		g.await(l, full, pause)
	}
}

// expect returns a channel that closes once the n callers to be answered have called again, beside those that wait
// already; nil if pause leaves them no time.
func (g *Group[K, In, Out]) expect(l *lane[In, Out], n int, pause time.Duration) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	l.expected = min(len(l.waiting)+n, g.options.Max)
	if pause <= 0 || g.closed || len(l.waiting) >= l.expected {
		return nil
	}
	full := make(chan struct{})
	l.full = full
	return full
}

// await waits until full closes, for pause at most. Callers that return late would meet the next batch on its way and
// form two groups that take turns: many small batches, which cost the database more than few large ones.
func (g *Group[K, In, Out]) await(l *lane[In, Out], full <-chan struct{}, pause time.Duration) {
	if full == nil {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-full:
	case <-timer.C:
		g.mu.Lock()
		l.full = nil
		g.mu.Unlock()
	}
}

// next takes the next batch off the lane; if no call waits it removes the lane and returns nil.
func (g *Group[K, In, Out]) next(key K, l *lane[In, Out]) []*call[In, Out] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(l.waiting) == 0 {
		delete(g.lanes, key)
		return nil
	}
	n := min(len(l.waiting), g.options.Max)
	batch := slices.Clone(l.waiting[:n])
	l.waiting = slices.Delete(l.waiting, 0, n)
	return batch
}

// answer gives each caller of a batch its result, after repeating the calls one by one if the batch failed.
func (g *Group[K, In, Out]) answer(key K, batch []*call[In, Out], outs []Out, err error) {
	if err != nil && len(batch) > 1 && mayRepeat(err) && g.options.Alone(err) {
		for i, c := range batch {
			if !c.left.Load() {
				outs, err := g.try(key, batch[i:i+1])
				g.answer(key, batch[i:i+1], outs, err)
			}
		}
		return
	}
	for i, c := range batch {
		if err != nil {
			c.done <- result[Out]{err: err}
			continue
		}
		c.done <- result[Out]{out: outs[i]}
	}
}

// mayRepeat reports whether nothing of a batch that failed with err can have happened, and no single call is slow.
func mayRepeat(err error) bool {
	return !errors.Is(err, fault.Unknown) && !errors.Is(err, errAbandoned) &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

func (g *Group[K, In, Out]) try(key K, batch []*call[In, Out]) (outs []Out, err error) {
	defer func() {
		if value := recover(); value != nil {
			outs, err = nil, Panic{Value: value, Stack: debug.Stack()}
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), g.options.Timeout)
	defer cancel()
	ctx = context.WithValue(ctx, callersKey{}, func() bool {
		return slices.ContainsFunc(batch, func(c *call[In, Out]) bool { return !c.left.Load() })
	})
	ins := make([]In, len(batch))
	for i, c := range batch {
		ins[i] = c.in
	}
	outs, err = g.run(ctx, key, ins)
	if err == nil && len(outs) != len(ins) {
		return nil, fmt.Errorf("coalesce: the batch gave %d results for %d calls", len(outs), len(ins))
	}
	return outs, err
}
