package workflows

import (
	"cmp"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/search"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// The tickets, comments and boards as the JSON API, the feeds and webhooks have them.

// TicketResource is a ticket as JSON.
type TicketResource struct {
	Key         string               `json:"key"`
	Number      uint64               `json:"number"`
	Board       string               `json:"board"`
	Column      id.Column            `json:"column"`
	Title       string               `json:"title"`
	Description string               `json:"description"`
	Version     uint64               `json:"version"`
	CreatedAt   time.Time            `json:"created_at"`
	UpdatedAt   time.Time            `json:"updated_at"`
	ClosedAt    *time.Time           `json:"closed_at"` // null while it is open
	Assignees   []AssigneeResource   `json:"assignees"`
	Priority    string               `json:"priority"` // none, low, medium, high or urgent
	Start       *string              `json:"start"`    // 2026-12-04, or with a time in UTC 2026-12-04T15:00:00Z; null for none
	Due         *string              `json:"due"`
	Labels      []LabelResource      `json:"labels"` // by name
	Checklist   ChecklistResource    `json:"checklist"`
	Relations   []RelationResource   `json:"relations"` // to tickets that the reader sees
	Attachments []AttachmentResource `json:"attachments"`
	Recurrence  *RecurrenceResource  `json:"recurrence"` // null unless it is opened again
	// FromRequester says that a stranger sent it by a form: the description is text as it was typed.
	FromRequester bool   `json:"from_requester"`
	URL           string `json:"url"`
}

// FoundResource is a ticket that a search found.
type FoundResource struct {
	Key       string    `json:"key"`
	Title     string    `json:"title"`
	Board     string    `json:"board"` // slug
	Closed    bool      `json:"closed"`
	UpdatedAt time.Time `json:"updated_at"`
	// Snippet is a part of its texts, plain, from SnippetOf: description, comment or file; "" if there is none.
	Snippet   string `json:"snippet"`
	SnippetOf string `json:"snippet_of"`
	URL       string `json:"url"`
}

// subject is what users know a row of a feed by.
func (r TicketResource) subject() string { return r.Key }

// AssigneeResource is an assignee of a ticket.
type AssigneeResource struct {
	Handle string `json:"handle"` // "" if they left the company
	Name   string `json:"name"`
}

// RelationResource is a relation of a ticket to another.
type RelationResource struct {
	Kind string `json:"kind"` // parent, child, blocked-by, blocks, duplicates, duplicated-by or relates-to
	Key  string `json:"key"`
}

// RecurrenceResource is the rule by which a ticket is opened again.
type RecurrenceResource struct {
	Rule     string         `json:"rule"`      // RRULE of RFC 5545
	Opens    string         `json:"opens"`     // the next ticket: when this one is due or closed
	TimeZone string         `json:"time_zone"` // of the dates
	Next     *string        `json:"next"`      // due date of the next ticket, as due; null after the last
	State    string         `json:"state"`     // active, ended, rights or refused
	Owner    AuthorResource `json:"owner"`     // with whose rights the next ticket is opened
}

func recurrenceResource(r *tickets.Recurrence) *RecurrenceResource {
	if r == nil {
		return nil
	}
	resource := &RecurrenceResource{Rule: r.Rule.String(), Opens: string(r.Opens), TimeZone: r.Zone, State: string(r.State),
		Owner: AuthorResource{r.Owner.Name}}
	if r.Coming != nil {
		resource.Next = dateText(r.Due(*r.Coming))
	}
	return resource
}

// AttachmentResource is a file on a ticket, or on one of its comments.
type AttachmentResource struct {
	ID        id.Attachment  `json:"id"`
	Name      string         `json:"name"`
	Bytes     int64          `json:"bytes"`
	Type      string         `json:"type"` // such as application/pdf, by its content
	Author    AuthorResource `json:"author"`
	CreatedAt time.Time      `json:"created_at"`
	Comment   *id.Comment    `json:"comment"` // null for one of the ticket itself
	Address   string         `json:"address"` // how texts of the ticket refer to it, such as attachment:12
	URL       string         `json:"url"`     // of its content
}

// ChecklistResource counts the items of all checklists of a description.
type ChecklistResource struct {
	Checked int `json:"checked"`
	Items   int `json:"items"`
}

// LabelResource is a label of a ticket.
type LabelResource struct {
	Name  string `json:"name"`
	Color string `json:"color"` // gray, red, orange, amber, yellow, green, teal, cyan, blue, indigo, purple or pink
}

// CommentResource is a comment as JSON; a deleted one has no body.
type CommentResource struct {
	ID        id.Comment     `json:"id"`
	Ticket    string         `json:"ticket"`
	Author    AuthorResource `json:"author"`
	Body      string         `json:"body"`
	Version   uint64         `json:"version"`
	CreatedAt time.Time      `json:"created_at"`
	UpdatedAt time.Time      `json:"updated_at"`
	Deleted   bool           `json:"deleted"`
	// Public is what the ticket's requester reads, FromRequester what they wrote: text as it was typed.
	Public        bool               `json:"public"`
	FromRequester bool               `json:"from_requester"`
	Reactions     []ReactionResource `json:"reactions"` // those that there are
	URL           string             `json:"url"`
}

// ReactionResource is how many members reacted to a comment in one way.
type ReactionResource struct {
	Reaction string `json:"reaction"`
	Count    int    `json:"count"`
}

func reactionsOf(c tickets.Comment) []ReactionResource {
	list := []ReactionResource{}
	for i, n := range c.Reactions {
		if n > 0 && !c.Deleted() {
			list = append(list, ReactionResource{tickets.Reactions[i].Name, n})
		}
	}
	return list
}

func (r CommentResource) subject() string { return r.Ticket }

// AuthorResource is the author of a comment.
type AuthorResource struct {
	Name string `json:"name"`
}

// BoardResource is a board as JSON.
type BoardResource struct {
	Slug     string           `json:"slug"`
	Title    string           `json:"title"`
	URL      string           `json:"url"`
	Version  uint64           `json:"version"`
	Archived bool             `json:"archived"`
	Private  bool             `json:"private"` // seen by those alone whom it names
	Columns  []ColumnResource `json:"columns"`
}

func (r BoardResource) subject() string { return r.Slug }

// ColumnResource is a column of a board.
type ColumnResource struct {
	ID       id.Column `json:"id"`
	Name     string    `json:"name"`
	Done     bool      `json:"done"`
	WIP      string    `json:"wip"` // none, soft or hard
	WIPLimit *int      `json:"wip_limit"`
	// StaleDays is how many days a ticket may be in it before its card says that it is stale; 0 for any number.
	StaleDays int     `json:"stale_days"`
	Color     *string `json:"color"` // as of a label; null for none
	// Change is what a run is still doing to all its tickets: closing, reopening or removing; absent if none is.
	Change string `json:"change,omitempty"`
}

// Links makes resources: Base is the public URL without a path, Company the slug of their company. A test in web
// compares the paths with those of views.
type Links struct{ Base, Company string }

// Ticket returns a ticket's resource.
func (l Links) Ticket(t tickets.Ticket) TicketResource {
	r := TicketResource{
		Key: t.Key.String(), Number: t.Key.Number, Board: t.Key.Board, Column: t.Column,
		Title: t.Title, Description: t.Description, Version: t.Version,
		CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, ClosedAt: t.ClosedAt,
		Assignees: make([]AssigneeResource, len(t.Assignees)), URL: l.TicketURL(t.Key),
		FromRequester: t.FromRequester, Priority: t.Priority.String(), Start: dateText(t.Start), Due: dateText(t.Due),
		Labels: make([]LabelResource, len(t.Labels)), Checklist: ChecklistResource(t.Checklist),
	}
	r.Relations = make([]RelationResource, len(t.Relations))
	for i, relation := range t.Relations {
		r.Relations[i] = RelationResource{Kind: relation.Kind.String(), Key: relation.Key.String()}
	}
	r.Attachments = make([]AttachmentResource, len(t.Attachments))
	for i, a := range t.Attachments {
		r.Attachments[i] = l.Attachment(a)
	}
	r.Recurrence = recurrenceResource(t.Recurrence)
	for i, label := range t.Labels {
		r.Labels[i] = LabelResource{Name: label.Name, Color: label.Color.String()}
	}
	for i, a := range t.Assignees {
		r.Assignees[i] = AssigneeResource{Handle: a.Handle, Name: a.Name}
	}
	return r
}

func dateText(d tickets.Date) *string {
	if d.IsZero() {
		return nil
	}
	text := d.String()
	return &text
}

// Attachment returns the resource of a file on a ticket.
func (l Links) Attachment(a tickets.Attachment) AttachmentResource {
	r := AttachmentResource{ID: a.ID, Name: a.Name, Bytes: a.File.Bytes, Type: a.File.Type,
		Author: AuthorResource{a.Author.Name}, CreatedAt: a.CreatedAt, Address: a.Address(),
		URL: fmt.Sprintf("%s/%s/attachments/%d", l.Base, l.Company, a.ID)}
	if a.Comment != 0 {
		r.Comment = &a.Comment
	}
	return r
}

// Comment returns the resource of a comment of the ticket that has the key.
func (l Links) Comment(key tickets.Key, c tickets.Comment) CommentResource {
	return CommentResource{
		ID: c.ID, Ticket: key.String(), Author: AuthorResource{c.Author.Name}, Body: c.Body, Version: c.Version,
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Deleted: c.Deleted(),
		Public: c.Public, FromRequester: c.FromRequester, Reactions: reactionsOf(c), URL: fmt.Sprintf("%s?comment=%d#comment-%d", l.TicketURL(key), c.ID,
			c.ID),
	}
}

// Board returns a board's resource.
func (l Links) Board(board boards.Board) BoardResource {
	r := BoardResource{
		Slug: board.Slug, Title: board.Title, URL: l.Base + "/" + l.Company + "/boards/" + board.Slug, Version: board.Version,
		Archived: board.Archived(), Private: board.Grant.Private, Columns: make([]ColumnResource, len(board.Columns)),
	}
	for i, column := range board.Columns {
		r.Columns[i] = ColumnOf(column)
	}
	return r
}

// ColumnOf returns a column's resource.
func ColumnOf(c boards.Column) ColumnResource {
	r := ColumnResource{ID: c.ID, Name: c.Name, Done: c.Done, WIP: c.WIP(), WIPLimit: c.Limit, StaleDays: c.StaleDays,
		Change: changeNames[c.Changes()]}
	if c.Color != nil {
		name := c.Color.String()
		r.Color = &name
	}
	return r
}

// changeNames are the names of what a run does to all tickets of a column.
var changeNames = map[string]string{
	boards.ChangeClose: "closing", boards.ChangeReopen: "reopening", boards.ChangeEmpty: "removing",
	boards.ChangeMove: "moving",
}

// Found returns a ticket that a search found.
func (l Links) Found(hit tickets.SearchHit) FoundResource {
	r := FoundResource{Key: hit.Key.String(), Title: search.Plain(hit.Title), Board: hit.Key.Board, Closed: hit.Closed,
		UpdatedAt: hit.UpdatedAt, Snippet: search.Plain(hit.Snippet), URL: l.TicketURL(hit.Key)}
	if r.Snippet != "" {
		r.SnippetOf = cmp.Or(hit.In, "description")
	}
	return r
}

// TicketURL is the address of a ticket.
func (l Links) TicketURL(key tickets.Key) string {
	return l.Base + "/" + l.Company + "/" + key.String()
}
