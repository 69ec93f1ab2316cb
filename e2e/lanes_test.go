package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// inLane waits until a lane of a column has exactly these keys.
func (b *tab) inLane(column, lane, keys string) {
	b.t.Helper()
	b.wait(`[...document.querySelectorAll(".column")].some(c => c.querySelector("h2").innerText === %s
		&& [...c.querySelectorAll(".lane")].some(l => l.dataset.lane === %s && [...l.querySelectorAll(".card")].map(k => k.dataset.key).join(" ") === %s))`,
		column, lane, keys)
}

// lane is the list of a lane in a column.
func (b *tab) lane(column, lane string) string {
	return "#cards-" + b.columnID(column) + ` .lane[data-lane="` + lane + `"] > ol`
}

func TestLanes(t *testing.T) {
	t.Run("they are chosen in the address, rows across all columns, and a drag into one gives the card what it stands for", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		a.post("/acme/NINJA-1/priority", "priority", "high", "seen", "none")
		b := a.tab(t)
		b.moving()
		b.open("/acme/boards/NINJA")
		b.chooses("#filter-lanes", "priority")
		b.wait(`location.search === "?lanes=priority"`)
		b.inLane("To do", "high", "NINJA-1")
		b.inLane("To do", "", "NINJA-2 NINJA-3")
		b.inLane("Doing", "high", "")
		b.wait(`new Set([...document.querySelectorAll('.lane[data-lane=""]')].map(l => Math.round(l.getBoundingClientRect().top))).size === 1`)

		b.drag(card("NINJA-2"), b.lane("Doing", "high"), 0)
		b.inLane("Doing", "high", "NINJA-2")
		b.hears("NINJA-2 moved to Doing.")
		b.drag(card("NINJA-3"), card("NINJA-1"), 30)
		b.inLane("To do", "high", "NINJA-1 NINJA-3")
		b.wait(`!document.querySelector('.lane[data-lane=""]')`) // nothing is left in it
		b.sees(card("NINJA-3"), "High")
		b.ctrl("z", "KeyZ", 90)
		b.inLane("To do", "", "NINJA-3")
		b.reload()
		b.inLane("Doing", "high", "NINJA-2")
		b.chooses("#filter-lanes", "")
		b.holds("To do", "NINJA-1 NINJA-3")
		b.drag(card("NINJA-3"), card("NINJA-1"), -16) // lists without lanes take drags again
		b.holds("To do", "NINJA-3 NINJA-1")
	})
	t.Run("by keyboard, and live for others", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		a.post("/acme/NINJA-1/priority", "priority", "high", "seen", "none")
		b, other := a.tab(t), a.tab(t)
		b.moving()
		other.open("/acme/boards/NINJA?lanes=priority")
		other.live()
		b.open("/acme/boards/NINJA?lanes=priority")
		b.types("j")
		b.on("NINJA-1")
		b.types("j")
		b.on("NINJA-2")
		b.types("m")
		b.types(kb.ArrowUp)
		b.inLane("To do", "high", "NINJA-1 NINJA-2")
		b.types(kb.ArrowRight)
		b.inLane("Doing", "high", "NINJA-2")
		b.types(kb.Enter)
		for _, tab := range []*tab{b, other} {
			tab.inLane("To do", "high", "NINJA-1")
			tab.inLane("Doing", "high", "NINJA-2")
			tab.sees(card("NINJA-2"), "High")
		}
		a.post("/acme/NINJA-3/priority", "priority", "urgent", "seen", "none")
		for _, tab := range []*tab{b, other} {
			tab.inLane("To do", "urgent", "NINJA-3")
			tab.inLane("Doing", "urgent", "")
			tab.wait(`!document.querySelector('.lane[data-lane=""]')`)
		}
	})
	t.Run("the cards below join the lanes that are there", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t)
		for n := range 60 {
			a.post("/acme/boards/NINJA/tickets", "title", fmt.Sprint("Ticket ", n))
		}
		b := a.tab(t)
		b.open("/acme/boards/NINJA?lanes=assignee")
		b.wait(`document.querySelectorAll(".card").length === 50`)
		b.wait(`(document.querySelector(".more")?.scrollIntoView(), document.querySelectorAll(".card").length === 60)`)
		b.wait(`document.querySelectorAll(".lane").length === document.querySelectorAll(".column").length`)
	})
}
