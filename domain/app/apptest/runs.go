package apptest

import (
	"context"
	"io"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// BareRun is a run of a migration without its engine: filled, then worked on block by block.
type BareRun struct {
	*migrations.Migration
	env    *Env
	run    id.Run
	values migrations.Values
	Tasks  []migrations.NewTask
	Until  int // stops filling after so many, unless it is 0
}

// Stopped is the error of a filling that reached its Until.
type Stopped struct{}

func (Stopped) Error() string { return "stopped" }

func (b *BareRun) Run() id.Run               { return 0 }
func (b *BareRun) Values() migrations.Values { return b.values }

func (b *BareRun) Cursor() string {
	if len(b.Tasks) == 0 {
		return ""
	}
	return b.Tasks[len(b.Tasks)-1].Cursor
}

func (b *BareRun) Upload(context.Context) (io.ReadCloser, error) { panic("there is none") }

func (b *BareRun) Add(_ context.Context, task migrations.NewTask) error {
	if b.Until > 0 && len(b.Tasks) >= b.Until {
		return Stopped{}
	}
	b.Tasks = append(b.Tasks, task)
	return nil
}

func (b *BareRun) Reject(context.Context, migrations.Rejection) error { panic("nothing is rejected") }

// BareRun fills a run of a migration.
func (e *Env) BareRun(t testing.TB, name string, run id.Run, values migrations.Values) *BareRun {
	t.Helper()
	domaintest.Must(t, e.Migration(t, name).Check(context.Background(), values))
	return e.Began(t, name, run, values)
}

// Began is BareRun for a run that a use case has opened: no operator could.
func (e *Env) Began(t testing.TB, name string, run id.Run, values migrations.Values) *BareRun {
	t.Helper()
	b := &BareRun{Migration: e.Migration(t, name), env: e, run: run, values: values}
	domaintest.Must(t, b.Fill(context.Background(), b))
	return b
}

// Again returns a run of the same migration that is not filled yet, and stops after so many tasks.
func (b *BareRun) Again(until int) *BareRun {
	return &BareRun{Migration: b.Migration, env: b.env, run: b.run, values: b.values, Until: until}
}

// Works returns the work of each task.
func (b *BareRun) Works(tasks []migrations.NewTask) (works []*migrations.Work) {
	for i, task := range tasks {
		works = append(works, &migrations.Work{Task: migrations.Task{ID: id.Task(i + 1), Run: b.run, Payload: task.Payload},
			Values: b.values})
	}
	return works
}

// Do does some tasks in one transaction, as a worker does.
func (b *BareRun) Do(t testing.TB, tasks ...migrations.NewTask) {
	t.Helper()
	err := b.env.DB.InTx(context.Background(),
		func(tx *db.Tx) error { return b.Migration.Write(context.Background(), tx, b.Works(tasks)) })
	if err != nil {
		t.Error(err)
	}
}

// RunToEnd runs a worker in this process on one run, and returns the run with its tasks.
func (e *Env) RunToEnd(
	t testing.TB, name string, values migrations.Values, draft migrations.Draft,
) (migrations.Run, []migrations.Task) {
	t.Helper()
	ctx := e.Ctx
	done := make(chan struct{})
	working, end := context.WithCancel(ctx)
	go func() { defer close(done); _ = e.Worker.Work(working) }()
	defer func() { end(); <-done }()
	run, err := e.Console.OpenRun(ctx, name, values, draft, nil)
	domaintest.Must(t, err)
	domaintest.Until(t, "the run ends", func() bool {
		if run.State == migrations.Ready {
			run, err = e.Console.StartRun(ctx, run.ID, 0, nil)
		} else {
			run, err = e.Console.Run(ctx, run.ID)
		}
		domaintest.Must(t, err)
		return !run.State.IsActive()
	})
	page, err := e.Console.RunTasks(ctx, run.ID, migrations.TaskFilter{})
	domaintest.Must(t, err)
	return run, page.Tasks
}

// WorkAll runs a worker in this process on all runs of a migration, and returns them.
func (e *Env) WorkAll(t testing.TB, name string) (finished []migrations.Run) {
	t.Helper()
	ctx := console.AsCommandLine(t.Context())
	working, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = e.Worker.Work(working) }()
	defer func() { end(); <-done }()
	domaintest.Until(t, "all runs end", func() bool {
		active, _, err := e.Console.Runs(ctx, migrations.ListActive, 0)
		domaintest.Must(t, err)
		return len(active) == 0
	})
	list, _, err := e.Console.Runs(ctx, migrations.ListFinished, 0)
	domaintest.Must(t, err)
	for _, run := range list {
		if run.Name == name {
			finished = append(finished, run)
		}
	}
	return finished
}

// AsCommandLine returns a context for the command line, an operator of all companies.
func AsCommandLine(ctx context.Context) context.Context { return console.AsCommandLine(ctx) }
