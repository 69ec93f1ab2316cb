package web_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/counterfoil/counterfoil/domain/markup"
)

const shopping = "Buy:\n\n- [ ] nails\n- [x] **glue** & <i>\n- [ ] paint\n"

// describes gives DEMO-1 a description.
func (e *env) describes(t testing.TB, text string) {
	t.Helper()
	var now struct{ Version uint64 }
	p := e.program()
	p.get("/tickets/DEMO-1").read(t, &now)
	p.patch("/tickets/DEMO-1", object{"description": text, "version": now.Version}).is(t, 200)
}

// description is that of DEMO-1.
func (e *env) description(t testing.TB) string {
	t.Helper()
	var now struct{ Description string }
	e.program().get("/tickets/DEMO-1").read(t, &now)
	return now.Description
}

// check is the value of the button for the nth item of a text.
func check(text string, n int, checked bool) string {
	return markup.CheckOf(markup.Items(text)[n], checked).String()
}

func TestChecklist(t *testing.T) {
	t.Parallel()
	t.Run("an item is checked without JavaScript, counted on the card, in the history and the feed, and undone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.describes(t, shopping)
		e.publish()
		page := ana.get("/acme/DEMO-1").is(t, 200).has(t, 3, "#face button.box[form=checklist][role=checkbox]")
		page.has(t, 1, "form#checklist[method=post][action='/acme/DEMO-1/checklist']").has(t, 1, "#face [aria-checked=true]")
		if label, _ := page.page().Find("#checklist-1").Attr("aria-label"); label != "glue &" {
			t.Errorf("the second box is called %q", label)
		}
		board := ana.get("/acme/boards/DEMO")
		board.textIs(t, ".card[data-key=DEMO-1] .checklist", "Checklist: 1/3")
		stamp, _ := board.page().Find(".card[data-key=DEMO-1]").Attr("data-stamp")

		ana.post("/acme/DEMO-1/checklist", "check", page.value(t, "#checklist-2")).goesTo(t, "/acme/DEMO-1#checklist-2")
		if got := e.description(t); got != strings.Replace(shopping, "[ ] paint", "[x] paint", 1) {
			t.Errorf("the description is %q", got)
		}
		page = ana.get("/acme/DEMO-1").has(t, 2, "#face [aria-checked=true]")
		page.textIs(t, "#history li:first-child p", "Ana checked “paint”")
		board = ana.get("/acme/boards/DEMO")
		board.textIs(t, ".card[data-key=DEMO-1] .checklist", "Checklist: 2/3")
		if now, _ := board.page().Find(".card[data-key=DEMO-1]").Attr("data-stamp"); now == stamp {
			t.Error("live boards do not learn of it")
		}
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE local_id = 1 AND feed_sync_id IS NULL AND items = 3 AND items_checked = 2")
		e.publish()
		if a := e.program().get("/feeds/tickets").is(t, 200); !strings.Contains(a.body, `"checklist":{"checked":2,"items":3}`) {
			t.Error("the feed does not have the counts")
		}
		ana.post("/acme/undo").goesTo(t, "/acme/DEMO-1")
		if got := e.description(t); got != shopping {
			t.Errorf("after an undo the description is %q", got)
		}
		page = ana.get("/acme/DEMO-1")
		page.textIs(t, "#history li:first-child p", "Ana undid a change of a checklist: unchecked “paint”")
		page.textIs(t, "#history li:nth-child(2) p", "Ana checked “paint” (undone)")
		ana.post("/acme/undo").is(t, 409) // it is not undone again
	})
	t.Run("a wanted state that is there already changes nothing", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.describes(t, shopping)
		e.unchanged(t, func() {
			ana.post("/acme/DEMO-1/checklist", "check", check(shopping, 1, true)).is(t, 303)
			ana.post("/acme/DEMO-1/checklist", "check", check(shopping, 0, false)).is(t, 303)
		})
	})
	t.Run("moved lines, other boxes and edits elsewhere stay; only a changed item is a conflict, which shows the text", func(t *testing.T) {
		t.Parallel()
		e, ana, ben, _ := newEnvWithTalk(t)
		e.describes(t, shopping)
		e.describes(t, "- [x] glue\n\nMore:\n\n1. [x] nails\n2. [ ] paint, red\n")
		ana.post("/acme/DEMO-1/checklist", "check", check(shopping, 0, false)).is(t, 303)
		now := "- [x] glue\n\nMore:\n\n1. [ ] nails\n2. [ ] paint, red\n"
		if got := e.description(t); got != now {
			t.Errorf("the description is %q", got)
		}
		e.unchanged(t, func() {
			page := ben.post("/acme/DEMO-1/checklist", "check", check(shopping, 2, true)).is(t, 409)
			page.textHas(t, "#face .summary", "changed or deleted meanwhile")
			page.textHas(t, "#face .prose", "paint, red")
			page.has(t, 1, "#history")
			part := ben.htmx("face").post("/acme/DEMO-1/checklist", "check", check(shopping, 2, true)).is(t, 409)
			part.textHas(t, ".summary", "changed or deleted meanwhile")
			part.has(t, 0, "#history").has(t, 3, ".box")
		})
		part := ben.htmx("face").post("/acme/DEMO-1/checklist", "check", check(now, 2, true)).is(t, 200)
		part.has(t, 2, ".box[aria-checked=true]").has(t, 0, "#history")
	})
	t.Run("of many who check different items at once, all win", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		text := ""
		for i := range 12 {
			text += fmt.Sprintf("- [ ] item %d\n", i)
		}
		e.describes(t, text)
		var all sync.WaitGroup
		for i := range 12 {
			b := e.ana()
			all.Go(func() { b.post("/acme/DEMO-1/checklist", "check", check(text, i, true)).is(t, 303) })
		}
		all.Wait()
		if got := e.description(t); got != strings.ReplaceAll(text, "[ ]", "[x]") {
			t.Errorf("the description is %q", got)
		}
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE local_id = 1 AND items_checked = 12 AND items = 12 AND version = 14")
	})
	t.Run("an editor that was open meanwhile merges with it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.describes(t, shopping)
		form := ana.get("/acme/DEMO-1/edit")
		version := form.value(t, "[name=version]")
		ana.post("/acme/DEMO-1/checklist", "check", check(shopping, 0, true)).is(t, 303)
		page := ana.post("/acme/DEMO-1", "version", version, "title", "New", "description", shopping+"\nSoon.").is(t, 409)
		page.textHas(t, "#ticket", "nails")
		if merged := page.text(t, "[name=merged_description]"); !strings.Contains(merged, "[x] nails") || !strings.Contains(merged, "Soon.") {
			t.Errorf("the merged text is %q", merged)
		}
	})
	t.Run("a comment has boxes, too, for all who may change the ticket", func(t *testing.T) {
		t.Parallel()
		e, ana, ben, vera := newEnvWithTalk(t)
		said := "- [ ] call\n- [ ] write"
		ana.post("/acme/DEMO-1/comments", "body", said).is(t, 303)
		ben.get("/acme/DEMO-1").has(t, 2, "#comment-1-text .box[form=comment-1-checklist]")
		vera.get("/acme/DEMO-1").has(t, 0, ".box").has(t, 2, "#comment-1-text input[disabled]")
		path := "/acme/DEMO-1/comments/1/checklist"
		ben.post(path, "check", check(said, 1, true)).is(t, 303)
		e.counts(t, 1, "SELECT COUNT(*) FROM comment WHERE body = '- [ ] call\n- [x] write' AND version = 2 AND feed_sync_id IS NULL")
		page := ana.get("/acme/DEMO-1").has(t, 1, "#comment-1-text [aria-checked=true]")
		page.textIs(t, "#history li:first-child p", "ben checked “write” in a comment")
		part := ana.htmx("comment-1-text").post(path, "check", check(said, 0, true)).is(t, 200)
		part.has(t, 2, ".box[aria-checked=true]").has(t, 0, "header")
		ben.post("/acme/undo").goesTo(t, "/acme/DEMO-1")
		e.counts(t, 1, "SELECT COUNT(*) FROM comment WHERE body = '- [x] call\n- [ ] write'")
		e.unchanged(t, func() {
			vera.post(path, "check", check(said, 0, false)).is(t, 403)
			ben.post(path, "check", check("- [ ] phone", 0, true)).is(t, 409).textHas(t, "#comment-1 .summary", "changed or deleted")
			ben.post("/acme/DEMO-2/comments/1/checklist", "check", check(said, 0, false)).is(t, 404)
			ben.post("/acme/DEMO-1/comments/99/checklist", "check", check(said, 0, false)).is(t, 404)
		})
		ana.post("/acme/DEMO-1/comments/1/removal").is(t, 303)
		e.unchanged(t, func() { ben.post(path, "check", check(said, 0, false)).is(t, 404) })
	})
	t.Run("an undo that another change overtook is refused", func(t *testing.T) {
		t.Parallel()
		e, ana, ben, _ := newEnvWithTalk(t)
		e.describes(t, shopping)
		ana.post("/acme/DEMO-1/checklist", "check", check(shopping, 0, true)).is(t, 303)
		ben.post("/acme/DEMO-1/checklist", "check", check(shopping, 0, false)).is(t, 303)
		e.unchanged(t, func() { ana.post("/acme/undo").is(t, 409) })
	})
	t.Run("what is not a check is refused", func(t *testing.T) {
		t.Parallel()
		e, ana, _, vera := newEnvWithTalk(t)
		e.describes(t, shopping)
		e.unchanged(t, func() {
			for _, bad := range []string{"", "1", "x", "0-0123456789abcdef-0-1", "0-0123456789abcdef-2-1-1",
				"99999999999999999999-0123456789abcdef-0-1-1", "' OR 1=1 --", strings.Repeat("9", 10000), "\xff\xfe"} {
				ana.post("/acme/DEMO-1/checklist", "check", bad).is(t, 422).textHas(t, "#face .summary", "Reload the page")
			}
			vera.post("/acme/DEMO-1/checklist", "check", check(shopping, 0, true)).is(t, 403)
			ana.post("/acme/DEMO-99/checklist", "check", check(shopping, 0, true)).is(t, 404)
		})
		vera.get("/acme/DEMO-1").has(t, 0, ".box").has(t, 3, "#face input[type=checkbox][disabled]")
		e.exec("UPDATE board SET archived_at = UTC_TIMESTAMP(6) WHERE slug = 'DEMO'")
		ana.get("/acme/DEMO-1").has(t, 0, ".box")
		e.unchanged(t, func() { ana.post("/acme/DEMO-1/checklist", "check", check(shopping, 0, true)).is(t, 409) })
	})
	t.Run("a requester's text is no checklist", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.requested(t, "DEMO")
		e.exec("UPDATE ticket SET description = '- [ ] nails' WHERE from_requester = TRUE")
		key := e.newest(t, "DEMO")
		ana := e.ana()
		ana.post("/acme/"+key+"/checklist", "check", check("- [ ] nails", 0, true)).is(t, 409) // it reads a notification
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE description = '- [ ] nails'")
	})
}

