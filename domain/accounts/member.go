package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Roles are those that a member can have, the strongest first.
var Roles = []string{Owner, Admin, Member, Viewer, Guest}

// rank of a role: the higher, the stronger; 0 for none.
func rank(role string) int {
	if i := slices.Index(Roles, role); i >= 0 {
		return len(Roles) - i
	}
	return 0
}

// MayGrant reports whether the actor may give or take the role: managers may, up to their own.
func (a Actor) MayGrant(role string) bool {
	return a.Manages() && rank(role) > 0 && rank(role) <= rank(a.Role)
}

// CompanyMember is a member as the others see them.
type CompanyMember struct {
	Account  Account // without Epoch
	Role     string
	Handle   string
	JoinedAt time.Time
	Inactive bool // the account is deactivated
}

// Writes is Actor.Writes of the member.
func (m CompanyMember) Writes() bool { return Actor{Role: m.Role}.Writes() }

// Members returns a page of the members in sight by account id: those above after.
func Members(ctx context.Context, q *db.Queries, by db.Sight, after ID, limit int) ([]CompanyMember, error) {
	rows, err := db.Read(q.Members(ctx, by, after, limit))
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	list := make([]CompanyMember, len(rows))
	for i, row := range rows {
		list[i] = memberFrom(row)
	}
	return list, nil
}

// MemberByID returns a member in sight, or MemberNotFound.
func MemberByID(ctx context.Context, q *db.Queries, by db.Sight, account ID) (CompanyMember, error) {
	row, err := db.Read(q.MemberByID(ctx, db.MemberByIDParams{CompanyID: by.Company, AccountID: account, Reader: by.Reader,
		Reach: by.Reach}))
	if db.IsNotFound(err) {
		return CompanyMember{}, MemberNotFound()
	}
	if err != nil {
		return CompanyMember{}, fmt.Errorf("read member: %w", err)
	}
	return memberFrom(row), nil
}

func memberFrom(row db.MemberByIDRow) CompanyMember {
	return CompanyMember{
		Account: Account{ID: row.ID, Name: row.Name, Email: row.Email, Operator: row.Operator, Avatar: row.Avatar},
		Role:    row.Role, Handle: row.Handle, JoinedAt: row.CreatedAt,
		Inactive: row.Inactive,
	}
}

// LockRoles serialises changes of roles in the actor's company until the transaction ends, and returns the actor with
// the present role, or NotMember.
func LockRoles(ctx context.Context, tx *db.Tx, actor Actor) (Actor, error) {
	if err := tx.LockCompany(ctx, actor.Company.ID); err != nil {
		return Actor{}, fmt.Errorf("lock company: %w", err)
	}
	if actor.Service { // its token says what it may do
		if _, err := ServiceByID(ctx, tx.Queries, actor.Account.ID); errors.Is(err, CodeServiceNotFound) {
			return Actor{}, NotMember()
		} else {
			return actor, err
		}
	}
	now, err := MemberByID(ctx, tx.Queries, actor.Sight(), actor.Account.ID)
	if errors.Is(err, CodeMemberNotFound) {
		return Actor{}, NotMember()
	}
	if err != nil {
		return Actor{}, err
	}
	actor.Role, actor.Account.Operator = now.Role, now.Account.Operator && !actor.Confined
	return actor, nil
}

