package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// longest is how many bytes of a word are indexed; what follows is left out.
const longest = 64

// Word is a word of a text, as it is compared: folded, from Start to End in the text, in bytes. Its Terms are what the
// index has of it: the word, and the words that an identifier consists of; or pairs of characters, where a script has no
// spaces.
type Word struct {
	Start, End int
	Terms      []string
	// Pairs says that the terms are pairs of characters, which a text that has the word has all of. Else a text has the
	// first term, or all others.
	Pairs bool
}

// Words returns the words of a text. Letter case, accents, widths of characters and apostrophes make no difference.
func Words(text string) (list []Word) {
	for start := 0; start < len(text); {
		r, size := utf8.DecodeRuneInString(text[start:])
		if !isWord(r) {
			start += size
			continue
		}
		end := start + size
		pairs := unspaced(r)
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !continues(text, end, r, size, pairs) {
				break
			}
			end += size
		}
		if w := word(text[start:end], pairs); len(w.Terms) > 0 {
			w.Start, w.End = start, end
			list = append(list, w)
		}
		start = end
	}
	return list
}

// continues reports whether the rune at a byte of a text belongs to the word before it: letters of scripts with and
// without spaces are never of one word; a mark is of the word that it is on; apostrophes and underscores join.
func continues(text string, at int, r rune, size int, pairs bool) bool {
	switch {
	case unicode.Is(unicode.M, r):
		return true
	case r == '_' || r == '\'' || r == '’':
		next, _ := utf8.DecodeRuneInString(text[at+size:])
		return !pairs && isWord(next) && !unspaced(next)
	}
	return isWord(r) && unspaced(r) == pairs
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// unspaced reports letters of scripts that write no spaces between words, or put particles on them.
func unspaced(r rune) bool {
	switch r {
	case 'ー', '々', 'ｰ', 'ﾞ', 'ﾟ': // of several scripts
		return true
	}
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}

// word is a Word of a text that is one.
func word(text string, pairs bool) Word {
	if pairs {
		return Word{Terms: pairsOf(fold(text)), Pairs: true}
	}
	parts := identifier(text)
	whole := cut(strings.Join(parts, ""))
	switch {
	case whole == "":
		return Word{}
	case len(parts) == 1:
		return Word{Terms: []string{whole}}
	}
	terms := []string{whole}
	for _, part := range parts {
		terms = append(terms, cut(part))
	}
	return Word{Terms: terms}
}

// pairsOf returns the pairs of characters that follow one another, and the last character alone.
func pairsOf(text string) (list []string) {
	runes := []rune(text)
	for i := range runes {
		list = append(list, string(runes[i:min(i+2, len(runes))]))
	}
	return list
}

// identifier returns the folded parts of a word that underscores, apostrophes or letter case separate: of parseHTTPRequest
// parse, http and request.
func identifier(text string) (parts []string) {
	if plain(text) {
		return []string{text}
	}
	begin := 0
	end := func(at int) {
		if part := fold(text[begin:at]); part != "" {
			parts = append(parts, part)
		}
		begin = at
	}
	var before, last rune
	lastAt := 0
	for i, r := range text {
		switch {
		case r == '_' || r == '\'' || r == '’':
			end(i)
			begin = i + utf8.RuneLen(r)
		case unicode.IsUpper(r) && unicode.IsLower(last):
			end(i)
		case unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(before):
			end(lastAt)
		}
		before, last, lastAt = last, r, i
	}
	end(len(text))
	return parts
}

// plain reports small letters and digits of ASCII, which are folded already.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// letters are those that have no decomposition, as they are typed without them.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "þ", "th", "ł", "l", "ı", "i",
	"ħ", "h", "ŧ", "t", "ŋ", "n", "ς", "σ")

// fold returns a text without letter case, accents, and differences of width.
func fold(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		if !accent(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return letters.Replace(norm.NFC.String(b.String()))
}

// accent reports marks that are often left out: of Latin, Greek and Cyrillic letters, and vowels of Hebrew and Arabic.
// Other scripts write vowels by marks, which are kept.
func accent(r rune) bool {
	switch {
	case r < 0x0300:
		return false
	case r <= 0x036F, r >= 0x0591 && r <= 0x05C7, r >= 0x064B && r <= 0x065F, r == 0x0670, r == 0x0640:
		return true
	}
	return false
}

// cut returns the first bytes of a term, whole runes.
func cut(term string) string {
	if len(term) <= longest {
		return term
	}
	end := longest
	for !utf8.RuneStart(term[end]) {
		end--
	}
	return term[:end]
}
