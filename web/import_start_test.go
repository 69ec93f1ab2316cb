package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
)

const newImport = "/admin/migrations/import-tickets/new"

// options are the values of a list.
func (a *answer) options(t *testing.T, selector string) []string {
	t.Helper()
	a.has(t, 1, selector)
	value := func(_ int, s *goquery.Selection) string { return s.AttrOr("value", "") }
	return a.page().Find(selector + " option").Map(value)
}

// rival makes Ana a member of another company, which has no board, and makes a third without her.
func (e *env) rival() {
	e.t.Helper()
	e.account("sam", "rivals", accounts.Owner)
	e.exec("INSERT INTO company (slug, name, created_at) VALUES ('apart', 'Apart', NOW(6))")
	e.exec("INSERT INTO membership (company_id, account_id, role, handle, created_at) SELECT c.id, a.id, 'member', 'ana', "+
		"NOW(6) FROM company c JOIN account a ON a.email = ? WHERE c.slug = 'rivals'", email)
}

func TestImportStartsAtTheBoard(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("ben", "acme", accounts.Member)
	e.account("vera", "acme", accounts.Viewer)
	ana := e.ana()
	const settings = "/acme/boards/DEMO/settings"
	t.Run("operators have a link to the form with company, board and importer filled in", func(t *testing.T) {
		link := ana.get(settings).is(t, http.StatusOK).page().Find("#import").AttrOr("href", "")
		form := ana.get(link).is(t, http.StatusOK)
		for param, want := range map[string]string{"company": "acme", "board": "DEMO", "author": email} {
			if got := form.page().Find("select#run-p-"+param+" option[selected]").AttrOr("value", ""); got != want {
				t.Errorf("%s is %q, not %q", param, got, want)
			}
		}
	})
	t.Run("others read who can import", func(t *testing.T) {
		ben := e.signedIn("ben").get(settings).is(t, http.StatusOK).has(t, 0, "#import")
		ben.textHas(t, "main", "An operator of this server can import")
		e.signedIn("vera").get(settings).is(t, http.StatusOK).has(t, 0, "#import").has(t, 0, "#import-name")
	})
}

func TestChoicesOfARun(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("ben", "acme", accounts.Member)
	e.account("vera", "acme", accounts.Viewer)
	ana := e.ana()
	t.Run("the only company is chosen, with its boards and members who may write", func(t *testing.T) {
		a := ana.get(newImport).is(t, http.StatusOK)
		for selector, want := range map[string][]string{"#run-p-company": {"acme"}, "#run-p-board": {"", "DEMO"},
			"#run-p-author": {email, "ben@example.com"}} {
			if got := a.options(t, "select"+selector); !slices.Equal(got, want) {
				t.Errorf("%s has %q", selector, got)
			}
		}
	})
	e.rival()
	t.Run("the company narrows boards and members, in a fragment and without scripts", func(t *testing.T) {
		if got := ana.get(newImport).options(t, "select#run-p-company"); !slices.Equal(got, []string{"", "acme", "rivals"}) {
			t.Errorf("%q", got)
		}
		ana.get(newImport).textHas(t, "select#run-p-board", "Choose a company first")
		part := ana.htmx(views.RunChoicesID).get(newImport+"?p-company=rivals&p-board=DEMO&p-author="+email).
			is(t, http.StatusOK).has(t, 0, "h1")
		plain := ana.post("/admin/migrations/import-tickets/runs", "p-company", "rivals", "p-board", "DEMO", "p-author",
			email, admin.ImportAgain, "true").is(t, http.StatusOK).has(t, 1, "h1")
		for _, a := range []*answer{part, plain} {
			if got := a.options(t, "select#run-p-author"); !slices.Equal(got, []string{email, "sam@example.com"}) {
				t.Errorf("%q", got)
			}
			if slices.Contains(a.options(t, "select#run-p-board"), "DEMO") {
				t.Error("a board of another company can be chosen")
			}
		}
		e.counts(t, 0, "SELECT COUNT(*) FROM migration_run")
	})
	t.Run("nothing of companies without the operator is offered; they can be typed", func(t *testing.T) {
		a := ana.get(newImport+"?p-company=apart").is(t, http.StatusOK)
		if strings.Contains(a.text(t, "#run-choices"), "Apart") {
			t.Error(a.text(t, "#run-choices"))
		}
		a.has(t, 1, "input#run-p-board").has(t, 0, "#run-p-board-list option")
		link := a.page().Find("#run-choices .elsewhere a").AttrOr("href", "")
		ana.get(link).is(t, http.StatusOK).has(t, 1, "input#run-p-company[list]").has(t, 1, "input#run-p-board").
			has(t, 1, "datalist#run-p-company-list option[value=rivals]")
	})
	t.Run("more than so many boards are suggestions for what is typed", func(t *testing.T) {
		for i := range console.MostChoices + 1 {
			e.exec("INSERT INTO board (company_id, slug, title, created_at, updated_at) SELECT id, ?, 'x', NOW(6), NOW(6) FROM "+
				"company WHERE slug = 'rivals'", fmt.Sprintf("B%d", i))
		}
		ana.get(newImport+"?p-company=rivals").is(t, http.StatusOK).has(t, 1, "input#run-p-board[list=run-p-board-list]").
			has(t, console.MostChoices, "#run-p-board-list option").has(t, 1, "select#run-p-company")
	})
	t.Run("what cannot be chosen stays in a form that is refused, and no browser refuses field by field",
		func(t *testing.T) {
			ana.uploadImport("", "p-company", "acme", "p-board", "NOPE").is(t, http.StatusUnprocessableEntity).
				has(t, 1, "#run-p-board option[value=NOPE][selected]").has(t, 1, "main form[novalidate]")
		})
	t.Run("other migrations have them, too", func(t *testing.T) {
		a := ana.get("/admin/migrations/republish/new?p-company=acme").is(t, http.StatusOK).has(t, 1, "select#run-p-company")
		a.textHas(t, "#run-p-company option:first-child", "All companies")
		if got := a.options(t, "select#run-p-board"); !slices.Equal(got, []string{"", "DEMO"}) {
			t.Errorf("%q", got)
		}
	})
}

