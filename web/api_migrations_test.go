package web_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/web"
)

// runJSON is a run as the API shows it.
type runJSON struct {
	ID         uint64
	Migration  string
	Params     map[string]string
	State      string
	Dry        bool
	CanaryLeft *int `json:"canary_left"`
	Knobs      map[string]any
	Total      uint64
	Progress   map[string]int64
	Upload     *string
	Actor, URL string
}

func TestAPIMigrations(t *testing.T) {
	t.Parallel()
	type migration struct {
		Name   string
		Dry    bool
		Upload *string
		Params []map[string]any
		Knobs  map[string]any
	}
	var list struct {
		Items []migration
		Next  *string
	}
	newEnv(t).program().get("/migrations").is(t, http.StatusOK).read(t, &list)
	named := map[string]migration{}
	for _, m := range list.Items {
		named[m.Name] = m
	}
	count, read := named["count-up"], named["read-lines"]
	if !count.Dry || count.Upload != nil || *read.Upload != "A text, one task a line" || count.Knobs["lease"] != "30s" {
		t.Fatalf("%+v", list)
	}
	to, mode := count.Params[0], count.Params[1]
	if to["kind"] != "number" || to["required"] != true || to["max"] != 100_000. || to["default"] != nil ||
		fmt.Sprint(mode["choices"]) != "[map[label:Upwards value:up] map[label:Downwards value:down]]" {
		t.Errorf("%v %v", to, mode)
	}
}

