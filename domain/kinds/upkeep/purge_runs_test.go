package upkeep_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// oldRun is a run that ended so many days ago, with as many tasks, of which one failed twice, and a secret.
func (e *env) oldRun(t testing.TB, days, tasks int) migrations.Run {
	t.Helper()
	run, _ := e.RunToEnd(t, "re-render-markdown", migrations.Values{"company": "acme"}, migrations.Draft{})
	first := e.Count(t, "SELECT MIN(id) FROM migration_task WHERE run_id = ?", uint64(run.ID))
	more := fmt.Sprintf("(%d, 'complete', '{}', NOW(6)),", run.ID)
	e.Exec(t, "INSERT INTO migration_task (run_id, state, payload, finished_at) VALUES "+
		strings.TrimSuffix(strings.Repeat(more, tasks-int(run.Total)), ","))
	e.Exec(t, "UPDATE migration_task SET state = 'failed', attempt = 2, fingerprint = REPEAT('x', 8) WHERE id = ?", first)
	e.Exec(t, `INSERT INTO migration_attempt (run_id, task_id, iteration, attempt, outcome, worker_id, worker, started_at, took_us, fingerprint, message, detail)
		VALUES (?, ?, 1, 1, 'failed', 1, 'one:7', NOW(6), 1, REPEAT('x', 8), 'No.', ''), (?, ?, 1, 2, 'failed', 1, 'one:7', NOW(6), 1, REPEAT('x', 8), 'No.', '')`,
		uint64(run.ID), first, uint64(run.ID), first)
	e.Exec(t, `INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at)
		VALUES (?, REPEAT('x', 8), 'No.', ?, 2, 1, NOW(6), NOW(6))`, uint64(run.ID), first)
	e.Exec(t, "INSERT INTO migration_rejection (run_id, number, line, reason, content) VALUES (?, 1, 5, 'No title.', ',,')", uint64(run.ID))
	e.Exec(t, "INSERT IGNORE INTO migration_sample (run_id, at, complete, failed, skipped, errors, processing) VALUES (?, '2026-01-01', 1, 0, 0, 1, 2)", uint64(run.ID))
	e.Exec(t, "UPDATE migration_counter SET complete = complete + ? WHERE run_id = ? AND complete > 0 LIMIT 1", tasks-int(run.Total)-1, uint64(run.ID))
	e.Exec(t, "INSERT INTO migration_counter (run_id, worker_id, failed, errors) VALUES (?, 4711, 1, 2)", uint64(run.ID))
	e.Exec(t, `UPDATE migration_run SET total = ?, rejected = 1, listed = 'attention', upload = 'uploads/x', upload_name = 'x.csv',
		params = '{"plain":{"company":"acme"},"secret":{"token":"hush hush"}}', finished_at = NOW(6) - INTERVAL ? DAY WHERE id = ?`,
		tasks, days, uint64(run.ID))
	return domaintest.OK(e.Console.Run(e.Ctx, run.ID))(t)
}

// below are the tables with rows of a run.
var below = []string{"migration_task", "migration_attempt", "migration_failure", "migration_rejection", "migration_sample", "migration_event", "migration_request"}

func (e *env) rowsBelow(t testing.TB, run id.Run) (n int) {
	t.Helper()
	for _, table := range below {
		n += e.Count(t, "SELECT COUNT(*) FROM "+table+" WHERE run_id = ?", uint64(run))
	}
	return n
}

