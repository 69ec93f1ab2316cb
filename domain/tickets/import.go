package tickets

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// MaxOrigin is how many characters the name of a ticket in an import's source may have.
const MaxOrigin = 190

// Import is what an imported ticket has beyond an opening.
type Import struct {
	Origin    string // its name in the source; "" if that is not kept
	By        User   // the user whom the import names
	Run       *Imported
	Assignees []Assignee
	Comments  []ImportedComment // oldest first
}

// ImportedComment is a comment that is imported.
type ImportedComment struct {
	Author User
	Body   string // parsed
	At     time.Time
}

// ImportAll adds tickets to a board as Open does, with their imported parts, without notifications. The caller keeps
// the board from being archived (boards.Live). It returns OriginTaken.
func ImportAll(
	ctx context.Context, tx *db.Tx, company id.Company, board id.Board, rows []Row, imports []Import,
) ([]Ticket, error) {
	opened, err := insert(ctx, tx, board, rows)
	if err != nil {
		return nil, err
	}
	after, to := numbers(rows)
	numbered, err := tx.TicketsNumbered(ctx, db.TicketsNumberedParams{BoardID: board, After: after, To: to})
	if err != nil {
		return nil, fmt.Errorf("read new tickets: %w", err)
	}
	if len(numbered) != len(opened) {
		return nil, fmt.Errorf("%d of %d new tickets are there", len(numbered), len(opened))
	}
	for i, row := range numbered {
		opened[i].ID, opened[i].Assignees = row.ID, imports[i].Assignees
		sortAssignees(opened[i].Assignees)
	}
	return opened, importRest(ctx, tx, company, opened, imports)
}

// importRest adds the imported parts of new tickets.
func importRest(ctx context.Context, tx *db.Tx, company id.Company, opened []Ticket, imports []Import) error {
	var origins []db.NewOrigin
	var history []db.NewActivity
	var assignees []db.NewAssignee
	var comments []db.NewComment
	for i, ticket := range opened {
		detail, err := json.Marshal(Detail{Origin: imports[i].Origin, Import: imports[i].Run})
		if err != nil {
			return fmt.Errorf("write detail: %w", err)
		}
		history = append(history, db.NewActivity{TicketID: ticket.ID, AccountID: imports[i].By.ID, Kind: KindOpened,
			Detail: string(detail)})
		if imports[i].Origin != "" {
			origins = append(origins, db.NewOrigin{ExternalID: imports[i].Origin, TicketID: ticket.ID})
		}
		for _, one := range ticket.Assignees {
			assignees = append(assignees, db.NewAssignee{TicketID: ticket.ID, AccountID: one.ID, Current: ticket.Current()})
		}
		for _, r := range imports[i].Comments {
			comments = append(comments, db.NewComment{TicketID: ticket.ID, AccountID: r.Author.ID, Body: r.Body,
				CreatedAt: orNow(tx, r.At)})
		}
	}
	slices.SortFunc(origins, func(a, b db.NewOrigin) int { return cmp.Compare(a.ExternalID, b.ExternalID) })
	if err := tx.KeepOrigins(ctx, company, origins); err != nil {
		if db.IsDuplicate(err, "PRIMARY") {
			return OriginTaken()
		}
		return fmt.Errorf("keep origins: %w", err)
	}
	if err := tx.RecordActivities(ctx, history); err != nil {
		return fmt.Errorf("record activity: %w", err)
	}
	if err := tx.AssignAll(ctx, assignees); err != nil {
		return fmt.Errorf("assign: %w", err)
	}
	if err := tx.AddComments(ctx, comments); err != nil {
		return fmt.Errorf("add comments: %w", err)
	}
	if len(comments) == 0 {
		return nil
	}
	ids := make([]ID, len(comments))
	for i, c := range comments {
		ids[i] = c.TicketID
	}
	slices.Sort(ids)
	if _, err := tx.CountComments(ctx, slices.Compact(ids)); err != nil {
		return fmt.Errorf("count comments: %w", err)
	}
	return nil
}

// Origin is a ticket that was imported.
type Origin struct {
	ID      ID
	Key     Key
	Deleted bool
}

// ByOrigins returns the tickets of a company that were imported under some names, by name.
func ByOrigins(ctx context.Context, q *db.Queries, company id.Company, origins []string) (map[string]Origin, error) {
	if len(origins) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.TicketsOfOrigins(ctx, company, origins))
	if err != nil {
		return nil, fmt.Errorf("read origins: %w", err)
	}
	found := make(map[string]Origin, len(rows))
	for _, row := range rows {
		found[row.ExternalID] = Origin{ID: row.ID, Key: Key{Board: row.BoardSlug, Number: row.LocalID}, Deleted: row.DeletedAt != nil}
	}
	return found, nil
}
