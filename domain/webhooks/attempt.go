package webhooks

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Kinds of attempts: automatic, repeated by hand, and a test.
const (
	Sent   = "sent"
	Resent = "resent"
	Test   = "test"
)

// Attempt is one try to send a message, with its outcome.
type Attempt struct {
	ID       id.Delivery
	Webhook  id.Webhook
	Kind     string
	Message  string // its id
	Type     string
	Subject  string
	Feed     string
	Row      uint64
	Position uint64
	Outcome  Outcome
	At       time.Time
	// Hidden says that it is about a board that the reader does not see: Subject and the response are left out.
	Hidden bool
}

// RecordAttempt writes an attempt down.
func RecordAttempt(
	ctx context.Context, tx *db.Tx, webhook id.Webhook, kind string, m Message, o Outcome,
) (id.Delivery, error) {
	row := db.CreateWebhookAttemptParams{
		WebhookID: webhook, Message: m.ID, Kind: kind, Type: m.Type, Subject: m.Subject, Feed: m.Feed, RowID: m.Row,
		Position: m.Position,
		Error:    o.Error, Response: o.Response, Milliseconds: uint32(min(max(o.Took.Milliseconds(), 0), math.MaxUint32)),
		CreatedAt: tx.Now,
	}
	if row.Response == nil {
		row.Response = []byte{}
	}
	if o.Status != 0 {
		status := uint16(o.Status)
		row.Status = &status
	}
	n, err := tx.CreateWebhookAttempt(ctx, row)
	if err != nil {
		return 0, fmt.Errorf("record attempt: %w", err)
	}
	return id.Delivery(n), nil
}

// Attempts returns up to limit of a webhook's attempts, the newest first: those with an id below before, or the
// newest if it is 0. more says that there are older ones. What is about a board that the reader does not see, in its company, is hidden.
func Attempts(
	ctx context.Context, q *db.Queries, reader id.Account, webhook id.Webhook, before id.Delivery, limit int,
) (list []Attempt, more bool, err error) {
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := db.Read(q.WebhookAttempts(ctx, db.WebhookAttemptsParams{Reader: reader,
		WebhookID: webhook, Before: before, Limit: int32(limit + 1)}))
	if err != nil {
		return nil, false, fmt.Errorf("read attempts: %w", err)
	}
	for _, row := range rows[:min(len(rows), limit)] {
		list = append(list, attemptFrom(row.WebhookAttempt, row.Visible > 0))
	}
	return list, len(rows) > limit, nil
}

// AttemptByID returns an attempt of a webhook, or AttemptNotFound.
func AttemptByID(
	ctx context.Context, q *db.Queries, reader id.Account, webhook id.Webhook, attempt id.Delivery,
) (Attempt, error) {
	row, err := db.Read(q.WebhookAttempt(ctx, db.WebhookAttemptParams{Reader: reader, ID: attempt,
		WebhookID: webhook}))
	if db.IsNotFound(err) {
		return Attempt{}, AttemptNotFound()
	}
	if err != nil {
		return Attempt{}, fmt.Errorf("read attempt: %w", err)
	}
	return attemptFrom(row.WebhookAttempt, row.Visible > 0), nil
}

func attemptFrom(row db.WebhookAttempt, visible bool) Attempt {
	a := Attempt{
		ID: row.ID, Webhook: row.WebhookID, Kind: row.Kind, Message: row.Message, Type: row.Type, Subject: row.Subject,
		Feed: row.Feed,
		Row:  row.RowID, Position: row.Position, At: row.CreatedAt,
		Outcome: Outcome{Error: row.Error, Response: row.Response, Took: time.Duration(row.Milliseconds) * time.Millisecond},
	}
	if row.Status != nil {
		a.Outcome.Status = int(*row.Status)
	}
	if !visible {
		a.Hidden, a.Subject, a.Outcome.Response = true, "", nil
	}
	return a
}

const (
	// KeptFor is how long attempts are kept. Of each webhook the newest thousand are.
	KeptFor = 30 * 24 * time.Hour
	perTime = 500
)

// Forget removes some attempts that were made longer ago, and returns how many they were.
func Forget(ctx context.Context, q *db.Queries, now time.Time) (int64, error) {
	n, err := q.ForgetWebhookAttempts(ctx, now.Add(-KeptFor), perTime)
	if err != nil {
		return 0, fmt.Errorf("forget attempts: %w", err)
	}
	return n, nil
}

// Trim removes some of the attempts of a webhook behind the newest thousand, and returns how many they were.
func Trim(ctx context.Context, q *db.Queries, webhook id.Webhook) (int64, error) {
	to, err := db.Read(q.WebhookAttemptsBehind(ctx, webhook))
	if err != nil || len(to) == 0 {
		return 0, err
	}
	n, err := db.Read(q.DeleteWebhookAttempts(ctx, db.DeleteWebhookAttemptsParams{WebhookID: webhook, To: to[0],
		Limit: perTime}))
	if err != nil {
		return 0, fmt.Errorf("forget attempts: %w", err)
	}
	return n, nil
}
