package migrations_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/migrationstest"
)

const groupOne, groupTwo = "0000000000000001", "0000000000000002"

// failedRun makes a running run of n tasks which are all failed: the odd ones of group 1, the others of 2.
func (d *env) failedRun(n int) migrations.Run {
	d.T.Helper()
	run := d.Running(n)
	domaintest.Exec(d.T, d.DB,
		`UPDATE migration_task SET state = 'failed', attempt = 5, finished_at = NOW(6), fingerprint = UNHEX(IF(payload % 2, ?, ?)) WHERE run_id = ?`, groupOne, groupTwo, run.ID)
	domaintest.Exec(d.T, d.DB, "INSERT INTO migration_counter (run_id, worker_id, failed, errors) VALUES (?, 1, ?, ?)",
		run.ID, n, 5*n)
	for group, failed := range map[string]int{groupOne: (n + 1) / 2, groupTwo: n / 2} {
		domaintest.Exec(d.T, d.DB, `INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at)
			SELECT ?, UNHEX(?), 'It failed', MIN(id), ?, ?, NOW(6), NOW(6) FROM migration_task WHERE run_id = ?`, run.ID, group, 5*failed, failed, run.ID)
	}
	d.CheckCounts(run.ID)
	return run
}

// iterations says how many tasks of a run are in which iteration.
func (d *env) iterations(run id.Run) string {
	d.T.Helper()
	var one, two, more int
	domaintest.Must(d.T, d.DB.SQL.QueryRow(
		"SELECT SUM(iteration = 1), SUM(iteration = 2), SUM(iteration > 2) FROM migration_task WHERE run_id = ?",
		run).Scan(&one, &two, &more))
	return fmt.Sprint(one, " ", two, " ", more)
}

func (d *env) requests() (n int) {
	d.T.Helper()
	return domaintest.Number(d.T, d.DB, "SELECT COUNT(*) FROM migration_request")
}

// finishes has an engine do what requests had no time for, in as many rounds as that takes.
func (d *env) finishes(e *migrations.Engine) {
	d.T.Helper()
	for range 1000 {
		domaintest.Must(d.T, e.FinishRequests(d.Ctx))
		if d.requests() == 0 {
			return
		}
	}
	d.T.Fatal("requests are left")
}

