package workflows

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Bounds of what a jump reads.
const (
	jumpBoards = 100
	jumpTitles = 4000 // over all boards, but a few of each
	jumpFewest = 40
	jumpMost   = 2000
)

// Jump is what a typed text may mean.
type Jump struct {
	Key    *tickets.Ticket // the ticket with that key
	Titles []tickets.SearchResult
	Newest int // so many of a board are searched for titles; 0: all
	Boards []JumpBoard
}

// JumpBoard is a board to jump to.
type JumpBoard struct{ Slug, Title string }

// JumpTo finds tickets by a key, a number on the board, or words of a title, and returns the boards among which it
// looked. board is the slug of the open board, "" for none.
func (w *Workflows) JumpTo(ctx context.Context, board, text string) (Jump, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return Jump{}, err
	}
	var jump Jump
	if key, ok := tickets.ParseShortKey(text, board); ok {
		ticket, err := tickets.ByKey(ctx, w.db.Queries, actor.Sight(), key)
		switch {
		case err == nil:
			jump.Key = &ticket
		case !errors.Is(err, fault.NotFound):
			return Jump{}, err
		}
	}
	rows, err := db.Read(w.db.BoardsToSearch(ctx, db.BoardsToSearchParams{
		Reader: actor.Account.ID, CompanyID: actor.Company.ID, Reach: actor.Sight().Reach, Limit: jumpBoards,
	}))
	if err != nil {
		return Jump{}, fmt.Errorf("read boards: %w", err)
	}
	newest := min(max(jumpTitles/max(len(rows), 1), jumpFewest), jumpMost)
	on := make([]tickets.SearchBoard, 0, len(rows))
	for _, row := range rows {
		if row.MaxTicketID > uint64(newest) {
			jump.Newest = newest
		}
		jump.Boards = append(jump.Boards, JumpBoard{row.Slug, row.Title})
		here := tickets.SearchBoard{ID: row.ID, Slug: row.Slug, Last: row.MaxTicketID}
		if on = append(on, here); strings.EqualFold(row.Slug, board) {
			on[0], on[len(on)-1] = here, on[0]
		}
	}
	jump.Titles, err = tickets.SearchTitles(ctx, w.db.Queries, on, text, uint64(newest))
	return jump, err
}

// TicketsByKey returns the tickets of keys that the caller sees, in the order of the keys.
func (w *Workflows) TicketsByKey(ctx context.Context, keys []tickets.Key) (list []tickets.Ticket, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		ticket, err := tickets.ByKey(ctx, w.db.Queries, actor.Sight(), key)
		switch {
		case err == nil:
			list = append(list, ticket)
		case !errors.Is(err, fault.NotFound):
			return nil, err
		}
	}
	return list, nil
}
