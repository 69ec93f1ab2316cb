package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one line of text, trimmed and with single spaces, and its length in characters; 0 if nothing is
// visible. ok is false if s is not UTF-8, or has control characters or those that change the direction of text, with
// which a name could be read as another's.
func Line(s string) (line string, length int, ok bool) {
	line = strings.Join(strings.Fields(s), " ")
	ok = Text(line) && !strings.ContainsFunc(line, isBidiControl)
	if !strings.ContainsFunc(line, visible) {
		return line, 0, ok
	}
	return line, utf8.RuneCountInString(line), ok
}

// Flat makes one line of any text, trimmed and with single spaces, without what Line refuses. It is for reports such
// as logs; typed names are refused instead.
func Flat(s string) string {
	s = strings.Map(func(r rune) rune {
		if isBidiControl(r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// isBidiControl reports whether r begins or ends an embedding, an override or an isolate (Unicode Annex 9,
// 2.1 to 2.5). Marks that only lend neighbours their direction, such as U+200F, do no harm.
func isBidiControl(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// visible reports whether r is neither a space nor a character that only affects others, such as U+200B.
func visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r)
}

// Text reports whether s is UTF-8 without control characters other than line ends and tabs. On a page it must be in an
// element with a direction of its own (dir="auto").
func Text(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	})
}
