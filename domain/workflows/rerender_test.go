package workflows_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// carryOut has a worker of this process carry out a run, and returns it with its tasks.
func (h *house) carryOut(t testing.TB, name string, values migrations.Values, draft migrations.Draft) (migrations.Run, []migrations.Task) {
	t.Helper()
	ctx, stop := context.WithTimeout(h.ctx, 10*time.Minute)
	defer stop()
	done := make(chan error, 1)
	working, end := context.WithCancel(ctx)
	go func() { done <- h.Engine.Work(working) }()
	defer func() { end(); <-done }()
	run, err := h.Console.OpenRun(ctx, name, values, draft)
	if err != nil {
		t.Fatal(err)
	}
	for tick := time.NewTicker(20 * time.Millisecond); run.State.IsActive(); <-tick.C {
		if run.State == migrations.Ready {
			run, err = h.Console.StartRun(ctx, run.ID, 0)
		} else {
			run, err = h.Console.Run(ctx, run.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	page, err := h.Console.RunTasks(ctx, run.ID, migrations.TaskFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return run, page.Tasks
}

func notesOf(tasks []migrations.Task) (notes []string) {
	for _, task := range tasks {
		notes = append(notes, task.Note)
	}
	slices.Sort(notes)
	return notes
}

func TestReRenderMarkdown(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	board := h.board(t, "NINJA")
	keys := h.open(t, "NINJA", board.Columns[0].ID, 102)
	long := strings.Repeat("[", 60000)
	if _, err := h.Workflows.EditTicket(h.ctx, keys[1], tickets.Edit{Description: &long, Version: 1}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := h.Workflows.Comment(h.ctx, keys[2], "As @ana says: **NINJA-1**", nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Workflows.Comment(h.ctx, keys[101], strings.Repeat("a", 30000)+strings.Repeat("](", 10000), nil); err != nil {
		t.Fatal(err)
	}
	for range 10 { // more than a page of comments by its bytes
		if _, err := h.Workflows.Comment(h.ctx, keys[100], strings.Repeat("word ", 10000), nil); err != nil {
			t.Fatal(err)
		}
	}
	values := migrations.Values{"company": "acme"}
	want := []string{
		"102 texts of acme/NINJA; 1 shown as typed, for they would take too long: NINJA-2",
		"13 texts of acme/NINJA; 1 shown as typed, for they would take too long: NINJA-102#comment-3",
		"7 texts of acme/DEMO",
	}
	run, tasks := h.carryOut(t, "re-render-markdown", values, migrations.Draft{})
	if got := notesOf(tasks); run.State != migrations.Complete || !slices.Equal(got, want) {
		t.Errorf("%s:\n%s", run.State, strings.Join(got, "\n"))
	}
	t.Run("filling goes on where it stopped", func(t *testing.T) {
		whole := h.bulk(t, "re-render-markdown", 1, values)
		part := &bulk{Migration: whole.Migration, h: h, values: values, until: 2}
		_ = part.Fill(context.Background(), part)
		part.until = 0
		if err := part.Fill(context.Background(), part); err != nil || !slices.Equal(part.tasks, whole.tasks) || len(whole.tasks) != 3 {
			t.Errorf("%v: %v, want %v", err, part.tasks, whole.tasks)
		}
	})
	t.Run("a dry run says what it would look at", func(t *testing.T) {
		_, tasks := h.carryOut(t, "re-render-markdown", values, migrations.Draft{Dry: true})
		if got := notesOf(tasks); !slices.Contains(got, "Would render the texts of acme/NINJA-1 to NINJA-100.") {
			t.Errorf("%v", got)
		}
	})
}
