package workflows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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

// BulkEditor does a bulk edit, a block of tickets at a time, with the rights that its maker has then. One without an id is no
// bulk edit, but a change of some tickets at once.
type BulkEditor struct {
	bulkedits.BulkEdit
	actor accounts.Actor
	lost  error // why the maker may not change tickets of the company any more, nil if they may
}

// NewBulkEditor returns what does a bulk edit of a company as its maker may do it now. That the maker has lost the right to
// is no error: then each ticket is refused.
func NewBulkEditor(ctx context.Context, q *db.Queries, company string, edit bulkedits.BulkEdit) (b BulkEditor, err error) {
	b = BulkEditor{BulkEdit: edit}
	b.actor, err = accounts.InCompany(ctx, q, company, edit.Maker.ID)
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
	item.Activity.Detail.Key = nil // another ticket may get that number
	return item, nil
}

// Apply changes tickets, and returns the outcome for each. It takes all locks of the block first, in their order: columns,
// tickets, boards.
func (b BulkEditor) Apply(ctx context.Context, tx *db.Tx, list []BulkTicket) (items []bulkedits.Item, err error) {
	block := &bulkBlock{BulkEditor: b, tx: tx, actions: map[id.Ticket]tickets.Action{}, targets: map[id.Board]id.Column{},
		refused: map[id.Board]error{}, labels: map[id.Board][]labels.Label{}}
	if b.lost == nil {
		if err := block.lock(ctx, list); err != nil {
			return nil, err
		}
		if err := block.prepare(ctx); err != nil {
			return nil, err
		}
	}
	for _, one := range list {
		item := bulkedits.Item{Ticket: one.ID, Outcome: bulkedits.Unchanged}
		before := block.follow
		err := tx.Try(ctx, func() (err error) {
			item.Activity.ID, err = block.change(ctx, one)
			return err
		})
		if err != nil {
			block.follow = before
		}
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
	if err := block.follow.do(ctx, tx, block.by()); err != nil {
		return nil, err
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
	parents map[id.Ticket]tickets.Ticket // that the tickets of a change of parents have, or get
	locked  map[id.Ticket]tickets.Ticket
	actions map[id.Ticket]tickets.Action // to take back
	latest  map[id.Activity]bool         // those that nothing followed
	boards  map[id.Board]boards.Board    // those in sight that the tickets are on, and go to
	refused map[id.Board]error           // why the tickets of a board stay as they are
	columns map[id.Column]boards.Column  // locked, as the changes so far have left them
	follow  followUps                    // of the changes so far
	targets map[id.Board]id.Column       // of a move or a closing

	// What the changes share, read once.
	add    []tickets.Assignee
	labels map[id.Board][]labels.Label
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
	if err := b.readParents(ctx); err != nil {
		return err
	}
	if b.boards, err = boards.ByIDs(ctx, b.tx.Queries, b.actor.Sight(), b.boardsConcerned()); err != nil {
		return err
	}
	if b.Edit.Moves() {
		if err := b.lockColumns(ctx); err != nil {
			return err
		}
	}
	if b.Edit.Board != nil {
		if err := boards.LockNumbers(ctx, b.tx, []id.Board{b.Edit.Board.ID}); err != nil {
			return err
		}
	}
	all := map[id.Ticket]tickets.Ticket{}
	maps.Copy(all, b.parents)
	maps.Copy(all, b.seen) // which know their relations
	if b.locked, err = tickets.LockAll(ctx, b.tx, all); err != nil {
		return err
	}
	if err := b.readLatest(ctx); err != nil {
		return err
	}
	archived, err := boards.KeepLive(ctx, b.tx, slices.Sorted(maps.Keys(b.boards))...)
	for _, board := range archived {
		b.refused[board] = boards.Archived()
	}
	return err
}

// boardsConcerned are the boards of the tickets and their parents, and those that tickets go to, in the order of their ids.
func (b *bulkBlock) boardsConcerned() []id.Board {
	on := map[id.Board]bool{}
	for _, list := range []map[id.Ticket]tickets.Ticket{b.seen, b.parents} {
		for _, ticket := range list {
			on[ticket.Board] = true
		}
	}
	for _, action := range b.actions {
		if from := action.Detail.From; from != nil {
			on[from.Board] = true
		}
	}
	if b.Edit.Board != nil {
		on[b.Edit.Board.ID] = true
	}
	return slices.Sorted(maps.Keys(on))
}

// readParents reads the tickets that a change of parents is about beside those of the block.
func (b *bulkBlock) readParents(ctx context.Context) (err error) {
	var ids []id.Ticket
	switch {
	case b.Edit.Kind == bulkedits.Parent && b.Edit.Parent != nil:
		ids = append(ids, b.Edit.Parent.ID)
	case b.Edit.Kind == bulkedits.Parent:
		now, err := tickets.RelationsOf(ctx, b.tx.Queries, b.actor.Sight(), slices.Collect(maps.Keys(b.seen)))
		if err != nil {
			return err
		}
		for ticket, relations := range now {
			one := b.seen[ticket]
			one.Relations = relations
			b.seen[ticket] = one
			if parent, ok := one.Parent(); ok {
				ids = append(ids, parent.Ticket)
			}
		}
	}
	for _, action := range b.actions {
		if action.Kind == tickets.KindRelated {
			ids = append(ids, action.Detail.Relation.Ticket)
		}
	}
	b.parents, err = tickets.ByIDs(ctx, b.tx.Queries, b.actor.Sight(), ids)
	return err
}

// readActions reads what an undo takes back of each ticket.
func (b *bulkBlock) readActions(ctx context.Context, list []BulkTicket) error {
	var entries []id.Activity
	for _, one := range list {
		if _, ok := b.seen[one.ID]; ok {
			entries = append(entries, one.Activity)
		}
	}
	actions, err := tickets.Actions(ctx, b.tx.Queries, b.actor.Sight(), entries)
	for _, action := range actions {
		b.actions[action.Ticket] = action
	}
	return err
}

// readLatest reads, once the tickets are locked, which of the actions can be taken back unseen.
func (b *bulkBlock) readLatest(ctx context.Context) (err error) {
	var moves []tickets.Action
	for _, action := range b.actions {
		if !action.InPlace() {
			moves = append(moves, action)
		}
	}
	b.latest, err = tickets.Latest(ctx, b.tx.Queries, moves)
	return err
}

// lockColumns locks the columns that tickets are in and go to.
func (b *bulkBlock) lockColumns(ctx context.Context) (err error) {
	var ids []id.Column
	for _, ticket := range b.seen {
		ids = append(ids, ticket.Column)
	}
	for _, action := range b.actions {
		from := action.Detail.From
		if from == nil {
			continue
		}
		if board, ok := b.boards[from.Board]; ok {
			ids = append(ids, columnOf(board, from).ID)
		}
	}
	if goal, ok := b.goal(); ok {
		for _, ticket := range b.seen {
			ids = append(ids, counterpart(b.boards[ticket.Board], goal, ticket).ID)
		}
	}
	for _, board := range b.boards {
		switch b.Edit.Kind {
		case bulkedits.Move:
			if b.Edit.Column != nil {
				b.targets[board.ID] = b.Edit.Column.ID
			} else if column, ok := board.ColumnNamed(b.Edit.ColumnNamed); ok {
				b.targets[board.ID] = column.ID
			}
		case bulkedits.Close:
			if done, ok := board.FirstColumn(true); ok {
				b.targets[board.ID] = done.ID
			}
		case bulkedits.Reopen:
			for _, column := range board.Columns { // which one the history of each ticket says
				ids = append(ids, column.ID)
			}
		}
		ids = append(ids, b.targets[board.ID])
	}
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(column id.Column) bool { return column == 0 })
	if len(ids) == 0 {
		return nil
	}
	b.columns, err = boards.LockColumns(ctx, b.tx, ids...)
	return err
}

// goal is the board that the tickets go to, if there is one in sight.
func (b *bulkBlock) goal() (boards.Board, bool) {
	if b.Edit.Board == nil {
		return boards.Board{}, false
	}
	goal, ok := b.boards[b.Edit.Board.ID]
	return goal, ok
}

// mayComeTo returns why tickets cannot come to a board, or a ticket there cannot be related.
func (b *bulkBlock) mayComeTo(board id.Board) error {
	found, ok := b.boards[board]
	if !ok {
		return boards.Unknown()
	}
	return cmp.Or(mayWriteOn(b.actor, found.Grant), b.refused[board])
}

// noteMove notes in the columns that a ticket was moved, or restored.
func (b *bulkBlock) noteMove(moved tickets.MoveResult) {
	to, ok := b.columns[moved.Ticket.Column]
	if moved.Activity == 0 || !ok {
		return
	}
	to.LastRank = max(to.LastRank, moved.Ticket.Rank)
	if moved.From.Column != to.ID {
		to.Count++
	}
	if from, ok := b.columns[moved.From.Column]; ok && from.ID != to.ID {
		from.Count--
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
	if err := cmp.Or(mayWriteOn(b.actor, ticket.Grant), b.refused[ticket.Board]); err != nil {
		return 0, err
	}
	t := lockedTicket{Ticket: ticket, tx: b.tx, by: b.by(), follow: &b.follow}
	if b.Edit.Kind == bulkedits.Undo {
		return b.undo(ctx, t)
	}
	if ticket.Deleted() {
		return 0, tickets.NotFound()
	}
	if b.Board != 0 && ticket.Board != b.Board {
		if b.ID == 0 {
			return 0, tickets.OnAnotherBoard()
		}
		return 0, tickets.LeftBoard(ticket.Key)
	}
	if b.Edit.Moves() {
		return b.relocate(ctx, t)
	}
	return b.set(ctx, t)
}

// by is the maker, as part of the bulk edit if it is one.
func (b *bulkBlock) by() tickets.User {
	by := user(b.actor)
	by.BulkEdit, by.OfAllBoards = b.ID, b.ID != 0 && b.Board == 0
	return by
}

// prepare reads what the changes share, under the locks that come behind those of tickets.
func (b *bulkBlock) prepare(ctx context.Context) (err error) {
	switch b.Edit.Kind {
	case bulkedits.Assign:
		return b.onEachBoard(ctx, func(board boards.Board) (err error) {
			if b.add, err = assignableAccounts(ctx, b.tx, b.actor.Sight(), bulkedits.Accounts(b.Edit.Add)); err != nil {
				return err
			}
			return allSee(ctx, b.tx, board.ID, b.add)
		})
	case bulkedits.Label:
		return b.prepareLabels(ctx)
	}
	return nil
}

// prepareLabels finds and locks the labels to add, and makes those that are missing.
func (b *bulkBlock) prepareLabels(ctx context.Context) error {
	named := map[id.Board][]id.Label{}
	var all []id.Label
	err := b.onEachBoard(ctx, func(board boards.Board) (err error) {
		named[board.ID], err = LabelsNamed(ctx, b.tx, b.actor, board, b.Edit.Labels)
		all = append(all, named[board.ID]...)
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(all)
	all = slices.Compact(all)
	live, err := labels.Lock(ctx, b.tx, b.actor.Company.ID, all...)
	if err != nil {
		return err
	}
	if len(live) < len(all) {
		return db.Unavailable{Why: "a label was changed meanwhile", Err: errElsewhere}
	}
	for _, label := range live {
		for board, ids := range named {
			if slices.Contains(ids, label.ID) {
				b.labels[board] = append(b.labels[board], label)
			}
		}
	}
	return nil
}

// onEachBoard does something for each board of the block. If it cannot be done on one, the tickets there are refused.
func (b *bulkBlock) onEachBoard(ctx context.Context, do func(boards.Board) error) error {
	for _, board := range slices.Sorted(maps.Keys(b.boards)) {
		if b.refused[board] != nil {
			continue
		}
		err := b.tx.Try(ctx, func() error { return do(b.boards[board]) })
		if err != nil && !aboutTicket(err) {
			return err
		}
		b.refused[board] = err
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
		for _, label := range b.Edit.Unlabel {
			remove = append(remove, label.ID)
		}
		_, entry, err := tickets.SetLabels(ctx, b.tx, t.Ticket, b.labels[t.Board], remove, t.by)
		return entry.ID, err
	case bulkedits.Parent:
		return b.setParent(ctx, t)
	}
	edit, err := b.Edit.Properties()
	if err != nil {
		return 0, err
	}
	_, entry, err := tickets.SetProperties(ctx, b.tx, t.Ticket, edit, t.by)
	return entry.ID, err
}

// setParent gives a ticket the parent of the edit, or takes its own away. One that has another keeps it.
func (b *bulkBlock) setParent(ctx context.Context, t lockedTicket) (id.Activity, error) {
	if b.Edit.Parent == nil {
		parent, ok := t.Parent()
		if !ok {
			return 0, nil
		}
		return b.relate(ctx, t, tickets.Parent, parent.Ticket, false, tickets.Detail{})
	}
	if b.Edit.Parent.ID == t.ID {
		return 0, tickets.RelatedToItself(t.Key)
	}
	entry, err := b.relate(ctx, t, tickets.Parent, b.Edit.Parent.ID, true, tickets.Detail{})
	if errors.Is(err, tickets.CodeNotFound) {
		err = tickets.RelatedNotFound(b.Edit.Parent.Key.String())
	}
	return entry, err
}

// relate adds or removes a relation to another ticket, which the maker must be able to change. It returns tickets.NotFound
// for one that they do not see.
func (b *bulkBlock) relate(
	ctx context.Context, t lockedTicket, kind tickets.RelationKind, to id.Ticket, wanted bool, detail tickets.Detail,
) (id.Activity, error) {
	other, ok := b.locked[to]
	if !ok || other.Deleted() {
		return 0, tickets.NotFound()
	}
	if err := b.mayComeTo(other.Board); err != nil {
		return 0, err
	}
	entry, err := t.setRelation(accounts.WithActor(ctx, b.actor), kind, other, wanted, detail)
	return entry.ID, err
}

// relocate moves a ticket, closes, reopens or deletes it.
func (b *bulkBlock) relocate(ctx context.Context, t lockedTicket) (entry id.Activity, err error) {
	if b.Edit.Kind == bulkedits.Delete {
		return t.delete(ctx)
	}
	t.columns = b.columns
	board, target := b.boards[t.Board], b.targets[t.Board]
	var moved tickets.MoveResult
	switch b.Edit.Kind {
	case bulkedits.Close:
		moved, err = t.close(ctx, target)
	case bulkedits.Reopen:
		var goal boards.Column
		if goal, err = reopenIn(ctx, b.tx.Queries, t.Ticket, board); err == nil {
			moved, err = t.reopen(ctx, goal.ID)
		}
	case bulkedits.Board:
		moved, err = b.send(ctx, t)
	default:
		if target == 0 && b.Edit.ColumnNamed != "" {
			return 0, boards.NoColumnNamed(b.Edit.ColumnNamed)
		}
		goal := cmp.Or(target, t.Column)
		m := move{from: board, to: board, key: t.Key, intent: tickets.Intent{Column: goal, AtEnd: b.Edit.Bottom}}
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

// send moves a ticket to the board of the edit.
func (b *bulkBlock) send(ctx context.Context, t lockedTicket) (moved tickets.MoveResult, err error) {
	goal, _ := b.goal()
	if t.Board == b.Edit.Board.ID {
		return moved, nil
	}
	if err := b.mayComeTo(b.Edit.Board.ID); err != nil {
		return moved, err
	}
	board := b.boards[t.Board]
	m := move{from: board, to: goal, intent: tickets.Intent{Column: counterpart(board, goal, t.Ticket).ID, AtEnd: true}}
	if m.key, err = m.takeKey(ctx, b.tx, t.Ticket); err != nil {
		return moved, err
	}
	return m.carryOut(ctx, t)
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
	if t.Board != b.leftOn(action) {
		return 0, tickets.LeftBoard(t.Key)
	}
	if action.Effect() == tickets.KindDeleted && action.Kind == tickets.KindUndone {
		if err := b.markUndone(ctx, t, action); err != nil {
			return 0, err
		}
		return t.delete(ctx)
	}
	if action.Detail.From == nil {
		return 0, tickets.NothingToUndo()
	}
	back := reversal{action: action, old: *action.Detail.From}
	if err := b.mayComeTo(back.old.Board); err != nil {
		return 0, err
	}
	board := b.boards[back.old.Board]
	if after := back.old.After; after != nil { // the board may have another slug now
		back.old.After = &tickets.Key{Board: board.Slug, Number: after.Number}
	}
	back.move.from, back.move.to = b.boards[t.Board], board
	back.column = columnOf(board, &back.old).ID
	if back.column != back.old.Column {
		return 0, boards.ColumnGone()
	}
	if b.columns[back.column].Board != board.ID {
		return 0, db.Unavailable{Why: "a column was changed meanwhile", Err: errElsewhere}
	}
	key, err := back.move.takeKey(ctx, b.tx, t.Ticket)
	if err != nil {
		return 0, err
	}
	if err := b.markUndone(ctx, t, action); err != nil {
		return 0, err
	}
	t.columns = b.columns
	moved, err := back.carryOut(ctx, t, key)
	if err == nil {
		b.noteMove(moved)
	}
	return moved.Activity, err
}

// markUndone marks an action as undone, one that nothing followed with those of the block. It returns what tickets.Undo
// does.
func (b *bulkBlock) markUndone(ctx context.Context, t lockedTicket, action tickets.Action) error {
	if !b.latest[action.ID] {
		return tickets.Undo(ctx, b.tx, t.Ticket, action)
	}
	b.follow.undone = append(b.follow.undone, action.ID)
	return action.CheckLocation(t.Ticket)
}

// leftOn is the board that an action left its ticket on.
func (b *bulkBlock) leftOn(action tickets.Action) id.Board {
	switch from, to := action.Detail.From, action.Detail.To; {
	case to != nil && to.Board != 0:
		return to.Board
	case from != nil:
		return from.Board
	}
	return b.Board
}

// undoInPlace takes back a change that left the ticket in its place, also if it is on another board by now.
func (b *bulkBlock) undoInPlace(ctx context.Context, t lockedTicket, action tickets.Action) (entry id.Activity, err error) {
	if t.Deleted() {
		return 0, tickets.NotFound()
	}
	switch action.Kind {
	case tickets.KindRelated:
		return b.undoRelated(ctx, t, action)
	case tickets.KindAssigned:
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

// undoRelated takes back a change of a parent.
func (b *bulkBlock) undoRelated(ctx context.Context, t lockedTicket, action tickets.Action) (id.Activity, error) {
	done := action.Detail.Relation
	kind, err := tickets.ParseRelationKind(done.Kind)
	if err != nil {
		return 0, fmt.Errorf("read history: %w", err)
	}
	if err := tickets.MarkUndone(ctx, b.tx, t.Ticket, action); err != nil {
		return 0, err
	}
	entry, err := b.relate(ctx, t, kind, done.Ticket, done.Removed, tickets.Detail{Undid: tickets.KindRelated})
	if errors.Is(err, tickets.CodeNotFound) || err == nil && entry == 0 {
		return 0, tickets.ChangedSince(t.Ticket, "changed", "")
	}
	return entry, err
}
