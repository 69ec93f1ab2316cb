// Package keyloss gives up the secrets in a database whose key is lost, so that nothing is signed with what is not a
// secret: webhooks stop with the reason, and the audit chains begin anew. Its invariant: a secret that a key of the file
// opens stays. Start at Reset.
package keyloss

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// Lost is what was given up.
type Lost struct {
	Key      string    // the id of the database's key, "" if that is there
	Webhooks []Webhook // they need a new secret each
	Chains   bool      // of the audit lists
	Apps     int       // authenticator apps, whose codes are refused; recovery codes work
	Issuers  int       // issuers without their client secret, which owners or operators enter again
}

// None reports whether nothing was lost.
func (l Lost) None() bool { return len(l.Webhooks) == 0 && !l.Chains && l.Apps == 0 && l.Issuers == 0 }

// Webhook is a webhook that lost its secret: its company's slug, and the host of its address.
type Webhook struct {
	Company, Host string
}

// Reason is why a webhook without its secret is stopped.
const Reason = "Its secret was lost with the key that it was encrypted with. Make a new secret, give it to the receiver, then turn it on."

// Restored is Reset for a database that a backup was loaded into. What servers sign with is made anew in any case: a
// backup must not bring back cookies.
func Restored(ctx context.Context, d *db.DB, keys *secrets.Keys) (Lost, error) {
	err := d.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.DeleteSigningKey(ctx); err != nil {
			return err
		}
		return secrets.Delete(ctx, tx, secrets.Name{Kind: secrets.Signing, Owner: 1})
	})
	if err != nil {
		return Lost{}, err
	}
	return Reset(ctx, d, keys)
}

// Reset gives up each secret that no key of the file opens. If the database's own key is lost, the newest of the file is
// its key from now on; the file is made if there is none. It may be repeated; no server runs.
func Reset(ctx context.Context, d *db.DB, keys *secrets.Keys) (lost Lost, err error) {
	have, err := keys.IDs()
	if err != nil {
		return lost, err
	}
	current, err := secrets.Current(ctx, d.Queries)
	if err != nil {
		return lost, err
	}
	if current != "" && !slices.Contains(have, current) {
		lost.Key = current
	}
	if lost.Webhooks, err = giveUpWebhooks(ctx, d, have); err != nil {
		return lost, err
	}
	// Accounts keep the second step, so that a lost key opens no account: a recovery code takes it.
	if lost.Apps, err = giveUpKind(ctx, d, have, secrets.TOTP); err != nil {
		return lost, err
	}
	if lost.Issuers, err = giveUpKind(ctx, d, have, secrets.Issuer); err != nil {
		return lost, err
	}
	chainsKey, err := giveUpOthers(ctx, d, have)
	if err != nil {
		return lost, err
	}
	lost.Chains = chainsKey != ""
	if lost.Key != "" {
		if err := forgetKey(ctx, d, lost.Key, lost.Key != chainsKey); err != nil {
			return lost, err
		}
		return lost, keys.Bind(ctx, d)
	}
	return lost, nil
}

// giveUpWebhooks stops webhooks without a secret that opens, also those that were stopped for that before.
func giveUpWebhooks(ctx context.Context, d *db.DB, have []string) (lost []Webhook, err error) {
	gone := func(key string) bool { return key != "" && !slices.Contains(have, key) }
	err = secrets.EachWebhook(ctx, d.Queries, func(w db.WebhooksWithSecretsAfterRow) error {
		if w.Plain != 0 || w.KeyID != "" && !gone(w.KeyID) && !gone(w.OldKeyID) {
			return nil
		}
		if w.KeyID != "" && !gone(w.KeyID) { // only the one before is lost
			return d.InTx(ctx, func(tx *db.Tx) error {
				return secrets.Delete(ctx, tx, secrets.Name{Kind: secrets.WebhookOld, Owner: uint64(w.ID)})
			})
		}
		host := hostOf(w.Url)
		lost = append(lost, Webhook{w.CompanySlug, host})
		return d.InTx(ctx, func(tx *db.Tx) error {
			n, err := tx.StopWebhookWithoutSecret(ctx, db.StopWebhookWithoutSecretParams{Reason: Reason, ID: w.ID})
			if err != nil {
				return err
			}
			if n > 0 {
				detail := accounts.AuditDetail{Name: host, Note: Reason}
				if err := accounts.Record(ctx, tx, w.CompanyID, 0, accounts.AuditWebhookOff, detail); err != nil {
					return err
				}
			}
			return secrets.Delete(ctx, tx, secrets.Name{Kind: secrets.Webhook, Owner: uint64(w.ID)},
				secrets.Name{Kind: secrets.WebhookOld, Owner: uint64(w.ID)})
		})
	})
	if err != nil {
		return nil, fmt.Errorf("stop webhooks without a secret: %w", err)
	}
	return lost, nil
}

// giveUpKind deletes the secrets of a kind that do not open, and returns how many.
func giveUpKind(ctx context.Context, d *db.DB, have []string, kind secrets.Kind) (lost int, err error) {
	const atOnce = 100
	for after := uint64(0); ; {
		page := db.SealedSecretsAfterParams{Kind: string(kind), After: after, Limit: atOnce}
		rows, err := db.Read(d.SealedSecretsAfter(ctx, page))
		if err != nil {
			return lost, fmt.Errorf("read the secrets of %s: %w", kind, err)
		}
		for _, row := range rows {
			after = row.OwnerID
			if slices.Contains(have, row.KeyID) {
				continue
			}
			err := d.InTx(ctx, func(tx *db.Tx) error {
				return secrets.Delete(ctx, tx, secrets.Name{Kind: kind, Owner: row.OwnerID})
			})
			if err != nil {
				return lost, fmt.Errorf("give up a secret of %s: %w", kind, err)
			}
			lost++
		}
		if len(rows) < atOnce {
			return lost, nil
		}
	}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// giveUpOthers gives up what is there once, and returns the id of the key that that of the audit chains is lost with, ""
// if it is not.
func giveUpOthers(ctx context.Context, d *db.DB, have []string) (chains string, err error) {
	lost := func(kind secrets.Kind) (key string, err error) {
		row, err := db.Read(d.SealedSecret(ctx, string(kind), 1))
		if db.IsNotFound(err) || err == nil && slices.Contains(have, row.KeyID) {
			return "", nil
		}
		return row.KeyID, err
	}
	if chains, err = lost(secrets.Audit); err != nil {
		return "", err
	}
	if chains != "" {
		if err := accounts.BeginChainsAnew(ctx, d, chains); err != nil {
			return "", err
		}
	}
	signing, err := lost(secrets.Signing)
	if err != nil || signing == "" {
		return chains, err
	}
	return chains, d.InTx(ctx, func(tx *db.Tx) error {
		return secrets.Delete(ctx, tx, secrets.Name{Kind: secrets.Signing, Owner: 1})
	})
}

// forgetKey records that the key is lost, unless the beginning of the chains did.
func forgetKey(ctx context.Context, d *db.DB, id string, record bool) error {
	err := d.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.DeleteSecretKey(ctx); err != nil || !record {
			return err
		}
		return accounts.RecordInstance(ctx, tx, 0, accounts.AuditKeyLost, accounts.AuditDetail{Name: id})
	})
	if err != nil {
		return fmt.Errorf("forget the lost key: %w", err)
	}
	return nil
}
