package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

// bulkBoard opens the board NINJA with some tickets.
func bulkBoard(t *testing.T, e *env, n int) {
	t.Helper()
	board := e.newBoard("NINJA")
	row := id.Board(e.count("SELECT id FROM board WHERE slug = 'NINJA'"))
	apptest.Fill(t, e.db, 1, row, id.Column(board.Columns[0].ID), n)
}

// workUntil has a worker work until a query selects the number.
func (e *env) workUntil(t *testing.T, query string, want int) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.workflows.Worker.Work(ctx) }()
	domaintest.Until(t, query, func() bool { return e.count(query) == int64(want) })
	stop()
	domaintest.Must(t, <-ended)
}

// work has a worker work until no run is active.
func (e *env) work(t *testing.T) {
	t.Helper()
	e.workUntil(t, "SELECT COUNT(*) FROM migration_run WHERE state NOT IN ('complete', 'cancelled')", 0)
}

// openBulk opens a bulk edit by its form, and returns its path.
func openBulk(t *testing.T, b *browser, fields ...string) string {
	t.Helper()
	answer := b.post("/acme/boards/NINJA/batch", append([]string{"all", "1"}, fields...)...).is(t, http.StatusSeeOther)
	to := answer.header.Get("Location")
	if !strings.HasPrefix(to, "/acme/bulk-edits/") {
		t.Fatal(to)
	}
	return to
}

// newcomer is the browser of a new member.
func newcomer(e *env, name, role string) *browser {
	e.t.Helper()
	e.account(name, "acme", role)
	return e.signedIn(name)
}

