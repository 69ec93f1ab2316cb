package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// member is another browser, with a user who joined acme by Ana's invitation.
func (a *env) member(t *testing.T, name, email string) *tab {
	t.Helper()
	ana := a.tab(t)
	ana.open("/acme/people/invitations")
	ana.click(`form[action="/acme/people/invitations"] .primary`)
	ana.wait(`document.querySelector("input[value*='/join/'], code, output")`)
	link := eval[string](ana,
		`[...document.querySelectorAll("input, code, output, a")].map(e => e.value || e.textContent).find(s => s.includes("/join/")) ?? ""`)
	ana.must(chromedp.Do(ana.ctx, chromedp.Navigate("about:blank"))) // else it asks on once its session ends
	b := a.stranger(t)
	b.open(link[len(a.url):])
	b.fills("#join-name", name)
	b.fills("#join-email", email)
	b.fills("#join-password", password)
	b.click("form .primary")
	b.wait(`location.pathname === "/login"`)
	b.fills("#login-email", email)
	b.fills("#login-password", password)
	b.click("form .primary")
	b.wait(`location.pathname.startsWith("/acme")`)
	return b
}

func TestMentions(t *testing.T) {
	t.Run("a member mentioned by the list sees it without a reload, and has read it by opening the ticket",
		func(t *testing.T) {
			t.Parallel()
			a := withBoard(t, "Paint the door", "Paint the wall")
			ben := a.member(t, "Ben Okafor", "ben@example.com")
			ben.open("/acme")
			ana := a.tab(t)
			ana.open("/acme/NINJA-1")
			ana.wait(`document.querySelector("text-expander #comment-body")`)
			ana.click("#comment-body")
			ana.types("Look, @be")
			ana.wait(`document.querySelector("#people-to-name [aria-selected=true]")?.textContent.includes("Ben Okafor")`)
			// A pressed key would also type a line's end, which a user's does not.
			eval[bool](ana,
				`document.querySelector("#comment-body").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })) || true`)
			ana.wait(`document.querySelector("#comment-body").value === "Look, @ben-okafor "`)
			ana.types("please @zz")
			ana.wait(`!document.querySelector("#people-to-name")`)
			ana.types("\b\b\bnow")
			eval[bool](ana,
				`(document.querySelector("#comment-body").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true })), true)`)
			ana.sees("#said .comment .prose", "Look, @ben-okafor please now")
			ana.wait(`document.querySelector("#said .mention").title === "Ben Okafor"`)
			ana.wait(`document.querySelector("#comment-body").value === ""`)

			eval[bool](ben, `(window.dispatchEvent(new Event("focus")), true)`) // as when the window comes to the front
			ben.sees("#unread", "1")
			ben.wait(`document.querySelector("#announce").textContent.includes("1 unread in your inbox")`)
			ben.click("#unread")
			ben.at("/acme/inbox")
			ben.sees("#entries .unread", "Ana mentioned you in NINJA-1")
			ben.click("#entries .unread a")
			ben.at("/acme/NINJA-1")
			ben.wait(`location.hash && document.querySelector(location.hash)?.textContent.includes("please now")`)
			ben.wait(`document.querySelector("#unread").dataset.unread === "0" && !document.querySelector("#unread b")`)
		})
	t.Run("a ticket is assigned by keyboard, and is work of whoever got it", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the door")
		ben := a.member(t, "Ben Okafor", "ben@example.com")
		ana := a.tab(t)
		ana.open("/acme/NINJA-1")
		ana.types("a")
		ana.wait(`document.activeElement.id === "assign-q"`)
		ana.types("ok") // no member's name begins so but this
		ana.wait(`document.querySelectorAll("#people-found label").length === 1`)
		ana.types("\t ")
		ana.wait(`document.querySelector("#people-found input").checked`)
		ana.types("\r")
		ana.wait(`!document.querySelector("dialog[open]")`)
		ana.sees("#assignees", "Ben Okafor")
		ana.sees("#history", "assigned it to Ben Okafor")
		ana.click("#assign-me")
		ana.sees("#assignees", "Ana")
		ana.open("/acme/boards/NINJA")
		ana.wait(`document.querySelector('.card .on')?.title === "Ana, Ben Okafor"`)
		ben.open("/acme/work")
		ben.sees("#work", "Paint the door")
		ben.sees("#unread", "1")
	})
	t.Run("a link to a comment far back shows it, and older ones come without a reload", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the door")
		for range 40 {
			a.post("/acme/NINJA-1/comments", "body", "Still wet")
		}
		b := a.tab(t)
		b.open("/acme/NINJA-1#comment-3")
		b.wait(`document.querySelector("#comment-3")?.matches(":target")`)
		b.open("/acme/NINJA-1")
		b.wait(`document.querySelectorAll("#said .comment").length === 25`)
		b.click("#said .more a")
		b.wait(`document.querySelectorAll("#said .comment").length === 40 && document.querySelector("#said").firstElementChild.id === "comment-1"`)
	})
	t.Run("all of it works without scripts", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "Paint the door").tab(t)
		b.noScript()
		b.open("/acme/NINJA-1")
		b.fills("#comment-body", "First")
		b.click("#comment-form .nojs.primary")
		b.sees("#said .comment", "First")
		b.click("#said .comment header a[href$='/edit']")
		b.sees("h1", "Edit your comment")
		b.fills("#comment-1-body", "Second")
		b.click("#comment-1 .primary")
		b.sees("#said .comment", "Second")
		b.click("#said .comment header a[href$='/edit']")
		b.sees("h1", "Edit your comment")
		b.click("#comment-1 .away")
		b.sees("#said .comment", "This comment was deleted")
		b.click("#assignees > .button")
		b.sees("h2", "Assign")
		b.click("#people-found label")
		b.click("#assign .primary")
		b.sees("#assignees", "Ana")
	})
}
