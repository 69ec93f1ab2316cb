package handover_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

type env struct{ *apptest.Env }

// assign gives a ticket assignees by their handles.
func (e env) assign(t *testing.T, key tickets.Key, handles ...string) {
	t.Helper()
	domaintest.OK(e.Workflows.SetAssignees(e.Ctx, key, handles))(t)
}

// assigned are the handles of a ticket's assignees.
func (e env) assigned(t *testing.T, key tickets.Key) (handles []string) {
	t.Helper()
	for _, one := range e.Ticket(t, key.String()).Assignees {
		handles = append(handles, one.Handle)
	}
	return handles
}

func (e env) close(t *testing.T, key tickets.Key) {
	t.Helper()
	_, _, err := e.Workflows.CloseTicket(e.Ctx, key)
	domaintest.Must(t, err)
}

func (e env) account(t *testing.T, name string) id.Account {
	t.Helper()
	return domaintest.OK(accounts.ByEmail(e.Ctx, e.DB.Queries, name+"@example.com"))(t).ID
}

func TestHandOver(t *testing.T) {
	t.Parallel()
	t.Run("each open ticket goes to the successor who sees its board, else to nobody", func(t *testing.T) {
		t.Parallel()
		e := env{apptest.New(t)}
		e.As(t, "Mia", accounts.Member)
		e.As(t, "Zed", accounts.Member)
		ops, secret := e.Board(t, "OPS"), e.Board(t, "SECRET")
		shared := e.Open(t, "OPS", ops.Columns[0].ID, 120) // more than two tasks have
		hidden := e.Open(t, "SECRET", secret.Columns[0].ID, 1)[0]
		for _, key := range append(shared, hidden) {
			e.assign(t, key, "mia")
		}
		both, closed := shared[1], shared[2]
		e.assign(t, both, "mia", "zed", "ana")
		e.close(t, closed)
		domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, "SECRET", true))(t)
		mia := e.account(t, "mia")
		run := domaintest.OK(e.Console.DeactivateAccount(e.Ctx, mia, "zed@example.com"))(t)
		if run == 0 {
			t.Fatal("nothing is handed over")
		}
		runs := e.WorkAll(t, workflows.HandOverName)
		if len(runs) != 1 || runs[0].State != migrations.Complete {
			t.Fatalf("%+v", runs)
		}
		for _, key := range shared {
			want := "[zed]"
			switch key {
			case both:
				want = "[ana zed]"
			case closed:
				want = "[mia]"
			}
			if got := fmt.Sprint(e.assigned(t, key)); got != want {
				t.Errorf("%s is assigned to %s, not %s", key, got, want)
			}
		}
		if got := e.assigned(t, hidden); got != nil {
			t.Errorf("%s is assigned to %v", hidden, got)
		}
		e.Counts(t, 120, "SELECT COUNT(*) FROM activity WHERE kind = 'assigned' AND detail LIKE '%\"old\":\"Mia%' AND account_id = ?",
			uint64(e.Actor.Account.ID))
		e.Sound(t)
		if again := domaintest.OK(e.Console.DeactivateAccount(e.Ctx, mia, ""))(t); again != 0 {
			t.Error("a second deactivation hands over again")
		}
	})

	t.Run("what changed since the run began stays as it is", func(t *testing.T) {
		t.Parallel()
		e := env{apptest.New(t)}
		e.As(t, "Mia", accounts.Member)
		e.As(t, "Zed", accounts.Member)
		ops := e.Board(t, "OPS")
		keys := e.Open(t, "OPS", ops.Columns[0].ID, 4)
		for _, key := range keys {
			e.assign(t, key, "mia")
		}
		mia, zed := e.account(t, "mia"), e.account(t, "zed")
		domaintest.OK(e.Console.DeactivateAccount(e.Ctx, mia, ""))(t)
		values := migrations.Values{"account": strconv.Itoa(int(mia)), "to": strconv.Itoa(int(zed)), "by": "1"}
		b := e.Began(t, workflows.HandOverName, 1, values)
		e.assign(t, keys[0], "ana")
		e.close(t, keys[1])
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, keys[2]))
		b.Do(t, b.Tasks...)
		b.Do(t, b.Tasks...) // again: a worker was killed after its commit
		for i, want := range map[int]string{0: "[ana]", 1: "[mia]", 3: "[zed]"} {
			if got := fmt.Sprint(e.assigned(t, keys[i])); got != want {
				t.Errorf("%s is assigned to %s, not %s", keys[i], got, want)
			}
		}
		e.Exec(t, "UPDATE membership SET role = 'viewer' WHERE account_id = ?", uint64(zed))
		e.assignBack(t, keys[3], mia)
		b.Do(t, b.Tasks...)
		if got := e.assigned(t, keys[3]); got != nil {
			t.Errorf("a viewer is assigned: %v", got)
		}
	})

	t.Run("operators open no run for an account that is active, or for none", func(t *testing.T) {
		t.Parallel()
		e := env{apptest.New(t)}
		e.As(t, "Mia", accounts.Member)
		for _, values := range []migrations.Values{
			{"account": strconv.Itoa(int(e.account(t, "mia"))), "by": "1"}, {"account": "99", "by": "1"}, {"by": "1"},
			{"account": "x", "by": "1"},
		} {
			domaintest.Fails(e.Console.OpenRun(e.Ctx, workflows.HandOverName, values, migrations.Draft{}, nil))(t,
				migrations.CodeBadParam)
		}
	})
}

// assignBack assigns a ticket to an account that cannot be assigned any more.
func (e env) assignBack(t *testing.T, key tickets.Key, account id.Account) {
	t.Helper()
	ticket := e.Ticket(t, key.String()).ID
	e.Exec(t, "DELETE FROM assignee WHERE ticket_id = ?", uint64(ticket))
	e.Exec(t, "INSERT INTO assignee (ticket_id, account_id, current, created_at) VALUES (?, ?, TRUE, NOW(6))",
		uint64(ticket), uint64(account))
}
