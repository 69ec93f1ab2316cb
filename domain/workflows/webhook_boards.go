package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// CodeBoardIsOpen: the board is open, so all webhooks of the company are sent its changes. There is nothing to add.
const CodeBoardIsOpen fault.Code = "Webhook.BoardIsOpen"

func BoardIsOpen() error {
	return fault.Conflict.New(CodeBoardIsOpen, "webhook",
		"This board is open, so the webhooks of the company are sent its changes already. Make it private first.")
}

// Receivers returns the webhooks that a board is sent to, or can be: for its admins, but none for guests. It returns
// boards.NotFound or NotManager.
func (w *Workflows) Receivers(ctx context.Context, slug string) ([]webhooks.Receiver, error) {
	board, err := w.Board(ctx, slug)
	if err != nil {
		return nil, err
	}
	actor := accounts.ActorFrom(ctx)
	if access.On(actor, board.Grant) < access.Manage {
		return nil, boards.NotManager()
	}
	if actor.Role == accounts.Guest {
		return nil, nil
	}
	return webhooks.Receivers(ctx, w.db.Queries, board.ID)
}

// AddToWebhook has a webhook of the company sent what changes on a private board from now on. It returns
// boards.NotFound, NotManager, NotForGuests, BoardIsOpen or webhooks.NotFound.
func (w *Workflows) AddToWebhook(ctx context.Context, slug string, webhook id.Webhook) (boards.Board, error) {
	return w.onBoardMembers(ctx, slug, func(tx *db.Tx, actor accounts.Actor, board boards.Board) error {
		if err := noGuest(actor); err != nil {
			return err
		}
		if !board.Grant.Private {
			return BoardIsOpen()
		}
		hook, err := webhooks.Lock(ctx, tx, actor.Company.ID, webhook)
		if err != nil {
			return err
		}
		added, err := webhooks.AddBoard(ctx, tx, hook, board.ID, actor.Account.ID)
		if err != nil || !added {
			return err
		}
		return audit(ctx, tx, actor, accounts.AuditWebhookBoard, boardOfWebhookDetail(board.Slug, hook))
	})
}

// DropFromWebhook has a webhook sent nothing more of a private board. It returns boards.NotFound, NotManager,
// NotForGuests or webhooks.NotFound.
func (w *Workflows) DropFromWebhook(ctx context.Context, slug string, webhook id.Webhook) (boards.Board, error) {
	return w.onBoardMembers(ctx, slug, func(tx *db.Tx, actor accounts.Actor, board boards.Board) error {
		if err := noGuest(actor); err != nil {
			return err
		}
		hook, err := webhooks.Lock(ctx, tx, actor.Company.ID, webhook)
		if err != nil {
			return err
		}
		return dropFromWebhook(ctx, tx, actor, hook, board.ID, board.Slug)
	})
}

func dropFromWebhook(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, hook webhooks.Webhook, board id.Board, slug string,
) error {
	dropped, err := webhooks.DropBoard(ctx, tx, hook.ID, board)
	if err != nil || !dropped {
		return err
	}
	return audit(ctx, tx, actor, accounts.AuditWebhookBoardGone, boardOfWebhookDetail(slug, hook))
}

func boardOfWebhookDetail(slug string, hook webhooks.Webhook) accounts.AuditDetail {
	return accounts.AuditDetail{Name: slug, Note: hook.Host()}
}

// dropBoardsOfOthers removes the private boards from a webhook that the actor does not administer. A webhook that gets
// another address would else show its manager what the admins of these boards wanted at the old one.
func dropBoardsOfOthers(ctx context.Context, tx *db.Tx, actor accounts.Actor, hook webhooks.Webhook) error {
	for after, more := "", true; more; {
		list, err := webhooks.Boards(ctx, tx.Queries, hook.ID, actor.Account.ID, after)
		if err != nil {
			return err
		}
		more = len(list) == webhooks.BoardsAtOnce
		for _, board := range list {
			after = board.Slug
			if access.On(actor, board.Grant) >= access.Manage {
				continue
			}
			if err := dropFromWebhook(ctx, tx, actor, hook, board.ID, board.Slug); err != nil {
				return err
			}
		}
	}
	return nil
}

// WebhookBoards returns the first private boards of a webhook of the company by slug, each with what it says of the
// caller. It returns webhooks.NotFound or NotManager.
func (w *Workflows) WebhookBoards(ctx context.Context, webhook id.Webhook) ([]webhooks.Board, error) {
	hook, err := w.Webhook(ctx, webhook)
	if err != nil {
		return nil, err
	}
	return webhooks.Boards(ctx, w.db.Queries, hook.ID, accounts.ActorFrom(ctx).Account.ID, "")
}
