package migrations_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// The inbox of an operator has the end or the pause of a run, once for each transition.
func TestNoticesOfRuns(t *testing.T) {
	t.Parallel()
	t.Run("the engine's pauses, stops and failed tasks, not an operator's", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		d.joins(1)
		run := d.Running(4)
		d.hasNotices(1)
		d.Must(d.PauseRun(d.Ctx, d.Ana, run.ID))
		d.MustMove(run.ID, migrations.Pausing, migrations.Paused, migrations.Keeper)
		d.hasNotices(1)
		d.Must(d.ResumeRun(d.Ctx, d.Ana, run.ID))
		detail := " " + migrations.NoticeDetail(run.ID, "numbers")
		want := []string{migrations.NoticePaused + detail}
		d.MustMove(run.ID, migrations.Running, migrations.Pausing, migrations.Keeper)
		d.MustMove(run.ID, migrations.Pausing, migrations.Paused, migrations.Keeper)
		d.hasNotices(1, want...) // one of both moves
		d.Must(d.ResumeRun(d.Ctx, d.Ana, run.ID))
		d.MustMove(run.ID, migrations.Running, migrations.Paused, migrations.Keeper)
		want = append(want, migrations.NoticePaused+detail)
		d.hasNotices(1, want...)
		d.Must(d.ResumeRun(d.Ctx, d.Ana, run.ID))
		d.Fail(run.ID, d.Ids(run.ID)[:1])
		d.MustMove(run.ID, migrations.Running, migrations.Complete, migrations.Keeper)
		want = append(want, migrations.NoticeFailed+detail)
		d.hasNotices(1, want...)

		other := d.Opened(5)
		d.MustMove(other.ID, migrations.Open, migrations.Filling, migrations.Keeper)
		d.MustMove(other.ID, migrations.Filling, migrations.Cancelled, migrations.Keeper)
		want = append(want, migrations.NoticeStopped+" "+migrations.NoticeDetail(other.ID, "numbers"))
		d.hasNotices(1, want...)
		whole := d.Running(6)
		d.MustMove(whole.ID, migrations.Running, migrations.Complete, migrations.Keeper)
		d.hasNotices(1, want...) // all is well
	})
	t.Run("the operator who resumed it last, unless that is none any more", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		domaintest.Exec(t, d.DB, "INSERT INTO account (id, email, name, password_hash, operator, created_at) VALUES (2, 'ben@example.com', 'Ben', 'x', TRUE, NOW(6))")
		d.joins(1, 2)
		run := d.Running(4)
		d.MustMove(run.ID, migrations.Running, migrations.Paused, migrations.Keeper)
		notice := migrations.NoticePaused + " " + migrations.NoticeDetail(run.ID, "numbers")
		d.hasNotices(1, notice)
		ben := id.Account(2)
		d.Must(d.ResumeRun(d.Ctx, migrations.Actor{Account: &ben, Name: "Ben"}, run.ID))
		d.MustMove(run.ID, migrations.Running, migrations.Paused, migrations.Keeper)
		d.hasNotices(1, notice)
		d.hasNotices(2, notice)
		d.Must(d.ResumeRun(d.Ctx, migrations.Actor{Name: "command line"}, run.ID))
		domaintest.Exec(t, d.DB, "UPDATE account SET operator = FALSE WHERE id = 2")
		d.MustMove(run.ID, migrations.Running, migrations.Paused, migrations.Keeper)
		d.hasNotices(1, notice)
		d.hasNotices(2, notice)
	})
	t.Run("once, of two servers at the same time", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		d.joins(1)
		run := d.Running(4)
		var both sync.WaitGroup
		moved := make([]error, 2)
		for i := range moved {
			both.Go(func() {
				moved[i] = d.DB.InTx(d.Ctx, func(tx *db.Tx) error {
					return migrations.Transit(d.Ctx, tx, run.ID, migrations.Move{Action: "be paused",
						From: []migrations.State{migrations.Running}, To: migrations.Paused, Actor: migrations.Keeper}, nil)
				})
			})
		}
		both.Wait()
		if (moved[0] == nil) == (moved[1] == nil) ||
			!errors.Is(errors.Join(moved...), migrations.CodeWrongState) {
			t.Errorf("the two moves: %v; want one of them refused", moved)
		}
		d.hasNotices(1, migrations.NoticePaused+" "+migrations.NoticeDetail(run.ID, "numbers"))
	})
}

// joins makes the accounts members of a company.
func (d *env) joins(accounts ...id.Account) {
	d.T.Helper()
	domaintest.Exec(d.T, d.DB, "INSERT INTO company (id, slug, name, created_at) VALUES (1, 'acme', 'Acme', NOW(6))")
	for _, account := range accounts {
		domaintest.Exec(d.T, d.DB,
			"INSERT INTO membership (company_id, account_id, role, handle, created_at) VALUES (1, ?, 'member', ?, NOW(6))",
			account, fmt.Sprintf("m%d", account))
	}
}

// hasNotices checks the account's inbox, the oldest first.
func (d *env) hasNotices(account id.Account, want ...string) {
	d.T.Helper()
	rows := domaintest.OK(d.DB.SQL.QueryContext(d.Ctx,
		"SELECT CONCAT(kind, ' ', detail) FROM notification WHERE account_id = ? ORDER BY id", account))(d.T)
	defer rows.Close()
	var got []string
	for rows.Next() {
		var each string
		domaintest.Must(d.T, rows.Scan(&each))
		got = append(got, each)
	}
	domaintest.Must(d.T, rows.Err())
	if !slices.Equal(got, want) {
		d.T.Errorf("account %d has the notices %q; want %q", account, got, want)
	}
}
