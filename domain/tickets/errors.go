package tickets

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// EmptyTitle reports a ticket without a title.
type EmptyTitle struct{}

func (EmptyTitle) Error() string { return "Give the ticket a title." }
func (EmptyTitle) Unwrap() error { return fault.Invalid }
func (EmptyTitle) Field() string { return "title" }

// LongTitle reports a title of too many characters.
type LongTitle struct{ Length int }

func (e LongTitle) Error() string {
	return fmt.Sprintf("The title has %d characters; shorten it to %d and put the rest into the description.", e.Length, MaxTitle)
}
func (LongTitle) Unwrap() error { return fault.Invalid }
func (LongTitle) Field() string { return "title" }

// BadTitle reports a title that is not text.
type BadTitle struct{}

func (BadTitle) Error() string {
	return "The title has characters that are no text, or invisible ones that turn its direction. Type it anew instead of pasting it."
}
func (BadTitle) Unwrap() error { return fault.Invalid }
func (BadTitle) Field() string { return "title" }

// LongDescription reports a description of too many bytes.
type LongDescription struct{ Bytes int }

func (e LongDescription) Error() string {
	return fmt.Sprintf("The description has %d bytes; shorten it to %d.", e.Bytes, MaxDescription)
}
func (LongDescription) Unwrap() error { return fault.Invalid }
func (LongDescription) Field() string { return "description" }

// BadDescription reports a description that is not text.
type BadDescription struct{}

func (BadDescription) Error() string {
	return "The description has characters that are no text. Paste it anew, as UTF-8."
}
func (BadDescription) Unwrap() error { return fault.Invalid }
func (BadDescription) Field() string { return "description" }

// NotFound reports a ticket that does not exist, or not for the one who asks.
type NotFound struct{ Key string }

func (NotFound) Error() string {
	return "There is no such ticket here. Check the key, or look on its board."
}
func (NotFound) Unwrap() error { return fault.NotFound }

// UnknownKey reports a key among others that no ticket of the company has or had.
type UnknownKey struct{ Key string }

func (e UnknownKey) Error() string {
	return fmt.Sprintf("No ticket here has the key %.40s, or had it. Check it, and which company it is of.", e.Key)
}
func (UnknownKey) Unwrap() error { return fault.Invalid }
func (UnknownKey) Field() string { return "ids" }

// Stale reports an edit that was based on an older version of the ticket.
type Stale struct{ Current Ticket }

func (e Stale) Error() string {
	return "Someone else changed " + e.Current.Key.String() + " since you opened it. Compare your text with theirs, then save again."
}
func (Stale) Unwrap() error { return fault.Conflict }
func (Stale) Field() string { return "version" }

// MovedSince reports a move of a ticket that someone else moved since it was seen.
type MovedSince struct{ Current Ticket }

func (e MovedSince) Error() string {
	return e.Current.Key.String() + " was moved by someone else in the meantime, so it stays where they put it. Move it again if you still want to."
}
func (MovedSince) Unwrap() error { return fault.Conflict }
func (MovedSince) Field() string { return "seen" }

// AfterItself reports a wish to put a ticket below itself.
type AfterItself struct{ Key Key }

func (e AfterItself) Error() string {
	return "A ticket cannot be put below itself. Choose another ticket, or the top of the column."
}
func (AfterItself) Unwrap() error { return fault.Invalid }
func (AfterItself) Field() string { return "after" }

// DeletedLongAgo reports a ticket that was deleted too long ago to be restored.
type DeletedLongAgo struct{ Key Key }

func (e DeletedLongAgo) Error() string {
	return e.Key.String() + " was deleted more than 30 days ago, so it cannot be restored any more. Open a new ticket in its place."
}
func (DeletedLongAgo) Unwrap() error { return fault.Conflict }

// NothingToUndo reports that a person did nothing of late that could be undone.
type NothingToUndo struct{}

func (NothingToUndo) Error() string {
	return "There is nothing to undo: moves, closes, reopens and deletes of your own can be undone for 30 minutes."
}
func (NothingToUndo) Unwrap() error { return fault.Conflict }

// UndoneBefore reports an action that was undone already.
type UndoneBefore struct{ Key Key }

func (e UndoneBefore) Error() string {
	return "That was undone already. " + e.Key.String() + " stays as it is."
}
func (UndoneBefore) Unwrap() error { return fault.Conflict }

// ChangedSince reports an action that cannot be undone because someone did something to the ticket after it.
type ChangedSince struct {
	Current Ticket
	Kind    string // what they did
	By      string
}

func (e ChangedSince) Error() string {
	return e.By + " " + e.Kind + " " + e.Current.Key.String() + " in the meantime, so it stays as it is now. Look at it and change it by hand if you still want to."
}
func (ChangedSince) Unwrap() error { return fault.Conflict }

// OriginTaken reports tickets of an import that somebody else imports at the same time.
type OriginTaken struct{}

func (OriginTaken) Error() string {
	return "One of these tickets is imported by someone else at this moment. Import them again: what is there is then left as it is."
}
func (OriginTaken) Unwrap() error { return fault.Conflict }
