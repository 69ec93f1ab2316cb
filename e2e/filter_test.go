package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/input"
)

func TestFilter(t *testing.T) {
	t.Run("a typed filter narrows the columns and stays in the address; a drag and a reload keep it", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "Odd one", "Even one", "Odd two", "Even two", "Odd three", "Even three").tab(t)
		b.open("/acme/boards/NINJA")
		b.holds("To do", "NINJA-1 NINJA-2 NINJA-3 NINJA-4 NINJA-5 NINJA-6")
		// as a keyboard does: no letter of its own
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown,
			input.DispatchKeyEventTypeKeyUp} {
			call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Text: "f", Key: "f", Code: "KeyF",
				WindowsVirtualKeyCode: 70})
		}
		b.wait(`document.activeElement.id === "filter-q"`)
		b.wait(`document.querySelector("#filter-q").value === ""`)
		b.types("EVEN")
		b.holds("To do", "NINJA-2 NINJA-4 NINJA-6")
		b.wait(`location.search === "?q=EVEN"`)
		b.wait(`document.querySelector("#announce").textContent === "3 tickets match."`)
		b.sees("#column-"+b.columnID("To do")+" .count", "3 of 6")

		b.drag(card("NINJA-6"), card("NINJA-4"), -16)
		b.holds("To do", "NINJA-2 NINJA-6 NINJA-4")
		b.wait(`document.querySelector("#announce").textContent === "NINJA-6 moved to To do."`)
		b.wait(`location.search === "?q=EVEN"`)
		b.drag(card("NINJA-2"), "#cards-"+b.columnID("Done")+" .empty", 0)
		b.holds("Done", "NINJA-2")
		b.hears("NINJA-2 moved to Done.")
		b.chooses("#filter-state", "open")
		b.holds("Done", "")
		b.wait(`location.search === "?q=EVEN&state=open"`)

		b.addTo("To do")
		b.types("Odd four\r")
		b.sees("#column-"+b.columnID("To do")+" .created", "NINJA-7 created. The filter does not show it.")
		b.holds("To do", "NINJA-6 NINJA-4")

		b.open(eval[string](b, `location.pathname + location.search`))
		b.holds("To do", "NINJA-6 NINJA-4")
		b.wait(`document.querySelector("#filter-q").value === "EVEN" && document.querySelector("#filter-state").value === "open"`)
		b.click("[data-clear]")
		b.holds("To do", "NINJA-1 NINJA-6 NINJA-3 NINJA-4 NINJA-5 NINJA-7")
		b.wait(`location.search === "" && document.querySelector("[data-clear]").hidden`)
		b.click("[data-mine]")
		b.wait(`location.search === "?who=me" && document.querySelector("[data-mine]").ariaCurrent === "true"`)
		b.holds("To do", "")
	})
}
