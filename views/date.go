package views

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// english reports whether dates are written in English: in another language pages write them in digits.
func english(d accounts.Display) bool { return d.Dates == "" || strings.HasPrefix(d.Dates, "en") }

// LocalTime returns a time in the zone of a user, or in UTC if that is not known.
func LocalTime(at time.Time, d accounts.Display) time.Time {
	location, ok := accounts.Location(d.TimeZone)
	if !ok {
		location = time.UTC
	}
	return at.In(location)
}

// dateText is a date in the zone of now: 4 Dec, with its year if that is another, and its time.
func dateText(d tickets.Date, now time.Time, display accounts.Display) string {
	at := d.In(now.Location())
	layout := "2 Jan"
	switch {
	case !english(display):
		layout = "2006-01-02"
	case at.Year() != now.Year():
		layout = "2 Jan 2006"
	}
	if d.Timed {
		layout += ", 15:04"
	}
	return at.Format(layout)
}

// DueSoon is how a due date comes near.
type DueSoon string

const (
	DueLater DueSoon = ""
	DueNear  DueSoon = "near" // today or tomorrow
	DueOver  DueSoon = "over"
)

// dueWords say when an open ticket is due, for one that is closed when it was.
func dueWords(d tickets.Date, closed bool, now time.Time, display accounts.Display) (words string, soon DueSoon) {
	days := d.Days(now)
	clock := ""
	if d.Timed {
		clock = " " + d.In(now.Location()).Format("15:04")
	}
	switch {
	case closed:
		return "Due " + dateText(d, now, display), DueLater
	case d.Over(now) && days == 0:
		return "Overdue since" + clock, DueOver
	case d.Over(now):
		return "Overdue, " + dateText(d, now, display), DueOver
	case days == 0:
		return "Due today" + clock, DueNear
	case days == 1:
		return "Due tomorrow" + clock, DueNear
	case days < 7:
		return fmt.Sprintf("Due %s%s", d.In(now.Location()).Weekday(), clock), DueLater
	}
	return "Due " + dateText(d, now, display), DueLater
}

func dueFrom(ctx context.Context, d tickets.Date, closed bool) (words string, soon DueSoon) {
	return dueWords(d, closed, nowFrom(ctx), displayFrom(ctx))
}

// DateText is a date as the reader of a page has it.
func DateText(ctx context.Context, d tickets.Date) string {
	return dateText(d, nowFrom(ctx), displayFrom(ctx))
}

// DateInput is a date as a field has it, which ParseTypedDate reads: 2026-12-04, or 2026-12-04 15:00 in the zone of now.
func DateInput(d tickets.Date, now time.Time) string {
	switch {
	case d.IsZero():
		return ""
	case d.Timed:
		return d.In(now.Location()).Format("2006-01-02 15:04")
	}
	return d.String()
}

// PriorityText is the name of a priority on pages.
func PriorityText(p tickets.Priority) string {
	if p == tickets.NoPriority {
		return "None"
	}
	name := p.String()
	return strings.ToUpper(name[:1]) + name[1:]
}
