package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// opensMenu opens a card's menu with the right button.
func (b *tab) opensMenu(key string) {
	b.t.Helper()
	b.press(card(key)+" a", input.DispatchMouseEventParams{Button: input.MouseButtonRight})
	b.wait(`document.querySelector("#card-menu:popover-open")?.contains(document.activeElement)`)
}

// does chooses an entry of the open menu, or of the bar of selected cards.
func (b *tab) does(what string) {
	b.t.Helper()
	b.click(`:is(#card-menu:popover-open, body:not(:has(#card-menu:popover-open)) #selection) [data-does=` + what + `]`)
}

// selected waits until exactly these cards are selected.
func (b *tab) selected(keys string) {
	b.t.Helper()
	b.wait(`[...document.querySelectorAll(".card[data-selected]")].map(c => c.dataset.key).join(" ") === %s &&
		document.querySelector("#selection").hidden === !%[1]s`, keys)
}

func TestCardMenu(t *testing.T) {
	t.Run("by the right button and by keys, all that a card can", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.opensMenu("NINJA-1")
		b.wait(`document.querySelector("#card-menu .of").textContent === "NINJA-1"`)
		b.does("bottom")
		b.holds("To do", "NINJA-2 NINJA-3 NINJA-1")
		b.sees("#flash .toast", "NINJA-1 is at the bottom.")
		b.opensMenu("NINJA-3")
		b.does("top")
		b.holds("To do", "NINJA-3 NINJA-2 NINJA-1")

		b.types(kb.Escape)
		b.types("j.")
		b.wait(`document.activeElement.dataset.does === "open"`)
		b.types(kb.ArrowDown + kb.End + kb.Home + kb.ArrowUp)
		b.wait(`document.activeElement.dataset.does === "delete"`)
		b.types(kb.Escape)
		b.wait(`!document.querySelector(":popover-open") && document.activeElement.closest(".card")`)
		b.types(".p") // its entry's own key
		b.wait(`document.querySelector("dialog[open] [name=priority]") && !document.querySelector(":popover-open")`)
		b.click(`dialog [name=priority][value=low]`)
		b.click("dialog .primary")
		b.wait(`document.querySelectorAll(".card .plan").length === 1`)

		b.opensMenu("NINJA-2")
		b.does("close")
		b.holds("Done", "NINJA-2")
		b.sees("#flash .toast", "NINJA-2 is closed.")
		b.opensMenu("NINJA-2")
		b.sees("#card-menu [data-does=close]", "Reopen")
		b.does("close")
		b.holds("Done", "")
		b.opensMenu("NINJA-1")
		b.does("delete")
		b.sees("dialog[open] h2", "Delete 1 ticket?")
		b.click("dialog .danger")
		b.wait(`!document.querySelector(%s)`, card("NINJA-1"))
		b.ctrl("z", "KeyZ", 90)
		b.wait(`document.querySelector(%s)`, card("NINJA-1"))
		b.opensMenu("NINJA-1")
		b.does("open")
		b.beside("NINJA-1")
	})

	t.Run("on a phone the handle opens it, and a selection goes on by taps", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		b := a.tab(t)
		b.size(390, 800, true)
		b.open("/acme/boards/NINJA")
		b.tap(card("NINJA-1") + " .move")
		b.wait(`document.querySelector("#card-menu:popover-open")`)
		b.tap(`#card-menu [data-does=select]`)
		b.selected("NINJA-1")
		b.tap(card("NINJA-3") + " a")
		b.selected("NINJA-1 NINJA-3")
		b.tap(card("NINJA-1") + " a")
		b.selected("NINJA-3")
		b.tap(`#selection [data-does=close]`)
		b.holds("Done", "NINJA-3")
		b.selected("NINJA-3") // it may be wanted for more
		b.tap(`#selection [data-does=clear]`)
		b.selected("")
	})

	t.Run("a board that is read only has what reads, and no bar", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		b := a.tab(t)
		a.post("/acme/boards/NINJA/archive", "archived", "1", "version", "1")
		b.open("/acme/boards/NINJA")
		b.opensMenu("NINJA-1")
		b.wait(`[...document.querySelectorAll("#card-menu [role=menuitem]:not([hidden])")].map(i => i.dataset.does).join(" ") === "open copy-link copy-key"`)
		b.types(kb.Escape + "jx")
		b.hears("read only")
		b.selected("")
	})
}

