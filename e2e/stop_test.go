package e2e

import (
	"testing"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

func TestStopAll(t *testing.T) {
	t.Run("an operator stops all runs, sees that on each page, and releases them: the run goes on and loses nothing",
		func(t *testing.T) {
			t.Parallel()
			w := withWorks(t)
			run := w.ready(t, 12)
			w.starts(t, run)
			b := w.tab(t)
			b.open(views.RunPath(run))
			b.tallied("Processing", "4")
			b.open(views.MigrationsPath)
			b.click(`.head a[href="` + views.StopPath + `"]`)
			b.at(views.StopPath)
			b.fills("#stop-reason", "The images host complains.")
			b.click("form .danger")
			b.sees("#all-stopped", "All runs are stopped, by Ana")
			b.sees("#all-stopped", "The images host complains.")
			b.open(views.RunPath(run))
			b.sees("#all-stopped", "The images host complains.")
			b.tallied("Processing", "0")
			b.sees("#run-events", "All stopped")
			b.click("#all-stopped a")
			b.click(`form[action="` + views.ReleasePath + `"] .primary`)
			b.at(views.MigrationsPath)
			b.wait(`!document.querySelector("#all-stopped")`)
			w.open()
			w.until(t, run, migrations.Complete)
			b.open(views.RunPath(run))
			b.state("Complete")
			b.tallied("Complete", "12")
		})
}
