package query

import (
	"regexp"
	"strconv"
	"time"
)

// Day is a day for the reader: Date is its midnight in UTC, as days are stored, and Begins the moment in which it begins
// in the zone of the reader.
type Day struct{ Date, Begins time.Time }

// Span are the days from From on and before To; nil is no end.
type Span struct{ From, To *Day }

var (
	duration = regexp.MustCompile(`^(-?\d{1,4})(d|w|m|y)$`)
	oneDay   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	named    = map[string]int{"yesterday": -1, "today": 0, "tomorrow": 1}
)

func isDay(text string) bool {
	_, ok := dayOf(text, time.Unix(0, 0).UTC(), false)
	return ok
}

// dayOf returns the day of a text: a name, a date or a duration, which is counted back for an age.
func dayOf(text string, now time.Time, past bool) (time.Time, bool) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	if days, ok := named[text]; ok {
		return today.AddDate(0, 0, days), true
	}
	if oneDay.MatchString(text) {
		at, err := time.Parse(time.DateOnly, text)
		return at, err == nil && at.Year() >= 1000
	}
	parts := duration.FindStringSubmatch(text)
	if parts == nil {
		return time.Time{}, false
	}
	n, _ := strconv.Atoi(parts[1]) // at most four digits
	if past {
		n = -n
	}
	switch parts[2] {
	case "w":
		today = today.AddDate(0, 0, 7*n)
	case "m":
		today = today.AddDate(0, n, 0)
	case "y":
		today = today.AddDate(n, 0, 0)
	default:
		today = today.AddDate(0, 0, n)
	}
	return today, today.Year() >= 1000 && today.Year() < 9000 // whatever the year is
}

func isDuration(text string) bool { return duration.MatchString(text) }

// mirrored are the comparisons of an age as those of its day: younger than a week is after the day a week ago.
var mirrored = map[Op]Op{Less: More, More: Less, AtMost: AtLeast, AtLeast: AtMost}

// span returns the days of a term. A duration alone is within it: due:7d is today and the seven days after it and before.
func (t Term) span(now time.Time) Span {
	past := fields[t.Field].past
	at := func(text string, plus int) *Day {
		day, _ := dayOf(text, now, past) // it was checked
		return newDay(day.AddDate(0, 0, plus), now.Location())
	}
	op := t.Op
	switch {
	case op == Range && past && isDuration(t.Value) && isDuration(t.To): // from the older to the younger
		from, to := at(t.Value, 0), at(t.To, 0)
		if from.Date.After(to.Date) {
			from, to = to, from
		}
		return Span{from, newDay(to.Date.AddDate(0, 0, 1), now.Location())}
	case op == Range:
		return Span{at(t.Value, 0), at(t.To, 1)}
	case op == Equal && isDuration(t.Value):
		op = AtMost
	}
	if other, ok := mirrored[op]; ok && past && isDuration(t.Value) {
		op = other
	}
	switch op {
	case Less:
		return Span{To: at(t.Value, 0)}
	case AtMost:
		return Span{To: at(t.Value, 1)}
	case More:
		return Span{From: at(t.Value, 1)}
	case AtLeast:
		return Span{From: at(t.Value, 0)}
	}
	return Span{at(t.Value, 0), at(t.Value, 1)}
}

func newDay(day time.Time, zone *time.Location) *Day {
	return &Day{Date: day, Begins: time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone).UTC()}
}
