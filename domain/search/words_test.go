package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// termsOf are all terms of a text.
func termsOf(text string) (list []string) {
	for _, w := range Words(text) {
		list = append(list, w.Terms...)
	}
	return list
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "",
		"Fix the order-form, quickly!":   "fix the order form quickly",
		"Ärger über Straße":              "arger uber strasse",
		"ÅNGSTRÖM Øresund Łódź Ægir":     "angstrom oresund lodz aegir",
		"e\u0301te\u0301 naïve":          "ete naive",
		"Ελληνικά ΟΔΟΣ οδός":             "ελληνικα οδοσ οδοσ",
		"Ёлка йод":                       "елка иод",
		"İstanbul ışık":                  "istanbul isik",
		"ﬁnal １２３ ＡＢＣ":                   "final 123 abc",
		"مُحَمَّد كتاب":                  "محمد كتاب",
		"हिन्दी भाषा":                    "हिन्दी भाषा",
		"東京都":                            "東京 京都 都",
		"日":                              "日",
		"カタカナ ガ":                         "カタ タカ カナ ナ ガ",
		"ｶﾞ":                             "ガ",
		"한국어 서버":                         "한국 국어 어 서버 버",
		"ระบบ":                           "ระ ะบ บบ บ",
		"API東京v2":                        "api 東京 京 v2",
		"parseHTTPRequest":               "parsehttprequest parse http request",
		"user_id userId":                 "userid user id userid user id",
		"IDs GmbH":                       "ids i ds gmbh gmb h",
		"O’Neill don't l'heure":          "oneill o neill dont don t lheure l heure",
		"domain/search/words_test.go:42": "domain search wordstest words test go 42",
		"NINJA-42":                       "ninja 42",
		"_ __ '' - …":                    "",
		"a_":                             "a",
		"C++ C# .NET":                    "c c net",
		"sha256 error404":                "sha256 error404",
		"<script>alert(1)</script>":      "script alert 1 script",
		"\xff\xfeabc\xc3":                "abc",
	} {
		if got := strings.Join(termsOf(text), " "); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	t.Run("a word without an end is cut between characters", func(t *testing.T) {
		for _, term := range termsOf(strings.Repeat("x", 5000) + " " + strings.Repeat("ж", 5000)) {
			if len(term) > longest || len(term) < longest-1 || !utf8.ValidString(term) {
				t.Errorf("%d bytes: %q", len(term), term)
			}
		}
	})
}

func FuzzWords(f *testing.F) {
	for _, text := range []string{"Fix the ORDER-form", "parseHTTPRequest user_id", "東京都 API東京v2", "İe\u0301ß", "\xff'_’", "ﬁ１"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, w := range Words(text) {
			if w.Start < end || w.End <= w.Start || w.End > len(text) {
				t.Fatalf("%q: a word from %d to %d behind %d", text, w.Start, w.End, end)
			}
			end = w.End
			again := Words(text[w.Start:w.End])
			if len(again) != 1 || !slices.Equal(again[0].Terms, w.Terms) {
				t.Fatalf("%q alone is %v, not %v", text[w.Start:w.End], again, w)
			}
			for _, term := range w.Terms {
				if term == "" || len(term) > longest || utf8.ValidString(text) && !utf8.ValidString(term) {
					t.Fatalf("%q has the term %q", text, term)
				}
			}
		}
	})
}

func TestMarks(t *testing.T) {
	t.Parallel()
	text := func(pieces []Piece) string {
		var b strings.Builder
		for _, p := range pieces {
			if p.Marked {
				b.WriteString("[" + p.Text + "]")
			} else {
				b.WriteString(p.Text)
			}
		}
		return b.String()
	}
	for _, c := range []struct{ search, in, want string }{
		{"order form", "Fix the Order-form of orders", "Fix the [Order]-[form] of [orders]"},
		{"uber", "Ärger Über alles", "Ärger [Über] alles"},
		{"invoise", "The invoice, invoices", "The [invoice], invoices"},
		{"invocie", "the invoice", "the [invoice]"},
		{"京都", "東京都の京都", "[東京都の京都]"},
		{"京都", "東京 都", "東京 都"},
		{"user_id", "where userId is", "where [userId] is"},
		{"request", "parseHTTPRequest()", "[parseHTTPRequest]()"},
		{"<b>", "a <b> c", "a <[b]> c"},
		{"x", "", ""},
		{"", "a b", "a b"},
	} {
		if got := text(NewMarker(c.search).Mark(c.in)); got != c.want {
			t.Errorf("%q in %q: %q, not %q", c.search, c.in, got, c.want)
		}
	}
	long := strings.Repeat("nothing to see here ", 40) + "but the sorbitol order is late " + strings.Repeat("and so on ", 40)
	got := text(NewMarker("order sorbitol").Snippet(long, 120))
	if !strings.Contains(got, "the [sorbitol] [order] is late") || !strings.HasPrefix(got, "… ") || !strings.HasSuffix(got, " …") || len(got) > 140 {
		t.Errorf("%q", got)
	}
	if got := text(NewMarker("zebra").Snippet(long, 60)); !strings.HasPrefix(got, "nothing to see") {
		t.Errorf("%q", got)
	}
	t.Run("parts of words of any script are whole characters", func(t *testing.T) {
		for _, long := range []string{strings.Repeat("東京都", 200), strings.Repeat("ж", 900), strings.Repeat("é", 300) + " 京 x"} {
			for length := range 80 {
				for _, p := range NewMarker("京").Snippet(long, length+50) {
					if !utf8.ValidString(p.Text) {
						t.Fatalf("%d: %q", length, p.Text)
					}
				}
			}
		}
	})
	for _, c := range []struct {
		search, in string
		want       int
	}{{"order form late", "an order is late", 1}, {"a b", "", 2}, {"order order", "order", 0}} {
		if got := NewMarker(c.search).Missing(c.in); got != c.want {
			t.Errorf("%q in %q: %d words are missing, not %d", c.search, c.in, got, c.want)
		}
	}
}
