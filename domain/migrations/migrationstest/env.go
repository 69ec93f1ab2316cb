// Package migrationstest has what the tests of migrations and its worker and monitor share: an engine with an operator
// (Env). It imports neither worker nor monitor, so that their own tests can import it.
package migrationstest

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/csvfile"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// Env is an engine, and an operator before it.
type Env struct {
	*migrations.Engine
	DB     *db.DB
	T      testing.TB
	Ctx    context.Context
	Folder string // of the files
	Ana    migrations.Actor
	// Fill fills a run, as worker.Process.Fill does.
	Fill func(ctx context.Context, worker id.Worker, run migrations.Run) (mine bool, err error)
}

// Hunter2 is a secret.
const Hunter2 = "hunter2-and-more"

// Numbers is a migration with a parameter of each kind, whose tasks are the numbers up to one of them.
var Numbers = &migrations.Migration{
	Name: "numbers", Title: "Numbers", Description: "Counts.",
	Params: []migrations.Param{
		{Name: "upto", Label: "Up to", Kind: migrations.Number, Min: 0, Max: 1_000_000, Default: "3"},
		{Name: "title", Label: "Title", Kind: migrations.Text, Max: 10},
		{Name: "colour", Label: "Colour", Kind: migrations.Choice, Choices: func(context.Context) ([]migrations.Option,
			error) {
			return []migrations.Option{{Value: "red", Label: "Red"}, {Value: "blue", Label: "Blue"}}, nil
		}},
		{Name: "loud", Label: "Loud", Kind: migrations.Flag},
		{Name: "password", Label: "Password", Kind: migrations.Secret},
	},
	Fill: func(ctx context.Context, into migrations.Filler) error {
		upto, err := strconv.ParseUint(into.Values()["upto"], 10, 64)
		if err != nil || upto == 0 {
			return err
		}
		return migrations.FillRange(ctx, into, 1, upto, 1,
			func(from, _ uint64) string { return strconv.FormatUint(from, 10) })
	},
	Process: func(context.Context, *migrations.Work) error { return nil },
	Preview: func(context.Context, *migrations.Work) (string, error) { return "", nil },
}

// Lines is a migration of the rows of a file.
var Lines = &migrations.Migration{
	Name: "lines", Title: "Lines", Upload: "A CSV file",
	Params: []migrations.Param{{Name: "token", Label: "Token", Kind: migrations.Secret, Required: true}},
	Fill: func(ctx context.Context, into migrations.Filler) error {
		return migrations.FillCSV(ctx, into, csvfile.Options{}, func(*csvfile.File) (func(csvfile.Row) (string, error),
			error) {
			return func(row csvfile.Row) (string, error) { return row.Fields[0], nil }, nil
		})
	},
	Process: func(context.Context, *migrations.Work) error { return nil },
	Preview: func(context.Context, *migrations.Work) (string, error) { return "", nil },
}

// New is an engine of the migrations, of Numbers and Lines without any, on a database of its own. Its Fill is to be set.
func New(t testing.TB, list ...*migrations.Migration) *Env {
	t.Helper()
	d := dbtest.Open(t)
	folder := t.TempDir()
	files := domaintest.OK(blobs.Open(t.Context(), folder))(t)
	t.Cleanup(func() { files.Close() })
	domaintest.Exec(t, d,
		"INSERT INTO account (id, email, name, password_hash, operator, created_at) VALUES (1, 'ana@example.com', 'Ana', 'x', TRUE, NOW(6))")
	account := id.Account(1)
	if len(list) == 0 {
		list = []*migrations.Migration{Numbers, Lines}
	}
	engine := migrations.New(d, files, nil, list...)
	return &Env{Engine: engine, DB: d, T: t, Ctx: t.Context(), Folder: folder,
		Ana: migrations.Actor{Account: &account, Name: "Ana"}}
}

// Must is a run that is read or changed without an error.
func (e *Env) Must(run migrations.Run, err error) migrations.Run {
	e.T.Helper()
	domaintest.Must(e.T, err)
	return run
}

