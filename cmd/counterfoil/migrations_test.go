package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// probes are migrations for these tests: one that counts and fails for a given task, and one that reads a file.
func probes() []*migrations.Migration {
	add := func(ctx context.Context, into migrations.Filler, n int, payload string) error {
		return into.Add(ctx, migrations.NewTask{Payload: payload, Line: uint64(n), Cursor: strconv.Itoa(n)})
	}
	return []*migrations.Migration{
		{
			Name: "count-up", Title: "Count up", Knobs: migrations.Knobs{Attempts: 1},
			Params: []migrations.Param{
				{Name: "to", Label: "Up to", Kind: migrations.Number, Required: true, Min: 1, Max: 100_000},
				{Name: "fails", Label: "Fails at", Kind: migrations.Text},
				{Name: "key", Label: "Key", Kind: migrations.Secret},
			},
			Fill: func(ctx context.Context, into migrations.Filler) error {
				to, _ := strconv.Atoi(into.Values()["to"])
				for n := 1; n <= to; n++ {
					if err := add(ctx, into, n, strconv.Itoa(n)); err != nil {
						return err
					}
				}
				return nil
			},
			Process: func(_ context.Context, w *migrations.Work) error {
				if w.Task.Payload == w.Values["fails"] && w.Task.Iteration == 1 {
					return migrations.Permanent{Err: errors.New("=SUM(1) cannot be counted\x1b[31m")}
				}
				return nil
			},
			Preview: func(context.Context, *migrations.Work) (string, error) { return "would count", nil },
		},
		{
			Name: "read-lines", Title: "Read lines", Upload: "A text, one task a line",
			Fill: func(ctx context.Context, into migrations.Filler) error {
				file, err := into.Upload(ctx)
				if err != nil {
					return err
				}
				defer file.Close()
				lines := bufio.NewScanner(file)
				for n := 1; lines.Scan(); n++ {
					if err := add(ctx, into, n, lines.Text()); err != nil {
						return err
					}
				}
				return lines.Err()
			},
			Process: func(context.Context, *migrations.Work) error { return nil },
		},
	}
}

// works runs a worker on the env's database until the test ends.
func (env *env) works(t *testing.T) {
	t.Helper()
	d := domaintest.OK(db.Open(env.databaseURL))(t)
	settings := env.environment
	owner := &database{DB: d}
	w := domaintest.OK(settings.workflows(t.Context(), owner))(t)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Worker.Work(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		w.Close(context.Background())
		owner.close()
	})
}

// reaches waits until the status of a run has a text.
func (env *env) reaches(t *testing.T, run int, want string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Minute)
	for {
		env.command(t, 0, "run ", "migrations", "status", strconv.Itoa(run))
		if strings.Contains(env.out.String(), want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("run %d does not get to %q: %s", run, want, env.out)
		}
	}
}

func migrationHouse(t *testing.T) *env {
	t.Helper()
	env := newEnv(t, dbtest.URL(t))
	env.environment.migrations = probes()
	env.patience = time.Millisecond
	return env
}

