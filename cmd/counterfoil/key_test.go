package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/secrets"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// keyFile is that of an install that has one of its own.
func (i *install) keyFile() string {
	for _, setting := range i.env {
		if path, ok := strings.CutPrefix(setting, "COUNTERFOIL_KEY_FILE="); ok {
			return path
		}
	}
	return ""
}

// elsewhere is the install on another machine: the same database, with a key file of its own, which is not there.
func (i *install) elsewhere(t *testing.T) *install {
	t.Helper()
	other := &install{token: i.token}
	for _, setting := range i.env {
		if !strings.HasPrefix(setting, "COUNTERFOIL_KEY_FILE=") {
			other.env = append(other.env, setting)
		}
	}
	other.env = append(other.env, "COUNTERFOIL_KEY_FILE="+filepath.Join(t.TempDir(), "key"))
	return other
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	domaintest.Must(t, os.WriteFile(to, domaintest.OK(os.ReadFile(from))(t), 0o600))
}

// says runs a command that must end with an exit code and print all the texts.
func (i *install) says(t *testing.T, code int, args string, texts ...string) string {
	t.Helper()
	got, out := i.command(t, strings.Fields(args)...)
	if got != code {
		t.Errorf("%s: exit code %d\n%s", args, got, out)
	}
	for _, text := range texts {
		if !strings.Contains(out, text) {
			t.Errorf("%s does not say %q\n%s", args, text, out)
		}
	}
	return out
}

func TestServersNeedTheKey(t *testing.T) {
	t.Parallel()
	first := onURL(t, dbtest.Empty(t))
	if _, err := os.Stat(first.keyFile()); err == nil {
		t.Error("setup made the key file, and needs none")
	}
	first.says(t, 0, "key show", "The database has no key yet")
	server := first.serve(t)
	about := domaintest.OK(os.Stat(first.keyFile()))(t)
	if about.Mode().Perm() != 0o600 {
		t.Errorf("the key file has the mode %o", about.Mode().Perm())
	}
	key := domaintest.OK(secrets.New(first.keyFile()).IDs())(t)[0]
	first.says(t, 0, "key show", key+"  "+first.keyFile()+"  the database's")
	_, _, d := first.operator(t)
	domaintest.Until(t, "the server has a worker", func() bool {
		return domaintest.Number(t, d, "SELECT COUNT(*) FROM migration_worker WHERE state = 'active'") > 0
	})
	first.says(t, 1, "key reset --lost", "A server runs on ")

	second := first.elsewhere(t)
	for _, args := range []string{"serve", "work", "key show", "key rotate", "key rotate --prepare"} {
		second.says(t, 1, args, "encrypted with the key "+key, second.keyFile(), "there is no such file", "Copy the key file")
	}
	second.says(t, 1, "verify", "the key file does not have the key "+key)
	if out := second.says(t, 1, "doctor", "key file"); !strings.Contains(out, "encrypted with the key "+key) {
		t.Errorf("doctor says\n%s", out)
	}
	if _, err := os.Stat(second.keyFile()); err == nil {
		t.Error("a refused server made a key file")
	}
	second.says(t, 0, "migrations list") // it needs no secret

	other := onURL(t, dbtest.Empty(t))
	domaintest.Must(t, other.serve(t).stop(t))
	copyFile(t, other.keyFile(), second.keyFile())
	second.says(t, 1, "serve", "encrypted with the key "+key, "it has ")

	copyFile(t, first.keyFile(), second.keyFile())
	domaintest.Must(t, second.serve(t).stop(t))
	domaintest.Must(t, os.Chmod(second.keyFile(), 0o644))
	second.says(t, 1, "serve", "mode 0644, so others can use it", "chmod 600")
	domaintest.Must(t, server.stop(t))
	first.verified(t)
}

func TestTheKeyIsBesideThePrivateDatabase(t *testing.T) {
	t.Parallel()
	i := onPrivate(t)
	server := i.serve(t)
	key := domaintest.OK(secrets.New(filepath.Join(i.data(), "key")).IDs())(t)
	if len(key) != 1 {
		t.Errorf("it has %v", key)
	}
	i.says(t, 0, "key rotate", "Keep a copy of "+filepath.Join(i.data(), "key"), "need the old key "+key[0])
	i.says(t, 0, "doctor", "key file")
	domaintest.Must(t, server.stop(t))
	i.verified(t)
}

