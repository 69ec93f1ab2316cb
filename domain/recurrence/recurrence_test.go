package recurrence_test

import (
	"errors"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/recurrence"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"FREQ=DAILY": "FREQ=DAILY",
		" rrule:freq=weekly;interval=1;byday=mo,th ":       "FREQ=WEEKLY;BYDAY=MO,TH",
		"FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1":     "FREQ=MONTHLY;BYSETPOS=-1;BYMONTHDAY=28,29,30",
		"FREQ=MONTHLY;BYDAY=-1FR":                          "FREQ=MONTHLY;BYDAY=-1FR",
		"FREQ=DAILY;UNTIL=20271231":                        "FREQ=DAILY;UNTIL=20271231",
		"FREQ=DAILY;UNTIL=20271231T100000Z":                "FREQ=DAILY;UNTIL=20271231",
		"FREQ=YEARLY;INTERVAL=2;COUNT=3;BYMONTH=2;WKST=SU": "FREQ=YEARLY;INTERVAL=2;WKST=SU;COUNT=3;BYMONTH=2",
	} {
		rule, err := recurrence.Parse(text)
		if err != nil || rule.String() != want {
			t.Errorf("%s is read as %s, %v, not as %s", text, rule, err, want)
		}
		if again, err := recurrence.Parse(want); err != nil || again.String() != want {
			t.Errorf("%s is read as %s, %v", want, again, err)
		}
	}
	for text, code := range map[string]fault.Code{
		"": recurrence.CodeBadRule, "weekly": recurrence.CodeBadRule, "FREQ=": recurrence.CodeBadRule,
		"FREQ=FORTNIGHTLY":                    recurrence.CodeBadRule,
		"FREQ=DAILY;INTERVAL=0x10":            recurrence.CodeBadRule,
		"FREQ=DAILY;INTERVAL=1000":            recurrence.CodeBadRule,
		"FREQ=DAILY;INTERVAL=-1":              recurrence.CodeBadRule,
		"FREQ=DAILY;COUNT=3661":               recurrence.CodeBadRule,
		"FREQ=DAILY;COUNT=2;UNTIL=20270101":   recurrence.CodeBadRule,
		"FREQ=DAILY;BYEASTER=0":               recurrence.CodeBadRule,
		"FREQ=DAILY;BYMONTHDAY=77":            recurrence.CodeBadRule,
		"FREQ=DAILY;UNTIL=tomorrow":           recurrence.CodeBadRule,
		"FREQ=DAILY\nDTSTART:20260101T000000": recurrence.CodeBadRule,
		"FREQ=DAILY'; DROP TABLE ticket":      recurrence.CodeBadRule,
		"FREQ=DAILY;BYMONTHDAY=" + many(100):  recurrence.CodeBadRule,
		"FREQ=HOURLY":                         recurrence.CodeTooFine,
		"FREQ=SECONDLY;INTERVAL=1":            recurrence.CodeTooFine,
		"FREQ=DAILY;BYHOUR=1,2,3":             recurrence.CodeTooFine,
	} {
		if rule, err := recurrence.Parse(text); !errors.Is(err, code) {
			t.Errorf("%q is read as %s, %v, want %s", text, rule, err, code)
		}
	}
}

func many(n int) string {
	text := "1"
	for range n {
		text += ",1"
	}
	return text
}

func TestReadPlan(t *testing.T) {
	t.Parallel()
	plan, err := recurrence.ParsePlan("FREQ=WEEKLY", "closed", "Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := recurrence.ReadPlan(plan.String()); err != nil || again.String() != plan.String() {
		t.Errorf("%s is read as %s, %v", plan, again, err)
	}
	for text, code := range map[string]fault.Code{
		"": recurrence.CodeBadRule, "FREQ=DAILY due": recurrence.CodeBadRule,
		"FREQ=DAILY soon UTC":        recurrence.CodeBadOpens,
		"FREQ=DAILY due Mars/Base":   recurrence.CodeBadZone,
		"FREQ=DAILY due Local":       recurrence.CodeBadZone,
		"FREQ=DAILY due ../../hosts": recurrence.CodeBadZone,
	} {
		if plan, err := recurrence.ReadPlan(text); !errors.Is(err, code) {
			t.Errorf("%q is read as %s, %v, want %s", text, plan, err, code)
		}
	}
}

