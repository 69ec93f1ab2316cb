package main

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// TestKillWhileBulkEditing ends the server that works on a bulk edit, and on the one that takes it back, at random moments:
// each ticket is changed once and has one outcome, and in the end all are as they were.
func TestKillWhileBulkEditing(t *testing.T) {
	t.Parallel()
	const many = 3000
	i := onPrivate(t)
	server := i.serve(t)
	defer func() { domaintest.Must(t, server.stop(t)) }()
	_, w, d := i.operator(t)
	ctx := asOwner(t, w, d)
	board := domaintest.OK(w.Workflows.OpenBoard(ctx, boards.Draft{Slug: "RUN", Title: "Run"}, nil))(t)
	apptest.Fill(t, d, 1, board.ID, board.Columns[0].ID, many)
	kill := func(edit bulkedits.BulkEdit) bulkedits.BulkEdit {
		t.Helper()
		now := func() bulkedits.BulkEdit {
			t.Helper()
			return domaintest.OK(w.Workflows.BulkEdit(ctx, edit.ID))(t)
		}
		_, err := w.Engine.ChangeKnobs(ctx, migrations.Keeper, edit.Run, migrations.KnobChange{"lease": 3})
		domaintest.Must(t, err)
		domaintest.Until(t, "it has begun", func() bool { return now().Changed > rand.IntN(many/2) })
		domaintest.Must(t, wait.Sleep(t.Context(), time.Duration(rand.IntN(300))*time.Millisecond))
		server.kill(t)
		if at := now(); at.Over() {
			t.Logf("bulk edit %d was over before the kill", edit.ID)
		}
		server = i.serve(t)
		domaintest.Until(t, "it ends", func() bool { return now().Over() })
		return now()
	}
	checked := func(edit bulkedits.BulkEdit, priority int) {
		t.Helper()
		if edit.State != migrations.Complete || edit.Changed != many || edit.Done() != many {
			t.Fatalf("%+v", edit)
		}
		domaintest.Counts(t, d, many, "SELECT COUNT(*) FROM ticket WHERE board_id = ? AND priority = ?", uint64(board.ID), priority)
		domaintest.Counts(t, d, many, "SELECT COUNT(DISTINCT i.ticket_id) FROM bulk_edit_item i JOIN activity v ON v.id = i.activity_id AND v.ticket_id = i.ticket_id WHERE i.bulk_edit_id = ?",
			uint64(edit.ID))
	}
	opened := domaintest.OK(w.Workflows.OpenBulkEdit(ctx, "RUN", workflows.BulkRequest{
		Edit: bulkedits.Edit{Kind: bulkedits.Priority, Priority: "high"}}, nil))(t)
	done := kill(opened)
	checked(done, 3)
	domaintest.Counts(t, d, many, "SELECT COUNT(*) FROM activity WHERE kind = 'set'")
	undone := kill(domaintest.OK(w.Workflows.UndoBulkEdit(ctx, done.ID, false, nil))(t))
	checked(undone, 0)
	domaintest.Counts(t, d, many, "SELECT COUNT(*) FROM activity WHERE kind = 'undone'")
	domaintest.Counts(t, d, many, "SELECT COUNT(*) FROM activity WHERE kind = 'set' AND undone_at IS NOT NULL")
}

// asOwner is a context of the account that set the database up.
func asOwner(t *testing.T, w *app.App, d *db.DB) context.Context {
	t.Helper()
	var company string
	var account, epoch uint64
	domaintest.Must(t, d.SQL.QueryRow(`SELECT c.slug, a.id, a.session_epoch FROM company c JOIN membership m ON m.company_id = c.id JOIN account a ON a.id = m.account_id
		WHERE m.role = 'owner' ORDER BY c.id, a.id LIMIT 1`).Scan(&company, &account, &epoch))
	actor := domaintest.OK(w.Workflows.Enter(t.Context(), company, id.Account(account), epoch))(t)
	return accounts.WithActor(t.Context(), actor)
}
