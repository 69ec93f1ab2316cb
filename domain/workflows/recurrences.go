package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/recurrence"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	// recurEvery is how often recurrences that are due are looked for.
	recurEvery = time.Second
	// recurFor is how long a server has for opening the next ticket of one; then another may.
	recurFor = time.Minute
	// recurAgain is when it is looked again whether a deleted ticket, or an archived board, is back.
	recurAgain = time.Hour
	// recurAtOnce is how many are read at once.
	recurAtOnce = 100
)

// SetRecurrence has a ticket opened again by a plan, or no more if it is nil. A plan without a time zone is in that of
// the caller's account. entry is what it added to the history; its ID is 0 if nothing changed. It returns
// tickets.NotFound, RepeatsRequest, NoDueDate or RepeatsClosed, recurrence.Never, or boards.Archived.
func (w *Workflows) SetRecurrence(
	ctx context.Context, key tickets.Key, plan *recurrence.Plan,
) (ticket tickets.Ticket, entry tickets.Activity, err error) {
	if _, err := mayChange(ctx, "tickets"); err != nil {
		return ticket, entry, err
	}
	err = w.onTicket(ctx, key, func(t lockedTicket) (err error) {
		ticket, entry, err = tickets.SetRecurrence(ctx, t.tx, t.Ticket, plan, t.by)
		return err
	})
	if err != nil {
		return tickets.Ticket{}, tickets.Activity{}, fmt.Errorf("set recurrence: %w", err)
	}
	return ticket, entry, nil
}

// following is the place of a new ticket in a recurrence.
type following struct {
	recurrence tickets.Recurrence
	before     tickets.Ticket
	next       recurrence.Next
}

// recurNew gives new tickets their places in recurrences.
func recurNew(ctx context.Context, tx *db.Tx, openings []*openRequest, opened []tickets.Ticket) error {
	for i, o := range openings {
		if o.follows == nil {
			continue
		}
		if err := tickets.Recur(ctx, tx, o.follows.recurrence, o.follows.before, opened[i], o.follows.next); err != nil {
			return err
		}
	}
	return nil
}

// WorkRecurrences opens the tickets of recurrences until ctx ends. Any number of servers may.
func (w *Workflows) WorkRecurrences(ctx context.Context) {
	wait.Every(ctx, recurEvery, func(ctx context.Context) {
		if _, err := w.OpenRecurring(ctx); err != nil && ctx.Err() == nil {
			w.log.Warn("open recurring tickets", "error", err)
		}
	})
}

// OpenRecurring does once what WorkRecurrences does, and returns how many tickets it opened.
func (w *Workflows) OpenRecurring(ctx context.Context) (opened int, err error) {
	list, err := tickets.DueRecurrences(ctx, w.db.Queries, w.db.Now(), recurAtOnce)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, due := range list {
		done, err := w.openDue(ctx, due)
		if err != nil {
			errs = append(errs, fmt.Errorf("of %s: %w", due.Ticket.Key, err))
		}
		if done {
			opened++
		}
	}
	return opened, errors.Join(errs...)
}

// openDue opens the next ticket of a recurrence with the rights that its owner has now, or pauses the recurrence. After
// an error it is tried again when the claim has ended.
func (w *Workflows) openDue(ctx context.Context, due tickets.DueRecurrence) (opened bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, recurFor/2)
	defer cancel()
	claimed, err := tickets.ClaimRecurrence(ctx, w.db, due, w.db.Now().Add(recurFor))
	if err != nil || !claimed {
		return false, err
	}
	err = w.openNext(ctx, due)
	why, paused := pauseFor(err)
	switch {
	case err == nil:
		return true, nil
	case paused:
		return false, w.pauseRecurrence(ctx, due, why)
	case errors.Is(err, tickets.ErrRecurred):
		return false, nil
	case errors.Is(err, errReopened):
		return false, tickets.PostponeRecurrence(ctx, w.db.Queries, due, nil)
	case errors.Is(err, errGone), errors.Is(err, boards.CodeArchived):
		later := w.db.Now().Add(recurAgain)
		return false, tickets.PostponeRecurrence(ctx, w.db.Queries, due, &later)
	}
	return false, err
}

// errReopened says that a ticket whose closing opens the next one is open again.
var errReopened = errors.New("the ticket is open again")

