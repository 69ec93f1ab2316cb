package bulkedits

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

const (
	// KeepFor is how long a bulk edit can be taken back, and is kept.
	KeepFor = 30 * 24 * time.Hour
	// PerPage is how many bulk edits, or items of one, a page shows.
	PerPage = 50
)

// Limits are how many bulk edits a company has under way at once, and how many tickets each changes.
type Limits struct{ Active, Tickets int }

// DefaultLimits are for operators that set none.
var DefaultLimits = Limits{Active: 2, Tickets: 10_000}

// BulkEdit is a change of many tickets of a board, or of all boards, by a run.
type BulkEdit struct {
	ID    id.BulkEdit
	Run   id.Run
	Maker tickets.User

	Board      id.Board // 0 for all boards that the maker sees, then without what follows
	Slug       string
	BoardTitle string
	Archived   bool // the board is
	Grant      db.Grant

	Query  string // a text of domain/query, "" for all tickets
	Edit   Edit
	Undoes id.BulkEdit // the one that it takes back, 0 for none
	Dry    bool        // it changes nothing, and says what it would change
	At     time.Time

	Changed, Unchanged, Refused int

	// Of its run.
	State  migrations.State
	Reason string // for operators
	Total  int    // tickets, exact once the run is filled
	Canary bool   // it pauses after the first tickets, or has
	Rate   float64
}

// Done is how many tickets were looked at.
func (b BulkEdit) Done() int { return b.Changed + b.Unchanged + b.Refused }

// Over reports whether it is not under way any more.
func (b BulkEdit) Over() bool { return !b.State.IsActive() }

// Text says in a few words what it does. It names members, tickets and boards to those who may know them: the reader is its
// maker, or no guest.
func (b BulkEdit) Text(reader id.Account, guest bool) string {
	switch {
	case b.Undoes != 0:
		return fmt.Sprintf("Take back bulk edit %d", b.Undoes)
	case b.Maker.ID == reader || !guest && !b.Edit.NamesOthers():
		return b.Edit.String()
	}
	return b.Edit.Short()
}

// Undoable returns why what it did cannot be taken back at a time: NotOver, NothingChanged or TooLate; nil if it can.
func (b BulkEdit) Undoable(now time.Time) error {
	switch {
	case b.Dry || b.Over() && b.Changed == 0:
		return NothingChanged()
	case !b.Over():
		return NotOver()
	case b.At.Before(now.Add(-KeepFor)):
		return TooLate()
	}
	return nil
}

// Create adds a bulk edit with the run that does it.
func Create(ctx context.Context, tx *db.Tx, company id.Company, b BulkEdit) (BulkEdit, error) {
	text, err := b.Edit.stored()
	if err != nil {
		return b, err
	}
	var board *id.Board
	if b.Board != 0 {
		board = &b.Board
	}
	n, err := tx.CreateBulkEdit(ctx, db.CreateBulkEditParams{CompanyID: company, BoardID: board, AccountID: b.Maker.ID,
		RunID: b.Run, Undoes: b.Undoes, Dry: b.Dry, Query: b.Query, Edit: text, CreatedAt: tx.Now})
	if err != nil {
		return b, fmt.Errorf("create bulk edit: %w", err)
	}
	b.ID, b.At = id.BulkEdit(n), tx.Now
	return b, nil
}

// ByID returns a bulk edit on a board in sight, or on all, or NotFound.
func ByID(ctx context.Context, q *db.Queries, by db.Sight, edit id.BulkEdit) (BulkEdit, error) {
	row, err := db.Read(q.BulkEditByID(ctx, db.BulkEditByIDParams{Reader: by.Reader, ID: edit, CompanyID: by.Company,
		Reach: by.Reach}))
	if db.IsNotFound(err) {
		return BulkEdit{}, NotFound()
	}
	if err != nil {
		return BulkEdit{}, fmt.Errorf("read bulk edit: %w", err)
	}
	return fromRow(row)
}

// OfRun returns the bulk edit of a run, with neither its board's names nor the state of the run. It returns NotFound.
func OfRun(ctx context.Context, q *db.Queries, run id.Run) (b BulkEdit, company id.Company, err error) {
	row, err := db.Read(q.BulkEditOfRun(ctx, run))
	if db.IsNotFound(err) {
		return BulkEdit{}, 0, NotFound()
	}
	if err != nil {
		return BulkEdit{}, 0, fmt.Errorf("read bulk edit: %w", err)
	}
	b, err = stored(row)
	return b, row.CompanyID, err
}

// Own returns a page of the reader's bulk edits, the newest first, from below one; 0 is from the newest. next is from below
// which the next page is, 0 if there is none.
func Own(ctx context.Context, q *db.Queries, by db.Sight, before id.BulkEdit) (list []BulkEdit, next id.BulkEdit, err error) {
	rows, err := db.Read(q.OwnBulkEdits(ctx, db.OwnBulkEditsParams{Reader: by.Reader, CompanyID: by.Company,
		BeforeID: below(before), Reach: by.Reach, Limit: PerPage + 1}))
	return page(rows, err, func(row db.OwnBulkEditsRow) (db.BulkEditByIDRow, bool) { return db.BulkEditByIDRow(row), true })
}

