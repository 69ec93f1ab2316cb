package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// The actions of members on the public form of a board and on requesters. Those of strangers are in
// public_requests.go.

// Form returns the public form of a board.
func (w *Workflows) Form(ctx context.Context, board boards.Board) (requests.Form, error) {
	if _, err := MayRead(ctx, "boards:read"); err != nil {
		return requests.Form{}, err
	}
	return requests.FormOf(ctx, w.db.Queries, board.ID)
}

// SetForm turns the public form of a board on or off; form.Version is the one that the caller saw. It returns
// boards.NotFound or Archived, accounts.FormByAdmin, or requests.BadIntro or StaleForm.
func (w *Workflows) SetForm(ctx context.Context, slug string, form requests.Form) (board boards.Board, err error) {
	actor, err := mayChange(ctx, "boards")
	if err != nil {
		return board, err
	}
	if board, err = w.Board(ctx, slug); err != nil {
		return board, err
	}
	if err := mayWriteOn(actor, board.Grant); err != nil {
		return board, err
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := boards.Live(ctx, tx, board.ID); err != nil {
			return err
		}
		if form.On && !actor.Manages() {
			if now, err := requests.FormOf(ctx, tx.Queries, board.ID); err != nil {
				return err
			} else if !now.On {
				return accounts.FormByAdmin()
			}
		}
		if form.On {
			if err := accounts.CreateRequesterAccount(ctx, tx); err != nil {
				return err
			}
		}
		was, err := requests.SetForm(ctx, tx, board.ID, form)
		if err != nil {
			return err
		}
		if form.On {
			if err := refs.RequestRefill(ctx, tx.Queries); err != nil {
				return err
			}
		}
		if form.On == was.On {
			return nil
		}
		kind := accounts.AuditFormOff
		if form.On {
			kind = accounts.AuditFormOn
		}
		return audit(ctx, tx, actor, kind, accounts.AuditDetail{Name: board.Slug})
	})
	if err != nil {
		return board, fmt.Errorf("set form: %w", err)
	}
	return board, nil
}

// RequestsWatched reports whether the caller is notified of the requests of a board.
func (w *Workflows) RequestsWatched(ctx context.Context, board boards.Board) (bool, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return false, err
	}
	return requests.Watched(ctx, w.db.Queries, board.ID, actor.Account.ID, actor.Manages())
}

// WatchRequests turns the caller's notifications of the requests of a board on or off. Viewers may, too. It returns
// boards.NotFound.
func (w *Workflows) WatchRequests(ctx context.Context, slug string, on bool) (boards.Board, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return boards.Board{}, err
	}
	board, err := w.Board(ctx, slug)
	if err != nil {
		return board, err
	}
	return board, requests.Watch(ctx, w.db.Queries, board.ID, actor.Account.ID, on)
}

// RequestOf returns the request that a ticket was opened by, or requests.NoRequester.
func (w *Workflows) RequestOf(ctx context.Context, ticket tickets.Ticket) (requests.Request, error) {
	if _, err := MayRead(ctx, "tickets:read"); err != nil {
		return requests.Request{}, err
	}
	return requests.Of(ctx, w.db.Queries, ticket.ID)
}

// NewRequestLink makes another private link to a ticket and returns its code and token. The old one ends. It returns
// tickets.NotFound, boards.Archived or requests.NoRequester, and with once Replay.
func (w *Workflows) NewRequestLink(
	ctx context.Context, key tickets.Key, once *Once[Receipt],
) (link Receipt, err error) {
	link, err = DoOnce(ctx, w, once, func() (link Receipt, err error) {
		err = w.onTicket(ctx, key, func(t lockedTicket) error {
			if link, err = newRequestLink(ctx, t); err != nil {
				return err
			}
			return StoreResponses(ctx, t.tx, once.Row(t.tx, link))
		})
		return link, err
	})
	if err != nil {
		return Receipt{}, fmt.Errorf("make a private link: %w", err)
	}
	return link, nil
}

func newRequestLink(ctx context.Context, t lockedTicket) (link Receipt, err error) {
	request, err := requests.Of(ctx, t.tx.Queries, t.ID)
	if err != nil {
		return link, err
	}
	link.Code = request.Code
	if link.Token, err = requests.NewLink(ctx, t.tx, t.ID); err != nil {
		return link, err
	}
	_, err = tickets.Record(ctx, t.tx, t.ID, t.by, tickets.KindLinkMade, tickets.Detail{})
	return link, err
}

