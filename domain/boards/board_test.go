package boards_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
)

func TestParseSlug(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"NINJA": "NINJA", "ninja": "NINJA", " Ninja\n": "NINJA", "A1": "A1",
		"ABCDEFGHIJ": "ABCDEFGHIJ", "A000000000": "A000000000"} {
		if got, err := boards.ParseSlug(s); err != nil || got != want {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
	for _, s := range []string{"", " ", "\t\r\n", "\u2003"} {
		if got, err := boards.ParseSlug(s); err != (boards.EmptySlug()) || got != "" {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
	for _, s := range []string{"A", "1", "1A", "ABCDEFGHIJK", "NIN JA", "NIN-JA", "NIN_JA", "NINJÄ", "ÑINJA", "ninja\x00",
		"\xff\xff", "忍者", "../..", "A'", "NINJA\nX", "ＡＢ"} {
		if got, err := boards.ParseSlug(s); err != (boards.BadSlug()) || got != "" {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
}

func FuzzParseSlug(f *testing.F) {
	for _, seed := range []string{"NINJA", " ninja ", "A", "1A", "ABCDEFGHIJK", "ſſ", "ı1", "\xff", "ß1", "K1", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		slug, err := boards.ParseSlug(s)
		if err != nil {
			if slug != "" || !errors.Is(err, fault.Invalid) || fault.Field(err) != "slug" {
				t.Errorf("%q: %q, %v", s, slug, err)
			}
			return
		}
		if len(slug) < 2 || len(slug) > 10 || slug[0] < 'A' || slug[0] > 'Z' ||
			strings.Trim(slug, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			t.Errorf("%q became %q", s, slug)
		}
		if !strings.EqualFold(slug, strings.TrimSpace(s)) {
			t.Errorf("%q became %q, another word", s, slug)
		}
		for _, again := range []string{slug, strings.ToLower(slug), " " + slug + "\n"} {
			if got, err := boards.ParseSlug(again); err != nil || got != slug {
				t.Errorf("%q read again is %q, %v", again, got, err)
			}
		}
	})
}

func TestParseTitle(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"Night launches": "Night launches", " Night\r\n launches ": "Night launches",
		strings.Repeat("😀", 255): strings.Repeat("😀", 255)} {
		if got, err := boards.ParseTitle(s); err != nil || got != want {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
	for s, want := range map[string]error{
		"": boards.EmptyTitle(), " \u00a0": boards.EmptyTitle(), strings.Repeat("ö", 256): boards.LongTitle(256),
		"a\x07": boards.BadTitle(), "\xff": boards.BadTitle(),
	} {
		if got, err := boards.ParseTitle(s); err != want || got != "" {
			t.Errorf("%q is %q, %v", s, got, err)
		}
	}
}

func FuzzParseTitle(f *testing.F) {
	for _, seed := range []string{"Night launches", "", " \t", "a\x00", "\xff", strings.Repeat("ü", 256),
		"\u0085x\u2028y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		title, err := boards.ParseTitle(s)
		if err != nil {
			if title != "" || !errors.Is(err, fault.Invalid) || fault.Field(err) != "title" {
				t.Errorf("%q: %q, %v", s, title, err)
			}
			return
		}
		if n := utf8.RuneCountInString(title); n < 1 || n > boards.MaxTitle || !utf8.ValidString(title) ||
			title != strings.TrimSpace(title) {
			t.Errorf("%q became %q", s, title)
		}
		if strings.ContainsFunc(title, func(r rune) bool { return r < 0x80 && unicode.IsControl(r) }) {
			t.Errorf("%q became %q", s, title)
		}
		if again, err := boards.ParseTitle(title); err != nil || again != title {
			t.Errorf("%q read again is %q, %v", title, again, err)
		}
	})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err         error
		kind        error
		field, says string
	}{
		{boards.EmptySlug(), fault.Invalid, "slug", "Enter a ticket prefix"},
		{boards.BadSlug(), fault.Invalid, "slug", "2 to 10 letters"},
		{boards.SlugConflict("NINJA", boards.Board{Slug: "NINJA", Title: "Night"}), fault.Conflict, "slug",
			"“Night” already uses NINJA. Choose another"},
		{boards.SlugConflict("NINJA", boards.Board{Slug: "OPS", Title: "Night"}), fault.Conflict, "slug",
			"The board OPS was NINJA before"},
		{boards.SlugConflict("NINJA", boards.Board{Slug: "OPS", Title: "Night", Grant: db.Grant{Private: true}}),
			fault.Conflict, "slug", "Another board uses or used NINJA."},
		{boards.Unknown(), fault.Invalid, "board", "Choose one"},
		{boards.Archived(), fault.Conflict, "", "This board is archived. Restore it first."},
		{boards.ColumnFull("Doing", 4), fault.Conflict, "column", "“Doing” is full: its limit is 4."},
		{boards.BadColumnName(true, 81), fault.Invalid, "name", "81 characters; shorten it to 80"},
		{boards.BadColumnName(true, 0), fault.Invalid, "name", "Enter a name for the column"},
		{boards.BadColumnName(false, 3), fault.Invalid, "name", "Type it again"},
		{boards.BadWIP(), fault.Invalid, "wip", "none, soft and hard"},
		{boards.BadLimit(), fault.Invalid, "wip_limit", "from 1 to 9999"},
		{boards.BadPosition(), fault.Invalid, "position", "first column is 1"},
		{boards.TooManyColumns(), fault.Conflict, "name", "at most 50 columns"},
		{boards.LastColumn(), fault.Conflict, "", "Add another one first"},
		{boards.NoHeir(), fault.Invalid, "to", "Choose the column"},
		{boards.EmptyTitle(), fault.Invalid, "title", "Enter a title for the board"},
		{boards.LongTitle(300), fault.Invalid, "title", "300 characters; shorten it to 255"},
		{boards.BadTitle(), fault.Invalid, "title", "Type it again"},
		{boards.NotFound(), fault.NotFound, "", "See the list of boards"},
		{boards.ColumnNotFound{Column: 7}, fault.Invalid, "column", "Reload the board"},
		{boards.Stale{Current: boards.Board{Title: "Night launches"}}, fault.Conflict, "title",
			"“Night launches”. Check it"},
	} {
		wrapped := fmt.Errorf("use case: %w", c.err)
		if !errors.Is(wrapped, c.kind) || fault.KindOf(wrapped) != c.kind {
			t.Errorf("%T is of the kind %v", c.err, fault.KindOf(wrapped))
		}
		if got := fault.Field(wrapped); got != c.field {
			t.Errorf("%T is about the field %q", c.err, got)
		}
		if got := fault.Message(wrapped); !strings.Contains(got, c.says) || !strings.HasSuffix(got, ".") {
			t.Errorf("%T says %q", c.err, got)
		}
	}
}
