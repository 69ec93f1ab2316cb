package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// BulkRequest is a wish to change all tickets of a board, or of AllBoards, that match a text of domain/query.
type BulkRequest struct {
	Query  string
	Edit   bulkedits.Edit
	Dry    bool // nothing is changed: the bulk edit says what would be
	Canary int  // above 0, after how many tickets it pauses and asks
}

// MaxCounted is how many matching tickets CountMatching counts.
const MaxCounted = 1000

// CountMatching returns how many tickets of a board, or of AllBoards, match a text of domain/query, up to MaxCounted; more says that there
// may be others. It returns boards.NotFound or a query.Error.
func (w *Workflows) CountMatching(ctx context.Context, slug, text string) (n int, more bool, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return 0, false, err
	}
	board, err := w.scopeNamed(ctx, actor, slug)
	if err != nil {
		return 0, false, err
	}
	filter, err := w.filter(ctx, board, BoardFilter{Query: text}, nil)
	if err != nil {
		return 0, false, err
	}
	return tickets.CountMatching(ctx, w.db.Queries, scopeOf(ctx, board), filter, MaxCounted)
}

// pagesLookedAt bounds how far KeysMatching looks: each page looks at a window of the board.
const pagesLookedAt = 5

// KeysMatching returns the keys of the tickets of a board, or of AllBoards, that match a text of domain/query, in the order of the list, if
// they are at most tickets.MaxBatch; else, or if that takes a long look, ok is false.
func (w *Workflows) KeysMatching(ctx context.Context, slug, text string) (keys []tickets.Key, ok bool, err error) {
	of := TicketList{Query: text, Limit: tickets.MaxBatch}
	for range pagesLookedAt {
		_, page, next, err := w.TicketsOf(ctx, slug, of)
		if err != nil {
			return nil, false, err
		}
		for _, ticket := range page {
			keys = append(keys, ticket.Key)
		}
		if next == nil {
			return keys, len(keys) <= tickets.MaxBatch, nil
		}
		if len(keys) >= tickets.MaxBatch {
			break
		}
		of.After = next
	}
	return nil, false, nil
}

// OpenBulkEdit opens the run that changes all tickets of a board, or of AllBoards, that match. It returns boards.NotFound or Archived, a
// query.Error, bulkedits.BadEdit or TooMany, and with once Replay or KeyReused.
func (w *Workflows) OpenBulkEdit(
	ctx context.Context, slug string, wish BulkRequest, once *Once[bulkedits.BulkEdit],
) (bulkedits.BulkEdit, error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return bulkedits.BulkEdit{}, err
	}
	board, err := w.scopeNamed(ctx, actor, slug)
	if err != nil {
		return bulkedits.BulkEdit{}, err
	}
	edit := bulkedits.BulkEdit{Board: board.ID, Slug: board.Slug, Archived: board.Archived(), Grant: board.Grant,
		Query: wish.Query, Edit: wish.Edit, Dry: wish.Dry}
	if err := mayEditAll(actor, edit); err != nil {
		return bulkedits.BulkEdit{}, err
	}
	if _, err := w.filter(ctx, board, BoardFilter{Query: wish.Query}, nil); err != nil {
		return bulkedits.BulkEdit{}, err
	}
	if !wish.Edit.Possible(board.ID) {
		return bulkedits.BulkEdit{}, bulkedits.BadEdit()
	}
	return w.openBulkEdit(ctx, actor, edit, wish.Canary, once)
}

// mayEditAll returns why the actor may not change the tickets of a bulk edit's board now. On all boards, each ticket is asked.
func mayEditAll(actor accounts.Actor, edit bulkedits.BulkEdit) error {
	if edit.Board == 0 {
		return nil
	}
	if err := mayWriteOn(actor, edit.Grant); err != nil {
		return err
	}
	if edit.Archived {
		return boards.Archived()
	}
	return nil
}

