package backup_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/ops/backup"
	"github.com/counterfoil/counterfoil/ops/verify"
)

func TestRestoreHoldsTheDatabase(t *testing.T) {
	t.Parallel()
	from := newEnv(t)
	from.exec(t, `INSERT INTO ref_sample (at, source, popped, empties, p50_us, p99_us)
		WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 249)
		SELECT '2026-01-01' + INTERVAL (a.n * 250 + b.n) MINUTE, 1, 1, 0, 1, 1 FROM n a, n b`)
	file := from.backup(t)

	t.Run("nobody else uses it until it is done", func(t *testing.T) {
		t.Parallel()
		to := at(t, dbtest.URL(t))
		open := domaintest.OK(to.db.SQL.BeginTx(context.Background(), nil))(t)
		defer open.Rollback()
		domaintest.OK(open.Exec("UPDATE sequences SET version = version"))(t)
		var during []string
		to.Progress = func(step string, _, _ int64) {
			if !strings.HasPrefix(step, "load rows") || slices.Contains(during, step) {
				return
			}
			during = append(during, step)
			refused := func(what string, err error) {
				if !errors.Is(err, db.CodeRestoring) {
					t.Errorf("%s: %v", what, err)
				}
			}
			_, err := to.db.Sequences(context.Background())
			refused("a program that was connected before", err)
			_, err = open.Exec("UPDATE sequences SET version = version")
			if err == nil {
				t.Error("a transaction that was open before goes on")
			}
			d := domaintest.OK(db.Open(to.URL))(t)
			defer d.Close()
			_, err = d.Check(context.Background())
			refused("a new program", err)
			refused("a change of the schema", db.SchemaUp(to.URL))
			_, err = db.Schema(to.URL)
			refused("the schema's status", err)
			_, err = backup.Make(context.Background(), to.Installation, "test", file+".other")
			refused("a backup", err)
			look := domaintest.OK(db.OpenMarked(to.URL))(t)
			defer look.Close()
			report := domaintest.OK(verify.Run(context.Background(), look, apptest.Keys, "", nil))(t)
			if report.OK() || !strings.Contains(report.Checks[0].Findings[0], "restore") {
				t.Errorf("verify finds %+v", report.Checks[0])
			}
			_, _, err = backup.Restore(context.Background(), to.Installation, file)
			domaintest.Is(t, err, backup.CodeAtWork)
		}
		to.restore(t, file)
		if len(during) == 0 {
			t.Error("nothing was tried")
		}
		domaintest.OK(to.db.Sequences(context.Background()))(t)
	})
	t.Run("each transaction is of some thousands of rows at most", func(t *testing.T) {
		t.Parallel()
		to, most := empty(t), 0
		to.Progress = func(step string, _, _ int64) { // between members, the last before the end of all
			if step != "load rows" {
				return
			}
			look := domaintest.OK(db.OpenMarked(to.URL))(t)
			defer look.Close()
			most = max(most, domaintest.Number(t, look, "SELECT COUNT(*) FROM ref_sample"))
		}
		to.restore(t, file)
		if all := to.rows(t, "ref_sample"); most < all-6000 {
			t.Errorf("of %d rows only %d were committed once all of them were loaded", all, most)
		}
	})
	t.Run("what another left that was cut off is removed first", func(t *testing.T) {
		t.Parallel()
		to := at(t, dbtest.URL(t))
		to.exec(t, "INSERT INTO company (slug, name, created_at) VALUES ('half', 'Half', '2026-01-01')")
		to.exec(t, "CREATE TABLE "+string(db.RestoreMark)+" (began_at DATETIME(6) NOT NULL, PRIMARY KEY (began_at))")
		to.exec(t, "INSERT INTO "+string(db.RestoreMark)+" (began_at) VALUES ('2026-01-01')")
		if summary := to.restore(t, file); !summary.Emptied {
			t.Error("it does not say so")
		}
		if dump(t, from) != dump(t, to) {
			t.Error("rows differ")
		}
	})
	t.Run("what was there before a restore that had loaded nothing stays, and may be used", func(t *testing.T) {
		t.Parallel()
		to := at(t, dbtest.URL(t))
		to.exec(t, "INSERT INTO company (slug, name, created_at) VALUES ('mine', 'Mine', '2026-01-01')")
		to.exec(t, "CREATE TABLE "+string(db.RestoreMark)+" (began_at DATETIME(6) NOT NULL, PRIMARY KEY (began_at))")
		_, _, err := backup.Restore(context.Background(), to.Installation, file)
		domaintest.Is(t, err, backup.CodeNotEmpty)
		if to.rows(t, "company") != 1 {
			t.Error("it is gone")
		}
	})
}
