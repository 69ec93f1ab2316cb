package tickets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
)

// NewTicket is a ticket to open: a parsed draft with its author.
type NewTicket struct {
	Draft    Draft
	Author   User
	ClosedAt *time.Time // of a ticket that is opened in a done column; nil is now
	// CreatedAt and UpdatedAt are of a ticket that was opened elsewhere; the zero time is now.
	CreatedAt, UpdatedAt time.Time
	FromRequester        bool // it was sent by a form
}

// Row is an opening with what its board gives it: a key, a column, and a rank there.
type Row struct {
	NewTicket
	Key    Key
	Column id.Column
	Rank   int64
}

// ErrArchived says that a board takes no tickets because it is archived.
var ErrArchived = errors.New("the board is archived")

// Open adds tickets to a board, in the order of their numbers, and the first entry of each history. It returns
// ErrArchived. The returned tickets have no ID, which is not read back.
func Open(ctx context.Context, tx *db.Tx, board id.Board, rows []Row) ([]Ticket, error) {
	opened, err := insert(ctx, tx, board, rows)
	if err != nil {
		return nil, err
	}
	after, to := numbers(rows)
	recorded, err := tx.RecordOpened(ctx, db.RecordOpenedParams{BoardID: board, After: after, To: to})
	if err != nil {
		return nil, fmt.Errorf("record activity: %w", err)
	}
	if recorded != int64(len(rows)) {
		return nil, ErrArchived
	}
	return opened, nil
}

// numbers returns the range of the numbers of rows, without its first.
func numbers(rows []Row) (after, to uint64) {
	return rows[0].Key.Number - 1, rows[len(rows)-1].Key.Number
}

func insert(ctx context.Context, tx *db.Tx, board id.Board, rows []Row) ([]Ticket, error) {
	inserted := make([]db.NewTicket, len(rows))
	opened := make([]Ticket, len(rows))
	for i, r := range rows {
		created, updated := orNow(tx, r.CreatedAt), orNow(tx, r.UpdatedAt)
		list := ChecklistOf(r.Draft.Description, r.FromRequester)
		inserted[i] = db.NewTicket{
			BoardID: board, LocalID: r.Key.Number, ColumnID: r.Column, RankInColumn: r.Rank,
			Title: r.Draft.Title, Description: r.Draft.Description, CreatedBy: r.Author.ID,
			CreatedAt: created, UpdatedAt: updated, ClosedAt: r.ClosedAt, FromRequester: r.FromRequester,
			Priority: uint8(r.Draft.Priority), StartAt: r.Draft.Start.stored(), StartTimed: r.Draft.Start.Timed,
			DueAt: r.Draft.Due.stored(), DueTimed: r.Draft.Due.Timed,
			Items: uint16(list.Items), ItemsChecked: uint16(list.Checked),
		}
		opened[i] = Ticket{
			Key: r.Key, Board: board, Column: r.Column, Rank: r.Rank,
			Title: r.Draft.Title, Description: r.Draft.Description, Version: 1, Author: r.Author,
			CreatedAt: created, UpdatedAt: updated, MovedAt: tx.Now, ClosedAt: r.ClosedAt, FromRequester: r.FromRequester,
			Properties: r.Draft.Properties, Checklist: list,
		}
	}
	if err := tx.InsertTickets(ctx, inserted); err != nil {
		return nil, fmt.Errorf("insert tickets: %w", err)
	}
	after, to := numbers(rows)
	if _, err := tx.OpenStays(ctx, db.OpenStaysParams{Now: tx.Now, BoardID: board, After: after, To: to}); err != nil {
		return nil, fmt.Errorf("open stays: %w", err)
	}
	return opened, nil
}

func orNow(tx *db.Tx, at time.Time) time.Time {
	if at.IsZero() {
		return tx.Now
	}
	return at
}

