package workflows

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// CodeUnknownName: what was entered is no member and no group of the company. Enter a handle such as @ana, or the name
// of a group.
const CodeUnknownName fault.Code = "Board.UnknownName"

func UnknownName(text string) error {
	message := "Enter a handle such as @ana, or the name of a group."
	if text = strings.TrimSpace(text); text != "" {
		message = "No member and no group of your company is called “" + text + "”. " + message
	}
	return fault.Invalid.New(CodeUnknownName, "name", message)
}

// BoardMembers returns a board with the members and groups that it names, and the caller's level on it. Guests get no
// groups. It returns boards.NotFound.
func (w *Workflows) BoardMembers(ctx context.Context, slug string) (boards.Board, []boards.Member, access.Level, error) {
	board, err := w.Board(ctx, slug)
	if err != nil {
		return board, nil, access.None, err
	}
	actor := accounts.ActorFrom(ctx)
	list, err := boards.Members(ctx, w.db.Queries, board.ID)
	if actor.Role == accounts.Guest {
		list = slices.DeleteFunc(list, func(m boards.Member) bool { return m.Kind == boards.KindGroup })
	}
	return board, list, access.On(actor, board.Grant), err
}

// BoardMembersAfter returns up to limit of the members and groups that a board names, as boards.MembersAfter does, with
// the board. Guests get no groups. It returns boards.NotFound.
func (w *Workflows) BoardMembersAfter(
	ctx context.Context, slug, kind string, member uint64, limit int,
) (boards.Board, []boards.Member, bool, error) {
	board, err := w.Board(ctx, slug)
	if err != nil {
		return board, nil, false, err
	}
	withGroups := accounts.ActorFrom(ctx).Role != accounts.Guest
	list, more, err := boards.MembersAfter(ctx, w.db.Queries, board.ID, kind, member, withGroups, limit)
	return board, list, more, err
}

// SetBoardPrivacy makes a board private, or open to all members of the company. Who makes it private becomes an admin of
// it, so that it has one, and its public link ends. The rows of one that is opened are published again. It returns
// boards.NotFound or NotManager.
func (w *Workflows) SetBoardPrivacy(ctx context.Context, slug string, private bool) (boards.Board, error) {
	return w.onBoardMembers(ctx, slug, func(tx *db.Tx, actor accounts.Actor, board boards.Board) error {
		return w.setPrivacy(ctx, tx, actor, board, private)
	})
}

// EditBoard gives a board that is at a version other names, and makes it private or open: both, or neither. It returns
// what RenameBoard and SetBoardPrivacy do.
func (w *Workflows) EditBoard(
	ctx context.Context, slug string, names boards.Names, private *bool, version uint64,
) (boards.Board, error) {
	if private == nil {
		return w.RenameBoard(ctx, slug, names, version)
	}
	return w.onBoardMembers(ctx, slug, func(tx *db.Tx, actor accounts.Actor, board boards.Board) (err error) {
		switch {
		case names.Slug != nil || names.Title != nil:
			if board, err = w.renameBoard(ctx, tx, actor, board, names, version); err != nil {
				return err
			}
		case board.Archived():
			return boards.Archived()
		case board.Version != version:
			return boards.Stale{Current: board}
		}
		return w.setPrivacy(ctx, tx, actor, board, *private)
	})
}

func (w *Workflows) setPrivacy(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, board boards.Board, private bool,
) error {
	if board.Grant.Private == private {
		return nil
	}
	if private {
		if err := keepAdmin(ctx, tx, actor, board.ID); err != nil {
			return err
		}
	}
	if err := boards.SetPrivacy(ctx, tx, board, private); err != nil {
		return err
	}
	if err := webhooks.DropBoardFromAll(ctx, tx, board.ID); err != nil { // each time it gets private, they begin anew
		return err
	}
	detail := accounts.AuditDetail{Name: board.Slug}
	if private {
		if err := audit(ctx, tx, actor, accounts.AuditBoardPrivate, detail); err != nil {
			return err
		}
		return revokePublicLink(ctx, tx, actor, board)
	}
	values := migrations.Values{"company": actor.Company.Slug, "board": board.Slug}
	if _, err := w.engine.OpenIn(ctx, tx, runActor(actor), RepublishName, values); err != nil {
		return err
	}
	return audit(ctx, tx, actor, accounts.AuditBoardOpen, detail)
}