// OnBoard returns a page of the bulk edits of a board in sight, as Own does.
func OnBoard(
	ctx context.Context, q *db.Queries, by db.Sight, board id.Board, before id.BulkEdit,
) (list []BulkEdit, next id.BulkEdit, err error) {
	rows, err := db.Read(q.BoardBulkEdits(ctx, db.BoardBulkEditsParams{Reader: by.Reader, BoardID: &board,
		CompanyID: by.Company, BeforeID: below(before), Reach: by.Reach, Limit: PerPage + 1}))
	return page(rows, err, func(row db.BoardBulkEditsRow) (db.BulkEditByIDRow, bool) { return db.BulkEditByIDRow(row), true })
}

// OfCompany returns a page of the bulk edits of a company, as Own does, but for those on boards out of sight.
func OfCompany(
	ctx context.Context, q *db.Queries, by db.Sight, before id.BulkEdit,
) (list []BulkEdit, next id.BulkEdit, err error) {
	rows, err := db.Read(q.CompanyBulkEdits(ctx, db.CompanyBulkEditsParams{Reader: by.Reader, CompanyID: by.Company,
		BeforeID: below(before), Reach: by.Reach, Limit: PerPage + 1}))
	return page(rows, err, func(row db.CompanyBulkEditsRow) (db.BulkEditByIDRow, bool) {
		seen := row.BulkEdit.BoardID == nil || row.Visible != 0
		return db.BulkEditByIDRow{BulkEdit: row.BulkEdit, Slug: row.Slug, Title: row.Title, Privacy: row.Privacy, Level: row.Level,
			ArchivedAt: row.ArchivedAt, AccountName: row.AccountName, State: row.State, Reason: row.Reason, Total: row.Total,
			CanaryLeft: row.CanaryLeft, Knobs: row.Knobs}, seen
	})
}

// page returns the bulk edits of a page that the reader sees. One row more was read if there is a next page.
func page[Row any](
	rows []Row, err error, of func(Row) (row db.BulkEditByIDRow, seen bool),
) (list []BulkEdit, next id.BulkEdit, _ error) {
	if err != nil {
		return nil, 0, fmt.Errorf("read bulk edits: %w", err)
	}
	for i, row := range rows[:min(len(rows), PerPage)] {
		row, seen := of(row)
		if i == PerPage-1 && len(rows) > PerPage {
			next = row.BulkEdit.ID
		}
		if !seen {
			continue
		}
		one, err := fromRow(row)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, one)
	}
	return list, next, nil
}

func below(before id.BulkEdit) id.BulkEdit {
	if before == 0 {
		return math.MaxInt64
	}
	return before
}

// LastUndo returns the newest bulk edit that takes another back, 0 if there is none.
func LastUndo(ctx context.Context, q *db.Queries, edit id.BulkEdit) (id.BulkEdit, error) {
	undo, err := db.Read(q.LastUndoOf(ctx, edit))
	if err != nil && !db.IsNotFound(err) {
		return 0, fmt.Errorf("read the undo of a bulk edit: %w", err)
	}
	return undo, nil
}

func fromRow(row db.BulkEditByIDRow) (BulkEdit, error) {
	b, err := stored(row.BulkEdit)
	b.Maker.Name = row.AccountName
	b.Slug, b.BoardTitle, b.Archived = row.Slug, row.Title, row.ArchivedAt != nil
	b.Grant = db.Grant{Private: row.Privacy > 0, Level: int(row.Level)}
	b.State, b.Reason, b.Total, b.Canary = migrations.State(row.State), row.Reason, int(row.Total), row.CanaryLeft != nil
	var knobs migrations.Knobs
	badKnobs := json.Unmarshal([]byte(row.Knobs), &knobs)
	b.Rate = knobs.Rate
	return b, errors.Join(err, badKnobs)
}

func stored(row db.BulkEdit) (BulkEdit, error) {
	b := BulkEdit{ID: row.ID, Run: row.RunID, Maker: tickets.User{ID: row.AccountID}, Query: row.Query,
		Undoes: row.Undoes, Dry: row.Dry, At: row.CreatedAt, Changed: int(row.Changed), Unchanged: int(row.Unchanged),
		Refused: int(row.Refused)}
	if row.BoardID != nil {
		b.Board = *row.BoardID
	}
	if err := json.Unmarshal([]byte(row.Edit), &b.Edit); err != nil {
		return b, fmt.Errorf("read bulk edit %d: %w", row.ID, err)
	}
	return b, nil
}

// ForgetOld removes up to a thousand items, or notices, of bulk edits that cannot be taken back any more, and those that
// have none left. It returns how many rows it removed.
func ForgetOld(ctx context.Context, q *db.Queries, now time.Time) (removed int64, err error) {
	old, err := db.Read(q.OldBulkEdits(ctx, now.Add(-KeepFor)))
	if err != nil {
		return 0, fmt.Errorf("read old bulk edits: %w", err)
	}
	for _, edit := range old {
		for _, forget := range []func(context.Context, id.BulkEdit) (int64, error){
			q.ForgetBulkEditItems, q.ForgetBulkEditNotices,
		} {
			n, err := db.Read(forget(ctx, edit))
			if err != nil {
				return removed, fmt.Errorf("forget bulk edit %d: %w", edit, err)
			}
			if removed += n; removed >= 1000 {
				return removed, nil
			}
		}
		if err := q.ForgetBulkEdit(ctx, edit); err != nil {
			return removed, fmt.Errorf("forget bulk edit %d: %w", edit, err)
		}
		removed++
	}
	return removed, nil
}