func TestItemBecomesTicket(t *testing.T) {
	t.Parallel()
	t.Run("a child with the text of the item, whose key the item has then; once, whoever asks twice", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.describes(t, shopping)
		page := ana.get("/acme/DEMO-1").has(t, 2, "#face .to-ticket[formaction='/acme/DEMO-1/checklist/tickets']") // not of what is checked
		item := page.value(t, "li:first-child .to-ticket")
		next := fmt.Sprintf("DEMO-%d", 1+e.count("SELECT i.max_ticket_id FROM board_ticket_incrementer i JOIN board b ON b.id = i.board_id WHERE b.slug = 'DEMO'"))
		ana.post("/acme/DEMO-1/checklist/tickets", "check", item).goesTo(t, "/acme/DEMO-1")
		if got := e.description(t); got != strings.Replace(shopping, "[ ] nails", "[ ] "+next+" nails", 1) {
			t.Errorf("the description is %q", got)
		}
		page = ana.get("/acme/DEMO-1").has(t, 1, ".to-ticket")
		page.textHas(t, "#relations", next)
		page.textHas(t, "#relations h3", "0 of 1 closed")
		ana.get("/acme/"+next).textIs(t, "h1", "nails")
		ana.get("/acme/"+next).textIs(t, "#relations h3", "Parent")
		e.unchanged(t, func() { ana.post("/acme/DEMO-1/checklist/tickets", "check", item).is(t, 409) })
		part := ana.htmx("ticket").post("/acme/DEMO-1/checklist/tickets", "check", check(shopping, 2, true)).is(t, 200)
		part.has(t, 1, "article#ticket").has(t, 2, "#relations li").textHas(t, "#flash", "was created.")
	})
	t.Run("of many who ask at once, one gets it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.describes(t, shopping)
		var all sync.WaitGroup
		var made atomic.Int32
		for range 8 {
			b := e.ana()
			all.Go(func() {
				if b.post("/acme/DEMO-1/checklist/tickets", "check", check(shopping, 0, true)).code == 303 {
					made.Add(1)
				}
			})
		}
		all.Wait()
		if made.Load() != 1 {
			t.Errorf("%d got it", made.Load())
		}
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE title = 'nails'")
		e.counts(t, 2, "SELECT COUNT(*) FROM ticket_relation")
	})
	t.Run("what cannot be is refused whole", func(t *testing.T) {
		t.Parallel()
		e, ana, _, vera := newEnvWithTalk(t)
		e.describes(t, shopping)
		e.unchanged(t, func() {
			ana.post("/acme/DEMO-1/checklist/tickets", "check", "x").is(t, 422)
			ana.post("/acme/DEMO-1/checklist/tickets", "check", check("- [ ] other", 0, true)).is(t, 409).textHas(t, "#face .summary", "changed or deleted")
			vera.post("/acme/DEMO-1/checklist/tickets", "check", check(shopping, 0, true)).is(t, 403)
			ana.htmx("ticket").post("/acme/DEMO-1/checklist/tickets", "check", check("- [ ] other", 0, true)).is(t, 409).has(t, 1, "article#ticket .summary")
		})
		vera.get("/acme/DEMO-1").has(t, 0, ".to-ticket")
		for i := range 4 { // DEMO-1 is the last of five levels
			e.program().put(fmt.Sprintf("/tickets/DEMO-%d/relations/parent/DEMO-%d", i+1, i+2), nil).is(t, 200)
		}
		e.unchanged(t, func() {
			ana.post("/acme/DEMO-1/checklist/tickets", "check", check(shopping, 0, true)).is(t, 409).textHas(t, "#face .summary", "more than 5 levels")
		})
	})
	t.Run("by the API", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		p := e.program()
		e.describes(t, "- [ ] "+strings.Repeat("long ", 100))
		var child struct {
			Title     string
			Relations []struct{ Kind, Key string }
		}
		id := markup.Items("- [ ] " + strings.Repeat("long ", 100))[0].ID()
		p.post("/tickets/DEMO-1/checklist/tickets", object{"item": id}).is(t, 201).read(t, &child)
		if len(child.Title) > 255 || len(child.Relations) != 1 || child.Relations[0].Kind != "parent" || child.Relations[0].Key != "DEMO-1" {
			t.Errorf("%+v", child)
		}
		e.unchanged(t, func() {
			p.post("/tickets/DEMO-1/checklist/tickets", object{"item": id}).problem(t, 409, "")
			p.post("/tickets/DEMO-1/checklist/tickets", object{"item": ""}).problem(t, 422, "item")
		})
	})
}

