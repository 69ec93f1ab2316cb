package savedviews

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

const (
	// MaxName is how many characters the name of a view has.
	MaxName = 60
	// MaxOwn is how many views a member has in a company, MaxShared how many a company shares, and MaxPins how many a
	// member pins.
	MaxOwn    = 100
	MaxShared = 300
	MaxPins   = 12
)

// Layout is how the tickets of a board are shown.
type Layout string

const (
	AsBoard    Layout = "board"
	AsList     Layout = "list"
	AsCalendar Layout = "calendar"
)

// View is a saved view.
type View struct {
	ID        id.SavedView
	Owner     id.Account
	OwnerName string // where it is another's, "" for guests

	Board      id.Board // 0 for all boards that its reader sees
	Slug       string   // of the board
	BoardTitle string
	Archived   bool // the board is

	Name   string
	Layout Layout
	Query  string // a text of domain/query
	Lanes  string // of a board, "" for none
	Group  string // a field to group a list by, or for the columns of a board of all tickets, one of Groups; "" for none
	Fields string // of a list, as ParseFields reads them
	Shared bool   // with everyone who sees the board; one of all boards, with everyone but guests
	Pinned bool   // by the reader

	Version uint64
}

// ChangedBy reports whether an account that sees the view may change it: its owner and admins of the company may.
func (v View) ChangedBy(account id.Account, admin bool) bool { return v.Owner == account || admin }

// Count is how many tickets a view has, of those that were looked at; More says that there may be others. Problem is what
// is wrong with its query now, nil if nothing is: something that it names was deleted, perhaps.
type Count struct {
	Tickets int
	More    bool
	Problem error
}

// MaxCount is how many tickets of a view are counted.
const MaxCount = 99

// Parse returns the view as it is stored, or all that is wrong with it: BadName, BadQuery and BadLayout. What the
// query says is read by who knows the board.
func (v View) Parse() (View, error) {
	name, length, ok := markup.Line(v.Name)
	var badName, badLayout error
	if !ok || length == 0 || length > MaxName {
		badName = BadName(ok, length)
	}
	query, _, ok := markup.Line(v.Query)
	var badQuery error
	if !ok {
		badQuery = BadQuery()
	}
	v.Name, v.Query = name, query
	switch v.Layout {
	case AsBoard, AsList, AsCalendar:
	default:
		badLayout = BadLayout()
	}
	if v.Layout != AsBoard || v.Board == 0 {
		v.Lanes = ""
	}
	v.Group, v.Fields = string(ParseGroup(v.Group)), FieldsText(ParseFields(v.Fields))
	if v.Layout != AsList {
		v.Fields = ""
	}
	if v.Layout != AsList && (v.Layout != AsBoard || v.Board != 0) {
		v.Group = ""
	}
	return v, fault.Join(badName, badQuery, badLayout)
}

// Listed are the views that a reader sees, each list by name.
type Listed struct{ Own, Shared []View }

// InSight returns the views of a reader, and those that others share.
func InSight(ctx context.Context, q *db.Queries, by db.Sight) (list Listed, err error) {
	own, err := db.Read(q.OwnSavedViews(ctx, db.OwnSavedViewsParams{Reader: by.Reader, CompanyID: by.Company, Reach: by.Reach,
		Limit: MaxOwn}))
	if err != nil {
		return Listed{}, fmt.Errorf("read views: %w", err)
	}
	for _, row := range own {
		view := viewFrom(row.SavedView, row.Slug, row.Title, row.ArchivedAt)
		view.Pinned = row.Pinned
		list.Own = append(list.Own, view)
	}
	shared, err := db.Read(q.SharedSavedViews(ctx, db.SharedSavedViewsParams{Reader: by.Reader, CompanyID: by.Company,
		Reach: by.Reach, Limit: MaxShared}))
	if err != nil {
		return Listed{}, fmt.Errorf("read shared views: %w", err)
	}
	for _, row := range shared {
		view := viewFrom(row.SavedView, row.Slug, row.Title, row.ArchivedAt)
		view.Pinned, view.OwnerName = row.Pinned, ownerTo(by, row.OwnerName)
		list.Shared = append(list.Shared, view)
	}
	return list, nil
}

// ownerTo is the name of an owner for a reader; guests see only members of their boards.
func ownerTo(by db.Sight, name string) string {
	if by.Reach < db.ReachOpen {
		return ""
	}
	return name
}

// viewFrom returns a view with the slug and title of its board, if it has one, and when that was archived.
func viewFrom(row db.SavedView, slug, title string, archivedAt *time.Time) View {
	v := View{ID: row.ID, Owner: row.AccountID, Slug: slug, BoardTitle: title, Archived: archivedAt != nil, Name: row.Name,
		Layout: Layout(row.Layout), Query: row.Query, Lanes: row.Lanes, Group: row.GroupedBy, Fields: row.Fields, Shared: row.Shared,
		Version: row.Version}
	if row.BoardID != nil {
		v.Board = *row.BoardID
	}
	return v
}

// ByID returns a view that a reader sees, or NotFound.
func ByID(ctx context.Context, q *db.Queries, by db.Sight, view id.SavedView) (View, error) {
	row, err := db.Read(q.SavedViewByID(ctx, db.SavedViewByIDParams{Reader: by.Reader, ID: view, CompanyID: by.Company,
		Reach: by.Reach}))
	if db.IsNotFound(err) {
		return View{}, NotFound()
	}
	if err != nil {
		return View{}, fmt.Errorf("read view: %w", err)
	}
	v := viewFrom(row.SavedView, row.Slug, row.Title, row.ArchivedAt)
	v.Pinned, v.OwnerName = row.Pinned, ownerTo(by, row.OwnerName)
	return v, nil
}

