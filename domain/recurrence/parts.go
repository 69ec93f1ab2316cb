package recurrence

import (
	"fmt"
	"slices"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// Unit is what a rule counts.
type Unit string

// The units.
const (
	Day   Unit = "day"
	Week  Unit = "week"
	Month Unit = "month"
	Year  Unit = "year"
)

// Units are all units, the shortest first.
var Units = []Unit{Day, Week, Month, Year}

var frequencies = map[Unit]rrule.Frequency{Day: rrule.DAILY, Week: rrule.WEEKLY, Month: rrule.MONTHLY, Year: rrule.YEARLY}

// weekdays are those of rrule-go, Monday first.
var weekdays = []rrule.Weekday{rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA, rrule.SU}

// Weekdays are the days of the week, Monday first.
var Weekdays = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday,
	time.Sunday}

// Parts are a rule as a form has it.
type Parts struct {
	Every int
	Unit  Unit
	Days  []time.Weekday // of a Week; none is that of the first date
	Until time.Time      // its last day; the zero time for none
	Count int            // how many dates it has; 0 for any number
}

// CodeBadInterval: the number of days, weeks, months or years between two dates is none. Send 1 to 999.
const CodeBadInterval fault.Code = "Recurrence.BadInterval"

func BadInterval() error {
	return fault.Invalid.New(CodeBadInterval, "every", fmt.Sprintf("Write a number from 1 to %d.", MaxInterval))
}

// CodeBadCount: the number of tickets of a rule is none. Send 2 to 3660.
const CodeBadCount fault.Code = "Recurrence.BadCount"

func BadCount() error {
	return fault.Invalid.New(CodeBadCount, "count", fmt.Sprintf("Write a number from 2 to %d, this ticket included.", MaxCount))
}

// CodeBadUnit: what a rule counts is none of day, week, month and year. Send one of them.
const CodeBadUnit fault.Code = "Recurrence.BadUnit"

func BadUnit() error {
	return fault.Invalid.New(CodeBadUnit, "unit", "Choose days, weeks, months or years.")
}

// CodeNoLastDay: a rule that ends on a day names none. Send the day, or another end.
const CodeNoLastDay fault.Code = "Recurrence.NoLastDay"

func NoLastDay() error {
	return fault.Invalid.New(CodeNoLastDay, "until", "Type the last day, such as 31 dec 2027, or choose another end.")
}

// Rule returns the rule that the parts make from a first date on. Where a month is too short for the day of the first
// date, its last day is meant. It returns all of BadInterval, BadUnit and BadCount.
func (p Parts) Rule(first time.Time) (Rule, error) {
	var badEvery, badUnit, badCount error
	if p.Every < 1 || p.Every > MaxInterval {
		badEvery = BadInterval()
	}
	if !slices.Contains(Units, p.Unit) {
		badUnit = BadUnit()
	}
	if p.Count < 0 || p.Count == 1 || p.Count > MaxCount {
		badCount = BadCount()
	}
	if err := fault.Join(badEvery, badUnit, badCount); err != nil {
		return Rule{}, err
	}
	o := rrule.ROption{Freq: frequencies[p.Unit], Interval: p.Every, Count: p.Count}
	if !p.Until.IsZero() {
		o.Until = endOf(p.Until)
	}
	switch leap := first.Month() == time.February && first.Day() == 29; {
	case p.Unit == Week && len(p.Days) > 0:
		for i, day := range Weekdays {
			if slices.Contains(p.Days, day) {
				o.Byweekday = append(o.Byweekday, weekdays[i])
			}
		}
	case p.Unit == Month && first.Day() > 28:
		o.Bymonthday, o.Bysetpos = lastDays(first.Day()), []int{-1}
	case p.Unit == Year && leap:
		o.Bymonth, o.Bymonthday, o.Bysetpos = []int{2}, lastDays(29), []int{-1}
	}
	return Rule{option: o}, nil
}

func lastDays(to int) (days []int) {
	for day := 28; day <= to; day++ {
		days = append(days, day)
	}
	return days
}

// Parts returns the parts of a rule; ok is false for one that no form has.
func (r Rule) Parts() (p Parts, ok bool) {
	o := r.option
	p = Parts{Every: max(o.Interval, 1), Count: o.Count}
	for unit, frequency := range frequencies {
		if frequency == o.Freq {
			p.Unit = unit
		}
	}
	if !o.Until.IsZero() {
		p.Until = time.Date(o.Until.Year(), o.Until.Month(), o.Until.Day(), 0, 0, 0, 0, time.UTC)
	}
	for _, day := range o.Byweekday {
		p.Days = append(p.Days, Weekdays[day.Day()])
	}
	for day := 28; day <= 31; day++ { // the rule of one of these days, or else of none
		for _, month := range []time.Month{time.January, time.February} {
			first := time.Date(2024, month, day, 0, 0, 0, 0, time.UTC)
			if again, err := p.Rule(first); err == nil && again.String() == r.String() {
				return p, true
			}
		}
	}
	return p, false
}
