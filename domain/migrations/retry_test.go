package migrations

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

const groupOne, groupTwo = "0000000000000001", "0000000000000002"

// many makes a running run of n tasks which are all failed: the odd ones of group 1, the others of 2.
func (d *desk) many(n int) Run {
	d.t.Helper()
	run := d.running(n)
	execute(d.t, d.db, `UPDATE migration_task SET state = 'failed', attempt = 5, finished_at = NOW(6), fingerprint = UNHEX(IF(payload % 2, ?, ?)) WHERE run_id = ?`, groupOne, groupTwo, run.ID)
	execute(d.t, d.db, "INSERT INTO migration_counter (run_id, worker_id, failed, errors) VALUES (?, 1, ?, ?)", run.ID, n, 5*n)
	for group, failed := range map[string]int{groupOne: (n + 1) / 2, groupTwo: n / 2} {
		execute(d.t, d.db, `INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at)
			SELECT ?, UNHEX(?), 'It failed', MIN(id), ?, ?, NOW(6), NOW(6) FROM migration_task WHERE run_id = ?`, run.ID, group, 5*failed, failed, run.ID)
	}
	d.counted(run.ID)
	return run
}

// iterations says how many tasks of a run are in which iteration.
func (d *desk) iterations(run id.Run) string {
	d.t.Helper()
	var one, two, more int
	err := d.db.SQL.QueryRow("SELECT SUM(iteration = 1), SUM(iteration = 2), SUM(iteration > 2) FROM migration_task WHERE run_id = ?", run).Scan(&one, &two, &more)
	if err != nil {
		d.t.Fatal(err)
	}
	return fmt.Sprint(one, " ", two, " ", more)
}

