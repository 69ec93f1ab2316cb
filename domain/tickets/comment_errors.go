package tickets

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// EmptyComment reports a comment without text.
type EmptyComment struct{}

func (EmptyComment) Error() string { return "Write something first." }
func (EmptyComment) Unwrap() error { return fault.Invalid }
func (EmptyComment) Field() string { return "body" }

// LongComment reports a comment of too many bytes.
type LongComment struct{ Bytes int }

func (e LongComment) Error() string {
	return fmt.Sprintf("The comment has %d bytes; shorten it to %d, or write two.", e.Bytes, MaxComment)
}
func (LongComment) Unwrap() error { return fault.Invalid }
func (LongComment) Field() string { return "body" }

// BadComment reports a comment that is not text.
type BadComment struct{}

func (BadComment) Error() string {
	return "The comment has characters that are no text. Paste it anew, as UTF-8."
}
func (BadComment) Unwrap() error { return fault.Invalid }
func (BadComment) Field() string { return "body" }

// CommentNotFound reports a comment that is not there, or no more.
type CommentNotFound struct{}

func (CommentNotFound) Error() string {
	return "There is no such comment here, or it was deleted. Look at the ticket as it is now."
}
func (CommentNotFound) Unwrap() error { return fault.NotFound }

// NotYourComment reports a wish to change what someone else wrote.
type NotYourComment struct{}

func (NotYourComment) Error() string {
	return "A comment is changed by who wrote it and nobody else. Write one of your own below it."
}
func (NotYourComment) Unwrap() error { return fault.Forbidden }

// StaleComment reports an edit that was based on an older version of the comment.
type StaleComment struct {
	Key     Key
	Current Comment
}

func (e StaleComment) Error() string {
	if e.Current.Deleted() {
		return "This comment was deleted since you opened it. Copy your text if you still want to say it, and write it as a new one."
	}
	return "This comment was changed since you opened it, in another window perhaps. Compare both texts, then save again."
}
func (StaleComment) Unwrap() error { return fault.Conflict }
func (StaleComment) Field() string { return "version" }

// NotAssignable reports someone who cannot be assigned to a ticket.
type NotAssignable struct {
	Handle string // or the name; "" of someone who left
	Viewer bool
}

func (e NotAssignable) Error() string {
	if e.Viewer {
		return e.Handle + " may only look here, so no ticket can be theirs to do. Ask an admin to make them a member first."
	}
	if e.Handle == "" {
		return "Someone you chose does not belong to your company any more. Choose again from the list of people."
	}
	return "“" + e.Handle + "” is nobody in your company, or nobody any more. Choose someone from the list of people."
}
func (NotAssignable) Unwrap() error { return fault.Invalid }
func (NotAssignable) Field() string { return "assignees" }

// TooManyAssignees reports more people than one ticket can have.
type TooManyAssignees struct{}

func (TooManyAssignees) Error() string {
	return fmt.Sprintf("A ticket can have up to %d assignees. Choose fewer, or split the work into several tickets.", MaxAssignees)
}
func (TooManyAssignees) Unwrap() error { return fault.Invalid }
func (TooManyAssignees) Field() string { return "assignees" }

// EntryNotFound reports an entry that is not in one's inbox.
type EntryNotFound struct{}

func (EntryNotFound) Error() string { return "There is no such entry in your inbox. Reload the page." }
func (EntryNotFound) Unwrap() error { return fault.NotFound }
