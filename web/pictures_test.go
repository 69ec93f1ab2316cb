package web_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
)

// newPictureEnv is newEnvWithPrivateBoard that may fetch pictures from the host at base.
func newPictureEnv(t testing.TB) (e *env, base string) {
	t.Helper()
	host := outboundtest.New()
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)
	t.Cleanup(host.Close)
	u := domaintest.OK(url.Parse(server.URL))(t)
	allow := domaintest.OK(outbound.ParseAllowlist(u.Host))(t)
	e = setUp(newEmptyEnvWith(t, []app.Option{app.WithPictures(outbound.New(outbound.Options{Purpose: outbound.Pictures, Allow: allow}))}))
	e.account("mia", "acme", "member")
	e.newBoard("HIDE")
	e.newTickets("HIDE", 0, "Hidden")
	e.ana().post("/acme/boards/HIDE/privacy", "private", "yes").is(t, 303)
	return e, server.URL
}

func (e *env) fetchPictures(t testing.TB) {
	t.Helper()
	for n := 1; n > 0; {
		n = domaintest.OK(e.workflows.Delivery.FetchPictures(context.Background()))(t)
	}
}

// The policy of all pages, in full: what it allows is what a browser may do with a text that gets around everything else.
func TestContentSecurityPolicy(t *testing.T) {
	t.Parallel()
	e := newEnvWithForm(t, "ukrEP")
	for _, path := range []string{"/acme", "/acme/DEMO-1", "/login", "/t", "/acme/forms/DEMO", "/no/such/page"} {
		const want = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
			"font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; manifest-src 'self'"
		if policy := e.ana().get(path).header.Get("Content-Security-Policy"); policy != want {
			t.Errorf("%s: %s", path, policy)
		}
	}
}

func TestRemotePictures(t *testing.T) {
	t.Parallel()
	e, base := newPictureEnv(t)
	ana, mia := e.ana(), e.signedIn("mia")
	stored := regexp.MustCompile(`/acme/images/[0-9a-f]{64}/640`)

	t.Run("a link until they are stored, then our copy; the text stays", func(t *testing.T) {
		text := "Look ![the cat](" + base + "/image/1.png) and ![](" + base + "/script.svg)"
		ana.post("/acme/DEMO-1/comments", "body", text).is(t, 303)
		ana.post("/acme/DEMO-1", "title", "x", "version", "1", "description", "![dog]("+base+"/wide.png)").is(t, 303)
		page := ana.get("/acme/DEMO-1").is(t, 200)
		page.has(t, 0, ".prose img").has(t, 1, `.prose a[rel~=noreferrer][href="`+base+`/image/1.png"]`)
		page.textHas(t, `.prose a[href="`+base+`/wide.png"]`, "dog")
		e.fetchPictures(t)
		page = ana.get("/acme/DEMO-1").is(t, 200)
		page.has(t, 1, `.prose a.picture[href^="/acme/images/"] img[alt="the cat"][src$="/640"]`)
		page.has(t, 1, `.prose img[alt=dog]`).has(t, 1, `.prose a[href="`+base+`/script.svg"]`).has(t, 2, ".prose img")
		for _, path := range stored.FindAllString(page.body, -1) {
			mia.get(path).is(t, 200)
		}
		if a := e.program().get("/tickets/DEMO-1/comments"); !strings.Contains(a.body, base+"/image/1.png") {
			t.Error(a.body)
		}
		ana.post("/acme/preview", "body", text).is(t, 200).has(t, 0, ".prose img")
	})
	t.Run("a copy is seen by those who see its text, and by its address elsewhere it is a link", func(t *testing.T) {
		text := "![secret](" + base + "/image/2.png)"
		ana.post("/acme/HIDE-1/comments", "body", text).is(t, 303)
		e.fetchPictures(t)
		path := stored.FindString(ana.get("/acme/HIDE-1").is(t, 200).body)
		ana.get(path).is(t, 200)
		whole, none := strings.TrimSuffix(path, "/640"), "/acme/images/"+noImage
		hidden, missing := mia.get(whole).is(t, 404), mia.get(none).is(t, 404)
		if a, b := sameFor(hidden, whole), sameFor(missing, none); a != b {
			t.Errorf("hidden\n%s\nmissing\n%s", a, b)
		}
		mia.get(path).is(t, 404)
		mia.post("/acme/DEMO-2/comments", "body", "![x]("+whole+") "+text).is(t, 303) // which gives nothing away
		mia.get("/acme/DEMO-2").is(t, 200).has(t, 1, `.prose a[href="`+base+`/image/2.png"]`)
		mia.get(whole).is(t, 404)

		ana.post("/acme/boards/HIDE/members", "name", "@mia", "role", "viewer").is(t, 303)
		mia.get(whole).is(t, 200)
		ana.post("/acme/HIDE-1/deletion").is(t, 303)
		mia.get(whole).is(t, 404)
	})
	t.Run("whoever sees a copy may show it on another board, by its whole address too", func(t *testing.T) {
		ana.post(fmt.Sprintf("/acme/boards/HIDE/members/account/%d/removal", e.idOf("mia"))).is(t, 303)
		e.newTickets("HIDE", 0, "Another")
		ana.post("/acme/HIDE-2/comments", "body", "![a]("+base+"/image/3.png) ![b]("+base+"/image/4.png)").is(t, 303)
		e.fetchPictures(t)
		paths := stored.FindAllString(ana.get("/acme/HIDE-2").body, -1)
		first, second := strings.TrimSuffix(paths[0], "/640"), strings.TrimSuffix(paths[1], "/640")
		mia.get(second).is(t, 404)
		ana.post("/acme/DEMO-3/comments", "body", "![a]("+first+") ![b](http://example.com"+second+")").is(t, 303)
		mia.get(first).is(t, 200)
		mia.get(second).is(t, 404) // which server that is was not said
		mia.get("/acme/DEMO-3").is(t, 200).has(t, 2, `.prose a.picture[href^="/acme/"] img[src^="/acme/"]`)
	})
	t.Run("an image of before is seen by all members, but guests", func(t *testing.T) {
		e.exec("UPDATE image SET everyone = TRUE")
		mia.get("/acme/images/"+noImage).is(t, 404)
		var hash string
		domaintest.Must(t, e.db.SQL.QueryRow("SELECT LOWER(HEX(hash)) FROM picture WHERE url LIKE '%/image/2.png' AND hash IS NOT NULL LIMIT 1").Scan(&hash))
		mia.get("/acme/images/"+hash).is(t, 200)
		e.account("gil", "acme", "guest")
		e.signedIn("gil").get("/acme/images/"+hash).is(t, 404)
	})
	t.Run("to a requester all of them are links", func(t *testing.T) {
		e := newEnvWithForm(t, "ukrEP")
		link := e.ask(t, "DEMO", "Help")
		e.ana().post("/acme/"+e.newest(t, "DEMO")+"/comments", "body", "![x](https://evil.example/x.png)", "public", "1").is(t, 303)
		e.visitor().get(link).is(t, 200).has(t, 0, ".prose img").has(t, 1, ".prose a[rel~=noreferrer]")
	})
}
