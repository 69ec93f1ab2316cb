package db

// The conditions of domain/query as SQL: sqlc cannot write statements whose WHERE is put together. Values are bound.

import (
	"strings"
	"time"
)

// TicketCondition is a condition on a row t of ticket: either true or false, never unknown, so that it can be negated.
// The zero one holds for every ticket.
//
// What is looked up in other tables is counted and no EXISTS, because the servers make a join of that, and may begin
// with it.
type TicketCondition struct {
	text string
	args []any
}

// IsZero reports whether the condition holds for every ticket.
func (c TicketCondition) IsZero() bool { return c.text == "" }

// and returns the condition as the end of a WHERE.
func (c TicketCondition) and() string {
	if c.text == "" {
		return ""
	}
	return " AND " + c.text
}

func condition(text string, args ...any) TicketCondition { return TicketCondition{text, args} }

// TicketsWithAll is the condition that all parts hold.
func TicketsWithAll(parts ...TicketCondition) TicketCondition { return joined(parts, " AND ", "TRUE") }

// TicketsWithAny is the condition that one of the parts holds.
func TicketsWithAny(parts ...TicketCondition) TicketCondition { return joined(parts, " OR ", "FALSE") }

// TicketsWithNone is the condition that none of the parts holds.
func TicketsWithNone(parts ...TicketCondition) TicketCondition {
	c := TicketsWithAny(parts...)
	c.text = "NOT " + c.text
	return c
}

func joined(parts []TicketCondition, between, empty string) TicketCondition {
	if len(parts) == 0 {
		return condition("(" + empty + ")")
	}
	var c TicketCondition
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.text
		if part.IsZero() {
			texts[i] = "TRUE"
		}
		c.args = append(c.args, part.args...)
	}
	c.text = "(" + strings.Join(texts, between) + ")"
	return c
}

// TicketsTitled is the condition that the title has a text in it, in any case and with any accents.
func TicketsTitled(text string) TicketCondition {
	return condition("t.title LIKE ? ESCAPE '!'", containsPattern(text))
}

// TicketsNumbered is the condition of a number on the board.
func TicketsNumbered(number uint64) TicketCondition { return condition("t.local_id = ?", number) }

// TicketColumn is a column of ticket that a condition is about.
type TicketColumn string

// Columns of ids, of counts and of times.
const (
	TicketAuthor      TicketColumn = "t.created_by"
	TicketBoard       TicketColumn = "t.board_id"
	TicketColumnID    TicketColumn = "t.column_id"
	TicketAttachments TicketColumn = "t.attachments"
	TicketComments    TicketColumn = "t.comments"
	TicketItems       TicketColumn = "t.items"
	TicketStart       TicketColumn = "t.start"
	TicketDue         TicketColumn = "t.due"
	TicketCreated     TicketColumn = "t.created_at"
	TicketUpdated     TicketColumn = "t.updated_at"
	TicketClosed      TicketColumn = "t.closed_at"
)

// TicketsIn is the condition that a column has one of some ids.
func TicketsIn(column TicketColumn, ids []uint64) TicketCondition {
	return condition("COALESCE("+string(column)+", 0) IN "+listOf(ids), anys(ids)...)
}

// TicketsCounting is the condition that a count is not 0. One that was never made is.
func TicketsCounting(column TicketColumn) TicketCondition {
	return condition("COALESCE(" + string(column) + ", 0) > 0")
}

// listOf is a list for IN with places for ids. 0 is the id of nothing.
func listOf(ids []uint64) string { return "(0" + strings.Repeat(", ?", len(ids)) + ")" }

// TicketsAssigned is the condition that one of some accounts is assigned, or anyone if there are none.
func TicketsAssigned(accounts []uint64) TicketCondition {
	return counted("FROM assignee a WHERE a.ticket_id = t.id", "a.account_id", accounts)
}

// TicketsLabelled is the condition that a ticket has one of some labels, or any if there are none.
func TicketsLabelled(labels []uint64) TicketCondition {
	if len(labels) > 0 {
		return counted("FROM ticket_label y WHERE y.ticket_id = t.id", "y.label_id", labels)
	}
	return counted("FROM ticket_label y STRAIGHT_JOIN label l ON l.id = y.label_id STRAIGHT_JOIN label h ON h.id = IF(l.shown_as = 0, l.id, l.shown_as) WHERE y.ticket_id = t.id AND h.live = TRUE", "", nil)
}

// counted is the condition that a statement has a row: with one of some ids in a column, if there are any.
func counted(from, column string, ids []uint64, args ...any) TicketCondition {
	if len(ids) > 0 {
		from += " AND " + column + " IN " + listOf(ids)
		args = append(args, anys(ids)...)
	}
	return condition("(SELECT COUNT(*) "+from+") > 0", args...)
}

// related are the tickets in sight that are not deleted and have a relation to t.
const related = `FROM ticket_relation r STRAIGHT_JOIN ticket o ON o.id = r.other_id STRAIGHT_JOIN board ob ON ob.id = o.board_id
LEFT JOIN board_access ox ON ox.board_id = ob.id AND ox.account_id = ?
WHERE r.ticket_id = t.id AND o.deleted_at IS NULL AND (ox.level IS NOT NULL OR ob.privacy <= ?)`

// TicketsBelow is the condition that the parent is one of some tickets in sight, or any in sight if there are none.
func TicketsBelow(by Sight, parents []uint64) TicketCondition {
	return counted(related+" AND r.kind = 1", "r.other_id", parents, uint64(by.Reader), by.Reach)
}

// TicketsBlocked is the condition that an open ticket in sight blocks it.
func TicketsBlocked(by Sight) TicketCondition {
	return counted(related+" AND r.kind = 3 AND o.closed_at IS NULL", "", nil, uint64(by.Reader), by.Reach)
}

// TicketsThatAreClosed is the condition that a ticket is closed.
func TicketsThatAreClosed() TicketCondition { return condition("t.closed_at IS NOT NULL") }

// TicketsFromRequesters is the condition that a ticket came by a public form.
func TicketsFromRequesters() TicketCondition { return condition("t.from_requester = TRUE") }

// TicketsDescribed is the condition that a ticket has a description.
func TicketsDescribed() TicketCondition { return condition("t.description <> ''") }

// TicketsOfPriority is the condition of a priority from low to high.
func TicketsOfPriority(low, high uint8) TicketCondition {
	return condition("t.priority BETWEEN ? AND ?", low, high)
}

// DayBound is where a span of days begins or ends: the midnight of the day in UTC, for days, and the moment in which it
// begins for the reader.
type DayBound struct{ Day, Moment time.Time }

// TicketsWithin is the condition that a time is known and from one bound on, before another; nil is no bound.
func TicketsWithin(column TicketColumn, from, to *DayBound) TicketCondition {
	name, timed := string(column), ""
	if column == TicketStart || column == TicketDue {
		name, timed = name+"_at", name+"_timed"
	}
	c := condition("(" + name + " IS NOT NULL")
	bound := func(sign string, at *DayBound) {
		switch {
		case at == nil:
		case timed == "":
			c.text += " AND " + name + sign + "?"
			c.args = append(c.args, at.Moment)
		default:
			c.text += " AND (" + timed + " AND " + name + sign + "? OR NOT " + timed + " AND " + name + sign + "?)"
			c.args = append(c.args, at.Moment, at.Day)
		}
	}
	bound(" >= ", from)
	bound(" < ", to)
	c.text += ")"
	return c
}
