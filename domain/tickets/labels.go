package tickets

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
)

// LabelsOf returns the labels of many tickets in one query, each ticket's by name.
func LabelsOf(ctx context.Context, q *db.Queries, tickets []ID) (map[ID][]labels.Label, error) {
	rows, err := labelRows(ctx, q, tickets)
	if err != nil {
		return nil, err
	}
	found := make(map[ID][]labels.Label)
	for _, row := range rows {
		found[row.TicketID] = append(found[row.TicketID],
			labels.Label{ID: row.ID, Name: row.Name, Color: labels.Color(row.Color)})
	}
	for ticket, list := range found {
		found[ticket] = labels.Sorted(list)
	}
	return found, nil
}

func labelRows(ctx context.Context, q *db.Queries, tickets []ID) ([]db.LabelsOfTicketsRow, error) {
	if len(tickets) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.LabelsOfTickets(ctx, tickets))
	if err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	return rows, nil
}

// SetLabels adds and removes labels of a locked ticket, and records that in its history. add are live, and the caller
// holds their locks (labels.Lock). entry is what it added to the history; its ID is 0 if nothing changed. It returns
// labels.TooManyOnTicket.
func SetLabels(
	ctx context.Context, tx *db.Tx, ticket Ticket, add []labels.Label, remove []id.Label, by User,
) (_ Ticket, entry Activity, err error) {
	changed, change, err := relabel(ctx, tx, ticket, add, remove)
	if err != nil || change == nil {
		return changed, entry, err
	}
	detail := Detail{Labels: change}
	entry = Activity{Kind: KindSet, By: by, At: tx.Now, Detail: detail}
	entry.ID, err = Record(ctx, tx, ticket.ID, by, KindSet, detail)
	return changed, entry, err
}

// relabel changes the labels of a ticket. change is nil if there was nothing to change.
func relabel(
	ctx context.Context, tx *db.Tx, ticket Ticket, add []labels.Label, remove []id.Label,
) (_ Ticket, change *LabelChange, err error) {
	rows, err := labelRows(ctx, tx.Queries, []ID{ticket.ID})
	if err != nil {
		return ticket, nil, err
	}
	change = &LabelChange{}
	var now []labels.Label
	var gone []id.Label // also those that are shown as a removed one
	for _, row := range rows {
		shown := labels.Label{ID: row.ID, Name: row.Name, Color: labels.Color(row.Color)}
		first := !hasLabel(now, row.ID) && !change.removed(row.ID)
		if slices.Contains(remove, row.ID) && !hasLabel(add, row.ID) {
			gone = append(gone, row.LabelID)
			if first {
				change.Removed = append(change.Removed, LabelName{row.ID, row.Name})
			}
			continue
		}
		if first {
			now = append(now, shown)
		}
	}
	for _, one := range add {
		if hasLabel(now, one.ID) {
			continue
		}
		now = append(now, one)
		change.Added = append(change.Added, LabelName{one.ID, one.Name})
	}
	if len(change.Added) == 0 && len(change.Removed) == 0 {
		ticket.Labels = labels.Sorted(now)
		return ticket, nil, nil
	}
	if len(change.Added) > 0 && len(now) > labels.MaxOnTicket {
		return ticket, nil, labels.TooManyOnTicket()
	}
	if len(gone) > 0 {
		if err := tx.UnlabelTicket(ctx, ticket.ID, gone); err != nil {
			return ticket, nil, fmt.Errorf("remove labels: %w", err)
		}
	}
	for _, one := range change.Added {
		if err := tx.LabelTicket(ctx, ticket.ID, one.ID); err != nil {
			return ticket, nil, fmt.Errorf("add label: %w", err)
		}
	}
	n, err := tx.TouchTicket(ctx, tx.Now, ticket.ID)
	if err != nil {
		return ticket, nil, fmt.Errorf("publish ticket: %w", err)
	}
	if n != 1 {
		return ticket, nil, NotFound()
	}
	ticket.Labels, ticket.UpdatedAt = labels.Sorted(now), tx.Now
	return ticket, change, nil
}

// AddLabels gives new tickets labels, whose locks the caller holds.
func AddLabels(ctx context.Context, tx *db.Tx, of map[ID][]labels.Label) error {
	var rows []db.TicketLabel
	for ticket, list := range of {
		for _, one := range list {
			rows = append(rows, db.TicketLabel{TicketID: ticket, LabelID: one.ID})
		}
	}
	if err := tx.LabelAll(ctx, rows); err != nil {
		return fmt.Errorf("add labels: %w", err)
	}
	return nil
}

func (c *LabelChange) removed(label id.Label) bool {
	return slices.ContainsFunc(c.Removed, func(l LabelName) bool { return l.ID == label })
}

func hasLabel(list []labels.Label, label id.Label) bool {
	return slices.ContainsFunc(list, func(l labels.Label) bool { return l.ID == label })
}

// undoLabels reverts a change of labels. stands is false if one of them was changed again since, or is no label any
// more. The caller holds the locks of the labels that come back.
func undoLabels(
	ctx context.Context, tx *db.Tx, ticket Ticket, done LabelChange, live []labels.Label,
) (_ Ticket, undone *LabelChange, stands bool, err error) {
	of, err := LabelsOf(ctx, tx.Queries, []ID{ticket.ID})
	if err != nil {
		return ticket, nil, false, err
	}
	var remove []id.Label
	for _, one := range done.Added {
		if !hasLabel(of[ticket.ID], one.ID) {
			return ticket, nil, false, nil
		}
		remove = append(remove, one.ID)
	}
	for _, one := range done.Removed {
		if hasLabel(of[ticket.ID], one.ID) || !hasLabel(live, one.ID) {
			return ticket, nil, false, nil
		}
	}
	ticket, undone, err = relabel(ctx, tx, ticket, live, remove)
	return ticket, undone, true, err
}

// RemovedIDs are the labels that come back if the change is undone.
func (c *LabelChange) RemovedIDs() (ids []id.Label) {
	if c == nil {
		return nil
	}
	for _, one := range c.Removed {
		ids = append(ids, one.ID)
	}
	return ids
}
