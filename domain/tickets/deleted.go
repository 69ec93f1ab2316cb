package tickets

import (
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// KeepDeleted is how long a deleted ticket can be restored.
const KeepDeleted = 30 * 24 * time.Hour

// DeletedTicket is a ticket in the list of those that can be restored.
type DeletedTicket struct {
	ID    ID
	Key   Key
	Title string
	At    time.Time
	By    string // the deleter's name
}

// DeletedCursor is the end of a page of deleted tickets.
type DeletedCursor struct {
	At time.Time
	ID ID
}

func (c DeletedCursor) String() string { return fmt.Sprintf("%d-%d", c.At.UnixMicro(), c.ID) }

var deletedCursor = regexp.MustCompile(`^([0-9]{1,16})-([0-9]{1,18})$`)

// ParseDeletedCursor reads a cursor; "" is nil. ok is false if s is none.
func ParseDeletedCursor(s string) (c *DeletedCursor, ok bool) {
	if s == "" {
		return nil, true
	}
	parts := deletedCursor.FindStringSubmatch(s)
	if parts == nil {
		return nil, false
	}
	at, _ := strconv.ParseInt(parts[1], 10, 64) // digits that fit
	n, _ := strconv.ParseUint(parts[2], 10, 64)
	return &DeletedCursor{At: time.UnixMicro(at).UTC(), ID: ID(n)}, true
}

// DeletedOf returns up to limit tickets of a board that were deleted since a time, newest first, from below a cursor,
// or from the newest if that is nil.
func DeletedOf(
	ctx context.Context, q *db.Queries, board id.Board, slug string, since time.Time, below *DeletedCursor, limit int,
) ([]DeletedTicket, error) {
	// A year ahead, because another server's clock may be fast.
	from := DeletedCursor{At: since.AddDate(1, 0, 0), ID: math.MaxInt64}
	if below != nil {
		from = *below
	}
	rows, err := db.Read(q.DeletedTickets(ctx, db.DeletedTicketsParams{BoardID: board, Since: &since, Before: &from.At,
		BelowID: from.ID, Limit: int32(limit)}))
	if err != nil {
		return nil, fmt.Errorf("read deleted tickets: %w", err)
	}
	list := make([]DeletedTicket, len(rows))
	for i, r := range rows {
		list[i] = DeletedTicket{ID: r.ID, Key: Key{Board: slug, Number: r.LocalID}, Title: r.Title, At: *r.DeletedAt,
			By: r.DeletedBy}
	}
	return list, nil
}

// DeletedByKey returns a deleted ticket, even if it cannot be restored any more, or NotFound.
func DeletedByKey(ctx context.Context, q *db.Queries, by db.Sight, key Key) (Ticket, error) {
	row, err := db.Read(q.DeletedTicketByKey(ctx, db.DeletedTicketByKeyParams{CompanyID: by.Company, Slug: key.Board,
		LocalID: key.Number, ExternalID: key.String(), Reader: by.Reader, Reach: by.Reach}))
	if db.IsNotFound(err) {
		return Ticket{}, NotFound()
	}
	if err != nil {
		return Ticket{}, fmt.Errorf("read deleted ticket: %w", err)
	}
	ticket := fromRow(row.Ticket, row.BoardSlug)
	ticket.Author.Name, ticket.Grant = row.Author, db.Grant{Private: row.Privacy > 0, Level: int(row.Level)}
	assignees, err := AssigneesOf(ctx, q, by.Company, []ID{ticket.ID})
	if err != nil {
		return Ticket{}, err
	}
	of, err := LabelsOf(ctx, q, []ID{ticket.ID})
	ticket.Assignees, ticket.Labels = assignees[ticket.ID], of[ticket.ID]
	return ticket, err
}

// ByID returns a ticket, even a deleted one, or NotFound.
func ByID(ctx context.Context, q *db.Queries, by db.Sight, ticket ID) (Ticket, error) {
	row, err := db.Read(q.TicketByID(ctx, db.TicketByIDParams{
		Reader: by.Reader, ID: ticket, CompanyID: by.Company, Reach: by.Reach,
	}))
	if db.IsNotFound(err) {
		return Ticket{}, NotFound()
	}
	if err != nil {
		return Ticket{}, fmt.Errorf("read ticket: %w", err)
	}
	found := fromRow(row.Ticket, row.BoardSlug)
	found.Author.Name, found.Grant = row.Author, db.Grant{Private: row.Privacy > 0, Level: int(row.Level)}
	return found, nil
}

// ByIDs returns those of some tickets that the reader sees, by id, also deleted ones.
func ByIDs(ctx context.Context, q *db.Queries, by db.Sight, list []ID) (map[ID]Ticket, error) {
	if len(list) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.TicketsByIDs(ctx, db.TicketsByIDsParams{Reader: by.Reader, Ids: list, CompanyID: by.Company,
		Reach: by.Reach}))
	if err != nil {
		return nil, fmt.Errorf("read tickets: %w", err)
	}
	found := make(map[ID]Ticket, len(rows))
	for _, row := range rows {
		ticket := fromRow(row.Ticket, row.BoardSlug)
		ticket.Author.Name, ticket.Grant = row.Author, db.Grant{Private: row.Privacy > 0, Level: int(row.Level)}
		found[ticket.ID] = ticket
	}
	return found, nil
}

// LockAll is LockAny for several tickets, by id. Those that were purged since they were read are missing.
func LockAll(ctx context.Context, tx *db.Tx, seen map[ID]Ticket) (map[ID]Ticket, error) {
	if len(seen) == 0 {
		return nil, nil
	}
	rows, err := tx.LockTicketsWhole(ctx, slices.Sorted(maps.Keys(seen)))
	if err != nil {
		return nil, fmt.Errorf("lock tickets: %w", err)
	}
	locked := make(map[ID]Ticket, len(rows))
	for _, row := range rows {
		locked[row.ID] = lockedFrom(row, seen[row.ID])
	}
	return locked, nil
}

// lockedFrom returns a locked ticket from its row, and what was read of it before.
func lockedFrom(row db.Ticket, seen Ticket) Ticket {
	ticket := fromRow(row, seen.Key.Board)
	ticket.Author, ticket.Assignees, ticket.Labels, ticket.Grant = seen.Author, seen.Assignees, seen.Labels, seen.Grant
	ticket.Relations, ticket.Attachments, ticket.Recurrence = seen.Relations, seen.Attachments, seen.Recurrence
	return ticket
}

// LockAny is Lock for a ticket that may be deleted.
func LockAny(ctx context.Context, tx *db.Tx, seen Ticket) (Ticket, error) {
	row, err := tx.LockTicket(ctx, seen.ID)
	if db.IsNotFound(err) {
		return Ticket{}, NotFound()
	}
	if err != nil {
		return Ticket{}, fmt.Errorf("lock ticket: %w", err)
	}
	return lockedFrom(row, seen), nil
}

// Deletion returns the entry of the history for the ticket's last deletion, or NotFound.
func Deletion(ctx context.Context, q *db.Queries, ticket Ticket) (Activity, error) {
	row, err := db.Read(q.LastActivity(ctx, ticket.ID, KindDeleted))
	if db.IsNotFound(err) {
		return Activity{}, NotFound()
	}
	if err != nil {
		return Activity{}, fmt.Errorf("read activity: %w", err)
	}
	return activityFrom(row)
}
