package workflows

import (
	"context"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// CodeUnknownHandle: what was entered is the handle of no member of the company. Enter one such as @ana.
const CodeUnknownHandle fault.Code = "Group.UnknownHandle"

func UnknownHandle(text string) error {
	message := "Enter the handle of a member, such as @ana."
	if text = strings.TrimSpace(text); text != "" {
		message = "No member of your company has the handle “" + text + "”. " + message
	}
	return fault.Invalid.New(CodeUnknownHandle, "handle", message)
}

// Groups returns the company's groups by name, with how many boards name each. Owners and admins see that private boards
// exist; other members count those that they see. It returns NotForGuests.
func (w *Workflows) Groups(ctx context.Context) ([]accounts.Group, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return nil, err
	}
	if err := noGuest(actor); err != nil {
		return nil, err
	}
	sight := actor.Sight()
	if actor.Manages() {
		sight.Reach = db.ReachAll
	}
	return accounts.Groups(ctx, w.db.Queries, sight)
}

// GroupsAfter returns up to limit of the company's groups with ids above after, by id, and whether there are others.
func (w *Workflows) GroupsAfter(ctx context.Context, after id.Group, limit int) ([]accounts.Group, bool, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return nil, false, err
	}
	if err := noGuest(actor); err != nil {
		return nil, false, err
	}
	return accounts.GroupsAfter(ctx, w.db.Queries, actor.Company.ID, after, limit)
}

// GroupByID returns a group of the company, or accounts.GroupNotFound.
func (w *Workflows) GroupByID(ctx context.Context, group id.Group) (accounts.Group, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return accounts.Group{}, err
	}
	if err := noGuest(actor); err != nil {
		return accounts.Group{}, err
	}
	return accounts.GroupByID(ctx, w.db.Queries, actor.Company.ID, group)
}

// GroupMembersAfter returns up to limit of the members of a group with ids above after, by id, and whether there are
// others. It returns accounts.GroupNotFound.
func (w *Workflows) GroupMembersAfter(
	ctx context.Context, group id.Group, after accounts.ID, limit int,
) ([]accounts.NamedMember, bool, error) {
	if _, err := w.GroupByID(ctx, group); err != nil {
		return nil, false, err
	}
	return accounts.GroupMembersAfter(ctx, w.db.Queries, group, after, limit)
}

// Group returns a group of the company with its members. It returns NotForGuests or accounts.GroupNotFound.
func (w *Workflows) Group(ctx context.Context, group id.Group) (accounts.Group, []accounts.CompanyMember, error) {
	list, err := w.Groups(ctx)
	if err != nil {
		return accounts.Group{}, nil, err
	}
	at := slices.IndexFunc(list, func(g accounts.Group) bool { return g.ID == group })
	if at < 0 {
		return accounts.Group{}, nil, accounts.GroupNotFound()
	}
	members, err := accounts.GroupMembers(ctx, w.db.Queries, group)
	return list[at], members, err
}

// OpenGroup adds a group. It returns NotManager, or what accounts.OpenGroup does.
func (w *Workflows) OpenGroup(
	ctx context.Context, name string, once *Once[accounts.Group],
) (accounts.Group, error) {
	return DoOnce(ctx, w, once, func() (group accounts.Group, err error) {
		err = w.onGroups(ctx, "add a group", func(tx *db.Tx, actor accounts.Actor) error {
			if group, err = accounts.OpenGroup(ctx, tx, actor.Company.ID, name); err != nil {
				return err
			}
			if err := StoreResponses(ctx, tx, once.Row(tx, group)); err != nil {
				return err
			}
			return audit(ctx, tx, actor, accounts.AuditGroupMade, accounts.AuditDetail{Name: group.Name})
		})
		return group, err
	})
}

// RenameGroup gives a group another name, and returns it. It returns NotManager, or what accounts.RenameGroup does.
func (w *Workflows) RenameGroup(ctx context.Context, group id.Group, name string) (now accounts.Group, err error) {
	err = w.onGroups(ctx, "rename a group", func(tx *db.Tx, actor accounts.Actor) error {
		was, err := accounts.RenameGroup(ctx, tx, actor.Company.ID, group, name)
		if err != nil {
			return err
		}
		now, err = accounts.GroupByID(ctx, tx.Queries, actor.Company.ID, group)
		if err != nil || now.Name == was.Name {
			return err
		}
		return audit(ctx, tx, actor, accounts.AuditGroupRenamed, accounts.AuditDetail{Name: now.Name, Was: was.Name})
	})
	return now, err
}

