package db

// The cards of a board: statements with a part for each column and optional conditions, which sqlc cannot write.

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// Card is a ticket as a board shows it.
type Card struct {
	ID            id.Ticket
	LocalID       uint64
	ColumnID      id.Column
	RankInColumn  int64
	Title         string
	CreatedAt     time.Time
	MovedAt       time.Time
	EnteredAt     *time.Time // its column; nil since it was opened
	ClosedAt      *time.Time
	FromRequester bool
	Priority      uint8
	DueAt         *time.Time
	DueTimed      bool
	Items         *uint16 // nil if they were never counted
	ItemsChecked  uint16
	Attachments   uint16
	Comments      *uint32 // nil if they were never counted
	Blocked       bool    // by an open ticket in sight
	Labels        string  // a JSON list, as in LabelsOfTickets
}

// The index is forced, because MariaDB plans, or at least explains, the parts of a union as if they had no LIMIT, and
// the servers would rather begin with an assignee's tickets and sort them.
const (
	labelsOfCard = `CONCAT(COALESCE((SELECT JSON_ARRAYAGG(JSON_OBJECT('id', h.id, 'name', h.name, 'color', h.color))
FROM ticket_label y STRAIGHT_JOIN label l ON l.id = y.label_id STRAIGHT_JOIN label h ON h.id = IF(l.shown_as = 0, l.id, l.shown_as)
WHERE y.ticket_id = t.id AND h.live = TRUE), '[]')) AS labels`

	blockedCard = `EXISTS (SELECT 1 FROM ticket_relation r STRAIGHT_JOIN ticket o ON o.id = r.other_id STRAIGHT_JOIN board ob ON ob.id = o.board_id
LEFT JOIN board_access ox ON ox.board_id = ob.id AND ox.account_id = ?
WHERE r.ticket_id = t.id AND r.kind = 3 AND o.closed_at IS NULL AND o.deleted_at IS NULL AND (ox.level IS NOT NULL OR ob.privacy <= ?)) AS blocked, `

	selectCards  = `SELECT t.id, t.local_id, t.column_id, t.rank_in_column, t.title, t.created_at, t.moved_at, t.entered_at, t.closed_at, t.from_requester, t.priority, t.due_at, t.due_timed, t.items, t.items_checked, t.attachments, t.comments, ` + blockedCard + labelsOfCard + ` FROM ticket t FORCE INDEX (uq_ticket_rank) `
	topOfColumn  = `(` + selectCards + `WHERE t.column_id = ? ORDER BY t.rank_in_column LIMIT ?)`
	inRange      = `WHERE t.column_id >= ? AND t.column_id <= ? AND t.rank_in_column > ? AND t.rank_in_column <= ?`
	inBoardOrder = ` ORDER BY t.column_id, t.rank_in_column LIMIT ?`

	endOfWindow = `(SELECT t.id, t.local_id, t.column_id, t.rank_in_column, t.title, t.created_at, t.moved_at, t.entered_at, t.closed_at, t.from_requester, t.priority, t.due_at, t.due_timed, t.items, t.items_checked, t.attachments, t.comments, FALSE AS blocked, '[]' AS labels FROM (SELECT id FROM ticket FORCE INDEX (uq_ticket_rank)
WHERE column_id >= ? AND column_id <= ? AND rank_in_column > ? ORDER BY column_id, rank_in_column LIMIT 1 OFFSET ?) e JOIN ticket t ON t.id = e.id)`
)

// FirstCards returns the first cards of each column, at most limit of each, in board order within a column: one
// statement, whatever the number of columns. A card is blocked by what is in sight.
func (q *Queries) FirstCards(ctx context.Context, by Sight, columns []id.Column, limit int) ([]Card, error) {
	parts := make([]string, len(columns))
	args := make([]any, 0, 4*len(columns))
	for i, column := range columns {
		parts[i] = topOfColumn
		args = append(args, uint64(by.Reader), by.Reach, uint64(column), limit)
	}
	return q.cards(ctx, parts, args)
}

// CardRange are the cards of a column with ranks in (After, To].
type CardRange struct {
	ColumnID  id.Column
	After, To int64
}

// CardFilter selects cards. A nil, empty or false field is ignored.
type CardFilter struct {
	Text     string     // part of the title, in any case and with any accents; or
	LocalID  *uint64    // the number
	Assignee id.Account // 0 for any
	NoOne    bool       // no assignee
	Closed   *bool
	Requests bool       // from requesters
	Labels   []id.Label // one of them at least; nil for any, empty for a ticket that there is not
}

// MatchingCards returns the matching cards of each range, at most limit of each, in board order within a column. It
// reads no card outside the ranges.
func (q *Queries) MatchingCards(
	ctx context.Context, by Sight, filter CardFilter, windows []CardRange, limit int,
) ([]Card, error) {
	condition, filterArgs := filter.condition()
	parts := make([]string, len(windows))
	var args []any
	for i, w := range windows {
		parts[i] = "(" + selectCards + inRange + condition + inBoardOrder + ")"
		args = append(args, uint64(by.Reader), by.Reach, uint64(w.ColumnID), uint64(w.ColumnID), w.After, w.To)
		args = append(append(args, filterArgs...), limit)
	}
	return q.cards(ctx, parts, args)
}

