package web_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web"
)

// counted is a file of so many bytes that knows how many of them were read, and does something when half are.
type counted struct {
	left, read int
	half       func()
}

func (c *counted) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), c.left, 64<<10)
	for i := range n {
		p[i] = "x\n"[i%2]
	}
	c.left, c.read = c.left-n, c.read+n
	if c.half != nil && c.read >= c.left {
		c.half()
		c.half = nil
	}
	return n, nil
}

const (
	uploadPage = "/admin/migrations/read-lines/runs"
	uploadAPI  = "/api/v1/migrations/read-lines/runs"
)

// A file may have gigabytes: it is read only for a user who may use it.
func TestWhoHasAFileRead(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	token := func(name, company string, scopes ...string) []string {
		return []string{"Authorization", "Bearer " + e.tokenOf(name, company, scopes...)}
	}
	late := e.signedIn("opal")
	late.get("/admin/migrations").is(t, http.StatusOK)
	withdrawn := token("opal", "acme", accounts.Scopes...)
	e.exec("UPDATE account SET operator = FALSE WHERE name = 'opal'")
	for who, c := range map[string]struct {
		b      *browser
		path   string
		header []string
		code   int
	}{
		"nobody":                           {e.visitor(), uploadPage, nil, 303},
		"a member":                         {e.signedIn("mia"), uploadPage, nil, 404},
		"an owner":                         {e.signedIn("olga"), uploadPage, nil, 404},
		"an operator who is none any more": {late, uploadPage, nil, 404},
		"an operator's browser on another site": {e.ana(), uploadPage,
			[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, 403},
		"a program without a token":      {e.visitor(), uploadAPI, nil, 401},
		"a program with a session alone": {e.ana(), uploadAPI, nil, 401},
		"an owner's token": {e.visitor(), uploadAPI, token("olga", "acme", accounts.Scopes...),
			403},
		"an operator's token without the scope": {e.visitor(), uploadAPI,
			token("otto", "rivals", "boards:read", "boards:write", "tickets:read", "tickets:write"), 403},
		"a token of an operator who is none any more": {e.visitor(), uploadAPI, withdrawn, 403},
		"an operator, for no migration": {e.visitor(), "/api/v1/migrations/nope/runs",
			token("otto", "rivals", accounts.Operate), 404},
	} {
		e.unchanged(t, func() {
			file := &counted{left: 8 << 20}
			kind, body := multi(nil, file)
			a := c.b.send(newRequest(http.MethodPost, c.path, kind, body, c.header...))
			if a.code != c.code || file.read > 1<<20 {
				t.Errorf("%s: %d, %d bytes were read", who, a.code, file.read)
			}
		})
	}
	if len(e.stored()) != 0 {
		t.Errorf("%d files are kept", len(e.stored()))
	}
}

// While a file arrives, its sender may lose the right to it: a run opened then would work for days.
func TestRemovedWhileAFileComesIn(t *testing.T) {
	t.Parallel()
	for rule, c := range map[string]struct {
		statement string
		token     bool
	}{
		"the operator is none any more":            {"UPDATE account SET operator = FALSE WHERE name = 'otto'", false},
		"the operator of a token is none any more": {"UPDATE account SET operator = FALSE WHERE name = 'otto'", true},
		"the operator has ended all their sessions": {"UPDATE account SET session_epoch = session_epoch + 1 WHERE name = " +
			"'otto'", false},
		"the token is revoked": {"UPDATE api_token SET revoked_at = UTC_TIMESTAMP(6) WHERE account_id = (SELECT id FROM " +
			"account WHERE name = 'otto')", true},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			e := newEnvWithRoles(t)
			b, path, header := e.signedIn("otto"), uploadPage, []string(nil)
			if c.token {
				b, path, header = e.visitor(), uploadAPI,
					[]string{"Authorization", "Bearer " + e.tokenOf("otto", "rivals", accounts.Operate)}
			}
			runs := e.count("SELECT COUNT(*) FROM migration_run")
			send := func(half func()) *answer {
				kind, body := multi(nil, &counted{left: 300 << 10, half: half})
				return b.send(newRequest(http.MethodPost, path, kind, body, header...))
			}
			if a := send(func() { e.exec(c.statement) }); a.code < 303 || a.code >= 500 ||
				strings.Contains(a.header.Get("Location"), "/runs/") {
				t.Errorf("%d: %s", a.code, a.body)
			}
			if n := e.count("SELECT COUNT(*) FROM migration_run"); n != runs || len(e.stored()) != 0 {
				t.Errorf("%d runs and %d files are there", n-runs, len(e.stored()))
			}
		})
	}
}