func TestMigrationsCommandLine(t *testing.T) {
	t.Parallel()
	env := migrationHouse(t)
	for want, args := range map[string][]string{
		"say what to do":                      {},
		"there is no \"stop\"":                {"stop"},
		"the number of a run":                 {"pause"},
		"is no number of a run":               {"status", "x"},
		"choose tasks with":                   {"retry", "1"},
		"one of --all":                        {"skip", "1", "--all", "--task", "3"},
		"is no key=value":                     {"start", "count-up", "5"},
		"is given twice":                      {"start", "count-up", "to=5", "to=6"},
		"no such file":                        {"start", "read-lines", "--file", filepath.Join(t.TempDir(), "none.csv")},
		"is a folder":                         {"start", "read-lines", "--file", t.TempDir()},
		"has its values":                      {"start", "1", "to=5"},
		"there is no setting \"speed\"":       {"knob", "1", "speed=5"},
		"lease cannot be \"30\"":              {"knob", "1", "lease=30"},
		"failures RUN [OPTIONS]":              {"failures"},
		"goes with --csv":                     {"failures", "1", "--fingerprint", "0123456789abcdef"},
		"\"3x\" is no number":                 {"retry", "1", "--task", "1,3x"},
		"is no number of a task":              {"task", "1", "x"},
		"the number of a task":                {"task", "1"},
		"an iteration is a number":            {"tasks", "1", "--iteration", "-1"},
		"the number of a worker":              {"drain"},
		"is no number of a worker":            {"undrain", "x"},
		"“migrations workers” shows them":     {"drain", "0"},
		"counterfoil migrations workers [OPT": {"workers", "1"},
		"only --canary can be given":          {"start", "1", "--from", "2"},
		"there is no option --yes":            {"start", "count-up", "--yes"},
	} {
		env.command(t, 2, want, append([]string{"migrations"}, args...)...)
	}
	for _, args := range [][]string{{"status", "7"}, {"dismiss", "7"}, {"tasks", "7"}, {"events", "7"}, {"failures", "7"},
		{"failures", "7", "--csv"}, {"rejections", "7"}, {"report", "7"}, {"retry", "7", "--task", "1,2"}} {
		env.command(t, 1, "There is no run 7.", append([]string{"migrations"}, args...)...)
	}
	env.command(t, 1, "There is no run 7.", "migrations", "task", "7", "3")
	env.command(t, 1, "Worker 3 is gone.", "migrations", "drain", "3")
	env.command(t, 0, "No worker was ever started.", "migrations", "workers")
	env.command(t, 0, "Usage: counterfoil migrations tasks RUN", "migrations", "tasks", "--help")
	env.command(t, 0, "  undrain     Undrain a worker", "migrations", "help")
	env.command(t, 0, "  consumers  List the registered", "feed", "--help")
	env.command(t, 2, "there is no \"tails\"; there are tail, republish, new-epoch and consumers.", "feed", "tails")
	env.command(t, 1, "There are: bulk-edit, change-column, copy-tickets, count-checklists, count-up, ", "migrations", "start", "nope")
	env.command(t, 1, "to: Up to must be from 1 to 100000.", "migrations", "start", "count-up", "to=0", "nope=1")
	env.command(t, 1, "nope: count-up has no parameter", "migrations", "start", "count-up", "to=0", "nope=1")
	env.command(t, 1, "--file: Choose a file", "migrations", "start", "read-lines")
	env.command(t, 0, "[fails=TEXT]", "migrations", "list")
	if !strings.Contains(env.out.String(), "No run is active") {
		t.Error(env.out)
	}
}

func TestMigrationsWithoutAWorker(t *testing.T) {
	t.Parallel()
	env := migrationHouse(t)
	env.command(t, 1, "then “counterfoil migrations start 1”", "migrations", "start", "count-up", "to=5", "key=hush")
	env.command(t, 0, "count-up", "migrations", "list")
	if text := env.out.String(); !strings.Contains(text, "open") || !strings.Contains(text, "command line") ||
		strings.Contains(text, "hush") {
		t.Error(text)
	}
	env.command(t, 1, "Run 1 does the same", "migrations", "start", "count-up", "to=5")
	env.command(t, 1, "cannot start", "migrations", "start", "1")
	env.command(t, 0, "it is cancelled", "migrations", "cancel", "1")
	env.command(t, 0, "cancelled", "migrations", "list", "--all")
}

func TestMigrationsListSaysThatThereAreMore(t *testing.T) {
	t.Parallel()
	env := migrationHouse(t)
	env.command(t, 0, "", "migrations", "list")
	d := domaintest.OK(env.environment.openExisting(t.Context()))(t)
	add := func(list string, n int) {
		t.Helper()
		for range n {
			domaintest.Exec(t, d.DB,
				`INSERT INTO migration_run (name, params, listed, state, state_since, knobs, actor, created_at) VALUES ('count-up', '{}', ?, 'paused', NOW(6), '{}', 'Ana', NOW(6))`, list)
		}
	}
	const more = "Of the runs in the list “attention” only the newest 50 are shown; /admin/migrations has all.\n"
	add(migrations.ListActive, migrations.RunsPerPage)
	add(migrations.ListAttention, migrations.RunsPerPage)
	env.command(t, 0, "count-up", "migrations", "list")
	if env.err.Len() != 0 {
		t.Errorf("%s", env.err)
	}
	add(migrations.ListAttention, 1)
	for _, args := range [][]string{{}, {"--json"}} {
		env.command(t, 0, "count-up", append([]string{"migrations", "list"}, args...)...)
		if env.err.String() != more || strings.Contains(env.out.String(), more) {
			t.Errorf("%s", env.err)
		}
	}
	if err := d.close(); err != nil {
		t.Error(err)
	}
}

