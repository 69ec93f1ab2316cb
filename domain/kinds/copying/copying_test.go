package copying_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/ops/verify"
)

type env struct {
	*apptest.Env
	folder string
}

func newEnv(t testing.TB) env {
	t.Helper()
	folder := t.TempDir()
	return env{apptest.New(t, app.WithFiles(domaintest.OK(blobs.Open(t.Context(), folder))(t))), folder}
}

// duplicate duplicates OPS as COPY.
func (e env) duplicate(t *testing.T, which string) boards.Board {
	t.Helper()
	return domaintest.OK(e.Workflows.OpenBoard(e.Ctx, boards.Draft{Slug: "COPY", Title: "Copy", Like: "OPS", Tickets: which}, nil))(t)
}

// titles are those of the cards of a board, by column, in their order.
func (e env) titles(t *testing.T, slug string) (columns [][]string) {
	t.Helper()
	board := domaintest.OK(e.Workflows.Board(e.Ctx, slug))(t)
	for _, column := range board.Columns {
		list := []string{}
		for below := (*tickets.Cursor)(nil); ; {
			_, cards, err := e.Workflows.Column(e.Ctx, slug, column.ID, below, workflows.BoardFilter{})
			domaintest.Must(t, err)
			for _, card := range cards.List {
				list = append(list, card.Title)
			}
			if below = cards.Next; below == nil {
				break
			}
		}
		columns = append(columns, list)
	}
	return columns
}

// run is the one run that copied, with its tasks.
func (e env) run(t *testing.T) (migrations.Run, []migrations.Task) {
	t.Helper()
	ctx := apptest.AsCommandLine(t.Context())
	working, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = e.Worker.Work(working) }()
	defer func() { end(); <-done }()
	var run migrations.Run
	domaintest.Until(t, "the run ends", func() bool {
		for _, list := range []string{migrations.ListFinished, migrations.ListAttention} {
			runs, _, err := e.Console.Runs(ctx, list, 0)
			domaintest.Must(t, err)
			at := slices.IndexFunc(runs, func(run migrations.Run) bool {
				return run.Name == workflows.CopyTicketsName && !run.State.IsActive()
			})
			if at >= 0 {
				run = runs[at]
				return true
			}
		}
		return false
	})
	page, err := e.Console.RunTasks(ctx, run.ID, migrations.TaskFilter{})
	domaintest.Must(t, err)
	return run, page.Tasks
}

