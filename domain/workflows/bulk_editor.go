package workflows

import (
	"context"
	"errors"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// BulkEditor does a bulk edit, a block of tickets at a time, with the rights that its maker has then.
type BulkEditor struct {
	bulkedits.BulkEdit
	actor accounts.Actor
	board boards.Board
	lost  error // why the maker may not change the board's tickets any more, nil if they may
}

// NewBulkEditor returns what does a bulk edit of a company as its maker may do it now. That the maker has lost the right to
// is no error: then each ticket is refused.
func NewBulkEditor(ctx context.Context, q *db.Queries, company string, edit bulkedits.BulkEdit) (b BulkEditor, err error) {
	b = BulkEditor{BulkEdit: edit}
	if b.actor, err = accounts.InCompany(ctx, q, company, edit.Maker.ID); err == nil {
		b.board, err = boards.ByID(ctx, q, b.actor.Sight(), edit.Board)
	}
	if err == nil {
		err = mayWriteOn(b.actor, b.board.Grant)
	}
	if err == nil && b.board.Archived() {
		err = boards.Archived()
	}
	if aboutTicket(err) {
		b.lost, err = err, nil
	}
	return b, err
}

// BulkTicket is a ticket to change. Activity is what is taken back, of an undo.
type BulkTicket struct {
	ID       id.Ticket
	Activity id.Activity
}

// errRolledBack ends a transaction that must not be committed.
var errRolledBack = errors.New("rolled back")

// Preview returns the outcome that a ticket would have now, and changes nothing.
func (b BulkEditor) Preview(ctx context.Context, d *db.DB, ticket BulkTicket) (item bulkedits.Item, err error) {
	err = d.InTx(ctx, func(tx *db.Tx) error {
		list, err := b.Apply(ctx, tx, []BulkTicket{ticket})
		if err != nil {
			return err
		}
		item = list[0]
		return errRolledBack
	})
	if !errors.Is(err, errRolledBack) {
		return item, err
	}
	item.Activity.ID = 0
	return item, nil
}

// Apply changes tickets, and returns the outcome for each. It takes all locks of the block first, in their order: columns,
// tickets, boards.
func (b BulkEditor) Apply(ctx context.Context, tx *db.Tx, list []BulkTicket) (items []bulkedits.Item, err error) {
	block := &bulkBlock{BulkEditor: b, tx: tx, actions: map[id.Ticket]tickets.Action{}}
	if b.lost == nil {
		if err := block.lock(ctx, list); err != nil {
			return nil, err
		}
		err := tx.Try(ctx, func() error { return block.prepare(ctx) })
		if err != nil && !aboutTicket(err) {
			return nil, err
		}
		block.lost = err
	}
	for _, one := range list {
		item := bulkedits.Item{Ticket: one.ID, Outcome: bulkedits.Unchanged}
		err := tx.Try(ctx, func() (err error) {
			item.Activity.ID, err = block.change(ctx, one)
			return err
		})
		switch {
		case aboutTicket(err):
			item = bulkedits.Item{Ticket: one.ID, Outcome: bulkedits.Refused, Reason: refusalOf(err)}
		case err != nil:
			return nil, err
		case item.Activity.ID != 0:
			item.Outcome = bulkedits.Changed
		}
		items = append(items, item)
	}
	return items, addEntries(ctx, tx, items)
}

// refusalOf is why a ticket stays as it is, for its reader.
func refusalOf(err error) string {
	if errors.Is(err, tickets.CodeNotFound) {
		return "It was deleted, or its board is not shown to you any more."
	}
	return fault.Message(err)
}

// addEntries gives items the entries of histories by their ids.
func addEntries(ctx context.Context, tx *db.Tx, items []bulkedits.Item) error {
	var ids []id.Activity
	for _, item := range items {
		if item.Activity.ID != 0 {
			ids = append(ids, item.Activity.ID)
		}
	}
	entries, err := tickets.Entries(ctx, tx.Queries, ids)
	for i := range items {
		if entry, ok := entries[items[i].Activity.ID]; ok {
			items[i].Activity = entry
		}
	}
	return err
}

// bulkBlock is a block of tickets with the locks that it takes to change them.
type bulkBlock struct {
	BulkEditor
	tx      *db.Tx
	seen    map[id.Ticket]tickets.Ticket
	locked  map[id.Ticket]tickets.Ticket
	actions map[id.Ticket]tickets.Action // to take back
	columns map[id.Column]boards.Column  // locked, as the changes so far have left them
	target  id.Column                    // of a move or a closing, 0 for none

	// What the changes share, read once.
	add    []tickets.Assignee
	labels []labels.Label
}

// lock reads the tickets, and takes the locks of the block.
func (b *bulkBlock) lock(ctx context.Context, list []BulkTicket) (err error) {
	ids := make([]id.Ticket, len(list))
	for i, one := range list {
		ids[i] = one.ID
	}
	if b.seen, err = tickets.ByIDs(ctx, b.tx.Queries, b.actor.Sight(), ids); err != nil {
		return err
	}
	if b.Edit.Kind == bulkedits.Undo {
		if err := b.readActions(ctx, list); err != nil {
			return err
		}
	}
	if b.Edit.Moves() {
		if err := b.lockColumns(ctx); err != nil {
			return err
		}
	}
	if b.locked, err = tickets.LockAll(ctx, b.tx, b.seen); err != nil {
		return err
	}
	return boards.Live(ctx, b.tx, b.Board)
}

// readActions reads what an undo takes back of each ticket.
func (b *bulkBlock) readActions(ctx context.Context, list []BulkTicket) error {
	for _, one := range list {
		if _, ok := b.seen[one.ID]; !ok {
			continue
		}
		action, err := tickets.AnyAction(ctx, b.tx.Queries, b.actor.Sight(), one.Activity)
		if errors.Is(err, tickets.CodeNothingToUndo) {
			continue
		}
		if err != nil {
			return err
		}
		b.actions[one.ID] = action
	}
	return nil
}

// lockColumns locks the columns that tickets are in and go to.
func (b *bulkBlock) lockColumns(ctx context.Context) (err error) {
	var ids []id.Column
	for _, ticket := range b.seen {
		ids = append(ids, ticket.Column)
	}
	for _, action := range b.actions {
		if from := action.Detail.From; from != nil {
			ids = append(ids, columnOf(b.board, from).ID)
		}
	}
	switch b.Edit.Kind {
	case bulkedits.Move:
		if b.Edit.Column != nil {
			b.target = b.Edit.Column.ID
		}
	case bulkedits.Close:
		if done, ok := b.board.FirstColumn(true); ok {
			b.target = done.ID
		}
	case bulkedits.Reopen:
		for _, column := range b.board.Columns { // which one the history of each ticket says
			ids = append(ids, column.ID)
		}
	}
	ids = append(ids, b.target)
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(column id.Column) bool { return column == 0 })
	if len(ids) == 0 {
		return nil
	}
	b.columns, err = boards.LockColumns(ctx, b.tx, ids...)
	return err
}