// keepAdmin makes the actor an admin of a board.
func keepAdmin(ctx context.Context, tx *db.Tx, actor accounts.Actor, board id.Board) error {
	me := boards.Member{Kind: boards.KindAccount, ID: uint64(actor.Account.ID), Role: boards.Roles[boards.ManageLevel-1]}
	_, err := boards.SetMember(ctx, tx, board, me)
	return err
}

// NameOnBoard names a member, by handle, or a group, by name, on a board, with a role there. It returns boards.NotFound,
// NotManager, BadRole, TooManyMembers or LastAdmin, or UnknownName.
func (w *Workflows) NameOnBoard(ctx context.Context, slug, name, role string) (boards.Board, error) {
	return w.onBoardMembers(ctx, slug, func(tx *db.Tx, actor accounts.Actor, board boards.Board) error {
		member, err := named(ctx, tx.Queries, actor, name)
		if err != nil {
			if !slices.Contains(boards.Roles, role) {
				err = fault.Join(err, boards.BadRole())
			}
			return err
		}
		member.Role = role
		return setBoardMember(ctx, tx, actor, board, member)
	})
}

// SetBoardRole gives a member or group that a board names another role there. It returns boards.NotFound, NotManager,
// BadRole, MemberNotFound or LastAdmin.
func (w *Workflows) SetBoardRole(ctx context.Context, slug, kind string, member uint64, role string) (boards.Board, error) {
	return w.onBoardMembers(ctx, slug, func(tx *db.Tx, actor accounts.Actor, board boards.Board) error {
		there, err := boardMember(ctx, tx, actor, board.ID, kind, member)
		if err != nil {
			return err
		}
		there.Role = role
		return setBoardMember(ctx, tx, actor, board, there)
	})
}

// PutOnBoard names a member, by handle, or a group, by id, on a board with a role there, or gives it another one. It
// returns boards.NotFound, NotManager, BadRole, TooManyMembers or LastAdmin, accounts.MemberNotFound or GroupNotFound.
func (w *Workflows) PutOnBoard(ctx context.Context, slug, kind, of, role string) (member boards.Member, err error) {
	_, err = w.onBoardMembers(ctx, slug, func(tx *db.Tx, actor accounts.Actor, board boards.Board) error {
		if member, err = referred(ctx, tx.Queries, actor, kind, of); err != nil {
			return err
		}
		member.Role = role
		return setBoardMember(ctx, tx, actor, board, member)
	})
	return member, err
}

// TakeOffBoard is DropFromBoard for a member, by handle, or a group, by id. It also returns accounts.MemberNotFound or
// GroupNotFound.
func (w *Workflows) TakeOffBoard(ctx context.Context, slug, kind, of string) error {
	_, err := w.onBoardMembers(ctx, slug, func(tx *db.Tx, actor accounts.Actor, board boards.Board) error {
		member, err := referred(ctx, tx.Queries, actor, kind, of)
		if err != nil {
			return err
		}
		return dropBoardMember(ctx, tx, actor, board, kind, member.ID)
	})
	return err
}

// referred returns the member in the actor's sight that has a handle, or the group that has an id, without a role. It
// returns accounts.MemberNotFound or GroupNotFound. Guests know no groups.
func referred(ctx context.Context, q *db.Queries, actor accounts.Actor, kind, of string) (boards.Member, error) {
	if kind == boards.KindAccount {
		found, err := memberByHandle(ctx, q, actor.Sight(), of)
		return boards.Member{Kind: kind, ID: uint64(found.ID), Name: found.Name, Handle: found.Handle}, err
	}
	n, err := strconv.ParseUint(of, 10, 63)
	if err != nil {
		return boards.Member{}, accounts.GroupNotFound()
	}
	if actor.Role == accounts.Guest {
		return boards.Member{}, accounts.GroupNotFound()
	}
	group, err := accounts.GroupByID(ctx, q, actor.Company.ID, id.Group(n))
	return boards.Member{Kind: boards.KindGroup, ID: n, Name: group.Name}, err
}

// memberByHandle returns the member in sight that has a handle, or accounts.MemberNotFound.
func memberByHandle(
	ctx context.Context, q *db.Queries, by db.Sight, handle string,
) (accounts.NamedMember, error) {
	found, err := accounts.ByHandle(ctx, q, by, []string{strings.ToLower(strings.TrimPrefix(handle, "@"))})
	if err == nil && len(found) == 0 {
		err = accounts.MemberNotFound()
	}
	if err != nil {
		return accounts.NamedMember{}, err
	}
	return found[0], nil
}

