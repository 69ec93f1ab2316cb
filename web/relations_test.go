package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

func TestRelations(t *testing.T) {
	t.Parallel()
	t.Run("one is added without JavaScript, shown on both tickets and in both histories, published, undone and removed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.publish()
		ana.get("/acme/DEMO-1").textHas(t, ".properties", "No relations")
		form := ana.get("/acme/DEMO-1/relations?kind=blocks&q=demo-2").is(t, 200)
		form.has(t, 1, "#related-found [name=other][value='DEMO-2']").has(t, 1, "[name=kind] [value=blocks][selected]")
		form.has(t, 0, "#related-found [value='DEMO-1']")
		ana.post("/acme/DEMO-1/relations", "kind", "blocks", "other", "DEMO-2").goesTo(t, "/acme/DEMO-1")
		e.counts(t, 2, "SELECT COUNT(*) FROM ticket WHERE local_id IN (1, 2) AND feed_sync_id IS NULL")
		page := ana.get("/acme/DEMO-1").has(t, 1, "#relations li")
		page.textIs(t, "#relations h3", "Blocks")
		page.textHas(t, "#relations li", "DEMO-2")
		page.textIs(t, "#history li:first-child p", "Ana added a relation: blocks DEMO-2")
		page = ana.get("/acme/DEMO-2").has(t, 1, "#relations li")
		page.textIs(t, "#relations h3", "Blocked by")
		page.textIs(t, "#history li:first-child p", "Ana added a relation: is blocked by DEMO-1")
		e.publish()
		if a := e.program().get("/feeds/tickets").is(t, 200); !strings.Contains(a.body, `"relations":[{"kind":"blocks","key":"DEMO-2"}]`) ||
			!strings.Contains(a.body, `"relations":[{"kind":"blocked-by","key":"DEMO-1"}]`) {
			t.Error("the feed does not have the relation")
		}
		e.unchanged(t, func() { // it is there
			ana.post("/acme/DEMO-1/relations", "kind", "blocks", "other", "DEMO-2").is(t, 303)
			ana.post("/acme/DEMO-2/relations", "kind", "blocked-by", "q", " demo-1 ").is(t, 303)
		})
		ana.post("/acme/undo").goesTo(t, "/acme/DEMO-1")
		ana.get("/acme/DEMO-1").has(t, 0, "#relations").textIs(t, "#history li:first-child p",
			"Ana undid a change of a relation: removed a relation: blocks DEMO-2")
		ana.get("/acme/DEMO-2").has(t, 0, "#relations")
		ana.post("/acme/undo").is(t, 409) // not once more, at the other ticket

		ana.post("/acme/DEMO-2/relations", "kind", "parent", "q", "DEMO-3").is(t, 303)
		ana.post("/acme/DEMO-3/relations/removal", "kind", "child", "other", "DEMO-2").goesTo(t, "/acme/DEMO-3")
		ana.get("/acme/DEMO-2").has(t, 0, "#relations")
		e.unchanged(t, func() { // it is gone
			ana.post("/acme/DEMO-3/relations/removal", "kind", "child", "other", "DEMO-2").is(t, 303)
			ana.post("/acme/DEMO-3/relations/removal", "kind", "child", "other", "DEMO-99").is(t, 303)
		})
		ana.post("/acme/undo").goesTo(t, "/acme/DEMO-3")
		ana.get("/acme/DEMO-2").textIs(t, "#relations h3", "Parent")
		e.counts(t, 2, "SELECT COUNT(*) FROM ticket_relation")
	})
	t.Run("children are shown with progress; a deleted one is not, until it is restored; an old key leads on", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		for _, child := range []string{"DEMO-2", "DEMO-3", "DEMO-4"} {
			ana.post("/acme/DEMO-1/relations", "kind", "child", "other", child).is(t, 303)
		}
		ana.post("/acme/DEMO-3/closure", "closed", "1").is(t, 303)
		page := ana.get("/acme/DEMO-1").has(t, 3, "#relations li").has(t, 1, "#relations li.closed")
		page.has(t, 1, "#relations progress[value='1'][max='3']").textHas(t, "#relations h3", "1 of 3 closed")
		ana.post("/acme/DEMO-3/deletion").is(t, 303)
		ana.get("/acme/DEMO-1").has(t, 2, "#relations li")
		ana.post("/acme/DEMO-3/restoration").is(t, 303)
		ana.get("/acme/DEMO-1").has(t, 3, "#relations li")
		e.newBoard("SHIP")
		e.program().post("/tickets/DEMO-4/position", object{"board": "SHIP", "column": e.count("SELECT MIN(c.id) FROM board_column c JOIN board b ON b.id = c.board_id WHERE b.slug = 'SHIP'"), "after": nil}).is(t, 200)
		ana.get("/acme/DEMO-1").textHas(t, "#relations", "SHIP-1")
		ana.post("/acme/DEMO-1/relations/removal", "kind", "child", "other", "DEMO-4").is(t, 303)
		ana.get("/acme/SHIP-1").has(t, 0, "#relations")
	})
	t.Run("wrong input is refused with what was typed", func(t *testing.T) {
		t.Parallel()
		e, ana, _, vera := newEnvWithTalk(t)
		ana.post("/acme/DEMO-1/relations", "kind", "child", "q", "DEMO-2").is(t, 303)
		ana.post("/acme/DEMO-3/relations", "kind", "blocks", "q", "DEMO-4").is(t, 303)
		ana.post("/acme/DEMO-4/relations", "kind", "blocks", "q", "DEMO-5").is(t, 303)
		e.unchanged(t, func() {
			for _, c := range []struct {
				ticket, kind, q, says string
				code                  int
			}{
				{"DEMO-1", "blocks", "", "Choose a ticket", 422},
				{"DEMO-1", "blocks", "no such words", "is no key", 422},
				{"DEMO-1", "blocks", "DEMO-99", "is no key", 422},
				{"DEMO-1", "blocks", "DEMO-1", "is this ticket itself", 422},
				{"DEMO-1", "eats", "DEMO-3", "is no kind", 422},
				{"DEMO-3", "child", "DEMO-2", "DEMO-2 has another parent", 409},
				{"DEMO-1", "parent", "DEMO-2", "directly or through others", 409},
				{"DEMO-5", "blocks", "DEMO-3", "directly or through others", 409},
			} {
				page := ana.post("/acme/"+c.ticket+"/relations", "kind", c.kind, "q", c.q).is(t, c.code)
				page.textHas(t, ".summary", c.says)
				if page.value(t, "#relate-q") != c.q {
					t.Errorf("%q is lost", c.q)
				}
			}
			vera.get("/acme/DEMO-1/relations").is(t, 403)
			vera.post("/acme/DEMO-1/relations", "kind", "blocks", "q", "DEMO-3").is(t, 403)
			vera.post("/acme/DEMO-1/relations/removal", "kind", "child", "other", "DEMO-2").is(t, 403)
			ana.post("/acme/DEMO-1/relations/removal", "kind", "x", "other", "y").is(t, 422)
		})
		vera.get("/acme/DEMO-1").has(t, 1, "#relations li").has(t, 0, "#relations button")
	})
	t.Run("of a ticket that a reader may not see, nothing is shown", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Admin)
		ana, ben := e.ana(), e.signedIn("ben")
		e.newBoardOf("SECRET", 2)
		ana.post("/acme/boards/SECRET/privacy", "private", "yes").is(t, 303)
		ana.post("/acme/DEMO-1/relations", "kind", "blocked-by", "q", "SECRET-1").is(t, 303)
		ana.get("/acme/DEMO-1").has(t, 1, "#relations li")
		page := ben.get("/acme/DEMO-1").is(t, 200).has(t, 0, "#relations")
		if strings.Contains(page.body, "SECRET") {
			t.Error("the page shows it")
		}
		page.textIs(t, "#history li:first-child p", "Ana added a relation")
		p := e.programOf("ben")
		if a := p.get("/tickets/DEMO-1").is(t, 200); strings.Contains(a.body, "SECRET") {
			t.Error("the ticket shows it")
		}
		if a := p.get("/boards/DEMO/tickets").is(t, 200); strings.Contains(a.body, "SECRET") {
			t.Error("the list of tickets shows it")
		}
		if a := p.get("/tickets/DEMO-1/relations").is(t, 200); strings.Contains(a.body, "SECRET") {
			t.Error("the relations show it")
		}
		e.publish()
		if a := p.get("/feeds/tickets").is(t, 200); strings.Contains(a.body, "SECRET") {
			t.Error("the feed shows it")
		}
		e.unchanged(t, func() {
			ben.post("/acme/DEMO-1/relations", "kind", "blocks", "q", "SECRET-2").is(t, 422).textHas(t, ".summary", "is no key")
			ben.post("/acme/DEMO-1/relations/removal", "kind", "blocked-by", "other", "SECRET-1").is(t, 303)
			p.delete("/tickets/DEMO-1/relations/blocked-by/SECRET-1").problem(t, 422, "other")
		})
		e.rival()
		e.unchanged(t, func() { ana.post("/acme/DEMO-1/relations", "kind", "blocks", "q", "RIVAL-1").is(t, 422) })
	})
	t.Run("both boards have to be open to the writer, and neither archived", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Guest)
		ana := e.ana()
		e.newBoardOf("SHIP", 2)
		e.newBoardOf("DOCK", 2)
		ana.post("/acme/boards/SHIP/members", "name", "@ben", "role", "member").is(t, 303)
		ana.post("/acme/boards/DOCK/members", "name", "@ben", "role", "viewer").is(t, 303)
		ben := e.signedIn("ben")
		e.unchanged(t, func() {
			ben.post("/acme/SHIP-1/relations", "kind", "blocks", "q", "DOCK-1").is(t, 403)
			ben.post("/acme/DOCK-1/relations", "kind", "blocks", "q", "SHIP-1").is(t, 403)
		})
		ben.post("/acme/SHIP-1/relations", "kind", "blocks", "q", "SHIP-2").is(t, 303)
		e.exec("UPDATE board SET archived_at = UTC_TIMESTAMP(6) WHERE slug = 'DOCK'")
		e.unchanged(t, func() {
			ana.post("/acme/SHIP-1/relations", "kind", "blocks", "q", "DOCK-1").is(t, 409)
			ana.post("/acme/DOCK-1/relations", "kind", "blocks", "q", "SHIP-1").is(t, 409)
		})
	})
}