func TestPurgeRuns(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for table := range e.hangingOn(t, "migration_run") {
		if table != "migration_counter" && !slices.Contains(below, table) {
			t.Errorf("nobody looks at %s", table)
		}
	}
	old, recent := e.oldRun(t, 41, 1100), e.oldRun(t, 39, 3)
	e.oldRun(t, 50, 2)
	active := domaintest.OK(e.Console.OpenRun(e.Ctx, "re-render-markdown", migrations.Values{"company": "acme"}, migrations.Draft{}, nil))(t)
	e.Exec(t, "UPDATE migration_run SET state = 'paused', finished_at = NULL, created_at = '2020-01-01' WHERE id = ?", uint64(active.ID))
	days := migrations.Values{"days": "40"}
	before := e.rowsBelow(t, recent.ID)

	dry, tasks := e.RunToEnd(t, "purge-runs", days, migrations.Draft{Dry: true})
	if notes := notesOf(tasks); dry.Total != 8 || !slices.Contains(notes, "Would remove 500 tasks of run 1.") ||
		!slices.Contains(notes, "Would remove the rest of run 1.") {
		t.Errorf("a dry run has %d tasks: %q", dry.Total, notes)
	}
	if n := e.rowsBelow(t, old.ID); n < 1100 {
		t.Fatalf("a dry run leaves %d rows", n)
	}
	run, tasks := e.RunToEnd(t, "purge-runs", days, migrations.Draft{})
	if run.State != migrations.Complete || run.Progress.Complete != 8 {
		t.Fatalf("%s: %q", run.State, notesOf(tasks))
	}
	if n := e.rowsBelow(t, old.ID); n != 0 {
		t.Errorf("%d rows are left of the old run", n)
	}
	if n := e.rowsBelow(t, recent.ID); n != before {
		t.Errorf("%d rows are left of the recent run, not %d", n, before)
	}
	now := domaintest.OK(e.Console.Run(e.Ctx, old.ID))(t)
	if now.PurgedAt == nil || now.Progress != old.Progress || now.Total != 1100 || now.Listed != migrations.ListFinished ||
		now.Values["company"] != "acme" || now.Values["token"] != "" || now.Upload != "x.csv" {
		t.Errorf("the run is %+v", now)
	}
	e.Counts(t, 1, "SELECT COUNT(*) FROM migration_run WHERE params LIKE '%hush%'") // the recent one
	e.Counts(t, 1, "SELECT COUNT(*) FROM migration_run WHERE upload <> ''")
	for name, err := range map[string]error{
		"retry": second(e.Console.RetryTasks(e.Ctx, old.ID, migrations.Selection{All: true})),
		"skip":  second(e.Console.SkipTasks(e.Ctx, old.ID, migrations.Selection{All: true})),
	} {
		if !errors.Is(err, migrations.CodePurged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if again, _ := e.RunToEnd(t, "purge-runs", days, migrations.Draft{}); again.Total != 0 {
		t.Errorf("another purge has %d tasks", again.Total)
	}
}

func second[T any](_ T, err error) error { return err }

func TestPurgeRunsInPart(t *testing.T) {
	t.Parallel()
	t.Run("the next purge finishes one that was stopped", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		old := e.oldRun(t, 100, 700)
		b := e.Began(t, "purge-runs", 99, migrations.Values{"days": "90"})
		b.Do(t, b.Tasks[1])
		left := e.Began(t, "purge-runs", 99, migrations.Values{"days": "90"})
		if len(b.Tasks) != 4 || len(left.Tasks) != 3 && len(left.Tasks) != 4 {
			t.Fatalf("%d tasks, then %d", len(b.Tasks), len(left.Tasks))
		}
		left.Do(t, left.Tasks...)
		if n := e.rowsBelow(t, old.ID); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		left.Do(t, b.Tasks...) // once more, as after a crash
		if now := domaintest.OK(e.Console.Run(e.Ctx, old.ID))(t); now.Progress != old.Progress {
			t.Errorf("%+v, not %+v", now.Progress, old.Progress)
		}
	})
	t.Run("a run that was tried again in the meantime is left alone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		old := e.oldRun(t, 100, 5)
		b := e.Began(t, "purge-runs", 99, migrations.Values{"days": "90"})
		domaintest.OK(e.Console.RetryTasks(e.Ctx, old.ID, migrations.Selection{All: true}))(t)
		before := e.rowsBelow(t, old.ID)
		works := b.Works(b.Tasks)
		b.Do(t, b.Tasks...)
		if n := e.rowsBelow(t, old.ID); n != before || len(works) == 0 {
			t.Errorf("%d of %d rows are left", n, before)
		}
		if now := domaintest.OK(e.Console.Run(e.Ctx, old.ID))(t); now.PurgedAt != nil || now.State != migrations.Running {
			t.Errorf("it is %s, purged %v", now.State, now.PurgedAt)
		}
	})
	t.Run("a run that ended anew in the meantime is left alone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		old := e.oldRun(t, 100, 5)
		b := e.Began(t, "purge-runs", 99, migrations.Values{"days": "90"})
		e.Exec(t, "UPDATE migration_run SET finished_at = NOW(6) WHERE id = ?", uint64(old.ID))
		before := e.rowsBelow(t, old.ID)
		b.Do(t, b.Tasks...)
		if n := e.rowsBelow(t, old.ID); n != before || len(b.Tasks) == 0 {
			t.Errorf("%d of %d rows are left", n, before)
		}
	})
	t.Run("a server whose clock is fast purges nothing early", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.oldRun(t, 20, 5)
		e.DB.SetClock(func() time.Time { return time.Now().Add(400 * 24 * time.Hour) })
		if b := e.Began(t, "purge-runs", 99, migrations.Values{"days": "30"}); len(b.Tasks) != 0 {
			t.Errorf("%d tasks", len(b.Tasks))
		}
		if _, err := e.Console.OpenRun(context.WithoutCancel(e.Ctx), "purge-runs", migrations.Values{"days": "29"}, migrations.Draft{}, nil); err == nil ||
			!strings.Contains(err.Error(), "from 30 to") {
			t.Errorf("29 days: %v", err)
		}
	})
}
