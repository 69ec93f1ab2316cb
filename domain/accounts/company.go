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