func (d *desk) requests() (n int) {
	d.t.Helper()
	if err := d.db.SQL.QueryRow("SELECT COUNT(*) FROM migration_request").Scan(&n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

// finishes has an engine do what requests had no time for, in as many rounds as that takes.
func (d *desk) finishes(e *Engine) {
	d.t.Helper()
	for range 1000 {
		if err := e.finishRequests(d.ctx); err != nil {
			d.t.Fatal(err)
		}
		if d.requests() == 0 {
			return
		}
	}
	d.t.Fatal("requests are left")
}

func TestRetry(t *testing.T) {
	t.Parallel()
	t.Run("all failed tasks are open in their next iteration, however many", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.many(3500)
		n, err := d.RetryTasks(d.ctx, d.ana, run.ID, Which{All: true})
		if err != nil || n != 3500 {
			t.Fatal(n, err)
		}
		d.finishes(d.Engine)
		d.counted(run.ID)
		if got := d.run(run.ID).Progress; got.Open != 3500 || got.Errors != 5*3500 || d.iterations(run.ID) != "0 3500 0" || d.requests() != 0 {
			t.Errorf("%+v, iterations %s, %d requests left", got, d.iterations(run.ID), d.requests())
		}
		if log := d.log(run.ID); log[len(log)-1] != "Ana retry all failed tasks: 3500" {
			t.Error(log)
		}
		if n, err := d.RetryTasks(d.ctx, d.ana, run.ID, Which{All: true}); n != 0 || err != nil {
			t.Error("a double click retried", n, err)
		}
	})
	t.Run("what a request had no time for is done by the keeper, also after a crash", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.many(2500)
		if _, _, err := d.request(d.ctx, d.ana, run.ID, many{state: TaskFailed}, settlings["retry"]); err != nil { // and then it died
			t.Fatal(err)
		}
		if d.requests() != 1 || d.iterations(run.ID) != "1500 1000 0" {
			t.Fatal(d.requests(), d.iterations(run.ID))
		}
		d.counted(run.ID)
		later := New(d.db, nil, Options{}, numbers)
		d.finishes(later)
		d.counted(run.ID)
		if d.requests() != 0 || d.iterations(run.ID) != "0 2500 0" {
			t.Error(d.requests(), d.iterations(run.ID))
		}
	})
	t.Run("a request goes over what failed again behind it not twice", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.many(1500)
		if _, _, err := d.request(d.ctx, d.ana, run.ID, many{state: TaskFailed}, settlings["retry"]); err != nil {
			t.Fatal(err)
		}
		d.failed(run.ID, d.ids(run.ID)[:3], 1)
		d.finishes(d.Engine)
		if got := d.run(run.ID).Progress; got.Failed != 3 || d.iterations(run.ID) != "0 1500 0" {
			t.Errorf("%+v %s", got, d.iterations(run.ID))
		}
	})
	t.Run("a request of a run that was cancelled ends", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.many(1500)
		if _, _, err := d.request(d.ctx, d.ana, run.ID, many{state: TaskFailed}, settlings["retry"]); err != nil {
			t.Fatal(err)
		}
		must[Run](t)(d.CancelRun(d.ctx, d.ana, run.ID))
		d.finishes(d.Engine)
		if d.requests() != 0 || d.iterations(run.ID) != "500 1000 0" {
			t.Error(d.requests(), d.iterations(run.ID))
		}
	})
	t.Run("a request that cannot be carried out does not hold up those behind it", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		stuck, other := d.many(1500), d.many(1600)
		for _, run := range []Run{stuck, other} {
			if _, _, err := d.request(d.ctx, d.ana, run.ID, many{state: TaskFailed}, settlings["retry"]); err != nil {
				t.Fatal(err)
			}
		}
		execute(t, d.db, fmt.Sprintf("CREATE TRIGGER stuck BEFORE UPDATE ON migration_task FOR EACH ROW BEGIN IF NEW.run_id = %d THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'It is stuck'; END IF; END", stuck.ID))
		if err := d.finishRequests(d.ctx); err == nil || !strings.Contains(err.Error(), "It is stuck") {
			t.Errorf("nobody is told: %v", err)
		}
		for range 1000 { // rounds of the keeper, each as long as it may take
			if d.requests() == 1 {
				break
			}
			_ = d.finishRequests(d.ctx)
		}
		if d.iterations(other.ID) != "0 1600 0" || d.iterations(stuck.ID) != "500 1000 0" || d.requests() != 1 {
			t.Error(d.iterations(other.ID), d.iterations(stuck.ID), d.requests())
		}
		execute(t, d.db, "DROP TRIGGER stuck")
		d.finishes(d.Engine)
		if d.iterations(stuck.ID) != "0 1500 0" {
			t.Error(d.iterations(stuck.ID))
		}
	})
	t.Run("a request that meets a conflict ends, and the run's log says so", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.many(1500)
		if _, _, err := d.request(d.ctx, d.ana, run.ID, many{state: TaskFailed}, settlings["retry"]); err != nil {
			t.Fatal(err)
		}
		d.moved(run.ID, Running, Complete, Keeper)
		other := d.opened(1500)
		if err := d.finishRequests(d.ctx); err != nil || d.requests() != 0 {
			t.Fatal(err, d.requests())
		}
		d.counted(run.ID)
		if d.run(run.ID).State != Complete || d.iterations(run.ID) != "500 1000 0" {
			t.Error("it was touched", d.iterations(run.ID))
		}
		want := "Counterfoil retry all failed tasks, for Ana: the rest is left as it is. " + ActiveRun{other.ID}.Error()
		if log := d.log(run.ID); log[len(log)-1] != want {
			t.Error(log)
		}
	})
	t.Run("a run is not complete while one of its requests is not through", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.many(1500)
		if _, _, err := d.request(d.ctx, d.ana, run.ID, many{state: TaskFailed}, settlings["skip"]); err != nil {
			t.Fatal(err)
		}
		w, err := d.signOn(d.ctx)
		if err != nil {
			t.Fatal(err)
		}
		k := &keeper{w: w}
		settled := func() State {
			t.Helper()
			if err := k.settle(d.ctx, d.run(run.ID)); err != nil {
				t.Fatal(err)
			}
			return d.run(run.ID).State
		}
		if got := settled(); got != Running {
			t.Errorf("before its request is through it is %s", got)
		}
		if err := d.finishRequests(d.ctx); err != nil {
			t.Fatal(err)
		}
		if got := settled(); got != Complete {
			t.Errorf("then it is %s", got)
		}
	})
	t.Run("a group is retried and no other, once, also where two ask at once", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.many(2600)
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				if _, err := d.RetryTasks(d.ctx, d.ana, run.ID, Which{Fingerprint: groupOne}); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		d.finishes(d.Engine)
		d.counted(run.ID)
		if d.iterations(run.ID) != "1300 1300 0" || d.requests() != 0 {
			t.Error(d.iterations(run.ID), d.requests())
		}
		for _, f := range must[[]Failure](t)(d.Failures(d.ctx, run.ID)) {
			if want := map[string]uint64{groupOne: 0, groupTwo: 1300}[f.Fingerprint]; f.Failed != want || f.Errors != 5*1300 {
				t.Errorf("%+v", f)
			}
		}
	})
	t.Run("a run that was complete runs again", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.many(4)
		d.moved(run.ID, Running, Complete, Keeper)
		if n, err := d.RetryTasks(d.ctx, d.ana, run.ID, Which{Fingerprint: groupOne}); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		if run := d.run(run.ID); run.State != Running || run.Listed != ListActive || run.FinishedAt != nil || run.Reason != "Tasks are tried again." {
			t.Errorf("%+v", run)
		}
	})
	t.Run("but not beside another that does the same", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.many(4)
		d.moved(run.ID, Running, Complete, Keeper)
		other := d.opened(4)
		_, err := d.RetryTasks(d.ctx, d.ana, run.ID, Which{All: true})
		if refuses[ActiveRun](t, err, fault.Conflict).Run != other.ID {
			t.Error(err)
		}
		d.counted(run.ID)
		if d.run(run.ID).State != Complete || d.iterations(run.ID) != "4 0 0" {
			t.Error("it was touched")
		}
	})
	t.Run("a run that is complete with nothing to retry stays so", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.running(1)
		d.moved(run.ID, Running, Complete, Keeper)
		if n, err := d.RetryTasks(d.ctx, d.ana, run.ID, Which{All: true}); n != 0 || err != nil || d.run(run.ID).State != Complete {
			t.Error(n, err)
		}
	})
	t.Run("a single task, by its state", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.running(12)
		tasks := d.ids(run.ID)
		for i, state := range TaskStates { // two of each
			for _, task := range []id.Task{tasks[2*i], tasks[2*i+1]} {
				if state == TaskOpen {
					continue
				}
				d.does(run.ID, task, TaskOpen, TaskProcessing)
				if state != TaskProcessing {
					d.does(run.ID, task, TaskProcessing, state)
				}
			}
		}
		d.counted(run.ID)
		for i, state := range TaskStates {
			_, err := d.RetryTasks(d.ctx, d.ana, run.ID, Which{Task: tasks[2*i]})
			if may := slices.Contains([]string{TaskWaiting, TaskFailed, TaskSkipped}, state); may != (err == nil) {
				t.Error("retry of one that is", state, err)
			} else if !may {
				refusesAs(t, err, CodeWrongTaskState, fault.Conflict)
			}
			_, err = d.SkipTasks(d.ctx, d.ana, run.ID, Which{Task: tasks[2*i+1]})
			if may := slices.Contains([]string{TaskOpen, TaskWaiting, TaskFailed}, state); may != (err == nil) {
				t.Error("skip of one that is", state, err)
			} else if !may {
				refusesAs(t, err, CodeWrongTaskState, fault.Conflict)
			}
			d.counted(run.ID)
		}
		task, _, err := d.Task(d.ctx, run.ID, tasks[2*slices.Index(TaskStates, TaskFailed)])
		if err != nil || task.Iteration != 2 || task.Attempt != 0 || task.State != TaskOpen || task.Fingerprint != "" || task.FinishedAt != nil {
			t.Errorf("%+v", task)
		}
		log := strings.Join(d.log(run.ID), "\n")
		if strings.Count(log, "Ana retry task") != 3 || strings.Count(log, "Ana skip task") != 3 {
			t.Error(log)
		}
		other := d.ready(1)
		_, err = d.RetryTasks(d.ctx, d.ana, run.ID, Which{Task: d.ids(other.ID)[0]})
		refusesAs(t, err, CodeTaskNotFound, fault.NotFound)
	})
	t.Run("of several tasks, those whose state allows it; the others are left alone", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run, other := d.many(6), d.ready(1)
		tasks := d.ids(run.ID)
		execute(t, d.db, "UPDATE migration_task SET state = 'open', fingerprint = NULL WHERE id = ?", tasks[0])
		execute(t, d.db, "UPDATE migration_counter SET failed = 5 WHERE run_id = ?", run.ID)
		execute(t, d.db, "UPDATE migration_failure SET failed = 2 WHERE run_id = ? AND fingerprint = UNHEX(?)", run.ID, groupOne)
		named := []id.Task{tasks[3], tasks[0], tasks[2], tasks[3], d.ids(other.ID)[0], 999_999}
		if n, err := d.RetryTasks(d.ctx, d.ana, run.ID, Which{Tasks: named}); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		d.counted(run.ID)
		if got := d.iterations(run.ID); got != "4 2 0" {
			t.Error(got)
		}
		if log := d.log(run.ID); log[len(log)-1] != fmt.Sprintf("Ana retry 2 tasks: %d, %d", tasks[2], tasks[3]) {
			t.Error(log)
		}
		log := len(d.log(run.ID))
		if n, err := d.RetryTasks(d.ctx, d.ana, run.ID, Which{Tasks: named}); n != 0 || err != nil || len(d.log(run.ID)) != log {
			t.Error(n, err, d.log(run.ID))
		}
		if n, err := d.SkipTasks(d.ctx, d.ana, run.ID, Which{Tasks: tasks}); n != 6 || err != nil {
			t.Error(n, err)
		}
		d.counted(run.ID)
		_, err := d.SkipTasks(d.ctx, d.ana, run.ID, Which{Tasks: make([]id.Task, settleChunk+1)})
		refusesAs(t, err, CodeTooManyTasks, fault.Invalid)
	})
	t.Run("exactly one of a task, some tasks, a group and all is named", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		for _, which := range []Which{{}, {Task: 1, All: true}, {Fingerprint: groupOne, All: true}, {Task: 1, Tasks: []id.Task{1}}, {Tasks: []id.Task{1}, All: true}} {
			_, err := d.RetryTasks(d.ctx, d.ana, 1, which)
			refusesAs(t, err, CodeBadWhich, fault.Invalid)
		}
		_, err := d.SkipTasks(d.ctx, d.ana, 1, Which{Fingerprint: "' OR 1"})
		refusesAs(t, err, CodeBadFingerprint, fault.Invalid)
	})
}

