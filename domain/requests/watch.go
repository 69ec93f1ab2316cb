package requests

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// maxWatchers is how many of those who chose it, and of managers by default, one request notifies at most.
const maxWatchers = 1000

// Watched reports whether a member is notified of the requests of a board: as they chose, or else if they are a
// manager.
func Watched(ctx context.Context, q *db.Queries, board id.Board, account id.Account, manager bool) (bool, error) {
	on, err := db.Read(q.RequestWatch(ctx, board, account))
	if db.IsNotFound(err) {
		return manager, nil
	}
	if err != nil {
		return false, fmt.Errorf("read request watch: %w", err)
	}
	return on, nil
}

// Watch turns a member's notifications of the requests of a board on or off.
func Watch(ctx context.Context, q *db.Queries, board id.Board, account id.Account, on bool) error {
	_, err := db.Read(0, q.SetRequestWatch(ctx, db.SetRequestWatchParams{BoardID: board, AccountID: account, IsOn: on}))
	if err != nil {
		return fmt.Errorf("watch requests: %w", err)
	}
	return nil
}

// Answered makes a member who replied to a requester watch the requests of the board, unless they chose otherwise. It
// writes once per member and board.
func Answered(ctx context.Context, tx *db.Tx, board id.Board, account id.Account) error {
	_, err := tx.RequestWatch(ctx, board, account)
	if db.IsNotFound(err) {
		err = tx.StartRequestWatch(ctx, board, account)
	}
	if err != nil {
		return fmt.Errorf("watch requests: %w", err)
	}
	return nil
}

// Watchers returns the members to notify of a board's request, or of its requester's reply, who did not mute the
// ticket.
func Watchers(
	ctx context.Context, q *db.Queries, company id.Company, board id.Board, ticket id.Ticket,
) ([]id.Account, error) {
	chose, err := q.RequestWatchers(ctx, db.RequestWatchersParams{CompanyID: company, TicketID: ticket, BoardID: board,
		Limit: maxWatchers})
	if err != nil {
		return nil, fmt.Errorf("read watchers of requests: %w", err)
	}
	managers, err := q.UndecidedManagers(ctx, db.UndecidedManagersParams{CompanyID: company, TicketID: ticket,
		BoardID: board, Limit: maxWatchers})
	if err != nil {
		return nil, fmt.Errorf("read managers: %w", err)
	}
	return append(chose, managers...), nil
}
