package pages

import (
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// ColumnCardsProps is the form about all cards of a column.
type ColumnCardsProps struct {
	Page   views.Page
	Board  boards.Board
	Column boards.Column
	To     id.Column     // where they are moved
	By     tickets.Order // how they are sorted
	Filter views.Filter
	Dialog bool // of a board
	Errors views.Errors
}

// orderText names an order as a choice.
func orderText(o tickets.Order) string {
	switch o {
	case tickets.ByDue:
		return "Due date, the earliest first"
	case tickets.ByPriority:
		return "Priority, the most urgent first"
	}
	return "Age, the oldest first"
}
