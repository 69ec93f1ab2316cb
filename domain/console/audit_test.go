package console_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// rivals adds two companies that the caller is in none of.
func (e *env) rivals(t testing.TB) {
	t.Helper()
	e.Exec(t, "INSERT INTO company (slug, name, created_at) VALUES ('rivals', 'Rivals', '2026-01-01'), ('third', 'Third', '2026-01-01')")
}

func TestOperatorsWorkIsAudited(t *testing.T) {
	t.Parallel()
	const companies = "SELECT COUNT(*) FROM audit WHERE company_id IS NOT NULL AND kind = ?"
	const instance = "SELECT COUNT(*) FROM audit WHERE company_id IS NULL AND kind = ?"
	t.Run("each step of a run of one company is in its list and in the instance's, by the operator", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.rivals(t)
		run := domaintest.OK(e.Console.OpenRun(e.Ctx, "rebalance-ranks", migrations.Values{"company": "acme", "board": e.Practice.Slug},
			migrations.Draft{}, nil))(t)
		domaintest.OK(e.Console.ChangeKnobs(e.Ctx, run.ID, migrations.KnobChange{"concurrency": 3}))(t)
		domaintest.OK(e.Console.ChangeKnobs(e.Ctx, run.ID, migrations.KnobChange{"concurrency": 3}))(t) // changes nothing
		domaintest.OK(e.Console.CancelRun(e.Ctx, run.ID))(t)
		domaintest.OK(e.Console.CancelRun(e.Ctx, run.ID))(t)
		domaintest.OK(e.Console.DismissRun(e.Ctx, run.ID))(t)
		for _, kind := range []string{accounts.AuditRunOpened, accounts.AuditRunAdjusted, accounts.AuditRunCancelled} {
			e.Counts(t, 1, "SELECT COUNT(*) FROM audit WHERE company_id = 1 AND account_id = 1 AND kind = ?", kind)
			e.Counts(t, 1, companies, kind)
			e.Counts(t, 1, instance, kind)
		}
		list, _, err := e.Console.Audit(e.Ctx, 0)
		domaintest.Must(t, err)
		if d := list[0].Detail; d.Run != run.ID || d.Company != "acme" || list[0].Account.ID != 1 {
			t.Errorf("%+v", list[0])
		}
	})
	t.Run("a run of all companies is in the list of each that there was, soon and once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.rivals(t)
		domaintest.OK(e.Console.OpenRun(console.AsCommandLine(e.Ctx), "re-render-markdown", migrations.Values{},
			migrations.Draft{}, nil))(t)
		e.Counts(t, 1, instance, accounts.AuditRunOpened)
		e.Exec(t, "INSERT INTO company (slug, name, created_at) VALUES ('later', 'Later', '2100-01-01')")
		for range 2 {
			domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
		}
		e.Counts(t, 3, companies, accounts.AuditRunOpened)
		e.Counts(t, 3, "SELECT COUNT(DISTINCT company_id) FROM audit WHERE kind = ?", accounts.AuditRunOpened)
		e.Counts(t, 0, "SELECT COUNT(*) FROM audit_spread")
	})
	t.Run("what the command line reads of a run is in both lists, with what; what an operator sees is not", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := domaintest.OK(e.Console.OpenRun(e.Ctx, "rebalance-ranks", migrations.Values{"company": "acme", "board": e.Practice.Slug},
			migrations.Draft{}, nil))(t).ID
		e.Exec(t, "INSERT INTO migration_task (id, run_id, payload) VALUES (7, ?, '{}')", run)
		const task = id.Task(7)
		read := func(ctx context.Context) {
			domaintest.OK(e.Console.RunTasks(ctx, run, migrations.TaskFilter{}))(t)
			_, _, err := e.Console.RunTask(ctx, run, task)
			domaintest.Must(t, err)
			domaintest.OK(e.Console.FailureSheet(ctx, run, ""))(t)
			domaintest.OK(e.Console.RejectionSheet(ctx, run))(t)
			domaintest.OK(e.Console.ReportSheet(ctx, run))(t)
			_, _, err = e.Console.RunRejections(ctx, run, 0)
			domaintest.Must(t, err)
		}
		read(e.Ctx)
		e.Counts(t, 0, "SELECT COUNT(*) FROM audit WHERE kind = ?", accounts.AuditRunRead)
		read(console.AsCommandLine(t.Context()))
		e.Counts(t, 6, instance+" AND account_id IS NULL", accounts.AuditRunRead)
		e.Counts(t, 6, companies+" AND company_id = 1 AND account_id IS NULL", accounts.AuditRunRead)
		for what, n := range map[string]int{"tasks": 1, "failed tasks": 1, "rejected lines": 2, "report": 1,
			fmt.Sprintf("task %d", task): 1} {
			e.Counts(t, n, instance+` AND detail LIKE CONCAT('%"note":"', ?, '"%')`, accounts.AuditRunRead, what)
		}
		list, _, err := e.Workflows.Audit(e.Ctx, 0)
		domaintest.Must(t, err)
		if got := list[0].Detail; got.Run != run || got.Name != "Rebalance ranks of a board" || got.Note != "rejected lines" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a run that touches no company is in the instance's list alone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.mint(t, 100, "5")
		e.Counts(t, 0, companies, accounts.AuditRunOpened)
		e.Counts(t, 1, instance, accounts.AuditRunOpened)
	})
	t.Run("what the command line does to a consumer is in both lists, without an account", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		consumer := domaintest.OK(e.Workflows.RegisterConsumer(e.Ctx, "tickets", "warehouse", "end"))(t)
		domaintest.OK(e.Console.PauseConsumer(console.AsCommandLine(e.Ctx), consumer.ID, true))(t)
		list, _, err := e.Workflows.Audit(e.Ctx, 0)
		domaintest.Must(t, err)
		if got := list[0]; got.Kind != accounts.AuditConsumerPaused || got.Account.ID != 0 ||
			got.Account.Name != accounts.CommandLine {
			t.Errorf("%+v", got)
		}
		e.Counts(t, 1, instance, accounts.AuditConsumerPaused)
	})
	t.Run("a company's own program that seeks, pauses or deletes a consumer is in its list", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		domaintest.OK(e.Workflows.RegisterConsumer(e.Ctx, "tickets", "warehouse", "end"))(t)
		domaintest.OK(e.Workflows.SeekConsumer(e.Ctx, "tickets", "warehouse", "start"))(t)
		domaintest.OK(e.Workflows.PauseConsumer(e.Ctx, "tickets", "warehouse", true))(t)
		domaintest.OK(e.Workflows.PauseConsumer(e.Ctx, "tickets", "warehouse", false))(t)
		domaintest.Must(t, e.Workflows.DeleteConsumer(e.Ctx, "tickets", "warehouse"))
		for _, kind := range []string{accounts.AuditConsumerMoved, accounts.AuditConsumerPaused,
			accounts.AuditConsumerResumed, accounts.AuditConsumerDeleted} {
			e.Counts(t, 1, companies, kind)
		}
	})
	t.Run("the grant of operator is in each company of the new operator, and so is a token of the command line",
		func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			e.rivals(t)
			ben := accounts.ActorFrom(e.As(t, "Ben", accounts.Member)).Account
			e.Exec(t, "INSERT INTO membership (company_id, account_id, role, handle, created_at) VALUES (2, ?, 'member', 'ben', '2026-01-01')", uint64(ben.ID))
			domaintest.Must(t, e.Workflows.SetOperator(e.Ctx, ben.ID, true))
			domaintest.Must(t, e.Workflows.SetOperator(e.Ctx, ben.ID, true))
			e.Counts(t, 1, "SELECT COUNT(*) FROM audit WHERE company_id = 1 AND account_id = 1 AND kind = ? AND detail LIKE '%Ben%'", accounts.AuditOperatorGranted)
			e.Counts(t, 1, "SELECT COUNT(*) FROM audit WHERE company_id = 2 AND account_id = 1 AND kind = ?", accounts.AuditOperatorGranted)
			domaintest.OK(e.Workflows.OpenToken(e.Ctx, "rivals", ben.Email, nil, 90))(t)
			e.Counts(t, 1, "SELECT COUNT(*) FROM audit WHERE company_id = 2 AND account_id IS NULL AND kind = ? AND detail LIKE '%command line%'", accounts.AuditTokenMade)
		})
}

func TestImportsAreMarked(t *testing.T) {
	t.Parallel()
	e := newEnv(t, apptest.Files(t))
	e.As(t, "Ben", accounts.Member)
	e.Exec(t, "UPDATE account SET email = 'ben@example.com' WHERE name = 'Ben'")
	run, _ := e.RunToEnd(t, workflows.ImportName, migrations.Values{"company": "acme", "board": "DEMO",
		"author": "ben@example.com", "title": "Title"},
		migrations.Draft{Upload: strings.NewReader("Title\nFrom elsewhere\n"), UploadName: "t.csv"})
	e.Counts(t, 1, `SELECT COUNT(*) FROM activity a JOIN ticket t ON t.id = a.ticket_id
		WHERE t.title = 'From elsewhere' AND a.kind = 'opened' AND a.detail LIKE ?`,
		"%\"import\":{\"run\":"+fmt.Sprint(run.ID)+",\"by\":\"%")
}
