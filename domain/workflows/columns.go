package workflows

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
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
		seen, err := boards.BySlug(ctx, tx.Queries, actor.Sight(), slug)
		if err != nil {
			return err
		}
		if err := mayWriteOn(actor, seen.Grant); err != nil {
			return err
		}
		board, err = w.renameBoard(ctx, tx, actor, seen, names, version)
		return err
	})
	if err != nil {
		return boards.Board{}, fmt.Errorf("rename board: %w", err)
	}
	w.forgetBoard(actor.Company.ID, slug, board.Slug)
	return board, nil
}

func (w *Workflows) renameBoard(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, seen boards.Board, names boards.Names, version uint64,
) (boards.Board, error) {
	seen.Version = version
	board, err := boards.Rename(ctx, tx, seen, names)
	if err != nil || board.Slug == seen.Slug {
		return board, err
	}
	// All its tickets have other keys now. They may be many, so a run republishes them.
	values := migrations.Values{"company": actor.Company.Slug, "board": board.Slug}
	_, err = w.engine.OpenIn(ctx, tx, runActor(actor), RepublishName, values)
	return board, err
}

// ArchiveBoard makes a board read-only, or restores it. version is the one that the caller saw, nil for no check. It
// returns boards.NotFound, Stale, or ColumnChanging while a run is changing the tickets of a column.
func (w *Workflows) ArchiveBoard(
	ctx context.Context, slug string, archived bool, version *uint64,
) (boards.Board, error) {
	board, err := w.editBoard(ctx, slug, version, func(tx *db.Tx, board boards.Board, _ tickets.User) error {
		if board.Archived() == archived {
			return nil
		}
		var at *time.Time
		if archived {
			for _, column := range board.Columns {
				if err := freeToChange(ctx, tx, column); err != nil {
					return err
				}
			}
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
// reopened: in a run, if they are more than boards.Chunk. It returns boards.NotFound, ColumnNotFound, Stale, Archived,
// ColumnChanging if a run is still changing its tickets, or what is wrong with the edit.
func (w *Workflows) EditColumn(
	ctx context.Context, slug string, column id.Column, edit boards.ColumnEdit, version *uint64,
) (boards.Board, error) {
	board, err := w.onColumns(ctx, slug, version, func(tx *db.Tx, board boards.Board, by tickets.User) error {
		was, now, err := boards.EditColumn(ctx, tx, board, column, edit)
		if err != nil || edit.Done == nil {
			return err
		}
		return w.changeDone(ctx, tx, board, was, now, by)
	})
	if err != nil {
		return boards.Board{}, fmt.Errorf("edit column: %w", err)
	}
	return board, nil
}

// FoldColumn has the caller see a column of a board that they see folded, or no more. It returns boards.NotFound or
// ColumnNotFound.
func (w *Workflows) FoldColumn(ctx context.Context, slug string, column id.Column, folded bool) (boards.Board, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return boards.Board{}, err
	}
	board, err := w.Board(ctx, slug)
	if err != nil {
		return boards.Board{}, err
	}
	if _, ok := board.Column(column); !ok {
		return boards.Board{}, boards.ColumnNotFound{Column: uint64(column)}
	}
	return board, w.db.InTx(ctx, func(tx *db.Tx) error { return boards.Fold(ctx, tx, actor.Account.ID, column, folded) })
}

// changeDone closes or reopens the tickets of a column whose done changed, or was not carried through to all of them.
func (w *Workflows) changeDone(
	ctx context.Context, tx *db.Tx, board boards.Board, was, now boards.Column, by tickets.User,
) error {
	if was.Done == now.Done && was.Change == nil {
		return nil
	}
	err := freeToChange(ctx, tx, was)
	if err == nil && was.Carries() {
		err = boards.ColumnChanging(was)
	}
	if err != nil && was.Done == now.Done {
		return nil // another field was edited
	}
	if err != nil {
		return err
	}
	change := boards.Change{Kind: boards.ChangeReopen}
	if now.Done {
		change.Kind = boards.ChangeClose
	}
	if now.Count > boards.Chunk {
		return w.beginChange(ctx, tx, board, now, change)
	}
	ids, err := tickets.ColumnTickets(ctx, tx.Queries, now.ID, tickets.AllRanks, boards.Chunk)
	if err != nil {
		return err
	}
	if now.Done {
		_, err = tickets.CloseIn(ctx, tx, now.ID, ids, by)
	} else {
		_, err = tickets.ReopenIn(ctx, tx, now.ID, ids, by, leftBehind(was))
	}
	if err != nil || was.Change == nil {
		return err
	}
	return boards.EndChange(ctx, tx, now)
}

// leftBehind says which closed tickets of a column are to be reopened: nil for all.
func leftBehind(column boards.Column) func(closedAt *time.Time, movedAt time.Time) bool {
	if column.Change == nil || column.Change.Kind != boards.ChangeReopen {
		return nil
	}
	return column.LeavesBehind
}

// freeToChange returns ColumnChanging if a run is changing the tickets of a locked column. A run that was cancelled, or
// that left tasks undone, is no hindrance: the next change takes over.
func freeToChange(ctx context.Context, tx *db.Tx, column boards.Column) error {
	if column.Change == nil {
		return nil
	}
	row, err := tx.RunByID(ctx, column.Change.Run)
	if err != nil && !db.IsNotFound(err) {
		return fmt.Errorf("read run: %w", err)
	}
	if err == nil && migrations.State(row.State).IsActive() {
		return boards.ColumnChanging(column)
	}
	return nil
}

// StoppedChanges returns the columns of a board whose change no run is carrying on: an operator has cancelled it, or it
// left some tasks undone. The same change, asked for again, goes on.
func (w *Workflows) StoppedChanges(ctx context.Context, board boards.Board) (map[id.Column]bool, error) {
	stopped := map[id.Column]bool{}
	for _, column := range board.Columns {
		if column.Change == nil {
			continue
		}
		row, err := w.engine.Row(ctx, column.Change.Run)
		if err != nil && !errors.Is(err, fault.NotFound) {
			return nil, err
		}
		stopped[column.ID] = err != nil || !migrations.State(row.State).IsActive()
	}
	return stopped, nil
}

// beginChange opens the run that changes all tickets of a column, in the transaction that makes it necessary.
func (w *Workflows) beginChange(
	ctx context.Context, tx *db.Tx, board boards.Board, column boards.Column, change boards.Change,
) error {
	actor := accounts.ActorFrom(ctx)
	run, err := w.engine.OpenIn(ctx, tx, runActor(actor), ChangeColumnName, migrations.Values{
		"company": actor.Company.Slug, "board": board.Slug, "column": strconv.FormatUint(uint64(column.ID), 10),
	})
	if err != nil {
		return err
	}
	// After the locks: a ticket that was put there before this transaction had them belongs to the change.
	change.Run, change.By, change.At = run.ID, actor.Account.ID, w.db.Now()
	if before := column.Change; before != nil && before.Kind == change.Kind {
		change.At = before.At // it goes on
	}
	return boards.BeginChange(ctx, tx, column, change)
}

// RemoveColumn takes a column off a board; its tickets go to the end of another, in their order: if they are more than
// boards.Chunk, in a run, and the column is on the board until the last is gone. to may be 0 for an empty column. It
// returns boards.NotFound, ColumnNotFound, Stale, Archived, LastColumn, NoHeir, ColumnFull, ColumnLeaving or
// ColumnChanging.
func (w *Workflows) RemoveColumn(
	ctx context.Context, slug string, column, to id.Column, version *uint64,
) (boards.Board, error) {
	board, err := w.onColumns(ctx, slug, version, func(tx *db.Tx, board boards.Board, by tickets.User) error {
		removed, ok := board.Column(column)
		if !ok {
			return boards.ColumnNotFound{Column: uint64(column)}
		}
		if err := removable(ctx, tx, board, removed); err != nil {
			return err
		}
		if removed.Count > boards.Chunk && len(board.Columns) > 1 {
			heir, err := heirOf(board, removed, to)
			if err != nil {
				return err
			}
			return w.beginChange(ctx, tx, board, removed, boards.Change{Kind: boards.ChangeEmpty, To: heir.ID})
		}
		if removed.Count > 0 && len(board.Columns) > 1 {
			if err := empty(ctx, tx, board, removed, to, by); err != nil {
				return err
			}
		}
		return boards.RemoveColumn(ctx, tx, board, removed)
	})
	if err != nil {
		return boards.Board{}, fmt.Errorf("remove column: %w", err)
	}
	return board, nil
}

// MoveColumnTickets moves all tickets of a column to the end of another, in their order: if they are more than
// boards.Chunk, in a run, which leaves those alone that come to the column later. It returns boards.NotFound,
// ColumnNotFound, Archived, NoHeir, ColumnFull, ColumnLeaving or ColumnChanging.
func (w *Workflows) MoveColumnTickets(
	ctx context.Context, slug string, column, to id.Column,
) (boards.Board, error) {
	board, err := w.onColumns(ctx, slug, nil, func(tx *db.Tx, board boards.Board, by tickets.User) error {
		from, ok := board.Column(column)
		if !ok {
			return boards.ColumnNotFound{Column: uint64(column)}
		}
		if err := freeToChange(ctx, tx, from); err != nil {
			return err
		}
		if from.Change != nil && !from.Carries() || from.Leaving() { // stopped, and to go on with
			return boards.ColumnChanging(from)
		}
		heir, err := heirOf(board, from, to)
		if err != nil {
			return err
		}
		if from.Count > boards.Chunk {
			return w.beginChange(ctx, tx, board, from, boards.Change{Kind: boards.ChangeMove, To: heir.ID})
		}
		if err := empty(ctx, tx, board, from, to, by); err != nil || from.Change == nil {
			return err
		}
		return boards.EndChange(ctx, tx, from)
	})
	if err != nil {
		return boards.Board{}, fmt.Errorf("move tickets of column: %w", err)
	}
	return board, nil
}

// SortColumn puts the tickets of a column in an order, once. The activities are what it added to the histories, the last
// ticket's first, so that undoing them one after the other from the end brings the old order back; there are none if the
// tickets were in order, or are more than tickets.MaxBatch. It returns boards.NotFound, ColumnNotFound, Archived or
// ColumnChanging, or tickets.TooManyToSort.
func (w *Workflows) SortColumn(
	ctx context.Context, slug string, column id.Column, order tickets.Order,
) (board boards.Board, sorted []id.Activity, err error) {
	board, err = w.onColumns(ctx, slug, nil, func(tx *db.Tx, board boards.Board, by tickets.User) error {
		in, ok := board.Column(column)
		if !ok {
			return boards.ColumnNotFound{Column: uint64(column)}
		}
		if err := freeToChange(ctx, tx, in); err != nil {
			return err
		}
		if in.Count > tickets.MaxSorted {
			return tickets.TooManyToSort(in.Count)
		}
		last, activities, err := tickets.SortColumn(ctx, tx, tickets.Sorting{Board: board.ID, Slug: board.Slug,
			Column: in.ID, LastRank: in.LastRank, Order: order}, by)
		if err != nil {
			return err
		}
		sorted = activities
		return boards.RaiseLastRank(ctx, tx, in.ID, last)
	})
	if err != nil {
		return boards.Board{}, nil, fmt.Errorf("sort column: %w", err)
	}
	return board, sorted, nil
}

// removable returns ColumnChanging if a run is changing the column's tickets, or if those of another are to come to it.
func removable(ctx context.Context, tx *db.Tx, board boards.Board, removed boards.Column) error {
	if err := freeToChange(ctx, tx, removed); err != nil {
		return err
	}
	for _, other := range board.Columns {
		if other.Carries() && other.Change.To == removed.ID {
			return boards.ColumnChanging(other)
		}
	}
	return nil
}

// heirOf returns the column that the tickets of a removed one go to.
func heirOf(board boards.Board, removed boards.Column, heir id.Column) (boards.Column, error) {
	to, ok := board.Column(heir)
	if !ok || to.ID == removed.ID {
		return boards.Column{}, boards.NoHeir()
	}
	if removed.Carries() && removed.Change.To == to.ID { // room is kept for them already
		to.Incoming -= removed.Change.Total - removed.Change.Done
	}
	return to, to.Admit(removed.Count)
}

// empty puts the tickets of a column, boards.Chunk at most, at the end of another.
func empty(
	ctx context.Context, tx *db.Tx, board boards.Board, from boards.Column, heir id.Column, by tickets.User,
) error {
	to, err := heirOf(board, from, heir)
	if err != nil {
		return err
	}
	ids, err := tickets.ColumnTickets(ctx, tx.Queries, from.ID, tickets.AllRanks, boards.Chunk)
	if err != nil {
		return err
	}
	done, err := tickets.CarryAll(ctx, tx, ColumnMove(from, to), ids, by)
	if err != nil {
		return err
	}
	if err := boards.RaiseLastRank(ctx, tx, to.ID, done.LastRank); err != nil {
		return err
	}
	if err := boards.Count(ctx, tx, from.ID, -done.Tickets); err != nil {
		return err
	}
	return boards.Count(ctx, tx, to.ID, done.Tickets)
}

// ColumnMove is the way of tickets from a locked column to the end of another.
func ColumnMove(from, to boards.Column) tickets.ColumnMove {
	return tickets.ColumnMove{From: from.ID, To: to.ID, LastRank: to.LastRank, FromDone: from.Done, ToDone: to.Done,
		Names: tickets.Change{Old: from.Name, New: to.Name}}
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
			if board, err = boards.BySlug(ctx, tx.Queries, actor.Sight(), slug); err != nil {
				return err
			}
			if err := mayWriteOn(actor, board.Grant); err != nil {
				return err
			}
			if version != nil && *version != board.Version {
				return boards.Stale{Current: board}
			}
			if err := fn(tx, board, user(actor)); err != nil {
				return err
			}
			board, err = boards.BySlug(ctx, tx.Queries, actor.Sight(), slug)
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
