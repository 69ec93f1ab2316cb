package workflows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// CalendarAddresses returns the caller's calendar addresses by their views.
func (w *Workflows) CalendarAddresses(ctx context.Context) (map[id.SavedView]savedviews.Address, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, err
	}
	return savedviews.Addresses(ctx, w.db.Queries, actor.Sight())
}

// OpenCalendarAddress makes the calendar address of a view, or of the caller's work, and returns its secret. The old one
// ends. It returns savedviews.NotFound or TooManyAddresses, and with once Replay.
func (w *Workflows) OpenCalendarAddress(
	ctx context.Context, view id.SavedView, once *Once[string],
) (secret string, err error) {
	actor, name, err := w.calendarNamed(ctx, view)
	if err != nil {
		return "", err
	}
	return DoOnce(ctx, w, once, func() (secret string, err error) {
		err = w.lockingMembers(ctx, actor, func(tx *db.Tx) error {
			if secret, err = savedviews.OpenAddress(ctx, tx, actor.Sight(), view); err != nil {
				return err
			}
			if err := audit(ctx, tx, actor, accounts.AuditCalendarMade, accounts.AuditDetail{Name: name}); err != nil {
				return err
			}
			return StoreResponses(ctx, tx, once.Row(tx, secret))
		})
		return secret, err
	})
}

// RevokeCalendarAddress ends the calendar address of a view, or of the caller's work, if it has one.
func (w *Workflows) RevokeCalendarAddress(ctx context.Context, view id.SavedView) error {
	actor, name, err := w.calendarNamed(ctx, view)
	if err != nil {
		return err
	}
	return w.lockingMembers(ctx, actor, func(tx *db.Tx) error {
		there, err := savedviews.RevokeAddress(ctx, tx, actor.Sight(), view)
		if err != nil || !there {
			return err
		}
		return audit(ctx, tx, actor, accounts.AuditCalendarRevoked, accounts.AuditDetail{Name: name})
	})
}

// myWork is the name of the calendar of a member's work.
const myWork = "My work"

// calendarNamed returns the caller and the name of a view that the caller sees, or savedviews.NotFound.
func (w *Workflows) calendarNamed(ctx context.Context, view id.SavedView) (accounts.Actor, string, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil || view == savedviews.OfWork {
		return actor, myWork, err
	}
	seen, err := savedviews.ByID(ctx, w.db.Queries, actor.Sight(), view)
	return actor, seen.Name, err
}

// DueDates are the tickets of a calendar address, by due date or by age. Problem is what is wrong with the query of its
// view, nil if nothing is.
type DueDates struct {
	Name    string
	Company accounts.Company
	List    []DueTicket
	Problem error
}

// DueTicket is a ticket with a due date.
type DueTicket struct {
	ID     tickets.ID
	Key    tickets.Key
	Title  string
	Column string // its name
	Due    tickets.Date
	Closed bool
}

// Which due dates a calendar address has.
const (
	dueSince = -31 // days from today
	dueUntil = 366
)

// DueDatesBy returns the due dates of a calendar address, as its member may see them now. It returns
// savedviews.UnknownAddress, also for who is no member any more, and for a view that the member does not see any more.
func (w *Workflows) DueDatesBy(ctx context.Context, secret string) (dates DueDates, err error) {
	to, err := savedviews.ByAddress(ctx, w.db.Queries, secret)
	if err != nil {
		return DueDates{}, err
	}
	actor, err := accounts.InCompany(ctx, w.db.Queries, to.Company, to.Account)
	if errors.Is(err, fault.NotFound) {
		err = savedviews.UnknownAddress()
	}
	if err != nil {
		return DueDates{}, err
	}
	ctx = accounts.WithActor(ctx, actor)
	if to.View == savedviews.OfWork {
		dates, err = w.dueWork(ctx, actor)
	} else {
		dates, err = w.dueInView(ctx, actor, to.View)
	}
	dates.Company = actor.Company
	if errors.Is(err, savedviews.CodeNotFound) {
		err = savedviews.UnknownAddress()
	}
	return dates, err
}

// dueWork are the due dates among the newest MaxOnCalendar tickets that the actor is assigned to.
func (w *Workflows) dueWork(ctx context.Context, actor accounts.Actor) (DueDates, error) {
	dates := DueDates{Name: myWork + " · " + actor.Company.Name}
	work, _, err := tickets.WorkOf(ctx, w.db.Queries, actor.Sight(), 0, MaxOnCalendar)
	if err != nil {
		return dates, fmt.Errorf("read work: %w", err)
	}
	for _, t := range work {
		if !t.Due.IsZero() {
			dates.List = append(dates.List, DueTicket{ID: t.ID, Key: t.Key, Title: t.Title, Column: t.Column, Due: t.Due})
		}
	}
	return dates, nil
}

func (w *Workflows) dueInView(ctx context.Context, actor accounts.Actor, view id.SavedView) (dates DueDates, err error) {
	seen, err := savedviews.ByID(ctx, w.db.Queries, actor.Sight(), view)
	if err != nil {
		return dates, err
	}
	dates.Name = seen.Name + " · " + cmp.Or(seen.BoardTitle, actor.Company.Name)
	board, err := w.boardOrAll(ctx, seen.Slug)
	if err != nil {
		return dates, err
	}
	filter, err := w.filter(ctx, board, BoardFilter{Query: seen.Query}, nil)
	if dates.Problem = query.Problem(err); err != nil {
		if dates.Problem != nil {
			err = nil
		}
		return dates, err
	}
	zone := zoneOf(actor)
	year, month, day := w.db.Now().In(zone).Date()
	today := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	due, _, err := tickets.DueWithin(ctx, w.db.Queries, scopeOf(ctx, board), filter, today.AddDate(0, 0, dueSince),
		today.AddDate(0, 0, dueUntil), zone, MaxOnCalendar)
	if err != nil {
		return dates, err
	}
	on, err := w.boardsOfTickets(ctx, board, due)
	for _, t := range due {
		column, _ := on[t.Board].Column(t.Column)
		dates.List = append(dates.List, DueTicket{ID: t.ID, Key: t.Key, Title: t.Title, Column: column.Name, Due: t.Due,
			Closed: t.Closed()})
	}
	return dates, err
}
