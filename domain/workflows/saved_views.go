package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// SavedViews returns the caller's views, and those that others share with the caller.
func (w *Workflows) SavedViews(ctx context.Context) (savedviews.Listed, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return savedviews.Listed{}, err
	}
	return savedviews.InSight(ctx, w.db.Queries, actor.Sight())
}

// mayKeepViews returns the caller if it may save, change and pin views: members may, whatever their role, and programs that
// may change boards.
func mayKeepViews(ctx context.Context) (accounts.Actor, error) {
	if actor, err := MayRead(ctx, "boards:write"); err != nil {
		return actor, err
	}
	return MayRead(ctx, "boards:read")
}

// SavedView returns a view that the caller sees, or savedviews.NotFound.
func (w *Workflows) SavedView(ctx context.Context, view id.SavedView) (savedviews.View, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return savedviews.View{}, err
	}
	return savedviews.ByID(ctx, w.db.Queries, actor.Sight(), view)
}

// PinnedViews returns the views that the caller has pinned, in the order of pinning.
func (w *Workflows) PinnedViews(ctx context.Context) ([]savedviews.View, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return nil, err
	}
	return savedviews.Pinned(ctx, w.db.Queries, actor.Sight())
}

// CountViews returns how many tickets some views have for the caller.
func (w *Workflows) CountViews(ctx context.Context, views []savedviews.View) (map[id.SavedView]savedviews.Count, error) {
	if _, err := MayRead(ctx, "tickets:read"); err != nil {
		return nil, err
	}
	counts := make(map[id.SavedView]savedviews.Count, len(views))
	for _, view := range views {
		count, err := w.countView(ctx, view)
		if err != nil {
			return nil, fmt.Errorf("count the tickets of view %d: %w", view.ID, err)
		}
		counts[view.ID] = count
	}
	return counts, nil
}

func (w *Workflows) countView(ctx context.Context, view savedviews.View) (count savedviews.Count, err error) {
	board, err := w.boardOrAll(ctx, view.Slug)
	if err != nil {
		return savedviews.Count{}, err
	}
	filter, err := w.filter(ctx, board, BoardFilter{Query: view.Query}, nil)
	if count.Problem = query.Problem(err); err != nil {
		if count.Problem != nil {
			err = nil
		}
		return count, err
	}
	count.Tickets, count.More, err = tickets.CountMatching(ctx, w.db.Queries, scopeOf(ctx, board), filter, savedviews.MaxCount)
	return count, err
}

// SaveView adds a view of the caller to a board, or to AllBoards. It returns boards.NotFound, all that is wrong with the view, a
// query.Error, savedviews.TooMany, TooManyShared or NameTaken, ReadOnly or NotForGuests if the caller cannot share, and
// with once Replay or KeyReused.
func (w *Workflows) SaveView(
	ctx context.Context, slug string, view savedviews.View, once *Once[savedviews.View],
) (saved savedviews.View, err error) {
	actor, err := mayKeepViews(ctx)
	if err != nil {
		return saved, err
	}
	board, err := w.boardOrAll(ctx, slug)
	if err != nil {
		return saved, err
	}
	view.Owner, view.Board, view.Slug, view.BoardTitle = actor.Account.ID, board.ID, board.Slug, board.Title
	view, err = w.checkView(ctx, actor, board, view, false)
	if err != nil {
		return saved, err
	}
	saved, err = DoOnce(ctx, w, once, func() (saved savedviews.View, err error) {
		err = w.lockingMembers(ctx, actor, func(tx *db.Tx) error {
			if saved, err = savedviews.Create(ctx, tx, actor.Company.ID, view); err != nil {
				return err
			}
			if view.Pinned {
				if err := savedviews.Pin(ctx, tx, actor.Sight(), saved.ID, true); err != nil {
					return err
				}
			}
			return StoreResponses(ctx, tx, once.Row(tx, saved))
		})
		return saved, err
	})
	if err != nil {
		return saved, fmt.Errorf("save view: %w", err)
	}
	return saved, nil
}

