package e2e

import "testing"

// Pages are no wider than the window, and no word of the header is broken or set below another, at any width.
func TestEveryWidth(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.setUp("company", "Acme Rockets and Satellites", "slug", "acme", "name", "Bartholomew Featherstonehaugh",
		"email", email, "password", password)
	a.post("/acme/boards", "slug", "NINJA", "title", "Night launches")
	a.post("/acme/boards/NINJA/tickets", "title", "Paint the fins")
	b := a.tab(t)
	for _, path := range []string{"/acme/boards/NINJA", "/acme/NINJA-1", "/acme/people"} {
		b.open(path)
		for width := int64(320); width <= 2560; width += 20 {
			b.size(width, 900, false)
			b.frame()
			wrong := eval[[]string](b, `(() => {
				const wrong = []
				if (document.documentElement.scrollWidth > innerWidth) wrong.push("it is " + document.documentElement.scrollWidth + " wide")
				const texts = document.createTreeWalker(document.querySelector(".top"), NodeFilter.SHOW_TEXT)
				while (texts.nextNode()) {
					const text = texts.currentNode
					if (!text.data.trim() || !text.parentElement.checkVisibility() || text.parentElement.closest(".sr, .menu > div")) continue
					const range = document.createRange()
					range.selectNodeContents(text)
					const lines = new Set([...range.getClientRects()].filter(r => r.width > 1).map(r => Math.round(r.top)))
					if (lines.size > 1) wrong.push(text.data.trim() + " takes " + lines.size + " lines")
				}
				return wrong
			})()`)
			for _, why := range wrong {
				t.Errorf("%s, %d px: %s", path, width, why)
			}
		}
	}
}
