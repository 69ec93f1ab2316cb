package web_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// newEnvInBerlin is a company in whose members' time zone it is never UTC.
func newEnvInBerlin(t *testing.T) (e *env, ana, ben *browser) {
	t.Helper()
	e = newEnv(t)
	e.account("ben", "acme", accounts.Member)
	e.exec("UPDATE account SET time_zone = 'Europe/Berlin'")
	return e, e.ana(), e.signedIn("ben")
}

func TestPriority(t *testing.T) {
	t.Parallel()
	t.Run("it is set without JavaScript, shown on ticket, card and in the history, and undone", func(t *testing.T) {
		t.Parallel()
		e, ana, ben := newEnvInBerlin(t)
		ana.get("/acme/DEMO-1").textHas(t, ".properties", "No priority")
		ana.get("/acme/DEMO-1/priority").is(t, 200).has(t, 1, "#priority [value=none][checked]").has(t, 5, "#priority [type=radio]")
		ana.post("/acme/DEMO-1/priority", "priority", "high", "seen", "none").goesTo(t, "/acme/DEMO-1")
		page := ana.get("/acme/DEMO-1").is(t, 200)
		page.textHas(t, ".properties .priority.high", "High")
		page.textIs(t, "#history li:first-child p", "Ana set the priority to high")
		ben.get("/acme/boards/DEMO").textHas(t, ".card[data-key=DEMO-1] .priority.high", "High")
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE version = 1 AND local_id = 1 AND priority = 3 AND feed_sync_id IS NULL")

		ana.post("/acme/DEMO-1/priority", "priority", "low", "seen", "high").goesTo(t, "/acme/DEMO-1")
		page = ana.get("/acme/DEMO-1")
		page.textIs(t, "#history li:first-child p", "Ana changed the priority from high to low")
		ben.post("/acme/undo", "activity", page.value(t, "#flash [name=activity]")).is(t, 409)
		ana.post("/acme/undo").goesTo(t, "/acme/DEMO-1")
		page = ana.get("/acme/DEMO-1")
		page.textHas(t, ".toast", "Undone: DEMO-1 is as it was.")
		page.textIs(t, "#history li:first-child p", "Ana undid a change: changed the priority from low to high")
		page.textHas(t, ".properties .priority", "High")
		ana.post("/acme/undo").goesTo(t, "/acme/DEMO-1") // the one before
		ana.get("/acme/DEMO-1").textHas(t, ".properties", "No priority")
		ana.post("/acme/undo").is(t, 409)
	})
	t.Run("a change that another overtook is not undone", func(t *testing.T) {
		t.Parallel()
		e, ana, ben := newEnvInBerlin(t)
		ana.post("/acme/DEMO-1/priority", "priority", "high", "seen", "none").is(t, 303)
		ben.post("/acme/DEMO-1/priority", "priority", "low", "seen", "high").is(t, 303)
		e.unchanged(t, func() { ana.post("/acme/undo").is(t, 409).textHas(t, "#main .lead", "cannot be undone") })
		ana.post("/acme/DEMO-1/priority", "priority", "medium", "seen", "low").is(t, 303)
		ana.get("/acme/DEMO-1").is(t, 200)
		e.exec("UPDATE activity SET created_at = created_at - INTERVAL 31 MINUTE")
		e.unchanged(t, func() { ana.post("/acme/undo").is(t, 409) })
	})
	t.Run("a dialog is answered with the ticket, or on a board with the message alone, which undoes it", func(t *testing.T) {
		t.Parallel()
		_, ana, _ := newEnvInBerlin(t)
		a := ana.htmx("ticket").post("/acme/DEMO-1/priority", "priority", "urgent", "seen", "none").is(t, 200)
		a.textHas(t, "#ticket .priority", "Urgent")
		a.has(t, 1, "#flash[hx-swap-oob] .toast form[data-undo] [name=activity]")
		a.has(t, 1, "#ticket h1[tabindex='-1']") // Escape beside a board leads there
		a = ana.htmx("ticket").post("/acme/DEMO-1/assignees", "quick", "1", "add", "1").is(t, 200)
		a.has(t, 1, "#ticket #assignees:contains('Ana')").has(t, 1, "#flash[hx-swap-oob] .toast form[data-undo] [name=activity]")
		a = ana.htmx("dialog").post("/acme/DEMO-2/priority", "priority", "urgent", "seen", "none").is(t, 200)
		a.has(t, 0, "#ticket").has(t, 1, "#flash .toast form[data-undo]")
		a = ana.htmx("ticket").post("/acme/DEMO-1/priority", "priority", "urgent", "seen", "urgent").is(t, 200)
		a.has(t, 0, ".toast form") // nothing changed
	})
	t.Run("of two who set it at once, the second is shown what the first set", func(t *testing.T) {
		t.Parallel()
		e, ana, ben := newEnvInBerlin(t)
		ben.post("/acme/DEMO-1/priority", "priority", "low", "seen", "none").is(t, 303)
		e.unchanged(t, func() {
			page := ana.post("/acme/DEMO-1/priority", "priority", "urgent", "seen", "none").is(t, 409)
			page.textHas(t, "#priority .now", "It is now: Low")
			page.has(t, 0, ".summary a").textHas(t, ".summary", "Someone else changed this on DEMO-1")
			page.has(t, 1, "[value=urgent][checked]").has(t, 1, "[name=seen][value=low]")
			page = ana.htmx("ticket").post("/acme/DEMO-1/priority", "priority", "urgent", "seen", "none").is(t, 409)
			page.has(t, 0, "#ticket").has(t, 1, "#priority .now")
			ana.post("/acme/DEMO-1/priority", "priority", "low", "seen", "none").is(t, 303) // the same wish
		})
		ana.post("/acme/DEMO-1/priority", "priority", "urgent", "seen", "low").is(t, 303)
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE priority = 4")
	})
	t.Run("what is no priority is refused, and says which there are", func(t *testing.T) {
		t.Parallel()
		e, ana, _ := newEnvInBerlin(t)
		e.unchanged(t, func() {
			for _, bad := range []string{"High", "5", "-1", hostile, "\xff", strings.Repeat("a", 70_000)} {
				ana.post("/acme/DEMO-1/priority", "priority", bad, "seen", "none").is(t, 422).textHas(t, ".summary", "none, low")
				ana.post("/acme/DEMO-1/priority", "priority", "low", "seen", bad).is(t, 422)
			}
			ana.post("/acme/DEMO-99/priority", "priority", "low").is(t, 404)
		})
	})
}