func TestAPIRuns(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	p := e.program()
	const path = "/migrations/count-up/runs"
	var made runJSON
	t.Run("a run is opened with its values as texts, numbers and truths", func(t *testing.T) {
		p.post(path, object{"params": object{"to": 3, "mode": "up", "loud": true, "key": "hush", "label": nil}, "dry": true}).
			is(t, http.StatusCreated).read(t, &made)
		if made.State != "open" || !made.Dry || made.Params["to"] != "3" || made.Params["loud"] != "true" ||
			made.Params["key"] != migrations.Masked || made.Actor != "Ana" ||
			!strings.HasSuffix(made.URL, "/admin/migrations/runs/1") {
			t.Errorf("%+v", made)
		}
	})
	t.Run("a wrong value is a problem of its field", func(t *testing.T) {
		e.unchanged(t, func() {
			for body, field := range map[string]string{
				`{"params":{"mode":"up"}}`: "to", `{"params":{"to":0,"mode":"up"}}`: "to",
				`{"params":{"to":1.5,"mode":"up"}}`: "to", `{"params":{"to":[1],"mode":"up"}}`: "to",
				`{"params":{"to":1,"mode":"sideways"}}`: "mode", `{"params":{"to":1,"mode":"up","nope":1}}`: "nope",
				`{"parms":{}}`: "parms", `{"params":{"to":1,"mode":"up","loud":"perhaps"}}`: "loud", `{"params":3}`: "params",
			} {
				p.post(path, body).problem(t, http.StatusUnprocessableEntity, field)
			}
			p.post("/migrations/nope/runs", `{}`).problem(t, http.StatusNotFound, "")
			p.post("/migrations/read-lines/runs", `{}`).problem(t, http.StatusUnprocessableEntity, "upload")
			p.post(path, object{"params": object{"to": 3, "mode": "up", "loud": true}, "dry": true}).
				problem(t, http.StatusConflict, "")
		})
	})
	t.Run("once for an Idempotency-Key", func(t *testing.T) {
		once := p.with("Idempotency-Key", "k1")
		body := object{"params": object{"to": 4, "mode": "up"}}
		first := once.post(path, body).is(t, http.StatusCreated)
		again := once.post(path, body).is(t, http.StatusCreated)
		if first.body != again.body || again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s\n%s", first.body, again.body)
		}
		once.post(path, object{"params": object{"to": 5, "mode": "up"}}).
			problem(t, http.StatusUnprocessableEntity, "Idempotency-Key")
		e.counts(t, 2, "SELECT COUNT(*) FROM migration_run")
	})
	ready := e.readyRun(12_482)
	at := func(what string) string { return fmt.Sprintf("/runs/%d%s", ready, what) }
	t.Run("lists are by group", func(t *testing.T) {
		var list struct {
			Items []runJSON
			Next  *string
		}
		p.get("/runs").is(t, http.StatusOK).read(t, &list)
		if len(list.Items) != 3 || list.Items[0].ID != uint64(ready) || list.Next != nil {
			t.Errorf("%+v", list)
		}
		p.get("/runs?group=finished").is(t, http.StatusOK).read(t, &list)
		if len(list.Items) != 0 {
			t.Errorf("%+v", list)
		}
		p.get("/runs?group=lost").is(t, http.StatusUnprocessableEntity)
		p.get("/runs?after=x").problem(t, http.StatusUnprocessableEntity, "after")
	})
	t.Run("knobs are turned, time spans are texts", func(t *testing.T) {
		var r runJSON
		p.patch(at(""), `{"concurrency":8,"backoff":"1m30s","rate":2.5,"throttled":true}`).is(t, http.StatusOK).read(t, &r)
		if r.Knobs["concurrency"] != 8. || r.Knobs["backoff"] != "1m30s" || r.Knobs["rate"] != 2.5 ||
			r.Knobs["throttled"] != true || r.Knobs["block"] != 10. {
			t.Errorf("%+v", r.Knobs)
		}
		e.unchanged(t, func() {
			p.patch(at(""), `{"concurrency":0}`).problem(t, http.StatusUnprocessableEntity, "concurrency")
			p.patch(at(""), `{"speed":1}`).problem(t, http.StatusUnprocessableEntity, "speed")
			for _, body := range []string{`{"lease":30}`, `{"lease":"30"}`, `{"lease":"soon"}`, `{"rate":"x"}`, `[]`} {
				p.patch(at(""), body).is(t, http.StatusUnprocessableEntity)
			}
		})
	})
	t.Run("start, pause, resume, cancel", func(t *testing.T) {
		var r runJSON
		p.post(at("/start"), `{"canary":100}`).is(t, http.StatusOK).read(t, &r)
		if r.State != "running" || *r.CanaryLeft != 100 {
			t.Errorf("%+v", r)
		}
		p.post(at("/start"), nil).problem(t, http.StatusConflict, "")
		p.post(at("/start"), `{"canary":-1}`).problem(t, http.StatusUnprocessableEntity, "canary")
		for _, step := range [][2]string{{"pause", "pausing"}, {"resume", "running"}, {"cancel", "cancelling"}} {
			if p.post(at("/"+step[0]), nil).is(t, http.StatusOK).read(t, &r); r.State != step[1] {
				t.Errorf("%s: %s", step[0], r.State)
			}
		}
		p.post(at("/resume"), nil).problem(t, http.StatusConflict, "")
		p.post(at("/resume"), `{"x":1}`).problem(t, http.StatusUnprocessableEntity, "x")
		p.post("/runs/99/pause", nil).problem(t, http.StatusNotFound, "")
		p.post("/runs/x/pause", nil).problem(t, http.StatusNotFound, "")
	})
	t.Run("a run says how fast it goes", func(t *testing.T) {
		var r struct {
			runJSON
			PerSecond map[string]float64 `json:"per_second"`
			ETA       *map[string]string
			Workers   map[string]int
		}
		p.get(at("")).is(t, http.StatusOK).read(t, &r)
		if r.Total != 12_482 || r.Progress["open"] != 12_482 || r.PerSecond["now"] != 0 || r.ETA != nil ||
			r.Workers["living"] != 0 {
			t.Errorf("%+v", r)
		}
	})
}

