package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one line of text, trimmed and with single spaces, and its length in characters;
// 0 where there is nothing to see. ok is false where s is not UTF-8 or has control characters.
func Line(s string) (line string, length int, ok bool) {
	line = strings.Join(strings.Fields(s), " ")
	if !strings.ContainsFunc(line, visible) {
		return line, 0, Text(line)
	}
	return line, utf8.RuneCountInString(line), Text(line)
}

// visible leaves out spaces and what only steers other characters, such as U+200B.
func visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r)
}

// Text reports whether s is UTF-8 without control characters other than line ends and tabs.
func Text(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	})
}
