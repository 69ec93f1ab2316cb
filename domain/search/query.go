package search

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
)

// Weights of what matches a word.
const (
	weightKey   = 1000
	weightTitle = 3
	weightAll   = 1
	weightBegun = 0.6 // a word that only begins like it
	weightTypo  = 0.3 // a word that differs from it by a letter
)

const (
	maxCompletions = 30 // words that one may go on to
	maxTypos       = 30
	shortestBegun  = 2 // characters of a word that may go on
	shortestTypo   = 5 // characters of a word that may be mistyped
)

// A word that more tickets in sight have than rare is no mistake; one that more have than common is whole.
const (
	rare   = 2
	common = 100
)

// query is a search in one state of an index. It keeps the first error.
type query struct {
	ctx   context.Context
	find  Find
	loose bool // words with a mistake match too
	lacks bool // and tickets that lack a word
	parts []*part
	words [][]variant
	err   error

	fields []field // that count for a score
}

type field struct {
	name   string
	weight float64
}

func (q *query) keep(err error) {
	if q.err == nil {
		q.err = err
	}
}

// newQuery returns a search in a state of an index.
func newQuery(ctx context.Context, snapshot *scorch.IndexSnapshot, f Find) *query {
	q := &query{ctx: ctx, find: f, fields: []field{{fieldTitle, weightTitle}}}
	if !f.Titles {
		q.fields = append(q.fields, field{fieldAll, weightAll})
	}
	for _, s := range snapshot.Segments() {
		q.parts = append(q.parts, newPart(q, s))
	}
	return q
}

// variant is what counts as a word: all of its terms.
type variant struct {
	terms  []string
	weight float64
}

// anyOf returns what counts if any of some terms does.
func anyOf(terms []string, weight float64) (list []variant) {
	for _, term := range terms {
		list = append(list, variant{[]string{term}, weight})
	}
	return list
}

// variants returns what counts as a word: it, the parts of an identifier, what goes on from it, it with a mistake.
func (q *query) variants(w Word, begun bool) []variant {
	if w.Pairs {
		return q.pairs(w.Terms)
	}
	whole := w.Terms[0]
	list := anyOf([]string{whole}, 1)
	if parts := w.Terms[1:]; len(parts) > 0 {
		list = append(list, variant{parts, 1})
	}
	length := utf8.RuneCountInString(whole)
	if begun && length >= shortestBegun && q.tickets(whole) <= common {
		list = append(list, anyOf(q.begun(whole), weightBegun)...)
	}
	if q.loose && length >= shortestTypo && q.tickets(whole) <= rare {
		list = append(list, anyOf(q.typos(whole), weightTypo)...)
	}
	return list
}

// pairs finds all pairs of a word, which has its last character in them. A character alone is found wherever it is: as the
// first of a pair, or at an end.
func (q *query) pairs(pairs []string) []variant {
	last := len(pairs) - 1
	if last == 0 {
		return anyOf(append(q.begun(pairs[0]), pairs[0]), 1)
	}
	return []variant{{pairs[:last], 1}}
}

// tickets returns how many tickets in sight have a term.
func (q *query) tickets(term string) (n uint64) {
	for _, p := range q.parts {
		n += p.documents(q.text(), term).AndCardinality(p.sight)
	}
	return n
}

// text is the field that has all words that are searched.
func (q *query) text() string {
	if q.find.Titles {
		return fieldTitle
	}
	return fieldAll
}

// match sets the matches of a part: what has the words, or almost all of them, or the text as its key.
func (q *query) match(p *part) {
	p.words, p.keyed = p.words[:0], roaring.New()
	for _, w := range q.words {
		p.words = append(p.words, roaring.And(p.having(q.text(), w), p.sight))
	}
	whole := roaring.FastAnd(p.words...)
	p.found, p.titled = whole, whole
	if q.lacks {
		for i := range p.words {
			others := slices.Delete(slices.Clone(p.words), i, i+1)
			p.found = roaring.Or(p.found, roaring.FastAnd(others...))
		}
	}
	if !q.find.Titles {
		for _, w := range q.words {
			p.titled = roaring.And(p.titled, p.having(fieldTitle, w))
		}
	}
	if key := strings.TrimSpace(q.find.Text); !strings.ContainsFunc(key, unicode.IsSpace) {
		p.keyed = roaring.And(p.documents(fieldKey, fold(key)), p.sight)
		p.found = roaring.Or(p.found, p.keyed)
	}
}
