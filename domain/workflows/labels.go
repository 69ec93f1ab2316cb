package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Labelling is a change of the labels of a ticket: those that it does not name stay as a concurrent one leaves them.
// Named are added, too, and made if they lead to none.
type Labelling struct {
	Add, Remove []id.Label
	Named       []string
}

// LabelTicket changes the labels of a ticket. entry is what it added to the history; its ID is 0 if nothing changed. It
// returns tickets.NotFound, labels.NotHere, BadName, TooMany or TooManyOnTicket.
func (w *Workflows) LabelTicket(
	ctx context.Context, key tickets.Key, change Labelling,
) (tickets.Ticket, tickets.Activity, error) {
	return w.labelTicket(ctx, key, change.Named, func(t lockedTicket) ([]id.Label, []id.Label, error) {
		return change.Add, change.Remove, nil
	})
}

// SetLabels makes the labels with these names the only ones of a ticket. It returns what LabelTicket does.
func (w *Workflows) SetLabels(
	ctx context.Context, key tickets.Key, names []string,
) (tickets.Ticket, tickets.Activity, error) {
	return w.labelTicket(ctx, key, names, func(t lockedTicket) (add, remove []id.Label, err error) {
		now, err := tickets.LabelsOf(ctx, t.tx.Queries, []tickets.ID{t.ID})
		for _, label := range now[t.ID] {
			remove = append(remove, label.ID)
		}
		return nil, remove, err
	})
}

// labelTicket adds named labels and those of plan to a ticket, and removes others.
func (w *Workflows) labelTicket(
	ctx context.Context, key tickets.Key, named []string, plan func(t lockedTicket) (add, remove []id.Label, err error),
) (ticket tickets.Ticket, entry tickets.Activity, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return ticket, entry, err
	}
	if named, err = labels.ParseNames(named); err != nil {
		return ticket, entry, fmt.Errorf("label ticket: %w", err)
	}
	err = w.onTicket(ctx, key, func(t lockedTicket) error {
		byName, err := LabelsNamed(ctx, t.tx, actor, boards.Board{ID: t.Board, Grant: t.Grant}, named)
		if err != nil {
			return err
		}
		add, remove, err := plan(t)
		if err != nil {
			return err
		}
		live, err := lockLabels(ctx, t, actor.Company.ID, add, byName)
		if err != nil {
			return err
		}
		remove = slices.DeleteFunc(remove, func(l id.Label) bool { return slices.Contains(byName, l) })
		ticket, entry, err = tickets.SetLabels(ctx, t.tx, t.Ticket, live, remove, t.by)
		return err
	})
	if err != nil {
		return tickets.Ticket{}, tickets.Activity{}, fmt.Errorf("label ticket: %w", err)
	}
	return ticket, entry, nil
}

// LabelsNamed returns the labels that names lead to on a board, and makes those that are missing: on a private board, and
// by a guest, for the board alone, else for all boards. The caller may write on the board. It returns labels.TooMany.
func LabelsNamed(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, board boards.Board, names []string,
) (list []id.Label, err error) {
	locked := false
	for _, name := range names {
		label, ok, err := labels.Named(ctx, tx.Queries, actor.Company.ID, board.ID, name)
		if err != nil {
			return nil, err
		}
		if !ok && !locked { // another server may be making it
			if err := accounts.LockMembers(ctx, tx, actor.Company.ID); err != nil {
				return nil, err
			}
			locked = true
			if label, ok, err = labels.Named(ctx, tx.Queries, actor.Company.ID, board.ID, name); err != nil {
				return nil, err
			}
		}
		if !ok {
			if label, err = makeLabel(ctx, tx, actor, board, name); err != nil {
				return nil, err
			}
		}
		list = append(list, label.ID)
	}
	return list, nil
}

func makeLabel(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, board boards.Board, name string,
) (labels.Label, error) {
	var only id.Board
	if board.Grant.Private || actor.Role == accounts.Guest {
		only = board.ID
	}
	color, err := labels.ParseColor("", name)
	if err != nil {
		return labels.Label{}, err
	}
	return labels.Make(ctx, tx, actor.Company.ID, only, name, color)
}

