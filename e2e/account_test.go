package e2e

import (
	"regexp"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// A user sees both browsers on the account page, and ends the session in the other one.
func TestSessions(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the fins")
	here, there := a.tab(t), a.stranger(t)
	there.signsIn(email)

	here.open("/account")
	here.sees("#sessions", "Chrome on Linux")
	here.sees("#sessions tbody tr:nth-child(2)", "this one")
	there.expected = regexp.MustCompile(`status of 401`)
	here.click("#sessions tbody tr:nth-child(1) button")
	here.sees("#flash .toast", "The session is ended.")
	if eval[int](here, `document.querySelectorAll("#sessions tbody tr").length`) != 1 {
		t.Error("the ended session is in the list still")
	}
	there.open("/acme/inbox")
	there.at("/login")
}

// A user who is asked for the password again types it, and finds the form done that was sent.
func TestConfirm(t *testing.T) {
	t.Parallel()
	w := withWorks(t)
	domaintest.Exec(t, w.d, "UPDATE sessions SET confirmed_at = confirmed_at - INTERVAL 10 MINUTE")
	b := w.tab(t)
	b.expected = regexp.MustCompile(`status of (403|422)`)
	b.open("/acme/tokens")
	b.fills("#token-name", "backup script")
	b.click(`#token-scopes input[value="boards:read"]`)
	b.click(`form[action="/acme/tokens"] .primary`)
	b.sees("h1", "Confirm that it is you")
	b.accessible("asking for the password")
	b.fills("#confirm-current", "wrong "+password)
	b.click("main form .primary")
	b.sees(".summary", "Wrong password")
	b.fills("#confirm-current", password)
	b.click("main form .primary")
	b.sees("#own-tokens", "backup script")
	b.wait(`document.querySelector("#secret")`)
}

// A sign-in in a browser that is not known shows in the inbox of the user's other one, which leads to the sessions.
func TestNotice(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the fins")
	here, there := a.tab(t), a.stranger(t)
	there.signsIn(email)
	here.open("/acme/inbox")
	here.sees(".entry.unread .by", "New sign-in")
	here.accessible("an inbox with a notice")
	here.click(`.entry p a`)
	here.at("/account")
	here.sees("#sessions", "this one")
}
