package e2e

import (
	"testing"
)

// TestAllTickets follows the tickets of two boards as a list, as columns and in a calendar.
func TestAllTickets(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint one", "Wax two")
	a.post("/acme/boards", "title", "Spring", "slug", "SPRING")
	a.post("/acme/boards/SPRING/tickets", "title", "Sow")
	list, board, calendar := a.tab(t), a.tab(t), a.tab(t)
	list.open("/acme/work")
	list.types("gt")
	list.at("/acme/tickets/list")
	list.wait(`document.querySelectorAll(".listed tbody tr").length > 3`) // of the first board, too
	list.open("/acme/tickets/list?q=-board:DEMO")
	list.live()
	board.open("/acme/tickets?group=column&q=-board:DEMO")
	board.live()
	calendar.open("/acme/tickets/calendar?month=2030-05")
	calendar.live()
	keys := `[...document.querySelectorAll(".listed tbody .key")].map(e => e.textContent).join(" ") === %s`
	list.wait(keys, "SPRING-1 NINJA-2 NINJA-1")
	columns := `[...document.querySelectorAll(".all-tickets .column")].map(c => c.querySelector("h2").textContent.trim() + ": " + [...c.querySelectorAll(".key")].map(e => e.textContent).join(" ")).join(", ") === %s`
	board.wait(columns, "To do: SPRING-1 NINJA-2 NINJA-1")

	list.click(`a.cell[href="/acme/NINJA-1/priority"]`)
	list.wait(`document.querySelector("dialog form[method=post] [name=priority]")`)
	list.click("dialog [name=priority][value=urgent]")
	list.click("dialog .primary")
	list.wait(`document.querySelector("[id^=row-] .priority.urgent")`)
	list.wait(keys, "NINJA-1 SPRING-1 NINJA-2")
	a.post("/acme/SPRING-1/closure", "closed", "1")
	list.wait(`document.querySelector(".listed tr:has([href='/acme/SPRING-1'])").textContent.includes("Done")`)
	board.wait(columns, "To do: NINJA-1 NINJA-2, Done: SPRING-1")
	a.post("/acme/SPRING-1/dates", "due", "2030-05-08")
	a.post("/acme/NINJA-2/dates", "due", "2030-05-08")
	due := `[...document.querySelectorAll("#calendar li")].map(e => e.dataset.key + "@" + e.parentNode.dataset.day.slice(8)).sort().join(" ") === %s`
	calendar.wait(due, "NINJA-2@08 SPRING-1@08")
	calendar.drag(`[data-key="SPRING-1"]`, `[data-day="2030-05-10"]`, 0)
	calendar.wait(due, "NINJA-2@08 SPRING-1@10")

	eval[bool](board, `(document.querySelector("#filter-columns").value = "status", document.querySelector("#filter-columns").form.requestSubmit(), true)`)
	board.wait(`new URLSearchParams(location.search).get("group") === "status"`)
	board.wait(columns, "Open: NINJA-2 NINJA-1, Closed: SPRING-1")
	board.click(`.all-tickets a[href="/acme/NINJA-2"]`)
	board.at("/acme/NINJA-2")
}

// TestDragAmongAllTickets drags cards between the columns of the board of all tickets.
func TestDragAmongAllTickets(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint one", "Wax two", "Sand three")
	a.post("/acme/boards", "title", "Spring", "slug", "SPRING")
	a.post("/acme/boards/SPRING/tickets", "title", "Sow")
	a.post("/acme/tickets/batch", "do", "close", "keys", "NINJA-2")
	a.post("/acme/tickets/batch", "do", "priority", "priority", "high", "keys", "NINJA-2")
	a.post("/acme/tickets/batch", "do", "labels", "add", "wood", "keys", "NINJA-1 NINJA-2")
	a.post("/acme/tickets/batch", "do", "labels", "add", "soil, early", "keys", "SPRING-1")
	b := a.tab(t)
	b.size(1900, 900, false) // all priorities are in sight
	// drags opens the board by a group and drags a card; it is in the other column then, also in a page that is loaded anew.
	drags := func(group, key, to string) {
		t.Helper()
		list := `[id="group-` + to + `"] .cards`
		in := `document.querySelector(%s) && !document.querySelector("#listed[aria-busy]")`
		there := list + ` [data-key="` + key + `"]`
		path := "/acme/tickets?q=-board:DEMO&group=" + group
		b.open(path)
		b.drag(`[data-key="`+key+`"]`, list, 0)
		b.wait(in, there)
		b.open(path)
		b.wait(in, there)
		b.wait(`!document.querySelector(".toast.bad")`)
	}
	drags("status", "SPRING-1", "closed")
	drags("status", "NINJA-2", "open")
	drags("column", "NINJA-2", "done")
	b.wait(`document.querySelector("#group-done [data-key=SPRING-1]")`) // where it was closed to
	drags("column", "SPRING-1", "to%20do")
	drags("priority", "NINJA-3", "high")
	b.wait(`document.querySelectorAll("#group-high .card").length === 2`)
	drags("priority", "SPRING-1", "urgent") // where none was
	drags("due", "SPRING-1", "today")
	drags("due", "SPRING-1", "none")
	b.open("/acme/tickets?q=-board:DEMO&group=label")
	columns := `[...document.querySelectorAll(".all-tickets .column")].map(c => c.querySelector("h2").textContent.trim() + ": " + [...c.querySelectorAll(".card")].map(e => e.dataset.key).sort().join(" ")).join(", ") === %s`
	b.wait(columns, "early: SPRING-1, wood: NINJA-1 NINJA-2, No label: NINJA-3")
	b.drag(`[data-key="SPRING-1"]`, ".all-tickets .column:nth-child(2) .cards", 0)
	b.wait(columns, "soil: SPRING-1, wood: NINJA-1 NINJA-2, No label: NINJA-3") // it has another label, which is first
	b.drag(`[data-key="NINJA-1"]`, ".all-tickets .column:nth-child(3) .cards", 0)
	b.wait(columns, "soil: SPRING-1, wood: NINJA-2, No label: NINJA-1 NINJA-3")
	b.wait(`!document.querySelector("#listed[aria-busy]")`) // the card is there before it is saved, and the undo comes after
	b.click(".toast [data-undo] button")
	b.wait(columns, "soil: SPRING-1, wood: NINJA-1 NINJA-2, No label: NINJA-3")
	b.wait(`document.querySelector("[data-key=SPRING-1]")?.textContent.includes("wood")`)
}
