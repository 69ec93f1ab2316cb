package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/counterfoil/counterfoil/domain/id"
)

// Constants of BM25: how soon it makes no difference that a word is there once more, and how much that a text is long.
const (
	saturation   = 1.2
	lengthWeight = 0.75
)

// usualLength is how many words a field has, more or less. A mean would be one of tickets that are out of sight, too.
var usualLength = map[string]float64{fieldTitle: 6, fieldAll: 60}

// candidate is a document that was found.
type candidate struct {
	part  *part
	doc   uint32
	score float32
}

// plenty is how many times as many titles as are asked for are so many that nothing but titles counts.
const plenty = 10

// rank returns the best of what the parts match. A ticket that has all words in its title counts those of the title twice:
// else one of them, written often below a short title, would outweigh it. If titles have enough, the rest is left out, and
// if they have plenty, what is below them: of words that most tickets have, that would be most of the work.
func (q *query) rank() (found Found) {
	titled, sight, having := uint64(0), uint64(0), make([]uint64, len(q.words))
	for _, p := range q.parts {
		q.match(p)
		found.Total += p.found.GetCardinality()
		titled += p.titled.GetCardinality()
		sight += p.sight.GetCardinality()
		for i, set := range p.words {
			having[i] += set.GetCardinality()
		}
	}
	rarity := make([]float64, len(having))
	for i, n := range having {
		rarity[i] = math.Log(1 + (float64(sight-n)+0.5)/(float64(n)+0.5))
	}
	limit := uint64(q.find.Limit)
	if titled >= plenty*limit {
		q.fields = q.fields[:1]
	}
	var best []candidate
	for _, p := range slices.Backward(q.parts) { // of many that are as good, those win that changed last
		if q.keep(q.ctx.Err()); q.err != nil {
			return Found{}
		}
		if titled >= limit {
			p.found = roaring.Or(p.titled, p.keyed)
		}
		best = q.collect(best, p, rarity)
	}
	for _, c := range top(best, q.find.Limit) {
		ticket, err := c.part.ticket(c.doc)
		q.keep(err)
		found.Hits = append(found.Hits, Hit{ticket, float64(c.score), q.loose})
	}
	return found
}

func (p *part) ticket(doc uint32) (id.Ticket, error) {
	name, err := p.segment.DocID(uint64(doc))
	if err != nil {
		return 0, err
	}
	ticket, err := ticketOf(string(name))
	if err != nil {
		return 0, fmt.Errorf("the index has %q: %w", name, err)
	}
	return ticket, nil
}

// top returns the best candidates, the best first. Of those as good as one another it leaves the order.
func top(list []candidate, limit int) []candidate {
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(y.score, x.score) })
	return list[:min(len(list), limit)]
}

// collect adds what a part has to the best.
func (q *query) collect(best []candidate, p *part, rarity []float64) []candidate {
	docs := p.found.ToArray()
	scores := q.scores(p, docs, rarity)
	least := float32(-1)
	for i, doc := range slices.Backward(docs) {
		if scores[i] <= least {
			continue
		}
		best = append(best, candidate{p, doc, scores[i]})
		if len(best) >= 2*q.find.Limit+100 {
			best = top(best, q.find.Limit)
			least = best[len(best)-1].score
		}
	}
	return best
}

// scores returns those of documents: of each word, how well it fits in each field, and how rare it is.
func (q *query) scores(p *part, docs []uint32, rarity []float64) []float32 {
	scores, fits := make([]float32, len(docs)), make([]float32, len(docs))
	for i, word := range q.words {
		for _, field := range q.fields {
			clear(fits)
			for _, v := range word {
				p.fit(fits, docs, field.name, v)
			}
			if field.name == fieldTitle {
				at(docs, p.titled, func(i int) { fits[i] *= 2 })
			}
			factor := float32(field.weight * rarity[i])
			for i, fit := range fits {
				scores[i] += factor * fit
			}
		}
	}
	at(docs, p.keyed, func(i int) { scores[i] += weightKey })
	return scores
}

// fit raises fits of documents to that of a variant. One of several terms fits as its first one does.
func (p *part) fit(fits []float32, docs []uint32, field string, v variant) {
	some := p.found
	if len(v.terms) > 1 {
		some = roaring.And(some, p.all(field, v.terms))
	}
	i, usual := 0, usualLength[field]
	p.each(field, v.terms[0], some, func(doc uint32, frequency, length float64) {
		i = seek(docs, i, doc)
		fit := v.weight * frequency / (frequency + saturation*(1-lengthWeight+lengthWeight*length/usual))
		fits[i] = max(fits[i], float32(fit))
	})
}

// at calls f with the positions that documents of a set have in a list.
func at(docs []uint32, set *roaring.Bitmap, f func(i int)) {
	i := 0
	set.Iterate(func(doc uint32) bool {
		i = seek(docs, i, doc)
		f(i)
		return true
	})
}

// seek returns the position of a document from i on. It is fast if that is near.
func seek(docs []uint32, i int, doc uint32) int {
	for step := 1; i+step < len(docs) && docs[i+step] <= doc; step *= 2 {
		i += step
	}
	n, _ := slices.BinarySearch(docs[i:], doc)
	return i + n
}
