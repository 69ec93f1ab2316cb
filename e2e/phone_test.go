package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// fits fails if a page is wider than the smallest screen, or if what can be pressed is too small for a thumb.
func (b *tab) fits(path string) {
	b.t.Helper()
	b.size(320, 640, true)
	defer b.size(1280, 900, false)
	b.frame()
	if wide := eval[int](b, `Math.max(document.documentElement.scrollWidth, innerWidth)`); wide > 320 {
		b.t.Errorf("%s is %d wide", path, wide)
	}
	small := eval[string](b,
		`[...document.querySelectorAll("a, button, input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea, summary")].filter(e => {
		if (!e.checkVisibility() || e.closest(".sr, .skip, .prose, .history, .facts, .summary, .at, p:not(.hands, .actions), small, td, th, dd, h1, li > span") || getComputedStyle(e).display === "inline") return false
		const r = e.getBoundingClientRect()
		return r.width < 44 || r.height < 43.5
	}).map(e => e.getBoundingClientRect().width + "x" + e.getBoundingClientRect().height + " " + e.outerHTML.slice(0, 160)).join("\n")`)
	if small != "" {
		b.t.Errorf("%s: smaller than 44 px:\n%s", path, small)
	}
}

func TestPhone(t *testing.T) {
	t.Run("a table has no line with a label alone", func(t *testing.T) {
		t.Parallel()
		a := start(t)
		token := a.setUpByCommand()
		for migration, params := range map[string]map[string]string{
			"rebalance-ranks": {"company": "acme", "board": "DEMO"}, "purge-deleted": {}, // of a company, and of all
		} {
			a.call(token, http.MethodPost, "/migrations/"+migration+"/runs", map[string]any{"params": params}, http.StatusCreated)
		}
		b := a.tab(t)
		b.size(390, 844, true)
		b.open("/admin/audit")
		b.wait(`document.querySelectorAll("td[data-label=Company]").length > 1`)
		b.wait(`[...document.querySelectorAll("td[data-label=Company]")].some(e => e.checkVisibility())`)
		empty := eval[string](b, `[...document.querySelectorAll("td[data-label]")].filter(e => e.checkVisibility() && !e.textContent.trim()).map(e => e.outerHTML).join("\n")`)
		if empty != "" {
			t.Errorf("they have a label alone: %s", empty)
		}
		aside := eval[int](b, `[...document.querySelectorAll("td[data-label=Event] small")].filter(e => {
			const words = document.createRange()
			words.selectNode(e.previousSibling)
			return e.getBoundingClientRect().left < words.getBoundingClientRect().left
		}).length`)
		if aside > 0 {
			t.Errorf("%d notes stand below the label, not below the event", aside)
		}
		b.fits("/admin/audit")
		b.look("audit")
	})
	t.Run("a column fills the screen, the switch leads to the others, and a reload stays there", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "One", "Two").tab(t)
		b.size(390, 844, true)
		b.open("/acme/boards/NINJA")
		const shows = `(() => {
			const name = %s
			const c = [...document.querySelectorAll("#board .column")].find(c => c.querySelector("h2").innerText === name).getBoundingClientRect()
			const inView = [...document.querySelectorAll("#board .column")].filter(c => { const r = c.getBoundingClientRect(); return r.right > 15 && r.left < innerWidth - 15 })
			return c.left >= 0 && c.right <= innerWidth && c.width > innerWidth * .9 && inView.length === 1 && document.querySelector("#switch [aria-current]")?.innerText.includes(name)
		})()`
		b.wait(shows, "To do")
		b.sees("#switch a:nth-child(1)", "2")
		b.tap("#switch a:nth-child(3)")
		b.wait(shows, "Done")
		b.open("/acme/boards/NINJA#column-" + b.columnID("Done"))
		b.must(chromedp.Do(b.ctx, chromedp.Reload()))
		b.at("/acme/boards/NINJA")
		b.wait(shows, "Done")
		from := b.middle("#board .column:nth-child(3) h2")
		b.touch(from, point{from.X + 260, from.Y})
		b.wait(shows, "Doing")
		b.wait(`location.hash === "#column-" + %s`, b.columnID("Doing"))
	})
	t.Run("a card is moved by the sheet, which a thumb reaches, and the column one looks at stays", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "One", "Two").tab(t)
		b.size(390, 844, true)
		b.open("/acme/boards/NINJA")
		b.tap(card("NINJA-1") + " .move")
		b.tap("#card-menu [data-does=move]")
		b.wait(`(() => {
			const r = document.querySelector("dialog[open]")?.getBoundingClientRect()
			return r && r.left === 0 && r.width === innerWidth && Math.abs(r.bottom - innerHeight) < 1 && r.top > innerHeight / 3 && document.querySelector("#move .primary")
		})()`)
		b.chooses("#move [name=column]", b.columnID("Done"))
		b.wait(`document.querySelectorAll("#move [name=after] option").length === 1`)
		b.tap("#move .primary")
		b.holds("Done", "NINJA-1")
		b.hears("NINJA-1 moved to Done.")
		b.wait(`document.querySelector("#switch a:nth-child(3)").innerText.includes("1") && document.querySelector("#switch a:nth-child(1)").innerText.includes("1")`)
		b.on("NINJA-2")
	})
	t.Run("a finger on a card scrolls; a finger on its handle drags", func(t *testing.T) {
		t.Parallel()
		titles := make([]string, 20)
		keys := make([]string, 20)
		for i := range titles {
			titles[i] = "A ticket"
			keys[i] = fmt.Sprintf("NINJA-%d", i+1)
		}
		b := withBoard(t, titles...).tab(t)
		b.moving()
		b.size(390, 844, true)
		b.open("/acme/boards/NINJA")
		todo := b.columnID("To do")

		from := b.middle(card("NINJA-9") + " a")
		b.touch(from, point{from.X, from.Y - 250})
		b.wait(`document.querySelector("#cards-` + todo + `").scrollTop > 100`)
		b.holds("To do", strings.Join(keys, " "))

		eval[bool](b, `(document.querySelector("#cards-`+todo+`").scrollTop = 0, true)`)
		from, to := b.middle(card("NINJA-3")+" .move"), b.middle(card("NINJA-1")+" .move")
		b.touch(from, point{from.X, to.Y - 16})
		keys[0], keys[1], keys[2] = "NINJA-3", "NINJA-1", "NINJA-2"
		b.holds("To do", strings.Join(keys, " "))
		b.wait(`document.querySelector("#announce").textContent === "NINJA-3 moved to To do."`)
	})
	t.Run("a ticket is opened and moved by touch", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "One").tab(t)
		b.size(390, 844, true)
		b.open("/acme/boards/NINJA")
		b.tap("#add-" + b.columnID("To do") + " summary")
		b.wait(`document.activeElement.name === "title"`)
		b.types("Two\r")
		b.holds("To do", "NINJA-1 NINJA-2")
		b.tap(card("NINJA-1") + " .move")
		b.tap("#card-menu [data-does=move]")
		b.chooses("#move [name=column]", b.columnID("Done"))
		b.wait(`document.querySelectorAll("#move [name=after] option").length === 1`)
		b.tap("#move .primary")
		b.holds("Done", "NINJA-1")
		b.holds("To do", "NINJA-2")
	})
}
