package views

import (
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Comment is a comment with its Markdown as HTML, safe to show.
type Comment struct {
	tickets.Comment
	HTML      string
	Checkable bool // HTML has boxes to check
	Reacted   []tickets.Reacted
}

// CommentForm is the input of the form of a new comment or of an old one.
type CommentForm struct {
	Body    string
	Version uint64
	Public  bool // it is a reply to the requester
	Errors  Errors
	Current *tickets.Comment // the comment saved meanwhile, on a conflict
}
