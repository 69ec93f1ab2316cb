package tickets

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// UndoFor is how long users can undo their actions.
const UndoFor = 30 * time.Minute

// undoable are the kinds that can be undone.
var undoable = []string{KindMoved, KindClosed, KindReopened, KindDeleted, KindSet, KindChecked, KindRelated,
	KindAttached, KindAssigned}

// Action is an entry of a history with its ticket.
type Action struct {
	Activity
	Ticket ID
}

// ActionByID returns an action of the reader on a ticket in sight, or NothingToUndo.
func ActionByID(ctx context.Context, q *db.Queries, by db.Sight, activity id.Activity) (Action, error) {
	action, err := actionByID(ctx, q, by, activity)
	if db.IsNotFound(err) || err == nil && (action.By.ID != by.Reader || !action.undoable()) {
		return Action{}, NothingToUndo()
	}
	return action, err
}

// Actions returns those of some entries of anyone on tickets in sight that can be taken back, also such as undid another.
func Actions(ctx context.Context, q *db.Queries, by db.Sight, entries []id.Activity) ([]Action, error) {
	list, err := actionsByID(ctx, q, by, entries...)
	return slices.DeleteFunc(list, func(action Action) bool {
		return !slices.Contains(undoable, action.Effect()) || !action.reversible()
	}), err
}

// InPlace reports whether the action left the ticket in its place.
func (a Action) InPlace() bool {
	return slices.Contains([]string{KindSet, KindChecked, KindRelated, KindAttached, KindAssigned}, a.Effect())
}

// Effect is the kind of what an action did: of an undo, that of the action that it reverted.
func (a Action) Effect() string {
	if a.Detail.Undid != "" {
		return a.Detail.Undid
	}
	return a.Kind
}

func (a Action) undoable() bool {
	return slices.Contains(undoable, a.Kind) && a.Detail.Undid == "" && a.reversible()
}

// reversible reports whether the entry says all that it takes to revert the action.
func (a Action) reversible() bool {
	mirrored := a.Detail.Relation != nil && a.Detail.Relation.Mirror
	return !mirrored && (a.Kind != KindAssigned || a.Detail.Assigned != nil)
}

// ActivityOf returns an entry of a ticket's history, or NotFound.
func ActivityOf(
	ctx context.Context, q *db.Queries, by db.Sight, ticket Ticket, entry id.Activity,
) (Activity, error) {
	action, err := actionByID(ctx, q, by, entry)
	if db.IsNotFound(err) || err == nil && action.Ticket != ticket.ID {
		return Activity{}, NotFound()
	}
	return action.Activity, err
}

// actionByID returns an entry of a ticket in sight, or an error for which db.IsNotFound holds.
func actionByID(ctx context.Context, q *db.Queries, by db.Sight, entry id.Activity) (Action, error) {
	list, err := actionsByID(ctx, q, by, entry)
	if err == nil && len(list) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return Action{}, err
	}
	return list[0], nil
}

// actionsByID returns those of some entries that are of tickets in sight.
func actionsByID(ctx context.Context, q *db.Queries, by db.Sight, entries ...id.Activity) (list []Action, err error) {
	if len(entries) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.ActivitiesByID(ctx, db.ActivitiesByIDParams{
		Reader: by.Reader, Ids: entries, CompanyID: by.Company, Reach: by.Reach,
	}))
	if err != nil {
		return nil, fmt.Errorf("read activities: %w", err)
	}
	for _, row := range rows {
		entry, err := activityFrom(db.LastActivityRow{
			ID: row.ID, Kind: row.Kind, Detail: row.Detail, CreatedAt: row.CreatedAt, UndoneAt: row.UndoneAt,
			AccountID: row.AccountID, AccountName: row.AccountName,
		})
		if err != nil {
			return nil, err
		}
		list = append(list, Action{entry, row.TicketID})
	}
	return list, nil
}

