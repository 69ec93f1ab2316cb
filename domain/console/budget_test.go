package console_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/refs"
)

// asService returns a context in which a new service account asks, with a budget.
func (e *env) asService(t testing.TB, budget accounts.RefBudget) (context.Context, accounts.ID) {
	t.Helper()
	service := domaintest.OK(e.Workflows.OpenService(e.Ctx, "Robot", nil))(t)
	domaintest.Must(t, e.Console.GrantRefs(console.AsCommandLine(e.Ctx), service.ID, budget))
	return accounts.WithActor(e.Ctx, accounts.Actor{Account: accounts.Account{ID: service.ID, Name: service.Name},
		Company: service.Company, Role: accounts.Guest, Service: true, PopsRefs: true, Token: 1,
		Scopes: []string{accounts.PopRefs}}), service.ID
}

// Pops of many callers on several servers take from one budget, which is used up to the last code and never beyond.
func TestRefBudgetUnderContention(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.mint(t, 3000, "5")
	const perDay = 1000
	ctx, service := e.asService(t, accounts.RefBudget{PerDay: perDay, PerCall: 150})
	servers := []*console.Console{e.Console, e.Another(t).Console, e.Another(t).Console}
	var popped, refused atomic.Int64
	var group sync.WaitGroup
	for n := range 30 {
		group.Go(func() {
			for range 20 {
				count := 1 + rand.N(4)
				if n == 0 {
					count = 120 // a transaction of its own
				}
				codes, err := servers[n%len(servers)].PopRefs(ctx, count, "", nil)
				popped.Add(int64(len(codes)))
				if errors.Is(err, refs.CodeOverDay) {
					refused.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for {
		if _, err := e.Console.PopRefs(ctx, 1, "", nil); errors.Is(err, refs.CodeOverDay) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		popped.Add(1)
	}
	if popped.Load() != perDay || refused.Load() == 0 {
		t.Errorf("%d were popped, not %d; %d calls were refused", popped.Load(), perDay, refused.Load())
	}
	e.Counts(t, perDay, "SELECT COUNT(*) FROM ref_issue WHERE token_id = 1")
	e.Counts(t, perDay, "SELECT spent FROM service_account WHERE account_id = ?", service)

	// A pop that fails takes nothing of the budget.
	operator := console.AsCommandLine(e.Ctx)
	domaintest.Must(t, e.Console.GrantRefs(operator, service, accounts.RefBudget{PerDay: 2 * perDay, PerCall: 150}))
	e.Exec(t, "DELETE FROM ref_pool")
	if _, err := e.Console.PopRefs(ctx, 5, "", nil); !errors.Is(err, refs.CodeEmpty) {
		t.Errorf("%v", err)
	}
	e.Counts(t, perDay, "SELECT spent FROM service_account WHERE account_id = ?", service)

	// What is taken away is taken at once, also from a token that was read before.
	domaintest.Must(t, e.Console.GrantRefs(operator, service, accounts.RefBudget{}))
	if _, err := e.Console.PopRefs(ctx, 1, "", nil); !errors.Is(err, accounts.CodeNotOperator) {
		t.Errorf("%v", err)
	}
}
