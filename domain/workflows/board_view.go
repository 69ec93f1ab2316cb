package workflows

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// BoardFilter says which tickets of a board to show. The zero one shows all.
type BoardFilter struct {
	Query   string // a text of domain/query
	Parents bool   // cards are returned with their parents; that is no condition
}

// maxColleagues is how many members a board offers to filter by.
const maxColleagues = 200

// BoardView is a board with the first page of cards of each column, and what to filter by.
type BoardView struct {
	Board    boards.Board
	Cards    map[id.Column]Cards
	Members  []accounts.NamedMember
	Labels   []labels.Label
	BadQuery error // a query.Error of the filter, which shows nothing then
}

// ViewBoard returns a board with the cards that a filter lets through, or boards.NotFound.
func (w *Workflows) ViewBoard(ctx context.Context, slug string, by BoardFilter) (view BoardView, err error) {
	if view.Board, err = w.Board(ctx, slug); err != nil {
		return BoardView{}, err
	}
	if view.Members, err = w.Colleagues(ctx); err != nil {
		return BoardView{}, err
	}
	if view.Labels, err = labels.On(ctx, w.db.Queries, view.Board.Company, view.Board.ID); err != nil {
		return BoardView{}, err
	}
	filter, err := w.filter(ctx, view.Board, by, view.Members)
	if view.BadQuery = query.Problem(err); err != nil && view.BadQuery == nil {
		return BoardView{}, err
	}
	if view.Cards, err = w.cards(ctx, view.Board, filter, view.Labels, firstPage(view.Board), view.Board.Columns...); err != nil {
		return BoardView{}, err
	}
	view.Board = counted(view.Board, filter, view.Cards)
	return view, nil
}

// counted returns the board with the counts of columns that were read to their end taken from their cards. The others
// were read before the cards: a card that left in between would be counted, and no event about it names this column.
func counted(board boards.Board, filter tickets.Filter, pages map[id.Column]Cards) boards.Board {
	if !filter.All() {
		return board
	}
	var columns []boards.Column
	for _, column := range board.Columns {
		if cards, ok := pages[column.ID]; ok && cards.Next == nil {
			column.Count = int64(len(cards.List))
			columns = append(columns, column)
		}
	}
	return board.With(columns...)
}

const (
	// CardsAtMost is how many cards of a column are read at once.
	CardsAtMost = 10 * CardsPerPage
	// pagesAtMost is how many pages are read at once over all columns with more than one.
	pagesAtMost = 40
)

// ViewColumns returns some columns of a board, each with as many cards as are shown of it: those that the board begins
// with, or whole pages up to CardsAtMost, and only the first page of columns beyond pagesAtMost. It skips columns that
// the board does not have, returns no members, and boards.NotFound.
func (w *Workflows) ViewColumns(
	ctx context.Context, slug string, by BoardFilter, shown map[id.Column]int,
) (view BoardView, err error) {
	if view.Board, err = w.Board(ctx, slug); err != nil {
		return BoardView{}, err
	}
	filter, err := w.filter(ctx, view.Board, by, nil)
	if view.BadQuery = query.Problem(err); err != nil && view.BadQuery == nil {
		return BoardView{}, err
	}
	view.Cards = make(map[id.Column]Cards, len(shown))
	for limit, columns := range byCards(view.Board, shown) {
		cards, err := w.cards(ctx, view.Board, filter, nil, limit, columns...)
		if err != nil {
			return BoardView{}, err
		}
		for _, column := range columns {
			view.Cards[column.ID] = cards[column.ID]
		}
	}
	view.Board = counted(view.Board, filter, view.Cards)
	return view, nil
}

// byCards returns the columns of a board that are shown, by how many cards to read of them.
func byCards(board boards.Board, shown map[id.Column]int) map[int][]boards.Column {
	alike, left := map[int][]boards.Column{}, pagesAtMost
	for _, column := range board.Columns {
		n, ok := shown[column.ID]
		if !ok {
			continue
		}
		limit := firstPage(board)
		if n > limit {
			pages := (min(n, CardsAtMost) + CardsPerPage - 1) / CardsPerPage
			if pages > 1 && pages > left {
				pages = 1
			} else if pages > 1 {
				left -= pages
			}
			limit = pages * CardsPerPage
		}
		alike[limit] = append(alike[limit], column)
	}
	return alike
}

