package webhooks_test

import (
	"bytes"
	"encoding/base64"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// rotate gives a webhook a new secret and returns it.
func (e *env) rotate(t *testing.T, hook id.Webhook) (secret string) {
	t.Helper()
	domaintest.Must(t, e.changes(hook, func(tx *db.Tx, locked webhooks.Webhook) (err error) {
		secret, err = webhooks.RotateSecret(ctx, tx, secretKeys, locked)
		return err
	}))
	return secret
}

// signing are the secrets that messages are signed with, as receivers were given them.
func (e *env) signing(t *testing.T, hook id.Webhook) (list []string) {
	t.Helper()
	for _, key := range domaintest.OK(webhooks.KeysOf(ctx, e.Queries, secretKeys, e.company, hook, time.Now()))(t) {
		list = append(list, "whsec_"+base64.StdEncoding.EncodeToString(key))
	}
	return list
}

func (e *env) signs(t *testing.T, hook id.Webhook, want ...string) {
	t.Helper()
	got := e.signing(t, hook)
	if len(got) != len(want) {
		t.Fatalf("messages are signed with %q, not %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("messages are signed with %q, not %q", got, want)
		}
	}
}

func TestSecretsOfWebhooks(t *testing.T) {
	t.Parallel()
	t.Run("no row has one in the clear, also after a rotation, and they go with their webhook", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		hook, first, err := e.open(e.company)
		domaintest.Must(t, err)
		second := e.rotate(t, hook)
		third := e.rotate(t, hook)
		e.signs(t, hook, third, second)
		domaintest.Counts(t, e.DB, 0, "SELECT COUNT(*) FROM webhook WHERE secret <> '' OR old_secret IS NOT NULL")
		var stored []byte
		domaintest.Must(t, e.SQL.QueryRow("SELECT GROUP_CONCAT(sealed SEPARATOR '') FROM sealed_secret").Scan(&stored))
		for _, secret := range []string{first, second, third} {
			raw := domaintest.OK(base64.StdEncoding.DecodeString(secret[len("whsec_"):]))(t)
			if bytes.Contains(stored, raw) {
				t.Errorf("%s is stored as it is", secret)
			}
		}
		domaintest.Must(t, e.changes(hook, func(tx *db.Tx, locked webhooks.Webhook) error {
			return webhooks.Delete(ctx, tx, locked)
		}))
		domaintest.Counts(t, e.DB, 0, "SELECT COUNT(*) FROM sealed_secret")
	})
	t.Run("while a server of the release before lives, they are where it finds them; then they are encrypted", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		sealed := e.hook(t)
		domaintest.Exec(t, e.DB, `INSERT INTO migration_worker (host, pid, version, knows, state, started_at, beat_at, lease_until)
			VALUES ('old', 1, '0.1.0', '', 'active', NOW(6), NOW(6), NOW(6) + INTERVAL 1 HOUR)`)
		hook, first, err := e.open(e.company)
		domaintest.Must(t, err)
		second := e.rotate(t, hook)
		e.signs(t, hook, second, first)
		// What that release reads: its queries know nothing else.
		var secret, old []byte
		domaintest.Must(t, e.SQL.QueryRow("SELECT secret, old_secret FROM webhook WHERE id = ?", hook).Scan(&secret, &old))
		if "whsec_"+base64.StdEncoding.EncodeToString(secret) != second || "whsec_"+base64.StdEncoding.EncodeToString(old) != first {
			t.Error("the release before signs with other secrets")
		}
		before := e.signing(t, sealed)
		after := e.rotate(t, sealed) // one that was encrypted stays so
		e.signs(t, sealed, after, before[0])
		domaintest.Counts(t, e.DB, 0, "SELECT COUNT(*) FROM webhook WHERE id = ? AND secret <> ''", sealed)

		domaintest.Exec(t, e.DB, "UPDATE migration_worker SET state = 'stopped'")
		if n, waits, err := secretKeys.Encrypt(ctx, e.DB); n != 1 || waits || err != nil {
			t.Fatalf("%d, %v, %v", n, waits, err)
		}
		e.signs(t, hook, second, first)
		domaintest.Counts(t, e.DB, 0, "SELECT COUNT(*) FROM webhook WHERE secret <> '' OR old_secret IS NOT NULL")
	})
	t.Run("a rotation of one that is not encrypted yet encrypts both", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		hook := e.hook(t)
		domaintest.Exec(t, e.DB, "DELETE FROM sealed_secret")
		domaintest.Exec(t, e.DB, "UPDATE webhook SET secret = 'clear'")
		secret := e.rotate(t, hook)
		e.signs(t, hook, secret, "whsec_"+base64.StdEncoding.EncodeToString([]byte("clear")))
		domaintest.Counts(t, e.DB, 0, "SELECT COUNT(*) FROM webhook WHERE secret <> ''")
	})
	t.Run("without one a webhook signs nothing and is not turned on, until it has a new one", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		hook := e.hook(t)
		domaintest.Exec(t, e.DB, "DELETE FROM sealed_secret")
		domaintest.Fails(webhooks.Claim(ctx, e.Queries, secretKeys, hook))(t, webhooks.CodeNoSecret)
		turn := func(on bool) error {
			return e.changes(hook, func(tx *db.Tx, locked webhooks.Webhook) error { return webhooks.Switch(ctx, tx, locked, on) })
		}
		domaintest.Must(t, turn(false))
		domaintest.Is(t, turn(true), webhooks.CodeNoSecret)
		secret := e.rotate(t, hook)
		e.signs(t, hook, secret)
		domaintest.Must(t, turn(true))
	})
}
