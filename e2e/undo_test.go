package e2e

import (
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"
)

func (b *tab) reload() {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.Reload()))
	b.wait(`document.documentElement.matches(".js")`)
}

func TestUndo(t *testing.T) {
	t.Run("a drag is undone by its message, and further back by ctrl+Z, and both are heard", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.drag(card("NINJA-2"), "#cards-"+b.columnID("Doing"), 0)
		b.holds("Doing", "NINJA-2")
		b.sees("#flash .toast", "NINJA-2 is in Doing.")
		b.drag(card("NINJA-1"), "#cards-"+b.columnID("Done"), 0)
		b.holds("Done", "NINJA-1")
		b.sees("#flash .toast", "NINJA-1 is in Done.")
		b.wait(`document.querySelectorAll("#flash [data-undo]").length === 1`)
		b.click("#flash [data-undo] button")
		b.holds("To do", "NINJA-1 NINJA-3")
		b.wait(`document.querySelector("#announce").textContent.includes("Undone: NINJA-1 is back in To do")`)
		eval[bool](b, `(document.activeElement.blur(), true)`)
		b.ctrl("z", "KeyZ", 90)
		b.holds("To do", "NINJA-1 NINJA-2 NINJA-3")
		b.expected = regexp.MustCompile(`status of (400|409)`)
		b.ctrl("z", "KeyZ", 90)
		b.sees("#flash .toast.bad", "nothing to undo")
	})

	t.Run("a close and a delete are undone by ctrl+Z, but not from a field", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.open("/acme/NINJA-1")
		b.click("#closure button")
		b.sees(".column-name", "Done")
		b.sees("#flash", "NINJA-1 is closed.")
		b.wait(`document.documentElement.matches(".js")`)
		b.ctrl("z", "KeyZ", 90)
		b.sees("#flash", "Undone: NINJA-1 is open again, in To do.")
		b.sees(".column-name", "To do")

		b.click("a[href$='/deletion']")
		b.click("#deletion .danger")
		b.at("/acme/boards/NINJA")
		b.sees("#flash", "NINJA-1 is deleted.")
		b.holds("To do", "NINJA-2")
		b.addTo("To do")
		b.ctrl("z", "KeyZ", 90)
		b.frame()
		b.holds("To do", "NINJA-2")
		b.types("\x1b")
		eval[bool](b, `(document.activeElement.blur(), true)`)
		b.ctrl("z", "KeyZ", 90)
		b.holds("To do", "NINJA-1 NINJA-2")
	})

	t.Run("a move that someone else has overtaken stays, and it is said why", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.drag(card("NINJA-1"), "#cards-"+b.columnID("Doing"), 0)
		b.sees("#flash .toast", "NINJA-1 is in Doing.")
		a.post("/acme/NINJA-1/closure", "closed", "1")
		b.expected = regexp.MustCompile(`status of (400|409)`)
		b.click("#flash [data-undo] button")
		b.sees("#flash .toast.bad", "closed NINJA-1 in the meantime")
	})

	t.Run("without JavaScript the next page has the button", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		b := a.tab(t)
		b.noScript()
		b.open("/acme/NINJA-1")
		b.click("#closure button")
		b.sees(".column-name", "Done")
		b.click("#flash [data-undo] button")
		b.sees(".column-name", "To do")
	})
}

