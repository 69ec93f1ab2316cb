package delivery

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

const (
	maxSessions          = 64                    // webhooks that a process sends to at once,
	maxSessionsOfCompany = 8                     // and those of one company among them
	dueLimit             = 100                   // due webhooks are read at once
	dispatchEvery        = time.Second           // attempts become due
	gatherFor            = 20 * time.Millisecond // so that what is published together is read together
	leadFor              = 30 * time.Second      // a lead is stored
)

// WorkWebhooks sends changes to webhooks until ctx ends. Any number of processes may; one at a time sends to a webhook.
// It needs the feeds engine's Work in the same process.
func (d *Delivery) WorkWebhooks(ctx context.Context) {
	loop := newDispatcher(d, d.runSession)
	defer loop.sessions.Wait()
	checked := false
	for ctx.Err() == nil {
		if !checked {
			err := d.StopRefused(ctx)
			if checked = err == nil; !checked && ctx.Err() == nil {
				d.log.Warn("the addresses of webhooks could not be checked; it is tried again", "error", err)
			}
		}
		moved := d.feeds.Changes()
		if err := loop.dispatch(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("webhooks could not be looked at; it is tried again", "error", err)
		}
		_ = wait.Sleep(ctx, gatherFor)
		select {
		case <-ctx.Done():
		case <-time.After(dispatchEvery):
		case <-moved:
		case <-loop.freed:
		}
	}
}

// StopRefused stops the webhooks whose addresses the present rules refuse, so that their companies and operators learn
// of it before something is to be sent. Rules change with a start.
func (d *Delivery) StopRefused(ctx context.Context) error {
	for after := id.Webhook(0); ; {
		list, err := webhooks.OnAfter(ctx, d.db.Queries, after, dueLimit)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, hook := range list {
			after = hook.ID
			reason := webhooks.Refusal(hook.URL, d.outbound)
			if reason == "" {
				continue
			}
			stopped, err := webhooks.Refuse(ctx, d.db, hook, reason)
			if err != nil {
				return err
			}
			if stopped {
				d.logRefused(hook, reason)
			}
		}
	}
}

func (d *Delivery) logRefused(hook webhooks.Webhook, reason string) {
	d.log.Warn("a webhook is stopped: its address is refused", "webhook", hook.ID, "company", hook.Company,
		"reason", reason)
}

// dispatcher finds webhooks with something to send and begins a turn for each, so that a slow receiver delays no other.
type dispatcher struct {
	w        *Delivery
	send     func(context.Context, id.Webhook) error // sends to one
	sessions sync.WaitGroup
	freed    wait.Wakeup

	mu        sync.Mutex
	busy      map[id.Webhook]bool
	ofCompany map[id.Company]int

	// Of dispatch alone.
	leads map[id.Webhook]lead
	began map[id.Webhook]uint64 // the number of a webhook's last turn, while others wait for theirs
	count uint64                // of turns
}

func newDispatcher(w *Delivery, send func(context.Context, id.Webhook) error) *dispatcher {
	return &dispatcher{
		w: w, send: send, busy: map[id.Webhook]bool{}, ofCompany: map[id.Company]int{}, freed: wait.NewWakeup(),
		leads: map[id.Webhook]lead{}, began: map[id.Webhook]uint64{},
	}
}

// lead is how far a webhook is ahead of its stored cursors: the feeds had nothing for it since.
type lead struct {
	at    map[string]uint64
	since time.Time
}

// dispatch begins turns for all webhooks that have something to send.
func (d *dispatcher) dispatch(ctx context.Context) error {
	heads := map[string]uint64{}
	for _, feed := range d.w.feeds.Names() {
		at, _ := d.w.feeds.Head(feed)
		heads[feed] = at.Position
	}
	leads := map[id.Webhook]lead{}
	var waiting []webhooks.DueWebhook
	for after := id.Webhook(0); ; {
		list, err := webhooks.DueWebhooks(ctx, d.w.db.Queries, after, dueLimit)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			break
		}
		found, err := d.withRows(ctx, list, heads, leads)
		if err != nil {
			return err
		}
		waiting = append(waiting, found...)
		after = list[len(list)-1].ID
	}
	d.begin(ctx, waiting, leads)
	d.leads = leads
	return nil
}

// withRows returns the webhooks that have something to send, and adds the leads of those that have not.
func (d *dispatcher) withRows(
	ctx context.Context, list []webhooks.DueWebhook, heads map[string]uint64, leads map[id.Webhook]lead,
) (found []webhooks.DueWebhook, err error) {
	spans, err := d.spans(ctx, list, heads)
	if err != nil {
		return nil, err
	}
	for _, due := range list {
		p, ok := d.hasRows(due, heads, spans)
		if p.at != nil {
			leads[due.ID] = p
		}
		if ok {
			found = append(found, due)
		}
	}
	return found, nil
}

// begin begins turns, first for the webhook that has waited longest: else slow ones with much to send would take every
// turn from the others.
func (d *dispatcher) begin(ctx context.Context, waiting []webhooks.DueWebhook, leads map[id.Webhook]lead) {
	slices.SortStableFunc(waiting, func(a, b webhooks.DueWebhook) int { return cmp.Compare(d.began[a.ID], d.began[b.ID]) })
	left := false
	for _, due := range waiting {
		if !d.start(ctx, due) {
			left = true
			continue
		}
		delete(leads, due.ID)
		d.count++
		d.began[due.ID] = d.count
	}
	if !left {
		clear(d.began)
	}
}

// hasRows returns the lead of a webhook, and whether it needs a turn.
func (d *dispatcher) hasRows(due webhooks.DueWebhook, heads map[string]uint64, spans map[string]span) (lead, bool) {
	p := lead{at: maps.Clone(d.leads[due.ID].at), since: d.leads[due.ID].since}
	found := due.Uncompared
	for _, c := range due.Cursors {
		at, head := d.at(due.ID, c), heads[c.Feed]
		switch s, known := spans[c.Feed]; {
		case at == head:
		case known && at >= s.from && at < head && s.last[due.Company] <= at:
			if p.at == nil {
				p = lead{at: map[string]uint64{}, since: time.Now()}
			}
			p.at[c.Feed] = head
		default:
			found = true
		}
	}
	return p, found || p.at != nil && time.Since(p.since) > leadFor
}

// at returns the position of a webhook in a feed, with its lead.
func (d *dispatcher) at(webhook id.Webhook, c webhooks.Cursor) uint64 {
	if at := d.leads[webhook].at[c.Feed]; at > c.Position {
		return at
	}
	return c.Position
}

// span is the rows of a feed behind a position: the last of each company.
type span struct {
	from uint64
	last map[id.Company]uint64
}

// spans reads once for all webhooks what was published since the hindmost, unless that is too far behind.
func (d *dispatcher) spans(
	ctx context.Context, list []webhooks.DueWebhook, heads map[string]uint64,
) (map[string]span, error) {
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
		var last map[id.Company]uint64
		err = d.w.db.ReadTx(ctx, func(tx *db.Tx) error { // a server that is behind lacks rows
			last, err = of.Companies(ctx, tx.Queries, low, heads[feed])
			return err
		})
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
	if d.busy[due.ID] || len(d.busy) >= maxSessions || d.ofCompany[due.Company] >= maxSessionsOfCompany {
		return false
	}
	d.busy[due.ID] = true
	d.ofCompany[due.Company]++
	d.sessions.Go(func() {
		defer d.end(due)
		if err := d.send(ctx, due.ID); err != nil && ctx.Err() == nil {
			d.w.log.Warn("a webhook could not be sent to; it is tried again", "webhook", due.ID, "error", why(err))
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
