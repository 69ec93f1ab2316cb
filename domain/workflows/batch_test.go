package workflows_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

func TestChangeBatch(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	keys := []tickets.Key{{Board: "NINJA", Number: 1}, {Board: "NINJA", Number: 2}, {Board: "NINJA", Number: 3}, {Board: "NINJA", Number: 4}}
	away := db.Unavailable{Why: "the database is away"}
	change := func(results map[uint64]error) workflows.TicketChange {
		return func(_ context.Context, key tickets.Key) (id.Activity, error) {
			return id.Activity(100 + key.Number), results[key.Number]
		}
	}
	refusing := change(map[uint64]error{2: tickets.NotFound()})
	result := domaintest.OK(e.Workflows.ChangeBatch(e.Ctx, keys, refusing))(t)
	if len(result.Changed) != 3 || len(result.Refused) != 1 || result.Refused[0].Key != keys[1] ||
		!slices.Equal(result.Activities, []id.Activity{101, 103, 104}) {
		t.Errorf("one that is refused leaves %+v", result)
	}
	failing := change(map[uint64]error{3: away})
	result = domaintest.OK(e.Workflows.ChangeBatch(e.Ctx, keys, failing))(t)
	if len(result.Changed) != 2 || len(result.Refused) != 2 || !errors.Is(result.Refused[1].Err, fault.Unavailable) {
		t.Errorf("a database that goes away leaves %+v", result)
	}
	down := change(map[uint64]error{1: away})
	domaintest.Fails(e.Workflows.ChangeBatch(e.Ctx, keys, down))(t, fault.Unavailable)
}
