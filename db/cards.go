package db

// The cards of a board: statements with a part for each column and optional conditions, which sqlc cannot write.

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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
	LabelIDs      *string // a JSON list, also of labels that are merged or deleted
	Parent        *string // in sight, as the relations of TicketByKey; only if the filter asks for it
}

// The index is forced, because MariaDB plans, or at least explains, the parts of a union as if they had no LIMIT, and
// the servers would rather begin with an assignee's tickets and sort them.
const (
	labelsOfCard = `(SELECT JSON_ARRAYAGG(y.label_id) FROM ticket_label y WHERE y.ticket_id = t.id) AS label_ids`

	blockedCard = `EXISTS (SELECT 1 FROM ticket_relation r STRAIGHT_JOIN ticket o ON o.id = r.other_id STRAIGHT_JOIN board ob ON ob.id = o.board_id
LEFT JOIN board_access ox ON ox.board_id = ob.id AND ox.account_id = ?
WHERE r.ticket_id = t.id AND r.kind = 3 AND o.closed_at IS NULL AND o.deleted_at IS NULL AND (ox.level IS NOT NULL OR ob.privacy <= ?)) AS blocked, `

	parentOfCard = `(SELECT JSON_ARRAY(JSON_OBJECT('kind', 1, 'id', p.id, 'board', pb.slug, 'number', p.local_id, 'title', p.title, 'closed', IF(p.closed_at IS NULL, 0, 1)))
FROM ticket_relation pr STRAIGHT_JOIN ticket p ON p.id = pr.other_id STRAIGHT_JOIN board pb ON pb.id = p.board_id
LEFT JOIN board_access px ON px.board_id = pb.id AND px.account_id = ?
WHERE pr.ticket_id = t.id AND pr.kind = 1 AND p.deleted_at IS NULL AND (px.level IS NOT NULL OR pb.privacy <= ?) LIMIT 1) AS parent`

	cardColumns  = `SELECT t.id, t.local_id, t.column_id, t.rank_in_column, t.title, t.created_at, t.moved_at, t.entered_at, t.closed_at, t.from_requester, t.priority, t.due_at, t.due_timed, t.items, t.items_checked, t.attachments, t.comments, ` + blockedCard + labelsOfCard + `, `
	selectCards  = cardColumns + `NULL AS parent FROM (`
	withParents  = cardColumns + parentOfCard + ` FROM (`
	ofCards      = `) e STRAIGHT_JOIN ticket t ON t.id = e.id`
	inRange      = `(SELECT t.id FROM ticket t FORCE INDEX (uq_ticket_rank) WHERE t.column_id >= ? AND t.column_id <= ? AND t.rank_in_column > ? AND t.rank_in_column <= ?`
	inBoardOrder = ` ORDER BY t.column_id, t.rank_in_column LIMIT ?`

	endOfWindow = `(SELECT t.id, t.local_id, t.column_id, t.rank_in_column, t.title, t.created_at, t.moved_at, t.entered_at, t.closed_at, t.from_requester, t.priority, t.due_at, t.due_timed, t.items, t.items_checked, t.attachments, t.comments, FALSE AS blocked, NULL AS label_ids, NULL AS parent FROM (SELECT id FROM ticket FORCE INDEX (uq_ticket_rank)
WHERE column_id >= ? AND column_id <= ? AND rank_in_column > ? ORDER BY column_id, rank_in_column LIMIT 1 OFFSET ?) e JOIN ticket t ON t.id = e.id)`
)

// CardRange are the cards of a column with ranks in (After, To].
type CardRange struct {
	ColumnID  id.Column
	After, To int64
	Most      int // for RangeEnds: how many cards
}

// CardFilter selects cards.
type CardFilter struct {
	Where   TicketCondition
	Parents bool // return the parent of each card, too; that is no condition
}

// MatchingCards returns the matching cards of each range, at most limit of each, in board order within a column: one
// statement, whatever the number of columns. It reads no card outside the ranges. A card is blocked by what is in sight.
func (q *Queries) MatchingCards(
	ctx context.Context, by Sight, filter CardFilter, windows []CardRange, limit int,
) ([]Card, error) {
	if len(windows) == 0 {
		return nil, nil
	}
	query, args := selectCards, []any{uint64(by.Reader), by.Reach}
	if filter.Parents {
		query, args = withParents, append(args, args...)
	}
	parts := make([]string, len(windows))
	for i, w := range windows {
		parts[i] = inRange + filter.Where.and() + inBoardOrder + ")"
		args = append(args, uint64(w.ColumnID), uint64(w.ColumnID), w.After, w.To)
		args = append(append(args, filter.Where.args...), limit)
	}
	found, err := q.cards(ctx, []string{query + strings.Join(parts, " UNION ALL ") + ofCards}, args)
	slices.SortFunc(found, func(a, b Card) int {
		return cmp.Or(cmp.Compare(a.ColumnID, b.ColumnID), cmp.Compare(a.RankInColumn, b.RankInColumn))
	})
	return found, err
}

// RangeEnds returns the last of the Most cards of each range, whatever its To; none for a shorter one. It reads the index
// alone.
func (q *Queries) RangeEnds(ctx context.Context, windows []CardRange) ([]Card, error) {
	parts := make([]string, len(windows))
	var args []any
	for i, w := range windows {
		parts[i] = endOfWindow
		args = append(args, uint64(w.ColumnID), uint64(w.ColumnID), w.After, w.Most-1)
	}
	return q.cards(ctx, parts, args)
}

// The parts are ordered by a range of both columns of the index for the same reason as TicketsAfter, and the joins are
// straight because two rows come before the first card. A card of a request has no title here.
const publicCards = `(SELECT t.id, t.local_id, t.column_id, t.rank_in_column, IF(t.from_requester, '', t.title) AS title, t.created_at, t.moved_at, t.entered_at, t.closed_at, t.from_requester, 0 AS priority, NULL AS due_at, FALSE AS due_timed, NULL AS items, 0 AS items_checked, 0 AS attachments, NULL AS comments, FALSE AS blocked, NULL AS label_ids, NULL AS parent
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
			&c.Blocked, &c.LabelIDs, &c.Parent); err != nil {
			return nil, fmt.Errorf("scan card: %w", err)
		}
		cards = append(cards, c)
	}
	return cards, rows.Err()
}
