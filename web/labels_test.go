package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// labelID is the id of the live label that has a name.
func (e *env) labelID(t testing.TB, name string) string {
	t.Helper()
	var n uint64
	if err := e.db.SQL.QueryRow("SELECT id FROM label WHERE name = ? AND live = TRUE", name).Scan(&n); err != nil {
		t.Fatal(name, err)
	}
	return fmt.Sprint(n)
}

// labelsSound checks that each label leads to one that is there, and is shown as the end of that way.
func (e *env) labelsSound(t *testing.T) {
	t.Helper()
	e.counts(t, 0, `SELECT COUNT(*) FROM label l WHERE l.live = TRUE AND (l.leads_to <> 0 OR l.shown_as <> 0)
		OR l.live IS NULL AND l.ended_at IS NULL OR l.leads_to = 0 AND l.shown_as <> 0
		OR l.leads_to <> 0 AND NOT EXISTS (SELECT 1 FROM label t WHERE t.id = l.leads_to AND NOT t.renamed
		  AND l.shown_as = IF(t.shown_as = 0, t.id, t.shown_as))`)
	e.counts(t, 0, "SELECT COUNT(*) FROM ticket_label y JOIN label l ON l.id = y.label_id WHERE l.renamed")
}

// labelled sends the form of a ticket's labels: the names of those to make or add, with the labels that it showed and
// those that stay checked.
func (b *browser) labelled(key string, named []string, fields ...string) *answer {
	form := url.Values{"listed": {"1"}, "named": named}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return b.postForm("/acme/"+key+"/labels", []string{form.Encode()})
}