func TestTitleAlone(t *testing.T) {
	t.Parallel()
	e, ana, ben := newEnvInBerlin(t)
	const was, path = "Open me, and change my title", "/acme/DEMO-1/title"
	list := ana.get("/acme/boards/DEMO/list").has(t, 7, ".listed .rename").has(t, 1, ".rename[href='"+path+"']")
	list.has(t, 1, ".rename[aria-label='Title of DEMO-1']")
	ana.get(path).is(t, 200).has(t, 1, "#rename-title[value='"+was+"']").has(t, 1, "#rename [name=seen][value='"+was+"']")

	ana.post(path, "title", " Paint  the fins ", "seen", was).goesTo(t, "/acme/DEMO-1")
	page := ana.get("/acme/DEMO-1")
	page.textIs(t, "#ticket h1", "Paint the fins")
	page.textHas(t, ".toast", "DEMO-1 is saved.")
	page.textHas(t, "#history li:first-child p", "Ana changed the title")
	e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE local_id = 1 AND version = 2 AND title = 'Paint the fins'")

	// What someone else wrote meanwhile is shown, and what was typed is kept.
	ben.post(path, "title", "Paint <b>them</b> red", "seen", "Paint the fins").is(t, 303)
	stale := ana.htmx("dialog").post(path, "title", "Paint them orange", "seen", "Paint the fins").is(t, 409)
	stale.has(t, 1, "#rename-title[value='Paint them orange']").has(t, 1, "#rename [name=seen][value='Paint <b>them</b> red']")
	stale.textHas(t, "#rename .now", "It is now: Paint <b>them</b> red")
	stale.textHas(t, "#rename", "Someone else changed this on DEMO-1 in the meantime.")
	ana.htmx("dialog").post(path, "title", "Paint them orange", "seen", "Paint <b>them</b> red").is(t, 200).textHas(t, ".toast", "DEMO-1 is saved.")
	ana.post(path, "title", "Paint them orange", "seen", "anything").is(t, 303) // as it is already

	// A description that was written meanwhile stays, and so do both.
	ben.post("/acme/DEMO-1", "title", "Paint them orange", "description", "With two coats.", "version", "4").is(t, 303)
	ana.post(path, "title", "Paint them", "seen", "Paint them orange").is(t, 303)
	e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE local_id = 1 AND title = 'Paint them' AND description = 'With two coats.'")

	e.unchanged(t, func() {
		for _, bad := range []string{"", " ", strings.Repeat("W", 300), "a\u202eb"} {
			ana.post(path, "title", bad, "seen", "Paint them").is(t, 422).has(t, 1, "#rename-title-error")
		}
	})
	e.account("vera", "acme", accounts.Viewer)
	vera := e.signedIn("vera")
	vera.get("/acme/boards/DEMO/list").has(t, 7, ".listed tbody tr").has(t, 0, ".rename")
	vera.post(path, "title", "Mine", "seen", "Paint them").is(t, 403)
	e.exec("UPDATE board SET archived_at = UTC_TIMESTAMP(6) WHERE slug = 'DEMO'")
	ana.post(path, "title", "Late", "seen", "Paint them").is(t, 409)
}

