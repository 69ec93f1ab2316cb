package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// runAbout opens a run with a failed and a completed task of the payload, and a rejected line. All that must not be
// shown to each operator has the words “hidden word”.
func (e *env) runAbout(name string, values migrations.Values, payload string) id.Run {
	e.t.Helper()
	draft := migrations.Draft{}
	if name == "import-tickets" {
		draft = migrations.Draft{Upload: strings.NewReader("title\nhidden word\n"), UploadName: "rows.csv"}
	}
	run := domaintest.OK(e.workflows.Console.OpenRun(console.AsCommandLine(e.t.Context()), name, values, draft, nil))(e.t).ID
	for i, state := range []string{"failed", "complete"} {
		task := e.exec(`INSERT INTO migration_task (run_id, line, state, attempt, payload, note, fingerprint, finished_at)
			VALUES (?, ?, ?, 1, ?, IF(? = 'complete', 'hidden word', ''), IF(? = 'failed', UNHEX(?), NULL), NOW(6))`,
			run, i+2, state, payload, state, state, fingerprint)
		if state != "failed" {
			continue
		}
		e.exec(`INSERT INTO migration_attempt (run_id, task_id, iteration, attempt, outcome, worker_id, worker, started_at, took_us, fingerprint, message, detail)
			VALUES (?, ?, 1, 1, 'failed', 1, 'app-1:4242', NOW(6), 1, UNHEX(?), 'It said no.', 'hidden word')`, run, task, fingerprint)
		e.exec(`INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at)
			VALUES (?, UNHEX(?), 'It said no.', ?, 1, 1, NOW(6), NOW(6))`, run, fingerprint, task)
	}
	e.exec("INSERT INTO migration_rejection (run_id, number, line, reason, content) VALUES (?, 1, 4, 'No title.', 'hidden word')", run)
	e.exec("UPDATE migration_run SET state = 'paused', active_key = NULL, total = 2, rejected = 1 WHERE id = ?", run)
	return run
}

// runReader is an operator who reads runs by pages and by the API.
type runReader struct {
	name    string
	browser *browser
	program *program
}

func (e *env) runReader(name, company string) runReader {
	return runReader{name, e.signedIn(name), &program{env: e, token: e.tokenOf(name, company, accounts.Operate)}}
}

// read is all that is shown of a run.
func (r runReader) read(t *testing.T, run id.Run) string {
	t.Helper()
	e, all := r.browser.env, strings.Builder{}
	tasks := []int64{
		e.count("SELECT id FROM migration_task WHERE run_id = ? AND state = 'failed'", run),
		e.count("SELECT id FROM migration_task WHERE run_id = ? AND state = 'complete'", run)}
	at := views.RunPath(run)
	for _, path := range []string{at, at + "/failures", at + "/failures/" + fingerprint, at + "/report.csv", at + "/rejections",
		at + "/rejections.csv", at + "/tasks/" + fmt.Sprint(tasks[0]), at + "/tasks/" + fmt.Sprint(tasks[1]),
		at + "?task=" + fmt.Sprint(tasks[0]), at + "/retries?fingerprint=" + fingerprint, at + "/start", at + "/events"} {
		a := r.browser.get(path)
		if a.code >= 400 {
			t.Errorf("%s at %s: %d", r.name, path, a.code)
		}
		all.WriteString(a.body)
	}
	api := fmt.Sprintf("/runs/%d", run)
	for _, path := range []string{"", "/tasks", "/tasks?state=failed", "/tasks/" + fmt.Sprint(tasks[0]),
		"/tasks/" + fmt.Sprint(tasks[1]), "/failures", "/failures.csv", "/report.csv", "/rejections", "/rejections.csv", "/events"} {
		all.WriteString(r.program.get(api+path).is(t, http.StatusOK).body)
	}
	return all.String()
}

