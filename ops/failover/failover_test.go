package failover_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/ops/failover"
	"github.com/counterfoil/counterfoil/ops/opstest"
	"github.com/counterfoil/counterfoil/ops/verify"
)

// env is a promoted database with some of everything, and a board BUSY.
type env struct {
	*app.App
	ctx context.Context
	db  *db.DB
	failover.Options
}

func newEnv(t *testing.T) *env {
	t.Helper()
	url := dbtest.URL(t)
	d := domaintest.OK(db.Open(url))(t)
	w := app.New(d, apptest.CheapPasswords, apptest.WithKeys)
	t.Cleanup(func() { w.Close(context.Background()); d.Close() })
	actor, _, _, err := w.Workflows.SetUp(t.Context(), workflows.Setup{Token: true, Company: "Acme", Name: "Ana",
		Email: "ana@example.com", Password: "correct horse battery"})
	domaintest.Must(t, err)
	e := &env{w, accounts.WithActor(context.Background(), actor), d,
		failover.Options{URL: url, Lost: 30 * time.Second}}
	opstest.Populate(t, e.ctx, w, d)
	domaintest.OK(w.Workflows.OpenBoard(e.ctx, boards.Draft{Slug: "BUSY", Title: "Busy"}, nil))(t)
	return e
}

func (e *env) exec(t *testing.T, statement string, args ...any) {
	domaintest.Exec(t, e.db, statement, args...)
}

func (e *env) counts(t *testing.T, want int, query string, args ...any) {
	t.Helper()
	domaintest.Counts(t, e.db, want, query, args...)
}

// verified fails unless verify finds nothing.
func (e *env) verified(t *testing.T) {
	t.Helper()
	report := domaintest.OK(verify.Run(t.Context(), e.db, apptest.Keys, "", nil))(t)
	for _, check := range report.Checks {
		for _, finding := range check.Findings {
			t.Errorf("%s: %s", check.Name, finding)
		}
	}
}

const busy = "(SELECT id FROM board WHERE slug = 'BUSY')"

// fill opens tickets of the board BUSY, a second apart, the last a while ago.
func (e *env) fill(t *testing.T, n int, ago time.Duration) {
	t.Helper()
	e.exec(t, `INSERT INTO ticket (board_id, local_id, title, description, created_by, created_at, updated_at, moved_at, deleted_at)
		WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 31),
		x (x) AS (SELECT a.n * 32 + b.n FROM n a, n b)
		SELECT b.id, i.max_ticket_id + x + 1, 'Ticket', '', 1, NOW(6) - INTERVAL ? SECOND - INTERVAL ? - x SECOND, NOW(6), NOW(6), NOW(6)
		FROM x, board b JOIN board_ticket_incrementer i ON i.board_id = b.id WHERE b.slug = 'BUSY' AND x < ?`,
		int(ago.Seconds()), n, n)
	e.exec(t, "UPDATE board_ticket_incrementer SET max_ticket_id = max_ticket_id + ? WHERE board_id = "+busy, n)
}

func TestNumbersAreSkipped(t *testing.T) {
	t.Parallel()
	skipped := func(t *testing.T, e *env) int {
		t.Helper()
		report := domaintest.OK(failover.Run(e.ctx, e.Options))(t)
		i := slices.IndexFunc(report.Boards, func(b failover.Board) bool { return b.Board == "BUSY" })
		if i < 0 {
			t.Fatalf("the report has the boards %v", report.Boards)
		}
		e.counts(t, int(report.Boards[i].Last+report.Boards[i].Skipped), "SELECT max_ticket_id FROM board_ticket_incrementer WHERE board_id = "+busy)
		return int(report.Boards[i].Skipped)
	}
	t.Run("as many as the busiest time of the last day took", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.fill(t, 400, 5*time.Hour)
		e.Lost = 5 * time.Minute
		if n := skipped(t, e); n != 301 {
			t.Errorf("%d numbers are skipped", n)
		}
	})
	t.Run("by 100 at least", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.fill(t, 400, 5*time.Hour)
		if n := skipped(t, e); n != 100 {
			t.Errorf("%d numbers are skipped", n)
		}
	})
	t.Run("whatever was taken earlier", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.fill(t, 400, 25*time.Hour)
		e.Lost = 5 * time.Minute
		if n := skipped(t, e); n != 100 {
			t.Errorf("%d numbers are skipped", n)
		}
	})
	t.Run("once, if a failover was cut off", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.exec(t, `INSERT INTO failover (id, old, answer, lost_us, last_at, last_audit, pool, quarantined, began_at, report)
			VALUES (7, '', '', 30000000, NOW(6), 0, 0, 0, NOW(6), '')`)
		e.exec(t, "INSERT INTO failover_board (failover_id, board_id, last_number, skipped) SELECT 7, id, 0, 120 FROM board WHERE slug = 'BUSY'")
		e.exec(t, "UPDATE board_ticket_incrementer SET max_ticket_id = 120 WHERE board_id = "+busy)
		if n := skipped(t, e); n != 120 {
			t.Errorf("%d numbers are skipped", n)
		}
		e.verified(t)
	})
}

