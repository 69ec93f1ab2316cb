package workflows

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// signingKeyName is where the key is that servers sign with.
var signingKeyName = secrets.Name{Kind: secrets.Signing, Owner: 1}

// signingKey returns the key that all servers of the database sign with. The first to need it makes it.
func (w *Workflows) signingKey(ctx context.Context) ([]byte, error) {
	if key := w.key.Load(); key != nil {
		return *key, nil
	}
	key, err := w.keys.Get(ctx, w.db.Queries, signingKeyName)
	if db.IsNotFound(err) {
		key, err = db.Read(w.db.Queries.SigningKey(ctx)) // where it was in the clear
	}
	if db.IsNotFound(err) {
		err = w.db.InTx(ctx, func(tx *db.Tx) error {
			key, err = w.keys.Make(ctx, tx, signingKeyName)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("read the signing key: %w", err)
	}
	w.key.Store(&key)
	return key, nil
}

// sign returns the HMAC of a purpose and parts.
func (w *Workflows) sign(ctx context.Context, purpose string, parts ...string) ([]byte, error) {
	key, err := w.signingKey(ctx)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(strings.Join(append([]string{purpose}, parts...), "\x00")))
	return mac.Sum(nil), nil
}