func TestLabels(t *testing.T) {
	t.Parallel()
	t.Run("a ticket has at most 50, a company 500", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana, api := e.ana(), e.program()
		var fifty []string
		for n := range 500 - 2 {
			name := fmt.Sprintf("L%03d", n)
			e.exec("INSERT INTO label (company_id, board_id, name, color, created_at) VALUES (1, 0, ?, 1, UTC_TIMESTAMP(6))", name)
			if n < 50 {
				fifty = append(fifty, name)
			}
		}
		ana.labelled("DEMO-1", append(fifty[:50:50], "L050")).is(t, 422).textHas(t, "[role=alert]", "A ticket has at most 50 labels")
		e.counts(t, 0, "SELECT COUNT(*) FROM ticket_label")
		ana.labelled("DEMO-1", fifty).is(t, 303)
		e.counts(t, 50, "SELECT COUNT(*) FROM ticket_label")
		ana.labelled("DEMO-2", []string{"one", "two"}).is(t, 303)
		ana.labelled("DEMO-2", []string{"three"}).is(t, 409).textHas(t, "[role=alert]", "A company has at most 500 labels")
		api.post("/labels", object{"name": "three"}).isProblem(t, 409, labels.CodeTooMany)
		e.counts(t, 500, "SELECT COUNT(*) FROM label")
		e.counts(t, 52, "SELECT COUNT(*) FROM ticket_label")
	})
	t.Run("one is made while typing, without JavaScript, shown on ticket and card, filtered by, and undone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.get("/acme/DEMO-1").textHas(t, ".properties", "No labels")
		form := ana.get("/acme/DEMO-1/labels").is(t, 200).has(t, 0, "#labels-found [type=checkbox]")
		form.textHas(t, "#labels-found .none", "type a name")
		ana.get("/acme/DEMO-1/labels?listed=1&q=Bug").is(t, 200).textHas(t, "#labels-found", "Make the label “Bug”")
		ana.labelled("DEMO-1", []string{"Bug", "größer 🥷"}).goesTo(t, "/acme/DEMO-1")
		bug := e.labelID(t, "bug")
		page := ana.get("/acme/DEMO-1").is(t, 200).has(t, 2, "#labels-shown .label")
		page.textIs(t, "#history li:first-child p", "Ana added the labels Bug, größer 🥷")
		board := ana.get("/acme/boards/DEMO")
		board.textIs(t, ".card[data-key=DEMO-1] .label:first-child", "Bug")
		board.has(t, 3, "#filter-label option")
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE local_id = 1 AND version = 1 AND feed_sync_id IS NULL")

		for query, want := range map[string]string{"Bug": "DEMO-1", "bUG": "DEMO-1", "Bug&state=closed": ""} {
			if got := ana.get("/acme/boards/DEMO?label="+strings.ReplaceAll(query, " ", "+")).is(t, 200).keys(); got != want {
				t.Errorf("%s shows %q, not %q", query, got, want)
			}
		}
		ana.get("/acme/DEMO-1/labels").has(t, 2, "#labels-found [checked]").has(t, 2, "[name=seen]")
		ana.labelled("DEMO-1", nil, "seen", bug, "seen", e.labelID(t, "größer 🥷"), "label", bug).goesTo(t, "/acme/DEMO-1")
		page = ana.get("/acme/DEMO-1").has(t, 1, "#labels-shown .label")
		page.textIs(t, "#history li:first-child p", "Ana removed the label größer 🥷")
		ana.post("/acme/undo").goesTo(t, "/acme/DEMO-1")
		page = ana.get("/acme/DEMO-1").has(t, 2, "#labels-shown .label")
		page.textIs(t, "#history li:first-child p", "Ana undid a change: added the label größer 🥷")
		ana.post("/acme/undo").goesTo(t, "/acme/DEMO-1") // the one before
		ana.get("/acme/DEMO-1").has(t, 0, "#labels-shown .label")
		e.labelsSound(t)
	})
	t.Run("of two who change them at once, both win", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Member)
		ana, ben := e.ana(), e.signedIn("ben")
		ana.labelled("DEMO-1", []string{"one", "two"}).is(t, 303)
		one, two := e.labelID(t, "one"), e.labelID(t, "two")
		ana.labelled("DEMO-1", nil, "seen", one, "seen", two, "label", one).is(t, 303)
		ben.labelled("DEMO-1", []string{"three"}, "seen", one, "seen", two, "label", two).is(t, 303)
		ana.get("/acme/DEMO-1").textIs(t, "#labels-shown .label", "three")
	})
	t.Run("what others change while one looks for a label without JavaScript stays", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.labelled("DEMO-1", []string{"one", "two"}).is(t, 303)
		one, two := e.labelID(t, "one"), e.labelID(t, "two")
		ana.labelled("DEMO-1", []string{"three"}, "seen", one, "label", "x").is(t, 422) // nothing yet
		ana.labelled("DEMO-1", []string{"three"}, "seen", two).is(t, 303)               // as another would
		three := e.labelID(t, "three")
		page := ana.get(fmt.Sprintf("/acme/DEMO-1/labels?listed=1&q=o&seen=%s&seen=%s&label=%s&label=%s", one, two, one, two))
		page.has(t, 2, "[name=label][checked]").has(t, 1, "[value='"+three+"'][checked]").has(t, 0, "[value='"+two+"'][checked]")
	})
	t.Run("an undo that another change overtook is refused", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Member)
		ana, ben := e.ana(), e.signedIn("ben")
		ana.labelled("DEMO-1", []string{"one"}).is(t, 303)
		ben.labelled("DEMO-1", nil, "seen", e.labelID(t, "one")).is(t, 303)
		e.unchanged(t, func() { ana.post("/acme/undo").is(t, 409) })
	})
	t.Run("a dialog is answered with the ticket, on a board with a message, and a search with the list", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		a := ana.htmx("ticket").labelled("DEMO-1", []string{"bug"}).is(t, 200)
		a.textHas(t, "#ticket #labels-shown", "bug")
		a.has(t, 1, "#flash .toast form[data-undo]")
		a = ana.htmx("dialog").labelled("DEMO-2", []string{"bug"}).is(t, 200)
		a.has(t, 0, "#ticket").has(t, 1, "#flash .toast form[data-undo]")
		a = ana.htmx("labels-found").get("/acme/DEMO-1/labels?listed=1&q=BU&named=idea").is(t, 200).has(t, 0, "#labels")
		a.has(t, 1, "[data-first] [name=label]").has(t, 1, "[name=named][value=idea][checked]").has(t, 1, "[name=named][value=BU]")
		a = ana.htmx("labels-found").get("/acme/DEMO-1/labels?listed=1&q=nothing").is(t, 200)
		a.has(t, 1, "[data-first] [name=named][value=nothing]")
		bad := ana.htmx("ticket").labelled("DEMO-1", []string{"a,b"}, "seen", e.labelID(t, "bug")).is(t, 422)
		if bad.header.Get("HX-Retarget") != "#labels" {
			t.Error("a refusal goes to the ticket")
		}
		bad.textHas(t, ".summary", "comma")
		bad.has(t, 1, "[name=named][checked]").has(t, 0, "[name=label][checked]")
	})
	t.Run("what is wrong is refused with a sentence, and nothing is lost", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.labelled("DEMO-1", []string{"bug"}).is(t, 303)
		bug := e.labelID(t, "bug")
		e.unchanged(t, func() {
			for _, bad := range []string{" ", "a,b", strings.Repeat("ä", 41), "a\x00b", "\xff", "\u202ea"} {
				ana.labelled("DEMO-1", []string{bad}, "seen", bug, "label", bug).is(t, 422).has(t, 1, ".summary[role=alert]").
					has(t, 1, "[name=label][checked]")
			}
			many := make([]string, 51)
			for i := range many {
				many[i] = fmt.Sprint("label ", i)
			}
			ana.labelled("DEMO-1", many).is(t, 422).textHas(t, ".summary", "at most 50")
			for _, bad := range []string{"0", "-1", "x", hostile, "99"} {
				ana.labelled("DEMO-1", nil, "label", bad).is(t, 422)
			}
			ana.labelled("DEMO-99", []string{"bug"}).is(t, 404)
			ana.get("/acme/boards/DEMO?label="+url.QueryEscape(hostile)).is(t, 422).has(t, 0, ".card")
			ana.get("/acme/boards/DEMO?label="+strings.Repeat("a", 5000)).is(t, 200)
		})
	})
	t.Run("eight who make the same label at once make one", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		key := e.newBoardOf("MANY", 8).Slug
		var all sync.WaitGroup
		for i := range 8 {
			name := fmt.Sprint("user", i)
			e.account(name, "acme", accounts.Member)
			b := e.signedIn(name)
			all.Go(func() { b.labelled(fmt.Sprintf("%s-%d", key, i+1), []string{"same", fmt.Sprint("own ", i)}).is(t, 303) })
		}
		all.Wait()
		e.counts(t, 9, "SELECT COUNT(*) FROM label")
		e.counts(t, 16, "SELECT COUNT(*) FROM ticket_label")
		e.labelsSound(t)
	})
	t.Run("a new ticket gets those that its form names", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post("/acme/boards/DEMO/tickets", "title", "Labelled", "labels", " bug ,, Big idea").is(t, 303)
		e.counts(t, 2, "SELECT COUNT(*) FROM ticket_label y JOIN ticket t ON t.id = y.ticket_id WHERE t.title = 'Labelled'")
		a := ana.post("/acme/boards/DEMO/tickets", "title", "Labelled", "labels", "bug, "+strings.Repeat("x", 41)).is(t, 422)
		if got := a.value(t, "#new-labels"); !strings.HasPrefix(got, "bug, xxx") {
			t.Errorf("the form has %q", got)
		}
		a.textHas(t, "#new-ticket .summary", "shorten it to 40")
	})
}