func (w *Workflows) openBulkEdit(
	ctx context.Context, actor accounts.Actor, edit bulkedits.BulkEdit, canary int, once *Once[bulkedits.BulkEdit],
) (bulkedits.BulkEdit, error) {
	edit.Maker = user(actor)
	opened, err := DoOnce(ctx, w, once, func() (opened bulkedits.BulkEdit, err error) {
		err = w.db.InTx(ctx, func(tx *db.Tx) error {
			run, err := w.engine.OpenAt(ctx, tx, runActor(actor), migrations.BulkEdits,
				migrations.Values{"company": actor.Company.Slug, "board": edit.Slug, "change": string(edit.Edit.Kind)},
				migrations.Draft{Dry: edit.Dry, Canary: canary},
				migrations.Place{Group: fmt.Sprintf("bulk edits of company %d", actor.Company.ID), Most: w.bulkEdits})
			if errors.Is(err, migrations.CodeNoPlace) {
				return bulkedits.TooMany(w.bulkEdits)
			}
			if err != nil {
				return err
			}
			made := edit
			made.Run, made.State = run.ID, run.State
			if opened, err = bulkedits.Create(ctx, tx, actor.Company.ID, made); err != nil {
				return err
			}
			return StoreResponses(ctx, tx, once.Row(tx, opened))
		})
		return opened, err
	})
	if err != nil {
		return bulkedits.BulkEdit{}, fmt.Errorf("open bulk edit: %w", err)
	}
	w.engine.Changes.Wake()
	return opened, nil
}

// UndoBulkEdit opens the bulk edit that takes another back: of its tickets those that are still as it left them. It returns
// bulkedits.NotFound, NotOver, NothingChanged, TooLate or TooMany, boards.Archived, and with once Replay or KeyReused.
func (w *Workflows) UndoBulkEdit(
	ctx context.Context, edit id.BulkEdit, dry bool, once *Once[bulkedits.BulkEdit],
) (bulkedits.BulkEdit, error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return bulkedits.BulkEdit{}, err
	}
	undone, err := w.BulkEdit(ctx, edit)
	if err != nil {
		return bulkedits.BulkEdit{}, err
	}
	if err := mayEditAll(actor, undone); err != nil {
		return bulkedits.BulkEdit{}, err
	}
	if err := undone.Undoable(w.db.Now()); err != nil {
		return bulkedits.BulkEdit{}, err
	}
	return w.openBulkEdit(ctx, actor, bulkedits.BulkEdit{Board: undone.Board, Slug: undone.Slug, Undoes: undone.ID, Dry: dry,
		Edit: bulkedits.Edit{Kind: bulkedits.Undo}}, 0, once)
}

// BulkEdit returns a bulk edit of the caller, or of a board that the caller manages, or of all boards to an admin of the
// company, or bulkedits.NotFound.
func (w *Workflows) BulkEdit(ctx context.Context, edit id.BulkEdit) (bulkedits.BulkEdit, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return bulkedits.BulkEdit{}, err
	}
	found, err := bulkedits.ByID(ctx, w.db.Queries, actor.Sight(), edit)
	if err != nil {
		return bulkedits.BulkEdit{}, err
	}
	if !mayKnowBulkEdit(actor, found) {
		return bulkedits.BulkEdit{}, bulkedits.NotFound()
	}
	return found, nil
}

// mayKnowBulkEdit reports whether a bulk edit is the actor's, or of a board that the actor manages, or, of all boards, of the
// company whose admin the actor is.
func mayKnowBulkEdit(actor accounts.Actor, edit bulkedits.BulkEdit) bool {
	switch {
	case edit.Maker.ID == actor.Account.ID:
		return true
	case edit.Board == 0:
		return actor.Manages()
	}
	return access.On(actor, edit.Grant) >= access.Manage
}

// BulkEditOfRun returns the bulk edit of a run, as BulkEdit does.
func (w *Workflows) BulkEditOfRun(ctx context.Context, run id.Run) (bulkedits.BulkEdit, error) {
	found, _, err := bulkedits.OfRun(ctx, w.db.Queries, run)
	if err != nil {
		return bulkedits.BulkEdit{}, err
	}
	return w.BulkEdit(ctx, found.ID)
}

// UndoOf returns the bulk edit that takes another back, 0 if there is none.
func (w *Workflows) UndoOf(ctx context.Context, edit bulkedits.BulkEdit) (id.BulkEdit, error) {
	return bulkedits.LastUndo(ctx, w.db.Queries, edit.ID)
}

// BulkEdits returns a page of the caller's bulk edits, the newest first, from below one; 0 is from the newest. next is from
// below which the next page is, 0 if there is none.
func (w *Workflows) BulkEdits(ctx context.Context, before id.BulkEdit) (list []bulkedits.BulkEdit, next id.BulkEdit, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, 0, err
	}
	return bulkedits.Own(ctx, w.db.Queries, actor.Sight(), before)
}

// CompanyBulkEdits returns a page of the bulk edits of the company that BulkEdit returns to the caller, an owner or admin, as
// BulkEdits does. It returns accounts.ReadOnly.
func (w *Workflows) CompanyBulkEdits(
	ctx context.Context, before id.BulkEdit,
) (list []bulkedits.BulkEdit, next id.BulkEdit, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, 0, err
	}
	if !actor.Manages() {
		return nil, 0, accounts.ReadOnly()
	}
	list, next, err = bulkedits.OfCompany(ctx, w.db.Queries, actor.Sight(), before)
	return slices.DeleteFunc(list, func(b bulkedits.BulkEdit) bool { return !mayKnowBulkEdit(actor, b) }), next, err
}

