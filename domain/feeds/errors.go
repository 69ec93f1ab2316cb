package feeds

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// NotFound reports a name that no feed has.
type NotFound struct {
	Name  string
	Names []string
}

func (e NotFound) Error() string {
	return fmt.Sprintf("There is no feed %.80q. Feeds are %s.", e.Name, strings.Join(e.Names, ", "))
}

func (NotFound) Unwrap() error { return fault.NotFound }

// RowNotFound reports a row that a feed does not show to a reader at this moment.
type RowNotFound struct {
	Feed string
	Row  uint64
}

func (e RowNotFound) Error() string {
	return fmt.Sprintf("The feed %s does not show the row %d now. If it is there, it is published in a moment: read on from your cursor.", e.Feed, e.Row)
}

func (RowNotFound) Unwrap() error { return fault.NotFound }

// BadCursor reports what is no cursor of the feed. In is the field that it was said in, the one named cursor
// where it is "".
type BadCursor struct{ Feed, In string }

func (e BadCursor) Error() string {
	return "This is not a cursor of the feed " + e.Feed + ". Send one as an answer gave it, or none to begin at the start."
}

func (BadCursor) Unwrap() error   { return fault.Invalid }
func (e BadCursor) Field() string { return cmp.Or(e.In, "cursor") }

// CursorOfBefore reports a cursor of another epoch: the database was restored, or another took its place.
type CursorOfBefore struct{ Feed string }

func (e CursorOfBefore) Error() string {
	return "This cursor is from before the database was restored or replaced. Read the feed " + e.Feed + " from its start, and drop what you have that it does not show."
}

func (CursorOfBefore) Unwrap() error { return fault.Conflict }

// CursorAhead reports a cursor that this database has not come to.
type CursorAhead struct{ Feed string }

func (e CursorAhead) Error() string {
	return "This cursor is ahead of the feed " + e.Feed + ", so it is of another database. Read the feed from its start, and drop what you have that it does not show."
}

func (CursorAhead) Unwrap() error { return fault.Conflict }

// CursorExpired reports a cursor behind which deletions are forgotten.
type CursorExpired struct{ Feed string }

func (e CursorExpired) Error() string {
	return "This cursor is so old that deletions behind it are forgotten. Read the feed " + e.Feed + " from its start, and drop what you have that it does not show."
}

// Unwrap returns the kind; web answers 410.
func (CursorExpired) Unwrap() error { return fault.Conflict }

// BadPlace reports what says nowhere in a feed. In is as that of BadCursor.
type BadPlace struct{ Feed, In string }

func (e BadPlace) Error() string {
	return `This is no place in the feed ` + e.Feed + `: say "start", "end", a cursor of it, or a time such as 2026-01-31T12:00:00Z.`
}

func (BadPlace) Unwrap() error   { return fault.Invalid }
func (e BadPlace) Field() string { return cmp.Or(e.In, "cursor") }

// In names the field that said a place where an error is BadPlace or BadCursor, and returns other errors as they
// are.
func In(field string, err error) error {
	if place, ok := errors.AsType[BadPlace](err); ok {
		place.In = field
		return place
	}
	if cursor, ok := errors.AsType[BadCursor](err); ok {
		cursor.In = field
		return cursor
	}
	return err
}

// BadName reports what cannot be the name of a consumer.
type BadName struct{}

func (BadName) Error() string {
	return "The name of a consumer is 1 to 80 letters, digits, dots, dashes and underscores, and begins with a letter or digit."
}

func (BadName) Unwrap() error { return fault.Invalid }
func (BadName) Field() string { return "name" }

// ConsumerConflict reports a name that a consumer of the feed has.
type ConsumerConflict struct{ Feed, Name string }

func (e ConsumerConflict) Error() string {
	return fmt.Sprintf("The feed %s has a consumer %q. Use that, or choose another name.", e.Feed, e.Name)
}

func (ConsumerConflict) Unwrap() error { return fault.Conflict }
func (ConsumerConflict) Field() string { return "name" }

// TooManyConsumers reports that a company has as many consumers as it may have.
type TooManyConsumers struct{}

func (TooManyConsumers) Error() string {
	return fmt.Sprintf("There are %d consumers, and no more are possible. Delete one that nobody needs, then register another.", MaxConsumers)
}

func (TooManyConsumers) Unwrap() error { return fault.Conflict }

// ConsumerNotFound reports a consumer that the company does not have.
type ConsumerNotFound struct{ Name string }

func (e ConsumerNotFound) Error() string {
	return fmt.Sprintf("There is no consumer %.80q here. Register it first.", e.Name)
}

func (ConsumerNotFound) Unwrap() error { return fault.NotFound }

// ConsumerMoved reports a consumer that does not stand where it was said to.
type ConsumerMoved struct{ Current Consumer }

func (e ConsumerMoved) Error() string {
	return "The consumer " + e.Current.Name + " stands elsewhere by now, so it was not moved: read on from there."
}

func (ConsumerMoved) Unwrap() error { return fault.Conflict }

// BackwardCursor reports a consumer that is to advance to what lies behind it.
type BackwardCursor struct{}

func (BackwardCursor) Error() string {
	return "That lies before the place that you come from. To read again, set the cursor without saying from where."
}

func (BackwardCursor) Unwrap() error { return fault.Invalid }
func (BackwardCursor) Field() string { return "to" }
