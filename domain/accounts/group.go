package accounts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

const (
	// MaxGroups is how many groups a company has.
	MaxGroups = 200
	// MaxGroupMembers is how many members a group has.
	MaxGroupMembers = 1000
	// MaxGroupName is how many characters the name of a group has.
	MaxGroupName = 100
	// groupBoardsAtOnce is how many of the boards that name a group are read at once.
	groupBoardsAtOnce = 1000
)

// Group is a group of members of a company.
type Group struct {
	ID        id.Group
	Name      string
	CreatedAt time.Time
	Members   int // set by Groups
	Boards    int // that name it; set by Groups
}

// Groups returns the groups of a company by name, each with how many boards name it of those that the reader sees.
func Groups(ctx context.Context, q *db.Queries, by db.Sight) ([]Group, error) {
	rows, err := db.Read(q.GroupsOfCompany(ctx, db.GroupsOfCompanyParams{Reader: by.Reader, Reach: by.Reach,
		CompanyID: by.Company, Limit: MaxGroups}))
	if err != nil {
		return nil, fmt.Errorf("read groups: %w", err)
	}
	list := make([]Group, len(rows))
	for i, row := range rows {
		list[i] = Group{ID: row.ID, Name: row.Name, CreatedAt: row.CreatedAt, Members: int(row.Members),
			Boards: int(row.Boards)}
	}
	return list, nil
}

// GroupByID returns a group of a company, or GroupNotFound.
func GroupByID(ctx context.Context, q *db.Queries, company id.Company, group id.Group) (Group, error) {
	row, err := db.Read(q.GroupByID(ctx, group, company))
	if db.IsNotFound(err) {
		return Group{}, GroupNotFound()
	}
	if err != nil {
		return Group{}, fmt.Errorf("read group: %w", err)
	}
	return Group{ID: row.ID, Name: row.Name, CreatedAt: row.CreatedAt}, nil
}

// GroupMembers returns the members of a group by name.
func GroupMembers(ctx context.Context, q *db.Queries, group id.Group) ([]CompanyMember, error) {
	rows, err := db.Read(q.GroupMembers(ctx, group, MaxGroupMembers))
	if err != nil {
		return nil, fmt.Errorf("read members of the group: %w", err)
	}
	list := make([]CompanyMember, len(rows))
	for i, row := range rows {
		list[i] = CompanyMember{Account: Account{ID: row.ID, Name: row.Name, Email: row.Email}, Role: row.Role,
			Handle: row.Handle}
	}
	return list, nil
}

// GroupsAfter returns up to limit of a company's groups with ids above after, by id. more says that there are others.
func GroupsAfter(
	ctx context.Context, q *db.Queries, company id.Company, after id.Group, limit int,
) (list []Group, more bool, err error) {
	rows, err := db.Read(q.GroupsAfter(ctx, db.GroupsAfterParams{CompanyID: company, After: after,
		Limit: int32(limit + 1)}))
	if err != nil {
		return nil, false, fmt.Errorf("read groups: %w", err)
	}
	for _, row := range rows[:min(len(rows), limit)] {
		list = append(list, Group{ID: row.ID, Name: row.Name, CreatedAt: row.CreatedAt})
	}
	return list, len(rows) > limit, nil
}

// GroupMembersAfter returns up to limit of the members of a group with ids above after, by id. more says that there are
// others.
func GroupMembersAfter(
	ctx context.Context, q *db.Queries, group id.Group, after ID, limit int,
) (list []NamedMember, more bool, err error) {
	rows, err := db.Read(q.GroupMembersAfter(ctx, db.GroupMembersAfterParams{GroupID: group, After: after,
		Limit: int32(limit + 1)}))
	if err != nil {
		return nil, false, fmt.Errorf("read members of the group: %w", err)
	}
	for _, row := range rows[:min(len(rows), limit)] {
		list = append(list, NamedMember{ID: row.ID, Name: row.Name, Handle: row.Handle, Role: row.Role})
	}
	return list, len(rows) > limit, nil
}

// OpenGroup adds a group. The caller holds LockRoles, as for each change of a group. It returns BadGroupName,
// GroupNameTaken or TooManyGroups.
func OpenGroup(ctx context.Context, tx *db.Tx, company id.Company, name string) (Group, error) {
	name, err := parseGroupName(name)
	if err != nil {
		return Group{}, err
	}
	there, err := Groups(ctx, tx.Queries, db.SightOfAll(company))
	if err != nil {
		return Group{}, err
	}
	if len(there) >= MaxGroups {
		return Group{}, TooManyGroups()
	}
	n, err := tx.CreateGroup(ctx, db.CreateGroupParams{CompanyID: company, Name: name, CreatedAt: tx.Now})
	if db.IsDuplicate(err, "uq_people_group_name") {
		return Group{}, GroupNameTaken(name)
	}
	if err != nil {
		return Group{}, fmt.Errorf("create group: %w", err)
	}
	return Group{ID: id.Group(n), Name: name, CreatedAt: tx.Now}, nil
}

