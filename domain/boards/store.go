package boards

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/color"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Draft is the content of a new board.
type Draft struct {
	Slug, Title string
	Like        string // slug of a board that it is a copy of; "" for none
	Tickets     string // which tickets of that are copied, too: CopyOpen or CopyAll; "" for none
}

// What of a board's tickets is copied to a duplicate.
const (
	CopyOpen = "open"
	CopyAll  = "all"
)

// checkCopies returns BadCopies unless the draft says which tickets of which board are copied.
func (d Draft) checkCopies() error {
	switch {
	case d.Tickets == "", d.Like != "" && (d.Tickets == CopyOpen || d.Tickets == CopyAll):
		return nil
	}
	return BadCopies()
}

// Open adds a board with its incrementer and the default columns. It returns what OpenWith does.
func Open(ctx context.Context, tx *db.Tx, company id.Company, draft Draft) (Board, error) {
	return OpenWith(ctx, tx, company, draft, defaultColumns())
}

// OpenWith adds a board with its incrementer, and columns like others. It returns EmptySlug, BadSlug,
// SlugConflict, SlugImported, EmptyTitle, LongTitle, BadTitle or BadCopies.
func OpenWith(
	ctx context.Context, tx *db.Tx, company id.Company, draft Draft, columns []Column,
) (Board, error) {
	slug, title, err := Names{Slug: &draft.Slug, Title: &draft.Title}.parse("", "")
	if err := fault.Join(err, draft.checkCopies()); err != nil {
		return Board{}, err
	}
	n, err := tx.CreateBoard(ctx, db.CreateBoardParams{CompanyID: company, Slug: slug, Title: title, Now: tx.Now})
	if db.IsDuplicate(err, "uq_board_slug") {
		return Board{}, conflict(ctx, tx, company, slug)
	}
	if err != nil {
		return Board{}, fmt.Errorf("create board: %w", err)
	}
	board := Board{ID: ID(n), Company: company, Slug: slug, Title: title, Version: 1, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	if err := reserve(ctx, tx, board, slug); err != nil {
		return Board{}, err
	}
	if err := tx.CreateIncrementer(ctx, board.ID); err != nil {
		return Board{}, fmt.Errorf("create incrementer: %w", err)
	}
	board.Columns, err = openColumns(ctx, tx, board.ID, columns)
	return board, err
}

func defaultColumns() []Column {
	columns := make([]Column, len(DefaultColumns))
	for i, name := range DefaultColumns {
		columns[i] = Column{Name: name, Done: i == len(DefaultColumns)-1}
	}
	return columns
}

// openColumns adds columns with the names, states, limits and colours of others.
func openColumns(ctx context.Context, tx *db.Tx, board ID, like []Column) ([]Column, error) {
	columns := make([]Column, len(like))
	for i, c := range like {
		position := int32(i + 1)
		n, err := tx.CreateColumn(ctx, db.CreateColumnParams{BoardID: board, Name: c.Name, Position: position, Done: c.Done})
		if err != nil {
			return nil, fmt.Errorf("create column: %w", err)
		}
		columns[i] = Column{ID: id.Column(n), Board: board, Name: c.Name, Done: c.Done, Limit: c.Limit, Hard: c.Hard,
			StaleDays: c.StaleDays, Color: c.Color, position: position}
		if c.Limit == nil && c.StaleDays == 0 && c.Color == nil {
			continue
		}
		if err := saveColumn(ctx, tx, columns[i]); err != nil {
			return nil, err
		}
	}
	return columns, nil
}

// reserve makes a slug the board's for ever. It returns SlugConflict if it is another's, and SlugImported if its keys
// are those of imported tickets.
func reserve(ctx context.Context, tx *db.Tx, board Board, slug string) error {
	err := tx.ReserveSlug(ctx, db.ReserveSlugParams{CompanyID: board.Company, Slug: slug, BoardID: board.ID,
		CreatedAt: tx.Now})
	if err != nil && !db.IsDuplicate(err, "PRIMARY") {
		return fmt.Errorf("reserve slug: %w", err)
	}
	if err == nil {
		return nil
	}
	holder, err := BySlug(ctx, tx.Queries, db.SightOfAll(board.Company), slug)
	if errors.Is(err, fault.NotFound) {
		return SlugImported(slug)
	}
	if err != nil {
		return fmt.Errorf("read who has the slug: %w", err)
	}
	if holder.ID == board.ID {
		return nil
	}
	return SlugConflict(slug, holder)
}

func conflict(ctx context.Context, tx *db.Tx, company id.Company, slug string) error {
	holder, err := BySlug(ctx, tx.Queries, db.SightOfAll(company), slug)
	if err != nil {
		return fmt.Errorf("read who has the slug: %w", err)
	}
	return SlugConflict(slug, holder)
}

// Names are a board's slug and title. A nil one stays as it is.
type Names struct{ Slug, Title *string }

// Check returns all that is wrong with the names: EmptySlug, BadSlug, EmptyTitle, LongTitle or BadTitle.
func (n Names) Check() error {
	_, _, err := n.parse("", "")
	return err
}

func (n Names) parse(slug, title string) (string, string, error) {
	var badSlug, badTitle error
	if n.Slug != nil {
		slug, badSlug = ParseSlug(*n.Slug)
	}
	if n.Title != nil {
		title, badTitle = ParseTitle(*n.Title)
	}
	return slug, title, fault.Join(badSlug, badTitle)
}

// Rename gives a board another slug or title. It keeps its former slugs. It returns EmptySlug, BadSlug, SlugConflict,
// SlugImported, EmptyTitle, LongTitle, BadTitle, Archived, or Stale if the board was edited since its version.
func Rename(ctx context.Context, tx *db.Tx, board Board, names Names) (_ Board, err error) {
	slug, title, err := names.parse(board.Slug, board.Title)
	if err != nil {
		return Board{}, err
	}
	if board.Archived() {
		return Board{}, Archived()
	}
	if slug != board.Slug {
		if err := reserve(ctx, tx, board, slug); err != nil {
			return Board{}, err
		}
	}
	outdated := edit(ctx, tx, board, slug, title)
	if outdated != nil && !errors.Is(outdated, ErrOutdated) {
		return Board{}, outdated
	}
	current, err := BySlug(ctx, tx.Queries, db.SightOfAll(board.Company), board.Slug)
	if err != nil {
		return Board{}, err
	}
	current.Grant = board.Grant
	if outdated != nil {
		return Board{}, Stale{Current: current}
	}
	return current, nil
}

// BySlug returns the board with a present or former slug, with its columns. It returns NotFound, also for a malformed
// slug, and for a board out of sight.
func BySlug(ctx context.Context, q *db.Queries, by db.Sight, slug string) (Board, error) {
	parsed, err := ParseSlug(slug)
	if err != nil {
		return Board{}, NotFound()
	}
	rows, err := db.Read(q.BoardBySlug(ctx, db.BoardBySlugParams{
		Reader: by.Reader, CompanyID: by.Company, Slug: parsed, Reach: by.Reach,
	}))
	if err != nil {
		return Board{}, fmt.Errorf("read board: %w", err)
	}
	if len(rows) == 0 {
		return Board{}, NotFound()
	}
	return fromRows(rows), nil
}

// ByID returns a board with its columns, or NotFound.
func ByID(ctx context.Context, q *db.Queries, by db.Sight, board ID) (Board, error) {
	rows, err := db.Read(q.BoardByID(ctx, db.BoardByIDParams{
		Reader: by.Reader, ID: board, CompanyID: by.Company, Reach: by.Reach,
	}))
	if err != nil {
		return Board{}, fmt.Errorf("read board: %w", err)
	}
	if len(rows) == 0 {
		return Board{}, NotFound()
	}
	list := make([]db.BoardBySlugRow, len(rows))
	for i, row := range rows {
		list[i] = db.BoardBySlugRow(row)
	}
	return fromRows(list), nil
}

// fromRows is a board of at least one column, as every board is.
func fromRows(rows []db.BoardBySlugRow) Board {
	columns := make([]db.BoardColumn, len(rows))
	for i, row := range rows {
		columns[i] = row.BoardColumn
	}
	board := fromRow(rows[0].Board, int(rows[0].Level), columns)
	for i, row := range rows {
		board.Columns[i].Folded = row.Folded
	}
	board.Public, board.Form = rows[0].Public, rows[0].HasForm
	return board
}

// Of returns a company's boards in sight by slug, each with its columns.
func Of(ctx context.Context, q *db.Queries, by db.Sight) ([]Board, error) {
	rows, err := db.Read(q.BoardsOfCompany(ctx, db.BoardsOfCompanyParams{
		Reader: by.Reader, CompanyID: by.Company, Reach: by.Reach,
	}))
	if err != nil {
		return nil, fmt.Errorf("read boards: %w", err)
	}
	ids := make([]ID, len(rows))
	for i, row := range rows {
		ids[i] = row.Board.ID
	}
	of, err := columnsOf(ctx, q, ids)
	if err != nil {
		return nil, err
	}
	list := make([]Board, 0, len(rows))
	for _, row := range rows {
		list = append(list, fromRow(row.Board, int(row.Level), of[row.Board.ID]))
	}
	return list, nil
}

// ByIDs returns those of some boards that are in sight, each with its columns.
func ByIDs(ctx context.Context, q *db.Queries, by db.Sight, ids []ID) (map[ID]Board, error) {
	list := make(map[ID]Board, len(ids))
	if len(ids) == 0 {
		return list, nil
	}
	rows, err := db.Read(q.BoardsByID(ctx, db.BoardsByIDParams{
		Reader: by.Reader, Ids: ids, CompanyID: by.Company, Reach: by.Reach,
	}))
	if err != nil {
		return nil, fmt.Errorf("read boards: %w", err)
	}
	of, err := columnsOf(ctx, q, ids)
	for _, row := range rows {
		list[row.Board.ID] = fromRow(row.Board, int(row.Level), of[row.Board.ID])
	}
	return list, err
}

// KnownSlug is a slug that a board has or had, or whose keys were imported there.
type KnownSlug struct {
	Slug  string
	Board ID
	// Purged says that some of the numbers up to Last belong to no ticket any more; false for imported keys.
	Purged bool
	Last   uint64
}

// Slugs returns which of some slugs, in upper case, are of boards in sight.
func Slugs(ctx context.Context, q *db.Queries, by db.Sight, among []string) ([]KnownSlug, error) {
	if len(among) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.BoardSlugs(ctx, db.BoardSlugsParams{
		Reader: by.Reader, CompanyID: by.Company, Slugs: among, Reach: by.Reach,
	}))
	if err != nil {
		return nil, fmt.Errorf("read slugs: %w", err)
	}
	known := make([]KnownSlug, len(rows))
	for i, r := range rows {
		known[i] = KnownSlug{Slug: r.Slug, Board: r.BoardID, Purged: r.Purged > 0 && !r.Imported, Last: r.MaxTicketID}
	}
	return known, nil
}

