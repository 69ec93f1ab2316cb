package workflows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/search"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Bounds of what a jump reads.
const (
	jumpBoards = 100
	jumpTitles = 4000 // over all boards, but a few of each
	jumpFewest = 40
	jumpMost   = 2000
	jumpFound  = 50 // the best titles, of which those of the open board come first
)

// Jump is what a typed text may mean.
type Jump struct {
	Key    *tickets.Ticket // the ticket with that key
	Titles []tickets.SearchResult
	Newest int // so many of a board are searched for titles; 0: all
	// Indexed says that there is a search index.
	Indexed bool
	Boards  []JumpBoard
}

// JumpBoard is a board to jump to.
type JumpBoard struct{ Slug, Title string }

// JumpTo finds tickets by a key, a number on the board, or words of a title, and returns the boards among which it
// looked, without a text those first that the caller pinned. board is the slug of the open board, "" for none.
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
	if text == "" {
		if err := w.pinnedFirst(ctx, actor, rows); err != nil {
			return Jump{}, err
		}
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
	titles, known, err := w.titles(ctx, actor, board, text)
	if err != nil || known {
		jump.Titles, jump.Newest, jump.Indexed = titles, 0, known
		return jump, err
	}
	jump.Titles, err = tickets.SearchTitles(ctx, w.db.Queries, on, text, uint64(newest))
	return jump, err
}

// pinnedFirst puts the boards that the caller pinned before the others, in the order of pinning.
func (w *Workflows) pinnedFirst(ctx context.Context, actor accounts.Actor, rows []db.BoardsToSearchRow) error {
	pinned, err := boards.Pinned(ctx, w.db.Queries, actor.Sight())
	if err != nil {
		return err
	}
	place := func(board id.Board) int {
		if i := slices.Index(pinned, board); i >= 0 {
			return i
		}
		return len(pinned)
	}
	slices.SortStableFunc(rows, func(a, b db.BoardsToSearchRow) int { return cmp.Compare(place(a.ID), place(b.ID)) })
	return nil
}

// titles returns the tickets whose titles have the words of a text: first those of a board, then the best. known is false
// if there is no whole index of them.
func (w *Workflows) titles(
	ctx context.Context, actor accounts.Actor, board, text string,
) (list []tickets.SearchResult, known bool, err error) {
	if len(search.Words(text)) == 0 {
		return nil, false, nil
	}
	found, _, state, err := w.findTickets(ctx, actor, search.Find{Text: text, Titles: true, Limit: jumpFound}, db.TicketCondition{})
	if err != nil || state == search.Off || state == search.Building {
		return nil, false, err
	}
	slices.SortStableFunc(found, func(a, b db.FoundTicket) int {
		return cmp.Compare(elsewhere(a, board), elsewhere(b, board))
	})
	for _, t := range found {
		list = append(list, tickets.SearchResult{Key: tickets.Key{Board: t.Slug, Number: t.LocalID}, Title: t.Title,
			Closed: t.ClosedAt != nil})
	}
	return list, true, nil
}

// elsewhere is 0 for tickets of a board, 1 for others.
func elsewhere(t db.FoundTicket, board string) int {
	if strings.EqualFold(t.Slug, board) {
		return 0
	}
	return 1
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
