package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// On paper there are all texts and no controls, and a board's columns stand one below the other.
func TestPrint(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the fins", "Fuel the rocket")
	a.post("/acme/NINJA-1/comments", "body", "With **red** paint.")
	b := a.tab(t)
	for _, path := range []string{"/acme/boards/NINJA", "/acme/NINJA-1"} {
		b.open(path)
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		b.sees("main", "Paint the fins")
		shown := eval[[]string](b, `[...document.querySelectorAll("button, .button, input, textarea, select, nav, .top, summary")].
			filter(e => e.checkVisibility()).map(e => e.outerHTML.slice(0, 200))`)
		for _, control := range shown {
			t.Errorf("%s: %s is printed", path, control)
		}
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	}

	b.open("/acme/boards/NINJA")
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	if !eval[bool](b, `[...document.querySelectorAll(".column")].every((c, i, all) => !i ||
		c.getBoundingClientRect().top >= all[i - 1].getBoundingClientRect().bottom)`) {
		t.Error("columns are beside each other")
	}
}