func TestManageLabels(t *testing.T) {
	t.Parallel()
	t.Run("a renamed label keeps its tickets, and its old name in links and filters", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.labelled("DEMO-1", []string{"fault"}).is(t, 303)
		fault := e.labelID(t, "fault")
		e.publish()
		ana.get("/acme/labels").is(t, 200).textIs(t, "#label-list .label", "fault")
		ana.get("/acme/labels/"+fault).is(t, 200).has(t, 12, "[name=color]").textHas(t, ".lead", "on 1 ticket")
		ana.post("/acme/labels/"+fault, "name", "Defect", "color", "red").goesTo(t, "/acme/labels")
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE feed_sync_id IS NULL AND local_id = 1")
		for _, name := range []string{"fault", "defect", "FAULT"} {
			if got := ana.get("/acme/boards/DEMO?label=" + name).keys(); got != "DEMO-1" {
				t.Errorf("%s shows %q", name, got)
			}
		}
		ana.get("/acme/DEMO-1").textIs(t, "#labels-shown .label.red", "Defect")
		ana.labelled("DEMO-2", []string{"fault"}).is(t, 303) // leads to the label, too
		e.counts(t, 1, "SELECT COUNT(*) FROM label WHERE live = TRUE")
		ana.post("/acme/labels", "name", "fault").is(t, 303) // a live one has its name back
		if got := ana.get("/acme/boards/DEMO?label=fault").keys(); got != "" {
			t.Errorf("the new label shows %q", got)
		}
		ana.post("/acme/labels/"+fault, "name", "fault").is(t, 409).has(t, 1, "#label-name[value=fault]").
			textHas(t, ".summary", "already")
		ana.post("/acme/labels/"+fault, "name", "", "color", "mauve").is(t, 422).has(t, 2, ".summary li")
		e.labelsSound(t)
	})
	t.Run("a merge shows the other on all tickets, leads its names there, and is undone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.labelled("DEMO-1", []string{"a"}).is(t, 303)
		ana.labelled("DEMO-2", []string{"b"}).is(t, 303)
		ana.labelled("DEMO-3", []string{"c"}).is(t, 303)
		a, b, c := e.labelID(t, "a"), e.labelID(t, "b"), e.labelID(t, "c")
		ana.get("/acme/labels/"+a+"/merge?into="+b).is(t, 200).textHas(t, ".lead", "a is on 1 ticket")
		ana.get("/acme/labels/"+a+"/merge?into="+a).is(t, 422)
		ana.get("/acme/labels/"+a+"/merge?into=x").is(t, 422)
		ana.post("/acme/labels/"+a+"/merge", "into", b).goesTo(t, "/acme/labels")
		ana.post("/acme/labels/"+b+"/merge", "into", c).goesTo(t, "/acme/labels")
		for _, name := range []string{"a", "b", "c"} {
			if got := ana.get("/acme/boards/DEMO?label=" + name).keys(); got != "DEMO-1 DEMO-2 DEMO-3" {
				t.Errorf("%s shows %q", name, got)
			}
		}
		ana.get("/acme/DEMO-1").textIs(t, "#labels-shown .label", "c")
		ana.get("/acme/labels/"+c).textHas(t, ".lead", "on 3 tickets")
		ana.labelled("DEMO-1", []string{"c"}).is(t, 303) // it has it
		e.counts(t, 3, "SELECT COUNT(*) FROM ticket_label")
		e.labelsSound(t)
		ana.get("/acme/labels").has(t, 2, "#ended-labels tbody tr").textHas(t, "#ended-labels", "merged into c")
		ana.post("/acme/labels/"+b+"/restoration").goesTo(t, "/acme/labels")
		ana.get("/acme/DEMO-1").textIs(t, "#labels-shown .label", "b")
		ana.get("/acme/DEMO-3").textIs(t, "#labels-shown .label", "c")
		ana.post("/acme/labels/"+a+"/restoration").goesTo(t, "/acme/labels")
		ana.get("/acme/DEMO-1").textIs(t, "#labels-shown .label", "a")
		ana.post("/acme/labels/"+a+"/restoration").is(t, 409)
		e.labelsSound(t)
	})
	t.Run("a ticket with both shows one, loses both, and gets both back", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.labelled("DEMO-1", []string{"a", "b"}).is(t, 303)
		a, b := e.labelID(t, "a"), e.labelID(t, "b")
		ana.post("/acme/labels/"+a+"/merge", "into", b).is(t, 303)
		ana.get("/acme/DEMO-1").has(t, 1, "#labels-shown .label")
		ana.get("/acme/labels/"+b).textHas(t, ".lead", "on 1 ticket")
		ana.labelled("DEMO-1", nil, "seen", b).is(t, 303)
		ana.get("/acme/DEMO-1").has(t, 0, "#labels-shown .label")
		ana.post("/acme/undo").is(t, 303)
		ana.get("/acme/DEMO-1").textIs(t, "#labels-shown .label", "b")
	})
	t.Run("a deleted one leaves its tickets, and comes back with them", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.labelled("DEMO-1", []string{"bug"}).is(t, 303)
		bug := e.labelID(t, "bug")
		ana.get("/acme/labels/"+bug+"/deletion").is(t, 200).textHas(t, ".lead", "bug is on 1 ticket")
		ana.post("/acme/labels/"+bug+"/deletion").goesTo(t, "/acme/labels")
		ana.get("/acme/DEMO-1").has(t, 0, "#labels-shown .label")
		if got := ana.get("/acme/boards/DEMO?label=bug").keys(); got != "" {
			t.Errorf("it shows %q", got)
		}
		ana.get("/acme/labels/"+bug).is(t, 404)
		ana.labelled("DEMO-2", nil, "label", bug).is(t, 422).textHas(t, ".summary", "does not exist any more")
		ana.labelled("DEMO-2", []string{"BUG"}).is(t, 303) // another one of the name
		ana.post("/acme/labels/"+bug+"/restoration").is(t, 409).textHas(t, ".summary", "already")
		ana.post("/acme/labels/"+e.labelID(t, "bug")+"/deletion").is(t, 303)
		ana.post("/acme/labels/"+bug+"/restoration").is(t, 303)
		ana.get("/acme/DEMO-1").textIs(t, "#labels-shown .label", "bug")
		ana.post("/acme/labels/"+bug+"/deletion").is(t, 303)
		e.exec("UPDATE label SET ended_at = ended_at - INTERVAL 31 DAY")
		ana.get("/acme/labels").has(t, 0, "#ended-labels")
		ana.post("/acme/labels/"+bug+"/restoration").is(t, 409)
	})
	t.Run("more than 100 tickets are published by a run, fewer at once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoardOf("MANY", 101)
		ana := e.ana()
		ana.labelled(b.Slug+"-1", []string{"bug"}).is(t, 303)
		bug := e.labelID(t, "bug")
		runs := func(n int) {
			t.Helper()
			e.counts(t, n, "SELECT COUNT(*) FROM migration_run WHERE name = ?", workflows.PublishLabelName)
		}
		e.exec("INSERT IGNORE INTO ticket_label SELECT id, ? FROM ticket WHERE local_id <= 100 AND board_id = (SELECT id FROM board WHERE slug = 'MANY')", bug)
		e.publish()
		ana.post("/acme/labels/"+bug, "name", "fault", "color", "red").is(t, 303)
		e.counts(t, 100, "SELECT COUNT(*) FROM ticket WHERE feed_sync_id IS NULL")
		runs(0)
		e.exec("INSERT IGNORE INTO ticket_label SELECT id, ? FROM ticket WHERE board_id = (SELECT id FROM board WHERE slug = 'MANY')", bug)
		e.publish()
		ana.post("/acme/labels/"+bug, "name", "defect", "color", "red").is(t, 303)
		e.counts(t, 0, "SELECT COUNT(*) FROM ticket WHERE feed_sync_id IS NULL")
		runs(1)
		e.unchanged(t, func() { ana.post("/acme/labels/"+bug, "name", "defect", "color", "red").is(t, 303) })
		ana.get("/acme/labels/"+bug+"/deletion").textHas(t, ".lead", "101 tickets")
	})
	t.Run("those who may not manage them are refused", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.labelled("DEMO-1", []string{"bug", "idea"}).is(t, 303)
		bug, idea := e.labelID(t, "bug"), e.labelID(t, "idea")
		e.account("ben", "acme", accounts.Member)
		e.account("vera", "acme", accounts.Viewer)
		ben, vera := e.signedIn("ben"), e.signedIn("vera")
		for _, b := range []*browser{ben, vera} {
			b.get("/acme/labels").is(t, 200).has(t, 2, "#label-list .label").has(t, 0, "#label-list .button")
			e.unchanged(t, func() {
				b.get("/acme/labels/"+bug).is(t, 403)
				b.post("/acme/labels/"+bug, "name", "x").is(t, 403)
				b.post("/acme/labels/"+bug+"/merge", "into", idea).is(t, 403)
				b.post("/acme/labels/"+bug+"/deletion").is(t, 403)
				b.post("/acme/labels/"+bug+"/restoration").is(t, 403)
			})
		}
		e.unchanged(t, func() {
			vera.labelled("DEMO-1", []string{"x"}).is(t, 403)
			vera.post("/acme/labels", "name", "x").is(t, 403)
		})
		ben.post("/acme/labels", "name", "x", "color", "teal").is(t, 303)
		e.rival()
		e.exec("UPDATE label SET company_id = (SELECT id FROM company WHERE slug = 'rivals') WHERE name = 'x'")
		e.unchanged(t, func() {
			other := e.labelID(t, "x")
			ana.get("/acme/labels/"+other).is(t, 404)
			ana.post("/acme/labels/"+other, "name", "y").is(t, 404)
			ana.post("/acme/labels/"+bug+"/merge", "into", other).is(t, 422)
			ana.labelled("DEMO-1", nil, "label", other).is(t, 422)
		})
	})
	t.Run("what is typed on a private board is that board's, and no one else learns of it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Admin)
		ana, ben := e.ana(), e.signedIn("ben")
		e.newBoardOf("SECRET", 2)
		ana.post("/acme/boards/SECRET/privacy", "private", "yes").is(t, 303)
		ana.labelled("SECRET-1", []string{"merger"}).is(t, 303)
		e.counts(t, 1, "SELECT COUNT(*) FROM label WHERE board_id = (SELECT id FROM board WHERE slug = 'SECRET')")
		id := e.labelID(t, "merger")
		ana.get("/acme/labels").has(t, 1, "#label-list .button").textHas(t, "#label-list", "SECRET")
		ben.get("/acme/labels").is(t, 200).has(t, 0, "#label-list .label")
		ben.get("/acme/labels/"+id).is(t, 404)
		e.programOf("ben").get("/labels/"+id).problem(t, 404, "")
		ben.get("/acme/boards/DEMO").has(t, 0, "#filter-label")
		e.unchanged(t, func() {
			ben.labelled("DEMO-1", nil, "label", id).is(t, 422)
			ben.post("/acme/labels/"+id+"/deletion").is(t, 404)
			ben.post("/acme/labels", "name", "x", "board", "SECRET").is(t, 404)
		})
		ben.post("/acme/labels", "name", "merger").is(t, 303) // one of all boards
		ana.post("/acme/labels/"+id, "name", "merger 2", "color", "red").is(t, 303)
		ana.post("/acme/labels/"+id, "name", "merger", "color", "red").is(t, 409)
		e.labelsSound(t)
	})
	t.Run("a company has 500", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		for i := range 500 {
			e.exec("INSERT INTO label (company_id, name, color, created_at) VALUES (1, ?, 1, UTC_TIMESTAMP(6))", fmt.Sprint("label ", i))
		}
		e.unchanged(t, func() {
			ana.labelled("DEMO-1", []string{"one more"}).is(t, 409).textHas(t, ".summary", "at most 500")
			ana.post("/acme/labels", "name", "one more").is(t, 409)
		})
		ana.get("/acme/DEMO-1/labels").has(t, 50, "#labels-found [name=label]").textHas(t, "#labels-found .hint", "more labels")
	})
}

