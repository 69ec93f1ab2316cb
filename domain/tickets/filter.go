package tickets

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
)

// Reach is how many cards of a column one page through a filter reads, so that its cost does not grow with the column.
const Reach = 2000

// States that a filter can ask for.
const (
	StateOpen   = "open"
	StateClosed = "closed"
)

// Filter selects tickets; all its fields must match. The zero Filter matches every ticket.
type Filter struct {
	Text     string     // part of the title, in any case and with any accents; or the ticket's key or number
	Assignee id.Account // 0 for any
	NoOne    bool       // no assignee
	State    string     // StateOpen or StateClosed; anything else is both
	Requests bool       // came by a public form
	Labels   []id.Label // has one of them; nil for any
}

// All reports whether the filter shows every ticket.
func (f Filter) All() bool {
	return f.Text == "" && f.Assignee == 0 && !f.NoOne && f.State == "" && !f.Requests && f.Labels == nil
}

// cardFilter is the filter for the tickets of a board.
func (f Filter) cardFilter(slug string) db.CardFilter {
	want := db.CardFilter{Text: f.Text, LocalID: f.number(slug), Assignee: f.Assignee, NoOne: f.NoOne,
		Requests: f.Requests, Labels: f.Labels}
	if f.State == StateOpen || f.State == StateClosed {
		closed := f.State == StateClosed
		want.Closed = &closed
	}
	return want
}

// number is the number that the text names on a board: 42, #42 or NINJA-42.
func (f Filter) number(slug string) *uint64 {
	if key, err := ParseKey(f.Text); err == nil && key.Board == slug {
		return &key.Number
	}
	if n, err := strconv.ParseUint(strings.TrimPrefix(f.Text, "#"), 10, 63); err == nil {
		return &n
	}
	return nil
}

// FilterStart is the start of a page through a filter: below a cursor in a column, or at its top if Below is nil.
type FilterStart struct {
	Column id.Column
	Below  *Cursor
	Long   bool // the column may have more than Reach tickets
}

// FilteredCards are the matching cards, in board order. Next is the start of the next page, nil at the column's end.
type FilteredCards struct {
	Cards []Card
	Next  *Cursor
}

// FindCards returns up to limit matching cards of each of some columns of a board.
func FindCards(
	ctx context.Context, q *db.Queries, by db.Sight, board id.Board, slug string, filter Filter, spans []FilterStart, limit int,
) (map[id.Column]FilteredCards, error) {
	windows, ends, err := ranges(ctx, q, board, spans)
	if err != nil {
		return nil, err
	}
	rows, err := db.Read(q.MatchingCards(ctx, by, filter.cardFilter(slug), windows, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read matching cards: %w", err)
	}
	cards, err := byColumn(rows, slug)
	if err != nil {
		return nil, err
	}
	found := make(map[id.Column]FilteredCards, len(spans))
	for _, span := range spans {
		f := FilteredCards{Cards: cards[span.Column], Next: ends[span.Column]}
		if len(f.Cards) > limit {
			f.Cards = f.Cards[:limit]
			next := f.Cards[limit-1].Cursor(span.Column)
			f.Next = &next
		}
		found[span.Column] = f
	}
	return found, nil
}

// ranges returns the cards to read, and the ends of the ranges that do not reach the end of their column.
func ranges(
	ctx context.Context, q *db.Queries, board id.Board, spans []FilterStart,
) ([]db.CardRange, map[id.Column]*Cursor, error) {
	windows := make([]db.CardRange, len(spans))
	var long []db.CardRange
	for i, span := range spans {
		after := int64(math.MinInt64)
		if span.Below != nil {
			var err error
			if after, err = span.Below.rank(ctx, q, board); err != nil {
				return nil, nil, err
			}
		}
		windows[i] = db.CardRange{ColumnID: span.Column, After: after, To: math.MaxInt64}
		if span.Long {
			long = append(long, windows[i])
		}
	}
	rows, err := db.Read(q.RangeEnds(ctx, long, Reach))
	if err != nil {
		return nil, nil, fmt.Errorf("read where windows end: %w", err)
	}
	ends := make(map[id.Column]*Cursor, len(rows))
	for _, row := range rows {
		end := fromCard(row, "").Cursor(row.ColumnID)
		ends[row.ColumnID] = &end
	}
	for i, w := range windows {
		if end := ends[w.ColumnID]; end != nil {
			windows[i].To = end.Rank
		}
	}
	return windows, ends, nil
}

// Matches reports whether a ticket matches a filter, as it is in the database.
func Matches(ctx context.Context, q *db.Queries, filter Filter, ticket Ticket) (bool, error) {
	here := db.CardRange{ColumnID: ticket.Column, After: ticket.Rank - 1, To: ticket.Rank}
	rows, err := db.Read(q.MatchingCards(ctx, db.Sight{}, filter.cardFilter(ticket.Key.Board), []db.CardRange{here}, 1))
	if err != nil {
		return false, fmt.Errorf("read matching card: %w", err)
	}
	return len(rows) == 1, nil
}

func byColumn(rows []db.Card, slug string) (map[id.Column][]Card, error) {
	cards := map[id.Column][]Card{}
	for _, row := range rows {
		card := fromCard(row, slug)
		var err error
		if card.Labels, err = labels.FromJSON(row.Labels); err != nil {
			return nil, err
		}
		cards[row.ColumnID] = append(cards[row.ColumnID], card)
	}
	return cards, nil
}

// since is when a ticket came to its column: when it was opened, unless it came later.
func since(entered *time.Time, opened time.Time) time.Time {
	if entered == nil {
		return opened
	}
	return *entered
}

// CommentsFrom returns a count as it is stored: nil if there was none yet.
func CommentsFrom(n *uint32) int {
	if n == nil {
		return 0
	}
	return int(*n)
}

func fromCard(r db.Card, slug string) Card {
	return Card{
		ID: r.ID, Key: Key{Board: slug, Number: r.LocalID}, Title: r.Title, Rank: r.RankInColumn, CreatedAt: r.CreatedAt,
		MovedAt: r.MovedAt, Since: since(r.EnteredAt, r.CreatedAt), ClosedAt: r.ClosedAt, FromRequester: r.FromRequester,
		Priority: PriorityFrom(r.Priority), Due: DateFrom(r.DueAt, r.DueTimed),
		Checklist: ChecklistFrom(r.Items, r.ItemsChecked), Blocked: r.Blocked, Attachments: int(r.Attachments),
		Comments: CommentsFrom(r.Comments),
	}
}
