package workflows_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

func TestBoardMembers(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Board(t, "NINJA")
	adam, ben, vera := e.As(t, "Adam", accounts.Admin), e.As(t, "Ben", accounts.Member), e.As(t, "Vera", accounts.Viewer)
	w := e.Workflows
	for _, ctx := range []context.Context{ben, vera} {
		if _, err := w.SetBoardPrivacy(ctx, "NINJA", true); err == nil {
			t.Error("a member or viewer of the company made an open board private")
		}
		domaintest.Fails(w.OpenGroup(ctx, "Pilots", nil))(t, accounts.CodeNotManager)
		domaintest.Fails(w.PrivateBoards(ctx))(t, accounts.CodeNotManager)
	}
	group := domaintest.OK(w.OpenGroup(adam, "Pilots", nil))(t)
	domaintest.OK(w.SetBoardPrivacy(e.Ctx, "NINJA", true))(t)
	sees := func(ctx context.Context, want bool) {
		t.Helper()
		_, _, _, err := w.BoardMembers(ctx, "NINJA")
		if want {
			domaintest.Must(t, err)
			return
		}
		domaintest.Is(t, err, boards.CodeNotFound)
	}
	sees(e.Ctx, true)
	sees(adam, false)
	sees(ben, false)

	domaintest.Fails(w.NameOnBoard(e.Ctx, "NINJA", "nobody", "viewer"))(t, workflows.CodeUnknownName)
	domaintest.Fails(w.NameOnBoard(adam, "NINJA", "ben", "viewer"))(t, boards.CodeNotFound)
	domaintest.OK(w.NameOnBoard(e.Ctx, "NINJA", "pilots", "member"))(t)
	domaintest.Must(t, w.AddToGroup(adam, group.ID, "@ben"))
	domaintest.Is(t, w.AddToGroup(adam, group.ID, "pilots"), workflows.CodeUnknownHandle)
	domaintest.Is(t, w.AddToGroup(ben, group.ID, "vera"), accounts.CodeNotManager)
	sees(ben, true)
	domaintest.Must(t, w.DropFromGroup(adam, group.ID, accounts.ActorFrom(ben).Account.ID))
	sees(ben, false)
	domaintest.Must(t, w.AddToGroup(adam, group.ID, "ben"))
	sees(ben, true)
	domaintest.OK(w.DeleteGroup(adam, group.ID))(t)
	sees(ben, false)

	domaintest.OK(w.NameOnBoard(e.Ctx, "NINJA", "@ben", "member"))(t)
	sees(ben, true)
	domaintest.Fails(w.NameOnBoard(ben, "NINJA", "vera", "viewer"))(t, boards.CodeNotManager)
	owner := uint64(accounts.ActorFrom(e.Ctx).Account.ID)
	domaintest.Fails(w.DropFromBoard(e.Ctx, "NINJA", boards.KindAccount, owner))(t, boards.CodeLastAdmin)
	domaintest.Fails(w.SetBoardRole(e.Ctx, "NINJA", boards.KindAccount, owner, "viewer"))(t, boards.CodeLastAdmin)

	board := domaintest.OK(w.PrivateBoards(adam))(t)[0]
	domaintest.Fails(w.TakeOverBoard(adam, board.ID))(t, workflows.CodeOnlyOwnersTakeOver)
	domaintest.Fails(w.TakeOverBoard(e.Ctx, board.ID))(t, workflows.CodeBoardIsManaged)
	domaintest.Fails(w.TakeOverBoard(e.Ctx, id.Board(99_999)))(t, boards.CodeNotFound)
}

// A run publishes a board again when it is opened, since its readers were never told of its rows. When it becomes private,
// and when members come and go, each reader whom that concerns is told in one row.
func TestOnlyAnOpenedBoardIsPublishedAgain(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Board(t, "NINJA")
	ben := e.As(t, "Ben", accounts.Member)
	for n := range 20 {
		domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "NINJA", tickets.Draft{Title: fmt.Sprint(n)}, nil))(t)
	}
	e.Publish(t)
	domaintest.OK(e.Workflows.FeedPage(ben, "", workflows.FeedQuery{Feed: "tickets", Limit: 1}))(t) // a reader
	e.Publish(t)
	moved := func(what string, rows int, do func()) {
		t.Helper()
		before := e.Count(t, "SELECT value FROM sequences WHERE name = 'tickets' AND epoch > 0")
		do()
		e.Publish(t)
		if n := e.Count(t, "SELECT value FROM sequences WHERE name = 'tickets' AND epoch > 0") - before; n > rows {
			t.Errorf("%s publishes %d rows", what, n)
		}
	}
	runs := func(want int) {
		t.Helper()
		e.Counts(t, want, "SELECT COUNT(*) FROM migration_run WHERE name = ?", workflows.RepublishName)
	}
	moved("a board that becomes private", 2, func() { domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, "NINJA", true))(t) })
	moved("a member who is named", 1, func() { domaintest.OK(e.Workflows.NameOnBoard(e.Ctx, "NINJA", "@ben", "viewer"))(t) })
	moved("one who is removed", 1, func() {
		domaintest.OK(e.Workflows.DropFromBoard(e.Ctx, "NINJA", boards.KindAccount, uint64(accounts.ActorFrom(ben).Account.ID)))(t)
	})
	runs(0)
	domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, "NINJA", false))(t)
	runs(1)
	domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, "NINJA", false))(t)
	runs(1)
}

