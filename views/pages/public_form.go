package pages

import (
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// PublicForm is the section of a board's settings about its public form, as saved and as submitted. Address is its URL.
// Stale says that another member changed it meanwhile.
type PublicForm struct {
	Now, Typed requests.Form
	Address    string
	Watched    bool // the user is notified of requests
	Stale      bool
	Errors     views.Errors
}

// RequestLinkProps shows a new private link, once.
type RequestLinkProps struct {
	Page   views.Page
	Board  boards.Board
	Ticket tickets.Ticket
	Link   string
}
