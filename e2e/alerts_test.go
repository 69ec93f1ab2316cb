package e2e

import (
	"regexp"
	"testing"
)

// Alerts cover no navigation, can be closed, and leave when their reason has ended.
func TestAlerts(t *testing.T) {
	for _, width := range []int64{390, 1280} {
		t.Run("the connection is lost and comes back", func(t *testing.T) {
			t.Parallel()
			a := withBoard(t, "One", "Two")
			b := a.tab(t)
			b.expected = regexp.MustCompile(
				`ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET`)
			b.size(width, 844, width < 500)
			b.open("/acme/boards/NINJA")
			b.live()
			b.wait(`document.querySelector("#wire").hidden`)
			a.stop()
			b.sees("#wire", "No connection")
			b.drag(card("NINJA-1"), card("NINJA-2"), 16)
			b.sees("#flash .toast.bad", "cannot be reached")
			covered := eval[[]string](b, `[...document.querySelectorAll(".top a, .top summary, .board-head a, #switch a")].filter(e => {
				const r = e.getBoundingClientRect()
				if (!e.checkVisibility() || !r.width || r.left > innerWidth) return false
				const top = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2)
				return top && !e.contains(top) && !top.contains(e)
			}).map(e => e.outerHTML.slice(0, 120))`)
			for _, one := range covered {
				t.Errorf("at %d px %s is covered", width, one)
			}
			a.again()
			b.wait(`document.querySelector("#wire").hidden && !document.querySelector(".toast.bad")`)
		})
	}
	t.Run("the banner of a stopped webhook stays away once it was closed", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t)
		a.link("/settings/webhooks/", "/acme/settings/webhooks", "url", "https://hooks.invalid/", "feeds", "tickets")
		a.onDatabase(t, "UPDATE webhook SET state = 'stopped'")
		b := a.tab(t)
		b.open("/acme")
		b.click("#stopped .close")
		b.open("/acme/people")
		b.wait(`!document.querySelector("#stopped")`)
	})
	t.Run("a message is closed", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.drag(card("NINJA-1"), "#cards-"+b.columnID("Done")+" .empty", 0)
		b.sees("#flash .toast", "NINJA-1 is in Done.")
		b.click("#flash .toast .close")
		b.wait(`!document.querySelector("#flash .toast")`)
	})
}

// A phone shows seven cards without scrolling.
func TestSevenCards(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Order 40 kg of sorbitol before the price goes up", "Parachute opens late when it is damp",
		"Paint the fins so that we find them in the corn", "Invite the school for the April launch",
		"Second radio for the far post, with a spare battery", "Weigh everything twice",
		"Static test of the new nozzle, 12 s at full thrust", "Ask the farmer about the north field")
	b := a.tab(t)
	b.size(390, 844, true)
	b.open("/acme/boards/NINJA")
	if n := eval[int](b, `[...document.querySelectorAll(".column:first-child .card")].filter(c => {
		const bottom = Math.min(innerHeight, c.parentElement.getBoundingClientRect().bottom)
		return c.getBoundingClientRect().bottom <= bottom
	}).length`); n < 7 {
		t.Errorf("%d cards are whole on the first screen", n)
	}
	b.wait(`!document.querySelector(".filter").checkVisibility()`)
	b.tap("[data-filter-toggle]")
	b.wait(`document.activeElement.id === "filter-q"`)
	b.types("nozzle")
	b.wait(`document.querySelectorAll(".column:first-child .card").length === 1`)
}
