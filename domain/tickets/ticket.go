package tickets

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// ID is the id of a ticket's row.
type ID = id.Ticket

const (
	// MaxTitle is how many characters a title may have.
	MaxTitle = 255
	// MaxDescription is how many bytes a description may have.
	MaxDescription = 65535
)

// Ticket is a ticket with all that it holds.
type Ticket struct {
	ID          ID
	Key         Key
	Board       id.Board
	Column      id.Column
	Rank        int64 // grows down the column; no two tickets of a column share one
	Title       string
	Description string // Markdown
	Version     uint64 // counts the edits of title and description; a move is none
	Author      User
	CreatedAt   time.Time
	UpdatedAt   time.Time
	MovedAt     time.Time // when it came to its place
	ClosedAt    *time.Time
	DeletedAt   *time.Time
	Assignees   []Assignee // by account
	Muted       bool       // whoever it was read for (ForReader) hears of no replies on it
	// FromRequester says that a stranger sent it by a form: its description is text as it was typed.
	FromRequester bool
}

// Closed reports whether the work on the ticket is over.
func (t Ticket) Closed() bool { return t.ClosedAt != nil }

// Deleted reports whether the ticket is off its board.
func (t Ticket) Deleted() bool { return t.DeletedAt != nil }

// Current reports whether the ticket is work to do for those assigned to it.
func (t Ticket) Current() bool { return !t.Closed() && !t.Deleted() }

// User is who did something to a ticket.
type User struct {
	ID   id.Account
	Name string
}

// Card is what a board shows of a ticket.
type Card struct {
	ID        ID
	Key       Key
	Title     string
	Rank      int64
	CreatedAt time.Time
	MovedAt   time.Time
	ClosedAt  *time.Time
	Assignees []Assignee
}

// Stamp changes with what a card shows of its ticket within its column: the title, when it came to its place,
// whether it is closed, and who works on it.
func (c Card) Stamp() uint32 {
	sum := fnv.New32a()
	fmt.Fprintf(sum, "%q %d %t", c.Title, c.MovedAt.UnixMicro(), c.ClosedAt != nil)
	accounts := make([]id.Account, len(c.Assignees))
	for i, a := range c.Assignees {
		accounts[i] = a.ID
	}
	slices.Sort(accounts)
	fmt.Fprint(sum, accounts)
	return sum.Sum32()
}

// Draft is what a new ticket is made from. The zero Column is the board's first.
type Draft struct {
	Title       string
	Description string
	Column      id.Column
}

// Parse returns the draft with its title and description as they are stored, or all that is wrong:
// EmptyTitle, LongTitle, BadTitle, LongDescription or BadDescription.
func (d Draft) Parse() (Draft, error) {
	var badTitle, badDescription error
	d.Title, badTitle = ParseTitle(d.Title)
	d.Description, badDescription = ParseDescription(d.Description)
	return d, fault.Join(badTitle, badDescription)
}

// ParseTitle returns s as a title: trimmed, one line, 1 to 255 characters.
func ParseTitle(s string) (string, error) {
	title, length, ok := markup.Line(s)
	switch {
	case !ok:
		return "", BadTitle()
	case length == 0:
		return "", EmptyTitle()
	case length > MaxTitle:
		return "", LongTitle(length)
	}
	return title, nil
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// ParseDescription returns s as a description: line ends as \n, at most 65,535 bytes.
func ParseDescription(s string) (string, error) {
	text := lineEnds.Replace(s)
	switch {
	case !markup.Text(text):
		return "", BadDescription()
	case len(text) > MaxDescription:
		return "", LongDescription(len(text))
	}
	return text, nil
}

// Edit is a change to a ticket that saw Version. A nil field stays as it is.
type Edit struct {
	Title       *string
	Description *string
	Version     uint64
}

// Intent is a wish to put a ticket below another: After in Column, or at its top where After is
// nil, or at its end. Board is the slug of the board to go to, "" for the ticket's own. Seen is where the one who
// moves saw it; nil asks for no check.
type Intent struct {
	Board  string
	Column id.Column
	After  *Key
	AtEnd  bool // After is not looked at
	Seen   *Placement
}

// Placement is a spot in a column: below After, or at the top where After is nil. Where not every ticket was
// shown, the one above is not known: Moved is then when the ticket came to its place.
type Placement struct {
	Column id.Column
	After  *Key
	Moved  *time.Time
}

// Location is a place as the history keeps it: on a board, in a column, below After or at the top where
// that is nil.
type Location struct {
	Board  id.Board  `json:"board"`
	Column id.Column `json:"column"`
	After  *Key      `json:"after"`
	// ClosedAt is since when the ticket was closed there; nil where it was open.
	ClosedAt *time.Time `json:"closed_at,omitempty"`
}

// Moved is what came of an intent.
type Moved struct {
	Ticket Ticket
	Was    Key      // its key before; another where it went to another board
	From   Location // its place before
	After  *Key     // the ticket above its new place; nil at the top
	// Appended says that After of the intent was no longer in the column, so the ticket went to its end.
	Appended bool
	Activity id.Activity // the entry of the history; 0 where nothing moved
}

// To is its new place.
func (m Moved) To() Location {
	return Location{Board: m.Ticket.Board, Column: m.Ticket.Column, After: m.After, ClosedAt: m.Ticket.ClosedAt}
}

// Kinds of activity.
const (
	KindOpened   = "opened"
	KindEdited   = "edited"
	KindMoved    = "moved"
	KindClosed   = "closed"
	KindReopened = "reopened"
	KindDeleted  = "deleted"
	KindRestored = "restored"
	KindUndone   = "undone" // Detail.Undid says what

	KindLinkMade     = "link-made" // the requester's private link
	KindLinkRevoked  = "link-revoked"
	KindReplyDeleted = "reply-deleted" // what the requester wrote
)

// Activity is one entry of a ticket's history.
type Activity struct {
	ID     id.Activity
	Kind   string
	By     User
	At     time.Time
	Undone bool // it was undone later
	Detail Detail
}

// Detail is what an entry says beyond its kind: the changed values, old and new.
type Detail struct {
	Title       *Change   `json:"title,omitempty"`
	Description *Change   `json:"description,omitempty"`
	Column      *Change   `json:"column,omitempty"`    // column names, as they were
	Board       *Change   `json:"board,omitempty"`     // titles of boards, as they were
	Key         *Change   `json:"key,omitempty"`       // of a ticket that went to another board
	From        *Location `json:"from,omitempty"`      // of what can be undone: where the ticket was
	To          *Location `json:"to,omitempty"`        // and where it came to
	Version     uint64    `json:"version,omitempty"`   // that an edit made
	Undid       string    `json:"undid,omitempty"`     // the kind of what was undone
	Assignees   *Change   `json:"assignees,omitempty"` // names with commas between them
	Origin      string    `json:"origin,omitempty"`    // what an imported ticket was called where it came from
}

// Change is a value before and after.
type Change struct {
	Old string `json:"old"`
	New string `json:"new"`
}