func TestRetry(t *testing.T) {
	t.Parallel()
	t.Run("all failed tasks are open in their next iteration, however many", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.failedRun(3500)
		n, err := d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{All: true})
		if err != nil || n != 3500 {
			t.Fatal(n, err)
		}
		d.finishes(d.Engine)
		d.CheckCounts(run.ID)
		if got := d.Now(run.ID).Progress; got.Open != 3500 || got.Errors != 5*3500 || d.iterations(run.ID) != "0 3500 0" ||
			d.requests() != 0 {
			t.Errorf("%+v, iterations %s, %d requests left", got, d.iterations(run.ID), d.requests())
		}
		if log := d.Log(run.ID); log[len(log)-1] != "Ana retry all failed tasks: 3500" {
			t.Error(log)
		}
		if n, err := d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{All: true}); n != 0 || err != nil {
			t.Error("a double click retried", n, err)
		}
	})
	t.Run("the keeper finishes the rest of a request, also after a crash", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.failedRun(2500)
		if err := d.Request(d.Ctx, d.Ana, run.ID, "retry"); err != nil { // and then it died
			t.Fatal(err)
		}
		if d.requests() != 1 || d.iterations(run.ID) != "1500 1000 0" {
			t.Fatal(d.requests(), d.iterations(run.ID))
		}
		d.CheckCounts(run.ID)
		later := migrations.New(d.DB, nil, nil, migrationstest.Numbers)
		d.finishes(later)
		d.CheckCounts(run.ID)
		if d.requests() != 0 || d.iterations(run.ID) != "0 2500 0" {
			t.Error(d.requests(), d.iterations(run.ID))
		}
	})
	t.Run("a request retries each task once, even if it fails again", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.failedRun(1500)
		domaintest.Must(t, d.Request(d.Ctx, d.Ana, run.ID, "retry"))
		d.Fail(run.ID, d.Ids(run.ID)[:3], 1)
		d.finishes(d.Engine)
		if got := d.Now(run.ID).Progress; got.Failed != 3 || d.iterations(run.ID) != "0 1500 0" {
			t.Errorf("%+v %s", got, d.iterations(run.ID))
		}
	})
	t.Run("a request of a run that was cancelled ends", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.failedRun(1500)
		domaintest.Must(t, d.Request(d.Ctx, d.Ana, run.ID, "retry"))
		d.Must(d.CancelRun(d.Ctx, d.Ana, run.ID))
		d.finishes(d.Engine)
		if d.requests() != 0 || d.iterations(run.ID) != "500 1000 0" {
			t.Error(d.requests(), d.iterations(run.ID))
		}
	})
	t.Run("a request that cannot be carried out does not hold up those behind it", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		stuck, other := d.failedRun(1500), d.failedRun(1600)
		for _, run := range []migrations.Run{stuck, other} {
			domaintest.Must(t, d.Request(d.Ctx, d.Ana, run.ID, "retry"))
		}
		domaintest.Exec(t, d.DB,
			fmt.Sprintf("CREATE TRIGGER stuck BEFORE UPDATE ON migration_task FOR EACH ROW BEGIN IF NEW.run_id = %d THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'It is stuck'; END IF; END", stuck.ID))
		if err := d.FinishRequests(d.Ctx); err == nil || !strings.Contains(err.Error(), "It is stuck") {
			t.Errorf("nobody is told: %v", err)
		}
		for range 1000 { // rounds of the keeper, each as long as it may take
			if d.requests() == 1 {
				break
			}
			_ = d.FinishRequests(d.Ctx)
		}
		if d.iterations(other.ID) != "0 1600 0" || d.iterations(stuck.ID) != "500 1000 0" || d.requests() != 1 {
			t.Error(d.iterations(other.ID), d.iterations(stuck.ID), d.requests())
		}
		domaintest.Exec(t, d.DB, "DROP TRIGGER stuck")
		d.finishes(d.Engine)
		if d.iterations(stuck.ID) != "0 1500 0" {
			t.Error(d.iterations(stuck.ID))
		}
	})
	t.Run("a request that meets a conflict ends, and the run's log says so", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.failedRun(1500)
		domaintest.Must(t, d.Request(d.Ctx, d.Ana, run.ID, "retry"))
		d.MustMove(run.ID, migrations.Running, migrations.Complete, migrations.Keeper)
		other := d.Opened(1500)
		if err := d.FinishRequests(d.Ctx); err != nil || d.requests() != 0 {
			t.Fatal(err, d.requests())
		}
		d.CheckCounts(run.ID)
		if d.Now(run.ID).State != migrations.Complete || d.iterations(run.ID) != "500 1000 0" {
			t.Error("it was touched", d.iterations(run.ID))
		}
		want := "Counterfoil retry all failed tasks, for Ana: the rest is left as it is. " +
			migrations.ActiveRun{other.ID}.Error()
		if log := d.Log(run.ID); log[len(log)-1] != want {
			t.Error(log)
		}
	})
}

func TestRetryGroup(t *testing.T) {
	t.Parallel()
	t.Run("a group is retried and no other, once, also by two concurrent requests", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.failedRun(2600)
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				if _, err := d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Fingerprint: groupOne}); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		d.finishes(d.Engine)
		d.CheckCounts(run.ID)
		if d.iterations(run.ID) != "1300 1300 0" || d.requests() != 0 {
			t.Error(d.iterations(run.ID), d.requests())
		}
		for _, f := range domaintest.OK(d.Failures(d.Ctx, run.ID))(t) {
			if want := map[string]uint64{groupOne: 0, groupTwo: 1300}[f.Fingerprint]; f.Failed != want || f.Errors != 5*1300 {
				t.Errorf("%+v", f)
			}
		}
	})
	t.Run("a run that was complete runs again", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.failedRun(4)
		d.MustMove(run.ID, migrations.Running, migrations.Complete, migrations.Keeper)
		if n, err := d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Fingerprint: groupOne}); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		if run := d.Now(run.ID); run.State != migrations.Running || run.Listed != migrations.ListActive ||
			run.FinishedAt != nil || run.Reason != "Tasks are tried again." {
			t.Errorf("%+v", run)
		}
	})
	t.Run("but not beside another that does the same", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.failedRun(4)
		d.MustMove(run.ID, migrations.Running, migrations.Complete, migrations.Keeper)
		other := d.Opened(4)
		_, err := d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{All: true})
		if refuses[migrations.ActiveRun](t, err, fault.Conflict).Run != other.ID {
			t.Error(err)
		}
		d.CheckCounts(run.ID)
		if d.Now(run.ID).State != migrations.Complete || d.iterations(run.ID) != "4 0 0" {
			t.Error("it was touched")
		}
	})
	t.Run("a run that is complete with nothing to retry stays so", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Running(1)
		d.MustMove(run.ID, migrations.Running, migrations.Complete, migrations.Keeper)
		if n, err := d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{All: true}); n != 0 || err != nil ||
			d.Now(run.ID).State != migrations.Complete {
			t.Error(n, err)
		}
	})
}

