package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// newEnvWithTalk has Ben, a member, and Vera, a viewer.
func newEnvWithTalk(t *testing.T) (e *env, ana, ben, vera *browser) {
	t.Helper()
	e = newEnv(t)
	e.account("ben", "acme", accounts.Member)
	e.account("vera", "acme", accounts.Viewer)
	return e, e.ana(), e.signedIn("ben"), e.signedIn("vera")
}

func TestComments(t *testing.T) {
	t.Parallel()
	t.Run("a comment is sent without JavaScript, and its keys and people are marked", func(t *testing.T) {
		t.Parallel()
		e, ana, ben, _ := newEnvWithTalk(t)
		a := ana.post("/acme/DEMO-1/comments", "body", "See DEMO-2, @ben and @nobody. "+hostile)
		made := e.count("SELECT MAX(id) FROM comment")
		a.goesTo(t, fmt.Sprintf("/acme/DEMO-1?comment=%d#comment-%d", made, made))
		page := ben.get("/acme/DEMO-1").is(t, 200)
		item := fmt.Sprintf("#comment-%d ", made)
		if page.page().Find(item+".mention").AttrOr("title", "") != "ben" || page.text(t, item+".mention") != "@ben" {
			t.Error(page.page().Find(item).Html())
		}
		page.has(t, 1, item+".prose a.key")
		page.has(t, 0, item+"img")
		page.has(t, 0, item+"header a[href$='/edit']") // not his to edit
	})
	t.Run("to htmx come the form for the next one and all comments since", func(t *testing.T) {
		t.Parallel()
		_, ana, ben, _ := newEnvWithTalk(t)
		ana.post("/acme/DEMO-1/comments", "body", "seen").is(t, 303)
		last := ana.get("/acme/DEMO-1").value(t, "#comment-form [name=last]")
		ben.post("/acme/DEMO-1/comments", "body", "meanwhile").is(t, 303)
		a := ana.htmx("comment-form").post("/acme/DEMO-1/comments", "body", "mine", "last", last).is(t, 200)
		if got := a.text(t, "[hx-swap-oob='beforeend:#said']"); !strings.Contains(got, "meanwhile") ||
			!strings.Contains(got, "mine") || strings.Contains(got, "seen") {
			t.Errorf("it adds %q", got)
		}
		if a.value(t, "#comment-form textarea") != "" || a.value(t, "#comment-form [name=last]") == last {
			t.Error("the form is not for the next one")
		}
	})
	t.Run("a refused comment comes back as typed", func(t *testing.T) {
		t.Parallel()
		e, ana, _, vera := newEnvWithTalk(t)
		e.unchanged(t, func() {
			for _, text := range []string{"", control} {
				a := ana.post("/acme/DEMO-1/comments", "body", text).is(t, 422)
				a.has(t, 1, "#comment-body-error")
				a.has(t, 1, "h1")
				ana.htmx("comment-form").post("/acme/DEMO-1/comments", "body", text).is(t, 422).
					has(t, 1, "#comment-form #comment-body-error")
			}
			if a := ana.post("/acme/DEMO-1/comments", "body", strings.Repeat("long ", 14000)).
				is(t, 422); a.value(t, "#comment-body") != strings.Repeat("long ", 14000) {
				t.Error("what was typed is lost")
			}
			vera.post("/acme/DEMO-1/comments", "body", "x").is(t, 403)
			vera.get("/acme/DEMO-1").is(t, 200).has(t, 0, "#comment-form")
		})
	})
	t.Run("two edits of a comment meet: both texts are shown, and one chooses", func(t *testing.T) {
		t.Parallel()
		e, ana, _, _ := newEnvWithTalk(t)
		ana.post("/acme/DEMO-1/comments", "body", "as it was").is(t, 303)
		path := fmt.Sprintf("/acme/DEMO-1/comments/%d", e.count("SELECT MAX(id) FROM comment"))
		seen := ana.get(path+"/edit").is(t, 200).value(t, "[name=version]")
		ana.post(path, "body", "the other window", "version", seen).is(t, 303)
		for _, as := range []*browser{ana, ana.htmx("comment-1")} {
			a := as.post(path, "body", "this window", "version", seen).is(t, 409)
			if !strings.Contains(a.text(t, ".theirs"), "the other window") || a.value(t, "textarea") != "this window" {
				t.Error(a.body)
			}
		}
		ana.post(path, "body", "this window", "version", seen, "overwrite", "2").is(t, 303)
		ana.get("/acme/DEMO-1").textIs(t, ".comment .prose", "this window")
		seen = ana.get(path+"/edit").is(t, 200).value(t, "[name=version]")
		ana.post(path+"/removal").is(t, 303)
		a := ana.post(path, "body", "too late", "version", seen).is(t, 409)
		if a.value(t, "textarea") != "too late" {
			t.Error("what was typed is lost")
		}
		a.has(t, 0, "button.primary:contains('Save')")
		ana.get(path+"/edit").is(t, 404)
		ana.get("/acme/DEMO-1").is(t, 200).has(t, 1, ".comment .none")
	})
	t.Run("nobody else edits or deletes, and what is no comment is not found", func(t *testing.T) {
		t.Parallel()
		e, ana, ben, _ := newEnvWithTalk(t)
		ana.post("/acme/DEMO-1/comments", "body", "mine").is(t, 303)
		one := e.count("SELECT MAX(id) FROM comment")
		e.unchanged(t, func() {
			path := fmt.Sprintf("/acme/DEMO-1/comments/%d", one)
			ben.get(path+"/edit").is(t, 403)
			ben.post(path, "body", "ours", "version", "1").is(t, 403)
			ben.post(path+"/removal").is(t, 403)
			for _, bad := range []string{"/acme/DEMO-1/comments/0", "/acme/DEMO-1/comments/x",
				"/acme/DEMO-1/comments/99999999999999999999", fmt.Sprintf("/acme/DEMO-2/comments/%d", one)} {
				ana.get(bad).is(t, 404)
				ana.get(bad+"/edit").is(t, 404)
				ana.post(bad, "body", "x", "version", "1").is(t, 404)
				ana.post(bad+"/removal").is(t, 404)
			}
			ana.get("/acme/DEMO-1/comments?before=x").is(t, 400)
			ana.get("/acme/DEMO-1?comment=x").is(t, 200)
			ana.get("/acme/DEMO-1?comment=99999").is(t, 200)
		})
	})
	t.Run("five hundred comments are read page by page, with and without JavaScript", func(t *testing.T) {
		t.Parallel()
		e, ana, _, _ := newEnvWithTalk(t)
		for i := range 500 {
			e.exec("INSERT INTO comment (ticket_id, account_id, body, created_at, updated_at) SELECT id, 1, ?, "+
				"UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) FROM ticket WHERE local_id = 1", fmt.Sprintf("comment %d, see DEMO-2", i+1))
		}
		a := ana.get("/acme/DEMO-1").is(t, 200)
		if len(a.body) > 150<<10 {
			t.Errorf("the page has %d bytes", len(a.body))
		}
		for n := 500; n > 0; n -= 25 {
			if first := a.page().Find("#said .comment, body > .comment").First().Find(".prose").
				Text(); !strings.HasPrefix(strings.TrimSpace(first), fmt.Sprintf("comment %d,", n-24)) {
				t.Fatalf("the page of %d begins with %q", n, first)
			}
			older := a.page().Find("li.more a")
			if n == 25 {
				if older.Length() != 0 && a.page().Find("#said li.more").Length() != 0 {
					t.Error("there are older ones than the first")
				}
				break
			}
			next := older.First().AttrOr("href", "")
			if a = ana.get(next).is(t, 200); n%50 == 0 {
				a.has(t, 1, "h1")
			}
		}
		fragment := ana.htmx("").get(ana.get("/acme/DEMO-1").page().Find("#said li.more a").AttrOr("href", "")).is(t, 200)
		fragment.has(t, 25, ".comment")
		fragment.has(t, 0, "h1")
		first := e.count("SELECT MIN(id) FROM comment")
		ana.get(fmt.Sprintf("/acme/DEMO-1?comment=%d", first+3)).is(t, 200).has(t, 1, fmt.Sprintf("#comment-%d", first+3))
	})
}