// Opened opens a run of the numbers up to n.
func (e *Env) Opened(n int) migrations.Run {
	e.T.Helper()
	return e.Must(e.OpenRun(e.Ctx, e.Ana, "numbers", migrations.Values{"upto": strconv.Itoa(n)}, migrations.Draft{}))
}

// Ready opens a run and has a worker fill it.
func (e *Env) Ready(n int) migrations.Run {
	e.T.Helper()
	run := e.Opened(n)
	return e.FilledBy(e.Worker(), run)
}

// FilledBy has a worker fill the run.
func (e *Env) FilledBy(worker id.Worker, run migrations.Run) migrations.Run {
	e.T.Helper()
	domaintest.OK(e.Fill(e.Ctx, worker, run))(e.T)
	return e.Now(run.ID)
}

// Running opens a run, fills and starts it.
func (e *Env) Running(n int) migrations.Run {
	e.T.Helper()
	return e.Must(e.StartRun(e.Ctx, e.Ana, e.Ready(n).ID, 0, nil))
}

// Now reads the run.
func (e *Env) Now(run id.Run) migrations.Run {
	e.T.Helper()
	return e.Must(e.Run(e.Ctx, run))
}

// Worker adds one that lives.
func (e *Env) Worker() id.Worker {
	e.T.Helper()
	return id.Worker(domaintest.Exec(e.T, e.DB, `INSERT INTO migration_worker (host, pid, version, state, started_at, beat_at, lease_until)
		VALUES ('here', 7, '1', 'active', NOW(6), NOW(6), NOW(6) + INTERVAL 1 HOUR)`))
}

// Dies ends the worker's lease.
func (e *Env) Dies(worker id.Worker) {
	e.T.Helper()
	domaintest.Exec(e.T, e.DB, "UPDATE migration_worker SET lease_until = NOW(6) - INTERVAL 1 SECOND WHERE id = ?", worker)
}

// Put brings the run into the state, whatever it was.
func (e *Env) Put(run id.Run, state migrations.State) {
	e.T.Helper()
	domaintest.Exec(e.T, e.DB, "UPDATE migration_run SET state = ?, active_key = IF(?, same_key, NULL) WHERE id = ?",
		string(state), state.IsActive(), run)
}

// Ids are the tasks of a run in order.
func (e *Env) Ids(run id.Run) (list []id.Task) {
	e.T.Helper()
	rows := domaintest.OK(e.DB.SQL.Query("SELECT id FROM migration_task WHERE run_id = ? ORDER BY id", run))(e.T)
	defer rows.Close()
	for rows.Next() {
		var task id.Task
		domaintest.Must(e.T, rows.Scan(&task))
		list = append(list, task)
	}
	return list
}

// Does has worker 1 bring a task from one state into another, with what counts it, as an engine does.
func (e *Env) Does(run id.Run, task id.Task, from, to string, fingerprint ...byte) {
	e.T.Helper()
	var print []byte
	if to == migrations.TaskFailed {
		print = append(make([]byte, 7), append(fingerprint, 1)[0])
	}
	domaintest.Must(e.T, e.DB.InTx(e.Ctx, func(tx *db.Tx) error {
		_, err := tx.SQL.Exec(`UPDATE migration_task SET state = ?, worker_id = 1, attempt = attempt + (? = 'processing'), fingerprint = ?,
			due_at = IF(? = 'waiting', NOW(6) + INTERVAL 1 HOUR, NULL), finished_at = IF(? IN ('complete', 'failed'), NOW(6), NULL) WHERE id = ? AND state = ?`, to, to, print, to, to, task, from)
		if err != nil {
			return err
		}
		counts := db.AddToCounterParams{RunID: run, WorkerID: 1}
		for state, by := range map[string]int64{from: -1, to: 1} {
			*map[string]*int64{migrations.TaskOpen: new(int64), migrations.TaskProcessing: &counts.Processing,
				migrations.TaskWaiting: &counts.Waiting, migrations.TaskComplete: &counts.Complete,
				migrations.TaskFailed: &counts.Failed, migrations.TaskSkipped: &counts.Skipped}[state] += by
		}
		if to == migrations.TaskFailed {
			counts.Errors++
			_, err := tx.SQL.Exec(`INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at) VALUES (?, ?, 'It failed', ?, 1, 1, NOW(6), NOW(6))
				ON DUPLICATE KEY UPDATE errors = errors + 1, failed = failed + 1`, run, print, task)
			if err != nil {
				return err
			}
			_, err = tx.SQL.Exec(`INSERT INTO migration_attempt (run_id, task_id, iteration, attempt, outcome, worker_id, worker, started_at, took_us, fingerprint, message, detail)
				SELECT run_id, id, iteration, attempt, 'failed', 1, 'here:7', NOW(6), 1500, ?, CONCAT('It failed at ', LEFT(payload, 100)), 'stack' FROM migration_task WHERE id = ?`, print, task)
			if err != nil {
				return err
			}
		}
		return tx.AddToCounter(e.Ctx, counts)
	}))
}

