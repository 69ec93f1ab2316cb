package workflows

import (
	"context"
	"fmt"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// FeedSnapshot returns the rows of a board in a feed, from behind a place of an earlier snapshot, "" for the first, of
// limit rows that are read: 1 to feeds.MaxLimit, 0 is FeedLimit. board is a slug or an id. It returns BadLimit,
// feeds.BadPlace, and what FeedScope does.
func (w *Workflows) FeedSnapshot(ctx context.Context, base, feed, board, after string, limit int) (feeds.Snapshot, error) {
	scope, err := w.FeedScope(ctx, base, feed, board)
	if err != nil {
		return feeds.Snapshot{}, err
	}
	if scope.Board == 0 {
		return feeds.Snapshot{}, boards.NotFound()
	}
	if limit == 0 {
		limit = FeedLimit
	}
	if limit < 1 || limit > feeds.MaxLimit {
		return feeds.Snapshot{}, BadLimit()
	}
	return w.feeds.Snapshot(ctx, feed, scope, after, limit)
}

// snapshotTickets is in the order of numbers.
func snapshotTickets(
	ctx context.Context, tx *db.Tx, scope feeds.Scope, after string, limit int,
) (list []feeds.SnapshotRow, next string, err error) {
	var behind uint64
	if after != "" {
		if behind, err = strconv.ParseUint(after, 10, 63); err != nil {
			return nil, "", feeds.BadPlace()
		}
	}
	of, err := tickets.SnapshotTickets(ctx, tx.Queries, scope.Sight, scope.Board, behind, limit)
	if err != nil {
		return nil, "", err
	}
	rows, err := ticketRows(ctx, tx, scope, of)
	if err != nil {
		return nil, "", err
	}
	for i, row := range rows {
		next = strconv.FormatUint(of[i].Ticket.Key.Number, 10)
		list = append(list, feeds.SnapshotRow{Row: row, After: next})
	}
	if len(list) < limit {
		next = ""
	}
	return list, next, nil
}

func snapshotComments(
	ctx context.Context, tx *db.Tx, scope feeds.Scope, after string, limit int,
) (list []feeds.SnapshotRow, next string, err error) {
	at, err := parsePlace(after)
	if err != nil {
		return nil, "", err
	}
	of, places, behind, err := tickets.SnapshotComments(ctx, tx.Queries, scope.Sight, scope.Board, at, limit)
	if err != nil {
		return nil, "", err
	}
	rows, err := commentRows(ctx, tx, scope, of)
	if err != nil {
		return nil, "", err
	}
	for i, row := range rows {
		list = append(list, feeds.SnapshotRow{Row: row, After: formatPlace(places[i])})
	}
	if behind != (tickets.CommentPlace{}) {
		next = formatPlace(behind)
	}
	return list, next, nil
}

const placeForm = "%d.%d.%d.%d"

func formatPlace(p tickets.CommentPlace) string {
	return fmt.Sprintf(placeForm, p.After, p.To, p.Ticket, p.Comment)
}

func parsePlace(text string) (p tickets.CommentPlace, err error) {
	if text == "" {
		return p, nil
	}
	_, err = fmt.Sscanf(text, placeForm, &p.After, &p.To, &p.Ticket, &p.Comment)
	if err != nil || formatPlace(p) != text || p.To != 0 && p.To <= p.After {
		return p, feeds.BadPlace()
	}
	return p, nil
}

// snapshotBoards is the board itself.
func snapshotBoards(
	ctx context.Context, tx *db.Tx, scope feeds.Scope, after string, _ int,
) ([]feeds.SnapshotRow, string, error) {
	if after != "" {
		return nil, "", feeds.BadPlace()
	}
	position, err := tx.PositionOf(ctx, "board", uint64(scope.Board))
	if err != nil {
		return nil, "", err
	}
	if position == nil {
		return []feeds.SnapshotRow{{}}, "", nil
	}
	rows, err := loadBoards(ctx, tx, feeds.Span{After: *position - 1, To: *position, Limit: 1, Scope: scope})
	if err != nil || len(rows) == 0 {
		return []feeds.SnapshotRow{{}}, "", err
	}
	return []feeds.SnapshotRow{{Row: rows[0]}}, "", nil
}

// boardNamed returns a board by a slug or an id. It returns boards.NotFound.
func boardNamed(ctx context.Context, q *db.Queries, by db.Sight, text string) (boards.Board, error) {
	if n, err := strconv.ParseUint(text, 10, 63); err == nil {
		return boards.ByID(ctx, q, by, id.Board(n))
	}
	return boards.BySlug(ctx, q, by, text)
}
