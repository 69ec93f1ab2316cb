package e2e

import (
	"regexp"
	"strings"
	"testing"
)

// An owner invites a user, who joins in another browser and sees the boards; then the owner removes them, and their
// next click leads to the sign-in.
func TestInvitation(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the fins")
	owner, guest := a.tab(t), a.stranger(t)

	owner.open("/acme")
	owner.click(`.top nav a[href="/acme/people"]`)
	owner.at("/acme/people")
	owner.fills("#invite-note", "For Bo")
	owner.click(`form[action="/acme/people/invitations"] .primary`)
	owner.wait(`document.querySelector("#link")`)
	link := eval[string](owner, `document.querySelector("#link").value`)
	owner.click("[data-copy]")
	owner.sees("#flash .toast", "Copied.")
	owner.accessible("an invitation that was just made")

	guest.open(strings.TrimPrefix(link, a.url))
	guest.accessible("an invitation")
	guest.fills("#join-name", "Bo")
	guest.fills("#join-email", "bo@example.com")
	guest.fills("#join-password", password)
	guest.click("form .primary")
	guest.signsInAs("bo@example.com")
	guest.at("/acme")
	guest.sees(".boards", "Night launches")
	guest.click(`.boards a[href="/acme/boards/NINJA"]`)
	guest.at("/acme/boards/NINJA")
	guest.sees(card("NINJA-1"), "Paint the fins")

	owner.open("/acme/people")
	owner.click(`#members tbody tr:last-child a`)
	owner.sees("#person h1", "Bo")
	guest.expected = regexp.MustCompile(`status of 40[14]`)
	owner.click("#person .danger")
	owner.at("/acme/people")
	owner.sees("#flash .toast", "Bo is removed.")
	if eval[int](owner, `document.querySelectorAll("#members tbody tr").length`) != 1 {
		t.Error("Bo is in the list still")
	}

	// its page may find out by itself
	guest.wait(`location.pathname === "/login" || (window.went ??= (document.querySelector('.top nav a[href="/acme"]')?.click(), true), false)`)
	guest.at("/login")
}

// A guest who was invited sees no board before one names it, then that board and the members on it.
func TestGuest(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the fins")
	owner, guest := a.tab(t), a.stranger(t)

	owner.open("/acme/people")
	owner.wait(`(document.querySelector("#invite-role").value = "guest") === document.querySelector("#invite-role").value`)
	owner.click(`form[action="/acme/people/invitations"] .primary`)
	owner.wait(`document.querySelector("#link")`)
	link := eval[string](owner, `document.querySelector("#link").value`)

	guest.open(strings.TrimPrefix(link, a.url))
	guest.fills("#join-name", "Bo")
	guest.fills("#join-email", "bo@example.com")
	guest.fills("#join-password", password)
	guest.look("guest-join")
	guest.click("form .primary")
	guest.signsInAs("bo@example.com")
	guest.at("/acme")
	guest.sees("main .lead", "As a guest")
	guest.accessible("a guest without boards")
	guest.look("guest-home")

	owner.open("/acme/boards/NINJA/members")
	owner.look("guest-board-members")
	owner.fills("#named-name", "@bo")
	owner.click(`form[action="/acme/boards/NINJA/members"] .primary`)
	owner.sees("#flash .toast", "Added.")
	owner.look("guest-named")

	guest.open("/acme")
	guest.click(`.boards a[href="/acme/boards/NINJA"]`)
	guest.at("/acme/boards/NINJA")
	guest.sees(card("NINJA-1"), "Paint the fins")
	guest.open("/acme/people")
	guest.sees("main .lead", "share a board")
	guest.accessible("the members as a guest sees them")
	guest.look("guest-people")

	owner.open("/acme/people")
	owner.accessible("members with a guest")
	owner.look("guest-members")
	owner.click(`#members tbody tr:last-child a`)
	owner.sees("#person h1", "Bo")
	owner.look("guest-member")
}

// The pages on which members see and give rights have what they are for, on a wide screen and on a phone.
func TestPagesOfRights(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the fins")
	a.member(t, "Bo", "bo@example.com")
	a.member(t, "Cyd", "cyd@example.com")
	a.post("/acme/groups", "name", "Pilots")
	a.post("/acme/groups/1/members", "handle", "bo")
	a.post("/acme/boards/NINJA/privacy", "private", "yes")
	a.post("/acme/boards/NINJA/members", "name", "Pilots", "role", "member")
	a.post("/acme/boards/NINJA/members", "name", "@cyd", "role", "viewer")
	b := a.tab(t)
	for _, page := range []struct{ name, path, in, text string }{
		{"people", "/acme/people", "#members", "cyd@example.com"},
		{"groups", "/acme/groups", "#groups", "Pilots"},
		{"group", "/acme/groups/1", "#group", "Bo"},
		{"board-members", "/acme/boards/NINJA/members", "#board-members", "Pilots"},
		{"private-boards", "/acme/settings/boards", "#private-boards", "NINJA"},
		{"audit", "/acme/audit", "#audit", "Pilots"},
	} {
		b.open(page.path)
		for _, width := range []int64{1280, 390} {
			b.size(width, 844, width < 700)
			b.frame()
			b.sees(page.in, page.text)
			if wide := eval[int64](b, `document.documentElement.scrollWidth`); wide > width {
				t.Errorf("%s is %d wide on a screen of %d", page.path, wide, width)
			}
		}
		b.look(page.name)
	}
}

// The menu opens and closes by mouse and keyboard, and fits on a phone.
func TestAccountMenu(t *testing.T) {
	t.Parallel()
	a := withBoard(t)
	b := a.tab(t)
	b.open("/acme")
	b.click(".menu summary")
	b.wait(`document.querySelector(".menu").open`)
	b.types("\x1b")
	b.wait(`!document.querySelector(".menu").open && document.activeElement.matches(".menu summary")`)
	b.click(".menu summary")
	b.click("h1")
	b.wait(`!document.querySelector(".menu").open`)

	b.size(390, 844, true)
	for _, path := range []string{"/acme", "/acme/people", "/acme/people/1", "/acme/tokens", "/acme/settings",
		"/acme/audit", "/account", "/admin/companies"} {
		b.open(path)
		b.tap(".menu summary")
		b.wait(`document.querySelector(".menu").open`)
		if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("%s is %d wide", path, wide)
		}
		if out := eval[bool](b,
			`(() => { const r = document.querySelector(".menu > div").getBoundingClientRect(); return r.left < 0 || r.right > innerWidth })()`); out {
			t.Errorf("%s: the menu is not all on the screen", path)
		}
	}
	b.accessible("the menu")
}

// signsInAs fills in the form to sign in that is shown.
func (b *tab) signsInAs(email string) {
	b.t.Helper()
	b.at("/login")
	b.fills("#login-email", email)
	b.fills("#login-password", password)
	b.click("main form .primary")
}