// checkView returns a view of a board as it is stored, or all that is wrong with it. shared: it is already.
func (w *Workflows) checkView(
	ctx context.Context, actor accounts.Actor, board boards.Board, view savedviews.View, shared bool,
) (savedviews.View, error) {
	view, err := view.Parse()
	if errors.Is(err, savedviews.CodeBadQuery) {
		return view, err
	}
	_, badQuery := w.conditionOn(ctx, actor, board, view.Query, nil)
	if badQuery != nil && query.Problem(badQuery) == nil {
		return view, badQuery
	}
	var noShare error
	if view.Shared && !shared {
		_, noShare = mayWriteAnywhere(ctx, "boards:read")
	}
	if noShare != nil {
		return view, noShare
	}
	return view, fault.Join(err, badQuery)
}

// ChangeView changes a view: Version is the one that the caller saw. Its board stays. It returns savedviews.NotFound,
// NotYours or Stale, and what SaveView does.
func (w *Workflows) ChangeView(ctx context.Context, view savedviews.View) (saved savedviews.View, err error) {
	actor, was, err := w.viewToChange(ctx, view.ID)
	if err != nil {
		return saved, err
	}
	board, err := w.boardOrAll(ctx, was.Slug)
	if err != nil {
		return saved, err
	}
	view.Board = was.Board
	if view, err = w.checkView(ctx, actor, board, view, was.Shared); err != nil {
		return saved, err
	}
	err = w.lockingMembers(ctx, actor, func(tx *db.Tx) (err error) {
		saved, err = savedviews.Save(ctx, tx, actor.Sight(), was, view)
		return err
	})
	if err != nil {
		return saved, fmt.Errorf("change view: %w", err)
	}
	return saved, nil
}

// viewToChange returns a view that the caller may change. It returns savedviews.NotFound or NotYours.
func (w *Workflows) viewToChange(ctx context.Context, view id.SavedView) (accounts.Actor, savedviews.View, error) {
	actor, err := mayKeepViews(ctx)
	if err != nil {
		return actor, savedviews.View{}, err
	}
	was, err := savedviews.ByID(ctx, w.db.Queries, actor.Sight(), view)
	if err == nil && !was.ChangedBy(actor.Account.ID, actor.Manages()) {
		err = savedviews.NotYours()
	}
	return actor, was, err
}

// ViewToChange returns a view that the caller may change, before it is changed. It returns savedviews.NotFound or NotYours.
func (w *Workflows) ViewToChange(ctx context.Context, view id.SavedView) (savedviews.View, error) {
	_, was, err := w.viewToChange(ctx, view)
	return was, err
}

// DeleteView deletes a view. It returns savedviews.NotFound or NotYours.
func (w *Workflows) DeleteView(ctx context.Context, view id.SavedView) error {
	actor, _, err := w.viewToChange(ctx, view)
	if err != nil {
		return err
	}
	err = w.lockingMembers(ctx, actor, func(tx *db.Tx) error { return savedviews.Delete(ctx, tx, actor.Company.ID, view) })
	if err != nil {
		return fmt.Errorf("delete view: %w", err)
	}
	return nil
}

// PinView has a view in the caller's navigation, or not any more. It returns the view, savedviews.NotFound or TooManyPins.
func (w *Workflows) PinView(ctx context.Context, view id.SavedView, pinned bool) (savedviews.View, error) {
	actor, err := mayKeepViews(ctx)
	if err != nil {
		return savedviews.View{}, err
	}
	seen, err := savedviews.ByID(ctx, w.db.Queries, actor.Sight(), view)
	if err != nil {
		return seen, err
	}
	err = w.lockingMembers(ctx, actor, func(tx *db.Tx) error { return savedviews.Pin(ctx, tx, actor.Sight(), view, pinned) })
	if err != nil {
		return seen, fmt.Errorf("pin view: %w", err)
	}
	seen.Pinned = pinned
	return seen, nil
}

// lockingMembers runs change under the lock of the company.
func (w *Workflows) lockingMembers(ctx context.Context, actor accounts.Actor, change func(tx *db.Tx) error) error {
	return w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := accounts.LockMembers(ctx, tx, actor.Company.ID); err != nil {
			return err
		}
		return change(tx)
	})
}