func TestChecklistAPI(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	p := e.program()
	e.describes(t, shopping)
	type item struct {
		ID      string
		Text    string
		Checked bool
	}
	var list struct{ Items []item }
	p.get("/tickets/DEMO-1/checklist").is(t, 200).read(t, &list)
	if len(list.Items) != 3 || list.Items[0].Text != "nails" || !list.Items[1].Checked {
		t.Fatalf("%+v", list)
	}
	var ticket struct {
		Description string
		Version     uint64
		Assignees   []any
		Checklist   struct{ Checked, Items int }
	}
	p.put("/tickets/DEMO-1/assignees", object{"assignees": []string{"ana"}}).is(t, 200)
	p.put("/tickets/DEMO-1/checklist", object{"item": list.Items[0].ID, "checked": true}).is(t, 200).read(t, &ticket)
	if ticket.Checklist.Checked != 2 || ticket.Version != 3 || len(ticket.Assignees) != 1 || !strings.Contains(ticket.Description, "[x] nails") {
		t.Errorf("%+v", ticket)
	}
	e.unchanged(t, func() {
		p.put("/tickets/DEMO-1/checklist", object{"item": list.Items[0].ID, "checked": true}).is(t, 200)
		p.put("/tickets/DEMO-1/checklist", object{"item": list.Items[0].ID}).problem(t, 422, "checked")
		p.put("/tickets/DEMO-1/checklist", object{"item": "nails", "checked": true}).problem(t, 422, "item")
		p.put("/tickets/DEMO-1/checklist", object{"item": check("- [ ] x", 0, true), "checked": true}).problem(t, 422, "item")
		p.put("/tickets/DEMO-1/checklist", object{"item": markup.Items("- [ ] x")[0].ID(), "checked": true}).problem(t, 409, "")
		p.get("/tickets/DEMO-99/checklist").problem(t, 404, "")
		p.get("/tickets/DEMO-1/comments/9/checklist").problem(t, 404, "")
	})
	p.post("/tickets/DEMO-1/comments", object{"body": "- [ ] call"}).is(t, 201)
	p.get("/tickets/DEMO-1/comments/1/checklist").is(t, 200).read(t, &list)
	var comment struct{ Body string }
	p.put("/tickets/DEMO-1/comments/1/checklist", object{"item": list.Items[0].ID, "checked": true}).is(t, 200).read(t, &comment)
	if comment.Body != "- [x] call" {
		t.Errorf("the comment is %q", comment.Body)
	}
	p.post("/boards/DEMO/tickets", object{"title": "x", "description": "- [x] a\n- [ ] b"}).is(t, 201).read(t, &ticket)
	if ticket.Checklist.Checked != 1 || ticket.Checklist.Items != 2 {
		t.Errorf("a new ticket has %+v", ticket.Checklist)
	}
}
