package tickets

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Record adds an entry to a ticket's history and returns its id.
func Record(ctx context.Context, tx *db.Tx, ticket ID, by User, kind string, detail Detail) (id.Activity, error) {
	detail.BulkEdit, detail.OfAllBoards = by.BulkEdit, by.OfAllBoards
	text, err := json.Marshal(detail)
	if err != nil {
		return 0, fmt.Errorf("write detail: %w", err)
	}
	n, err := tx.RecordActivity(ctx, db.RecordActivityParams{
		TicketID: ticket, AccountID: by.ID, Kind: kind, Detail: string(text), CreatedAt: tx.Now,
	})
	if err != nil {
		return 0, fmt.Errorf("record activity: %w", err)
	}
	return id.Activity(n), nil
}

// History returns up to limit entries of a ticket's history, newest first, from below before; 0 means from the newest.
// more says that there are older ones. Changes of descriptions are left out: ActivityOf has them.
func History(
	ctx context.Context, q *db.Queries, ticket ID, before id.Activity, limit int,
) (entries []Activity, more bool, err error) {
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := db.Read(q.ActivityOfTicket(ctx, db.ActivityOfTicketParams{TicketID: ticket, BeforeID: before,
		Limit: int32(limit + 1)}))
	if err != nil {
		return nil, false, fmt.Errorf("read activity: %w", err)
	}
	rows, more = cut(rows, limit)
	for _, row := range rows {
		entry, err := activityFrom(db.LastActivityRow(row))
		if err != nil {
			return nil, false, err
		}
		entries = append(entries, entry)
	}
	return entries, more, nil
}

// HistoriesByOthers returns what others than an account did to tickets since a time, of entries after one, newest first;
// of all tickets at most limit. Changes of descriptions are left out.
func HistoriesByOthers(
	ctx context.Context, q *db.Queries, account id.Account, list []ID, after id.Activity, since time.Time, limit int32,
) (map[ID][]Activity, error) {
	rows, err := db.Read(q.ChangesByOthers(ctx, db.ChangesByOthersParams{Tickets: list, After: after, Since: since, Reader: account,
		Limit: limit}))
	if err != nil {
		return nil, fmt.Errorf("read activity: %w", err)
	}
	of := make(map[ID][]Activity, len(list))
	for _, row := range rows {
		entry, err := activityFrom(db.LastActivityRow{ID: row.ID, Kind: row.Kind, Detail: row.Detail, CreatedAt: row.CreatedAt,
			UndoneAt: row.UndoneAt, AccountID: row.AccountID, AccountName: row.AccountName})
		if err != nil {
			return nil, err
		}
		of[row.TicketID] = append(of[row.TicketID], entry)
	}
	for _, entries := range of {
		slices.SortFunc(entries, func(a, b Activity) int { return cmp.Compare(b.ID, a.ID) })
	}
	return of, nil
}

// Entries returns entries of histories by their ids, without who made them.
func Entries(ctx context.Context, q *db.Queries, list []id.Activity) (map[id.Activity]Activity, error) {
	if len(list) == 0 {
		return nil, nil
	}
	rows, err := q.ActivityDetails(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("read activity: %w", err)
	}
	found := make(map[id.Activity]Activity, len(rows))
	for _, row := range rows {
		if found[row.ID], err = activityFrom(db.LastActivityRow{ID: row.ID, Kind: row.Kind, Detail: row.Detail}); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func activityFrom(row db.LastActivityRow) (Activity, error) {
	entry := Activity{ID: row.ID, Kind: row.Kind, By: User{ID: row.AccountID, Name: row.AccountName}, At: row.CreatedAt,
		Undone: row.UndoneAt != nil}
	if err := json.Unmarshal([]byte(row.Detail), &entry.Detail); err != nil {
		return Activity{}, fmt.Errorf("read detail of activity %d: %w", row.ID, err)
	}
	return entry, nil
}
