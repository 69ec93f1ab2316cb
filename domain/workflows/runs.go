package workflows

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
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

	ChangeColumnName = "change-column"
)

// Operator returns the caller if it may run the instance: an operator, whose token has the scope. It returns
// MissingScope or NotOperator.
func Operator(ctx context.Context) (migrations.Actor, error) {
	actor := accounts.ActorFrom(ctx)
	if !actor.May(accounts.Operate) {
		return migrations.Actor{}, accounts.MissingScope(accounts.Operate)
	}
	if !actor.Account.Operator {
		return migrations.Actor{}, accounts.NotOperator()
	}
	by := migrations.Actor{Name: actor.Account.Name}
	if actor.Account.ID != 0 {
		by.Account = &actor.Account.ID
	}
	return by, nil
}

// StillOperator returns an error if an operator has lost the right since the call began. It is for the transaction that
// opens a run: an upload may take an hour, and the run works for days.
func StillOperator(ctx context.Context, tx *db.Tx, actor accounts.Actor) error {
	if actor.Account.ID == 0 { // the command line
		return nil
	}
	account, err := accounts.ByID(ctx, tx.Queries, actor.Account.ID)
	if err != nil {
		return err
	}
	switch {
	case !account.Operator:
		return accounts.NotOperator()
	case actor.Token != 0:
		if _, err := tx.LiveToken(ctx, actor.Token, actor.Company.ID); db.IsNotFound(err) {
			return accounts.BadToken()
		} else if err != nil {
			return fmt.Errorf("look for the token: %w", err)
		}
	case account.Epoch != actor.Account.Epoch:
		return accounts.SignedOut()
	}
	return nil
}

// runActor returns the caller as the log of a run has it.
func runActor(actor accounts.Actor) migrations.Actor {
	return migrations.Actor{Name: actor.Account.Name, Account: &actor.Account.ID}
}
