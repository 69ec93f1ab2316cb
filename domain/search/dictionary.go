package search

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/vellum"
	"github.com/blevesearch/vellum/levenshtein"
)

// begun returns the most frequent words of the index that begin like one, but for the word itself.
func (q *query) begun(word string) []string {
	const last = "\xff" // follows every letter
	return q.frequent(nil, word, word+last, word, maxCompletions)
}

// typos returns the most frequent words of the index that differ from one by a letter, but not in the first.
func (q *query) typos(word string) []string {
	wanted, err := newTypo(word)
	if err != nil {
		q.keep(err)
		return nil
	}
	return q.frequent(wanted, wanted.first, "", word, maxTypos)
}

// frequent returns the most frequent words in sight that are accepted, and are between two, but for one word.
func (q *query) frequent(accepted vellum.Automaton, from, to, but string, limit int) []string {
	in := map[string]int{} // in how many parts of the index a word is
	var end []byte
	if to != "" {
		end = []byte(to)
	}
	for _, p := range q.parts {
		dict := p.dictionary(q.text())
		if q.err != nil {
			return nil
		}
		words := dict.AutomatonIterator(accepted, []byte(from), end)
		for {
			entry, err := words.Next()
			q.keep(err)
			if err != nil || entry == nil {
				break
			}
			in[entry.Term]++
		}
	}
	delete(in, but)
	return q.mostFrequent(in, limit)
}

// mostFrequent returns the words that most tickets in sight have. To count is slow: it is done of those that are in many
// parts of the index, and are short.
func (q *query) mostFrequent(in map[string]int, limit int) []string {
	words := slices.SortedFunc(maps.Keys(in), func(x, y string) int {
		return cmp.Or(cmp.Compare(in[y], in[x]), cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	})
	words = words[:min(len(words), 8*limit)]
	if len(words) <= limit {
		return words
	}
	count := map[string]uint64{}
	for _, word := range words {
		count[word] = q.tickets(word)
	}
	slices.SortStableFunc(words, func(x, y string) int { return cmp.Compare(count[y], count[x]) })
	return words[:limit]
}

// typo accepts a word's beginning, and then what differs from the word by at most a letter. Bleve's own search for such
// words goes on to the end of all words: forty times as long.
type typo struct {
	vellum.Automaton
	first string // the first letter
	after int    // the state after it
}

// States before the first letter was read: of its n bytes n are begin-n.
const (
	begin = -1
	no    = -1 - utf8.UTFMax
)

var oneLetter = sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
	return levenshtein.NewLevenshteinAutomatonBuilder(1, true)
})

func newTypo(word string) (*typo, error) {
	builder, err := oneLetter()
	if err != nil {
		return nil, err
	}
	almost, err := builder.BuildDfa(word, 1)
	if err != nil {
		return nil, err
	}
	_, length := utf8.DecodeRuneInString(word)
	t := &typo{Automaton: almost, first: word[:length], after: almost.Start()}
	for i := range length {
		t.after = almost.Accept(t.after, word[i])
	}
	return t, nil
}

// Start is of vellum.Automaton, as are the methods that follow.
func (t *typo) Start() int { return begin }

func (t *typo) IsMatch(state int) bool { return state >= 0 && t.Automaton.IsMatch(state) }

func (t *typo) CanMatch(state int) bool {
	return state != no && (state < 0 || t.Automaton.CanMatch(state))
}

func (t *typo) WillAlwaysMatch(int) bool { return false }

func (t *typo) Accept(state int, letter byte) int {
	if state >= 0 {
		return t.Automaton.Accept(state, letter)
	}
	read := begin - state
	if state == no || t.first[read] != letter {
		return no
	}
	if read+1 == len(t.first) {
		return t.after
	}
	return state - 1
}
