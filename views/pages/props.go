package pages

import (
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// SetupForm is the input of the first page.
type SetupForm struct {
	Company, Slug, Name, Email, Code string
	Errors                           views.Errors
}

// LoginForm is the form to sign in. Next is the path after it.
type LoginForm struct {
	Email, Next string
	Passkeys    bool // browsers have passkeys at the server's address
	Issuers     []accounts.Issuer
	Confined    bool   // an issuer opened the browser's session, which does not open what it wants
	OutName     string // the issuer at which the browser can sign out now, too,
	Out         string // and where
	Errors      views.Errors
}

// CompanySignInForm has the issuers of a company. Needed says that the user is signed in, and the company requires one.
type CompanySignInForm struct {
	Company, Next string
	Issuers       []accounts.Issuer
	Needed        bool
	Errors        views.Errors
}

// SignInSettingsProps is how a company is signed in to.
type SignInSettingsProps struct {
	Page           views.Page
	Settings       accounts.SignInSettings
	Draft          accounts.IssuerDraft // the input of the form of a new issuer
	IssuerErrors   views.Errors
	Domain         string // the input of the form of a new domain
	DomainErrors   views.Errors
	RequiredErrors views.Errors
}

// IssuerProps is an issuer in a company. Callback is where it sends browsers back to.
type IssuerProps struct {
	Page       views.Page
	Issuer     accounts.IssuerInCompany
	Callback   string
	Draft      accounts.IssuerDraft
	Errors     views.Errors
	Rule       accounts.IssuerRule
	RuleErrors views.Errors
}

// BoardForm is the input of the form of a new board, or of its new title.
type BoardForm struct {
	Slug, Title string
	Version     uint64
	Tickets     string // of the board, to copy to its duplicate
	Errors      views.Errors
}

// TicketForm is the input of a form for a ticket.
type TicketForm struct {
	Title, Description string
	Column             id.Column
	Priority           string       // of a new ticket, and
	Start, Due         string       // dates as they are typed
	Labels             string       // with commas between them
	Assignees          string       // handles, with spaces or commas between them
	Template           id.Template  // that the form began with, 0 for none
	CopyOf             *tickets.Key // that it began as a copy of
	Version            uint64       // of the ticket in the editor
	Errors             views.Errors
	Created            *tickets.Key      // the ticket that the last submission of the dialog opened
	Conflict           *tickets.Conflict // saved by others meanwhile
	Choices            []tickets.Choice  // for the lines that both changed
	Hidden             bool              // the board's filter does not show it
	Alone              bool              // the form is a page of its own, not a part of the ticket's
}

// MoveForm is the input of the form that moves a ticket.
type MoveForm struct {
	Board  string // slug
	Column id.Column
	After  string // key, or "" for the top
	Seen   tickets.Placement
	Errors views.Errors
}

// BoardProps is a board with the first cards of each column.
type BoardProps struct {
	Page    views.Page
	Board   boards.Board
	Columns []ColumnProps
	Filter  views.Filter
	Choices Choices
}

// ColumnProps is a column with some of its cards. Above is the key of the card above the first, nil at the top; Next is
// the cursor below the last, nil at the end.
type ColumnProps struct {
	Company string
	Write   bool // the user may change the board
	Board   boards.Board
	Column  boards.Column
	Cards   []tickets.Card
	Above   *tickets.Key
	Next    *tickets.Cursor
	Filter  views.Filter
	Lanes   []Lane     // of the other columns of the page
	SoFar   int        // how many cards the filter let through above these
	Add     TicketForm // the form at the column's foot
	Nonce   string     // of that form
	AddOpen bool       // the form is open, because it was rejected or is to be filled again
	Alert   string     // why a move was refused, or that it went to another column
	Waits   bool       // it is the first column, where cards wait to be begun
	Now     time.Time
}

// NewTicketProps is the dialog, or page, that opens tickets one after the other.
type NewTicketProps struct {
	Page      views.Page
	Board     boards.Board
	Form      TicketForm
	Templates []tickets.Template // to begin with
}

// Span is a part of a text. Path is its link, "" for plain text.
type Span struct{ Text, Path string }

// TicketProps is a ticket's page. Heading is its title with links for the keys in it, HTML its description, safe to
// show.
type TicketProps struct {
	Heading []Span
	Page    views.Page
	Board   boards.Board
	Ticket  tickets.Ticket
	HTML    string
	// Checkable says that HTML has boxes to check, Alert why one was not.
	Checkable bool
	Alert     string
	FileError string             // why a file was not attached
	MaxFile   int64              // bytes of the largest file to attach
	Activity  []tickets.Activity // newest first
	More      bool               // there is older activity
	Backlinks []tickets.Backlink
	Seen      map[tickets.ID]bool // tickets of relations in the activity that the user sees
	Comments  CommentsProps
	Request   *requests.Request // nil if no form opened it
}

// PropertiesProps is the form of a ticket's priority, or that of its dates. Seen are the properties that the user saw, Start
// and Due the input. Today is in the zone of the user.
type PropertiesProps struct {
	Page       views.Page
	Board      boards.Board
	Ticket     tickets.Ticket
	Title      string // as it was typed
	Priority   tickets.Priority
	Start, Due string
	Seen       tickets.Properties
	Today      time.Time
	Errors     views.Errors
	Conflict   bool // Seen, or the ticket's title, is what someone else set meanwhile
}

// RecurrenceProps is the form of a ticket's recurrence.
type RecurrenceProps struct {
	Page   views.Page
	Board  boards.Board
	Ticket tickets.Ticket
	Form   RecurrenceInput
	Today  time.Time
	Errors views.Errors
}

// RecurrenceInput is what was typed there.
type RecurrenceInput struct {
	Every, Unit  string
	Days         []string // of the week: mo, tu
	Ends         string   // never, until or count
	Until, Count string
	Opens        string
	Rule         string // an RRULE in place of all but Opens; "" for none
}

// EntryProps is an entry of a ticket's history with the lines that it changed.
type EntryProps struct {
	Page   views.Page
	Board  boards.Board
	Ticket tickets.Ticket
	Entry  tickets.Activity
	Lines  []tickets.Line
}

// EditProps is a ticket's form.
type EditProps struct {
	Page   views.Page
	Board  boards.Board
	Ticket tickets.Ticket
	Form   TicketForm
}

// MoveProps is the form that moves a ticket. Board has the ticket, Boards are the possible targets, Goal is the chosen
// one, and Near are the cards of the chosen column to put it below.
type MoveProps struct {
	Page   views.Page
	Board  boards.Board
	Boards []boards.Board
	Goal   boards.Board
	Ticket tickets.Ticket
	Form   MoveForm
	Near   []tickets.Card
	More   bool // the column has more cards than Near shows
	Again  bool // it was filled in and has the focus
	Filter views.Filter
}
