package search

import "strings"

// Phrase is words that stand together in a text, one after the other, as Words compares them.
type Phrase struct{ words string }

// NewPhrase returns the phrase of a text. ok is false if it is less than two words, or one of a script without spaces,
// whose pairs of characters may be apart.
func NewPhrase(text string) (p Phrase, ok bool) {
	list := Words(text)
	if len(list) == 0 || len(list) == 1 && !list[0].Pairs {
		return Phrase{}, false
	}
	p.words = joined(list)
	if list[0].Pairs { // it may begin within a longer word
		p.words = strings.TrimPrefix(p.words, " ")
	}
	if list[len(list)-1].Pairs {
		p.words = strings.TrimSuffix(p.words, " ")
	}
	return p, true
}

// In reports whether a text has the phrase.
func (p Phrase) In(text string) bool { return strings.Contains(joined(Words(text)), p.words) }

// joined returns words with a space around each.
func joined(list []Word) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, w := range list {
		if !w.Pairs {
			b.WriteString(w.Terms[0])
		}
		for i := 0; w.Pairs && i < len(w.Terms); i++ {
			b.WriteString(firstRune(w.Terms[i]))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func firstRune(text string) string {
	for i := range text {
		if i > 0 {
			return text[:i]
		}
	}
	return text
}
