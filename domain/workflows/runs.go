package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
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
	HandOverName     = "hand-over"
	PublishLabelName = "publish-label"
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

// SightOf is what an operator sees of the boards of all companies: what they see as a member of each. The command line
// sees all.
func SightOf(by migrations.Actor) db.Sight {
	if by.Account == nil {
		return db.SightOfAll(0)
	}
	return db.Sight{Reader: *by.Account}
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

// recordControl stores what an operator did with a run: in the list of the instance, and in that of each company that
// the run changes. A member's own bulk work, such as the removal of a column, is in the history of its board.
func recordControl(ctx context.Context, tx *db.Tx, done migrations.Control) error {
	caller := accounts.MaybeActor(ctx)
	if !caller.Account.Operator {
		return nil
	}
	detail := accounts.AuditDetail{Name: done.Title, Run: done.Run, Company: done.Company, Note: done.Note}
	if done.Dry {
		detail.Name += " (dry run)"
	}
	kind := "run-" + done.Action
	switch {
	case done.ForAllRuns:
		kind = "all-runs-" + done.Action
	case done.Run == 0:
		kind = "worker-" + done.Action
	}
	account := caller.Account.ID
	if done.ForCompany && done.Company == "" {
		return accounts.RecordForAll(ctx, tx, account, kind, detail)
	}
	if err := accounts.RecordInstance(ctx, tx, account, kind, detail); err != nil || !done.ForCompany {
		return err
	}
	company, err := accounts.CompanyBySlug(ctx, tx.Queries, done.Company)
	if errors.Is(err, fault.NotFound) {
		return nil // it never was: the run touches nothing
	}
	if err != nil {
		return err
	}
	return accounts.Record(ctx, tx, company.ID, account, kind, detail)
}
