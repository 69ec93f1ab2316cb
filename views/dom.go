package views

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Element ids: the key of a fragment, its DOM id and its hx-target are one and the same.
const (
	BoardID    = "board"
	DialogID   = "dialog"   // the one <dialog> of the frame
	FlashID    = "flash"    // messages
	AnnounceID = "announce" // the aria-live region
	TicketID   = "ticket"
	HistoryID  = "history"
	JumpID     = "jump-found" // what the jump box found
	SwitchID   = "switch"     // the columns of a board, on a phone
	DeletedID  = "deleted"
	ClosureID  = "closure"
	UndoID     = "undo"   // the form behind ctrl+Z
	FilterID   = "filter" // of a board

	MembersID     = "members"
	PersonID      = "person"
	InvitationsID = "invitations"
	OwnTokensID   = "own-tokens"
	OtherTokensID = "other-tokens"
	AuditID       = "audit"
	ArchivedID    = "archived" // boards that are
)

// ColumnID is a column with its head, cards and foot.
func ColumnID(c id.Column) string { return fmt.Sprintf("column-%d", c) }

// CardsID is the list of a column's cards.
func CardsID(c id.Column) string { return fmt.Sprintf("cards-%d", c) }

// MoreID is the end of a column's list, which loads more.
func MoreID(c id.Column) string { return fmt.Sprintf("more-%d", c) }

// AddID is the form at a column's foot.
func AddID(c id.Column) string { return fmt.Sprintf("add-%d", c) }

// CardID is a card on a board.
func CardID(t tickets.ID) string { return fmt.Sprintf("card-%d", t) }

// Elements of comments, assignees and the inbox.
const (
	CommentsID    = "comments" // the section below a ticket
	SaidID        = "said"     // its list
	CommentFormID = "comment-form"
	AssigneesID   = "assignees"    // of a ticket
	PeopleID      = "people-found" // of the form that chooses them
	MuteID        = "mute"
	UnreadID      = "unread" // the link to the inbox
	InboxID       = "inbox"
	EntriesID     = "entries"
	WorkID        = "work"
)

// CommentID is a comment below its ticket.
func CommentID(c id.Comment) string { return fmt.Sprintf("comment-%d", c) }

// EntryID is an entry of an inbox.
func EntryID(n id.Notification) string { return fmt.Sprintf("entry-%d", n) }
