package e2e

import "testing"

// All cards of a column are sorted, and moved, from its head; both are taken back by one press, and others see it.
func TestColumnCards(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "One", "Two", "Three")
	a.post("/acme/NINJA-3/priority", "priority", "urgent", "seen", "none")
	ana, other := a.tab(t), a.tab(t)
	first := func(key string) string {
		return `document.querySelector(".column .card").dataset.key === "` + key + `"`
	}
	other.open("/acme/boards/NINJA")
	ana.open("/acme/boards/NINJA")
	ana.wait(first("NINJA-1"))
	ana.click(".column .all")
	ana.click("#column-cards [value=priority]")
	ana.click("#column-cards [value=sort]")
	ana.wait(`!document.querySelector("dialog[open]")`)
	ana.wait(first("NINJA-3"))
	other.wait(first("NINJA-3"))
	ana.click(".toast [data-undo] button")
	ana.wait(first("NINJA-1"))
	other.wait(first("NINJA-1"))
	ana.click(".column .all")
	ana.click("#column-cards [value=move]")
	ana.wait(`!document.querySelector("dialog[open]")`)
	ana.wait(`document.querySelectorAll(".column:nth-of-type(2) .card").length === 3`)
	other.wait(`document.querySelectorAll(".column:nth-of-type(2) .card").length === 3`)
	ana.ctrl("z", "KeyZ", 90)
	ana.wait(first("NINJA-1"))
	ana.wait(`document.querySelectorAll(".column:nth-of-type(1) .card").length === 3`)
}
