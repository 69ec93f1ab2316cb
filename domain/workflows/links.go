package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Invite makes a link to join the company and returns its secret. It returns RankTooLow, BadRole,
// BadNote, BadDays or TooManyInvitations, and with once Replay.
func (w *Workflows) Invite(
	ctx context.Context, draft accounts.InvitationDraft, once *Once[string],
) (secret string, err error) {
	if _, err := mayManage(ctx); err != nil {
		return "", err
	}
	return DoOnce(ctx, w, once, func() (secret string, err error) {
		err = w.withLockedRole(ctx, "invite", func(tx *db.Tx, actor accounts.Actor) error {
			if secret, err = accounts.Invite(ctx, tx, actor, draft); err != nil {
				return err
			}
			detail := accounts.AuditDetail{Role: draft.Role, Name: draft.Note}
			if err := audit(ctx, tx, actor, accounts.AuditInvited, detail); err != nil {
				return err
			}
			return StoreResponses(ctx, tx, once.Row(tx, secret))
		})
		return secret, err
	})
}

// Invitations returns the invitations that can be used to join the company. It returns NotManager.
func (w *Workflows) Invitations(ctx context.Context) ([]accounts.Invitation, error) {
	actor, err := mayManage(ctx)
	if err != nil {
		return nil, err
	}
	return accounts.Invitations(ctx, w.db.Queries, actor.Company.ID, w.db.Now())
}

// RevokeInvitation ends an invitation. It returns NotManager or LinkGone.
func (w *Workflows) RevokeInvitation(ctx context.Context, invitation id.Invitation) error {
	return w.withLockedRole(ctx, "revoke invitation", func(tx *db.Tx, actor accounts.Actor) error {
		if !actor.Manages() {
			return accounts.NotManager()
		}
		revoked, err := accounts.RevokeInvitation(ctx, tx, actor, invitation)
		if err != nil {
			return err
		}
		detail := accounts.AuditDetail{Role: revoked.Role, Name: revoked.Note}
		return audit(ctx, tx, actor, accounts.AuditInvitationRevoked, detail)
	})
}

// Invitation returns the invitation with a secret for an account, 0 for a stranger, or LinkGone.
func (w *Workflows) Invitation(
	ctx context.Context, secret string, account accounts.ID,
) (accounts.Invitation, error) {
	return accounts.ByInvitation(ctx, w.db.Queries, secret, account, w.db.Now())
}

// Newcomer is a user without an account.
type Newcomer struct{ Name, Email, Password string }

// JoinNew makes an account and with it a member of the invitation's company. If the address has an account, that takes
// a use of the invitation, and joins by JoinAs once it signs in: the caller cannot tell the difference, in the result,
// in what is left of the invitation, or in time. It returns LinkGone, BadName, BadEmail, BadPassword, OtherAddress or
// TooManyJoins.
func (w *Workflows) JoinNew(ctx context.Context, secret string, in Newcomer) (accounts.Company, error) {
	invitation, err := w.Invitation(ctx, secret, 0)
	if err != nil {
		return accounts.Company{}, err // before any work is done for strangers
	}
	if err := accounts.CheckAccount(in.Name, in.Email, in.Password, invitation.Company); err != nil {
		return accounts.Company{}, err
	}
	if err := w.countJoin(ctx, secret); err != nil {
		return accounts.Company{}, err
	}
	if err := invitation.For(in.Email); err != nil { // counted: whoever has the link may guess whose it is
		return accounts.Company{}, err
	}
	hash, err := accounts.HashPassword(in.Password, w.passwordCost)
	if err != nil {
		return accounts.Company{}, err
	}
	_, err = w.join(ctx, secret, 0, func(tx *db.Tx) (accounts.Account, error) {
		return accounts.Open(ctx, tx, accounts.Draft{Name: in.Name, Email: in.Email, PasswordHash: hash})
	})
	if errors.Is(err, accounts.CodeEmailConflict) {
		err = w.db.InTx(ctx, func(tx *db.Tx) error { return accounts.Reserve(ctx, tx, invitation, in.Email) })
	}
	return invitation.Company, err
}

func (w *Workflows) countJoin(ctx context.Context, secret string) error {
	return w.db.InTx(ctx, func(tx *db.Tx) error {
		return accounts.CountJoin(ctx, tx, secret, accounts.AddressFrom(ctx))
	})
}

// JoinAs makes an account a member of the invitation's company. It returns LinkGone, AlreadyMember, OtherAddress or
// TooManyJoins.
func (w *Workflows) JoinAs(ctx context.Context, secret string, account accounts.ID) (accounts.Actor, error) {
	if _, err := w.Invitation(ctx, secret, account); err != nil {
		return accounts.Actor{}, err
	}
	if err := w.countJoin(ctx, secret); err != nil {
		return accounts.Actor{}, err
	}
	return w.join(ctx, secret, account, func(tx *db.Tx) (accounts.Account, error) {
		return accounts.ByID(ctx, tx.Queries, account)
	})
}