// Operators see figures, states and errors of any run, and payloads, notes and what files held only of boards that they
// see as members.
func TestOperatorsSeePayloadsOfTheirBoards(t *testing.T) {
	t.Parallel()
	e := newEnvWithPrivateBoard(t)
	ana, opal, otto := e.runReader("ana", "acme"), e.runReader("opal", "acme"), e.runReader("otto", "rivals")
	board := func(slug string) int64 { return e.count("SELECT id FROM board WHERE slug = ?", slug) }
	ticket := func(slug string) uint64 { return e.ticketID(slug, 1) }
	in := func(board string) migrations.Values {
		return migrations.Values{"company": "acme", "board": board, "author": "ana@example.com", "title": "title"}
	}
	const row = `{"key":"OLD-1","title":"hidden word"}`
	for _, one := range []struct {
		what    string
		run     id.Run
		ana     bool
		opal    bool // a member of acme whom HIDE does not name
		otto    bool // in another company
		ofBoard string
	}{
		{"an import to the private board", e.runAbout("import-tickets", in("HIDE"), row), true, false, false, "HIDE"},
		{"an import to an open board", e.runAbout("import-tickets", in("DEMO"), row), true, true, false, "DEMO"},
		{"a task of all boards, by the board that it names", e.runAbout("republish", migrations.Values{"feed": "boards"},
			fmt.Sprintf(`{"feed":"hidden word","board":%d,"slug":"HIDE"}`, board("HIDE"))), true, false, false, "HIDE"},
		{"one of an open board", e.runAbout("republish", migrations.Values{"feed": "tickets"},
			fmt.Sprintf(`{"feed":"hidden word","board":%d,"slug":"DEMO"}`, board("DEMO"))), true, true, false, "DEMO"},
		{"a ticket, by its present board", e.runAbout("purge-deleted", migrations.Values{"days": "30"},
			fmt.Sprintf(`{"ticket":%d,"board":%d,"x":"hidden word"}`, ticket("HIDE"), board("DEMO"))), true, false, false, "HIDE"},
		{"one that names no board", e.runAbout("re-render-markdown", migrations.Values{}, `{"x":"hidden word"}`),
			false, false, false, ""},
		{"one that is no JSON", e.runAbout("re-render-markdown", migrations.Values{"company": "rivals"}, `hidden word`),
			false, false, true, ""},
		{"work of the instance", e.runAbout("count-up", migrations.Values{"to": "6", "mode": "up"}, `{"x":"hidden word"}`),
			true, true, true, ""},
	} {
		for by, sees := range map[runReader]bool{ana: one.ana, opal: one.opal, otto: one.otto} {
			all := by.read(t, one.run)
			if strings.Contains(all, "hidden word") != sees {
				t.Errorf("%s: %s sees it: %t", one.what, by.name, !sees)
			}
			if strings.Contains(all, migrations.HiddenTask) == sees {
				t.Errorf("%s: %s is told that it is hidden: %t", one.what, by.name, sees)
			}
			for _, figure := range []string{"It said no.", "No title.", fingerprint} {
				if !strings.Contains(all, figure) {
					t.Errorf("%s: %s does not see %s", one.what, by.name, figure)
				}
			}
		}
		task := id.Task(e.count("SELECT id FROM migration_task WHERE run_id = ? AND state = 'complete'", one.run))
		seen, _, err := e.workflows.Console.RunTask(console.AsCommandLine(t.Context()), one.run, task)
		if err != nil || seen.Hidden || seen.Note != "hidden word" {
			t.Errorf("%s: the command line sees %+v, %v", one.what, seen, err)
		}
	}
	ana.browser.get("/admin/audit").is(t, http.StatusOK).textHas(t, "main", "command line read run")
	hidden := e.runAbout("import-tickets", in("HIDE"), `{"title":"hidden word"}`)
	t.Run("a hidden task is marked in the API", func(t *testing.T) {
		list := opal.program.get(fmt.Sprintf("/runs/%d/tasks", hidden)).is(t, http.StatusOK)
		if !strings.Contains(list.body, `"hidden":true`) {
			t.Error(list.body)
		}
	})
	t.Run("nor can its file be read by a run of one's own", func(t *testing.T) {
		mapping := views.RunMappingPath(hidden)
		for _, by := range []runReader{opal, otto} {
			a := by.browser.get(mapping).is(t, http.StatusForbidden)
			if strings.Contains(a.body, "hidden word") {
				t.Error(a.body)
			}
		}
		ana.browser.get(mapping).is(t, http.StatusOK).textHas(t, "main", "hidden word")
		body := object{"from": hidden, "params": object{"board": "DEMO"}}
		opal.program.post("/migrations/import-tickets/runs", body).is(t, http.StatusForbidden)
	})
	t.Run("whoever opened a run for an open board sees its file", func(t *testing.T) {
		open := e.runAbout("import-tickets", in("DEMO"), row)
		otto.browser.get(views.RunMappingPath(open)).is(t, http.StatusForbidden)
		e.exec("UPDATE migration_run SET account_id = ? WHERE id IN (?, ?)", e.idOf("otto"), open, hidden)
		otto.browser.get(views.RunMappingPath(open)).is(t, http.StatusOK)
		otto.browser.get(views.RunMappingPath(hidden)).is(t, http.StatusForbidden) // with the board's title and columns
	})
	t.Run("who is named sees all at once, and not once removed", func(t *testing.T) {
		owner, members := ana.browser, "/acme/boards/HIDE/members"
		owner.post(members, "name", "@opal", "role", "viewer").goesTo(t, members)
		if all := opal.read(t, hidden); !strings.Contains(all, "hidden word") || strings.Contains(all, migrations.HiddenTask) {
			t.Error("it is hidden")
		}
		owner.post(fmt.Sprintf("%s/account/%d/removal", members, e.idOf("opal"))).goesTo(t, members)
		if all := opal.read(t, hidden); strings.Contains(all, "hidden word") {
			t.Error("it is shown")
		}
	})
	t.Run("a guest sees none of an open board", func(t *testing.T) {
		open := e.runAbout("import-tickets", in("DEMO"), row)
		e.exec("UPDATE membership SET role = 'guest' WHERE account_id = ?", e.idOf("opal"))
		if all := opal.read(t, open); strings.Contains(all, "hidden word") {
			t.Error("it is shown")
		}
	})
}
