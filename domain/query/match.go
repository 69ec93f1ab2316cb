package query

import (
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// Ticket is what a Condition looks at. Dates of days are midnight in UTC.
type Ticket struct {
	Board       id.Board
	Column      id.Column // 0 if it is deleted
	Number      uint64
	Title       string
	Described   bool // it has a description
	Author      id.Account
	Assignees   []id.Account
	Labels      []id.Label
	Parent      id.Ticket // 0 for none that the reader sees
	Blocked     bool      // by an open ticket that the reader sees
	Request     bool
	Priority    uint8
	Start, Due  Date
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ClosedAt    *time.Time
	Attachments int
	Comments    int
	Items       int // of its checklists
}

// Date is a day or, if it is Timed, a moment; none if At is zero.
type Date struct {
	At    time.Time
	Timed bool
}

// Match reports whether a ticket meets the condition. fold makes two texts equal that the database's collation holds for
// equal.
func (c Condition) Match(t Ticket, fold func(string) string) bool {
	holds := func(part Condition) bool { return part.Match(t, fold) }
	switch c.Test {
	case All:
		return !slices.ContainsFunc(c.Parts, func(part Condition) bool { return !holds(part) })
	case AnyOf:
		return slices.ContainsFunc(c.Parts, holds)
	case NoneOf:
		return !slices.ContainsFunc(c.Parts, holds)
	case TitleHas:
		return strings.Contains(fold(t.Title), fold(c.Words))
	case NumberIs:
		return t.Number == c.Number
	case AssigneeIn:
		return hasOne(c.IDs, t.Assignees)
	case AuthorIn:
		return slices.Contains(c.IDs, uint64(t.Author))
	case LabelIn:
		return hasOne(c.IDs, t.Labels)
	case BoardIn:
		return slices.Contains(c.IDs, uint64(t.Board))
	case ColumnIn:
		return slices.Contains(c.IDs, uint64(t.Column))
	case ParentIn:
		return t.Parent != 0 && (len(c.IDs) == 0 || slices.Contains(c.IDs, uint64(t.Parent)))
	case IsClosed:
		return t.ClosedAt != nil
	case IsBlocked:
		return t.Blocked
	case IsRequest:
		return t.Request
	case IsOverdue:
		return t.ClosedAt == nil && c.Span.has(t.Due)
	case PriorityIn:
		return c.Low <= t.Priority && t.Priority <= c.High
	case StartIn:
		return c.Span.has(t.Start)
	case DueIn:
		return c.Span.has(t.Due)
	case CreatedIn:
		return c.Span.has(Date{t.CreatedAt, true})
	case UpdatedIn:
		return c.Span.has(Date{t.UpdatedAt, true})
	case ClosedIn:
		return t.ClosedAt != nil && c.Span.has(Date{*t.ClosedAt, true})
	case HasAttachment:
		return t.Attachments > 0
	case HasChecklist:
		return t.Items > 0
	case HasComment:
		return t.Comments > 0
	case HasDescription:
		return t.Described
	}
	return false
}

// hasOne reports whether one of the ids is in a list, or, if there are none, whether the list has any.
func hasOne[I ~uint64](ids []uint64, list []I) bool {
	if len(ids) == 0 {
		return len(list) > 0
	}
	return slices.ContainsFunc(list, func(one I) bool { return slices.Contains(ids, uint64(one)) })
}

// has reports whether a date is in the span.
func (s Span) has(d Date) bool {
	if d.At.IsZero() {
		return false
	}
	at := func(day *Day) time.Time {
		if d.Timed {
			return day.Begins
		}
		return day.Date
	}
	return (s.From == nil || !d.At.Before(at(s.From))) && (s.To == nil || d.At.Before(at(s.To)))
}
