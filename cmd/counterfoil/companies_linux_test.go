//go:build soak

package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// TestManyCompanies has 500 companies import a file each, by one server and two workers, beside a long run that began
// before them: each import ends while that run goes on, and the calls of operators are answered meanwhile.
func TestManyCompanies(t *testing.T) {
	t.Parallel()
	const companies, rows = 500, 10
	i := onURL(t, dbtest.URL(t))
	operator, w, d := i.operator(t)
	p := i.serve(t)
	i.work(t)
	i.work(t)
	begin := func(run migrations.Run) {
		t.Helper()
		until(t, w, operator, run.ID, "is filled", func(r migrations.Run) bool { return r.State == migrations.Ready })
		domaintest.OK(w.Console.StartRun(operator, run.ID, 0, nil))(t)
	}
	long := domaintest.OK(w.Console.OpenRun(operator, "uncancellable",
		migrations.Values{"tasks": "200000", "ms": "100"}, migrations.Draft{}, nil))(t)
	domaintest.OK(w.Console.ChangeKnobs(operator, long.ID, migrations.KnobChange{"lease": 30}))(t)
	begin(long)

	var runs []migrations.Run
	api := newClient(i)
	var slowest time.Duration
	look := func(run id.Run) {
		t.Helper()
		for _, path := range []string{"/api/v1/migrations", fmt.Sprintf("/api/v1/runs/%d", run)} {
			var out any
			began := time.Now()
			response, err := api.call(http.MethodGet, p.url+path, "", nil, &out)
			if err != nil || response.StatusCode != http.StatusOK {
				t.Fatalf("%s: %v %v", path, response, err)
			}
			slowest = max(slowest, time.Since(began))
		}
	}
	for n := range companies {
		slug, email := fmt.Sprintf("company%d", n), fmt.Sprintf("owner%d@example.com", n)
		domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.CreateCompany(t.Context(), db.CreateCompanyParams{Slug: slug, Name: slug, CreatedAt: tx.Now})
			return err
		}))
		company := id.Company(domaintest.Number(t, d, "SELECT id FROM company WHERE slug = ?", slug))
		domaintest.Member(t, d, company, "Owner", email, "owner", "")
		own := newClient(i)
		own.token = domaintest.OK(w.Workflows.OpenToken(t.Context(), slug, email, nil, 0))(t)
		own.board(t, p.url, "MAIN")
		own.http.CloseIdleConnections()
		draft := migrations.Draft{Upload: strings.NewReader(importSheet(slug, rows)), UploadName: "rows.csv"}
		run := domaintest.OK(w.Console.OpenRun(operator, "import-tickets",
			migrations.Values{"company": slug, "board": "MAIN", "author": email}, draft, nil))(t)
		runs = append(runs, run)
		if n%50 == 0 {
			look(run.ID)
		}
	}
	began := time.Now()
	for _, run := range runs {
		begin(run)
	}
	for complete := 0; complete < companies; look(runs[0].ID) {
		last := complete
		domaintest.Until(t, "more imports end", func() bool {
			complete = domaintest.Number(t, d,
				"SELECT COUNT(*) FROM migration_run WHERE name = 'import-tickets' AND state = 'complete'")
			return complete > last
		}, func() string { return fmt.Sprintf("%d are complete", complete) })
	}
	took := time.Since(began)
	if r := domaintest.OK(w.Console.Run(operator, long.ID))(t); r.State != migrations.Running {
		t.Errorf("the long run is %s: nothing was shared", r.State)
	}
	domaintest.Counts(t, d, companies,
		"SELECT COUNT(*) FROM (SELECT board_id FROM ticket WHERE title LIKE 'Row %' GROUP BY board_id HAVING COUNT(*) = ?) c",
		rows)
	t.Logf("%d imports of %d rows took %s; the slowest call of an operator %s", companies, rows, took, slowest)
	domaintest.OK(w.Console.CancelRun(operator, long.ID))(t)
	until(t, w, operator, long.ID, "is cancelled", func(r migrations.Run) bool { return r.State == migrations.Cancelled })
	i.verified(t)
}

func importSheet(company string, rows int) string {
	text := new(strings.Builder)
	fmt.Fprintln(text, "Title,Key")
	for n := range rows {
		fmt.Fprintf(text, "Row %d of %s,OLD-%d\n", n, company, n+1)
	}
	return text.String()
}