// lockLabels returns those labels to add that a ticket lacks, with their locks. It returns labels.NotHere, or errElsewhere
// for one that was found by its name and ended since.
func lockLabels(
	ctx context.Context, t lockedTicket, company id.Company, add, byName []id.Label,
) (missing []labels.Label, err error) {
	now, err := tickets.LabelsOf(ctx, t.tx.Queries, []tickets.ID{t.ID})
	if err != nil {
		return nil, err
	}
	var ids []id.Label
	for _, label := range slices.Concat(add, byName) {
		has := slices.ContainsFunc(now[t.ID], func(l labels.Label) bool { return l.ID == label })
		if !has && !slices.Contains(ids, label) {
			ids = append(ids, label)
		}
	}
	live, err := labels.Lock(ctx, t.tx, company, ids...)
	if err != nil {
		return nil, err
	}
	for _, label := range ids {
		here := func(l labels.Label) bool { return l.ID == label && (l.Board == 0 || l.Board == t.Board) }
		switch {
		case slices.ContainsFunc(live, here):
		case slices.Contains(byName, label):
			return nil, errElsewhere
		default:
			return nil, labels.NotHere()
		}
	}
	return live, nil
}

// labelNew gives new tickets the labels that their drafts name. Without any it reads nothing.
func labelNew(
	ctx context.Context, tx *db.Tx, board boards.Board, openings []*openRequest, opened []tickets.Ticket,
) error {
	for i, o := range openings {
		if len(o.Draft.Labels) == 0 {
			continue
		}
		named, err := LabelsNamed(ctx, tx, o.actor, board, o.Draft.Labels)
		if err != nil {
			return err
		}
		ticket := opened[i]
		live, err := lockLabels(ctx, lockedTicket{Ticket: ticket, tx: tx, by: o.Author}, o.actor.Company.ID, nil, named)
		if err != nil {
			return err
		}
		opened[i].Labels = labels.Sorted(live)
		if err := tickets.AddLabels(ctx, tx, map[tickets.ID][]labels.Label{ticket.ID: live}); err != nil {
			return err
		}
	}
	return nil
}

// LabelsOn returns the labels that tickets of a board can get, which the caller sees, by name.
func (w *Workflows) LabelsOn(ctx context.Context, board boards.Board) ([]labels.Label, error) {
	return labels.On(ctx, w.db.Queries, board.Company, board.ID)
}

// Labels returns the labels of the company: those of all boards, and of boards that the caller sees, by name.
func (w *Workflows) Labels(ctx context.Context) ([]labels.Label, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, err
	}
	return labels.InSight(ctx, w.db.Queries, actor.Sight())
}

// EndedLabels returns the labels that were deleted or merged and can be restored, the last first.
func (w *Workflows) EndedLabels(ctx context.Context) ([]labels.Label, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, err
	}
	return labels.EndedInSight(ctx, w.db.Queries, actor.Sight(), w.db.Now())
}

// Label returns a label, live or not, or labels.NotFound.
func (w *Workflows) Label(ctx context.Context, label id.Label) (labels.Label, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return labels.Label{}, err
	}
	return labels.ByID(ctx, w.db.Queries, actor.Sight(), label)
}

// LabelToManage returns a label that the caller may change, with how many tickets show it, labels.CountedTickets at most.
// It returns labels.NotFound or NotManager.
func (w *Workflows) LabelToManage(ctx context.Context, label id.Label) (found labels.Label, shown int, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return found, 0, err
	}
	if found, err = labels.ByID(ctx, w.db.Queries, actor.Sight(), label); err != nil {
		return found, 0, err
	}
	if err := w.mayManageLabel(ctx, w.db.Queries, actor, found); err != nil {
		return found, 0, err
	}
	shown, err = labels.Count(ctx, w.db.Queries, found)
	return found, shown, err
}

// mayManageLabel returns NotManager unless the actor may change a label: an admin of the company, or of its board.
func (w *Workflows) mayManageLabel(ctx context.Context, q *db.Queries, actor accounts.Actor, label labels.Label) error {
	if label.Board == 0 {
		if !actor.Manages() {
			return accounts.NotManager()
		}
		return nil
	}
	board, err := boards.ByID(ctx, q, actor.Sight(), label.Board)
	if errors.Is(err, fault.NotFound) {
		return labels.NotFound()
	}
	if err != nil {
		return err
	}
	if access.On(actor, board.Grant) < access.Manage {
		return accounts.NotManager()
	}
	return nil
}

