package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

const fingerprint = "00000000000000ab"

// runIn opens a run and puts it into a state in which there is something of everything: seven tasks,
// of which two failed alike, and a worker.
func (e *env) runIn(state migrations.State) id.Run {
	e.t.Helper()
	run := e.openRun("count-up", migrations.Values{"to": fmt.Sprint(10 + e.count("SELECT COUNT(*) FROM migration_run")),
		"mode": "up", "key": "hush-hush"})
	worker := e.exec(`INSERT INTO migration_worker (host, pid, version, state, started_at, beat_at, lease_until)
		VALUES ('app-1', 4242, 'v1', 'active', NOW(6), NOW(6), NOW(6) + INTERVAL 1 HOUR)`)
	for i, task := range []string{"complete", "failed", "failed", "waiting", "processing", "open", "open"} {
		e.exec(`INSERT INTO migration_task (run_id, state, worker_id, attempt, payload, fingerprint, due_at, claimed_at, finished_at)
			VALUES (?, ?, ?, IF(? = 'open', 0, 1), ?, IF(? = 'failed', UNHEX(?), NULL), IF(? = 'waiting', NOW(6) + INTERVAL 1 HOUR, NULL), IF(? = 'open', NULL, NOW(6)), IF(? IN ('complete', 'failed'), NOW(6), NULL))`,
			run, task, worker, task, fmt.Sprintf(`{"n":%d,"html":"<script data-evil>alert(1)</script>"}`, i), task, fingerprint,
			task, task, task)
	}
	first := e.count("SELECT MIN(id) FROM migration_task WHERE run_id = ? AND state = 'failed'", run)
	e.exec(`INSERT INTO migration_attempt (run_id, task_id, iteration, attempt, outcome, worker_id, worker, started_at, took_us, fingerprint, message, detail)
		VALUES (?, ?, 1, 1, 'failed', ?, 'app-1:4242', NOW(6), 1500000, UNHEX(?), '=HYPERLINK("x") <b data-evil>503</b>', 'goroutine 1 <b data-evil>')`, run, first, worker, fingerprint)
	e.exec(`INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at)
		VALUES (?, UNHEX(?), '=HYPERLINK("x") <b data-evil>503</b>', ?, 3, 2, NOW(6), NOW(6))`, run, fingerprint, first)
	e.exec(`INSERT INTO migration_counter (run_id, worker_id, processing, waiting, complete, failed, errors, refused, reclaimed) VALUES (?, ?, 1, 1, 1, 2, 3, 4, 5)`, run, worker)
	e.exec("UPDATE migration_run SET state = ?, total = 7, started_at = NOW(6), finished_at = IF(? IN ('complete', "+
		"'cancelled'), NOW(6), NULL) WHERE id = ?", state, state, run)
	return run
}

// operator is Ana at the page of a run.
func (e *env) operator() *browser { e.t.Helper(); return e.ana() }