// What a board names may be a group of thousands: one transaction tells a thousand of them.
func TestTakeOverNotifies(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Board(t, "NINJA")
	ben, vera := e.As(t, "Ben", accounts.Member), e.As(t, "Vera", accounts.Viewer)
	group := domaintest.OK(e.Workflows.OpenGroup(e.Ctx, "Pilots", nil))(t)
	domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, "NINJA", true))(t)
	domaintest.OK(e.Workflows.NameOnBoard(e.Ctx, "NINJA", "@ben", "member"))(t)
	domaintest.OK(e.Workflows.NameOnBoard(e.Ctx, "NINJA", "Pilots", "viewer"))(t)
	domaintest.Must(t, e.Workflows.AddToGroup(e.Ctx, group.ID, "@vera"))
	board := domaintest.OK(e.Workflows.PrivateBoards(e.Ctx))(t)[0].ID
	abandon := func() {
		t.Helper()
		e.Exec(t, "DELETE FROM board_member WHERE board_id = ? AND level = 3", uint64(board))
		e.Exec(t, "DELETE FROM board_access WHERE board_id = ? AND level = 3", uint64(board))
	}
	abandon()
	domaintest.OK(e.Workflows.TakeOverBoard(e.Ctx, board))(t)
	for _, reader := range []context.Context{ben, vera} {
		list, _, err := e.Workflows.Inbox(reader, 0)
		domaintest.Must(t, err)
		if len(list) != 1 || list[0].Why != tickets.ReasonTaken || list[0].Key.Board != "NINJA" || list[0].New != 1 {
			t.Errorf("%+v", list)
		}
		if n := domaintest.OK(e.Workflows.Unread(reader))(t); n != 1 {
			t.Errorf("%d unread", n)
		}
	}
	e.Counts(t, 2, "SELECT COUNT(*) FROM notification WHERE kind = ?", tickets.ReasonTaken)
	e.Sound(t)

	abandon()
	const digit = "(SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 " +
		"UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"
	e.Exec(t, "INSERT INTO account (email, name, password_hash, created_at) SELECT CONCAT('n', a.n, b.n, c.n, d.n, '@example.com'), 'N', '', NOW(6) FROM "+
		digit+" a, "+digit+" b, "+digit+" c, (SELECT 0 AS n UNION ALL SELECT 1) d")
	e.Exec(t, `INSERT INTO membership (company_id, account_id, role, handle, created_at)
		SELECT 1, id, 'member', CONCAT('n', id), NOW(6) FROM account WHERE email LIKE 'n%@example.com'`)
	e.Exec(t, "INSERT INTO people_group_member (group_id, account_id) SELECT ?, id FROM account WHERE email LIKE 'n%@example.com'",
		uint64(group.ID))
	e.Exec(t, "DELETE FROM notification")
	domaintest.OK(e.Workflows.TakeOverBoard(e.Ctx, board))(t)
	e.Counts(t, 1000, "SELECT COUNT(*) FROM notification")
}

// No right outlives a group, however many boards name it.
func TestDeleteGroupOfManyBoards(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ben := e.As(t, "Ben", accounts.Member)
	group := domaintest.OK(e.Workflows.OpenGroup(e.Ctx, "Pilots", nil))(t)
	domaintest.Must(t, e.Workflows.AddToGroup(e.Ctx, group.ID, "@ben"))
	e.Exec(t, `INSERT INTO board (company_id, slug, title, created_at, updated_at, privacy)
		WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 32)
		SELECT 1, CONCAT('A', a.i, 'B', b.i), 'x', NOW(6), NOW(6), 1 FROM n a JOIN n b`)
	e.Exec(t, "INSERT INTO board_member (board_id, kind, member_id, level) SELECT id, 'group', ?, 3 FROM board WHERE slug LIKE 'A%'",
		uint64(group.ID))
	e.Exec(t, "INSERT INTO board_access (board_id, account_id, level) SELECT id, ?, 3 FROM board WHERE slug LIKE 'A%'",
		uint64(accounts.ActorFrom(ben).Account.ID))
	domaintest.OK(e.Workflows.DeleteGroup(e.Ctx, group.ID))(t)
	e.Counts(t, 0, "SELECT COUNT(*) FROM board_member")
	e.Counts(t, 0, "SELECT COUNT(*) FROM board_access")
}

