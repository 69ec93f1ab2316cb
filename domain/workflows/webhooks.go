package workflows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// mayManageWebhooks returns the caller if it manages the company, with a token whose scope lets it change tickets.
func mayManageWebhooks(ctx context.Context) (accounts.Actor, error) {
	actor, err := mayManage(ctx)
	if err == nil && !actor.May("tickets:write") {
		err = accounts.MissingScope("tickets:write")
	}
	return actor, err
}

// changeWebhook runs fn, which may change it, in a transaction with a locked webhook, and records that in the audit list.
func (w *Workflows) changeWebhook(
	ctx context.Context, what, kind string, webhook id.Webhook,
	fn func(tx *db.Tx, actor accounts.Actor, hook *webhooks.Webhook) error,
) error {
	if _, err := mayManageWebhooks(ctx); err != nil {
		return err
	}
	return w.withLockedRole(ctx, what, func(tx *db.Tx, actor accounts.Actor) error {
		if !actor.Manages() {
			return accounts.NotManager()
		}
		hook, err := webhooks.Lock(ctx, tx, actor.Company.ID, webhook)
		if err != nil {
			return err
		}
		was := hook.Host()
		if err := fn(tx, actor, &hook); err != nil {
			return err
		}
		detail := accounts.AuditDetail{Name: hook.Host()}
		if detail.Name != was {
			detail.Was = was
		}
		return audit(ctx, tx, actor, kind, detail)
	})
}

// Webhooks returns the webhooks of the company, the oldest first. It returns NotManager.
func (w *Workflows) Webhooks(ctx context.Context) ([]webhooks.Webhook, error) {
	actor, err := mayManageWebhooks(ctx)
	if err != nil {
		return nil, err
	}
	return webhooks.Of(ctx, w.db.Queries, actor.Company.ID)
}

// Webhook returns a webhook of the company, or webhooks.NotFound or NotManager.
func (w *Workflows) Webhook(ctx context.Context, webhook id.Webhook) (webhooks.Webhook, error) {
	actor, err := mayManageWebhooks(ctx)
	if err != nil {
		return webhooks.Webhook{}, err
	}
	return webhooks.ByID(ctx, w.db.Queries, actor.Company.ID, webhook)
}

// WebhookFeeds returns the feeds that can be sent to a webhook.
func (w *Workflows) WebhookFeeds() []string { return w.feeds.Names() }

// OpenedWebhook is a webhook as it was opened, with its secret, which is not shown again.
type OpenedWebhook struct {
	ID     id.Webhook
	Secret string
}

// OpenWebhook adds a webhook that is sent all changes from now on. It returns all that is wrong with the draft,
// webhooks.TooMany or boards.NotFound, and with once Replay.
func (w *Workflows) OpenWebhook(
	ctx context.Context, draft webhooks.Draft, once *Once[OpenedWebhook],
) (OpenedWebhook, error) {
	if _, err := mayManageWebhooks(ctx); err != nil {
		return OpenedWebhook{}, err
	}
	draft, board, err := w.checkWebhook(ctx, draft)
	if err != nil {
		return OpenedWebhook{}, err
	}
	return DoOnce(ctx, w, once, func() (opened OpenedWebhook, err error) {
		err = w.withLockedRole(ctx, "open webhook", func(tx *db.Tx, actor accounts.Actor) error {
			if opened, err = w.openWebhook(ctx, tx, actor, draft, board); err != nil {
				return err
			}
			return StoreResponses(ctx, tx, once.Row(tx, opened))
		})
		return opened, err
	})
}

func (w *Workflows) openWebhook(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, draft webhooks.Draft, board id.Board,
) (opened OpenedWebhook, err error) {
	if !actor.Manages() {
		return opened, accounts.NotManager()
	}
	if err := tx.LockCompany(ctx, actor.Company.ID); err != nil { // so that two count one after the other
		return opened, err
	}
	ends, err := endsOf(ctx, tx.Queries, draft.Feeds)
	if err != nil {
		return opened, err
	}
	opened.ID, opened.Secret, err = webhooks.Open(ctx, tx, w.keys, actor.Company.ID, actor.Account.ID, draft, board, ends)
	if err != nil {
		return opened, err
	}
	detail := accounts.AuditDetail{Name: webhooks.Webhook{URL: draft.URL}.Host()}
	return opened, audit(ctx, tx, actor, accounts.AuditWebhookMade, detail)
}