func TestRunPage(t *testing.T) {
	t.Parallel()
	t.Run("the buttons are those that the state allows", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.operator()
		for state, want := range map[migrations.State]string{
			migrations.Open: "Stop…", migrations.Filling: "Stop…", migrations.Ready: "Start… p Stop…",
			migrations.Running: "Pause pStop…", migrations.Throttled: "Pause pStop…", migrations.Pausing: "Resume pStop…",
			migrations.Paused:     "Resume pStop…",
			migrations.Cancelling: "", migrations.Cancelled: "", migrations.Complete: "",
		} {
			run := e.runIn(state)
			if got := ana.get(views.RunPath(run)).is(t, http.StatusOK).text(t, ".run-actions"); got != want {
				t.Errorf("%s: %q", state, got)
			}
		}
	})
	t.Run("it has the exact numbers, the failures, the workers and no secret", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		a := e.operator().get(views.RunPath(e.runIn(migrations.Running))).is(t, http.StatusOK)
		for selector, want := range map[string]string{
			".tally":         "Complete1Processing1Waiting1Failed2Skipped0Open2Total7 42.8 %",
			".run-odds":      "3 failed attempts 4 stale results ignored 5 reclaimed from lost workers 0 rejected lines",
			"#failures-name": "Failures 2", "#workers-name": "Workers 1",
		} {
			a.textIs(t, selector, want)
		}
		if strings.Contains(a.body, "hush-hush") {
			t.Error("the secret is on the page")
		}
		a.has(t, 0, "[data-evil]").has(t, 7, "#run-tasks tbody tr").has(t, 3, "#run-tasks tbody [name=task]")
	})
	t.Run("while tasks wait it says which hosts want to be left alone, and why", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.exec("INSERT INTO migration_upstream VALUES ('images.example', NOW(6) + INTERVAL 1 HOUR, 'It answers <b " +
			"data-evil>429</b>.')")
		ana := e.operator()
		a := ana.get(views.RunPath(e.runIn(migrations.Running))).is(t, http.StatusOK).has(t, 0, "[data-evil]").
			has(t, 1, "#run-progress .run-closed li")
		if got := a.text(t, ".run-closed"); !strings.HasPrefix(got, "images.example is paused until ") ||
			!strings.HasSuffix(got, " UTC It answers <b data-evil>429</b>.") {
			t.Error(got)
		}
		ana.get(views.RunPath(e.runIn(migrations.Complete))).is(t, http.StatusOK).has(t, 0, ".run-closed")
	})
	t.Run("it refreshes without its settings and tasks, which refresh apart", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.runIn(migrations.Paused)
		ana := e.operator()
		refresh := func() *answer {
			return ana.htmx(views.RunID).get(views.RunLivePath(run)).is(t, http.StatusOK).
				has(t, 0, "h2#knobs-name, [hx-swap-oob]")
		}
		a := refresh().has(t, 1, "#run-task-list[data-asis]:empty").has(t, 1, "#run-knobs[data-asis]:empty")
		a.textIs(t, ".tally > :first-child", "Complete1")
		e.exec("UPDATE migration_counter SET complete = complete + 1, processing = processing - 1 WHERE run_id = ?", run)
		refresh().textIs(t, ".tally > :first-child", "Complete2")
		page := ana.get(views.RunPath(run)+"?state=failed").is(t, http.StatusOK)
		for id, rows := range map[string]int{views.RunKnobsID: 0, views.RunTasksID: 2} {
			part := page.page().Find("#" + id)
			if part.AttrOr("data-live", "") != "6000" {
				t.Errorf("%s is not live", id)
			}
			ana.htmx(id).get(part.AttrOr("data-from", "")).fragment(t, http.StatusOK).has(t, 1, "body > #"+id).
				has(t, rows, "tbody tr")
		}
	})
	t.Run("a refresh stays below ten kilobytes", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.runIn(migrations.Running)
		a := e.operator().htmx(views.RunID).get(views.RunLivePath(run)).is(t, http.StatusOK)
		if len(a.body) > 10_000 {
			t.Errorf("%d bytes", len(a.body))
		}
	})
	t.Run("it refreshes every two seconds while it runs, seldom while it rests, never once it is over",
		func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			ana := e.operator()
			for state, want := range map[migrations.State]string{
				migrations.Running: "2000", migrations.Throttled: "2000", migrations.Pausing: "2000", migrations.Paused: "6000",
				migrations.Complete: "", migrations.Cancelled: "",
			} {
				page := ana.get(views.RunPath(e.runIn(state)))
				if got := page.page().Find("#run").AttrOr("data-live", ""); got != want {
					t.Errorf("%s: %s", state, got)
				}
				if want == "" {
					page.has(t, 0, "main [data-live]")
				}
			}
		})
	t.Run("a signed-out user is led to sign in, not shown a page in a corner", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.runIn(migrations.Running)
		a := e.visitor().htmx(views.RunID).get(views.RunLivePath(run)).is(t, http.StatusUnauthorized)
		if a.header.Get("HX-Redirect") == "" || a.body != "" {
			t.Errorf("%v %s", a.header, a.body)
		}
	})
	t.Run("a run of a migration that the program lost is shown, and says so", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.runIn(migrations.Paused)
		e.exec("UPDATE migration_run SET name = 'gone' WHERE id = ?", run)
		a := e.operator().get(views.RunPath(run)).is(t, http.StatusOK)
		a.textHas(t, "#run-head .banner", "gone")
	})
}

