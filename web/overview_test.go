package web_test

import (
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// state is the state of a part in the overview, facts is what it says of it.
func (a *answer) state(t testing.TB, part string) (state, facts string) {
	t.Helper()
	return a.text(t, "#part-"+part+" .run-state"), a.text(t, "#part-"+part+" td:last-child")
}

func TestOverview(t *testing.T) {
	t.Parallel()

	t.Run("says that all is well, with links to each page", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.worker("web-1")
		a := e.ana().get("/admin").is(t, 200)
		a.textHas(t, "#overview .strip", "All is well")
		for part, path := range map[string]string{"migrations": "/admin/migrations", "workers": "/admin/migrations/workers",
			"feeds": "/admin/feeds", "consumers": "/admin/feeds#consumers-head", "webhooks": "/admin/webhooks",
			"codes": "/admin/refs", "companies": "/admin/companies"} {
			a.has(t, 1, "#part-"+part+" th a[href='"+path+"']")
		}
		for part, want := range map[string][2]string{"migrations": {"Idle", "no active runs"},
			"workers": {"Running", "1 worker on web-1"}, "feeds": {"Publishing", "tickets at"},
			"consumers": {"None", "no program"}, "codes": {"Not needed yet", "0 codes"},
			"database": {"Connected", "schema"}} {
			state, facts := a.state(t, part)
			if state != want[0] || !strings.Contains(facts, want[1]) {
				t.Errorf("%s: %q, %q", part, state, facts)
			}
		}
		a.textIs(t, "#part-companies td:last-child", "1")
	})

	t.Run("names what needs attention, and leads to it", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.exec("UPDATE webhook SET state = 'stopped', reason = 'It said 410.'")
		e.exec("UPDATE ref_policy SET paused = TRUE")
		failed := e.runIn(migrations.Complete)
		e.exec("UPDATE migration_run SET active_key = NULL, listed = ? WHERE id = ?", migrations.ListAttention, failed)
		e.exec("UPDATE migration_worker SET state = 'stopped'")
		a := e.ana().get("/admin").is(t, 200)
		a.textHas(t, "#overview .strip", "Needs attention")
		a.textHas(t, "#overview .strip", "Migrations, Workers, Webhooks, Codes")
		for part, want := range map[string][2]string{"migrations": {"Needs attention", "1 finished with failures"},
			"workers": {"None", "no worker is running"}, "webhooks": {"Stopped", "1 stopped"},
			"codes": {"Paused", "2 codes"}} {
			state, facts := a.state(t, part)
			if state != want[0] || !strings.Contains(facts, want[1]) {
				t.Errorf("%s: %q, %q", part, state, facts)
			}
		}
		a.has(t, 1, "#part-webhooks a[href='/admin/webhooks/1']")
		a.has(t, 1, "#part-migrations td a[href='"+views.RunPath(failed)+"']")
	})

	t.Run("refreshes itself", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.get("/admin").has(t, 1, "#overview[data-live][data-from='/admin']")
		a := ana.htmx("overview").get("/admin").is(t, 200).has(t, 0, "header").has(t, 1, "#overview")
		if state, _ := a.state(t, "workers"); state != "None" {
			t.Errorf("workers: %q", state)
		}
		e.worker("web-1")
		if state, _ := ana.htmx("overview").get("/admin").state(t, "workers"); state != "Running" {
			t.Errorf("workers: %q", state)
		}
	})

	t.Run("knows a database that a newer version has changed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.exec("UPDATE schema_migrations SET version = version + 1")
		defer e.exec("UPDATE schema_migrations SET version = version - 1")
		state, facts := e.ana().get("/admin").is(t, 200).state(t, "database")
		if state != "Newer schema" || !strings.Contains(facts, "update it") {
			t.Errorf("%q, %q", state, facts)
		}
	})
}
