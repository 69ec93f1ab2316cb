package views

import (
	"net/url"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// TrackBoxPath is where a code is typed in.
const TrackBoxPath = "/t"

// TrackPath is what a code leads to.
func TrackPath(code string) string { return TrackBoxPath + "/" + url.PathEscape(code) }

// PrivatePath is the private link of a request.
func PrivatePath(code, token string) string { return TrackPath(code) + "/" + url.PathEscape(token) }

// ReceiptPath is what who sent a form is shown.
func ReceiptPath(code, token string) string { return PrivatePath(code, token) + "/receipt" }

// RepliesPath takes what a requester writes.
func RepliesPath(code, token string) string { return PrivatePath(code, token) + "/replies" }

// FormPath is the public form of a board.
func FormPath(company, slug string) string { return "/" + company + "/forms/" + slug }

// BoardFormPath turns it on and off.
func BoardFormPath(company, slug string) string { return BoardPath(company, slug) + "/form" }

// RequestLinkPath makes another private link to a ticket.
func RequestLinkPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/link"
}

// RequestRevocationPath takes it away.
func RequestRevocationPath(company string, key tickets.Key) string {
	return RequestLinkPath(company, key) + "/revocation"
}

// RequestForm is what was typed into a public form.
type RequestForm struct {
	Nonce, Title, Description, Email string
	Errors                           Errors
}

// Sent is the form as it is sent to a board.
func (f RequestForm) Sent(company, board string) requests.Sent {
	return requests.Sent{Company: company, Board: board, Nonce: f.Nonce, Title: f.Title, Description: f.Description, Email: f.Email}
}

// RequestProps is the page of a public form. Slug is that of its address.
type RequestProps struct {
	Page  Page
	Board requests.OpenForm
	Slug  string
	Form  RequestForm
}

// ReceiptProps is what who sent a form is shown once.
type ReceiptProps struct {
	Page  Page
	Found requests.Tracked
	Link  string // the private one
	Box   string // where a code is typed in
}

// TrackedProps is what a code or a private link leads to. List are public comments, oldest first.
type TrackedProps struct {
	Page         Page
	Found        requests.Tracked
	Token, Nonce string
	List         []Comment
	Older, Newer bool
	Form         CommentForm
}

// PublicForm is the section of a board's settings about its public form: as it is, and as it was typed. Address is
// where strangers find it. Stale says that someone else changed it meanwhile.
type PublicForm struct {
	Now, Typed requests.Form
	Address    string
	Stale      bool
	Errors     Errors
}

// RequestLinkProps shows a new private link, once.
type RequestLinkProps struct {
	Page   Page
	Board  boards.Board
	Ticket tickets.Ticket
	Link   string
}

// stateWords are a request's states as people read them.
var stateWords = map[string]struct{ word, says string }{
	requests.Received:   {"Received", "It waits for its turn."},
	requests.InProgress: {"In progress", "Somebody works on it."},
	requests.Done:       {"Done", "The work on it is over."},
}