func TestRunActions(t *testing.T) {
	t.Parallel()
	t.Run("without JavaScript a run is paused and resumed by its buttons", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.runIn(migrations.Running)
		ana := e.operator()
		ana.post(views.RunPausePath(run), "paused", "1").goesTo(t, views.RunPath(run))
		ana.get(views.RunPath(run)).textIs(t, ".run-state", "Pausing")
		ana.post(views.RunPausePath(run), "paused", "0").goesTo(t, views.RunPath(run))
		ana.get(views.RunPath(run)).textIs(t, ".run-state", "Running")
	})
	t.Run("two operators who press Pause at once both have it paused, once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", "member")
		e.exec("UPDATE account SET operator = TRUE")
		run := e.runIn(migrations.Running)
		both := []*browser{e.operator(), e.signedIn("ben")}
		codes := make(chan int, len(both))
		for _, b := range both {
			go func() { codes <- b.htmx(views.RunID).post(views.RunPausePath(run), "paused", "1").code }()
		}
		for range both {
			if code := <-codes; code != http.StatusOK {
				t.Error(code)
			}
		}
		e.counts(t, 1, "SELECT COUNT(*) FROM migration_event WHERE run_id = ? AND kind = 'pausing'", run)
	})
	t.Run("a button of a page that is old answers 409 with the state as it is", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.runIn(migrations.Complete)
		ana := e.operator()
		for _, b := range []*browser{ana, ana.htmx(views.RunID)} {
			a := b.post(views.RunPausePath(run), "paused", "1").is(t, http.StatusConflict)
			a.textIs(t, ".run-state", "Complete with failures")
			a.textHas(t, "#run-head [role=alert]", "complete")
		}
	})
	t.Run("stopping says the numbers first, and stops", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.runIn(migrations.Running)
		ana := e.operator()
		a := ana.get(views.RunCancellationPath(run)).is(t, http.StatusOK)
		if got := a.text(t, "#run-question"); !strings.Contains(got, "Of 7 tasks, 1 is done and stays so.3 tasks will not be done.2 tasks failed.") ||
			!strings.Contains(got, "Stop, and leave 3 tasks") {
			t.Error(got)
		}
		ana.htmx(views.DialogID).get(views.RunCancellationPath(run)).is(t, http.StatusOK).has(t, 1, "#dialog-title").
			has(t, 0, "header.top")
		ana.post(views.RunCancellationPath(run)).goesTo(t, views.RunPath(run))
		ana.get(views.RunPath(run)).textIs(t, ".run-state", "Stopping")
	})
	t.Run("a run that is over is dismissed from its page or the list, and asks for attention no more", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.runIn(migrations.Running)
		ana := e.operator()
		path := views.RunDismissalPath(run)
		ana.get(views.RunPath(run)).has(t, 0, "#run-dismiss")
		ana.post(path).is(t, http.StatusConflict)
		e.exec("UPDATE migration_run SET state = 'complete', listed = 'attention', finished_at = NOW(6)")
		ana.get(views.RunPath(run)).has(t, 1, "#run-dismiss")
		form := formsNamed(t, ana.get(views.MigrationsPath), path)
		ana.send(newRequest(http.MethodPost, form.action, formKind, strings.NewReader(form.values.Encode()))).
			goesTo(t, views.MigrationsPath)
		ana.get(views.MigrationsPath).has(t, 0, "#attention-head").has(t, 1, "#finished-head")
		ana.get(views.RunPath(run)).has(t, 0, "#run-dismiss")
	})
	t.Run("a run whose every line was rejected leads to them, and does not look like a success", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.runIn(migrations.Running)
		e.exec("UPDATE migration_run SET state = 'cancelled', listed = 'attention', total = 0, rejected = 1, finished_at = " +
			"NOW(6)")
		a := e.operator().get(views.RunPath(run)).has(t, 1, ".run-state.failed")
		a.textIs(t, "#run-rejected[href='"+views.RunRejectionsPath(run)+"']", "See 1 rejected line")
	})
}