// Fail has all given tasks processed and fail.
func (e *Env) Fail(run id.Run, tasks []id.Task, fingerprint ...byte) {
	e.T.Helper()
	for _, task := range tasks {
		e.Does(run, task, migrations.TaskOpen, migrations.TaskProcessing)
		e.Does(run, task, migrations.TaskProcessing, migrations.TaskFailed, fingerprint...)
	}
}

// CheckCounts checks that the counters and groups of a run say what its tasks are.
func (e *Env) CheckCounts(run id.Run) {
	e.T.Helper()
	is := map[string]int64{}
	rows := domaintest.OK(e.DB.SQL.Query("SELECT state, COUNT(*) FROM migration_task WHERE run_id = ? GROUP BY state",
		run))(e.T)
	defer rows.Close()
	for rows.Next() {
		var state string
		var n int64
		domaintest.Must(e.T, rows.Scan(&state, &n))
		is[state] = n
	}
	p := e.Now(run).Progress
	counted := map[string]int64{migrations.TaskOpen: p.Open, migrations.TaskProcessing: p.Processing,
		migrations.TaskWaiting: p.Waiting, migrations.TaskComplete: p.Complete, migrations.TaskFailed: p.Failed,
		migrations.TaskSkipped: p.Skipped}
	for _, state := range migrations.TaskStates {
		if counted[state] != is[state] {
			e.T.Fatalf("%s: the counters say %d, the tasks %d", state, counted[state], is[state])
		}
	}
	if wrong := domaintest.Number(e.T, e.DB, `SELECT COUNT(*) FROM migration_failure f WHERE run_id = ? AND failed <>
		(SELECT COUNT(*) FROM migration_task t WHERE t.run_id = f.run_id AND t.fingerprint = f.fingerprint AND t.state = 'failed')`, run); wrong > 0 {
		e.T.Fatalf("%d groups of failures are wrong", wrong)
	}
}

// Log is a run's log, the oldest first, as “actor kind detail”.
func (e *Env) Log(run id.Run) (list []string) {
	e.T.Helper()
	events, _, err := e.Events(e.Ctx, run, 0)
	domaintest.Must(e.T, err)
	for i := len(events) - 1; i >= 0; i-- {
		list = append(list, fmt.Sprintf("%s %s %s", events[i].Actor, events[i].Kind, events[i].Detail))
	}
	return list
}

// StoredFiles are the names of all stored files.
func (e *Env) StoredFiles() (names []string) {
	e.T.Helper()
	domaintest.Must(e.T, filepath.WalkDir(e.Folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, path)
		}
		return err
	}))
	return names
}

// MustMove is a step of the engine's.
func (e *Env) MustMove(run id.Run, from, to migrations.State, actor migrations.Actor) {
	e.T.Helper()
	domaintest.Must(e.T, e.DB.InTx(e.Ctx, func(tx *db.Tx) error {
		return migrations.Transit(e.Ctx, tx, run, migrations.Move{Action: "move", From: []migrations.State{from}, To: to,
			Actor: actor}, nil)
	}))
}