// noteMove notes in the columns that a ticket was moved.
func (b *bulkBlock) noteMove(moved tickets.MoveResult) {
	from, to := b.columns[moved.From.Column], b.columns[moved.Ticket.Column]
	if moved.Activity == 0 || from.ID == 0 || to.ID == 0 {
		return
	}
	to.LastRank = max(to.LastRank, moved.Ticket.Rank)
	if from.ID != to.ID {
		from.Count--
		to.Count++
		b.columns[from.ID] = from
	}
	b.columns[to.ID] = to
}

// change changes a ticket of the block, and returns what it added to its history, 0 if there was nothing to change.
func (b *bulkBlock) change(ctx context.Context, one BulkTicket) (id.Activity, error) {
	if b.lost != nil {
		return 0, b.lost
	}
	ticket, ok := b.locked[one.ID]
	if !ok {
		return 0, tickets.NotFound()
	}
	if seen := b.seen[one.ID]; ticket.Board != seen.Board || b.Edit.Moves() && ticket.Column != seen.Column {
		return 0, db.Unavailable{Why: "a ticket was moved meanwhile", Err: errElsewhere}
	}
	if err := mayWriteOn(b.actor, ticket.Grant); err != nil {
		return 0, err
	}
	by := user(b.actor)
	by.BulkEdit = b.ID
	t := lockedTicket{Ticket: ticket, tx: b.tx, by: by}
	if b.Edit.Kind == bulkedits.Undo {
		return b.undo(ctx, t)
	}
	if ticket.Deleted() {
		return 0, tickets.NotFound()
	}
	if ticket.Board != b.Board {
		return 0, tickets.LeftBoard(ticket.Key)
	}
	if b.Edit.Moves() {
		return b.relocate(ctx, t)
	}
	return b.set(ctx, t)
}

// prepare reads what the changes share, under the locks that come behind those of tickets.
func (b *bulkBlock) prepare(ctx context.Context) (err error) {
	switch b.Edit.Kind {
	case bulkedits.Assign:
		if b.add, err = assignableAccounts(ctx, b.tx, b.actor.Sight(), bulkedits.Accounts(b.Edit.Add)); err != nil {
			return err
		}
		return allSee(ctx, b.tx, b.Board, b.add)
	case bulkedits.Label:
		byName, err := LabelsNamed(ctx, b.tx, b.actor, b.board, b.Edit.Labels)
		if err != nil {
			return err
		}
		if b.labels, err = labels.Lock(ctx, b.tx, b.actor.Company.ID, byName...); err != nil {
			return err
		}
		if len(b.labels) < len(byName) {
			return db.Unavailable{Why: "a label was changed meanwhile", Err: errElsewhere}
		}
	}
	return nil
}