// ChangeRole gives a member another role. The caller holds LockRoles. It returns MemberNotFound, BadRole, RankTooLow,
// or LastOwner.
func ChangeRole(
	ctx context.Context, tx *db.Tx, actor Actor, account ID, role string,
) (before CompanyMember, err error) {
	if before, err = lockManageable(ctx, tx, actor, account); err != nil {
		return CompanyMember{}, err
	}
	if rank(role) == 0 {
		return CompanyMember{}, BadRole()
	}
	if !actor.MayGrant(role) {
		return CompanyMember{}, RankTooLow(role)
	}
	if before.Role == Owner && role != Owner {
		if err := keepsOwner(ctx, tx, actor.Company.ID); err != nil {
			return CompanyMember{}, err
		}
	}
	err = tx.PublishSightBy(ctx, actor.Company.ID, account, func() error {
		return tx.ChangeRole(ctx, db.ChangeRoleParams{Role: role, CompanyID: actor.Company.ID, AccountID: account})
	})
	if err != nil {
		return CompanyMember{}, fmt.Errorf("change role: %w", err)
	}
	if rank(role) < rank(before.Role) {
		if err := endLinksBy(ctx, tx, actor.Company.ID, account); err != nil {
			return CompanyMember{}, err
		}
	}
	return before, EndResets(ctx, tx, account)
}

// Remove removes a member from a company, with the member's tokens there, all sessions, and the links that the member
// made. The caller holds LockRoles. It returns the hashes of the tokens; or MemberNotFound, RankTooLow, or LastOwner.
// Members may remove themselves.
func Remove(
	ctx context.Context, tx *db.Tx, actor Actor, account ID,
) (member CompanyMember, hashes [][]byte, err error) {
	if account == actor.Account.ID {
		member, err = MemberByID(ctx, tx.Queries, actor.Sight(), account)
	} else {
		member, err = lockManageable(ctx, tx, actor, account)
	}
	if err != nil {
		return CompanyMember{}, nil, err
	}
	if member.Role == Owner {
		if err := keepsOwner(ctx, tx, actor.Company.ID); err != nil {
			return CompanyMember{}, nil, err
		}
	}
	if hashes, err = revokeTokensOf(ctx, tx, actor.Company.ID, account); err != nil {
		return CompanyMember{}, nil, err
	}
	if err := endLinksBy(ctx, tx, actor.Company.ID, account); err != nil {
		return CompanyMember{}, nil, err
	}
	// No use of a link waits for a former member.
	if err := tx.DropReservationsOf(ctx, account, actor.Company.ID); err != nil {
		return CompanyMember{}, nil, fmt.Errorf("drop reservations: %w", err)
	}
	err = tx.PublishSightBy(ctx, actor.Company.ID, account, func() error {
		if err := leaveBoards(ctx, tx, actor.Company.ID, account); err != nil {
			return err
		}
		_, err := tx.DeleteMembership(ctx, actor.Company.ID, account)
		return err
	})
	if err != nil {
		return CompanyMember{}, nil, fmt.Errorf("delete membership: %w", err)
	}
	return member, hashes, EndSessions(ctx, tx, account)
}

// lockManageable returns a member that the actor may change.
func lockManageable(ctx context.Context, tx *db.Tx, actor Actor, account ID) (CompanyMember, error) {
	member, err := MemberByID(ctx, tx.Queries, actor.Sight(), account)
	if err != nil {
		return CompanyMember{}, err
	}
	if !actor.MayGrant(member.Role) {
		return CompanyMember{}, RankTooLow(member.Role)
	}
	return member, nil
}

// keepsOwner returns LastOwner if the company has one owner only.
func keepsOwner(ctx context.Context, tx *db.Tx, company id.Company) error {
	owners, err := tx.FirstOwners(ctx, company)
	if err != nil {
		return fmt.Errorf("read owners: %w", err)
	}
	if len(owners) < 2 {
		return LastOwner()
	}
	return nil
}

// endLinksBy ends a former member's invitations and password links, which the member may still know.
func endLinksBy(ctx context.Context, tx *db.Tx, company id.Company, account ID) error {
	if err := tx.RevokeInvitationsBy(ctx, db.RevokeInvitationsByParams{Now: &tx.Now, CreatedBy: account,
		CompanyID: company}); err != nil {
		return fmt.Errorf("revoke invitations: %w", err)
	}
	if err := tx.EndResetsBy(ctx, db.EndResetsByParams{Now: &tx.Now, CreatedBy: account, CompanyID: company}); err != nil {
		return fmt.Errorf("end links for passwords: %w", err)
	}
	return nil
}

