package workflows_test

import (
	"context"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
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
	domaintest.Fails(w.TakeOverBoard(adam, board.ID))(t, accounts.CodeRankTooLow)
	domaintest.Fails(w.TakeOverBoard(e.Ctx, board.ID))(t, workflows.CodeBoardIsManaged)
	domaintest.Fails(w.TakeOverBoard(e.Ctx, id.Board(99_999)))(t, boards.CodeNotFound)
}
