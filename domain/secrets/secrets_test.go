package secrets_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

func TestMain(m *testing.M) { os.Exit(domaintest.RunWithoutLeaks(m)) }

func webhook(n int) secrets.Name { return secrets.Name{Kind: secrets.Webhook, Owner: uint64(n)} }

func put(t testing.TB, d *db.DB, keys *secrets.Keys, name secrets.Name, secret string) {
	t.Helper()
	domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error { return keys.Put(t.Context(), tx, name, []byte(secret)) }))
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	t.Run("one opens as what it was stored as, and is not in the database", func(t *testing.T) {
		t.Parallel()
		d, keys := dbtest.Open(t), secrets.Fixed([32]byte{1})
		put(t, d, keys, webhook(1), "first")
		put(t, d, keys, webhook(1), "second")
		if got := domaintest.OK(keys.Get(t.Context(), d.Queries, webhook(1)))(t); string(got) != "second" {
			t.Errorf("it is %q", got)
		}
		domaintest.Counts(t, d, 0, "SELECT COUNT(*) FROM sealed_secret WHERE sealed LIKE '%second%'")
		if _, err := keys.Get(t.Context(), d.Queries, webhook(2)); !db.IsNotFound(err) {
			t.Errorf("one that is not there: %v", err)
		}
	})
	t.Run("one of another row, kind or key is refused", func(t *testing.T) {
		t.Parallel()
		for _, change := range []string{
			"UPDATE sealed_secret a JOIN sealed_secret b ON b.owner_id = 2 SET a.sealed = b.sealed WHERE a.owner_id = 1",
			"UPDATE sealed_secret SET kind = 'webhook-old'",
			"UPDATE sealed_secret SET owner_id = owner_id + 10",
			"UPDATE sealed_secret SET sealed = CONCAT(sealed, 'x')",
			"UPDATE sealed_secret SET sealed = ''",
		} {
			d, keys := dbtest.Open(t), secrets.Fixed([32]byte{1})
			put(t, d, keys, webhook(1), "one")
			put(t, d, keys, webhook(2), "two")
			domaintest.Exec(t, d, change)
			for _, name := range []secrets.Name{webhook(1), webhook(11), {Kind: secrets.WebhookOld, Owner: 1}} {
				_, err := keys.Get(t.Context(), d.Queries, name)
				if !errors.Is(fault.Cause(err), secrets.CodeDamaged) && !db.IsNotFound(err) {
					t.Errorf("%s: %v opens: %v", change, name, err)
				}
			}
		}
	})
	t.Run("of two makers the first one's is used", func(t *testing.T) {
		t.Parallel()
		d, keys := dbtest.Open(t), secrets.Fixed([32]byte{1})
		made := make(chan string, 8)
		var group sync.WaitGroup
		for range cap(made) {
			group.Go(func() {
				err := d.InTx(t.Context(), func(tx *db.Tx) error {
					secret, err := keys.Make(t.Context(), tx, secrets.Name{Kind: secrets.Audit, Owner: 1})
					if err == nil {
						made <- string(secret)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		close(made)
		stored := string(domaintest.OK(keys.Get(t.Context(), d.Queries, secrets.Name{Kind: secrets.Audit, Owner: 1}))(t))
		for secret := range made {
			if secret != stored {
				t.Errorf("one was given %x, stored is %x", secret, stored)
			}
		}
	})
	t.Run("users are told nothing of the machine's files, the log is", func(t *testing.T) {
		t.Parallel()
		d, path := dbtest.Open(t), filepath.Join(t.TempDir(), "key")
		put(t, d, secrets.New(path), webhook(1), "x")
		domaintest.Must(t, os.Remove(path))
		_, err := secrets.New(path).Get(t.Context(), d.Queries, webhook(1))
		if !errors.Is(err, secrets.CodeUnreadable) || strings.Contains(fault.Message(err), path) ||
			!strings.Contains(fmt.Sprint(fault.Cause(err)), path) {
			t.Errorf("%v, %v", err, fault.Cause(err))
		}
	})
	t.Run("without a key file nothing is made or read", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		var none *secrets.Keys
		domaintest.Is(t, d.InTx(t.Context(), func(tx *db.Tx) error { return none.Put(t.Context(), tx, webhook(1), []byte("x")) }),
			secrets.CodeUnreadable)
	})
}

func TestBind(t *testing.T) {
	t.Parallel()
	t.Run("of servers that start at once on machines of their own, one gets its key in, and the others say how to copy it", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		const servers = 8
		var paths [servers]string
		var errs [servers]error
		begin := make(chan struct{})
		var group sync.WaitGroup
		for i := range servers {
			paths[i] = filepath.Join(t.TempDir(), "key")
			group.Go(func() {
				<-begin
				errs[i] = secrets.New(paths[i]).Bind(t.Context(), d)
			})
		}
		close(begin)
		group.Wait()
		won := 0
		for i, err := range errs {
			_, there := os.Stat(paths[i])
			if err == nil {
				won++
				domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM secret_key WHERE key_id = ?", idIn(t, paths[i]))
				continue
			}
			if !errors.Is(err, secrets.CodeOtherKey) || there == nil {
				t.Errorf("%v; its file: %v", err, there)
			}
			if !strings.Contains(fault.Message(err), "Copy the key file") || !strings.Contains(fault.Message(err), paths[i]) {
				t.Errorf("it says %q", fault.Message(err))
			}
		}
		if won != 1 {
			t.Errorf("%d servers began", won)
		}
	})
	t.Run("of servers that start at once with one file all begin", func(t *testing.T) {
		t.Parallel()
		d, path := dbtest.Open(t), filepath.Join(t.TempDir(), "key")
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if err := secrets.New(path).Bind(t.Context(), d); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM secret_key WHERE key_id = ?", idIn(t, path))
	})
	t.Run("another key, or none, is refused and not made, until the file is copied", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		original := filepath.Join(t.TempDir(), "key")
		domaintest.Must(t, secrets.New(original).Bind(t.Context(), d))
		_, other := bound(t)
		domaintest.Is(t, secrets.New(other).Bind(t.Context(), d), secrets.CodeOtherKey)
		idIn(t, other) // its file is still there
		missing := filepath.Join(t.TempDir(), "key")
		keys := secrets.New(missing)
		domaintest.Is(t, keys.Bind(t.Context(), d), secrets.CodeOtherKey)
		if _, err := os.Stat(missing); err == nil {
			t.Error("a key was made for a database that has one")
		}
		domaintest.Must(t, os.WriteFile(missing, domaintest.OK(os.ReadFile(original))(t), 0o600))
		domaintest.Must(t, keys.Bind(t.Context(), d))
	})
}

// clear stores secrets as an earlier release did: n webhooks with two each, the audit's and the signing key.
func clear(t *testing.T, d *db.DB, n int) {
	t.Helper()
	domaintest.Exec(t, d, "INSERT INTO company (id, slug, name, created_at) VALUES (1, 'acme', 'Acme', '2026-01-01')")
	domaintest.Exec(t, d, `INSERT INTO account (id, email, name, password_hash, operator, created_at) VALUES (1, 'a', 'A', '', FALSE, '2026-01-01')`)
	for i := range n {
		domaintest.Exec(t, d, `INSERT INTO webhook (company_id, url, note, feeds, secret, old_secret, state, due_at, lease_ends, created_by, created_at, updated_at)
			VALUES (1, 'https://hooks.example/', '', 'tickets', ?, ?, 'on', NOW(6), NOW(6), 1, NOW(6), NOW(6))`,
			fmt.Sprint("secret ", i+1), fmt.Sprint("old ", i+1))
	}
	domaintest.Exec(t, d, "UPDATE audit_sealer SET secret = 'audit'")
	domaintest.Exec(t, d, "INSERT INTO signing_key (id, secret, created_at) VALUES (1, REPEAT('k', 32), NOW(6))")
}

func inClear(t *testing.T, d *db.DB) int {
	t.Helper()
	return domaintest.Number(t, d, `SELECT (SELECT COUNT(*) FROM webhook WHERE secret <> '' OR old_secret IS NOT NULL) +
		(SELECT COUNT(*) FROM audit_sealer WHERE secret <> '') + (SELECT COUNT(*) FROM signing_key)`)
}

func TestEncrypt(t *testing.T) {
	t.Parallel()
	t.Run("what an earlier release stored is encrypted, and the same", func(t *testing.T) {
		t.Parallel()
		d, keys := dbtest.Open(t), secrets.Fixed([32]byte{1})
		const webhooks = 205 // more than two pages
		clear(t, d, webhooks)
		n, waits, err := keys.Encrypt(t.Context(), d)
		if err != nil || waits || n != webhooks+2 || inClear(t, d) != 0 {
			t.Fatalf("%d were encrypted, %v, %v; %d are in the clear", n, waits, err, inClear(t, d))
		}
		want := map[secrets.Name]string{{Kind: secrets.Audit, Owner: 1}: "audit", {Kind: secrets.Signing, Owner: 1}: strings.Repeat("k", 32)}
		for i := range webhooks {
			want[webhook(i+1)] = fmt.Sprint("secret ", i+1)
			want[secrets.Name{Kind: secrets.WebhookOld, Owner: uint64(i + 1)}] = fmt.Sprint("old ", i+1)
		}
		for name, secret := range want {
			if got := domaintest.OK(keys.Get(t.Context(), d.Queries, name))(t); string(got) != secret {
				t.Errorf("%v is %q", name, got)
			}
		}
		if n, _, err := keys.Encrypt(t.Context(), d); n != 0 || err != nil {
			t.Errorf("again: %d, %v", n, err)
		}
	})
	t.Run("nothing is, while a server of the release before lives", func(t *testing.T) {
		t.Parallel()
		d, keys := dbtest.Open(t), secrets.Fixed([32]byte{1})
		clear(t, d, 2)
		before := inClear(t, d)
		// As that release registers: it does not know reads_sealed.
		domaintest.Exec(t, d, `INSERT INTO migration_worker (host, pid, version, knows, state, started_at, beat_at, lease_until)
			VALUES ('old', 1, '0.1.0', '', 'active', NOW(6), NOW(6), NOW(6) + INTERVAL 1 HOUR)`)
		if n, waits, err := keys.Encrypt(t.Context(), d); n != 0 || !waits || err != nil || inClear(t, d) != before {
			t.Errorf("%d, %v, %v; %d in the clear", n, waits, err, inClear(t, d))
		}
		domaintest.Exec(t, d, "UPDATE migration_worker SET lease_until = NOW(6)")
		if n, waits, err := keys.Encrypt(t.Context(), d); n != 4 || waits || err != nil || inClear(t, d) != 0 {
			t.Errorf("%d, %v, %v; %d in the clear", n, waits, err, inClear(t, d))
		}
	})
	t.Run("one in the clear does not replace one that is encrypted", func(t *testing.T) {
		t.Parallel()
		d, keys := dbtest.Open(t), secrets.Fixed([32]byte{1})
		names := []secrets.Name{{Kind: secrets.Audit, Owner: 1}, {Kind: secrets.Signing, Owner: 1}}
		for _, name := range names {
			put(t, d, keys, name, "ours")
		}
		domaintest.Exec(t, d, "UPDATE audit_sealer SET secret = 'known'")
		domaintest.Exec(t, d, "INSERT INTO signing_key (id, secret, created_at) VALUES (1, REPEAT('k', 32), NOW(6))")
		if _, _, err := keys.Encrypt(t.Context(), d); err != nil || inClear(t, d) != 0 {
			t.Fatalf("%v; %d are in the clear", err, inClear(t, d))
		}
		for _, name := range names {
			if got := domaintest.OK(keys.Get(t.Context(), d.Queries, name))(t); string(got) != "ours" {
				t.Errorf("%v is %q", name, got)
			}
		}
	})
	t.Run("several servers at once spoil nothing", func(t *testing.T) {
		t.Parallel()
		d, keys := dbtest.Open(t), secrets.Fixed([32]byte{1})
		clear(t, d, 30)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if _, _, err := keys.Encrypt(t.Context(), d); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		for i := range 30 {
			if got := domaintest.OK(keys.Get(t.Context(), d.Queries, webhook(i+1)))(t); string(got) != fmt.Sprint("secret ", i+1) {
				t.Errorf("webhook %d has %q", i+1, got)
			}
		}
	})
	t.Run("the secrets of a webhook that an old server deleted go, too", func(t *testing.T) {
		t.Parallel()
		d, keys := dbtest.Open(t), secrets.Fixed([32]byte{1})
		clear(t, d, 3)
		if _, _, err := keys.Encrypt(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		domaintest.Exec(t, d, "DELETE FROM webhook WHERE id = 2")
		if _, _, err := keys.Encrypt(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		domaintest.Counts(t, d, 4, "SELECT COUNT(*) FROM sealed_secret WHERE kind LIKE 'webhook%'")
		domaintest.Counts(t, d, 0, "SELECT COUNT(*) FROM sealed_secret WHERE kind LIKE 'webhook%' AND owner_id = 2")
	})
}

func unrecorded(context.Context, *db.Tx, string, string) error { return nil }

func TestRotate(t *testing.T) {
	t.Parallel()
	t.Run("every secret opens with the new key, and the old one is dropped", func(t *testing.T) {
		t.Parallel()
		d, path := dbtest.Open(t), filepath.Join(t.TempDir(), "key")
		keys, server := secrets.New(path), secrets.New(path)
		for i := range 250 {
			put(t, d, server, webhook(i), fmt.Sprint(i))
		}
		old := idIn(t, path)
		done := domaintest.OK(keys.Rotate(t.Context(), d, unrecorded))(t)
		if done.From != old || done.To == old || done.Encrypted != 250 || done.Finished {
			t.Errorf("%+v", done)
		}
		if ids := domaintest.OK(secrets.New(path).IDs())(t); len(ids) != 1 || ids[0] != done.To {
			t.Errorf("the file has %v", ids)
		}
		domaintest.Counts(t, d, 0, "SELECT COUNT(*) FROM sealed_secret WHERE key_id <> (SELECT key_id FROM secret_key)")
		for i := range 250 { // a server that has run all along reads the file again
			if got := domaintest.OK(server.Get(t.Context(), d.Queries, webhook(i)))(t); string(got) != fmt.Sprint(i) {
				t.Errorf("%d is %q", i, got)
			}
		}
		put(t, d, server, webhook(1), "new")
		domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM sealed_secret WHERE owner_id = 1 AND key_id = ?", done.To)
	})
	t.Run("secrets that servers store meanwhile are not lost", func(t *testing.T) {
		t.Parallel()
		d, path := dbtest.Open(t), filepath.Join(t.TempDir(), "key")
		domaintest.Must(t, secrets.New(path).Bind(t.Context(), d))
		stop := make(chan struct{})
		var group sync.WaitGroup
		for s := range 4 {
			group.Go(func() {
				keys := secrets.New(path)
				for n := 0; ; n++ {
					select {
					case <-stop:
						return
					default:
					}
					err := d.InTx(t.Context(), func(tx *db.Tx) error {
						return keys.Put(t.Context(), tx, webhook(s*10+n%10), []byte("x"))
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for range 10 {
			domaintest.OK(secrets.New(path).Rotate(t.Context(), d, unrecorded))(t)
			domaintest.OK(secrets.New(path).Check(t.Context(), d.Queries, func(text string) {
				if !strings.Contains(text, "webhook") || strings.Contains(text, "open") {
					t.Error(text)
				}
			}))(t)
		}
		close(stop)
		group.Wait()
		ids := domaintest.OK(secrets.New(path).IDs())(t)
		used := domaintest.OK(secrets.KeysInUse(t.Context(), d.Queries))(t)
		if len(ids) != 1 || len(used) != 1 || used[0] != ids[0] {
			t.Errorf("the file has %v, used are %v", ids, used)
		}
	})
	t.Run("the change of the key is recorded with it, once, or does not happen", func(t *testing.T) {
		t.Parallel()
		d, path := dbtest.Open(t), filepath.Join(t.TempDir(), "key")
		keys := secrets.New(path)
		put(t, d, keys, webhook(1), "hush")
		before := domaintest.OK(secrets.Current(t.Context(), d.Queries))(t)
		cut := errors.New("cut off")
		if _, err := keys.Rotate(t.Context(), d, func(context.Context, *db.Tx, string, string) error { return cut }); !errors.Is(err, cut) {
			t.Fatal(err)
		}
		if now := domaintest.OK(secrets.Current(t.Context(), d.Queries))(t); now != before {
			t.Errorf("the key is %s, and nothing says so", now)
		}
		var recorded []string
		record := func(_ context.Context, _ *db.Tx, from, to string) error {
			recorded = append(recorded, from+" "+to)
			return nil
		}
		done := domaintest.OK(keys.Rotate(t.Context(), d, record))(t)
		if len(recorded) != 1 || recorded[0] != before+" "+done.To {
			t.Errorf("recorded: %v", recorded)
		}
	})
	t.Run("a prepared key is used, so that it can be copied first", func(t *testing.T) {
		t.Parallel()
		d, here, there := dbtest.Open(t), filepath.Join(t.TempDir(), "key"), filepath.Join(t.TempDir(), "key")
		keys := secrets.New(here)
		put(t, d, keys, webhook(1), "x")
		next := domaintest.OK(keys.Prepare(t.Context(), d))(t)
		if again := domaintest.OK(keys.Prepare(t.Context(), d))(t); again != next {
			t.Errorf("another was prepared: %s, %s", next, again)
		}
		domaintest.Must(t, os.WriteFile(there, domaintest.OK(os.ReadFile(here))(t), 0o600))
		elsewhere := secrets.New(there)
		domaintest.Must(t, elsewhere.Bind(t.Context(), d))
		if done := domaintest.OK(keys.Rotate(t.Context(), d, unrecorded))(t); done.To != next {
			t.Errorf("%+v", done)
		}
		if got := domaintest.OK(elsewhere.Get(t.Context(), d.Queries, webhook(1)))(t); !bytes.Equal(got, []byte("x")) {
			t.Errorf("%q", got)
		}
		put(t, d, elsewhere, webhook(2), "y")
		domaintest.OK(keys.Get(t.Context(), d.Queries, webhook(2)))(t)
	})
	t.Run("of servers that rotate at once, one does", func(t *testing.T) {
		t.Parallel()
		d, first := dbtest.Open(t), filepath.Join(t.TempDir(), "key")
		put(t, d, secrets.New(first), webhook(1), "x")
		paths := []string{first}
		for range 3 {
			path := filepath.Join(t.TempDir(), "key")
			domaintest.Must(t, os.WriteFile(path, domaintest.OK(os.ReadFile(first))(t), 0o600))
			paths = append(paths, path)
		}
		errs := make([]error, len(paths))
		var group sync.WaitGroup
		for i, path := range paths {
			group.Go(func() { _, errs[i] = secrets.New(path).Rotate(t.Context(), d, unrecorded) })
		}
		group.Wait()
		won := 0
		for i, err := range errs {
			if err == nil {
				won++
				domaintest.OK(secrets.New(paths[i]).Get(t.Context(), d.Queries, webhook(1)))(t)
			} else if !errors.Is(err, secrets.CodeOtherKey) && !errors.Is(err, secrets.CodeRotatedElsewhere) {
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("%d rotated: %v", won, errs)
		}
	})
}
