package e2e

import (
	"testing"
)

func TestChecklist(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the door")
	a.post("/acme/NINJA-1", "title", "Paint the door", "version", "1", "description", "- [ ] nails\n- [ ] glue\n- [ ] paint\n")
	a.post("/acme/NINJA-1/comments", "body", "- [ ] call")
	b, other := a.tab(t), a.tab(t)
	b.open("/acme/NINJA-1")
	other.open("/acme/boards/NINJA")

	// Three clicks, the later ones before the first is answered.
	_ = eval[bool](b, `(document.querySelectorAll("#face .box").forEach(box => box.click()), true)`)
	b.wait(`document.querySelectorAll("#face .box[aria-checked=true]").length === 3`)
	b.wait(`document.querySelectorAll("#history [data-kind=checked]").length === 3`)
	other.sees(".card[data-key=NINJA-1] .checklist", "3/3")

	_ = eval[bool](b, `(document.getElementById("checklist-1").focus(), true)`)
	b.types(" ")
	b.wait(`document.getElementById("checklist-1").ariaChecked === "false" && document.activeElement.id === "checklist-1"`)
	other.sees(".card[data-key=NINJA-1] .checklist", "2/3")
	b.ctrl("z", "KeyZ", 90)
	b.wait(`document.getElementById("checklist-1").ariaChecked === "true"`)

	b.click(`#comment-1-text .box`)
	b.wait(`document.querySelector("#comment-1-text .box").ariaChecked === "true"`)

	// An item becomes a child, by one click.
	b.click(`#face li:first-child .box`)
	b.wait(`document.getElementById("checklist-0").ariaChecked === "false"`)
	b.click(`#face li:first-child .to-ticket`)
	b.sees("#relations", "nails")
	b.sees("#face li:first-child", "NINJA-2 nails")
	b.wait(`!document.querySelector("#face .to-ticket")`) // the others are checked
	other.sees(".card[data-key=NINJA-2]", "nails")

	// The page still shows an item that is another by now.
	_ = eval[bool](b, `(() => {
		const box = document.getElementById("checklist-2") // until it is clicked, the live page mends it
		box.value = box.value.replace(/-[0-9a-f]{16}-/, "-0123456789abcdef-")
		box.click()
		return true
	})()`)
	b.sees("#face [role=alert]", "changed or deleted meanwhile")
	b.accessible("a ticket whose item was changed meanwhile")
	b.fits("/acme/NINJA-1")

	plain := a.tab(t)
	plain.noScript()
	plain.open("/acme/NINJA-1")
	plain.click("#checklist-1")
	plain.wait(`location.hash === "#checklist-1" && document.getElementById("checklist-1").ariaChecked === "false"`)
	b.wait(`document.getElementById("checklist-1").ariaChecked === "false"`)
	b.sees("#face [role=alert]", "changed or deleted meanwhile")
	plain.click("#face li:nth-child(2) .to-ticket")
	plain.sees("#relations", "glue")
}
