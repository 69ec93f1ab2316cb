package boards

import (
	"context"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Republish publishes those of some boards again that are a company's, and returns how many.
func Republish(ctx context.Context, tx *db.Tx, company id.Company, list []ID) (int64, error) {
	own, err := tx.BoardsOfCompanyAmong(ctx, list, company)
	if err != nil || len(own) == 0 {
		return 0, err
	}
	slices.Sort(own)
	return tx.RepublishBoards(ctx, own)
}

// RepublishOne publishes a board again.
func RepublishOne(ctx context.Context, tx *db.Tx, board ID) (int64, error) {
	return tx.RepublishBoards(ctx, []ID{board})
}
