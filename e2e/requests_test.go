package e2e

import (
	"regexp"
	"strings"
	"testing"
)

// withRequests is withBoard with a public form on NINJA, and codes for it.
func withRequests(t *testing.T, more ...string) *env {
	t.Helper()
	a := withBoard(t, "Ours")
	a.post("/acme/boards/NINJA/form", append(more, "on", "1", "intro", "What can we do for you?", "version", "0")...)
	a.read("/acme")
	for _, statement := range []string{
		"INSERT INTO ref_ledger (code, batch) VALUES ('ukrEP', 4000000000), ('UkrEP', 4000000000)",
		"INSERT INTO ref_pool (code) VALUES ('ukrEP'), ('UkrEP')",
	} {
		a.onDatabase(t, statement)
	}
	return a
}

// sends fills in the form as a stranger does, and returns the code and the private link's path.
func (b *tab) sends(title, text string) (code, link string) {
	b.t.Helper()
	b.open("/acme/forms/NINJA")
	b.sees("main", "What can we do for you?")
	b.fills("#request-title", title)
	b.fills("#request-description", text)
	b.fills("#request-email", "stranger@example.com")
	b.click("form .primary")
	b.wait(`location.pathname.endsWith("/receipt")`)
	code = eval[string](b, `document.querySelector("#receipt .code").innerText`)
	link = eval[string](b, `new URL(document.querySelector("#receipt-link").value).pathname`)
	b.wait(`location.pathname === %s`, link+"/receipt")
	return code, link
}

// to opens a page by its whole path, which has a secret in it.
func (b *tab) to(path string) {
	b.t.Helper()
	b.open(path)
	b.at(path)
}