// errEnded says that a recurrence has no further date.
var errEnded = errors.New("there is no further date")

// pauseFor returns the state of a recurrence whose next ticket was not opened; paused is false if that may be tried again.
func pauseFor(err error) (why tickets.RecurrenceState, paused bool) {
	switch {
	case errors.Is(err, errEnded):
		return tickets.RecurrenceEnded, true
	case errors.Is(err, accounts.CodeNotMember), errors.Is(err, tickets.CodeNotFound), errors.Is(err, boards.CodeNotFound),
		errors.Is(err, accounts.CodeReadOnly):
		return tickets.RecurrenceRights, true
	case errors.Is(err, fault.Invalid):
		return tickets.RecurrenceRefused, true
	}
	return "", false
}

// errGone says that the latest ticket of a recurrence was deleted.
var errGone = errors.New("the ticket was deleted")

// openNext opens the next ticket of a recurrence that is due.
func (w *Workflows) openNext(ctx context.Context, due tickets.DueRecurrence) error {
	switch {
	case due.Ticket.Deleted():
		return errGone
	case due.Archived:
		return boards.Archived()
	}
	actor, err := accounts.InCompany(ctx, w.db.Queries, due.Slug, due.Owner)
	if err != nil {
		return err
	}
	ctx = accounts.WithActor(ctx, actor)
	before, err := tickets.ByKey(ctx, w.db.Queries, actor.Sight(), due.Ticket.Key)
	if err != nil {
		return err
	}
	if before.Recurrence == nil || before.Recurrence.ID != due.ID {
		return tickets.ErrRecurred
	}
	if err := mayWriteOn(actor, before.Grant); err != nil {
		return err
	}
	r := *before.Recurrence
	if r.Opens == recurrence.WhenClosed && !before.Closed() {
		return errReopened
	}
	next, ok := r.Next(w.db.Now())
	if !ok {
		return errEnded
	}
	draft, err := w.repeated(ctx, actor, before, r.Due(next.Date))
	if err != nil {
		return err
	}
	board, err := boards.BySlug(ctx, w.db.Queries, actor.Sight(), before.Key.Board)
	if err != nil {
		return err
	}
	if open, ok := board.FirstColumn(false); ok {
		draft.Column = open.ID
	}
	_, err = w.openTicket(ctx, actor, before.Key.Board, draft, nil, &following{recurrence: r, before: before, next: next})
	return err
}

// repeated is the draft of a ticket that is opened again, due on another date: with all items unchecked, and without
// those assignees who cannot be assigned any more.
func (w *Workflows) repeated(
	ctx context.Context, actor accounts.Actor, before tickets.Ticket, due tickets.Date,
) (tickets.Draft, error) {
	draft := tickets.Draft{Title: before.Title, Description: markup.UncheckAll(before.Description), FilesOf: &before.Key}
	draft.Properties = before.Properties.DueOn(due)
	for _, label := range before.Labels {
		draft.Labels = append(draft.Labels, label.Name)
	}
	var err error
	draft.Assignees, err = stillAssignable(ctx, w.db.Queries, actor.Sight(), before.Board, tickets.AccountsOf(before.Assignees))
	return draft, err
}

// pauseRecurrence has a recurrence open nothing any more. If its owner or what it opens is the reason, those who
// administer the board are notified.
func (w *Workflows) pauseRecurrence(ctx context.Context, due tickets.DueRecurrence, why tickets.RecurrenceState) error {
	return w.change(ctx, func(tx *db.Tx) error {
		locked, err := tickets.LockAny(ctx, tx, due.Ticket)
		if err != nil {
			return err
		}
		found, err := tickets.RecurrencesOf(ctx, tx.Queries, []id.Ticket{locked.ID})
		if err != nil {
			return err
		}
		r := found[locked.ID]
		if r == nil || r.ID != due.ID {
			return nil
		}
		paused, err := tickets.PauseRecurrence(ctx, tx, *r, locked, why)
		if err != nil || !paused || why != tickets.RecurrenceRights && why != tickets.RecurrenceRefused {
			return err
		}
		return tickets.NotifyAdmins(ctx, tx, due.Company, locked, r.Owner, tickets.ReasonPaused)
	})
}