// A live page ends with its reader's rights, and so does a token.
func TestOperatorNoMore(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	run := e.runIn(migrations.Running)
	otto, p := e.signedIn("otto").htmx(views.RunID), &program{env: e, token: e.tokenOf("opal", "acme", accounts.Scopes...)}
	otto.get(views.RunLivePath(run)).is(t, http.StatusOK)
	p.get(fmt.Sprint("/runs/", run)).is(t, http.StatusOK)
	e.ana().post(fmt.Sprintf("/acme/people/%d/operator", e.idOf("opal")), "operator", "no").is(t, http.StatusSeeOther)
	e.exec("UPDATE account SET operator = FALSE WHERE name = 'otto'")
	e.unchanged(t, func() {
		if a := otto.get(views.RunLivePath(run)).is(t, http.StatusNotFound); strings.Contains(a.body, "data-evil") {
			t.Error("the page goes on")
		}
		otto.post(views.RunPausePath(run), "paused", "1").is(t, http.StatusNotFound)
		p.get(fmt.Sprint("/runs/", run)).problem(t, http.StatusForbidden, "") // at once, not in a second
		p.post(fmt.Sprint("/runs/", run, "/cancel"), nil).problem(t, http.StatusForbidden, "")
	})
}

// An operator is a member of no company for that.
func TestOperatorIsNoMember(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	otto := e.signedIn("otto")
	e.exec("INSERT INTO image (company_id, hash, content_type, bytes, width, height, created_at) SELECT id, " +
		"UNHEX(SHA2('x', 256)), 'image/png', 1, 9, 9, UTC_TIMESTAMP(6) FROM company WHERE slug = 'acme'")
	const hash = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
	e.store("images/2d/"+hash, "x")
	e.ana().get("/acme/images/"+hash).is(t, http.StatusOK)
	for _, path := range []string{"/acme", "/acme/DEMO-1", "/acme/boards/DEMO", "/acme/images/" + hash,
		"/acme/images/" + hash + "/640", "/rivals/images/" + hash, "/rivals/images/" + hash + "/640"} {
		if a := otto.get(path); a.code != http.StatusNotFound || a.header.Get("ETag") != "" {
			t.Errorf("%s: %d", path, a.code)
		}
	}
	for _, path := range []string{"../uploads/x", "%2e%2e%2fuploads%2fx", "2d%2f..%2fx", strings.ToUpper(hash),
		hash + "%00", hash + ".640"} {
		if a := e.ana().get("/acme/images/" + path); a.code != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.code)
		}
	}
}

