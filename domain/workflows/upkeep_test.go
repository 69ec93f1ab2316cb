package workflows_test

import (
	"context"
	"io"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// bulk is a run of a migration without its engine: filled, then worked on block by block.
type bulk struct {
	*migrations.Migration
	h      *house
	run    id.Run
	values migrations.Values
	tasks  []migrations.NewTask
	until  int // stops filling after so many, where it is not 0
}

type stopped struct{}

func (stopped) Error() string { return "stopped" }

func (b *bulk) Values() migrations.Values { return b.values }
func (b *bulk) Cursor() string {
	if len(b.tasks) == 0 {
		return ""
	}
	return b.tasks[len(b.tasks)-1].Cursor
}
func (b *bulk) Upload(context.Context) (io.ReadCloser, error) { panic("there is none") }
func (b *bulk) Add(_ context.Context, task migrations.NewTask) error {
	if b.until > 0 && len(b.tasks) >= b.until {
		return stopped{}
	}
	b.tasks = append(b.tasks, task)
	return nil
}
func (b *bulk) Reject(context.Context, migrations.Rejection) error { panic("nothing is rejected") }

func (h *house) bulk(t testing.TB, name string, run id.Run, values migrations.Values) *bulk {
	t.Helper()
	b := &bulk{Migration: h.Kind(name), h: h, run: run, values: values}
	if err := b.Check(context.Background(), values); err != nil {
		t.Fatal(err)
	}
	if err := b.Fill(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bulk) works(tasks []migrations.NewTask) (works []*migrations.Work) {
	for i, task := range tasks {
		works = append(works, &migrations.Work{Task: migrations.Task{ID: id.Task(i + 1), Run: b.run, Payload: task.Payload}, Values: b.values})
	}
	return works
}

// write does some tasks in one transaction, as a worker does.
func (b *bulk) write(t testing.TB, tasks ...migrations.NewTask) {
	t.Helper()
	err := b.h.db.InTx(context.Background(), func(tx *db.Tx) error { return b.Write(context.Background(), tx, b.works(tasks)) })
	if err != nil {
		t.Error(err)
	}
}
