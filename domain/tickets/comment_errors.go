package tickets

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeEmptyComment: the comment has no text. Send some.
const CodeEmptyComment fault.Code = "Comment.EmptyBody"

func EmptyComment() error {
	return fault.Invalid.New(CodeEmptyComment, "body", "Enter a comment.")
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
		"The comment has invalid characters. Paste it again as plain text (UTF-8).")
}

// CodeCommentNotFound: the comment does not exist, or not any more. Read the ticket's comments again.
const CodeCommentNotFound fault.Code = "Comment.NotFound"

func CommentNotFound() error {
	return fault.NotFound.New(CodeCommentNotFound, "",
		"This comment does not exist, or was deleted. Reload the ticket.")
}

// CodeNotYourComment: only its author may change a comment. Write another below it.
const CodeNotYourComment fault.Code = "Comment.NotAuthor"

func NotYourComment() error {
	return fault.Forbidden.New(CodeNotYourComment, "",
		"Only its author can change a comment. Write your own below it.")
}

// CodeNotYourDeletion: only the member who deleted a comment may undo that. Ask them.
const CodeNotYourDeletion fault.Code = "Comment.NotDeleter"

func NotYourDeletion() error {
	return fault.Forbidden.New(CodeNotYourDeletion, "",
		"A deleted comment is restored by the member who deleted it and nobody else. Ask them.")
}

// CodeCommentDeletedLongAgo: the comment was deleted more than 30 minutes ago, and its text is gone. Write it again.
const CodeCommentDeletedLongAgo fault.Code = "Comment.DeletedLongAgo"

func CommentDeletedLongAgo() error {
	return fault.Conflict.New(CodeCommentDeletedLongAgo, "",
		"The comment was deleted more than 30 minutes ago, so its text is gone. Write it again if it is still needed.")
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
		return "This comment was deleted since you opened it. Copy your text to keep it, and post it as a new comment."
	}
	return "This comment was changed since you opened it, perhaps in another window. Compare both texts, then save again."
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
		return handle + " is a viewer and cannot be assigned. Ask an admin to make them a member first."
	}
	if handle == "" {
		return "Someone you chose is no longer a member of your company. Choose again from the list."
	}
	return "“" + handle + "” is not a member of your company. Choose someone from the list."
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
	return fault.NotFound.New(CodeEntryNotFound, "", "This notification does not exist any more. Reload the page.")
}

// CodeNotOnBoard: the member does not see the ticket's board. Name the member on the board first.
const CodeNotOnBoard fault.Code = "Ticket.NotOnBoard"

func NotOnBoard(name string) error {
	return fault.Invalid.New(CodeNotOnBoard, "assignees",
		name+" does not see this private board. Ask an admin of the board to add them first.")
}
