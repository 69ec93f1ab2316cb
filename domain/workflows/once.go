package workflows

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// KeepResponses is how long the first answer to an Idempotency-Key is kept.
const KeepResponses = 24 * time.Hour

// Once makes a use case happen once for a token's idempotency key, or for the nonce of a browser's form. Its answer is
// stored in the transaction of the change, so neither exists without the other.
type Once[T any] struct {
	Token    id.Token // 0 for a form
	Key      string
	Request  []byte // of the key: method, path, body
	Status   int
	Response func(T) any // as JSON; it depends on its argument alone
	Made     time.Time   // when the key was made; the zero time if it does not tell
	// Secret encrypts the stored answer, which may have a secret that is shown once; nil for an answer in the clear.
	// It is stored nowhere: the form has it.
	Secret []byte
}

// OncePart is a use case that makes a part of the result of another one.
func OncePart[T, U any](once *Once[U], whole func(T) U) *Once[T] {
	if once == nil {
		return nil
	}
	return &Once[T]{
		Token: once.Token, Key: once.Key, Request: once.Request, Status: once.Status, Made: once.Made, Secret: once.Secret,
		Response: func(part T) any { return once.Response(whole(part)) },
	}
}

// Replay is the first answer, returned in place of doing something again.
type Replay struct {
	Status int
	Body   []byte
}

func (Replay) Error() string { return "answered before" }

// CodeKeyReused: the Idempotency-Key was used for another request. Send a new key with a new request.
const CodeKeyReused fault.Code = "Idempotency.KeyReused"

func KeyReused() error {
	return fault.Invalid.New(CodeKeyReused, "Idempotency-Key",
		"This Idempotency-Key was used for another request in the last 24 hours. Send a new key with a new request.")
}

// errTaken says that another request with the key committed first.
var errTaken = fmt.Errorf("idempotency key taken: %w", fault.Conflict)

// Row returns the answer as it is stored; nil without a key.
func (o *Once[T]) Row(tx *db.Tx, result T) []db.Idempotency {
	if o == nil {
		return nil
	}
	body, err := json.Marshal(o.Response(result))
	if err != nil {
		panic(fmt.Sprintf("workflows: an answer that is no JSON: %v", err))
	}
	if o.Secret != nil {
		body = o.cipher().Seal(nil, nil, body, nil)
	}
	return []db.Idempotency{{
		TokenID: o.Token, KeyHash: hash([]byte(o.Key)), RequestHash: hash(o.Request),
		Status: uint16(o.Status), Answer: body, CreatedAt: tx.Now,
	}}
}

// cipher encrypts an answer with a key of its own: of the secret and the request.
func (o *Once[T]) cipher() cipher.AEAD {
	key, err := hkdf.Key(sha256.New, o.Secret, hash(o.Request), "answer", 32)
	if err != nil {
		panic(err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	sealed, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return sealed
}

// read returns a stored answer as it was before it was encrypted.
func (o *Once[T]) read(stored []byte) ([]byte, error) {
	if o.Secret == nil {
		return stored, nil
	}
	body, err := o.cipher().Open(nil, nil, stored, nil)
	if err != nil {
		return nil, fmt.Errorf("read remembered answer: %w", err)
	}
	return body, nil
}

// StoreResponses stores answers, or returns errTaken.
func StoreResponses(ctx context.Context, tx *db.Tx, rows []db.Idempotency) error {
	if len(rows) == 0 {
		return nil
	}
	err := tx.StoreResponses(ctx, rows)
	if db.IsDuplicate(err, "PRIMARY") {
		return errTaken
	}
	if err != nil {
		return fmt.Errorf("remember answer: %w", err)
	}
	return nil
}

// DoOnce runs a use case that remembers its answer. If it fails, an earlier answer to its key counts before any other
// reason: it returns Replay, or KeyReused if that answered another request. An answer older than KeepAnswers is
// forgotten, and the use case done anew.
func DoOnce[T any](ctx context.Context, w *Workflows, once *Once[T], do func() (T, error)) (T, error) {
	for {
		if err := beforeFailover(ctx, w, once); err != nil {
			var none T
			return none, err
		}
		result, err := do()
		if err == nil || once == nil || errors.Is(err, fault.Unavailable) {
			return result, err
		}
		expired, before := w.firstResponse(ctx, once.Token, hash([]byte(once.Key)), hash(once.Request))
		switch {
		case expired:
		case errors.As(before, new(Replay)), before != nil && !errors.Is(err, fault.Unknown):
			return result, once.replay(before)
		case !errors.Is(err, errTaken):
			return result, err
		}
	}
}

// replay returns a Replay with its answer readable, and another error as it is.
func (o *Once[T]) replay(before error) error {
	first, ok := before.(Replay)
	if !ok {
		return before
	}
	var err error
	if first.Body, err = o.read(first.Body); err != nil {
		return err
	}
	return first
}

// firstResponse returns Replay or KeyReused if there is an answer for the key, or expired once it is removed for its age.
func (w *Workflows) firstResponse(ctx context.Context, token id.Token, key, request []byte) (expired bool, _ error) {
	row, err := db.Read(w.db.StoredResponse(ctx, token, key))
	if db.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read remembered answer: %w", err)
	}
	if limit := w.db.Now().Add(-KeepResponses); row.CreatedAt.Before(limit) {
		_, err := db.Read(w.db.DeleteResponse(ctx, db.DeleteResponseParams{TokenID: token, KeyHash: key, Before: limit}))
		return err == nil, err
	}
	if !bytes.Equal(row.RequestHash, request) {
		return false, KeyReused()
	}
	if row.Status == unknownStatus {
		return false, UnknownKey()
	}
	return false, Replay{Status: int(row.Status), Body: row.Answer}
}

// DeleteResponses removes up to a thousand answers older than KeepAnswers, and returns how many.
func (w *Workflows) DeleteResponses(ctx context.Context) (int64, error) {
	return db.Read(w.db.DeleteResponses(ctx, w.db.Now().Add(-KeepResponses)))
}

func hash(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
}
