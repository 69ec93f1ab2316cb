package search

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
)

// model searches tickets in memory, one by one.
type model struct {
	tickets map[id.Ticket]counted
	find    Find
	words   []Word
}

// counted is a ticket with its terms.
type counted struct {
	board       id.Board
	title, text terms
}

// terms are those of texts: how often each is there, and how many there are.
type terms struct {
	count  map[string]int
	length int
}

func countOf(texts ...string) terms {
	t := terms{count: map[string]int{}}
	for _, text := range texts {
		for _, w := range Words(text) {
			for _, term := range w.Terms {
				t.count[term]++
				t.length++
			}
		}
	}
	return t
}

// fit is how well a word fits texts that have so many words as a rule: 0 if they do not have it.
func (m model) fit(word int, usual float64, of terms) (best float64) {
	w := m.words[word]
	variant := func(weight float64, terms ...string) {
		if slices.ContainsFunc(terms, func(term string) bool { return of.count[term] == 0 }) {
			return
		}
		n := float64(of.count[terms[0]])
		best = max(best, weight*n/(n+1.2*(0.25+0.75*float64(of.length)/usual)))
	}
	begun := func(weight float64) {
		for term := range of.count {
			if strings.HasPrefix(term, w.Terms[0]) && term != w.Terms[0] {
				variant(weight, term)
			}
		}
	}
	last := len(w.Terms) - 1
	switch {
	case w.Pairs && last > 0:
		variant(1, w.Terms[:last]...)
		return best
	case w.Pairs:
		begun(1)
	case last > 0:
		variant(1, w.Terms[1:]...)
	}
	variant(1, w.Terms[0])
	if !w.Pairs && word == len(m.words)-1 && len(w.Terms[0]) > 1 && m.having(w.Terms[0]) <= 100 {
		begun(0.6)
	}
	return best
}

func (m model) seen(d counted) bool { return m.find.All || slices.Contains(m.find.Boards, d.board) }

// having is how many tickets in sight have a term.
func (m model) having(term string) (n int) {
	for _, d := range m.tickets {
		if m.seen(d) && d.text.count[term] > 0 {
			n++
		}
	}
	return n
}

// scores are those of all tickets that have all words: by all texts, and by titles alone. titled are those with all words
// in the title.
func (m model) scores() (all, byTitle map[id.Ticket]float64, titled map[id.Ticket]bool) {
	all, byTitle, titled = map[id.Ticket]float64{}, map[id.Ticket]float64{}, map[id.Ticket]bool{}
	having, seen := make([]float64, len(m.words)), 0.0
	type fits struct{ title, text []float64 }
	found := map[id.Ticket]fits{}
	for ticket, d := range m.tickets {
		if !m.seen(d) {
			continue
		}
		seen++
		var f fits
		for i := range m.words {
			f.title = append(f.title, m.fit(i, 6, d.title))
			f.text = append(f.text, m.fit(i, 60, d.text))
			if f.text[i] > 0 {
				having[i]++
			}
		}
		found[ticket] = f
	}
	for ticket, f := range found {
		if slices.Contains(f.text, 0) {
			continue
		}
		double := 1.0
		if !slices.Contains(f.title, 0) {
			titled[ticket], double = true, 2
		}
		for i, n := range having {
			rarity := math.Log(1 + (seen-n+0.5)/(n+0.5))
			byTitle[ticket] += rarity * 3 * double * f.title[i]
			all[ticket] += rarity * (3*double*f.title[i] + f.text[i])
		}
	}
	return all, byTitle, titled
}

