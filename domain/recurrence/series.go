package recurrence

import (
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Plan is what a user chooses: a rule, when the next one is opened, and the time zone of its dates.
type Plan struct {
	Rule  Rule
	Opens Opens
	Zone  string // such as Europe/Berlin
}

// ParsePlan reads the parts of a plan: BadRule, TooFine, BadOpens or BadZone.
func ParsePlan(rule, opens, zone string) (p Plan, err error) {
	if p.Rule, err = Parse(rule); err != nil {
		return p, err
	}
	if p.Opens, err = ParseOpens(opens); err != nil {
		return p, err
	}
	if _, err := location(zone); err != nil {
		return p, err
	}
	p.Zone = zone
	return p, nil
}

// String returns the plan as the history has it: ReadPlan reads it.
func (p Plan) String() string { return p.Rule.String() + " " + string(p.Opens) + " " + p.Zone }

// ReadPlan reads what String returns.
func ReadPlan(text string) (Plan, error) {
	parts := strings.SplitN(text, " ", 3)
	if len(parts) != 3 {
		return Plan{}, BadRule(text)
	}
	return ParsePlan(parts[0], parts[1], parts[2])
}

func location(zone string) (*time.Location, error) {
	if zone == "" || zone == "Local" || len(zone) > 64 {
		return nil, BadZone(zone)
	}
	at, err := time.LoadLocation(zone)
	if err != nil {
		return nil, BadZone(zone)
	}
	return at, nil
}

// Series are the dates of a plan from a first one on. Its dates are times of a clock in its zone, as if they were UTC.
type Series struct {
	Plan
	First time.Time
}

// Next is the date of a series that comes next.
type Next struct {
	Date    time.Time
	Skipped int // dates that have passed since the last one
}

// After returns the first date that is after last and has not come at now. ok is false if there is none: a series ends
// MaxYears after its first date.
func (s Series) After(last, now time.Time) (next Next, ok bool) {
	option := s.Rule.option
	option.Dtstart = s.First
	if end := s.First.AddDate(MaxYears, 0, 0); option.Until.IsZero() || option.Until.After(end) {
		option.Until = end
	}
	rule, err := rrule.NewRRule(option)
	if err != nil { // Parse had it checked
		return next, false
	}
	dates := rule.Iterator()
	for {
		date, more := dates()
		switch {
		case !more:
			return Next{}, false
		case !date.After(last):
		case s.At(date).After(now):
			next.Date = date
			return next, true
		default:
			next.Skipped++
		}
	}
}

// At returns the moment of a date. A time that a clock leaves out in spring is that an hour later.
func (s Series) At(date time.Time) time.Time {
	zone, err := location(s.Zone)
	if err != nil { // a zone that this server does not know any more
		zone = time.UTC
	}
	at := time.Date(date.Year(), date.Month(), date.Day(), date.Hour(), date.Minute(), date.Second(), 0, zone)
	return at.UTC()
}

// Clock returns the date of a moment: what a clock in the zone shows.
func (p Plan) Clock(at time.Time) time.Time {
	zone, err := location(p.Zone)
	if err != nil {
		zone = time.UTC
	}
	at = at.In(zone)
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
}
