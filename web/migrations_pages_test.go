package web_test

import (
	"bytes"
	"crypto/rand"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web"
)

func (e *env) run(t *testing.T, run id.Run) migrations.Run {
	t.Helper()
	return domaintest.OK(e.workflows.Console.Run(console.AsCommandLine(t.Context()), run))(t)
}

func TestListOfRuns(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	t.Run("before there was one it says what this is for", func(t *testing.T) {
		a := ana.get("/admin/migrations").is(t, http.StatusOK).has(t, 0, ".runs").has(t, 0, ".banner")
		a.textHas(t, "#runs .sheet .lead", "bulk job")
		a.has(t, 1, ".kinds a[href='/admin/migrations/count-up/new']")
	})
	run := e.readyRun(12_482)
	t.Run("without a worker it warns", func(t *testing.T) {
		ana.get("/admin/migrations").textHas(t, "#runs .banner", "no worker is running")
	})
	e.worker("web-1")
	t.Run("a run is a row, its secret masked", func(t *testing.T) {
		a := ana.get("/admin/migrations").is(t, http.StatusOK).has(t, 0, ".banner")
		text := a.text(t, "#"+views.RunRowID(run))
		for _, want := range []string{fmt.Sprintf("#%d Count up", run), "Key " + migrations.Masked, "Direction Upwards",
			"Ready", "0 of 12,482", "by command line"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in %q", want, text)
			}
		}
		if strings.Contains(a.body, "hush") {
			t.Error("the secret is on the page")
		}
		a.textHas(t, ".strip", "1 worker on web-1")
	})
	t.Run("a fragment is the list alone, and says how soon it asks again", func(t *testing.T) {
		a := ana.htmx(views.RunListID).get("/admin/migrations").is(t, http.StatusOK).has(t, 0, "h1").
			has(t, 1, "#runs[data-live='2000']")
		if a.header.Get("Cache-Control") != "private, no-store" {
			t.Error(a.header)
		}
		e.exec("UPDATE migration_run SET state = 'cancelled', listed = 'finished', finished_at = NOW(6)")
		ana.htmx(views.RunListID).get("/admin/migrations").has(t, 1, "#runs[data-live='10000']")
	})
	t.Run("a migration that is gone is warned of while its run is not over", func(t *testing.T) {
		gone := e.readyRun(7)
		e.exec("UPDATE migration_run SET name = 'gone' WHERE id = ?", gone)
		ana.get("/admin/migrations").textHas(t, "#runs .banner", "gone (run 2)")
		e.exec("UPDATE migration_run SET state = 'cancelled', listed = 'finished' WHERE id = ?", gone)
		ana.get("/admin/migrations").has(t, 0, "#runs .banner")
	})
	t.Run("finished runs are shown page by page", func(t *testing.T) {
		for range migrations.RunsPerPage {
			e.exec("INSERT INTO migration_run (name, params, listed, state, state_since, knobs, actor, created_at) SELECT "+
				"name, params, 'finished', 'complete', NOW(6), knobs, actor, NOW(6) FROM migration_run WHERE id = ?", run)
		}
		a := ana.get("/admin/migrations").has(t, migrations.RunsPerPage, ".runs tbody tr")
		older := a.page().Find("#"+views.OlderRunsID+" .more a").AttrOr("href", "")
		ana.get(older).is(t, http.StatusOK).has(t, 2, ".runs tbody tr").has(t, 0, "main [data-live]")
		ana.get("/admin/migrations?before=x").is(t, http.StatusBadRequest)
	})
}

