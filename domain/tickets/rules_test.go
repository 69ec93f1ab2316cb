package tickets_test

import (
	"encoding/base64"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestCursor(t *testing.T) {
	t.Parallel()
	t.Run("any cursor is read as it was written", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			want := tickets.Cursor{Column: id.Column(rapid.Uint64().Draw(t, "column")), Rank: rapid.Int64().Draw(t, "rank"),
				Number: rapid.Uint64().Draw(t, "number"), Moved: rapid.Int64().Draw(t, "moved")}
			if got, err := tickets.ParseCursor(want.String()); err != nil || *got != want {
				t.Fatalf("%+v was read as %+v, %v", want, got, err)
			}
		})
	})
	t.Run("so is a place in another order, if a ticket can have it", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			by := rapid.SampledFrom([]db.TicketColumn{db.TicketPriority, db.TicketStart, db.TicketDue, db.TicketCreated, db.TicketUpdated, db.TicketClosed})
			order := db.TicketOrder{By: by.Draw(t, "by"), Descending: rapid.Bool().Draw(t, "descending")}
			sorted := tickets.Sorted{Order: order, ID: tickets.ID(rapid.Uint64().Draw(t, "id")), Known: rapid.Bool().Draw(t, "known")}
			if sorted.Known {
				sorted.At = rapid.OneOf(rapid.Int64Range(0, 9), rapid.Int64()).Draw(t, "at")
			}
			place := db.TicketPlace{ID: sorted.ID}
			if sorted.Known {
				place.At = &sorted.At
			}
			want := tickets.Cursor{Sorted: sorted}
			switch got, err := tickets.ParseCursor(want.String()); {
			case !order.Has(place):
				domaintest.Fails(got, err)(t, tickets.CodeBadCursor)
			case err != nil || *got != want:
				t.Fatalf("%+v was read as %+v, %v", want, got, err)
			}
		})
	})
	t.Run("no text is the start, and any other text is refused", func(t *testing.T) {
		t.Parallel()
		if start, err := tickets.ParseCursor(""); start != nil || err != nil {
			t.Errorf("%v, %v", start, err)
		}
		plain := base64.RawURLEncoding.EncodeToString
		good := tickets.Cursor{Column: 1, Rank: -2, Number: 3, Moved: 4}.String()
		for _, text := range []string{"x", "%ff", "AAAA", "\xff", good + "=", " " + good, good + "AA", plain([]byte("1:2:3")),
			plain([]byte("1:2:3:4:5")), plain([]byte("-1:2:3:4")), plain([]byte("01:2:3:4")), plain([]byte("+1:2:3:4")),
			plain([]byte("1: 2:3:4")), plain([]byte("1:9223372036854775808:3:4")), plain([]byte("a:b:c:d")),
			strings.Repeat("A", 5000), plain([]byte("t.due:true:true:1")), plain([]byte("t.title:true:true:1:1")),
			plain([]byte("t.due:true:false:1:1:1")), plain([]byte("t.created:true:false:0:1")), plain([]byte("t.priority:false:true:0:1")),
			plain([]byte("t.due:false:true:9223372036854775807:1"))} {
			domaintest.Fails(tickets.ParseCursor(text))(t, tickets.CodeBadCursor)
		}
	})
	t.Run("a cursor of deleted tickets is read as it was written, and other text is refused", func(t *testing.T) {
		t.Parallel()
		want := tickets.DeletedCursor{At: time.Date(2026, 2, 3, 4, 5, 6, 789000, time.UTC), ID: math.MaxInt64 / 10}
		if got, ok := tickets.ParseDeletedCursor(want.String()); !ok || *got != want {
			t.Errorf("%+v was read as %+v", want, got)
		}
		if start, ok := tickets.ParseDeletedCursor(""); start != nil || !ok {
			t.Error("no text is not the start")
		}
		for _, text := range []string{"-", "1-", "-1", "1", "1-2-3", " 1-2", "1-2\n", "+1-2", "1--2", "a-b", "\xff",
			strings.Repeat("1", 17) + "-1", "1-" + strings.Repeat("1", 19)} {
			if got, ok := tickets.ParseDeletedCursor(text); ok {
				t.Errorf("%q was read as %+v", text, got)
			}
		}
	})
}

