package tickets

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

const (
	// MaxBacklinks is how many tickets are shown that mention one.
	MaxBacklinks = 20
	// maxReferences is how many tickets one text can mention; further ones get no backlinks.
	maxReferences = 100
)

// Backlink is a ticket that mentions another by its key.
type Backlink struct {
	ID      ID
	Key     Key
	Title   string
	Closed  bool
	Comment id.Comment // that mentions it; 0 if the description does
}

// Backlinks returns the newest tickets in sight that mention a ticket, up to limit.
func Backlinks(ctx context.Context, q *db.Queries, by db.Sight, ticket ID, limit int) ([]Backlink, error) {
	rows, err := db.Read(q.Backlinks(ctx, db.BacklinksParams{TicketID: ticket, Reader: by.Reader, Reach: by.Reach,
		Limit: int32(limit)}))
	if err != nil {
		return nil, fmt.Errorf("read backlinks: %w", err)
	}
	list := make([]Backlink, len(rows))
	for i, row := range rows {
		list[i] = Backlink{ID: row.ID, Key: Key{Board: row.BoardSlug, Number: row.LocalID}, Title: row.Title,
			Closed: row.ClosedAt != nil, Comment: id.Comment(row.CommentID)}
	}
	return list, nil
}

// References returns the keys that the title and description of a ticket mention.
func (d Draft) References() []string { return references(d.Title, d.Description) }

func references(title, description string) []string {
	keys := append(markup.KeysOf(title), markup.KeysIn(description)...)
	slices.Sort(keys)
	keys = slices.Compact(keys)
	return keys[:min(len(keys), maxReferences)]
}

// referencesOf are the keys of a ticket's texts. What a requester wrote mentions nothing.
func referencesOf(ticket Ticket) []string {
	if ticket.FromRequester {
		return nil
	}
	return references(ticket.Title, ticket.Description)
}

// referencesIn are the keys of a comment's text.
func referencesIn(c Comment) []string {
	if c.FromRequester {
		return nil
	}
	return references("", c.Body)
}

// AddBacklinks gives the tickets that a new text of a ticket mentions their backlinks. comment is 0 for the description.
func AddBacklinks(ctx context.Context, tx *db.Tx, from Ticket, comment id.Comment, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	mentioned, err := ticketsByKey(ctx, tx, from.Board, keys)
	if err != nil {
		return err
	}
	to := slices.Sorted(maps.Values(mentioned)) // several keys may be of one
	var rows []db.Backlink
	for _, ticket := range slices.Compact(to) {
		if ticket != from.ID {
			rows = append(rows, db.Backlink{TicketID: ticket, FromID: from.ID, CommentID: comment})
		}
	}
	if err := tx.AddBacklinks(ctx, rows); err != nil {
		return fmt.Errorf("add backlinks: %w", err)
	}
	return nil
}

// changeBacklinks does so for a text that was changed, to "" if it was deleted. The caller holds the ticket's lock.
func changeBacklinks(ctx context.Context, tx *db.Tx, from Ticket, comment id.Comment, before, after []string) error {
	if slices.Equal(before, after) {
		return nil
	}
	if err := tx.DropBacklinks(ctx, from.ID, comment); err != nil {
		return fmt.Errorf("drop backlinks: %w", err)
	}
	return AddBacklinks(ctx, tx, from, comment, after)
}

