package e2e

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestLabels(t *testing.T) {
	t.Parallel()
	t.Run("a card gets labels by keyboard alone: type, Enter, Enter; ctrl+Z takes them back", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the door", "Dry it")
		ben := a.member(t, "Ben Okafor", "ben@example.com")
		ana := a.tab(t)
		ben.open("/acme/boards/NINJA")
		ana.open("/acme/boards/NINJA")
		typist{}.types(ana, "jtbug\r") // one that there is not
		ana.wait(`document.querySelector("#labels-found [name=named]:checked") && document.querySelector("#labels-q").value === ""`)
		ana.types("\r")
		ana.wait(`!document.querySelector("dialog[open]")`)
		ana.sees(".card[data-key=NINJA-1] .label", "bug")
		ben.sees(".card[data-key=NINJA-1] .label", "bug")
		ana.sees("#flash .toast", "NINJA-1 is saved.")
		ana.on("NINJA-1")
		typist{}.types(ana, "jtbu\r") // one that there is
		ana.wait(`document.querySelector("#labels-found [name=label]:checked") && document.querySelector("#labels-q").value === ""`)
		typist{}.types(ana, "idea\r")
		ana.wait(`document.querySelector("#labels-found [name=named]:checked") && document.querySelector("#labels-q").value === ""`)
		ana.wait(`document.querySelector("#labels-found [name=label]:checked")`)
		ana.types("\r")
		ana.wait(`!document.querySelector("dialog[open]")`)
		ana.wait(`document.querySelectorAll(".card[data-key=NINJA-2] .label").length === 2`)
		ben.wait(`document.querySelectorAll(".card[data-key=NINJA-2] .label").length === 2`)
		ana.ctrl("z", "KeyZ", 90)
		ana.wait(`!document.querySelector(".card[data-key=NINJA-2] .label")`)
		ben.wait(`!document.querySelector(".card[data-key=NINJA-2] .label")`)
	})
	t.Run("on a ticket's page ticks and arrows choose, a label leads to its tickets, and a rename shows by itself", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the door", "Dry it")
		b := a.tab(t)
		b.open("/acme/NINJA-1")
		typist{}.types(b, "tbug\r")
		b.wait(`document.querySelector("#labels-found [name=named]:checked") && document.querySelector("#labels-q").value === ""`)
		b.types("\r")
		b.wait(`!document.querySelector("dialog[open]")`)
		b.sees("#labels-shown", "bug")
		b.types("t")
		b.wait(`document.activeElement.id === "labels-q" && document.querySelector("#labels-found :checked")`)
		b.types(kb.ArrowDown + " ")
		b.wait(`!document.querySelector("#labels-found :checked")`)
		b.types(" ")
		b.wait(`document.querySelector("#labels-found :checked")`)
		b.click("#labels .primary")
		b.wait(`!document.querySelector("dialog[open]")`)
		b.click("#labels-shown .of-label")
		b.wait(`document.querySelectorAll(".board .card").length === 1`)
		b.sees(".card", "Paint the door")
		other := a.tab(t)
		other.open("/acme/labels")
		other.click("#label-list .button")
		other.fills("#label-name", "defect")
		other.click("[name=color][value=teal]")
		other.click("main .primary")
		other.sees("#label-list .label.teal", "defect")
		b.sees(".card .label.teal", "defect") // by its old name
	})
	t.Run("the dialog is free of violations", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "Paint the door").tab(t)
		b.open("/acme/NINJA-1")
		typist{}.types(b, "tbug")
		b.wait(`document.querySelector("#labels-found [name=named]")`)
		b.accessible("the dialog of labels")
	})
}