// BulkEditsOn returns a page of the bulk edits of a board, as BulkEdits does, for those who manage it. It returns
// boards.NotFound or accounts.ReadOnly.
func (w *Workflows) BulkEditsOn(
	ctx context.Context, slug string, before id.BulkEdit,
) (board boards.Board, list []bulkedits.BulkEdit, next id.BulkEdit, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return board, nil, 0, err
	}
	if board, err = boards.BySlug(ctx, w.db.Queries, actor.Sight(), slug); err != nil {
		return board, nil, 0, err
	}
	if access.On(actor, board.Grant) < access.Manage {
		return board, nil, 0, accounts.ReadOnly()
	}
	list, next, err = bulkedits.OnBoard(ctx, w.db.Queries, actor.Sight(), board.ID, before)
	return board, list, next, err
}

// BulkEditItems returns a page of the outcomes of a bulk edit that the caller sees.
func (w *Workflows) BulkEditItems(
	ctx context.Context, edit bulkedits.BulkEdit, outcome bulkedits.Outcome, after id.Ticket,
) ([]bulkedits.Item, bool, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, false, err
	}
	return bulkedits.Items(ctx, w.db.Queries, actor.Sight(), edit.ID, outcome, after)
}

// BulkEditReasons returns why a bulk edit refused tickets that the caller sees, the most frequent reasons first.
func (w *Workflows) BulkEditReasons(ctx context.Context, edit bulkedits.BulkEdit) ([]bulkedits.Reason, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil || edit.Refused == 0 {
		return nil, err
	}
	return bulkedits.Reasons(ctx, w.db.Queries, actor.Sight(), edit.ID)
}

// ForgetBulkEdits removes up to about a thousand rows of bulk edits that cannot be taken back any more, and returns how many.
func (w *Workflows) ForgetBulkEdits(ctx context.Context) (int64, error) {
	return bulkedits.ForgetOld(ctx, w.db.Queries, w.db.Now())
}

// StoppedByOperators reports whether an operator has stopped all runs for now.
func (w *Workflows) StoppedByOperators(ctx context.Context) (bool, error) {
	_, stopped, err := w.engine.Stopped(ctx)
	return stopped, err
}

// PauseBulkEdit pauses a bulk edit of the caller, or of a board that the caller manages. It returns bulkedits.NotFound or
// migrations.WrongState.
func (w *Workflows) PauseBulkEdit(ctx context.Context, edit id.BulkEdit) error {
	return w.controlBulkEdit(ctx, edit, w.engine.PauseRun)
}

// ResumeBulkEdit resumes it. It also returns migrations.AllStopped.
func (w *Workflows) ResumeBulkEdit(ctx context.Context, edit id.BulkEdit) error {
	return w.controlBulkEdit(ctx, edit, w.engine.ResumeRun)
}

// StopBulkEdit ends it for good. What it has changed stays, and can be taken back.
func (w *Workflows) StopBulkEdit(ctx context.Context, edit id.BulkEdit) error {
	return w.controlBulkEdit(ctx, edit, w.engine.CancelRun)
}

// MaxBulkRate is the highest speed that a member can set, in tickets per second.
const MaxBulkRate = 1000

// SlowBulkEdit sets how many tickets per second it changes at most, 0 for as many as it can. It also returns
// bulkedits.BadRate.
func (w *Workflows) SlowBulkEdit(ctx context.Context, edit id.BulkEdit, rate float64) error {
	if !(rate >= 0 && rate <= MaxBulkRate) {
		return bulkedits.BadRate()
	}
	return w.controlBulkEdit(ctx, edit, func(ctx context.Context, by migrations.Actor, run id.Run) (migrations.Run, error) {
		return w.engine.ChangeKnobs(ctx, by, run, migrations.KnobChange{"rate": rate})
	})
}

func (w *Workflows) controlBulkEdit(
	ctx context.Context, edit id.BulkEdit, act func(context.Context, migrations.Actor, id.Run) (migrations.Run, error),
) error {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return err
	}
	found, err := w.BulkEdit(ctx, edit)
	if err != nil {
		return err
	}
	if found.Board != 0 {
		if err := mayWriteOn(actor, found.Grant); err != nil {
			return err
		}
	}
	_, err = act(ctx, runActor(actor), found.Run)
	return err
}
