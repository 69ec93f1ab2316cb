package boards

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// MaxPins is how many boards of a company a member can pin.
const MaxPins = 20

// Pinned returns the boards in sight that the reader has pinned, in the order of pinning.
func Pinned(ctx context.Context, q *db.Queries, by db.Sight) ([]ID, error) {
	return pinned(ctx, q, by, MaxPins)
}

func pinned(ctx context.Context, q *db.Queries, by db.Sight, limit int32) ([]ID, error) {
	list, err := db.Read(q.PinnedBoards(ctx, db.PinnedBoardsParams{Reader: by.Reader, CompanyID: by.Company, Reach: by.Reach, Limit: limit}))
	if err != nil {
		return nil, fmt.Errorf("read pinned boards: %w", err)
	}
	return list, nil
}

// Pin has a board that a reader sees be pinned, or not any more. The caller holds the lock of the company. It returns
// TooManyPins.
func Pin(ctx context.Context, tx *db.Tx, by db.Sight, board ID, on bool) error {
	if !on {
		if err := tx.UnpinBoard(ctx, by.Reader, board); err != nil {
			return fmt.Errorf("unpin board: %w", err)
		}
		return nil
	}
	if err := tx.PinBoard(ctx, db.PinBoardParams{AccountID: by.Reader, BoardID: board, Now: tx.Now}); err != nil {
		return fmt.Errorf("pin board: %w", err)
	}
	list, err := pinned(ctx, tx.Queries, by, MaxPins+1)
	if err != nil {
		return err
	}
	if len(list) > MaxPins {
		return TooManyPins()
	}
	return nil
}
