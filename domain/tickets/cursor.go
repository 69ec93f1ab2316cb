package tickets

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Cursor is the end of a page of a column: a ticket and its rank then. Or it is the end of a page in an order other than
// the board's; then it is Sorted alone.
type Cursor struct {
	Column id.Column
	Rank   int64
	Number uint64
	Moved  int64 // when the ticket was moved last, in microseconds
	Sorted Sorted
}

// Sorted is a place in an order of the tickets of a board. The zero one is none.
type Sorted struct {
	Order db.TicketOrder
	Known bool  // whether there is something in the column: At
	At    int64 // see db.TicketPlace
	ID    ID
}

func sortedAt(order db.TicketOrder, place db.TicketPlace) *Cursor {
	s := Sorted{Order: order, ID: place.ID, Known: place.At != nil}
	if s.Known {
		s.At = *place.At
	}
	return &Cursor{Sorted: s}
}

func (s Sorted) place() *db.TicketPlace {
	if s.Known {
		return &db.TicketPlace{At: &s.At, ID: s.ID}
	}
	return &db.TicketPlace{ID: s.ID}
}

// Cursor is the end of a page whose last card this is.
func (c Card) Cursor(column id.Column) Cursor {
	return Cursor{Column: column, Rank: c.Rank, Number: c.Key.Number, Moved: c.MovedAt.UnixMicro()}
}

// Cursor is the end of a page whose last ticket this is.
func (t Ticket) Cursor() Cursor {
	return Cursor{Column: t.Column, Rank: t.Rank, Number: t.Key.Number, Moved: t.MovedAt.UnixMicro()}
}

// TopOf is the cursor above the first ticket of a column.
func TopOf(column id.Column) Cursor { return Cursor{Column: column, Rank: math.MinInt64} }

// String returns the cursor for clients, to whom it is opaque.
func (c Cursor) String() string {
	if s := c.Sorted; s != (Sorted{}) {
		return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s:%t:%t:%d:%d", s.Order.By, s.Order.Descending, s.Known, s.At, s.ID))
	}
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d:%d:%d:%d", c.Column, c.Rank, c.Number, c.Moved))
}

// CodeBadCursor: the text is no cursor of the list. Send what an earlier answer gave as next.
const CodeBadCursor fault.Code = "Ticket.BadCursor"

func BadCursor() error {
	return fault.Invalid.New(CodeBadCursor, "after", "Send as after what an earlier answer gave as next.")
}

// ParseCursor reads what String wrote; "" is nil, the start. It returns BadCursor.
func ParseCursor(s string) (*Cursor, error) {
	if s == "" {
		return nil, nil
	}
	var c Cursor
	plain, err := base64.RawURLEncoding.DecodeString(s)
	switch by, rest, _ := strings.Cut(string(plain), ":"); {
	case err != nil:
	case db.TicketColumn(by).Ordered():
		c.Sorted.Order.By = db.TicketColumn(by)
		_, err = fmt.Sscanf(rest, "%t:%t:%d:%d", &c.Sorted.Order.Descending, &c.Sorted.Known, &c.Sorted.At, &c.Sorted.ID)
	default:
		_, err = fmt.Sscanf(string(plain), "%d:%d:%d:%d", &c.Column, &c.Rank, &c.Number, &c.Moved)
	}
	sorted := c.Sorted.Order.By != ""
	if err != nil || c.String() != s || sorted && !c.Sorted.Order.Has(*c.Sorted.place()) {
		return nil, BadCursor()
	}
	return &c, nil
}

// rank is the rank below which the next page begins: the ticket's own, which changes when a gap is respaced, or the
// old one if the ticket was moved. It returns BadCursor for a place in another order.
func (c Cursor) rank(ctx context.Context, q *db.Queries, board id.Board) (int64, error) {
	if c.Sorted != (Sorted{}) {
		return 0, BadCursor()
	}
	row, err := db.Read(q.CardByNumber(ctx, board, c.Number))
	if db.IsNotFound(err) {
		return c.Rank, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read where the page ended: %w", err)
	}
	if *row.ColumnID != c.Column || row.MovedAt.UnixMicro() != c.Moved {
		return c.Rank, nil
	}
	return *row.RankInColumn, nil
}

// cut makes a page of rows of which limit + 1 were asked for; more says that there was one more.
func cut[T any](rows []T, limit int) (page []T, more bool) {
	if len(rows) > limit {
		return rows[:limit], true
	}
	return rows, false
}
