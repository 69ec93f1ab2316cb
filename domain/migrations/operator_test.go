package migrations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/csvfile"
	"github.com/counterfoil/counterfoil/domain/id"
)

// desk is an engine, and an operator before it.
type desk struct {
	*Engine
	t      testing.TB
	ctx    context.Context
	folder string // of the files
	ana    Actor
}

const hunter2 = "hunter2-and-more"

// numbers is a migration with a parameter of each kind, whose tasks are the numbers up to one of them.
var numbers = &Migration{
	Name: "numbers", Title: "Numbers", Description: "Counts.",
	Params: []Param{
		{Name: "upto", Label: "Up to", Kind: Number, Min: 0, Max: 1_000_000, Default: "3"},
		{Name: "title", Label: "Title", Kind: Text, Max: 10},
		{Name: "colour", Label: "Colour", Kind: Choice, Choices: func(context.Context) ([]Option, error) { return []Option{{"red", "Red"}, {"blue", "Blue"}}, nil }},
		{Name: "loud", Label: "Loud", Kind: Flag},
		{Name: "password", Label: "Password", Kind: Secret},
	},
	Fill: func(ctx context.Context, into Filler) error {
		upto, err := strconv.ParseUint(into.Values()["upto"], 10, 64)
		if err != nil || upto == 0 {
			return err
		}
		return FillRange(ctx, into, 1, upto, 1, func(from, _ uint64) string { return strconv.FormatUint(from, 10) })
	},
	Process: func(context.Context, *Work) error { return nil },
	Preview: func(context.Context, *Work) (string, error) { return "", nil },
}

// lines is a migration of the rows of a file.
var lines = &Migration{
	Name: "lines", Title: "Lines", Upload: "A CSV file",
	Params: []Param{{Name: "token", Label: "Token", Kind: Secret, Required: true}},
	Fill: func(ctx context.Context, into Filler) error {
		return FillCSV(ctx, into, csvfile.Options{}, func(*csvfile.File) (func(csvfile.Row) (string, error), error) {
			return func(row csvfile.Row) (string, error) { return row.Fields[0], nil }, nil
		})
	},
	Process: func(context.Context, *Work) error { return nil },
	Preview: func(context.Context, *Work) (string, error) { return "", nil },
}

