package workflows_test

import (
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// A ticket can begin with a template whose assignees left the board, or were deactivated, since.
func TestTemplateOfFormerAssignees(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	board := e.Board(t, "NINJA")
	dan := e.As(t, "dan", accounts.Member)
	e.As(t, "eve", accounts.Member)
	e.As(t, "cyd", accounts.Member)
	saved := domaintest.OK(e.Workflows.SaveTemplate(e.Ctx, "NINJA", tickets.Template{Name: "Bug",
		Draft: tickets.Draft{Title: "Bug", Assignees: []string{"cyd", "dan", "eve"}}}, nil))(t)
	domaintest.OK(e.Console.DeactivateAccount(e.Ctx, accounts.ActorFrom(dan).Account.ID, ""))(t)
	domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, "NINJA", true))(t)
	domaintest.OK(e.Workflows.NameOnBoard(e.Ctx, "NINJA", "cyd", "member"))(t)
	begun := domaintest.OK(e.Workflows.Template(e.Ctx, board, saved.ID))(t)
	if len(begun.Draft.Assignees) != 1 || begun.Draft.Assignees[0] != "cyd" {
		t.Errorf("it begins with %v", begun.Draft.Assignees)
	}
	opened := domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "NINJA", tickets.Draft{Template: saved.ID}, nil))(t)
	if len(opened.Assignees) != 1 {
		t.Errorf("it is assigned to %v", opened.Assignees)
	}
}