// sealed stores secrets of n webhooks that are not there, and returns the keys.
func sealed(t *testing.T, i *install, d *db.DB, n int) *secrets.Keys {
	t.Helper()
	keys := secrets.New(i.keyFile())
	for from := 0; from < n; from += 500 {
		domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			for k := from; k < min(from+500, n); k++ {
				name := secrets.Name{Kind: secrets.Webhook, Owner: uint64(k + 1)}
				if err := keys.Put(t.Context(), tx, name, fmt.Append(nil, "secret ", k+1)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	return keys
}

// readable fails the test unless each secret opens with the key file as it is now.
func readable(t *testing.T, i *install, d *db.DB, n int) {
	t.Helper()
	keys, found := secrets.New(i.keyFile()), 0
	checked := domaintest.OK(keys.Check(t.Context(), d.Queries, func(text string) {
		if found++; found < 4 {
			t.Error(text)
		}
	}))(t)
	if checked < int64(n) {
		t.Errorf("%d secrets of %d are there", checked, n)
	}
	for range 20 {
		k := rand.IntN(n) + 1
		got := domaintest.OK(keys.Get(t.Context(), d.Queries, secrets.Name{Kind: secrets.Webhook, Owner: uint64(k)}))(t)
		if string(got) != fmt.Sprint("secret ", k) {
			t.Errorf("secret %d is %q", k, got)
		}
	}
}

// TestKeyRotateIsKilled kills rotations at any moment. Every secret opens with the key file each time, and the next
// rotation finishes.
func TestKeyRotateIsKilled(t *testing.T) {
	t.Parallel()
	const n = 3000
	kills := 8
	if soak {
		kills = 100
	}
	i := onURL(t, dbtest.Empty(t))
	_, _, d := i.operator(t)
	sealed(t, i, d, n)
	cut := 0 // while secrets were under both keys
	for kill := range kills {
		cmd := i.program("key", "rotate")
		domaintest.Must(t, cmd.Start())
		if kill%2 == 0 {
			// Once it has begun to encrypt.
			begun := domaintest.OK(secrets.Current(t.Context(), d.Queries))(t)
			domaintest.Until(t, "the key changes", func() bool {
				return begun != domaintest.OK(secrets.Current(t.Context(), d.Queries))(t) ||
					len(domaintest.OK(secrets.KeysInUse(t.Context(), d.Queries))(t)) > 1
			})
		}
		_ = wait.Sleep(t.Context(), time.Duration(rand.IntN(300))*time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if len(domaintest.OK(secrets.KeysInUse(t.Context(), d.Queries))(t)) > 1 {
			cut++
		}
		readable(t, i, d, n)
	}
	if cut == 0 {
		t.Error("no rotation was cut off in the middle")
	}
	out := i.says(t, 0, "key rotate")
	t.Logf("%d of %d were cut off in the middle; %s", cut, kills, strings.TrimSpace(out))
	readable(t, i, d, n)
	ids := domaintest.OK(secrets.New(i.keyFile()).IDs())(t)
	used := domaintest.OK(secrets.KeysInUse(t.Context(), d.Queries))(t)
	if len(ids) != 1 || len(used) != 1 || used[0] != ids[0] {
		t.Errorf("the file has %v, used are %v", ids, used)
	}
}

// TestEncryptingIsKilled kills the process that encrypts what an earlier release stored. Each secret is always in the
// clear or encrypted, and another process goes on.
func TestEncryptingIsKilled(t *testing.T) {
	t.Parallel()
	const n = 1500
	i := onURL(t, dbtest.Empty(t))
	_, _, d := i.operator(t)
	domaintest.Exec(t, d, `INSERT INTO webhook (company_id, url, note, feeds, secret, state, due_at, lease_ends, created_by, created_at, updated_at)
		WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 750)
		SELECT 1, 'https://hooks.example/', '', 'tickets', UNHEX(SHA2(n, 256)), 'off', NOW(6), NOW(6), 1, NOW(6), NOW(6) FROM n`)
	domaintest.Exec(t, d, `INSERT INTO webhook (company_id, url, note, feeds, secret, state, due_at, lease_ends, created_by, created_at, updated_at)
		SELECT 1, url, note, feeds, UNHEX(SHA2(id + 10000, 256)), 'off', NOW(6), NOW(6), 1, NOW(6), NOW(6) FROM webhook`)
	was := webhookSecrets(t, i, d)
	if len(was) != n {
		t.Fatalf("there are %d", len(was))
	}
	left := func() int { return domaintest.Number(t, d, "SELECT COUNT(*) FROM webhook WHERE secret <> ''") }
	same := func() {
		t.Helper()
		for hook, secret := range webhookSecrets(t, i, d) {
			if secret != was[hook] {
				t.Fatalf("the secret of webhook %d changed", hook)
			}
		}
	}
	halfway, kills := 0, 4
	if soak {
		kills = 20
	}
	for left() > 0 && halfway < kills {
		before := left()
		p := i.work(t)
		domaintest.Until(t, "something is encrypted", func() bool { return left() < before-50 || left() == 0 })
		p.kill(t)
		if at := left(); at > 0 {
			halfway++
			same()
			// The worker that was killed lives by its lease, and reads encrypted secrets.
			domaintest.Counts(t, d, 0, "SELECT COUNT(*) FROM migration_worker WHERE NOT reads_sealed")
		}
	}
	t.Logf("it was cut off %d times", halfway)
	if halfway == 0 {
		t.Error("it was never cut off halfway")
	}
	if left() > 0 {
		p := i.work(t)
		domaintest.Until(t, "everything is encrypted", func() bool { return left() == 0 })
		domaintest.Must(t, p.stop(t))
	}
	same()
	i.verified(t)
}

// webhookSecrets are the secrets as messages are signed with them.
func webhookSecrets(t *testing.T, i *install, d *db.DB) map[id.Webhook]string {
	t.Helper()
	keys, found := secrets.New(i.keyFile()), map[id.Webhook]string{}
	domaintest.Must(t, secrets.EachWebhook(t.Context(), d.Queries, func(w db.WebhooksWithSecretsAfterRow) error {
		signing, err := webhooks.KeysOf(t.Context(), d.Queries, keys, w.CompanyID, w.ID, time.Now())
		if err == nil {
			found[w.ID] = string(signing[0])
		}
		return err
	}))
	return found
}

func TestBackupLeavesTheKeyOut(t *testing.T) {
	t.Parallel()
	from := onURL(t, dbtest.Empty(t))
	_, w, d := from.operator(t)
	actor := domaintest.OK(w.Workflows.Bearer(t.Context(), from.token))(t)
	ctx := accounts.WithActor(t.Context(), actor)
	draft := webhooks.Draft{URL: "https://hooks.example/path?token=hush", Feeds: []string{"tickets"}}
	hook := domaintest.OK(w.Workflows.OpenWebhook(ctx, draft, nil))(t)
	server := from.serve(t)
	sealedAll := func(d *db.DB) func() bool {
		return func() bool { return domaintest.Number(t, d, "SELECT COUNT(*) FROM audit WHERE seq IS NULL") == 0 }
	}
	domaintest.Until(t, "the audit log is sealed", sealedAll(d))
	domaintest.Must(t, server.stop(t))
	key := domaintest.OK(secrets.New(from.keyFile()).IDs())(t)[0]
	file := filepath.Join(t.TempDir(), "acme.backup")
	from.says(t, 0, "backup "+file, "The key "+key+" is not in it: keep a copy of "+from.keyFile()+" elsewhere.")

	t.Run("with the key everything is there", func(t *testing.T) {
		to := onEmpty(t)
		copyFile(t, from.keyFile(), to.keyFile())
		if out := to.says(t, 0, "restore "+file, "Restored "); strings.Contains(out, "stopped") {
			t.Errorf("restore says\n%s", out)
		}
		_, w, _ := to.operator(t)
		if got := domaintest.OK(w.Workflows.Webhook(ctx, hook.ID))(t); got.State != webhooks.On {
			t.Errorf("it is %s: %s", got.State, got.Reason)
		}
		to.verified(t)
	})
	t.Run("without it restore lists what must be entered again, and signs nothing with garbage", func(t *testing.T) {
		to := onEmpty(t)
		out := to.says(t, 0, "restore "+file, "Restored ", "The key "+key, "acme  hooks.example", "These webhooks are stopped",
			"The chains of the audit lists begin anew", "copy the key file of the original to "+to.keyFile())
		if strings.Contains(out, "hush") {
			t.Errorf("it prints the path of a webhook\n%s", out)
		}
		_, w, d := to.operator(t)
		got := domaintest.OK(w.Workflows.Webhook(ctx, hook.ID))(t)
		if got.State != webhooks.Stopped || !strings.Contains(got.Reason, "Make a new secret") {
			t.Errorf("it is %s: %s", got.State, got.Reason)
		}
		domaintest.Is(t, w.Workflows.EnableWebhook(ctx, hook.ID, true), webhooks.CodeNoSecret)
		domaintest.Fails(w.Workflows.TestWebhook(ctx, hook.ID, nil))(t, webhooks.CodeNoSecret)
		to.verified(t)

		server := to.serve(t)
		domaintest.Until(t, "the audit log is sealed again", sealedAll(d))
		domaintest.Must(t, server.stop(t))
		domaintest.Counts(t, d, 0, "SELECT COUNT(*) FROM audit WHERE NOT existing AND kind IN ('token-made', 'webhook-made')")
		domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'key-lost' AND company_id IS NULL")
		domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'webhook-off' AND company_id = 1")
		to.verified(t)

		domaintest.OK(w.Workflows.RotateSecret(ctx, hook.ID, nil))(t)
		domaintest.Must(t, w.Workflows.EnableWebhook(ctx, hook.ID, true))
		to.verified(t)
	})
	t.Run("a key that is lost afterwards can be given up, too", func(t *testing.T) {
		domaintest.Must(t, os.Remove(from.keyFile()))
		from.says(t, 2, "key reset", "add --lost")
		from.says(t, 1, "serve", "encrypted with the key "+key)
		domaintest.Exec(t, d, "UPDATE migration_worker SET lease_until = NOW(6)")
		from.says(t, 0, "key reset --lost", "acme  hooks.example")
		from.says(t, 0, "key reset --lost", "acme  hooks.example") // it still needs one
		from.verified(t)
		domaintest.Must(t, from.serve(t).stop(t))
		from.verified(t)
	})
}

// onEmpty is an install on an empty database, for a restore.
func onEmpty(t *testing.T) *install {
	t.Helper()
	return &install{env: []string{"DATABASE_URL=" + dbtest.Empty(t), "COUNTERFOIL_BLOBS=" + t.TempDir(), "COUNTERFOIL_SEARCH=" + t.TempDir(),
		"COUNTERFOIL_KEY_FILE=" + filepath.Join(t.TempDir(), "key")}}
}

func TestRotateAsksForOtherServers(t *testing.T) {
	t.Parallel()
	i := onURL(t, dbtest.Empty(t))
	server := i.serve(t)
	_, _, d := i.operator(t)
	// A server on another machine.
	domaintest.Exec(t, d, `INSERT INTO migration_worker (host, pid, version, knows, state, started_at, beat_at, lease_until, reads_sealed)
		VALUES ('web-2', 1, '', '', 'active', NOW(6), NOW(6), NOW(6) + INTERVAL 1 HOUR, TRUE)`)
	i.says(t, 1, "key rotate", "Servers on web-2 run on this database", "--prepare")
	i.says(t, 0, "key rotate --prepare", "nothing is encrypted with it yet", "Copy the file")
	i.says(t, 0, "key show", "prepared")
	second := i.elsewhere(t)
	copyFile(t, i.keyFile(), second.keyFile())
	domaintest.Must(t, second.serve(t).stop(t))
	i.says(t, 0, "key rotate", "encrypted with the new key")
	domaintest.Must(t, second.serve(t).stop(t))
	second.says(t, 0, "key show", "old")
	second.says(t, 0, "key rotate", "is finished")
	domaintest.Must(t, server.stop(t))
	domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'key-rotated'")
	i.verified(t)
}
