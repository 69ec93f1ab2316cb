package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Piece is a part of a text. A marked one is what was searched for.
type Piece struct {
	Text   string
	Marked bool
}

// Plain returns pieces as one text.
func Plain(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Marker finds the words of a search in texts.
type Marker struct {
	words   []Word
	phrases []Phrase
}

// NewMarker returns the Marker of a text that was searched for, and of phrases in it.
func NewMarker(text string, phrases ...Phrase) Marker { return Marker{Words(text), phrases} }

// Missing returns how many words and phrases of the search a text has not.
func (m Marker) Missing(text string) int {
	apart := 0
	for _, p := range m.phrases {
		if !p.In(text) {
			apart++
		}
	}
	return apart + m.missingWords(text)
}

func (m Marker) missingWords(text string) int {
	had := make([]bool, len(m.words))
	missing := len(m.words)
	for _, w := range Words(text) {
		for _, i := range m.matches(w) {
			if !had[i] {
				had[i] = true
				missing--
			}
		}
		if missing == 0 {
			break
		}
	}
	return missing
}

// Mark returns all of a text.
func (m Marker) Mark(text string) (pieces []Piece) { return m.between(text, 0, len(text)) }

// around is how many bytes of a snippet there are before the first word that was found.
const around = 40

// Snippet returns the part of a text, of about so many bytes, that has most of the words; its beginning if it has none.
func (m Marker) Snippet(text string, length int) []Piece {
	type place struct {
		at   int
		word int
	}
	var places []place
	for _, w := range Words(text) {
		for _, i := range m.matches(w) {
			places = append(places, place{w.Start, i})
		}
	}
	best, from := 0, 0
	for i, first := range places {
		seen := map[int]bool{}
		for _, p := range places[i:] {
			if p.at > first.at+length-around {
				break
			}
			seen[p.word] = true
		}
		if len(seen) > best {
			best, from = len(seen), max(0, first.at-around)
		}
	}
	from = wordStart(text, from)
	to := wordEnd(text, from+length)
	pieces := m.between(text, from, to)
	if from > 0 {
		pieces = slices.Insert(pieces, 0, Piece{Text: "… "})
	}
	if to < len(text) {
		pieces = append(pieces, Piece{Text: " …"})
	}
	return pieces
}

// farthest is how many bytes a snippet begins or ends away from where it would, to begin and end at a space.
const farthest = 20

// wordStart is the beginning of a word near a place of a text.
func wordStart(text string, at int) int {
	if at == 0 {
		return 0
	}
	if space := strings.IndexByte(text[at:min(len(text), at+farthest)], ' '); space >= 0 {
		return at + space + 1
	}
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// wordEnd is the end of a word near a place of a text.
func wordEnd(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	if space := strings.LastIndexByte(text[max(0, at-farthest):at], ' '); space >= 0 {
		return max(0, at-farthest) + space
	}
	for !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// between returns a part of a text.
func (m Marker) between(text string, from, to int) (pieces []Piece) {
	text = text[from:to]
	done := 0
	add := func(to int, marked bool) {
		if to > done {
			pieces = append(pieces, Piece{text[done:to], marked})
			done = to
		}
	}
	for _, w := range Words(text) {
		if len(m.matches(w)) > 0 {
			add(w.Start, false)
			add(w.End, true)
		}
	}
	add(len(text), false)
	return pieces
}

// matches returns the words of the search that a word of a text may have been found for.
func (m Marker) matches(w Word) (list []int) {
	for i, wanted := range m.words {
		if wanted.matches(w) {
			list = append(list, i)
		}
	}
	return list
}

func (w Word) matches(found Word) bool {
	if w.Pairs != found.Pairs {
		return false
	}
	if w.Pairs {
		return hasPairs(found.Terms, w.Terms)
	}
	whole := w.Terms[0]
	length := utf8.RuneCountInString(whole)
	for _, term := range found.Terms {
		switch {
		case slices.Contains(w.Terms, term),
			length >= shortestBegun && strings.HasPrefix(term, whole),
			length >= shortestTypo && almost([]rune(whole), []rune(term)):
			return true
		}
	}
	return false
}

// hasPairs reports whether pairs of characters have those of a word in them.
func hasPairs(pairs, of []string) bool {
	if len(of) == 1 {
		return slices.ContainsFunc(pairs, func(pair string) bool { return strings.HasPrefix(pair, of[0]) })
	}
	for _, pair := range of[:len(of)-1] {
		if !slices.Contains(pairs, pair) {
			return false
		}
	}
	return true
}

// almost reports whether two words differ by one letter: another, one more, or two that changed places.
func almost(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return slices.Equal(a[i:], b[i+1:])
	}
	if i == len(a) || slices.Equal(a[i+1:], b[i+1:]) {
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && slices.Equal(a[i+2:], b[i+2:])
}
