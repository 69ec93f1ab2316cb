package tickets

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// Checklist counts the items of all checklists of a description.
type Checklist struct{ Checked, Items int }

// ChecklistFrom returns counts as they are stored; items is nil if they were never counted.
func ChecklistFrom(items *uint16, checked uint16) Checklist {
	if items == nil {
		return Checklist{}
	}
	return Checklist{Checked: int(checked), Items: int(*items)}
}

// ChecklistOf counts the items of a description: plain text has none.
func ChecklistOf(description string, plain bool) (c Checklist) {
	if !plain {
		c.Checked, c.Items = markup.CountItems(description)
	}
	return c
}

// ItemChange is an item of a checklist that was checked or unchecked.
type ItemChange struct {
	Text    string     `json:"text"` // its first line
	Checked bool       `json:"checked"`
	Comment id.Comment `json:"comment,omitempty"` // that has it; 0 is the description
	Check   string     `json:"check"`             // markup.Check
}

// CodeItemChanged: the item of a checklist was changed or deleted since it was seen. Look at “current”, then check the
// item there if that is still wanted.
const CodeItemChanged fault.Code = "Ticket.ItemChanged"

// ItemChanged reports a check of an item that the text does not have any more.
type ItemChanged struct {
	Current Ticket
	Comment *Comment // that had the item; nil is the description
}

func (e ItemChanged) Error() string {
	return "This item of the checklist was changed or deleted meanwhile. Look at the text as it is now, then check it again."
}
func (e ItemChanged) Unwrap() error { return fault.Conflict.New(CodeItemChanged, "", e.Error()) }

// CodeBadItem: what was sent names no item of a checklist. Reload the text, and send an item as it is listed.
const CodeBadItem fault.Code = "Ticket.BadItem"

func BadItem() error {
	return fault.Invalid.New(CodeBadItem, "check", "This names no item of a checklist. Reload the page and try again.")
}

// CheckItem checks or unchecks an item of the description of a locked ticket, and records that; detail is what else the
// history says. entry is what it added to the history; its ID is 0 if the item was as wanted. It returns ItemChanged.
func CheckItem(
	ctx context.Context, tx *db.Tx, ticket Ticket, check markup.Check, detail Detail, by User,
) (Ticket, Activity, error) {
	text, item, ok := check.Apply(ticket.Description)
	switch {
	case !ok || ticket.FromRequester:
		return ticket, Activity{}, ItemChanged{Current: ticket}
	case item.Checked == check.Checked:
		return ticket, Activity{}, nil
	}
	detail.Item = itemChange(item, check.Checked, 0)
	detail.Description = &Change{Old: ticket.Description, New: text}
	ticket.Description = text
	return saveTexts(ctx, tx, ticket, KindChecked, detail, by)
}

// CheckItemInComment is CheckItem for a comment, of any member, and also returns CommentNotFound.
func CheckItemInComment(
	ctx context.Context, tx *db.Tx, ticket Ticket, comment id.Comment, check markup.Check, detail Detail, by User,
) (entry Activity, err error) {
	if _, err := lockComment(ctx, tx, ticket.ID, comment, User{}); err != nil {
		return entry, err
	}
	now, err := CommentOf(ctx, tx.Queries, ticket.ID, comment)
	if err == nil && now.Deleted() {
		err = CommentNotFound()
	}
	if err != nil {
		return entry, err
	}
	body, item, ok := check.Apply(now.Body)
	switch {
	case !ok || now.FromRequester:
		return entry, ItemChanged{Current: ticket, Comment: &now}
	case item.Checked == check.Checked:
		return entry, nil
	}
	n, err := tx.EditComment(ctx, db.EditCommentParams{Body: body, Now: tx.Now, ID: comment, Version: now.Version})
	if err != nil {
		return entry, fmt.Errorf("edit comment: %w", err)
	}
	if n != 1 {
		return entry, CommentNotFound()
	}
	detail.Item = itemChange(item, check.Checked, comment)
	entry = Activity{Kind: KindChecked, By: by, At: tx.Now, Detail: detail}
	entry.ID, err = Record(ctx, tx, ticket.ID, by, KindChecked, detail)
	return entry, err
}

// itemChange is the change of an item, with what would make it once more.
func itemChange(item markup.Item, checked bool, comment id.Comment) *ItemChange {
	return &ItemChange{Text: item.Text, Checked: checked, Comment: comment, Check: markup.CheckOf(item, checked).String()}
}

// UndoChecked reverts the check of an item, if that is still as the action left it. The caller holds the ticket's lock.
// It returns UndoneBefore or ChangedSince.
func UndoChecked(ctx context.Context, tx *db.Tx, ticket Ticket, action Action, by User) (Ticket, error) {
	if err := MarkUndone(ctx, tx, ticket, action); err != nil {
		return Ticket{}, err
	}
	done := action.Detail.Item
	check, ok := markup.ParseCheck(done.Check)
	if !ok {
		return Ticket{}, fmt.Errorf("read history: %q is no check", done.Check)
	}
	check.Checked = !done.Checked
	detail := Detail{Undid: KindChecked}
	var entry Activity
	var err error
	if done.Comment != 0 {
		entry, err = CheckItemInComment(ctx, tx, ticket, done.Comment, check, detail, by)
	} else {
		ticket, entry, err = CheckItem(ctx, tx, ticket, check, detail, by)
	}
	if fault.KindOf(err) == fault.Conflict || fault.KindOf(err) == fault.NotFound || err == nil && entry.ID == 0 {
		return Ticket{}, ChangedSince(ticket, "changed", "")
	}
	return ticket, err
}

// CountItems counts the items of the descriptions of a board's tickets with numbers in (after, to], and returns how many
// tickets had other counts, or none.
func CountItems(ctx context.Context, tx *db.Tx, board id.Board, after, to uint64) (counted int, err error) {
	rows, err := tx.TicketsToCount(ctx, db.TicketsToCountParams{BoardID: board, After: after, To: to})
	if err != nil {
		return 0, fmt.Errorf("read tickets: %w", err)
	}
	for _, row := range rows {
		has := ChecklistOf(row.Description, row.FromRequester)
		if row.Items != nil && has == ChecklistFrom(row.Items, row.ItemsChecked) {
			continue
		}
		items := uint16(has.Items)
		var n int64
		if row.Items == nil && items == 0 { // readers of the feed see no difference
			n, err = tx.CountNoItems(ctx, row.ID, row.Version)
		} else {
			n, err = tx.CountItems(ctx, db.CountItemsParams{Items: &items, ItemsChecked: uint16(has.Checked), ID: row.ID,
				Version: row.Version})
		}
		if err != nil {
			return 0, fmt.Errorf("store counts: %w", err)
		}
		counted += int(n)
	}
	return counted, nil
}
