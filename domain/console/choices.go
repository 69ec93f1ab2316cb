package console

import (
	"context"
	"errors"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// MostChoices is the length of the longest list that a form offers as a choice. Of a longer one, so many are
// suggestions.
const MostChoices = 200

// Choices are what the parameters of a run can refer to, as far as the caller sees it as a member: an operator is in no
// company for that alone. A list of more than MostChoices ends there.
type Choices struct {
	Companies []accounts.Membership
	Boards    []boards.Board           // of the chosen company, without archived ones
	Members   []accounts.CompanyMember // of it, who may write
	// MoreCompanies, MoreBoards and MoreMembers say that a list is not whole.
	MoreCompanies, MoreBoards, MoreMembers bool
}

// Choices returns what the parameters of a run can refer to once a company is chosen, which may be "".
func (c *Console) Choices(ctx context.Context, company string) (Choices, error) {
	return ask(ctx, func(actor) (Choices, error) { return c.choices(ctx, company) })
}

func (c *Console) choices(ctx context.Context, company string) (list Choices, err error) {
	caller := accounts.ActorFrom(ctx).Account.ID
	if list.Companies, err = accounts.CompaniesOf(ctx, c.db.Queries, caller); err != nil {
		return list, err
	}
	list.MoreCompanies = len(list.Companies) >= MostChoices // no more are read
	in, err := accounts.InCompany(ctx, c.db.Queries, company, caller)
	if errors.Is(err, accounts.CodeNotMember) {
		return list, nil
	}
	if err != nil {
		return list, err
	}
	of, err := boards.Of(ctx, c.db.Queries, in.Sight())
	if err != nil {
		return list, err
	}
	for _, board := range of {
		if !board.Archived() {
			list.Boards = append(list.Boards, board)
		}
	}
	list.Boards, list.MoreBoards = most(list.Boards)
	members, err := accounts.Members(ctx, c.db.Queries, in.Sight(), 0, MostChoices+1)
	if err != nil {
		return list, err
	}
	members, list.MoreMembers = most(members)
	for _, member := range members {
		if member.Writes() {
			list.Members = append(list.Members, member)
		}
	}
	return list, nil
}

func most[T any](list []T) ([]T, bool) {
	return list[:min(len(list), MostChoices)], len(list) > MostChoices
}

// BoardOfRun returns the board that a run's parameters name and its company's slug. ok is false if they name none, or
// one that the caller does not see as a member.
func (c *Console) BoardOfRun(
	ctx context.Context, run migrations.Run,
) (board boards.Board, company string, ok bool, err error) {
	if _, err := workflows.Operator(ctx); err != nil {
		return boards.Board{}, "", false, err
	}
	if run.Values["company"] == "" || run.Values["board"] == "" {
		return boards.Board{}, "", false, nil
	}
	in, err := accounts.InCompany(ctx, c.db.Queries, run.Values["company"], accounts.ActorFrom(ctx).Account.ID)
	if err == nil {
		board, err = boards.BySlug(ctx, c.db.Queries, in.Sight(), run.Values["board"])
	}
	if errors.Is(err, accounts.CodeNotMember) || errors.Is(err, fault.NotFound) {
		return boards.Board{}, "", false, nil
	}
	return board, in.Company.Slug, err == nil, err
}
