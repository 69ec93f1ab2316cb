package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestSetup(t *testing.T) {
	t.Run("a stranger comes from the set-up page to the first ticket", func(t *testing.T) {
		t.Parallel()
		a := start(t)
		b := a.stranger(t)
		b.open("/")
		b.at("/setup")
		_, code, _ := strings.Cut(<-a.setup, "?code=")
		b.fills("#setup-code", code)
		b.fills("#setup-company", "Acme Rocketry")
		b.wait(`document.querySelector("#setup-slug").value === "acme-rocketry"`)
		b.fills("#setup-slug", "acme")
		b.fills("#setup-name", "Ana")
		b.fills("#setup-email", email)
		b.fills("#setup-password", password)
		b.click("form .primary")
		b.wait(`location.pathname.startsWith("/acme")`)
		b.click(".top nav a")
		b.at("/acme")
		b.fills("#board-title", "Night launches")
		b.fills("#board-slug", "ninja")
		b.click(`form[action="/acme/boards"] .primary`)
		b.at("/acme/boards/NINJA")
		b.addTo("To do")
		b.types("Paint the fins\r")
		b.holds("To do", "NINJA-1")
		b.click(card("NINJA-1") + " a")
		b.at("/acme/NINJA-1")
		b.sees("#ticket h1", "Paint the fins")
	})
}

func TestOpening(t *testing.T) {
	t.Run("ten tickets are opened without leaving the dialog, by keyboard alone", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t).tab(t)
		b.open("/acme/boards/NINJA")
		b.types("c")
		b.wait(`document.activeElement.id === "new-title"`)
		var keys []string
		for i := 1; i <= 10; i++ {
			b.types(fmt.Sprintf("Ticket %d\r", i))
			keys = append(keys, fmt.Sprintf("NINJA-%d", i))
		}
		b.sees("#dialog", "NINJA-10 created")
		b.wait(`document.activeElement.id === "new-title" && document.activeElement.value === ""`)
		b.types("\x1b")
		b.wait(`!document.querySelector("dialog[open]")`)
		b.holds("To do", strings.Join(keys, " "))
		b.sees(card("NINJA-7"), "Ticket 7")
		b.open("/acme/boards/NINJA")
		b.holds("To do", strings.Join(keys, " "))
	})
	t.Run("titles typed at the foot of a column become tickets there in that order", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t).tab(t)
		b.open("/acme/boards/NINJA")
		b.addTo("Doing")
		b.types("One\rTwo\rThree\rhalf a")
		b.holds("Doing", "NINJA-1 NINJA-2 NINJA-3")
		b.types(" title")
		b.wait(`document.activeElement.value === "half a title"`)
		b.sees(card("NINJA-2"), "Two")
		b.wait(`document.querySelector("#announce").textContent.includes("NINJA-3 created")`)
	})
	t.Run("text typed into the dialog is still there after it was closed", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t).tab(t)
		b.open("/acme/boards/NINJA")
		b.click(".board-head .primary")
		b.wait(`document.activeElement.id === "new-title"`)
		b.types("Not yet done")
		b.click("#dialog .close")
		b.wait(`!document.querySelector("dialog[open]")`)
		b.click(".board-head .primary")
		b.wait(`document.querySelector("#new-title")?.value === "Not yet done"`)
	})
	t.Run("a double click opens one board", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t).tab(t)
		b.open("/acme")
		b.fills("#board-title", "Workshop")
		b.fills("#board-slug", "SHOP")
		b.wait(`(document.querySelector('form[action="/acme/boards"]').requestSubmit(), document.querySelector('form[action="/acme/boards"]').requestSubmit(), true)`)
		b.at("/acme/boards/SHOP")
	})
	t.Run("letters typed into a field are no shortcuts", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t).tab(t)
		b.open("/acme/boards/NINJA")
		b.addTo("To do")
		b.types("ccc")
		b.wait(`document.activeElement.value === "ccc" && !document.querySelector("dialog[open]")`)
	})
	t.Run("a title that the server cannot be told comes back into its field", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t)
		b := a.tab(t)
		b.expected = regexp.MustCompile(`ERR_`)
		b.open("/acme/boards/NINJA")
		b.addTo("To do")
		a.stop()
		b.types("Precious\r")
		b.sees("#flash", "cannot be reached")
		b.wait(`document.activeElement.value === "Precious"`)
	})
}

func TestSigningIn(t *testing.T) {
	t.Run("a user signed out elsewhere is asked to sign in, and comes back", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t)
		b := a.tab(t)
		b.expected = regexp.MustCompile(`status of 401`)
		b.open("/acme/boards/NINJA")
		b.addTo("To do")
		b.types("Too late") // or the page would go there by itself
		a.post("/logout")
		b.types("\r")
		b.at("/login")
		b.fills("#login-email", email)
		b.fills("#login-password", password)
		b.click("form .primary")
		b.wait(`location.pathname.startsWith("/acme")`)
	})
}

