package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
)

// The rows that audits of the feeds list.

func listTickets(
	ctx context.Context, q *db.Queries, scope feeds.Scope, after, to uint64,
) ([]feeds.RowPosition, uint64, error) {
	in := db.AuditTicketsParams{After: id.Ticket(after), To: id.Ticket(to), CompanyID: scope.Company,
		Reader: scope.Reader, Reach: scope.Reach}
	rows, err := db.Read(q.AuditTickets(ctx, in))
	if err != nil {
		return nil, 0, err
	}
	list := make([]feeds.RowPosition, len(rows))
	for i, row := range rows {
		edition := feeds.Edition{Version: row.Version, UpdatedAt: row.UpdatedAt}
		list[i] = rowPosition(uint64(row.ID), row.FeedSyncID, edition, row.Gone != 0 || scope.Board != 0 && row.BoardID != scope.Board)
	}
	last, err := db.Read(q.LastTicket(ctx))
	return list, uint64(last), err
}

func listComments(
	ctx context.Context, q *db.Queries, scope feeds.Scope, after, to uint64,
) ([]feeds.RowPosition, uint64, error) {
	in := db.AuditCommentsParams{After: id.Comment(after), To: id.Comment(to), CompanyID: scope.Company,
		Reader: scope.Reader, Reach: scope.Reach}
	rows, err := db.Read(q.AuditComments(ctx, in))
	if err != nil {
		return nil, 0, err
	}
	list := make([]feeds.RowPosition, len(rows))
	for i, row := range rows {
		edition := feeds.Edition{Version: row.Version, UpdatedAt: row.UpdatedAt}
		list[i] = rowPosition(uint64(row.ID), row.FeedSyncID, edition, row.Gone != 0 || scope.Board != 0 && row.BoardID != scope.Board)
	}
	last, err := db.Read(q.LastComment(ctx))
	return list, uint64(last), err
}

func listBoards(
	ctx context.Context, q *db.Queries, scope feeds.Scope, after, to uint64,
) ([]feeds.RowPosition, uint64, error) {
	in := db.AuditBoardsParams{After: id.Board(after), To: id.Board(to), CompanyID: scope.Company,
		Reader: scope.Reader, Reach: scope.Reach}
	rows, err := db.Read(q.AuditBoards(ctx, in))
	if err != nil {
		return nil, 0, err
	}
	list := make([]feeds.RowPosition, len(rows))
	for i, row := range rows {
		edition := feeds.Edition{Version: row.Version, UpdatedAt: row.UpdatedAt}
		list[i] = rowPosition(uint64(row.ID), row.FeedSyncID, edition, scope.Board != 0 && row.ID != scope.Board)
	}
	last, err := db.Read(q.LastBoard(ctx))
	return list, uint64(last), err
}

func rowPosition(row uint64, position *uint64, edition feeds.Edition, gone bool) feeds.RowPosition {
	s := feeds.RowPosition{ID: row, Edition: edition, Gone: gone}
	if position != nil {
		s.Position = *position
	}
	return s
}
