package tickets

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
)

// Priority is how urgent a ticket is: the higher the more.
type Priority uint8

// The priorities.
const (
	NoPriority Priority = iota
	Low
	Medium
	High
	Urgent
)

// Priorities are all priorities, the lowest first.
var Priorities = []Priority{NoPriority, Low, Medium, High, Urgent}

var priorityNames = []string{"none", "low", "medium", "high", "urgent"}

// String returns none, low, medium, high or urgent.
func (p Priority) String() string { return priorityNames[p] }

// CodeBadPriority: the priority is none of none, low, medium, high and urgent. Send one of them.
const CodeBadPriority fault.Code = "Ticket.BadPriority"

// ParsePriority reads what String returns; "" is none. It returns BadPriority.
func ParsePriority(text string) (Priority, error) {
	if text == "" {
		return NoPriority, nil
	}
	n := slices.Index(priorityNames, text)
	if n < 0 {
		return NoPriority, fault.Invalid.New(CodeBadPriority, "priority",
			fmt.Sprintf("“%.40s” is no priority. Choose none, low, medium, high or urgent.", text))
	}
	return Priority(n), nil
}

// Properties are the priority and the dates of a ticket.
type Properties struct {
	Priority   Priority
	Start, Due Date
}

// CodeStartAfterDue: the start of a ticket is after its due date. Change one of them.
const CodeStartAfterDue fault.Code = "Ticket.StartAfterDue"

// Check returns StartAfterDue.
func (p Properties) Check() error {
	if p.Start.after(p.Due) {
		return fault.Invalid.New(CodeStartAfterDue, "start", "The start is after the due date. Change one of them.")
	}
	return nil
}

// PropertyEdit changes properties: a nil one stays as it is. Seen are those that the user saw; nil asks for no check.
type PropertyEdit struct {
	Priority   *Priority
	Start, Due *Date
	Seen       *Properties
}

// Empty reports whether the edit names no property.
func (e PropertyEdit) Empty() bool { return e.Priority == nil && e.Start == nil && e.Due == nil }

// apply returns properties after the edit, and what it changes of them.
func (e PropertyEdit) apply(p Properties) (_ Properties, detail Detail) {
	before := p
	if e.Priority != nil {
		p.Priority = *e.Priority
	}
	if e.Start != nil {
		p.Start = *e.Start
	}
	if e.Due != nil {
		p.Due = *e.Due
	}
	return p, before.changedTo(p)
}

// changedTo returns the differences between two states.
func (p Properties) changedTo(other Properties) (detail Detail) {
	if p.Priority != other.Priority {
		detail.Priority = &Change{Old: p.Priority.String(), New: other.Priority.String()}
	}
	detail.Start = change(p.Start.String(), other.Start.String())
	detail.Due = change(p.Due.String(), other.Due.String())
	return detail
}

// CodePropertiesChanged: a property was changed since it was seen. Look at “current”, then set it again if that is still
// wanted.
const CodePropertiesChanged fault.Code = "Ticket.PropertiesChanged"

// PropertiesChanged reports an edit of properties that someone else changed since they were seen.
type PropertiesChanged struct{ Current Ticket }

func (e PropertiesChanged) Error() string {
	return "Someone else changed this on " + e.Current.Key.String() +
		" in the meantime. Look at what it says now, then save again if needed."
}
func (e PropertiesChanged) Unwrap() error {
	return fault.Conflict.New(CodePropertiesChanged, "seen", e.Error())
}

// conflicts reports whether the edit changes a property that is neither as it was seen nor as wanted.
func (e PropertyEdit) conflicts(now Properties) bool {
	if e.Seen == nil {
		return false
	}
	return e.Priority != nil && now.Priority != e.Seen.Priority && now.Priority != *e.Priority ||
		e.Start != nil && now.Start.String() != e.Seen.Start.String() && now.Start.String() != e.Start.String() ||
		e.Due != nil && now.Due.String() != e.Seen.Due.String() && now.Due.String() != e.Due.String()
}