func TestConflict(t *testing.T) {
	t.Run("two tabs change other lines, and both changes are saved", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Plan")
		a.post("/acme/NINJA-1", "title", "Plan", "description", "one\ntwo\nthree\nfour\nfive", "version", "1")
		mine, theirs := a.tab(t), a.tab(t)
		mine.open("/acme/NINJA-1/edit")
		theirs.open("/acme/NINJA-1/edit")
		theirs.fills("#edit-description", "one\ntwo\nthree\nfour\nFIVE")
		theirs.click("#ticket form .primary")
		theirs.sees(".prose", "FIVE")
		mine.sees("#meanwhile", "This ticket was changed") // it moves the form
		mine.fills("#edit-description", "ONE\ntwo\nthree\nfour\nfive")
		mine.fills("#edit-title", "The plan")
		mine.click("#ticket form .primary")
		mine.sees(".theirs .lines ins", "FIVE")
		mine.wait(`document.activeElement.matches(".summary") && document.activeElement.getBoundingClientRect().top >= 0`)
		mine.wait(`document.querySelector("#merged-merged_description").value === "ONE\ntwo\nthree\nfour\nFIVE"`)
		mine.wait(`document.querySelector("#edit-description").value === "ONE\ntwo\nthree\nfour\nfive"`)
		mine.accessible("a conflict")
		mine.size(1280, 900, false)
		mine.click("#merge .primary")
		mine.sees("#ticket h1", "The plan")
		mine.sees(".prose", "ONE")
		mine.sees(".prose", "FIVE")
		mine.open("/acme/NINJA-1/edit")
		mine.wait(`!document.querySelector(".draft") && document.querySelector("#edit-description").value.startsWith("ONE")`)
	})
	t.Run("two tabs change the same line, and another text is written for it", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Plan")
		a.post("/acme/NINJA-1", "title", "Plan", "description", "one\ntwo\nthree", "version", "1")
		b := a.tab(t)
		b.open("/acme/NINJA-1/edit")
		a.post("/acme/NINJA-1", "title", "Plan", "description", "one\ntheirs\nthree", "version", "2")
		b.sees("#meanwhile", "This ticket was changed") // it moves the form
		b.fills("#edit-description", "one\nmine\nthree")
		b.click("#ticket form .primary")
		b.wait(`document.querySelectorAll(".clash").length === 1 && !document.querySelector(".clash textarea").checkVisibility()`)
		b.accessible("a conflict with a piece to choose")
		b.fits("a conflict with a piece to choose")
		b.click("#merge .primary")
		b.wait(`document.activeElement.name === "piece-0"`) // the browser asks for a choice
		b.click(".clash [value=other]")
		b.fills(".clash textarea", "ours")
		b.click("#merge .primary")
		b.sees(".prose", "one ours three")
	})
}

