package boards

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Chunk is how many tickets of a column a transaction closes, reopens or moves at most. A column with more is changed by
// a run, chunk by chunk.
const Chunk = 200

// The kinds of changes of all tickets of a column.
const (
	ChangeClose  = "close"
	ChangeReopen = "reopen"
	ChangeEmpty  = "empty" // and remove it
	ChangeMove   = "move"  // those that are there, and keep it
)

// Change is what a run is doing to all tickets of a column.
type Change struct {
	Kind    string
	Run     id.Run
	By      id.Account // asked for it
	At      time.Time  // was asked for then
	To      id.Column  // where the tickets go, for ChangeEmpty and ChangeMove
	Total   int64      // tickets at the beginning
	Done    int64      // of them; also those that were deleted or moved elsewhere are behind it in the end
	Numbers uint64     // of the board, still to be looked at, for ChangeClose and ChangeReopen
	rank    int64      // of the last ticket that went
}

// CodeColumnChanging: a run is still closing, reopening or moving the tickets of a column. Wait until it is over; the
// board's settings show how far it is. If an operator has cancelled it, ask for the same change again.
const CodeColumnChanging fault.Code = "Column.Changing"

// ColumnChanging is the error about a column with a change.
func ColumnChanging(c Column) error {
	return fault.Conflict.New(CodeColumnChanging, "column",
		fmt.Sprintf("%s: %d of %d. Wait until this is done, then try again.", c.Changing(), c.Change.Done, c.Change.Total))
}

// CodeColumnLeaving: the column is being removed and takes no more tickets. Choose another.
const CodeColumnLeaving fault.Code = "Column.Leaving"

func ColumnLeaving(name string) error {
	return fault.Conflict.New(CodeColumnLeaving, "column",
		fmt.Sprintf("“%s” is being removed and takes no more tickets. Choose another column.", name))
}

// Leaving reports whether the column is being emptied, to be removed: no ticket can come to it.
func (c Column) Leaving() bool { return c.Change != nil && c.Change.Kind == ChangeEmpty }

// Carries reports whether a run is moving the column's tickets to another.
func (c Column) Carries() bool { return c.Leaving() || c.Change != nil && c.Change.Kind == ChangeMove }

// Changes is the kind of the column's change, "" if it has none.
func (c Column) Changes() string {
	if c.Change == nil {
		return ""
	}
	return c.Change.Kind
}

// Changing says what a run is doing to the column's tickets, "" if none is.
func (c Column) Changing() string {
	if c.Change == nil {
		return ""
	}
	switch c.Change.Kind {
	case ChangeClose:
		return "The tickets of “" + c.Name + "” are being closed"
	case ChangeReopen:
		return "The tickets of “" + c.Name + "” are being reopened"
	}
	return "The tickets of “" + c.Name + "” are being moved"
}

// Entry is the board's first column that tickets can come to.
func (b Board) Entry() Column {
	if targets := b.Targets(); len(targets) > 0 {
		return targets[0]
	}
	return b.Columns[0]
}

// Targets are the board's columns that tickets can come to.
func (b Board) Targets() []Column {
	return slices.DeleteFunc(slices.Clone(b.Columns), Column.Leaving)
}

// Target returns the board's column with that id, if tickets can come to it.
func (b Board) Target(column id.Column) (Column, bool) {
	c, ok := b.Column(column)
	return c, ok && !c.Leaving()
}

// LeavesBehind reports whether a ticket that is closed was so before the column was reopened, and the run that reopens
// its tickets has not come to it yet: a ticket that was closed or put there since stays closed.
func (c Column) LeavesBehind(closedAt *time.Time, movedAt time.Time) bool {
	return c.Change != nil && c.Change.Kind == ChangeReopen && closedAt != nil && !closedAt.After(c.Change.At) &&
		!movedAt.After(c.Change.At)
}

// LastNumber returns the highest ticket number of a board.
func LastNumber(ctx context.Context, q *db.Queries, board ID) (uint64, error) {
	n, err := db.Read(q.LastNumber(ctx, board))
	if err != nil {
		return 0, fmt.Errorf("read the last number: %w", err)
	}
	return n, nil
}

