package search

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// part is a part of an index, whose documents are tickets. Sets have their numbers in the part.
type part struct {
	*query
	segment      segment.Segment
	dictionaries map[string]segment.TermDictionary // of fields
	lists        map[fieldTerm]segment.PostingsList

	sight  *roaring.Bitmap   // documents that the search may find
	words  []*roaring.Bitmap // those of them that have each word
	found  *roaring.Bitmap
	titled *roaring.Bitmap // have all words in the title
	keyed  *roaring.Bitmap // have the text as their key
}

// fieldTerm is a term in a field.
type fieldTerm struct{ field, term string }

func newPart(q *query, s *scorch.SegmentSnapshot) *part {
	p := &part{
		query: q, segment: s.Segment(), dictionaries: map[string]segment.TermDictionary{}, lists: map[fieldTerm]segment.PostingsList{},
		sight: roaring.New(),
	}
	if q.find.All {
		p.sight.AddRange(0, p.segment.Count())
	}
	for _, board := range q.find.Boards {
		p.sight.Or(p.documents(fieldBoard, term(board)))
	}
	if deleted := s.Deleted(); deleted != nil {
		p.sight.AndNot(deleted)
	}
	return p
}

// dictionary returns the words of a field, nil after an error.
func (p *part) dictionary(field string) segment.TermDictionary {
	if found, ok := p.dictionaries[field]; ok || p.err != nil {
		return found
	}
	found, err := p.segment.Dictionary(field)
	p.keep(err)
	p.dictionaries[field] = found
	return found
}

// postings returns the list of a term, nil after an error.
func (p *part) postings(field, term string) segment.PostingsList {
	name := fieldTerm{field, term}
	if found, ok := p.lists[name]; ok || p.err != nil {
		return found
	}
	words := p.dictionary(field)
	if p.err != nil {
		return nil
	}
	found, err := words.PostingsList([]byte(term), nil, nil)
	p.keep(err)
	p.lists[name] = found
	return found
}

// documents returns those that have a term, also deleted ones. The set is that of the index: it must not be changed.
func (p *part) documents(field, term string) *roaring.Bitmap {
	postings := p.postings(field, term)
	if postings == nil {
		return roaring.New()
	}
	return documentsOf(postings.Iterator(false, false, false, nil))
}

func documentsOf(postings segment.PostingsIterator) *roaring.Bitmap {
	all, ok := postings.(segment.OptimizablePostingsIterator)
	if !ok {
		panic(fmt.Sprintf("search: postings are of type %T", postings))
	}
	if doc, one := all.DocNum1Hit(); one {
		return roaring.BitmapOf(uint32(doc))
	}
	if set := all.ActualBitmap(); set != nil {
		return set
	}
	return roaring.New()
}

// having returns the documents that have a word in a field.
func (p *part) having(field string, word []variant) *roaring.Bitmap {
	sets := make([]*roaring.Bitmap, len(word))
	for i, v := range word {
		sets[i] = p.all(field, v.terms)
	}
	if len(sets) == 1 {
		return sets[0]
	}
	return roaring.FastOr(sets...)
}

// all returns the documents that have all of some terms in a field.
func (p *part) all(field string, terms []string) *roaring.Bitmap {
	if len(terms) == 1 {
		return p.documents(field, terms[0])
	}
	sets := make([]*roaring.Bitmap, len(terms))
	for i, term := range terms {
		sets[i] = p.documents(field, term)
	}
	return roaring.FastAnd(sets...)
}

// each calls f for those of some documents that have a term in a field, in ascending order.
func (p *part) each(field, term string, some *roaring.Bitmap, f func(doc uint32, frequency, length float64)) {
	list := p.postings(field, term)
	if list == nil {
		return
	}
	postings := list.Iterator(true, true, false, nil)
	all := documentsOf(postings)
	wanted := roaring.And(all, some)
	if wanted.IsEmpty() {
		return
	}
	if wanted.GetCardinality() < all.GetCardinality() {
		postings.(segment.OptimizablePostingsIterator).ReplaceActual(wanted)
	}
	for {
		found, err := postings.Next()
		p.keep(err)
		if err != nil || found == nil {
			return
		}
		norm := found.Norm()
		f(uint32(found.Number()), float64(found.Frequency()), 1/(norm*norm))
	}
}