// Ids of tasks are the same in all runs; each is looked for in the run of the path.
func TestTasksOfAnotherRun(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana, p := e.ana(), e.program()
	mine, other := e.runIn(migrations.Paused), e.runIn(migrations.Paused)
	e.exec("UPDATE migration_task SET fingerprint = UNHEX('00000000000000cd') WHERE run_id = ? AND fingerprint IS NOT "+
		"NULL", other)
	e.exec("UPDATE migration_failure SET fingerprint = UNHEX('00000000000000cd') WHERE run_id = ?", other)
	task := e.count("SELECT MIN(id) FROM migration_task WHERE run_id = ? AND state = 'failed'", other)
	e.unchanged(t, func() {
		ana.get(views.RunPath(mine)+fmt.Sprint("/tasks/", task)).is(t, http.StatusNotFound)
		for _, path := range []string{views.RunRetriesPath(mine), views.RunSkipsPath(mine)} {
			if a := ana.post(path, "task", fmt.Sprint(task)); a.code != http.StatusNotFound {
				t.Errorf("%s: %d", path, a.code)
			}
		}
		for _, do := range []string{"retry", "skip"} {
			path := fmt.Sprintf("/runs/%d/%s", mine, do)
			p.post(path, object{"task": task}).problem(t, http.StatusNotFound, "")
			for _, bad := range []string{`{}`, `{"all":true,"task":1}`, `{"task":-1}`, `{"task":1e30}`,
				`{"task":18446744073709551616}`, `{"fingerprint":"' OR 1=1 --"}`, `{"fingerprint":"00000000000000ab\u0000"}`} {
				if a := p.post(path, bad); a.code < 400 || a.code >= 500 {
					t.Errorf("%s %s: %d", path, bad, a.code)
				}
			}
		}
		if a := ana.get(views.RunPath(mine) + "/failures/00000000000000cd"); strings.Contains(a.body, fmt.Sprint(task)) {
			t.Errorf("the failures of another run are listed: %s", a.body)
		}
	})
	p.post(fmt.Sprintf("/runs/%d/retry", mine), `{"fingerprint":"00000000000000cd"}`)
	e.counts(t, 2, "SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND state = 'failed'", other)
}

// A number out of range is never turned into another one.
func TestKnobsOutOfRange(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	p, ana, run := e.program(), e.ana(), e.readyRun(100)
	e.unchanged(t, func() {
		for _, knob := range []string{"concurrency", "block", "attempts", "max_threads", "max_history", "same_error", "rate",
			"per_host", "error_share"} {
			for _, value := range []string{"-1", "9223372036854775807", "9223372036854775808", "18446744073709551617", "1e308",
				"1e999", "-9223372036854775809", "null1"} {
				if a := p.patch(fmt.Sprint("/runs/", run), fmt.Sprintf(`{%q:%s}`, knob, value)); a.code < 400 || a.code >= 500 {
					t.Errorf("%s %s: %d", knob, value, a.code)
				}
			}
		}
		for _, knob := range []string{"backoff", "timeout", "lease", "max_lag"} {
			for _, value := range []string{"-1s", "2562047h47m16.854775807s", "9999999999h", "NaNs", "1e3s", "25h"} {
				if a := p.patch(fmt.Sprint("/runs/", run), fmt.Sprintf(`{%q:%q}`, knob, value)); a.code < 400 || a.code >= 500 {
					t.Errorf("%s %s: %d", knob, value, a.code)
				}
			}
		}
		for _, knob := range []string{"concurrency", "rate", "max_history", "max_lag", "max_threads", "per_host"} {
			for _, value := range []string{"-1", "1e12", "1e308", "NaN", "Inf", "0x7fffffffffffffff", "99999999999999999999"} {
				if knob == "max_history" && value == "1e12" {
					continue
				}
				if a := ana.post(views.RunStartPath(run), knob, value, "was-"+knob, "1"); a.code < 400 || a.code >= 500 {
					t.Errorf("the form: %s %s: %d", knob, value, a.code)
				}
			}
		}
		for _, canary := range []string{"-1", "0", "4294967297", "99999999999999999999"} {
			if a := ana.post(views.RunStartPath(run), "canary", canary); a.code < 400 || a.code >= 500 {
				t.Errorf("the form: canary %s: %d", canary, a.code)
			}
			if canary == "0" { // all
				continue
			}
			if a := p.post(fmt.Sprint("/runs/", run, "/start"), fmt.Sprintf(`{"canary":%s}`, canary)); a.code < 400 ||
				a.code >= 500 {
				t.Errorf("canary %s: %d", canary, a.code)
			}
		}
	})
}

