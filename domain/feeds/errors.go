package feeds

import (
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

// BadCursor reports what is no cursor of the feed.
type BadCursor struct{ Feed string }

func (e BadCursor) Error() string {
	return "This is not a cursor of the feed " + e.Feed + ". Send one as an answer gave it, or none to begin at the start."
}

func (BadCursor) Unwrap() error { return fault.Invalid }
func (BadCursor) Field() string { return "cursor" }

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