func newDesk(t testing.TB, list ...*Migration) *desk {
	t.Helper()
	d := dbtest.Open(t)
	folder := t.TempDir()
	files, err := blobs.Open(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	execute(t, d, "INSERT INTO account (id, email, name, password_hash, operator, created_at) VALUES (1, 'ana@example.com', 'Ana', 'x', TRUE, NOW(6))")
	account := id.Account(1)
	if len(list) == 0 {
		list = []*Migration{numbers, lines}
	}
	return &desk{New(d, files, Options{}, list...), t, t.Context(), folder, Actor{Account: &account, Name: "Ana"}}
}

func execute(t testing.TB, d *db.DB, statement string, args ...any) {
	t.Helper()
	if _, err := d.SQL.Exec(statement, args...); err != nil {
		t.Fatalf("%v in %s", err, statement)
	}
}

func must[T any](t testing.TB) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// opened opens a run of the numbers up to n.
func (d *desk) opened(n int) Run {
	d.t.Helper()
	return must[Run](d.t)(d.OpenRun(d.ctx, d.ana, "numbers", Values{"upto": strconv.Itoa(n)}, Draft{}))
}

// ready opens a run and has a worker fill it.
func (d *desk) ready(n int) Run {
	d.t.Helper()
	run := d.opened(n)
	return d.filledBy(d.worker(), run)
}

func (d *desk) filledBy(worker id.Worker, run Run) Run {
	d.t.Helper()
	if _, err := d.fill(d.ctx, worker, run); err != nil {
		d.t.Fatal(err)
	}
	return d.run(run.ID)
}

func (d *desk) running(n int) Run {
	d.t.Helper()
	return must[Run](d.t)(d.StartRun(d.ctx, d.ana, d.ready(n).ID, 0))
}

func (d *desk) run(run id.Run) Run {
	d.t.Helper()
	return must[Run](d.t)(d.Run(d.ctx, run))
}

// worker adds one that lives.
func (d *desk) worker() id.Worker {
	d.t.Helper()
	result, err := d.db.SQL.Exec(`INSERT INTO migration_worker (host, pid, version, state, started_at, beat_at, lease_until)
		VALUES ('here', 7, '1', 'active', NOW(6), NOW(6), NOW(6) + INTERVAL 1 HOUR)`)
	if err != nil {
		d.t.Fatal(err)
	}
	n, _ := result.LastInsertId()
	return id.Worker(n)
}

// dies ends the worker's lease.
func (d *desk) dies(worker id.Worker) {
	d.t.Helper()
	execute(d.t, d.db, "UPDATE migration_worker SET lease_until = NOW(6) - INTERVAL 1 SECOND WHERE id = ?", worker)
}

// put brings the run into the state, whatever it was.
func (d *desk) put(run id.Run, state State) {
	d.t.Helper()
	execute(d.t, d.db, "UPDATE migration_run SET state = ?, active_key = IF(?, same_key, NULL) WHERE id = ?", string(state), state.IsActive(), run)
}

// ids are the tasks of a run in order.
func (d *desk) ids(run id.Run) (list []id.Task) {
	d.t.Helper()
	rows, err := d.db.SQL.Query("SELECT id FROM migration_task WHERE run_id = ? ORDER BY id", run)
	if err != nil {
		d.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var task id.Task
		if err := rows.Scan(&task); err != nil {
			d.t.Fatal(err)
		}
		list = append(list, task)
	}
	return list
}

// does has worker 1 bring a task from one state into another, with what counts it, as an engine does.
func (d *desk) does(run id.Run, task id.Task, from, to string, fingerprint ...byte) {
	d.t.Helper()
	var print []byte
	if to == TaskFailed {
		print = append(make([]byte, 7), append(fingerprint, 1)[0])
	}
	err := d.db.InTx(d.ctx, func(tx *db.Tx) error {
		_, err := tx.SQL.Exec(`UPDATE migration_task SET state = ?, worker_id = 1, attempt = attempt + (? = 'processing'), fingerprint = ?,
			due_at = IF(? = 'waiting', NOW(6) + INTERVAL 1 HOUR, NULL), finished_at = IF(? IN ('complete', 'failed'), NOW(6), NULL) WHERE id = ? AND state = ?`, to, to, print, to, to, task, from)
		if err != nil {
			return err
		}
		counts := db.AddToCounterParams{RunID: run, WorkerID: 1}
		for state, by := range map[string]int64{from: -1, to: 1} {
			*map[string]*int64{TaskOpen: new(int64), TaskProcessing: &counts.Processing, TaskWaiting: &counts.Waiting, TaskComplete: &counts.Complete, TaskFailed: &counts.Failed, TaskSkipped: &counts.Skipped}[state] += by
		}
		if to == TaskFailed {
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
		return tx.AddToCounter(d.ctx, counts)
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// failed has all given tasks processed and fail.
func (d *desk) failed(run id.Run, tasks []id.Task, fingerprint ...byte) {
	d.t.Helper()
	for _, task := range tasks {
		d.does(run, task, TaskOpen, TaskProcessing)
		d.does(run, task, TaskProcessing, TaskFailed, fingerprint...)
	}
}

// counted checks that the counters and groups of a run say what its tasks are.
func (d *desk) counted(run id.Run) {
	d.t.Helper()
	is := map[string]int64{}
	rows, err := d.db.SQL.Query("SELECT state, COUNT(*) FROM migration_task WHERE run_id = ? GROUP BY state", run)
	if err != nil {
		d.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var state string
		var n int64
		if err := rows.Scan(&state, &n); err != nil {
			d.t.Fatal(err)
		}
		is[state] = n
	}
	p := d.run(run).Progress
	says := map[string]int64{TaskOpen: p.Open, TaskProcessing: p.Processing, TaskWaiting: p.Waiting, TaskComplete: p.Complete, TaskFailed: p.Failed, TaskSkipped: p.Skipped}
	for _, state := range TaskStates {
		if says[state] != is[state] {
			d.t.Fatalf("%s: the counters say %d, the tasks %d", state, says[state], is[state])
		}
	}
	var wrong int
	err = d.db.SQL.QueryRow(`SELECT COUNT(*) FROM migration_failure f WHERE run_id = ? AND failed <>
		(SELECT COUNT(*) FROM migration_task t WHERE t.run_id = f.run_id AND t.fingerprint = f.fingerprint AND t.state = 'failed')`, run).Scan(&wrong)
	if err != nil || wrong > 0 {
		d.t.Fatalf("%d groups of failures are wrong, %v", wrong, err)
	}
}

// log is a run's log, the oldest first, as “actor kind detail”.
func (d *desk) log(run id.Run) (list []string) {
	d.t.Helper()
	events, _, err := d.Events(d.ctx, run, 0)
	if err != nil {
		d.t.Fatal(err)
	}
	for i := len(events) - 1; i >= 0; i-- {
		list = append(list, fmt.Sprintf("%s %s %s", events[i].Actor, events[i].Kind, events[i].Detail))
	}
	return list
}

// stored are the names of all stored files.
func (d *desk) stored() (names []string) {
	d.t.Helper()
	err := filepath.WalkDir(d.folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return names
}

// refuses checks that err is of the kind and the type of want.
func refuses[T error](t testing.TB, err error, kind error) (as T) {
	t.Helper()
	if !errors.As(err, &as) || !errors.Is(err, kind) {
		t.Fatalf("%v (%T); want %T, %v", err, err, as, kind)
	}
	return as
}

// moved is a step of the engine's.
func (d *desk) moved(run id.Run, from, to State, actor Actor) {
	d.t.Helper()
	err := d.db.InTx(d.ctx, func(tx *db.Tx) error {
		return transit(d.ctx, tx, run, move{Action: "move", From: []State{from}, To: to, Actor: actor}, nil)
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

func knobsText(k Knobs) (string, error) {
	text, err := json.Marshal(k)
	return string(text), err
}