func TestSelection(t *testing.T) {
	t.Run("by keys and by clicks with Shift, and the bar changes all", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three", "Four", "Five")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.types("jx")
		b.selected("NINJA-1")
		b.shiftClick(card("NINJA-3") + " a")
		b.selected("NINJA-1 NINJA-2 NINJA-3")
		b.hears("3 cards selected.")
		b.shiftClick(card("NINJA-2") + " a") // a range, which it is in already
		b.selected("NINJA-1 NINJA-2 NINJA-3")

		a.post("/acme/NINJA-2", "title", "Two by another", "description", "", "version", "1")
		b.sees(card("NINJA-2")+" .title", "Two by another")
		b.selected("NINJA-1 NINJA-2 NINJA-3")
		a.post("/acme/NINJA-2/position", "column", b.columnID("Doing"), "after", "")
		b.holds("Doing", "NINJA-2")
		b.selected("NINJA-1 NINJA-3 NINJA-2")

		b.types("p")
		b.sees("dialog[open] h2", "Priority of 3 tickets")
		b.click(`dialog [name=priority][value=high]`)
		b.click("dialog .primary")
		b.wait(`document.querySelectorAll(".card[data-selected] .plan").length === 3`)
		b.sees("#flash .toast", "3 tickets are saved.")

		b.does("labels")
		b.wait(`document.querySelector("dialog[open] #batch-add") === document.activeElement`)
		b.types(strings.Repeat("x", 41) + "\r")
		b.sees("dialog #batch-add-error", "40")
		b.wait(`document.querySelector("#batch-add").value.length === 41`)
		b.fills("#batch-add", "wood")
		b.types("\r")
		b.wait(`!document.querySelector("dialog[open]") && document.querySelectorAll(".card[data-selected] .label").length === 3`)

		b.does("move")
		b.wait(`document.querySelector("dialog[open] #batch-column")`)
		b.chooses("#batch-column", b.columnID("Done"))
		b.click("dialog .primary")
		b.holds("Done", "NINJA-1 NINJA-3 NINJA-2")
		b.types(kb.Escape)
		b.selected("")
		b.ctrl("z", "KeyZ", 90) // all three
		b.holds("Done", "")
		b.holds("To do", "NINJA-1 NINJA-3 NINJA-4 NINJA-5")
	})

	t.Run("what leaves the page is selected no more", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.types("jxjx")
		b.selected("NINJA-1 NINJA-2")
		b.fills("#filter-q", "Two")
		b.holds("To do", "NINJA-2")
		b.selected("NINJA-2")
	})
}

// shiftClick clicks with Shift.
func (b *tab) shiftClick(selector string) {
	b.t.Helper()
	b.press(selector, input.DispatchMouseEventParams{Button: input.MouseButtonLeft, Modifiers: 8})
}

// press presses a button on the middle of an element, and lets it go.
func (b *tab) press(selector string, with input.DispatchMouseEventParams) {
	b.t.Helper()
	p := b.middle(selector)
	with.X, with.Y, with.ClickCount = p.X, p.Y, 1
	for _, with.Type = range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		call(b, input.DispatchMouseEvent, with)
	}
}

func TestColumnsAreDragged(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "One", "Two")
	b, other := a.tab(t), a.tab(t)
	b.size(1280, 800, false)
	other.size(1280, 800, false)
	b.open("/acme/boards/NINJA")
	other.open("/acme/boards/NINJA")
	const names = `[...document.querySelectorAll(".column h2")].map(h => h.textContent).join(", ")`
	b.drag("#column-"+b.columnID("Done")+" > header", "#column-"+b.columnID("To do")+" > header", 0)
	b.wait(names + ` === "Done, To do, Doing"`)
	b.hears("Done is column 1 of 3.")
	other.wait(names + ` === "Done, To do, Doing"`)
	other.holds("To do", "NINJA-1 NINJA-2")
	b.holds("To do", "NINJA-1 NINJA-2")

	a.post("/acme/boards/NINJA/archive", "archived", "1", "version", "2")
	b.sees(".banner", "Archived")
	b.wait(`!("columns" in document.querySelector("#board").dataset)`)
	b.drag("#column-"+b.columnID("Done")+" > header", "#column-"+b.columnID("Doing")+" > header", 0) // does nothing
	a.post("/acme/boards/NINJA/archive", "version", "3")
	b.wait(`"columns" in document.querySelector("#board").dataset && ` + names + ` === "Done, To do, Doing"`)

	b.expected = regexp.MustCompile(`status of 4\d\d`)
	doing := b.columnID("Doing")
	eval[bool](b, `(document.querySelector(%s).dataset.column = 99, true)`, "#column-"+doing) // as if it was removed
	b.drag("#column-"+doing+" > header", "#column-"+b.columnID("Done")+" > header", 0)
	b.sees("#flash .toast.bad", "Doing is back where it was.")
	b.wait(names + ` === "Done, To do, Doing"`)
}

func TestColumnsAreFolded(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "One", "Two")
	b := a.tab(t)
	b.size(1280, 800, false)
	b.open("/acme/boards/NINJA")
	todo, doing := "#column-"+b.columnID("To do"), "#column-"+b.columnID("Doing")
	b.click(doing + " .fold button")
	b.wait(`document.querySelector(%s).getBoundingClientRect().width < 60`, doing)
	b.wait(`document.querySelector(%s).ariaExpanded === "false"`, doing+" .fold button")
	a.post("/acme/boards/NINJA/tickets", "title", "Three", "column", doing[len("#column-"):])
	b.wait(`document.querySelector(%s).textContent.startsWith("1") && document.querySelector(%s).matches("[data-folded]")`, doing+" .count", doing)
	b.types("jl") // past it
	b.on("NINJA-1")
	b.open("/acme/boards/NINJA")
	b.wait(`document.querySelector(%s).getBoundingClientRect().width < 60`, doing)
	b.accessible("a folded column")
	b.click(doing + " .fold button")
	b.holds("Doing", "NINJA-3")
	b.wait(`document.querySelector(%s).getBoundingClientRect().width > 200 && document.querySelector(%s).matches(":not([data-folded])")`, doing, todo)

	b.noScript()
	b.open("/acme/boards/NINJA?q=o")
	b.wait(`location.search === "?q=o" && document.readyState === "complete"`) // a click on the page before is lost
	b.click(doing + " .fold button")
	b.wait(`location.search === "?q=o" && document.querySelector(%s).matches("[data-folded]")`, doing)
}