func TestNewRun(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	const path = "/admin/migrations/count-up"
	t.Run("each kind of parameter has its control, and the database is named", func(t *testing.T) {
		a := ana.get(path+"/new").is(t, http.StatusOK).has(t, 1, "#run-p-to[inputmode=numeric][required]").
			has(t, 3, "select#run-p-mode option").
			has(t, 1, "#run-p-loud[type=checkbox]").has(t, 1, "#run-p-key[type=password]").has(t, 1, "#run-p-label[type=text]").
			has(t, 1, "#run-dry").has(t, 0, "[type=file]")
		a.textHas(t, ".where", "localhost")
	})
	t.Run("all that is wrong is said, and what was typed stays but for secrets", func(t *testing.T) {
		e.unchanged(t, func() {
			a := ana.post(path+"/runs", "p-to", "many", "p-mode", "sideways", "p-label", strings.Repeat("long ", 9), "p-loud",
				"true", "p-key", "hush hush", "dry", "true").is(t, http.StatusUnprocessableEntity)
			for _, field := range []string{"to", "mode", "label"} {
				a.has(t, 1, "#run-p-"+field+"-error").has(t, 1, "#run-p-"+field+"[aria-invalid]")
			}
			if a.value(t, "#run-p-to") != "many" || a.value(t, "#run-p-key") != "" || strings.Contains(a.body, "hush") {
				t.Error(a.body)
			}
			a.has(t, 1, "#run-p-loud[checked]").has(t, 1, "#run-dry[checked]")
		})
	})
	t.Run("out of bounds", func(t *testing.T) {
		for _, to := range []string{"0", "100001", "-1", "1.5", "1e3", "", "9223372036854775808"} {
			a := ana.post(path+"/runs", "p-to", to, "p-mode", "up").is(t, http.StatusUnprocessableEntity)
			a.has(t, 1, "#run-p-to-error").has(t, 0, "#run-p-mode-error")
		}
	})
	t.Run("the second of two that do the same is told of the first", func(t *testing.T) {
		ana.post(path+"/runs", "p-to", "7", "p-mode", "up", "p-loud", "true").goesTo(t, "/admin/migrations/runs/1")
		if r := e.run(t, 1); r.Actor != "Ana" || r.Values["to"] != "7" || r.Values["loud"] != "true" || r.Dry {
			t.Errorf("%+v", r)
		}
		a := ana.post(path+"/runs", "p-to", "7", "p-mode", "up", "p-loud", "true").is(t, http.StatusConflict)
		a.textHas(t, ".summary", "Run 1 does the same")
		e.counts(t, 1, "SELECT COUNT(*) FROM migration_run")
	})
	t.Run("a dry run is done for real with its values and its secret", func(t *testing.T) {
		ana.post(path+"/runs", "p-to", "8", "p-mode", "down", "p-key", "hush", "dry", "true").is(t, http.StatusSeeOther)
		dry := fmt.Sprint(e.count("SELECT MAX(id) FROM migration_run"))
		a := ana.get(path+"/new?from="+dry).is(t, http.StatusOK).has(t, 1, "option[value=down][selected]")
		if a.value(t, "#run-p-to") != "8" || a.value(t, "#run-p-key") != "" || a.value(t, "[name=from]") != dry ||
			strings.Contains(a.body, "hush") {
			t.Error(a.body)
		}
		ana.post(path+"/runs", "from", dry, "p-to", "9", "p-mode", "down", "p-key", "").is(t, http.StatusSeeOther)
		if r := e.run(t, id.Run(e.count("SELECT MAX(id) FROM migration_run"))); r.Dry || r.Values["to"] != "9" ||
			r.Values["key"] != migrations.Masked {
			t.Errorf("%+v", r)
		}
		ana.get("/admin/migrations/read-lines/new?from=1").is(t, http.StatusNotFound)
		ana.get(path+"/new?from=99").is(t, http.StatusNotFound)
	})
	ana.get("/admin/migrations/nope/new").is(t, http.StatusNotFound)
	ana.post("/admin/migrations/nope/runs").is(t, http.StatusNotFound)
}

// multi is a form with a file, which comes before last and behind the rest.
func multi(fields [][2]string, file io.Reader, last ...[2]string) (kind string, body io.Reader) {
	var head, tail bytes.Buffer
	w := multipart.NewWriter(&head)
	for _, f := range fields {
		_ = w.WriteField(f[0], f[1])
	}
	if file != nil {
		_, _ = w.CreateFormFile("file", `C:\tmp\lines <b>.txt`)
	}
	boundary := w.Boundary()
	end := multipart.NewWriter(&tail)
	_ = end.SetBoundary(boundary)
	if len(last) > 0 {
		tail.WriteString("\r\n")
	}
	for _, f := range last {
		_ = end.WriteField(f[0], f[1])
	}
	_ = end.Close()
	if file == nil {
		file = strings.NewReader("")
	}
	return w.FormDataContentType(), io.MultiReader(&head, file, &tail)
}

func (b *browser) upload(path string, fields [][2]string, file io.Reader, last ...[2]string) *answer {
	b.env.t.Helper()
	kind, body := multi(fields, file, last...)
	return b.send(newRequest(http.MethodPost, path, kind, body))
}