func TestCopyTickets(t *testing.T) {
	t.Parallel()
	t.Run("copies have what the form of a duplicate has, in the order of the board, and nobody is notified", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.As(t, "Mia", accounts.Member)
		e.As(t, "Zed", accounts.Member)
		ops := e.Board(t, "OPS")
		first := e.Open(t, "OPS", ops.Columns[0].ID, 110) // more than two blocks have
		doing := e.Open(t, "OPS", ops.Columns[1].ID, 2)
		done := e.Open(t, "OPS", ops.Columns[2].ID, 3)
		_, _, err := e.Workflows.MoveTicket(e.Ctx, first[7], tickets.Intent{Column: ops.Columns[0].ID, AtEnd: true})
		domaintest.Must(t, err)
		_, _, err = e.Workflows.MoveTicket(e.Ctx, first[90], tickets.Intent{Column: ops.Columns[1].ID})
		domaintest.Must(t, err)
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, first[5]))

		own := domaintest.OK(e.Workflows.OpenLabel(e.Ctx, workflows.LabelDraft{Name: "own", Board: "OPS"}, nil))(t)
		all := domaintest.OK(e.Workflows.OpenLabel(e.Ctx, workflows.LabelDraft{Name: "all"}, nil))(t)
		_, _, err = e.Workflows.LabelTicket(e.Ctx, doing[0], workflows.Labelling{Add: []id.Label{own.ID, all.ID}})
		domaintest.Must(t, err)
		file := domaintest.OK(e.Workflows.Upload(e.Ctx, workflows.NewFile{Name: "plan.txt", Content: strings.NewReader("a plan"), Size: 6}))(t)
		text := "See " + file.Markdown() + " and " + first[0].String() + ".\n\n- [x] one\n- [ ] two\n\n@mia"
		domaintest.OK(e.Workflows.EditTicket(e.Ctx, doing[0], tickets.Edit{Description: &text, Version: 1}))(t)
		priority := tickets.High
		due := domaintest.OK(tickets.ParseDate("due", "2040-02-29"))(t)
		start := domaintest.OK(tickets.ParseDate("start", "2040-02-01"))(t)
		_, _, err = e.Workflows.SetProperties(e.Ctx, doing[0], tickets.PropertyEdit{Priority: &priority, Start: &start, Due: &due})
		domaintest.Must(t, err)
		domaintest.OK(e.Workflows.SetAssignees(e.Ctx, doing[0], []string{"mia", "zed"}))(t)
		zed := domaintest.OK(accounts.ByEmail(e.Ctx, e.DB.Queries, "zed@example.com"))(t)
		domaintest.OK(e.Workflows.RemoveMember(e.Ctx, zed.ID))(t)
		notifications := e.Count(t, "SELECT COUNT(*) FROM notification")

		e.duplicate(t, boards.CopyAll)
		run, tasks := e.run(t)
		if run.State != migrations.Complete || len(tasks) == 0 || run.Total != 114 {
			t.Fatalf("%s, %d tasks: %s", run.State, run.Total, run.Reason)
		}
		if got, want := e.titles(t, "COPY"), e.titles(t, "OPS"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v\nis copied as\n%v", want, got)
		}
		e.Counts(t, notifications, "SELECT COUNT(*) FROM notification")
		var copied tickets.Ticket
		for n := range uint64(114) {
			if one := e.Ticket(t, fmt.Sprintf("COPY-%d", n+1)); one.Title == e.Ticket(t, doing[0].String()).Title && len(one.Labels) > 0 {
				copied = one
			}
		}
		if labels.Names(copied.Labels) != "all, own" || copied.Properties != (tickets.Properties{Priority: priority, Start: start, Due: due}) ||
			copied.Checklist != (tickets.Checklist{Items: 2, Checked: 1}) || copied.Author.ID != e.Actor.Account.ID {
			t.Errorf("%+v", copied)
		}
		for _, label := range copied.Labels {
			if label.ID == own.ID {
				t.Error("it has the label of the other board")
			}
		}
		if len(copied.Assignees) != 1 || copied.Assignees[0].Handle != "mia" {
			t.Errorf("it is assigned to %v", copied.Assignees)
		}
		if copied.Description == text || !strings.Contains(copied.Description, "plan.txt") {
			t.Errorf("it says %q", copied.Description)
		}
		e.Counts(t, 1, "SELECT COUNT(*) FROM attachment WHERE ticket_id = ? AND name = 'plan.txt'", uint64(copied.ID))
		e.Counts(t, 3, "SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'COPY' AND t.closed_at IS NOT NULL")
		_ = done
		e.Sound(t)
		report := domaintest.OK(verify.Run(context.Background(), e.DB, apptest.Keys, e.folder, nil))(t)
		if !report.OK() {
			report.Text(t.Output())
			t.Error("verify finds something")
		}
	})
	t.Run("open ones alone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ops := e.Board(t, "OPS")
		e.Open(t, "OPS", ops.Columns[2].ID, 60)
		e.Open(t, "OPS", ops.Columns[0].ID, 2)
		e.duplicate(t, boards.CopyOpen)
		e.run(t)
		if got := e.titles(t, "COPY"); len(got[0]) != 2 || len(got[2]) != 0 {
			t.Errorf("%v", got)
		}
	})
	t.Run("those who lost the rights copy nothing more", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ops := e.Board(t, "OPS")
		e.Open(t, "OPS", ops.Columns[0].ID, 2)
		mia := e.As(t, "Mia", accounts.Member)
		domaintest.OK(e.Workflows.OpenBoard(mia, boards.Draft{Slug: "COPY", Title: "Copy", Like: "OPS", Tickets: boards.CopyAll}, nil))(t)
		account := domaintest.OK(accounts.ByEmail(e.Ctx, e.DB.Queries, "mia@example.com"))(t)
		e.Exec(t, "UPDATE membership SET role = 'viewer' WHERE account_id = ?", uint64(account.ID))
		if run, _ := e.run(t); run.State != migrations.Cancelled || !strings.Contains(run.Reason, "Viewers cannot make changes") {
			t.Errorf("%s: %s", run.State, run.Reason)
		}
		e.Counts(t, 0, "SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'COPY'")
	})
	t.Run("a column takes as many as its limit allows, and the others fail with the reason", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ops := e.Board(t, "OPS")
		e.Open(t, "OPS", ops.Columns[0].ID, 5)
		e.Exec(t, "UPDATE board_column SET wip_limit = 3, wip_hard = TRUE WHERE id = ?", uint64(ops.Columns[0].ID))
		e.duplicate(t, boards.CopyAll)
		run, _ := e.run(t)
		if run.Progress.Failed != 2 || run.Progress.Complete != 3 {
			t.Errorf("%+v", run.Progress)
		}
		e.Counts(t, 3, "SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'COPY'")
		e.Sound(t)
	})
	t.Run("which tickets is said in words, and of a board", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.Board(t, "OPS")
		_, err := e.Workflows.OpenBoard(e.Ctx, boards.Draft{Slug: "COPY", Title: "Copy", Like: "OPS", Tickets: "some"}, nil)
		domaintest.Fails(boards.Board{}, err)(t, boards.CodeBadCopies)
		_, err = e.Workflows.OpenBoard(e.Ctx, boards.Draft{Slug: "COPY", Title: "Copy", Tickets: boards.CopyAll}, nil)
		domaintest.Fails(boards.Board{}, err)(t, boards.CodeBadCopies)
		_, err = e.Console.OpenRun(apptest.AsCommandLine(t.Context()), workflows.CopyTicketsName, migrations.Values{"company": "acme",
			"board": "OPS", "to": "OPS", "tickets": "all", "columns": "1=1", "account": "1"}, migrations.Draft{}, nil)
		domaintest.Fails(0, err)(t, migrations.CodeBadParam)
	})
}

// A ticket that is not on the board any more is left out, also if the run lists it.
func TestReadMoved(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ops := e.Board(t, "OPS")
	other := e.Board(t, "OTHER")
	keys := e.Open(t, "OPS", ops.Columns[0].ID, 3)
	e.duplicate(t, "")
	e.Counts(t, 0, "SELECT COUNT(*) FROM migration_run")
	domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, keys[0]))
	_, _, err := e.Workflows.MoveTicket(e.Ctx, keys[1], tickets.Intent{Board: "OTHER", Column: other.Columns[0].ID})
	domaintest.Must(t, err)
	c := domaintest.OK(workflows.NewTicketCopy(e.Ctx, e.DB.Queries, "acme", e.Actor.Account.ID, "OPS", "COPY"))(t)
	for number, there := range []bool{false, false, false, true, false} {
		_, err := c.Read(e.Ctx, e.DB.Queries, uint64(number))
		if (err == nil) != there {
			t.Errorf("number %d: %v", number, err)
		}
	}
}