// checkWebhook returns a draft as it can be stored, and the id of its board, 0 for none, or all that is wrong with it.
func (w *Workflows) checkWebhook(ctx context.Context, draft webhooks.Draft) (webhooks.Draft, id.Board, error) {
	actor := accounts.ActorFrom(ctx)
	checked, err := webhooks.Check(draft, w.feeds.Names(), w.outbound)
	board, noBoard := w.scopeNamed(ctx, actor, draft.Board)
	if noBoard != nil || errors.Is(err, webhooks.CodeBadFilter) {
		return checked, 0, cmp.Or(err, noBoard)
	}
	badFilter := w.checkWebhookFilter(ctx, actor, board, draft.Filter)
	if badFilter != nil && query.Problem(badFilter) == nil {
		return checked, 0, badFilter
	}
	return checked, board.ID, fault.Join(err, badFilter)
}

// endsOf returns the present ends of some feeds.
func endsOf(ctx context.Context, q *db.Queries, names []string) ([]webhooks.Cursor, error) {
	rows, err := q.Sequences(ctx)
	if err != nil {
		return nil, fmt.Errorf("read sequences: %w", err)
	}
	var ends []webhooks.Cursor
	for _, row := range rows {
		if slices.Contains(names, row.Name) {
			ends = append(ends, webhooks.Cursor{Feed: row.Name, Epoch: row.Epoch, Position: uint64(row.Head)})
		}
	}
	return ends, nil
}

// EditWebhook changes a webhook that is at a version. Feeds that are new to it begin now. It returns all that is wrong
// with the draft, webhooks.Stale, webhooks.NotFound or boards.NotFound. At another address it loses the private boards
// that the caller does not administer.
func (w *Workflows) EditWebhook(ctx context.Context, webhook id.Webhook, version uint64, draft webhooks.Draft) error {
	if _, err := mayManageWebhooks(ctx); err != nil {
		return err
	}
	draft, board, err := w.checkWebhook(ctx, draft)
	if err != nil {
		return err
	}
	edit := func(tx *db.Tx, actor accounts.Actor, hook *webhooks.Webhook) error {
		ends, err := endsOf(ctx, tx.Queries, draft.Feeds)
		if err != nil {
			return err
		}
		if err := webhooks.Edit(ctx, tx, *hook, version, draft, board, ends); err != nil || draft.URL == hook.URL {
			return err
		}
		if err := dropBoardsOfOthers(ctx, tx, actor, *hook); err != nil {
			return err
		}
		hook.URL = draft.URL
		return nil
	}
	return w.changeWebhook(ctx, "edit webhook", accounts.AuditWebhookChanged, webhook, edit)
}

// EnableWebhook turns a webhook on or off. One that is turned on continues from its cursors. It returns
// webhooks.BadURL or webhooks.NotHTTPS for one whose address is refused, and a query.Error for one whose filter names
// something that is not there.
func (w *Workflows) EnableWebhook(ctx context.Context, webhook id.Webhook, on bool) error {
	kind := accounts.AuditWebhookOff
	if on {
		kind = accounts.AuditWebhookOn
	}
	return w.changeWebhook(ctx, "switch webhook", kind, webhook, func(tx *db.Tx, _ accounts.Actor, hook *webhooks.Webhook) error {
		if on {
			if err := webhooks.CheckURL(hook.URL, w.outbound); err != nil {
				return err
			}
			if _, err := WebhookFilter(ctx, tx.Queries, *hook, tx.Now); err != nil {
				return err
			}
		}
		return webhooks.Switch(ctx, tx, *hook, on)
	})
}

// DeleteWebhook removes a webhook with its deliveries.
func (w *Workflows) DeleteWebhook(ctx context.Context, webhook id.Webhook) error {
	if _, err := w.Webhook(ctx, webhook); err != nil {
		return err
	}
	if err := webhooks.Untrack(ctx, w.db, webhook); err != nil {
		return err
	}
	remove := func(tx *db.Tx, _ accounts.Actor, hook *webhooks.Webhook) error {
		return webhooks.Delete(ctx, tx, *hook)
	}
	return w.changeWebhook(ctx, "delete webhook", accounts.AuditWebhookDeleted, webhook, remove)
}

