package keyloss_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/secrets"
	"github.com/counterfoil/counterfoil/ops/keyloss"
)

func TestMain(m *testing.M) { os.Exit(domaintest.RunWithoutLeaks(m)) }

func TestReset(t *testing.T) {
	t.Parallel()
	t.Run("chains that begin anew are in the log, also while the database's own key is there", func(t *testing.T) {
		t.Parallel()
		d, keys := dbtest.Open(t), secrets.New(filepath.Join(t.TempDir(), "key"))
		domaintest.Must(t, keys.Bind(t.Context(), d))
		domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			return accounts.RecordInstance(t.Context(), tx, 0, accounts.AuditEpochBegun, accounts.AuditDetail{})
		}))
		sealer := accounts.NewSealer(d, keys)
		domaintest.OK(sealer.SealOnce(t.Context()))(t)
		domaintest.Exec(t, d, "UPDATE sealed_secret SET key_id = '0123456789abcdef' WHERE kind = 'audit'")
		lost := domaintest.OK(keyloss.Reset(t.Context(), d, keys))(t)
		if !lost.Chains || lost.Key != "" {
			t.Errorf("%+v", lost)
		}
		domaintest.OK(sealer.SealOnce(t.Context()))(t)
		domaintest.Counts(t, d, 1, `SELECT COUNT(*) FROM audit
			WHERE kind = 'key-lost' AND detail LIKE '%0123456789abcdef%' AND NOT existing AND company_id IS NULL`)
		if again := domaintest.OK(keyloss.Reset(t.Context(), d, keys))(t); !again.None() {
			t.Errorf("again: %+v", again)
		}
	})

	t.Run("accounts keep their second step without the keys of their apps, and recovery codes take it", func(t *testing.T) {
		t.Parallel()
		d, keys := dbtest.Open(t), secrets.New(filepath.Join(t.TempDir(), "key"))
		domaintest.Must(t, keys.Bind(t.Context(), d))
		domaintest.Exec(t, d, `INSERT INTO account (id, email, name, password_hash, created_at)
			VALUES (1, 'ana@example.com', 'Ana', '', NOW(6)), (2, 'bo@example.com', 'Bo', '', NOW(6))`)
		domaintest.Exec(t, d, "INSERT INTO account_totp (account_id, last_step, created_at) VALUES (1, 1, NOW(6)), (2, 1, NOW(6))")
		var codes []string
		domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) (err error) {
			for owner := range uint64(2) {
				name := secrets.Name{Kind: secrets.TOTP, Owner: owner + 1}
				if err := keys.Put(t.Context(), tx, name, []byte(accounts.NewTOTPKey())); err != nil {
					return err
				}
			}
			codes, err = accounts.MakeRecoveryCodes(t.Context(), tx, 1)
			return err
		}))
		domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			return keys.Put(t.Context(), tx, secrets.Name{Kind: secrets.Issuer, Owner: 7}, []byte("client secret"))
		}))
		domaintest.Exec(t, d, `UPDATE sealed_secret SET key_id = '0123456789abcdef'
			WHERE kind = 'totp' AND owner_id = 1 OR kind = 'issuer'`)
		lost := domaintest.OK(keyloss.Reset(t.Context(), d, keys))(t)
		if lost.Apps != 1 || lost.Issuers != 1 || lost.None() {
			t.Errorf("%+v", lost)
		}
		domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM sealed_secret WHERE kind IN ('totp', 'issuer')")
		if factors := domaintest.OK(accounts.FactorsOf(t.Context(), d.Queries, 1))(t); !factors.Any() {
			t.Errorf("Ana has %+v", factors)
		}
		use := func(code string) error {
			return d.InTx(t.Context(), func(tx *db.Tx) error {
				_, err := accounts.UseCode(t.Context(), tx, keys, 1, code)
				return err
			})
		}
		domaintest.Is(t, use("123456"), accounts.CodeWrongCode)
		domaintest.Must(t, use(codes[0]))
	})
}
