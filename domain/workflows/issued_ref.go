package workflows

import (
	"context"
	"errors"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
)

// IssuedRef returns when a code was popped, by which token and for what, to the account of the token and to operators.
// It returns MissingScope, TooMany, or refs.NotIssued for any other code, after the same statements: such a lookup is
// a miss of the budget that Track counts by.
func (w *Workflows) IssuedRef(ctx context.Context, text string) (refs.Issue, error) {
	actor, err := MayRead(ctx, accounts.PopRefs)
	if err != nil {
		return refs.Issue{}, err
	}
	if !actor.Holds(accounts.PopRefs) {
		return refs.Issue{}, accounts.NotOperator()
	}
	code, err := refs.Parse(text)
	if err != nil {
		return refs.Issue{}, refs.NotIssued() // no code: not worth a count
	}
	found, err := w.doLookup(ctx, lookup{code: code, reader: &actor})
	if errors.Is(err, requests.CodeNotFound) {
		return refs.Issue{}, refs.NotIssued()
	}
	return found.issue, err
}
