package e2e

import "testing"

func TestBoards(t *testing.T) {
	t.Run("an old key leads to the ticket, which moves to another board by keys alone", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "One", "Two").tab(t)
		b.open("/acme/boards/NINJA/settings")
		b.fills("#settings-slug", "OPS")
		b.types("\r")
		b.at("/acme/boards/OPS")
		b.holds("To do", "OPS-1 OPS-2")
		b.open("/acme/NINJA-1")
		b.at("/acme/OPS-1")

		b.types("m")
		b.wait(`document.activeElement.id === "move-column"`)
		eval[bool](b, `(document.querySelector("#move-board").focus(), true)`)
		b.types("D") // the default columns
		b.wait(`document.querySelector("#move-board").value === "DEMO" && document.querySelector("#move-board-hint")`)
		eval[bool](b, `(document.querySelector("#move .primary").focus(), true)`)
		b.types("\r")
		b.at("/acme/boards/DEMO")
		b.sees("#flash", "OPS-1 is now DEMO-8")
		b.open("/acme/NINJA-1")
		b.at("/acme/DEMO-8")
		b.sees("#history", "DEMO-8")
	})
	t.Run("a full column refuses a drag, says why, and the card goes back", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		doing := b.columnID("Doing")
		a.post("/acme/boards/NINJA/columns/"+doing, "name", "Doing", "wip", "hard", "wip_limit", "1", "version", "1")
		b.open("/acme/boards/NINJA")
		b.drag(card("NINJA-1"), "#cards-"+doing+" .empty", 0)
		b.holds("Doing", "NINJA-1")
		b.sees("#column-"+doing+" .count", "1 of 1")
		b.drag(card("NINJA-2"), card("NINJA-1"), 16)
		b.sees("#column-"+doing+" .alert", "“Doing” is full: its limit is 1.")
		b.wait(`document.querySelector("#announce").textContent.includes("is full")`)
		b.holds("Doing", "NINJA-1")
		b.holds("To do", "NINJA-2 NINJA-3")
	})
}