// ByKey returns a ticket by its present, former or imported key; its Key is the present one, and Muted is the reader's.
// It returns NotFound, also for a deleted ticket, and for one out of sight.
func ByKey(ctx context.Context, q *db.Queries, by db.Sight, key Key) (Ticket, error) {
	row, err := db.Read(q.TicketByKey(ctx, db.TicketByKeyParams{CompanyID: by.Company, Slug: key.Board, LocalID: key.Number,
		ExternalID: key.String(), Reader: by.Reader, Reach: by.Reach}))
	if db.IsNotFound(err) {
		return Ticket{}, missingError(ctx, q, by, key)
	}
	if err != nil {
		return Ticket{}, fmt.Errorf("read ticket: %w", err)
	}
	ticket := fromRow(row.Ticket, row.BoardSlug)
	ticket.Author.Name, ticket.Muted = row.Author, row.Muted
	ticket.Grant = db.Grant{Private: row.Privacy > 0, Level: int(row.Level)}
	if err := json.Unmarshal([]byte(row.Assignees), &ticket.Assignees); err != nil {
		return Ticket{}, fmt.Errorf("read assignees of ticket %d: %w", ticket.ID, err)
	}
	sortAssignees(ticket.Assignees)
	if ticket.Labels, err = labels.FromJSON(row.Labels); err != nil {
		return Ticket{}, err
	}
	if ticket.Relations, err = relationsFromJSON(row.Relations); err != nil {
		return Ticket{}, err
	}
	if ticket.Recurrence, err = recurrenceFromJSON(row.Recurrence); err != nil {
		return Ticket{}, err
	}
	return ticket, ticket.readAttachments(ctx, q)
}

// Lock locks a ticket's row and returns the ticket as it is now. seen is an earlier read of it.
func Lock(ctx context.Context, tx *db.Tx, seen Ticket) (Ticket, error) {
	ticket, err := LockAny(ctx, tx, seen)
	if err == nil && ticket.DeletedAt != nil {
		return Ticket{}, NotFound()
	}
	return ticket, err
}

// Save writes an edit. It returns Stale if the title or description was edited since the edit's version, and all errors
// of the fields.
func Save(ctx context.Context, tx *db.Tx, ticket Ticket, edit Edit, by User) (Ticket, error) {
	changed, detail, err := edit.apply(ticket)
	if err != nil {
		return Ticket{}, err
	}
	if edit.Texts() && ticket.Version != edit.Version {
		return Ticket{}, Stale{Current: ticket}
	}
	if detail != (Detail{}) {
		if changed, _, err = saveTexts(ctx, tx, changed, KindEdited, detail, by); err != nil {
			return Ticket{}, err
		}
	}
	changed, _, err = SetProperties(ctx, tx, changed, edit.Properties, by)
	return changed, err
}

// saveTexts stores the title and description of a changed ticket, whose version is that before, with an entry of a kind
// in its history.
func saveTexts(
	ctx context.Context, tx *db.Tx, changed Ticket, kind string, detail Detail, by User,
) (_ Ticket, entry Activity, err error) {
	changed.Checklist = ChecklistOf(changed.Description, changed.FromRequester)
	items := uint16(changed.Checklist.Items)
	n, err := tx.EditTicket(ctx, db.EditTicketParams{
		Title: changed.Title, Description: changed.Description, Now: tx.Now, ID: changed.ID, Version: changed.Version,
		Items: &items, ItemsChecked: uint16(changed.Checklist.Checked),
	})
	if err != nil {
		return Ticket{}, entry, fmt.Errorf("edit ticket: %w", err)
	}
	if n != 1 {
		return Ticket{}, entry, Stale{Current: changed}
	}
	if err := changeBacklinks(ctx, tx, changed, 0, referencesOf(detail.textsBefore(changed)), referencesOf(changed)); err != nil {
		return Ticket{}, entry, err
	}
	changed.Version, changed.UpdatedAt = changed.Version+1, tx.Now
	detail.Version = changed.Version
	entry = Activity{Kind: kind, By: by, At: tx.Now, Detail: detail}
	entry.ID, err = Record(ctx, tx, changed.ID, by, kind, detail)
	return changed, entry, err
}

// textsBefore returns a changed ticket with the texts that it had.
func (d Detail) textsBefore(ticket Ticket) Ticket {
	if d.Title != nil {
		ticket.Title = d.Title.Old
	}
	if d.Description != nil {
		ticket.Description = d.Description.Old
	}
	return ticket
}

// Check returns all errors of the texts of the edit.
func (e Edit) Check() error {
	_, _, err := e.apply(Ticket{})
	return err
}

func (e Edit) apply(ticket Ticket) (_ Ticket, detail Detail, err error) {
	var badTitle, badDescription error
	if e.Title != nil {
		var title string
		title, badTitle = ParseTitle(*e.Title)
		detail.Title = change(ticket.Title, title)
		ticket.Title = title
	}
	if e.Description != nil {
		var description string
		description, badDescription = ParseDescription(*e.Description)
		detail.Description = change(ticket.Description, description)
		ticket.Description = description
	}
	return ticket, detail, fault.Join(badTitle, badDescription)
}

