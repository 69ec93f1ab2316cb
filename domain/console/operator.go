package console

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

type actor = migrations.Actor

// operate does something for an operator. It returns NotOperator or MissingScope to other callers.
func operate(ctx context.Context, do func(by actor) error) error {
	by, err := workflows.Operator(ctx)
	if err != nil {
		return err
	}
	return do(by)
}

// ask is operate with a result.
func ask[T any](ctx context.Context, do func(by actor) (T, error)) (result T, err error) {
	err = operate(ctx, func(by actor) error {
		result, err = do(by)
		return err
	})
	return result, err
}

// askPage is operate with a page of results, and whether there are more.
func askPage[T any](ctx context.Context, do func(by actor) ([]T, bool, error)) (list []T, more bool, err error) {
	err = operate(ctx, func(by actor) error {
		list, more, err = do(by)
		return err
	})
	return list, more, err
}

// read is ask for what tasks of a run, or the lines of its file, hold. The audit log has what the command line reads,
// which sees all.
func read[T any](
	ctx context.Context, c *Console, run id.Run, what string, do func(by db.Sight) (T, error),
) (result T, err error) {
	return ask(ctx, func(by actor) (result T, err error) {
		if by.Account == nil {
			if err := c.engine.RecordRead(ctx, by, run, what); err != nil {
				return result, err
			}
		}
		return do(workflows.SightOf(by))
	})
}

// AsCommandLine returns a context in which the command line is the caller, as an operator.
func AsCommandLine(ctx context.Context) context.Context {
	return accounts.WithActor(ctx, accounts.Actor{Account: accounts.Account{Name: "command line", Operator: true}})
}

// recordInstance records what the caller did in the list of the instance.
func recordInstance(ctx context.Context, tx *db.Tx, kind string, detail accounts.AuditDetail) error {
	return accounts.RecordInstance(ctx, tx, accounts.ActorFrom(ctx).Account.ID, kind, detail)
}

// Audit returns a page of the instance's audit list, the newest first: from below before, or from the newest if it is 0.
func (c *Console) Audit(ctx context.Context, before id.Audit) ([]accounts.AuditEntry, bool, error) {
	return askPage(ctx, func(actor) ([]accounts.AuditEntry, bool, error) {
		return workflows.Page(accounts.Audit(ctx, c.db.Queries, 0, before, workflows.RowsPerPage+1))
	})
}