// ImportSlugs reserves slugs, in upper case, for imported keys: no board gets them any more. It returns those that a
// board of the company has or had, whose keys are its own.
func ImportSlugs(ctx context.Context, tx *db.Tx, board Board, slugs []string) (taken map[string]bool, err error) {
	kept, err := ReservedSlugs(ctx, tx.Queries, board.Company, slugs)
	if err != nil {
		return nil, err
	}
	added := false
	for _, slug := range slugs {
		if _, ok := kept[slug]; ok {
			continue
		}
		added = true
		if err := tx.ImportSlug(ctx, db.ImportSlugParams{CompanyID: board.Company, Slug: slug, BoardID: board.ID,
			CreatedAt: tx.Now}); err != nil {
			return nil, fmt.Errorf("keep slug: %w", err)
		}
	}
	if added { // or another import has, meanwhile
		if kept, err = ReservedSlugs(ctx, tx.Queries, board.Company, slugs); err != nil {
			return nil, err
		}
	}
	taken = map[string]bool{}
	for slug, imported := range kept {
		taken[slug] = !imported
	}
	return taken, nil
}

// ReservedSlugs returns which of some slugs, in upper case, no new board can have, and whether they are of imported keys.
func ReservedSlugs(
	ctx context.Context, q *db.Queries, company id.Company, among []string,
) (imported map[string]bool, err error) {
	imported = map[string]bool{}
	if len(among) == 0 {
		return imported, nil
	}
	rows, err := db.Read(q.KnownSlugs(ctx, company, among))
	if err != nil {
		return nil, fmt.Errorf("read slugs: %w", err)
	}
	for _, row := range rows {
		imported[row.Slug] = row.Imported
	}
	return imported, nil
}

