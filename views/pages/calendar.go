package pages

import (
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// CalendarProps is a month or a week of a board, or of all boards: its tickets by due date. Days are midnights in UTC, as those of
// tickets.Date.
type CalendarProps struct {
	Page    views.Page
	Board   boards.Board              // zero for all boards
	Boards  map[id.Board]boards.Board // of the tickets
	Filter  views.Filter
	Choices Choices
	Today   time.Time // now, in the zone of the reader
	Tickets []tickets.Ticket
	More    bool // there may be others
}

// CalendarSpan is what a calendar shows: a month, or the week of a day.
type CalendarSpan struct {
	Day  time.Time // any of its days
	Week bool
}

// inCell is how many tickets a day of a month shows.
const inCell = 5

// From is the first day, a Monday: a month begins with the rest of a week.
func (s CalendarSpan) From() time.Time {
	first := s.Day
	if !s.Week {
		first = time.Date(s.Day.Year(), s.Day.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	return first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
}

// To is the day after the last.
func (s CalendarSpan) To() time.Time {
	from := s.From()
	if s.Week {
		return from.AddDate(0, 0, 7)
	}
	next := time.Date(s.Day.Year(), s.Day.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	return next.AddDate(0, 0, (8-int(next.Weekday()))%7)
}

// weeks are the days, seven to a week.
func (s CalendarSpan) weeks() (weeks [][]time.Time) {
	for day := s.From(); day.Before(s.To()); day = day.AddDate(0, 0, 1) {
		if day.Weekday() == time.Monday {
			weeks = append(weeks, nil)
		}
		weeks[len(weeks)-1] = append(weeks[len(weeks)-1], day)
	}
	return weeks
}

// further is the span some months or weeks later.
func (s CalendarSpan) further(n int) CalendarSpan {
	if s.Week {
		return CalendarSpan{s.Day.AddDate(0, 0, 7*n), true}
	}
	return CalendarSpan{time.Date(s.Day.Year(), s.Day.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC), false}
}

// other is the month of a week, or a week of a month: that of today if it is in it, or else the first.
func (s CalendarSpan) other(today time.Time) CalendarSpan {
	if !s.Week && today.Year() == s.Day.Year() && today.Month() == s.Day.Month() {
		return CalendarSpan{today, true}
	}
	return CalendarSpan{s.Day, !s.Week}
}

// value is the span in an address.
func (s CalendarSpan) value() string {
	if s.Week {
		return s.Day.Format(time.DateOnly)
	}
	return s.Day.Format("2006-01")
}

// In returns a path with the span as its query.
func (s CalendarSpan) In(path string) string { return path + "?" + s.unit() + "=" + s.value() }

// title is the name of the span.
func (s CalendarSpan) title() string {
	if !s.Week {
		return s.Day.Format("January 2006")
	}
	from, last := s.From(), s.To().AddDate(0, 0, -1)
	switch {
	case from.Year() != last.Year():
		return from.Format("2 January 2006") + " – " + last.Format("2 January 2006")
	case from.Month() != last.Month():
		return from.Format("2 January") + " – " + last.Format("2 January 2006")
	}
	return strconv.Itoa(from.Day()) + " – " + last.Format("2 January 2006")
}

// unit is what the arrows go on by, and the name of the span in an address.
func (s CalendarSpan) unit() string {
	if s.Week {
		return "week"
	}
	return "month"
}

// path is the address of a span with the filter.
func (props CalendarProps) path(s CalendarSpan) string {
	return props.Filter.In(s.In(views.BoardCalendarPath(props.Page.Actor.Company.Slug, props.Board.Slug)))
}

// writes reports whether the user may change the dates of a ticket.
func (props CalendarProps) writes(t tickets.Ticket) bool {
	return props.Page.Writes(props.Boards[t.Board])
}

// today is the day of the reader.
func (props CalendarProps) today() time.Time { return dayOf(props.Today) }

func dayOf(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
}

// byDay are the tickets of each day.
func (props CalendarProps) byDay() map[time.Time][]tickets.Ticket {
	days := map[time.Time][]tickets.Ticket{}
	for _, t := range props.Tickets {
		day := dayOf(t.Due.In(props.Today.Location()))
		days[day] = append(days[day], t)
	}
	return days
}

// shown are the tickets of a day that it has room for, and how many are left.
func (s CalendarSpan) shown(due []tickets.Ticket) (shown []tickets.Ticket, more int) {
	if n := len(due); !s.Week && n > inCell+1 { // "1 more" takes the room of one more
		return due[:inCell], n - inCell
	}
	return due, 0
}

// listOf is the list of the tickets that are due on a day.
func (props CalendarProps) listOf(day time.Time) string {
	term := query.NodeText(query.Term{Field: query.Due, Value: day.Format(time.DateOnly)})
	f := views.Filter{Query: props.Filter.And(term)}
	return f.In(views.BoardListPath(props.Page.Actor.Company.Slug, props.Board.Slug))
}

// outside reports whether a day is of another month.
func (props CalendarProps) outside(day time.Time) bool {
	return !props.Choices.Span.Week && day.Month() != props.Choices.Span.Day.Month()
}

// clock is the time of day at which a ticket is due, "" for a day.
func (props CalendarProps) clock(t tickets.Ticket) string {
	if !t.Due.Timed {
		return ""
	}
	return t.Due.In(props.Today.Location()).Format("15:04")
}

// state is the class of a ticket on a calendar.
func (props CalendarProps) state(t tickets.Ticket) string {
	switch {
	case t.ClosedAt != nil:
		return "closed"
	case t.Due.Over(props.Today):
		return "over"
	}
	return ""
}

// dayClass is what a day is: outside the month, or free of tickets.
func dayClass(props CalendarProps, day time.Time, due int) string {
	var classes []string
	if props.outside(day) {
		classes = append(classes, "outside")
	}
	if due == 0 {
		classes = append(classes, "free")
	}
	return strings.Join(classes, " ")
}
