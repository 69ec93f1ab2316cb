package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// NamedMember is a member of a company as texts and lists name them.
type NamedMember struct {
	ID     ID
	Name   string
	Handle string // without the @
	Role   string
	Avatar string // of the account
}

// maxHandle is how many characters a handle may have.
const maxHandle = 40

// ParseHandle returns s as a handle, in lower case and without an @ before it. It returns BadHandle.
func ParseHandle(s string) (string, error) {
	handle := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(s), "@"))
	if len(handle) > maxHandle || !isHandle(handle) || strings.Trim(handle, "-") != handle {
		return "", BadHandle()
	}
	return handle, nil
}

// SetHandle gives the actor another handle in its company. It returns BadHandle or HandleConflict.
func SetHandle(ctx context.Context, tx *db.Tx, actor Actor, handle string) error {
	handle, err := ParseHandle(handle)
	if err != nil {
		return err
	}
	err = tx.SetHandle(ctx, db.SetHandleParams{Handle: handle, CompanyID: actor.Company.ID, AccountID: actor.Account.ID})
	if db.IsDuplicate(err, "uq_membership_handle") {
		return HandleConflict(handle)
	}
	if err != nil {
		return fmt.Errorf("set handle: %w", err)
	}
	return nil
}

// ByHandle returns the members in sight that have some handles, by account. Unknown handles are left out.
func ByHandle(ctx context.Context, q *db.Queries, by db.Sight, handles []string) ([]NamedMember, error) {
	handles = slices.DeleteFunc(slices.Clone(handles), func(s string) bool { return !isHandle(s) }) // the database may not compare them
	if len(handles) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.MembersByHandle(ctx, db.MembersByHandleParams{
		CompanyID: by.Company, Handles: handles, Reader: by.Reader, Reach: by.Reach,
	}))
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	list := make([]NamedMember, len(rows))
	for i, r := range rows {
		list[i] = NamedMember{ID: r.AccountID, Name: r.Name, Handle: r.Handle, Role: r.Role, Avatar: r.Avatar}
	}
	return list, nil
}

// ByAccount returns which of the accounts are members in sight.
func ByAccount(ctx context.Context, q *db.Queries, by db.Sight, accounts []ID) (map[ID]NamedMember, error) {
	if len(accounts) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.MembersByAccount(ctx, db.MembersByAccountParams{
		CompanyID: by.Company, Accounts: accounts, Reader: by.Reader, Reach: by.Reach,
	}))
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	found := make(map[ID]NamedMember, len(rows))
	for _, r := range rows {
		found[r.AccountID] = NamedMember{ID: r.AccountID, Name: r.Name, Handle: r.Handle, Role: r.Role, Avatar: r.Avatar}
	}
	return found, nil
}

// LockMembership returns the roles of those accounts that are members, and keeps them members until the transaction ends.
func LockMembership(ctx context.Context, tx *db.Tx, company id.Company, accounts []ID) (map[ID]string, error) {
	if len(accounts) == 0 {
		return nil, nil
	}
	rows, err := tx.LockMembers(ctx, company, accounts)
	if err != nil {
		return nil, fmt.Errorf("lock members: %w", err)
	}
	roles := make(map[ID]string, len(rows))
	for _, r := range rows {
		roles[r.AccountID] = r.Role
	}
	return roles, nil
}

// maxSearch is how many characters of a text are searched for.
const maxSearch = 60

var wildcards = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// FindMembers returns up to limit members in sight whose handle or name begins like a text, those with the handle
// first; without a text the first by handle. It leaves out those with the role without.
func FindMembers(
	ctx context.Context, q *db.Queries, by db.Sight, text, without string, limit int,
) ([]NamedMember, error) {
	text, length, ok := markup.Line(strings.TrimPrefix(strings.TrimSpace(text), "@"))
	if !ok || length > maxSearch {
		return nil, nil
	}
	var found []NamedMember
	seen := map[ID]bool{}
	add := func(rows []db.NamedMember) {
		for _, r := range rows {
			if !seen[r.AccountID] && len(found) < limit {
				seen[r.AccountID] = true
				found = append(found, NamedMember{ID: r.AccountID, Name: r.Name, Handle: r.Handle, Role: r.Role, Avatar: r.Avatar})
			}
		}
	}
	if handle := strings.ToLower(text); isHandle(handle) || handle == "" {
		rows, err := db.Read(q.MembersWithHandle(ctx, by, handle, handle+"~", without, limit))
		if err != nil {
			return nil, fmt.Errorf("find members: %w", err)
		}
		add(rows)
	}
	if len(found) < limit && length > 0 {
		like := wildcards.Replace(text) + "%"
		rows, err := db.Read(q.MembersByName(ctx, by, like, "% "+like, without, limit))
		if err != nil {
			return nil, fmt.Errorf("find members: %w", err)
		}
		add(rows)
	}
	return found, nil
}

// Words in the place of a handle. A member with such a handle is written with an @ before it.
const (
	Me    = "me"
	NoOne = "none"
)

// Word is the member's handle in a filter, with an @ if it reads as Me or NoOne.
func (n NamedMember) Word() string {
	if n.Handle == Me || n.Handle == NoOne {
		return "@" + n.Handle
	}
	return n.Handle
}

// isHandle reports whether s has only characters of handles.
func isHandle(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
