package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
)

// jumps are the keys that a jump finds, in their order.
func (b *browser) jumps(t testing.TB, board, q string) (keys []string) {
	t.Helper()
	a := b.htmx(views.JumpID).get("/acme/jump?board="+board+"&q="+url.QueryEscape(q)).fragment(t, 200)
	a.page().Find("[role=option] .key").Each(func(_ int, s *goquery.Selection) { keys = append(keys, s.Text()) })
	return keys
}

func TestJump(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.newBoard("NINJA")
	other := e.newBoard("OTHER")
	e.newTickets("NINJA", 0, "Paint the fins", "Order a café table", "100% of the fins_are done")
	e.newTickets("OTHER", other.Columns[0].ID, "Fins for a boat")
	ana := e.ana()

	t.Run("a key, in any case, or a number on the board is the ticket at once", func(t *testing.T) {
		for q, board := range map[string]string{"NINJA-2": "", "ninja-2": "OTHER", " 2 ": "NINJA", "#2": "ninja"} {
			ana.get("/acme/jump?board="+board+"&q="+url.QueryEscape(q)).is(t, 303).goesTo(t, "/acme/NINJA-2")
			if got := ana.jumps(t, board, q); len(got) != 1 || got[0] != "NINJA-2" {
				t.Errorf("%q on %q lists %v", q, board, got)
			}
		}
		ana.get("/acme/jump?q=2").is(t, 200).has(t, 0, "#jump-found li") // of which board?
	})
	t.Run("words of a title are found without case and accents, those of this board first", func(t *testing.T) {
		for q, want := range map[string]string{
			"fins":            "NINJA-3 NINJA-1 OTHER-1",
			"FINS paint":      "NINJA-1",
			"cafe":            "NINJA-2",
			"%":               "NINJA-3",
			"s_a":             "NINJA-3",
			"fins nowhere":    "",
			"' OR 1=1":        "",
			"\u200b":          "",
			"x\x00y":          "",
			"\xff":            "",
			`\`:               "",
			"999999999999999": "",
		} {
			if got := strings.Join(ana.jumps(t, "NINJA", q), " "); got != want {
				t.Errorf("%q finds %q, not %q", q, got, want)
			}
		}
		if got := strings.Join(ana.jumps(t, "OTHER", "fins"), " "); got != "OTHER-1 NINJA-3 NINJA-1" {
			t.Error("on the other board:", got)
		}
	})
	t.Run("a page without a script has the list, and says when there is nothing", func(t *testing.T) {
		ana.get("/acme/jump?q=fins").is(t, 200).has(t, 3, "main .found li a")
		ana.get("/acme/jump?q=nowhere").textHas(t, "[data-nothing]", "No ticket")
		ana.get("/acme/jump?q="+strings.Repeat("x", 4000)).is(t, 200)
	})
	t.Run("another company's tickets are not found", func(t *testing.T) {
		e.account("sam", "rivals", accounts.Owner)
		sam := e.signedIn("sam")
		sam.get("/rivals/jump?q=NINJA-1").is(t, 200).has(t, 0, ".found")
		sam.get("/rivals/jump?q=fins").is(t, 200).has(t, 0, ".found")
	})
	t.Run("a deleted ticket is not found", func(t *testing.T) {
		e.program().delete("/tickets/NINJA-1").is(t, 204)
		ana.get("/acme/jump?q=NINJA-1").is(t, 200).has(t, 0, ".found")
		if got := ana.jumps(t, "NINJA", "paint"); got != nil {
			t.Error(got)
		}
	})
	t.Run("ten at most, the newest", func(t *testing.T) {
		titles := make([]string, 15)
		for i := range titles {
			titles[i] = fmt.Sprintf("Many %d", i)
		}
		e.newTickets("NINJA", 0, titles...)
		if got := ana.jumps(t, "NINJA", "many"); len(got) != 10 || got[0] != "NINJA-18" {
			t.Error(got)
		}
	})
}

func TestKeysHelp(t *testing.T) {
	t.Parallel()
	ana := newEnv(t).ana()
	ana.get("/acme/keys").is(t, 200).has(t, 1, "main h1")
	ana.htmx(views.DialogID).get("/acme/keys").fragment(t, 200).has(t, 1, "#dialog-title")
}
