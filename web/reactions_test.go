package web_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

func TestReactions(t *testing.T) {
	t.Parallel()
	t.Run("a member reacts, sees who did, and takes it back", func(t *testing.T) {
		t.Parallel()
		e, ana, ben, vera := newEnvWithTalk(t)
		ana.post("/acme/DEMO-1/comments", "body", "It is done.").is(t, 303)
		n := e.count("SELECT MAX(id) FROM comment")
		path, item := fmt.Sprintf("/acme/DEMO-1/comments/%d/reactions", n), fmt.Sprintf("#comment-%d ", n)
		ana.get("/acme/DEMO-1").has(t, 0, item+".chip").has(t, 6, item+".reactions .menu button")
		e.publish()
		ben.post(path, "reaction", "heart on").is(t, 303)
		ben.post(path, "reaction", "heart on").is(t, 303) // a double click
		ana.post(path, "reaction", "heart on").is(t, 303)
		e.counts(t, 1, "SELECT COUNT(*) FROM comment WHERE feed_sync_id IS NULL AND reactions = '0,0,0,0,0,2'")
		e.counts(t, 1, "SELECT version FROM comment WHERE reactions <> ''")
		part := ana.htmx("x").post(path, "reaction", "thumbs-up on").is(t, 200)
		part.has(t, 2, "button.chip[aria-pressed=true]").has(t, 1, "button.chip[value='heart off'][title='Ana, ben']").has(t, 1, "button.chip[autofocus]")
		vera.get("/acme/DEMO-1").has(t, 2, item+"span.chip").has(t, 0, item+".reactions form")
		ana.post(path, "reaction", "heart off").is(t, 303)
		ana.post(path, "reaction", "heart off").is(t, 303)
		ben.get("/acme/DEMO-1").has(t, 1, item+"button.chip[value='heart off'][title=ben]").has(t, 1, item+"button.chip[value='thumbs-up on']")
		ana.post(path, "reaction", "thumbs-up off").is(t, 303)
		ben.post(path, "reaction", "heart off").is(t, 303)
		e.counts(t, 0, "SELECT COUNT(*) FROM comment WHERE reactions <> ''")
		e.unchanged(t, func() {
			for _, bad := range []string{"", "heart", "skull on", hostile, "7 on"} {
				want := 422
				if bad == "heart" { // neither on nor off: off
					want = 303
				}
				ana.post(path, "reaction", bad).is(t, want)
			}
			vera.post(path, "reaction", "heart on").is(t, 403)
			ana.post(strings.Replace(path, "DEMO-1", "DEMO-2", 1), "reaction", "heart on").is(t, 404)
		})
		e.verified()
	})
	t.Run("a deleted comment shows none, and has them again when it is restored", func(t *testing.T) {
		t.Parallel()
		e, ana, ben, _ := newEnvWithTalk(t)
		ana.post("/acme/DEMO-1/comments", "body", "It is done.").is(t, 303)
		n := e.count("SELECT MAX(id) FROM comment")
		path := fmt.Sprintf("/acme/DEMO-1/comments/%d", n)
		ben.post(path+"/reactions", "reaction", "hooray on").is(t, 303)
		ana.post(path+"/removal").is(t, 303)
		ana.get("/acme/DEMO-1").has(t, 0, fmt.Sprintf("#comment-%d .reactions", n))
		ben.post(path+"/reactions", "reaction", "heart on").is(t, 404)
		var page struct{ Items []struct{ Reactions []any } }
		if e.program().get("/tickets/DEMO-1/comments").is(t, 200).read(t, &page); len(page.Items[len(page.Items)-1].Reactions) != 0 {
			t.Errorf("%+v", page)
		}
		ana.post(path+"/restoration").is(t, 303)
		ana.get("/acme/DEMO-1").has(t, 1, fmt.Sprintf("#comment-%d .reactions button.chip", n))
		e.verified()
	})
	t.Run("of many at once each counts", func(t *testing.T) {
		t.Parallel()
		e, ana, _, _ := newEnvWithTalk(t)
		ana.post("/acme/DEMO-1/comments", "body", "It is done.").is(t, 303)
		path := fmt.Sprintf("/acme/DEMO-1/comments/%d/reactions", e.count("SELECT MAX(id) FROM comment"))
		var all sync.WaitGroup
		for i := range 12 {
			name := fmt.Sprint("user", i)
			e.account(name, "acme", accounts.Member)
			b := e.signedIn(name)
			all.Go(func() { b.post(path, "reaction", "heart on").is(t, 303) })
		}
		all.Wait()
		e.counts(t, 1, "SELECT COUNT(*) FROM comment WHERE reactions = '0,0,0,0,0,12'")
		ana.get("/acme/DEMO-1").has(t, 1, "button.chip[title$=' and 2 more']")
	})
	t.Run("the API and the feed have them", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		p := e.program()
		p.post("/tickets/DEMO-1/comments", object{"body": "x"}).is(t, 201)
		e.publish()
		p.put("/tickets/DEMO-1/comments/1/reactions/heart", nil).is(t, 200)
		a := p.put("/tickets/DEMO-1/comments/1/reactions/heart", nil).is(t, 200)
		const has = `"reactions":[{"reaction":"heart","count":1}]`
		e.publish()
		for name, a := range map[string]*answer{"the comment": a, "the list": p.get("/tickets/DEMO-1/comments").is(t, 200),
			"the feed": p.get("/feeds/comments").is(t, 200)} {
			if !strings.Contains(a.body, has) {
				t.Errorf("%s: %s", name, a.body)
			}
		}
		p.put("/tickets/DEMO-1/comments/1/reactions/skull", nil).problem(t, 422, "reaction")
		p.delete("/tickets/DEMO-1/comments/1/reactions/heart").is(t, 200)
		if a := p.get("/tickets/DEMO-1/comments").is(t, 200); !strings.Contains(a.body, `"reactions":[]`) {
			t.Error(a.body)
		}
	})
}
