package search

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/mapping"
	bleve "github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
	index "github.com/blevesearch/bleve_index_api"
)

// Weights of what matches a word.
const (
	weightKey   = 20
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

// wordsQuery is the query of a Find.
type wordsQuery struct {
	find  Find
	words []Word
	loose bool // words with a mistake match too
	lacks bool // and tickets that lack a word
}

// Searcher is of Bleve's queries.
func (q *wordsQuery) Searcher(
	ctx context.Context, r index.IndexReader, _ mapping.IndexMapping, options bleve.SearcherOptions,
) (bleve.Searcher, error) {
	b := builder{ctx: ctx, r: r, options: options, find: q.find, loose: q.loose}
	least := len(q.words)
	if q.lacks {
		least--
	}
	found := b.inSight(b.most(least, b.each(q.words)))
	if len(q.words) > 1 {
		found = b.any(1, found, b.inTitle(q.words))
	}
	if key := strings.TrimSpace(q.find.Text); !strings.ContainsFunc(key, unicode.IsSpace) {
		found = b.any(1, found, b.inSight(b.term(fieldKey, fold(key), weightKey)))
	}
	return found, b.err
}

// builder makes searchers, and keeps the first error.
type builder struct {
	ctx     context.Context
	r       index.IndexReader
	options bleve.SearcherOptions
	find    Find
	loose   bool
	err     error
}

func (b *builder) keep(s bleve.Searcher, err error) bleve.Searcher {
	if err != nil {
		if b.err == nil {
			b.err = err
		}
		return nil
	}
	return s
}

func (b *builder) term(field, term string, weight float64) bleve.Searcher {
	return b.keep(searcher.NewTermSearcher(b.ctx, b.r, term, field, weight, b.options))
}

// most finds what at least so many of some searchers do.
func (b *builder) most(least int, list []bleve.Searcher) bleve.Searcher {
	if least == len(list) {
		return b.all(list...)
	}
	return b.any(float64(least), list...)
}

func (b *builder) all(list ...bleve.Searcher) bleve.Searcher {
	switch {
	case b.err != nil:
		return nil
	case len(list) == 1:
		return list[0]
	}
	return b.keep(searcher.NewConjunctionSearcher(b.ctx, b.r, list, b.options))
}

func (b *builder) any(least float64, list ...bleve.Searcher) bleve.Searcher {
	switch {
	case b.err != nil:
		return nil
	case len(list) == 1:
		return list[0]
	}
	return b.keep(searcher.NewDisjunctionSearcher(b.ctx, b.r, list, least, b.options))
}

// inSight finds what another does on the boards of the search. They do not count for the score.
func (b *builder) inSight(s bleve.Searcher) bleve.Searcher {
	if b.find.All {
		return s
	}
	terms := make([]string, len(b.find.Boards))
	for i, board := range b.find.Boards {
		terms[i] = term(board)
	}
	unscored := bleve.SearcherOptions{Score: "none"}
	boards := b.keep(searcher.NewMultiTermSearcher(b.ctx, b.r, terms, fieldBoard, 0, unscored, false))
	return b.all(s, boards)
}

// each finds words, one by one.
func (b *builder) each(words []Word) []bleve.Searcher {
	list := make([]bleve.Searcher, len(words))
	for i, w := range words {
		list[i] = b.word(w, i == len(words)-1)
	}
	return list
}

// inTitle finds what has all words in its title: else one of them, written often below a short title, would outweigh it.
func (b *builder) inTitle(words []Word) bleve.Searcher {
	titles := b.find.Titles
	b.find.Titles = true
	found := b.inSight(b.all(b.each(words)...))
	b.find.Titles = titles
	return found
}

// word finds a word: as it is, as the parts of an identifier, as the beginning of another, with a mistake.
func (b *builder) word(w Word, begun bool) bleve.Searcher {
	if w.Pairs {
		return b.pairs(w.Terms)
	}
	whole := w.Terms[0]
	list := b.these([]string{whole}, 1)
	if parts := w.Terms[1:]; len(parts) > 0 {
		var each []bleve.Searcher
		for _, part := range parts {
			each = append(each, b.any(1, b.these([]string{part}, 1)...))
		}
		list = append(list, b.all(each...))
	}
	length := utf8.RuneCountInString(whole)
	if begun && length >= shortestBegun && !b.haveMore(whole, common) {
		list = append(list, b.these(b.begun(whole), weightBegun)...)
	}
	if b.loose && length >= shortestTypo && !b.haveMore(whole, rare) {
		list = append(list, b.these(b.typos(whole), weightTypo)...)
	}
	return b.any(1, list...)
}

// haveMore reports whether more than n tickets in sight have a word.
func (b *builder) haveMore(word string, n int) bool {
	s := b.inSight(b.term(b.dictionary(), word, 0))
	if b.err != nil {
		return false
	}
	defer s.Close()
	ctx := &bleve.SearchContext{DocumentMatchPool: bleve.NewDocumentMatchPool(s.DocumentMatchPoolSize()+1, 0)}
	for range n + 1 {
		match, err := s.Next(ctx)
		if err != nil {
			b.keep(nil, err)
		}
		if match == nil {
			return false
		}
		ctx.DocumentMatchPool.Put(match)
	}
	return true
}

// pairs finds all pairs of a word, which has its last character in them. A character alone is found wherever it is: as the
// first of a pair, or at an end.
func (b *builder) pairs(pairs []string) bleve.Searcher {
	last := len(pairs) - 1
	if last == 0 {
		return b.any(1, b.these(append(b.begun(pairs[0]), pairs[0]), 1)...)
	}
	each := make([]bleve.Searcher, last)
	for i, pair := range pairs[:last] {
		each[i] = b.any(1, b.these([]string{pair}, 1)...)
	}
	return b.all(each...)
}

// these finds some words in titles, and anywhere.
func (b *builder) these(terms []string, weight float64) (list []bleve.Searcher) {
	if len(terms) == 0 || b.err != nil {
		return nil
	}
	for field, boost := range b.fields() {
		boost *= weight
		list = append(list, b.keep(searcher.NewMultiTermSearcher(b.ctx, b.r, terms, field, boost, b.options, false)))
	}
	return list
}

// fields are those that are searched, with their weights.
func (b *builder) fields() map[string]float64 {
	if b.find.Titles {
		return map[string]float64{fieldTitle: weightTitle}
	}
	return map[string]float64{fieldAll: weightAll, fieldTitle: weightTitle}
}

// dictionary is the field whose words are those that are searched.
func (b *builder) dictionary() string {
	if b.find.Titles {
		return fieldTitle
	}
	return fieldAll
}
