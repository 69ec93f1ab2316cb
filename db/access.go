package db

import (
	"context"
	"slices"

	"github.com/counterfoil/counterfoil/domain/id"
)

// RefreshAccessTo makes board_access of a board what board_member comes to, and publishes the changes of sight. The
// caller holds the lock of its company.
func (tx *Tx) RefreshAccessTo(ctx context.Context, board id.Board) error {
	named := func() ([]id.Account, error) { return tx.ReadersNamed(ctx, board) } // what else a reader sees stays
	return tx.publishSightOf(ctx, board, named, func() error {
		if err := tx.ClearAccessTo(ctx, board); err != nil {
			return err
		}
		return tx.FillAccessTo(ctx, FillAccessToParams{BoardID: board})
	})
}

// RefreshAccessOf is RefreshAccessTo for an account on all boards of a company.
func (tx *Tx) RefreshAccessOf(ctx context.Context, company id.Company, account id.Account) error {
	named := func() ([]id.Board, error) { return tx.BoardsNamingReader(ctx, company, account) }
	return tx.publishSightBy(ctx, account, named, func() error {
		if err := tx.ClearAccessOf(ctx, account, company); err != nil {
			return err
		}
		return tx.FillAccessOf(ctx, FillAccessOfParams{AccountID: account, MemberID: uint64(account), CompanyID: company})
	})
}

// PublishSightOf makes a change, and publishes to the readers of feeds who gained or lost the sight of a board by it.
func (tx *Tx) PublishSightOf(ctx context.Context, board id.Board, change func() error) error {
	readers := func() ([]id.Account, error) {
		members, err := tx.ReadersThatSee(ctx, board)
		if err != nil {
			return nil, err
		}
		services, err := tx.ServicesThatSee(ctx, board)
		return append(members, services...), err
	}
	return tx.publishSightOf(ctx, board, readers, change)
}

func (tx *Tx) publishSightOf(
	ctx context.Context, board id.Board, readers func() ([]id.Account, error), change func() error,
) error {
	before, err := readers()
	if err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	after, err := readers()
	if err != nil {
		return err
	}
	changes := make([]sightChange, 0, len(before))
	for _, account := range differences(before, after) {
		changes = append(changes, sightChange{board, account})
	}
	return tx.publishSight(ctx, changes)
}

// PublishSightBy makes a change, and publishes which boards of a company an account that reads feeds gained or lost the
// sight of by it.
func (tx *Tx) PublishSightBy(ctx context.Context, company id.Company, account id.Account, change func() error) error {
	seen := func() ([]id.Board, error) { return tx.BoardsSeenByReader(ctx, company, account) }
	return tx.publishSightBy(ctx, account, seen, change)
}

func (tx *Tx) publishSightBy(
	ctx context.Context, account id.Account, boards func() ([]id.Board, error), change func() error,
) error {
	before, err := boards()
	if err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	after, err := boards()
	if err != nil {
		return err
	}
	changes := make([]sightChange, 0, len(before))
	for _, board := range differences(before, after) {
		changes = append(changes, sightChange{board, account})
	}
	return tx.publishSight(ctx, changes)
}

// PublishSightWithoutAccount publishes a change of a board's sight to readers that have no account: webhooks.
func (tx *Tx) PublishSightWithoutAccount(ctx context.Context, board id.Board) error {
	return tx.publishSight(ctx, []sightChange{{board, 0}})
}

// differences returns what is in one of two lists only, in ascending order.
func differences[ID ~uint64](a, b []ID) (list []ID) {
	for _, pair := range [][2][]ID{{a, b}, {b, a}} {
		in := make(map[ID]bool, len(pair[1]))
		for _, one := range pair[1] {
			in[one] = true
		}
		for _, one := range pair[0] {
			if !in[one] {
				list = append(list, one)
			}
		}
	}
	slices.Sort(list)
	return list
}
