package web_test

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/web"
)

// codes fills the pool.
func (e *env) codes(codes ...string) {
	e.t.Helper()
	lot := e.exec("INSERT INTO ref_lot (run_id, source, length, codes, created_at) SELECT COUNT(*) + 1, 'file', 5, ?, "+
		"UTC_TIMESTAMP(6) FROM ref_lot l", len(codes))
	batch := e.exec("INSERT INTO ref_batch (lot_id) VALUES (?)", lot)
	e.mint(batch, codes)
	e.exec("UPDATE ref_counter SET minted = minted + ? WHERE length = 5 AND slot = 0", len(codes))
}

type poppedJSON struct{ Refs []refs.Code }

func TestAPIRefs(t *testing.T) {
	t.Parallel()
	e := newEnv(t, func(c *web.Config) { c.Log = slog.New(slog.DiscardHandler) }) // an empty pool is logged
	p := e.program()
	var got poppedJSON
	t.Run("an empty pool says when to try again, and that codes are wanted", func(t *testing.T) {
		a := p.post("/refs/pop", `{}`)
		if a.problem(t, http.StatusServiceUnavailable, ""); a.header.Get("Retry-After") != "30" ||
			!strings.Contains(a.body, "half a minute") {
			t.Errorf("Retry-After %s: %s", a.header.Get("Retry-After"), a.body)
		}
		if n := e.count("SELECT COUNT(*) FROM ref_policy WHERE wanted"); n != 1 {
			t.Error("nobody knows that codes are wanted")
		}
	})
	e.codes("ukrEP", "UkrEP", "ukrep", "abcde", "ABCDE", "23456", "Zzzzz")
	t.Run("how many are asked for is from 1 to 1,000", func(t *testing.T) {
		e.unchanged(t, func() {
			for _, body := range []string{`{"count":0}`, `{"count":-1}`, `{"count":1001}`, `{"count":1000000000}`,
				`{"count":"3"}`, `{"count":1.5}`} {
				p.post("/refs/pop", body).problem(t, http.StatusUnprocessableEntity, "count")
			}
			p.post("/refs/pop", `{"n":1}`).problem(t, http.StatusUnprocessableEntity, "n")
			p.post("/refs/pop", `[]`).problem(t, http.StatusUnprocessableEntity, "")
			p.post("/refs/pop", `{"count":8}`).problem(t, http.StatusServiceUnavailable, "") // more than there are
		})
	})
	t.Run("one without a word, and as many as are asked for", func(t *testing.T) {
		p.post("/refs/pop", ``).is(t, http.StatusOK).read(t, &got)
		one := slices.Clone(got.Refs)
		p.post("/refs/pop", `{"count":2}`).is(t, http.StatusOK).read(t, &got)
		if len(one) != 1 || len(got.Refs) != 2 || slices.Contains(got.Refs, one[0]) {
			t.Errorf("%v, then %v", one, got.Refs)
		}
	})
	t.Run("once for an Idempotency-Key", func(t *testing.T) {
		once := p.with("Idempotency-Key", "k1")
		first := once.post("/refs/pop", `{"count":2}`).is(t, http.StatusOK)
		again := once.post("/refs/pop", `{"count":2}`).is(t, http.StatusOK)
		if first.body != again.body || again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s\n%s", first.body, again.body)
		}
		once.post("/refs/pop", `{"count":1}`).problem(t, http.StatusUnprocessableEntity, "Idempotency-Key")
		e.counts(t, 2, "SELECT COUNT(*) FROM ref_pool")
	})
	t.Run("a hundred at once with one key get the same code", func(t *testing.T) {
		once := p.with("Idempotency-Key", "k2")
		bodies := make([]string, 100)
		var group sync.WaitGroup
		for i := range bodies {
			group.Go(func() { bodies[i] = once.post("/refs/pop", `{}`).body })
		}
		group.Wait()
		if slices.Sort(bodies); bodies[0] != bodies[99] || !strings.Contains(bodies[0], `{"refs":["`) {
			t.Errorf("%s and %s", bodies[0], bodies[99])
		}
	})
	t.Run("the numbers add up", func(t *testing.T) {
		var now struct{ Minted, Issued, Quarantined, Available uint64 }
		p.get("/refs").is(t, http.StatusOK).read(t, &now)
		if now.Minted != 7 || now.Issued != 6 || now.Available != 1 {
			t.Errorf("%+v", now)
		}
	})
	t.Run("the scope is for operators, and it is enough", func(t *testing.T) {
		e.account("otto", "acme", accounts.Member)
		e.exec("UPDATE account SET operator = TRUE WHERE name = 'otto'")
		popper := &program{env: e, token: e.tokenOf("otto", "acme", accounts.PopRefs)}
		popper.post("/refs/pop", `{}`).is(t, http.StatusOK)
		popper.get("/refs").problem(t, http.StatusForbidden, "")
		reader := &program{env: e, token: e.tokenOf("otto", "acme", "tickets:write")}
		reader.post("/refs/pop", `{}`).problem(t, http.StatusForbidden, "")
		e.exec("UPDATE account SET operator = FALSE WHERE name = 'otto'")
		later := &program{env: e, token: e.tokenOf("otto", "acme", accounts.PopRefs, "boards:read")}
		later.post("/refs/pop", `{}`).problem(t, http.StatusForbidden, "")
	})
	t.Run("a lot in quarantine gives nothing out any more", func(t *testing.T) {
		e.codes("qqqqq", "rrrrr")
		p.put("/refs/lots/2/quarantine", ``).is(t, http.StatusOK)
		p.put("/refs/lots/2/quarantine", ``).problem(t, http.StatusConflict, "")
		p.put("/refs/lots/9/quarantine", ``).problem(t, http.StatusNotFound, "")
		p.put("/refs/lots/x/quarantine", ``).problem(t, http.StatusNotFound, "")
		p.post("/refs/pop", `{}`).problem(t, http.StatusServiceUnavailable, "")
		var list struct {
			Items []struct {
				ID            uint64
				Codes         int
				QuarantinedAt *string `json:"quarantined_at"`
			}
			Next *uint64
		}
		p.get("/refs/lots").is(t, http.StatusOK).read(t, &list)
		if len(list.Items) != 2 || list.Items[0].QuarantinedAt == nil || list.Items[0].Codes != 2 ||
			list.Items[1].QuarantinedAt != nil || list.Next != nil {
			t.Errorf("%+v", list)
		}
	})
}