func TestMigrationsRun(t *testing.T) {
	t.Parallel()
	env := migrationHouse(t)
	env.patience = 10 * time.Minute
	env.works(t)

	t.Run("start says the number and where", func(t *testing.T) {
		env.command(t, 0, "It has 1,200 tasks on db host localhost, database t_", "migrations", "start", "count-up",
			"--canary", "7", "to=1200", "fails=3")
		if !strings.Contains(env.out.String(), "Run 1 is started: 7 tasks first, of 1,200.") {
			t.Error(env.out)
		}
		env.reaches(t, 1, "paused")
	})
	t.Run("settings are turned and shown", func(t *testing.T) {
		env.command(t, 0, `"concurrency":8`, "migrations", "knob", "1", "concurrency=8", "max_lag=1m30s", "rate=0")
		if !strings.Contains(env.out.String(), `"max_lag":"1m30s"`) {
			t.Error(env.out)
		}
		env.command(t, 1, "Concurrency must be from 1", "migrations", "knob", "1", "concurrency=0")
	})
	t.Run("resume does the rest", func(t *testing.T) {
		env.command(t, 0, "Run 1 is resumed", "migrations", "resume", "1")
		env.reaches(t, 1, "count-up, complete")
		env.command(t, 0, "1,200 of 1,200 done, 1 failed", "migrations", "status", "1")
		env.command(t, 0, `"state":"complete"`, "migrations", "status", "--json", "1")
		if !json.Valid(env.out.Bytes()) || strings.Count(env.out.String(), "\n") != 1 {
			t.Error(env.out)
		}
	})
	t.Run("failures are listed, and cannot command the terminal or a spreadsheet", func(t *testing.T) {
		env.command(t, 0, "cannot be counted", "migrations", "failures", "1")
		if strings.ContainsRune(env.out.String(), '\x1b') {
			t.Errorf("%q", env.out)
		}
		env.command(t, 0, "task,line", "migrations", "failures", "1", "--csv")
		rows, err := csv.NewReader(env.out).ReadAll()
		if err != nil || len(rows) != 2 || rows[1][7] != "3" || !strings.HasPrefix(rows[1][6], "'=SUM") {
			t.Fatalf("%v %v", rows, err)
		}
		env.command(t, 0, rows[1][5], "migrations", "failures", "1", "--csv", "--fingerprint", strings.ToUpper(rows[1][5]))
		if strings.Count(env.out.String(), "\n") != 2 {
			t.Error(env.out)
		}
		env.command(t, 0, "3,failed,", "migrations", "report", "1")
		if strings.Count(env.out.String(), "\n") != 1201 {
			t.Error("the report has not a line for each task")
		}
		env.command(t, 0, "line,reason,content\n", "migrations", "rejections", "1")
	})
	t.Run("tasks are listed page by page, and one is shown with its attempts", func(t *testing.T) {
		env.command(t, 0, "Continue with --after ", "migrations", "tasks", "1")
		after := strings.Fields(env.err.String())[3]
		env.command(t, 0, "complete", "migrations", "tasks", "1", "--after", after, "--state", "complete")
		env.command(t, 0, "There are no such tasks.", "migrations", "tasks", "1", "--state", "open")
		env.command(t, 1, "Choose a state from the list", "migrations", "tasks", "1", "--state", "lost")
		env.command(t, 0, `"state":"failed"`, "migrations", "tasks", "1", "--state", "failed", "--json")
		var list struct{ Items []struct{ ID int } }
		if err := json.Unmarshal(env.out.Bytes(), &list); err != nil || len(list.Items) != 1 {
			t.Fatal(err, list)
		}
		task := strconv.Itoa(list.Items[0].ID)
		env.command(t, 0, "iteration 1, attempt 1: failed on ", "migrations", "task", "1", task)
		if text := env.out.String(); !strings.Contains(text, "payload:\n  3\n") ||
			!strings.Contains(text, "\n  =SUM(1) cannot be counted") || strings.ContainsRune(text, '\x1b') {
			t.Errorf("%q", text)
		}
		env.command(t, 0, `"attempts":[{"iteration":1`, "migrations", "task", "1", task, "--json")
	})
	t.Run("the log says who did what", func(t *testing.T) {
		env.command(t, 0, "knob", "migrations", "events", "1")
		env.command(t, 0, `"actor":"command line"`, "migrations", "events", "1", "--json")
		var list struct{ Items []struct{ ID int } }
		if err := json.Unmarshal(env.out.Bytes(), &list); err != nil || len(list.Items) < 5 {
			t.Fatal(err, list)
		}
		env.command(t, 0, "open", "migrations", "events", "1", "--before", strconv.Itoa(list.Items[len(list.Items)-2].ID))
		if strings.Count(env.out.String(), "\n") != 2 {
			t.Error(env.out)
		}
	})
	t.Run("a worker is drained and undrained", func(t *testing.T) {
		env.command(t, 0, `"state":"active"`, "migrations", "workers", "--json")
		var list struct{ Items []struct{ ID int } }
		if err := json.Unmarshal(env.out.Bytes(), &list); err != nil || len(list.Items) != 1 {
			t.Fatal(err, list)
		}
		worker := strconv.Itoa(list.Items[0].ID)
		env.command(t, 0, "claims no more", "migrations", "drain", worker)
		env.command(t, 0, "Drain", "migrations", "workers") // draining, or drained once the worker has reported that it has no tasks
		env.command(t, 0, "claims tasks again", "migrations", "undrain", worker)
		env.command(t, 0, "Working", "migrations", "workers")
	})
	t.Run("retry does them again", func(t *testing.T) {
		env.command(t, 0, "1 task of run 1 retried.", "migrations", "retry", "1", "--all")
		env.reaches(t, 1, "1,200 of 1,200 done\n")
		env.command(t, 0, "  0       1  ", "migrations", "failures", "1")
		env.command(t, 0, "0 tasks of run 1 retried. 2 others are no longer failed.", "migrations", "retry", "1", "--task",
			"1,2,1")
		env.command(t, 1, "so it cannot be retried", "migrations", "retry", "1", "--task", "1")
	})
	t.Run("a run that is over is dismissed", func(t *testing.T) {
		env.command(t, 0, "Run 1 is dismissed; it is complete.", "migrations", "dismiss", "1")
	})
	t.Run("a dry run begins by itself", func(t *testing.T) {
		env.command(t, 0, "dry run", "migrations", "start", "count-up", "to=5", "--dry")
		env.reaches(t, 2, "complete (dry)")
	})
	t.Run("a file is read, and a run that is prepared waits", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "lines.txt")
		domaintest.Must(t, os.WriteFile(file, []byte("one\ntwo\nthree"), 0o600))
		env.command(t, 0, "It has 3 tasks", "migrations", "start", "read-lines", "--file", file, "--prepare")
		env.command(t, 0, "run 3, read-lines, ready, 0 of 3 done", "migrations", "status", "3")
		env.command(t, 0, "file=lines.txt", "migrations", "list")
		env.command(t, 0, "Run 3 is started: 3 tasks.", "migrations", "start", "3")
		env.reaches(t, 3, "read-lines, complete")
		env.command(t, 0, "It has 3 tasks", "migrations", "start", "read-lines", "--from", "3", "--prepare")
		env.command(t, 1, "Run 1 is of another migration.", "migrations", "start", "read-lines", "--from", "1")
	})
	t.Run("JSON is one line", func(t *testing.T) {
		env.command(t, 0, `"migrations":[{"name":"change-column"`, "migrations", "list", "--all", "--json")
		var list struct{ Runs []struct{ ID int } }
		if err := json.Unmarshal(env.out.Bytes(), &list); err != nil || len(list.Runs) != 4 ||
			strings.Count(env.out.String(), "\n") != 1 {
			t.Error(err, fmt.Sprint(list))
		}
	})
}
