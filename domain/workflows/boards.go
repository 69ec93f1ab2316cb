package workflows

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Page sizes, in rows.
const (
	CardsPerPage   = 50
	HistoryPerPage = 50

	cardsPerBoard = 60 // to begin with, over all columns
	fewestCards   = 8  // of a column to begin with
)

// firstPage returns how many cards of each column a board begins with: fewer than a page if many columns have cards, so
// that the board is no large page.
func firstPage(board boards.Board) int {
	filled := 0
	for _, column := range board.Columns {
		if column.Count > 0 {
			filled++
		}
	}
	return min(max(cardsPerBoard/max(filled, 1), fewestCards), CardsPerPage)
}

// Cards are some cards of a column. Above is the key of the card above the first, nil at the top; Next is the start of
// the next page, nil if there is none.
type Cards struct {
	List  []tickets.Card
	Above *tickets.Key
	Next  *tickets.Cursor
}

// Boards returns the company's boards by slug.
func (w *Workflows) Boards(ctx context.Context) ([]boards.Board, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return nil, err
	}
	return boards.Of(ctx, w.db.Queries, actor.Sight())
}

// Board returns the board that has the slug, or had it once, with its columns, or boards.NotFound.
func (w *Workflows) Board(ctx context.Context, slug string) (boards.Board, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return boards.Board{}, err
	}
	return boards.BySlug(ctx, w.db.Queries, actor.Sight(), slug)
}

// Column returns a page of the cards of a column that a filter lets through, from below a cursor, or from the top if
// that is nil. It returns boards.NotFound or boards.ColumnNotFound, and a query.Error with the board and no cards.
func (w *Workflows) Column(
	ctx context.Context, slug string, column id.Column, below *tickets.Cursor, by BoardFilter,
) (boards.Board, Cards, error) {
	board, err := w.Board(ctx, slug)
	if err != nil {
		return boards.Board{}, Cards{}, err
	}
	found, ok := board.Column(column)
	if !ok {
		return boards.Board{}, Cards{}, boards.ColumnNotFound{Column: uint64(column)}
	}
	filter, err := w.filter(ctx, board, by, nil)
	if query.Problem(err) != nil {
		return board, Cards{}, err
	}
	if err != nil {
		return boards.Board{}, Cards{}, err
	}
	if below == nil || below.Column != column {
		cards, err := w.cards(ctx, board, filter, nil, CardsPerPage, found)
		return counted(board, filter, cards), cards[column], err
	}
	cards, err := w.cardsBelow(ctx, board, filter, *below)
	return board, cards, err
}

// showMore gives cards their assignees and labels, each in a query; known are labels that need none.
func (w *Workflows) showMore(
	ctx context.Context, company id.Company, known []labels.Label, pages map[id.Column]Cards,
) error {
	var all []tickets.Card
	for _, cards := range pages {
		all = append(all, cards.List...)
	}
	ids := make([]tickets.ID, len(all))
	for i, card := range all {
		ids[i] = card.ID
	}
	assignees, err := tickets.AssigneesOf(ctx, w.db.Queries, company, ids)
	if err != nil {
		return err
	}
	named, err := tickets.LabelsOfCards(ctx, w.db.Queries, known, all)
	if err != nil {
		return err
	}
	for _, cards := range pages {
		for i, card := range cards.List {
			cards.List[i].Assignees, cards.List[i].Labels = assignees[card.ID], named[card.LabelIDs]
		}
	}
	return nil
}

// OpenBoard adds a board. It returns boards.EmptySlug, BadSlug, SlugConflict, EmptyTitle, LongTitle
// or BadTitle.
func (w *Workflows) OpenBoard(ctx context.Context, draft boards.Draft, once *Once[boards.Board]) (boards.Board, error) {
	actor, err := mayWriteAnywhere(ctx, "boards:write")
	if err != nil {
		return boards.Board{}, err
	}
	board, err := DoOnce(ctx, w, once, func() (board boards.Board, err error) {
		err = w.change(ctx, func(tx *db.Tx) error {
			open := w.openBoard
			if draft.Like != "" {
				open = w.duplicateBoard
			}
			if board, err = open(ctx, tx, actor, draft); err != nil {
				return err
			}
			return StoreResponses(ctx, tx, once.Row(tx, board))
		})
		return board, err
	})
	if err != nil {
		return boards.Board{}, fmt.Errorf("open board: %w", err)
	}
	return board, nil
}

func (w *Workflows) openBoard(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, draft boards.Draft,
) (boards.Board, error) {
	return boards.Open(ctx, tx, actor.Company.ID, draft)
}

// duplicateBoard opens a board with the columns, the labels and the templates of another, and if the draft says so opens
// the run that copies its tickets. Whoever makes a copy of a private board is an admin of it; it is private, too, and
// names the same members and groups.
func (w *Workflows) duplicateBoard(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, draft boards.Draft,
) (board boards.Board, err error) {
	source, err := boards.BySlug(ctx, tx.Queries, actor.Sight(), draft.Like)
	if err != nil {
		return board, err
	}
	if err := mayWriteOn(actor, source.Grant); err != nil {
		return board, err
	}
	if err := accounts.LockMembers(ctx, tx, actor.Company.ID); err != nil {
		return board, err
	}
	kept := slices.DeleteFunc(slices.Clone(source.Columns), boards.Column.Leaving)
	if board, err = boards.OpenWith(ctx, tx, actor.Company.ID, draft, kept); err != nil {
		return board, err
	}
	if source.Grant.Private {
		if err := boards.CopyMembers(ctx, tx, source.ID, board.ID); err != nil {
			return board, err
		}
		if err := w.setPrivacy(ctx, tx, actor, board, true); err != nil {
			return board, err
		}
	}
	if board, err = boards.BySlug(ctx, tx.Queries, actor.Sight(), board.Slug); err != nil {
		return board, err
	}
	columns := map[id.Column]id.Column{}
	for i, c := range kept {
		columns[c.ID] = board.Columns[i].ID
	}
	if err := copyLabels(ctx, tx, actor, source, board); err != nil {
		return board, err
	}
	if err := copyTemplates(ctx, tx, actor, source, board, columns); err != nil {
		return board, err
	}
	return board, w.copyTickets(ctx, tx, actor, source, board, draft.Tickets, columns)
}

// copyLabels gives a new board those labels of another that are that one's alone.
func copyLabels(ctx context.Context, tx *db.Tx, actor accounts.Actor, from, to boards.Board) error {
	list, err := labels.On(ctx, tx.Queries, actor.Company.ID, from.ID)
	if err != nil {
		return err
	}
	for _, l := range list {
		if l.Board != from.ID {
			continue
		}
		if _, err := labels.Make(ctx, tx, actor.Company.ID, to.ID, l.Name, l.Color); err != nil {
			return err
		}
	}
	return nil
}
