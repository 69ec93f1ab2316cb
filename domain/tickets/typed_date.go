package tickets

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The dates that users type: fri, tomorrow 15:00, in 2w, 12 dec, 2026-12-04. Days that are read in two ways, such as
// 3/12, are refused.

var (
	typedTime   = regexp.MustCompile(`(?:^|\s)(?:at\s+)?(?:([01]?\d|2[0-3]):([0-5]\d)|(1[0-2]|0?[1-9])(?::([0-5]\d))?\s?(am|pm))$`)
	typedSpan   = regexp.MustCompile(`^(?:in\s+|\+\s*)?(\d{1,4}|an?)\s*(d|days?|w|weeks?|mo|months?|y|years?)$`)
	typedDay    = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th|\.)?\s*(?:of\s+)?([a-z]{3,9})\.?(?:,?\s*(\d{4}))?$`)
	typedDay2   = regexp.MustCompile(`^([a-z]{3,9})\.?\s*(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?$`)
	typedMoment = regexp.MustCompile(`^\d{4}-\d{1,2}-\d{1,2}t\d`)
	typedISO    = regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})$`)
	weekdays    = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
	months      = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
		"november", "december"}
)

// maxTyped is how many bytes a typed date may have.
const maxTyped = 100

// ParseTypedDate reads a date as users type it. now is in the zone of the user. A weekday is the next one after today; a
// day without a year is the next one from today on; a time alone is the next one from now on. field names it in the
// error, BadDate.
func ParseTypedDate(field, text string, now time.Time) (Date, error) {
	words := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	switch {
	case words == "" || words == "none" || words == "-":
		return Date{}, nil
	case len(words) > maxTyped:
		return Date{}, BadTypedDate(field, text)
	}
	if at, err := time.Parse(momentLayout, strings.ToUpper(words)); err == nil {
		return Moment(at).inRange(field)
	}
	if typedMoment.MatchString(words) {
		words = strings.Replace(words, "t", " ", 1)
	}
	clock, hours, minutes := typedClock(words)
	words = strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(words, clock)), ",")
	if words == "" {
		return nextClock(now, hours, minutes).inRange(field)
	}
	d, ok := typedDate(words, now)
	if !ok {
		return Date{}, BadTypedDate(field, text)
	}
	if clock != "" {
		d = Moment(time.Date(d.At.Year(), d.At.Month(), d.At.Day(), hours, minutes, 0, 0, now.Location()))
	}
	return d.inRange(field)
}

// typedClock returns the time at the end of the words, as it is there, or "".
func typedClock(words string) (text string, hours, minutes int) {
	m := typedTime.FindStringSubmatch(words)
	switch {
	case m == nil:
		return "", 0, 0
	case m[5] == "":
		return m[0], number(m[1]), number(m[2])
	}
	hours = number(m[3]) % 12
	if m[5] == "pm" {
		hours += 12
	}
	return m[0], hours, number(m[4])
}

func nextClock(now time.Time, hours, minutes int) Date {
	at := time.Date(now.Year(), now.Month(), now.Day(), hours, minutes, 0, 0, now.Location())
	if !at.After(now) {
		at = time.Date(now.Year(), now.Month(), now.Day()+1, hours, minutes, 0, 0, now.Location())
	}
	return Moment(at)
}

func typedDate(words string, now time.Time) (Date, bool) {
	today := day(now)
	switch words {
	case "today":
		return Date{At: today}, true
	case "tomorrow", "tom":
		return Date{At: today.AddDate(0, 0, 1)}, true
	case "yesterday":
		return Date{At: today.AddDate(0, 0, -1)}, true
	case "next week":
		return Date{At: nextWeekday(today, time.Monday)}, true
	case "next month":
		return Day(today.Year(), today.Month()+1, 1), true
	}
	if n := named(weekdays, words, 3); n >= 0 {
		return Date{At: nextWeekday(today, time.Weekday(n))}, true
	}
	if m := typedSpan.FindStringSubmatch(words); m != nil {
		return Date{At: later(today, m[1], m[2])}, true
	}
	if m := typedISO.FindStringSubmatch(words); m != nil {
		return exactDay(number(m[1]), time.Month(number(m[2])), number(m[3]))
	}
	if m := typedDay.FindStringSubmatch(words); m != nil {
		return dayOfMonth(today, m[1], m[2], m[3])
	}
	if m := typedDay2.FindStringSubmatch(words); m != nil {
		return dayOfMonth(today, m[2], m[1], m[3])
	}
	return Date{}, false
}

func nextWeekday(today time.Time, wanted time.Weekday) time.Time {
	days := (int(wanted) - int(today.Weekday()) + 7) % 7
	if days == 0 {
		days = 7
	}
	return today.AddDate(0, 0, days)
}

// later returns a day some days, weeks, months or years later. The end of a shorter month is its last day.
func later(today time.Time, count, unit string) time.Time {
	n := 1
	if count != "a" && count != "an" {
		n = number(count)
	}
	switch unit[0] {
	case 'd':
		return today.AddDate(0, 0, n)
	case 'w':
		return today.AddDate(0, 0, 7*n)
	case 'y':
		n *= 12
	}
	first := time.Date(today.Year(), today.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, min(today.Day(), first.AddDate(0, 1, -1).Day())-1)
}

// dayOfMonth returns a day with a named month; without a year, the next one from today on.
func dayOfMonth(today time.Time, dayText, month, year string) (Date, bool) {
	n := named(months, month, 3)
	if n < 0 {
		return Date{}, false
	}
	if year != "" {
		return exactDay(number(year), time.Month(n+1), number(dayText))
	}
	for y := today.Year(); y <= today.Year()+8; y++ { // 29 February comes every four years, or eight
		if d, ok := exactDay(y, time.Month(n+1), number(dayText)); ok && !d.At.Before(today) {
			return d, true
		}
	}
	return Date{}, false
}

// exactDay returns a day; ok is false if its month has none.
func exactDay(year int, month time.Month, dayOf int) (d Date, ok bool) {
	d = Day(year, month, dayOf)
	return d, d.At.Year() == year && d.At.Month() == month && d.At.Day() == dayOf
}

// named returns the index of the name that begins with the text, which has at least so many letters; -1 for none.
func named(names []string, text string, least int) int {
	if len(text) < least {
		return -1
	}
	return slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, text) })
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the patterns let digits alone through
	return n
}
