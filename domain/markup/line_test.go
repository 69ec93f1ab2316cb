package markup_test

import (
	"testing"

	"github.com/counterfoil/counterfoil/domain/markup"
)

func TestLine(t *testing.T) {
	for s, want := range map[string]struct {
		line   string
		length int
		ok     bool
	}{
		"":                          {"", 0, true},
		" a \t b\r\n c\u2028":       {"a b c", 5, true},
		"größer":                    {"größer", 6, true},
		"\u200b\u200d\ufeff":        {"\u200b\u200d\ufeff", 0, true},
		"👩\u200d👧":                  {"👩\u200d👧", 3, true},
		"שלום\u200f (עולם)\u200e":   {"שלום\u200f (עולם)\u200e", 13, true},
		"a\x00":                     {"a\x00", 2, false},
		"\xff":                      {"\xff", 1, false},
		"gpj.\u202egnp":             {"gpj.\u202egnp", 8, false},
		"\u202aa\u202c":             {"\u202aa\u202c", 3, false},
		"\u2066NINJA-1\u2069":       {"\u2066NINJA-1\u2069", 9, false},
		"\u2067":                    {"\u2067", 0, false},
		"two\nlines, \u202eone way": {"two lines, \u202eone way", 19, false},
	} {
		line, length, ok := markup.Line(s)
		if line != want.line || length != want.length || ok != want.ok {
			t.Errorf("%q is %q, %d, %v", s, line, length, ok)
		}
	}
}

func TestText(t *testing.T) {
	for s, want := range map[string]bool{
		"": true, "a\r\n\tb": true, "right \u202eto left": true, "👩\u200d👧": true,
		"\x00": false, "\x1b[0m": false, "\u0085": false, "\xed\xa0\x80": false, "\xc0\xaf": false,
	} {
		if markup.Text(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}

func TestFlat(t *testing.T) {
	for s, want := range map[string]string{
		"": "", " a \t b\r\n c\u2028\u0085": "a b c", "gpj.\u202egnp": "gpj.gnp", "\u2066NINJA-1\u2069\x00": "NINJA-1",
		"caf\xe9": "caf\uFFFD", "👩\u200d👧": "👩\u200d👧",
	} {
		line := markup.Flat(s)
		if _, _, ok := markup.Line(line); line != want || !ok {
			t.Errorf("%q is %q", s, line)
		}
	}
}
