package e2e

import "testing"

func TestRelations(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the door", "Buy paint", "Choose a colour")
	ben := a.member(t, "Ben Okafor", "ben@example.com")
	b := a.tab(t)
	b.open("/acme/NINJA-1")
	ben.open("/acme/NINJA-2")

	// By keyboard alone: the form, a word of the title, Enter.
	typist{}.types(b, "lbuy\r")
	b.wait(`!document.querySelector("dialog[open]")`)
	b.sees("#relations", "Buy paint")
	b.sees("#relations h3", "Blocked by")
	b.sees("#flash .toast", "NINJA-1 is saved.")
	ben.sees("#relations h3", "Blocks") // it shows by itself
	ben.sees("#history", "added a relation: blocks NINJA-1")

	// A board shows by itself what is blocked, and that it is not any more.
	board := a.tab(t)
	board.open("/acme/boards/NINJA")
	board.sees(".card[data-key=NINJA-1] .blocked", "Blocked")
	ben.click("#closure button")
	board.wait(`!document.querySelector(".card[data-key=NINJA-1] .blocked")`)
	b.sees("#relations li.closed", "Buy paint")
	a.post("/acme/NINJA-2/closure", "closed", "0")
	board.sees(".card[data-key=NINJA-1] .blocked", "Blocked")
	b.click("#relations button")
	b.wait(`!document.querySelector("#relations")`)
	b.ctrl("z", "KeyZ", 90)
	b.sees("#relations", "Buy paint")
	b.click("#relations button")
	b.wait(`!document.querySelector("#relations")`)
	ben.wait(`!document.querySelector("#relations")`)

	// What is refused stays in the dialog, with its input.
	b.types("b")
	b.wait(`document.activeElement.id === "relate-q"`)
	b.chooses("#relate-kind", "child")
	b.fills("#relate-q", "NINJA-99")
	b.sees("#related-found .none", "No other ticket")
	b.click("#relate .primary")
	b.sees("#relate .summary", "is no key of a ticket")
	b.wait(`document.querySelector("#relate-kind").value === "child" && document.querySelector("#relate-q").value === "NINJA-99"`)
	b.fills("#relate-q", "colour")
	b.click("#related-found input")
	b.click("#relate .primary")
	b.sees("#relations h3", "0 of 1 closed")
	b.accessible("a ticket with relations")
	b.fits("/acme/NINJA-1")
	b.click("#relations button")
	b.wait(`!document.querySelector("#relations")`)
}
