package webhooks

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// Open adds a webhook that begins at the cursors, and returns it with its secret, which is shown only now. The draft
// is checked; board is its board's id. The company is locked. It returns TooMany.
func Open(
	ctx context.Context, tx *db.Tx, keys *secrets.Keys, company id.Company, author id.Account, draft Draft, board id.Board, cursors []Cursor,
) (id.Webhook, string, error) {
	there, err := tx.WebhooksOfCompany(ctx, company, Max)
	if err != nil {
		return 0, "", fmt.Errorf("read webhooks: %w", err)
	}
	if len(there) >= Max {
		return 0, "", TooMany()
	}
	clear, err := secrets.KeepClear(ctx, tx.Queries)
	if err != nil {
		return 0, "", err
	}
	secret, inRow := newSecret(), []byte{}
	if clear {
		inRow = secret
	}
	row, err := tx.CreateWebhook(ctx, db.CreateWebhookParams{
		CompanyID: company, Url: draft.URL, Note: draft.Note, Feeds: strings.Join(draft.Feeds, " "),
		BoardID: orNone(board), Filter: draft.Filter, Secret: inRow, CreatedBy: author, Now: tx.Now,
	})
	if err != nil {
		return 0, "", fmt.Errorf("create webhook: %w", err)
	}
	if !clear {
		if err := keys.Put(ctx, tx, secretOf(id.Webhook(row)), secret); err != nil {
			return 0, "", err
		}
	}
	if err := addCursors(ctx, tx, id.Webhook(row), cursors); err != nil {
		return 0, "", err
	}
	return id.Webhook(row), spell(secret), nil
}

func addCursors(ctx context.Context, tx *db.Tx, webhook id.Webhook, cursors []Cursor) error {
	for _, c := range cursors {
		if err := tx.CreateWebhookCursor(ctx, db.CreateWebhookCursorParams{WebhookID: webhook, Feed: c.Feed, Epoch: c.Epoch,
			Position: c.Position}); err != nil {
			return fmt.Errorf("create cursor: %w", err)
		}
	}
	return nil
}

func orNone(board id.Board) *id.Board {
	if board == 0 {
		return nil
	}
	return &board
}

// Edit changes a locked webhook. A feed that is new to it begins at the cursor of ends; others keep theirs. It returns
// Stale if version is not the webhook's.
func Edit(
	ctx context.Context, tx *db.Tx, locked Webhook, version uint64, draft Draft, board id.Board, ends []Cursor,
) error {
	if locked.Version != version {
		return Stale()
	}
	err := tx.EditWebhook(ctx, db.EditWebhookParams{
		Url: draft.URL, Note: draft.Note, Feeds: strings.Join(draft.Feeds, " "), BoardID: orNone(board), Now: tx.Now,
		ID: locked.ID, Filter: draft.Filter, Moved: draft.URL != locked.URL,
		Refiltered: draft.Filter != locked.Filter || draft.Filter != "" && board != locked.Board,
	})
	if err != nil {
		return fmt.Errorf("edit webhook: %w", err)
	}
	for _, feed := range locked.Feeds {
		if !slices.Contains(draft.Feeds, feed) {
			if err := tx.DeleteWebhookCursor(ctx, locked.ID, feed); err != nil {
				return fmt.Errorf("delete cursor: %w", err)
			}
		}
	}
	return addCursors(ctx, tx, locked.ID, slices.DeleteFunc(slices.Clone(ends), func(c Cursor) bool {
		return slices.Contains(locked.Feeds, c.Feed) || !slices.Contains(draft.Feeds, c.Feed)
	}))
}

// Lock locks a webhook of a company, or returns NotFound.
func Lock(ctx context.Context, tx *db.Tx, company id.Company, webhook id.Webhook) (Webhook, error) {
	row, err := tx.LockWebhook(ctx, webhook, company)
	if db.IsNotFound(err) {
		return Webhook{}, NotFound()
	}
	if err != nil {
		return Webhook{}, fmt.Errorf("lock webhook: %w", err)
	}
	return from(row), nil
}

// Switch turns a locked webhook on, from its cursors, or off. It returns NoSecret.
func Switch(ctx context.Context, tx *db.Tx, locked Webhook, on bool) error {
	state := Off
	if on {
		state = On
		row, err := tx.WebhookSecrets(ctx, locked.ID)
		if err != nil {
			return fmt.Errorf("read secret: %w", err)
		}
		if !hasSecret(row) {
			return NoSecret()
		}
	}
	if err := tx.SetWebhookState(ctx, db.SetWebhookStateParams{State: string(state), Now: tx.Now,
		ID: locked.ID}); err != nil {
		return fmt.Errorf("switch webhook: %w", err)
	}
	return nil
}

// Delete removes a locked webhook with all its rows. Untrack goes before it.
func Delete(ctx context.Context, tx *db.Tx, locked Webhook) error {
	for {
		n, err := tx.DeleteWebhookAttempts(ctx, db.DeleteWebhookAttemptsParams{WebhookID: locked.ID, To: math.MaxInt64,
			Limit: 1000})
		if err != nil {
			return fmt.Errorf("delete attempts: %w", err)
		}
		if n == 0 {
			break
		}
	}
	if _, err := tx.UntrackTickets(ctx, locked.ID, math.MaxInt32); err != nil { // those since Untrack
		return forgetError(err)
	}
	if err := tx.DeleteWebhookCursors(ctx, locked.ID); err != nil {
		return fmt.Errorf("delete cursors: %w", err)
	}
	if err := tx.DeleteWebhookBoards(ctx, locked.ID); err != nil {
		return fmt.Errorf("delete boards of the webhook: %w", err)
	}
	if err := secrets.Delete(ctx, tx, secretOf(locked.ID), oldSecretOf(locked.ID)); err != nil {
		return err
	}
	if err := tx.DeleteWebhook(ctx, locked.ID); err != nil {
		return fmt.Errorf("delete webhook: %w", err)
	}
	return nil
}

