package web_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/private"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/web"
)

func quiet(cfg *web.Config) { cfg.Log = slog.New(slog.DiscardHandler) }

func TestFaults(t *testing.T) {
	t.Parallel()

	t.Run("while it stops it says to try again", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, quiet)
		ana := e.ana()
		domaintest.Must(t, e.workflows.Close(context.Background()))
		e.unchanged(t, func() {
			a := ana.post("/acme/boards/DEMO/tickets", "title", "x").is(t, 503)
			if a.header.Get("Retry-After") == "" || !strings.Contains(a.text(t, "#main .lead"), "Nothing was lost") {
				t.Errorf("it says %v %q", a.header, a.text(t, "#main .lead"))
			}
			a = e.program().post("/boards/DEMO/tickets", object{"title": "x"})
			if a.problem(t, 503, ""); a.header.Get("Retry-After") == "" {
				t.Error("no Retry-After for programs")
			}
			ana.htmx("dialog").post("/acme/boards/DEMO/tickets", "title", "x").is(t, 503)
		})
	})

	t.Run("what is wrong with the machine is for operators", func(t *testing.T) {
		t.Parallel()
		trouble := func(cfg *web.Config) {
			cfg.Why = func() error { return private.DiskFull("/srv/secret/data", 3<<20, 0) }
		}
		inside := []string{"/srv/secret", " MB"}
		check := func(name string, a *answer) {
			t.Helper()
			for _, text := range inside {
				if strings.Contains(a.body, text) {
					t.Errorf("%s (%d) shows %q", name, a.code, text)
				}
			}
		}
		e := newEnvWithRoles(t, quiet, trouble)
		ana, mia, program := e.ana(), e.signedIn("mia"), e.program()
		domaintest.Must(t, e.workflows.Close(context.Background()))
		for name, a := range map[string]*answer{
			"a member": mia.post("/acme/boards/DEMO/tickets", "title", "x").is(t, 503),
			"a dialog": mia.htmx("dialog").post("/acme/boards/DEMO/tickets", "title", "x").is(t, 503),
		} {
			if check(name, a); !strings.Contains(a.body, "no room") {
				t.Errorf("%s is not told what is wrong: %s", name, a.body)
			}
		}
		for name, a := range map[string]*answer{
			"an operator":               ana.post("/acme/boards/DEMO/tickets", "title", "x").is(t, 503),
			"a program of the operator": program.post("/boards/DEMO/tickets", object{"title": "x"}).is(t, 503),
		} {
			if !strings.Contains(a.body, "/srv/secret/data") {
				t.Errorf("%s does not see where: %s", name, a.body)
			}
		}

		domaintest.Must(t, e.db.SQL.Close())
		for _, path := range []string{"/", "/login", "/setup", "/acme", "/t/ukrEP", "/acme/forms/DEMO", "/join/x", "/reset/x",
			"/api/v1/boards", "/readyz", "/healthz", "/metrics", "/admin"} {
			check(path, e.visitor().get(path))
		}
		if a := e.visitor().get("/t/ukrEP").is(t, 503); !strings.Contains(a.body, "no room") {
			t.Errorf("a visitor is not told what is wrong: %s", a.body)
		}
	})

	t.Run("a fault of ours shows nothing of the inside", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, quiet)
		ana := e.ana()
		e.exec("RENAME TABLE board TO lost")
		for _, a := range []*answer{
			ana.get("/acme"), ana.get("/acme/boards/DEMO"), ana.get("/acme/DEMO-1"),
			ana.post("/acme/boards", "slug", "NINJA", "title", "x"), ana.htmx("ticket").get("/acme/DEMO-1"),
			e.program().get("/boards"), e.program().get("/tickets/DEMO-1"),
			e.program().post("/boards", object{"slug": "NINJA", "title": "x"}),
		} {
			a.is(t, 500)
			for _, inside := range []string{"board'", "lost", "SELECT", "1146", "sql", "goroutine", ".go:", "doesn't exist"} {
				if strings.Contains(a.body, inside) {
					t.Errorf("it shows %q: %s", inside, a.body)
				}
			}
			if !strings.Contains(a.body, "The error is logged") || a.header.Get("Content-Security-Policy") == "" ||
				!strings.Contains(a.header.Get("Cache-Control"), "no-store") {
				t.Errorf("%v %s", a.header, a.body)
			}
		}
	})

	t.Run("a database that does not answer is not our fault", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, quiet)
		domaintest.Must(t, e.db.SQL.Close())
		e.visitor().get("/healthz").is(t, 200)
		if a := e.visitor().get("/readyz").is(t, 503); a.header.Get("Retry-After") == "" || strings.Contains(a.body, "sql") {
			t.Errorf("%v %s", a.header, a.body)
		}
		e.visitor().get("/static/x/css/app.css").is(t, 200)
	})
}
