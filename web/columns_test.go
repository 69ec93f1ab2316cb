package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

func TestBoardSettings(t *testing.T) {
	t.Parallel()

	t.Run("columns are added, changed, put in order and removed by plain forms", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		const settings = "/acme/boards/DEMO/settings"
		version := func() string { return ana.get(settings).is(t, 200).value(t, ".new-column [name=version]") }
		ana.post("/acme/boards/DEMO/columns", "name", "Review", "version", version()).goesTo(t, settings)
		ana.post("/acme/boards/DEMO/columns/4", "name", "Check", "done", "", "wip", "hard", "wip_limit", "3", "position", "2",
			"version", version()).goesTo(t, settings)
		page := ana.get(settings)
		if got := page.value(t, ".column-forms > li:nth-child(2) [name=name]"); got != "Check" {
			t.Errorf("the second column is %q", got)
		}
		page.has(t, 1, "#column-4-wip option[value=hard][selected]")
		for _, bad := range [][]string{{"name", "", "wip", "none"}, {"name", "x", "wip", "soft", "wip_limit", "0"},
			{"name", "x", "wip", "soft", "wip_limit", "many"}, {"name", long(81), "wip", "none"}} {
			a := ana.post("/acme/boards/DEMO/columns/4", append(bad, "version", version())...).is(t, 422)
			a.has(t, 1, ".column-forms .error")
			if got := a.value(t, "#column-4-name"); got != bad[1] {
				t.Errorf("what was typed is gone: %q", got)
			}
		}
		// another number than that of the column was typed
		a := ana.post("/acme/boards/DEMO/columns/4", "name", "Check", "wip", "none", "wip_limit", "5", "version", version()).
			is(t, 422)
		a.textHas(t, ".column-forms .error", "Choose “Warn above” or “Block above”")
		if got := a.value(t, "#column-4-wip_limit"); got != "5" {
			t.Errorf("the limit is %q", got)
		}
		ana.post("/acme/boards/DEMO/columns/4", "name", "Check", "wip", "none", "wip_limit", "3", "version", version()).
			goesTo(t, settings)
		ana.get(settings).has(t, 1, "#column-4-wip option[value=none][selected]")
		ana.post("/acme/boards/DEMO/columns/4", "name", "Check", "wip", "hard", "wip_limit", "3", "version", version()).
			goesTo(t, settings)
		ana.post("/acme/boards/DEMO/columns/1/removal", "version", version()).is(t, 422).has(t, 1, "#removal-to-error")
		ana.get("/acme/boards/DEMO/columns/1/removal").is(t, 200).has(t, 3, "#removal-to option")
		// seven do not go into three
		ana.post("/acme/boards/DEMO/columns/1/removal", "to", "4", "version", version()).is(t, 409).
			has(t, 1, "#removal-to-error")
		ana.post("/acme/boards/DEMO/columns/1/removal", "to", "2", "version", version()).goesTo(t, settings)
		ana.post("/acme/boards/DEMO/columns/4/removal", "version", version()).goesTo(t, settings)
		ana.get("/acme/boards/DEMO").has(t, 2, ".column")
		ana.get("/acme/boards/DEMO/columns/1/removal").is(t, 404)
	})

	t.Run("the board and its settings say how far a column of many tickets is", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		of := apptest.Env{App: e.workflows, DB: e.db, Actor: e.actor}
		of.Fill(t, boards.Board{ID: 1}, 2, 1000)
		const settings = "/acme/boards/DEMO/settings"
		version := func() string { return ana.get(settings).is(t, 200).value(t, ".new-column [name=version]") }
		ana.get(settings).has(t, 0, "#column-changes[data-live]")
		ana.post("/acme/boards/DEMO/columns/2", "name", "Doing", "done", "1", "wip", "none", "version",
			version()).goesTo(t, settings)
		ana.get(settings).has(t, 1, "#column-changes[data-live]").
			textHas(t, "#column-changes", "Doing: its tickets are being closed: 0 of 1,0")
		ana.get(settings).has(t, 1, "#column-changes a[href='/admin/migrations/runs/1']")
		ana.get("/acme/boards/DEMO").textHas(t, "#column-2 .changing", "Its tickets are being closed: 0 of 1,0")
		a := ana.post("/acme/boards/DEMO/columns/2", "name", "Doing", "wip", "none", "version", version()).is(t, 409)
		a.textHas(t, ".column-forms .summary", "The tickets of “Doing” are being closed: 0 of 1")
		var column struct{ Change string }
		e.program().patch("/boards/DEMO/columns/2", object{"name": "Busy"}).is(t, 200).read(t, &column)
		if column.Change != "closing" {
			t.Errorf("the API says %q", column.Change)
		}
		of.Ctx = t.Context()
		e.program().call("POST", "/runs/1/cancel", nil).is(t, 200)
		of.WorkAll(t, workflows.ChangeColumnName)
		ana.get(settings).textHas(t, "#column-changes", "It has stopped. Save the column again to go on.")
		ana.post("/acme/boards/DEMO/columns/2", "name", "Doing", "done", "1", "wip", "none", "version",
			version()).goesTo(t, settings)
		of.WorkAll(t, workflows.ChangeColumnName)
		ana.htmx("column-changes").get(settings).has(t, 0, "[data-live]").textHas(t, "#column-changes", "That is done.")
		e.program().call("DELETE", "/boards/DEMO/columns/2?to=3", nil).is(t, 202).read(t, &column)
		if column.Change != "removing" {
			t.Errorf("the API says %q", column.Change)
		}
		ana.get("/acme/boards/DEMO").has(t, 0, "#column-2 form:not(.fold)")
		ana.get("/acme/boards/DEMO/tickets/new").has(t, 0, "[name=column] option[value='2']")
		of.WorkAll(t, workflows.ChangeColumnName)
		ana.get("/acme/boards/DEMO").has(t, 2, ".column")
	})

	t.Run("an edit of columns on an old version is a conflict that keeps what was typed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post("/acme/boards/DEMO/columns/1", "name", "Ideas", "wip", "none", "version", "1").is(t, 303)
		a := ana.post("/acme/boards/DEMO/columns/2", "name", "Mine", "wip", "none", "version", "1").is(t, 409)
		if a.value(t, "#column-2-name") != "Mine" || a.value(t, "#column-1-name") != "Ideas" {
			t.Error("it shows neither theirs nor mine")
		}
		a.has(t, 1, ".column-forms .summary")
		ana.post("/acme/boards/DEMO/columns/2", "name", "Mine", "wip", "none", "version",
			a.value(t, "form[action$='/columns/2'] [name=version]")).is(t, 303)
	})

	t.Run("a slug is changed, and another board's old one is refused with its name", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post("/acme/boards/DEMO/settings", "title", "Steps", "slug", "step", "version", "1").
			goesTo(t, "/acme/boards/STEP")
		ana.get("/acme/DEMO-1").movedTo(t, "/acme/STEP-1")
		a := ana.post("/acme/boards", "slug", "DEMO", "title", "x").is(t, 409)
		a.textHas(t, "#board-slug-error", "STEP")
	})

	t.Run("an archived board stands apart and shows no controls, and comes back", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post("/acme/boards/DEMO/archive", "archived", "1", "version", "1").goesTo(t, "/acme")
		home := ana.get("/acme")
		home.has(t, 1, "#archived .boards a[href='/acme/boards/DEMO']")
		home.has(t, 1, ".boards li")
		board := ana.get("/acme/boards/DEMO").is(t, 200)
		board.has(t, 0, ".column form:not(.fold), .card .move, a[href*='/tickets/new']")
		board.has(t, 1, ".banner form[action$='/archive']")
		home.has(t, 1, ".top nav a[href='/acme'][aria-current='page']")
		board.has(t, 1, ".top nav a[href='/acme'][aria-current='true']")
		ana.get("/acme/DEMO-1").is(t, 200).has(t, 0, "a[href$='/edit'], a[href$='/position']")
		ana.post("/acme/DEMO-1", "title", "x", "description", "", "version", "1").is(t, 409)
		ana.post("/acme/boards/DEMO/tickets", "title", "x").is(t, 409)
		ana.post("/acme/DEMO-1/position", "column", "2").is(t, 409)
		column := ana.htmx("column-2")
		column.post("/acme/DEMO-1/position", "column", "2", "seen_column", "1").fragment(t, 409).has(t, 1, "#column-2 .alert")
		column.post("/acme/boards/DEMO/tickets", "title", "x", "column", "2", "inline", "1").fragment(t, 409).
			has(t, 1, "#column-2 .alert")
		ana.get("/acme/boards/DEMO/settings").is(t, 200).has(t, 0, ".column-forms")
		ana.post("/acme/boards/DEMO/archive", "version", "2").goesTo(t, "/acme/boards/DEMO")
		ana.get("/acme/boards/DEMO").has(t, 1, "a[href*='/tickets/new']")
	})
}