// LabelDraft is a new label. Color "" is one by its name, Board "" all boards.
type LabelDraft struct {
	Name, Color, Board string
}

// OpenLabel adds a label. It returns boards.NotFound, labels.BadName, BadColor, NameTaken or TooMany, and with once
// Replay or KeyReused.
func (w *Workflows) OpenLabel(
	ctx context.Context, draft LabelDraft, once *Once[labels.Label],
) (labels.Label, error) {
	actor, err := mayChange(ctx, "tickets")
	if err == nil && draft.Board == "" {
		err = noGuest(actor)
	}
	if err != nil {
		return labels.Label{}, err
	}
	name, badName := labels.ParseName(draft.Name)
	color, badColor := labels.ParseColor(draft.Color, name)
	if err := fault.Join(badName, badColor); err != nil {
		return labels.Label{}, fmt.Errorf("add a label: %w", err)
	}
	return DoOnce(ctx, w, once, func() (label labels.Label, err error) {
		var board boards.Board
		if draft.Board != "" {
			if board, err = boards.BySlug(ctx, w.db.Queries, actor.Sight(), draft.Board); err != nil {
				return label, err
			}
			if err := mayWriteOn(actor, board.Grant); err != nil {
				return label, err
			}
		}
		err = w.withLockedRole(ctx, "add a label", func(tx *db.Tx, actor accounts.Actor) error {
			if label, err = labels.Make(ctx, tx, actor.Company.ID, board.ID, name, color); err != nil {
				return err
			}
			label.Slug = board.Slug
			return StoreResponses(ctx, tx, once.Row(tx, label))
		})
		return label, err
	})
}

// LabelEdit changes a label: a nil field stays as it is.
type LabelEdit struct{ Name, Color *string }

// EditLabel gives a label another name or colour, and publishes its tickets again. Its old name goes on leading to it. It
// returns labels.NotFound, NotManager, Ended, BadName, BadColor or NameTaken.
func (w *Workflows) EditLabel(ctx context.Context, label id.Label, edit LabelEdit) (labels.Label, error) {
	return w.onLabel(ctx, "edit a label", label, func(tx *db.Tx, company id.Company, l labels.Label) error {
		if !l.Live() {
			return labels.Ended(l)
		}
		name, color := l.Name, l.Color
		var badName, badColor error
		if edit.Name != nil {
			name, badName = labels.ParseName(*edit.Name)
		}
		if edit.Color != nil {
			color, badColor = labels.ParseColor(*edit.Color, name)
		}
		if err := fault.Join(badName, badColor); err != nil {
			return err
		}
		if name == l.Name && color == l.Color {
			return errSame
		}
		_, err := labels.Edit(ctx, tx, company, l, name, color)
		return err
	})
}

// errSame says that a label is as it should be already: nothing is written.
var errSame = errors.New("nothing changes")

// MergeLabel merges a label into another: its tickets show that from then on, and its name leads there. It returns
// labels.NotFound, NotManager, Ended or BadMerge.
func (w *Workflows) MergeLabel(ctx context.Context, label, into id.Label) (labels.Label, error) {
	return w.onLabel(ctx, "merge labels", label, func(tx *db.Tx, company id.Company, l labels.Label) error {
		if !l.Live() {
			return labels.Ended(l)
		}
		_, err := labels.ByID(ctx, tx.Queries, accounts.ActorFrom(ctx).Sight(), into)
		if errors.Is(err, fault.NotFound) {
			return labels.BadMerge("Choose a label from the list to merge it into.")
		}
		if err != nil {
			return err
		}
		target, err := labels.LockOne(ctx, tx, company, into)
		if err != nil {
			return err
		}
		return labels.Merge(ctx, tx, l, target)
	})
}