func TestQuotation(t *testing.T) {
	t.Parallel()
	e, ana, ben, vera := newEnvWithTalk(t)
	ben.post("/acme/DEMO-1/comments", "body", "First\n> second\n"+hostile).is(t, 303)
	path := fmt.Sprintf("/acme/DEMO-1/comments/%d/quotation", e.count("SELECT MAX(id) FROM comment"))
	quoted := "> First\n> > second\n> " + hostile
	page := ana.get(path).is(t, 200)
	if got := page.page().Find("#comment-body").Text(); strings.TrimSpace(got) != quoted {
		t.Errorf("the form begins with %q", got)
	}
	part := ana.htmx("comment-body").get(path).is(t, 200)
	if got := part.page().Find("output").AttrOr("data-markdown", ""); got != quoted+"\n\n" {
		t.Errorf("a script gets %q", got)
	}
	ana.get("/acme/DEMO-1").has(t, 1, "a[data-quote][href='"+path+"']")
	vera.get("/acme/DEMO-1").has(t, 0, "a[data-quote]")
	ben.post("/acme/DEMO-1/comments", "body", strings.Repeat("é", 5000)).is(t, 303)
	long := fmt.Sprintf("/acme/DEMO-1/comments/%d/quotation", e.count("SELECT MAX(id) FROM comment"))
	ana.get(long).textIs(t, "#comment-body", "> "+strings.Repeat("é", 2000)+"…")
	ben.post(strings.TrimSuffix(path, "quotation")+"removal").is(t, 303)
	e.unchanged(t, func() {
		ana.get(path).is(t, 404)
		ana.get("/acme/DEMO-2/comments/1/quotation").is(t, 404)
		ana.get("/acme/DEMO-1/comments/x/quotation").is(t, 404)
		vera.get(long).is(t, 403)
	})
}

