// Package recurrence says when something happens again: rules, which are RRULEs of RFC 5545 without times of day, and
// series, which follow a rule from a first date on in a time zone.
package recurrence

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/counterfoil/counterfoil/domain/fault"
)

const (
	// MaxRule is how many characters a rule has.
	MaxRule = 200
	// MaxYears is how long a series goes on after its first date.
	MaxYears = 10
	// MaxInterval is how many days, weeks, months or years a rule leaves between its dates.
	MaxInterval = 999
	// MaxCount is how many dates a rule that counts them has: ten years of days.
	MaxCount = 3660
)

// Rule says on which days something happens again. Make one with Parse.
type Rule struct{ option rrule.ROption }

// ruleText is what a rule is written with. rrule-go reads more: lines, and other properties of calendars.
var ruleText = regexp.MustCompile(`^[A-Z0-9=;,+-]{1,200}$`)

// Parse reads an RRULE such as FREQ=WEEKLY;BYDAY=MO,TH. It returns BadRule, or TooFine for one with times of day.
func Parse(text string) (Rule, error) {
	text = strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text)), "RRULE:")
	if !ruleText.MatchString(text) {
		return Rule{}, BadRule(text)
	}
	option, err := rrule.StrToROption(text)
	if err != nil {
		return Rule{}, BadRule(text)
	}
	o := *option
	if o.Freq > rrule.DAILY || len(o.Byhour)+len(o.Byminute)+len(o.Bysecond) > 0 {
		return Rule{}, TooFine()
	}
	if !o.Until.IsZero() {
		o.Until = endOf(o.Until)
	}
	if o.Interval < 0 || o.Interval > MaxInterval || o.Count < 0 || o.Count > MaxCount || o.Count > 0 && !o.Until.IsZero() {
		return Rule{}, BadRule(text)
	}
	if _, err := rrule.NewRRule(o); err != nil || len(o.Byeaster) > 0 {
		return Rule{}, BadRule(text)
	}
	rule := Rule{option: o}
	if len(rule.String()) > MaxRule {
		return Rule{}, BadRule(text)
	}
	return rule, nil
}

// endOf is the last second of a day, so that the end of a rule is a day and not a time.
func endOf(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), 23, 59, 59, 0, time.UTC)
}

// String returns the rule as Parse reads it, in one way for each rule.
func (r Rule) String() string {
	o := r.option
	if o.Interval == 1 {
		o.Interval = 0
	}
	return strings.Replace(o.RRuleString(), "T235959Z", "", 1)
}

// Opens says when the next one is opened.
type Opens string

// The times at which the next one is opened.
const (
	WhenDue    Opens = "due"    // when the present one is due
	WhenClosed Opens = "closed" // when the present one is closed
)

// ParseOpens returns a time of opening; "" is WhenDue. It returns BadOpens.
func ParseOpens(text string) (Opens, error) {
	switch o := Opens(text); o {
	case "":
		return WhenDue, nil
	case WhenDue, WhenClosed:
		return o, nil
	}
	return "", BadOpens(text)
}

// CodeBadRule: the rule is no RRULE of RFC 5545 that can be read. Send one such as FREQ=WEEKLY;BYDAY=MO.
const CodeBadRule fault.Code = "Recurrence.BadRule"

func BadRule(text string) error {
	return fault.Invalid.New(CodeBadRule, "rule", fmt.Sprintf(
		"“%.40s” is no rule that can be read. Write an RRULE such as FREQ=WEEKLY;BYDAY=MO,TH, with an interval of up to %d, and at most one of COUNT and UNTIL.",
		text, MaxInterval))
}

// CodeTooFine: the rule repeats within a day. Repeat daily, or less often.
const CodeTooFine fault.Code = "Recurrence.TooFine"

func TooFine() error {
	return fault.Invalid.New(CodeTooFine, "rule", "A ticket can be repeated daily, or less often. Leave the times of day out.")
}

// CodeBadOpens: when the next ticket is opened is none of due and closed. Send one of them.
const CodeBadOpens fault.Code = "Recurrence.BadOpens"

func BadOpens(text string) error {
	return fault.Invalid.New(CodeBadOpens, "opens", fmt.Sprintf(
		"“%.40s” is no time to open the next ticket. Choose due or closed.", text))
}

// CodeBadZone: the time zone is not known. Send one such as Europe/Berlin.
const CodeBadZone fault.Code = "Recurrence.BadZone"

func BadZone(text string) error {
	return fault.Invalid.New(CodeBadZone, "time_zone", fmt.Sprintf(
		"“%.64s” is no time zone that is known. Write one such as Europe/Berlin.", text))
}

// CodeNever: the rule has no date after the due date of its ticket. Change the rule, or its end.
const CodeNever fault.Code = "Recurrence.Never"

func Never() error {
	return fault.Invalid.New(CodeNever, "rule", fmt.Sprintf(
		"This has no date after the due date, within %d years. Change how it repeats, or when it ends.", MaxYears))
}
