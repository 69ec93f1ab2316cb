package tickets

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
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

// Ticket is a ticket with all its fields.
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
	MovedAt     time.Time // into its placement
	ClosedAt    *time.Time
	DeletedAt   *time.Time
	Assignees   []Assignee     // by account
	Labels      []labels.Label // by name
	Checklist   Checklist      // of the description
	Relations   []Relation     // to tickets in its reader's sight
	Attachments []Attachment   // in the order in which they came
	Recurrence  *Recurrence    // nil for none
	Properties
	Muted bool     // for its reader: no notifications of replies
	Grant db.Grant // of its reader on the board
	// FromRequester tickets came by a form: the description is plain text.
	FromRequester bool

	attachments int // as they are counted
}

// Closed reports whether the ticket is closed.
func (t Ticket) Closed() bool { return t.ClosedAt != nil }

// Deleted reports whether the ticket is deleted.
func (t Ticket) Deleted() bool { return t.DeletedAt != nil }

// Current reports whether the ticket is open work for its assignees.
func (t Ticket) Current() bool { return !t.Closed() && !t.Deleted() }

// User is the user of an action on a ticket.
type User struct {
	ID     id.Account
	Name   string
	Avatar string // of accounts.Account; where pages show it
	// BulkEdit is the one that what the user does is part of, 0 if there is none.
	BulkEdit    id.BulkEdit
	OfAllBoards bool // the bulk edit is
}

// Card is a ticket as a board shows it.
type Card struct {
	ID        ID
	Key       Key
	Title     string
	Rank      int64
	CreatedAt time.Time
	MovedAt   time.Time
	Since     time.Time // when it came to its column, or was closed or reopened there
	ClosedAt  *time.Time
	Assignees []Assignee
	Labels    []labels.Label
	LabelIDs  string // of its labels as they are stored, for LabelsOfCards
	Checklist Checklist
	Blocked   bool      // by an open ticket that the reader sees
	Parent    *Relation // in sight; read only if the filter asks for it

	Attachments int
	Comments    int

	FromRequester bool // it came by a public form
	Priority      Priority
	Due           Date
}

// Stamp changes with what a card shows: title, state, priority, due date, checklist, attachments, comments, labels and
// assignees, and with its time of move.
func (c Card) Stamp() uint32 {
	shown := make([]byte, 0, 512)
	text := func(s string) { shown = append(binary.AppendUvarint(shown, uint64(len(s))), s...) }
	number := func(n int64) { shown = binary.AppendVarint(shown, n) }
	text(c.Title)
	number(c.MovedAt.UnixMicro())
	text(strconv.FormatBool(c.ClosedAt != nil))
	number(int64(c.Priority))
	text(c.Due.String())
	for _, n := range []int{c.Checklist.Checked, c.Checklist.Items, c.Attachments, c.Comments, len(c.Assignees)} {
		number(int64(n))
	}
	for _, account := range sortedAccounts(c.Assignees) {
		number(int64(account))
	}
	for _, l := range c.Labels {
		text(l.Name)
		number(int64(l.Color))
	}
	sum := fnv.New32a()
	sum.Write(shown)
	return sum.Sum32()
}

func sortedAccounts(list []Assignee) []id.Account {
	accounts := make([]id.Account, len(list))
	for i, a := range list {
		accounts[i] = a.ID
	}
	slices.Sort(accounts)
	return accounts
}

// Draft is the content of a new ticket. The zero Column is the board's first.
type Draft struct {
	Title       string
	Description string
	Column      id.Column
	Labels      []string    // names; those that there are not are made
	Assignees   []string    // handles
	Template    id.Template // 0 for none; what the draft leaves out comes from it
	FilesOf     *Key        // the ticket whose files the description refers to: the new one gets copies
	Properties
}