// EndSessions signs an account out everywhere. Links for a new password end with the sessions.
func EndSessions(ctx context.Context, tx *db.Tx, account ID) error {
	if err := tx.EndSessions(ctx, account); err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	return EndResets(ctx, tx, account)
}

// SetOperator makes an account an operator, or no longer, and returns it as it was. It returns NotOperator, LastOperator,
// or NotMember for no account.
func SetOperator(ctx context.Context, tx *db.Tx, actor Actor, account ID, operator bool) (Account, error) {
	if actor.Confined {
		return Account{}, NotOperator()
	}
	if err := tx.LockInstallation(ctx); err != nil {
		return Account{}, fmt.Errorf("lock installation: %w", err)
	}
	if self, err := ByID(ctx, tx.Queries, actor.Account.ID); err != nil || !self.Operator {
		return Account{}, NotOperator()
	}
	before, err := ByID(ctx, tx.Queries, account)
	switch {
	case err != nil:
		return Account{}, err
	case !before.IsUser():
		return Account{}, NotMember()
	case before.Operator == operator:
		return before, nil
	case !operator:
		if err := withdrawOperator(ctx, tx, account); err != nil {
			return Account{}, err
		}
	case before.Deactivated:
		return Account{}, Deactivated(before.Name)
	default:
		if err := tx.SetOperator(ctx, true, account); err != nil {
			return Account{}, fmt.Errorf("set operator: %w", err)
		}
	}
	return before, EndResets(ctx, tx, account)
}

// Rename changes an account's name. It returns BadName or ServiceName.
func Rename(ctx context.Context, tx *db.Tx, account ID, name string) error {
	name, err := parseUserName(name)
	if err != nil {
		return err
	}
	if err := tx.RenameAccount(ctx, name, account); err != nil {
		return fmt.Errorf("rename account: %w", err)
	}
	return nil
}

// RenameCompany changes a company's name. It returns BadName.
func RenameCompany(ctx context.Context, tx *db.Tx, company id.Company, name string) (string, error) {
	name, err := ParseName("company", name)
	if err != nil {
		return "", err
	}
	if err := tx.RenameCompany(ctx, name, company); err != nil {
		return "", fmt.Errorf("rename company: %w", err)
	}
	return name, nil
}

// AskForPassword records that the user was asked for a better password.
func AskForPassword(ctx context.Context, tx *db.Tx, account ID) error {
	if err := tx.AskForPassword(ctx, &tx.Now, account); err != nil {
		return fmt.Errorf("ask for a password: %w", err)
	}
	return nil
}

// PasswordNames are what an account's password must not be: its address, and the names and slugs of its companies.
func PasswordNames(ctx context.Context, q *db.Queries, account Account) ([]string, error) {
	companies, err := CompaniesOf(ctx, q, account.ID)
	if err != nil {
		return nil, err
	}
	names := []string{account.Email}
	for _, m := range companies {
		names = append(names, m.Company.Name, m.Company.Slug)
	}
	return names, nil
}

// SetPassword stores the hash of a new password, from HashPassword, and ends the account's sessions.
func SetPassword(ctx context.Context, tx *db.Tx, account ID, hash string) error {
	if err := tx.SetPassword(ctx, hash, account); err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	return EndSessions(ctx, tx, account)
}

// In is an account in a company.
type In struct {
	Company id.Company
	Account ID
}

// Guests returns where accounts are guests.
func Guests(ctx context.Context, q *db.Queries, list []ID) (map[In]bool, error) {
	rows, err := db.Read(q.GuestsAmong(ctx, list))
	if err != nil {
		return nil, fmt.Errorf("read guests: %w", err)
	}
	guests := make(map[In]bool, len(rows))
	for _, row := range rows {
		guests[In{row.CompanyID, row.AccountID}] = true
	}
	return guests, nil
}
