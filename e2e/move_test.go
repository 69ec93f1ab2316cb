package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestMoving(t *testing.T) {
	t.Run("Escape puts a card back that is dragged", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		b := a.tab(t)
		b.moving()
		b.open("/acme/boards/NINJA")
		doing := b.columnID("Doing")
		drop := b.lifts(card("NINJA-2"), "#cards-"+doing+" .empty", 0)
		b.wait(`document.documentElement.matches(".dragging")`)
		b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Escape)))
		b.hears("NINJA-2 is back where it was.")
		b.holds("To do", "NINJA-1 NINJA-2 NINJA-3")
		b.must(drop())
		b.holds("To do", "NINJA-1 NINJA-2 NINJA-3")
		if page := string(a.read("/acme/NINJA-2")); strings.Contains(page, "moved") {
			t.Error("it was moved")
		}
		b.drag(card("NINJA-2"), "#cards-"+doing+" .empty", 0)
		b.holds("Doing", "NINJA-2")
	})
	t.Run("a drag and the move form do the same, and it stays", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "One", "Two", "Three", "Four").tab(t)
		b.moving()
		b.open("/acme/boards/NINJA")
		doing := b.columnID("Doing")

		b.drag(card("NINJA-2"), "#cards-"+doing+" .empty", 0)
		b.holds("Doing", "NINJA-2")
		b.holds("To do", "NINJA-1 NINJA-3 NINJA-4")
		b.wait(`document.querySelector("#announce").textContent === "NINJA-2 moved to Doing."`)
		b.sees("#column-"+doing+" .count", "1")

		b.click(card("NINJA-3") + " .move")
		b.chooses("#move [name=column]", doing)
		b.wait(`document.querySelector('#move option[value="NINJA-2"]')`)
		b.chooses("#move [name=after]", "NINJA-2")
		b.click("#move .primary")
		b.holds("Doing", "NINJA-2 NINJA-3")
		b.holds("To do", "NINJA-1 NINJA-4")
		b.wait(`!document.querySelector("dialog[open]") && document.activeElement.closest(".card")?.dataset.key === "NINJA-3"`)

		b.drag(card("NINJA-4"), card("NINJA-1"), -16)
		b.holds("To do", "NINJA-4 NINJA-1")

		b.wait(`document.querySelector("#announce").textContent.startsWith("NINJA-4 moved")`)
		b.open("/acme/boards/NINJA")
		b.holds("Doing", "NINJA-2 NINJA-3")
		b.holds("To do", "NINJA-4 NINJA-1")
		b.open("/acme/NINJA-3")
		b.sees("#history", "moved it from To do to Doing")
	})
	t.Run("a drop at its own place sends nothing, and a click still opens the ticket", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "One", "Two").tab(t)
		b.open("/acme/boards/NINJA")
		b.drag(card("NINJA-1"), card("NINJA-1"), 6)
		b.holds("To do", "NINJA-1 NINJA-2")
		b.click(card("NINJA-2") + " a")
		b.at("/acme/NINJA-2")
		b.open("/acme/NINJA-1")
		b.sees("#history", "opened this ticket")
		if got := eval[int](b, `document.querySelectorAll("#history li").length`); got != 1 {
			t.Errorf("%d entries in the history", got)
		}
	})
	t.Run("a drag of a ticket that someone else moved shows where it is and why", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		todo, doing, done := b.columnID("To do"), b.columnID("Doing"), b.columnID("Done")
		drop := b.lifts(card("NINJA-1"), "#cards-"+doing+" .empty", 0)
		a.post("/acme/NINJA-1/position", "column", done, "after", "", "seen_column", todo, "seen_after", "")
		b.must(drop())
		b.sees("#column-"+doing+" .alert", "moved by someone else")
		b.wait(`document.querySelector("#announce").textContent.includes("moved by someone else")`)
		b.holds("Doing", "")
		b.holds("To do", "NINJA-2")
		b.open("/acme/boards/NINJA")
		b.holds("Done", "NINJA-1")
	})
	t.Run("a drag that cannot be sent goes back and says why", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		b := a.tab(t)
		b.expected = regexp.MustCompile(`ERR_CONNECTION_REFUSED`)
		b.open("/acme/boards/NINJA")
		a.stop()
		b.drag(card("NINJA-1"), "#cards-"+b.columnID("Doing")+" .empty", 0)
		b.sees("#flash", "NINJA-1 is back where it was. Counterfoil cannot be reached.")
		b.holds("To do", "NINJA-1 NINJA-2 NINJA-3")
		b.holds("Doing", "")
	})
	t.Run("a column of many tickets loads more on scroll, and a drag among them keeps them", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t)
		for range 60 {
			a.post("/acme/boards/NINJA/tickets", "title", "One of many")
		}
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		todo := b.columnID("To do")
		if eval[int](b, `document.querySelectorAll("#cards-`+todo+` .card").length`) >= 60 {
			t.Fatal("the page holds all cards at once")
		}
		b.wait(`(document.querySelector("#cards-` + todo + `").scrollTop = 1e6) && document.querySelectorAll("#cards-` +
			todo + ` .card").length === 60`)
		b.drag(card("NINJA-60"), card("NINJA-58"), -16)
		b.wait(`document.querySelector("#announce").textContent === "NINJA-60 moved to To do."`)
		b.wait(`[...document.querySelectorAll("#cards-` + todo +
			` .card")].map(c => c.dataset.key).slice(56).join(" ") === "NINJA-57 NINJA-60 NINJA-58 NINJA-59"`)
	})
}