// TestRankIsThatOfAModel compares what is found in an index of several parts, whose tickets change, and scores, with a model,
// for all boards and for some.
func TestRankIsThatOfAModel(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	vocabulary := strings.Fields("order form export exporter backup the the the of userID user id parse_row row 東京都 京都 東 naïve don't ok oka okay x1")
	text := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = vocabulary[r.IntN(len(vocabulary))]
		}
		return strings.Join(words, " ")
	}
	x := opened(t, filepath.Join(t.TempDir(), "x"))
	defer x.Close()
	tickets := map[id.Ticket]counted{}
	for range 12 {
		var c Change
		for range 60 {
			d := Document{Ticket: id.Ticket(1 + r.IntN(500)), Board: id.Board(1 + r.IntN(6)), Title: text(1 + r.IntN(5))}
			for range r.IntN(3) {
				d.Texts = append(d.Texts, text(1+r.IntN(30)))
			}
			if slices.ContainsFunc(c.Put, func(other Document) bool { return other.Ticket == d.Ticket }) {
				continue
			}
			c.Put = append(c.Put, d)
			tickets[d.Ticket] = counted{d.Board, countOf(d.Title), countOf(append(d.Texts, d.Title)...)}
		}
		domaintest.Must(t, x.Apply(c))
		gone := id.Ticket(1 + r.IntN(500))
		delete(tickets, gone)
		domaintest.Must(t, x.Apply(Change{Remove: []id.Ticket{gone}}))
	}
	hits, narrowed := 0, 0
	for i := range 400 {
		m := model{tickets: tickets, find: Find{Text: text(1 + i%3), All: i%2 == 0, Boards: []id.Board{2, 5}, Limit: 1000}}
		if m.find.All {
			m.find.Boards = nil
		}
		m.words = distinct(Words(m.find.Text))
		all, byTitle, titled := m.scores()
		found := domaintest.OK(x.find(t.Context(), m.find, m.words, false, false))(t)
		same(t, m.find, found, all, len(all))
		hits += len(found.Hits)

		m.find.Limit = 1 + r.IntN(8)
		best := all
		switch {
		case len(titled) >= 10*m.find.Limit:
			best = only(byTitle, titled)
			narrowed++
		case len(titled) >= m.find.Limit:
			best = only(all, titled)
		}
		same(t, m.find, domaintest.OK(x.find(t.Context(), m.find, m.words, false, false))(t), best, len(all))
	}
	if hits < 10_000 || narrowed < 50 {
		t.Errorf("only %d hits, %d with plenty of titles", hits, narrowed)
	}
}

func only(scores map[id.Ticket]float64, of map[id.Ticket]bool) map[id.Ticket]float64 {
	some := map[id.Ticket]float64{}
	for ticket := range of {
		some[ticket] = scores[ticket]
	}
	return some
}

// same compares what was found with scores, of which it has the best.
func same(t *testing.T, f Find, found Found, scores map[id.Ticket]float64, total int) {
	t.Helper()
	var best []float64
	for _, score := range scores {
		best = append(best, score)
	}
	slices.SortFunc(best, func(x, y float64) int { return cmp.Compare(y, x) })
	best = best[:min(len(best), f.Limit)]
	if len(found.Hits) != len(best) || int(found.Total) != total {
		t.Fatalf("%+v: %d hits of %d, not %d of %d", f, len(found.Hits), found.Total, len(best), total)
	}
	for i, hit := range found.Hits {
		score, ok := scores[hit.Ticket]
		if !ok || math.Abs(hit.Score-score) > 1e-4*score || math.Abs(hit.Score-best[i]) > 1e-4*best[i] {
			t.Fatalf("%+v: hit %d is ticket %d with %f, not %f; the best has %f", f, i, hit.Ticket, hit.Score, score, best[i])
		}
	}
}

// A ticket whose key is searched for is the first, also if more titles than are asked for have the words of the key.
func TestKeyIsFirst(t *testing.T) {
	t.Parallel()
	x := opened(t, filepath.Join(t.TempDir(), "x"))
	defer x.Close()
	list := []Document{{Ticket: 1, Board: 1, Keys: []string{"WEB-1"}, Title: "Order form"}}
	for i := range 50 {
		list = append(list, Document{Ticket: id.Ticket(i + 2), Board: 1, Title: "web 1"})
	}
	put(t, x, list...)
	for _, limit := range []int{0, 1, 3, 30, 100} {
		f := Find{Text: "Web-1", All: true, Limit: limit}
		if got := domaintest.OK(x.Find(t.Context(), f))(t); got.Hits[0].Ticket != 1 || got.Total != 51 {
			t.Errorf("%d at most: %+v", limit, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Find(ctx, Find{Text: "web", All: true, Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
