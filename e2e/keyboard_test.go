package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// on waits until a card has the focus, and is in view.
func (b *tab) on(key string) {
	b.t.Helper()
	b.wait(`(() => {
		const card = document.activeElement.closest("#board .card")
		const box = card?.getBoundingClientRect(), list = card?.parentElement.getBoundingClientRect()
		return card?.dataset.key === %s && box.bottom <= list.bottom + 1 && box.top >= list.top - 1 && box.right <= innerWidth && box.left >= 0
	})()`, key)
}

// hears waits for an announcement to screen readers.
func (b *tab) hears(text string) {
	b.t.Helper()
	b.wait(`document.querySelector("#announce").textContent.includes(%s)`, text)
}

// listensAll has the page keep all announcements in heard, for one that the next may follow at once.
func (b *tab) listensAll() {
	b.t.Helper()
	eval[bool](b, `(() => {
		const region = document.querySelector("#announce")
		window.heard = []
		new MutationObserver(() => { if (region.textContent) heard.push(region.textContent) }).observe(region, { childList: true })
		return true
	})()`)
}

func TestKeyboard(t *testing.T) {
	t.Run("a board is walked, a ticket made, moved by two columns and edited, without a mouse", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		b := a.tab(t)
		b.open("/acme")
		b.types("\t\t") // past the skip link
		b.open("/acme/boards/NINJA")
		todo, doing, done := b.columnID("To do"), b.columnID("Doing"), b.columnID("Done")
		a.post("/acme/boards/NINJA/tickets", "title", "Five", "column", doing)
		b.open("/acme/boards/NINJA")

		b.types("c")
		b.wait(`document.activeElement.id === "new-title"`)
		b.types("Made by hand\r" + kb.Escape)
		b.wait(`!document.querySelector("dialog[open]")`)
		b.holds("To do", "NINJA-1 NINJA-2 NINJA-3 NINJA-5")

		b.types("j")
		b.on("NINJA-1")
		b.wait(`document.activeElement.matches(":focus-visible")`)
		b.types("jj")
		b.on("NINJA-3")
		b.types("l")
		b.on("NINJA-4")
		b.types("h") // the row is kept through a shorter column
		b.on("NINJA-3")
		b.types(kb.ArrowDown)
		b.on("NINJA-5")
		b.types("j") // there is none below
		b.on("NINJA-5")

		b.types("m")
		b.hears("NINJA-5 in To do, 4 of 4, below NINJA-3")
		b.sees(".move-bar", "NINJA-5 in To do, 4 of 4, below NINJA-3")
		b.types(kb.ArrowUp)
		b.hears("NINJA-5 in To do, 3 of 4, below NINJA-2")
		b.types("l")
		b.hears("NINJA-5 in Doing, 2 of 2, below NINJA-4")
		b.types("k")
		b.hears("NINJA-5 in Doing, 1 of 2, at the top")
		b.types(kb.ArrowRight)
		b.hears("NINJA-5 in Done, 1 of 1, at the top")
		b.on("NINJA-5")
		b.types("\r")
		b.hears("NINJA-5 moved to Done.")
		b.on("NINJA-5")
		b.wait(`document.querySelector("#column-` + done +
			` .count").textContent.startsWith("1") && !document.querySelector(".move-bar")`)

		b.types("e")
		b.at("/acme/NINJA-5/edit")
		b.wait(`document.activeElement.id === "edit-title"`)
		b.types(kb.End + ", by keys")
		b.types("\r")
		b.sees("h1", "Made by hand, by keys")
		b.sees("#history", "moved it from To do to Done")
		b.open("/acme/boards/NINJA")
		b.holds("Done", "NINJA-5")
		b.holds("To do", "NINJA-1 NINJA-2 NINJA-3")
		_ = todo
	})
	t.Run("Escape puts a card back and nothing is sent", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "One", "Two", "Three").tab(t)
		b.open("/acme/boards/NINJA")
		b.types("jjm" + kb.ArrowRight + kb.ArrowRight)
		b.hears("NINJA-2 in Done")
		b.types(kb.Escape)
		b.hears("NINJA-2 is back in To do.")
		b.on("NINJA-2")
		b.holds("To do", "NINJA-1 NINJA-2 NINJA-3")
		b.types("m\r")
		b.hears("NINJA-2 stays where it was.")
		b.open("/acme/NINJA-2")
		if got := eval[int](b, `document.querySelectorAll("#history li").length`); got != 1 {
			t.Errorf("%d entries in the history", got)
		}
	})
}