// ticketsByKey returns the tickets that have the keys, had them once, or were imported with them, in the company of a
// board.
func ticketsByKey(ctx context.Context, tx *db.Tx, board id.Board, keys []string) (map[string]ID, error) {
	var slugs []string
	parsed := make(map[Key]string, len(keys))
	for _, text := range keys {
		key, err := ParseKey(text)
		if err != nil {
			continue
		}
		parsed[key] = text
		slugs = append(slugs, key.Board)
	}
	slices.Sort(slugs)
	near, err := tx.SlugsNear(ctx, slices.Compact(slugs), board)
	if err != nil {
		return nil, fmt.Errorf("read boards of keys: %w", err)
	}
	found := map[string]ID{}
	numbers := map[id.Board]map[uint64]string{}
	var imported []string
	var company id.Company
	for key, text := range parsed {
		for _, s := range near {
			switch {
			case s.Slug != key.Board:
			case s.Imported:
				imported, company = append(imported, text), s.CompanyID
			default:
				if numbers[s.BoardID] == nil {
					numbers[s.BoardID] = map[uint64]string{}
				}
				numbers[s.BoardID][key.Number] = text
			}
		}
	}
	if err := addByNumber(ctx, tx, numbers, found); err != nil {
		return nil, err
	}
	return found, addByOrigin(ctx, tx, company, imported, found)
}

func addByNumber(ctx context.Context, tx *db.Tx, numbers map[id.Board]map[uint64]string, found map[string]ID) error {
	var wanted []db.Numbers
	for board, of := range numbers {
		one := db.Numbers{Board: board}
		for number := range of {
			one.Numbers = append(one.Numbers, number)
		}
		wanted = append(wanted, one)
	}
	if len(wanted) == 0 {
		return nil
	}
	rows, err := tx.MentionedTickets(ctx, wanted)
	if err != nil {
		return fmt.Errorf("read tickets of keys: %w", err)
	}
	for _, row := range rows {
		if text, ok := numbers[row.Board][row.Number]; ok {
			found[text] = row.Ticket
		}
	}
	return nil
}

func addByOrigin(ctx context.Context, tx *db.Tx, company id.Company, keys []string, found map[string]ID) error {
	if len(keys) == 0 {
		return nil
	}
	rows, err := tx.TicketsOfOrigins(ctx, company, keys)
	if err != nil {
		return fmt.Errorf("read origins: %w", err)
	}
	for _, row := range rows {
		found[row.ExternalID] = row.ID
	}
	return nil
}

// indexedAtOnce is how many comments are read at once.
const indexedAtOnce = 200

// IndexTexts finds anew what the texts of a board's tickets with numbers in (after, to] mention, and counts their
// comments. It returns how many tickets it looked at.
func IndexTexts(ctx context.Context, tx *db.Tx, board id.Board, after, to uint64) (indexed int, err error) {
	if _, err := tx.UncountComments(ctx, db.UncountCommentsParams{BoardID: board, After: after, To: to}); err != nil {
		return 0, fmt.Errorf("lock tickets: %w", err)
	}
	rows, err := tx.TicketsToIndex(ctx, db.TicketsToIndexParams{BoardID: board, After: after, To: to})
	if err != nil {
		return 0, fmt.Errorf("read tickets: %w", err)
	}
	if len(rows) == 0 {
		return 0, nil
	}
	ids := make([]ID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	if _, err := tx.CountComments(ctx, ids); err != nil {
		return 0, fmt.Errorf("count comments: %w", err)
	}
	if err := tx.DropBacklinksOf(ctx, ids); err != nil {
		return 0, fmt.Errorf("drop backlinks: %w", err)
	}
	for _, row := range rows {
		one := Ticket{ID: row.ID, Board: board, Title: row.Title, Description: row.Description,
			FromRequester: row.FromRequester}
		if err := AddBacklinks(ctx, tx, one, 0, referencesOf(one)); err != nil {
			return 0, err
		}
		if err := indexComments(ctx, tx, one); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

func indexComments(ctx context.Context, tx *db.Tx, of Ticket) error {
	for after := id.Comment(0); ; {
		rows, err := tx.CommentsToIndex(ctx, db.CommentsToIndexParams{TicketID: of.ID, After: after, Limit: indexedAtOnce})
		if err != nil {
			return fmt.Errorf("read comments: %w", err)
		}
		for _, row := range rows {
			if err := AddBacklinks(ctx, tx, of, row.ID, referencesIn(Comment{Body: row.Body})); err != nil {
				return err
			}
			after = row.ID
		}
		if len(rows) < indexedAtOnce {
			return nil
		}
	}
}