func TestRetryAndSkip(t *testing.T) {
	t.Parallel()
	t.Run("retrying and skipping all ask with the number; a group, chosen tasks and one are done at once",
		func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			run := e.runIn(migrations.Paused)
			ana := e.operator()
			ana.get(views.RunRetriesPath(run)+"?all=1").
				textIs(t, "#run-question button", "Retry 2 failed tasks")
			ana.get(views.RunSkipsPath(run)+"?fingerprint="+fingerprint).
				textIs(t, "#run-question button", "Skip 2 failed tasks")
			ana.get(views.RunSkipsPath(run)+"?fingerprint=0000000000000000").is(t, http.StatusNotFound)
			failed := func() int64 {
				return e.count("SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND state = 'failed'", run)
			}
			one := e.count("SELECT MAX(id) FROM migration_task WHERE run_id = ? AND state = 'failed'", run)
			ana.post(views.RunSkipsPath(run), "task", fmt.Sprint(one)).goesTo(t, views.RunPath(run))
			if n := failed(); n != 1 {
				t.Errorf("%d", n)
			}
			a := ana.htmx(views.RunID).post(views.RunRetriesPath(run), "fingerprint", fingerprint).is(t, http.StatusOK)
			if got := a.text(t, "#flash .toast"); got != "1 task is retried." || failed() != 0 {
				t.Errorf("%s, %d", got, failed())
			}
			waiting := views.RunSkipsPath(run) + "?waiting=1"
			ana.get(views.RunPath(run)+"?state=waiting").is(t, http.StatusOK).has(t, 1, "#run-list a[href='"+waiting+"']")
			ana.get(views.RunPath(run)+"?state=open").is(t, http.StatusOK).has(t, 0, "#run-list a[href='"+waiting+"']")
			ana.get(waiting).has(t, 1, "#run-question input[name=waiting]").
				textIs(t, "#run-question button", "Skip 1 waiting task")
			a = ana.htmx(views.RunID).post(views.RunSkipsPath(run), "waiting", "1").is(t, http.StatusOK)
			a.textIs(t, "#flash .toast", "1 task is skipped.")
			a = ana.htmx(views.RunID).post(views.RunRetriesPath(run)).is(t, http.StatusConflict)
			a.textHas(t, "#run-head [role=alert]", "No task is selected")
			a = ana.htmx(views.RunID).post(views.RunRetriesPath(run), "task",
				fmt.Sprint(e.count("SELECT id FROM migration_task WHERE run_id = ? AND state = 'complete'", run)))
			a.is(t, http.StatusConflict)
		})
	t.Run("of the tasks that are chosen, all are done that can be, and it says how many others could not",
		func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			run := e.runIn(migrations.Paused)
			ana := e.operator()
			chosen := url.Values{}
			for _, state := range []string{"complete", "failed", "processing"} { // the first of them cannot
				chosen.Add("task",
					fmt.Sprint(e.count("SELECT MIN(id) FROM migration_task WHERE run_id = ? AND state = ?", run, state)))
			}
			chosen.Add("task",
				fmt.Sprint(e.count("SELECT MAX(id) FROM migration_task WHERE run_id = ? AND state = 'failed'", run)))
			post := func(path string) *answer {
				return ana.htmx(views.RunID).send(newRequest(http.MethodPost, path, formKind, strings.NewReader(chosen.Encode())))
			}
			a := post(views.RunRetriesPath(run)).is(t, http.StatusOK)
			a.textIs(t, "#flash .toast", "2 tasks are retried. 2 others were not failed any more.")
			e.counts(t, 2, "SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND state = 'open' AND iteration = 2",
				run)
			a = post(views.RunRetriesPath(run)).is(t, http.StatusOK)
			a.textIs(t, "#flash .toast", "None of these tasks is failed or waiting any more: nothing was done.")
			a = post(views.RunSkipsPath(run)).is(t, http.StatusOK)
			if got := a.text(t, "#flash .toast"); !strings.HasSuffix(got, "others are processing or done by now.") {
				t.Error(got)
			}
		})
}

func TestRunTasks(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	run := e.runIn(migrations.Running)
	ana := e.operator()
	number := func(state string) int64 {
		return e.count("SELECT MIN(id) FROM migration_task WHERE run_id = ? AND state = ?", run, state)
	}
	t.Run("the list is narrowed by state, worker and iteration, and finds a task by its number", func(t *testing.T) {
		for query, want := range map[string]int{
			"": 7, "state=failed": 2, "state=open": 2, "state=skipped": 0, "iteration=1": 7, "iteration=2": 0, "worker=1": 7,
			"worker=99":                0,
			"state=failed&iteration=1": 2, fmt.Sprint("task=", number("waiting")): 1, "task=999999": 0, "task=x": 0,
			"state=nope": 0, "worker=x": 0, fmt.Sprint("after=", number("open")): 1,
		} {
			ana.get(views.RunPath(run)+"?"+query).is(t, http.StatusOK).has(t, want, "#run-tasks tbody tr")
			ana.htmx(views.RunTasksID).get(views.RunPath(run)+"?"+query).is(t, http.StatusOK).has(t, want, "tbody tr").
				has(t, 1, "body > #run-tasks")
		}
	})
	t.Run("a task's drawer shows a hostile payload as text, and what went wrong", func(t *testing.T) {
		path := views.RunTaskPath(run, id.Task(number("failed")))
		for _, b := range []*browser{ana, ana.htmx(views.DialogID)} {
			a := b.get(path).is(t, http.StatusOK).has(t, 0, "[data-evil]")
			if got := a.page().Find("#task-details:not([open]) > .payload").
				Text(); got != "{\n  \"n\": 1,\n  \"html\": \"<script data-evil>alert(1)</script>\"\n}" {
				t.Errorf("%q", got)
			}
			a.textIs(t, ".attempts .message", `=HYPERLINK("x") <b data-evil>503</b>`)
		}
		other := e.runIn(migrations.Running)
		ana.get(views.RunTaskPath(other, id.Task(number("failed")))).is(t, http.StatusNotFound)
	})
	t.Run("a long payload is cut, and shown whole where that is wanted", func(t *testing.T) {
		task := e.exec("INSERT INTO migration_task (run_id, payload) VALUES (?, ?)", run, strings.Repeat("é", 100_000))
		path := views.RunTaskPath(run, id.Task(task))
		a := ana.get(path).is(t, http.StatusOK)
		if got := a.page().Find(".payload").Text(); len(got) != 4000 || strings.Trim(got, "é") != "" {
			t.Errorf("%d bytes", len(got))
		}
		if got := ana.get(path + "?all=1").page().Find(".payload").Text(); len(got) != 200_000 {
			t.Errorf("%d bytes", len(got))
		}
	})
	t.Run("the failures of a group go into a file that a spreadsheet opens without harm", func(t *testing.T) {
		a := ana.get(views.RunFailurePath(run, fingerprint)).is(t, http.StatusOK)
		lines := strings.Split(strings.TrimSpace(a.body), "\n")
		if len(lines) != 3 || strings.Contains(a.body, `,"=HYPER`) ||
			!strings.Contains(a.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%v\n%s", a.header, a.body)
		}
		ana.get(views.RunFailurePath(run, "nonsense")).is(t, http.StatusUnprocessableEntity)
	})
}