func TestBlocked(t *testing.T) {
	t.Parallel()
	t.Run("a card says that it is blocked, until its last blocker is closed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		shown := func(n int) *answer {
			t.Helper()
			return ana.get("/acme/boards/DEMO").has(t, n, ".card[data-key=DEMO-1] .blocked")
		}
		shown(0)
		ana.post("/acme/DEMO-1/relations", "kind", "blocked-by", "q", "DEMO-2").is(t, 303)
		ana.post("/acme/DEMO-1/relations", "kind", "blocked-by", "q", "DEMO-3").is(t, 303)
		blocked := shown(1)
		ana.get("/acme/boards/DEMO?q=1").has(t, 1, ".card[data-key=DEMO-1] .blocked")
		ana.post("/acme/DEMO-2/closure", "closed", "1").is(t, 303)
		shown(1)
		ana.post("/acme/DEMO-3/deletion").is(t, 303)
		free := shown(0)
		seen := func(a *answer) string {
			seen, _ := a.page().Find(".column:has([data-key=DEMO-1])").Attr("data-seen")
			return seen
		}
		if seen(blocked) == seen(free) {
			t.Error("a live page does not learn of it")
		}
		ana.post("/acme/DEMO-3/restoration").is(t, 303)
		shown(1)
	})
	t.Run("a hidden ticket blocks no card of those who do not see it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Admin)
		ana, ben := e.ana(), e.signedIn("ben")
		e.newBoardOf("SECRET", 2)
		ana.post("/acme/boards/SECRET/privacy", "private", "yes").is(t, 303)
		ana.post("/acme/DEMO-1/relations", "kind", "blocked-by", "q", "SECRET-1").is(t, 303)
		ana.get("/acme/boards/DEMO").has(t, 1, ".blocked")
		ben.get("/acme/boards/DEMO").has(t, 0, ".blocked")
	})
	t.Run("those who wait are notified when a blocker is closed, by its form, a move, or with its column", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for _, name := range []string{"ben", "mia", "cy"} {
			e.account(name, "acme", accounts.Member)
		}
		ana, ben, mia, cy := e.ana(), e.signedIn("ben"), e.signedIn("mia"), e.signedIn("cy")
		e.program().put("/tickets/DEMO-1/assignees", object{"assignees": []string{"ben"}}).is(t, 200)
		mia.post("/acme/DEMO-1/comments", "body", "I wait for this, too.").is(t, 303)
		cy.post("/acme/DEMO-1/comments", "body", "Me too.").is(t, 303)
		cy.post("/acme/DEMO-1/mute", "muted", "1").is(t, 303)
		told := func(account string) int64 {
			return e.count("SELECT COUNT(*) FROM notification n JOIN account a ON a.id = n.account_id JOIN ticket t ON t.id = n.ticket_id WHERE n.kind = 'unblocked' AND t.local_id = 1 AND a.name = ?", account)
		}
		tells := func(want int64, close func()) {
			t.Helper()
			close()
			for _, name := range []string{"ben", "mia"} {
				if got := told(name); got != want {
					t.Errorf("%s has %d notifications, not %d", name, got, want)
				}
			}
			if n := told("cy") + e.count("SELECT COUNT(*) FROM notification n JOIN account a ON a.id = n.account_id WHERE n.kind = 'unblocked' AND n.account_id = n.actor_id"); n != 0 {
				t.Errorf("%d notifications go to who muted the ticket or closed the other", n)
			}
		}
		for _, blocker := range []string{"DEMO-2", "DEMO-3", "DEMO-4"} {
			ana.post("/acme/DEMO-1/relations", "kind", "blocked-by", "q", blocker).is(t, 303)
		}
		tells(1, func() { ana.post("/acme/DEMO-2/closure", "closed", "1").is(t, 303) })
		done := e.count("SELECT c.id FROM board_column c JOIN board b ON b.id = c.board_id WHERE b.slug = 'DEMO' AND c.done")
		tells(2, func() { ana.post("/acme/DEMO-3/position", "column", fmt.Sprint(done)).is(t, 303) })
		tells(2, func() { ana.post("/acme/DEMO-2/closure", "closed", "1").is(t, 303) }) // it is closed
		ben.get("/acme/inbox").textHas(t, ".entry.unread", "Ana closed a ticket that blocked DEMO-1")

		column := e.count("SELECT t.column_id FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'DEMO' AND t.local_id = 4")
		e.exec("UPDATE ticket t JOIN board b ON b.id = t.board_id SET t.column_id = (SELECT MAX(c.id) FROM board_column c WHERE c.board_id = b.id AND c.done = FALSE AND c.id <> ?), t.rank_in_column = 9000000 WHERE b.slug = 'DEMO' AND t.local_id = 1", column)
		tells(3, func() {
			e.program().patch(fmt.Sprintf("/boards/DEMO/columns/%d", column), object{"done": true}).is(t, 200)
		})
	})
	t.Run("not those who do not see the blocker", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Member)
		ana := e.ana()
		e.newBoardOf("SECRET", 2)
		ana.post("/acme/boards/SECRET/privacy", "private", "yes").is(t, 303)
		e.program().put("/tickets/DEMO-1/assignees", object{"assignees": []string{"ben"}}).is(t, 200)
		ana.post("/acme/DEMO-1/relations", "kind", "blocked-by", "q", "SECRET-1").is(t, 303)
		ana.post("/acme/SECRET-1/closure", "closed", "1").is(t, 303)
		e.counts(t, 0, "SELECT COUNT(*) FROM notification WHERE kind = 'unblocked'")
	})
}

