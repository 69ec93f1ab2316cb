package migrations

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cut returns the beginning of a text, at most n characters, as the database can store it.
func Cut(text string, n int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

// Grouped writes a whole number with commas: 2,340,000.
func Grouped(n int64) string {
	if n < 0 {
		return "-" + Grouped(-n)
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
