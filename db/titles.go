package db

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// TitleSearch asks for tickets with all of Words in their titles.
type TitleSearch struct {
	Boards []id.Board
	Terms  []string
	Newest int // read of each board
	Limit  int // returned of each board
}

// TitleMatch is a result of TicketsByTitle.
type TitleMatch struct {
	ID       id.Ticket
	BoardID  id.Board
	LocalID  uint64
	Title    string
	ClosedAt *time.Time
}

const newestOfBoard = `(SELECT id, board_id, local_id, title, closed_at FROM (` +
	`SELECT id, board_id, local_id, title, closed_at, deleted_at FROM ticket WHERE board_id = ? ORDER BY local_id DESC LIMIT ?` +
	`) t WHERE deleted_at IS NULL`

// anywhere escapes wildcards in typed text.
var anywhere = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// TicketsByTitle reads the newest tickets of each board, so its cost does not grow with the boards. It compares
// letters as the title's collation does, without case and accents: LIKE does so, LOCATE compares as many bytes as the
// word has. The newest of each board come first.
func (q *Queries) TicketsByTitle(ctx context.Context, s TitleSearch) ([]TitleMatch, error) {
	if len(s.Boards) == 0 || len(s.Terms) == 0 {
		return nil, nil
	}
	part := newestOfBoard + strings.Repeat(" AND title LIKE ? ESCAPE '!'", len(s.Terms)) +
		" ORDER BY local_id DESC LIMIT ?)"
	var args []any
	for _, board := range s.Boards {
		args = append(args, uint64(board), s.Newest)
		for _, word := range s.Terms {
			args = append(args, "%"+anywhere.Replace(word)+"%")
		}
		args = append(args, s.Limit)
	}
	rows, err := q.db.QueryContext(ctx, part+strings.Repeat(" UNION ALL "+part, len(s.Boards)-1), args...)
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