// RotateSecret gives a webhook a new secret, which is not shown again. For a day messages are signed with the old one,
// too. With once it returns Replay.
func (w *Workflows) RotateSecret(ctx context.Context, webhook id.Webhook, once *Once[string]) (string, error) {
	return DoOnce(ctx, w, once, func() (secret string, err error) {
		rotate := func(tx *db.Tx, _ accounts.Actor, hook *webhooks.Webhook) error {
			if secret, err = webhooks.RotateSecret(ctx, tx, w.keys, *hook); err != nil {
				return err
			}
			return StoreResponses(ctx, tx, once.Row(tx, secret))
		}
		err = w.changeWebhook(ctx, "rotate secret", accounts.AuditWebhookSecret, webhook, rotate)
		return secret, err
	})
}

// DeliveriesPerPage is how many attempts a page has.
const DeliveriesPerPage = 25

// Deliveries returns a page of the attempts of a webhook, the newest first: from below before, or from the newest if it
// is 0.
func (w *Workflows) Deliveries(
	ctx context.Context, webhook id.Webhook, before id.Delivery,
) ([]webhooks.Attempt, bool, error) {
	if _, err := w.Webhook(ctx, webhook); err != nil {
		return nil, false, err
	}
	reader := accounts.ActorFrom(ctx).Account.ID
	return webhooks.Attempts(ctx, w.db.Queries, reader, webhook, before, DeliveriesPerPage)
}

// Delivery returns an attempt, or webhooks.AttemptNotFound.
func (w *Workflows) Delivery(ctx context.Context, webhook id.Webhook, delivery id.Delivery) (webhooks.Attempt, error) {
	if _, err := w.Webhook(ctx, webhook); err != nil {
		return webhooks.Attempt{}, err
	}
	return webhooks.AttemptByID(ctx, w.db.Queries, accounts.ActorFrom(ctx).Account.ID, webhook, delivery)
}

// TestWebhook sends a webhook a message of the type test now, whether it is on or not, and returns the attempt. It
// returns webhooks.Busy, and with once Replay.
func (w *Workflows) TestWebhook(
	ctx context.Context, webhook id.Webhook, once *Once[webhooks.Attempt],
) (webhooks.Attempt, error) {
	hook, err := w.Webhook(ctx, webhook)
	if err != nil {
		return webhooks.Attempt{}, err
	}
	now := w.db.Now()
	message := webhooks.Message{
		ID: fmt.Sprintf("test:%d:%d", webhook, now.UnixMicro()), Type: "test", At: now,
		Data: map[string]string{"message": "This is a test, sent from Counterfoil."},
	}
	return w.sendOnce(ctx, hook, webhooks.Test, message, once)
}

// ResendDelivery sends the row of a delivery again, as it is now, out of order, and returns the attempt. It returns
// webhooks.NothingToSend if the row was just changed, so that it is sent anyway, or is not the webhook's any more,
// webhooks.AttemptNotFound or webhooks.Busy, and with once Replay.
func (w *Workflows) ResendDelivery(
	ctx context.Context, webhook id.Webhook, delivery id.Delivery, once *Once[webhooks.Attempt],
) (webhooks.Attempt, error) {
	hook, err := w.Webhook(ctx, webhook)
	if err != nil {
		return webhooks.Attempt{}, err
	}
	attempt, err := webhooks.AttemptByID(ctx, w.db.Queries, accounts.ActorFrom(ctx).Account.ID, webhook, delivery)
	if err != nil {
		return webhooks.Attempt{}, err
	}
	if attempt.Row == 0 {
		err := webhooks.NothingToSend("This message was not about a ticket, comment or board. Send a test instead.")
		return webhooks.Attempt{}, err
	}
	item, err := w.feeds.Row(ctx, attempt.Feed, attempt.Row, WebhookScope(hook, w.base))
	if errors.Is(err, feeds.CodeRowNotFound) {
		err = webhooks.NothingToSend("There is nothing to resend: it was just changed and is sent automatically, " +
			"or the webhook may not see it any more.")
	}
	if err != nil {
		return webhooks.Attempt{}, err
	}
	if err := w.passesFilter(ctx, hook, item); err != nil {
		return webhooks.Attempt{}, err
	}
	end, err := w.feeds.End(ctx, attempt.Feed)
	if err != nil {
		return webhooks.Attempt{}, err
	}
	return w.sendOnce(ctx, hook, webhooks.Resent, WebhookMessage(end, item, w.db.Now()), once)
}