func change(old, new string) *Change {
	if old == new {
		return nil
	}
	return &Change{Old: old, New: new}
}

// Delete deletes a ticket; its row and number stay. The caller holds the locks of the ticket and its column.
func Delete(ctx context.Context, tx *db.Tx, ticket Ticket, by User) (id.Activity, error) {
	from, err := LocationOf(ctx, tx.Queries, ticket)
	if err != nil {
		return 0, err
	}
	n, err := tx.DeleteTicket(ctx, db.DeleteTicketParams{DeletedAt: &tx.Now, Now: tx.Now, ID: ticket.ID})
	if err != nil {
		return 0, fmt.Errorf("delete ticket: %w", err)
	}
	if n != 1 {
		return 0, NotFound()
	}
	if err := leave(ctx, tx, ticket.ID); err != nil {
		return 0, err
	}
	if err := republishComments(ctx, tx, ticket.ID); err != nil {
		return 0, err
	}
	deleted := ticket
	deleted.DeletedAt = &tx.Now
	if err := keepCurrent(ctx, tx, ticket, deleted); err != nil {
		return 0, err
	}
	return Record(ctx, tx, ticket.ID, by, KindDeleted, Detail{From: &from})
}

// Below returns up to limit tickets of a column below a cursor, or from the top if that is nil, in board order. Their
// authors have no names.
func Below(
	ctx context.Context, q *db.Queries, board id.Board, slug string, column id.Column, cursor *Cursor, limit int,
) (_ []Ticket, err error) {
	rank := int64(math.MinInt64)
	if cursor != nil {
		if rank, err = cursor.rank(ctx, q, board); err != nil {
			return nil, err
		}
	}
	rows, err := db.Read(q.TicketsAfter(ctx, db.TicketsAfterParams{ColumnID: &column, FromRank: &rank,
		Limit: int32(limit)}))
	if err != nil {
		return nil, fmt.Errorf("read tickets: %w", err)
	}
	list := make([]Ticket, len(rows))
	for i, row := range rows {
		list[i] = fromRow(row, slug)
	}
	return list, nil
}

// Matching returns up to limit tickets of a column that match a filter, in board order, and where to go on: also if none
// was found in the Reach tickets of start, nil at the end of the column.
func Matching(
	ctx context.Context, q *db.Queries, by db.Sight, board id.Board, slug string, filter Filter, start FilterStart, limit int,
) ([]Ticket, *Cursor, error) {
	found, err := FindCards(ctx, q, by, board, slug, filter, []FilterStart{start}, limit)
	if err != nil {
		return nil, nil, err
	}
	cards := found[start.Column].Cards
	ids := make([]ID, len(cards))
	for i, card := range cards {
		ids[i] = card.ID
	}
	list, err := byID(ctx, q, slug, ids)
	return list, found[start.Column].Next, err
}

// byID returns tickets in the order of their ids, without those that are deleted.
func byID(ctx context.Context, q *db.Queries, slug string, ids []ID) ([]Ticket, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.TicketsByID(ctx, ids))
	if err != nil {
		return nil, fmt.Errorf("read tickets: %w", err)
	}
	found := make(map[ID]db.Ticket, len(rows))
	for _, row := range rows {
		found[row.ID] = row
	}
	var list []Ticket
	for _, one := range ids {
		if row, ok := found[one]; ok {
			list = append(list, fromRow(row, slug))
		}
	}
	return list, nil
}

func fromRow(row db.Ticket, slug string) Ticket {
	ticket := Ticket{
		ID: row.ID, Key: Key{Board: slug, Number: row.LocalID}, Board: row.BoardID, Title: row.Title,
		Description: row.Description,
		Version:     row.Version, Author: User{ID: row.CreatedBy}, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		MovedAt:  row.MovedAt,
		ClosedAt: row.ClosedAt, DeletedAt: row.DeletedAt, FromRequester: row.FromRequester,
		Properties: propertiesFrom(row), Checklist: ChecklistFrom(row.Items, row.ItemsChecked),
		attachments: int(row.Attachments),
	}
	if row.ColumnID != nil {
		ticket.Column = *row.ColumnID
	}
	if row.RankInColumn != nil {
		ticket.Rank = *row.RankInColumn
	}
	return ticket
}
