package delivery

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

const (
	manyTurns = 64          // webhooks that a process sends to at once,
	ofCompany = 8           // those of one company among them
	dueAtOnce = 100         // are looked at
	hookTick  = time.Second // how often a process looks for attempts that are due
	hookPause = 20 * time.Millisecond
	// passFor is how long a webhook's cursor may stay behind what others published, which is not its concern.
	passFor = 30 * time.Second
)

// WorkWebhooks sends to webhooks what changes, until ctx ends. Any number of processes may; one at a time sends
// to a webhook. It needs the feeds engine's Work in the same process, which tells of changes.
func (d *Delivery) WorkWebhooks(ctx context.Context) {
	loop := newDispatcher(d, d.turn)
	defer loop.turns.Wait()
	for ctx.Err() == nil {
		moved := d.feeds.Changes()
		if err := loop.look(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("webhooks could not be looked at; it is tried again", "error", err)
		}
		_ = wait.Sleep(ctx, hookPause) // what comes together is looked at together
		select {
		case <-ctx.Done():
		case <-time.After(hookTick):
		case <-moved:
		case <-loop.freed:
		}
	}
}

// dispatcher finds webhooks that there is something for, and has each sent to in a turn of its own, so that
// a slow one holds up no other.
type dispatcher struct {
	w     *Delivery
	turn  func(context.Context, id.Webhook) error // sends to one
	turns sync.WaitGroup
	freed wait.Wakeup

	mu        sync.Mutex
	busy      map[id.Webhook]bool
	ofCompany map[id.Company]int

	// Of the looks alone.
	passed map[id.Webhook]passed
	began  map[id.Webhook]uint64 // which turn was a webhook's last, while some wait for theirs
	count  uint64                // of turns
}

func newDispatcher(w *Delivery, turn func(context.Context, id.Webhook) error) *dispatcher {
	return &dispatcher{
		w: w, turn: turn, busy: map[id.Webhook]bool{}, ofCompany: map[id.Company]int{}, freed: wait.NewWakeup(),
		passed: map[id.Webhook]passed{}, began: map[id.Webhook]uint64{},
	}
}

// passed is how far feeds went without anything for a webhook, further than is stored.
type passed struct {
	at    map[string]uint64
	since time.Time
}

// look begins turns for all webhooks that there is something for.
func (d *dispatcher) look(ctx context.Context) error {
	heads := map[string]uint64{}
	for _, feed := range d.w.feeds.Names() {
		at, _ := d.w.feeds.Head(feed)
		heads[feed] = at.Position
	}
	seen := map[id.Webhook]passed{}
	var waiting []webhooks.DueWebhook
	for after := id.Webhook(0); ; {
		list, err := webhooks.DueWebhooks(ctx, d.w.db.Queries, after, dueAtOnce)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			break
		}
		concerned, err := d.concerned(ctx, list, heads, seen)
		if err != nil {
			return err
		}
		waiting = append(waiting, concerned...)
		after = list[len(list)-1].ID
	}
	d.begin(ctx, waiting, seen)
	d.passed = seen
	return nil
}

// concerned are those of some webhooks that there is something for.
func (d *dispatcher) concerned(ctx context.Context, list []webhooks.DueWebhook, heads map[string]uint64, seen map[id.Webhook]passed) (some []webhooks.DueWebhook, err error) {
	touched, err := d.touched(ctx, list, heads)
	if err != nil {
		return nil, err
	}
	for _, due := range list {
		p, concerned := d.concern(due, heads, touched)
		if p.at != nil {
			seen[due.ID] = p
		}
		if concerned {
			some = append(some, due)
		}
	}
	return some, nil
}

// begin begins turns, of those first who had none for the longest: where there are too many for all, slow ones with
// much to come would take every turn from those behind them.
func (d *dispatcher) begin(ctx context.Context, waiting []webhooks.DueWebhook, seen map[id.Webhook]passed) {
	slices.SortStableFunc(waiting, func(a, b webhooks.DueWebhook) int { return cmp.Compare(d.began[a.ID], d.began[b.ID]) })
	left := false
	for _, due := range waiting {
		if !d.start(ctx, due) {
			left = true
			continue
		}
		delete(seen, due.ID)
		d.count++
		d.began[due.ID] = d.count
	}
	if !left {
		clear(d.began)
	}
}

// concern says how far feeds went without anything for a webhook, and whether it has to be sent to.
func (d *dispatcher) concern(due webhooks.DueWebhook, heads map[string]uint64, touched map[string]span) (passed, bool) {
	p := passed{at: maps.Clone(d.passed[due.ID].at), since: d.passed[due.ID].since}
	concerned := false
	for _, c := range due.Cursors {
		at, head := d.at(due.ID, c), heads[c.Feed]
		switch s, known := touched[c.Feed]; {
		case at == head:
		case known && at >= s.from && at < head && s.last[due.Company] <= at:
			if p.at == nil {
				p = passed{at: map[string]uint64{}, since: time.Now()}
			}
			p.at[c.Feed] = head
		default:
			concerned = true
		}
	}
	return p, concerned || p.at != nil && time.Since(p.since) > passFor
}

// at is how far a webhook has come in a feed.
func (d *dispatcher) at(webhook id.Webhook, c webhooks.Cursor) uint64 {
	if at := d.passed[webhook].at[c.Feed]; at > c.Position {
		return at
	}
	return c.Position
}

// span are positions of a feed behind from, with the last of each company.
type span struct {
	from uint64
	last map[id.Company]uint64
}

// touched looks through what was published since most of the webhooks stood, once for all of them.
func (d *dispatcher) touched(ctx context.Context, list []webhooks.DueWebhook, heads map[string]uint64) (map[string]span, error) {
	from := map[string]uint64{}
	for _, due := range list {
		for _, c := range due.Cursors {
			at, head := d.at(due.ID, c), heads[c.Feed]
			if low, ok := from[c.Feed]; at < head && head-at <= workflows.CompaniesAtOnce && (!ok || at < low) {
				from[c.Feed] = at
			}
		}
	}
	spans := map[string]span{}
	for feed, low := range from {
		of, err := workflows.FeedByName(feed)
		if err != nil {
			return nil, err
		}
		last, err := of.Companies(ctx, d.w.db.Queries, low, heads[feed])
		if err != nil {
			return nil, err
		}
		spans[feed] = span{from: low, last: last}
	}
	return spans, nil
}

// start begins a turn, unless there are too many.
func (d *dispatcher) start(ctx context.Context, due webhooks.DueWebhook) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.busy[due.ID] || len(d.busy) >= manyTurns || d.ofCompany[due.Company] >= ofCompany {
		return false
	}
	d.busy[due.ID] = true
	d.ofCompany[due.Company]++
	d.turns.Go(func() {
		defer d.end(due)
		if err := d.turn(ctx, due.ID); err != nil && ctx.Err() == nil {
			d.w.log.Warn("a webhook could not be sent to; it is tried again", "webhook", due.ID, "error", err)
		}
	})
	return true
}

func (d *dispatcher) end(due webhooks.DueWebhook) {
	d.mu.Lock()
	delete(d.busy, due.ID)
	if d.ofCompany[due.Company]--; d.ofCompany[due.Company] == 0 {
		delete(d.ofCompany, due.Company)
	}
	d.mu.Unlock()
	d.freed.Wake()
}