func TestRunKnobs(t *testing.T) {
	t.Parallel()
	t.Run("a change is set and logged with its old value, and nothing else", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.runIn(migrations.Running)
		ana := e.operator()
		form := formsNamed(t, ana.get(views.RunPath(run)), views.RunKnobsPath(run))
		form.values.Set("concurrency", "8")
		form.values.Set("rate", "2.5")
		ana.send(newRequest(http.MethodPost, form.action, formKind, strings.NewReader(form.values.Encode()))).
			goesTo(t, views.RunPath(run))
		e.counts(t, 2, "SELECT COUNT(*) FROM migration_event WHERE run_id = ? AND kind = 'knob'", run)
		a := ana.get(views.RunPath(run))
		a.textHas(t, "#run-events", "Concurrency 4 → 8")
		if a.value(t, "#knob-concurrency") != "8" || a.value(t, "#knob-rate") != "2.5" {
			t.Error("the form has other values")
		}
	})
	t.Run("wrong values come back with what was typed, each with its message", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.runIn(migrations.Running)
		ana := e.operator()
		for _, b := range []*browser{ana, ana.htmx(views.RunKnobsID)} {
			e.unchanged(t, func() {
				a := b.post(views.RunKnobsPath(run), "concurrency", "0", "was_concurrency", "4", "rate", "1.5", "attempts", "5",
					"was_attempts", "5").is(t, http.StatusUnprocessableEntity)
				if a.value(t, "#knob-concurrency") != "0" || a.value(t, "#knob-rate") != "1.5" {
					t.Error("what was typed is gone")
				}
				a.has(t, 1, "#knob-concurrency-error").has(t, 0, "#knob-rate-error")
				b.post(views.RunKnobsPath(run), "rate", "fast").is(t, http.StatusUnprocessableEntity).has(t, 1, "#knob-rate-error")
			})
		}
	})
	t.Run("a setting that someone else changed meanwhile is not overwritten unseen", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.runIn(migrations.Running)
		ana := e.operator()
		ana.post(views.RunKnobsPath(run), "concurrency", "8", "was_concurrency", "4").is(t, http.StatusSeeOther)
		a := ana.post(views.RunKnobsPath(run), "concurrency", "2", "was_concurrency", "4").is(t, http.StatusConflict)
		a.textHas(t, "#knob-concurrency-error", "“8”")
		form := formsNamed(t, a, views.RunKnobsPath(run))
		ana.send(newRequest(http.MethodPost, form.action, formKind, strings.NewReader(form.values.Encode()))).
			is(t, http.StatusSeeOther)
		if got := ana.get(views.RunPath(run)).value(t, "#knob-concurrency"); got != "2" {
			t.Error(got)
		}
	})
}

// formsNamed is the form of an answer that sends to a path.
func formsNamed(t *testing.T, a *answer, path string) pageForm {
	t.Helper()
	for _, form := range formsOn(a, path) {
		if form.action == path {
			return form
		}
	}
	t.Fatalf("no form sends to %s", path)
	return pageForm{}
}
