package main

import (
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// A process that is killed while it seals the audit log leaves a chain that the next goes on with: each entry has one
// position, and verify finds nothing.
func TestSealerIsKilled(t *testing.T) {
	t.Parallel()
	i := onURL(t, dbtest.URL(t))
	_, _, d := i.operator(t)
	sealed := func() int {
		return domaintest.Number(t, d, "SELECT COUNT(*) FROM audit WHERE seq IS NOT NULL")
	}
	const entries = 3000
	rounds := 3
	if soak {
		rounds = 50
	}
	for range rounds {
		domaintest.OK(d.SQL.Exec(`INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
			SELECT c.id, NULL, 'signed_in', '{}', '', NOW(6) FROM company c
			JOIN JSON_TABLE(CONCAT('[', REPEAT('0,', ?), '0]'), '$[*]' COLUMNS (n FOR ORDINALITY)) j`, entries-1))(t)
		before := sealed()
		first, second := i.work(t), i.work(t)
		domaintest.Until(t, "some are sealed", func() bool { return sealed() > before })
		first.kill(t)
		second.kill(t)
	}
	i.work(t)
	domaintest.Until(t, "all are sealed", func() bool {
		return domaintest.Number(t, d, "SELECT COUNT(*) FROM audit WHERE seq IS NULL") == 0
	})
	if n := domaintest.Number(t, d, "SELECT COUNT(DISTINCT COALESCE(company_id, 0), seq) FROM audit"); n != sealed() ||
		n < rounds*entries {
		t.Errorf("%d of %d entries have a position of their own", n, sealed())
	}
	i.verified(t)
}