// Colleagues returns the first members by handle that the caller sees, to choose one from.
func (w *Workflows) Colleagues(ctx context.Context) ([]accounts.NamedMember, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return nil, err
	}
	return accounts.FindMembers(ctx, w.db.Queries, actor.Sight(), "", "", maxColleagues)
}

// Shows reports whether a filter of a board lets a ticket through.
func (w *Workflows) Shows(ctx context.Context, by BoardFilter, ticket tickets.Ticket) (bool, error) {
	if _, err := MayRead(ctx, "tickets:read"); err != nil {
		return false, err
	}
	if by.Query == "" {
		return true, nil
	}
	board, err := w.Board(ctx, ticket.Key.Board)
	if err != nil {
		return false, err
	}
	filter, err := w.filter(ctx, board, by, nil)
	if err != nil && query.Problem(err) == nil {
		return false, err
	}
	if filter.All() { // it shows nothing if the query is wrong
		return true, nil
	}
	return tickets.Matches(ctx, w.db.Queries, filter, ticket)
}

// filter returns what a BoardFilter means on a board for the caller. known are members whose handles need no look-up. It
// returns a query.Error with a filter that shows nothing.
func (w *Workflows) filter(
	ctx context.Context, board boards.Board, by BoardFilter, known []accounts.NamedMember,
) (filter tickets.Filter, err error) {
	filter.Parents = by.Parents
	actor := accounts.ActorFrom(ctx)
	var c query.Condition
	q, err := query.Parse(by.Query)
	if err == nil {
		c, err = w.resolve(ctx, actor, board, q, known)
	}
	switch {
	case err != nil:
		filter.Where = db.TicketsWithAny()
	case !c.IsZero():
		filter.Where, filter.Narrow = whereOf(c, actor.Sight()), narrowOf(c)
	}
	return filter, err
}

// searchText returns the text to search for: one line, no longer than a title.
func searchText(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	if utf8.RuneCountInString(s) > tickets.MaxTitle {
		return string([]rune(s)[:tickets.MaxTitle])
	}
	return s
}

// cards returns the first cards of columns of a board, limit of each at most, through a filter. known are labels that
// need no look-up.
func (w *Workflows) cards(
	ctx context.Context, board boards.Board, filter tickets.Filter, known []labels.Label, limit int, columns ...boards.Column,
) (map[id.Column]Cards, error) {
	starts, reach := make([]tickets.FilterStart, len(columns)), tickets.ReachOn(len(board.Columns))
	for i, c := range columns {
		starts[i] = tickets.FilterStart{Column: c.ID}
		if !filter.All() && c.Count > int64(reach) {
			starts[i].Reach = reach
		}
	}
	return w.findCards(ctx, board, filter, known, limit, starts...)
}

func (w *Workflows) findCards(
	ctx context.Context, board boards.Board, filter tickets.Filter, known []labels.Label, limit int,
	starts ...tickets.FilterStart,
) (map[id.Column]Cards, error) {
	found, err := tickets.FindCards(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight(), board.ID, board.Slug, filter, starts, limit)
	if err != nil {
		return nil, err
	}
	pages := make(map[id.Column]Cards, len(starts))
	for column, f := range found {
		pages[column] = Cards{List: f.Cards, Next: f.Next}
	}
	return pages, w.showMore(ctx, board.Company, known, pages)
}

// cardsBelow returns a page of cards of a column from below a cursor, through a filter.
func (w *Workflows) cardsBelow(
	ctx context.Context, board boards.Board, filter tickets.Filter, below tickets.Cursor,
) (Cards, error) {
	start := tickets.FilterStart{Column: below.Column, Below: &below}
	if !filter.All() {
		start.Reach = tickets.Reach
	}
	pages, err := w.findCards(ctx, board, filter, nil, CardsPerPage, start)
	if err != nil {
		return Cards{}, err
	}
	cards := pages[below.Column]
	if len(cards.List) == 0 {
		return cards, nil
	}
	cards.Above, err = tickets.Above(ctx, w.db.Queries, board.Slug, below.Column, cards.List[0].Rank)
	return cards, err
}
