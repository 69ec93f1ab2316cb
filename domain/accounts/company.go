package accounts

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// FirstOwner returns the owner of a company with the lowest id, as whom the program itself acts.
func FirstOwner(ctx context.Context, q *db.Queries, company id.Company) (ID, error) {
	owners, err := db.Read(q.FirstOwners(ctx, company))
	if err != nil {
		return 0, fmt.Errorf("read owners: %w", err)
	}
	if len(owners) == 0 {
		return 0, fmt.Errorf("company %d has no owner", company)
	}
	return owners[0], nil
}

// RequireSecondFactor has a company open to sessions with a second factor alone, or to all again. It reports whether
// that changes it.
func RequireSecondFactor(ctx context.Context, tx *db.Tx, company id.Company, required bool) (changed bool, err error) {
	n, err := tx.RequireSecondFactor(ctx, db.RequireSecondFactorParams{Required: required, ID: company})
	if err != nil {
		return false, fmt.Errorf("require a second factor: %w", err)
	}
	return n > 0, nil
}