// brokenReader reads the text, and then the connection is gone.
func brokenReader(text string) io.Reader {
	return io.MultiReader(strings.NewReader(text), errorReader{})
}

type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, errors.New("connection reset by peer") }

func TestUpload(t *testing.T) {
	t.Parallel()
	const path = "/admin/migrations/read-lines/runs"
	e := newEnv(t, func(cfg *web.Config) { cfg.MaxUpload = 11 << 20 })
	ana := e.ana()
	nothing := func(t *testing.T, do func()) {
		t.Helper()
		before := len(e.stored())
		e.unchanged(t, do)
		if len(e.stored()) != before {
			t.Errorf("%d files are left", len(e.stored()))
		}
	}
	ana.get("/admin/migrations/read-lines/new").is(t, http.StatusOK).
		has(t, 1, "form[enctype='multipart/form-data'] [type=file][required]")
	t.Run("ten megabytes", func(t *testing.T) {
		content := make([]byte, 10<<20)
		_, _ = rand.Read(content)
		ana.upload(path, [][2]string{{"p-note", "large"}}, bytes.NewReader(content)).goesTo(t, "/admin/migrations/runs/1")
		if r := e.run(t, 1); r.Upload != "lines <b>.txt" || r.Values["note"] != "large" {
			t.Errorf("%+v", r)
		}
		for _, kept := range e.stored() {
			if kept != string(content) {
				t.Errorf("%d bytes are kept", len(kept))
			}
		}
	})
	for what, send := range map[string]func() *answer{
		"no file":              func() *answer { return ana.upload(path, [][2]string{{"p-note", "kept"}}, nil) },
		"a form without files": func() *answer { return ana.post(path, "p-note", "kept") },
		"an empty file": func() *answer {
			return ana.upload(path, [][2]string{{"p-note", "kept"}},
				strings.NewReader(""))
		},
		"a connection that ends": func() *answer {
			return ana.upload(path, [][2]string{{"p-note", "kept"}},
				brokenReader("one\ntwo"))
		},
		"fields behind the file": func() *answer {
			return ana.upload(path, [][2]string{{"p-note", "kept"}}, strings.NewReader("one"), [2]string{"p-note", "late"})
		},
		"a parameter that is wrong": func() *answer {
			return ana.upload(path, [][2]string{{"p-note", strings.Repeat("kept", 300)}}, strings.NewReader("one"))
		},
	} {
		t.Run(what, func(t *testing.T) {
			nothing(t, func() {
				a := send().is(t, http.StatusUnprocessableEntity).has(t, 1, ".error")
				if note := a.value(t, "#run-p-note"); !strings.HasPrefix(note, "kept") {
					t.Errorf("what was typed is lost: %q", note)
				}
			})
		})
	}
	t.Run("too large, as it says or not", func(t *testing.T) {
		for what, file := range map[string]io.Reader{"said": bytes.NewReader(make([]byte, 13<<20)),
			"not said": io.LimitReader(zeros{}, 13<<20)} {
			nothing(t, func() {
				kind, body := multi([][2]string{{"p-note", "kept"}}, file)
				r := newRequest(http.MethodPost, path, kind, body)
				if what == "said" {
					r.ContentLength = 13 << 20
				}
				a := ana.send(r).is(t, http.StatusRequestEntityTooLarge)
				if text := a.text(t, "#run-file-error"); !strings.Contains(text, "11 MB") || a.value(t, "#run-p-note") != "kept" {
					t.Errorf("%s: %s", what, text)
				}
			})
		}
	})
	t.Run("much before the file", func(t *testing.T) {
		nothing(t, func() {
			ana.upload(path, [][2]string{{"p-note", strings.Repeat("x", 600<<10)}}, strings.NewReader("one")).
				is(t, http.StatusUnprocessableEntity)
		})
	})
	t.Run("no form at all", func(t *testing.T) {
		nothing(t, func() {
			ana.send(newRequest(http.MethodPost, path, "multipart/form-data", strings.NewReader("x"))).
				is(t, http.StatusUnprocessableEntity)
			ana.send(newRequest(http.MethodPost, path, "multipart/form-data; boundary=x", strings.NewReader("x"))).
				is(t, http.StatusUnprocessableEntity)
		})
	})
	t.Run("other routes take no more than before", func(t *testing.T) {
		kind, body := multi(nil, io.LimitReader(zeros{}, 1<<20))
		ana.send(newRequest(http.MethodPost, "/account", kind, body)).is(t, http.StatusRequestEntityTooLarge)
		ana.send(newRequest(http.MethodPost, path, formKind, io.LimitReader(zeros{}, 1<<20))).
			is(t, http.StatusRequestEntityTooLarge)
	})
	t.Run("a migration without a file takes none", func(t *testing.T) {
		nothing(t, func() {
			ana.upload("/admin/migrations/count-up/runs", [][2]string{{"p-to", "5"}, {"p-mode", "up"}},
				strings.NewReader("one")).is(t, http.StatusUnprocessableEntity)
		})
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestStartRun(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	run := e.readyRun(12_482)
	path := views.RunStartPath(run)
	t.Run("the question has the exact number, the host and the database", func(t *testing.T) {
		a := ana.get(path).is(t, http.StatusOK)
		a.textHas(t, "h1", "Start 12,482 tasks on db host localhost, database t_")
		a.textIs(t, "#start form .primary", "Start 12,482 tasks")
		if strings.Contains(a.body, "hush") {
			t.Error("the secret is on the page")
		}
	})
	form := func(pairs ...string) []string {
		fields := []string{"canary", ""}
		for _, knob := range admin.StartKnobs {
			fields = append(fields, knob.Name, knob.Of(migrations.DefaultKnobs), "was-"+knob.Name,
				knob.Of(migrations.DefaultKnobs))
		}
		return append(fields, pairs...)
	}
	t.Run("a wrong value is said beside its field", func(t *testing.T) {
		e.unchanged(t, func() {
			for field, values := range map[string][]string{
				"canary":      {"0", "-1", "x", "1.5", "12482", "99999999999999999999"},
				"concurrency": {"", "-1", "0", "1001", "2.5", "many"}, "rate": {"-1", "NaN", "Inf", "x", "1e300"},
				"max_lag": {"-1", "1d"},
			} {
				for _, value := range values {
					a := ana.post(path, form(field, value)...).is(t, http.StatusUnprocessableEntity).
						has(t, 1, "#start-"+field+"-error")
					if got := a.value(t, "#start-"+field); got != value {
						t.Errorf("%s is %q", field, got)
					}
				}
			}
		})
	})
	t.Run("of two settings that are refused each says so at its own field", func(t *testing.T) {
		e.unchanged(t, func() {
			a := ana.post(path, form("concurrency", "1001", "max_threads", "100001")...).is(t, http.StatusUnprocessableEntity)
			for field, want := range map[string]string{"concurrency": "Concurrency must be from 1 to 1000.",
				"max_threads": "Threads running must be from 0 to 100000."} {
				a.textIs(t, "#start-"+field+"-error", want)
			}
		})
	})
	t.Run("a setting says whether 0 is no limit", func(t *testing.T) {
		a := ana.get(path).is(t, http.StatusOK)
		for _, knob := range admin.StartKnobs {
			one := form(knob.Name, "0", "was-"+knob.Name, "")
			if zero := strings.Contains(knob.Hint, "0 is no limit"); zero == (knob.Name == "concurrency") {
				t.Errorf("%s: %s", knob.Name, knob.Hint)
			}
			if knob.Name == "concurrency" {
				ana.post(path, one...).is(t, http.StatusUnprocessableEntity)
			}
		}
		if text := a.text(t, "#start fieldset > .hint"); strings.Contains(text, "0") {
			t.Error(text)
		}
	})
	t.Run("only what was changed is turned, and the canary is set", func(t *testing.T) {
		domaintest.OK(e.workflows.Console.ChangeKnobs(console.AsCommandLine(t.Context()), run,
			migrations.KnobChange{"max_threads": 7}))(t)
		ana.post(path, form("canary", "1,000", "rate", "2.5", "max_lag", "30")...).goesTo(t, views.RunPath(run))
		r := e.run(t, run)
		if r.State != migrations.Running || r.CanaryLeft == nil || *r.CanaryLeft != 1000 || r.Knobs.Rate != 2.5 ||
			r.Knobs.MaxThreads != 7 || r.Knobs.MaxLag.Seconds() != 30 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("a second start says so, and changes nothing", func(t *testing.T) {
		e.unchanged(t, func() { ana.post(path, form("canary", "1,000", "rate", "9")...).is(t, http.StatusConflict) })
	})
	t.Run("a started run is past the question", func(t *testing.T) {
		ana.get(path).is(t, http.StatusOK).has(t, 0, "#start form")
		e.unchanged(t, func() {
			a := ana.post(path, form()...).is(t, http.StatusConflict).has(t, 0, "#start form").has(t, 0, "main [data-live]")
			a.textHas(t, "#start", "Running")
		})
	})
	t.Run("while it is filled the question is asked for again and again", func(t *testing.T) {
		filling := e.openRun("count-up", migrations.Values{"to": "99", "mode": "down"})
		e.exec("UPDATE migration_run SET state = 'filling', total = 1234 WHERE id = ?", filling)
		a := ana.htmx(views.StartID).get(views.RunStartPath(filling)).is(t, http.StatusOK).has(t, 1, "#start[data-live]").
			has(t, 0, "#start form").has(t, 1, ".banner")
		a.textHas(t, "#start .lead", "1,234 tasks so far")
		ana.post(views.RunStartPath(filling), form()...).is(t, http.StatusConflict)
	})
	ana.get("/admin/migrations/runs/99/start").is(t, http.StatusNotFound)
	ana.get("/admin/migrations/runs/x/start").is(t, http.StatusNotFound)
}

func TestRejections(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	run := e.readyRun(5)
	path := views.RunRejectionsPath(run)
	ana.get(path).is(t, http.StatusOK).has(t, 0, "table")
	const lines = migrations.RejectionsPerPage + 20
	for n := 1; n <= lines; n++ {
		e.exec("INSERT INTO migration_rejection (run_id, number, line, reason, content) VALUES (?, ?, ?, ?, ?)", run, n, n*10,
			"The <b data-evil>date</b> is none.", "=HYPERLINK(\"x\"),\n<img data-evil>")
	}
	e.exec("UPDATE migration_run SET rejected = ? WHERE id = ?", lines, run)
	a := ana.get(path).is(t, http.StatusOK).has(t, migrations.RejectionsPerPage, "#"+views.RejectionsID+" tbody tr").
		has(t, 0, "[data-evil]")
	a.textIs(t, "h1", "120 rejected lines")
	ana.get(a.page().Find(".more a").AttrOr("href", "")).is(t, http.StatusOK).has(t, 20, "tbody tr").has(t, 0, ".more a")
	file := ana.get(path+".csv").is(t, http.StatusOK)
	if kind, name := file.header.Get("Content-Type"),
		file.header.Get("Content-Disposition"); kind != "text/csv; charset=utf-8" ||
		name != `attachment; filename="run-1-rejections.csv"` {
		t.Error(kind, name)
	}
	rows, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
	if err != nil || len(rows) != lines+1 || rows[lines][0] != "1200" ||
		rows[lines][2] != "'=HYPERLINK(\"x\"),\n<img data-evil>" {
		t.Errorf("%v, %d rows", err, len(rows))
	}
	ana.get("/admin/migrations/runs/99/rejections.csv").is(t, http.StatusNotFound)

	ends := "Only the first 10,000 are listed: 700 more lines were rejected."
	a.textIs(t, "#"+views.UnlistedID, "")
	e.exec("UPDATE migration_run SET rejected = 10700 WHERE id = ?", run)
	ana.get(path).is(t, http.StatusOK).textIs(t, "#"+views.UnlistedID, ends)
	if text := ana.get(path+"?after=10000").is(t, http.StatusOK).text(t, ".lead"); !strings.HasSuffix(text, ends) {
		t.Error(text)
	}
	for name, last := range map[string][]string{"/rejections.csv": {"", ends, ""},
		"/report.csv": {"", "rejected", ends, ""}} {
		rows, err := csv.NewReader(strings.NewReader(ana.get(views.RunPath(run)+name).is(t, http.StatusOK).body)).ReadAll()
		if err != nil || !slices.Equal(rows[len(rows)-1], last) {
			t.Errorf("%s ends with %q, %v", name, rows[len(rows)-1], err)
		}
	}
}

func TestWorkers(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	ana.get("/admin/migrations/workers").is(t, http.StatusOK).has(t, 1, ".banner")
	worker := e.worker(`<b data-evil>host</b>`)
	row := "#" + views.WorkerItemID(worker)
	a := ana.get("/admin/migrations/workers").is(t, http.StatusOK).has(t, 0, "[data-evil]")
	for _, want := range []string{"process 4711", "Working", "1,234,567", "8.2", "1.0"} {
		a.textHas(t, row, want)
	}
	drain := views.WorkerDrainPath(worker)
	ana.post(drain, "drain", "yes").goesTo(t, views.WorkersPath)
	ana.htmx(views.WorkersID).get("/admin/migrations/workers").textIs(t, row+" .run-state", "Draining")
	ana.post(drain, "drain", "no").goesTo(t, views.WorkersPath)
	ana.get("/admin/migrations/workers").textIs(t, row+" .run-state", "Working")
	ana.post(drain, "drain", "maybe").is(t, http.StatusUnprocessableEntity)
	e.exec("UPDATE migration_worker SET lease_until = NOW(6) - INTERVAL 1 SECOND")
	ana.get("/admin/migrations/workers").has(t, 0, row+" form")
}

func TestErrorsOfMigrations(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	run := e.readyRun(3)
	e.account("ben", "acme", "member")
	t.Run("an error page leads an operator back to the migrations, anyone else to the boards", func(t *testing.T) {
		for _, path := range []string{"/runs/99", "/nothing/new", "/nothing", "/runs/x",
			views.RunTaskPath(run, 99)[len(views.MigrationsPath):], "?before=x"} {
			a := e.ana().get(views.MigrationsPath + path)
			if a.code < 400 {
				t.Errorf("%s: %d", path, a.code)
			}
			a.has(t, 1, "main .actions a[href='"+views.MigrationsPath+"']").
				has(t, 0, "main .actions a[href='/acme'], main .actions a[href='/']")
			if text := a.text(t, "main .lead"); strings.Contains(text, "boards") {
				t.Errorf("%s: %s", path, text)
			}
		}
		e.ana().post(views.RunPausePath(99), "paused", "1").is(t, http.StatusNotFound).
			has(t, 1, "main .actions a[href='"+views.MigrationsPath+"']")
		e.signedIn("ben").get(views.RunPath(run)).is(t, http.StatusNotFound).
			has(t, 0, "main .actions a[href='"+views.MigrationsPath+"']")
		e.ana().get("/acme/NOPE-1").is(t, http.StatusNotFound).has(t, 0, "main .actions a[href='"+views.MigrationsPath+"']")
	})
}

func TestQuestionsAboutNothing(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	run := e.readyRun(3)
	e.exec("UPDATE migration_run SET state = 'complete', finished_at = NOW(6) WHERE id = ?", run)
	t.Run("an impossible action is not asked about: there is only a way back", func(t *testing.T) {
		for path, says := range map[string]string{
			views.RunCancellationPath(run): "is over", views.RunRetriesPath(run) + "?all=1": "failed any more",
			views.RunSkipsPath(run) + "?all=1": "failed any more", views.RunSkipsPath(run) + "?waiting=1": "No task is waiting",
		} {
			a := e.ana().get(path).is(t, http.StatusOK).has(t, 0, "#run-question button").
				has(t, 1, "#run-question a[href='"+views.RunPath(run)+"']")
			if text := a.text(t, "#run-question"); !strings.Contains(text, says) {
				t.Errorf("%s: %s", path, text)
			}
		}
	})
}

// A purged run shows what it keeps, and offers nothing that is gone.
func TestPurgedRun(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	run := e.runIn(migrations.Complete)
	ana := e.ana()
	path := views.RunPath(run)
	ana.get(path).is(t, http.StatusOK).has(t, 0, "#run-purged").has(t, 1, "#"+views.RunTaskListID)
	e.exec("UPDATE migration_run SET purged_at = NOW(6), rejected = 2, upload_name = 'x.csv' WHERE id = ?", uint64(run))
	page := ana.get(path).is(t, http.StatusOK).has(t, 1, "#run-purged").has(t, 1, ".run-progress .tally")
	page.has(t, 0, ".run-progress a").has(t, 0, ".run-grid").has(t, 0, "#"+views.RunTaskListID)
	ana.htmx(views.RunID).get(path+"/live").is(t, http.StatusOK).has(t, 0, ".run-grid")
	ana.get(path+"/rejections").is(t, http.StatusOK).has(t, 0, "main header a.button").textIs(t, "p.lead", "They were purged.")
	ana.post(path+"/retries", "all", "1").is(t, http.StatusConflict)
	e.program().get(fmt.Sprintf("/runs/%d", run)).is(t, http.StatusOK)
}