func TestDrafts(t *testing.T) {
	t.Run("a form sent after the session has ended is there again after signing in", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Plan")
		b := a.tab(t)
		b.open("/acme/boards/NINJA/tickets/new")
		b.fills("#new-title", "A thought")
		b.fills("#new-description", "and more")
		a.post("/account/epoch")
		b.click("#new-ticket .primary")
		b.at("/login")
		b.fills("#login-email", email)
		b.fills("#login-password", password)
		b.click("form .primary")
		b.wait(`location.pathname.startsWith("/acme")`)
		b.open("/acme/boards/NINJA/tickets/new")
		b.sees(".draft", "Draft restored")
		b.wait(`document.querySelector("#new-title").value === "A thought" && document.querySelector("#new-description").value === "and more"`)
	})

	t.Run("typed text survives a reload until the server has it", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Plan")
		b := a.tab(t)
		b.open("/acme/boards/NINJA/tickets/new")
		b.fills("#new-title", "A thought")
		b.fills("#new-description", "and more")
		b.reload()
		b.sees(".draft", "Draft restored")
		b.wait(`document.querySelector("#new-title").value === "A thought" && document.querySelector("#new-description").value === "and more"`)
		eval[bool](b,
			`(document.querySelector("#new-title").value = " ", document.querySelector("#new-title").dispatchEvent(new Event("input", { bubbles: true })), true)`)
		b.click("#new-ticket .primary")
		b.sees("#new-title-error", "title")
		b.wait(`document.querySelector("#new-description").value === "and more"`)
		eval[bool](b,
			`(sessionStorage.setItem("draft sent", JSON.stringify({ key: Object.keys(localStorage).find((key) => key.startsWith("draft ")), from: "/acme/boards/NINJA/tickets/new",
			values: { title: " ", description: "and more" } })), true)`) // as if the refusal had been left before its scripts ran
		b.open("/acme/boards/NINJA/tickets/new")
		b.sees(".draft", "Draft restored")
		b.wait(`document.querySelector("#new-description").value === "and more"`)
		b.fills("#new-title", "A thought")
		b.click("#new-ticket .primary")
		b.at("/acme/boards/NINJA")
		b.open("/acme/boards/NINJA/tickets/new")
		b.wait(`!document.querySelector(".draft") && document.querySelector("#new-title").value === ""`)
	})

	t.Run("a draft can be discarded, and one of an older version asks first", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Plan")
		b := a.tab(t)
		b.open("/acme/NINJA-1/edit")
		b.fills("#edit-title", "Better plan")
		b.reload()
		b.sees(".draft", "Draft restored")
		b.click(".draft button")
		b.wait(`document.querySelector("#edit-title").value === "Plan" && !document.querySelector(".draft")`)
		b.reload()
		b.wait(`document.querySelector("#edit-title").value === "Plan" && !document.querySelector(".draft")`)

		b.fills("#edit-title", "Better plan")
		b.reload()
		b.sees(".draft", "Draft restored")
		a.post("/acme/NINJA-1", "title", "Plan", "description", "theirs", "version", "1")
		b.reload()
		b.sees(".draft", "from before the last change")
		b.wait(`document.querySelector("#edit-title").value === "Plan" && document.querySelector("#edit-description").value === "theirs"`)
		b.click(".draft button")
		b.wait(`document.querySelector("#edit-title").value === "Better plan"`)
		b.click("#ticket form .primary")
		b.wait(`document.querySelector("#merged-merged_title").value === "Better plan" && document.querySelector("#merged-merged_description").value === "theirs"`)
		b.click("#merge .primary")
		b.sees("#ticket h1", "Better plan")
		b.sees(".prose", "theirs")

		b.open("/acme/NINJA-1/edit")
		b.fills("#edit-title", "Best plan")
		b.click("#ticket form .primary")
		b.sees("#ticket h1", "Best plan")
		b.wait(`Object.keys(localStorage).every(key => !key.startsWith("draft "))`)
	})

	t.Run("a draft waits for its account to sign in again, a week at most, and no other account sees it", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Plan")
		a.member(t, "Ben", "ben@example.com")
		a.onDatabase(t, "UPDATE membership SET role = 'owner'")()
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		todo := b.columnID("To do")
		b.open("/acme/boards/NINJA?q=secret")
		b.open("/acme/boards/NINJA/settings")
		b.fills("#column-"+todo+"-name", "Secret column")
		b.open("/acme/NINJA-1/edit")
		b.fills("#edit-title", "Secret plan")
		b.signsOut() // at once: what was typed a moment ago is kept, too

		b.signsIn("ben@example.com")
		for _, path := range []string{"/acme/NINJA-1/edit", "/acme/boards/NINJA/settings", "/acme/NINJA-1", "/acme/boards/NINJA"} {
			b.open(path)
			b.settled()
			b.wait(`!document.querySelector(".draft") && [...document.querySelectorAll("input, textarea, a")]
				.every(e => !/secret/i.test(e.value ?? "") && !/secret/i.test(e.href ?? ""))`)
		}
		b.open("/acme/NINJA-1/edit")
		b.fills("#edit-description", "By Ben")
		b.signsOut()

		b.signsIn(email)
		b.open("/acme/NINJA-1/edit")
		b.sees(".draft", "Draft restored")
		b.wait(`document.querySelector("#edit-title").value === "Secret plan" && document.querySelector("#edit-description").value === ""`)
		b.open("/acme/boards/NINJA/settings")
		b.wait(`document.querySelector("#column-" + %s + "-name").value === "Secret column"`, todo)

		aged := eval[int](b, `Object.keys(localStorage).filter(key => key.startsWith("draft ")).map(key => {
			const draft = JSON.parse(localStorage[key])
			draft.at -= 7 * 864e5 + 1000
			localStorage[key] = JSON.stringify(draft)
		}).length`)
		if aged != 2 {
			t.Errorf("there are %d drafts", aged)
		}
		b.open("/acme/NINJA-1/edit")
		b.wait(`!document.querySelector(".draft") && document.querySelector("#edit-title").value === "Plan"`)
		b.wait(`Object.keys(localStorage).every(key => !key.startsWith("draft "))`)
	})

	t.Run("Back after signing out shows nothing of the page", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Secret plan")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.open("/acme/NINJA-1")
		b.signsOut()
		for range 2 {
			eval[bool](b, `(window.left = true, setTimeout(() => history.back()), true)`)
			b.wait(`!window.left && location.pathname === "/login" && document.querySelector("#login-email") && !document.body.innerText.includes("Secret plan")`)
		}
	})
}

// signsOut signs out by the menu.
func (b *tab) signsOut() {
	b.t.Helper()
	b.wait(`performance.getEntriesByType("navigation")[0].loadEventEnd > 0`) // a form of a page that still loads replaces it in the history
	b.expected = regexp.MustCompile(b.expected.String() + `|status of 401`)  // the page that is left may ask the server once more
	eval[bool](b, `(document.querySelector("form[action='/logout']").requestSubmit(), true)`)
	b.at("/login")
	b.wait(`document.readyState === "complete"`)
}

// signsIn signs in on the page for it, in the same browser.
func (b *tab) signsIn(as string) {
	b.t.Helper()
	b.open("/login")
	b.fills("#login-email", as)
	b.fills("#login-password", password)
	b.click("form .primary")
	b.wait(`location.pathname.startsWith("/acme")`)
}
