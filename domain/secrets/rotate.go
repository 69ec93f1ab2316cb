package secrets

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
)

// Rotation is what a rotation did.
type Rotation struct {
	From, To  string // the ids of the keys; From is "" if an earlier rotation was finished that had got so far
	Encrypted int    // secrets that were encrypted anew
	Finished  bool   // a rotation that was cut off, or prepared
}

// Record records that the database has the key to in place of from.
type Record func(ctx context.Context, tx *db.Tx, from, to string) error

// Prepare adds a new key to the file, unless a rotation was prepared, and returns the id of that key. Nothing is
// encrypted with it before Rotate, so the file can be copied to other servers first. It returns OtherKey.
func (k *Keys) Prepare(ctx context.Context, d *db.DB) (id string, err error) {
	err = k.withCurrent(ctx, d, func(keys []key, current string) error {
		keys, err = withNext(k.path, keys, current)
		if err == nil {
			id = keys[0].id
		}
		return err
	})
	return id, err
}

// Prepared reports whether the file has a key that is newer than the database's, or keys that are to be dropped: then
// Rotate finishes what was begun.
func (k *Keys) Prepared(ctx context.Context, d *db.DB) (yes bool, err error) {
	err = k.withCurrent(ctx, d, func(keys []key, _ string) error { yes = len(keys) > 1; return nil })
	return yes, err
}

// Rotate makes a new key, or the prepared one, that of the database, encrypts every secret with it, and drops the others
// from the file. It can be cut off at any point: each secret opens with a key of the file, and the next call finishes.
// record is called in the transaction that changes the database's key. It returns OtherKey, or RotatedElsewhere.
func (k *Keys) Rotate(ctx context.Context, d *db.DB, record Record) (done Rotation, err error) {
	err = k.withCurrent(ctx, d, func(keys []key, current string) error {
		done.Finished = len(keys) > 1
		if keys[0].id != current || !done.Finished {
			done.From = current
			if keys, err = withNext(k.path, keys, current); err != nil {
				return err
			}
			if err := k.change(ctx, d, keys, current, record); err != nil {
				return err
			}
		}
		done.To = keys[0].id
		for _, old := range keys[1:] {
			n, err := reseal(ctx, d, old, keys[0])
			done.Encrypted += n
			if err != nil {
				return err
			}
		}
		return k.drop(ctx, d, keys)
	})
	return done, err
}

// withCurrent calls fn with the keys of the file and the id of the database's key, while no other command changes the
// file. It returns OtherKey if the file lacks that.
func (k *Keys) withCurrent(ctx context.Context, d *db.DB, fn func(keys []key, current string) error) error {
	if err := k.Bind(ctx, d); err != nil {
		return err
	}
	return withFile(k.path, func(keys []key) error {
		current, err := db.Read(d.SecretKey(ctx))
		if err != nil {
			return fmt.Errorf("read the id of the key: %w", err)
		}
		if _, ok := find(keys, current); !ok {
			return otherKey(k.path, keys, current)
		}
		return fn(keys, current)
	})
}

// withNext returns the keys with one before the database's, which it writes into the file unless it is there.
func withNext(path string, keys []key, current string) ([]key, error) {
	if keys[0].id != current {
		return keys, nil
	}
	keys = slices.Concat([]key{newKey()}, keys)
	if len(keys) > maxKeys {
		return nil, badKeyFile(path, "has too many keys. Use “counterfoil key rotate”, which drops those that are not used.")
	}
	return keys, replaceFile(path, keys)
}

// change makes the newest key that of the database. If another server's rotation was faster, it is dropped again.
func (k *Keys) change(ctx context.Context, d *db.DB, keys []key, current string, record Record) error {
	var now string
	err := d.InTx(ctx, func(tx *db.Tx) error {
		n, err := tx.ChangeSecretKey(ctx, db.ChangeSecretKeyParams{To: keys[0].id, Now: tx.Now, From: current})
		if err == nil && n > 0 {
			err = record(ctx, tx, current, keys[0].id)
		}
		if err != nil {
			return err
		}
		now, err = tx.SecretKey(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("change the id of the key: %w", err)
	}
	if now == keys[0].id {
		return nil
	}
	if err := replaceFile(k.path, keys[1:]); err != nil {
		return err
	}
	return rotatedElsewhere(k.path, now)
}

// reseal encrypts the secrets of one key with another, in transactions of bounded size. No new one comes: who encrypts
// locks the id of the key first.
func reseal(ctx context.Context, d *db.DB, old, with key) (encrypted int, err error) {
	for {
		n := 0
		err := d.InTx(ctx, func(tx *db.Tx) error {
			rows, err := tx.SealedSecretsOfKey(ctx, old.id, atOnce)
			if err != nil {
				return err
			}
			n = len(rows)
			for _, row := range rows {
				name := Name{Kind(row.Kind), row.OwnerID}
				secret, err := old.open(name, row.Sealed)
				if err != nil {
					return err
				}
				if _, err := tx.ResealSecret(ctx, db.ResealSecretParams{To: with.id, Sealed: with.seal(name, secret),
					Kind: row.Kind, OwnerID: row.OwnerID, From: old.id}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return encrypted, fmt.Errorf("encrypt with the new key: %w", err)
		}
		if encrypted += n; n == 0 {
			return encrypted, nil
		}
	}
}

// drop removes the keys from the file that no secret has any more.
func (k *Keys) drop(ctx context.Context, d *db.DB, keys []key) error {
	used, err := KeysInUse(ctx, d.Queries)
	if err != nil {
		return err
	}
	for _, id := range used {
		if id != keys[0].id {
			return otherKey(k.path, keys[:1], id)
		}
	}
	return replaceFile(k.path, keys[:1])
}

// KeysInUse are the ids of the keys that secrets are encrypted with.
func KeysInUse(ctx context.Context, q *db.Queries) (list []string, err error) {
	for after := ""; ; {
		next, err := db.Read(q.NextKeyOfSecrets(ctx, after))
		if db.IsNotFound(err) {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the keys of secrets: %w", err)
		}
		list, after = append(list, next), next
	}
}
