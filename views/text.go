package views

import (
	"strconv"
	"strings"
)

// Thousands is a number with separators: 12,482.
func Thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	var b strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return sign + b.String()
}

// Counted is Thousands with the thing's name: 1 task, 12,482 tasks.
func Counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}

// Bytes is a size in words: 2 GB.
func Bytes(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}} {
		if n >= unit.size {
			return strings.TrimSuffix(strconv.FormatFloat(float64(n)/float64(unit.size), 'f', 1, 64), ".0") + " " + unit.name
		}
	}
	return Counted(n, "byte", "bytes")
}