func TestParseShortKey(t *testing.T) {
	t.Parallel()
	key := tickets.Key{Board: "NINJA", Number: 42}
	for typed, want := range map[[2]string]tickets.Key{
		{"NINJA-42", ""}: key, {"ninja-42", "PIRATE"}: key, {" 42 ", "NINJA"}: key, {"#42", "ninja"}: key,
		{"#NINJA-42", ""}: key, {"ninja42", ""}: key, {"NINJA 42", "PIRATE"}: key, {"Ninja - 42", ""}: key,
		{"NINJA\u201142", ""}: key, {"ops2-7", ""}: {Board: "OPS2", Number: 7}, {"ops27", ""}: {Board: "OPS", Number: 27},
		{"o2s7", ""}: {Board: "O2S", Number: 7}, {"ninja042", ""}: {}, {"ninja-42 x", ""}: {}, {"fix 2 fins 3", ""}: {},
		{"42", ""}: {}, {"0", "NINJA"}: {}, {"042", "NINJA"}: {}, {"-42", "NINJA"}: {},
		{"42x", "NINJA"}: {}, {"", "NINJA"}: {}, {"9223372036854775808", "NINJA"}: {}, {"\xff", "NINJA"}: {},
	} {
		if got, ok := tickets.ParseShortKey(typed[0], typed[1]); got != want || ok != (want != tickets.Key{}) {
			t.Errorf("%q on %q is %v, %v", typed[0], typed[1], got, ok)
		}
	}
}

func TestParseComment(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"x":                                 "x",
		"  kept \r\nas it\ris \n":           "  kept \nas it\nis \n",
		strings.Repeat("a", 65535):          strings.Repeat("a", 65535),
		"a" + strings.Repeat("\r\n", 65534): "a" + strings.Repeat("\n", 65534),
		"<script>alert(1)</script>":         "<script>alert(1)</script>",
	} {
		if got, err := tickets.ParseComment(s); err != nil || got != want {
			t.Errorf("%.20q is %.20q, %v", s, got, err)
		}
	}
	for s, want := range map[string]error{
		"":                           tickets.EmptyComment(),
		" \t\r\n\u00a0\u2003\u200b":  tickets.EmptyComment(),
		strings.Repeat("a", 65536):   tickets.LongComment(65536),
		strings.Repeat("ü", 65536/2): tickets.LongComment(65536),
		"a\x00":                      tickets.BadComment(),
		"a\x1b":                      tickets.BadComment(),
		"a\xff":                      tickets.BadComment(),
		"\xed\xa0\x80":               tickets.BadComment(),
	} {
		if got, err := tickets.ParseComment(s); err != want || got != "" {
			t.Errorf("%.20q is %.20q, %v", s, got, err)
		}
	}
}

func TestConflict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                   string
		theirTitle, theirText  string
		myTitle, myText        string
		mergedTitle, merged    string
		titleClash, linesClash bool
	}{
		{"what only they changed is theirs", "their", "1\n2\nC", "base", "1\n2\n3", "their", "1\n2\nC", false, false},
		{"what only I changed is mine", "base", "1\n2\n3", "my", "A\n2\n3", "my", "A\n2\n3", false, false},
		{"different lines are merged", "base", "1\n2\nC", "base", "A\n2\n3", "base", "A\n2\nC", false, false},
		{"the same change is no clash", "same", "1\n2\nC", "same", "1\n2\nC", "same", "1\n2\nC", false, false},
		{"two titles clash, and mine is offered", "their", "1\n2\n3", "my", "1\n2\n3", "my", "1\n2\n3", true, false},
		{"the same lines clash, and both are there", "base", "1\n2\nC", "base", "1\n2\nM", "base",
			"1\n2\nM\nC", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conflict := tickets.Conflict{Current: tickets.Ticket{Title: c.theirTitle, Description: c.theirText},
				Since: tickets.LaterEdits{Title: "base", Description: "1\n2\n3"}}
			conflict.Resolve(c.myTitle, c.myText)
			merged, missing := conflict.Merged.Text()
			if conflict.MergedTitle != c.mergedTitle || merged != c.merged || conflict.TitleClash != c.titleClash ||
				(missing != nil) != c.linesClash {
				t.Errorf("%+v", conflict)
			}
			if (conflict.Title != nil) != (c.theirTitle != "base") || (conflict.Lines != nil) != (c.theirText != "1\n2\n3") {
				t.Errorf("they changed the title %v and the lines %v", conflict.Title, conflict.Lines)
			}
		})
	}
}

func TestClosedIn(t *testing.T) {
	t.Parallel()
	now, before := time.Unix(2, 0), time.Unix(1, 0)
	for _, c := range []struct {
		was              *time.Time
		fromDone, toDone bool
		want             *time.Time
	}{
		{nil, false, true, &now}, {&before, false, true, &before}, {&before, true, true, &before},
		{&before, true, false, nil},
		{&before, false, false, &before}, {nil, false, false, nil},
	} {
		got := tickets.ClosedIn(tickets.Ticket{ClosedAt: c.was}, c.fromDone, c.toDone, now)
		if (got == nil) != (c.want == nil) || got != nil && !got.Equal(*c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
