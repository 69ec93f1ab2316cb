package search

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// alphabets are the syllables of languages with spaces.
var alphabets = [][]string{
	strings.Fields("an be con de er fi ga in lo ma ne or pre qua re ser ti un ver wo ing tion ment ly"),
	strings.Fields("ab bei ge ein ung keit schaft über für än ver zu mit auf nach ßer lich"),
	strings.Fields("é à re dé con tion ment eau ille ère ç pré sur par aux"),
	strings.Fields("по на за пере раз вы ние ость ать ый ская во при до ст"),
	strings.Fields("ال من في ية ون مع كت در سل عم فر نح"),
}

// language has made-up words, few of which are frequent.
type language struct {
	words []string
	zipf  *rand.Zipf
	cjk   bool
}

func languages(r *rand.Rand) (list []language) {
	for _, syllables := range alphabets {
		var l language
		seen := map[string]bool{}
		for range 60_000 {
			w := ""
			for range 1 + r.IntN(4) {
				w += syllables[r.IntN(len(syllables))]
			}
			if !seen[w] {
				seen[w] = true
				l.words = append(l.words, w)
			}
		}
		l.zipf = rand.NewZipf(r, 1.1, 4, uint64(len(l.words)-1))
		list = append(list, l)
	}
	l := language{cjk: true}
	han := rand.NewZipf(r, 1.2, 20, 3000)
	for range 20_000 {
		w := ""
		for range 1 + r.IntN(3) {
			w += string(rune(0x4E00 + int(han.Uint64())))
		}
		l.words = append(l.words, w)
	}
	l.zipf = rand.NewZipf(r, 1.1, 4, uint64(len(l.words)-1))
	return append(list, l)
}

func (l language) text(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 && !l.cjk {
			b.WriteByte(' ')
		}
		b.WriteString(l.words[l.zipf.Uint64()])
	}
	return b.String()
}

// BenchmarkFind builds an index of 200,000 tickets with 1,000,000 comments of words made up in six languages, and searches
// for two hundred texts of them: words as they are, beginnings, words with a mistake. It takes three minutes:
//
//	go test -run XXX -bench Find -benchtime 400x ./domain/search
func BenchmarkFind(b *testing.B) {
	x := opened(b, filepath.Join(b.TempDir(), "x"))
	texts, took := fill(b, x, 200_000)
	if err := x.flush(); err != nil {
		b.Fatal(err)
	}
	few := []id.Board{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for name, f := range map[string]Find{"all": {All: true}, "10 of 60 boards": {Boards: few}, "titles": {All: true, Titles: true}} {
		b.Run(name, func(b *testing.B) {
			var all []time.Duration
			for i := 0; b.Loop(); i++ {
				f.Text, f.Limit = texts[i%len(texts)], 200
				began := time.Now()
				if _, err := x.Find(b.Context(), f); err != nil {
					b.Fatal(err)
				}
				all = append(all, time.Since(began))
			}
			slices.Sort(all)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(all[len(all)*95/100].Microseconds())/1000, "p95-ms")
			b.ReportMetric(took.Seconds(), "build-s")
		})
	}
}

// fill puts tickets into an index, and returns two hundred texts to search for, and how long the index took.
func fill(b *testing.B, x *Index, many int) (texts []string, took time.Duration) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	all := languages(r)
	for from := 0; from < many; from += 250 {
		var c Change
		for i := from; i < from+250; i++ {
			l := all[r.IntN(len(all))]
			d := Document{Ticket: id.Ticket(i + 1), Board: id.Board(i%60 + 1), Keys: []string{fmt.Sprintf("B%d-%d", i%60, i)},
				Title: l.text(6), Texts: []string{l.text(40)}}
			for range r.IntN(11) {
				d.Texts = append(d.Texts, l.text(12))
			}
			c.Put = append(c.Put, d)
			if i%(many/200) == 7 {
				texts = append(texts, l.searched(r, d.Texts[0]))
			}
		}
		began := time.Now()
		if err := x.Apply(c); err != nil {
			b.Fatal(err)
		}
		took += time.Since(began)
	}
	return texts, took
}

// searched is what a user types for a text.
func (l language) searched(r *rand.Rand, text string) string {
	if l.cjk {
		return string([]rune(text)[4 : 5+r.IntN(4)])
	}
	words := strings.Fields(text)
	at := r.IntN(len(words) - 3)
	typed := []rune(strings.Join(words[at:at+1+r.IntN(3)], " "))
	switch n := r.IntN(4); {
	case n == 0 && len(typed) > 4:
		return string(typed[:len(typed)-2])
	case n == 1 && len(typed) > 6:
		typed[3] = 'x'
	}
	return string(typed)
}