// Pinned returns the views that a reader has pinned, in the order of pinning.
func Pinned(ctx context.Context, q *db.Queries, by db.Sight) ([]View, error) {
	rows, err := db.Read(q.PinnedViews(ctx, db.PinnedViewsParams{Reader: by.Reader, CompanyID: by.Company, Reach: by.Reach,
		Limit: MaxPins}))
	if err != nil {
		return nil, fmt.Errorf("read pinned views: %w", err)
	}
	slices.SortFunc(rows, func(a, b db.PinnedViewsRow) int {
		return cmp.Or(a.PinnedAt.Compare(b.PinnedAt), cmp.Compare(a.SavedView.ID, b.SavedView.ID))
	})
	list := make([]View, len(rows))
	for i, row := range rows {
		list[i] = viewFrom(row.SavedView, row.Slug, row.Title, row.ArchivedAt)
		list[i].Pinned = true
	}
	return list, nil
}

// Create adds a view of its owner. The caller parsed it, and holds the lock of the company. It returns TooMany,
// TooManyShared or NameTaken.
func Create(ctx context.Context, tx *db.Tx, company id.Company, v View) (View, error) {
	own, err := tx.CountOwnViews(ctx, v.Owner, company)
	if err != nil {
		return v, fmt.Errorf("count views: %w", err)
	}
	if own >= MaxOwn {
		return v, TooMany()
	}
	if v.Shared {
		if err := roomForShared(ctx, tx, company); err != nil {
			return v, err
		}
	}
	var board *id.Board // nil for all
	if v.Board != 0 {
		board = &v.Board
	}
	n, err := tx.CreateSavedView(ctx, db.CreateSavedViewParams{CompanyID: company, BoardID: board, AccountID: v.Owner,
		Name: v.Name, Layout: string(v.Layout), Query: v.Query, Lanes: v.Lanes, GroupedBy: v.Group, Fields: v.Fields,
		Shared: v.Shared, Now: tx.Now})
	if db.IsDuplicate(err, "uq_saved_view_name") {
		return v, NameTaken(v.Name)
	}
	if err != nil {
		return v, fmt.Errorf("create view: %w", err)
	}
	v.ID, v.Version = id.SavedView(n), 1
	return v, nil
}

// Save changes a view from was, whose Version its user saw. The caller parsed it, and holds the lock of the company. It
// returns TooManyShared, NameTaken or Stale.
func Save(ctx context.Context, tx *db.Tx, by db.Sight, was, v View) (View, error) {
	if v.Shared && !was.Shared {
		if err := roomForShared(ctx, tx, by.Company); err != nil {
			return v, err
		}
	}
	n, err := tx.SaveSavedView(ctx, db.SaveSavedViewParams{Name: v.Name, Layout: string(v.Layout), Query: v.Query,
		Lanes: v.Lanes, GroupedBy: v.Group, Fields: v.Fields, Shared: v.Shared, Now: tx.Now, ID: v.ID, CompanyID: by.Company,
		Version: v.Version})
	if db.IsDuplicate(err, "uq_saved_view_name") {
		return v, NameTaken(v.Name)
	}
	if err != nil {
		return v, fmt.Errorf("save view: %w", err)
	}
	if n == 0 {
		current, err := ByID(ctx, tx.Queries, by, v.ID)
		if err == nil {
			err = Stale{Current: current}
		}
		return v, err
	}
	v.Version++
	return v, nil
}

// roomForShared returns TooManyShared if a company shares as many views as it can.
func roomForShared(ctx context.Context, tx *db.Tx, company id.Company) error {
	shared, err := tx.CountSharedViews(ctx, company, MaxShared)
	if err != nil {
		return fmt.Errorf("count shared views: %w", err)
	}
	if shared >= MaxShared {
		return TooManyShared()
	}
	return nil
}

// Delete deletes a view; whoever had pinned it has one pin less. It returns NotFound.
func Delete(ctx context.Context, tx *db.Tx, company id.Company, view id.SavedView) error {
	n, err := tx.DeleteSavedView(ctx, view, company)
	if err != nil {
		return fmt.Errorf("delete view: %w", err)
	}
	if n == 0 {
		return NotFound()
	}
	return nil
}

// Pin has a view in the navigation of a reader, who sees it, or not any more. The caller holds the lock of the company.
// It returns TooManyPins.
func Pin(ctx context.Context, tx *db.Tx, by db.Sight, view id.SavedView, pinned bool) error {
	if !pinned {
		err := tx.UnpinView(ctx, db.UnpinViewParams{AccountID: by.Reader, CompanyID: by.Company, ViewID: view})
		if err != nil {
			return fmt.Errorf("unpin view: %w", err)
		}
		return nil
	}
	if err := tx.ForgetPins(ctx, by.Reader, by.Company); err != nil {
		return fmt.Errorf("forget pins: %w", err)
	}
	if err := tx.PinView(ctx, db.PinViewParams{AccountID: by.Reader, CompanyID: by.Company, ViewID: view, Now: tx.Now}); err != nil {
		return fmt.Errorf("pin view: %w", err)
	}
	there, err := tx.CountPins(ctx, by.Reader, by.Company)
	if err != nil {
		return fmt.Errorf("count pins: %w", err)
	}
	if there > MaxPins {
		return TooManyPins()
	}
	return nil
}
