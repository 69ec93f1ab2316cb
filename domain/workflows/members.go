package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// RowsPerPage is the number of rows of a page of members, tokens or audit entries.
const RowsPerPage = 100

// Page returns a page of a list that was read with a limit of MembersPerPage + 1, and whether there are more.
func Page[T any](list []T, err error) ([]T, bool, error) {
	if len(list) > RowsPerPage {
		return list[:RowsPerPage], true, err
	}
	return list, false, err
}

// Companies returns the companies that an account belongs to.
func (w *Workflows) Companies(ctx context.Context, account accounts.ID) ([]accounts.Membership, error) {
	return accounts.CompaniesOf(ctx, w.db.Queries, account)
}

// mayManage returns the caller if it manages its company, or NotManager.
func mayManage(ctx context.Context) (accounts.Actor, error) {
	actor := accounts.ActorFrom(ctx)
	if !actor.Manages() {
		return actor, accounts.NotManager()
	}
	return actor, nil
}

// Members returns a page of the company's members that the caller sees: by account, from above after.
func (w *Workflows) Members(ctx context.Context, after accounts.ID) ([]accounts.CompanyMember, bool, error) {
	return Page(accounts.Members(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight(), after, RowsPerPage+1))
}

// Member returns a member of the company that the caller sees, or MemberNotFound. noReset is why the caller cannot make them a link for a
// new password, nil if it can.
func (w *Workflows) Member(
	ctx context.Context, account accounts.ID,
) (member accounts.CompanyMember, noReset, err error) {
	actor := accounts.ActorFrom(ctx)
	if member, err = accounts.MemberByID(ctx, w.db.Queries, actor.Sight(), account); err != nil {
		return accounts.CompanyMember{}, nil, err
	}
	noReset = accounts.MayReset(ctx, w.db.Queries, actor, member)
	if noReset != nil && !errors.Is(noReset, fault.Forbidden) {
		return accounts.CompanyMember{}, nil, noReset
	}
	return member, noReset, nil
}