// TestAfter has the dates of series: each is the only one that is opened, however late.
func TestAfter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule, zone, first, last, now string
		want                         string // "" for none
		skipped                      int
	}{
		"the next day":                  {"FREQ=DAILY", "UTC", "2026-11-27 00:00", "2026-11-27 00:00", "2026-11-27 00:00", "2026-11-28 00:00", 0},
		"a server was down for a week":  {"FREQ=DAILY", "UTC", "2026-11-27 00:00", "2026-11-27 00:00", "2026-12-04 09:00", "2026-12-05 00:00", 7},
		"closed early":                  {"FREQ=WEEKLY", "UTC", "2026-11-27 00:00", "2026-11-27 00:00", "2026-11-20 00:00", "2026-12-04 00:00", 0},
		"closed before the next is due": {"FREQ=WEEKLY", "UTC", "2026-11-27 00:00", "2026-11-27 00:00", "2026-12-03 23:00", "2026-12-04 00:00", 0},
		"midnight is that of the zone":  {"FREQ=DAILY", "Pacific/Auckland", "2026-11-27 00:00", "2026-11-27 00:00", "2026-11-27 11:00", "2026-11-29 00:00", 1},
		// In Berlin clocks skip 02:00 to 03:00 on 29 March 2026, and show it twice on 25 October.
		"in spring, a time that there is not": {"FREQ=DAILY", "Europe/Berlin", "2026-03-28 02:30", "2026-03-28 02:30", "2026-03-28 01:30", "2026-03-29 02:30", 0},
		"the day after keeps its time":        {"FREQ=DAILY", "Europe/Berlin", "2026-03-28 02:30", "2026-03-29 02:30", "2026-03-29 01:31", "2026-03-30 02:30", 0},
		"in autumn, a time that is twice":     {"FREQ=DAILY", "Europe/Berlin", "2026-10-24 02:30", "2026-10-25 02:30", "2026-10-25 01:40", "2026-10-26 02:30", 0},
		"31 days":                             {"FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1", "UTC", "2026-01-31 00:00", "2026-01-31 00:00", "2026-01-31 00:00", "2026-02-28 00:00", 0},
		"a leap day":                          {"FREQ=YEARLY", "UTC", "2024-02-29 00:00", "2024-02-29 00:00", "2024-02-29 00:00", "2028-02-29 00:00", 0},
		"the end counts":                      {"FREQ=DAILY;UNTIL=20261128", "UTC", "2026-11-27 15:00", "2026-11-27 15:00", "2026-11-27 15:00", "2026-11-28 15:00", 0},
		"after the end":                       {"FREQ=DAILY;UNTIL=20261128", "UTC", "2026-11-27 15:00", "2026-11-28 15:00", "2026-11-28 15:00", "", 0},
		"all dates have passed":               {"FREQ=DAILY;COUNT=3", "UTC", "2026-11-27 00:00", "2026-11-27 00:00", "2026-12-27 00:00", "", 0},
		"the first date is counted":           {"FREQ=DAILY;COUNT=2", "UTC", "2026-11-27 00:00", "2026-11-28 00:00", "2026-11-28 00:00", "", 0},
		"a date that there never is":          {"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "UTC", "2026-11-27 00:00", "2026-11-27 00:00", "2026-11-27 00:00", "", 0},
		"ten years":                           {"FREQ=YEARLY", "UTC", "2026-11-27 00:00", "2035-11-27 00:00", "2035-11-27 00:00", "2036-11-27 00:00", 0},
		"more than ten years":                 {"FREQ=YEARLY", "UTC", "2026-11-27 00:00", "2036-11-27 00:00", "2036-11-27 00:00", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := recurrence.ParsePlan(c.rule, "due", c.zone)
			if err != nil {
				t.Fatal(err)
			}
			series := recurrence.Series{Plan: plan, First: at(t, c.first)}
			next, ok := series.After(at(t, c.last), at(t, c.now))
			got := ""
			if ok {
				got = next.Date.Format(clock)
			}
			if got != c.want || ok && next.Skipped != c.skipped {
				t.Errorf("the next date is %q, %d skipped; want %q, %d", got, next.Skipped, c.want, c.skipped)
			}
		})
	}
}

const clock = "2006-01-02 15:04"

