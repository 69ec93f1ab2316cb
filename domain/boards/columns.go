package boards

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/color"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

const (
	// MaxColumns is how many columns a board may have.
	MaxColumns = 50
	// MaxColumnName is how many characters a column's name may have.
	MaxColumnName = 80
	// MaxLimit is the highest limit of a column.
	MaxLimit = 9999
	// MaxStaleDays is the most days after which cards are stale.
	MaxStaleDays = 365
)

// The effects of a column's limit.
const (
	LimitNone = "none"
	LimitSoft = "soft" // warns
	LimitHard = "hard" // refuses
)

// ColumnEdit is a change to a column, or the content of a new one. A nil field stays as it is.
type ColumnEdit struct {
	Name  *string
	Done  *bool
	WIP   *string // LimitNone, LimitSoft or LimitHard
	Limit *int    // makes a soft limit if there was none and WIP is nil
	// StaleDays is how many days a ticket may be in it before its card is stale; 0 for any number.
	StaleDays *int
	Color     *string // its name; "" for none
	Position  *int    // 1 is the first column; behind the last is the last
}

// WIP is the kind of the column's limit.
func (c Column) WIP() string {
	switch {
	case c.Limit == nil:
		return LimitNone
	case c.Hard:
		return LimitHard
	}
	return LimitSoft
}

// ParseColumnName returns s as a column's name: trimmed, one line, 1 to 80 characters. It returns
// BadColumnName.
func ParseColumnName(s string) (string, error) {
	name, length, ok := markup.Line(s)
	if !ok || length == 0 || length > MaxColumnName {
		return "", BadColumnName(ok, length)
	}
	return name, nil
}

// Parse returns the column as the edit makes it, or all that is wrong: BadColumnName, BadWIP, BadLimit,
// BadStaleDays, BadColor or BadPosition.
func (e ColumnEdit) Parse(c Column) (Column, error) {
	var badName, badStale, badColor, badPosition error
	if e.Name != nil {
		c.Name, badName = ParseColumnName(*e.Name)
	}
	if e.Done != nil {
		c.Done = *e.Done
	}
	if e.StaleDays != nil {
		if c.StaleDays = *e.StaleDays; c.StaleDays < 0 || c.StaleDays > MaxStaleDays {
			badStale = BadStaleDays()
		}
	}
	if e.Color != nil {
		c.Color, badColor = parseColor(*e.Color)
	}
	if e.Position != nil && *e.Position < 1 {
		badPosition = BadPosition()
	}
	c, badLimit := e.parseLimit(c)
	return c, fault.Join(badName, badLimit, badStale, badColor, badPosition)
}

// parseColor reads the name of a colour; "" is none.
func parseColor(text string) (*color.Color, error) {
	if text == "" {
		return nil, nil
	}
	c, ok := color.Parse(text)
	if !ok {
		return nil, BadColor(text)
	}
	return &c, nil
}

func (e ColumnEdit) parseLimit(c Column) (Column, error) {
	if e.Limit != nil {
		if c.Limit = e.Limit; *e.Limit < 1 || *e.Limit > MaxLimit {
			return c, BadLimit()
		}
	}
	if e.WIP == nil {
		return c, nil
	}
	switch *e.WIP {
	case LimitNone:
		c.Limit, c.Hard = nil, false
		return c, nil
	case LimitSoft, LimitHard:
		c.Hard = *e.WIP == LimitHard
	default:
		return c, BadWIP()
	}
	if c.Limit == nil {
		return c, BadLimit()
	}
	return c, nil
}

// OpenColumn adds a column to a board whose columns are locked, and returns the board with it. It
// returns TooManyColumns, BadColumnName, BadWIP, BadLimit, or ErrOutdated.
func OpenColumn(ctx context.Context, tx *db.Tx, board Board, edit ColumnEdit) (Board, Column, error) {
	if len(board.Columns) >= MaxColumns {
		return board, Column{}, TooManyColumns()
	}
	if edit.Name == nil {
		edit.Name = new(string)
	}
	column, err := edit.Parse(Column{Board: board.ID})
	if err != nil {
		return board, Column{}, err
	}
	for _, c := range board.Columns {
		column.position = max(column.position, c.position)
	}
	column.position++
	n, err := tx.CreateColumn(ctx, db.CreateColumnParams{BoardID: board.ID, Name: column.Name, Position: column.position,
		Done: column.Done})
	if db.IsDuplicate(err, "uq_board_column_position") {
		return board, Column{}, ErrOutdated
	}
	if err != nil {
		return board, Column{}, fmt.Errorf("create column: %w", err)
	}
	column.ID = id.Column(n)
	board.Columns = append(slices.Clone(board.Columns), column)
	if column.Limit != nil || column.StaleDays > 0 || column.Color != nil {
		if err := saveColumn(ctx, tx, column); err != nil {
			return board, column, err
		}
	}
	return board, column, MoveColumn(ctx, tx, board, column.ID, edit.Position)
}