func TestCloseAsDuplicate(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	ana.post("/acme/DEMO-1/relations", "kind", "duplicates", "q", "DEMO-2", "close", "1").goesTo(t, "/acme/DEMO-1")
	page := ana.get("/acme/DEMO-1")
	page.textHas(t, "#closure", "Reopen")
	page.textIs(t, "#relations h3", "Duplicate of")
	ana.get("/acme/DEMO-2").textIs(t, "#relations h3", "Duplicates")
	ana.post("/acme/undo").is(t, 303) // the closing
	ana.get("/acme/DEMO-1").has(t, 1, "#relations").textHas(t, "#closure", "Close")
	ana.post("/acme/DEMO-3/relations", "kind", "blocks", "q", "DEMO-2", "close", "1").is(t, 303) // no duplicate
	ana.get("/acme/DEMO-3").textHas(t, "#closure", "Close")

	p := e.program()
	var ticket struct {
		ClosedAt  *string `json:"closed_at"`
		Relations []struct{ Kind, Key string }
	}
	p.put("/tickets/DEMO-4/closure?duplicate_of=DEMO-2", nil).is(t, 200).read(t, &ticket)
	if ticket.ClosedAt == nil || len(ticket.Relations) != 1 || ticket.Relations[0].Kind != "duplicates" {
		t.Errorf("%+v", ticket)
	}
	e.unchanged(t, func() {
		p.put("/tickets/DEMO-4/closure?duplicate_of=DEMO-2", nil).is(t, 200)
		p.put("/tickets/DEMO-3/closure?duplicate_of=DEMO-3", nil).problem(t, 422, "other")
		p.put("/tickets/DEMO-3/closure?duplicate_of=x", nil).problem(t, 422, "other")
		ana.post("/acme/DEMO-3/relations", "kind", "duplicates", "q", "DEMO-99", "close", "1").is(t, 422).has(t, 1, "[name=close][checked]")
	})
}

