package bulkedits

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Outcome is what became of a ticket.
type Outcome string

// The outcomes.
const (
	Changed   Outcome = "changed"
	Unchanged Outcome = "unchanged" // there was nothing to change
	Refused   Outcome = "refused"
)

// Outcomes are all outcomes.
var Outcomes = []Outcome{Changed, Unchanged, Refused}

// maxReason is how many characters of a reason are kept.
const maxReason = 500

// Item is the outcome for a ticket.
type Item struct {
	Ticket   id.Ticket
	Outcome  Outcome
	Reason   string           // of Refused: a sentence
	Activity tickets.Activity // of Changed: the entry of its history; in a dry run one that is not there

	// As the ticket is now, for a reader. Hidden: the reader does not see it, or it was purged.
	Key     tickets.Key
	Title   string
	Deleted bool
	Hidden  bool
}

// AddItems stores the outcomes for tickets that have none, and counts them.
func AddItems(ctx context.Context, tx *db.Tx, edit id.BulkEdit, list []Item) error {
	rows := make([]db.BulkEditItem, len(list))
	count := db.CountBulkEditParams{ID: edit}
	for i, item := range list {
		detail, err := json.Marshal(item.Activity.Detail)
		if err != nil {
			return fmt.Errorf("write detail: %w", err)
		}
		reason := []rune(item.Reason)
		rows[i] = db.BulkEditItem{BulkEditID: edit, TicketID: item.Ticket, ActivityID: item.Activity.ID,
			Outcome: string(item.Outcome), Reason: string(reason[:min(len(reason), maxReason)]), Kind: item.Activity.Kind, Detail: string(detail)}
		switch item.Outcome {
		case Changed:
			count.Changed++
		case Unchanged:
			count.Unchanged++
		case Refused:
			count.Refused++
		}
	}
	if err := tx.AddBulkEditItems(ctx, rows); err != nil {
		return fmt.Errorf("add items of a bulk edit: %w", err)
	}
	if err := tx.CountBulkEdit(ctx, count); err != nil {
		return fmt.Errorf("count items of a bulk edit: %w", err)
	}
	return nil
}

// Missing returns those tickets that a bulk edit has no outcome for.
func Missing(ctx context.Context, q *db.Queries, edit id.BulkEdit, list []id.Ticket) ([]id.Ticket, error) {
	if len(list) == 0 {
		return nil, nil
	}
	done, err := q.TicketsOfBulkEdit(ctx, edit, list)
	if err != nil {
		return nil, fmt.Errorf("read items of a bulk edit: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(list), func(ticket id.Ticket) bool { return slices.Contains(done, ticket) }), nil
}

// Items returns a page of the items with an outcome, by ticket, from behind one.
func Items(
	ctx context.Context, q *db.Queries, by db.Sight, edit id.BulkEdit, outcome Outcome, after id.Ticket,
) (list []Item, more bool, err error) {
	return itemsUpTo(ctx, q, by, edit, outcome, after, PerPage)
}

// itemsUpTo returns a page of up to most items, as Items does.
func itemsUpTo(
	ctx context.Context, q *db.Queries, by db.Sight, edit id.BulkEdit, outcome Outcome, after id.Ticket, most int,
) (list []Item, more bool, err error) {
	rows, err := db.Read(q.BulkEditItems(ctx, db.BulkEditItemsParams{Reach: by.Reach, CompanyID: by.Company, Reader: by.Reader,
		BulkEditID: edit, Outcome: string(outcome), AfterID: after, Limit: int32(most) + 1}))
	if err != nil {
		return nil, false, fmt.Errorf("read items of a bulk edit: %w", err)
	}
	for _, row := range rows[:min(len(rows), most)] {
		item := Item{Ticket: row.TicketID, Outcome: Outcome(row.Outcome), Hidden: row.Visible == 0}
		if !item.Hidden {
			item.Reason, item.Title, item.Deleted = row.Reason, row.Title, row.DeletedAt != nil
			item.Key = tickets.Key{Board: row.Slug, Number: uint64(row.LocalID)}
			item.Activity = tickets.Activity{ID: row.ActivityID, Kind: row.Kind}
			if err := json.Unmarshal([]byte(row.Detail), &item.Activity.Detail); err != nil {
				return nil, false, fmt.Errorf("read an item of bulk edit %d: %w", edit, err)
			}
		}
		list = append(list, item)
	}
	return list, len(rows) > most, nil
}

// Reason is why a bulk edit refused tickets, and how many.
type Reason struct {
	Text    string
	Tickets int
}

const (
	// ReasonsOf is of how many refused tickets Reasons tells, maxReasons how many reasons it returns.
	ReasonsOf  = 400
	maxReasons = 6
)

// Reasons returns why tickets that a reader sees were refused, the most frequent reasons first. They do not name the ticket.
func Reasons(ctx context.Context, q *db.Queries, by db.Sight, edit id.BulkEdit) ([]Reason, error) {
	items, _, err := itemsUpTo(ctx, q, by, edit, Refused, 0, ReasonsOf)
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, item := range items {
		if !item.Hidden {
			count[withoutKey(item.Reason, item.Key)]++
		}
	}
	list := make([]Reason, 0, len(count))
	for text, n := range count {
		list = append(list, Reason{text, n})
	}
	slices.SortFunc(list, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Tickets, a.Tickets), cmp.Compare(a.Text, b.Text))
	})
	return list[:min(len(list), maxReasons)], nil
}

// withoutKey returns a reason that does not name its ticket.
func withoutKey(reason string, key tickets.Key) string {
	name := regexp.MustCompile(`\b` + regexp.QuoteMeta(key.String()) + `\b`)
	return capital(name.ReplaceAllString(reason, "it"))
}

// Change is a ticket that a bulk edit changed, with the entry of its history.
type Change struct {
	Ticket   id.Ticket
	Activity id.Activity
}

// changesAtOnce is how many changes are read at once.
const changesAtOnce = 1000

// Changes returns what a bulk edit changed, the last first.
func Changes(ctx context.Context, q *db.Queries, edit id.BulkEdit) (list []Change, err error) {
	for after := id.Ticket(0); ; {
		rows, err := db.Read(q.ChangesOfBulkEdit(ctx, db.ChangesOfBulkEditParams{BulkEditID: edit, AfterID: after,
			Limit: changesAtOnce}))
		if err != nil {
			return nil, fmt.Errorf("read the changes of a bulk edit: %w", err)
		}
		for _, row := range rows {
			list, after = append(list, Change{row.TicketID, row.ActivityID}), row.TicketID
		}
		if len(rows) < changesAtOnce {
			break
		}
	}
	slices.SortFunc(list, func(a, b Change) int { return cmp.Compare(b.Activity, a.Activity) })
	return list, nil
}
