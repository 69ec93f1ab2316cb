package verify_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/ops/verify"
)

// entries adds entries to the lists of the company and of the instance.
func entries(t testing.TB, e *apptest.Env, n int) {
	t.Helper()
	for i := range n {
		domaintest.Must(t, e.DB.InTx(e.Ctx, func(tx *db.Tx) error {
			detail := accounts.AuditDetail{Name: fmt.Sprint("entry ", i)}
			if err := accounts.RecordInstance(e.Ctx, tx, 0, accounts.AuditEpochBegun, detail); err != nil {
				return err
			}
			return accounts.Record(e.Ctx, tx, 1, 1, accounts.AuditTokenMade, detail)
		}))
	}
}

func chainCheck(t testing.TB, e *apptest.Env) verify.Check {
	t.Helper()
	report := domaintest.OK(verify.Run(e.Ctx, e.DB, apptest.Keys, "", nil))(t)
	for _, c := range report.Checks {
		if c.Name == "audit chains" {
			return c
		}
	}
	t.Fatal("no check of the chains")
	return verify.Check{}
}

func TestAuditChains(t *testing.T) {
	t.Parallel()
	const company = " WHERE company_id = 1 AND seq = "
	for how, attack := range map[string]struct {
		statements []string
		finding    string
	}{
		"a changed detail":  {[]string{"UPDATE audit SET detail = '{}'" + company + "4"}, "broken at position 4"},
		"a changed actor":   {[]string{"UPDATE audit SET account_id = NULL" + company + "4"}, "broken at position 4"},
		"a changed time":    {[]string{"UPDATE audit SET created_at = '2020-01-01'" + company + "4"}, "broken at position 4"},
		"a changed address": {[]string{"UPDATE audit SET address = '10.0.0.1'" + company + "4"}, "broken at position 4"},
		"a changed mark":    {[]string{"UPDATE audit SET existing = TRUE" + company + "4"}, "broken at position 4"},
		"a deleted row":     {[]string{"DELETE FROM audit" + company + "4"}, "lacks its entries 4 to 4"},
		"a deleted end":     {[]string{"DELETE FROM audit WHERE company_id = 1 AND seq > 4"}, "ends at position 4"},
		"a deleted end, with a head to it": {[]string{"DELETE FROM audit WHERE company_id = 1 AND seq > 4",
			"UPDATE audit_chain SET last_seq = 4, last_mac = (SELECT mac FROM audit" + company + "4) WHERE chain = 1"}, "forged head"},
		"a deleted beginning, with a checkpoint": {[]string{
			"UPDATE audit_chain SET purged_seq = 2, purged_mac = (SELECT mac FROM audit" + company + "2) WHERE chain = 1",
			"DELETE FROM audit WHERE company_id = 1 AND seq <= 2"}, "forged checkpoint"},
		"an added row at a position": {[]string{`INSERT INTO audit (company_id, account_id, kind, detail, address, created_at, seq, mac)
			SELECT company_id, account_id, 'joined', detail, address, created_at, seq, mac FROM audit` + company + "4"},
			"two entries at position 4"},
		"an added row at the end": {[]string{`INSERT INTO audit (company_id, account_id, kind, detail, address, created_at, seq, mac)
			SELECT company_id, account_id, 'joined', detail, address, created_at, seq + 1, mac FROM audit
			WHERE company_id = 1 ORDER BY seq DESC LIMIT 1`}, "added"},
		"two rows that changed places": {[]string{"UPDATE audit SET seq = 1000" + company + "4", "UPDATE audit SET seq = 4" + company + "5",
			"UPDATE audit SET seq = 5" + company + "1000"}, "broken at position 4"},
		"a row of another list": {[]string{"UPDATE audit SET company_id = 1 WHERE company_id IS NULL AND seq = 5"},
			"the audit of the server lacks its entries 5 to 5"},
		"a row that is to be sealed again": {[]string{"UPDATE audit SET seq = NULL, mac = NULL" + company + "4"},
			"lacks its entries 4 to 4"},
		"a chain without its head": {[]string{"DELETE FROM audit_chain WHERE chain = 1"}, "which its chain does not have"},
		"a row of the server's":    {[]string{"UPDATE audit SET kind = 'joined' WHERE company_id IS NULL AND seq = 3"}, "the audit of the server is broken at position 3"},
	} {
		t.Run(how+" is found", func(t *testing.T) {
			t.Parallel()
			e := apptest.New(t)
			entries(t, e, 5)
			domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
			if c := chainCheck(t, e); c.Total > 0 || len(c.Notes) > 0 {
				t.Fatalf("before: %+v", c)
			}
			for _, statement := range attack.statements {
				e.Exec(t, statement)
			}
			c := chainCheck(t, e)
			if !strings.Contains(strings.Join(c.Findings, "\n"), attack.finding) {
				t.Errorf("found %q, not %q", c.Findings, attack.finding)
			}
		})
	}
	const unseal = "seq = NULL, mac = NULL, existing = FALSE WHERE company_id = 1 AND seq > 3"
	back := []string{"UPDATE audit_chain SET last_seq = 3, last_mac = (SELECT mac FROM audit WHERE company_id = 1 AND seq = 3) WHERE chain = 1"}
	for how, statements := range map[string][]string{
		"a changed end that is sealed again": append(back, "UPDATE audit SET detail = '{}', "+unseal),
		"a removed end that is gone on from": append(back, "DELETE FROM audit WHERE company_id = 1 AND seq > 3"),
	} {
		t.Run(how+" is found", func(t *testing.T) {
			t.Parallel()
			e := apptest.New(t)
			entries(t, e, 5)
			domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
			for _, statement := range statements {
				e.Exec(t, statement)
			}
			for range 2 {
				entries(t, e, 1)
				domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
			}
			if c := chainCheck(t, e); !strings.Contains(strings.Join(c.Findings, "\n"), "company 1 has a forged head") {
				t.Errorf("%+v", c)
			}
		})
	}
	t.Run("a chain that somebody began anew has its old entries marked", func(t *testing.T) {
		t.Parallel()
		e := apptest.New(t)
		entries(t, e, 5)
		e.Exec(t, "UPDATE audit SET created_at = created_at - INTERVAL 25 HOUR WHERE company_id = 1")
		domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
		e.Exec(t, "DELETE FROM audit_chain WHERE chain = 1")
		e.Exec(t, "UPDATE audit SET detail = '{}', seq = NULL, mac = NULL, existing = FALSE WHERE company_id = 1")
		entries(t, e, 1)
		domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
		e.Counts(t, 1, "SELECT COUNT(*) FROM audit WHERE NOT existing AND company_id = 1")
		if c := chainCheck(t, e); c.Total > 0 || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "is not known") {
			t.Errorf("%+v", c)
		}
	})
	t.Run("a chain whose key is gone proves nothing", func(t *testing.T) {
		t.Parallel()
		e := apptest.New(t)
		entries(t, e, 1)
		domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
		e.Exec(t, "DELETE FROM sealed_secret WHERE kind = 'audit'")
		if c := chainCheck(t, e); !strings.Contains(strings.Join(c.Findings, "\n"), "the key of the chains is gone") {
			t.Errorf("%+v", c)
		}
	})
	for how, statements := range map[string][]string{
		"entries that were changed": {"UPDATE audit SET created_at = '2020-02-02' WHERE company_id = 1 AND seq <= 4"},
		"a forged checkpoint": {
			"UPDATE audit_chain SET purged_seq = 2, purged_mac = (SELECT mac FROM audit WHERE company_id = 1 AND seq = 2) WHERE chain = 1",
			"DELETE FROM audit WHERE company_id = 1 AND seq <= 2"},
		"a forged head": {"UPDATE audit_chain SET last_seq = 4, last_mac = (SELECT mac FROM audit WHERE company_id = 1 AND seq = 4) WHERE chain = 1",
			"DELETE FROM audit WHERE company_id = 1 AND seq > 4"},
	} {
		t.Run("a purge does not sign for "+how, func(t *testing.T) {
			t.Parallel()
			e := apptest.New(t)
			entries(t, e, 5)
			e.Exec(t, "UPDATE audit SET created_at = '2020-01-01'")
			domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
			for _, statement := range statements {
				e.Exec(t, statement)
			}
			n := e.Count(t, "SELECT COUNT(*) FROM audit WHERE company_id = 1")
			e.Exec(t, "UPDATE audit_sealer SET lease_until = '2020-01-01'")
			err := accounts.NewSealer(e.DB, apptest.Keys).PurgeAudit(e.Ctx, time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC))
			if err == nil || !strings.Contains(err.Error(), "the audit of company 1 is not purged") {
				t.Errorf("%v", err)
			}
			e.Counts(t, n, "SELECT COUNT(*) FROM audit WHERE company_id = 1")
			e.Counts(t, 0, "SELECT COUNT(*) FROM audit WHERE company_id IS NULL") // which is whole
			if c := chainCheck(t, e); c.Total == 0 {
				t.Errorf("%+v", c)
			}
		})
	}
	t.Run("entries that are not sealed yet are noted, and no damage", func(t *testing.T) {
		t.Parallel()
		e := apptest.New(t)
		entries(t, e, 2)
		if c := chainCheck(t, e); c.Total > 0 || len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "not sealed yet") {
			t.Errorf("%+v", c)
		}
	})
	t.Run("entries of before are a first stretch that is marked", func(t *testing.T) {
		t.Parallel()
		e := apptest.New(t)
		e.Exec(t, "UPDATE audit_sealer SET existing_to = (SELECT MAX(id) FROM audit)")
		n := e.Count(t, "SELECT COUNT(*) FROM audit")
		entries(t, e, 2)
		domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
		e.Counts(t, n, "SELECT COUNT(*) FROM audit WHERE existing")
		e.Counts(t, 4, "SELECT COUNT(*) FROM audit WHERE NOT existing")
		if c := chainCheck(t, e); c.Total > 0 {
			t.Errorf("%+v", c)
		}
	})
	t.Run("after a purge the chain begins at its checkpoint", func(t *testing.T) {
		t.Parallel()
		e := apptest.New(t)
		entries(t, e, 700) // more than a batch
		e.Exec(t, "UPDATE audit SET created_at = '2020-01-01' WHERE id <= 1300")
		domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
		sealer := accounts.NewSealer(e.DB, apptest.Keys)
		e.Exec(t, "UPDATE audit_sealer SET lease_until = '2020-01-01'")
		domaintest.Must(t, sealer.PurgeAudit(e.Ctx, time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)))
		e.Counts(t, 0, "SELECT COUNT(*) FROM audit WHERE created_at < '2021-01-01'")
		if c := chainCheck(t, e); c.Total > 0 {
			t.Errorf("%+v", c)
		}
		entries(t, e, 1)
		domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
	})
	t.Run("two sealers at once, beside writers, seal each entry once", func(t *testing.T) {
		t.Parallel()
		e := apptest.New(t)
		var group sync.WaitGroup
		done := make(chan struct{})
		for range 2 {
			group.Go(func() {
				sealer := accounts.NewSealer(e.DB, apptest.Keys)
				for {
					if _, err := sealer.SealOnce(e.Ctx); err != nil {
						t.Error(err)
						return
					}
					select {
					case <-done:
						return
					default: // the other one takes over once this one's lease is over
						e.Exec(t, "UPDATE audit_sealer SET lease_until = '2020-01-01'")
					}
				}
			})
		}
		var writers sync.WaitGroup
		for range 2 {
			writers.Go(func() { entries(t, e, 100) })
		}
		writers.Wait()
		close(done)
		group.Wait()
		e.Exec(t, "UPDATE audit_sealer SET lease_until = '2020-01-01'")
		domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
		if c := chainCheck(t, e); c.Total > 0 || len(c.Notes) > 0 {
			t.Errorf("%+v", c)
		}
	})
	t.Run("while a sealer holds the lease no other seals; once it is gone, the next one does", func(t *testing.T) {
		t.Parallel()
		e := apptest.New(t)
		e.Exec(t, "UPDATE audit_sealer SET owner = 1, lease_until = NOW(6) + INTERVAL 1 DAY")
		domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
		e.Counts(t, 0, "SELECT COUNT(*) FROM audit WHERE seq IS NOT NULL")
		e.Exec(t, "UPDATE audit_sealer SET lease_until = NOW(6) - INTERVAL 1 SECOND")
		domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
		e.Counts(t, 0, "SELECT COUNT(*) FROM audit WHERE seq IS NULL")
	})
}
