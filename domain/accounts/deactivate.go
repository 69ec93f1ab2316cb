package accounts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// Deactivate ends whatever an account can do, until Reactivate: it signs in nowhere, its sessions, tokens, invitations
// and links for passwords end, its rights as an operator too, and its companies neither assign nor mention it. It returns
// the account as it was and its companies; or NotMember, OwnAccount, LastOperator, or OnlyOwner of a company.
func Deactivate(ctx context.Context, tx *db.Tx, by Actor, account ID) (Account, []Membership, error) {
	before, companies, err := lockEverywhere(ctx, tx, account)
	switch {
	case err != nil:
		return before, nil, err
	case before.ID == by.Account.ID:
		return before, nil, OwnAccount()
	case before.Deactivated:
		return before, companies, nil
	case before.Operator:
		if err := withdrawOperator(ctx, tx, account); err != nil {
			return before, nil, err
		}
	}
	for _, m := range companies {
		if m.Role == Owner && keepsOwner(ctx, tx, m.Company.ID) != nil {
			return before, nil, OnlyOwner(before.Name, m.Company.Name)
		}
		if err := endLinksBy(ctx, tx, m.Company.ID, account); err != nil {
			return before, nil, err
		}
	}
	if err := setDeactivated(ctx, tx, account, true); err != nil {
		return before, nil, err
	}
	if err := EndTokens(ctx, tx, account); err != nil {
		return before, nil, err
	}
	return before, companies, EndSessions(ctx, tx, account)
}

// Reactivate lets an account sign in again, and its companies assign and mention it. What Deactivate ended stays so. It
// returns the account as it was, or NotMember.
func Reactivate(ctx context.Context, tx *db.Tx, account ID) (Account, error) {
	before, _, err := lockEverywhere(ctx, tx, account)
	if err != nil || !before.Deactivated {
		return before, err
	}
	return before, setDeactivated(ctx, tx, account, false)
}

// lockEverywhere serialises changes of operators and of roles in all companies of an account until the transaction ends,
// and returns the account with its companies, or NotMember.
func lockEverywhere(ctx context.Context, tx *db.Tx, account ID) (Account, []Membership, error) {
	if err := tx.LockInstallation(ctx); err != nil {
		return Account{}, nil, fmt.Errorf("lock installation: %w", err)
	}
	companies, err := CompaniesOf(ctx, tx.Queries, account)
	if err != nil {
		return Account{}, nil, err
	}
	slices.SortFunc(companies, func(a, b Membership) int { return cmp.Compare(a.Company.ID, b.Company.ID) })
	for _, m := range companies {
		if err := tx.LockCompany(ctx, m.Company.ID); err != nil {
			return Account{}, nil, fmt.Errorf("lock company: %w", err)
		}
	}
	if companies, err = CompaniesOf(ctx, tx.Queries, account); err != nil { // as they are under the locks
		return Account{}, nil, err
	}
	found, err := ByID(ctx, tx.Queries, account)
	if err == nil && !found.IsUser() {
		err = NotMember()
	}
	return found, companies, err
}

func setDeactivated(ctx context.Context, tx *db.Tx, account ID, deactivated bool) error {
	var at *time.Time
	if deactivated {
		at = &tx.Now
	}
	if err := tx.SetDeactivated(ctx, at, account); err != nil {
		return fmt.Errorf("set deactivated: %w", err)
	}
	if err := tx.SetInactive(ctx, deactivated, account); err != nil {
		return fmt.Errorf("set inactive: %w", err)
	}
	return nil
}

// withdrawOperator makes an operator one no longer, or returns LastOperator. The caller holds LockInstallation.
func withdrawOperator(ctx context.Context, tx *db.Tx, account ID) error {
	operators, err := tx.FirstOperators(ctx)
	if err != nil {
		return fmt.Errorf("read operators: %w", err)
	}
	if len(operators) < 2 {
		return LastOperator()
	}
	if err := tx.SetOperator(ctx, false, account); err != nil {
		return fmt.Errorf("set operator: %w", err)
	}
	return nil
}

// SetEmail gives an account another address, with which its user signs in from then on, and ends its links for
// passwords. It returns BadEmail or EmailConflict.
func SetEmail(ctx context.Context, tx *db.Tx, account ID, email string) (string, error) {
	email, err := ParseEmail(email)
	if err != nil {
		return "", err
	}
	err = tx.SetEmail(ctx, email, account)
	if db.IsDuplicate(err, "uq_account_email") {
		return "", EmailConflict()
	}
	if err != nil {
		return "", fmt.Errorf("set address: %w", err)
	}
	return email, EndResets(ctx, tx, account)
}