func TestBulkEdits(t *testing.T) {
	t.Parallel()
	t.Run("a list changes what matches by a run, which is watched, and taken back as a whole, without JavaScript", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		bulkBoard(t, e, 120)
		ana := e.ana()
		list := ana.get("/acme/boards/NINJA/list").has(t, 50, "input[type=checkbox][name=keys][form=list-picks]").has(t, 1, "#list-picks select[name=do]")
		list.textHas(t, "#list-picks", "Change all…")
		ana.get("/acme/boards/NINJA/list?q=Ticket").textHas(t, "#list-picks", "Change all that match…")
		two := ana.get("/acme/boards/NINJA/batch?do=priority&keys=NINJA-3&keys=NINJA-7")
		two.textIs(t, "#batch h1", "Priority of 2 tickets")
		two.textIs(t, "#batch textarea", "NINJA-3 NINJA-7")
		few := ana.get("/acme/boards/NINJA/batch?do=priority&all=1&q=NINJA-5").has(t, 0, "#batch [name=all]")
		few.textIs(t, "#batch h1", "Priority of 1 ticket")
		form := ana.get("/acme/boards/NINJA/batch?do=priority&all=1").has(t, 1, "#batch input[name=all]").has(t, 0, "#batch textarea").has(t, 1, "#batch button[name=dry]")
		form.textIs(t, "#batch h1", "Priority of 120 tickets")
		form.textHas(t, "#batch", "All tickets of")

		preview := openBulk(t, ana, "do", "priority", "priority", "high", "dry", "1")
		e.work(t)
		page := ana.get(preview)
		page.textIs(t, "#bulk-edit h1", "Set the priority to high Preview")
		page.textHas(t, ".tabs [aria-current]", "Would change 120")
		page.textHas(t, "#bulk-edit tbody tr:first-child", "set the priority to high")
		page.has(t, 50, "#bulk-edit tbody tr").has(t, 0, "#bulk-edit[data-live]")
		e.counts(t, 0, "SELECT COUNT(*) FROM ticket WHERE priority > 0")
		e.counts(t, 0, "SELECT COUNT(*) FROM activity WHERE kind = 'set'")

		done := ana.post(preview+"/repeat").is(t, http.StatusSeeOther).header.Get("Location")
		e.work(t)
		e.counts(t, 120, "SELECT COUNT(*) FROM ticket WHERE priority = 3")
		page = ana.get(done).has(t, 0, "#bulk-edit h1 .chip")
		page.textHas(t, ".tabs [aria-current]", "Changed 120")
		next := page.page().Find(".pager a[rel=next]").AttrOr("href", "")
		ana.get(next).textHas(t, "#bulk-edit tbody tr:first-child", "NINJA-51")
		ana.get("/acme/NINJA-1").has(t, 1, "a[href='"+done+"']:contains('bulk edit')")
		ana.get("/acme/bulk-edits").has(t, 2, "#bulk-edits tbody tr").
			textHas(t, "#bulk-edits", "120 would change")
		ana.post("/acme/undo", "next", "/acme/boards/NINJA").is(t, http.StatusNotFound).
			textHas(t, "main", "Your last changes are those of a bulk edit.")
		e.counts(t, 120, "SELECT COUNT(*) FROM ticket WHERE priority = 3")

		ana.post("/acme/NINJA-5/priority", "priority", "low", "seen", "high").is(t, http.StatusSeeOther)
		undo := ana.post(done+"/undo").is(t, http.StatusSeeOther).header.Get("Location")
		e.work(t)
		page = ana.get(undo)
		page.textHas(t, ".tabs", "Taken back 119")
		page.textHas(t, ".tabs", "Left alone 1")
		ana.get(undo+"?show=refused").textHas(t, "#bulk-edit tbody tr", "NINJA-5")
		page.textHas(t, "#bulk-edit .hint", "bulk edit 2")
		ana.get(done).textHas(t, "#bulk-edit", "It was taken back by bulk edit 3")
		e.counts(t, 119, "SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'NINJA' AND t.priority = 0")
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE priority = 1")
	})

	t.Run("it pauses after its first tickets, goes on, and is stopped", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		bulkBoard(t, e, 101)
		ana := e.ana()
		path := openBulk(t, ana, "do", "labels", "add", "later", "canary", "10")
		e.workUntil(t, "SELECT COUNT(*) FROM migration_run WHERE state = 'paused'", 1)
		page := ana.get(path).has(t, 1, "#bulk-edit[data-live]")
		page.textHas(t, "#bulk-edit", "10 of 101")
		page.textHas(t, "#bulk-edit", "The first tickets are changed.")
		page.has(t, 1, "button[name=to][value=running]").has(t, 1, "button[name=to][value=stopped]")
		ana.post(path+"/speed", "rate", "10").goesTo(t, path)
		ana.get(path).has(t, 1, "#bulk-rate option[value='10'][selected]")
		ana.post(path+"/speed", "rate", "-1").is(t, http.StatusUnprocessableEntity).textHas(t, "[role=alert]", "Choose a speed")
		ana.post(path+"/speed", "rate", "NaN").is(t, http.StatusUnprocessableEntity)
		ana.post(path+"/speed", "rate", "x").is(t, http.StatusUnprocessableEntity)
		ana.post(path+"/state", "to", "x").is(t, http.StatusUnprocessableEntity)
		ana.post(path+"/undo").is(t, http.StatusConflict).textHas(t, "[role=alert]", "still under way")
		ana.post(path+"/state", "to", "stopped").goesTo(t, path)
		ana.post(path+"/state", "to", "running").is(t, http.StatusConflict)
		ana.get(path).textHas(t, "#bulk-edit", "stays, and can be taken back")
		undo := ana.post(path+"/undo").is(t, http.StatusSeeOther).header.Get("Location")
		e.work(t)
		ana.get(undo).textHas(t, ".tabs", "Taken back 10")
		e.counts(t, 0, "SELECT COUNT(*) FROM ticket_label")
	})

	t.Run("what is wrong is said, and what was typed stays", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		bulkBoard(t, e, 101)
		ana := e.ana()
		const path = "/acme/boards/NINJA/batch"
		for _, one := range []struct {
			fields []string
			says   string
		}{
			{[]string{"do", "assign", "add", "@nobody"}, "“nobody” is not a member"},
			{[]string{"do", "dates", "due", "31 feb"}, "31 feb"},
			{[]string{"do", "priority", "priority", "extreme"}, "extreme"},
			{[]string{"do", "move", "column", "99"}, "column"},
			{[]string{"do", "labels", "add", strings.Repeat("x", 100)}, "label"},
			{[]string{"do", "labels", "add", "ok", "drop", "none such"}, "label"},
			{[]string{"do", "close", "canary", "0"}, "begin"},
			{[]string{"do", "close", "canary", "many"}, "begin"},
			{[]string{"do", "nothing"}, "Choose what to change"},
			{[]string{"do", "labels", "add", " , "}, "Choose what to change"},
			{[]string{"do", "assign", "add", ""}, "Choose what to change"},
		} {
			answer := ana.post(path, append(one.fields, "all", "1", "q", "Ticket")...).is(t, http.StatusUnprocessableEntity)
			answer.has(t, 1, "#batch input[name=q][value=Ticket]").textHas(t, "#batch", one.says)
		}
		ana.post(path, "all", "1", "do", "close", "q", "asignee:me").goesTo(t, "/acme/boards/NINJA/list?q=asignee%3Ame")
		ana.get(path+"?all=1&do=close&q=nothing-has-this").is(t, http.StatusConflict).textHas(t, "#batch", "No ticket matches")
		e.counts(t, 0, "SELECT COUNT(*) FROM bulk_edit")
		for range 2 {
			openBulk(t, ana, "do", "close")
		}
		ana.post(path, "all", "1", "do", "close").is(t, http.StatusConflict).textHas(t, "#batch", "2 bulk edits are under way")
		e.counts(t, 2, "SELECT COUNT(*) FROM bulk_edit")
		for _, bad := range []string{"/acme/bulk-edits/99", "/acme/bulk-edits/x", "/acme/bulk-edits/runs/99", "/acme/bulk-edits/1?after=x", "/acme/bulk-edits?before=x"} {
			ana.get(bad).is(t, http.StatusNotFound)
		}
		ana.get("/acme/bulk-edits/1?show=nonsense").is(t, http.StatusOK)
	})

	t.Run("a form that is sent twice opens one", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		bulkBoard(t, e, 101)
		ana := e.ana()
		nonce := ana.get("/acme/boards/NINJA/batch?all=1&do=close").page().Find("#batch [name=nonce]").AttrOr("value", "")
		first := openBulk(t, ana, "do", "close", "nonce", nonce)
		if again := openBulk(t, ana, "do", "close", "nonce", nonce); again != first {
			t.Errorf("%s, then %s", first, again)
		}
	})

	t.Run("it is its maker's, and of those who manage the board", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		bulkBoard(t, e, 101)
		mia, vera, gil := newcomer(e, "mia", "member"), newcomer(e, "vera", "viewer"), newcomer(e, "gil", "guest")
		path := openBulk(t, mia, "do", "priority", "priority", "low")
		max := newcomer(e, "max", "member")
		for _, one := range []*browser{max, vera, gil} {
			one.get(path).is(t, http.StatusNotFound)
			for _, act := range []string{"/state", "/speed", "/undo", "/repeat"} {
				if answer := one.post(path + act); answer.code < 400 {
					t.Errorf("%s: %d", act, answer.code)
				}
			}
			one.get("/acme/bulk-edits").is(t, http.StatusOK).has(t, 0, "#bulk-edits")
		}
		vera.post("/acme/boards/NINJA/batch", "all", "1", "do", "close").is(t, http.StatusForbidden)
		vera.get("/acme/boards/NINJA/list").has(t, 0, "#list-picks").has(t, 0, ".pick")
		max.get("/acme/boards/NINJA/bulk-edits").is(t, http.StatusForbidden)
		max.get("/acme/bulk-edits?of=company").is(t, http.StatusForbidden)
		ana := e.ana()
		ana.get("/acme/bulk-edits").has(t, 0, "#bulk-edits").has(t, 1, "[aria-label=Whose] a[href='/acme/bulk-edits?of=company']")
		ana.get("/acme/bulk-edits?of=company").has(t, 1, "#bulk-edits tbody tr").textHas(t, "#bulk-edits", "by mia")
		e.exec("UPDATE board SET privacy = 1 WHERE slug = 'NINJA'") // ana is not named
		ana.get("/acme/bulk-edits?of=company").has(t, 0, "#bulk-edits")
		e.exec("UPDATE board SET privacy = 0 WHERE slug = 'NINJA'")
		ana.get("/acme/boards/NINJA/bulk-edits").textHas(t, "#bulk-edits", "by mia")
		ana.get(path).is(t, http.StatusOK)
		e.work(t)
		undo := ana.post(path+"/undo").is(t, http.StatusSeeOther).header.Get("Location")
		e.work(t)
		ana.get(undo).textHas(t, ".tabs", "Taken back 101")
	})

	t.Run("to another board, and below a parent, up to a hundred and by a run", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		bulkBoard(t, e, 101)
		other := e.newTickets("OTHER", e.newBoard("OTHER").Columns[0].ID, "Paint")[0]
		ana := e.ana()
		const path = "/acme/boards/NINJA/batch"
		ana.get(path+"?do=board&keys=NINJA-1").has(t, 1, "#batch-board option[value=OTHER]").has(t, 0, "#batch-board option[value=NINJA]").
			textIs(t, "#batch h1", "Move 1 ticket to another board")
		ana.post(path, "do", "board", "keys", "NINJA-1 NINJA-2", "board", "OTHER").goesTo(t, "/acme/boards/NINJA")
		ana.get("/acme/boards/NINJA").textHas(t, ".toast", "2 tickets are on the board OTHER.")
		ana.get("/acme/NINJA-1").is(t, http.StatusMovedPermanently)
		ana.post("/acme/undo", "next", "/acme/boards/NINJA").is(t, http.StatusSeeOther)
		for _, bad := range [][]string{{"do", "board"}, {"do", "board", "board", "NOWHERE"}, {"do", "parent", "parent", "NINJA-999"}, {"do", "parent", "parent", "x"}} {
			for _, of := range [][]string{{"keys", "NINJA-1"}, {"all", "1"}} {
				answer := ana.post(path, append(bad, of...)...).is(t, http.StatusUnprocessableEntity).has(t, 1, "#batch [aria-invalid]")
				if len(bad) > 2 && bad[1] == "parent" {
					answer.has(t, 1, "#batch-parent[value='"+bad[3]+"']").textHas(t, "#batch", "Type one such as NINJA-42.")
				}
			}
		}
		ana.post(path, "do", "parent", "keys", "NINJA-4 NINJA-5", "parent", " "+strings.ToLower(other)+" ").is(t, http.StatusSeeOther)
		e.counts(t, 2, "SELECT COUNT(*) FROM ticket_relation WHERE sole")
		ana.post(path, "do", "parent", "keys", "NINJA-4 NINJA-6", "parent", "").is(t, http.StatusSeeOther)
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket_relation WHERE sole")
		ana.post(path, "do", "parent", "keys", "NINJA-5", "parent", "NINJA-8").is(t, http.StatusConflict).textHas(t, "#batch", "parent")

		children := openBulk(t, ana, "do", "parent", "parent", other)
		e.work(t)
		ana.get(children).textHas(t, "#bulk-edit tbody", "a child of "+other)
		ana.post(children+"/undo").is(t, http.StatusSeeOther)
		e.work(t)
		preview := openBulk(t, ana, "do", "board", "board", "OTHER", "dry", "1")
		e.work(t)
		page := ana.get(preview).is(t, http.StatusOK)
		page.textHas(t, "#bulk-edit tbody tr:first-child", "moved it from The NINJA board to The OTHER board")
		page.has(t, 0, "#bulk-edit tbody td[data-label=Change] .key") // which number each would get is not known
		mia := newcomer(e, "mia", "member")
		theirs := openBulk(t, mia, "do", "board", "board", "OTHER", "dry", "1")
		mia.get(theirs).textIs(t, "#bulk-edit h1", "Move to the board “The OTHER board” Preview")
		ana.get(theirs).textIs(t, "#bulk-edit h1", "Move to another board Preview") // whose name she might not be shown
		e.work(t)
		run := openBulk(t, ana, "do", "board", "board", "OTHER")
		ana.get(run).textIs(t, "#bulk-edit h1", "Move to the board “The OTHER board”")
		e.work(t)
		e.counts(t, 0, "SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'NINJA'")
		ana.get(run).textHas(t, "#bulk-edit tbody", "OTHER")
		undo := ana.post(run+"/undo").is(t, http.StatusSeeOther).header.Get("Location")
		e.work(t)
		ana.get(undo).textHas(t, ".tabs", "Taken back 101")
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'OTHER'")
		e.counts(t, 101, "SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'NINJA'")
	})

	t.Run("all boards at once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		bulkBoard(t, e, 101)
		other := e.newTickets("OTHER", e.newBoard("OTHER").Columns[0].ID, "Paint")[0]
		mia, vera := newcomer(e, "mia", "member"), newcomer(e, "vera", "viewer")
		const path = "/acme/tickets/batch"
		list := mia.get("/acme/tickets/list").has(t, 50, "input[type=checkbox][name=keys][form=list-picks]").has(t, 1, "#list-picks[action='"+path+"']")
		list.has(t, 1, "#list-picks option[value=move]").has(t, 1, "#list-picks option[value=start]")
		two := mia.get(path + "?do=start&keys=NINJA-3&keys=" + other)
		two.textIs(t, "#batch h1", "Start date of 2 tickets")
		two.textHas(t, ".crumbs", "All tickets")
		mia.post(path, "do", "start", "keys", "NINJA-3 "+other, "start", "soonish").is(t, http.StatusUnprocessableEntity).
			has(t, 1, "#batch-start[value=soonish]")
		mia.post(path, "do", "start", "keys", "NINJA-3 "+other, "start", "2030-01-02", "next", "/acme/tickets/list").goesTo(t, "/acme/tickets/list")
		e.counts(t, 2, "SELECT COUNT(*) FROM ticket WHERE start_at IS NOT NULL")
		mia.get(path+"?do=labels&all=1").textHas(t, "#batch", "All tickets of all boards , closed ones too.")
		mia.get(path+"?do=move&keys=NINJA-3").has(t, 1, "#batch [name=column] option[value=Doing]")
		mia.post(path, "do", "move", "keys", "NINJA-3 "+other, "column", "Doing", "place", "bottom").goesTo(t, "/acme/tickets")
		mia.get("/acme/tickets").textHas(t, ".toast", "2 tickets are at the bottom of Doing.")
		e.counts(t, 2, "SELECT COUNT(*) FROM ticket t JOIN board_column c ON c.id = t.column_id JOIN board b ON b.id = t.board_id AND b.slug <> 'DEMO' WHERE c.name = 'Doing'")
		mia.post(path, "do", "move", "all", "1", "column", "Nowhere").is(t, http.StatusUnprocessableEntity).textHas(t, "#batch", "No board has a column “Nowhere”")
		mia.post(path, "do", "close", "all", "1", "q", "asignee:me").goesTo(t, "/acme/tickets/list?q=asignee%3Ame")
		for _, answer := range []*answer{vera.get(path), vera.post(path, "do", "close", "all", "1")} {
			answer.is(t, http.StatusForbidden)
		}
		vera.get("/acme/tickets/list").has(t, 0, "#list-picks").has(t, 0, ".pick")

		preview := mia.post(path, "do", "close", "all", "1", "dry", "1").is(t, http.StatusSeeOther).header.Get("Location")
		e.work(t)
		mia.get(preview).textHas(t, ".tabs", "Would change 109")
		done := mia.post(preview+"/repeat").is(t, http.StatusSeeOther).header.Get("Location")
		e.work(t)
		page := mia.get(done).has(t, 1, "#bulk-edit .hint a[href='/acme/tickets']")
		page.textHas(t, "#bulk-edit .hint", "109 tickets of all boards")
		mia.get("/acme/bulk-edits").textHas(t, "#bulk-edits", "109 tickets of all boards")
		e.counts(t, 102, "SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug IN ('NINJA', 'OTHER') AND t.closed_at IS NOT NULL")
		mia.get("/acme/"+other).has(t, 1, "a[href='"+done+"']:contains('bulk edit')")
		newcomer(e, "max", "member").get("/acme/"+other).has(t, 0, "a[href='"+done+"']")
		e.ana().get("/acme/"+other).has(t, 1, "a[href='"+done+"']")
		e.ana().get("/acme/bulk-edits?of=company").has(t, 1, "#bulk-edits a[href='"+done+"']")
		undo := e.ana().post(done+"/undo").is(t, http.StatusSeeOther).header.Get("Location")
		e.work(t)
		e.ana().get(undo).textHas(t, ".tabs", "Taken back 109")
	})

	t.Run("it says for which reasons it refused how many of the tickets in sight", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		bulkBoard(t, e, 101)
		other := e.newTickets("OTHER", e.newBoard("OTHER").Columns[0].ID, "Paint")[0]
		ana, mia := e.ana(), newcomer(e, "mia", "member")
		done := mia.post("/acme/tickets/batch", "do", "priority", "priority", "high", "all", "1").is(t, http.StatusSeeOther).header.Get("Location")
		e.work(t)
		for _, key := range []string{"NINJA-1", "NINJA-2", other} {
			ana.post("/acme/"+key+"/priority", "priority", "low", "seen", "high").is(t, http.StatusSeeOther)
		}
		undo := mia.post(done+"/undo").is(t, http.StatusSeeOther).header.Get("Location")
		e.work(t)
		mia.get(undo).has(t, 0, ".bulk-reasons")
		mia.get(undo+"?show=refused").has(t, 1, ".bulk-reasons li").textHas(t, ".bulk-reasons li", "3 tickets It was changed in the meantime")
		e.exec("UPDATE board SET privacy = 1 WHERE slug = 'OTHER'")
		mia.get(undo+"?show=refused").textHas(t, ".bulk-reasons li", "2 tickets")
	})

	t.Run("its maker is notified if an operator stops it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		bulkBoard(t, e, 101)
		mia := newcomer(e, "mia", "member")
		path := openBulk(t, mia, "do", "priority", "priority", "low", "canary", "10")
		e.workUntil(t, "SELECT COUNT(*) FROM migration_run WHERE state = 'paused'", 1)
		e.ana().post(views.RunCancellationPath(1)).is(t, http.StatusSeeOther)
		inbox := mia.get("/acme/inbox")
		inbox.textHas(t, "#inbox", "Your bulk edit")
		to := inbox.page().Find("#inbox .entry a:contains('See what')").AttrOr("href", "")
		mia.get(to).goesTo(t, path)
	})
}
