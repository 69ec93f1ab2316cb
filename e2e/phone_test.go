package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestPhone(t *testing.T) {
	t.Run("no page is wider than the screen, and what can be pressed is large enough", func(t *testing.T) {
		t.Parallel()
		word := strings.Repeat("Donaudampfschifffahrt", 24)
		a := withBoard(t, word[:255], "אתר השיגור צריך גדר חדשה לפני החורף")
		a.post("/acme/boards", "slug", "ABCDEFGHIJ", "title", word[:255])
		a.post("/acme/boards/ABCDEFGHIJ/tickets", "title", "x")
		a.post("/acme/NINJA-1", "title", word[:255], "version", "1", "description",
			word[:500]+"\n\n```\n"+word[:500]+"\n```\n\n|a|b|\n|-|-|\n|"+word[:500]+"|"+word[:500]+"|\n\n![x](https://127.0.0.1:65000/none.png)")
		b := a.tab(t)
		b.expected = regexp.MustCompile(`ERR_CONNECTION_REFUSED|status of 404`) // the picture, and the page that is not there
		b.size(390, 844, true)
		for _, path := range []string{"/acme", "/acme/boards/NINJA", "/acme/boards/ABCDEFGHIJ", "/acme/boards/NINJA/settings", "/acme/boards/NINJA/tickets/new", "/acme/NINJA-1", "/acme/NINJA-1/edit", "/acme/NINJA-1/position", "/acme/NINJA-99"} {
			b.open(path)
			b.wait(`document.readyState === "complete"`)
			if wide := eval[int](b, `Math.max(document.documentElement.scrollWidth, innerWidth)`); wide > 390 {
				t.Errorf("%s is %d wide", path, wide)
			}
			small := eval[string](b, `[...document.querySelectorAll("a, button, input:not([type=hidden]), select, textarea, summary, .grip")].filter(e => {
				if (!e.checkVisibility() || e.closest(".sr, .skip, .prose, .history, .facts, p, li:not(.card)")) return false
				const r = e.getBoundingClientRect()
				return r.width < 24 || r.height < 24
			}).map(e => e.outerHTML).join("\n")`)
			if small != "" {
				t.Errorf("%s: smaller than 24 px:\n%s", path, small)
			}
		}
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
		b.size(390, 844, true)
		b.open("/acme/boards/NINJA")
		todo := b.columnID("To do")

		from := b.middle(card("NINJA-9") + " a")
		b.touch(from, point{from.X, from.Y - 250})
		b.wait(`document.querySelector("#cards-` + todo + `").scrollTop > 100`)
		b.holds("To do", strings.Join(keys, " "))

		eval[bool](b, `(document.querySelector("#cards-`+todo+`").scrollTop = 0, true)`)
		from, to := b.middle(card("NINJA-3")+" .grip"), b.middle(card("NINJA-1")+" .grip")
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
		b.chooses("#move [name=column]", b.columnID("Done"))
		b.wait(`document.querySelectorAll("#move [name=after] option").length === 1`)
		b.tap("#move .primary")
		b.holds("Done", "NINJA-1")
		b.holds("To do", "NINJA-2")
	})
}
