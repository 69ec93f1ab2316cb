package web_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestPasswordChoice(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.exec("UPDATE company SET name = 'Night Flights', slug = 'night' WHERE slug = 'acme'")
	e.account("mia", "night", "member")
	ana := e.ana()
	reset := pathOf(t, ana.post(fmt.Sprintf("/night/people/%d/resets", e.idOf("mia"))).is(t, 201).value(t, "#link"))
	join := pathOf(t, ana.post("/night/people/invitations", "role", "member", "days", "7").is(t, 201).value(t, "#link"))
	for _, bad := range []string{"eleven-char", "qwertyqwerty", "night-flights-2026", "mia@example.com"} {
		e.visitor().post(reset, "password", bad).is(t, 422).has(t, 1, "#reset-password-error")
		e.visitor().post(join, "name", "Mia", "email", "mia@example.com", "password", bad).is(t, 422).
			has(t, 1, "#join-password-error")
	}
	for _, bad := range []string{"eleven-char", "QwertyQwerty", "night-flights-2026", "ana@example.com"} {
		ana.post("/account/password", "current", password, "password", bad).is(t, 422).has(t, 1, "#password-password-error")
	}
	ana.post("/account/password", "current", password, "password", "twelve-chars").goesTo(t, "/account")
}

func TestWeakPasswordIsAskedAboutOnce(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("mia", "acme", "member")
	const weak = "qwertyqwerty"
	hash := domaintest.OK(accounts.HashPassword(weak, apptest.CheapCost))(t)
	e.exec("UPDATE account SET password_hash = ? WHERE name = 'mia'", hash)
	mia := e.visitor()
	signIn := func() {
		mia.post("/login", "email", "mia@example.com", "password", weak).is(t, 303)
	}
	signIn()
	want := []string{"Please choose another password | Yours is short, common, your address, or the name of your company | /account"}
	if list := mia.notices("acme"); !slices.Equal(list, want) {
		t.Errorf("the inbox has %q", list)
	}
	signIn()
	mia.get("/acme/inbox").has(t, 1, ".entry")
	e.signedIn("ana")
	e.counts(t, 1, "SELECT COUNT(*) FROM notification WHERE kind = 'password'")
}