// AddToGroup adds the member with a handle to a group. It returns NotManager, UnknownHandle, or what accounts.AddToGroup
// does.
func (w *Workflows) AddToGroup(ctx context.Context, group id.Group, handle string) error {
	return w.onGroups(ctx, "add to a group", func(tx *db.Tx, actor accounts.Actor) error {
		of, err := accounts.GroupByID(ctx, tx.Queries, actor.Company.ID, group)
		if err != nil {
			return err
		}
		text := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(handle), "@"))
		found, err := accounts.ByHandle(ctx, tx.Queries, actor.Sight(), []string{text})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return UnknownHandle(handle)
		}
		member, err := accounts.MemberByID(ctx, tx.Queries, actor.Sight(), found[0].ID)
		if err != nil {
			return err
		}
		added, err := accounts.AddToGroup(ctx, tx, actor.Company.ID, group, found[0].ID)
		if err != nil || !added {
			return err
		}
		detail := accounts.AuditDetail{Name: of.Name, Member: member.Account.NameAndEmail()}
		return audit(ctx, tx, actor, accounts.AuditGroupMember, detail)
	})
}

// DropHandleFromGroup is DropFromGroup for the member with a handle.
func (w *Workflows) DropHandleFromGroup(ctx context.Context, group id.Group, handle string) error {
	return w.onGroups(ctx, "remove from a group", func(tx *db.Tx, actor accounts.Actor) error {
		of, err := accounts.GroupByID(ctx, tx.Queries, actor.Company.ID, group)
		if err != nil {
			return err
		}
		member, err := memberByHandle(ctx, tx.Queries, actor.Sight(), handle)
		if err != nil {
			return err
		}
		return dropFromGroup(ctx, tx, actor, of, member.ID)
	})
}

// DropFromGroup removes a member from a group. It returns NotManager, or what accounts.DropFromGroup does.
func (w *Workflows) DropFromGroup(ctx context.Context, group id.Group, account accounts.ID) error {
	return w.onGroups(ctx, "remove from a group", func(tx *db.Tx, actor accounts.Actor) error {
		of, err := accounts.GroupByID(ctx, tx.Queries, actor.Company.ID, group)
		if err != nil {
			return err
		}
		return dropFromGroup(ctx, tx, actor, of, account)
	})
}

func dropFromGroup(ctx context.Context, tx *db.Tx, actor accounts.Actor, of accounts.Group, account accounts.ID) error {
	member, err := accounts.MemberByID(ctx, tx.Queries, actor.Sight(), account)
	if err != nil {
		return err
	}
	if err := accounts.DropFromGroup(ctx, tx, actor.Company.ID, of.ID, account); err != nil {
		return err
	}
	detail := accounts.AuditDetail{Name: of.Name, Member: member.Account.NameAndEmail()}
	return audit(ctx, tx, actor, accounts.AuditGroupMemberGone, detail)
}

// DeleteGroup deletes a group and takes it off its boards. It returns NotManager or accounts.GroupNotFound.
func (w *Workflows) DeleteGroup(ctx context.Context, group id.Group) (was accounts.Group, err error) {
	err = w.onGroups(ctx, "delete a group", func(tx *db.Tx, actor accounts.Actor) error {
		if was, _, err = accounts.DeleteGroup(ctx, tx, actor.Company.ID, group); err != nil {
			return err
		}
		return audit(ctx, tx, actor, accounts.AuditGroupDeleted, accounts.AuditDetail{Name: was.Name})
	})
	return was, err
}

// onGroups runs do in a transaction that holds the lock of the company, which the caller manages.
func (w *Workflows) onGroups(
	ctx context.Context, what string, do func(tx *db.Tx, actor accounts.Actor) error,
) error {
	actor, err := mayManage(ctx)
	if err == nil && !actor.May("boards:write") {
		err = accounts.MissingScope("boards:write")
	}
	if err != nil {
		return err
	}
	return w.withLockedRole(ctx, what, func(tx *db.Tx, actor accounts.Actor) error {
		if !actor.Manages() { // any more
			return accounts.NotManager()
		}
		return do(tx, actor)
	})
}