// fromRow is a board; level is that of the reader in board_access.
func fromRow(row db.Board, level int, columns []db.BoardColumn) Board {
	board := Board{
		ID: row.ID, Company: row.CompanyID, Slug: row.Slug, Title: row.Title, Version: row.Version,
		CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, ArchivedAt: row.ArchivedAt,
		Grant: db.Grant{Private: row.Privacy > 0, Level: level},
	}
	for _, c := range columns {
		board.Columns = append(board.Columns, columnFrom(c))
	}
	return board
}

func columnFrom(row db.BoardColumn) Column {
	column := Column{ID: row.ID, Board: row.BoardID, Name: row.Name, Done: row.Done, Count: row.TicketCount,
		Hard: row.WipHard, StaleDays: int(row.StaleDays), Color: (*color.Color)(row.Color), LastRank: row.LastRank, Incoming: row.Incoming, position: row.Position}
	if row.ChangeKind != "" {
		column.Change = &Change{Kind: row.ChangeKind, Run: row.ChangeRun, By: row.ChangeBy, At: *row.ChangeAt,
			To: row.ChangeTo, Total: row.ChangeTotal, Done: row.ChangeDone, Numbers: row.ChangeLeft, rank: row.ChangeRank}
	}
	if row.WipLimit != nil {
		limit := int(*row.WipLimit)
		column.Limit = &limit
	}
	return column
}

