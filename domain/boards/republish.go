package boards

import (
	"context"
	"slices"

	"github.com/counterfoil/counterfoil/db"
)

// Republish publishes those of some boards again that are in sight, and returns how many.
func Republish(ctx context.Context, tx *db.Tx, by db.Sight, list []ID) (int64, error) {
	own, err := tx.BoardsInSight(ctx, db.BoardsInSightParams{
		Reader: by.Reader, Ids: list, CompanyID: by.Company, Reach: by.Reach,
	})
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
