package upkeep_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func notesOf(tasks []migrations.Task) (notes []string) {
	for _, task := range tasks {
		notes = append(notes, task.Note)
	}
	slices.Sort(notes)
	return notes
}

func TestReRenderMarkdown(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	board := e.Board(t, "NINJA")
	keys := e.Open(t, "NINJA", board.Columns[0].ID, 102)
	long := strings.Repeat("[", 60000)
	domaintest.OK(e.Workflows.EditTicket(e.Ctx, keys[1], tickets.Edit{Description: &long, Version: 1}))(t)
	for range 2 {
		domaintest.OK(e.Workflows.Comment(e.Ctx, keys[2], "As @ana says: **NINJA-1**", nil))(t)
	}
	domaintest.OK(e.Workflows.Comment(e.Ctx, keys[101], strings.Repeat("a", 30000)+strings.Repeat("](", 10000), nil))(t)
	for range 10 { // more than a page of comments by its bytes
		domaintest.OK(e.Workflows.Comment(e.Ctx, keys[100], strings.Repeat("word ", 10000), nil))(t)
	}
	values := migrations.Values{"company": "acme"}
	want := []string{
		"102 texts of acme/NINJA; 1 shown as typed, for they would take too long: NINJA-2",
		"13 texts of acme/NINJA; 1 shown as typed, for they would take too long: NINJA-102#comment-3",
		"7 texts of acme/DEMO",
	}
	run, tasks := e.RunToEnd(t, "re-render-markdown", values, migrations.Draft{})
	if got := notesOf(tasks); run.State != migrations.Complete || !slices.Equal(got, want) {
		t.Errorf("%s:\n%s", run.State, strings.Join(got, "\n"))
	}
	t.Run("the fill resumes at its cursor", func(t *testing.T) {
		whole := e.BareRun(t, "re-render-markdown", 1, values)
		part := whole.Again(2)
		_ = part.Fill(context.Background(), part)
		part.Until = 0
		if err := part.Fill(context.Background(), part); err != nil || !slices.Equal(part.Tasks, whole.Tasks) ||
			len(whole.Tasks) != 3 {
			t.Errorf("%v: %v, want %v", err, part.Tasks, whole.Tasks)
		}
	})
	t.Run("a dry run lists the texts that it would render", func(t *testing.T) {
		_, tasks := e.RunToEnd(t, "re-render-markdown", values, migrations.Draft{Dry: true})
		if got := notesOf(tasks); !slices.Contains(got, "Would render the texts of acme/NINJA-1 to NINJA-100.") {
			t.Errorf("%v", got)
		}
	})
}