// Of returns the webhooks of a company, the oldest first.
func Of(ctx context.Context, q *db.Queries, company id.Company) ([]Webhook, error) {
	rows, err := db.Read(q.WebhooksOfCompany(ctx, company, Max))
	if err != nil {
		return nil, fmt.Errorf("read webhooks: %w", err)
	}
	list := make([]Webhook, len(rows))
	for i, row := range rows {
		list[i] = shown(row.Webhook, row.BoardSlug, row.WaitSeconds)
	}
	return list, withCursors(ctx, q, list)
}

// After returns a page of the webhooks of all companies: those with an id above after.
func After(ctx context.Context, q *db.Queries, after id.Webhook, limit int) ([]Webhook, error) {
	rows, err := db.Read(q.WebhooksAfter(ctx, after, int32(limit)))
	if err != nil {
		return nil, fmt.Errorf("read webhooks: %w", err)
	}
	list := make([]Webhook, len(rows))
	for i, row := range rows {
		list[i] = shown(row.Webhook, row.BoardSlug, row.WaitSeconds)
		list[i].CompanySlug = row.CompanySlug
	}
	return list, withCursors(ctx, q, list)
}

// OnAfter returns a page of the webhooks of all companies that are on: those with an id above after.
func OnAfter(ctx context.Context, q *db.Queries, after id.Webhook, limit int) ([]Webhook, error) {
	rows, err := db.Read(q.WebhooksOnAfter(ctx, after, int32(limit)))
	if err != nil {
		return nil, fmt.Errorf("read webhooks: %w", err)
	}
	list := make([]Webhook, len(rows))
	for i, row := range rows {
		list[i] = from(row)
	}
	return list, nil
}

// Refuse stops a webhook that is on because of its address, and reports whether it did: not if it was changed since it
// was read.
func Refuse(ctx context.Context, d *db.DB, w Webhook, reason string) (bool, error) {
	n, err := db.Read(d.RefuseWebhook(ctx, db.RefuseWebhookParams{Reason: shortReason(reason), Now: d.Now(), ID: w.ID,
		Version: w.Version}))
	if err != nil {
		return false, fmt.Errorf("stop webhook: %w", err)
	}
	return n > 0, nil
}

// FirstStopped returns the first stopped webhooks of all companies, limit at most.
func FirstStopped(ctx context.Context, q *db.Queries, limit int) ([]id.Webhook, error) {
	list, err := db.Read(q.StoppedWebhooks(ctx, int32(limit)))
	if err != nil {
		return nil, fmt.Errorf("read stopped webhooks: %w", err)
	}
	return list, nil
}

// ByID returns a webhook of a company, or NotFound.
func ByID(ctx context.Context, q *db.Queries, company id.Company, webhook id.Webhook) (Webhook, error) {
	row, err := db.Read(q.WebhookByID(ctx, webhook, company))
	if db.IsNotFound(err) {
		return Webhook{}, NotFound()
	}
	if err != nil {
		return Webhook{}, fmt.Errorf("read webhook: %w", err)
	}
	list := []Webhook{shown(row.Webhook, row.BoardSlug, row.WaitSeconds)}
	err = withCursors(ctx, q, list)
	return list[0], err
}

func withCursors(ctx context.Context, q *db.Queries, list []Webhook) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]id.Webhook, len(list))
	for i, w := range list {
		ids[i] = w.ID
	}
	cursors, err := cursorsOf(ctx, q, ids)
	for i, w := range list {
		list[i].Cursors = cursors[w.ID]
	}
	return err
}

// cursorsOf returns the cursors of some webhooks, one at least.
func cursorsOf(ctx context.Context, q *db.Queries, ids []id.Webhook) (map[id.Webhook][]Cursor, error) {
	rows, err := db.Read(q.CursorsOfWebhooks(ctx, ids))
	if err != nil {
		return nil, fmt.Errorf("read cursors: %w", err)
	}
	of := map[id.Webhook][]Cursor{}
	for _, row := range rows {
		of[row.WebhookID] = append(of[row.WebhookID], Cursor{Feed: row.Feed, Epoch: row.Epoch, Position: row.Position,
			Began: row.Began})
	}
	return of, nil
}

func shown(row db.Webhook, board string, wait int64) Webhook {
	w := from(row)
	w.BoardSlug, w.Wait = board, time.Duration(wait)*time.Second
	return w
}

func from(row db.Webhook) Webhook {
	w := Webhook{
		ID: row.ID, Company: row.CompanyID, URL: row.Url, Note: row.Note, Feeds: strings.Fields(row.Feeds),
		State: State(row.State), Reason: row.Reason,
		Filter: row.Filter, ComparedTo: row.ComparedTo,
		Version: row.Version, Failures: int(row.Failures), Failing: row.FailingSince, OldSecret: row.OldSecretEnds,
		CreatedAt: row.CreatedAt,
	}
	if row.BoardID != nil {
		w.Board = *row.BoardID
	}
	return w
}
