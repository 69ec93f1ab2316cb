package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// The public links of boards, and what strangers see by them. Nothing of it is kept from one request to the next, so a
// link that is revoked is refused at once. Email addresses are hidden in all texts.

// PublicLink returns the public link of a board that the caller sees.
func (w *Workflows) PublicLink(ctx context.Context, board boards.Board) (boards.PublicLink, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return boards.PublicLink{}, err
	}
	link, err := boards.PublicLinkOf(ctx, w.db.Queries, board.ID)
	if err != nil || !link.On {
		return link, err
	}
	known, err := accounts.ByAccount(ctx, w.db.Queries, actor.Sight(), []accounts.ID{link.By})
	if _, ok := known[link.By]; !ok && actor.Role == accounts.Guest {
		link.Author = ""
	}
	return link, err
}

// OpenPublicLink makes a public link of a board and returns its secret. The old one ends. It returns boards.NotFound,
// NotManager or Archived, and with once Replay.
func (w *Workflows) OpenPublicLink(ctx context.Context, slug string, once *Once[string]) (secret string, err error) {
	return DoOnce(ctx, w, once, func() (secret string, err error) {
		_, err = w.onBoardMembers(ctx, slug, func(tx *db.Tx, actor accounts.Actor, board boards.Board) error {
			if board.Archived() {
				return boards.Archived()
			}
			was, err := boards.PublicLinkOf(ctx, tx.Queries, board.ID)
			if err != nil {
				return err
			}
			if secret, err = boards.OpenPublicLink(ctx, tx, board.ID, actor.Account.ID); err != nil {
				return err
			}
			kind := accounts.AuditBoardLinkOn
			if was.On {
				kind = accounts.AuditBoardLinkReplaced
			}
			if err := audit(ctx, tx, actor, kind, accounts.AuditDetail{Name: board.Slug}); err != nil {
				return err
			}
			return StoreResponses(ctx, tx, once.Row(tx, secret))
		})
		return secret, err
	})
}

// RevokePublicLink ends the public link of a board, if it has one. It returns boards.NotFound or NotManager.
func (w *Workflows) RevokePublicLink(ctx context.Context, slug string) (boards.Board, error) {
	return w.onBoardMembers(ctx, slug, func(tx *db.Tx, actor accounts.Actor, board boards.Board) error {
		return revokePublicLink(ctx, tx, actor, board)
	})
}

func revokePublicLink(ctx context.Context, tx *db.Tx, actor accounts.Actor, board boards.Board) error {
	there, err := boards.RevokePublicLink(ctx, tx, board.ID)
	if err != nil || !there {
		return err
	}
	return audit(ctx, tx, actor, accounts.AuditBoardLinkOff, accounts.AuditDetail{Name: board.Slug})
}

// PublicView is a board as strangers see it, with the first page of cards of each column, or a page of one of them.
type PublicView struct {
	Board boards.PublicBoard
	Cards map[id.Column]tickets.PublicCards
}

// ViewPublicBoard returns the board of a public link, or boards.UnknownLink or TooMany.
func (w *Workflows) ViewPublicBoard(ctx context.Context, secret string) (view PublicView, err error) {
	if view.Board, err = w.publicBoard(ctx, secret); err != nil {
		return PublicView{}, err
	}
	ids := make([]id.Column, len(view.Board.Columns))
	for i, column := range view.Board.Columns {
		ids[i] = column.ID
	}
	view.Cards, err = tickets.FirstPublicCards(ctx, w.db.Queries, boards.PublicSight(secret), view.Board.Slug, ids,
		CardsPerPage)
	return view.withoutAddresses(), err
}

// ViewPublicColumn returns the cards of a column below a cursor, or from its top. It returns boards.UnknownLink,
// TooMany or boards.ColumnNotFound.
func (w *Workflows) ViewPublicColumn(
	ctx context.Context, secret string, column id.Column, below *tickets.Cursor,
) (view PublicView, err error) {
	if view.Board, err = w.publicBoard(ctx, secret); err != nil {
		return PublicView{}, err
	}
	if _, ok := view.Board.Column(column); !ok {
		return PublicView{}, boards.ColumnNotFound{Column: uint64(column)}
	}
	by, slug := boards.PublicSight(secret), view.Board.Slug
	if below == nil || below.Column != column {
		view.Cards, err = tickets.FirstPublicCards(ctx, w.db.Queries, by, slug, []id.Column{column}, CardsPerPage)
		return view.withoutAddresses(), err
	}
	cards, err := tickets.PublicCardsBelow(ctx, w.db.Queries, by, view.Board.ID, slug, *below, CardsPerPage)
	view.Cards = map[id.Column]tickets.PublicCards{column: cards}
	return view.withoutAddresses(), err
}

// ViewPublicTicket returns a ticket of the board of a public link, or boards.UnknownLink, TooMany or tickets.NotFound.
// Its description is Markdown whose addresses RenderPublic hides.
func (w *Workflows) ViewPublicTicket(
	ctx context.Context, secret string, number uint64,
) (boards.PublicBoard, tickets.PublicTicket, error) {
	board, err := w.publicBoard(ctx, secret)
	if err != nil {
		return board, tickets.PublicTicket{}, err
	}
	key := tickets.Key{Board: board.Slug, Number: number}
	ticket, err := tickets.PublicByNumber(ctx, w.db.Queries, boards.PublicSight(secret), key)
	ticket.Title, ticket.Column = markup.HideAddresses(ticket.Title), markup.HideAddresses(ticket.Column)
	return PublicView{Board: board}.withoutAddresses().Board, ticket, err
}

// publicBoard returns the board of a secret. One that leads nowhere is counted; one that opens a board is no guess, and
// never refused.
func (w *Workflows) publicBoard(ctx context.Context, secret string) (boards.PublicBoard, error) {
	board, err := boards.ByPublicLink(ctx, w.db.Queries, boards.PublicSight(secret))
	if !errors.Is(err, boards.CodeUnknownLink) {
		return board, err
	}
	if _, missed := w.track(ctx, lookup{target: requests.ByBoardLink}); !errors.Is(missed, requests.CodeNotFound) {
		return boards.PublicBoard{}, fmt.Errorf("count a miss: %w", missed)
	}
	return boards.PublicBoard{}, err
}

// withoutAddresses hides email addresses in the names and titles.
func (v PublicView) withoutAddresses() PublicView {
	v.Board.Title, v.Board.Company = markup.HideAddresses(v.Board.Title), markup.HideAddresses(v.Board.Company)
	for i := range v.Board.Columns {
		v.Board.Columns[i].Name = markup.HideAddresses(v.Board.Columns[i].Name)
	}
	for _, cards := range v.Cards {
		for i := range cards.List {
			cards.List[i].Title = markup.HideAddresses(cards.List[i].Title)
		}
	}
	return v
}