// EditColumn changes a column of a board whose columns are locked. If it becomes a done column, or stops being one,
// the caller closes or reopens its tickets. It returns ColumnNotFound, BadColumnName, BadWIP or BadLimit.
func EditColumn(
	ctx context.Context, tx *db.Tx, board Board, column id.Column, edit ColumnEdit,
) (was, now Column, err error) {
	was, ok := board.Column(column)
	if !ok {
		return was, now, ColumnNotFound{Column: uint64(column)}
	}
	if now, err = edit.Parse(was); err != nil {
		return was, now, err
	}
	if err := saveColumn(ctx, tx, now); err != nil {
		return was, now, err
	}
	return was, now, MoveColumn(ctx, tx, board, column, edit.Position)
}

func saveColumn(ctx context.Context, tx *db.Tx, c Column) error {
	params := db.SaveColumnParams{Name: c.Name, Done: c.Done, WipHard: c.Hard, StaleDays: uint16(c.StaleDays), Color: (*uint8)(c.Color), ID: c.ID}
	if c.Limit != nil {
		limit := uint32(*c.Limit)
		params.WipLimit = &limit
	}
	if _, err := tx.SaveColumn(ctx, params); err != nil {
		return fmt.Errorf("save column: %w", err)
	}
	return nil
}

// MoveColumn moves a column to a position among those of its board, which are locked; nil leaves it. It returns
// BadPosition.
func MoveColumn(ctx context.Context, tx *db.Tx, board Board, column id.Column, position *int) error {
	if position == nil {
		return nil
	}
	if *position < 1 {
		return BadPosition()
	}
	from := slices.IndexFunc(board.Columns, func(c Column) bool { return c.ID == column })
	to := min(*position, len(board.Columns)) - 1
	order := slices.Delete(slices.Clone(board.Columns), from, from+1)
	order = slices.Insert(order, to, board.Columns[from])
	// No two columns ever have one position: negative ones are used first.
	for _, aside := range []int32{-1, 1} {
		for i, c := range order {
			if c.ID == board.Columns[i].ID {
				continue
			}
			if _, err := tx.SetColumnPosition(ctx, aside*board.Columns[i].position, c.ID); err != nil {
				return fmt.Errorf("place column: %w", err)
			}
		}
	}
	return nil
}

// RemoveColumn removes an empty column of a board whose columns are locked. It returns LastColumn.
func RemoveColumn(ctx context.Context, tx *db.Tx, board Board, column Column) error {
	if len(board.Columns) == 1 {
		return LastColumn()
	}
	if err := releaseRoom(ctx, tx, column); err != nil {
		return err
	}
	if _, err := tx.UnfoldForAll(ctx, column.ID); err != nil {
		return fmt.Errorf("unfold column: %w", err)
	}
	n, err := tx.RemoveColumn(ctx, column.ID)
	if err != nil {
		return fmt.Errorf("remove column: %w", err)
	}
	if n != 1 {
		return ErrOutdated
	}
	return nil
}

// Fold has an account see a column folded on its board, or no more.
func Fold(ctx context.Context, tx *db.Tx, account id.Account, column id.Column, folded bool) (err error) {
	if folded {
		err = tx.FoldColumn(ctx, account, column)
	} else {
		_, err = tx.UnfoldColumn(ctx, account, column)
	}
	if err != nil {
		return fmt.Errorf("fold column: %w", err)
	}
	return nil
}

// RaiseLastRank makes a column's last rank at least rank. The caller holds its lock.
func RaiseLastRank(ctx context.Context, tx *db.Tx, column id.Column, rank int64) error {
	if _, err := tx.RaiseLastRank(ctx, rank, column); err != nil {
		return fmt.Errorf("raise last rank: %w", err)
	}
	return nil
}

// CountEdit increments the version of a board that was read with its columns locked. It returns ErrOutdated if the
// board was edited or archived since.
func CountEdit(ctx context.Context, tx *db.Tx, board Board) error {
	return edit(ctx, tx, board, board.Slug, board.Title)
}

func edit(ctx context.Context, tx *db.Tx, board Board, slug, title string) error {
	n, err := tx.EditBoard(ctx, db.EditBoardParams{Slug: slug, Title: title, Now: tx.Now, ID: board.ID,
		Version: board.Version})
	if err != nil {
		return fmt.Errorf("edit board: %w", err)
	}
	if n != 1 {
		return ErrOutdated
	}
	return nil
}

// Archive makes a board read only, or restores it if at is nil. It returns ErrOutdated if the board was edited since
// it was read.
func Archive(ctx context.Context, tx *db.Tx, board Board, at *time.Time) error {
	n, err := tx.ArchiveBoard(ctx, db.ArchiveBoardParams{ArchivedAt: at, Now: tx.Now, ID: board.ID,
		Version: board.Version})
	if err != nil {
		return fmt.Errorf("archive board: %w", err)
	}
	if n != 1 {
		return ErrOutdated
	}
	return nil
}