// LastAction returns the reader's last action that can be undone, among the last 50 entries in any company and
// without those passed over and those of bulk edits. It returns NothingToUndo if there is none since a time, or UndoBulkEdit
// if there are such ones.
func LastAction(
	ctx context.Context, q *db.Queries, by db.Sight, since time.Time, passed []id.Activity,
) (id.Activity, error) {
	rows, err := db.Read(q.LastActions(ctx, by.Reach, by.Reader))
	if err != nil {
		return 0, fmt.Errorf("read last actions: %w", err)
	}
	bulk := false
	for _, row := range rows {
		if row.CreatedAt.Before(since) {
			break
		}
		if row.CompanyID != by.Company || row.Visible == 0 || row.UndoneAt != nil || row.Undoable == 0 {
			continue
		}
		if row.Bulk != 0 {
			bulk = true
			continue
		}
		if !slices.Contains(passed, row.ID) {
			return row.ID, nil
		}
	}
	if bulk {
		return 0, UndoBulkEdit()
	}
	return 0, NothingToUndo()
}

// Undo marks an action as undone, before the caller reverts it. The caller holds the ticket's lock. It returns
// UndoneBefore, or ChangedSince if the ticket is not where the action left it.
func Undo(ctx context.Context, tx *db.Tx, ticket Ticket, action Action) error {
	if err := MarkUndone(ctx, tx, ticket, action); err != nil {
		return err
	}
	since, err := tx.ChangeSince(ctx, ticket.ID, action.ID)
	switch {
	case err == nil:
		return ChangedSince(ticket, since.Kind, since.AccountName)
	case !db.IsNotFound(err):
		return fmt.Errorf("read changes since: %w", err)
	}
	return action.CheckLocation(ticket)
}

// CheckLocation returns ChangedSince for a ticket that is not where the action left it.
func (a Action) CheckLocation(ticket Ticket) error {
	if !a.leftAt(ticket) {
		return ChangedSince(ticket, KindMoved, "")
	}
	return nil
}

// Latest returns those of some actions on locked tickets that are not undone, and after which nothing changed where their
// tickets are.
func Latest(ctx context.Context, q *db.Queries, actions []Action) (map[id.Activity]bool, error) {
	if len(actions) == 0 {
		return nil, nil
	}
	entries, places := make([]id.Activity, len(actions)), make([]db.HistoryPlace, len(actions))
	for i, action := range actions {
		entries[i], places[i] = action.ID, db.HistoryPlace{Ticket: action.Ticket, Entry: action.ID}
	}
	undone, err := db.Read(q.UndoneAmong(ctx, entries))
	if err != nil {
		return nil, fmt.Errorf("read undone actions: %w", err)
	}
	moved, err := db.Read(q.MovedSince(ctx, places))
	if err != nil {
		return nil, fmt.Errorf("read changes since: %w", err)
	}
	latest := make(map[id.Activity]bool, len(actions))
	for _, action := range actions {
		latest[action.ID] = !slices.Contains(undone, action.ID) && !slices.Contains(moved, action.Ticket)
	}
	return latest, nil
}

// MarkAllUndone marks actions that are among Latest as undone.
func MarkAllUndone(ctx context.Context, tx *db.Tx, actions []id.Activity) error {
	if len(actions) == 0 {
		return nil
	}
	n, err := tx.MarkAllUndone(ctx, &tx.Now, actions)
	if err == nil && n != int64(len(actions)) {
		err = fmt.Errorf("%d of %d", n, len(actions))
	}
	if err != nil {
		return fmt.Errorf("mark undone: %w", err)
	}
	return nil
}

// MarkUndone marks an action on a locked ticket as undone. It returns UndoneBefore.
func MarkUndone(ctx context.Context, tx *db.Tx, ticket Ticket, action Action) error {
	n, err := tx.MarkUndone(ctx, &tx.Now, action.ID)
	if err != nil {
		return fmt.Errorf("mark undone: %w", err)
	}
	if n != 1 {
		return UndoneBefore(ticket.Key)
	}
	return nil
}

// leftAt reports whether a ticket is where the action left it.
func (a Action) leftAt(ticket Ticket) bool {
	switch {
	case a.Kind == KindDeleted:
		return ticket.Deleted()
	case ticket.Deleted() || a.Detail.To == nil || ticket.Column != a.Detail.To.Column:
		return false
	case a.Kind == KindClosed:
		return ticket.Closed()
	case a.Kind == KindReopened:
		return !ticket.Closed()
	case a.Kind == KindUndone:
		return ticket.Closed() == (a.Detail.To.ClosedAt != nil)
	}
	return true
}