// RangeEnds returns the n-th card of each range, whatever its To; none for a shorter one. It reads the index alone.
func (q *Queries) RangeEnds(ctx context.Context, windows []CardRange, n int) ([]Card, error) {
	parts := make([]string, len(windows))
	var args []any
	for i, w := range windows {
		parts[i] = endOfWindow
		args = append(args, uint64(w.ColumnID), uint64(w.ColumnID), w.After, n-1)
	}
	return q.cards(ctx, parts, args)
}

// The parts are ordered by a range of both columns of the index for the same reason as CardsAfter, and the joins are
// straight because two rows come before the first card. A card of a request has no title here.
const publicCards = `(SELECT t.id, t.local_id, t.column_id, t.rank_in_column, IF(t.from_requester, '', t.title) AS title, t.created_at, t.moved_at, t.entered_at, t.closed_at, t.from_requester, 0 AS priority, NULL AS due_at, FALSE AS due_timed, NULL AS items, 0 AS items_checked, 0 AS attachments, NULL AS comments, FALSE AS blocked, '[]' AS labels
FROM board_link l FORCE INDEX (uq_board_link_hash)
STRAIGHT_JOIN board b ON b.id = l.board_id
STRAIGHT_JOIN ticket t FORCE INDEX (uq_ticket_rank) ON t.board_id = b.id
WHERE l.hash = ? AND b.archived_at IS NULL AND t.column_id >= ? AND t.column_id <= ? AND t.rank_in_column > ?
ORDER BY t.column_id, t.rank_in_column LIMIT ?)`

// PublicCards returns for whoever has the public link of a board the first limit cards of each column below a rank, in
// board order within a column; To is ignored. Cards of requests are returned without their titles, and all without
// priorities, dates and labels.
func (q *Queries) PublicCards(ctx context.Context, by PublicSight, columns []CardRange, limit int) ([]Card, error) {
	parts := make([]string, len(columns))
	var args []any
	for i, c := range columns {
		parts[i] = publicCards
		args = append(args, []byte(by), uint64(c.ColumnID), uint64(c.ColumnID), c.After, limit)
	}
	return q.cards(ctx, parts, args)
}

// condition is the end of a WHERE, with its arguments. The look-ups in assignee are no EXISTS, because the servers
// make a join of that, and may begin with it.
func (w CardFilter) condition() (text string, args []any) {
	switch {
	case w.Text != "" && w.LocalID != nil:
		text, args = ` AND (t.title LIKE ? ESCAPE '!' OR t.local_id = ?)`, []any{containsPattern(w.Text), *w.LocalID}
	case w.Text != "":
		text, args = ` AND t.title LIKE ? ESCAPE '!'`, []any{containsPattern(w.Text)}
	case w.LocalID != nil:
		text, args = ` AND t.local_id = ?`, []any{*w.LocalID}
	}
	if w.Assignee != 0 {
		text += ` AND (SELECT COUNT(*) FROM assignee a WHERE a.ticket_id = t.id AND a.account_id = ?) = 1`
		args = append(args, uint64(w.Assignee))
	}
	if w.NoOne {
		text += ` AND (SELECT COUNT(*) FROM assignee a WHERE a.ticket_id = t.id) = 0`
	}
	if w.Labels != nil {
		text += ` AND (SELECT COUNT(*) FROM ticket_label y WHERE y.ticket_id = t.id AND y.label_id IN (0` +
			strings.Repeat(", ?", len(w.Labels)) + `)) >= 1`
		for _, label := range w.Labels {
			args = append(args, uint64(label))
		}
	}
	if w.Closed != nil {
		text += ` AND t.closed_at IS `
		if *w.Closed {
			text += `NOT `
		}
		text += `NULL`
	}
	if w.Requests {
		text += ` AND t.from_requester = TRUE`
	}
	return text, args
}

var wildcards = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

func containsPattern(text string) string { return "%" + wildcards.Replace(text) + "%" }

// PrefixPattern is a pattern of LIKE for a prefix, with ! as its escape.
func PrefixPattern(text string) string { return wildcards.Replace(text) + "%" }

// cards runs the parts as one statement.
func (q *Queries) cards(ctx context.Context, parts []string, args []any) ([]Card, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	rows, err := q.db.QueryContext(ctx, strings.Join(parts, " UNION ALL "), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var cards []Card
	for rows.Next() {
		var c Card
		if err := rows.Scan(&c.ID, &c.LocalID, &c.ColumnID, &c.RankInColumn, &c.Title, &c.CreatedAt, &c.MovedAt,
			&c.EnteredAt, &c.ClosedAt, &c.FromRequester, &c.Priority, &c.DueAt, &c.DueTimed, &c.Items, &c.ItemsChecked, &c.Attachments, &c.Comments,
			&c.Blocked, &c.Labels); err != nil {
			return nil, fmt.Errorf("scan card: %w", err)
		}
		cards = append(cards, c)
	}
	return cards, rows.Err()
}
