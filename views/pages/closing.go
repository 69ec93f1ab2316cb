package pages

import (
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// DeletionProps is the question whether to delete a ticket.
type DeletionProps struct {
	Page   views.Page
	Board  boards.Board
	Ticket tickets.Ticket
}

// DeletedProps is the page of a deleted ticket that can be restored.
type DeletedProps struct {
	Page     views.Page
	Board    boards.Board
	Ticket   tickets.Ticket
	Deletion tickets.Activity // its author and time
	Typed    []string         // the input that was sent to it
}

// DeletedListProps is the list of a board's deleted tickets. Next is the cursor, nil at the end.
type DeletedListProps struct {
	Page  views.Page
	Board boards.Board
	List  []tickets.DeletedTicket
	Next  *tickets.DeletedCursor
}
