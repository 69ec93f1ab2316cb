package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// The names of the migrations that use cases open runs of.
const (
	ImportName     = "import-tickets"
	RepublishName  = "republish"
	MintName       = "mint-refs"
	LoadName       = "load-refs"
	QuarantineName = "quarantine-refs"
)

// Operator returns who asks where they may run the instance: an operator, whose token has the scope.
func Operator(ctx context.Context) (migrations.Actor, error) {
	actor := accounts.ActorFrom(ctx)
	if !actor.May(accounts.Operate) {
		return migrations.Actor{}, accounts.MissingScope(accounts.Operate)
	}
	if !actor.Account.Operator {
		return migrations.Actor{}, accounts.NotOperator()
	}
	who := migrations.Actor{Name: actor.Account.Name}
	if actor.Account.ID != 0 {
		who.Account = &actor.Account.ID
	}
	return who, nil
}

// runsBy is whoever asks, as the log of a run has them.
func runsBy(actor accounts.Actor) migrations.Actor {
	return migrations.Actor{Name: actor.Account.Name, Account: &actor.Account.ID}
}
