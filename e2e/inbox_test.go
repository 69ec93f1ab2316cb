package e2e

import (
	"testing"
)

func TestUnreadNumber(t *testing.T) {
	t.Run("the number of unread entries is in the title and in the icon, and follows", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the door", "Paint the wall")
		ben := a.member(t, "Ben Okafor", "ben@example.com")
		ben.open("/acme/boards/NINJA")
		ben.wait(`document.title === "Night launches · Counterfoil" && /\/icon\.svg$/.test(document.querySelector("link[rel=icon]").href)`)
		a.post("/acme/NINJA-1/comments", "body", "@ben-okafor look")
		a.post("/acme/NINJA-1/comments", "body", "and again")
		comes := func() { eval[bool](ben, `(window.dispatchEvent(new Event("focus")), true)`) }
		comes()
		ben.wait(`document.title === "(2) Night launches · Counterfoil"`)
		ben.wait(`decodeURIComponent(document.querySelector("link[rel=icon]").href).includes(">2</text>")`)
		a.post("/acme/NINJA-2/comments", "body", "@ben-okafor here too")
		ben.open("/acme/inbox")
		ben.wait(`document.title === "(3) Inbox · Counterfoil" && document.querySelectorAll(".entry").length === 2`)
		ben.sees(".entry:last-child .new", "2 new")
		ben.click(".entry:last-child button")
		ben.wait(`document.title === "(1) Inbox · Counterfoil" && document.querySelectorAll(".entry.unread").length === 1`)
		ben.click(".head button") // mark all as read
		ben.wait(`document.title === "Inbox · Counterfoil" && /\/icon\.svg$/.test(document.querySelector("link[rel=icon]").href)`)
	})
}
