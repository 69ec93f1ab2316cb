package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
)

// SignIn returns the account with that address and password, or WrongPassword.
func (w *Workflows) SignIn(ctx context.Context, email, password string) (accounts.Account, error) {
	return accounts.ByPassword(ctx, w.db.Queries, email, password)
}

// Companies returns the companies that an account belongs to.
func (w *Workflows) Companies(ctx context.Context, account accounts.ID) ([]accounts.Membership, error) {
	return accounts.CompaniesOf(ctx, w.db.Queries, account)
}

// Account returns an account, or NotMember where there is none any more.
func (w *Workflows) Account(ctx context.Context, account accounts.ID) (accounts.Account, error) {
	return accounts.ByID(ctx, w.db.Queries, account)
}

// Enter returns the account as an actor in the company with that slug, or NotMember.
func (w *Workflows) Enter(ctx context.Context, company string, account accounts.ID) (accounts.Actor, error) {
	return accounts.InCompany(ctx, w.db.Queries, company, account)
}

// OpenToken makes an API token with every scope for a member, whoever runs the program. It returns
// NotMember where the address is nobody's in that company.
func (w *Workflows) OpenToken(ctx context.Context, company, email string) (token string, err error) {
	account, err := accounts.ByEmail(ctx, w.db.Queries, email)
	if err != nil {
		return "", err
	}
	actor, err := w.Enter(ctx, company, account.ID)
	if err != nil {
		return "", err
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		token, err = accounts.OpenToken(ctx, tx, actor.Company.ID, actor.Account.ID, "command line", accounts.Scopes)
		return err
	})
	return token, err
}

// Bearer returns who an API token speaks for, as it was at most a second ago, or BadToken.
func (w *Workflows) Bearer(ctx context.Context, token string) (accounts.Actor, error) {
	return w.bearers.get(string(accounts.HashToken(token)), func() (accounts.Actor, error) {
		return accounts.ByToken(ctx, w.db.Queries, token)
	})
}