func TestAPITasks(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	p := e.program()
	ready := e.readyRun(3)
	at := func(what string) string { return fmt.Sprintf("/runs/%d%s", ready, what) }
	for n := range 3 {
		e.exec("INSERT INTO migration_task (run_id, state, payload, line, fingerprint) VALUES (?, 'failed', ?, ?, "+
			"UNHEX('0123456789abcdef'))", ready, fmt.Sprintf(`{"n":%d,"html":"<b>"}`, n), n+1)
	}
	task := e.count("SELECT MIN(id) FROM migration_task WHERE run_id = ?", ready)
	e.exec("INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at) "+
		"VALUES (?, UNHEX('0123456789abcdef'), 'no answer', ?, 9, 3, NOW(6), NOW(6))", ready, task)
	e.exec("INSERT INTO migration_counter (run_id, worker_id, failed) VALUES (?, 0, 3)", ready)
	e.exec("UPDATE migration_run SET state = 'paused', total = 3 WHERE id = ?", ready)
	var tasks struct {
		Items []struct {
			ID             uint64
			State, Payload string
			Line           uint64
		}
		Next *string
	}
	p.get(at("/tasks?state=failed")).is(t, http.StatusOK).read(t, &tasks)
	if len(tasks.Items) != 3 || tasks.Items[0].Line != 1 || tasks.Next != nil {
		t.Errorf("%+v", tasks)
	}
	p.get(at(fmt.Sprintf("/tasks?after=%d", task))).is(t, http.StatusOK).read(t, &tasks)
	if len(tasks.Items) != 2 {
		t.Errorf("%+v", tasks)
	}
	for query, field := range map[string]string{"state=lost": "state", "after=x": "after", "worker=x": "worker",
		"iteration=x": "iteration"} {
		p.get(at("/tasks?"+query)).problem(t, http.StatusUnprocessableEntity, field)
	}
	var failures struct {
		Items []struct {
			Fingerprint, Message string
			Failed, Errors       int
		}
	}
	p.get(at("/failures")).is(t, http.StatusOK).read(t, &failures)
	if len(failures.Items) != 1 || failures.Items[0].Fingerprint != "0123456789abcdef" || failures.Items[0].Failed != 3 {
		t.Errorf("%+v", failures)
	}
	e.unchanged(t, func() {
		for _, body := range []string{`{}`, `{"all":false}`, `{"all":true,"task":1}`, `{"tasks":[1],"task":1}`,
			`{"tasks":[]}`, `{"tasks":[-1]}`, `{"waiting":false}`, `{"waiting":true,"all":true}`, `{"task":0}`,
			`{"fingerprint":""}`, `{"task":"x"}`, `{"fingerprint":"xyz"}`} {
			p.post(at("/retry"), body).is(t, http.StatusUnprocessableEntity)
			p.post(at("/skip"), body).is(t, http.StatusUnprocessableEntity)
		}
	})
	for _, step := range []struct {
		what, body string
		tasks      int64
	}{
		{"skip", fmt.Sprintf(`{"task":%d}`, task), 1}, {"retry", fmt.Sprintf(`{"task":%d}`, task+1), 1},
		{"retry", `{"fingerprint":"0123456789ABCDEF"}`, 1}, {"skip", `{"waiting":true}`, 0},
		{"skip", fmt.Sprintf(`{"tasks":[%d,%d,%d]}`, task, task+1, task+2), 2},
		{"skip", fmt.Sprintf(`{"tasks":[%d,%d]}`, task, task+1), 0},
	} {
		var done struct{ Tasks int64 }
		if p.post(at("/"+step.what), step.body).is(t, http.StatusOK).read(t, &done); done.Tasks != step.tasks {
			t.Errorf("%s %s: %d", step.what, step.body, done.Tasks)
		}
	}
}

