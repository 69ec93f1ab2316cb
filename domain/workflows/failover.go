package workflows

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// A failover loses what was stored last, and with it the first answers to keys. A key that may have been used then, and
// has no answer, is not done: its first request may have been answered, with a number or a code that is lost.

// CodeUnknownKey: the request may have been done before the database failed over, and what was done then may be lost.
// Look, then send it with a new Idempotency-Key, or from a newly opened form.
const CodeUnknownKey fault.Code = "Idempotency.Unknown"

// UnknownKey is the error of CodeUnknownKey.
func UnknownKey() error {
	return fault.Unknown.New(CodeUnknownKey, "",
		"The database failed over, and it is not known whether this was done before that. Look whether it is there. If it is not, send it once more: from a newly opened form, or with a new Idempotency-Key.")
}

// unknownStatus is the status of a key whose first answer is unknown.
const unknownStatus = 0

// failoverMargin is for clocks that differ, and for requests that are sent again.
const failoverMargin = time.Minute

// beforeFailover returns the first answer, or UnknownKey, for a key that may have been used before the last failover. A
// key that does not tell its age is one until a moment after it, and is remembered as unknown.
func beforeFailover[T any](ctx context.Context, w *Workflows, once *Once[T]) error {
	if once == nil {
		return nil
	}
	young, err := w.young(ctx, once.Made)
	if err != nil || !young {
		return err
	}
	key, request := hash([]byte(once.Key)), hash(once.Request)
	if _, first := w.firstResponse(ctx, once.Token, key, request); first != nil {
		return once.replay(first)
	}
	if once.Made.IsZero() {
		err = w.db.InTx(ctx, func(tx *db.Tx) error {
			return tx.StoreResponses(ctx, []db.Idempotency{{TokenID: once.Token, KeyHash: key, RequestHash: request,
				Status: unknownStatus, Answer: []byte{}, CreatedAt: tx.Now}})
		})
	}
	if err != nil && !db.IsDuplicate(err, "PRIMARY") {
		return err
	}
	return UnknownKey()
}

// young reports whether a key that was made at a time may have been used when changes were lost.
func (w *Workflows) young(ctx context.Context, made time.Time) (bool, error) {
	last, err := db.Read(w.db.LastFailover(ctx))
	if db.IsNotFound(err) || err == nil && last.EndedAt == nil {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	lost := time.Duration(last.LostUs) * time.Microsecond
	if made.IsZero() {
		return w.db.Now().Before(last.EndedAt.Add(lost + failoverMargin)), nil
	}
	from := last.BeganAt.Add(-lost)
	if last.LastAt.Before(from) {
		from = last.LastAt
	}
	return made.After(from.Add(-failoverMargin)) && made.Before(*last.EndedAt), nil
}