// RenameGroup gives a group another name. It returns GroupNotFound, BadGroupName or GroupNameTaken.
func RenameGroup(ctx context.Context, tx *db.Tx, company id.Company, group id.Group, name string) (was Group, err error) {
	if was, err = GroupByID(ctx, tx.Queries, company, group); err != nil {
		return was, err
	}
	if name, err = parseGroupName(name); err != nil {
		return was, err
	}
	_, err = tx.RenameGroup(ctx, db.RenameGroupParams{Name: name, ID: group, CompanyID: company})
	if db.IsDuplicate(err, "uq_people_group_name") {
		return was, GroupNameTaken(name)
	}
	if err != nil {
		return was, fmt.Errorf("rename group: %w", err)
	}
	return was, nil
}

func parseGroupName(text string) (string, error) {
	name, length, ok := markup.Line(text)
	if !ok || length == 0 || length > MaxGroupName {
		return "", BadGroupName(length)
	}
	return name, nil
}

// AddToGroup adds a member to a group, who sees from then on what the group sees. It returns GroupNotFound,
// MemberNotFound or TooManyGroupMembers.
func AddToGroup(ctx context.Context, tx *db.Tx, company id.Company, group id.Group, account ID) (added bool, err error) {
	if _, err := GroupByID(ctx, tx.Queries, company, group); err != nil {
		return false, err
	}
	if _, err := MemberByID(ctx, tx.Queries, db.SightOfAll(company), account); err != nil {
		return false, err
	}
	there, err := tx.GroupAccounts(ctx, group, MaxGroupMembers)
	if err != nil {
		return false, fmt.Errorf("read members of the group: %w", err)
	}
	if slices.Contains(there, account) {
		return false, nil
	}
	if len(there) >= MaxGroupMembers {
		return false, TooManyGroupMembers()
	}
	if err := tx.AddToGroup(ctx, group, account); err != nil {
		return false, fmt.Errorf("add to group: %w", err)
	}
	return true, tx.RefreshAccessOf(ctx, company, account)
}

// DropFromGroup removes a member from a group. It returns GroupNotFound or MemberNotFound.
func DropFromGroup(ctx context.Context, tx *db.Tx, company id.Company, group id.Group, account ID) error {
	if _, err := GroupByID(ctx, tx.Queries, company, group); err != nil {
		return err
	}
	n, err := tx.DropFromGroup(ctx, group, account)
	if err != nil {
		return fmt.Errorf("remove from group: %w", err)
	}
	if n == 0 {
		return MemberNotFound()
	}
	return tx.RefreshAccessOf(ctx, company, account)
}

// DeleteGroup removes a group from its boards, and deletes it. It returns the boards, or GroupNotFound.
func DeleteGroup(
	ctx context.Context, tx *db.Tx, company id.Company, group id.Group,
) (was Group, boards []id.Board, err error) {
	if was, err = GroupByID(ctx, tx.Queries, company, group); err != nil {
		return was, nil, err
	}
	for {
		some, err := tx.BoardsOfGroup(ctx, uint64(group), groupBoardsAtOnce)
		if err != nil {
			return was, nil, fmt.Errorf("read boards of the group: %w", err)
		}
		if len(some) == 0 {
			break
		}
		for _, board := range some {
			if _, err := tx.DropBoardMember(ctx, db.DropBoardMemberParams{BoardID: board, Kind: "group",
				MemberID: uint64(group)}); err != nil {
				return was, nil, fmt.Errorf("take off the board: %w", err)
			}
			if err := tx.RefreshAccessTo(ctx, board); err != nil {
				return was, nil, err
			}
		}
		boards = append(boards, some...)
	}
	if err := tx.EmptyGroup(ctx, group); err != nil {
		return was, nil, fmt.Errorf("empty group: %w", err)
	}
	if _, err := tx.DeleteGroup(ctx, group, company); err != nil {
		return was, nil, fmt.Errorf("delete group: %w", err)
	}
	return was, boards, nil
}

// leaveBoards removes an account that leaves a company from its groups and boards.
func leaveBoards(ctx context.Context, tx *db.Tx, company id.Company, account ID) error {
	if err := tx.DropFromGroups(ctx, account, company); err != nil {
		return fmt.Errorf("remove from groups: %w", err)
	}
	if err := tx.DropBoardMemberEverywhere(ctx, db.DropBoardMemberEverywhereParams{
		Kind: "account", MemberID: uint64(account), CompanyID: company,
	}); err != nil {
		return fmt.Errorf("take off boards: %w", err)
	}
	return tx.ClearAccessOf(ctx, account, company)
}