func TestColumnLimits(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana, p := e.ana(), e.program()
	var column struct {
		WIP   string `json:"wip"`
		Limit *int   `json:"wip_limit"`
	}
	p.patch("/boards/DEMO/columns/2", object{"wip": "hard"}).problem(t, 422, "wip_limit")
	p.patch("/boards/DEMO/columns/2", object{"wip": "some", "wip_limit": 1}).problem(t, 422, "wip")
	for _, n := range []int{0, -1, 10000} {
		p.patch("/boards/DEMO/columns/2", object{"wip_limit": n}).problem(t, 422, "wip_limit")
	}
	p.patch("/boards/DEMO/columns/99", object{"name": "x"}).problem(t, 404, "")
	p.patch("/boards/DEMO/columns/2", object{"wip_limit": 1}).is(t, 200).read(t, &column)
	if column.WIP != "soft" || *column.Limit != 1 {
		t.Errorf("%+v", column)
	}
	over := func(n int) bool {
		var moved struct {
			Over bool `json:"over_limit"`
		}
		p.post(fmt.Sprintf("/tickets/DEMO-%d/position", n), object{"column": 2, "after": nil}).is(t, 200).read(t, &moved)
		return moved.Over
	}
	if over(1) || !over(2) {
		t.Error("a soft limit does not warn above it alone")
	}
	a := ana.htmx("column-2").post("/acme/DEMO-3/position", "column", "2", "seen_column", "1", "seen_after", "").
		fragment(t, 200)
	a.has(t, 1, "#column-2.over")
	a.textHas(t, "#column-2 .alert", "3 of 1")
	p.patch("/boards/DEMO/columns/2", object{"wip": "hard"}).is(t, 200)
	p.post("/tickets/DEMO-4/position", object{"column": 2, "after": nil}).problem(t, 409, "column")
	p.post("/boards/DEMO/tickets", object{"title": "x", "column": 2}).problem(t, 409, "column")
	a = ana.htmx("column-2").post("/acme/DEMO-4/position", "column", "2", "seen_column", "1", "seen_after", "").
		fragment(t, 409)
	a.textHas(t, "#column-2 .alert", "is full: its limit is 1")
	ana.post("/acme/DEMO-4/position", "column", "2").is(t, 409).has(t, 1, "#move-column-error")
	p.post("/tickets/DEMO-2/position", object{"column": 2, "after": "DEMO-1"}).is(t, 200)
}