// join makes an account a member: one that is there, or 0 for a new one.
func (w *Workflows) join(
	ctx context.Context, secret string, known accounts.ID, account func(*db.Tx) (accounts.Account, error),
) (actor accounts.Actor, err error) {
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		invitation, err := accounts.ByInvitation(ctx, tx.Queries, secret, known, tx.Now)
		if err != nil {
			return err
		}
		account, err := account(tx)
		if err != nil {
			return err
		}
		if actor, err = accounts.Accept(ctx, tx, invitation, account); err != nil {
			return err
		}
		return audit(ctx, tx, actor, accounts.AuditJoined, accounts.AuditDetail{Role: actor.Role})
	})
	if err != nil {
		return accounts.Actor{}, fmt.Errorf("join: %w", err)
	}
	return actor, nil
}

// MakeReset makes a link for a new password of a member and returns its secret. It returns MemberNotFound, or why the
// caller may not.
func (w *Workflows) MakeReset(
	ctx context.Context, account accounts.ID, once *Once[string],
) (secret string, err error) {
	return DoOnce(ctx, w, once, func() (secret string, err error) {
		err = w.withLockedRole(ctx, "make a link for a new password", func(tx *db.Tx, actor accounts.Actor) error {
			member, err := accounts.MemberByID(ctx, tx.Queries, actor.Sight(), account)
			if err != nil {
				return err
			}
			if err := accounts.MayReset(ctx, tx.Queries, actor, member); err != nil {
				return err
			}
			if secret, err = accounts.OpenReset(ctx, tx, actor.Company.ID, account, actor.Account.ID); err != nil {
				return err
			}
			detail := accounts.AuditDetail{Member: member.Account.NameAndEmail()}
			if err := audit(ctx, tx, actor, accounts.AuditResetMade, detail); err != nil {
				return err
			}
			if err := tickets.GiveNoticeIn(ctx, tx, actor.Company.ID, account, actor.Account.ID, tickets.NoticeResetMade,
				""); err != nil {
				return err
			}
			return StoreResponses(ctx, tx, once.Row(tx, secret))
		})
		return secret, err
	})
}

// MakeResetFor makes a link for a new password of the account with an address, for the command line. It returns
// AddressUnknown if no member of a company has it.
func (w *Workflows) MakeResetFor(ctx context.Context, email string) (secret string, err error) {
	account, err := accounts.ByEmail(ctx, w.db.Queries, email)
	if errors.Is(err, fault.NotFound) {
		return "", accounts.AddressUnknown()
	}
	if err != nil {
		return "", err
	}
	companies, err := w.Companies(ctx, account.ID)
	if err != nil {
		return "", err
	}
	if len(companies) == 0 {
		return "", accounts.AddressUnknown()
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if secret, err = accounts.OpenReset(ctx, tx, companies[0].Company.ID, account.ID, account.ID); err != nil {
			return err
		}
		if err := tickets.GiveNotice(ctx, tx, account.ID, tickets.NoticeResetMade, ""); err != nil {
			return err
		}
		return accounts.RecordEverywhere(ctx, tx, account.ID, accounts.AuditResetMade)
	})
	return secret, err
}

// Reset returns the link for a new password with a secret, or LinkGone.
func (w *Workflows) Reset(ctx context.Context, secret string) (accounts.Reset, error) {
	return accounts.ByReset(ctx, w.db.Queries, secret, w.db.Now())
}

// UseReset gives the account of a link another password, once, and ends its sessions and its API tokens in all
// companies: the account returned has the new epoch. It returns LinkGone or an
// error of accounts.CheckPassword.
func (w *Workflows) UseReset(ctx context.Context, secret, password string) (accounts.Account, error) {
	reset, err := w.Reset(ctx, secret)
	if err != nil {
		return accounts.Account{}, err
	}
	if err := w.checkPassword(ctx, reset.Account, password); err != nil {
		return accounts.Account{}, err
	}
	return w.setPassword(ctx, reset.Account.ID, password, true, func(tx *db.Tx) error {
		if _, err := accounts.ByReset(ctx, tx.Queries, secret, tx.Now); err != nil { // the hash took its time
			return err
		}
		if err := accounts.UseReset(ctx, tx, reset); err != nil {
			return err
		}
		if err := accounts.Forgive(ctx, tx, reset.Account.Email, accounts.AddressFrom(ctx)); err != nil {
			return err
		}
		if err := tickets.GiveNotice(ctx, tx, reset.Account.ID, tickets.NoticeResetUsed, ""); err != nil {
			return err
		}
		return accounts.RecordEverywhere(ctx, tx, reset.Account.ID, accounts.AuditResetUsed)
	})
}
