package importer

import (
	"strings"
	"time"
)

// dates reads the dates of a file. A time without a zone is in UTC.
type dates struct {
	monthFirst bool   // 3/12/2026 is in March
	last       string // of the last match: the next date has most likely the same
}

// The layouts of dates, the likely ones first. They take one digit for two, and none for seconds.
var (
	anyDates = withTimes("2006-1-2", "2006-1-2T", "2/Jan/06", "2/Jan/2006", "2-Jan-2006", "2 Jan 2006", "2 January 2006",
		"Jan 2, 2006", "Jan 2, 2006,", "January 2, 2006", "2006/1/2", "2.1.2006", "2.1.06")
	dayFirst = withTimes("2/1/2006", "2/1/06", "2-1-2006", "2/1/2006,")
	monFirst = withTimes("1/2/2006", "1/2/06", "1-2-2006", "1/2/2006,")
)

func withTimes(days ...string) (layouts []string) {
	for _, day := range days {
		space := " "
		if strings.HasSuffix(day, "T") {
			space = ""
		}
		for _, clock := range []string{"15:04", "15:04:05", "3:04 PM", "3:04:05 PM", "15:04:05Z07:00", "15:04:05-0700",
			"15:04Z07:00", "15:04:05 -0700", "15:04:05 MST"} {
			layouts = append(layouts, day+space+clock)
		}
		layouts = append(layouts, strings.TrimSuffix(day, ","))
	}
	return layouts
}

var dateSpaces = strings.NewReplacer("\u202f", " ", "\u00a0", " ")

func (d *dates) parse(text string) (time.Time, bool) {
	text = strings.Join(strings.Fields(dateSpaces.Replace(text)), " ")
	if len(text) < 6 || len(text) > 40 {
		return time.Time{}, false
	}
	if rest, ok := strings.CutSuffix(text, "m"); ok { // am, pm
		text = rest[:len(rest)-1] + strings.ToUpper(rest[len(rest)-1:]) + "M"
	}
	if d.last != "" {
		if at, err := time.Parse(d.last, text); err == nil {
			return at, true
		}
	}
	numeric := dayFirst
	if d.monthFirst {
		numeric = monFirst
	}
	for _, layouts := range [][]string{anyDates, numeric} {
		for _, layout := range layouts {
			if at, err := time.Parse(layout, text); err == nil {
				d.last = layout
				return at, true
			}
		}
	}
	return time.Time{}, false
}