// DeleteLabel deletes a label. It can be restored for labels.RestoreFor. It returns labels.NotFound, NotManager or Ended.
func (w *Workflows) DeleteLabel(ctx context.Context, label id.Label) (labels.Label, error) {
	return w.onLabel(ctx, "delete a label", label, func(tx *db.Tx, _ id.Company, l labels.Label) error {
		if !l.Live() {
			return labels.Ended(l)
		}
		return labels.Delete(ctx, tx, l)
	})
}

// RestoreLabel reverts the deletion or the merge of a label. It returns labels.NotFound, NotManager, NotEnded, NameTaken
// or TooMany.
func (w *Workflows) RestoreLabel(ctx context.Context, label id.Label) (labels.Label, error) {
	return w.onLabel(ctx, "restore a label", label, func(tx *db.Tx, company id.Company, l labels.Label) error {
		return labels.Restore(ctx, tx, company, l)
	})
}

// LabelTicketsAtOnce is how many tickets of a label are published in the transaction that changes it. A run publishes
// more.
const LabelTicketsAtOnce = 100

// onLabel runs do in a transaction that holds the locks of the company and a label which the caller may change, and
// publishes the label's tickets. Locks of tickets come first, so it publishes them before, and
// begins anew if the label has got another meanwhile.
func (w *Workflows) onLabel(
	ctx context.Context, what string, label id.Label,
	do func(tx *db.Tx, company id.Company, l labels.Label) error,
) (now labels.Label, err error) {
	caller, err := mayChange(ctx, "tickets")
	if err != nil {
		return now, err
	}
	seen, err := labels.ByID(ctx, w.db.Queries, caller.Sight(), label)
	if err != nil {
		return now, err
	}
	for range relocations {
		err = w.change(ctx, func(tx *db.Tx) error {
			before, err := publishLabelled(ctx, tx, seen)
			if err != nil {
				return err
			}
			actor, err := accounts.LockRoles(ctx, tx, caller)
			if err != nil {
				return err
			}
			locked, err := labels.LockOne(ctx, tx, actor.Company.ID, label)
			if err != nil {
				return err
			}
			if err := w.mayManageLabel(ctx, tx.Queries, actor, locked); err != nil {
				return err
			}
			shown, err := labelled(ctx, tx, locked)
			if err != nil {
				return err
			}
			byRun := len(shown) > LabelTicketsAtOnce
			if !byRun && !containsAll(before, shown) {
				return errElsewhere
			}
			now = locked
			if err := do(tx, actor.Company.ID, locked); err != nil {
				return err
			}
			if byRun {
				values := migrations.Values{"company": actor.Company.Slug, "label": strconv.FormatUint(uint64(label), 10)}
				if _, err := w.engine.OpenIn(ctx, tx, runActor(actor), PublishLabelName, values); err != nil {
					return err
				}
			}
			now, err = labels.ByID(ctx, tx.Queries, actor.Sight(), label)
			return err
		})
		if !errors.Is(err, errElsewhere) {
			break
		}
	}
	switch {
	case errors.Is(err, errSame):
		return now, nil
	case errors.Is(err, errElsewhere):
		return now, db.Unavailable{Why: "tickets get the label again and again", Err: err}
	case err != nil:
		return now, fmt.Errorf("%s: %w", what, err)
	}
	return now, nil
}

// labelled returns the tickets that show a label, at most one more than are published at once.
func labelled(ctx context.Context, tx *db.Tx, label labels.Label) ([]tickets.ID, error) {
	together, err := labels.Together(ctx, tx.Queries, label)
	if err != nil {
		return nil, err
	}
	return labels.Tickets(ctx, tx.Queries, together, LabelTicketsAtOnce+1)
}

// publishLabelled publishes the tickets of a label again, and returns them; none if they are more than are published at
// once.
func publishLabelled(ctx context.Context, tx *db.Tx, label labels.Label) ([]tickets.ID, error) {
	list, err := labelled(ctx, tx, label)
	if err != nil || len(list) == 0 || len(list) > LabelTicketsAtOnce {
		return nil, err
	}
	if _, err := tx.RepublishTickets(ctx, list); err != nil {
		return nil, fmt.Errorf("publish tickets: %w", err)
	}
	return list, nil
}

func containsAll(list, some []tickets.ID) bool {
	return !slices.ContainsFunc(some, func(t tickets.ID) bool { return !slices.Contains(list, t) })
}
