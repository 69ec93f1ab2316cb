package files

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

var units = []struct {
	name string
	size int64
}{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}}

// Size is a number of bytes for people, such as 1.5 MB. ParseSize reads it.
func Size(n int64) string {
	for _, unit := range units {
		if n >= unit.size {
			text := strconv.FormatFloat(float64(n)/float64(unit.size), 'f', 1, 64)
			return strings.TrimSuffix(text, ".0") + " " + unit.name
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// ParseSize reads a number of bytes, or a size such as 500MB or 1.5 GB; ok is false for anything else.
func ParseSize(text string) (n int64, ok bool) {
	text = strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	text = strings.TrimSuffix(text, "BYTES")
	unit := int64(1)
	for _, u := range units {
		if digits, ok := strings.CutSuffix(text, u.name); ok {
			text, unit = digits, u.size
			break
		}
	}
	if text == "" || strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number*float64(unit) >= math.MaxInt64/2 {
		return 0, false
	}
	return int64(number * float64(unit)), true
}
