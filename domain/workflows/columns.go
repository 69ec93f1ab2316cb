package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// RenameBoard gives a board another slug or title. version is the one that the caller saw. Earlier slugs stay the
// board's own, and so do its keys. It returns boards.NotFound, Stale, Archived, SlugConflict, or what is wrong with the
// names.
func (w *Workflows) RenameBoard(
	ctx context.Context, slug string, names boards.Names, version uint64,
) (board boards.Board, err error) {
	actor, err := mayChange(ctx, "boards")
	if err != nil {
		return boards.Board{}, err
	}
	err = w.change(ctx, func(tx *db.Tx) error {
		seen, err := boards.BySlug(ctx, tx.Queries, actor.Company.ID, slug)
		if err != nil {
			return err
		}
		seen.Version = version
		if board, err = boards.Rename(ctx, tx, seen, names); err != nil || board.Slug == seen.Slug {
			return err
		}
		// All its tickets have other keys now. They may be many, so a run republishes them.
		values := migrations.Values{"company": actor.Company.Slug, "board": board.Slug}
		_, err = w.engine.OpenIn(ctx, tx, runActor(actor), RepublishName, values)
		return err
	})
	if err != nil {
		return boards.Board{}, fmt.Errorf("rename board: %w", err)
	}
	w.forgetBoard(actor.Company.ID, slug, board.Slug)
	return board, nil
}

// ArchiveBoard makes a board read-only, or restores it. version is the one that the caller saw, nil for no check. It
// returns boards.NotFound or Stale.
func (w *Workflows) ArchiveBoard(
	ctx context.Context, slug string, archived bool, version *uint64,
) (boards.Board, error) {
	board, err := w.editBoard(ctx, slug, version, func(tx *db.Tx, board boards.Board, _ tickets.User) error {
		if board.Archived() == archived {
			return nil
		}
		var at *time.Time
		if archived {
			at = &tx.Now
		}
		return boards.Archive(ctx, tx, board, at)
	})
	if err != nil {
		return boards.Board{}, fmt.Errorf("archive board: %w", err)
	}
	return board, nil
}

// OpenColumn adds a column to a board. version is the board's that the caller saw, nil for no check. It returns
// boards.NotFound, Stale, Archived, TooManyColumns, or what is wrong with the edit, and with once Replay or KeyReused.
func (w *Workflows) OpenColumn(
	ctx context.Context, slug string, edit boards.ColumnEdit, version *uint64, once *Once[boards.Column],
) (boards.Board, boards.Column, error) {
	var board boards.Board
	opened, err := DoOnce(ctx, w, once, func() (opened boards.Column, err error) {
		board, err = w.onColumns(ctx, slug, version, func(tx *db.Tx, board boards.Board, _ tickets.User) error {
			if _, opened, err = boards.OpenColumn(ctx, tx, board, edit); err != nil {
				return err
			}
			return StoreResponses(ctx, tx, once.Row(tx, opened))
		})
		return opened, err
	})
	if err != nil {
		return boards.Board{}, boards.Column{}, fmt.Errorf("open column: %w", err)
	}
	return board, opened, nil
}

// EditColumn changes a column. If it becomes a done column, all its tickets are closed; if it stops being one, they are
// reopened. It returns boards.NotFound, ColumnNotFound, Stale, Archived, or what is wrong with the edit.
func (w *Workflows) EditColumn(
	ctx context.Context, slug string, column id.Column, edit boards.ColumnEdit, version *uint64,
) (boards.Board, error) {
	board, err := w.onColumns(ctx, slug, version, func(tx *db.Tx, board boards.Board, by tickets.User) error {
		was, now, err := boards.EditColumn(ctx, tx, board, column, edit)
		switch {
		case err != nil:
			return err
		case now.Done && !was.Done:
			return tickets.CloseColumn(ctx, tx, column, by)
		case was.Done && !now.Done:
			return tickets.ReopenColumn(ctx, tx, column, by)
		}
		return nil
	})
	if err != nil {
		return boards.Board{}, fmt.Errorf("edit column: %w", err)
	}
	return board, nil
}