func TestRetryTasks(t *testing.T) {
	t.Parallel()
	t.Run("a single task, by its state", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Running(12)
		tasks := d.Ids(run.ID)
		for i, state := range migrations.TaskStates { // two of each
			for _, task := range []id.Task{tasks[2*i], tasks[2*i+1]} {
				if state == migrations.TaskOpen {
					continue
				}
				d.Does(run.ID, task, migrations.TaskOpen, migrations.TaskProcessing)
				if state != migrations.TaskProcessing {
					d.Does(run.ID, task, migrations.TaskProcessing, state)
				}
			}
		}
		d.CheckCounts(run.ID)
		for i, state := range migrations.TaskStates {
			_, err := d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Task: tasks[2*i]})
			if may := slices.Contains([]string{migrations.TaskWaiting, migrations.TaskFailed, migrations.TaskSkipped},
				state); may != (err == nil) {
				t.Error("retry of one that is", state, err)
			} else if !may {
				refusesAs(t, err, migrations.CodeWrongTaskState, fault.Conflict)
			}
			_, err = d.SkipTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Task: tasks[2*i+1]})
			if may := slices.Contains([]string{migrations.TaskOpen, migrations.TaskWaiting, migrations.TaskFailed},
				state); may != (err == nil) {
				t.Error("skip of one that is", state, err)
			} else if !may {
				refusesAs(t, err, migrations.CodeWrongTaskState, fault.Conflict)
			}
			d.CheckCounts(run.ID)
		}
		task, _, err := d.Task(d.Ctx, db.SightOfAll(0), run.ID, tasks[2*slices.Index(migrations.TaskStates, migrations.TaskFailed)])
		if err != nil || task.Iteration != 2 || task.Attempt != 0 || task.State != migrations.TaskOpen ||
			task.Fingerprint != "" || task.FinishedAt != nil {
			t.Errorf("%+v", task)
		}
		log := strings.Join(d.Log(run.ID), "\n")
		if strings.Count(log, "Ana retry task") != 3 || strings.Count(log, "Ana skip task") != 3 {
			t.Error(log)
		}
		other := d.Ready(1)
		_, err = d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Task: d.Ids(other.ID)[0]})
		refusesAs(t, err, migrations.CodeTaskNotFound, fault.NotFound)
	})
	t.Run("of several tasks, those whose state allows it; the others are left alone", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run, other := d.failedRun(6), d.Ready(1)
		tasks := d.Ids(run.ID)
		domaintest.Exec(t, d.DB, "UPDATE migration_task SET state = 'open', fingerprint = NULL WHERE id = ?", tasks[0])
		domaintest.Exec(t, d.DB, "UPDATE migration_counter SET failed = 5 WHERE run_id = ?", run.ID)
		domaintest.Exec(t, d.DB, "UPDATE migration_failure SET failed = 2 WHERE run_id = ? AND fingerprint = UNHEX(?)",
			run.ID, groupOne)
		named := []id.Task{tasks[3], tasks[0], tasks[2], tasks[3], d.Ids(other.ID)[0], 999_999}
		if n, err := d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Tasks: named}); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		d.CheckCounts(run.ID)
		if got := d.iterations(run.ID); got != "4 2 0" {
			t.Error(got)
		}
		if log := d.Log(run.ID); log[len(log)-1] != fmt.Sprintf("Ana retry 2 tasks: %d, %d", tasks[2], tasks[3]) {
			t.Error(log)
		}
		log := len(d.Log(run.ID))
		if n, err := d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Tasks: named}); n != 0 || err != nil ||
			len(d.Log(run.ID)) != log {
			t.Error(n, err, d.Log(run.ID))
		}
		if n, err := d.SkipTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Tasks: tasks}); n != 6 || err != nil {
			t.Error(n, err)
		}
		d.CheckCounts(run.ID)
		_, err := d.SkipTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Tasks: make([]id.Task, migrations.SettleChunk+1)})
		refusesAs(t, err, migrations.CodeTooManyTasks, fault.Invalid)
	})
	t.Run("exactly one of a task, some tasks, a group and all is named", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		for _, which := range []migrations.Selection{{}, {Task: 1, All: true}, {Fingerprint: groupOne, All: true},
			{Task: 1, Tasks: []id.Task{1}}, {Tasks: []id.Task{1}, All: true}} {
			_, err := d.RetryTasks(d.Ctx, d.Ana, 1, which)
			refusesAs(t, err, migrations.CodeBadSelection, fault.Invalid)
		}
		_, err := d.SkipTasks(d.Ctx, d.Ana, 1, migrations.Selection{Fingerprint: "' OR 1"})
		refusesAs(t, err, migrations.CodeBadFingerprint, fault.Invalid)
	})
}

