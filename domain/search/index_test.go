package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
)

func opened(t testing.TB, path string) *Index {
	t.Helper()
	x, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// finds returns the tickets that a search finds, the best first.
func (x *Index) finds(t testing.TB, f Find) (list []id.Ticket) {
	t.Helper()
	if f.Limit == 0 {
		f.Limit = 100
	}
	found, err := x.Find(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, hit := range found.Hits {
		list = append(list, hit.Ticket)
	}
	if int(found.Total) < len(list) {
		t.Errorf("%q: %d of %d", f.Text, len(list), found.Total)
	}
	return list
}

func put(t testing.TB, x *Index, list ...Document) {
	t.Helper()
	if err := x.Apply(Change{Put: list}); err != nil {
		t.Fatal(err)
	}
}

// closeFlushed closes an index once all of it is on the disk.
func closeFlushed(t testing.TB, x *Index) {
	t.Helper()
	if err := x.flush(); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	x := opened(t, filepath.Join(t.TempDir(), "x"))
	put(t, x,
		Document{Ticket: 1, Board: 1, Keys: []string{"WEB-1", "OLD-7"}, Title: "Order form loses the address", Texts: []string{"Customers in Łódź see it daily."}},
		Document{Ticket: 2, Board: 1, Keys: []string{"WEB-2"}, Title: "Rate limiter", Texts: []string{"It blocks the order form.", "The invoice export calls parseHTTPRequest(user_id)."}},
		Document{Ticket: 3, Board: 2, Keys: []string{"APP-1"}, Title: "東京都のサーバーが遅い", Texts: []string{"配送の見積もりを確認する"}},
		Document{Ticket: 4, Board: 2, Keys: []string{"APP-2"}, Title: "Größe der Straße prüfen", Texts: []string{"report-final.pdf"}},
		Document{Ticket: 5, Board: 3, Keys: []string{"OPS-1"}, Title: "Форма заказа теряет адрес", Texts: []string{"Ещё раз проверить"}},
	)
	for _, c := range []struct {
		text string
		want []id.Ticket
	}{
		{"order", []id.Ticket{1, 2}}, // the title first
		{"ORDER FORM", []id.Ticket{1, 2}},
		{"form order address", []id.Ticket{1, 2}}, // then without one of three words
		{"address nowhere", []id.Ticket{1}},
		{"order address", []id.Ticket{1}},
		{"address", []id.Ticket{1}},
		{"addr", []id.Ticket{1}},
		{"lodz", []id.Ticket{1}},
		{"invoice", []id.Ticket{2}},
		{"invoise", []id.Ticket{2}},
		{"invocie", []id.Ticket{2}},
		{"inv", []id.Ticket{2}},
		{"request", []id.Ticket{2}},
		{"userId", []id.Ticket{2}},
		{"parsehttp", []id.Ticket{2}},
		{"http request", []id.Ticket{2}},
		{"web-2", []id.Ticket{2}},
		{"WEB-1", []id.Ticket{1}},
		{"old-7", []id.Ticket{1}},
		{"東京", []id.Ticket{3}},
		{"京都", []id.Ticket{3}},
		{"サーバ", []id.Ticket{3}},
		{"遅", []id.Ticket{3}},
		{"見積", []id.Ticket{3}},
		{"京東", nil},
		{"grosse strasse", []id.Ticket{4}},
		{"grösse", []id.Ticket{4}},
		{"final.pdf", []id.Ticket{4}},
		{"форма", []id.Ticket{5}},
		{"заказ", []id.Ticket{5}},
		{"еще", []id.Ticket{5}},
		{"ordr", nil}, // too short for a mistake
		{"xyzzy", nil},
		{"", nil},
		{"…", nil},
		{"\x00\xff", nil},
		{strings.Repeat("order ", 400), []id.Ticket{1, 2}},
		{strings.Repeat("x", 10000), nil},
		{`+order -form title:order *`, []id.Ticket{1, 2}},
	} {
		if got := x.finds(t, Find{Text: c.text, All: true}); !slices.Equal(got, c.want) {
			t.Errorf("%.40q: %v, not %v", c.text, got, c.want)
		}
	}
	t.Run("only boards in sight", func(t *testing.T) {
		for _, c := range []struct {
			boards []id.Board
			text   string
			want   []id.Ticket
		}{
			{nil, "order", nil}, {[]id.Board{2}, "order", nil}, {[]id.Board{1}, "order", []id.Ticket{1, 2}},
			{[]id.Board{1, 2}, "東京", []id.Ticket{3}}, {[]id.Board{1, 3}, "東京", nil}, {[]id.Board{2}, "WEB-1", nil},
			{[]id.Board{3}, "invoise", nil}, {[]id.Board{9}, "order", nil},
		} {
			if got := x.finds(t, Find{Text: c.text, Boards: c.boards}); !slices.Equal(got, c.want) {
				t.Errorf("%q on %v: %v, not %v", c.text, c.boards, got, c.want)
			}
		}
	})
	t.Run("only titles", func(t *testing.T) {
		for text, want := range map[string][]id.Ticket{"order": {1}, "invoice": nil, "limiter": {2}, "limitter": {2}, "東京": {3}} {
			if got := x.finds(t, Find{Text: text, All: true, Titles: true}); !slices.Equal(got, want) {
				t.Errorf("%q: %v, not %v", text, got, want)
			}
		}
	})
	t.Run("what changed, and what was removed", func(t *testing.T) {
		change := Change{Put: []Document{{Ticket: 1, Board: 3, Keys: []string{"OPS-9"}, Title: "Renamed"}}, Remove: []id.Ticket{2, 77}}
		if err := x.Apply(change); err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string][]id.Ticket{"order": nil, "renamed": {1}, "web-1": nil, "ops-9": {1}, "invoice": nil} {
			if got := x.finds(t, Find{Text: text, All: true}); !slices.Equal(got, want) {
				t.Errorf("%q: %v, not %v", text, got, want)
			}
		}
		if got := x.finds(t, Find{Text: "renamed", Boards: []id.Board{1}}); got != nil {
			t.Errorf("it is found where it was: %v", got)
		}
	})
}

// TestFindOnManyBoards compares what a reader of some boards finds with what it must, and the number with it.
func TestFindOnManyBoards(t *testing.T) {
	t.Parallel()
	x := opened(t, filepath.Join(t.TempDir(), "x"))
	var list []Document
	for i := range 3000 {
		list = append(list, Document{Ticket: id.Ticket(i + 1), Board: id.Board(i%300 + 1), Title: fmt.Sprintf("Common word%d", i%7)})
	}
	put(t, x, list...)
	var boards []id.Board
	for b := range 250 {
		boards = append(boards, id.Board(b+1))
	}
	for _, text := range []string{"common", "comm", "common word3", "comon"} {
		want := 0
		for _, d := range list {
			if d.Board <= 250 && (text != "common word3" || strings.HasSuffix(d.Title, "word3")) {
				want++
			}
		}
		found, err := x.Find(t.Context(), Find{Text: text, Boards: boards, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		if int(found.Total) != want || len(found.Hits) != 10 {
			t.Errorf("%q: %d of %d, not of %d", text, len(found.Hits), found.Total, want)
		}
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	x := opened(t, path)
	if at, err := x.Position(); err != nil || at != (Position{}) {
		t.Fatal(at, err)
	}
	want := Position{Tickets: 1 << 60, Comments: 7, Board: 3, Number: 12, Whole: true}
	if err := x.Apply(Change{Put: []Document{{Ticket: 1, Board: 1, Title: "kept"}}, At: want}); err != nil {
		t.Fatal(err)
	}
	closeFlushed(t, x)
	x = opened(t, path)
	if at, err := x.Position(); err != nil || at != want {
		t.Errorf("%+v, %v", at, err)
	}
	if got := x.finds(t, Find{Text: "kept", All: true}); len(got) != 1 {
		t.Error(got)
	}
}

// TestDamaged cuts off and changes each file of an index: it is refused, or as it was at its position, and never ends the
// program.
func TestDamaged(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole")
	x := opened(t, whole)
	for i := range 20 {
		var list []Document
		for j := range 50 {
			list = append(list, Document{Ticket: id.Ticket(i*50 + j + 1), Board: 1, Title: fmt.Sprintf("Ticket number %d of many", j)})
		}
		if err := x.Apply(Change{Put: list, At: Position{Tickets: uint64(50 * (i + 1))}}); err != nil {
			t.Fatal(err)
		}
	}
	closeFlushed(t, x)
	files, err := filepath.Glob(filepath.Join(whole, "*"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(whole, "store", "*"))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, file := range append(files, more...) {
		name, err := filepath.Rel(whole, file)
		if err != nil {
			t.Fatal(err)
		}
		for what, damage := range map[string]func(path string, content []byte) error{
			"gone":     func(path string, _ []byte) error { return os.RemoveAll(path) },
			"empty":    func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o600) },
			"cut off":  func(path string, c []byte) error { return os.WriteFile(path, c[:len(c)/2], 0o600) },
			"one less": func(path string, c []byte) error { return os.WriteFile(path, c[:len(c)-1], 0o600) },
			"other bytes": func(path string, c []byte) error {
				for i := range c {
					if i%97 == 50 {
						c[i] ^= 0xff
					}
				}
				return os.WriteFile(path, c, 0o600)
			},
			"garbage": func(path string, c []byte) error {
				return os.WriteFile(path, []byte(strings.Repeat("garbage", len(c)/7+1)), 0o600)
			},
		} {
			content, err := os.ReadFile(file)
			if err != nil {
				continue // a folder
			}
			path := filepath.Join(t.TempDir(), "x")
			if err := os.CopyFS(path, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			if err := damage(filepath.Join(path, name), content); err != nil {
				t.Fatal(err)
			}
			x, err := Open(path)
			if err != nil {
				refused++
				continue
			}
			at, err := x.Position() // of an earlier state, if a part of the last one is gone
			if err != nil {
				t.Errorf("%s is %s: %v", name, what, err)
			}
			if got := x.finds(t, Find{Text: "many", All: true, Limit: 2000}); len(got) != int(at.Tickets) {
				t.Errorf("%s is %s: %d are found, not %d", name, what, len(got), at.Tickets)
			}
			_ = x.Close()
		}
	}
	if refused < 12 {
		t.Errorf("%d were refused", refused)
	}
}

// What the index finds of its words, in all its parts, is what a look at each of them does.
func TestDictionary(t *testing.T) {
	t.Parallel()
	x := opened(t, filepath.Join(t.TempDir(), "x"))
	r := rand.New(rand.NewPCG(3, 4))
	letters := strings.Fields("a b c é я ة")
	random := func(longest int) (word string) {
		for range 2 + r.IntN(longest-1) {
			word += letters[min(r.IntN(len(letters)), r.IntN(len(letters)))]
		}
		return fold(word)
	}
	counts := map[string]int{}
	for part := range 5 {
		var list []Document
		for n := range 300 {
			word := random(6)
			counts[word]++
			list = append(list, Document{Ticket: id.Ticket(1000*part + n + 1), Board: 1, Title: "x", Texts: []string{word}})
		}
		put(t, x, list...)
	}
	snapshot := domaintest.OK(x.snapshot())(t)
	defer snapshot.Close()
	b := newQuery(t.Context(), snapshot, Find{All: true})
	matches := func(accepts func(word string) bool) (list []string) {
		for word := range counts {
			if accepts(word) {
				list = append(list, word)
			}
		}
		return list
	}
	mistaken := 0
	for range 300 {
		word := random(5)
		first, _ := utf8.DecodeRuneInString(word)
		want := matches(func(other string) bool {
			return other != word && strings.HasPrefix(other, string(first)) && almost([]rune(word), []rune(other))
		})
		got := b.typos(word)
		slices.Sort(got)
		slices.Sort(want)
		if b.err != nil || len(want) <= maxTypos && !slices.Equal(got, want) {
			t.Errorf("for %q: %q, %v, not %q", word, got, b.err, want)
		}
		mistaken += len(want)
	}
	if mistaken < 300 {
		t.Errorf("only %d words have a mistake", mistaken)
	}
	begun := b.begun("a")
	most := matches(func(word string) bool { return word != "a" && strings.HasPrefix(word, "a") })
	slices.SortFunc(most, func(x, y string) int { return counts[y] - counts[x] })
	if b.err != nil || len(most) <= 2*maxCompletions || len(begun) != maxCompletions {
		t.Fatalf("%d words begin with a, %q, %v", len(most), begun, b.err)
	}
	for i, word := range begun {
		if counts[word] != counts[most[i]] {
			t.Errorf("%d: %q is in %d tickets, %q in %d", i, word, counts[word], most[i], counts[most[i]])
		}
	}
}
