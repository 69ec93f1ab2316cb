package db

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/id"
)

// RefreshAccessTo makes board_access of a board what board_member comes to. The caller holds the lock of its company.
func (q *Queries) RefreshAccessTo(ctx context.Context, board id.Board) error {
	if err := q.ClearAccessTo(ctx, board); err != nil {
		return err
	}
	return q.FillAccessTo(ctx, FillAccessToParams{BoardID: board})
}

// RefreshAccessOf is RefreshAccessTo for an account on all boards of a company.
func (q *Queries) RefreshAccessOf(ctx context.Context, company id.Company, account id.Account) error {
	if err := q.ClearAccessOf(ctx, account, company); err != nil {
		return err
	}
	return q.FillAccessOf(ctx, FillAccessOfParams{AccountID: account, MemberID: uint64(account), CompanyID: company})
}