func TestOtherBoard(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana, p := e.ana(), e.program()
	var ops board
	p.post("/boards", object{"slug": "OPS", "title": "Operations"}).is(t, 201).read(t, &ops)
	to := fmt.Sprint(ops.Columns[1].ID)

	form := ana.get("/acme/DEMO-1/position?board=OPS").is(t, 200)
	form.has(t, 1, "#move-board option[value=OPS][selected]")
	form.has(t, 1, "#move-column option[value='"+to+"']")
	ana.post("/acme/DEMO-1/position", "board", "OPS", "column", "1").is(t, 422).has(t, 1, "#move-column-error")
	ana.post("/acme/DEMO-1/position", "board", "OPS", "column", to).goesTo(t, "/acme/boards/OPS")
	ana.get("/acme/boards/OPS").textHas(t, "#flash .toast span", "DEMO-1 is now OPS-1")
	ana.get("/acme/DEMO-1").movedTo(t, "/acme/OPS-1")
	p.get("/tickets/DEMO-1").movedTo(t, "/api/v1/tickets/OPS-1")

	p.post("/tickets/DEMO-2/position", object{"board": "NOPE", "column": 1, "after": nil}).problem(t, 422, "board")
	var moved ticket
	p.post("/tickets/DEMO-1/position", object{"board": "DEMO", "column": 1, "after": "DEMO-2"}).is(t, 200).read(t, &moved)
	if moved.Key != "DEMO-1" {
		t.Errorf("back home it is %s", moved.Key)
	}
	ana.get("/acme/OPS-1").movedTo(t, "/acme/DEMO-1")
	ana.get("/acme/DEMO-1").is(t, 200)
}