// set changes a ticket in its place.
func (b *bulkBlock) set(ctx context.Context, t lockedTicket) (id.Activity, error) {
	switch b.Edit.Kind {
	case bulkedits.Assign:
		_, added, entry, err := tickets.Assign(ctx, b.tx, b.actor.Company.ID, t.Ticket, b.add,
			bulkedits.Accounts(b.Edit.Remove), t.by)
		if err != nil || len(added) == 0 {
			return entry.ID, err
		}
		return entry.ID, tickets.Notify(ctx, b.tx, tickets.Notifications{Company: b.actor.Company.ID, Ticket: t.Ticket,
			By: t.by, Assigned: tickets.AccountsOf(added)})
	case bulkedits.Label:
		var remove []id.Label
		if b.Edit.Unlabel != nil {
			remove = append(remove, b.Edit.Unlabel.ID)
		}
		_, entry, err := tickets.SetLabels(ctx, b.tx, t.Ticket, b.labels, remove, t.by)
		return entry.ID, err
	}
	edit, err := b.Edit.Properties()
	if err != nil {
		return 0, err
	}
	_, entry, err := tickets.SetProperties(ctx, b.tx, t.Ticket, edit, t.by)
	return entry.ID, err
}

// relocate moves a ticket, closes, reopens or deletes it.
func (b *bulkBlock) relocate(ctx context.Context, t lockedTicket) (entry id.Activity, err error) {
	if b.Edit.Kind == bulkedits.Delete {
		return t.delete(ctx)
	}
	t.columns = b.columns
	var moved tickets.MoveResult
	switch b.Edit.Kind {
	case bulkedits.Close:
		moved, err = t.close(ctx, b.target)
	case bulkedits.Reopen:
		var goal boards.Column
		if goal, err = reopenIn(ctx, b.tx.Queries, t.Ticket, b.board); err == nil {
			moved, err = t.reopen(ctx, goal.ID)
		}
	default:
		goal := t.Column
		if b.target != 0 {
			goal = b.target
		}
		m := move{from: b.board, to: b.board, key: t.Key, intent: tickets.Intent{Column: goal, AtEnd: b.Edit.Bottom}}
		moved, err = m.carryOut(ctx, t)
	}
	switch {
	case errors.Is(err, errElsewhere):
		err = db.Unavailable{Why: "a column was changed meanwhile", Err: err}
	case err == nil:
		b.noteMove(moved)
	}
	return moved.Activity, err
}

// undo takes back what an action did to a ticket, if that is still as the action left it.
func (b *bulkBlock) undo(ctx context.Context, t lockedTicket) (entry id.Activity, err error) {
	action, ok := b.actions[t.ID]
	if !ok {
		return 0, tickets.NothingToUndo()
	}
	if action.Undone {
		return 0, tickets.UndoneBefore(t.Key)
	}
	if action.InPlace() {
		return b.undoInPlace(ctx, t, action)
	}
	if t.Board != b.Board {
		return 0, tickets.LeftBoard(t.Key)
	}
	if action.Effect() == tickets.KindDeleted && action.Kind == tickets.KindUndone {
		if err := tickets.Undo(ctx, b.tx, t.Ticket, action); err != nil {
			return 0, err
		}
		return t.delete(ctx)
	}
	if action.Detail.From == nil {
		return 0, tickets.NothingToUndo()
	}
	back := reversal{action: action, old: *action.Detail.From}
	if after := back.old.After; after != nil { // the board may have another slug now
		back.old.After = &tickets.Key{Board: b.board.Slug, Number: after.Number}
	}
	back.move.from, back.move.to = b.board, b.board
	back.column = columnOf(b.board, &back.old).ID
	if back.column != back.old.Column {
		return 0, boards.ColumnGone()
	}
	moved, err := back.carryOut(ctx, b.tx, b.seen[t.ID], t.by)
	if errors.Is(err, errElsewhere) {
		err = db.Unavailable{Why: "a ticket was moved meanwhile", Err: err}
	}
	return moved.Activity, err
}

// undoInPlace takes back a change that left the ticket in its place, also if it is on another board by now.
func (b *bulkBlock) undoInPlace(ctx context.Context, t lockedTicket, action tickets.Action) (entry id.Activity, err error) {
	if t.Deleted() {
		return 0, tickets.NotFound()
	}
	if t.Board != b.Board {
		if err := boards.Live(ctx, b.tx, t.Board); err != nil {
			return 0, err
		}
	}
	if action.Kind == tickets.KindAssigned {
		_, entry, err = undoAssigned(ctx, t, b.actor, action)
		return entry, err
	}
	removed := action.Detail.Labels.RemovedIDs()
	live, err := labels.Lock(ctx, b.tx, b.actor.Company.ID, removed...)
	if err != nil {
		return 0, err
	}
	for _, label := range removed {
		if !slices.ContainsFunc(live, func(l labels.Label) bool { return l.ID == label }) {
			return 0, labels.NotHere()
		}
	}
	_, entry, err = tickets.UndoSet(ctx, b.tx, t.Ticket, action, live, t.by)
	return entry, err
}