// Parse returns the draft with its title and description as they are stored, or all its errors: EmptyTitle, LongTitle,
// BadTitle, LongDescription, BadDescription, NotAssignable, TooManyAssignees or StartAfterDue.
func (d Draft) Parse() (Draft, error) {
	var badTitle, badDescription error
	d.Title, badTitle = ParseTitle(d.Title)
	d.Description, badDescription = ParseDescription(d.Description)
	var badLabels, badAssignees error
	d.Labels, badLabels = labels.ParseNames(d.Labels)
	d.Assignees, badAssignees = ParseAssignees(d.Assignees)
	return d, fault.Join(badTitle, badDescription, badLabels, badAssignees, d.Check())
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

// ShortTitle returns the beginning of a text that a title has room for.
func ShortTitle(text string) string {
	short := []rune(text)
	return string(short[:min(len(short), MaxTitle)])
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

// Edit is a change to Version of a ticket. A nil field stays as it is. Version counts for the texts alone.
type Edit struct {
	Title       *string
	Description *string
	Version     uint64
	Properties  PropertyEdit
}

// Texts reports whether the edit names a title or a description.
func (e Edit) Texts() bool { return e.Title != nil || e.Description != nil }

// MaxBatch is how many tickets one request changes together.
const MaxBatch = 100

// Intent asks to move a ticket in Column below After, to its top if After is nil, or to its end. Board is the slug of
// the target board, "" for the ticket's own. Seen is the location that the user saw; nil asks for no check.
type Intent struct {
	Board  string
	Column id.Column
	After  *Key
	AtEnd  bool // After is ignored
	Seen   *Placement
}

// Placement is a ticket's position in a column: below After, or at the top if that is nil. Through a filter the ticket
// above is not known: Moved is then the ticket's time of move.
type Placement struct {
	Column id.Column
	After  *Key
	Moved  *time.Time
}

// Location is a ticket's location in the history: on a board, in a column, below After or at the top if that is nil.
type Location struct {
	Board  id.Board  `json:"board"`
	Column id.Column `json:"column"`
	After  *Key      `json:"after"`
	// ClosedAt is the ticket's closing time; nil if it was open.
	ClosedAt *time.Time `json:"closed_at,omitempty"`
}

// MoveResult is the result of an intent.
type MoveResult struct {
	Ticket Ticket
	Was    Key      // its key before; another if it went to another board
	From   Location // its location before
	After  *Key     // the ticket above; nil at the top
	// Appended says that the intent's After had left the column, so the ticket went to its end.
	Appended bool
	Activity id.Activity // the entry of the history; 0 if nothing moved
}

// To is its new location.
func (m MoveResult) To() Location {
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
	KindSet      = "set"      // a change of properties, labels or the recurrence
	KindChecked  = "checked"  // an item of a checklist, or unchecked; Detail.Undid says that it undid another
	KindRelated  = "related"  // a relation was added or removed; as of KindChecked
	KindAttached = "attached" // a file was attached or deleted; as of KindChecked
	KindRecurred = "recurred" // the next ticket was opened, or why not: Detail.Recurred
	KindUndone   = "undone"   // Detail.Undid has the kind

	KindLinkMade     = "link-made" // the requester's private link
	KindLinkRevoked  = "link-revoked"
	KindReplyDeleted = "reply-deleted" // a requester's comment

	KindReplyRestored = "reply-restored"
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

// Detail is what an entry has beyond its kind: changed values, old and new.
type Detail struct {
	Title       *Change           `json:"title,omitempty"`
	Description *Change           `json:"description,omitempty"`
	Column      *Change           `json:"column,omitempty"`    // names of the columns then
	Board       *Change           `json:"board,omitempty"`     // titles of the boards then
	Key         *Change           `json:"key,omitempty"`       // of a ticket that went to another board
	From        *Location         `json:"from,omitempty"`      // the location before, if it can be undone
	To          *Location         `json:"to,omitempty"`        // and after
	Version     uint64            `json:"version,omitempty"`   // that an edit made
	Undid       string            `json:"undid,omitempty"`     // the kind of the undone entry
	Assignees   *Change           `json:"assignees,omitempty"` // names with commas between them
	Assigned    *AssigneeChange   `json:"assigned,omitempty"`  // if it can be undone
	Priority    *Change           `json:"priority,omitempty"`
	Start       *Change           `json:"start,omitempty"`
	Due         *Change           `json:"due,omitempty"`
	Labels      *LabelChange      `json:"labels,omitempty"`
	Item        *ItemChange       `json:"item,omitempty"`
	Relation    *RelationChange   `json:"relation,omitempty"`
	Attachment  *AttachmentChange `json:"attachment,omitempty"`
	Recurrence  *Change           `json:"recurrence,omitempty"` // as recurrence.ReadPlan reads it
	Recurred    *RecurrenceChange `json:"recurred,omitempty"`
	Origin      string            `json:"origin,omitempty"`     // an imported ticket's name in the source
	Import      *Imported         `json:"import,omitempty"`     // how it was imported
	BulkEdit    id.BulkEdit       `json:"bulk_edit,omitempty"`  // that the action was part of
	OfAllBoards bool              `json:"all_boards,omitempty"` // the bulk edit is
}

// Imported says by which run a ticket was imported, and who opened that: an operator, whatever user the run names.
type Imported struct {
	Run id.Run `json:"run"`
	By  string `json:"by"`
}

// LabelChange are the labels that a ticket got and lost, by their names then.
type LabelChange struct {
	Added   []LabelName `json:"added,omitempty"`
	Removed []LabelName `json:"removed,omitempty"`
}

// LabelName is a label as the history names it.
type LabelName struct {
	ID   id.Label `json:"id"`
	Name string   `json:"name"`
}

// Change is a value before and after.
type Change struct {
	Old string `json:"old"`
	New string `json:"new"`
}
