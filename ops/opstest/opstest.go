// Package opstest fills an installation with users and their work, for tests that read all of it.
package opstest

import (
	"context"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/recurrence"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Populate writes rows to every table that users fill. ctx is that of the first setup's Ana, whose company gets Bob, a
// member, and a board AWAY. Of its tickets
//
//	AWAY-1 went to DEMO,
//	AWAY-2 went to DEMO too and came back,
//	AWAY-3 is Ana's and Bob's, with a comment that mentions Bob and a deleted one,
//	AWAY-4 is Bob's and closed, and came by the board's public form,
//	AWAY-5 was deleted and restored.
//
// The board was FAR once, has a column with a limit, and another board, PAST, is archived. Of the runs of migrations,
// 1 is complete and 2 is paused. Everything but AWAY-4 and one comment is published, with a consumer and a webhook.
// Reference codes were minted, loaded and popped, and those from a file are in quarantine.
func Populate(t testing.TB, ctx context.Context, w *app.App, d *db.DB) {
	t.Helper()
	bob := invite(t, ctx, w)
	_, err := w.Workflows.MakeToken(ctx, accounts.TokenDraft{Name: "Nightly report", Scopes: []string{"tickets:read"},
		Days: 30}, nil)
	must(t, err)

	away := furnish(t, ctx, w)
	for _, title := range []string{"Leave", "Leave and return", "Talk", "End", "Vanish and return"} {
		_, err := w.Workflows.OpenTicket(ctx, "AWAY", tickets.Draft{Title: title}, nil)
		must(t, err)
	}
	demo, err := w.Workflows.Board(ctx, "DEMO")
	must(t, err)
	move := func(key tickets.Key, to boards.Board) tickets.Key {
		moved, _, err := w.Workflows.MoveTicket(ctx, key, tickets.Intent{Board: to.Slug, Column: to.Columns[0].ID})
		must(t, err)
		return moved.Ticket.Key
	}
	move(key(1), demo)
	move(move(key(2), demo), away)
	talk(t, ctx, w, d, bob)

	_, err = w.Workflows.SetAssignees(ctx, key(4), []string{"bob"})
	must(t, err)
	_, _, err = w.Workflows.CloseTicket(ctx, key(4))
	must(t, err)
	must(t, w.Workflows.DeleteTicket(ctx, key(5)))
	_, _, err = w.Workflows.RestoreTicket(ctx, key(5))
	must(t, err)
	migrate(t, d)
	failOver(t, d)
	follow(t, d)
	giveOut(t, ctx, d)
	request(t, d)
	_, _, err = apptest.Keys.Encrypt(ctx, d) // the webhook's
	must(t, err)
}

func furnish(t testing.TB, ctx context.Context, w *app.App) boards.Board {
	t.Helper()
	away, err := w.Workflows.OpenBoard(ctx, boards.Draft{Slug: "FAR", Title: "Far from here"}, nil)
	must(t, err)
	slug, limit := "AWAY", 3
	away, err = w.Workflows.RenameBoard(ctx, "FAR", boards.Names{Slug: &slug}, away.Version)
	must(t, err)
	wip := boards.LimitHard
	away, err = w.Workflows.EditColumn(ctx, "AWAY", away.Columns[1].ID, boards.ColumnEdit{WIP: &wip, Limit: &limit}, nil)
	must(t, err)
	_, err = w.Workflows.OpenBoard(ctx, boards.Draft{Slug: "PAST", Title: "Done with"}, nil)
	must(t, err)
	_, err = w.Workflows.ArchiveBoard(ctx, "PAST", true, nil)
	must(t, err)
	return away
}

// invite has Bob join by a link, and Gil as a guest, and leaves unused links behind.
func invite(t testing.TB, ctx context.Context, w *app.App) accounts.Actor {
	t.Helper()
	link, err := w.Workflows.Invite(ctx, accounts.InvitationDraft{Role: accounts.Member, Note: "For Bob", Days: 7,
		Once: true}, nil)
	must(t, err)
	_, err = w.Workflows.Invite(ctx, accounts.InvitationDraft{Role: accounts.Viewer, Days: 30}, nil)
	must(t, err)
	newcomer := workflows.Newcomer{Name: "Bob", Email: "bob@example.com", Password: "correct horse battery"}
	company, err := w.Workflows.JoinNew(ctx, link, newcomer)
	must(t, err)
	account, err := w.Workflows.SignIn(ctx, newcomer.Email, newcomer.Password, workflows.Browser{})
	must(t, err)
	bob, err := w.Workflows.Enter(ctx, company.Slug, account.ID, account.Epoch)
	must(t, err)
	_, err = w.Workflows.MakeReset(ctx, bob.Account.ID, nil)
	must(t, err)
	link, err = w.Workflows.Invite(ctx, accounts.InvitationDraft{Role: accounts.Guest, Days: 7, Once: true}, nil)
	must(t, err)
	_, err = w.Workflows.JoinNew(ctx, link, workflows.Newcomer{Name: "Gil", Email: "gil@example.com",
		Password: "correct horse battery"})
	must(t, err)
	return bob
}

// attach leaves an attachment of AWAY-3 that was deleted long ago, whose file need not be there.
func attach(t testing.TB, d *db.DB) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO stored_file (hash, bytes, content_type, image_type, image_bytes, width, height, created_at, generation)
		 VALUES (UNHEX(SHA2('gone', 256)), 4, 'text/plain', '', 0, 0, 0, '2026-01-01', 7)`,
		`INSERT INTO attachment (company_id, ticket_id, account_id, hash, name, created_at, deleted_at)
		 SELECT b.company_id, t.id, t.created_by, UNHEX(SHA2('gone', 256)), 'Plan “B”.txt', '2026-01-01', '2026-01-02'
		 FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'AWAY' AND t.local_id = 3`,
		`INSERT INTO company_storage (company_id, used) SELECT company_id, 4 FROM attachment WHERE deleted_at = '2026-01-02'
		 ON DUPLICATE KEY UPDATE used = used + 4`,
		`INSERT IGNORE INTO file_place (id, token) VALUES (1, REPEAT('f', 32))`,
	} {
		domaintest.Exec(t, d, statement)
	}
}

func talk(t testing.TB, ctx context.Context, w *app.App, d *db.DB, bob accounts.Actor) {
	t.Helper()
	_, err := w.Workflows.SetAssignees(ctx, key(3), []string{"ana", "bob"})
	must(t, err)
	label(t, ctx, w)
	template(t, ctx, w)
	savedView(t, ctx, w)
	bulkEdit(t, d)
	_, _, err = w.Workflows.Relate(ctx, key(3), tickets.Parent, key(4))
	must(t, err)
	_, _, err = w.Workflows.Relate(ctx, key(3), tickets.Blocks, key(4))
	must(t, err)
	attach(t, d)
	_, err = w.Workflows.Comment(ctx, key(3), "What do you say, @bob?", nil)
	must(t, err)
	as := accounts.WithActor(ctx, bob)
	rash, err := w.Workflows.Comment(as, key(3), "Nothing", nil)
	must(t, err)
	_, err = w.Workflows.DeleteComment(as, key(3), rash.Comment.ID)
	must(t, err)
	_, err = w.Workflows.Comment(as, key(4), "As "+key(3).String()+" says.", nil)
	must(t, err)
	_, err = w.Workflows.Comment(as, key(3), "It is done.", nil)
	must(t, err)
	_, err = w.Workflows.React(as, key(3), rash.Comment.ID-1, 6, true)
	must(t, err)
	_, err = w.Workflows.MuteTicket(as, key(3), true)
	must(t, err)
	away, err := w.Workflows.Board(as, "AWAY")
	must(t, err)
	due := tickets.Day(2030, time.January, 2)
	_, _, err = w.Workflows.SetProperties(ctx, key(3), tickets.PropertyEdit{Due: &due})
	must(t, err)
	daily, err := recurrence.ParsePlan("FREQ=DAILY", "due", "Europe/Berlin")
	must(t, err)
	_, _, err = w.Workflows.SetRecurrence(ctx, key(3), &daily)
	must(t, err)
	_, err = w.Workflows.FoldColumn(as, "AWAY", away.Columns[2].ID, true)
	must(t, err)
}

// label leaves a label that was renamed behind, one that was merged into it, and one of a board that was deleted.
func label(t testing.TB, ctx context.Context, w *app.App) {
	t.Helper()
	made := map[string]labels.Label{}
	for _, draft := range []workflows.LabelDraft{{Name: "fault"}, {Name: "defect", Color: "red"},
		{Name: "idea", Board: "AWAY"}} {
		l, err := w.Workflows.OpenLabel(ctx, draft, nil)
		must(t, err)
		made[l.Name] = l
	}
	_, _, err := w.Workflows.SetLabels(ctx, key(3), []string{"fault", "defect", "idea"})
	must(t, err)
	name := "bug"
	_, err = w.Workflows.EditLabel(ctx, made["fault"].ID, workflows.LabelEdit{Name: &name})
	must(t, err)
	_, err = w.Workflows.MergeLabel(ctx, made["defect"].ID, made["fault"].ID)
	must(t, err)
	_, err = w.Workflows.DeleteLabel(ctx, made["idea"].ID)
	must(t, err)
}

// template leaves a template with a label and an assignee.
func template(t testing.TB, ctx context.Context, w *app.App) {
	t.Helper()
	draft := tickets.Draft{Title: "Crash: ", Description: "What did you do?", Labels: []string{"bug"}, Assignees: []string{"bob"}}
	_, err := w.Workflows.SaveTemplate(ctx, "AWAY", tickets.Template{Name: "Bug report", Draft: draft}, nil)
	must(t, err)
}

// savedView leaves a shared view that is pinned, one of all boards, a pinned board and a visit of the home page.
func savedView(t testing.TB, ctx context.Context, w *app.App) {
	t.Helper()
	_, err := w.Workflows.SaveView(ctx, "AWAY", savedviews.View{Name: "Bugs", Layout: savedviews.AsList, Query: "label:bug sort:due",
		Shared: true, Pinned: true}, nil)
	must(t, err)
	_, err = w.Workflows.SaveView(ctx, workflows.AllBoards, savedviews.View{Name: "All bugs", Layout: savedviews.AsBoard, Query: "label:bug"}, nil)
	must(t, err)
	_, err = w.Workflows.OpenCalendarAddress(ctx, savedviews.OfWork, nil)
	must(t, err)
	_, err = w.Workflows.PinBoard(ctx, "AWAY", true)
	must(t, err)
	_, err = w.Workflows.Home(ctx, nil)
	must(t, err)
	must(t, w.Workflows.EndHomeVisit(ctx))
}

// bulkEdit leaves a bulk edit of two tickets, one of which was refused, and the notice of one member, and one of all boards.
func bulkEdit(t testing.TB, d *db.DB) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO bulk_edit (id, company_id, board_id, account_id, run_id, dry, query, edit, changed, refused, created_at)
		 SELECT 1, company_id, id, 1, 900, FALSE, 'label:“bug”', '{"kind":"priority","priority":"high"}', 1, 1, '2026-01-01' FROM board WHERE slug = 'AWAY'`,
		`INSERT INTO bulk_edit_item (bulk_edit_id, ticket_id, activity_id, outcome, reason, kind, detail)
		 SELECT 1, t.id, IF(t.local_id = 3, 1, 0), IF(t.local_id = 3, 'changed', 'refused'), IF(t.local_id = 3, '', 'It was deleted.'), IF(t.local_id = 3, 'set', ''), '{}'
		 FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'AWAY' AND t.local_id IN (3, 4)`,
		`INSERT INTO bulk_edit_notice (bulk_edit_id, account_id) VALUES (1, 1)`,
		`INSERT INTO bulk_edit (id, company_id, board_id, account_id, run_id, dry, query, edit, created_at)
		 SELECT 2, company_id, NULL, account_id, 901, FALSE, '', '{"kind":"close"}', created_at FROM bulk_edit`,
	} {
		domaintest.Exec(t, d, statement)
	}
}

func key(n uint64) tickets.Key { return tickets.Key{Board: "AWAY", Number: n} }

func must(t testing.TB, err error) {
	t.Helper()
	domaintest.Must(t, err)
}
