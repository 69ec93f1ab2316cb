package tickets

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeEmptyComment: the comment has no text. Send some.
const CodeEmptyComment fault.Code = "Comment.EmptyBody"

func EmptyComment() error {
	return fault.Invalid.New(CodeEmptyComment, "body", "Write something first.")
}

// CodeLongComment: the comment is too long. Shorten it, or write two.
const CodeLongComment fault.Code = "Comment.LongBody"

func LongComment(bytes int) error {
	return fault.Invalid.New(CodeLongComment, "body",
		fmt.Sprintf("The comment has %d bytes; shorten it to %d, or write two.", bytes, MaxComment))
}

// CodeBadComment: the comment has characters that are not text. Send it as UTF-8.
const CodeBadComment fault.Code = "Comment.BadBody"

func BadComment() error {
	return fault.Invalid.New(CodeBadComment, "body",
		"The comment has characters that are no text. Paste it anew, as UTF-8.")
}

// CodeCommentNotFound: the comment does not exist, or not any more. Read the ticket's comments again.
const CodeCommentNotFound fault.Code = "Comment.NotFound"

func CommentNotFound() error {
	return fault.NotFound.New(CodeCommentNotFound, "",
		"There is no such comment here, or it was deleted. Look at the ticket as it is now.")
}

// CodeNotYourComment: only its author may change a comment. Write another below it.
const CodeNotYourComment fault.Code = "Comment.NotAuthor"

func NotYourComment() error {
	return fault.Forbidden.New(CodeNotYourComment, "",
		"A comment is changed by who wrote it and nobody else. Write one of your own below it.")
}

// CodeStaleComment: the comment was changed or deleted since the version that was sent. Compare with “current”,
// then repeat the edit.
const CodeStaleComment fault.Code = "Comment.Stale"

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
func (e StaleComment) Unwrap() error {
	return fault.Conflict.New(CodeStaleComment, "version", e.Error())
}

// CodeNotAssignable: someone named is no member of the company, or only a viewer. Choose someone from the list
// of members.
const CodeNotAssignable fault.Code = "Ticket.NotAssignable"

func NotAssignable(handle string, viewer bool) error {
	return fault.Invalid.New(CodeNotAssignable, "assignees", notAssignableMessage(handle, viewer))
}

func notAssignableMessage(handle string, viewer bool) string {
	if viewer {
		return handle + " may only look here, so no ticket can be theirs to do. Ask an admin to make them a member first."
	}
	if handle == "" {
		return "Someone you chose does not belong to your company any more. Choose again from the list of people."
	}
	return "“" + handle + "” is nobody in your company, or nobody any more. Choose someone from the list of people."
}

// CodeTooManyAssignees: the ticket would have more assignees than it may have. Choose fewer.
const CodeTooManyAssignees fault.Code = "Ticket.TooManyAssignees"

func TooManyAssignees() error {
	return fault.Invalid.New(CodeTooManyAssignees, "assignees",
		fmt.Sprintf("A ticket can have up to %d assignees. Choose fewer, or split the work into several tickets.",
			MaxAssignees))
}

// CodeEntryNotFound: the caller's inbox has no such entry. Reload it.
const CodeEntryNotFound fault.Code = "Inbox.EntryNotFound"

func EntryNotFound() error {
	return fault.NotFound.New(CodeEntryNotFound, "", "There is no such entry in your inbox. Reload the page.")
}
