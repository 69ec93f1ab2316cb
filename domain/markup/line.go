package markup

import (
	"strings"
	"unicode/utf8"
)

// Line returns s as one line of text, trimmed and with single spaces, and its length in characters.
// ok is false where s is not UTF-8 or has control characters.
func Line(s string) (line string, length int, ok bool) {
	line = strings.Join(strings.Fields(s), " ")
	return line, utf8.RuneCountInString(line), Text(line)
}

// Text reports whether s is UTF-8 without control characters other than line ends and tabs.
func Text(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f
	})
}