func TestLabelsAPI(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	p := e.program()
	type label struct {
		ID      uint64
		Name    string
		Color   string
		Board   *string
		Into    *uint64 `json:"merged_into"`
		EndedAt *string `json:"ended_at"`
	}
	type ticket struct {
		Key    string
		Labels []label
	}
	var one, other label
	p.post("/labels", object{"name": "bug", "color": "red"}).is(t, 201).read(t, &one)
	p.post("/labels", object{"name": "idea", "board": "DEMO"}).is(t, 201).read(t, &other)
	if one.Color != "red" || one.Board != nil || other.Board == nil || *other.Board != "DEMO" {
		t.Errorf("%+v %+v", one, other)
	}
	p.post("/labels", object{"name": "BUG"}).problem(t, 409, "name")
	p.post("/labels", object{"name": "", "color": "mauve"}).problem(t, 422, "name")
	p.post("/labels", object{"name": "x", "board": "NOPE"}).problem(t, 404, "")

	var got ticket
	p.put("/tickets/DEMO-1/labels", object{"labels": []string{"idea", "Bug", "new"}}).is(t, 200).read(t, &got)
	if len(got.Labels) != 3 || got.Labels[0].Name != "bug" || got.Labels[2].Name != "new" {
		t.Errorf("%+v", got)
	}
	e.unchanged(t, func() {
		p.put("/tickets/DEMO-1/labels", object{"labels": []string{"new", "idea", "bug"}}).is(t, 200)
		p.put("/tickets/DEMO-1/labels", object{}).problem(t, 422, "labels")
		p.put("/tickets/DEMO-1/labels", object{"labels": []string{"a,b"}}).problem(t, 422, "labels")
		p.put("/tickets/DEMO-1/labels", object{"labels": "bug"}).problem(t, 422, "labels")
	})
	p.post("/boards/DEMO/tickets", object{"title": "x", "labels": []string{"bug", "newer"}}).is(t, 201).read(t, &got)
	if len(got.Labels) != 2 {
		t.Errorf("%+v", got)
	}
	e.publish()
	if a := p.get("/feeds/tickets").is(t, 200); strings.Count(a.body, `"name":"bug","color":"red"`) != 2 {
		t.Error("the feed does not have the labels")
	}
	path := fmt.Sprint("/labels/", one.ID)
	p.patch(path, object{"name": "fault"}).is(t, 200).read(t, &one)
	if one.Name != "fault" || one.Color != "red" {
		t.Errorf("%+v", one)
	}
	p.post(path+"/merge", object{"into": other.ID}).problem(t, 422, "into") // another board's
	p.post(fmt.Sprintf("/labels/%d/merge", other.ID), object{"into": one.ID}).is(t, 200).read(t, &other)
	if other.Into == nil || *other.Into != one.ID || other.EndedAt == nil {
		t.Errorf("%+v", other)
	}
	p.get("/tickets/DEMO-1").read(t, &got)
	if len(got.Labels) != 2 || got.Labels[0].Name != "fault" {
		t.Errorf("%+v", got)
	}
	p.put(fmt.Sprintf("/labels/%d/restoration", other.ID), object{}).is(t, 200)
	p.delete(path).is(t, 204)
	p.delete(path).problem(t, 409, "")
	p.get(path).is(t, 200)
	p.get("/labels/99").problem(t, 404, "")
	var list struct{ Items []label }
	p.get("/labels").is(t, 200).read(t, &list)
	if len(list.Items) != 3 {
		t.Errorf("%+v", list)
	}
}