func TestSkip(t *testing.T) {
	t.Parallel()
	d := newEnv(t)
	run := d.failedRun(2300)
	d.MustMove(run.ID, migrations.Running, migrations.Complete, migrations.Keeper)
	if n, err := d.SkipTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Fingerprint: groupOne}); n != 1150 || err != nil {
		t.Fatal(n, err)
	}
	d.finishes(d.Engine)
	d.CheckCounts(run.ID)
	if run := d.Now(run.ID); run.State != migrations.Complete || run.Listed != migrations.ListAttention ||
		run.Progress.Skipped != 1150 {
		t.Errorf("%+v", run)
	}
	if n, err := d.SkipTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{All: true}); n != 1150 || err != nil {
		t.Fatal(n, err)
	}
	d.finishes(d.Engine)
	d.CheckCounts(run.ID)
	if run := d.Now(run.ID); run.State != migrations.Complete || run.Listed != migrations.ListFinished ||
		run.Progress.Skipped != 2300 {
		t.Errorf("%+v", run)
	}
}

// In any order of actions of operators and workers, the counters match the tasks.
func TestCountersAreTheTruth(t *testing.T) {
	t.Parallel()
	d := newEnv(t)
	rapid.Check(t, func(r *rapid.T) {
		run := d.Running(8)
		tasks := d.Ids(run.ID)
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			task := rapid.SampledFrom(tasks).Draw(r, "task")
			now, _, err := d.Task(d.Ctx, db.SightOfAll(0), run.ID, task)
			domaintest.Must(r, err)
			do := rapid.SampledFrom([]string{"work", "work", "work", "retry", "retry group", "retry all", "skip", "skip group",
				"skip all", "pause", "resume", "complete"}).Draw(r, "do")
			group := rapid.SampledFrom([]string{groupOne, groupTwo}).Draw(r, "group")
			switch do {
			case "work":
				switch now.State {
				case migrations.TaskOpen, migrations.TaskWaiting:
					if now.State == migrations.TaskWaiting {
						d.Does(run.ID, task, migrations.TaskWaiting, migrations.TaskOpen)
					}
					d.Does(run.ID, task, migrations.TaskOpen, migrations.TaskProcessing)
				case migrations.TaskProcessing:
					to := rapid.SampledFrom([]string{migrations.TaskComplete, migrations.TaskFailed, migrations.TaskWaiting,
						migrations.TaskOpen}).Draw(r, "to")
					d.Does(run.ID, task, migrations.TaskProcessing, to, byte(rapid.IntRange(1, 2).Draw(r, "fingerprint")))
				}
			case "retry":
				_, err = d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Task: task})
			case "retry group":
				_, err = d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Fingerprint: group})
			case "retry all":
				_, err = d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{All: true})
			case "skip":
				_, err = d.SkipTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Task: task})
			case "skip group":
				_, err = d.SkipTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Fingerprint: group})
			case "skip all":
				_, err = d.SkipTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{All: true})
			case "pause":
				_, err = d.PauseRun(d.Ctx, d.Ana, run.ID)
			case "resume":
				_, err = d.ResumeRun(d.Ctx, d.Ana, run.ID)
			case "complete":
				d.Put(run.ID, migrations.Complete)
			}
			if err != nil && fault.KindOf(err) != fault.Conflict {
				r.Fatalf("%s: %v", do, err)
			}
			after, _, err := d.Task(d.Ctx, db.SightOfAll(0), run.ID, task)
			if err != nil || do != "work" && now.State == migrations.TaskProcessing && after.State != migrations.TaskProcessing {
				r.Fatalf("%s took a task out of a worker's hands: %v", do, err)
			}
			d.CheckCounts(run.ID)
		}
		d.Put(run.ID, migrations.Cancelled)
	})
}