// A file's name and content are untrusted text on every page and in every file.
func TestHostileFile(t *testing.T) {
	t.Parallel()
	const evil = `<script data-evil>alert(1)</script>`
	e := newEnv(t, func(cfg *web.Config) { cfg.MaxUpload = 1 << 20 })
	ana := e.ana()
	for name, says := range map[string]string{
		evil + ".csv": "", "../../../etc/passwd": "passwd", `..\..\boot.ini`: "boot.ini", "a\r\nSet-Cookie: x=y.csv": "",
		"\x00": "", "\xff\xfe": "", strings.Repeat("ü", 2000): "", "..": "", "\u202egnp.csv": "", "=1+1.csv": "=1+1.csv",
	} {
		quoted := strings.NewReplacer("\\", "\\\\", `"`, "\\\"", "\r", "%0D", "\n", "%0A").Replace(name)
		body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + quoted + "\"\r\n\r\n=1+1 " +
			evil + name + "\r\n--b--\r\n"
		a := ana.send(newRequest(http.MethodPost, uploadPage, "multipart/form-data; boundary=b", strings.NewReader(body)))
		if a.code >= 500 {
			t.Errorf("%q: %d %s", name, a.code, a.body)
		}
		if a.code != http.StatusSeeOther {
			continue
		}
		run := e.count("SELECT MAX(id) FROM migration_run")
		path := a.header.Get("Location")
		page := ana.get(path).is(t, http.StatusOK).has(t, 0, "[data-evil]")
		if says != "" && !strings.Contains(page.body, says) {
			t.Errorf("%q is not on the page of its run", name)
		}
		for key := range e.stored() {
			if !strings.HasPrefix(key, "uploads/") || strings.ContainsAny(key, "<.\\\r\n ") {
				t.Errorf("it is kept as %q", key)
			}
		}
		e.exec(`INSERT INTO migration_rejection (run_id, number, line, reason, content) VALUES (?, 1, 1, ?, ?)`, run,
			"\n=cmd|' /C calc'!A0", "＝1+1")
		e.exec("UPDATE migration_run SET rejected = 1 WHERE id = ?", run)
		file := ana.get(path+"/rejections.csv").is(t, http.StatusOK)
		rows, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%v %v", rows, err)
		}
		for _, cell := range rows[1] {
			if cell != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(cell)[0]) {
				t.Errorf("%q is calculated", cell)
			}
		}
		if got := file.header.Get("Content-Disposition"); got != fmt.Sprintf(`attachment; filename="run-%d-rejections.csv"`,
			run) {
			t.Errorf("%q", got)
		}
	}
	for _, path := range []string{"/admin/migrations", "/admin/migrations/workers"} {
		ana.get(path).is(t, http.StatusOK).has(t, 0, "[data-evil]")
	}
}

