package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

func TestTasksShowWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	task := func(migration, payload string) (run migrations.Run, task string) {
		to := fmt.Sprint(1 + e.count("SELECT COUNT(*) FROM migration_run")) // no two runs are the same
		n := e.openRun("count-up", migrations.Values{"to": to, "mode": "up"})
		e.exec("UPDATE migration_run SET name = ?, state = 'ready', total = 1, "+
			"company_id = (SELECT id FROM company WHERE slug = 'acme') WHERE id = ?", migration, n)
		number := e.exec("INSERT INTO migration_task (run_id, payload) VALUES (?, ?)", n, payload)
		return e.run(t, n), views.Number(uint64(number))
	}
	long := strings.Repeat("long ", 400)
	for _, one := range []struct{ migration, payload, want string }{
		{"import-tickets", `{"key":"OLD-7","title":"<i data-evil>Fuel\nleak</i>","description":"` + long + `"}`,
			"OLD-7 <i data-evil>Fuel leak</i>"},
		{"import-tickets", `{"title":"No key"}`, "No key"},
		{"download-images", `{"url":"https://pictures.example/a.png","key":"DEMO-1","ticket":4}`,
			"https://pictures.example/a.png"},
		{"republish", `{"feed":"tickets","board":1,"slug":"DEMO","after":100,"upto":200}`, "DEMO-101 to DEMO-200 (tickets)"},
		{"republish", `{"feed":"boards","board":1,"slug":"DEMO","after":0,"upto":0}`, "DEMO (boards)"},
		{"rebalance-ranks", `{"column":3,"name":"Doing","part":2,"of":5}`, "Doing, part 2 of 5"},
		{"re-render-markdown", `{"company":"acme","board":1,"slug":"DEMO","after":0,"upto":50}`, "DEMO-1 to DEMO-50 of acme"},
		{"change-column", `{"part":3}`, "Tickets of the column, part 3"},
		{"change-column", `{"tickets":[` + strings.Repeat("1234567,", 300) + `1],"after":1,"upto":900}`,
			"Tickets of the column"},
		{"mint-refs", `{"length":5,"before":0,"own":0,"from":0,"to":9,"codes":1000}`, "1000 codes of 5 characters"},
		{"load-refs", `{"line":2001,"codes":"` + strings.Repeat("ukrEP ", 2000) + `"}`, "Codes from line 2001"},
		{"purge-deleted", `{"ticket":4,"board":1,"key":"DEMO-9","deleted_at":"2026-03-01T10:00:00Z"}`,
			"DEMO-9, deleted on 1 March 2026"},
		{"purge-runs", `{"run":7,"name":"republish","finished_at":"2026-03-01T10:00:00.5Z","tasks":[` + strings.Repeat("1234567,", 300) + `1]}`,
			"Run 7, republish, ended on 1 March 2026"},
		{"gone", `{"from":1,"upto":"<b>9</b>","nested":{"x":1}}`, "from 1, upto <b>9</b>"},
		{"gone", long, strings.TrimSpace(strings.Repeat("long ", 32)[:159]) + "…"},
	} {
		run, number := task(one.migration, one.payload)
		ana.get(views.RunPath(run.ID)).is(t, http.StatusOK).has(t, 0, "[data-evil]")
		ana.get(views.RunPath(run.ID)).textIs(t, "#run-tasks td.what > span", one.want)
		a := ana.get(views.RunPath(run.ID)+"/tasks/"+number).is(t, http.StatusOK).has(t, 0, "[data-evil]")
		a.has(t, 1, "#task-details:not([open]) .payload")
		if one.migration != "change-column" { // the page has the whole payload, and says more of it
			a.textIs(t, "h1", one.want)
		}
	}
}

func TestOperatorsDetailIsUnderDetails(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	run := e.runIn(migrations.Running)
	a := e.operator().get(views.RunPath(run)).is(t, http.StatusOK)
	for _, figure := range []string{"Claim p99", "Claim plan", "History list", "Threads running"} {
		a.textHas(t, "#run-details:not([open])", figure)
	}
}
