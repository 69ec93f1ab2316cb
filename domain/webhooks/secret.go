package webhooks

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// Secrets are encrypted in sealed_secret. Those that an earlier release stored, or that were made while a server of that
// release lived, are in the row of the webhook until they are encrypted.

func secretOf(webhook id.Webhook) secrets.Name {
	return secrets.Name{Kind: secrets.Webhook, Owner: uint64(webhook)}
}

func oldSecretOf(webhook id.Webhook) secrets.Name {
	return secrets.Name{Kind: secrets.WebhookOld, Owner: uint64(webhook)}
}

func hasSecret(row db.WebhookSecretsRow) bool { return len(row.Secret) > 0 || row.Sealed.Valid }

// OldSecretFor is how long messages are signed with the old secret, too.
const OldSecretFor = 24 * time.Hour

// RotateSecret gives a locked webhook a new secret and returns it. For a day both are used.
func RotateSecret(ctx context.Context, tx *db.Tx, keys *secrets.Keys, locked Webhook) (string, error) {
	row, err := tx.WebhookSecrets(ctx, locked.ID)
	if err != nil {
		return "", fmt.Errorf("rotate secret: %w", err)
	}
	clear, err := secrets.KeepClear(ctx, tx.Queries)
	if err != nil {
		return "", err
	}
	secret, ends := newSecret(), tx.Now.Add(OldSecretFor)
	if clear && len(row.Secret) > 0 {
		err := tx.RotateWebhookSecret(ctx, db.RotateWebhookSecretParams{Ends: &ends, Secret: secret, Now: tx.Now,
			ID: locked.ID})
		if err != nil {
			return "", fmt.Errorf("rotate secret: %w", err)
		}
		return spell(secret), nil
	}
	replace := db.ReplaceWebhookSecretParams{Now: tx.Now, ID: locked.ID}
	if hasSecret(row) { // else it was lost with its key
		present, err := presentSecret(keys, locked.ID, row)
		if err != nil {
			return "", err
		}
		if err := keys.Put(ctx, tx, oldSecretOf(locked.ID), present); err != nil {
			return "", err
		}
		replace.Ends = &ends
	}
	if err := keys.Put(ctx, tx, secretOf(locked.ID), secret); err != nil {
		return "", err
	}
	if err := tx.ReplaceWebhookSecret(ctx, replace); err != nil {
		return "", fmt.Errorf("rotate secret: %w", err)
	}
	return spell(secret), nil
}

// KeysOf returns the signing keys of a webhook, or NotFound or NoSecret.
func KeysOf(
	ctx context.Context, q *db.Queries, keys *secrets.Keys, company id.Company, webhook id.Webhook, now time.Time,
) (Keys, error) {
	if _, err := ByID(ctx, q, company, webhook); err != nil {
		return nil, err
	}
	return keysOf(ctx, q, keys, webhook, now)
}

func keysOf(
	ctx context.Context, q *db.Queries, keys *secrets.Keys, webhook id.Webhook, now time.Time,
) (Keys, error) {
	row, err := db.Read(q.WebhookSecrets(ctx, webhook))
	if db.IsNotFound(err) {
		return nil, NotFound()
	}
	if err != nil {
		return nil, fmt.Errorf("read secret: %w", err)
	}
	if !hasSecret(row) {
		return nil, NoSecret()
	}
	present, err := presentSecret(keys, webhook, row)
	if err != nil {
		return nil, err
	}
	signing := Keys{present}
	if row.OldSecretEnds == nil || !row.OldSecretEnds.After(now) {
		return signing, nil
	}
	old, err := oldSecret(keys, webhook, row)
	if len(old) > 0 {
		signing = append(signing, old)
	}
	return signing, err
}

func presentSecret(keys *secrets.Keys, webhook id.Webhook, row db.WebhookSecretsRow) ([]byte, error) {
	if len(row.Secret) > 0 {
		return row.Secret, nil
	}
	return keys.Open(secretOf(webhook), row.KeyID.String, []byte(row.Sealed.String))
}

// oldSecret returns none if there is none.
func oldSecret(keys *secrets.Keys, webhook id.Webhook, row db.WebhookSecretsRow) ([]byte, error) {
	if len(row.OldSecret) > 0 || !row.OldSealed.Valid {
		return row.OldSecret, nil
	}
	return keys.Open(oldSecretOf(webhook), row.OldKeyID.String, []byte(row.OldSealed.String))
}
