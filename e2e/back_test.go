package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// Back on a board its columns are loaded and scrolled as far as they were, narrowed or not.
func TestBack(t *testing.T) {
	t.Parallel()
	a := withBoard(t)
	for n := range 200 {
		a.post("/acme/boards/NINJA/tickets", "title", fmt.Sprint("One of many ", n))
	}
	for _, path := range []string{"/acme/boards/NINJA", "/acme/boards/NINJA?q=many"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			b := a.tab(t)
			b.open(path)
			list := "#cards-" + b.columnID("To do")
			b.wait(`(document.querySelector(%s).scrollTop = 1e6) && document.querySelectorAll(%s).length === 200`, list,
				list+" .card")
			top := eval[int](b, `(document.querySelector(%s).scrollTop = 3000, document.querySelector(%s).scrollTop)`, list, list)
			key := eval[string](b, `[...document.querySelectorAll(%s)].find(c => c.getBoundingClientRect().top > 400).dataset.key`,
				list+" .card")
			b.click(card(key) + " a")
			b.at("/acme/" + key)
			b.must(chromedp.Do(b.ctx, chromedp.NavigateBack()))
			b.wait(`document.querySelectorAll(%s).length === 200 && document.querySelector(%s).scrollTop === %s`,
				list+" .card", list, top)
		})
	}
}

func TestWayBack(t *testing.T) {
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprintf("a ticket leads back to the filtered board, scripts: %v", scripts), func(t *testing.T) {
			t.Parallel()
			a := withBoard(t, "Paint the door", "Paint the wall")
			b := a.tab(t)
			if !scripts {
				b.noScript()
			}
			b.size(800, 800, false) // no room for a ticket beside the board
			b.open("/acme/boards/NINJA?q=door")
			b.click(card("NINJA-1") + " a")
			b.at("/acme/NINJA-1")
			if scripts { // a live page is fetched anew, from elsewhere
				a.post("/acme/NINJA-1/comments", "body", "Meanwhile")
				b.sees("#said .comment", "Meanwhile")
				b.wait(`!document.querySelector(".crumbs a").search`)
			}
			b.click(".crumbs a")
			b.at("/acme/boards/NINJA")
			b.wait(`location.search === "?q=door" && document.querySelectorAll(".card").length === 1`)
		})
	}
}
