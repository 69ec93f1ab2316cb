package tickets

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeEmptyTitle: the ticket has no title. Send one.
const CodeEmptyTitle fault.Code = "Ticket.EmptyTitle"

func EmptyTitle() error {
	return fault.Invalid.New(CodeEmptyTitle, "title", "Enter a title.")
}

// CodeLongTitle: the title of a ticket is too long. Shorten it.
const CodeLongTitle fault.Code = "Ticket.LongTitle"

func LongTitle(length int) error {
	return fault.Invalid.New(CodeLongTitle, "title",
		fmt.Sprintf("The title has %d characters; shorten it to %d and put the rest into the description.", length, MaxTitle))
}

// CodeBadTitle: the title of a ticket has characters that are not text. Retype it.
const CodeBadTitle fault.Code = "Ticket.BadTitle"

func BadTitle() error {
	return fault.Invalid.New(CodeBadTitle, "title",
		"The title has invalid or invisible characters. Type it again instead of pasting it.")
}

// CodeLongDescription: the description is too long. Shorten it.
const CodeLongDescription fault.Code = "Ticket.LongDescription"

func LongDescription(bytes int) error {
	return fault.Invalid.New(CodeLongDescription, "description",
		fmt.Sprintf("The description has %d bytes; shorten it to %d.", bytes, MaxDescription))
}

// CodeBadDescription: the description has characters that are not text. Send it as UTF-8.
const CodeBadDescription fault.Code = "Ticket.BadDescription"

func BadDescription() error {
	return fault.Invalid.New(CodeBadDescription, "description",
		"The description has invalid characters. Paste it again as plain text (UTF-8).")
}

// CodeNotFound: the ticket does not exist, or not for the caller. Check the key.
const CodeNotFound fault.Code = "Ticket.NotFound"

func NotFound() error {
	return fault.NotFound.New(CodeNotFound, "",
		"This ticket does not exist, or you have no access. Check the key, or search its board.")
}

// CodeUnknownKey: no ticket of the company has or had a key that was named. Check it.
const CodeUnknownKey fault.Code = "Ticket.UnknownKey"

func UnknownKey(key string) error {
	return fault.Invalid.New(CodeUnknownKey, "ids",
		fmt.Sprintf("No ticket has or had the key %.40s. Check it, and its company.", key))
}

// CodeStale: the ticket was changed since the version that was sent. Compare with “current”, then repeat the
// edit.
const CodeStale fault.Code = "Ticket.Stale"

// Stale reports an edit that was based on an older version of the ticket.
type Stale struct{ Current Ticket }

func (e Stale) Error() string {
	return "Someone else changed " + e.Current.Key.String() +
		" since you opened it. Compare your text with theirs, then save again."
}
func (e Stale) Unwrap() error {
	return fault.Conflict.New(CodeStale, "version", e.Error())
}

// CodeMovedSince: the ticket was moved by someone else since it was seen. Look at “current”, then move it again
// if that is still wanted.
const CodeMovedSince fault.Code = "Ticket.MovedSince"

// MovedSince reports a move of a ticket that someone else moved since it was seen.
type MovedSince struct{ Current Ticket }

func (e MovedSince) Error() string {
	return e.Current.Key.String() +
		" was moved by someone else in the meantime and stays there. Move it again if needed."
}
func (e MovedSince) Unwrap() error {
	return fault.Conflict.New(CodeMovedSince, "seen", e.Error())
}

// CodeAfterItself: a ticket was to be put below itself. Choose another ticket, or the top of the column.
const CodeAfterItself fault.Code = "Ticket.AfterItself"

func AfterItself() error {
	return fault.Invalid.New(CodeAfterItself, "after",
		"A ticket cannot be below itself. Choose another ticket, or the top of the column.")
}

// CodeDeletedLongAgo: the ticket was deleted more than 30 days ago and cannot be restored. Open a new one.
const CodeDeletedLongAgo fault.Code = "Ticket.DeletedLongAgo"

func DeletedLongAgo(key Key) error {
	return fault.Conflict.New(CodeDeletedLongAgo, "",
		key.String()+" was deleted more than 30 days ago, so it cannot be restored. Create a new ticket instead.")
}

// CodeNothingToUndo: the caller did nothing of late that could be undone. Actions can be undone for 30 minutes.
const CodeNothingToUndo fault.Code = "Undo.Nothing"

func NothingToUndo() error {
	return fault.Conflict.New(CodeNothingToUndo, "",
		"There is nothing to undo. You can undo your own moves, closes, reopens, deletes and changes of priority, dates, labels and assignees for 30 minutes.")
}

// CodeLeftBoard: the ticket is on another board by now, where a bulk edit leaves it as it is. Change it there.
const CodeLeftBoard fault.Code = "Ticket.LeftBoard"

func LeftBoard(key Key) error {
	return fault.Conflict.New(CodeLeftBoard, "", "It was moved to another board, where it is "+key.String()+".")
}

// OnAnotherBoard is for a ticket that was named where those of one board are changed.
func OnAnotherBoard() error {
	return fault.Conflict.New(CodeLeftBoard, "", "It is on another board. Change it there.")
}

// CodeUndoBulkEdit: the last actions are those of a bulk edit, which is undone as a whole. Open its page.
const CodeUndoBulkEdit fault.Code = "Undo.BulkEdit"

func UndoBulkEdit() error {
	return fault.NotFound.New(CodeUndoBulkEdit, "",
		"Your last changes are those of a bulk edit. Take it back as a whole, on its page under Bulk edits.")
}

// CodeUndoneBefore: the action was undone already. The ticket stays as it is.
const CodeUndoneBefore fault.Code = "Undo.Done"

func UndoneBefore(key Key) error {
	return fault.Conflict.New(CodeUndoneBefore, "", "This was already undone. "+key.String()+" stays as it is.")
}

// CodeChangedSince: an action cannot be undone because the ticket was changed after it. Change the ticket by
// hand if it is still wanted.
const CodeChangedSince fault.Code = "Ticket.ChangedSince"

// ChangedSince says what was done to a ticket; by is "" if it is not known who did it: it may be the reader.
func ChangedSince(current Ticket, kind, by string) error {
	done := by + " " + kind + " " + current.Key.String()
	if by == "" {
		done = current.Key.String() + " was " + kind
	}
	return fault.Conflict.New(CodeChangedSince, "", done+" in the meantime, so this cannot be undone. Change the ticket by hand if needed.")
}

// CodeOriginTaken: another import brings one of these tickets at the same time. Import them again.
const CodeOriginTaken fault.Code = "Import.OriginTaken"

func OriginTaken() error {
	return fault.Conflict.New(CodeOriginTaken, "",
		"Someone else is importing one of these tickets right now. Import them again: tickets that exist are left as they are.")
}
