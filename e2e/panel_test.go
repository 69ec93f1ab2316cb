package e2e

import (
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// beside waits until a ticket is open beside the board, or none is.
func (b *tab) beside(key string) {
	b.t.Helper()
	if key == "" {
		b.wait(`!document.querySelector("#panel, .card[data-open]")`)
		return
	}
	b.wait(`document.querySelector("#panel:not([aria-busy]) .ticket-head .key")?.textContent === %s &&
		document.querySelector(".card[data-open]")?.dataset.key === %[1]s`, key)
	b.at("/acme/" + key)
}

func TestTicketBesideItsBoard(t *testing.T) {
	t.Run("a click opens it, Escape returns to the card, and j and k step through the cards", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		b := a.tab(t)
		b.size(1280, 800, false)
		b.open("/acme/boards/NINJA?q=T")
		b.holds("To do", "NINJA-2 NINJA-3")
		b.click(card("NINJA-2") + " a")
		b.beside("NINJA-2")
		b.wait(`document.activeElement.matches("#panel h1") && document.title.startsWith("NINJA-2 Two")`)
		b.types("j")
		b.beside("NINJA-3")
		b.on("NINJA-3")
		b.types("jk")
		b.beside("NINJA-2")
		b.on("NINJA-2")
		b.types(kb.Escape)
		b.beside("")
		b.on("NINJA-2")
		b.at("/acme/boards/NINJA")
		b.wait(`location.search === "?q=T" && document.title.startsWith("Night launches")`)
		if steps := eval[int](b, `history.length`); steps > 3 {
			t.Errorf("the history has %d steps", steps)
		}

		b.types("\r")
		b.beside("NINJA-2")
		b.must(chromedp.Do(b.ctx, chromedp.NavigateBack()))
		b.beside("")
		b.at("/acme/boards/NINJA")
		b.must(chromedp.Do(b.ctx, chromedp.NavigateForward()))
		b.beside("NINJA-2")
		b.click("#panel .close")
		b.beside("")
		b.at("/acme/boards/NINJA")
	})

	t.Run("all that its page does is done beside the board, and the card follows", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.size(1280, 800, false)
		b.open("/acme/boards/NINJA")
		b.types("j\r")
		b.beside("NINJA-1")
		b.types("e")
		b.wait(`document.activeElement.id === "edit-title"`)
		b.types(kb.End + " and a half")
		b.ctrl("Enter", "Enter", 13)
		b.sees("#panel h1", "One and a half")
		b.sees(card("NINJA-1")+" .title", "One and a half")
		b.at("/acme/NINJA-1")

		b.types("p") // once, by the panel's control, for the open ticket
		b.wait(`document.querySelector("dialog[open] [name=priority]")`)
		b.click(`dialog [name=priority][value=high]`)
		b.click("dialog .primary")
		b.sees("#panel .properties", "High")
		b.sees(card("NINJA-1")+" .plan", "High")

		b.types("r")
		b.wait(`document.activeElement.id === "comment-body"`)
		b.types("Half a word")
		b.types(kb.Escape) // leaves the field, not the ticket
		b.wait(`document.activeElement.matches("#panel h1")`)
		b.types(kb.Escape)
		b.beside("")
		b.types("\r")
		b.beside("NINJA-1")
		b.wait(`document.querySelector("#comment-body").value === "Half a word"`)
		b.types("r")
		b.ctrl("Enter", "Enter", 13)
		b.sees("#said .comment", "Half a word")

		a.post("/acme/NINJA-1/comments", "body", "From elsewhere")
		b.wait(`[...document.querySelectorAll("#panel #said .comment")].at(-1).textContent.includes("From elsewhere")`)
		b.types(kb.Escape) // out of the field
		b.wait(`document.activeElement.matches("#panel h1")`)
		b.types("j")
		b.beside("NINJA-2")
		a.post("/acme/NINJA-1/comments", "body", "Of the other ticket")
		a.post("/acme/NINJA-2/comments", "body", "Of this one")
		b.sees("#panel #said .comment", "Of this one")
		b.wait(`document.querySelectorAll("#panel #said .comment").length === 1`)
	})

	t.Run("a dialog of another card does not get into the open ticket", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.size(1280, 800, false)
		b.open("/acme/boards/NINJA")
		b.click(card("NINJA-1") + " a")
		b.beside("NINJA-1")
		eval[bool](b, `(document.querySelector(%s).focus(), true)`, card("NINJA-2")+" a")
		b.types("p")
		b.wait(`document.querySelector("dialog[open] [name=priority]")`)
		b.click(`dialog [name=priority][value=urgent]`)
		b.click("dialog .primary")
		b.sees(card("NINJA-2")+" .plan", "Urgent")
		b.beside("NINJA-1")
		b.wait(`!document.querySelector("#panel").textContent.includes("Urgent")`)
	})

	t.Run("a board that is renamed and a ticket that is deleted meanwhile", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.expected = regexp.MustCompile(`status of 404`)
		b.size(1280, 800, false)
		b.open("/acme/boards/NINJA")
		b.click(card("NINJA-1") + " a")
		b.beside("NINJA-1")
		a.post("/acme/boards/NINJA/settings", "title", "Day launches", "slug", "NINJA", "version", "1") // the frame comes anew, the panel stays
		b.sees(".board-head h1", "Day launches")
		b.beside("NINJA-1")
		a.post("/acme/NINJA-1/deletion", "version", "1")
		b.sees("#flash .toast.bad", "NINJA-1")
		b.beside("")
		b.at("/acme/boards/NINJA")
		b.holds("To do", "NINJA-2")
	})

	t.Run("loaded anew it is the ticket's page, and back leads to the board", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		b := a.tab(t)
		b.size(1280, 800, false)
		b.open("/acme/boards/NINJA")
		b.click(card("NINJA-1") + " a")
		b.beside("NINJA-1")
		call(b, page.Reload, page.ReloadParams{})
		b.wait(`document.querySelector("main > .page #said") && !document.querySelector("#board")`)
		b.must(chromedp.Do(b.ctx, chromedp.NavigateBack()))
		b.at("/acme/boards/NINJA")
		b.wait(`document.querySelector("#board .card") && !document.querySelector("#said")`)
	})

	t.Run("in a narrow window, or without scripts, a card leads to the page", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		for _, scripts := range []bool{true, false} {
			b := a.tab(t)
			b.size(700, 800, false)
			if !scripts {
				b.size(1280, 800, false)
				b.noScript()
			}
			b.open("/acme/boards/NINJA")
			b.click(card("NINJA-1") + " a")
			b.at("/acme/NINJA-1")
			b.wait(`document.querySelector("main > .page #said")`)
		}
	})
}