func TestRequests(t *testing.T) {
	t.Run("a stranger sends one, follows it by code and by link, and replies; a member answers, and revokes the link",
		func(t *testing.T) {
			t.Parallel()
			a := withRequests(t)
			stranger := a.stranger(t)
			code, link := stranger.sends("The gate squeaks", "<b>Every</b> morning")
			stranger.click("[data-copy=receipt-code]")
			stranger.wait(`document.querySelector(".toast")`)

			stranger.open("/t")
			stranger.fills("#track-code", code)
			stranger.click("form .primary")
			stranger.at("/t/" + code)
			stranger.sees("main h1", "Received")
			stranger.wait(`!document.querySelector("main").innerText.includes("squeaks")`)

			ana := a.tab(t)
			ana.open("/acme/NINJA-2")
			ana.sees("#requester", code)
			ana.sees(".face .as-typed", "<b>Every</b> morning")
			ana.fills("#comment-body", "Not again")
			ana.click("#comment-form .primary")
			ana.sees("#said", "Not again")
			ana.fills("#answer-body", "We **oil** it today.")
			ana.click("#reply-form .answer")
			ana.sees("#said .comment.public", "We oil it today.")

			stranger.to(link)
			stranger.sees("main h1", "The gate squeaks")
			stranger.sees("#said", "We oil it today.")
			stranger.wait(`!document.querySelector("main").innerText.includes("Not again")`)
			stranger.fills("#reply-body", "Thank you!")
			stranger.click("main form .primary")
			stranger.sees("#said", "Thank you!")

			ana.sees("#said .comment.requester", "Thank you!") // by itself
			ana.click(`#requester form[action$="/revocation"] button`)
			ana.sees("#requester", "was revoked")
			stranger.expected = regexp.MustCompile(`status of 404`)
			stranger.open(link)
			stranger.sees("main h1", "Not found")
			stranger.open("/t/" + code)
			stranger.sees("main h1", "Received")
			ana.click(`#requester form[action$="/link"] button`)
			ana.sees("#request-link-shown", "shown only once")
			another := eval[string](ana, `new URL(document.querySelector("#request-link").value).pathname`)
			stranger.to(another)
			stranger.sees("main h1", "The gate squeaks")
			stranger.open("/t/" + strings.ToUpper(code))
			stranger.sees("main h1", "Not found")
		})
	t.Run("it is done without JavaScript", func(t *testing.T) {
		t.Parallel()
		a := withRequests(t)
		b := a.stranger(t)
		b.noScript()
		code, link := b.sends("No scripts here", "At all")
		b.open("/t")
		b.fills("#track-code", code)
		b.click("form .primary")
		b.at("/t/" + code)
		b.to(link)
		b.fills("#reply-body", "More")
		b.click("main form .primary")
		b.sees("#said", "More")

		ana := a.tab(t)
		ana.noScript()
		ana.open("/acme/NINJA-2")
		ana.fills("#answer-body", "Yes")
		ana.click("#reply-form .answer")
		ana.sees("#said .comment.public", "Yes")
		ana.open("/acme/boards/NINJA/settings")
		ana.click("#public-form [name=on]")
		ana.click("#public-form form button")
		ana.sees("#public-form", "Anyone who knows its address")
	})
	t.Run("it fits the smallest phone, and a finger", func(t *testing.T) {
		t.Parallel()
		a := withRequests(t)
		b := a.stranger(t)
		b.size(320, 640, true)
		word := strings.Repeat("Donaudampfschifffahrt", 12)
		_, link := b.sends(word, word)
		for _, path := range []string{"/acme/forms/NINJA", "/t", "/t/" + strings.Split(link, "/")[2], link,
			link + "/receipt"} {
			b.to(path)
			if wide := eval[int](b, `Math.max(document.documentElement.scrollWidth, innerWidth)`); wide > 320 {
				t.Errorf("%s is %d wide", path, wide)
			}
			if small := eval[string](b,
				`[...document.querySelectorAll("main :is(button, .button, input:not([type=hidden]), textarea)")].filter(e => e.checkVisibility() && !e.closest(".sr") && e.getBoundingClientRect().height < 43.5).map(e => e.outerHTML).join("\n")`); small != "" {
				t.Errorf("%s: smaller than a finger:\n%s", path, small)
			}
		}
		a.post(link+"/replies", "body", "Thank you!")
		ana := a.tab(t)
		ana.size(390, 844, true)
		ana.open("/acme/NINJA-2")
		ana.sees("#said .requester", "Thank you!")
		if !eval[bool](ana, `(() => {
			const [by, button] = [".by", "header button"].map(s => document.querySelector("#said .requester " + s).getBoundingClientRect())
			return button.top < by.bottom && button.bottom > by.top && button.left > by.right
		})()`) {
			t.Error("what can be done with a comment is not beside who wrote it")
		}
	})
	t.Run("a board marks it at once, filters for it, and a switch beside an unsaved text turns notifications off",
		func(t *testing.T) {
			t.Parallel()
			a := withRequests(t)
			ana := a.tab(t)
			ana.open("/acme/boards/NINJA")
			ana.click("#filter-requests")
			ana.holds("To do", "")
			ana.wait(`location.search === "?q=is%%3Arequest"`)
			a.stranger(t).sends("The gate squeaks", "Every morning")
			ana.holds("To do", "NINJA-2") // by itself
			ana.wait(`document.querySelector("[data-key=NINJA-2] .badge[title]")`)
			ana.accessible("a board with a request")
			ana.click("[data-clear]")
			ana.holds("To do", "NINJA-1 NINJA-2")
			ana.wait(`!document.querySelector("#filter-requests").checked && location.search === ""`)

			ana.open("/acme/boards/NINJA/settings")
			ana.sees("#unread", "1")
			ana.fills("#public-intro", "Half typed")
			ana.click("[role=switch][aria-checked=true]")
			ana.wait(`document.activeElement.ariaChecked === "false"`)
			ana.wait(`document.querySelector("#public-intro").value === "Half typed"`)
			ana.reload()
			ana.wait(`document.querySelector("[role=switch][aria-checked=false]")`)
			ana.open("/acme/boards/NINJA?requests=1")
			ana.fits("a board filtered for requests")
		})
	t.Run("its pages are accessible", func(t *testing.T) {
		t.Parallel()
		a := withRequests(t)
		b := a.stranger(t)
		b.expected = regexp.MustCompile(`status of 4(04|22)`)
		code, link := b.sends("The gate squeaks", "Every morning")
		b.accessible("the receipt")
		a.post("/acme/NINJA-2/comments", "body", "We oil it today.", "public", "1")
		a.post("/acme/NINJA-2/comments", "body", "Not again")
		a.post(link+"/replies", "body", "Thank you!")
		for _, path := range []string{"/acme/forms/NINJA", "/t", "/t/" + code, link} {
			b.to(path)
			b.accessible(path)
		}
		b.open("/t/zzzzz")
		b.sees("main h1", "Not found")
		b.accessible("a code that leads to nothing")
		b.open("/acme/forms/NINJA")
		eval[bool](b, `(document.querySelector("#request-title").required = false, true)`)
		b.click("form .primary")
		b.wait(`document.querySelector("#request-title-error")`)
		b.accessible("a form that was not taken")
		ana := a.tab(t)
		ana.open("/acme/NINJA-2")
		ana.sees("#requester", code)
		ana.accessible("a ticket that came by a form")
		ana.open("/acme/boards/NINJA/settings")
		ana.accessible("the settings of a board with a form")
		ana.open("/acme/NINJA-2")
		ana.click(`#requester form[action$="/link"] button`)
		ana.sees("#request-link-shown", "shown only once")
		ana.accessible("a new private link")
	})
}

func TestProofOfWork(t *testing.T) {
	t.Run("the page does it by itself, for whatever is typed", func(t *testing.T) {
		t.Parallel()
		a := withRequests(t, "proof", "1")
		stranger := a.stranger(t)
		stranger.sends("Größe “L” 👍", "first\nsecond\n\n\tthird <b>&amp;</b>")
		stranger.sends("Another", strings.Repeat("long ", 3000))
		stranger.open("/acme/forms/NINJA")
		stranger.look("proof-form")
		ana := a.tab(t)
		ana.open("/acme/boards/NINJA/settings")
		ana.look("proof-settings")
	})
}
