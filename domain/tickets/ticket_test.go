package tickets_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestParseTitle(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"Paint the door":               "Paint the door",
		"  Paint\t the\r\n door \n":    "Paint the door",
		"x":                            "x",
		strings.Repeat("ü", 255):       strings.Repeat("ü", 255),
		strings.Repeat("😀", 255):       strings.Repeat("😀", 255),
		" " + strings.Repeat("a", 255): strings.Repeat("a", 255),
		"<b>'; DROP TABLE ticket":      "<b>'; DROP TABLE ticket",
		"日本語 العربية":                  "日本語 العربية",
	} {
		if got, err := tickets.ParseTitle(s); err != nil || got != want {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
	for s, want := range map[string]error{
		"":                       tickets.EmptyTitle(),
		" \t\r\n\u00a0\u2003":    tickets.EmptyTitle(),
		strings.Repeat("a", 256): tickets.LongTitle(256),
		strings.Repeat("ü", 256): tickets.LongTitle(256),
		"a\x00b":                 tickets.BadTitle(),
		"a\x1bb":                 tickets.BadTitle(),
		"a\x7fb":                 tickets.BadTitle(),
		"a\xffb":                 tickets.BadTitle(),
		"\xed\xa0\x80":           tickets.BadTitle(),
	} {
		if got, err := tickets.ParseTitle(s); err != want || got != "" {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
}

func TestParseDescription(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"":                               "",
		"one\r\ntwo\nthree\rfour\r\n":    "one\ntwo\nthree\nfour\n",
		"  kept as it is \t":             "  kept as it is \t",
		strings.Repeat("a", 65535):       strings.Repeat("a", 65535),
		strings.Repeat("\r\n", 65535):    strings.Repeat("\n", 65535),
		strings.Repeat("ü", 65534/2):     strings.Repeat("ü", 65534/2),
		"<script>alert(1)</script>\n\n>": "<script>alert(1)</script>\n\n>",
	} {
		if got, err := tickets.ParseDescription(s); err != nil || got != want {
			t.Errorf("%.20q is %.20q, %v", s, got, err)
		}
	}
	for s, want := range map[string]error{
		strings.Repeat("a", 65536):   tickets.LongDescription(65536),
		strings.Repeat("ü", 65536/2): tickets.LongDescription(65536),
		"a\x00":                      tickets.BadDescription(),
		"a\xff":                      tickets.BadDescription(),
	} {
		if got, err := tickets.ParseDescription(s); err != want || got != "" {
			t.Errorf("%.20q is %.20q, %v", s, got, err)
		}
	}
}

func TestDraft(t *testing.T) {
	t.Parallel()
	draft, err := tickets.Draft{Title: " a  b ", Description: "c\r\nd", Column: 7}.Parse()
	if err != nil || !reflect.DeepEqual(draft, tickets.Draft{Title: "a b", Description: "c\nd", Column: 7}) {
		t.Errorf("%+v, %v", draft, err)
	}
	if _, err := (tickets.Draft{}).Parse(); err != (tickets.EmptyTitle()) {
		t.Error(err)
	}
	if _, err := (tickets.Draft{Title: "a", Description: "\xff"}).Parse(); err != (tickets.BadDescription()) {
		t.Error(err)
	}
}

func FuzzParseTitle(f *testing.F) {
	for _, seed := range []string{"Paint the door", "", " \t", "a\x00", "\xff", strings.Repeat("ü", 256), "\u0085x\u2028y",
		"\u200b", "e\u0301", "\ufeff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		title, err := tickets.ParseTitle(s)
		if err != nil {
			if title != "" || !errors.Is(err, fault.Invalid) || fault.Field(err) != "title" {
				t.Errorf("%q: %q, %v", s, title, err)
			}
			return
		}
		if n := utf8.RuneCountInString(title); n < 1 || n > tickets.MaxTitle || !utf8.ValidString(title) ||
			title != strings.TrimSpace(title) {
			t.Errorf("%q became %q", s, title)
		}
		if strings.ContainsAny(title, "\r\n\t\x00") ||
			strings.ContainsFunc(title, func(r rune) bool { return r < 0x80 && unicode.IsControl(r) }) {
			t.Errorf("%q became %q", s, title)
		}
		if again, err := tickets.ParseTitle(title); err != nil || again != title {
			t.Errorf("%q read again is %q, %v", title, again, err)
		}
	})
}

func FuzzParseDescription(f *testing.F) {
	for _, seed := range []string{"", "one\r\ntwo", "\r\r\n\n", "a\x00", "\xff", strings.Repeat("ü", 32768)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := tickets.ParseDescription(s)
		if err != nil {
			if text != "" || !errors.Is(err, fault.Invalid) || fault.Field(err) != "description" {
				t.Errorf("%q: %q, %v", s, text, err)
			}
			return
		}
		if len(text) > tickets.MaxDescription || !utf8.ValidString(text) || strings.Contains(text, "\r") ||
			strings.Contains(text, "\x00") {
			t.Errorf("%q became %q", s, text)
		}
		if again, err := tickets.ParseDescription(text); err != nil || again != text {
			t.Errorf("%q read again is %q, %v", text, again, err)
		}
	})
}
