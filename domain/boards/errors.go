package boards

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// EmptySlug reports a board without a slug.
type EmptySlug struct{}

func (EmptySlug) Error() string { return "Give the board a slug, such as NINJA." }
func (EmptySlug) Unwrap() error { return fault.Invalid }
func (EmptySlug) Field() string { return "slug" }

// BadSlug reports a slug of the wrong form.
type BadSlug struct{ Slug string }

func (BadSlug) Error() string {
	return "A slug is 2 to 10 letters A to Z or digits and begins with a letter, such as NINJA."
}
func (BadSlug) Unwrap() error { return fault.Invalid }
func (BadSlug) Field() string { return "slug" }

// SlugConflict reports a slug that another board of the company has.
type SlugConflict struct{ Slug string }

func (e SlugConflict) Error() string {
	return "There is a board " + e.Slug + " already. Choose another slug."
}
func (SlugConflict) Unwrap() error { return fault.Conflict }
func (SlugConflict) Field() string { return "slug" }

// EmptyTitle reports a board without a title.
type EmptyTitle struct{}

func (EmptyTitle) Error() string { return "Give the board a title." }
func (EmptyTitle) Unwrap() error { return fault.Invalid }
func (EmptyTitle) Field() string { return "title" }

// LongTitle reports a title of too many characters.
type LongTitle struct{ Length int }

func (e LongTitle) Error() string {
	return fmt.Sprintf("The title has %d characters; shorten it to %d.", e.Length, MaxTitle)
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

// NotFound reports a board that does not exist, or not for the one who asks.
type NotFound struct{ Slug string }

func (e NotFound) Error() string {
	return "There is no such board here. See the list of boards for those there are."
}
func (NotFound) Unwrap() error { return fault.NotFound }

// Unknown reports a wish to go to a board that does not exist, or not for the one who asks.
type Unknown struct{ Slug string }

func (Unknown) Error() string {
	return "There is no such board here. Choose one from the list of boards."
}
func (Unknown) Unwrap() error { return fault.Invalid }
func (Unknown) Field() string { return "board" }

// Archived reports a change to what is on an archived board.
type Archived struct{ Slug string }

func (Archived) Error() string { return "This board is archived. Restore it first." }
func (Archived) Unwrap() error { return fault.Conflict }

// ColumnFull reports a column whose limit lets nothing more in.
type ColumnFull struct {
	Name  string
	Limit int
}

func (e ColumnFull) Error() string {
	return fmt.Sprintf("“%s” is full: its limit is %d. Move something out of it first, or choose another column.", e.Name, e.Limit)
}
func (ColumnFull) Unwrap() error { return fault.Conflict }
func (ColumnFull) Field() string { return "column" }

// ColumnNotFound reports a column that is not on the board.
type ColumnNotFound struct{ Column uint64 }

func (e ColumnNotFound) Error() string {
	return "There is no such column on this board. Reload the board and choose one that it has."
}
func (ColumnNotFound) Unwrap() error { return fault.Invalid }
func (ColumnNotFound) Field() string { return "column" }

// Stale reports an edit that was based on an older version of the board.
type Stale struct{ Current Board }

func (e Stale) Error() string {
	return "Someone renamed this board in the meantime, to “" + e.Current.Title + "”. Look at it, then save again if you still want to."
}
func (Stale) Unwrap() error { return fault.Conflict }
func (Stale) Field() string { return "title" }

// AllDone reports a ticket that cannot be opened again because all columns are for finished work.
type AllDone struct{}

func (AllDone) Error() string {
	return "Every column of this board is for finished work, so no ticket on it can be open. Add another column first."
}
func (AllDone) Unwrap() error { return fault.Conflict }
