package workflows

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/home"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

const (
	// HomeWork is of how many of the caller's newest open tickets the home page shows the most urgent.
	HomeWork = 300
	// firstChanges is how far back the first look at the home page goes.
	firstChanges = 7 * 24 * time.Hour
)

// Home is what the caller finds on the first page of the company.
type Home struct {
	Boards []boards.Board // in sight, by slug
	Pinned []boards.Board // those of them that the caller pinned, in the order of pinning
	Work   []tickets.Work // the newest
	Above  bool           // there is more work
	Recent []tickets.Ticket
	// Since is the end of the caller's visit before this one, nil in the first.
	Since   *time.Time
	Changes []home.Change // by others since then, on pinned boards; on all if none is pinned
	More    bool          // there are more changes
}

// Home returns the first page of the company. recent are the keys of the tickets that the caller looked at last. It notes
// that the caller looked.
func (w *Workflows) Home(ctx context.Context, recent []tickets.Key) (h Home, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return h, err
	}
	if h.Boards, err = w.Boards(ctx); err != nil {
		return h, err
	}
	if h.Pinned, err = w.pinnedOf(ctx, actor, h.Boards); err != nil {
		return h, err
	}
	if h.Work, h.Above, err = tickets.WorkOf(ctx, w.db.Queries, actor.Sight(), 0, HomeWork); err != nil {
		return h, err
	}
	if h.Recent, err = w.TicketsByKey(ctx, recent); err != nil {
		return h, err
	}
	now := w.db.Now()
	visit, err := home.Look(ctx, w.db.Queries, actor.Sight(), now)
	if err != nil {
		return h, err
	}
	h.Since = visit.Since
	since := now.Add(-firstChanges)
	if visit.Since != nil {
		since = *visit.Since
	}
	h.Changes, h.More, err = w.changesSince(ctx, actor, h.followed(), since)
	return h, err
}

// pinnedOf returns the boards among some that a caller has pinned.
func (w *Workflows) pinnedOf(ctx context.Context, actor accounts.Actor, list []boards.Board) (pinned []boards.Board, err error) {
	ids, err := boards.Pinned(ctx, w.db.Queries, actor.Sight())
	if err != nil {
		return nil, err
	}
	for _, one := range ids {
		if i := slices.IndexFunc(list, func(b boards.Board) bool { return b.ID == one }); i >= 0 {
			pinned = append(pinned, list[i])
		}
	}
	return pinned, nil
}

// followed are the boards whose changes the caller is shown.
func (h Home) followed() (list []id.Board) {
	from := h.Pinned
	if len(from) == 0 {
		from = h.Boards
	}
	for _, board := range from {
		if board.ArchivedAt == nil {
			list = append(list, board.ID)
		}
	}
	return list
}

func (w *Workflows) changesSince(
	ctx context.Context, actor accounts.Actor, on []id.Board, since time.Time,
) (list []home.Change, more bool, err error) {
	of := home.Source{Boards: on, Since: since}
	if of.Tickets, err = w.feeds.Since(ctx, "tickets", since, home.Window); err != nil {
		return nil, false, fmt.Errorf("find the changes of tickets: %w", err)
	}
	if of.Comments, err = w.feeds.Since(ctx, "comments", since, home.Window); err != nil {
		return nil, false, fmt.Errorf("find the changes of comments: %w", err)
	}
	return home.Changes(ctx, w.db.Queries, actor.Sight(), of)
}

// EndHomeVisit has nothing be new to the caller that was on the home page when they last looked.
func (w *Workflows) EndHomeVisit(ctx context.Context) error {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return err
	}
	return home.End(ctx, w.db.Queries, actor.Sight())
}

// PinBoard pins a board for the caller, or unpins it. It returns the board, boards.NotFound or TooManyPins.
func (w *Workflows) PinBoard(ctx context.Context, slug string, pinned bool) (boards.Board, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return boards.Board{}, err
	}
	board, err := boards.BySlug(ctx, w.db.Queries, actor.Sight(), slug)
	if err != nil {
		return board, err
	}
	err = w.lockingMembers(ctx, actor, func(tx *db.Tx) error { return boards.Pin(ctx, tx, actor.Sight(), board.ID, pinned) })
	if err != nil {
		return board, fmt.Errorf("pin board: %w", err)
	}
	return board, nil
}
