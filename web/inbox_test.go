package web_test

import (
	"strings"
	"testing"
)

func TestInboxByTicket(t *testing.T) {
	t.Parallel()
	t.Run("all notifications of a ticket are one entry with its number, the newest text and one button", func(t *testing.T) {
		t.Parallel()
		_, ana, ben, _ := newEnvWithTalk(t)
		ana.post("/acme/DEMO-2/comments", "body", "@ben elsewhere").is(t, 303)
		for _, text := range []string{"@ben the first", "the second", "the third"} {
			ana.post("/acme/DEMO-1/comments", "body", text).is(t, 303)
		}
		inbox := ben.get("/acme/inbox").is(t, 200)
		inbox.has(t, 2, ".entry.unread")
		first := inbox.page().Find(".entry").First()
		if text := first.Text(); !strings.Contains(text, "3 new") || !strings.Contains(text, "the third") ||
			strings.Contains(text, "the second") || !strings.Contains(text, "also mentioned you") {
			t.Errorf("the entry says %q", text)
		}
		inbox.textIs(t, "title", "(4) Inbox · Counterfoil")
		path, id := first.Find("form").AttrOr("action", ""), first.AttrOr("id", "")
		a := ben.htmx(id).post(path).is(t, 200)
		a.has(t, 1, "#"+id+":not(.unread)")
		a.has(t, 1, "#unread[hx-swap-oob][data-unread='1']")
		ben.get("/acme/inbox").is(t, 200).has(t, 1, ".entry.unread")
		ana.post("/acme/DEMO-1/comments", "body", "one more").is(t, 303)
		inbox = ben.get("/acme/inbox").is(t, 200)
		inbox.has(t, 2, ".entry")
		inbox.has(t, 0, ".entry .new") // one is no number
	})
	t.Run("a ticket is on one page, and older pages have the others", func(t *testing.T) {
		t.Parallel()
		e, ana, ben, _ := newEnvWithTalk(t)
		ana.post("/acme/DEMO-2/comments", "body", "@ben the oldest").is(t, 303)
		ana.post("/acme/DEMO-1/comments", "body", "@ben").is(t, 303)
		last := e.count("SELECT MAX(id) FROM notification")
		for range 400 {
			e.exec("INSERT INTO notification (company_id, account_id, ticket_id, actor_id, kind, unread, created_at) "+
				"SELECT company_id, account_id, ticket_id, actor_id, kind, TRUE, created_at FROM notification WHERE id = ?",
				last)
		}
		inbox := ben.get("/acme/inbox").is(t, 200)
		inbox.textHas(t, ".entry", "99+ new")
		inbox.has(t, 1, ".entry")
		older := inbox.page().Find(".more a").AttrOr("href", "")
		for _, as := range []*browser{ben, ben.htmx("")} {
			page := as.get(older).is(t, 200)
			page.has(t, 1, ".entry")
			page.textHas(t, ".entry", "DEMO-2")
			page.has(t, 0, ".more")
		}
	})
	t.Run("the number is in the title of every page, and in none without unread entries", func(t *testing.T) {
		t.Parallel()
		_, ana, ben, _ := newEnvWithTalk(t)
		ana.post("/acme/DEMO-1/comments", "body", "@ben").is(t, 303)
		for page, want := range map[string]string{"/acme": "(1) ", "/acme/boards/DEMO": "(1) ", "/acme/nowhere/x": "(1) "} {
			if got := ben.get(page).text(t, "title"); !strings.HasPrefix(got, want) {
				t.Errorf("%s is called %q", page, got)
			}
		}
		if got := ana.get("/acme").text(t, "title"); strings.HasPrefix(got, "(") {
			t.Errorf("it is called %q", got)
		}
	})
}
