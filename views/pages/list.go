package pages

import (
	"strings"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// BoardListProps is a page of a board's tickets. Next is the start of the next page, nil if there is none.
type BoardListProps struct {
	Page    views.Page
	Board   boards.Board
	Filter  views.Filter
	Choices Choices
	Tickets []tickets.Ticket
	Next    *tickets.Cursor
	First   bool // the first page
}

// empty says why there are no tickets.
func (props BoardListProps) empty() string {
	switch {
	case props.Choices.Problem != nil: // which is said above
		return "Nothing is listed until the query is mended."
	case props.Next != nil:
		return "No match so far. Many tickets are left to look through."
	case props.Filter.Unsorted().Any():
		return "No ticket matches."
	case !props.First:
		return "There are no more tickets."
	}
	return "Nothing here yet."
}

// columnOf is the column of a ticket by its name.
func (props BoardListProps) columnOf(t tickets.Ticket) boards.Column {
	column, _ := props.Board.Column(t.Column)
	return column
}

// further is the field that the list is sorted by if it has no column of its own.
func (props BoardListProps) further() (query.Field, bool) {
	by := props.Filter.Sort().By
	return by, by == query.Start || by == query.Created || by == query.Closed
}

// sortName is the head of the column of a field that tickets can be sorted by.
func sortName(by query.Field) string {
	name := string(by)
	return strings.ToUpper(name[:1]) + name[1:]
}

func directionOf(sort query.Sort) string {
	if sort.Descending {
		return "descending"
	}
	return "ascending"
}
