package importer_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// importEnv is an environment with a place for files, and an operator.
type importEnv struct {
	*env
	t        testing.TB
	operator context.Context
}

func newImportEnv(t testing.TB) *importEnv {
	t.Helper()
	return &importEnv{newEnv(t, apptest.Files(t)), t, apptest.AsCommandLine(context.Background())}
}

// works has a worker work until stop is called.
func (s *importEnv) works() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Worker.Work(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Error(err)
		}
	}
}

// until waits until a run is as it is said to be.
func (s *importEnv) until(run id.Run, holds func(migrations.Run) bool) migrations.Run {
	s.t.Helper()
	var now migrations.Run
	domaintest.Until(s.t, "the run is as wanted", func() bool {
		var err error
		if now, err = s.Console.Run(s.operator, run); err != nil {
			s.t.Fatal(err)
		}
		return holds(now)
	}, func() string { return fmt.Sprintf("it is %s (%s): %+v", now.State, now.Reason, now.Progress) })
	return now
}

func (s *importEnv) waitFor(run id.Run, state migrations.State) migrations.Run {
	s.t.Helper()
	return s.until(run, func(r migrations.Run) bool { return r.State == state })
}

func (s *importEnv) importOf(file string, dry bool) id.Run {
	s.t.Helper()
	run := domaintest.OK(s.Console.OpenRun(s.operator, workflows.ImportName,
		migrations.Values{"company": "acme", "board": "DEMO", "author": "ana@example.com", "statuses": "In Progress = Doing"},
		migrations.Draft{Dry: dry, Upload: strings.NewReader(file), UploadName: "jira.csv"}, nil))(s.t)
	return run.ID
}

func (s *importEnv) notes(run id.Run) (notes []string) {
	s.t.Helper()
	page := domaintest.OK(s.Console.RunTasks(s.operator, run, migrations.TaskFilter{}))(s.t)
	for _, task := range page.Tasks {
		notes = append(notes, task.Note)
	}
	return notes
}

// rowsOf is a file of n tickets in three columns.
func rowsOf(n int) string {
	var file bytes.Buffer
	out := csv.NewWriter(&file)
	_ = out.Write([]string{"Summary", "Issue key", "Status", "Assignee", "Created", "Description"})
	for i := range n {
		_ = out.Write([]string{
			"Ticket " + strconv.Itoa(i), "BIG-" + strconv.Itoa(i+1), []string{"To do", "Doing", "Done"}[i%3],
			[]string{"", "ana@example.com"}[i%2],
			"2024-03-12 09:41", "h2. What\n* *one*\n* two, with [a link|https://example.com]\n\n" +
				strings.Repeat("Some words of text. ", 20),
		})
	}
	out.Flush()
	return file.String()
}

func TestImport_with_workers(t *testing.T) {
	t.Parallel()
	s := newImportEnv(t)
	s.member(t, "Ben", "ben@example.com", accounts.Member)
	stop := s.works()
	t.Run("a dry run reports and changes nothing; done for real it opens tickets", func(t *testing.T) {
		dry := s.importOf(jiraExport, true)
		if run := s.waitFor(dry, migrations.Complete); run.Progress.Complete != 3 {
			t.Errorf("got %+v", run.Progress)
		}
		s.Counts(t, 0, "SELECT COUNT(*) FROM ticket_origin")
		run := domaintest.OK(s.Console.OpenRun(s.operator, workflows.ImportName, nil, migrations.Draft{From: dry}, nil))(t)
		s.waitFor(run.ID, migrations.Ready)
		domaintest.OK(s.Console.StartRun(s.operator, run.ID, 0, nil))(t)
		s.waitFor(run.ID, migrations.Complete)
		notes := strings.Join(s.notes(run.ID), "\n")
		if !strings.Contains(notes, "opened as DEMO-") || s.Ticket(t, "OLD-123").Title != "Login fails, sometimes" {
			t.Error(notes)
		}
	})
	t.Run("a file that is none ends the run with the reason", func(t *testing.T) {
		run := s.waitFor(s.importOf("a,b\n1,2\n", true), migrations.Cancelled)
		if !strings.Contains(run.Reason, "the column with the titles") {
			t.Errorf("got %q", run.Reason)
		}
	})
	stop()
	t.Run("a worker that is stopped in the middle leaves each row to be done once", func(t *testing.T) {
		stop := s.works()
		run := s.importOf(rowsOf(3000), false)
		s.until(run, func(r migrations.Run) bool { return r.Total > 0 })
		stop()
		stop = s.works()
		s.waitFor(run, migrations.Ready)
		domaintest.OK(s.Console.StartRun(s.operator, run, 0, nil))(t)
		s.until(run, func(r migrations.Run) bool { return r.Progress.Complete > 0 })
		stop()
		stop = s.works()
		done := s.waitFor(run, migrations.Complete)
		stop()
		if done.Total != 3000 || done.Progress.Complete != 3000 || done.Progress.Failed != 0 {
			t.Errorf("got %+v", done)
		}
		s.Counts(t, 3000, "SELECT COUNT(*) FROM ticket WHERE title LIKE 'Ticket %'")
	})
	s.importSound(t)
}
