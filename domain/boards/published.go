package boards

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// PublishedBoard is a board at its position in the feed, with its columns.
type PublishedBoard struct {
	Board    Board
	Position uint64
	Visible  bool   // to the reader
	Slug     string // of the company
	Feed     db.FeedHead
}

// PublishedBoards returns the first boards with positions in (after, to], of any company. Only those in sight
// have their columns.
func PublishedBoards(
	ctx context.Context, q *db.Queries, by db.Sight, after, to uint64, limit int,
) ([]PublishedBoard, error) {
	rows, err := db.Read(q.PublishedBoards(ctx, db.PublishedBoardsParams{
		Reach: by.Reach, Reader: by.Reader, Webhook: by.Webhook, After: &after, To: &to, Limit: int32(limit),
	}))
	if err != nil {
		return nil, fmt.Errorf("read published boards: %w", err)
	}
	var its []ID
	for _, row := range rows {
		if visible(by, row) {
			its = append(its, row.Board.ID)
		}
	}
	columns, err := columnsOf(ctx, q, its)
	if err != nil {
		return nil, err
	}
	list := make([]PublishedBoard, len(rows))
	for i, row := range rows {
		list[i] = PublishedBoard{Board: fromRow(row.Board, 0, columns[row.Board.ID]), Position: *row.Board.FeedSyncID,
			Visible: visible(by, row), Slug: row.CompanySlug, Feed: db.FeedHead{Epoch: row.Epoch, Head: uint64(row.Head), Horizon: row.Horizon}}
	}
	return list, nil
}

func visible(by db.Sight, row db.PublishedBoardsRow) bool {
	return row.Board.CompanyID == by.Company && row.Visible > 0
}

func columnsOf(ctx context.Context, q *db.Queries, boards []ID) (map[ID][]db.BoardColumn, error) {
	if len(boards) == 0 {
		return nil, nil
	}
	columns, err := db.Read(q.ColumnsOfBoards(ctx, boards))
	if err != nil {
		return nil, fmt.Errorf("read columns: %w", err)
	}
	of := make(map[ID][]db.BoardColumn, len(boards))
	for _, c := range columns {
		of[c.BoardID] = append(of[c.BoardID], c)
	}
	return of, nil
}