func TestFormsOnArchivedBoards(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	e.program().call(http.MethodPut, "/boards/DEMO/archive", nil).is(t, 200)
	for _, path := range []string{"/acme/DEMO-1/edit", "/acme/DEMO-1/position", "/acme/DEMO-1/assignees",
		"/acme/DEMO-1/deletion", "/acme/boards/DEMO/tickets/new", "/acme/boards/DEMO/columns/1/removal"} {
		ana.get(path).is(t, 409).textHas(t, "#main .lead", "archived")
	}
}

func TestStaleCards(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	columns := e.newBoard("NINJA").Columns
	keys := e.newTickets("NINJA", columns[0].ID, "One", "Two", "Three", "Four")
	e.program().call(http.MethodPost, "/tickets/"+keys[1]+"/position", object{"column": columns[1].ID}).is(t, 200)
	e.program().call(http.MethodPut, "/tickets/"+keys[2]+"/closure", nil).is(t, 200)
	age := func(days int) {
		t.Helper()
		domaintest.Exec(t, e.db, "UPDATE ticket SET created_at = NOW() - INTERVAL ? DAY, entered_at = IF(entered_at IS NULL, NULL, NOW() - INTERVAL ? DAY) WHERE title IN ('One', 'Two', 'Three')", days+1, days)
	}
	ages := func(want ...string) {
		t.Helper()
		board := ana.get("/acme/boards/NINJA").is(t, 200)
		for i, key := range keys {
			if got := strings.Join(strings.Fields(board.page().Find(".card[data-key="+key+"] .age").Text()), " "); got != want[i] {
				t.Errorf("%s says %q, not %q", key, got, want[i])
			}
		}
		board.has(t, strings.Count(strings.Join(want, " "), "Stale"), ".age.stale")
	}
	ages("", "", "", "")
	age(4)
	ages("", "4 days in Doing", "", "")
	settings, path := "/acme/boards/NINJA/settings", fmt.Sprintf("/acme/boards/NINJA/columns/%d", columns[1].ID)
	save := func(days string) *answer {
		return ana.post(path, "name", "Doing", "wip", "none", "stale_days", days, "version", ana.get(settings).value(t, ".new-column [name=version]"))
	}
	field := fmt.Sprintf("#column-%d-stale_days", columns[1].ID)
	for _, bad := range []string{"-1", "366", "many", "99999999999999999999"} {
		page := save(bad).is(t, http.StatusUnprocessableEntity)
		page.textHas(t, field+"-error", "Enter days from 1 to 365")
		if got := page.value(t, field); got != bad {
			t.Errorf("what was typed is gone: %q", got)
		}
	}
	save("4").goesTo(t, settings)
	ages("", "Stale: 4 days in Doing", "", "")
	save("5").goesTo(t, settings)
	ages("", "4 days in Doing", "", "")
	if got := ana.get(settings).value(t, field); got != "5" {
		t.Errorf("the form has %q", got)
	}
	var column struct {
		StaleDays int `json:"stale_days"`
	}
	e.program().call(http.MethodPatch, fmt.Sprintf("/boards/NINJA/columns/%d", columns[0].ID), object{"stale_days": 2}).is(t, 200).read(t, &column)
	if column.StaleDays != 2 {
		t.Errorf("the API says %d", column.StaleDays)
	}
	ages("Stale: 5 days in To do", "4 days in Doing", "", "")
	e.program().call(http.MethodPatch, fmt.Sprintf("/boards/NINJA/columns/%d", columns[0].ID), object{"stale_days": 400}).problem(t, 422, "stale_days")
	age(1)
	ages("Stale: 2 days in To do", "1 day in Doing", "", "")
	save("").goesTo(t, settings)
	ages("Stale: 2 days in To do", "1 day in Doing", "", "")
}

