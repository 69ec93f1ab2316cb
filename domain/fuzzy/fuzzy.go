// Package fuzzy finds names by parts of them, as a palette does.
package fuzzy

import (
	"slices"
	"strings"
	"unicode"

	"github.com/sahilm/fuzzy"
	"golang.org/x/text/unicode/norm"
)

// Match is a name that a text finds.
type Match struct {
	Index int  // of the name
	Words bool // each word of the text begins a word of the name
}

// Find returns the names that a text finds, in any case and without accents: those of which each word of the text begins
// a word, then those that have its letters near each other and in their order. Each part is in the order of closeness.
func Find(text string, names []string) []Match {
	words := strings.Fields(fold(text))
	if len(words) == 0 {
		return nil
	}
	folded := make([]string, len(names))
	for i, name := range names {
		folded[i] = fold(name)
	}
	var list []Match
	letters := strings.Join(words, "")
	for _, found := range fuzzy.Find(letters, folded) { // closest first
		match := Match{found.Index, begins(words, folded[found.Index])}
		if match.Words || near(letters, found) {
			list = append(list, match)
		}
	}
	for i, name := range folded { // words in another order
		has := func(m Match) bool { return m.Index == i }
		if begins(words, name) && !slices.ContainsFunc(list, has) {
			list = append(list, Match{i, true})
		}
	}
	slices.SortStableFunc(list, func(a, b Match) int {
		switch {
		case a.Words == b.Words:
			return 0
		case a.Words:
			return -1
		}
		return 1
	})
	return list
}

// begins reports whether each word begins a word of a name.
func begins(words []string, name string) bool {
	parts := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for _, word := range words {
		if !slices.ContainsFunc(parts, func(part string) bool { return strings.HasPrefix(part, word) }) {
			return false
		}
	}
	return true
}

// near reports whether letters were found close to each other: with no more than as many others between them.
func near(letters string, found fuzzy.Match) bool {
	at := found.MatchedIndexes
	return len(at) > 1 && at[len(at)-1]-at[0] < 2*len(letters)
}

// fold is a text in small letters without accents. It is UTF-8 without control characters, over which the library panics.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case unicode.IsControl(r):
			return ' '
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(strings.ReplaceAll(strings.ToValidUTF8(text, ""), "ß", "ss")))
}
