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
	t.Run("the file, the API and the page have the head of the chain, and say what is not sealed yet", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		ana := e.ana()
		if rows := auditSheet(t, ana.get("/acme/audit.csv")); rows[1][8] != "0" || rows[1][9] != "" {
			t.Errorf("what is not sealed has the position %q and the seal %q", rows[1][8], rows[1][9])
		}
		ana.get("/acme/audit").textHas(t, "#"+views.AuditID+" tbody tr:first-child", "not sealed yet")
		if err := e.workflows.Delivery.TendAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
		ana.get("/acme/audit").has(t, 1, "#"+views.AuditID).has(t, 0, "#"+views.AuditID+" small.none")
		var head [2]string
		if err := e.db.SQL.QueryRowContext(t.Context(),
			"SELECT last_seq, LOWER(HEX(last_mac)) FROM audit_chain WHERE chain = 1").Scan(&head[0], &head[1]); err != nil {
			t.Fatal(err)
		}
		for name, a := range map[string]*answer{"page": ana.get("/acme/audit.csv"), "API": e.program().get("/audit.csv")} {
			if rows := auditSheet(t, a); rows[1][8] != head[0] || rows[1][9] != head[1] {
				t.Errorf("%s: the newest entry has %q, the head is %q", name, rows[1][8:], head)
			}
		}
		if text := e.program().get("/audit").is(t, 200).body; !strings.Contains(text, `"seal":"`+head[1]+`"`) {
			t.Errorf("the API has no head: %s", text)
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
