package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestTemplates(t *testing.T) {
	t.Parallel()
	const list = "/acme/boards/DEMO/templates"
	report := []string{"name", "Bug report", "title", "Crash: ", "description", "What did you do?\r\n", "priority", "high",
		"labels", "Crash, bug", "assignees", "@ben ana"}
	t.Run("a new ticket begins with one", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Member)
		ana := e.ana()
		ana.get("/acme/boards/DEMO/tickets/new").has(t, 0, ".templates")
		doing := fmt.Sprint(e.count("SELECT MAX(k.id) FROM board_column k JOIN board b ON b.id = k.board_id WHERE b.slug = 'DEMO' AND NOT k.done"))
		ana.post(list, append(report, "column", doing)...).goesTo(t, list)
		ana.get(list).textIs(t, "#template-list tbody th", "Bug report")
		form := ana.get("/acme/boards/DEMO/tickets/new?template=1").is(t, 200)
		form.textIs(t, ".templates [aria-current]", "Bug report")
		for field, value := range map[string]string{"title": "Crash:", "labels": "bug, Crash", "assignees": "@ana @ben"} {
			if got := form.value(t, "#new-"+field); got != value {
				t.Errorf("%s: %q", field, got)
			}
		}
		form.textIs(t, "#new-description", "What did you do?")
		form.textIs(t, "#new-priority [selected]", "High")
		if got := form.page().Find("#new-column [selected]").AttrOr("value", ""); got != doing {
			t.Errorf("the column is %s", got)
		}
		dialog := ana.htmx("dialog").get("/acme/boards/DEMO/tickets/new?template=1").is(t, 200)
		dialog.has(t, 2, ".templates [hx-get]")
		again := ana.htmx("dialog").post("/acme/boards/DEMO/tickets", "again", "1", "title", "Crash: door", "template", "1").is(t, 200)
		again.textIs(t, "#new-description", "What did you do?")
	})
	t.Run("what is gone since is left out", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Member)
		e.account("cleo", "acme", accounts.Member)
		ana := e.ana()
		ana.post("/acme/boards/DEMO/columns", "name", "Away", "version", fmt.Sprint(e.count("SELECT version FROM board WHERE slug = 'DEMO'"))).is(t, 303)
		away := e.count("SELECT MAX(id) FROM board_column")
		ana.post(list, "name", "x", "column", fmt.Sprint(away), "labels", "kept, gone", "assignees", "ana ben cleo").is(t, 303)
		ana.post(fmt.Sprintf("/acme/boards/DEMO/columns/%d/removal", away), "to",
			fmt.Sprint(e.count("SELECT MIN(id) FROM board_column")), "version", fmt.Sprint(e.count("SELECT version FROM board WHERE slug = 'DEMO'"))).is(t, 303)
		ana.post("/acme/labels/"+e.labelID(t, "gone")+"/deletion").is(t, 303)
		ana.post("/acme/labels/"+e.labelID(t, "kept"), "name", "renamed", "color", "red").is(t, 303)
		ana.post(fmt.Sprintf("/acme/people/%d/role", e.count("SELECT id FROM account WHERE name = 'ben'")), "role", "viewer").is(t, 303)
		ana.post(fmt.Sprintf("/acme/people/%d/removal", e.count("SELECT id FROM account WHERE name = 'cleo'"))).is(t, 303)
		form := ana.get("/acme/boards/DEMO/tickets/new?template=1").is(t, 200)
		if got := form.value(t, "#new-labels") + " " + form.value(t, "#new-assignees"); got != "renamed @ana" {
			t.Errorf("the form has %q", got)
		}
		e.program().post("/boards/DEMO/tickets", object{"title": "x", "template": 1}).is(t, 201)
	})
	t.Run("a refused form says all and keeps what was typed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post(list, report[:2]...).is(t, 303)
		e.unchanged(t, func() {
			a := ana.post(list, "name", "", "title", strings.Repeat("t", 256), "priority", "huge", "column", "x", "labels", "b,"+strings.Repeat("l", 41),
				"assignees", strings.Repeat("a", 41), "description", "kept").is(t, 422)
			a.has(t, 6, "#template [aria-invalid=true]")
			a.textIs(t, "#template-description", "kept")
			ana.post(list, "name", "bug REPORT").is(t, 409).textHas(t, ".summary", "already")
			ana.post(list, "name", strings.Repeat("n", 61)).is(t, 422).textHas(t, ".summary", "shorten it to 60")
			ana.post(list, "name", "x", "assignees", "nobody").is(t, 422).textHas(t, ".summary", "“nobody” is not a member")
			ana.post(list, "name", "x", "column", "4711").is(t, 422).has(t, 1, "#template-column[aria-invalid=true]")
			ana.post(list+"/1", "name", "x", "version", "x").is(t, 422)
			ana.get(list+"/99").is(t, 404)
			ana.post(list+"/99", "name", "x", "version", "1").is(t, 404)
			ana.post(list+"/99/deletion").is(t, 404)
			ana.get("/acme/boards/DEMO/tickets/new?template=99").is(t, 404)
			ana.get("/acme/boards/DEMO/tickets/new?template=x").is(t, 404)
		})
	})
	t.Run("of two edits the later one is told", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post(list, report[:4]...).is(t, 303)
		ana.post(list+"/1", "name", "Bug", "version", "1").is(t, 303)
		a := ana.post(list+"/1", "name", "Fault", "title", "Fault: ", "version", "1").is(t, 409)
		a.textHas(t, ".summary", "Someone else changed this template")
		if got := a.value(t, "#template-title") + a.value(t, "[name=version]"); got != "Fault: 2" {
			t.Errorf("the form has %q", got)
		}
		ana.post(list+"/1", "name", "Fault", "version", a.value(t, "[name=version]")).is(t, 303)
		ana.post(list+"/1/deletion").goesTo(t, list)
		ana.get(list).has(t, 1, "#template-list.none")
	})
	t.Run("a deleted one can be restored for 30 days, unless its name is taken", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.account("ben", "acme", accounts.Member)
		ana.post(list, report...).is(t, 303)
		filled := func() string {
			form := ana.get(list+"/1").is(t, 200)
			return form.value(t, "#template-title") + "|" + form.value(t, "#template-labels") + "|" + form.value(t, "#template-assignees")
		}
		before := filled()
		ana.post(list+"/1/deletion").goesTo(t, list)
		ana.get(list+"/1").is(t, 404)
		ana.get("/acme/boards/DEMO/tickets/new").has(t, 0, ".templates")
		ana.get(list).textHas(t, "#deleted-templates", "Bug report")
		ana.post(list, "name", "bug REPORT").is(t, 303)
		ana.post(list+"/1/restoration").is(t, 409).textHas(t, "[role=alert]", "Bug report")
		ana.post(list+"/2/deletion").goesTo(t, list)
		ana.post(list+"/1/restoration").goesTo(t, list)
		if now := filled(); now != before {
			t.Errorf("it came back with %q, not %q", now, before)
		}
		ana.get(list).textHas(t, "#deleted-templates", "bug REPORT")
		ana.post(list+"/1/restoration").is(t, 404)
		e.account("vera", "acme", accounts.Viewer)
		e.signedIn("vera").get(list).has(t, 0, "#deleted-templates")
		e.signedIn("vera").post(list+"/2/restoration").is(t, 403)

		e.exec("UPDATE ticket_template SET deleted_at = NOW(6) - INTERVAL 31 DAY WHERE id = 2")
		ana.get(list).has(t, 0, "#deleted-templates")
		ana.post(list+"/2/restoration").is(t, 404)
		ana.post(list+"/1/deletion").goesTo(t, list)
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket_template")
		e.exec("UPDATE ticket_template SET deleted_at = NOW(6) - INTERVAL 31 DAY")
		ana.post(list, "name", "Last").is(t, 303)
		ana.post(fmt.Sprintf("%s/%d/deletion", list, e.count("SELECT MAX(id) FROM ticket_template"))).goesTo(t, list)
		e.counts(t, 0, "SELECT COUNT(*) FROM template_label")
	})
	t.Run("a board has fifty at most, also when many come at once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.exec(`INSERT INTO ticket_template (board_id, name, title, description, column_id, priority, created_at, updated_at)
			SELECT b.id, CONCAT('T', n.n), '', '', 0, 0, NOW(6), NOW(6) FROM board b JOIN (
			  SELECT 1 + a.d + 7 * c.d AS n FROM (SELECT 0 AS d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6) a
			  JOIN (SELECT 0 AS d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6) c) n WHERE b.slug = 'DEMO'`)
		e.counts(t, 49, "SELECT COUNT(*) FROM ticket_template")
		var all sync.WaitGroup
		codes := make([]int, 8)
		for i := range codes {
			b := e.ana()
			all.Go(func() { codes[i] = b.post(list, "name", fmt.Sprint("more ", i)).code })
		}
		all.Wait()
		e.counts(t, 50, "SELECT COUNT(*) FROM ticket_template")
		if n := strings.Count(fmt.Sprint(codes), fmt.Sprint(http.StatusConflict)); n != 7 {
			t.Errorf("answers %v", codes)
		}
	})
	t.Run("a public form offers those that say so, and a request gets what its template has", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Member)
		e.account("cleo", "acme", accounts.Member)
		ana := e.ana()
		e.codes("ukrEP", "UkrEP", "uKrEP", "ukREP")
		ana.post("/acme/boards/DEMO/form", "on", "1", "version", "0").is(t, 303)
		stranger := e.visitor()
		stranger.get("/acme/forms/DEMO").has(t, 0, ".templates")
		ana.post(list, append(report, "public", "1", "column", fmt.Sprint(e.count("SELECT MAX(id) FROM board_column WHERE NOT done")))...).is(t, 303)
		ana.post(list, "name", "Secret", "description", "internal").is(t, 303)
		ana.post(fmt.Sprintf("/acme/people/%d/removal", e.count("SELECT id FROM account WHERE name = 'ben'"))).is(t, 303)
		ana.post("/acme/labels/"+e.labelID(t, "Crash")+"/deletion").is(t, 303)
		form := stranger.get("/acme/forms/DEMO?template=1").is(t, 200)
		form.textIs(t, ".templates [aria-current]", "Bug report")
		form.textIs(t, "#request-description", "What did you do?")
		form.has(t, 2, ".templates a") // and something else
		stranger.get("/acme/forms/DEMO?template=2").is(t, 404)
		stranger.get("/acme/forms/DEMO?template=x").is(t, 404)
		send := []string{"nonce", form.value(t, "[name=nonce]"), "title", "It broke", "description", "Here", "template", "1"}
		to := stranger.post("/acme/forms/DEMO", send...).is(t, 303).header.Get("Location")
		if again := stranger.post("/acme/forms/DEMO", send...).is(t, 303).header.Get("Location"); again != to {
			t.Errorf("sent again it leads to %s, not %s", again, to)
		}
		of := " FROM ticket t JOIN board_column k ON k.id = t.column_id WHERE t.title = 'It broke'"
		e.counts(t, 1, "SELECT COUNT(*)"+of+" AND t.priority = 3 AND k.name = 'Doing' AND t.description = 'Here'")
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket_label y JOIN ticket t ON t.id = y.ticket_id WHERE t.title = 'It broke'")
		e.counts(t, 1, "SELECT COUNT(*) FROM assignee a JOIN ticket t ON t.id = a.ticket_id WHERE t.title = 'It broke' AND a.current = TRUE")
		refused := stranger.post("/acme/forms/DEMO", "nonce", send[1], "title", "", "template", "1").is(t, 422)
		refused.has(t, 1, "[name=template][value='1']")
		ana.post(list+"/1/deletion").is(t, 303)
		stranger.post("/acme/forms/DEMO", "title", "Later", "template", "1").is(t, 303)
		stranger.post("/acme/forms/DEMO", "title", "Hidden", "template", "2").is(t, 303)
		e.counts(t, 2, "SELECT COUNT(*) FROM ticket WHERE title IN ('Later', 'Hidden') AND priority = 0")
	})
	t.Run("an archived board shows its templates, and changes none", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post(list, report[:2]...).is(t, 303)
		ana.post("/acme/boards/DEMO/archive", "archived", "1", "version", fmt.Sprint(e.count("SELECT version FROM board WHERE slug = 'DEMO'"))).is(t, 303)
		e.unchanged(t, func() {
			ana.get(list).is(t, 200).has(t, 1, "#template-list").has(t, 0, "main .button")
			ana.get(list+"/1").is(t, 409)
			ana.post(list, "name", "x").is(t, 409)
			ana.post(list+"/1/deletion").is(t, 409)
		})
	})
}

func TestAPITemplates(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	p := e.program()
	var made struct {
		ID, Version int
		Column      *int
		Labels      []string
	}
	p.post("/boards/DEMO/templates", object{"name": "Bug report", "title": "Crash", "description": "Steps", "labels": []string{"bug"},
		"assignees": []string{"ana"}, "priority": "low"}).is(t, 201).read(t, &made)
	if made.ID != 1 || made.Version != 1 || made.Column != nil || len(made.Labels) != 1 {
		t.Errorf("%+v", made)
	}
	var opened struct {
		Title, Description, Priority string
		Labels, Assignees            []any
	}
	p.post("/boards/DEMO/tickets", object{"template": 1}).is(t, 201).read(t, &opened)
	if opened.Title != "Crash" || opened.Description != "Steps" || opened.Priority != "low" || len(opened.Labels) != 1 || len(opened.Assignees) != 1 {
		t.Errorf("%+v", opened)
	}
	p.post("/boards/DEMO/tickets", object{"template": 1, "title": "Own", "description": "Mine", "priority": "high", "labels": []string{},
		"assignees": []string{}}).is(t, 201).read(t, &opened)
	if opened.Title != "Own" || opened.Description != "Mine" || opened.Priority != "high" || len(opened.Labels)+len(opened.Assignees) != 0 {
		t.Errorf("%+v", opened)
	}
	p.patch("/boards/DEMO/templates/1", object{"labels": []string{}, "version": 1}).is(t, 200).read(t, &made)
	if made.Version != 2 || len(made.Labels) != 0 {
		t.Errorf("%+v", made)
	}
	e.unchanged(t, func() {
		p.patch("/boards/DEMO/templates/1", object{"name": "x", "version": 1}).problem(t, 409, "")
		p.patch("/boards/DEMO/templates/1", object{"title": "x"}).problem(t, 422, "version")
		p.patch("/boards/DEMO/templates/1", object{"name": "", "version": 2}).problem(t, 422, "name")
		p.patch("/boards/DEMO/templates/99", object{"name": "x", "version": 2}).problem(t, 404, "template")
		p.post("/boards/DEMO/templates", object{"title": "x"}).problem(t, 422, "name")
		p.post("/boards/DEMO/tickets", object{"template": 99, "title": "x"}).problem(t, 404, "template")
		p.post("/boards/DEMO/tickets", object{"template": "x", "title": "x"}).problem(t, 422, "template")
	})
	t.Run("an answer that was lost comes again, whatever became of the template", func(t *testing.T) {
		one := p.with("Idempotency-Key", "again").post("/boards/DEMO/tickets", object{"template": 1}).is(t, 201)
		p.delete("/boards/DEMO/templates/1").is(t, 204)
		if two := p.with("Idempotency-Key", "again").post("/boards/DEMO/tickets", object{"template": 1}).is(t, 201); two.body != one.body {
			t.Errorf("%s\n%s", one.body, two.body)
		}
	})
}

func TestDuplicateTicket(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("ben", "acme", accounts.Member)
	ana := e.ana()
	ana.post("/acme/boards/DEMO/tickets", "title", "Paint", "priority", "high", "start", "2027-02-01",
		"due", "2027-03-01", "labels", "bug, idea", "assignees", "ana ben").is(t, 303)
	key := e.newest(t, "DEMO")
	ana.sendFiles("/acme/"+key+"/attachments", "shot.txt", "see me").is(t, 303)
	file := e.count("SELECT MAX(id) FROM attachment")
	text := fmt.Sprintf("Look: [shot.txt](attachment:%d), not attachment:%d0 and attachment:999", file, file)
	ana.post("/acme/"+key, "title", "Paint", "description", text, "version", "1").is(t, 303)
	ana.get("/acme/"+key).has(t, 1, ".ticket-head a[href$='?copy="+key+"']")
	form := ana.get("/acme/boards/DEMO/tickets/new?copy="+key).is(t, 200)
	for field, value := range map[string]string{"title": "Paint", "start": "2027-02-01", "due": "2027-03-01", "labels": "bug, idea", "assignees": "@ana @ben"} {
		if got := form.value(t, "#new-"+field); got != value {
			t.Errorf("%s: %q", field, got)
		}
	}
	form.textIs(t, "#new-description", text)
	used := e.count("SELECT used FROM company_storage")
	ana.post("/acme/boards/DEMO/tickets", "title", "Paint twice", "description", text, "copy", key).is(t, 303)
	e.counts(t, 2*int(used), "SELECT used FROM company_storage")
	copied := e.count("SELECT MAX(id) FROM attachment")
	e.counts(t, 1, fmt.Sprintf(`SELECT COUNT(*) FROM ticket t JOIN attachment a ON a.ticket_id = t.id
		WHERE t.title = 'Paint twice' AND t.description LIKE '%%(attachment:%d), not attachment:%d0 and attachment:999' AND t.attachments = 1`, copied, file))
	ana.get(fmt.Sprintf("/acme/attachments/%d", copied)).is(t, 200)
	e.exec("ALTER TABLE attachment AUTO_INCREMENT = 1000000")
	long := fmt.Sprintf("attachment:%d ", file) + strings.Repeat("x", 65535-len(fmt.Sprintf("attachment:%d ", file)))
	ana.post("/acme/boards/DEMO/tickets", "title", "Long", "description", long, "copy", key).is(t, 422).
		has(t, 1, "#new-description[aria-invalid=true]")
	refused := ana.post("/acme/boards/DEMO/tickets", "title", "", "description", text, "copy", key).is(t, 422)
	refused.has(t, 1, "[name=copy][value="+key+"]")
	late := ana.post("/acme/boards/DEMO/tickets", "title", "", "start", "2027-03-02", "due", "2027-03-01").is(t, 422).
		has(t, 1, "#new-title[aria-invalid=true]").has(t, 1, "#new-start[aria-invalid=true][value='2027-03-02']")
	late.textHas(t, ".summary", "The start is after the due date.")
	ana.post("/acme/boards/DEMO/tickets", "title", "x", "start", "soonish").is(t, 422).has(t, 1, "#new-start[aria-invalid=true]")

	ben := e.signedIn("ben")
	ana.post("/acme/boards", "slug", "HIDE", "title", "Hidden").is(t, 303)
	ana.post("/acme/boards/HIDE/privacy", "private", "yes").is(t, 303)
	ana.post("/acme/boards/HIDE/tickets", "title", "Secret").is(t, 303)
	ana.sendFiles("/acme/HIDE-1/attachments", "secret.txt", "secret").is(t, 303)
	hidden := e.count("SELECT MAX(id) FROM attachment")
	ben.get("/acme/boards/DEMO/tickets/new?copy=HIDE-1").is(t, 404)
	ben.get("/acme/boards/DEMO/tickets/new?copy=x").is(t, 404)
	for _, of := range []string{"HIDE-1", key} { // a ticket, and a file, that the user does not see
		ben.post("/acme/boards/DEMO/tickets", "title", "Stolen", "description", fmt.Sprintf("attachment:%d", hidden), "copy", of).is(t, 303)
	}
	e.counts(t, 0, "SELECT COUNT(*) FROM attachment a JOIN ticket t ON t.id = a.ticket_id WHERE t.title = 'Stolen'")
	e.exec("UPDATE company_storage SET quota = used")
	ana.post("/acme/boards/DEMO/tickets", "title", "No room", "description", text, "copy", key).is(t, 413).textHas(t, ".summary", "There is no room")
}

func TestDuplicateBoard(t *testing.T) {
	t.Parallel()
	columns := func(e *env, slug string) (text string) {
		domaintest.Must(t, e.db.SQL.QueryRow(`SELECT GROUP_CONCAT(k.name, ' ', k.done, ' ', COALESCE(k.wip_limit, '-'), ' ', k.wip_hard, ' ', k.stale_days ORDER BY k.position)
			FROM board_column k JOIN board b ON b.id = k.board_id WHERE b.slug = ?`, slug).Scan(&text))
		return text
	}
	t.Run("a copy has the columns, labels and templates, and no tickets", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		version := func() string { return fmt.Sprint(e.count("SELECT version FROM board WHERE slug = 'DEMO'")) }
		ana.post("/acme/boards/DEMO/columns", "name", "Review", "position", "2", "wip", "hard", "wip_limit", "3", "version", version()).is(t, 303)
		review := fmt.Sprint(e.count("SELECT id FROM board_column WHERE name = 'Review'"))
		ana.post("/acme/labels", "name", "everywhere", "color", "red").is(t, 303)
		ana.post("/acme/labels", "name", "here", "color", "blue", "board", "DEMO").is(t, 303)
		ana.post("/acme/boards/DEMO/templates", "name", "Bug", "title", "Crash", "column", review, "labels", "here, everywhere",
			"assignees", "ana", "public", "1").is(t, 303)
		form := ana.get("/acme/boards/DEMO/settings").is(t, 200)
		copied := []string{"title", "Copied", "slug", "copy", "nonce", form.value(t, "form[action$='/copies'] [name=nonce]")}
		ana.post("/acme/boards/DEMO/copies", copied...).goesTo(t, "/acme/boards/COPY")
		ana.post("/acme/boards/DEMO/copies", copied...).goesTo(t, "/acme/boards/COPY") // a double click
		if was, is := columns(e, "DEMO"), columns(e, "COPY"); was != is || !strings.Contains(is, "Review 0 3 1") {
			t.Errorf("%s\n%s", was, is)
		}
		of := " JOIN board b ON b.id = x.board_id WHERE b.slug = 'COPY'"
		e.counts(t, 0, "SELECT COUNT(*) FROM ticket x"+of)
		e.counts(t, 1, "SELECT COUNT(*) FROM label x"+of+" AND x.name = 'here' AND x.color = 8")
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket_template x JOIN board_column k ON k.id = x.column_id AND k.board_id = x.board_id"+of+
			" AND k.name = 'Review' AND x.public = TRUE")
		begun := ana.get(fmt.Sprint("/acme/boards/COPY/tickets/new?template=", e.count("SELECT MAX(id) FROM ticket_template"))).is(t, 200)
		if got := begun.value(t, "#new-labels") + begun.value(t, "#new-assignees"); got != "everywhere, here@ana" {
			t.Errorf("the template has %q", got)
		}
		ana.post("/acme/boards/COPY/tickets", "title", "First").is(t, 303)
		ana.get("/acme/COPY-1").is(t, 200)
		e.unchanged(t, func() {
			a := ana.post("/acme/boards/DEMO/copies", "title", "", "slug", "COPY").is(t, 422)
			a.has(t, 1, "#copy-title[aria-invalid=true]")
			ana.post("/acme/boards/DEMO/copies", "title", "Kept", "slug", "COPY").is(t, 409).has(t, 1, "#copy-slug[aria-invalid=true][value=COPY]")
			ana.post("/acme/boards/NONE/copies", "title", "x", "slug", "XX").is(t, 404)
			ana.post("/acme/boards/DEMO/copies", "title", "x", "slug", "XX", "tickets", "some").is(t, 422).
				has(t, 1, "#copy-tickets[aria-invalid=true]").has(t, 1, "#copy-slug[value=XX]")
		})
		e.counts(t, 0, "SELECT COUNT(*) FROM migration_run")
		ana.post("/acme/boards/DEMO/copies", "title", "With all", "slug", "ALL", "tickets", "all").goesTo(t, "/acme/boards/ALL")
		ana.get("/acme/boards/ALL").textHas(t, ".toast", "Its tickets come as they are copied.")
		e.program().post("/boards", object{"slug": "OPENS", "title": "Open ones", "like": "DEMO", "tickets": "open"}).is(t, 201)
		e.program().post("/boards", object{"slug": "NEW", "title": "New", "tickets": "open"}).is(t, 422)
		e.counts(t, 2, "SELECT COUNT(*) FROM migration_run WHERE name = 'copy-tickets'")
	})
	t.Run("a copy of a private board is as private", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Member)
		e.account("cleo", "acme", accounts.Member)
		e.account("dan", "acme", accounts.Member)
		ana, ben, cleo := e.ana(), e.signedIn("ben"), e.signedIn("cleo")
		ana.post("/acme/boards/DEMO/privacy", "private", "yes").is(t, 303)
		ana.post("/acme/boards/DEMO/members", "name", "@ben", "role", "member").is(t, 303)
		ana.post("/acme/boards/DEMO/members", "name", "@dan", "role", "viewer").is(t, 303)
		ben.get("/acme/boards/DEMO/settings").textHas(t, "main", "It is private, too")
		ben.post("/acme/boards/DEMO/copies", "title", "Mine", "slug", "MINE").goesTo(t, "/acme/boards/MINE")
		e.unchanged(t, func() {
			cleo.get("/acme/boards/MINE").is(t, 404)
			cleo.post("/acme/boards/DEMO/copies", "title", "x", "slug", "XX").is(t, 404)
			e.signedIn("dan").post("/acme/boards/MINE/tickets", "title", "x").is(t, 403)
		})
		ana.get("/acme/boards/MINE").is(t, 200)
		ben.post("/acme/boards/MINE/members", "name", "@cleo", "role", "viewer").is(t, 303) // he is an admin of it
	})
	t.Run("an archived board is duplicated, too, also by the API", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post("/acme/boards/DEMO/archive", "archived", "1", "version", fmt.Sprint(e.count("SELECT version FROM board WHERE slug = 'DEMO'"))).is(t, 303)
		ana.get("/acme/boards/DEMO/settings").has(t, 1, "form[action$='/copies']")
		e.program().post("/boards", object{"slug": "AGAIN", "title": "Again", "like": "DEMO"}).is(t, 201)
		if was, is := columns(e, "DEMO"), columns(e, "AGAIN"); was != is {
			t.Errorf("%s\n%s", was, is)
		}
		e.program().post("/boards", object{"slug": "AGAINST", "title": "Again", "like": "NONE"}).is(t, 404)
	})
}
