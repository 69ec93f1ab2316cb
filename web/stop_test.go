package web_test

import (
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

func TestStopAll(t *testing.T) {
	t.Parallel()
	t.Run("a stop without a reason is refused, and a long one comes back as it was typed", func(t *testing.T) {
		t.Parallel()
		ana := newEnv(t).ana()
		ana.post("/admin/stop", "reason", " ").is(t, 422).textHas(t, ".summary", "Say why")
		long := strings.Repeat("x", migrations.MaxReason+1)
		a := ana.post("/admin/stop", "reason", long).is(t, 422)
		if got := a.value(t, "#stop-reason"); got != long {
			t.Errorf("the form has %d characters", len(got))
		}
		ana.get("/admin").has(t, 0, "#all-stopped")
	})
	t.Run("every page of the server says who stopped all runs and why, until they are released", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post("/admin/stop", "reason", "The disk <b>is</b> full.").goesTo(t, "/admin/stop")
		for _, page := range []string{"/admin", "/admin/stop", "/admin/migrations", "/admin/migrations/workers", "/admin/feeds",
			"/admin/refs", "/admin/companies", "/admin/audit"} {
			a := ana.get(page).is(t, 200)
			a.textHas(t, "#all-stopped", "All runs are stopped, by Ana")
			a.textHas(t, "#all-stopped", "The disk <b>is</b> full.")
		}
		ana.get("/acme").has(t, 0, "#all-stopped")
		ana.get("/admin/audit").textHas(t, "main", "stopped all runs on all servers: “The disk <b>is</b> full.”")
		run := e.runIn(migrations.Paused)
		ana.post(views.RunPath(run)+"/pause", "paused", "0").is(t, 409).
			textHas(t, ".banner.bad", "All runs are stopped, by Ana")
		ana.post("/admin/stop/release").goesTo(t, "/admin/migrations")
		ana.get("/admin").has(t, 0, "#all-stopped")
		ana.get("/admin/audit").textHas(t, "main", "released all runs on all servers")
	})
}
