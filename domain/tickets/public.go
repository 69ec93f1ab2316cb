package tickets

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// What strangers see of the tickets of a board, by its public link: none of requests, whose texts their requesters
// wrote for members, no comments and no members.

// PublicCards are some cards of a column. Next is the start of the next page, nil if there is none. A page may be
// shorter than others, and empty, because requests are left out of it.
type PublicCards struct {
	List []Card
	Next *Cursor
}

// FirstPublicCards returns the first cards of each column of the board of a link, at most limit of each.
func FirstPublicCards(
	ctx context.Context, q *db.Queries, by db.PublicSight, slug string, columns []id.Column, limit int,
) (map[id.Column]PublicCards, error) {
	ranges := make([]db.CardRange, len(columns))
	for i, column := range columns {
		ranges[i] = db.CardRange{ColumnID: column, After: math.MinInt64}
	}
	rows, err := db.Read(q.PublicCards(ctx, by, ranges, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read public cards: %w", err)
	}
	pages := make(map[id.Column]PublicCards, len(columns))
	cards, err := byColumn(rows, slug)
	if err != nil {
		return nil, err
	}
	for column, list := range cards {
		pages[column] = publicPage(list, column, limit)
	}
	return pages, nil
}

// PublicCardsBelow returns the cards of a column below a cursor, at most limit. The board is that of the link.
func PublicCardsBelow(
	ctx context.Context, q *db.Queries, by db.PublicSight, board id.Board, slug string, below Cursor, limit int,
) (PublicCards, error) {
	rank, err := below.rank(ctx, q, board)
	if err != nil {
		return PublicCards{}, err
	}
	rows, err := db.Read(q.PublicCards(ctx, by, []db.CardRange{{ColumnID: below.Column, After: rank}}, limit+1))
	if err != nil {
		return PublicCards{}, fmt.Errorf("read public cards: %w", err)
	}
	cards, err := byColumn(rows, slug)
	return publicPage(cards[below.Column], below.Column, limit), err
}

func publicPage(list []Card, column id.Column, limit int) (page PublicCards) {
	list, more := cut(list, limit)
	if more {
		next := list[limit-1].Cursor(column)
		if list[limit-1].FromRequester {
			next.Number, next.Moved = 0, 0 // of no ticket: strangers see none of requests
		}
		page.Next = &next
	}
	for _, card := range list {
		if !card.FromRequester {
			page.List = append(page.List, card)
		}
	}
	return page
}

// PublicTicket is what strangers see of a ticket.
type PublicTicket struct {
	Key         Key
	Title       string
	Description string
	Column      string // its name
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ClosedAt    *time.Time
}

// PublicByNumber returns a ticket of the board of a link, or NotFound: by one statement, whatever the reason.
func PublicByNumber(ctx context.Context, q *db.Queries, by db.PublicSight, key Key) (PublicTicket, error) {
	row, err := db.Read(q.PublicTicket(ctx, by, key.Number))
	if db.IsNotFound(err) {
		return PublicTicket{}, NotFound()
	}
	if err != nil {
		return PublicTicket{}, fmt.Errorf("read public ticket: %w", err)
	}
	return PublicTicket{
		Key: key, Title: row.Title, Description: row.Description, Column: row.ColumnName, CreatedAt: row.CreatedAt,
		UpdatedAt: row.UpdatedAt, ClosedAt: row.ClosedAt,
	}, nil
}
