package e2e

import "testing"

func TestTemplates(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the door")
	a.post("/acme/boards/NINJA/templates", "name", "Bug report", "title", "Crash: ", "description", "What did you do?", "labels", "bug")
	b := a.tab(t)
	b.open("/acme/boards/NINJA")
	b.types("c")
	b.wait(`document.activeElement.id === "new-title"`)
	b.types("The hatch sticks")

	// What was typed is not lost by a template.
	b.click(".templates a:last-child")
	b.wait(`document.querySelector("#new-title").value === "Crash:" && document.activeElement.id === "new-title"`)
	b.sees("#new-ticket .draft", "You have another draft.")
	b.accessible("the dialog of a new ticket with templates")
	b.click("#new-ticket .draft button")
	b.reads("#new-title", "The hatch sticks")
	b.click(".templates a:first-child")
	b.wait(`document.querySelector(".templates [aria-current]").textContent === "Blank"`)
	b.click(".templates a:last-child")
	b.wait(`document.querySelector("#new-title").value === "Crash:"`)

	// The next ticket begins with it, too.
	b.fills("#new-title", "Crash: hatch")
	b.click("#new-ticket .primary")
	b.sees("#new-ticket .created", "NINJA-2")
	b.reads("#new-description", "What did you do?")
	b.reads("#new-labels", "bug")
	b.sees(".card[data-key=NINJA-2] .label", "bug")

	plain := a.tab(t)
	plain.noScript()
	plain.size(390, 844, true)
	plain.open("/acme/boards/NINJA/tickets/new")
	plain.click(".templates a:last-child")
	plain.wait(`document.querySelector("#new-title").value === "Crash:"`)
	plain.click("#new-ticket .primary")
	plain.sees("#flash", "NINJA-3 was created")
}

func TestAssignNewTicket(t *testing.T) {
	t.Parallel()
	b := withBoard(t, "Paint the door").tab(t)
	b.open("/acme/boards/NINJA")
	b.types("c")
	b.wait(`document.activeElement.id === "new-title"`)
	b.types("Oil the hinge")
	b.click("#new-assignees")
	b.types("@an")
	b.wait(`document.querySelector(".suggestions [aria-selected=true]")`)
	b.types("\r")
	b.wait(`document.querySelector("#new-assignees").value.trim() === "@ana"`)
	b.click("#new-ticket .primary")
	b.sees("#new-ticket .created", "NINJA-2")
	b.wait(`document.querySelector(".card[data-key=NINJA-2] [title=Ana]")`)
}
