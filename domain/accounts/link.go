package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// Links to join a company, or to set a new password. Each has a secret of 256 bits, of which only the hash is stored.

// InvitationDraft is the content of an invitation.
type InvitationDraft struct {
	Role string
	Note string // for the list; may be ""
	Days int    // until it ends
	Once bool   // for one use
	// Email is the only address that may join; "" is any.
	Email string
}

// InvitationDays are the lifetimes that an invitation can have.
var InvitationDays = []int{7, 1, 30}

// MaxInvitations is how many links to join a company are valid at a time: the list shows them all.
const MaxInvitations = 100

// MaxNote is how many characters an invitation's note may have.
const MaxNote = 255

// Invitation is a link to join a company, without its secret.
type Invitation struct {
	ID        id.Invitation
	Company   Company
	Role      string
	Note      string
	Email     string // the only address that may join; "" is any
	Once      bool
	Uses      int
	Author    string
	CreatedAt time.Time
	ExpiresAt time.Time
	Reserved  bool // a use waits for the account that asks
}

// Invite makes an invitation and returns its secret. The caller holds LockRoles. It returns RankTooLow,
// BadRole, BadNote, BadEmail, BadDays or TooManyInvitations.
func Invite(ctx context.Context, tx *db.Tx, actor Actor, draft InvitationDraft) (secret string, err error) {
	note, length, ok := markup.Line(draft.Note)
	var badRole, badNote, badDays error
	switch {
	case rank(draft.Role) == 0:
		badRole = BadRole()
	case !actor.MayGrant(draft.Role):
		return "", RankTooLow(draft.Role)
	}
	if !ok || length > MaxNote || length == 0 && note != "" {
		badNote = BadNote(length)
	}
	if !slices.Contains(InvitationDays, draft.Days) {
		badDays = BadDays()
	}
	var badEmail error
	if draft.Email = strings.TrimSpace(draft.Email); draft.Email != "" {
		draft.Email, badEmail = ParseEmail(draft.Email)
	}
	if err := fault.Join(badRole, badNote, badEmail, badDays); err != nil {
		return "", err
	}
	live, err := tx.LiveInvitations(ctx, actor.Company.ID, tx.Now)
	if err != nil {
		return "", fmt.Errorf("read invitations: %w", err)
	}
	if len(live) >= MaxInvitations {
		return "", TooManyInvitations()
	}
	row := db.CreateInvitationParams{
		CompanyID: actor.Company.ID, Role: draft.Role, Note: note, Email: draft.Email, CreatedBy: actor.Account.ID, CreatedAt: tx.Now,
		ExpiresAt: tx.Now.AddDate(0, 0, draft.Days),
	}
	if draft.Once {
		one := uint32(1)
		row.MaxUses = &one
	}
	secret = newSecret()
	row.Hash = HashToken(secret)
	if _, err := tx.CreateInvitation(ctx, row); err != nil {
		return "", fmt.Errorf("create invitation: %w", err)
	}
	return secret, nil
}

// Invitations returns the invitations of a company that can still be used, MaxInvitations at most: also those whose
// last use waits for an account, so that they can be revoked.
func Invitations(ctx context.Context, q *db.Queries, company id.Company, now time.Time) ([]Invitation, error) {
	rows, err := db.Read(q.LiveInvitations(ctx, company, now))
	if err != nil {
		return nil, fmt.Errorf("read invitations: %w", err)
	}
	list := make([]Invitation, len(rows))
	for i, row := range rows {
		list[i] = Invitation{
			ID: row.ID, Role: row.Role, Note: row.Note, Email: row.Email, Once: row.MaxUses != nil, Uses: int(row.Uses), Author: row.Author,
			CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt,
		}
	}
	return list, nil
}

// ByInvitation returns the invitation with a secret for an account, 0 for a stranger. It returns LinkGone if it is not
// valid, and AlreadyMember with the invitation.
func ByInvitation(
	ctx context.Context, q *db.Queries, secret string, account ID, now time.Time,
) (Invitation, error) {
	row, err := db.Read(q.InvitationByHash(ctx, HashToken(secret)))
	if err != nil && !db.IsNotFound(err) {
		return Invitation{}, fmt.Errorf("read invitation: %w", err)
	}
	if err != nil || row.RevokedAt != nil || !row.ExpiresAt.After(now) {
		return Invitation{}, LinkGone()
	}
	found := Invitation{
		ID: row.ID, Role: row.Role, Email: row.Email, Once: row.MaxUses != nil, Uses: int(row.Uses), ExpiresAt: row.ExpiresAt,
		Company: Company{ID: row.CompanyID, Slug: row.CompanySlug, Name: row.CompanyName},
	}
	if account != 0 {
		if err := found.knows(ctx, q, account); err != nil {
			return found, err
		}
	}
	if row.MaxUses != nil && row.Uses >= *row.MaxUses && !found.Reserved {
		return Invitation{}, LinkGone()
	}
	return found, nil
}

