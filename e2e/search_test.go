package e2e

import (
	"bytes"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the door", "Order a café table")
	a.post("/acme/NINJA-1/comments", "body", "The sorbitol is late")
	domaintest.Until(t, "the search index is built", func() bool {
		return bytes.Contains(a.read("/acme/search?q=sorbitol"), []byte("<mark>sorbitol</mark>"))
	})
	t.Run("a text that no title has is searched for by keyboard alone", func(t *testing.T) {
		t.Parallel()
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.ctrl("k", "KeyK", 75)
		b.wait(`document.activeElement.id === "jump-q"`)
		b.types("sorbitol")
		b.wait(`document.querySelector("#jump-found [data-nothing]")`)
		b.types("\r")
		b.sees(".hits .snippet mark", "sorbitol")
		b.at("/acme/search")
		b.accessible("results of a search")
		b.fits("results of a search")
		b.wait(`(document.querySelector("#search-q").focus(), true)`)
		b.types("\t\t\r")
		b.sees("#ticket h1", "Paint the door")
		b.open("/acme/search")
		b.wait(`document.activeElement.id === "search-q"`)
		b.types("paint stat")
		b.sees("#search-q-words [role=option]", "status:")
		b.click("#search-q-words [role=option]")
		b.types("op")
		b.sees("#search-q-words [role=option]", "status:open")
		b.click("#search-q-words [role=option]")
		b.types("\r")
		b.sees(".hits mark", "Paint")
		b.open("/acme/search?q=labl:x")
		b.accessible("a search with a wrong query")
		b.fits("a search with a wrong query")
	})
	t.Run("without scripts it is a form", func(t *testing.T) {
		t.Parallel()
		b := a.tab(t)
		b.noScript()
		b.open("/acme/search")
		b.fills("#search-q", "cafe")
		b.click("main form button")
		b.sees(".hits mark", "café")
		b.fills("#search-q", "labl:x")
		b.click("main form button")
		b.sees("#filter-problem", "Did you mean “label”?")
	})
}
