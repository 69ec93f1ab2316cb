package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/requests"
)

// proof does the work of a form's page.
func proof(challenge, title, description, email string) string {
	seed := requests.Submission{Challenge: challenge, Title: title, Description: description, Email: email}.ProofSeed()
	for number := uint64(0); ; number++ {
		if requests.Proves(seed, number) {
			return fmt.Sprint(number)
		}
	}
}

func TestProofOfWork(t *testing.T) {
	t.Parallel()
	t.Run("no form asks for it before its board says so", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		e.ana().get("/acme/boards/DEMO/settings").has(t, 1, "#public-form [name=proof]").has(t, 0, "#public-form [name=proof][checked]")
		e.visitor().get("/acme/forms/DEMO").is(t, 200).has(t, 0, "[data-proof], noscript, [name=challenge]")
		e.ask(t, "DEMO", "Help")
	})

	e := newEnv(t)
	e.stock(codes(20)...)
	e.offer(t, "DEMO", "on", "1", "proof", "1")
	e.newBoard("OTHER")
	e.offer(t, "OTHER", "on", "1", "proof", "1")
	e.ana().get("/acme/boards/DEMO/settings").has(t, 1, "#public-form [name=proof][checked]")
	stranger := e.visitor()
	form := func(t *testing.T, board string) (nonce, challenge string) {
		page := stranger.get("/acme/forms/"+board).is(t, 200).has(t, 1, fmt.Sprintf("form[data-proof='%d']", requests.ProofBits))
		page.has(t, 1, "main noscript")
		return page.value(t, "[name=nonce]"), page.value(t, "[name=challenge]")
	}
	send := func(board, nonce, challenge, title, number string) *answer {
		return stranger.post("/acme/forms/"+board, "nonce", nonce, "challenge", challenge, "proof", number, "title", title,
			"description", "a\r\nb", "email", "")
	}
	refused := func(t *testing.T, do func() *answer) {
		t.Helper()
		e.unchanged(t, func() {
			a := do().is(t, http.StatusUnprocessableEntity)
			a.textHas(t, "[role=alert]", "Turn on JavaScript")
			if got := a.value(t, "#request-title"); !strings.HasPrefix(got, "Help") {
				t.Errorf("%q is left of what was typed", got)
			}
		})
	}

	t.Run("with it a form is sent, once", func(t *testing.T) {
		nonce, challenge := form(t, "DEMO")
		work := proof(challenge, "Help", "a\r\nb", "")
		first := send("DEMO", nonce, challenge, "Help", work).is(t, http.StatusSeeOther)
		e.unchanged(t, func() {
			send("DEMO", nonce, challenge, "Help", work).goesTo(t, first.header.Get("Location"))
		})
		refused(t, func() *answer { return send("DEMO", nonce, challenge, "Help again", work) })
	})
	t.Run("without it, or for another form, it is not, and what was typed is kept", func(t *testing.T) {
		nonce, challenge := form(t, "DEMO")
		work := proof(challenge, "Help", "a\r\nb", "")
		other, theirs := form(t, "OTHER")
		for name, do := range map[string]func() *answer{
			"none":                 func() *answer { return send("DEMO", nonce, challenge, "Help", "") },
			"no number":            func() *answer { return send("DEMO", nonce, challenge, "Help", "-1") },
			"a guess":              func() *answer { return send("DEMO", nonce, challenge, "Help", work+"1") },
			"of another text":      func() *answer { return send("DEMO", nonce, challenge, "Help!", work) },
			"of another page":      func() *answer { return send("DEMO", requests.NewNonce(e.db.Now()), challenge, "Help", work) },
			"of another board":     func() *answer { return send("OTHER", other, challenge, "Help", work) },
			"on one's own":         func() *answer { return send("DEMO", nonce, "x", "Help", proof("x", "Help", "a\r\nb", "")) },
			"with theirs":          func() *answer { return send("DEMO", nonce, theirs, "Help", proof(theirs, "Help", "a\r\nb", "")) },
			"no challenge at all":  func() *answer { return send("DEMO", nonce, "", "Help", proof("", "Help", "a\r\nb", "")) },
			"a nonce without time": func() *answer { return send("DEMO", requests.NewToken(), challenge, "Help", work) },
		} {
			t.Run(name, func(t *testing.T) { refused(t, do) })
		}
		a := send("DEMO", nonce, challenge, "Help", "") // the page that it gets works
		nonce, challenge = a.value(t, "[name=nonce]"), a.value(t, "[name=challenge]")
		send("DEMO", nonce, challenge, "Help", proof(challenge, "Help", "a\r\nb", "")).is(t, http.StatusSeeOther)
	})
	t.Run("it is for one request, whatever is the same to the server", func(t *testing.T) {
		nonce, challenge := form(t, "DEMO")
		work := proof(challenge, "Help", "a\r\nb", "")
		send("DEMO", nonce, challenge, "Help", work).is(t, http.StatusSeeOther)
		for what, sent := range map[string][3]string{
			"line ends in the description": {"DEMO", "Help", "a\nb"},
			"a line end in the title":      {"DEMO", "Help\r", "a\r\nb"},
			"another name of the board":    {"%20DEMO", "Help", "a\r\nb"},
		} {
			t.Run(what, func(t *testing.T) {
				refused(t, func() *answer {
					return stranger.post("/acme/forms/"+sent[0], "nonce", nonce, "challenge", challenge, "proof", work,
						"title", sent[1], "description", sent[2], "email", "")
				})
			})
		}
	})
	t.Run("no page has a challenge for another day", func(t *testing.T) {
		for _, days := range []int{-2, 2} {
			ahead := requests.NewNonce(e.db.Now().AddDate(0, 0, days))
			a := stranger.post("/acme/forms/DEMO", "nonce", ahead, "title", "").is(t, http.StatusUnprocessableEntity)
			if a.value(t, "[name=nonce]") == ahead {
				t.Errorf("it is given for %d days from now", days)
			}
		}
	})
	t.Run("after a day the page is too old", func(t *testing.T) {
		e := newEnv(t)
		now := e.stopClock()
		sent := requests.Submission{Nonce: requests.NewNonce(now.AddDate(0, 0, -2)), Challenge: "c", Title: "Help"}
		sent.Proof = proof("c", "Help", "", "")
		if err := sent.CheckProof("c", now); err == nil {
			t.Error("two days old")
		}
		if err := sent.CheckProof("c", now.AddDate(0, 0, -2)); err != nil {
			t.Error(err)
		}
		if err := sent.CheckProof("c", now.AddDate(0, 0, -3)); err == nil {
			t.Error("of tomorrow")
		}
	})
}