// The texts of a migration are untrusted on every page.
func TestHostileWordsOfARun(t *testing.T) {
	t.Parallel()
	const evil = `"><img data-evil src=x onerror=alert(1)></textarea></script>`
	e := newEnv(t)
	ana := e.ana()
	run := e.runIn(migrations.Paused)
	e.exec("UPDATE migration_task SET payload = ?, note = ? WHERE run_id = ?", evil, evil, run)
	e.exec("UPDATE migration_run SET reason = ?, actor = ?, upload_name = ? WHERE id = ?", evil, evil[:20], evil, run)
	e.exec("UPDATE migration_worker SET host = ?, version = ?", evil[:40], evil[:20])
	e.exec("UPDATE migration_attempt SET message = ?, detail = ?, worker = ? WHERE run_id = ?", evil, evil, evil[:40], run)
	e.exec("UPDATE migration_failure SET message = ? WHERE run_id = ?", evil, run)
	e.exec("INSERT INTO migration_event (run_id, created_at, actor, kind, detail) VALUES (?, NOW(6), ?, 'note', ?)", run,
		evil[:20], evil)
	e.exec("INSERT INTO migration_rejection (run_id, number, line, reason, content) VALUES (?, 1, 1, ?, ?)", run, evil,
		evil)
	e.exec("UPDATE migration_run SET rejected = 1 WHERE id = ?", run)
	task := e.count("SELECT MIN(id) FROM migration_task WHERE run_id = ? AND state = 'failed'", run)
	at := views.RunPath(run)
	seen := 0
	for _, path := range []string{
		at, at + "/live", fmt.Sprint(at, "/tasks/", task), at + "/failures", at + "/events", at + "/rejections",
		at + "/start", at + "/cancellation",
		at + "/retries?fingerprint=" + fingerprint, at + "/skips?fingerprint=" + fingerprint, "/admin/migrations",
		"/admin/migrations/workers",
	} {
		for _, b := range []*browser{ana, ana.htmx(views.RunID), ana.htmx("dialog")} {
			a := b.get(path)
			if a.code >= 400 {
				t.Errorf("%s: %d", path, a.code)
				continue
			}
			a.has(t, 0, "[data-evil], img[onerror]")
			if strings.Contains(a.body, "data-evil") {
				seen++
			}
			for name, values := range a.header {
				if strings.Contains(strings.Join(values, ""), "data-evil") {
					t.Errorf("%s: it is in %s", path, name)
				}
			}
			if strings.Contains(a.body, "hush-hush") {
				t.Errorf("%s has the secret", path)
			}
		}
	}
	if seen < 12 {
		t.Errorf("it was on %d pages only: nothing was attacked", seen)
	}
	paths := []string{"/api/v1/runs", "/api/v1/workers"}
	for _, of := range []string{"", "/tasks", fmt.Sprint("/tasks/", task), "/events", "/failures", "/failures.csv",
		"/rejections", "/rejections.csv", "/report.csv"} {
		paths = append(paths, fmt.Sprint("/api/v1/runs/", run, of))
	}
	for _, path := range paths {
		a := e.send(newRequest(http.MethodGet, path, "", bytes.NewReader(nil), "Authorization", "Bearer "+e.token)).
			is(t, http.StatusOK)
		if strings.Contains(a.body, "hush-hush") {
			t.Errorf("%s has what it should not", path)
		}
	}
	if body := e.metrics(); strings.Contains(body, "hush-hush") || strings.Contains(body, "data-evil") {
		t.Error("the metrics have what they should not")
	}
}

// Every use case of migrations checks the actor.
func TestMigrationsOfNobody(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	run := e.runIn(migrations.Paused)
	for name, ctx := range map[string]context.Context{"a member": e.actorOf("mia", "acme"),
		"an owner": e.actorOf("olga", "acme")} {
		e.unchanged(t, func() {
			for what, do := range map[string]func() error{
				"cancel": func() error { _, err := e.workflows.Console.CancelRun(ctx, run); return err },
				"start":  func() error { _, err := e.workflows.Console.StartRun(ctx, run, 0, nil); return err },
				"turn":   func() error { _, err := e.workflows.Console.ChangeKnobs(ctx, run, migrations.KnobChange{}); return err },
				"retry": func() error {
					_, err := e.workflows.Console.RetryTasks(ctx, run, migrations.Selection{All: true})
					return err
				},
				"drain":          func() error { return e.workflows.Console.DrainWorker(ctx, 1, true) },
				"dismiss":        func() error { _, err := e.workflows.Console.DismissRun(ctx, run); return err },
				"look at a file": func() error { _, err := e.workflows.Workflows.ImportFile(ctx, run, nil); return err },
				"read a task":    func() error { _, _, err := e.workflows.Console.RunTask(ctx, run, 1); return err },
				"open": func() error {
					_, err := e.workflows.Console.OpenRun(ctx, "count-up", migrations.Values{"to": "1", "mode": "up"},
						migrations.Draft{}, nil)
					return err
				},
			} {
				if err := do(); !errors.Is(err, fault.Forbidden) && !errors.Is(err, fault.NotFound) {
					t.Errorf("%s may %s: %v", name, what, err)
				}
			}
		})
	}
}
