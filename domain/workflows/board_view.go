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
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// BoardFilter says which tickets of a board to show, as a URL does. The zero one shows all.
type BoardFilter struct {
	Text     string // of a title, or a key or number
	Assignee string // accounts.Me, accounts.NoOne or a handle; "" for any assignee
	State    string // tickets.StateOpen or StateClosed; anything else is both
	Requests bool   // those from the public form alone
	Label    string // the name of a label, present or old; "" for any
}

// maxColleagues is how many members a board offers to filter by.
const maxColleagues = 200

// noAccount is an id that no account has.
const noAccount accounts.ID = 1<<63 - 1

// BoardView is a board with the first page of cards of each column, and what to filter by.
type BoardView struct {
	Board   boards.Board
	Cards   map[id.Column]Cards
	Members []accounts.NamedMember
	Labels  []labels.Label
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
	filter, err := w.filter(ctx, view.Board.ID, by, view.Members)
	if err != nil {
		return BoardView{}, err
	}
	if view.Cards, err = w.cards(ctx, view.Board, filter, CardsPerPage, view.Board.Columns...); err != nil {
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

// ViewColumns returns some columns of a board, each with as many cards as are shown of it: in whole pages, up to
// CardsAtMost, and only the first page of columns beyond pagesAtMost. It skips columns that the board does not have,
// returns no members, and boards.NotFound.
func (w *Workflows) ViewColumns(
	ctx context.Context, slug string, by BoardFilter, shown map[id.Column]int,
) (view BoardView, err error) {
	if view.Board, err = w.Board(ctx, slug); err != nil {
		return BoardView{}, err
	}
	filter, err := w.filter(ctx, view.Board.ID, by, nil)
	if err != nil {
		return BoardView{}, err
	}
	alike, left := map[int][]boards.Column{}, pagesAtMost
	for _, column := range view.Board.Columns {
		n, ok := shown[column.ID]
		if !ok {
			continue
		}
		pages := (min(max(n, 1), CardsAtMost) + CardsPerPage - 1) / CardsPerPage
		if pages > 1 && pages > left {
			pages = 1
		} else if pages > 1 {
			left -= pages
		}
		alike[pages] = append(alike[pages], column)
	}
	view.Cards = make(map[id.Column]Cards, len(shown))
	for pages, columns := range alike {
		cards, err := w.cards(ctx, view.Board, filter, pages*CardsPerPage, columns...)
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
	filter, err := w.filter(ctx, ticket.Board, by, nil)
	if err != nil || filter.All() {
		return true, err
	}
	return tickets.Matches(ctx, w.db.Queries, filter, ticket)
}

// filter returns what a BoardFilter means on a board for the caller. known are members whose handles need no look-up.
func (w *Workflows) filter(
	ctx context.Context, board id.Board, n BoardFilter, known []accounts.NamedMember,
) (filter tickets.Filter, err error) {
	filter.Text, filter.Requests = searchText(n.Text), n.Requests
	if n.State == tickets.StateOpen || n.State == tickets.StateClosed {
		filter.State = n.State
	}
	actor := accounts.ActorFrom(ctx)
	if name := strings.TrimSpace(n.Label); name != "" {
		filter.Labels, err = labels.Matching(ctx, w.db.Queries, actor.Company.ID, board, searchText(name))
		if err != nil {
			return filter, err
		}
	}
	switch n.Assignee {
	case "":
	case accounts.Me:
		filter.Assignee = actor.Account.ID
	case accounts.NoOne:
		filter.NoOne = true
	default:
		filter.Assignee, err = w.accountOf(ctx, actor.Sight(), strings.ToLower(strings.TrimPrefix(n.Assignee, "@")), known)
	}
	return filter, err
}

// accountOf returns the member in sight with a handle, or noAccount.
func (w *Workflows) accountOf(
	ctx context.Context, by db.Sight, handle string, known []accounts.NamedMember,
) (accounts.ID, error) {
	for _, member := range known {
		if member.Handle == handle {
			return member.ID, nil
		}
	}
	found, err := accounts.ByHandle(ctx, w.db.Queries, by, []string{handle})
	if err != nil || len(found) == 0 {
		return noAccount, err
	}
	return found[0].ID, nil
}

// searchText returns the text to search for: one line, no longer than a title.
func searchText(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	if utf8.RuneCountInString(s) > tickets.MaxTitle {
		return string([]rune(s)[:tickets.MaxTitle])
	}
	return s
}

// cards returns the first cards of columns of a board, limit of each at most, through a filter.
func (w *Workflows) cards(
	ctx context.Context, board boards.Board, filter tickets.Filter, limit int, columns ...boards.Column,
) (pages map[id.Column]Cards, err error) {
	if filter.All() {
		pages, err = w.firstCards(ctx, board, limit, columns...)
	} else {
		pages, err = w.findCards(ctx, board, filter, limit, columns...)
	}
	if err != nil {
		return nil, err
	}
	return pages, w.showAssignees(ctx, board.Company, pages)
}

func (w *Workflows) findCards(
	ctx context.Context, board boards.Board, filter tickets.Filter, limit int, columns ...boards.Column,
) (map[id.Column]Cards, error) {
	starts := make([]tickets.FilterStart, len(columns))
	for i, c := range columns {
		starts[i] = tickets.FilterStart{Column: c.ID, Long: c.Count > tickets.Reach}
	}
	found, err := tickets.FindCards(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight(), board.ID, board.Slug, filter, starts, limit)
	if err != nil {
		return nil, err
	}
	pages := make(map[id.Column]Cards, len(columns))
	for column, f := range found {
		pages[column] = Cards{List: f.Cards, Next: f.Next}
	}
	return pages, nil
}

// cardsBelow returns a page of cards of a column from below a cursor, through a filter.
func (w *Workflows) cardsBelow(
	ctx context.Context, board boards.Board, filter tickets.Filter, below tickets.Cursor,
) (Cards, error) {
	var cards Cards
	if filter.All() {
		list, err := tickets.CardsBelow(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight(), board.ID, board.Slug, below, CardsPerPage+1)
		if err != nil {
			return Cards{}, err
		}
		cards = cardsPage(list, below.Column, CardsPerPage)
	} else {
		starts := []tickets.FilterStart{{Column: below.Column, Below: &below, Long: true}}
		found, err := tickets.FindCards(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight(), board.ID, board.Slug, filter, starts, CardsPerPage)
		if err != nil {
			return Cards{}, err
		}
		cards = Cards{List: found[below.Column].Cards, Next: found[below.Column].Next}
	}
	if len(cards.List) == 0 {
		return cards, nil
	}
	if err := w.showAssignees(ctx, board.Company, map[id.Column]Cards{below.Column: cards}); err != nil {
		return Cards{}, err
	}
	var err error
	cards.Above, err = tickets.Above(ctx, w.db.Queries, board.Slug, below.Column, cards.List[0].Rank)
	return cards, err
}