// Who else is in the company does not matter to a change of who is named on a board.
func TestNamingReadsNoOtherMembers(t *testing.T) {
	t.Parallel()
	d, watch := dbtest.NewWatched(t)
	e := &env{apptest.On(t, d)}
	e.Board(t, "NINJA")
	e.As(t, "Ben", accounts.Member)
	watch.Take()
	domaintest.OK(e.Workflows.NameOnBoard(e.Ctx, "NINJA", "@ben", "viewer"))(t)
	group := domaintest.OK(e.Workflows.OpenGroup(e.Ctx, "Pilots", nil))(t)
	domaintest.Must(t, e.Workflows.AddToGroup(e.Ctx, group.ID, "@ben"))
	sent, _ := watch.Take()
	for _, statement := range sent {
		if strings.Contains(statement, "name: ReadersThatSee ") || strings.Contains(statement, "name: BoardsSeenByReader ") {
			t.Error(statement)
		}
	}
	if len(sent) == 0 {
		t.Error("nothing was sent")
	}
}

func TestARevokedInvitationLetsNobodyIn(t *testing.T) {
	t.Parallel()
	d, watch := dbtest.NewWatched(t)
	e := &env{apptest.On(t, d)}
	sam := accounts.ActorFrom(e.As(t, "Sam", accounts.Member)).Account
	domaintest.OK(e.Workflows.RemoveMember(e.Ctx, sam.ID))(t)
	secret := domaintest.OK(e.Workflows.Invite(e.Ctx,
		accounts.InvitationDraft{Role: accounts.Member, Days: 7, Once: true}, nil))(t)
	email := domaintest.OK(accounts.ByID(e.Ctx, e.DB.Queries, sam.ID))(t).Email
	domaintest.OK(e.Workflows.JoinNew(e.Ctx, secret,
		workflows.Newcomer{Name: "Sam", Email: email, Password: "not that of Sam"}))(t)
	watch.Before(func(_ context.Context, statement string) error {
		if strings.Contains(statement, "name: TakeReservation ") {
			e.Exec(t, "UPDATE invitation SET revoked_at = NOW(6)") // after it was read
		}
		return nil
	})
	domaintest.Fails(e.Workflows.JoinAs(e.Ctx, secret, sam.ID))(t, accounts.CodeLinkGone)
	e.Counts(t, 0, "SELECT COUNT(*) FROM membership WHERE account_id = ?", uint64(sam.ID))
}

// A ticket that is moved from one hidden board to another is nothing to a reader: not even its number is told.
func TestMovesBetweenHiddenBoards(t *testing.T) {
	t.Parallel()
	d, watch := dbtest.NewWatched(t)
	e := &env{apptest.On(t, d)}
	ben := e.As(t, "Ben", accounts.Member)
	for _, slug := range []string{"HIDE", "DEEP"} {
		e.Board(t, slug)
		domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, slug, true))(t)
	}
	key := domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "HIDE", tickets.Draft{Title: "x"}, nil))(t).Key
	e.Publish(t)
	start := domaintest.OK(e.Workflows.FeedPage(ben, "", workflows.FeedQuery{Feed: "tickets", Limit: 1000}))(t).Cursor.String()
	deep := domaintest.OK(e.Workflows.Board(e.Ctx, "DEEP"))(t)
	_, _, err := e.Workflows.MoveTicket(e.Ctx, key, tickets.Intent{Board: "DEEP", Column: deep.Columns[0].ID, AtEnd: true})
	domaintest.Must(t, err)
	e.Publish(t)
	told := func() int {
		page := domaintest.OK(e.Workflows.FeedPage(ben, "", workflows.FeedQuery{Feed: "tickets", Cursor: start, Limit: 1000}))(t)
		return len(page.Items)
	}
	if n := told(); n != 0 {
		t.Errorf("a reader of neither board is told of %d tickets", n)
	}
	watch.Rewrite(func(statement string) string {
		if strings.Contains(statement, "-- name: OldBoardsSeen ") {
			return withoutSight(statement)
		}
		return statement
	})
	if n := told(); n == 0 {
		t.Error("without the join of OldBoardsSeen the reader is told no more, so this proves nothing")
	}
}