// RemoveColumn takes a column off a board; its tickets go to the end of another, in their order. to
// may be 0 for an empty column. It returns boards.NotFound, ColumnNotFound, Stale, Archived,
// LastColumn, NoHeir or ColumnFull.
func (w *Workflows) RemoveColumn(
	ctx context.Context, slug string, column, to id.Column, version *uint64,
) (boards.Board, error) {
	board, err := w.onColumns(ctx, slug, version, func(tx *db.Tx, board boards.Board, by tickets.User) error {
		removed, ok := board.Column(column)
		if !ok {
			return boards.ColumnNotFound{Column: uint64(column)}
		}
		if removed.Count > 0 && len(board.Columns) > 1 {
			if err := empty(ctx, tx, board, removed, to, by); err != nil {
				return err
			}
		}
		return boards.RemoveColumn(ctx, tx, board, column)
	})
	if err != nil {
		return boards.Board{}, fmt.Errorf("remove column: %w", err)
	}
	return board, nil
}

// empty puts the tickets of a column at the end of another.
func empty(
	ctx context.Context, tx *db.Tx, board boards.Board, from boards.Column, heir id.Column, by tickets.User,
) error {
	to, ok := board.Column(heir)
	if !ok || to.ID == from.ID {
		return boards.NoHeir()
	}
	if err := to.Admit(from.Count); err != nil {
		return err
	}
	n, last, err := tickets.EmptyColumn(ctx, tx, tickets.ColumnMove{
		From: from.ID, To: to.ID, LastRank: to.LastRank, FromDone: from.Done, ToDone: to.Done,
		Names: tickets.Change{Old: from.Name, New: to.Name},
	}, by)
	if err != nil {
		return err
	}
	if err := boards.RaiseLastRank(ctx, tx, to.ID, last); err != nil {
		return err
	}
	if err := boards.Count(ctx, tx, from.ID, -n); err != nil {
		return err
	}
	return boards.Count(ctx, tx, to.ID, n)
}

// onColumns runs fn, which changes a board's columns, in a transaction that holds all their locks, and counts the edit.
func (w *Workflows) onColumns(
	ctx context.Context, slug string, version *uint64, fn func(tx *db.Tx, board boards.Board, by tickets.User) error,
) (boards.Board, error) {
	return w.editBoard(ctx, slug, version, func(tx *db.Tx, board boards.Board, by tickets.User) error {
		if board.Archived() {
			return boards.Archived()
		}
		ids := make([]id.Column, len(board.Columns))
		for i, c := range board.Columns {
			ids[i] = c.ID
		}
		locked, err := boards.LockColumns(ctx, tx, ids...)
		if err != nil {
			return err
		}
		for i, c := range ids {
			now, ok := locked[c]
			if !ok {
				return boards.ErrOutdated
			}
			board.Columns[i] = now
		}
		if err := fn(tx, board, by); err != nil {
			return err
		}
		return boards.CountEdit(ctx, tx, board) // last: a board is locked after its tickets
	})
}

// editBoard runs fn with a board in a transaction and returns the board as it is afterwards. If another edit committed
// first, it returns boards.Stale, or runs fn again if version is nil.
func (w *Workflows) editBoard(
	ctx context.Context, slug string, version *uint64, fn func(tx *db.Tx, board boards.Board, by tickets.User) error,
) (board boards.Board, err error) {
	actor, err := mayChange(ctx, "boards")
	if err != nil {
		return board, err
	}
	for range relocations {
		err = w.change(ctx, func(tx *db.Tx) error {
			if board, err = boards.BySlug(ctx, tx.Queries, actor.Company.ID, slug); err != nil {
				return err
			}
			if version != nil && *version != board.Version {
				return boards.Stale{Current: board}
			}
			if err := fn(tx, board, user(actor)); err != nil {
				return err
			}
			board, err = boards.BySlug(ctx, tx.Queries, actor.Company.ID, slug)
			return err
		})
		if !errors.Is(err, boards.ErrOutdated) {
			w.forgetBoard(actor.Company.ID, slug, board.Slug)
			return board, err
		}
	}
	return board, db.Unavailable{Why: "the board is changed again and again", Err: err}
}

// forgetBoard drops a board from the recent reads.
func (w *Workflows) forgetBoard(company id.Company, slugs ...string) {
	for _, slug := range slugs {
		if parsed, err := boards.ParseSlug(slug); err == nil {
			w.boards.Forget(boardRef{company, parsed})
		}
	}
}