// Sender sends messages to webhooks; delivery does.
type Sender interface {
	// SendMessage sends a message to an address, signed with the keys, within a time, and returns its outcome. Its error
	// is ctx's, or a server error.
	SendMessage(
		ctx context.Context, address string, keys webhooks.Keys, m webhooks.Message, within time.Duration,
	) (webhooks.Outcome, error)
}

// sendNowTimeout is how long a message may take, with its answer, while a caller waits for it.
const sendNowTimeout = 10 * time.Second

// sendOnce is sendNow, once for a form. A form that is sent again while its message is under way waits for that: the
// message goes on when its first caller leaves, as a browser does at a double click. Of two servers that get the same
// form at once each sends a message, and one attempt is kept.
func (w *Workflows) sendOnce(
	ctx context.Context, hook webhooks.Webhook, kind string, message webhooks.Message, once *Once[webhooks.Attempt],
) (webhooks.Attempt, error) {
	if once == nil {
		return w.sendNow(ctx, hook, kind, message, nil)
	}
	return DoOnce(ctx, w, once, func() (webhooks.Attempt, error) {
		sent, err, _ := w.sending.Do(once.Key, func() (any, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendNowTimeout+5*time.Second)
			defer cancel()
			if _, err := w.firstResponse(ctx, once.Token, hash([]byte(once.Key)), hash(once.Request)); err != nil {
				if errors.As(err, new(Replay)) {
					err = errTaken // DoOnce replays it
				}
				return webhooks.Attempt{}, err
			}
			return w.sendNow(ctx, hook, kind, message, once)
		})
		return sent.(webhooks.Attempt), err
	})
}

// sendNow sends a message that the caller waits for.
func (w *Workflows) sendNow(
	ctx context.Context, hook webhooks.Webhook, kind string, message webhooks.Message, once *Once[webhooks.Attempt],
) (webhooks.Attempt, error) {
	select {
	case w.byHand <- struct{}{}:
		defer func() { <-w.byHand }()
	default:
		return webhooks.Attempt{}, webhooks.Busy()
	}
	keys, err := webhooks.KeysOf(ctx, w.db.Queries, w.keys, hook.Company, hook.ID, w.db.Now())
	if err != nil {
		return webhooks.Attempt{}, err
	}
	outcome, err := w.sender.SendMessage(ctx, hook.URL, keys, message, sendNowTimeout)
	if err != nil {
		return webhooks.Attempt{}, err
	}
	attempt := webhooks.Attempt{Webhook: hook.ID, Kind: kind, Message: message.ID, Type: message.Type, Outcome: outcome}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if _, err := webhooks.Lock(ctx, tx, hook.Company, hook.ID); err != nil { // it may be deleted by now
			return err
		}
		if attempt.ID, err = webhooks.RecordAttempt(ctx, tx, hook.ID, kind, message, outcome); err != nil {
			return err
		}
		return StoreResponses(ctx, tx, once.Row(tx, attempt))
	})
	return attempt, err
}

// ForgetDeliveries removes some attempts older than 30 days, and returns how many.
func (w *Workflows) ForgetDeliveries(ctx context.Context) (int64, error) {
	return webhooks.Forget(ctx, w.db.Queries, w.db.Now())
}

func WebhookScope(hook webhooks.Webhook, base string) feeds.Scope {
	return feeds.Scope{Sight: db.Sight{Company: hook.Company, Webhook: hook.ID}, Board: hook.Board, Base: base}
}

// WebhookMessage returns the message about a row of the feed of a cursor, as it was at a time.
func WebhookMessage(of feeds.Cursor, item feeds.Item, at time.Time) webhooks.Message {
	m := webhooks.RowMessage(of.Feed, of.Epoch, item.ID, item.Position)
	m.Type = webhooks.TypeOf(of.Feed, item.Deleted, item.Reason == feeds.LeftFilter || item.Reason == feeds.Left)
	m.At, m.Data = at, item
	if known, ok := item.Data.(interface{ subject() string }); ok {
		m.Subject = known.subject()
	}
	return m
}
