package tickets

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
)

// Reach is how many cards of a column one page through a filter reads, so that its cost does not grow with the column.
const Reach = 2000

// ReachOn is how many cards of each column a page through a filter reads on a board with some columns, so that its cost
// does not grow with their number.
func ReachOn(columns int) int { return min(Reach, 2*Reach/max(columns, 1)) }

// Filter selects tickets. The zero Filter matches every ticket.
type Filter struct {
	Where   db.TicketCondition
	Narrow  Narrow
	Parents bool // cards are returned with their parents; that is no condition
}

// Narrow is what all tickets that a filter lets through have, as far as that helps to find them among all boards.
type Narrow struct {
	Boards   []id.Board // they are on one of these
	Assignee id.Account // who is assigned to them
	Labels   []id.Label // they have one of these
}

// All reports whether the filter shows every ticket.
func (f Filter) All() bool { return f.Where.IsZero() }

func (f Filter) cards() db.CardFilter { return db.CardFilter{Where: f.Where, Parents: f.Parents} }

// FilterStart is the start of a page through a filter: below a cursor in a column, or at its top if Below is nil.
type FilterStart struct {
	Column id.Column
	Below  *Cursor
	Reach  int // that many cards are read; 0 if the column has no more
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
	rows, err := db.Read(q.MatchingCards(ctx, by, filter.cards(), windows, limit+1))
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
		if span.Reach > 0 {
			windows[i].Most = span.Reach
			long = append(long, windows[i])
		}
	}
	rows, err := db.Read(q.RangeEnds(ctx, long))
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
	rows, err := db.Read(q.MatchingCards(ctx, db.Sight{}, filter.cards(), []db.CardRange{here}, 1))
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
		if card.Parent, err = parentFrom(row.Parent); err != nil {
			return nil, err
		}
		cards[row.ColumnID] = append(cards[row.ColumnID], card)
	}
	return cards, nil
}

// LabelsOfCards returns the labels of cards, by Card.LabelIDs. known are labels that need no look-up.
func LabelsOfCards(ctx context.Context, q *db.Queries, known []labels.Label, cards []Card) (map[string][]labels.Label, error) {
	lists := map[string][]id.Label{} // many cards have the same
	var all []id.Label
	for _, card := range cards {
		if _, read := lists[card.LabelIDs]; read || card.LabelIDs == "" {
			continue
		}
		var ids []id.Label
		if err := json.Unmarshal([]byte(card.LabelIDs), &ids); err != nil {
			return nil, fmt.Errorf("read labels of card: %w", err)
		}
		lists[card.LabelIDs] = ids
		all = append(all, ids...)
	}
	shown, err := labels.Shown(ctx, q, known, all)
	if err != nil {
		return nil, err
	}
	found := make(map[string][]labels.Label, len(lists))
	for text, ids := range lists {
		var list []labels.Label
		for _, one := range ids {
			if label, ok := shown[one]; ok {
				list = append(list, label)
			}
		}
		found[text] = labels.Sorted(list)
	}
	return found, nil
}

func parentFrom(text *string) (*Relation, error) {
	if text == nil {
		return nil, nil
	}
	list, err := relationsFromJSON(*text)
	if err != nil {
		return nil, err
	}
	return &list[0], nil
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
	card := Card{
		ID: r.ID, Key: Key{Board: slug, Number: r.LocalID}, Title: r.Title, Rank: r.RankInColumn, CreatedAt: r.CreatedAt,
		MovedAt: r.MovedAt, Since: since(r.EnteredAt, r.CreatedAt), ClosedAt: r.ClosedAt, FromRequester: r.FromRequester,
		Priority: PriorityFrom(r.Priority), Due: DateFrom(r.DueAt, r.DueTimed),
		Checklist: ChecklistFrom(r.Items, r.ItemsChecked), Blocked: r.Blocked, Attachments: int(r.Attachments),
		Comments: CommentsFrom(r.Comments),
	}
	if r.LabelIDs != nil {
		card.LabelIDs = *r.LabelIDs
	}
	return card
}