// ErrOutdated says that a column changed since it was read: read the board again.
var ErrOutdated = errors.New("the column has changed")

// LockColumns locks columns in the order of their ids and returns those that exist.
func LockColumns(ctx context.Context, tx *db.Tx, columns ...id.Column) (map[id.Column]Column, error) {
	rows, err := tx.LockColumns(ctx, columns)
	if err != nil {
		return nil, fmt.Errorf("lock columns: %w", err)
	}
	locked := make(map[id.Column]Column, len(rows))
	for _, row := range rows {
		locked[row.ID] = columnFrom(row)
	}
	return locked, nil
}

// Live returns Archived if one of the boards is archived, and keeps them from being archived until
// the transaction ends. Lock columns, incrementers and tickets first.
func Live(ctx context.Context, tx *db.Tx, boards ...ID) error {
	archived, err := KeepLive(ctx, tx, boards...)
	if err == nil && len(archived) > 0 {
		return Archived()
	}
	return err
}

// KeepLive returns those of the boards that are archived, and keeps the others from it as Live does.
func KeepLive(ctx context.Context, tx *db.Tx, boards ...ID) (archived []ID, err error) {
	if len(boards) == 0 {
		return nil, nil
	}
	kept, err := tx.LockBoardsShared(ctx, boards)
	if err != nil {
		return nil, fmt.Errorf("lock boards: %w", err)
	}
	for _, board := range kept {
		if board.ArchivedAt != nil {
			archived = append(archived, board.ID)
		}
	}
	return archived, nil
}

// Shift counts n tickets that went from one column to another. The caller holds both locks.
func Shift(ctx context.Context, tx *db.Tx, from, to id.Column, n int64) error {
	changed, err := tx.ShiftCount(ctx, db.ShiftCountParams{N: n, From: from, To: to})
	if err != nil {
		return fmt.Errorf("count tickets: %w", err)
	}
	if changed != 2 {
		return ColumnNotFound{Column: uint64(to)}
	}
	return nil
}

// Count adds n to a column's count of tickets. The caller holds its lock.
func Count(ctx context.Context, tx *db.Tx, column id.Column, n int64) error {
	changed, err := tx.AddToCount(ctx, n, column)
	if err != nil {
		return fmt.Errorf("count tickets: %w", err)
	}
	if changed != 1 {
		return ColumnNotFound{Column: uint64(column)}
	}
	return nil
}