func TestWorkersOfBeforeAreFenced(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.exec(t, "INSERT INTO migration_worker (id, host, pid, version, state, started_at, beat_at, lease_until) VALUES (2, 'one', 8, '', 'active', NOW(6), NOW(6), NOW(6) + INTERVAL 1 HOUR)")
	e.exec(t, "UPDATE migration_run SET state = 'running', fill_fence = 3 WHERE id = 2")
	e.exec(t, "UPDATE migration_task SET state = 'processing', attempt = 1, worker_id = 2, fence = (2 << 32) + 5 WHERE id = 5")
	e.exec(t, "UPDATE migration_counter SET processing = 1 WHERE run_id = 2")
	e.exec(t, "UPDATE webhook SET fence = 4")
	report := domaintest.OK(failover.Run(e.ctx, e.Options))(t)
	if fmt.Sprint(report.RunsPaused) != "[2]" {
		t.Errorf("the report has the paused runs %v", report.RunsPaused)
	}
	e.counts(t, 1, "SELECT COUNT(*) FROM migration_run WHERE id = 2 AND state = 'pausing' AND fill_fence > 1000")
	e.counts(t, 1, "SELECT COUNT(*) FROM migration_task WHERE id = 5 AND fence = 2 << 32")
	e.counts(t, 0, "SELECT COUNT(*) FROM webhook WHERE fence < 1000")
	e.counts(t, 0, "SELECT COUNT(*) FROM migration_worker")
	e.exec(t, "INSERT INTO migration_worker (host, pid, version, state, started_at, beat_at, lease_until) VALUES ('one', 9, '', 'active', NOW(6), NOW(6), NOW(6))")
	e.counts(t, 1, "SELECT COUNT(*) FROM migration_worker WHERE id > 1000")
	e.exec(t, "DELETE FROM migration_worker")
	e.verified(t)
}

func TestReport(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	domaintest.Fails(failover.Last(e.ctx, openEmpty(t)))(t, failover.CodeNone)
	e.exec(t, "INSERT INTO sessions (token, data, expiry) SELECT CONCAT('s', id), 'x', '2030-01-01' FROM ticket")
	sessions := domaintest.Number(t, e.db, "SELECT COUNT(*) FROM sessions")
	pool := domaintest.Number(t, e.db, "SELECT COUNT(*) FROM ref_pool")
	report := domaintest.OK(failover.Run(e.ctx, e.Options))(t)
	if int(report.SessionsEnded) != sessions || int(report.CodesQuarantined) != pool || report.Old != "" || report.LostSeconds != 30 {
		t.Errorf("of %d sessions and %d codes the report is %+v", sessions, pool, report)
	}
	if !slices.ContainsFunc(report.Review, func(c failover.Change) bool {
		return c.Kind == accounts.AuditTokenMade && c.Detail.Name == "Nightly report"
	}) {
		t.Errorf("the token that was made is not among %+v", report.Review)
	}
	kept := domaintest.OK(failover.Last(e.ctx, e.db))(t)
	if !kept.EndedAt.Equal(report.EndedAt) || len(kept.Boards) != len(report.Boards) {
		t.Errorf("it was %+v and is kept as %+v", report, kept)
	}
	e.counts(t, domaintest.Number(t, e.db, "SELECT COUNT(*) FROM company"), "SELECT COUNT(*) FROM audit WHERE kind = 'failed-over'")
	e.verified(t)
}

func TestACutBetweenItsEndAndItsMark(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	report := domaintest.OK(failover.Run(e.ctx, e.Options))(t)
	failovers := domaintest.Number(t, e.db, "SELECT COUNT(*) FROM failover")
	e.exec(t, "CREATE TABLE failover_under_way (began_at DATETIME(6) NOT NULL, PRIMARY KEY (began_at))")
	e.exec(t, "INSERT INTO failover_under_way (began_at) VALUES (NOW(6))")
	again := domaintest.OK(failover.Run(e.ctx, e.Options))(t)
	if !again.EndedAt.Equal(report.EndedAt) {
		t.Errorf("the failover that ended at %s was done again, until %s", report.EndedAt, again.EndedAt)
	}
	e.counts(t, failovers, "SELECT COUNT(*) FROM failover")
	opened := domaintest.OK(db.Open(e.URL))(t)
	defer opened.Close()
	domaintest.OK(opened.Sequences(t.Context()))(t)
	e.verified(t)
}

func openEmpty(t *testing.T) *db.DB {
	t.Helper()
	return dbtest.Open(t)
}

func TestRefusedBeforeAnythingIsChanged(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.exec(t, "UPDATE schema_migrations SET version = version + 1")
	domaintest.Fails(failover.Run(e.ctx, e.Options))(t, db.CodeNewerSchema)
	e.exec(t, "UPDATE schema_migrations SET version = version - 1, dirty = TRUE")
	domaintest.Fails(failover.Run(e.ctx, e.Options))(t, db.CodeBrokenSchema)
	e.exec(t, "UPDATE schema_migrations SET dirty = FALSE")
	e.Old = e.URL
	domaintest.Fails(failover.Run(e.ctx, e.Options))(t, failover.CodeSameServer)
	domaintest.OK(e.db.Sequences(t.Context()))(t)
	e.verified(t)
}

func TestNothingIsUsedMeanwhile(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	open := domaintest.OK(e.db.SQL.BeginTx(context.Background(), nil))(t)
	defer open.Rollback()
	steps := 0
	e.Progress = func(step string, _, _ int64) {
		steps++
		if _, err := e.db.Sequences(context.Background()); !errors.Is(err, db.CodeFailingOver) {
			t.Errorf("%s: a program that was connected before: %v", step, err)
		}
		if _, err := open.Exec("UPDATE sequences SET version = version"); err == nil {
			t.Errorf("%s: a transaction that was open before goes on", step)
		}
		_, err := failover.Run(context.Background(), failover.Options{URL: e.URL, Lost: time.Second})
		if !errors.Is(err, failover.CodeRunning) {
			t.Errorf("%s: another failover: %v", step, err)
		}
	}
	domaintest.OK(failover.Run(e.ctx, e.Options))(t)
	if steps == 0 {
		t.Error("nothing was tried")
	}
	domaintest.OK(e.db.Sequences(context.Background()))(t)
}
