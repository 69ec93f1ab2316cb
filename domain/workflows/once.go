package workflows

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// KeepAnswers is how long the first answer to an Idempotency-Key is kept.
const KeepAnswers = 24 * time.Hour

// Once makes a use case happen once for a token's idempotency key. Its answer is stored in the
// transaction of what it answers, so neither is ever there without the other.
type Once[T any] struct {
	Token   id.Token
	Key     string
	Request []byte // what must be the same for the same key: method, path, body
	Status  int
	Answer  func(T) any // what is answered, as JSON; it depends on nothing but its argument
}

// Replayed is returned in place of doing something again: the first answer.
type Replayed struct {
	Status int
	Body   []byte
}

func (Replayed) Error() string { return "answered before" }

// KeyReused reports an idempotency key that came with another request before.
type KeyReused struct{}

func (KeyReused) Error() string {
	return "This Idempotency-Key was used for another request in the last 24 hours. Send a new key with a new request."
}
func (KeyReused) Unwrap() error { return fault.Invalid }
func (KeyReused) Field() string { return "Idempotency-Key" }

// errTaken says that another request with the key committed first.
var errTaken = errors.New("idempotency key taken")

// row is what to remember of an answer; nil without a key.
func (o *Once[T]) row(tx *db.Tx, result T) []db.Idempotency {
	if o == nil {
		return nil
	}
	body, err := json.Marshal(o.Answer(result))
	if err != nil {
		panic(fmt.Sprintf("workflows: an answer that is no JSON: %v", err))
	}
	return []db.Idempotency{{
		TokenID: o.Token, KeyHash: hash([]byte(o.Key)), RequestHash: hash(o.Request),
		Status: uint16(o.Status), Answer: body, CreatedAt: tx.Now,
	}}
}

// remember stores answers, or returns errTaken.
func remember(ctx context.Context, tx *db.Tx, rows []db.Idempotency) error {
	if len(rows) == 0 {
		return nil
	}
	err := tx.RememberAnswers(ctx, rows)
	if db.IsDuplicate(err, "PRIMARY") {
		return errTaken
	}
	if err != nil {
		return fmt.Errorf("remember answer: %w", err)
	}
	return nil
}

// replay returns Replayed where the request was answered before, KeyReused where another was. An
// answer older than KeepAnswers is forgotten.
func (w *Workflows) replay(ctx context.Context, once onceKey) error {
	token, key, request := once.parts()
	if key == nil {
		return nil
	}
	row, err := db.Read(w.db.RememberedAnswer(ctx, token, key))
	if db.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read remembered answer: %w", err)
	}
	if limit := w.db.Now().Add(-KeepAnswers); row.CreatedAt.Before(limit) {
		_, err := db.Read(w.db.ForgetAnswer(ctx, token, key, limit))
		return err
	}
	if !bytes.Equal(row.RequestHash, request) {
		return KeyReused{}
	}
	return Replayed{Status: int(row.Status), Body: row.Answer}
}

// replayTaken answers a request that lost to another with its key.
func (w *Workflows) replayTaken(ctx context.Context, once onceKey, err error) error {
	if !errors.Is(err, errTaken) {
		return err
	}
	if err := w.replay(ctx, once); err != nil {
		return err
	}
	return fmt.Errorf("the answer of a taken idempotency key has gone")
}

// ForgetAnswers removes up to a thousand answers that are kept no longer, and returns how many.
func (w *Workflows) ForgetAnswers(ctx context.Context) (int64, error) {
	return db.Read(w.db.ForgetAnswers(ctx, w.db.Now().Add(-KeepAnswers)))
}

// onceKey is a Once of any type.
type onceKey interface {
	parts() (token id.Token, key, request []byte)
}

func (o *Once[T]) parts() (token id.Token, key, request []byte) {
	if o == nil {
		return 0, nil, nil
	}
	return o.Token, hash([]byte(o.Key)), hash(o.Request)
}

func hash(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
}