// knows sets what the invitation is to an account. It returns AlreadyMember.
func (i *Invitation) knows(ctx context.Context, q *db.Queries, account ID) error {
	_, err := InCompany(ctx, q, i.Company.Slug, account)
	if err == nil {
		return AlreadyMember()
	}
	if !errors.Is(err, fault.NotFound) {
		return err
	}
	if i.Reserved, err = db.Read(q.InvitationReserved(ctx, i.ID, account)); err != nil {
		return fmt.Errorf("read reservation: %w", err)
	}
	return nil
}

// Reserve takes one use of an invitation for the account with an address, which joins once it signs in. It returns
// OtherAddress, or LinkGone if no use is left.
func Reserve(ctx context.Context, tx *db.Tx, invitation Invitation, email string) error {
	account, err := ByEmail(ctx, tx.Queries, email)
	if err != nil {
		return err
	}
	if err := use(ctx, tx, invitation, account); err != nil {
		return err
	}
	if err := tx.ReserveInvitation(ctx, db.ReserveInvitationParams{InvitationID: invitation.ID, AccountID: account.ID,
		CreatedAt: tx.Now}); err != nil {
		return fmt.Errorf("reserve invitation: %w", err)
	}
	return nil
}

func use(ctx context.Context, tx *db.Tx, invitation Invitation, account Account) error {
	if err := invitation.For(account.Email); err != nil {
		return err
	}
	if err := giveBack(ctx, tx, invitation, account); err != nil {
		return err
	}
	used, err := tx.UseInvitation(ctx, invitation.ID, tx.Now)
	if err != nil {
		return fmt.Errorf("use invitation: %w", err)
	}
	if used == 0 {
		return LinkGone()
	}
	return nil
}

// giveBack ends the reservation of an account and gives its use back, so that it is taken under the same conditions as
// any: the invitation may have been revoked since it was read.
func giveBack(ctx context.Context, tx *db.Tx, invitation Invitation, account Account) error {
	if !invitation.Reserved {
		return nil
	}
	n, err := tx.TakeReservation(ctx, invitation.ID, account.ID)
	if err != nil {
		return fmt.Errorf("take reservation: %w", err)
	}
	if n == 0 {
		return nil
	}
	if err := tx.GiveInvitationBack(ctx, invitation.ID); err != nil {
		return fmt.Errorf("give a use back: %w", err)
	}
	return nil
}

// For returns OtherAddress if the invitation is bound to another address.
func (i Invitation) For(email string) error {
	if i.Email != "" && i.Email != strings.ToLower(strings.TrimSpace(email)) {
		return OtherAddress()
	}
	return nil
}

// Accept makes an account a member by one use of an invitation. It returns OtherAddress, LinkGone if no use is left, or
// AlreadyMember, which must end the transaction.
func Accept(ctx context.Context, tx *db.Tx, invitation Invitation, account Account) (Actor, error) {
	if err := use(ctx, tx, invitation, account); err != nil {
		return Actor{}, err
	}
	handle, err := Join(ctx, tx, invitation.Company.ID, account, invitation.Role)
	if err != nil {
		return Actor{}, err
	}
	// The makers of earlier links might no longer be allowed to make them.
	if err := EndResets(ctx, tx, account.ID); err != nil {
		return Actor{}, err
	}
	return Actor{Account: account, Company: invitation.Company, Role: invitation.Role, Handle: handle}, nil
}

// RevokeInvitation ends an invitation of the actor's company and returns it. It returns LinkGone if there is none, or
// RankTooLow.
func RevokeInvitation(ctx context.Context, tx *db.Tx, actor Actor, invitation id.Invitation) (Invitation, error) {
	row, err := tx.InvitationByID(ctx, invitation, actor.Company.ID)
	if db.IsNotFound(err) {
		return Invitation{}, LinkGone()
	}
	if err != nil {
		return Invitation{}, fmt.Errorf("read invitation: %w", err)
	}
	if !actor.Manages() {
		return Invitation{}, NotManager()
	}
	n, err := tx.RevokeInvitation(ctx, &tx.Now, invitation)
	if err != nil {
		return Invitation{}, fmt.Errorf("revoke invitation: %w", err)
	}
	if n == 0 {
		return Invitation{}, LinkGone()
	}
	return Invitation{ID: row.ID, Role: row.Role, Note: row.Note}, nil
}

// ResetLife is how long a link for a new password can be used.
const ResetLife = 24 * time.Hour

// Reset is a link for a new password, without its secret.
type Reset struct {
	ID        uint64
	Company   id.Company
	Account   Account // ID, Email and Name
	ExpiresAt time.Time
}