func TestInbox(t *testing.T) {
	t.Parallel()
	t.Run("a notified member sees a count on every page, and reading ends it", func(t *testing.T) {
		t.Parallel()
		_, ana, ben, vera := newEnvWithTalk(t)
		ben.get("/acme/inbox").is(t, 200).has(t, 1, ".lead")
		ana.post("/acme/DEMO-1/comments", "body", "@ben and @vera, "+hostile).is(t, 303)
		ana.post("/acme/DEMO-2/comments", "body", "@ben @vera").is(t, 303)
		for _, who := range []*browser{ben, vera} {
			who.get("/acme/inbox/unread").is(t, 200).textIs(t, "#unread b", "2 unread")
			for path, current := range map[string]string{"/acme/inbox": "page", "/acme/DEMO-1": ""} {
				count := who.htmx("unread").with("HX-Current-URL", "http://example.com"+path).get("/acme/inbox/unread")
				if got := count.page().Find("#unread").AttrOr("aria-current", ""); got != current {
					t.Errorf("on %s the link says %q", path, got)
				}
			}
			inbox := who.get("/acme/inbox").is(t, 200)
			inbox.has(t, 2, ".entry.unread")
			inbox.has(t, 0, ".entry img")
			where := inbox.page().Find(".entry a").Last().AttrOr("href", "")
			if page := who.get(where).is(t, 200); page.page().Find("#unread").AttrOr("data-unread", "") != "1" {
				t.Error("the open ticket's entry still counts")
			}
			upto := inbox.value(t, "[name=upto]")
			who.post("/acme/inbox", "upto", upto).goesTo(t, "/acme/inbox")
			who.get("/acme/inbox").is(t, 200).has(t, 0, ".entry.unread, #unread b")
		}
		ana.get("/acme").is(t, 200).has(t, 0, "#unread b")
	})
	t.Run("one entry is marked alone, and only one's own", func(t *testing.T) {
		t.Parallel()
		e, ana, ben, vera := newEnvWithTalk(t)
		ana.post("/acme/DEMO-1/comments", "body", "@ben").is(t, 303)
		path := fmt.Sprintf("/acme/inbox/%d", e.count("SELECT MAX(id) FROM notification"))
		e.unchanged(t, func() {
			vera.post(path).is(t, 404)
			ben.post("/acme/inbox/x").is(t, 404)
			ben.post("/acme/inbox", "upto", "x").is(t, 404)
			ben.get("/acme/inbox?before=x").is(t, 400)
		})
		a := ben.htmx("entry-1").post(path).is(t, 200)
		a.has(t, 1, ".entry:not(.unread)")
		a.has(t, 1, "#unread[hx-swap-oob]")
		a.has(t, 0, "#unread b")
	})
	t.Run("a muted ticket says so, and a viewer may mute", func(t *testing.T) {
		t.Parallel()
		_, ana, _, vera := newEnvWithTalk(t)
		for _, who := range []*browser{ana, vera} {
			who.post("/acme/DEMO-1/mute", "muted", "1").goesTo(t, "/acme/DEMO-1")
			who.get("/acme/DEMO-1").textIs(t, "#mute", "Unmute")
			who.htmx("mute").post("/acme/DEMO-1/mute", "muted", "0").is(t, 200).textIs(t, "#mute", "Mute")
		}
	})
}

