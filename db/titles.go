package db

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// TitleSearch asks for tickets with all of Terms in their titles.
type TitleSearch struct {
	Boards []TitleBoard // those of the first are found first
	Terms  []string
	Limit  int
}

// TitleBoard is a board whose titles are searched, of tickets with larger numbers than After.
type TitleBoard struct {
	ID    id.Board
	After uint64
}

// TitleMatch is a result of TicketsByTitle.
type TitleMatch struct {
	ID       id.Ticket
	BoardID  id.Board
	LocalID  uint64
	Title    string
	ClosedAt *time.Time
}

// anywhere escapes wildcards in typed text.
var anywhere = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// TicketsByTitle reads the titles of one range of numbers of each board, so its cost does not grow with the boards. It
// compares letters as the title's collation does, without case and accents: LIKE does so, LOCATE compares as many bytes
// as the word has. Those of the first board come first, then the newest.
//
// It is one statement of ranges: a union of a query for each board takes longer to plan than to run.
func (q *Queries) TicketsByTitle(ctx context.Context, s TitleSearch) ([]TitleMatch, error) {
	if len(s.Boards) == 0 || len(s.Terms) == 0 {
		return nil, nil
	}
	ranges := "(board_id = ? AND local_id > ?)" + strings.Repeat(" OR (board_id = ? AND local_id > ?)", len(s.Boards)-1)
	args := make([]any, 0, 2*len(s.Boards)+len(s.Terms)+2)
	for _, board := range s.Boards {
		args = append(args, uint64(board.ID), board.After)
	}
	for _, term := range s.Terms {
		args = append(args, "%"+anywhere.Replace(term)+"%")
	}
	args = append(args, uint64(s.Boards[0].ID), s.Limit)
	rows, err := q.db.QueryContext(ctx,
		"SELECT id, board_id, local_id, title, closed_at FROM ticket FORCE INDEX (uq_ticket_number) WHERE ("+ranges+")"+
			" AND deleted_at IS NULL"+strings.Repeat(" AND title LIKE ? ESCAPE '!'", len(s.Terms))+
			" ORDER BY board_id = ? DESC, id DESC LIMIT ?", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []TitleMatch
	for rows.Next() {
		var t TitleMatch
		if err := rows.Scan(&t.ID, &t.BoardID, &t.LocalID, &t.Title, &t.ClosedAt); err != nil {
			return nil, fmt.Errorf("scan title: %w", err)
		}
		found = append(found, t)
	}
	return found, rows.Err()
}