func at(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(clock, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestAt has the moments of dates in a zone, and back.
func TestAt(t *testing.T) {
	t.Parallel()
	plan, err := recurrence.ParsePlan("FREQ=DAILY", "due", "Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	series := recurrence.Series{Plan: plan}
	for date, want := range map[string]string{
		"2026-07-01 10:00": "2026-07-01 08:00", "2026-12-01 10:00": "2026-12-01 09:00",
		"2026-03-29 02:30": "2026-03-29 01:30", // clocks show 03:30
		"2026-10-25 02:30": "2026-10-25 01:30", // the second of two
	} {
		if got := series.At(at(t, date)).Format(clock); got != want {
			t.Errorf("%s in Berlin is %s, want %s", date, got, want)
		}
	}
	if got := plan.Clock(at(t, "2026-07-01 08:00")).Format(clock); got != "2026-07-01 10:00" {
		t.Errorf("clocks in Berlin show %s", got)
	}
}

// TestParts makes the rules of parts, and reads them back.
func TestParts(t *testing.T) {
	t.Parallel()
	year := at(t, "2027-12-31 00:00")
	for want, c := range map[string]struct {
		parts recurrence.Parts
		first string
	}{
		"FREQ=DAILY": {recurrence.Parts{Every: 1, Unit: recurrence.Day}, "2026-11-27 00:00"},
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU": {recurrence.Parts{Every: 2, Unit: recurrence.Week,
			Days: []time.Weekday{time.Sunday, time.Monday}}, "2026-11-27 00:00"},
		"FREQ=WEEKLY;UNTIL=20271231":                         {recurrence.Parts{Every: 1, Unit: recurrence.Week, Until: year}, "2026-11-27 00:00"},
		"FREQ=MONTHLY;COUNT=12":                              {recurrence.Parts{Every: 1, Unit: recurrence.Month, Count: 12}, "2026-11-28 00:00"},
		"FREQ=MONTHLY;BYSETPOS=-1;BYMONTHDAY=28,29,30":       {recurrence.Parts{Every: 1, Unit: recurrence.Month}, "2026-11-30 10:00"},
		"FREQ=YEARLY":                                        {recurrence.Parts{Every: 1, Unit: recurrence.Year}, "2026-11-30 00:00"},
		"FREQ=YEARLY;BYSETPOS=-1;BYMONTH=2;BYMONTHDAY=28,29": {recurrence.Parts{Every: 1, Unit: recurrence.Year}, "2024-02-29 00:00"},
	} {
		rule, err := c.parts.Rule(at(t, c.first))
		if err != nil || rule.String() != want {
			t.Errorf("%+v is %s, %v, not %s", c.parts, rule, err, want)
			continue
		}
		parsed, err := recurrence.Parse(want)
		if err != nil || parsed.String() != want {
			t.Errorf("%s is read as %s, %v", want, parsed, err)
		}
		back, ok := parsed.Parts()
		if again, err := back.Rule(at(t, c.first)); !ok || err != nil || again.String() != want {
			t.Errorf("the parts of %s are %+v, %t", want, back, ok)
		}
	}
	for _, text := range []string{"FREQ=MONTHLY;BYDAY=-1FR", "FREQ=DAILY;BYMONTH=2", "FREQ=WEEKLY;WKST=SU", "FREQ=MONTHLY;BYMONTHDAY=5",
		"FREQ=WEEKLY;BYDAY=TH,MO"} {
		rule, err := recurrence.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if parts, ok := rule.Parts(); ok {
			t.Errorf("%s has the parts %+v", text, parts)
		}
	}
	_, err := recurrence.Parts{Every: 0, Unit: "eon", Count: 1}.Rule(year)
	for _, code := range []fault.Code{recurrence.CodeBadInterval, recurrence.CodeBadUnit, recurrence.CodeBadCount} {
		if !errors.Is(err, code) {
			t.Errorf("%v is not %s", err, code)
		}
	}
}

// TestShortMonths has a series on the last day of a month that the first one is too long for.
func TestShortMonths(t *testing.T) {
	t.Parallel()
	first := at(t, "2024-01-31 00:00")
	rule, err := recurrence.Parts{Every: 1, Unit: recurrence.Month}.Rule(first)
	if err != nil {
		t.Fatal(err)
	}
	series := recurrence.Series{Plan: recurrence.Plan{Rule: rule, Opens: recurrence.WhenDue, Zone: "UTC"}, First: first}
	date := first
	for _, want := range []string{"2024-02-29", "2024-03-31", "2024-04-30", "2024-05-31"} {
		next, ok := series.After(date, date)
		if got := next.Date.Format("2006-01-02"); !ok || got != want {
			t.Errorf("after %s comes %s, want %s", date, got, want)
		}
		date = next.Date
	}
}
