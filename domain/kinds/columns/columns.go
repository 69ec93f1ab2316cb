// Package columns has the migration change-column: it closes, reopens or moves all tickets of a column that has more
// than one transaction should write. Its invariant: no transaction writes more than boards.Chunk tickets, and the
// column's own row, which each of them locks first, says what is behind it. Start at columns.go.
//
// A use case opens the run in the transaction that changes the column (workflows.EditColumn, RemoveColumn). From then on
// whatever comes to the column gets what the column says by itself: a ticket that is put into a done column is closed,
// one that is put into a column that was reopened stays as it is, and a column that is being removed takes none. So a run
// only has to look at the numbers that the board had at that moment, each once, or to take the tickets from the top
// until none is left.
package columns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// numbersAtOnce is how many numbers of a board are looked at in one read for tickets of the column.
const numbersAtOnce = 5000

// task is a task of change-column: the tickets of the column with numbers in (after, to], at most boards.Chunk; or, if
// it is being emptied, the next boards.Chunk from its top.
type task struct {
	Tickets []tickets.ID `json:"tickets,omitempty"`
	After   uint64       `json:"after,omitempty"`
	To      uint64       `json:"upto,omitempty"`
	Part    int64        `json:"part,omitempty"`
}

// Columns is the migration change-column.
type Columns struct {
	db   *db.DB
	bulk *db.DB
}

// New returns the migration on a database. Bulk is the same database with connections of its own.
func New(d, bulk *db.DB) *Columns { return &Columns{db: d, bulk: bulk} }

// Migration closes, reopens or moves the tickets of a column.
func (m *Columns) Migration() *migrations.Migration {
	return &migrations.Migration{
		Name: workflows.ChangeColumnName, Title: "Change all tickets of a column",
		Description: "Closes, reopens or moves the tickets of a column with more than 200, as set in the board's settings. It starts automatically when they are saved. To continue after it was stopped, save the settings of the column again.",
		Params: []migrations.Param{
			kinds.CompanyParam(true),
			{Name: "board", Label: "Board", Kind: migrations.Text, Required: true, Max: 10, Help: "Its ticket prefix: NINJA.",
				Refers: migrations.ToBoard},
			{Name: "column", Label: "Column", Kind: migrations.Number, Required: true, Min: 1, Max: 1<<53 - 1,
				Help: "Its number, as in the API."},
		},
		Check: m.check,
		Fill:  m.fill,
		Write: m.write,
		Label: labelOf,
		// A column's tasks wait for one another: more at a time would only wait.
		Knobs:      migrations.Knobs{Concurrency: 1, Block: 1},
		Unattended: true,
	}
}

// check refuses a run that no settings asked for: they open their own.
func (m *Columns) check(ctx context.Context, values migrations.Values) error {
	if _, err := kinds.BoardOf(ctx, m.db.Queries, values); err != nil {
		return err
	}
	return migrations.BadParam("column", "This starts automatically when the settings of a column are saved. Save them again.")
}

// columnOf returns the column of a run, with ok false if it is gone, or if the run is not the one that changes it.
func columnOf(
	ctx context.Context, q *db.Queries, values migrations.Values, run id.Run,
) (board boards.Board, column boards.Column, ok bool, err error) {
	if board, err = kinds.BoardOf(ctx, q, values); err != nil {
		return board, column, false, err
	}
	number, err := strconv.ParseUint(values["column"], 10, 64)
	if err != nil {
		return board, column, false, migrations.Permanent{Err: fmt.Errorf("read column: %w", err)}
	}
	column, ok = board.Column(id.Column(number))
	return board, column, ok && column.Change != nil && (run == 0 || column.Change.Run == run), nil
}

func (m *Columns) fill(ctx context.Context, into migrations.Filler) error {
	board, column, ok, err := columnOf(ctx, m.bulk.Queries, into.Values(), 0)
	if err != nil || !ok {
		return err
	}
	if column.Carries() {
		return fillParts(ctx, into, parts(column))
	}
	return m.fillNumbers(ctx, into, board.ID, column)
}

func fillParts(ctx context.Context, into migrations.Filler, parts int64) error {
	done, _ := strconv.ParseInt(into.Cursor(), 10, 64) // 0 at first
	for part := done + 1; part <= parts; part++ {
		if err := add(ctx, into, task{Part: part}, strconv.FormatInt(part, 10)); err != nil {
			return err
		}
	}
	return nil
}

func (m *Columns) fillNumbers(
	ctx context.Context, into migrations.Filler, board id.Board, column boards.Column,
) error {
	after, _ := strconv.ParseUint(into.Cursor(), 10, 64)
	for last := column.Change.Numbers; after < last; {
		to := min(last, after+numbersAtOnce)
		page, err := tickets.NumbersOf(ctx, m.bulk.Queries, board, column.ID, after, to, boards.Chunk)
		if err != nil {
			return err
		}
		next := task{Tickets: page.Tickets, After: after, To: page.To}
		if err := add(ctx, into, next, strconv.FormatUint(page.To, 10)); err != nil {
			return err
		}
		after = page.To
	}
	return nil
}