func TestSkip(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	run := d.many(2300)
	d.moved(run.ID, Running, Complete, Keeper)
	if n, err := d.SkipTasks(d.ctx, d.ana, run.ID, Which{Fingerprint: groupOne}); n != 1150 || err != nil {
		t.Fatal(n, err)
	}
	d.finishes(d.Engine)
	d.counted(run.ID)
	if run := d.run(run.ID); run.State != Complete || run.Listed != ListAttention || run.Progress.Skipped != 1150 {
		t.Errorf("%+v", run)
	}
	if n, err := d.SkipTasks(d.ctx, d.ana, run.ID, Which{All: true}); n != 1150 || err != nil {
		t.Fatal(n, err)
	}
	d.finishes(d.Engine)
	d.counted(run.ID)
	if run := d.run(run.ID); run.State != Complete || run.Listed != ListFinished || run.Progress.Skipped != 2300 {
		t.Errorf("%+v", run)
	}
}

// Whatever operators and workers do in whatever order, the counters say what the tasks are.
func TestCountersAreTheTruth(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	rapid.Check(t, func(r *rapid.T) {
		run := d.running(8)
		tasks := d.ids(run.ID)
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			task := rapid.SampledFrom(tasks).Draw(r, "task")
			now, _, err := d.Task(d.ctx, run.ID, task)
			if err != nil {
				r.Fatal(err)
			}
			do := rapid.SampledFrom([]string{"work", "work", "work", "retry", "retry group", "retry all", "skip", "skip group", "skip all", "pause", "resume", "complete"}).Draw(r, "do")
			group := rapid.SampledFrom([]string{groupOne, groupTwo}).Draw(r, "group")
			switch do {
			case "work":
				switch now.State {
				case TaskOpen, TaskWaiting:
					if now.State == TaskWaiting {
						d.does(run.ID, task, TaskWaiting, TaskOpen)
					}
					d.does(run.ID, task, TaskOpen, TaskProcessing)
				case TaskProcessing:
					to := rapid.SampledFrom([]string{TaskComplete, TaskFailed, TaskWaiting, TaskOpen}).Draw(r, "to")
					d.does(run.ID, task, TaskProcessing, to, byte(rapid.IntRange(1, 2).Draw(r, "fingerprint")))
				}
			case "retry":
				_, err = d.RetryTasks(d.ctx, d.ana, run.ID, Which{Task: task})
			case "retry group":
				_, err = d.RetryTasks(d.ctx, d.ana, run.ID, Which{Fingerprint: group})
			case "retry all":
				_, err = d.RetryTasks(d.ctx, d.ana, run.ID, Which{All: true})
			case "skip":
				_, err = d.SkipTasks(d.ctx, d.ana, run.ID, Which{Task: task})
			case "skip group":
				_, err = d.SkipTasks(d.ctx, d.ana, run.ID, Which{Fingerprint: group})
			case "skip all":
				_, err = d.SkipTasks(d.ctx, d.ana, run.ID, Which{All: true})
			case "pause":
				_, err = d.PauseRun(d.ctx, d.ana, run.ID)
			case "resume":
				_, err = d.ResumeRun(d.ctx, d.ana, run.ID)
			case "complete":
				d.put(run.ID, Complete)
			}
			if err != nil && fault.KindOf(err) != fault.Conflict {
				r.Fatalf("%s: %v", do, err)
			}
			after, _, err := d.Task(d.ctx, run.ID, task)
			if err != nil || do != "work" && now.State == TaskProcessing && after.State != TaskProcessing {
				r.Fatalf("%s took a task out of a worker's hands: %v", do, err)
			}
			d.counted(run.ID)
		}
		d.put(run.ID, Cancelled)
	})
}