// TestColumnPosition sends what a drag of a column sends, and what is bad.
func TestColumnPosition(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	names := func() string {
		return strings.Join(ana.get("/acme/boards/DEMO").page().Find(".column h2").Map(func(_ int, h *goquery.Selection) string { return h.Text() }), ", ")
	}
	for _, one := range []struct{ position, want string }{
		{"1", "Done, To do, Doing"}, {"2", "To do, Done, Doing"}, {"99", "To do, Doing, Done"}, {"3", "To do, Doing, Done"},
	} {
		ana.post("/acme/boards/DEMO/columns/3/position", "position", one.position).goesTo(t, "/acme/boards/DEMO/settings")
		if got := names(); got != one.want {
			t.Errorf("at %s: %s", one.position, got)
		}
	}
	script := ana.htmx("board") // which fetches the board then
	script.post("/acme/boards/DEMO/columns/3/position", "position", "3").is(t, http.StatusNoContent)
	script.post("/acme/boards/DEMO/columns/99/position", "position", "1").is(t, http.StatusBadRequest).has(t, 1, "#main .lead")
	e.unchanged(t, func() {
		for _, bad := range []string{"", "0", "-1", "x", "1.5", "99999999999999999999", `<script data-evil>`, "'; DROP TABLE board_column; --"} {
			ana.post("/acme/boards/DEMO/columns/3/position", "position", bad).is(t, http.StatusUnprocessableEntity).has(t, 0, "[data-evil]")
		}
		ana.post("/acme/boards/DEMO/columns/99/position", "position", "1").is(t, http.StatusUnprocessableEntity)
	})
}

func TestFoldedColumns(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("ben", "acme", accounts.Viewer)
	ana, ben := e.ana(), e.signedIn("ben")
	const board, fold = "/acme/boards/DEMO", "/acme/boards/DEMO/columns/2/fold"
	ana.get(board).has(t, 3, ".column .fold button[aria-expanded=true]").has(t, 0, ".column[data-folded]")
	ana.post(fold, "q", "sorbitol").goesTo(t, board+"?q=sorbitol")
	ana.post(fold).goesTo(t, board) // again changes nothing
	ana.get(board).has(t, 1, "#column-2[data-folded] .fold button[aria-expanded=false]").has(t, 1, "#column-2 .fold input[name=folded][value='0']")
	ben.get(board).has(t, 0, ".column[data-folded]")
	ben.post(fold).goesTo(t, board) // a viewer has an own view, too
	ana.post(fold, "folded", "0").goesTo(t, board)
	ana.get(board).has(t, 0, ".column[data-folded]")
	ben.get(board).has(t, 1, ".column[data-folded]")
	ana.htmx("board").post(fold, "folded", "1").is(t, http.StatusNoContent)
	ana.post("/acme/boards/DEMO/columns/99/fold").is(t, http.StatusUnprocessableEntity)
	ana.post("/acme/boards/NONE/columns/2/fold").is(t, http.StatusNotFound)
	ana.post("/acme/boards/DEMO/columns/2/removal", "version", ana.get(board+"/settings").value(t, ".new-column [name=version]")).goesTo(t, board+"/settings")
	e.verified()
}
