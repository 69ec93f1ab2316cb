package web_test

import (
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

func TestBacklinksPage(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana, api := e.ana(), e.program()
	e.exec("DELETE FROM backlink") // those of the practice board
	ana.get("/acme/DEMO-2").has(t, 0, "#backlinks")
	ana.post("/acme/DEMO-1/comments", "body", "As in DEMO-2.").is(t, 303)
	ana.post("/acme/boards/DEMO/tickets", "title", "<b>Paint</b> after DEMO-2").is(t, 303)
	page := ana.get("/acme/DEMO-2").is(t, 200).has(t, 2, "#backlinks li")
	page.textIs(t, "#backlinks h2", "Mentioned in")
	page.textIs(t, "#backlinks li:first-child a", "DEMO-8<b>Paint</b> after DEMO-2")
	page.has(t, 1, "#backlinks a[href='/acme/DEMO-1?comment=1#comment-1']")
	if a := api.get("/tickets/DEMO-2/backlinks").is(t, 200); !strings.Contains(a.body,
		`{"items":[{"key":"DEMO-8","title":"\u003cb\u003ePaint\u003c/b\u003e after DEMO-2","closed":false,"comment":null},{"key":"DEMO-1",`) ||
		!strings.Contains(a.body, `"comment":1}],"next":null}`) {
		t.Errorf("the API has %s", a.body)
	}
	ana.post("/acme/DEMO-2/relations", "kind", "blocks", "other", "DEMO-8").is(t, 303)
	ana.get("/acme/DEMO-2").has(t, 1, "#backlinks li") // a relation is listed once
	ana.post("/acme/DEMO-1/comments/1/removal").is(t, 303)
	ana.get("/acme/DEMO-2").has(t, 0, "#backlinks")
	e.account("gus", "acme", accounts.Guest)
	gus := &program{env: e, token: e.tokenOf("gus", "acme", "tickets:read")}
	gus.get("/tickets/DEMO-2/backlinks").is(t, 404)
}

func TestCommentCount(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	ana.get("/acme/boards/DEMO").has(t, 0, ".card[data-key=DEMO-1] .has-comments")
	for range 2 {
		ana.post("/acme/DEMO-1/comments", "body", "More").is(t, 303)
	}
	ana.get("/acme/boards/DEMO").textIs(t, ".card[data-key=DEMO-1] .has-comments", "Comments: 2")
	ana.post("/acme/DEMO-1/comments/1/removal").is(t, 303)
	ana.get("/acme/boards/DEMO").textIs(t, ".card[data-key=DEMO-1] .has-comments", "Comments: 1")
	ana.post("/acme/DEMO-1/comments/1/restoration").is(t, 303)
	ana.get("/acme/boards/DEMO").textIs(t, ".card[data-key=DEMO-1] .has-comments", "Comments: 2")
	ana.get("/acme/boards/DEMO?q=DEMO-1").textIs(t, ".card[data-key=DEMO-1] .has-comments", "Comments: 2")
	e.exec("UPDATE ticket SET comments = 0") // as a version that does not count them leaves it during an upgrade
	ana.post("/acme/DEMO-1/comments/1/removal").is(t, 303)
	ana.get("/acme/boards/DEMO").has(t, 0, ".card[data-key=DEMO-1] .has-comments")
	e.exec("UPDATE ticket SET comments = NULL") // as a version that did not count them left it
	ana.post("/acme/DEMO-1/comments", "body", "More").is(t, 303)
	ana.get("/acme/boards/DEMO").has(t, 0, ".has-comments")
}