// A worker that claims and an operator who skips want the same task: one of them gets it.
func TestSkippingAndClaimingAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	run := d.running(20)
	tasks := d.ids(run.ID)
	var wait sync.WaitGroup
	wait.Go(func() {
		for _, task := range tasks {
			_, err := d.SkipTasks(context.WithoutCancel(d.ctx), d.ana, run.ID, Which{Task: task})
			if err != nil && fault.KindOf(err) != fault.Conflict {
				t.Error(err)
			}
		}
	})
	wait.Go(func() {
		for _, task := range slices.Backward(tasks) {
			result, err := d.db.SQL.Exec("UPDATE migration_task SET state = 'processing' WHERE id = ? AND state = 'open'", task)
			if err != nil {
				t.Error(err)
				return
			}
			if n, _ := result.RowsAffected(); n == 1 {
				execute(t, d.db, "INSERT INTO migration_counter (run_id, worker_id, processing) VALUES (?, 1, 1) ON DUPLICATE KEY UPDATE processing = processing + 1", run.ID)
			}
		}
	})
	wait.Wait()
	d.counted(run.ID)
	if p := d.run(run.ID).Progress; p.Skipped+p.Processing != 20 {
		t.Errorf("%+v", p)
	}
}

func TestWaitingTasks(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		do   func(d *desk) func(context.Context, Actor, id.Run, Which) (int64, error)
		last string
	}{
		"all that wait are skipped, and no other":     {func(d *desk) func(context.Context, Actor, id.Run, Which) (int64, error) { return d.SkipTasks }, "Ana skip all waiting tasks: 2300"},
		"all that wait begin anew, and no other does": {func(d *desk) func(context.Context, Actor, id.Run, Which) (int64, error) { return d.RetryTasks }, "Ana retry all waiting tasks: 2300"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			run := d.running(2303)
			tasks := d.ids(run.ID)
			execute(t, d.db, "UPDATE migration_task SET state = 'waiting', attempt = 1, due_at = NOW(6) + INTERVAL 1 HOUR WHERE run_id = ? AND id <= ?", run.ID, uint64(tasks[2299]))
			execute(t, d.db, "INSERT INTO migration_counter (run_id, worker_id, waiting) VALUES (?, 1, 2300)", run.ID)
			d.does(run.ID, tasks[2300], TaskOpen, TaskProcessing)
			d.does(run.ID, tasks[2300], TaskProcessing, TaskFailed)
			before := d.run(run.ID).Progress
			if n, err := one.do(d)(d.ctx, d.ana, run.ID, Which{Waiting: true}); n != 2300 || err != nil {
				t.Fatal(n, err)
			}
			d.finishes(d.Engine)
			d.counted(run.ID)
			after := d.run(run.ID).Progress
			if after.Waiting != 0 || after.Failed != before.Failed || after.Open+after.Skipped != before.Open+2300 || d.requests() != 0 {
				t.Errorf("%+v, %d requests", after, d.requests())
			}
			if log := d.log(run.ID); log[len(log)-1] != one.last {
				t.Error(log)
			}
		})
	}
}
