package secrets

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// atOnce is how many rows a page or a transaction has.
const atOnce = 100

// KeepClear reports whether a secret is to stay where servers of the release before find it: one of them lives.
func KeepClear(ctx context.Context, q *db.Queries) (bool, error) {
	_, err := q.ServerBeforeSealing(ctx)
	if db.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for servers of the release before: %w", err)
	}
	return true, nil
}

// Encrypt encrypts what an earlier release stored in the clear, a row in a transaction, and removes what is of webhooks
// that are gone. It may be repeated and cut off at any point. It does nothing while a server of the release before lives,
// and reports then that it waits.
func (k *Keys) Encrypt(ctx context.Context, d *db.DB) (encrypted int, waits bool, err error) {
	if waits, err = KeepClear(ctx, d.Queries); err != nil || waits {
		return 0, waits, err
	}
	for _, one := range []func(context.Context, *db.Tx) (bool, error){k.encryptAuditKey, k.encryptSigningKey} {
		n, err := encrypt(ctx, d, one)
		if err != nil {
			return encrypted, false, err
		}
		encrypted += n
	}
	err = EachWebhook(ctx, d.Queries, func(w db.WebhooksWithSecretsAfterRow) error {
		if w.Plain == 0 {
			return nil
		}
		n, err := encrypt(ctx, d, func(ctx context.Context, tx *db.Tx) (bool, error) { return k.encryptWebhook(ctx, tx, w.ID) })
		encrypted += n
		return err
	})
	if err != nil {
		return encrypted, false, err
	}
	return encrypted, false, deleteOrphans(ctx, d)
}

// encrypt runs one in a transaction, and returns 1 if that found something.
func encrypt(ctx context.Context, d *db.DB, one func(context.Context, *db.Tx) (bool, error)) (n int, err error) {
	err = d.InTx(ctx, func(tx *db.Tx) error {
		n = 0
		found, err := one(ctx, tx)
		if found {
			n = 1
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("encrypt what is in the clear: %w", err)
	}
	return n, nil
}

func (k *Keys) encryptAuditKey(ctx context.Context, tx *db.Tx) (bool, error) {
	row, err := tx.Sealer(ctx)
	if err != nil || len(row.Secret) == 0 {
		return false, err
	}
	if err := k.putFirst(ctx, tx, Name{Audit, 1}, row.Secret); err != nil {
		return false, err
	}
	return true, tx.EmptySealerSecret(ctx)
}

func (k *Keys) encryptSigningKey(ctx context.Context, tx *db.Tx) (bool, error) {
	secret, err := tx.SigningKey(ctx)
	if db.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := k.putFirst(ctx, tx, Name{Signing, 1}, secret); err != nil {
		return false, err
	}
	return true, tx.DeleteSigningKey(ctx)
}

// putFirst is Put of a secret that never changes: one that is encrypted already stays, for whoever writes to the
// database without its key can only write one in the clear.
func (k *Keys) putFirst(ctx context.Context, tx *db.Tx, name Name, secret []byte) error {
	current, err := k.current(ctx, tx) // of several servers one puts
	if err != nil {
		return forUsers(err)
	}
	_, err = tx.SealedSecret(ctx, string(name.Kind), name.Owner)
	if db.IsNotFound(err) {
		return put(ctx, tx, current, name, secret)
	}
	return err
}

func (k *Keys) encryptWebhook(ctx context.Context, tx *db.Tx, webhook id.Webhook) (bool, error) {
	row, err := tx.LockWebhookSecrets(ctx, webhook)
	if db.IsNotFound(err) {
		return false, nil // it was deleted meanwhile
	}
	if err != nil {
		return false, err
	}
	for kind, secret := range map[Kind][]byte{Webhook: row.Secret, WebhookOld: row.OldSecret} {
		if len(secret) == 0 {
			continue
		}
		if err := k.Put(ctx, tx, Name{kind, uint64(webhook)}, secret); err != nil {
			return false, err
		}
	}
	return true, tx.EmptyWebhookSecrets(ctx, webhook)
}

// EachWebhook calls fn with the webhooks of all companies.
func EachWebhook(ctx context.Context, q *db.Queries, fn func(db.WebhooksWithSecretsAfterRow) error) error {
	for after := id.Webhook(0); ; {
		list, err := db.Read(q.WebhooksWithSecretsAfter(ctx, after, atOnce))
		if err != nil {
			return fmt.Errorf("read the secrets of webhooks: %w", err)
		}
		for _, w := range list {
			after = w.ID
			if err := fn(w); err != nil {
				return err
			}
		}
		if len(list) < atOnce {
			return nil
		}
	}
}

// deleteOrphans deletes the secrets of webhooks that a server of the release before deleted.
func deleteOrphans(ctx context.Context, d *db.DB) error {
	for after := uint64(0); ; {
		list, err := db.Read(d.SecretsOfGoneWebhooks(ctx, after, atOnce))
		if err != nil {
			return fmt.Errorf("look for secrets without a webhook: %w", err)
		}
		for _, row := range list {
			after = row.OwnerID
			if row.Gone == 0 {
				continue
			}
			err := d.InTx(ctx, func(tx *db.Tx) error {
				return Delete(ctx, tx, Name{Webhook, row.OwnerID}, Name{WebhookOld, row.OwnerID})
			})
			if err != nil {
				return err
			}
		}
		if len(list) < atOnce {
			return nil
		}
	}
}