// A worker that claims and an operator who skips want the same task: one of them gets it.
func TestSkippingAndClaimingAtOnce(t *testing.T) {
	t.Parallel()
	d := newEnv(t)
	run := d.Running(20)
	tasks := d.Ids(run.ID)
	var wait sync.WaitGroup
	wait.Go(func() {
		for _, task := range tasks {
			_, err := d.SkipTasks(context.WithoutCancel(d.Ctx), d.Ana, run.ID, migrations.Selection{Task: task})
			if err != nil && fault.KindOf(err) != fault.Conflict {
				t.Error(err)
			}
		}
	})
	wait.Go(func() {
		for _, task := range slices.Backward(tasks) {
			result, err := d.DB.SQL.Exec("UPDATE migration_task SET state = 'processing' WHERE id = ? AND state = 'open'", task)
			if err != nil {
				t.Error(err)
				return
			}
			if n, _ := result.RowsAffected(); n == 1 {
				domaintest.Exec(t, d.DB,
					"INSERT INTO migration_counter (run_id, worker_id, processing) VALUES (?, 1, 1) ON DUPLICATE KEY UPDATE processing = processing + 1", run.ID)
			}
		}
	})
	wait.Wait()
	d.CheckCounts(run.ID)
	if p := d.Now(run.ID).Progress; p.Skipped+p.Processing != 20 {
		t.Errorf("%+v", p)
	}
}

func TestWaitingTasks(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		do   func(d *env) func(context.Context, migrations.Actor, id.Run, migrations.Selection) (int64, error)
		last string
	}{
		"all that wait are skipped, and no other": {func(d *env) func(context.Context, migrations.Actor, id.Run, migrations.Selection) (int64, error) {
			return d.SkipTasks
		}, "Ana skip all waiting tasks: 2300"},
		"all that wait begin anew, and no other does": {func(d *env) func(context.Context, migrations.Actor, id.Run, migrations.Selection) (int64, error) {
			return d.RetryTasks
		}, "Ana retry all waiting tasks: 2300"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newEnv(t)
			run := d.Running(2303)
			tasks := d.Ids(run.ID)
			domaintest.Exec(t, d.DB,
				"UPDATE migration_task SET state = 'waiting', attempt = 1, due_at = NOW(6) + INTERVAL 1 HOUR WHERE run_id = ? AND id <= ?", run.ID, uint64(tasks[2299]))
			domaintest.Exec(t, d.DB, "INSERT INTO migration_counter (run_id, worker_id, waiting) VALUES (?, 1, 2300)", run.ID)
			d.Does(run.ID, tasks[2300], migrations.TaskOpen, migrations.TaskProcessing)
			d.Does(run.ID, tasks[2300], migrations.TaskProcessing, migrations.TaskFailed)
			before := d.Now(run.ID).Progress
			if n, err := one.do(d)(d.Ctx, d.Ana, run.ID, migrations.Selection{Waiting: true}); n != 2300 || err != nil {
				t.Fatal(n, err)
			}
			d.finishes(d.Engine)
			d.CheckCounts(run.ID)
			after := d.Now(run.ID).Progress
			if after.Waiting != 0 || after.Failed != before.Failed || after.Open+after.Skipped != before.Open+2300 ||
				d.requests() != 0 {
				t.Errorf("%+v, %d requests", after, d.requests())
			}
			if log := d.Log(run.ID); log[len(log)-1] != one.last {
				t.Error(log)
			}
		})
	}
}
