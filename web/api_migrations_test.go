package web_test

import (
	"bytes"
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
	newHouse(t).program().get("/migrations").is(t, http.StatusOK).read(t, &list)
	named := map[string]migration{}
	for _, m := range list.Items {
		named[m.Name] = m
	}
	count, read := named["count-up"], named["read-lines"]
	if !count.Dry || count.Upload != nil || *read.Upload != "A text, one task a line" || count.Knobs["lease"] != "30s" {
		t.Fatalf("%+v", list)
	}
	to, mode := count.Params[0], count.Params[1]
	if to["kind"] != "number" || to["required"] != true || to["max"] != 100_000. || to["default"] != nil || fmt.Sprint(mode["choices"]) != "[map[label:Upwards value:up] map[label:Downwards value:down]]" {
		t.Errorf("%v %v", to, mode)
	}
}

func TestAPIRuns(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := h.program()
	const path = "/migrations/count-up/runs"
	var made runJSON
	t.Run("a run is opened with its values as texts, numbers and truths", func(t *testing.T) {
		p.post(path, object{"params": object{"to": 3, "mode": "up", "loud": true, "key": "hush", "label": nil}, "dry": true}).is(t, http.StatusCreated).read(t, &made)
		if made.State != "open" || !made.Dry || made.Params["to"] != "3" || made.Params["loud"] != "true" || made.Params["key"] != migrations.Masked || made.Actor != "Ana" || !strings.HasSuffix(made.URL, "/admin/migrations/runs/1") {
			t.Errorf("%+v", made)
		}
	})
	t.Run("what is wrong is a problem about its field", func(t *testing.T) {
		h.unchanged(t, func() {
			for body, field := range map[string]string{
				`{"params":{"mode":"up"}}`: "to", `{"params":{"to":0,"mode":"up"}}`: "to", `{"params":{"to":1.5,"mode":"up"}}`: "to", `{"params":{"to":[1],"mode":"up"}}`: "to",
				`{"params":{"to":1,"mode":"sideways"}}`: "mode", `{"params":{"to":1,"mode":"up","nope":1}}`: "nope", `{"parms":{}}`: "parms", `{"params":{"to":1,"mode":"up","loud":"perhaps"}}`: "loud", `{"params":3}`: "params",
			} {
				p.post(path, body).problem(t, http.StatusUnprocessableEntity, field)
			}
			p.post("/migrations/nope/runs", `{}`).problem(t, http.StatusNotFound, "")
			p.post("/migrations/read-lines/runs", `{}`).problem(t, http.StatusUnprocessableEntity, "upload")
			p.post(path, object{"params": object{"to": 3, "mode": "up", "loud": true}, "dry": true}).problem(t, http.StatusConflict, "")
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
		once.post(path, object{"params": object{"to": 5, "mode": "up"}}).problem(t, http.StatusUnprocessableEntity, "Idempotency-Key")
		if n := h.count("SELECT COUNT(*) FROM migration_run"); n != 2 {
			t.Errorf("%d runs", n)
		}
	})
	ready := h.readyRun(12_482)
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
		if r.Knobs["concurrency"] != 8. || r.Knobs["backoff"] != "1m30s" || r.Knobs["rate"] != 2.5 || r.Knobs["throttled"] != true || r.Knobs["block"] != 10. {
			t.Errorf("%+v", r.Knobs)
		}
		h.unchanged(t, func() {
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
		if r.Total != 12_482 || r.Progress["open"] != 12_482 || r.PerSecond["now"] != 0 || r.ETA != nil || r.Workers["living"] != 0 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("tasks, failures, retry and skip", func(t *testing.T) {
		for n := range 3 {
			h.exec("INSERT INTO migration_task (run_id, state, payload, line, fingerprint) VALUES (?, 'failed', ?, ?, UNHEX('0123456789abcdef'))", ready, fmt.Sprintf(`{"n":%d,"html":"<b>"}`, n), n+1)
		}
		task := h.count("SELECT MIN(id) FROM migration_task WHERE run_id = ?", ready)
		h.exec("INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at) VALUES (?, UNHEX('0123456789abcdef'), 'no answer', ?, 9, 3, NOW(6), NOW(6))", ready, task)
		h.exec("INSERT INTO migration_counter (run_id, worker_id, failed) VALUES (?, 0, 3)", ready)
		h.exec("UPDATE migration_run SET state = 'paused', total = 3 WHERE id = ?", ready)
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
		for query, field := range map[string]string{"state=lost": "state", "after=x": "after", "worker=x": "worker", "iteration=x": "iteration"} {
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
		h.unchanged(t, func() {
			for _, body := range []string{`{}`, `{"all":false}`, `{"all":true,"task":1}`, `{"waiting":false}`, `{"waiting":true,"all":true}`, `{"task":0}`, `{"fingerprint":""}`, `{"task":"x"}`, `{"fingerprint":"xyz"}`} {
				p.post(at("/retry"), body).is(t, http.StatusUnprocessableEntity)
				p.post(at("/skip"), body).is(t, http.StatusUnprocessableEntity)
			}
		})
		for _, step := range []struct {
			what, body string
			tasks      int64
		}{{"skip", fmt.Sprintf(`{"task":%d}`, task), 1}, {"retry", fmt.Sprintf(`{"task":%d}`, task+1), 1}, {"retry", `{"fingerprint":"0123456789ABCDEF"}`, 1}, {"skip", `{"waiting":true}`, 0}} {
			var done struct{ Tasks int64 }
			if p.post(at("/"+step.what), step.body).is(t, http.StatusOK).read(t, &done); done.Tasks != step.tasks {
				t.Errorf("%s %s: %d", step.what, step.body, done.Tasks)
			}
		}
	})
}

func TestAPIUpload(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(cfg *web.Config) { cfg.MaxUpload = 1 << 20 })
	send := func(key, content string, fields ...[2]string) *answer {
		t.Helper()
		kind, body := multi(fields, strings.NewReader(content))
		r := newRequest(http.MethodPost, "/api/v1/migrations/read-lines/runs", kind, body, "Authorization", "Bearer "+h.token)
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		return h.send(r)
	}
	var made runJSON
	send("", "one\ntwo", [2]string{"params", `{"note":"x"}`}, [2]string{"dry", "false"}).is(t, http.StatusCreated).read(t, &made)
	if *made.Upload != "lines <b>.txt" || made.Params["note"] != "x" {
		t.Errorf("%+v", made)
	}
	for _, kept := range h.files.files {
		if !bytes.Equal(kept, []byte("one\ntwo")) {
			t.Errorf("%q is kept", kept)
		}
	}
	h.unchanged(t, func() {
		send("", "one\ntwo", [2]string{"params", `{"note":"x"}`}).problem(t, http.StatusConflict, "")
		send("", "three", [2]string{"note", "x"}).problem(t, http.StatusUnprocessableEntity, "note")
		send("", "three", [2]string{"params", `[]`}).problem(t, http.StatusUnprocessableEntity, "")
		send("", "three", [2]string{"dry", `perhaps`}).problem(t, http.StatusUnprocessableEntity, "dry")
		send("", "three", [2]string{"params", `{}`}, [2]string{"params", `{}`}).problem(t, http.StatusUnprocessableEntity, "params")
		send("", strings.Repeat("x", 1<<20+1)).problem(t, http.StatusRequestEntityTooLarge, "file")
	})
	first := send("k", "three").is(t, http.StatusCreated)
	if again := send("k", "three").is(t, http.StatusCreated); again.body != first.body {
		t.Errorf("%s\n%s", first.body, again.body)
	}
	send("k", "four").problem(t, http.StatusUnprocessableEntity, "Idempotency-Key")
	if n := h.count("SELECT COUNT(*) FROM migration_run"); n != 2 || len(h.files.files) != 2 {
		t.Errorf("%d runs, %d files", n, len(h.files.files))
	}
}