func TestDates(t *testing.T) {
	t.Parallel()
	t.Run("they are typed in the user's zone, and shown in words", func(t *testing.T) {
		t.Parallel()
		e, ana, ben := newEnvInBerlin(t)
		ana.post("/acme/DEMO-1/dates", "due", "12 dec 2199 15:00", "start", "2026-01-05").goesTo(t, "/acme/DEMO-1")
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE due_at = '2199-12-12 14:00:00' AND due_timed AND start_at = '2026-01-05' AND NOT start_timed")
		page := ana.get("/acme/DEMO-1").is(t, 200)
		page.textHas(t, ".properties .due", "Due 12 Dec 2199, 15:00")
		page.textHas(t, "#history li:first-child p", "Ana set the due date to 12 Dec 2199, 15:00, set the start to 5 Jan")
		e.exec("UPDATE account SET time_zone = 'Asia/Tokyo', dates = 'ja' WHERE id = ?", e.idOf("ben"))
		ben.get("/acme/boards/DEMO").textHas(t, ".card .due", "Due 2199-12-12, 23:00")
		form := ana.get("/acme/DEMO-1/dates").is(t, 200)
		if got := form.value(t, "[name=due]"); got != "2199-12-12 15:00" {
			t.Errorf("the form has %q", got)
		}
		form.textHas(t, "#dates > .hint", "Europe/Berlin")
		ana.post("/acme/DEMO-1/dates", "due", "tomorrow", "quick", "None", "start", "2026-01-05", "seen_start", "2026-01-05").is(t, 409)
		ana.post("/acme/DEMO-1/dates", "quick", "None", "due", "2199-12-12 15:00", "seen_due", "2199-12-12T14:00:00Z", "start",
			"2026-01-05", "seen_start", "2026-01-05").is(t, 303)
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE due_at IS NULL AND start_at = '2026-01-05'")
	})
	t.Run("overdue and due today are words; a closed ticket is not overdue", func(t *testing.T) {
		t.Parallel()
		e, ana, _ := newEnvInBerlin(t)
		ana.post("/acme/DEMO-1/dates", "due", "today").is(t, 303)
		ana.post("/acme/DEMO-2/dates", "due", "yesterday").is(t, 303)
		board := ana.get("/acme/boards/DEMO").is(t, 200)
		board.textIs(t, ".card[data-key=DEMO-1] .due.near", "Due today")
		board.textHas(t, ".card[data-key=DEMO-2] .due.over", "Overdue")
		ana.post("/acme/DEMO-2/closure", "closed", "1").is(t, 303)
		board = ana.get("/acme/boards/DEMO")
		board.has(t, 0, ".due.over")
		board.textHas(t, ".card[data-key=DEMO-2] .due", "Due")
		e.exec("INSERT INTO assignee SELECT id, created_by, TRUE, NOW() FROM ticket WHERE local_id = 1")
		ana.get("/acme/work").textIs(t, ".work .due", "Due today")
	})
	t.Run("one of two dates stays as another set it meanwhile; both on the same are shown", func(t *testing.T) {
		t.Parallel()
		e, ana, ben := newEnvInBerlin(t)
		ben.post("/acme/DEMO-1/dates", "start", "2027-01-05").is(t, 303)
		ana.post("/acme/DEMO-1/dates", "due", "2027-02-01").is(t, 303)
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE start_at = '2027-01-05' AND due_at = '2027-02-01'")
		e.unchanged(t, func() {
			page := ana.post("/acme/DEMO-1/dates", "due", "2027-03-01").is(t, 409)
			page.textHas(t, "#dates .now", "due 1 Feb 2027, start 5 Jan 2027")
			if due, start := page.value(t, "[name=due]"), page.value(t, "[name=start]"); due != "2027-03-01" ||
				start != "2027-01-05" {
				t.Errorf("the form has due %q, start %q", due, start)
			}
		})
	})
	t.Run("bad dates are refused, each with its message, and what was typed stays", func(t *testing.T) {
		t.Parallel()
		e, ana, _ := newEnvInBerlin(t)
		e.unchanged(t, func() {
			page := ana.post("/acme/DEMO-1/dates", "due", hostile, "start", "3/12").is(t, 422)
			page.textHas(t, "#dates-due-error", "is no date")
			page.textHas(t, "#dates-start-error", "is no date")
			if page.value(t, "[name=due]") != hostile || page.value(t, "[name=start]") != "3/12" {
				t.Error("what was typed is lost")
			}
			ana.post("/acme/DEMO-1/dates", "due", "2027-01-01", "start", "2027-01-02").is(t, 422).
				textHas(t, "#dates-start-error", "after the due date")
			ana.post("/acme/DEMO-1/dates", "due", "1 jan 9999").is(t, 422).textHas(t, "#dates-due-error", "year")
			ana.post("/acme/DEMO-1/dates", "due", "fri", "seen_due", "fri").is(t, 422)
			ana.post("/acme/boards/DEMO/tickets", "title", "", "due", "soon", "priority", "x").is(t, 422).
				has(t, 1, "#new-title-error").has(t, 1, "#new-due-error").has(t, 1, "#new-priority-error").
				has(t, 1, "#new-due[value=soon]")
		})
		ana.post("/acme/boards/DEMO/tickets", "title", "Planned", "due", "2027-01-02", "priority", "low").is(t, 303)
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE title = 'Planned' AND due_at = '2027-01-02' AND priority = 1")
	})
	t.Run("many at once leave each change in the history, old and new", func(t *testing.T) {
		t.Parallel()
		e, ana, _ := newEnvInBerlin(t)
		var all sync.WaitGroup
		for range 20 {
			for _, p := range []string{"low", "high"} {
				all.Go(func() { e.program().patch("/tickets/DEMO-1", object{"priority": p}) })
			}
		}
		all.Wait()
		ana.get("/acme/DEMO-1").is(t, 200)
		e.counts(t, 0, `SELECT COUNT(*) FROM activity a JOIN activity b ON b.ticket_id = a.ticket_id AND b.kind = 'set' AND
			b.id = (SELECT MIN(id) FROM activity WHERE ticket_id = a.ticket_id AND id > a.id AND kind = 'set')
			WHERE a.kind = 'set' AND JSON_VALUE(a.detail, '$.priority.new') <> JSON_VALUE(b.detail, '$.priority.old')`)
	})
}