// SetProperties changes the properties of a locked ticket and records the change in its history; set is false if there
// was nothing to change. It returns PropertiesChanged or StartAfterDue.
func SetProperties(
	ctx context.Context, tx *db.Tx, ticket Ticket, edit PropertyEdit, by User,
) (_ Ticket, entry Activity, err error) {
	if edit.conflicts(ticket.Properties) {
		return Ticket{}, entry, PropertiesChanged{Current: ticket}
	}
	wanted, detail := edit.apply(ticket.Properties)
	if detail == (Detail{}) {
		return ticket, entry, nil
	}
	if err := wanted.Check(); err != nil {
		return Ticket{}, entry, err
	}
	if ticket, err = storeProperties(ctx, tx, ticket, wanted); err != nil {
		return Ticket{}, entry, err
	}
	entry = Activity{Kind: KindSet, By: by, At: tx.Now, Detail: detail}
	entry.ID, err = Record(ctx, tx, ticket.ID, by, KindSet, detail)
	return ticket, entry, err
}

func storeProperties(ctx context.Context, tx *db.Tx, ticket Ticket, p Properties) (Ticket, error) {
	n, err := tx.SetProperties(ctx, db.SetPropertiesParams{
		Priority: uint8(p.Priority), StartAt: p.Start.stored(), StartTimed: p.Start.Timed, DueAt: p.Due.stored(),
		DueTimed: p.Due.Timed, Now: tx.Now, ID: ticket.ID,
	})
	if err != nil {
		return Ticket{}, fmt.Errorf("set properties: %w", err)
	}
	if n != 1 {
		return Ticket{}, NotFound()
	}
	ticket.Properties, ticket.UpdatedAt = p, tx.Now
	return ticket, nil
}

// UndoSet reverts a change of properties, labels or the recurrence, each if it is still as the change left it, and records that. The
// caller holds the ticket's lock, and those of the labels that come back, of which live are. It returns UndoneBefore or
// ChangedSince.
func UndoSet(
	ctx context.Context, tx *db.Tx, ticket Ticket, action Action, live []labels.Label, by User,
) (_ Ticket, entry id.Activity, err error) {
	if err := MarkUndone(ctx, tx, ticket, action); err != nil {
		return Ticket{}, 0, err
	}
	old, stands, err := action.Detail.before(ticket.Properties)
	if err != nil {
		return Ticket{}, 0, err
	}
	if ticket.Deleted() || !stands {
		return Ticket{}, 0, ChangedSince(ticket, "changed", "")
	}
	undone := ticket.Properties.changedTo(old)
	if done := action.Detail.Labels; done != nil {
		if ticket, undone.Labels, stands, err = undoLabels(ctx, tx, ticket, *done, live); err != nil {
			return Ticket{}, 0, err
		}
		if !stands {
			return Ticket{}, 0, ChangedSince(ticket, "changed", "")
		}
	} else if done := action.Detail.Recurrence; done != nil {
		undone.Recurrence = &Change{Old: done.New, New: done.Old}
		if ticket, stands, err = undoRecurrence(ctx, tx, ticket, *done, by); err != nil {
			return Ticket{}, 0, err
		}
		if !stands {
			return Ticket{}, 0, ChangedSince(ticket, "changed", "")
		}
	} else if ticket, err = storeProperties(ctx, tx, ticket, old); err != nil {
		return Ticket{}, 0, err
	}
	undone.Undid = KindSet
	entry, err = Record(ctx, tx, ticket.ID, by, KindUndone, undone)
	return ticket, entry, err
}

// before returns the properties before a change that led to now. stands is false if they were changed again since.
func (d Detail) before(now Properties) (old Properties, stands bool, err error) {
	old, stands = now, true
	if c := d.Priority; c != nil {
		stands = stands && now.Priority.String() == c.New
		if old.Priority, err = ParsePriority(c.Old); err != nil {
			return old, false, fmt.Errorf("read history: %w", err)
		}
	}
	if c := d.Start; c != nil {
		stands = stands && now.Start.String() == c.New
		if old.Start, err = ParseDate("start", c.Old); err != nil {
			return old, false, fmt.Errorf("read history: %w", err)
		}
	}
	if c := d.Due; c != nil {
		stands = stands && now.Due.String() == c.New
		if old.Due, err = ParseDate("due", c.Old); err != nil {
			return old, false, fmt.Errorf("read history: %w", err)
		}
	}
	return old, stands, nil
}

func propertiesFrom(row db.Ticket) Properties {
	return Properties{Priority: PriorityFrom(row.Priority), Start: DateFrom(row.StartAt, row.StartTimed),
		Due: DateFrom(row.DueAt, row.DueTimed)}
}

// PriorityFrom returns a priority as it is stored. An unknown one is none; ops/verify reports it.
func PriorityFrom(n uint8) Priority {
	if int(n) >= len(priorityNames) {
		return NoPriority
	}
	return Priority(n)
}