func TestAPIRunDetails(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	p := e.program()
	run := e.runIn(migrations.Complete)
	at := func(what string) string { return fmt.Sprintf("/runs/%d%s", run, what) }
	failed := e.count("SELECT MIN(id) FROM migration_task WHERE run_id = ? AND state = 'failed'", run)
	t.Run("a list says where it cut a payload; the task has all of it, with its attempts", func(t *testing.T) {
		long := strings.Repeat("é", 100_000)
		e.exec("UPDATE migration_task SET payload = ? WHERE id = ?", long, failed)
		type task struct {
			ID      uint64
			Payload string
			Cut     bool
		}
		var list struct{ Items []task }
		p.get(at("/tasks?state=failed")).is(t, http.StatusOK).read(t, &list)
		if len(list.Items) != 2 || !list.Items[0].Cut || list.Items[0].Payload != long[:2000] || list.Items[1].Cut {
			t.Errorf("%v", len(list.Items))
		}
		var one struct {
			task
			Attempts []struct{ Outcome, Worker, Took, Message, Detail string }
		}
		p.get(at(fmt.Sprint("/tasks/", failed))).is(t, http.StatusOK).read(t, &one)
		if one.Payload != long || one.Cut || len(one.Attempts) != 1 || one.Attempts[0].Worker != "app-1:4242" ||
			one.Attempts[0].Took != "1.5s" || !strings.HasPrefix(one.Attempts[0].Detail, "goroutine 1") {
			t.Errorf("%d bytes, %+v", len(one.Payload), one.Attempts)
		}
		other := e.runIn(migrations.Paused)
		for _, path := range []string{fmt.Sprintf("/runs/%d/tasks/%d", other, failed),
			fmt.Sprintf("/runs/99/tasks/%d", failed), at("/tasks/0"), at("/tasks/x")} {
			p.get(path).problem(t, http.StatusNotFound, "")
		}
	})
	t.Run("the log comes in pages, the newest first", func(t *testing.T) {
		for n := range migrations.EventsPerPage {
			e.exec("INSERT INTO migration_event (run_id, created_at, actor, kind, detail) VALUES (?, NOW(6), 'Ana', 'knob', ?)",
				run, fmt.Sprint(n))
		}
		var page struct {
			Items []struct{ Kind, Actor, Detail, At string }
			Next  *string
		}
		p.get(at("/events")).is(t, http.StatusOK).read(t, &page)
		if len(page.Items) != migrations.EventsPerPage || page.Items[0].Detail != "49" || page.Items[0].Actor != "Ana" ||
			page.Next == nil {
			t.Fatalf("%+v", page)
		}
		p.get(at("/events?after="+*page.Next)).is(t, http.StatusOK).read(t, &page)
		if len(page.Items) != 1 || page.Items[0].Kind != "open" || page.Next != nil {
			t.Errorf("%+v", page)
		}
		p.get(at("/events?after=x")).problem(t, http.StatusUnprocessableEntity, "after")
		p.get("/runs/99/events").problem(t, http.StatusNotFound, "")
	})
	t.Run("failures are a file too, of all or of a group", func(t *testing.T) {
		for query, lines := range map[string]int{"": 3, "?fingerprint=" + fingerprint: 3,
			"?fingerprint=0000000000000000": 1} {
			a := p.get(at("/failures.csv"+query)).is(t, http.StatusOK)
			rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
			if err != nil || len(rows) != lines || a.header.Get("Content-Type") != "text/csv; charset=utf-8" {
				t.Errorf("%s: %d lines, %v %v", query, len(rows), err, a.header)
			}
			if lines > 1 && (rows[1][5] != fingerprint || !strings.HasPrefix(rows[1][6], "'=HYPER")) {
				t.Errorf("%.100q", rows[1])
			}
		}
		p.get(at("/failures.csv?fingerprint=x")).problem(t, http.StatusUnprocessableEntity, "fingerprint")
		for _, file := range []string{"failures", "rejections", "report"} {
			p.get("/runs/99/"+file+".csv").problem(t, http.StatusNotFound, "")
		}
	})
	t.Run("a run is dismissed once it is over, and again", func(t *testing.T) {
		e.exec("UPDATE migration_run SET listed = 'attention' WHERE id = ?", run)
		for range 2 {
			var r struct{ Group string }
			if p.call(http.MethodPut, at("/dismissal"), nil).is(t, http.StatusOK).read(t, &r); r.Group != "finished" {
				t.Errorf("%+v", r)
			}
		}
		e.counts(t, 1, "SELECT COUNT(*) FROM migration_event WHERE run_id = ? AND kind = 'dismiss'", run)
		p.call(http.MethodPut, fmt.Sprintf("/runs/%d/dismissal", e.runIn(migrations.Running)), nil).
			problem(t, http.StatusConflict, "")
		p.call(http.MethodPut, "/runs/99/dismissal", nil).problem(t, http.StatusNotFound, "")
	})
}