func TestWalk(t *testing.T) {
	t.Run("a move by keys that is refused says so, and the card has the focus where it is", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		todo, done := b.columnID("To do"), b.columnID("Done")
		b.types("jm" + kb.ArrowRight)
		a.post("/acme/NINJA-1/position", "column", done, "after", "", "seen_column", todo, "seen_after", "")
		b.types("\r")
		b.hears("moved by someone else")
		b.holds("Done", "NINJA-1")
		b.on("NINJA-1")
	})
	t.Run("the walk loads what is below the cards of the first page", func(t *testing.T) {
		t.Parallel()
		titles := make([]string, 53)
		for i := range titles {
			titles[i] = fmt.Sprintf("Number %d", i+1)
		}
		b := withBoard(t, titles...).tab(t)
		b.open("/acme/boards/NINJA")
		b.types(strings.Repeat("j", 50))
		b.on("NINJA-50")
		b.types("j")
		b.on("NINJA-51")
		b.types("m" + kb.ArrowDown)
		b.hears("NINJA-51 in To do, 52 of 53, below NINJA-52")
		b.types("\r")
		b.hears("NINJA-51 moved to To do.")
		b.wait(`[...document.querySelectorAll("#board .card")].map(c => c.dataset.key).slice(49).join(" ") === "NINJA-50 NINJA-52 NINJA-51 NINJA-53"`)
		b.on("NINJA-51")
	})
	t.Run("Enter opens a card, and the way back ends at it", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "One", "Two").tab(t)
		b.open("/acme/boards/NINJA")
		b.types("jj\r")
		b.at("/acme/NINJA-2")
		b.open("/acme/boards/NINJA")
		b.on("NINJA-2")
	})
	t.Run("Enter takes the first member who was found, and saves, also when the list is there already", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		a.member(t, "Ben Okafor", "ben@example.com")
		b := a.tab(t)
		b.open("/acme/NINJA-1")
		b.types("a")
		b.wait(`document.activeElement.id === "assign-q" && document.querySelectorAll("#people-found label").length === 2`)
		b.types("ok")
		b.wait(`document.querySelector("#people-found").dataset.find === "ok" && !document.querySelector("#assign .htmx-request")`)
		b.types("\r")
		b.wait(`!document.querySelector("dialog[open]")`)
		b.sees("#assignees", "Ben Okafor")
		b.types("a")
		b.wait(`document.activeElement.id === "assign-q" && document.querySelector("#people-found :checked")`)
		b.types("\r") // nothing typed
		b.wait(`!document.querySelector("dialog[open]")`)
	})
	t.Run("a assigns the card's ticket, and the board stays", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "One", "Two").tab(t)
		b.open("/acme/boards/NINJA")
		b.types("jja")
		b.wait(`document.activeElement.id === "assign-q" && document.querySelector("#dialog-title").innerText.includes("NINJA-2")`)
		b.wait(`document.querySelector("#people-found input")`)
		b.types("\t ") // the first member
		b.wait(`document.querySelector("#assign input:checked")`)
		b.types("\r")
		b.hears("NINJA-2 is saved.")
		b.wait(`!document.querySelector("dialog[open]")`)
		b.on("NINJA-2")
		b.open("/acme/work")
		b.sees("main", "Two")
	})
}

