package pages

import (
	"testing"
	"time"
)

func TestCalendarSpan(t *testing.T) {
	t.Parallel()
	day := func(text string) time.Time { at, _ := time.Parse(time.DateOnly, text); return at }
	for _, c := range []struct {
		day      string
		week     bool
		from, to string
	}{
		{"2026-11-28", false, "2026-10-26", "2026-12-07"}, // begins on a Sunday
		{"2026-06-15", false, "2026-06-01", "2026-07-06"}, // on a Monday
		{"2027-02-28", false, "2027-02-01", "2027-03-01"}, // four weeks
		{"2028-02-29", false, "2028-01-31", "2028-03-06"},
		{"2026-12-31", false, "2026-11-30", "2027-01-04"},
		{"2026-11-29", true, "2026-11-23", "2026-11-30"}, // a Sunday
		{"2027-01-01", true, "2026-12-28", "2027-01-04"},
		{"2026-11-30", true, "2026-11-30", "2026-12-07"},
	} {
		span := CalendarSpan{Day: day(c.day), Week: c.week}
		if !span.From().Equal(day(c.from)) || !span.To().Equal(day(c.to)) {
			t.Errorf("%s, week %v: %s to %s", c.day, c.week, span.From(), span.To())
		}
	}
}

func TestCalendarSpan_other(t *testing.T) {
	t.Parallel()
	day := func(text string) time.Time { at, _ := time.Parse(time.DateOnly, text); return at }
	for _, c := range []struct {
		day, today, other string
		week              bool
	}{
		{"2026-11-01", "2026-11-28", "2026-11-28", false}, // the week of today
		{"2026-12-01", "2026-11-28", "2026-12-01", false},
		{"2026-11-25", "2026-11-28", "2026-11-25", true},
	} {
		got := CalendarSpan{Day: day(c.day), Week: c.week}.other(day(c.today))
		if !got.Day.Equal(day(c.other)) || got.Week == c.week {
			t.Errorf("%s on %s: %+v", c.day, c.today, got)
		}
	}
}
