package e2e

import "testing"

func TestSavedViews(t *testing.T) {
	t.Parallel()
	t.Run("a filter is saved as a view, which is pinned with a live count and marked where it is shown", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the door", "Paint the wall", "Sweep")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.wait(`document.querySelector(".save-view").hidden`)
		b.fills("#filter-q", "paint")
		b.wait(`new URL(document.querySelector(".save-view:not([hidden])")?.href ?? location).searchParams.get("q") === "paint"`)
		b.click(".save-view")
		b.wait(`document.activeElement.id === "view-name" && document.querySelector("#view-q").value === "paint"`)
		b.accessible("the form of a view")
		b.types("Painting\r")
		pin := `document.querySelector(%s)?.innerText.trim().split(/\s+/).join(" ") === %s`
		b.wait(pin, "#pins [aria-current=page]", "Painting 2")
		b.wait(`document.querySelector("#filter-q").value === "paint"`)
		b.accessible("a board with pinned views")
		b.fits("a board with pinned views")
		b.fills("#filter-q", "paint door")
		b.wait(`!document.querySelector("#pins [aria-current]")`)
		b.fills("#filter-q", "paint")
		b.wait(`!!document.querySelector("#pins [aria-current=page]")`)
		a.post("/acme/boards/NINJA/tickets", "title", "Paint the roof")
		b.wait(pin, "#pins a", "Painting 3")
		b.click("h1 a")
		b.types("gv")
		b.sees("#own-views tbody th", "Painting")
		b.accessible("the list of views")
		b.fits("the list of views")
		b.click("[aria-label='Unpin Painting']")
		b.sees(".toast span", "The view Painting is not pinned any more.")
		b.wait(`!document.querySelector("#pins")`)
	})

	t.Run("without scripts it is a form, a list and links", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint one")
		b := a.tab(t)
		b.noScript()
		b.open("/acme/boards/NINJA/list?q=paint")
		b.click(".save-view")
		b.fills("#view-name", "Painting")
		b.click("#view button.primary")
		b.sees("#pins [aria-current=page]", "Painting")
		b.open("/acme/views")
		b.click("#own-views th a")
		b.sees(".listed tbody th a", "Paint one")
	})
}