// DropFromBoard takes a member or group off a board. It returns boards.NotFound, NotManager, MemberNotFound or LastAdmin.
func (w *Workflows) DropFromBoard(ctx context.Context, slug, kind string, member uint64) (boards.Board, error) {
	return w.onBoardMembers(ctx, slug, func(tx *db.Tx, actor accounts.Actor, board boards.Board) error {
		return dropBoardMember(ctx, tx, actor, board, kind, member)
	})
}

func dropBoardMember(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, board boards.Board, kind string, member uint64,
) error {
	there, err := boardMember(ctx, tx, actor, board.ID, kind, member)
	if err != nil {
		return err
	}
	if err := boards.DropMember(ctx, tx, board.ID, kind, member); err != nil {
		return err
	}
	if err := boards.HasAdmin(ctx, tx, board.ID); err != nil {
		return err
	}
	detail := accounts.AuditDetail{Name: board.Slug, Member: there.Name, Was: there.Role}
	return audit(ctx, tx, actor, accounts.AuditBoardMemberGone, detail)
}

func setBoardMember(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, board boards.Board, member boards.Member,
) error {
	before, err := boards.SetMember(ctx, tx, board.ID, member)
	if err != nil || before == member.Role {
		return err
	}
	if err := boards.HasAdmin(ctx, tx, board.ID); err != nil {
		return err
	}
	detail := accounts.AuditDetail{Name: board.Slug, Member: member.Name, Role: member.Role, Was: before}
	return audit(ctx, tx, actor, accounts.AuditBoardMember, detail)
}

// boardMember returns a member or group that a board names, or boards.MemberNotFound. Guests know no groups.
func boardMember(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, board id.Board, kind string, member uint64,
) (boards.Member, error) {
	if kind == boards.KindGroup && actor.Role == accounts.Guest {
		return boards.Member{}, boards.MemberNotFound()
	}
	list, err := boards.Members(ctx, tx.Queries, board)
	if err != nil {
		return boards.Member{}, err
	}
	at := slices.IndexFunc(list, func(m boards.Member) bool { return m.Kind == kind && m.ID == member })
	if at < 0 {
		return boards.Member{}, boards.MemberNotFound()
	}
	return list[at], nil
}

// named returns the member or group that a text of the actor names, or UnknownName. Guests know no groups.
func named(ctx context.Context, q *db.Queries, actor accounts.Actor, text string) (boards.Member, error) {
	text = strings.TrimSpace(text)
	found, err := accounts.ByHandle(ctx, q, actor.Sight(), []string{strings.ToLower(strings.TrimPrefix(text, "@"))})
	if err != nil {
		return boards.Member{}, err
	}
	if len(found) > 0 {
		return boards.Member{Kind: boards.KindAccount, ID: uint64(found[0].ID), Name: found[0].Name}, nil
	}
	if actor.Role == accounts.Guest {
		return boards.Member{}, UnknownName(text)
	}
	groups, err := accounts.Groups(ctx, q, db.SightOfAll(actor.Company.ID))
	if err != nil {
		return boards.Member{}, err
	}
	for _, group := range groups {
		if strings.EqualFold(group.Name, text) {
			return boards.Member{Kind: boards.KindGroup, ID: uint64(group.ID), Name: group.Name}, nil
		}
	}
	return boards.Member{}, UnknownName(text)
}

// onBoardMembers runs do in a transaction that holds the lock of the company, with a board that the caller administers,
// and returns the board as it is afterwards: the zero one if the caller does not see it any more.
func (w *Workflows) onBoardMembers(
	ctx context.Context, slug string, do func(tx *db.Tx, actor accounts.Actor, board boards.Board) error,
) (board boards.Board, err error) {
	if _, err := mayChange(ctx, "boards"); err != nil {
		return board, err
	}
	err = w.withLockedRole(ctx, "change members of a board", func(tx *db.Tx, actor accounts.Actor) error {
		seen, err := boards.BySlug(ctx, tx.Queries, actor.Sight(), slug)
		if err != nil {
			return err
		}
		if access.On(actor, seen.Grant) < access.Manage {
			return boards.NotManager()
		}
		if err := do(tx, actor, seen); err != nil {
			return err
		}
		board, err = boards.BySlug(ctx, tx.Queries, actor.Sight(), slug)
		if errors.Is(err, fault.NotFound) {
			board, err = boards.Board{}, nil
		}
		return err
	})
	if err != nil {
		return boards.Board{}, err
	}
	w.forgetBoard(accounts.ActorFrom(ctx).Company.ID, slug, board.Slug)
	w.feeds.Wake()
	return board, nil
}