// MayReset returns nil if the actor may make a password link for a member: the actor manages each company of the
// member with at least the member's rank, and is an operator if the member is one; an issuer of one company does not
// vouch for that. It returns OwnPassword, NotManager, AccountNeeded, ResetForOperator or ResetElsewhere.
func MayReset(ctx context.Context, q *db.Queries, actor Actor, member CompanyMember) error {
	switch {
	case member.Account.ID == actor.Account.ID:
		return OwnPassword()
	case !actor.Manages():
		return NotManager()
	case member.Inactive:
		return Deactivated(member.Account.Name)
	case actor.Confined:
		return AccountNeeded()
	case member.Account.Operator && !actor.Account.Operator:
		return ResetForOperator(member.Account.Name)
	case !actor.MayGrant(member.Role):
		return ResetElsewhere(member.Account.Name, true)
	}
	rows, err := db.Read(q.RolesBeside(ctx, actor.Account.ID, member.Account.ID))
	if err != nil {
		return fmt.Errorf("read roles: %w", err)
	}
	for _, row := range rows {
		if !(Actor{Role: row.Other.String}).MayGrant(row.Role) {
			return ResetElsewhere(member.Account.Name, false)
		}
	}
	if len(rows) > 200 {
		return errors.New("too many companies to look through")
	}
	return nil
}

// OpenReset makes a link for a new password of an account and returns its secret. Earlier ones end. It
// returns Deactivated.
func OpenReset(ctx context.Context, tx *db.Tx, company id.Company, account, author ID) (secret string, err error) {
	of, err := ByID(ctx, tx.Queries, account)
	if err != nil {
		return "", err
	}
	if of.Deactivated {
		return "", Deactivated(of.Name)
	}
	if err := EndResets(ctx, tx, account); err != nil {
		return "", err
	}
	secret = newSecret()
	err = tx.CreateReset(ctx, db.CreateResetParams{
		CompanyID: company, AccountID: account, Hash: HashToken(secret), CreatedBy: author, CreatedAt: tx.Now,
		ExpiresAt: tx.Now.Add(ResetLife),
	})
	if err != nil {
		return "", fmt.Errorf("create link for a new password: %w", err)
	}
	return secret, nil
}

// ByReset returns the password link with a secret, or LinkGone if it is not valid: also if its author could not make
// it now.
func ByReset(ctx context.Context, q *db.Queries, secret string, now time.Time) (Reset, error) {
	row, err := db.Read(q.ResetByHash(ctx, HashToken(secret)))
	if err != nil && !db.IsNotFound(err) {
		return Reset{}, fmt.Errorf("read link for a new password: %w", err)
	}
	if err != nil || row.UsedAt != nil || !row.ExpiresAt.After(now) {
		return Reset{}, LinkGone()
	}
	if row.CreatedBy != row.AccountID { // else the command line made it
		if err := stillMayReset(ctx, q, row.CompanyID, row.CreatedBy, row.AccountID); errors.Is(err, fault.Forbidden) ||
			errors.Is(err, fault.NotFound) {
			return Reset{}, LinkGone()
		} else if err != nil {
			return Reset{}, err
		}
	}
	return Reset{ID: row.ID, Company: row.CompanyID, Account: Account{ID: row.AccountID, Email: row.Email, Name: row.Name},
		ExpiresAt: row.ExpiresAt}, nil
}

// stillMayReset is MayReset for accounts that may have left the company. An operator may for every account.
func stillMayReset(ctx context.Context, q *db.Queries, company id.Company, author, account ID) error {
	if by, err := ByID(ctx, q, author); err != nil || by.Operator {
		return err
	}
	maker, err := MemberByID(ctx, q, db.SightOfAll(company), author)
	if err != nil {
		return err
	}
	member, err := MemberByID(ctx, q, db.SightOfAll(company), account)
	if err != nil {
		return err
	}
	return MayReset(ctx, q, Actor{Account: maker.Account, Company: Company{ID: company}, Role: maker.Role}, member)
}

// UseReset uses a link for a new password up. It returns LinkGone to all but the first.
func UseReset(ctx context.Context, tx *db.Tx, reset Reset) error {
	n, err := tx.UseReset(ctx, db.UseResetParams{UsedAt: &tx.Now, ID: reset.ID, Now: tx.Now})
	if err != nil {
		return fmt.Errorf("use link for a new password: %w", err)
	}
	if n == 0 {
		return LinkGone()
	}
	return nil
}

// EndResets ends the links for a new password of an account.
func EndResets(ctx context.Context, tx *db.Tx, account ID) error {
	if err := tx.EndResetsOf(ctx, &tx.Now, account); err != nil {
		return fmt.Errorf("end links for passwords: %w", err)
	}
	return nil
}