func TestImportButtonsNameWhatTheyDo(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.exec("UPDATE board SET title = '<b>Night</b> launches' WHERE slug = 'DEMO'")
	ana := e.ana()
	path := ana.uploadImport(importFile, importTo...).is(t, 303).header.Get("Location")
	page := ana.get(path).is(t, http.StatusOK)
	page.textIs(t, "main form button.primary .for-real", "Import 2 tickets into <b>Night</b> launches")
	page.textIs(t, "main form button.primary .dry", "Try 2 rows")
	page.has(t, 1, "select#run-p-board[hx-post]")

	fields, _ := url.ParseQuery(page.sends("p-key", "Issue key")[0])
	fields.Del("dry")
	started := ana.postForm(path, []string{fields.Encode()}).is(t, 303)
	run := domaintest.OK(parseRun(strings.Split(started.header.Get("Location"), "/")[4]))(t)
	started.goesTo(t, views.RunStartPath(run))
	e.exec("UPDATE migration_run SET state = 'ready', total = 2 WHERE id = ?", run)
	start := ana.get(views.RunStartPath(run)).is(t, http.StatusOK)
	start.textIs(t, "h1", "Import 2 tickets into <b>Night</b> launches?")
	start.textIs(t, "main form button.primary", "Import 2 tickets into <b>Night</b> launches")

	ana.get(views.RunPath(run)).is(t, http.StatusOK).has(t, 0, "#run-board")
	e.exec("UPDATE migration_run SET state = 'running', started_at = NOW(6) WHERE id = ?", run)
	const board = "[href='/acme/boards/DEMO']"
	ana.get(views.RunPath(run)).is(t, http.StatusOK).has(t, 1, "#run-board"+board).has(t, 0, "#run-done")
	e.exec("UPDATE migration_run SET state = 'complete', finished_at = NOW(6) WHERE id = ?", run)
	done := ana.get(views.RunPath(run)).is(t, http.StatusOK).has(t, 1, "#run-board.primary"+board)
	done.has(t, 1, "#run-done a"+board)
	done.textHas(t, "#run-done", "The import is done")
	e.exec("UPDATE migration_run SET dry = TRUE WHERE id = ?", run)
	ana.get(views.RunPath(run)).is(t, http.StatusOK).has(t, 0, "#run-done").has(t, 0, "#run-board")
	e.exec("UPDATE migration_run SET dry = FALSE WHERE id = ?", run)
	e.exec("DELETE FROM membership")
	if a := ana.get(views.RunPath(run)).is(t, http.StatusOK).has(t, 0, "#run-board"); strings.Contains(a.body, "Night") {
		t.Error("the title of a board of a company without the operator is shown")
	}
}
