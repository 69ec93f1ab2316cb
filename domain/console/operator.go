package console

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/accounts"
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

// AsCommandLine returns a context in which the command line is the caller, as an operator.
func AsCommandLine(ctx context.Context) context.Context {
	return accounts.WithActor(ctx, accounts.Actor{Account: accounts.Account{Name: "command line", Operator: true}})
}
