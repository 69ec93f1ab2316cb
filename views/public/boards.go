package public

import (
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// BoardProps is a board as strangers see it. Columns are those that the page shows, with their cards.
type BoardProps struct {
	Page    views.Page
	Secret  string // of the link
	Board   boards.PublicBoard
	Columns []boards.PublicColumn
	Cards   map[id.Column]tickets.PublicCards
}

// TicketProps is a ticket as strangers see it. HTML is its description.
type TicketProps struct {
	Page   views.Page
	Secret string
	Board  boards.PublicBoard
	Ticket tickets.PublicTicket
	HTML   string
}

// cardID is the DOM id of a card: its number is enough on a board, and strangers do not see the ticket's id.
func cardID(key tickets.Key) string { return views.CardID(id.Ticket(key.Number)) }
