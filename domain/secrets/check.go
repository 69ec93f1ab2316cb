package secrets

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// Check calls found with each secret that does not open, with each key that is missing, and with each webhook that is on
// without a secret. It returns how many secrets it checked.
func (k *Keys) Check(ctx context.Context, q *db.Queries, found func(text string)) (checked int64, err error) {
	missing := map[string]int{}
	current, err := q.SecretKey(ctx)
	if err == nil {
		err = k.missing(current, missing, 0)
	}
	if err != nil && !db.IsNotFound(err) {
		return 0, err
	}
	for after := ""; ; {
		kind, err := q.NextKindOfSecrets(ctx, after)
		if db.IsNotFound(err) {
			break
		}
		if err != nil {
			return checked, err
		}
		n, err := k.checkKind(ctx, q, kind, missing, found)
		if checked += n; err != nil {
			return checked, err
		}
		after = kind
	}
	for id, n := range missing {
		found(fmt.Sprintf("the key file does not have the key %s; secrets that are encrypted with it: %d", id, n))
	}
	return checked, EachWebhook(ctx, q, func(w db.WebhooksWithSecretsAfterRow) error {
		if w.State == "on" && w.Plain == 0 && w.KeyID == "" {
			found(fmt.Sprintf("webhook %d is on and has no secret", w.ID))
		}
		return nil
	})
}

func (k *Keys) checkKind(
	ctx context.Context, q *db.Queries, kind string, missing map[string]int, found func(string),
) (checked int64, err error) {
	for after := uint64(0); ; {
		rows, err := q.SealedSecretsAfter(ctx, db.SealedSecretsAfterParams{Kind: kind, After: after, Limit: atOnce})
		if err != nil {
			return checked, err
		}
		for _, row := range rows {
			after = row.OwnerID
			checked++
			_, err := k.open(Name{Kind(kind), row.OwnerID}, row.KeyID, row.Sealed)
			if errors.Is(err, CodeDamaged) {
				found(fmt.Sprintf("the %s does not open with its key", Name{Kind(kind), row.OwnerID}))
				continue
			}
			if err := k.missing(row.KeyID, missing, 1); err != nil {
				return checked, err
			}
		}
		if len(rows) < atOnce {
			return checked, nil
		}
	}
}

// missing counts n for a key that is not there.
func (k *Keys) missing(id string, missing map[string]int, n int) error {
	_, err := k.key(id)
	if fault.CodeOf(err) == "" {
		return err
	}
	missing[id] += n // also if the file cannot be used
	return nil
}