// RevokeRequestLink ends the private link of a ticket, and returns the ticket's key. It returns what NewRequestLink
// does.
func (w *Workflows) RevokeRequestLink(ctx context.Context, key tickets.Key) (current tickets.Key, err error) {
	err = w.onTicket(ctx, key, func(t lockedTicket) error {
		current = t.Key
		if err := requests.RevokeLink(ctx, t.tx, t.ID); err != nil {
			return err
		}
		_, err := tickets.Record(ctx, t.tx, t.ID, t.by, tickets.KindLinkRevoked, tickets.Detail{})
		return err
	})
	if err != nil {
		return tickets.Key{}, fmt.Errorf("revoke a private link: %w", err)
	}
	return current, nil
}

// Receipt is what a requester gets: the code, which is no secret, and the token of the private link; "" if that was
// revoked since.
type Receipt struct{ Code, Token string }

// openRequest opens the ticket of a form on the board as it is now.
func (w *Workflows) openRequest(
	ctx context.Context, form requests.OpenForm, draft tickets.Draft, sent requests.Submission, email string,
) (receipt Receipt, err error) {
	requester, err := accounts.RequesterAccount(ctx, w.db.Queries)
	if err != nil {
		return receipt, err
	}
	var template tickets.Template
	if sent.Template != 0 {
		template, err = w.PublicTemplate(ctx, form, sent.Template)
		if err != nil && !errors.Is(err, tickets.CodeTemplateNotFound) { // one that is gone: the request is as good without it
			return receipt, err
		}
		draft = draft.Or(tickets.Draft{Column: template.Draft.Column, Properties: template.Draft.Properties})
	}
	for range relocations {
		board, err := boards.ByID(ctx, w.db.Queries, db.SightOfAll(form.Company), form.Board)
		if err != nil {
			return receipt, err
		}
		if _, there := board.Column(draft.Column); !there {
			draft.Column = 0
		}
		receipt, err = w.openRequestOn(ctx, board, draft, template, sent, email, requester)
		if !errors.Is(err, boards.ErrOutdated) && !errors.Is(err, boards.CodeColumnNotFound) {
			return receipt, err
		}
	}
	return receipt, db.Unavailable{Why: "the board's columns change again and again", Err: boards.ErrOutdated}
}

func (w *Workflows) openRequestOn(
	ctx context.Context, board boards.Board, draft tickets.Draft, template tickets.Template,
	sent requests.Submission, email string, requester accounts.Account,
) (receipt Receipt, err error) {
	author := tickets.User{ID: requester.ID, Name: requester.Name}
	err = w.change(ctx, func(tx *db.Tx) error {
		rows := []tickets.NewTicket{{Draft: draft, Author: author, FromRequester: true}}
		opened, err := OpenTickets(ctx, tx, board, rows, tickets.Open)
		if err != nil {
			return err
		}
		ticket, err := tx.CardByNumber(ctx, board.ID, opened[0].Key.Number)
		if err != nil {
			return fmt.Errorf("read the new ticket: %w", err)
		}
		code, err := popCode(ctx, tx, board.Company, ticket.ID)
		if err != nil {
			return err
		}
		receipt = Receipt{Code: code, Token: sent.Token()}
		if err := requests.Open(ctx, tx, ticket.ID, code, sent, email); err != nil {
			return err
		}
		opened[0].ID = ticket.ID
		if err := fillRequest(ctx, tx, board.Company, &opened[0], template); err != nil {
			return err
		}
		return notifyOfRequest(ctx, tx, tickets.Notifications{Company: board.Company, Ticket: opened[0], By: author,
			Assigned: tickets.AccountsOf(opened[0].Assignees)})
	})
	return receipt, err
}

// notifyOfRequest notifies those who watch the board's requests, too.
func notifyOfRequest(ctx context.Context, tx *db.Tx, n tickets.Notifications) (err error) {
	n.Outside = true
	if n.Requests, err = requests.Watchers(ctx, tx.Queries, n.Company, n.Ticket.Board, n.Ticket.ID); err != nil {
		return err
	}
	return tickets.Notify(ctx, tx, n)
}

func popCode(ctx context.Context, tx *db.Tx, company id.Company, ticket id.Ticket) (string, error) {
	codes, err := refs.PopTx(ctx, tx, refs.Use{Company: company, Ticket: ticket}, 1)
	if err != nil {
		return "", err
	}
	return string(codes[0]), nil
}