func TestAPIWorkers(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	p := e.program()
	e.runIn(migrations.Running)
	type worker struct {
		ID         uint64
		Host       string
		PID        int
		State      string
		Living     bool
		Migrations []string
		ClaimP99   *string `json:"claim_p99"`
	}
	only := func() worker {
		t.Helper()
		var list struct {
			Items []worker
			Next  *string
		}
		p.get("/workers").is(t, http.StatusOK).read(t, &list)
		if len(list.Items) != 1 || list.Next != nil {
			t.Fatalf("%+v", list)
		}
		return list.Items[0]
	}
	w := only()
	if w.Host != "app-1" || w.PID != 4242 || w.State != "active" || !w.Living || w.Migrations == nil || w.ClaimP99 != nil {
		t.Errorf("%+v", w)
	}
	path := fmt.Sprintf("/workers/%d/drain", w.ID)
	for _, step := range [][2]string{{http.MethodPut, "draining"}, {http.MethodPut, "draining"},
		{http.MethodDelete, "active"}, {http.MethodDelete, "active"}} {
		p.call(step[0], path, nil).is(t, http.StatusNoContent)
		if w := only(); w.State != step[1] {
			t.Errorf("%s: %s", step[0], w.State)
		}
	}
	e.counts(t, 2, "SELECT COUNT(*) FROM migration_event WHERE kind IN ('drain', 'undrain')")
	e.exec("UPDATE migration_worker SET state = 'stopped'")
	for _, path := range []string{path, "/workers/99/drain", "/workers/x/drain"} {
		p.call(http.MethodPut, path, nil).problem(t, http.StatusNotFound, "")
		p.call(http.MethodDelete, path, nil).problem(t, http.StatusNotFound, "")
	}
}

func TestAPIUpload(t *testing.T) {
	t.Parallel()
	e := newEnv(t, func(cfg *web.Config) { cfg.MaxUpload = 1 << 20 })
	send := func(key, content string, fields ...[2]string) *answer {
		t.Helper()
		kind, body := multi(fields, strings.NewReader(content))
		r := newRequest(http.MethodPost, "/api/v1/migrations/read-lines/runs", kind, body, "Authorization", "Bearer "+e.token)
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		return e.send(r)
	}
	var made runJSON
	send("", "one\ntwo", [2]string{"params", `{"note":"x"}`}, [2]string{"dry", "false"}).is(t, http.StatusCreated).
		read(t, &made)
	if *made.Upload != "lines <b>.txt" || made.Params["note"] != "x" {
		t.Errorf("%+v", made)
	}
	for _, kept := range e.stored() {
		if kept != "one\ntwo" {
			t.Errorf("%q is kept", kept)
		}
	}
	e.unchanged(t, func() {
		send("", "one\ntwo", [2]string{"params", `{"note":"x"}`}).problem(t, http.StatusConflict, "")
		send("", "three", [2]string{"note", "x"}).problem(t, http.StatusUnprocessableEntity, "note")
		send("", "three", [2]string{"params", `[]`}).problem(t, http.StatusUnprocessableEntity, "")
		send("", "three", [2]string{"dry", `perhaps`}).problem(t, http.StatusUnprocessableEntity, "dry")
		send("", "three", [2]string{"params", `{}`}, [2]string{"params", `{}`}).
			problem(t, http.StatusUnprocessableEntity, "params")
		send("", strings.Repeat("x", 1<<20+1)).problem(t, http.StatusRequestEntityTooLarge, "file")
	})
	first := send("k", "three").is(t, http.StatusCreated)
	if again := send("k", "three").is(t, http.StatusCreated); again.body != first.body {
		t.Errorf("%s\n%s", first.body, again.body)
	}
	send("k", "four").problem(t, http.StatusUnprocessableEntity, "Idempotency-Key")
	if n := e.count("SELECT COUNT(*) FROM migration_run"); n != 2 || len(e.stored()) != 2 {
		t.Errorf("%d runs, %d files", n, len(e.stored()))
	}
}
