package migrations_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// walk reads all pages of a list of tasks.
func (d *env) walk(run id.Run, filter migrations.TaskFilter) (found []id.Task, pages int) {
	d.T.Helper()
	for pages = 1; ; pages++ {
		page := domaintest.OK(d.Tasks(d.Ctx, db.SightOfAll(0), run, filter))(d.T)
		for _, task := range page.Tasks {
			found = append(found, task.ID)
		}
		if page.Next == 0 {
			return found, pages
		}
		if page.Next <= filter.After {
			d.T.Fatalf("from %d on to %d", filter.After, page.Next)
		}
		if len(page.Tasks) < migrations.TasksPerPage && !page.Partial {
			d.T.Fatalf("a page of %d does not say that the look ended", len(page.Tasks))
		}
		filter.After = page.Next
	}
}

func TestTasks(t *testing.T) {
	t.Parallel()
	t.Run("every filter finds exactly its tasks, in order, page by page", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run, other := d.Ready(3000), d.Ready(40)
		tasks := d.Ids(run.ID)
		rapid.Check(t, func(r *rapid.T) {
			domaintest.Exec(t, d.DB, "UPDATE migration_task SET state = 'open', worker_id = 0, iteration = 1 WHERE run_id = ?",
				run.ID)
			every := rapid.IntRange(1, 900).Draw(r, "every")
			state := rapid.SampledFrom(migrations.TaskStates).Draw(r, "state")
			domaintest.Exec(t, d.DB,
				"UPDATE migration_task SET state = ?, worker_id = id % 3, iteration = 1 + (id % 5 = 0) WHERE run_id = ? AND id % ? = 0", state, run.ID, every)
			filter := migrations.TaskFilter{
				State:     rapid.SampledFrom(append([]string{""}, migrations.TaskStates...)).Draw(r, "filter state"),
				Worker:    id.Worker(rapid.IntRange(0, 2).Draw(r, "filter worker")),
				Iteration: rapid.IntRange(0, 2).Draw(r, "filter iteration"),
			}
			var want []id.Task
			for _, task := range tasks {
				is, worker, iteration := migrations.TaskOpen, id.Worker(0), 1
				if int(task)%every == 0 {
					is, worker = state, id.Worker(task%3)
					if task%5 == 0 {
						iteration = 2
					}
				}
				if (filter.State == "" || filter.State == is) && (filter.Worker == 0 || filter.Worker == worker) &&
					(filter.Iteration == 0 || filter.Iteration == iteration) {
					want = append(want, task)
				}
			}
			got, pages := d.walk(run.ID, filter)
			if !slices.Equal(got, want) {
				r.Fatalf("%d tasks; want %d: %+v", len(got), len(want), filter)
			}
			if pages > 3000/migrations.TasksPerPage+15 {
				r.Fatalf("%d pages", pages)
			}
		})
		if got, _ := d.walk(other.ID, migrations.TaskFilter{}); len(got) != 40 {
			t.Error(len(got))
		}
	})
	t.Run("a list shows the beginning of a payload, the task all of it, with its attempts", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Running(2)
		task := d.Ids(run.ID)[0]
		domaintest.Exec(t, d.DB, "UPDATE migration_task SET payload = ? WHERE id = ?", strings.Repeat("ä", 1000),
			d.Ids(run.ID)[1])
		long := strings.Repeat("ä<script>", 3000)
		domaintest.Exec(t, d.DB, "UPDATE migration_task SET payload = ? WHERE id = ?", long, task)
		for range 2 {
			d.Fail(run.ID, []id.Task{task})
			domaintest.OK(d.RetryTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{Task: task}))(t)
		}
		page, err := d.Tasks(d.Ctx, db.SightOfAll(0), run.ID, migrations.TaskFilter{})
		if err != nil || page.Tasks[0].Payload != string([]rune(long)[:1000]) || page.Next != 0 {
			t.Error(len(page.Tasks[0].Payload), page.Next, err)
		}
		if !page.Tasks[0].Cut || page.Tasks[1].Cut || len(page.Tasks[1].Payload) != 2000 {
			t.Error("it does not say which payload is cut")
		}
		whole, attempts, err := d.Task(d.Ctx, db.SightOfAll(0), run.ID, task)
		if err != nil || whole.Payload != long || whole.Cut || whole.Iteration != 3 || whole.Attempt != 0 ||
			len(attempts) != 2 || attempts[0].Iteration != 2 || attempts[0].Detail != "stack" ||
			attempts[0].Took.String() != "1.5ms" {
			t.Errorf("%+v %v", attempts, err)
		}
	})
	t.Run("unknown ids are reported", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run, other := d.Ready(1), d.Ready(2)
		_, _, err := d.Task(d.Ctx, db.SightOfAll(0), run.ID, d.Ids(other.ID)[0])
		refusesAs(t, err, migrations.CodeTaskNotFound, fault.NotFound)
		_, err = d.Tasks(d.Ctx, db.SightOfAll(0), 99, migrations.TaskFilter{})
		refusesAs(t, err, migrations.CodeRunNotFound, fault.NotFound)
		_, err = d.Tasks(d.Ctx, db.SightOfAll(0), run.ID, migrations.TaskFilter{State: "lost"})
		refusesAs(t, err, migrations.CodeBadTaskState, fault.Invalid)
		_, err = d.FailedTasks(d.Ctx, db.SightOfAll(0), run.ID, "xyz", 0)
		refusesAs(t, err, migrations.CodeBadFingerprint, fault.Invalid)
	})
	t.Run("failed tasks come with their errors, of a group or all", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Running(450)
		domaintest.Exec(t, d.DB,
			"UPDATE migration_task SET state = 'failed', fingerprint = UNHEX(IF(id % 2, '0000000000000001', '0000000000000002')) WHERE run_id = ?", run.ID)
		domaintest.Exec(t, d.DB, `INSERT INTO migration_attempt (run_id, task_id, iteration, attempt, outcome, worker_id, worker, started_at, took_us, fingerprint, message, detail)
			SELECT run_id, id, 1, n, 'failed', 1, 'here:7', NOW(6), 1, fingerprint, CONCAT('error ', n, ' of ', payload), '' FROM migration_task, (SELECT 1 AS n UNION SELECT 2) x WHERE run_id = ? ORDER BY n`, run.ID)
		for fingerprint, want := range map[string]int{"": 450, "0000000000000001": 225, "0000000000000002": 225,
			"0000000000000003": 0} {
			n := 0
			for after := id.Task(0); ; {
				page := domaintest.OK(d.FailedTasks(d.Ctx, db.SightOfAll(0), run.ID, fingerprint, after))(t)
				for _, task := range page.Tasks {
					if n++; task.Error != "error 2 of "+task.Payload || fingerprint != "" && task.Fingerprint != fingerprint {
						t.Fatalf("%+v", task)
					}
				}
				if after = page.Next; after == 0 {
					break
				}
			}
			if n != want {
				t.Errorf("%s: %d; want %d", fingerprint, n, want)
			}
		}
	})
	t.Run("groups of failures come with the most failed tasks first", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Running(6)
		tasks := d.Ids(run.ID)
		d.Fail(run.ID, tasks[:1], 1)
		d.Fail(run.ID, tasks[1:5], 2)
		d.Fail(run.ID, tasks[5:], 3)
		list := domaintest.OK(d.Failures(d.Ctx, run.ID))(t)
		if len(list) != 3 || list[0].Fingerprint != "0000000000000002" || list[0].Failed != 4 || list[0].Task != tasks[1] ||
			list[0].Message != "It failed" {
			t.Errorf("%+v", list)
		}
	})
	t.Run("a run's log continues at the page's end", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Running(1)
		for n := range 60 {
			d.Must(d.ChangeKnobs(d.Ctx, d.Ana, run.ID, migrations.KnobChange{"block": float64(n%2 + 11)}))
		}
		first, more, err := d.Events(d.Ctx, run.ID, 0)
		if err != nil || !more || len(first) != migrations.EventsPerPage {
			t.Fatal(len(first), more, err)
		}
		rest, more, err := d.Events(d.Ctx, run.ID, first[len(first)-1].ID)
		if err != nil || more || len(rest) != 14 || rest[13].Kind != "open" {
			t.Error(len(rest), more, err, fmt.Sprint(rest))
		}
	})
}