func TestRelationsAPI(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	p := e.program()
	var ticket struct {
		Key       string
		Relations []struct{ Kind, Key string }
	}
	p.put("/tickets/DEMO-1/relations/parent/DEMO-2", nil).is(t, 200).read(t, &ticket)
	if len(ticket.Relations) != 1 || ticket.Relations[0].Kind != "parent" || ticket.Relations[0].Key != "DEMO-2" {
		t.Errorf("%+v", ticket)
	}
	p.get("/tickets/DEMO-2").is(t, 200).read(t, &ticket)
	if len(ticket.Relations) != 1 || ticket.Relations[0].Kind != "child" {
		t.Errorf("%+v", ticket)
	}
	p.patch("/tickets/DEMO-2", object{"title": "x", "version": 1}).is(t, 200).read(t, &ticket)
	if len(ticket.Relations) != 1 {
		t.Errorf("after an edit %+v", ticket)
	}
	e.unchanged(t, func() {
		p.put("/tickets/DEMO-2/relations/parent/DEMO-1", nil).problem(t, 409, "other")
		p.put("/tickets/DEMO-2/relations/eats/DEMO-1", nil).problem(t, 422, "kind")
		p.put("/tickets/DEMO-2/relations/blocks/DEMO-99", nil).problem(t, 422, "other")
		p.put("/tickets/DEMO-99/relations/blocks/DEMO-1", nil).problem(t, 404, "")
		p.delete("/tickets/DEMO-1/relations/blocks/DEMO-2").is(t, 204)
	})
	p.delete("/tickets/DEMO-1/relations/parent/DEMO-2").is(t, 204)
	e.counts(t, 0, "SELECT COUNT(*) FROM ticket_relation")
}
