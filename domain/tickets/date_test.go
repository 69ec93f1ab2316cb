package tickets_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// thursday is 26 November 2026, 14:30 in Berlin.
func thursday(t testing.TB) time.Time {
	berlin := domaintest.OK(time.LoadLocation("Europe/Berlin"))(t)
	return time.Date(2026, 11, 26, 14, 30, 0, 0, berlin)
}

func TestParseTypedDate(t *testing.T) {
	t.Parallel()
	now := thursday(t)
	for typed, want := range map[string]string{
		"": "", " none ": "", "-": "",
		"today": "2026-11-26", "Tomorrow": "2026-11-27", "yesterday": "2026-11-25",
		"fri": "2026-11-27", "Friday": "2026-11-27", "thu": "2026-12-03", "wednes": "2026-12-02",
		"next week": "2026-11-30", "next month": "2026-12-01",
		"in 2w": "2026-12-10", "2w": "2026-12-10", "+3d": "2026-11-29", "in 3 days": "2026-11-29", "in a week": "2026-12-03",
		"in 1 month": "2026-12-26", "3 mo": "2027-02-26", "in a year": "2027-11-26", "0d": "2026-11-26",
		"12 dec": "2026-12-12", "12 December": "2026-12-12", "dec 12": "2026-12-12", "12. dec": "2026-12-12",
		"12th of dec": "2026-12-12", "dec 12, 2027": "2027-12-12", "12dec": "2026-12-12",
		"26 nov": "2026-11-26", "25 nov": "2027-11-25", "29 feb": "2028-02-29", "1 jan": "2027-01-01",
		"2026-12-04": "2026-12-04", "2026-1-4": "2026-01-04",
		"2026-12-04 15:00": "2026-12-04T14:00:00Z", "2026-12-04T15:00": "2026-12-04T14:00:00Z",
		"2026-12-04T15:00:00Z": "2026-12-04T15:00:00Z", "2026-12-04T15:00:00+05:30": "2026-12-04T09:30:00Z",
		"tomorrow 15:00": "2026-11-27T14:00:00Z", "fri at 3pm": "2026-11-27T14:00:00Z", "fri, 3:05 pm": "2026-11-27T14:05:00Z",
		"12 dec 12am": "2026-12-11T23:00:00Z", "12 dec 12pm": "2026-12-12T11:00:00Z",
		"15:00": "2026-11-26T14:00:00Z", "14:30": "2026-11-27T13:30:00Z", "9am": "2026-11-27T08:00:00Z",
		"12 july 15:00": "2027-07-12T13:00:00Z", // in summer
	} {
		if got, err := tickets.ParseTypedDate("due", typed, now); got.String() != want || err != nil {
			t.Errorf("%q is %s, not %s: %v", typed, got, want, err)
		}
	}
	for _, typed := range []string{
		"3/12", "3/12/2026", "3.12.2026", "31 nov", "30 feb", "0 dec", "32 dec", "2026-13-01", "2026-02-30", "soon", "de",
		"2 m", "25:00", "13pm", "0pm", "friday friday", "12 dec 99", "in -2w", "<script>", "'; DROP TABLE ticket", "\xff\xfe",
		"٣ dec", strings.Repeat("9", 50) + "d", strings.Repeat("a", 5000), "99999d",
	} {
		if got, err := tickets.ParseTypedDate("due", typed, now); !errors.Is(err, tickets.CodeBadDate) {
			t.Errorf("%q is %s: %v", typed, got, err)
		}
	}
	for _, typed := range []string{"1969-12-31", "2200-01-01", "9999y", "12 dec 9999", "0001-01-01"} {
		if got, err := tickets.ParseTypedDate("due", typed, now); !errors.Is(err, tickets.CodeDateOutOfRange) {
			t.Errorf("%q is %s: %v", typed, got, err)
		}
	}
	t.Run("the end of a shorter month is its last day", func(t *testing.T) {
		end := time.Date(2027, 1, 31, 9, 0, 0, 0, time.UTC)
		for typed, want := range map[string]string{"in 1 month": "2027-02-28", "3 months": "2027-04-30", "13 months": "2028-02-29"} {
			if got := domaintest.OK(tickets.ParseTypedDate("due", typed, end))(t); got.String() != want {
				t.Errorf("%q is %s, not %s", typed, got, want)
			}
		}
	})
}