func add(ctx context.Context, into migrations.Filler, t task, cursor string) error {
	payload, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("write payload: %w", err)
	}
	return into.Add(ctx, migrations.NewTask{Payload: string(payload), Cursor: cursor})
}

// labelOf names the tickets of a task. A payload that is cut off in the middle of them says no more.
func labelOf(payload string) string {
	fields := migrations.PayloadFields(payload)
	switch {
	case fields["part"] != "":
		return "Tickets of the column, part " + fields["part"]
	case fields["upto"] != "":
		return "Tickets up to number " + fields["upto"]
	}
	return "Tickets of the column"
}

func taskOf(work *migrations.Work) (t task, err error) {
	if err := json.Unmarshal([]byte(work.Task.Payload), &t); err != nil {
		return t, migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)}
	}
	return t, nil
}

// write does the tasks of a block one after the other; a block is one task, unless an operator wants it otherwise.
func (m *Columns) write(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	for _, work := range works {
		t, err := taskOf(work)
		if err != nil {
			work.Fail(err)
			continue
		}
		if err := change(ctx, tx, work, t); err != nil {
			return err
		}
	}
	return nil
}

// errGone says that a run has nothing to change any more.
var errGone = errors.New("The column is gone, or another change has taken over.")

func change(ctx context.Context, tx *db.Tx, work *migrations.Work, t task) error {
	board, column, err := lock(ctx, tx, work)
	switch {
	case errors.Is(err, errGone) || errors.Is(err, fault.NotFound):
		work.Note(errGone.Error())
		return nil
	case err != nil:
		return err
	case board.Archived():
		work.Fail(migrations.Permanent{Err: boards.Archived()})
		return nil
	}
	if column.Carries() {
		return carry(ctx, tx, work, board, column, t)
	}
	by := tickets.User{ID: column.Change.By}
	var n int
	if column.Change.Kind == boards.ChangeClose {
		n, err = tickets.CloseIn(ctx, tx, column.ID, t.Tickets, by)
	} else {
		n, err = tickets.ReopenIn(ctx, tx, column.ID, t.Tickets, by, column.LeavesBehind)
	}
	if err != nil {
		return err
	}
	work.Note(fmt.Sprintf("%d tickets of “%s”", n, column.Name))
	return boards.Passed(ctx, tx, column, n, t.To-t.After)
}

// lock returns the board and the locked column of a task, with the column that its tickets go to locked, too. It
// returns errGone.
func lock(ctx context.Context, tx *db.Tx, work *migrations.Work) (boards.Board, boards.Column, error) {
	board, column, ok, err := columnOf(ctx, tx.Queries, work.Values, work.Task.Run)
	if err != nil {
		return board, column, err
	}
	if !ok {
		return board, column, errGone
	}
	ids := []id.Column{column.ID}
	if column.Carries() {
		ids = append(ids, column.Change.To)
	}
	locked, err := boards.LockColumns(ctx, tx, ids...)
	if err != nil {
		return board, column, err
	}
	now, ok := locked[column.ID]
	if !ok || now.Change == nil || now.Change.Run != work.Task.Run {
		return board, column, errGone
	}
	for _, c := range locked {
		board = board.With(c)
	}
	return board, now, nil
}

// carry moves the next tickets of a column to another. After the last, a column that is being removed goes, too.
func carry(
	ctx context.Context, tx *db.Tx, work *migrations.Work, board boards.Board, from boards.Column, t task,
) error {
	to, ok := board.Column(from.Change.To)
	if !ok {
		return migrations.Permanent{Err: boards.NoHeir()}
	}
	ids, err := tickets.ColumnTickets(ctx, tx.Queries, from.ID, from.Change.From(), boards.Chunk)
	if err == nil && len(ids) == 0 && from.Leaving() { // those that are left were put above the others
		ids, err = tickets.ColumnTickets(ctx, tx.Queries, from.ID, tickets.AllRanks, boards.Chunk)
	}
	if err != nil {
		return err
	}
	move := workflows.ColumnMove(from, to)
	if !from.Leaving() {
		move.Since = from.Change.At
	}
	done, err := tickets.CarryAll(ctx, tx, move, ids, tickets.User{ID: from.Change.By})
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		if err := boards.RaiseLastRank(ctx, tx, to.ID, done.LastRank); err != nil {
			return err
		}
		if err := boards.Went(ctx, tx, from, done.Tickets, done.Rank); err != nil {
			return err
		}
	}
	work.Note(fmt.Sprintf("%d tickets of “%s” to “%s”", done.Tickets, from.Name, to.Name))
	from.Change.Done += done.Tickets
	switch {
	case from.Leaving() && from.Count == done.Tickets:
		return boards.RemoveEmptied(ctx, tx, board, from)
	case from.Leaving(), t.Part < parts(from) && len(ids) == boards.Chunk && from.Change.Done < from.Change.Total:
		return nil
	}
	if err := boards.EndChange(ctx, tx, from); err != nil {
		return err
	}
	_, err = boards.RepublishOne(ctx, tx, from.Board)
	return err
}

// parts is in how many tasks the tickets of a column are moved.
func parts(column boards.Column) int64 {
	return (column.Change.Total + boards.Chunk - 1) / boards.Chunk
}