func TestEditing(t *testing.T) {
	t.Run("an edit shows at once and stays", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "Old title").tab(t)
		b.open("/acme/NINJA-1")
		b.types("e")
		b.wait(`document.activeElement.id === "edit-title"`)
		b.fills("#edit-title", "New title")
		b.fills("#edit-description", "It has **weight**.")
		b.click("#ticket form .primary")
		b.sees("#ticket .prose strong", "weight")
		b.sees("#ticket h1", "New title")
		b.sees("#history", "changed the title from “Old title” to “New title”")
		b.open("/acme/NINJA-1")
		b.sees("h1", "New title")
	})
	t.Run("ctrl+Enter saves from every field, the caret is at the end, and Escape leaves without a loss", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t, "Old").tab(t)
		b.open("/acme/NINJA-1")
		b.types("e")
		b.wait(`document.activeElement.id === "edit-title"`)
		b.types(" title")
		b.ctrl("Enter", "Enter", 13)
		b.sees("#ticket h1", "Old title")
		b.sees("#history", "changed the title from “Old” to “Old title”")
		b.rests()
		b.types("e")
		b.wait(`document.activeElement.id === "edit-title"`)
		b.types(kb.Escape)
		b.wait(`!document.querySelector("#edit-title") && !document.querySelector("#flash .toast")`)
		b.rests()
		b.types("e")
		b.wait(`document.activeElement.id === "edit-title"`)
		b.types(" half")
		b.types(kb.Escape)
		b.sees("#flash", "Your text is kept as a draft")
		b.wait(`!document.querySelector("#edit-title")`)
		b.rests()
		b.types("e")
		b.sees(".draft", "Draft restored")
		b.wait(`document.querySelector("#edit-title").value === "Old title half"`)

		b.open("/acme/boards/NINJA/settings")
		b.click("#settings-title")
		b.fills("#settings-title", "Day launches")
		b.ctrl("Enter", "Enter", 13)
		b.at("/acme/boards/NINJA")
		b.sees("h1", "Day launches")
	})
	t.Run("a long history is read back to its beginning", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Title 0")
		for i := 1; i <= 60; i++ {
			a.post("/acme/NINJA-1", "title", fmt.Sprintf("Title %d", i), "description", "", "version", fmt.Sprint(i))
		}
		b := a.tab(t)
		b.open("/acme/NINJA-1")
		b.sees("#history", "to “Title 60”")
		b.wait(`(document.querySelector("#history .more a")?.click(), document.querySelector("#history").innerText.includes("opened this ticket"))`)
		if got := eval[int](b, `document.querySelectorAll("#history li").length`); got != 61 {
			t.Errorf("%d entries", got)
		}
	})
	t.Run("two edits of one ticket are both seen before one replaces the other", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "As it was")
		b := a.tab(t)
		b.open("/acme/NINJA-1/edit")
		version := eval[string](b, `document.querySelector("[name=version]").value`)
		a.post("/acme/NINJA-1", "title", "Theirs", "description", "their text", "version", version)
		b.wait(`document.querySelector("#meanwhile")`) // it moves the form
		b.fills("#edit-title", "Mine")
		b.click("#ticket form .primary")
		b.sees(".theirs", "Theirs")
		b.sees(".theirs", "their text")
		b.wait(`document.querySelector("#edit-title").value === "Mine"`)
		b.click("#ticket button[name=overwrite]")
		b.sees("#ticket h1", "Mine")
	})
	t.Run("a rejected form keeps what was typed, but never a password", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Short")
		b := a.tab(t)
		long := strings.Repeat("x", 300)

		b.open("/acme/NINJA-1/edit")
		eval[bool](b, `(document.querySelector("#edit-title").removeAttribute("maxlength"), true)`)
		b.fills("#edit-title", long)
		b.fills("#edit-description", "keep me")
		b.click("#ticket form .primary")
		b.sees("#edit-title-error", "300 characters")
		b.wait(`document.querySelector("#edit-title").value === %s && document.querySelector("#edit-description").value === "keep me"`, long)
		b.wait(`document.querySelector("#edit-title").matches("[aria-invalid=true]:focus")`)

		b.open("/acme")
		b.fills("#board-title", "Again")
		b.fills("#board-slug", "NINJA")
		b.click(`form[action="/acme/boards"] .primary`)
		b.sees("#board-slug-error", "already")
		b.wait(`document.querySelector("#board-title").value === "Again"`)

		s := a.stranger(t)
		s.open("/login")
		s.fills("#login-email", email)
		s.fills("#login-password", "wrong horse battery")
		s.click("form .primary")
		s.sees("#login-password-error", "Wrong email or password")
		s.wait(`document.querySelector("#login-email").value === %s && document.querySelector("#login-password").value === ""`, email)
	})
}

func TestHostile(t *testing.T) {
	t.Run("markup in titles, names and descriptions is text everywhere", func(t *testing.T) {
		t.Parallel()
		const hostile = `<img src=x onerror=alert(1)>`
		a := start(t)
		a.setUp("company", hostile, "slug", "acme", "name", hostile, "email", email, "password", password)
		a.post("/acme/boards", "slug", "NINJA", "title", hostile)
		a.post("/acme/boards/NINJA/tickets", "title", hostile, "description",
			hostile+"<script>alert(2)</script> [x](javascript:alert(3))")
		a.post("/acme/boards/NINJA/tickets", "title", "Other")
		a.post("/acme/NINJA-1", "title", hostile+"!", "description", "", "version", "1")
		b := a.tab(t)
		b.expected = regexp.MustCompile(`status of 404`)
		for _, path := range []string{"/acme", "/acme/boards/NINJA", "/acme/boards/NINJA/settings",
			"/acme/boards/NINJA/tickets/new", "/acme/NINJA-1", "/acme/NINJA-1/edit", "/acme/NINJA-2/position", "/acme/NINJA-3"} {
			b.open(path)
			b.wait(`document.readyState === "complete"`)
			if eval[bool](b, `!!document.querySelector("img, main script, a[href^='javascript:']")`) {
				t.Errorf("%s: markup became an element", path)
			}
			if !strings.HasSuffix(path, "3") && !eval[bool](b,
				`document.body.innerText.includes(%s) || [...document.querySelectorAll("input, option")].some(e => (e.value + e.text).includes(%s))`, hostile, hostile) {
				t.Errorf("%s: the text is not there", path)
			}
		}
	})
}