// PrivateBoard is a private board as the managers of its company see it.
type PrivateBoard struct {
	boards.PrivateBoard
	Members []boards.Member
}

// PrivateBoards returns the private boards of the company, by slug. It returns NotManager.
func (w *Workflows) PrivateBoards(ctx context.Context) ([]boards.PrivateBoard, error) {
	actor, err := mayManage(ctx)
	if err != nil {
		return nil, err
	}
	return boards.PrivateOf(ctx, w.db.Queries, actor.Company.ID)
}

// PrivateBoard returns a private board of the company with its members. It returns NotManager or boards.NotFound.
func (w *Workflows) PrivateBoard(ctx context.Context, board id.Board) (PrivateBoard, error) {
	list, err := w.PrivateBoards(ctx)
	if err != nil {
		return PrivateBoard{}, err
	}
	at := slices.IndexFunc(list, func(b boards.PrivateBoard) bool { return b.ID == board })
	if at < 0 {
		return PrivateBoard{}, boards.NotFound()
	}
	members, err := boards.Members(ctx, w.db.Queries, board)
	return PrivateBoard{list[at], members}, err
}

// TakeOverBoard makes the caller, an owner of the company, an admin of a private board that has none. The members whom
// the board names are notified. It returns NotManager, OnlyOwnersTakeOver, boards.NotFound or BoardIsManaged.
func (w *Workflows) TakeOverBoard(ctx context.Context, board id.Board) (taken boards.PrivateBoard, err error) {
	if _, err := mayManage(ctx); err != nil {
		return taken, err
	}
	err = w.withLockedRole(ctx, "take over a board", func(tx *db.Tx, actor accounts.Actor) error {
		if actor.Role != accounts.Owner {
			return OnlyOwnersTakeOver()
		}
		list, err := boards.PrivateOf(ctx, tx.Queries, actor.Company.ID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(b boards.PrivateBoard) bool { return b.ID == board })
		if at < 0 {
			return boards.NotFound()
		}
		if taken = list[at]; taken.Managed {
			return BoardIsManaged()
		}
		if err := keepAdmin(ctx, tx, actor, board); err != nil {
			return err
		}
		err = tickets.NotifyBoard(ctx, tx, actor.Company.ID, board, actor.Account.ID, tickets.ReasonTaken)
		if err != nil {
			return err
		}
		return audit(ctx, tx, actor, accounts.AuditBoardTaken, accounts.AuditDetail{Name: taken.Slug})
	})
	if err != nil {
		return taken, err
	}
	w.forgetBoard(accounts.ActorFrom(ctx).Company.ID, taken.Slug)
	return taken, nil
}

// CodeOnlyOwnersTakeOver: an admin of the company asks for a board that nobody administers. Ask an owner to take it
// over.
const CodeOnlyOwnersTakeOver fault.Code = "Board.OnlyOwnersTakeOver"

func OnlyOwnersTakeOver() error {
	return fault.Forbidden.New(CodeOnlyOwnersTakeOver, "",
		"Only owners of the company can take over a board. Ask an owner to do that.")
}

// CodeBoardIsManaged: the private board has an admin. Ask the admin to name you.
const CodeBoardIsManaged fault.Code = "Board.IsManaged"

func BoardIsManaged() error {
	return fault.Conflict.New(CodeBoardIsManaged, "", "This board has an admin. Ask the admin to name you on it.")
}

// NameSuggestions returns members and groups that the caller may name on a board, the first of many.
func (w *Workflows) NameSuggestions(ctx context.Context) ([]accounts.NamedMember, []accounts.Group, error) {
	actor := accounts.ActorFrom(ctx)
	members, err := accounts.FindMembers(ctx, w.db.Queries, actor.Sight(), "", "", maxColleagues)
	if err != nil || actor.Role == accounts.Guest {
		return members, nil, err
	}
	groups, err := accounts.Groups(ctx, w.db.Queries, db.SightOfAll(actor.Company.ID))
	return members, groups, err
}
