package web_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestUndoOfADeletedComment(t *testing.T) {
	t.Parallel()
	const secret = "the door code is 4711"
	t.Run("nobody reads a deleted text on a page, by the API or in a feed; the undo brings it back", func(t *testing.T) {
		t.Parallel()
		e, ana, ben, vera := newEnvWithTalk(t)
		e.publish()
		ben.post("/acme/DEMO-1/comments", "body", "@ana "+secret).is(t, 303)
		e.publish()
		one := e.count("SELECT MAX(id) FROM comment")
		path := fmt.Sprintf("/acme/DEMO-1/comments/%d", one)
		start := e.program().feed(t, "comments")
		ben.post(path+"/removal").goesTo(t, fmt.Sprintf("/acme/DEMO-1?comment=%d#comment-%d", one, one))
		e.publish()
		for _, who := range []*browser{ana, ben, vera} {
			for _, page := range []string{"/acme/DEMO-1", path, path + "/edit", "/acme/DEMO-1/comments?before=9999",
				"/acme/inbox", "/acme/DEMO-1/activity", "/acme/boards/DEMO", "/acme/work"} {
				for _, as := range []*browser{who, who.htmx("said")} {
					if a := as.get(page); strings.Contains(a.body, "4711") || a.code >= 500 {
						t.Errorf("%s shows %d %s", page, a.code, a.body)
					}
				}
			}
		}
		for _, call := range []string{"/tickets/DEMO-1/comments", "/feeds/comments",
			"/feeds/comments?cursor=" + start.Cursor} {
			if a := e.program().get(call).is(t, 200); strings.Contains(a.body, "4711") {
				t.Errorf("%s answers %s", call, a.body)
			}
		}
		m := mirror{}
		cursor := m.read(t, e.program(), "comments", "")
		if _, there := m[uint64(one)]; there {
			t.Error("the feed has no deletion")
		}
		for _, who := range []*browser{ana, vera} {
			who.post(path+"/restoration").is(t, 403)
		}
		ben.post(path+"/restoration").goesTo(t, fmt.Sprintf("/acme/DEMO-1?comment=%d#comment-%d", one, one))
		e.publish()
		page := ben.get("/acme/DEMO-1").is(t, 200)
		page.textHas(t, fmt.Sprintf("#comment-%d .prose", one), secret)
		page.textHas(t, ".toast", "The comment is restored.")
		page.has(t, 0, fmt.Sprintf("#comment-%d header small", one)) // not “edited”
		m.read(t, e.program(), "comments", cursor)
		if back := m[uint64(one)]; back.Data == nil || back.Data.Body != "@ana "+secret {
			t.Errorf("the feed has %+v", back)
		}
	})
	t.Run("the message of a deletion undoes it, without JavaScript and in place", func(t *testing.T) {
		t.Parallel()
		e, ana, _, _ := newEnvWithTalk(t)
		ana.post("/acme/DEMO-1/comments", "body", secret).is(t, 303)
		one := e.count("SELECT MAX(id) FROM comment")
		path, id := fmt.Sprintf("/acme/DEMO-1/comments/%d", one), fmt.Sprintf("comment-%d", one)
		ana.htmx(id).get(path+"/edit").is(t, 200).has(t, 0, "[hx-confirm]")
		ana.post(path+"/removal").is(t, 303)
		page := ana.get("/acme/DEMO-1").is(t, 200)
		page.textHas(t, ".toast", "The comment is deleted.")
		undo := page.page().Find(".toast form").AttrOr("action", "")
		ana.post(undo).is(t, 303)
		ana.get("/acme/DEMO-1").is(t, 200).textHas(t, "#"+id+" .prose", secret)

		a := ana.htmx(id).post(path+"/removal").is(t, 200)
		a.has(t, 1, "#"+id+"[data-focus] .none")
		a.has(t, 1, "#flash[hx-swap-oob] .toast form[data-undo='"+id+"'][action='"+undo+"']")
		a = ana.htmx(id).post(undo).is(t, 200)
		a.textHas(t, "#"+id+" .prose", secret)
		a.has(t, 0, ".toast form")
	})
	t.Run("too late it says so, and what to do", func(t *testing.T) {
		t.Parallel()
		e, ana, _, _ := newEnvWithTalk(t)
		ana.post("/acme/DEMO-1/comments", "body", secret).is(t, 303)
		one := e.count("SELECT MAX(id) FROM comment")
		path := fmt.Sprintf("/acme/DEMO-1/comments/%d", one)
		ana.post(path+"/removal").is(t, 303)
		e.exec("UPDATE deleted_comment SET deleted_at = deleted_at - INTERVAL 31 MINUTE")
		ana.get("/acme").is(t, 200) // takes the message
		e.unchanged(t, func() {
			ana.post(path+"/restoration").is(t, 409).textHas(t, "#main .lead", "more than 30 minutes ago")
			ana.htmx(fmt.Sprintf("comment-%d", one)).post(path+"/restoration").is(t, 400).
				textHas(t, "#main .lead", "Write it again")
		})
	})
	t.Run("a requester's message is deleted and restored by a member, and the history says so", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		link := e.ask(t, "DEMO", "Help")
		e.visitor().post(link+"/replies", "body", secret).is(t, 303)
		key := e.newest(t, "DEMO")
		one := e.count("SELECT MAX(id) FROM comment")
		path := fmt.Sprintf("/acme/%s/comments/%d", key, one)
		ana := e.ana()
		ana.get("/acme/"+key).is(t, 200).has(t, 0, "[hx-confirm]")
		ana.post(path+"/removal").is(t, 303)
		if a := e.visitor().get(link).is(t, 200); strings.Contains(a.body, "4711") {
			t.Error("the requester reads what was deleted")
		}
		ana.post(path+"/restoration").is(t, 303)
		ana.get("/acme/"+key).is(t, 200).textHas(t, "#history", "restored a message from the requester")
		e.visitor().get(link).is(t, 200).textHas(t, ".requester", secret)
	})
}

func TestOlderComments(t *testing.T) {
	t.Parallel()
	e, ana, _, _ := newEnvWithTalk(t)
	add := func(n int) {
		for range n {
			e.exec("INSERT INTO comment (ticket_id, account_id, body, created_at, updated_at) SELECT id, 1, 'x', " +
				"UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) FROM ticket WHERE local_id = 1")
		}
	}
	add(26)
	ana.get("/acme/DEMO-1").is(t, 200).textIs(t, "#said > .more a", "1 older comment")
	add(74)
	a := ana.get("/acme/DEMO-1").is(t, 200)
	a.textIs(t, "#said > .more a", "75 older comments")
	older := a.page().Find("#said > .more a").AttrOr("href", "")
	ana.htmx("").get(older).is(t, 200).textIs(t, ".more a", "50 older comments")
	add(126)
	ana.get("/acme/DEMO-1").is(t, 200).textIs(t, "#said > .more a", "200+ older comments")
}

func TestWayToComment(t *testing.T) {
	t.Parallel()
	_, ana, _, vera := newEnvWithTalk(t)
	page := ana.get("/acme/DEMO-1").is(t, 200)
	field := page.page().Find("#comment-form textarea").AttrOr("id", "")
	if got := page.page().Find(".actions a[data-hotkey=r]").AttrOr("href", ""); got != "#"+field {
		t.Error("the link does not lead to the field")
	}
	vera.get("/acme/DEMO-1").is(t, 200).has(t, 0, "[data-hotkey=r]")
	ana.get("/acme/keys").is(t, 200).has(t, 1, "kbd:contains(']')")
}