// BeginChange stores that a run is changing all tickets of a column. The caller holds the locks of the board's columns;
// the kind, the run, its account, its time and its target are given, the rest follows from the column.
func BeginChange(ctx context.Context, tx *db.Tx, column Column, change Change) error {
	params := db.BeginColumnChangeParams{Kind: change.Kind, Run: change.Run, Account: change.By, Since: &change.At,
		ToColumn: change.To, FromRank: math.MinInt64, Total: column.Count, ID: column.ID}
	if change.Kind == ChangeEmpty || change.Kind == ChangeMove {
		if err := releaseRoom(ctx, tx, column); err != nil {
			return err
		}
		if err := tx.AddIncoming(ctx, column.Count, change.To); err != nil {
			return fmt.Errorf("keep room for tickets: %w", err)
		}
	} else {
		last, err := LastNumber(ctx, tx.Queries, column.Board)
		if err != nil {
			return err
		}
		params.NumbersLeft = last
	}
	if err := tx.BeginColumnChange(ctx, params); err != nil {
		return fmt.Errorf("begin to change a column: %w", err)
	}
	return nil
}

// releaseRoom gives up the room that was kept for tickets of a column that were to be moved.
func releaseRoom(ctx context.Context, tx *db.Tx, column Column) error {
	if !column.Carries() || column.Change.Total == column.Change.Done {
		return nil
	}
	if err := tx.AddIncoming(ctx, column.Change.Done-column.Change.Total, column.Change.To); err != nil {
		return fmt.Errorf("give up room for tickets: %w", err)
	}
	return nil
}

// Passed counts tickets of a locked column, and numbers of its board, that its change has come past. Once there are no
// numbers left the change is over, and the board is published.
func Passed(ctx context.Context, tx *db.Tx, column Column, tickets int, numbers uint64) error {
	change := column.Change
	if change.Numbers <= numbers {
		if err := EndChange(ctx, tx, column); err != nil {
			return err
		}
		_, err := RepublishOne(ctx, tx, column.Board)
		return err
	}
	return saveChange(ctx, tx, column, db.SaveColumnChangeParams{
		Done:        min(change.Done+int64(tickets), change.Total),
		NumbersLeft: change.Numbers - numbers, FromRank: change.rank})
}

// EndChange stores that no run is changing a locked column any more.
func EndChange(ctx context.Context, tx *db.Tx, column Column) error {
	if err := releaseRoom(ctx, tx, column); err != nil {
		return err
	}
	if err := tx.EndColumnChange(ctx, column.ID); err != nil {
		return fmt.Errorf("end the change of a column: %w", err)
	}
	return nil
}

// Went counts n tickets that went from a column to that which its change leads to, down to a rank. The caller holds the
// locks of both columns, and has raised the last rank of the other.
func Went(ctx context.Context, tx *db.Tx, from Column, n, rank int64) error {
	if err := Count(ctx, tx, from.ID, -n); err != nil {
		return err
	}
	if err := Count(ctx, tx, from.Change.To, n); err != nil {
		return err
	}
	if err := tx.AddIncoming(ctx, -n, from.Change.To); err != nil {
		return fmt.Errorf("give up room for tickets: %w", err)
	}
	return saveChange(ctx, tx, from, db.SaveColumnChangeParams{Done: from.Change.Done + n, FromRank: rank})
}

// RemoveEmptied removes a column whose tickets have all gone to another, and counts an edit of the board. The caller
// holds the locks of both. It returns ErrOutdated if the board was edited since it was read.
func RemoveEmptied(ctx context.Context, tx *db.Tx, board Board, column Column) error {
	if err := RemoveColumn(ctx, tx, board, column); err != nil {
		return err
	}
	return CountEdit(ctx, tx, board)
}

// From is the rank of the last ticket that a change has moved: the next are below it.
func (c Change) From() int64 { return c.rank }

func saveChange(ctx context.Context, tx *db.Tx, column Column, params db.SaveColumnChangeParams) error {
	params.ID = column.ID
	if err := tx.SaveColumnChange(ctx, params); err != nil {
		return fmt.Errorf("save the change of a column: %w", err)
	}
	return nil
}
