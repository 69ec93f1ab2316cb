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

// SlugConflict reports a slug that another board of the company has, or had: the board whose slug is
// Now.
type SlugConflict struct{ Slug, Now, Title string }

func (e SlugConflict) Error() string {
	if e.Now != e.Slug {
		return "The board " + e.Now + " was " + e.Slug + " once, and its old keys lead there for ever. Choose another slug."
	}
	return "There is a board " + e.Slug + " already: “" + e.Title + "”. Choose another slug."
}
func (SlugConflict) Unwrap() error { return fault.Conflict }
func (SlugConflict) Field() string { return "slug" }

// SlugImported reports a slug that imported keys have.
type SlugImported struct{ Slug string }

func (e SlugImported) Error() string {
	return "Tickets were imported with keys such as " + e.Slug + "-1, and these lead to them for ever. Choose another slug."
}
func (SlugImported) Unwrap() error { return fault.Conflict }
func (SlugImported) Field() string { return "slug" }

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
	return "Someone else changed this board in the meantime: it is " + e.Current.Slug + " “" + e.Current.Title + "”. Look at it as it is now, then save again if you still want to."
}
func (Stale) Unwrap() error { return fault.Conflict }
func (Stale) Field() string { return "title" }

// AllDone reports a ticket that cannot be opened again because all columns are for finished work.
type AllDone struct{}

func (AllDone) Error() string {
	return "Every column of this board is for finished work, so no ticket on it can be open. Add another column first."
}
func (AllDone) Unwrap() error { return fault.Conflict }

// BadColumnName reports a name that is none, too long, or no text.
type BadColumnName struct {
	Text   bool // it is text
	Length int
}

func (e BadColumnName) Error() string {
	switch {
	case !e.Text:
		return "The name has characters that are no text. Type it anew, as UTF-8."
	case e.Length == 0:
		return "Give the column a name."
	}
	return fmt.Sprintf("The name has %d characters; shorten it to %d.", e.Length, MaxColumnName)
}
func (BadColumnName) Unwrap() error { return fault.Invalid }
func (BadColumnName) Field() string { return "name" }

// BadWIP reports an unknown kind of limit.
type BadWIP struct{}

func (BadWIP) Error() string { return "A limit is one of none, soft and hard." }
func (BadWIP) Unwrap() error { return fault.Invalid }
func (BadWIP) Field() string { return "wip" }

// BadLimit reports a limit that is missing or out of bounds.
type BadLimit struct{}

func (BadLimit) Error() string {
	return fmt.Sprintf("Say how many tickets the column may have, from 1 to %d.", MaxLimit)
}
func (BadLimit) Unwrap() error { return fault.Invalid }
func (BadLimit) Field() string { return "wip_limit" }

// BadPosition reports a position among columns below the first.
type BadPosition struct{}

func (BadPosition) Error() string { return "The position of the first column is 1." }
func (BadPosition) Unwrap() error { return fault.Invalid }
func (BadPosition) Field() string { return "position" }

// TooManyColumns reports a column too many.
type TooManyColumns struct{}

func (TooManyColumns) Error() string {
	return fmt.Sprintf("A board has at most %d columns. Remove one first.", MaxColumns)
}
func (TooManyColumns) Unwrap() error { return fault.Conflict }
func (TooManyColumns) Field() string { return "name" }

// LastColumn reports a wish to remove a board's only column.
type LastColumn struct{}

func (LastColumn) Error() string {
	return "A board keeps at least one column. Add another one first."
}
func (LastColumn) Unwrap() error { return fault.Conflict }

// NoHeir reports a wish to remove a column without saying where its tickets go.
type NoHeir struct{ Count int64 }

func (e NoHeir) Error() string {
	return "The column has tickets. Choose another column of this board, to whose end they go."
}
func (NoHeir) Unwrap() error { return fault.Invalid }
func (NoHeir) Field() string { return "to" }
