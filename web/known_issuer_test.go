package web_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// knownIssuer is the process of an issuer that others made (tools/issuer).
type knownIssuer struct{ address string }

// startKnownIssuer builds and starts the issuer, which sends browsers back to an address alone.
func startKnownIssuer(t testing.TB, redirect string, users object) *knownIssuer {
	t.Helper()
	dir := t.TempDir()
	program, file := filepath.Join(dir, "issuer"), filepath.Join(dir, "users.json")
	if out, err := exec.Command("go", "build", "-C", "../tools/issuer", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build the issuer: %v\n%s", err, out)
	}
	domaintest.Must(t, os.WriteFile(file, domaintest.OK(json.Marshal(users))(t), 0o600))
	cmd := exec.Command(program, file, clientID, clientSecret, redirect)
	input := domaintest.OK(cmd.StdinPipe())(t)
	output := domaintest.OK(cmd.StdoutPipe())(t)
	domaintest.Must(t, cmd.Start())
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Wait()
	})
	line := domaintest.OK(bufio.NewReader(output).ReadString('\n'))(t)
	return &knownIssuer{strings.TrimSpace(line)}
}

// signIn is a browser's way through the pages of the issuer: from the address that it was sent to, to that of this server
// to which it is sent back.
func (i *knownIssuer) signIn(t testing.TB, address, username, password string) string {
	t.Helper()
	jar := domaintest.OK(cookiejar.New(nil))(t)
	back := ""
	client := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if !strings.HasPrefix(r.URL.String(), i.address) {
			back = r.URL.RequestURI()
			return http.ErrUseLastResponse
		}
		return nil
	}}
	form := domaintest.OK(client.Get(address))(t)
	defer form.Body.Close()
	page := domaintest.OK(goquery.NewDocumentFromReader(form.Body))(t)
	action, _ := page.Find("form").Attr("action")
	fields := url.Values{"username": {username}, "password": {password}, "id": {page.Find("[name=id]").AttrOr("value", "")}}
	to := form.Request.URL.ResolveReference(domaintest.OK(url.Parse(action))(t))
	done := domaintest.OK(client.PostForm(to.String(), fields))(t)
	defer done.Body.Close()
	if back == "" {
		text, _ := io.ReadAll(done.Body)
		t.Fatalf("the issuer answers %s at %s: %s", done.Status, done.Request.URL, text)
	}
	return back
}

// Signing in at an issuer that we did not write: it leaves the address to its user info, and rotates none of our habits.
func TestKnownIssuer(t *testing.T) {
	t.Parallel()
	e := newIssuerEnv(t)
	known := startKnownIssuer(t, "http://example.com/login/issuers/3/callback", object{
		"id1": object{"ID": "id1", "Username": "nora", "Password": "very secure", "FirstName": "Nora", "LastName": "Ash",
			"Email": "nora@acme.example", "EmailVerified": true},
		"id2": object{"ID": "id2", "Username": "eve", "Password": "very secure", "FirstName": "Eve", "LastName": "Ash",
			"Email": "eve@acme.example", "EmailVerified": false},
		"id3": object{"ID": "id3", "Username": "mia", "Password": "very secure", "FirstName": "Mia", "LastName": "Ash",
			"Email": "mia@elsewhere.example", "EmailVerified": true},
	})
	olga := e.signedIn("olga")
	olga.post(signInSettings+"/issuers", "name", "Known ID", "url", known.address, "client", clientID, "secret", clientSecret).is(t, 303)
	if id := e.count("SELECT MAX(id) FROM issuer"); id != 3 {
		t.Fatalf("the issuer has the id %d", id)
	}
	e.hold(t, "olga", "acme", "acme.example")
	olga.post(signInSettings+"/issuers/3", "name", "Known ID", "client", clientID, "join", "yes").is(t, 303)
	signIn := func(b *browser, username string) *answer {
		address := b.get("/login/issuers/3").is(t, 303).header.Get("Location")
		return b.get(known.signIn(t, address, username, "very secure"))
	}

	nora := e.visitor()
	signIn(nora, "nora").goesTo(t, "/acme")
	nora.get("/acme").is(t, 200).textHas(t, "header .who", "Nora Ash")
	if role := e.roleOf(t, "nora@acme.example", "acme"); role != accounts.Member {
		t.Errorf("the role is %s", role)
	}
	again := e.visitor()
	signIn(again, "nora").goesTo(t, "/acme")
	e.counts(t, 1, "SELECT COUNT(*) FROM account WHERE email = 'nora@acme.example'")
	if a := signIn(e.visitor(), "eve"); a.code != 403 {
		t.Errorf("an address that is not verified: status %d", a.code)
	}

	// An account that exists is linked while signed in to it, and then found by it.
	mia := e.signedIn("mia")
	page := mia.post("/account/identities/3").is(t, 200)
	way, _ := page.page().Find("main a.primary").Attr("href")
	mia.get(known.signIn(t, way, "mia", "very secure")).goesTo(t, "/account")
	signIn(e.visitor(), "mia").goesTo(t, "/acme")

	// What came back once is of no use again, nor in another browser.
	b := e.visitor()
	back := known.signIn(t, b.get("/login/issuers/3").is(t, 303).header.Get("Location"), "nora", "very secure")
	e.visitor().get(back).isRefused(t, 422, notProven)
	b.get(back).goesTo(t, "/acme")
	b.get(back).isRefused(t, 422, notProven)

	nora.post("/logout").goesTo(t, "/login?out=3")
	out, _ := nora.get("/login?out=3").is(t, 200).page().Find("main .lead a").Attr("href")
	if !strings.HasPrefix(out, known.address+"/end_session?client_id="+clientID) {
		t.Errorf("signing out leads to %q", out)
	}
}
