package web_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
)

// auditSheet reads an audit list as CSV, with its head.
func auditSheet(t testing.TB, a *answer) [][]string {
	t.Helper()
	a.is(t, http.StatusOK)
	rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestAuditLists(t *testing.T) {
	t.Parallel()
	t.Run("an operator's run is on the page of the company and on that of the server", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		otto := e.signedIn("otto")
		e.program().post("/migrations/rebalance-ranks/runs", `{"params":{"company":"acme","board":"DEMO"}}`).
			is(t, http.StatusCreated)
		want := ": Rebalance ranks of a board"
		for _, list := range []string{e.ana().get("/acme/audit").text(t, "#"+views.AuditID),
			otto.get(views.InstanceAuditPath).text(t, "#"+views.AuditID)} {
			if !strings.Contains(list, want) {
				t.Errorf("no %q in %s", want, list)
			}
		}
		otto.get("/admin").has(t, 1, "a[href='"+views.InstanceAuditPath+"']")
	})
	t.Run("the file has every entry, and no field that a spreadsheet calculates", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.exec("UPDATE account SET name = '=1+1' WHERE id = 1")
		e.exec(`INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
			SELECT 1, 1, 'signed-in', '{}', '', '2026-01-01' FROM (SELECT 1 FROM information_schema.columns LIMIT 250) n`)
		ana := e.ana()
		n := int(e.count("SELECT COUNT(*) FROM audit WHERE company_id = 1"))
		for name, a := range map[string]*answer{"page": ana.get("/acme/audit.csv"),
			"API": e.program().get("/audit.csv")} {
			rows := auditSheet(t, a)
			if len(rows) != n+1 || rows[1][3] != "'=1+1" || rows[1][6] != "signed in" {
				t.Errorf("%s: %d rows for %d entries; %q", name, len(rows), n, rows[1])
			}
		}
	})
	t.Run("programs read both lists page by page, each entry once", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.exec(`INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
			SELECT IF(n.x = 1, NULL, 1), NULL, 'epoch-begun', '{"by":"command line"}', '', '2026-01-01' FROM (SELECT 1 AS x UNION ALL SELECT 2) n,
			(SELECT 1 FROM information_schema.columns LIMIT 250) m`)
		for path, where := range map[string]string{"/audit": "company_id = 1", "/instance/audit": "company_id IS NULL"} {
			seen := map[uint64]bool{}
			for next := path; next != ""; {
				var page struct {
					Items []struct {
						ID   uint64               `json:"id"`
						User *struct{ ID uint64 } `json:"user"`
						At   string               `json:"at"`
						Kind string               `json:"kind"`
						Det  accounts.AuditDetail `json:"detail"`
					} `json:"items"`
					Next *string `json:"next"`
				}
				e.program().get(next).is(t, http.StatusOK).read(t, &page)
				for _, item := range page.Items {
					if seen[item.ID] {
						t.Errorf("%s: entry %d twice", path, item.ID)
					}
					seen[item.ID] = true
					if item.Kind == "epoch-begun" && (item.User != nil || item.Det.By != accounts.CommandLine) {
						t.Errorf("%+v", item)
					}
				}
				next = ""
				if page.Next != nil {
					next = path + "?after=" + *page.Next
				}
			}
			if want := int(e.count("SELECT COUNT(*) FROM audit WHERE " + where)); len(seen) != want || want < 250 {
				t.Errorf("%s: %d of %d entries", path, len(seen), want)
			}
		}
	})
	t.Run("an import is marked in the history of a ticket, with who started it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newTickets("DEMO", 1, "From elsewhere")
		e.exec(`UPDATE activity SET detail = '{"import":{"run":7,"by":"Otto"}}' WHERE kind = 'opened'`)
		e.ana().get("/acme/DEMO-1").textHas(t, "#history", "imported this ticket (run 7, started by Otto)")
	})
}