// withLockedRole runs fn in a transaction with the caller as a member whose role does not change meanwhile.
func (w *Workflows) withLockedRole(
	ctx context.Context, what string, fn func(tx *db.Tx, actor accounts.Actor) error,
) error {
	caller := accounts.ActorFrom(ctx)
	err := w.db.InTx(ctx, func(tx *db.Tx) error {
		actor, err := accounts.LockRoles(ctx, tx, caller)
		if err != nil {
			return err
		}
		return fn(tx, actor)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// audit adds an action of the caller to the audit list of its company.
func audit(ctx context.Context, tx *db.Tx, actor accounts.Actor, kind string, detail accounts.AuditDetail) error {
	return accounts.Record(ctx, tx, actor.Company.ID, actor.Account.ID, kind, detail)
}

// ChangeRole gives a member another role. It returns MemberNotFound, BadRole, RankTooLow or LastOwner.
func (w *Workflows) ChangeRole(ctx context.Context, account accounts.ID, role string) error {
	var hashes [][]byte
	err := w.withLockedRole(ctx, "change role", func(tx *db.Tx, actor accounts.Actor) error {
		before, err := accounts.ChangeRole(ctx, tx, actor, account, role)
		if err != nil || before.Role == role {
			return err
		}
		if hashes, err = accounts.TokenHashes(ctx, tx, actor.Company.ID, account); err != nil {
			return err
		}
		detail := accounts.AuditDetail{Member: before.Account.NameAndEmail(), Role: role, Was: before.Role}
		return audit(ctx, tx, actor, accounts.AuditRoleChanged, detail)
	})
	if err == nil {
		w.forgetBearers(hashes)
	}
	return err
}

// ForgetTokens drops the tokens of all accounts from the recent reads, after some of them ended.
func (w *Workflows) ForgetTokens() { w.bearers.ForgetAll() }

// forgetBearers drops tokens from the recent reads.
func (w *Workflows) forgetBearers(hashes [][]byte) {
	for _, hash := range hashes {
		w.bearers.Forget(string(hash))
	}
}

// SetHandle gives the caller another handle in the company. It returns accounts.BadHandle or HandleConflict.
func (w *Workflows) SetHandle(ctx context.Context, handle string) error {
	err := w.db.InTx(ctx, func(tx *db.Tx) error {
		return accounts.SetHandle(ctx, tx, accounts.ActorFrom(ctx), handle)
	})
	if err != nil {
		return fmt.Errorf("set handle: %w", err)
	}
	return nil
}

// RemoveMember removes a member, or the caller, from the company: their sessions end, and their tokens of the company.
// Their work stays. It returns MemberNotFound, RankTooLow or LastOwner.
func (w *Workflows) RemoveMember(ctx context.Context, account accounts.ID) (member accounts.CompanyMember, err error) {
	var hashes [][]byte
	err = w.withLockedRole(ctx, "remove from company", func(tx *db.Tx, actor accounts.Actor) error {
		if member, hashes, err = accounts.Remove(ctx, tx, actor, account); err != nil {
			return err
		}
		kind, detail := accounts.AuditRemoved, accounts.AuditDetail{Member: member.Account.NameAndEmail(), Was: member.Role}
		if account == actor.Account.ID {
			kind, detail.Member = accounts.AuditLeft, ""
		}
		return audit(ctx, tx, actor, kind, detail)
	})
	if err != nil {
		return accounts.CompanyMember{}, err
	}
	w.forgetBearers(hashes)
	return member, nil
}

// SetOperator makes a member an operator, or no longer. It returns NotOperator, MemberNotFound or LastOperator.
func (w *Workflows) SetOperator(ctx context.Context, account accounts.ID, operator bool) error {
	actor := accounts.ActorFrom(ctx)
	err := w.db.InTx(ctx, func(tx *db.Tx) error {
		if _, err := accounts.MemberByID(ctx, tx.Queries, actor.Sight(), account); err != nil {
			return err
		}
		before, err := accounts.SetOperator(ctx, tx, actor, account, operator)
		if err != nil || before.Operator == operator {
			return err
		}
		kind := accounts.AuditOperatorWithdrawn
		if operator {
			kind = accounts.AuditOperatorGranted
		}
		detail := accounts.AuditDetail{Member: before.NameAndEmail()}
		if err := accounts.RecordAbout(ctx, tx, actor.Account.ID, account, kind, detail); err != nil {
			return err
		}
		return accounts.RecordInstance(ctx, tx, actor.Account.ID, kind, detail)
	})
	if err != nil {
		return fmt.Errorf("set operator: %w", err)
	}
	w.bearers.ForgetAll() // theirs are of several companies
	return nil
}

// RenameCompany gives the company another name. It returns NotManager or BadName.
func (w *Workflows) RenameCompany(ctx context.Context, name string) error {
	if _, err := mayManage(ctx); err != nil {
		return err
	}
	return w.withLockedRole(ctx, "rename company", func(tx *db.Tx, actor accounts.Actor) error {
		if !actor.Manages() { // any more
			return accounts.NotManager()
		}
		named, err := accounts.RenameCompany(ctx, tx, actor.Company.ID, name)
		if err != nil || named == actor.Company.Name {
			return err
		}
		detail := accounts.AuditDetail{Name: named, Was: actor.Company.Name}
		return audit(ctx, tx, actor, accounts.AuditCompanyRenamed, detail)
	})
}

// Audit returns a page of the company's audit list, the newest first: from below before, or from the newest if it is 0.
// It returns MissingScope or NotManager.
func (w *Workflows) Audit(ctx context.Context, before id.Audit) ([]accounts.AuditEntry, bool, error) {
	if _, err := MayRead(ctx, accounts.ReadAudit); err != nil {
		return nil, false, err
	}
	actor, err := mayManage(ctx)
	if err != nil {
		return nil, false, err
	}
	return Page(accounts.Audit(ctx, w.db.Queries, actor.Company.ID, before, RowsPerPage+1))
}
