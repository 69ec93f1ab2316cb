package boards

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// MaxMembers is how many members and groups a board names.
const MaxMembers = 500

// Kinds of what a board names.
const (
	KindAccount = "account"
	KindGroup   = "group"
)

// Roles are those on a board, the weakest first: the level of a role is its place, from 1.
var Roles = []string{"viewer", "member", "admin"}

// ManageLevel is the level of those who administer a board.
const ManageLevel = 3

// Member is a member of the company, or a group, that a board names.
type Member struct {
	Kind   string // KindAccount or KindGroup
	ID     uint64
	Name   string
	Handle string // of an account, without the @
	Role   string // on the board: one of Roles
	// InCompany is the role of an account in the company; set by Members.
	InCompany string
}

// Members returns the members and groups that a board names: members by name, then groups.
func Members(ctx context.Context, q *db.Queries, board ID) ([]Member, error) {
	rows, err := db.Read(q.BoardMembers(ctx, board, MaxMembers))
	if err != nil {
		return nil, fmt.Errorf("read members of the board: %w", err)
	}
	list := make([]Member, len(rows))
	for i, row := range rows {
		list[i] = Member{Kind: row.Kind, ID: row.MemberID, Name: row.Name, Handle: row.Handle, Role: Roles[row.Level-1],
			InCompany: row.Role}
	}
	return list, nil
}

// MembersAfter returns up to limit of the members and groups that a board names: accounts by their ids, then groups by
// theirs if withGroups is set, from behind a kind and an id. more says that there are others behind them.
func MembersAfter(
	ctx context.Context, q *db.Queries, board ID, kind string, member uint64, withGroups bool, limit int,
) (list []Member, more bool, err error) {
	in := db.BoardMembersAfterParams{BoardID: board, Kind: kind, MemberID: member, LastKind: KindAccount,
		Limit: int32(limit + 1)}
	if withGroups {
		in.LastKind = KindGroup
	}
	rows, err := db.Read(q.BoardMembersAfter(ctx, in))
	if err != nil {
		return nil, false, fmt.Errorf("read members of the board: %w", err)
	}
	for _, row := range rows[:min(len(rows), limit)] {
		list = append(list, Member{Kind: row.Kind, ID: row.MemberID, Name: row.Name, Handle: row.Handle,
			Role: Roles[row.Level-1]})
	}
	return list, len(rows) > limit, nil
}

// SetMember names a member or a group on a board, or gives it another role there. The caller holds the company's lock,
// and has checked that it is the company's. before is the role until now, "" for none. It returns BadRole or
// TooManyMembers.
func SetMember(ctx context.Context, tx *db.Tx, board ID, member Member) (before string, err error) {
	level := slices.Index(Roles, member.Role) + 1
	if level == 0 {
		return "", BadRole()
	}
	list, err := Members(ctx, tx.Queries, board)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(list, func(m Member) bool { return m.Kind == member.Kind && m.ID == member.ID })
	switch {
	case at >= 0:
		before = list[at].Role
	case len(list) >= MaxMembers:
		return "", TooManyMembers()
	}
	err = tx.SetBoardMember(ctx, db.SetBoardMemberParams{
		BoardID: board, Kind: member.Kind, MemberID: member.ID, Level: uint8(level),
	})
	if err != nil {
		return "", fmt.Errorf("name on the board: %w", err)
	}
	return before, tx.RefreshAccessTo(ctx, board)
}

// CopyMembers names on a new board whom another names. The caller holds the company's lock.
func CopyMembers(ctx context.Context, tx *db.Tx, from, to ID) error {
	if err := tx.CopyBoardMembers(ctx, to, from); err != nil {
		return fmt.Errorf("copy members of the board: %w", err)
	}
	return tx.RefreshAccessTo(ctx, to)
}

// HasAdmin returns LastAdmin if nobody administers a board any more.
func HasAdmin(ctx context.Context, tx *db.Tx, board ID) error {
	managed, err := tx.BoardHasAdmin(ctx, board)
	if err != nil {
		return fmt.Errorf("read admins of the board: %w", err)
	}
	if !managed {
		return LastAdmin()
	}
	return nil
}

// DropMember takes a member or a group off a board. The caller holds the company's lock. It returns MemberNotFound.
func DropMember(ctx context.Context, tx *db.Tx, board ID, kind string, member uint64) error {
	n, err := tx.DropBoardMember(ctx, db.DropBoardMemberParams{BoardID: board, Kind: kind, MemberID: member})
	if err != nil {
		return fmt.Errorf("take off the board: %w", err)
	}
	if n == 0 {
		return MemberNotFound()
	}
	return tx.RefreshAccessTo(ctx, board)
}

// SetPrivacy makes a board private, or open. It returns Stale if the board was edited since it was read.
func SetPrivacy(ctx context.Context, tx *db.Tx, board Board, private bool) error {
	privacy := db.ReachOpen
	if private {
		privacy = db.ReachAll
	}
	err := tx.PublishSightOf(ctx, board.ID, func() error {
		n, err := tx.SetPrivacy(ctx, db.SetPrivacyParams{Privacy: privacy, Now: tx.Now, ID: board.ID, Version: board.Version})
		if err == nil && n != 1 {
			err = stale(ctx, tx, board)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("set privacy: %w", err)
	}
	return tx.PublishSightWithoutAccount(ctx, board.ID)
}

// stale returns Stale with the board as it is now.
func stale(ctx context.Context, tx *db.Tx, board Board) error {
	current, err := BySlug(ctx, tx.Queries, db.SightOfAll(board.Company), board.Slug)
	if err != nil {
		return err
	}
	current.Grant = board.Grant
	return Stale{Current: current}
}

// PrivateBoard is the part of a private board that managers of its company see without being named on it.
type PrivateBoard struct {
	ID       ID
	Slug     string
	Title    string
	Archived bool
	Managed  bool // somebody administers it
}

// PrivateOf returns the private boards of a company, by slug.
func PrivateOf(ctx context.Context, q *db.Queries, company id.Company) ([]PrivateBoard, error) {
	rows, err := db.Read(q.PrivateBoards(ctx, company))
	if err != nil {
		return nil, fmt.Errorf("read private boards: %w", err)
	}
	list := make([]PrivateBoard, len(rows))
	for i, row := range rows {
		list[i] = PrivateBoard{ID: row.ID, Slug: row.Slug, Title: row.Title, Archived: row.ArchivedAt != nil,
			Managed: row.Managed > 0}
	}
	return list, nil
}
