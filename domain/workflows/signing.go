package workflows

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/db"
)

// signingKey returns the key that all servers of the database sign with. The first to need it makes it.
func (w *Workflows) signingKey(ctx context.Context) ([]byte, error) {
	if key := w.key.Load(); key != nil {
		return *key, nil
	}
	key, err := db.Read(w.db.Queries.SigningKey(ctx))
	if db.IsNotFound(err) {
		secret := make([]byte, sha256.Size)
		_, _ = rand.Read(secret) // it does not return errors
		err = w.db.InTx(ctx, func(tx *db.Tx) error {
			if err := tx.AddSigningKey(ctx, secret, tx.Now); err != nil {
				return err
			}
			key, err = tx.SigningKey(ctx) // another server's, if that was faster
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