func TestAPIProperties(t *testing.T) {
	t.Parallel()
	t.Run("a ticket is opened with them, and each changes alone, without a version", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		p := e.program()
		var one ticket
		p.post("/boards/DEMO/tickets", object{"title": "x", "priority": "high", "due": "2026-12-04T15:00:00+01:00"}).
			is(t, 201).read(t, &one)
		key := "/tickets/" + one.Key
		check := func(priority, start, due string) {
			t.Helper()
			got := func(s *string) string {
				if s == nil {
					return "null"
				}
				return *s
			}
			if one.Priority != priority || got(one.Start) != start || got(one.Due) != due || one.Version != 1 {
				t.Errorf("%s %s %s in version %d", one.Priority, got(one.Start), got(one.Due), one.Version)
			}
		}
		check("high", "null", "2026-12-04T14:00:00Z")
		p.patch(key, object{"due": "2026-12-05"}).is(t, 200).read(t, &one)
		check("high", "null", "2026-12-05")
		p.patch(key, object{"start": "2026-12-01", "priority": nil}).is(t, 200).read(t, &one)
		check("none", "2026-12-01", "2026-12-05")
		p.patch(key, object{"start": nil, "due": "", "priority": "low"}).is(t, 200).read(t, &one)
		check("low", "null", "null")
		p.patch(key, object{"title": "y", "priority": "urgent", "version": 1}).is(t, 200).read(t, &one)
		if one.Title != "y" || one.Priority != "urgent" || one.Version != 2 {
			t.Errorf("%+v", one)
		}
		m := mirror{}
		e.publish()
		m.read(t, p, "tickets", "")
		if a := p.get("/feeds/tickets").is(t, 200); !strings.Contains(a.body, `"priority":"urgent"`) {
			t.Error("the feed does not have it")
		}
	})
	t.Run("a stale text takes no property with it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.unchanged(t, func() {
			e.program().patch("/tickets/DEMO-1", object{"title": "y", "priority": "low", "version": 7}).problem(t, 409, "version")
			e.program().patch("/tickets/DEMO-1", object{"title": "y", "priority": "low"}).problem(t, 422, "version")
		})
	})
	t.Run("all that is wrong is told at once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.unchanged(t, func() {
			for _, bad := range []any{"tomorrow", "2026-12-4", "2026-02-30", "2026-12-04 15:00", "9999-01-01", 5, true, object{}} {
				e.program().post("/boards/DEMO/tickets", object{"title": "x", "due": bad}).problem(t, 422, "due")
				e.program().patch("/tickets/DEMO-1", object{"start": bad}).problem(t, 422, "start")
			}
			for _, bad := range []any{"High", "x", 3, []int{1}} {
				e.program().patch("/tickets/DEMO-1", object{"priority": bad}).problem(t, 422, "priority")
			}
			p := e.program().post("/boards/DEMO/tickets", object{"title": "", "due": "x", "priority": "x"}).problem(t, 422, "title")
			if len(p.Errors) != 3 {
				t.Errorf("it tells %+v", p.Errors)
			}
			p = e.program().patch("/tickets/DEMO-1", object{"title": "", "due": "x", "version": 1}).problem(t, 422, "title")
			if len(p.Errors) != 2 {
				t.Errorf("it tells %+v", p.Errors)
			}
			e.program().patch("/tickets/DEMO-1", object{"start": "2026-12-04", "due": "2026-12-03"}).problem(t, 422, "start")
		})
	})
}

func TestZone(t *testing.T) {
	t.Parallel()
	t.Run("the browser's is taken once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.get("/acme").has(t, 1, "body[data-zone-path='/acme/zone']")
		for _, bad := range []string{"", "Local", "Mars/Olympus", "../../etc/passwd", hostile} {
			ana.post("/acme/zone", "zone", bad).is(t, 422)
		}
		ana.post("/acme/zone", "zone", "Asia/Tokyo").is(t, 204)
		ana.post("/acme/zone", "zone", "Europe/Berlin").is(t, 204)
		e.counts(t, 1, "SELECT COUNT(*) FROM account WHERE time_zone = 'Asia/Tokyo'")
		ana.get("/acme").has(t, 0, "body[data-zone-path]")
	})
}
