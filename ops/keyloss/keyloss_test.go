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
}
