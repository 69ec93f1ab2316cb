package e2e

import (
	"regexp"
	"testing"
)

// A change by another user must never leave a card in a column that does not have its ticket.
func TestNoGhosts(t *testing.T) {
	t.Run("a drag to the end of a column, refused, leaves the card where it is and nowhere else", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		todo, doing, done := b.columnID("To do"), b.columnID("Doing"), b.columnID("Done")
		b.drag(card("NINJA-2"), "#cards-"+doing+" .empty", 0)
		b.holds("Doing", "NINJA-2")
		b.wait(`document.querySelector("#announce").textContent === "NINJA-2 moved to Doing."`)
		drop := b.lifts(card("NINJA-1"), card("NINJA-2"), 24)
		a.post("/acme/NINJA-1/position", "column", done, "after", "", "seen_column", todo, "seen_after", "")
		b.must(drop())
		b.sees("#column-"+doing+" .alert", "moved by someone else")
		b.holds("Doing", "NINJA-2")
		b.holds("Done", "NINJA-1")
		b.holds("To do", "")
	})
	t.Run("a ticket that was deleted goes from the board when it is touched", func(t *testing.T) {
		t.Parallel()
		a := start(t)
		c := a.setUpByCommand()
		a.post("/acme/boards", "slug", "NINJA", "title", "Night launches")
		for _, title := range []string{"One", "Two", "Three"} {
			a.post("/acme/boards/NINJA/tickets", "title", title)
		}
		a.read("/acme") // it takes the flashes, too, which would lie over the board
		b := a.tab(t)
		b.expected = regexp.MustCompile(`404`)
		b.open("/acme/boards/NINJA")
		todo, doing := b.columnID("To do"), b.columnID("Doing")
		drop := b.lifts(card("NINJA-3"), card("NINJA-1"), -16)
		a.delete(c, "NINJA-3")
		a.delete(c, "NINJA-2")
		b.must(drop())
		b.sees("#flash", "NINJA-3 is not there any more.")
		b.holds("To do", "NINJA-1")
		b.sees("#column-"+todo+" .count", "1")
		b.drag(card("NINJA-1"), "#cards-"+doing+" .empty", 0)
		b.holds("Doing", "NINJA-1")
		b.holds("To do", "")
	})
}
