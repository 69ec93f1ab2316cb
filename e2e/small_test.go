package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
)

// The small things of a day.
func TestSmall(t *testing.T) {
	t.Run("a reload after a token was created creates no second", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t).tab(t)
		b.open("/acme/tokens")
		b.fills("#token-name", "Reports")
		b.click("[name=scopes][value='tickets:read']")
		b.click("main form button.primary")
		b.sees("#new-token", "The token is ready")
		call(b, page.Reload, page.ReloadParams{})
		b.wait(`document.querySelectorAll("tbody tr").length === 1`)
		b.open("/acme/tokens")
		b.wait(`document.querySelectorAll("tbody tr").length === 1`)
		for _, width := range []int64{390, 768, 1280} {
			b.size(width, 900, false)
			b.frame()
			if lines := eval[int](b, `(() => {
				const range = document.createRange()
				range.selectNodeContents(document.querySelector("td > .none"))
				return range.getClientRects().length
			})()`); lines != 1 {
				t.Errorf("“never” takes %d lines at %d px", lines, width)
			}
		}
	})
	t.Run("the mouse over a card hides no letters", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Write the checklist for cold mornings: who arms, who watches, who has the key, who calls",
			"Sorbitolsorbitolsorbitolsorbitolsorbitolsorbitolsorbitolsorbitol")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		for n := range 2 {
			here := card(fmt.Sprintf("NINJA-%d", n+1))
			b.mouse(input.DispatchMouseEventTypeMouseMoved, b.middle(here))
			b.wait(`getComputedStyle(document.querySelector(%s)).opacity === "1"`, here+" .move")
			hidden := eval[[]string](b, `(() => {
				const card = document.querySelector(%s)
				const move = card.querySelector(".move").getBoundingClientRect()
				const texts = document.createTreeWalker(card, NodeFilter.SHOW_TEXT)
				const hidden = []
				while (texts.nextNode()) {
					const range = document.createRange()
					range.selectNodeContents(texts.currentNode)
					if ([...range.getClientRects()].some(r => r.right > move.left && r.left < move.right && r.bottom > move.top + 1 && r.top < move.bottom - 1)) hidden.push(texts.currentNode.data)
				}
				return hidden
			})()`, here)
			if len(hidden) > 0 {
				t.Errorf("%s: the handle lies over %q", here, hidden)
			}
		}
	})
}