func TestDate(t *testing.T) {
	t.Parallel()
	t.Run("what is written is read again", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			d := anyDate(t)
			if again, err := tickets.ParseDate("due", d.String()); again != d || err != nil {
				t.Fatalf("%s is read as %s: %v", d, again, err)
			}
			if typed, err := tickets.ParseTypedDate("due", d.String(), time.Unix(0, 0)); typed != d || err != nil {
				t.Fatalf("%s is read as %s when typed: %v", d, typed, err)
			}
		})
	})
	t.Run("a day is over where it ended, a moment everywhere", func(t *testing.T) {
		t.Parallel()
		day, moment := tickets.Day(2026, 12, 4), tickets.Moment(time.Date(2026, 12, 4, 12, 0, 0, 0, time.UTC))
		for _, name := range []string{"UTC", "Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kathmandu"} {
			zone := domaintest.OK(time.LoadLocation(name))(t)
			last := time.Date(2026, 12, 4, 23, 59, 59, 0, zone)
			next := last.Add(time.Second)
			if day.Over(last) || !day.Over(next) || day.Days(last) != 0 || day.Days(next) != -1 {
				t.Errorf("in %s the day is over at %v: %t, at %v: %t", name, last, day.Over(last), next, day.Over(next))
			}
			if at := moment.At.In(zone); moment.Over(at) || !moment.Over(at.Add(1)) {
				t.Errorf("in %s the moment is not over right behind it", name)
			}
		}
	})
	t.Run("days are counted over a change of the clocks", func(t *testing.T) {
		t.Parallel()
		zone := domaintest.OK(time.LoadLocation("Europe/Berlin"))(t)
		for _, now := range []time.Time{time.Date(2026, 3, 28, 23, 30, 0, 0, zone), time.Date(2026, 3, 29, 1, 30, 0, 0, zone)} {
			if got, want := tickets.Day(2026, 3, 30).Days(now), 30-now.Day(); got != want {
				t.Errorf("from %v to 30 March are %d days, not %d", now, got, want)
			}
		}
	})
	t.Run("a start is not after the due date", func(t *testing.T) {
		t.Parallel()
		at := time.Date(2026, 12, 4, 12, 0, 0, 0, time.UTC)
		fourth, fifth := tickets.Day(2026, 12, 4), tickets.Day(2026, 12, 5)
		for _, c := range []struct {
			start, due tickets.Date
			bad        bool
		}{
			{fourth, fourth, false}, {fourth, fifth, false}, {fifth, fourth, true}, {tickets.Date{}, fourth, false},
			{fifth, tickets.Date{}, false}, {tickets.Moment(at), tickets.Moment(at), false},
			{tickets.Moment(at.Add(time.Minute)), tickets.Moment(at), true},
			{tickets.Moment(at.Add(20 * time.Hour)), fourth, false}, // it is the fourth somewhere
			{tickets.Moment(at.AddDate(0, 0, 3)), fourth, true}, {tickets.Day(2026, 12, 7), tickets.Moment(at), true},
		} {
			err := tickets.Properties{Start: c.start, Due: c.due}.Check()
			if got := errors.Is(err, tickets.CodeStartAfterDue); got != c.bad || err != nil && !c.bad {
				t.Errorf("%s to %s: %v", c.start, c.due, err)
			}
		}
	})
}

func anyDate(t *rapid.T) tickets.Date {
	at := time.Unix(rapid.Int64Range(0, 7_000_000_000).Draw(t, "second"), 0).UTC()
	if rapid.Bool().Draw(t, "timed") {
		return tickets.Moment(at)
	}
	return tickets.Day(at.Date())
}

func FuzzParseTypedDate(f *testing.F) {
	for _, seed := range []string{"fri", "in 2w", "12 dec 3pm", "2026-12-04T15:00:00Z", "9999y", "\xff"} {
		f.Add(seed)
	}
	now := thursday(f)
	f.Fuzz(func(t *testing.T, typed string) {
		d, err := tickets.ParseTypedDate("due", typed, now)
		if err != nil {
			return
		}
		if again, err := tickets.ParseDate("due", d.String()); again != d || err != nil {
			t.Errorf("%q is %s, which is read as %s: %v", typed, d, again, err)
		}
	})
}
