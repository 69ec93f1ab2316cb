package tickets

import (
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// Date is a day or, if it is Timed, a moment. The zero Date is none.
type Date struct {
	At    time.Time // in UTC; of a day its midnight
	Timed bool
}

const (
	dayLayout    = "2006-01-02"
	momentLayout = "2006-01-02T15:04:05Z07:00" // RFC 3339

	firstYear, lastYear = 1970, 2199
)

// Day returns a day as a date.
func Day(year int, month time.Month, day int) Date {
	return Date{At: time.Date(year, month, day, 0, 0, 0, 0, time.UTC)}
}

// Moment returns a time as a date, to the second.
func Moment(at time.Time) Date { return Date{At: at.UTC().Truncate(time.Second), Timed: true} }

// IsZero reports whether there is no date.
func (d Date) IsZero() bool { return d.At.IsZero() }

// String returns a day as 2026-12-04, a moment as 2026-12-04T15:00:00Z, and none as "".
func (d Date) String() string {
	switch {
	case d.IsZero():
		return ""
	case d.Timed:
		return d.At.UTC().Format(momentLayout)
	}
	return d.At.Format(dayLayout)
}

// ParseDate reads what String returns, with any offset from UTC. field names it in the error, BadDate.
func ParseDate(field, text string) (Date, error) {
	if text == "" {
		return Date{}, nil
	}
	if at, err := time.Parse(dayLayout, text); err == nil {
		return Date{At: at}.inRange(field)
	}
	if at, err := time.Parse(momentLayout, text); err == nil {
		return Moment(at).inRange(field)
	}
	return Date{}, BadDate(field, text)
}

func (d Date) inRange(field string) (Date, error) {
	if year := d.At.Year(); year < firstYear || year > lastYear {
		return Date{}, DateOutOfRange(field)
	}
	return d, nil
}

// In returns the date in a time zone: a day is the same everywhere.
func (d Date) In(zone *time.Location) time.Time {
	if d.Timed {
		return d.At.In(zone)
	}
	return time.Date(d.At.Year(), d.At.Month(), d.At.Day(), 0, 0, 0, 0, zone)
}

// Days returns how many days the date is after today: negative for a day of the past. now is in the zone of the reader.
func (d Date) Days(now time.Time) int {
	at := d.In(now.Location())
	return int(day(at).Sub(day(now)).Hours() / 24)
}

// Over reports whether the date is past: a moment is, a day once it ended. now is in the zone of the reader.
func (d Date) Over(now time.Time) bool {
	switch {
	case d.IsZero():
		return false
	case d.Timed:
		return d.At.Before(now)
	}
	return d.Days(now) < 0
}

// after reports whether a date is later than another wherever they are read.
func (d Date) after(other Date) bool {
	switch {
	case d.IsZero() || other.IsZero():
		return false
	case d.Timed && other.Timed, !d.Timed && !other.Timed:
		return d.At.After(other.At)
	}
	return d.At.Sub(other.At) > 48*time.Hour // the offsets from UTC and the day itself are less
}

func day(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
}

// DateFrom returns a date as it is stored.
func DateFrom(at *time.Time, timed bool) Date {
	if at == nil {
		return Date{}
	}
	return Date{At: *at, Timed: timed}
}

func (d Date) stored() *time.Time {
	if d.IsZero() {
		return nil
	}
	return &d.At
}

// CodeBadDate: a date cannot be read. Send 2026-12-04, or 2026-12-04T15:00:00Z for a time of that day.
const CodeBadDate fault.Code = "Ticket.BadDate"

func BadDate(field, text string) error {
	return fault.Invalid.New(CodeBadDate, field, fmt.Sprintf(
		"“%.40s” is no date. Write it as 2026-12-04, or 2026-12-04T15:00:00Z with a time.", text))
}

// BadTypedDate is BadDate for text that a user typed.
func BadTypedDate(field, text string) error {
	return fault.Invalid.New(CodeBadDate, field, fmt.Sprintf(
		"“%.40s” is no date. Type today, fri, in 2w, 12 dec or 2026-12-04, with a time such as 15:00 if you like.", text))
}

// BadMonth is BadDate for the month of a calendar.
func BadMonth(field, text string) error {
	return fault.Invalid.New(CodeBadDate, field, fmt.Sprintf("“%.40s” is no month. Write it as 2026-12.", text))
}

// BadDay is BadDate for a day without a time.
func BadDay(field, text string) error {
	return fault.Invalid.New(CodeBadDate, field, fmt.Sprintf("“%.40s” is no day. Write it as 2026-12-04.", text))
}

// CodeDateOutOfRange: a date is before 1970 or after 2199. Correct its year.
const CodeDateOutOfRange fault.Code = "Ticket.DateOutOfRange"

func DateOutOfRange(field string) error {
	return fault.Invalid.New(CodeDateOutOfRange, field,
		fmt.Sprintf("The year must be between %d and %d. Correct it.", firstYear, lastYear))
}
