package e2e

import (
	"testing"
	"time"
)

func TestCalendar(t *testing.T) {
	t.Parallel()
	t.Run("a drag to another day changes the due date, its undo changes it back, and one that is refused leaves it", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint one", "Wax two", "Paint three")
		b := a.tab(t)
		a.post("/acme/NINJA-1/dates", "due", "2030-05-08")
		a.post("/acme/NINJA-2/dates", "due", "2030-05-09 10:30")
		a.post("/acme/NINJA-3/dates", "start", "2030-05-15", "due", "2030-05-16")
		b.open("/acme/boards/NINJA?q=-status:done")
		b.click("[data-layout=Calendar]")
		b.wait(`location.pathname + location.search === "/acme/boards/NINJA/calendar?q=-status%%3Adone"`)
		b.sees("#calendar [aria-current=date] b", time.Now().UTC().Format("2"))
		b.open("/acme/boards/NINJA/calendar?month=2030-05")
		on := `[...document.querySelectorAll("#calendar li")].map(e => e.dataset.key.slice(6) + "@" + e.parentNode.dataset.day.slice(8)).join(" ") === %s`
		b.wait(on, "1@08 2@09 3@16")
		b.accessible("a calendar")
		b.fits("a calendar")
		day := func(text string) string { return `[data-day="2030-05-` + text + `"]` }
		ticket := func(number string) string { return `[data-key="NINJA-` + number + `"]` }
		b.drag(ticket("1"), day("10"), 0)
		b.sees(".toast span", "NINJA-1 is saved.")
		b.wait(on, "2@09 1@10 3@16")
		b.drag(ticket("2"), day("13"), 0) // keeps its time of day
		b.wait(on, "1@10 2@13 3@16")
		b.sees(ticket("2")+" .clock", "10:30")
		b.drag(ticket("2"), day("14"), 0)
		b.wait(on, "1@10 2@14 3@16")
		b.drag(ticket("3"), day("07"), 0) // before it starts
		b.sees(".toast.bad", "NINJA-3 is back where it was.")
		b.wait(on, "1@10 2@14 3@16")
		b.click(".toast [data-undo] button")
		b.wait(on, "1@10 2@13 3@16")
		b.open("/acme/boards/NINJA/calendar?week=2030-05-13")
		b.wait(on, "2@13 3@16")
		b.accessible("a week")
		b.click("a[rel=prev]")
		b.wait(on, "1@10")
		b.fills("#filter-q", "wax")
		b.types("\r")
		b.wait(`location.search === "?week=2030-05-06&q=wax"`)
		b.wait(on, "")
	})

	t.Run("tickets are walked and moved by keys alone, day by day and week by week", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint one", "Wax two", "Paint three")
		a.post("/acme/NINJA-1/dates", "due", "2030-05-08")
		a.post("/acme/NINJA-2/dates", "due", "2030-05-09 10:30")
		a.post("/acme/NINJA-3/dates", "start", "2030-05-16", "due", "2030-05-16")
		b := a.tab(t)
		b.open("/acme/boards/NINJA/calendar?month=2030-05")
		on := `[...document.querySelectorAll("#calendar li")].map(e => e.dataset.key.slice(6) + "@" + e.parentNode.dataset.day.slice(5)).join(" ") === %s && !document.querySelector("#calendar[aria-busy]")`
		at := `document.activeElement.closest("li")?.dataset.key === %s`
		b.types("jj")
		b.wait(at, "NINJA-2")
		b.types("LL")
		b.wait(on, "1@05-08 2@05-11 3@05-16")
		b.wait(at, "NINJA-2")
		b.sees(`[data-key=NINJA-2] .clock`, "10:30")
		b.wait(`document.querySelector("#announce").textContent.startsWith("NINJA-2 is due on")`)
		b.types("JH")
		b.wait(on, "1@05-08 3@05-16 2@05-17")
		b.types("K<>")
		b.wait(on, "1@05-08 2@05-10 3@05-16")
		b.types("j")
		b.wait(at, "NINJA-3")
		b.types("H") // before it starts
		b.sees(".toast.bad", "NINJA-3 is back where it was.")
		b.wait(on, "1@05-08 2@05-10 3@05-16")
		b.open("/acme/boards/NINJA/calendar?month=2030-05")
		b.wait(on, "1@05-08 2@05-10 3@05-16")
		b.types("jKK")
		b.sees(".toast", "That day is on another page.")
		b.types("d")
		b.wait(`document.activeElement.matches("dialog[open] #dates-due")`)
		b.accessible("the dates of a ticket over the calendar")
	})

	t.Run("a ticket is dragged again before its day is saved", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint one")
		a.post("/acme/NINJA-1/dates", "due", "2030-05-08")
		b := a.tab(t)
		b.open("/acme/boards/NINJA/calendar?month=2030-05")
		on := `document.querySelector("[data-key=NINJA-1]").parentNode.dataset.day === %s`
		day := func(text string) string { return `[data-day="2030-05-` + text + `"]` }
		// The answer to the first drop comes when the ticket is lifted for the third time.
		eval[bool](b, `(() => {
			let lifts = 0, release
			const lifted = new Promise((resolve) => { release = resolve })
			new MutationObserver(() => {
				if (document.documentElement.matches(".dragging") && ++lifts === 3) release()
			}).observe(document.documentElement, { attributeFilter: ["class"] })
			const send = window.fetch
			window.fetch = async (...request) => {
				const answer = await send(...request)
				await lifted
				return answer
			}
			return true
		})()`)
		b.drag(`[data-key="NINJA-1"]`, day("09"), 0)
		b.drag(`[data-key="NINJA-1"]`, day("10"), 0)
		b.drag(`[data-key="NINJA-1"]`, day("14"), 0)
		b.wait(`!document.querySelector("#calendar[aria-busy]")`)
		b.wait(on, "2030-05-14")
		b.open("/acme/boards/NINJA/calendar?month=2030-05")
		b.wait(on, "2030-05-14")
		b.wait(`!document.querySelector(".toast.bad")`)
	})

	t.Run("without scripts it is a table of links", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint one")
		a.post("/acme/NINJA-1/dates", "due", "2030-05-08")
		b := a.tab(t)
		b.noScript()
		b.open("/acme/boards/NINJA/calendar?month=2030-04")
		b.click("a[rel=next]")
		b.sees(`[data-day="2030-05-08"] a`, "Paint one")
		b.click(`[data-day="2030-05-08"] a`)
		b.sees("#ticket h1", "Paint one")
	})
}