func TestShortcuts(t *testing.T) {
	t.Run("a jump goes to a key at once, and to a title by the arrows", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "Paint the fins", "Sand the fins", "Count down").tab(t)
		b.open("/acme/boards/NINJA")
		b.types("/")
		b.wait(`document.activeElement.id === "jump-q"`)
		b.types("2\r")
		b.at("/acme/NINJA-2")
		b.types("/")
		b.wait(`document.activeElement.id === "jump-q"`)
		b.types("fin")
		b.wait(`document.querySelectorAll("#jump-found [role=option]").length === 2`)
		b.types("s")
		// The results of “fin” are there already; arrows go through the results of the whole text.
		b.wait(`document.activeElement.ariaExpanded === "true" && document.querySelectorAll("#jump-found [role=option]").length === 2`)
		b.hears("2 results")
		b.types(kb.ArrowDown + kb.ArrowDown)
		b.wait(`document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.innerText.includes("Paint")`)
		b.types("\r")
		b.at("/acme/NINJA-1")
		b.types("/")
		b.wait(`document.activeElement.id === "jump-q"`)
		b.types("nothing like it")
		b.sees("#dialog", "Nothing has this key")
		b.types(kb.Escape)
		b.wait(`!document.querySelector("dialog[open]")`)
	})
	t.Run("the box changes cards by words, and finds boards, members and pages", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the fins", "Sand the fins", "Count down")
		a.member(t, "Ben Okafor", "ben@example.com")
		b := a.tab(t)
		box := func(text, first string) {
			b.ctrl("k", "KeyK", 75)
			b.wait(`document.activeElement.id === "jump-q"`)
			b.types(text)
			b.wait(`document.activeElement.ariaExpanded === "true" && document.querySelector("#jump-found [role=option]")?.innerText.replace(/\s+/g, " ").includes(%s)`, first)
		}
		b.open("/acme/boards/NINJA")
		b.types("jj")
		b.on("NINJA-2")
		box("move doi", "NINJA-2 Move to Doing")
		b.accessible("the jump box with a change")
		b.types("\r")
		b.holds("Doing", "NINJA-2")
		b.hears("NINJA-2 is at the top of Doing.")
		b.on("NINJA-2")
		b.types("xh")
		b.wait(`document.activeElement.closest(".column").innerText.includes("To do")`)
		b.types("x")
		box("assign oka", "2 tickets Assign to Ben Okafor")
		b.types("\r")
		b.hears("2 tickets are saved.")
		box("due in 2w", "2 tickets Due ")
		b.types("\r")
		b.wait(`document.querySelectorAll(".card .due").length === 2`)
		b.open("/acme/NINJA-3")
		box("priority urg", "NINJA-3 Priority urgent")
		b.types("\r")
		b.sees("main", "Urgent")
		b.at("/acme/NINJA-3")
		b.open("/acme/boards/NINJA/list")
		b.click("tbody tr:nth-child(1) [form=list-picks]")
		b.click("tbody tr:nth-child(2) [form=list-picks]")
		box("priority low", "2 tickets Priority low")
		b.types("\r")
		b.wait(`[...document.querySelectorAll("tbody td[data-label=Priority]")].filter((td) => td.innerText.includes("Low")).length === 2`)
		box("dark", "Theme Dark")
		b.types("\r")
		b.wait(`document.documentElement.dataset.theme === "dark" && !document.querySelector("dialog[open]")`)
		b.at("/acme/boards/NINJA/list")
		box("ben", "Member Ben Okafor")
		b.types("\r")
		b.sees("h1", "Ben Okafor")
		box("my wo", "Page My work")
		b.types("\r")
		b.at("/acme/work")
		b.ctrl("k", "KeyK", 75)
		b.sees("#jump-found", "Count down") // looked at before
		b.accessible("the jump box")
		b.fits("the jump box")
		b.types("\r") // of nothing
		b.at("/acme/jump")
		b.sees("main", "Count down")
	})
	t.Run("the help lists the keys, and there single keys are turned off", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "One").tab(t)
		b.open("/acme/boards/NINJA")
		b.types("?")
		b.sees("#dialog", "Move the card")
		b.types("cjm") // not while the dialog is open
		b.wait(`document.querySelector("#dialog-title").innerText === "Keyboard shortcuts"`)
		b.wait(`(document.querySelector("[data-keys-switch]").focus(), true)`)
		b.types(" ")
		b.wait(`document.documentElement.matches(".keys-off")`)
		b.types(kb.Escape)
		b.wait(`!document.querySelector("dialog[open]")`)
		b.open("/acme/boards/NINJA")
		b.types("cjm?/gb")
		b.frame()
		b.wait(`location.pathname === "/acme/boards/NINJA" && !document.querySelector("dialog[open], .move-bar") && !document.activeElement.closest(".card")`)
		if eval[bool](b, `document.querySelector(".board-head .primary kbd").checkVisibility()`) {
			t.Error("a key that does nothing is printed on the button")
		}
		b.types(kb.ArrowDown) // no letter
		b.on("NINJA-1")
	})
	t.Run("g h leads home, and g b to the boards, which are there", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "One").tab(t)
		for _, keys := range []string{"gh", "gb"} {
			b.open("/acme/NINJA-1")
			// one soon after the other
			eval[bool](b, fmt.Sprintf(
				`([...%q].forEach((key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))), true)`, keys))
			b.at("/acme")
		}
	})
	t.Run("a viewer walks, but takes no card along", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		// as a viewer's board has none
		eval[bool](b, `(document.querySelectorAll(".card .move").forEach(e => e.remove()), true)`)
		b.types("jm")
		b.hears("read only")
		b.on("NINJA-1")
	})
}