func TestAssigning(t *testing.T) {
	t.Parallel()
	t.Run("a form changes what it saw and nothing else", func(t *testing.T) {
		t.Parallel()
		e, ana, ben, vera := newEnvWithTalk(t)
		ana.post("/acme/DEMO-1/assignees", "quick", "1", "add", "1").goesTo(t, "/acme/DEMO-1")
		form := ana.get("/acme/DEMO-1/assignees").is(t, 200)
		form.has(t, 1, "#people-found input[checked]")
		form.has(t, 2, "#people-found input") // not Vera
		seen := form.value(t, "[name=seen]")
		ben.post("/acme/DEMO-1/assignees", "quick", "1", "add",
			fmt.Sprint(e.count("SELECT id FROM account WHERE name = 'ben'"))).is(t, 303)
		ana.post("/acme/DEMO-1/assignees", "seen", seen).is(t, 303) // Ana goes
		ana.get("/acme/DEMO-1").textHas(t, "#assignees li", "ben")
		if got := ana.get("/acme/boards/DEMO").page().Find(".card .on").AttrOr("title", ""); got != "ben" {
			t.Errorf("the card shows %q", got)
		}
		ben.get("/acme/work").is(t, 200).has(t, 1, "#work li")
		ana.get("/acme/work").is(t, 200).has(t, 1, "#work .lead")
		e.unchanged(t, func() {
			verasID := fmt.Sprint(e.count("SELECT id FROM account WHERE name = 'vera'"))
			for _, bad := range []string{verasID, "4711", "x", "-1", "99999999999999999999", hostile} {
				a := ana.post("/acme/DEMO-1/assignees", "assignee", bad).is(t, http.StatusUnprocessableEntity)
				a.has(t, 1, "#assign .summary")
				if a := ana.htmx("ticket").post("/acme/DEMO-1/assignees", "assignee", bad).
					is(t, 422); a.header.Get("HX-Retarget") != "#assign" {
					t.Error("the form with what is wrong goes elsewhere")
				}
			}
			vera.post("/acme/DEMO-1/assignees", "quick", "1", "add", "1").is(t, 403)
			ana.get("/acme/work?before=x").is(t, 400)
		})
	})
	t.Run("a new ticket is assigned to those whom its form names", func(t *testing.T) {
		t.Parallel()
		e, ana, ben, _ := newEnvWithTalk(t)
		const form = "/acme/boards/DEMO/tickets"
		ana.post(form, "title", "Assigned", "assignees", "@BEN,, ana ben").is(t, 303)
		assigned := "FROM assignee a JOIN ticket t ON t.id = a.ticket_id WHERE t.title = 'Assigned'"
		e.counts(t, 2, "SELECT COUNT(*) "+assigned)
		e.counts(t, 1, `SELECT COUNT(*) FROM notification n JOIN ticket t ON t.id = n.ticket_id
			WHERE t.title = 'Assigned' AND n.kind = 'assignment'`)
		ben.get("/acme/work").textHas(t, "#work", "Assigned")
		e.unchanged(t, func() {
			for typed, message := range map[string]string{"@nobody": "“nobody” is not a member", "vera": "vera is a viewer",
				hostile: "is not a member", strings.Repeat("x", 5000): "is not a member",
				strings.Join(distinct("m", 21), " "): "up to 20 assignees"} {
				a := ana.post(form, "title", "Refused", "assignees", typed).is(t, 422)
				a.textHas(t, "#new-ticket .summary", message)
				if got := a.value(t, "#new-assignees"); got != typed {
					t.Errorf("the form has %q", got)
				}
			}
			ana.post(form, "title", "", "assignees", strings.Join(distinct("m", 21), " ")).is(t, 422).
				has(t, 2, "#new-ticket [aria-invalid=true]")
		})
		ana.post("/acme/boards/DEMO/privacy", "private", "yes").is(t, 303)
		ana.post(form, "title", "Private", "assignees", "ben").is(t, 422).textHas(t, ".summary", "does not see this private board")
	})
	t.Run("a chosen member stays in the list whatever the search", func(t *testing.T) {
		t.Parallel()
		e, ana, _, _ := newEnvWithTalk(t)
		ben := fmt.Sprint(e.count("SELECT id FROM account WHERE name = 'ben'"))
		a := ana.htmx("people-found").get("/acme/DEMO-1/assignees?q=an&assignee="+ben).is(t, 200)
		a.has(t, 1, "input[checked][value='"+ben+"']")
		a.has(t, 2, "input")
		ana.get("/acme/DEMO-1/assignees?q=zz").is(t, 200).has(t, 1, "#people-found .none")
	})
	t.Run("a list of people to name is short and has nothing hostile in it", func(t *testing.T) {
		t.Parallel()
		e, ana, _, vera := newEnvWithTalk(t)
		e.exec("UPDATE account SET name = ? WHERE name = 'ben'", hostile)
		for i := range 20 {
			e.account(fmt.Sprintf("p%d", i), "acme", accounts.Member)
		}
		vera.get("/acme/people/mentions?q=").is(t, 200).has(t, 8, "li[role=option]")
		a := ana.get("/acme/people/mentions?q=BE").is(t, 200)
		a.has(t, 1, "li[data-value='@ben']")
		a.has(t, 0, "img")
		for _, bad := range []string{"%ff", "%00", "%25", "_", strings.Repeat("a", 5000)} {
			ana.get("/acme/people/mentions?q="+bad).is(t, 200).has(t, 0, "li")
		}
	})
}
