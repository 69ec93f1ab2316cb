package pages

import (
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// BoardListProps is a page of the tickets of a board, or of all boards. Next is the start of the next page, nil if there is none.
type BoardListProps struct {
	Page    views.Page
	Board   boards.Board              // zero for all boards
	Boards  map[id.Board]boards.Board // of the tickets
	Filter  views.Filter
	Choices Choices
	Groups  []ListGroup // one without a name if the list is not grouped
	Next    *tickets.Cursor
	First   bool // the first page
}

// path is that of the list, through its filter.
func (props BoardListProps) path(f views.Filter) string {
	return f.In(views.BoardListPath(props.Page.Actor.Company.Slug, props.Board.Slug))
}

// listOf is the list of a group alone.
func (props BoardListProps) listOf(g ListGroup) string {
	return props.path(views.Filter{Query: props.Filter.And(g.Query), Fields: props.Filter.Fields})
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

// changes reports whether the user may change several tickets of the list at once.
func (props BoardListProps) changes() bool {
	if len(props.Groups) == 0 {
		return false
	}
	for _, board := range props.Boards {
		if props.Page.Writes(board) {
			return true
		}
	}
	return false
}

// width is how many columns the table has.
func (props BoardListProps) width() int {
	if props.changes() {
		return 3 + len(props.Filter.Shown())
	}
	return 2 + len(props.Filter.Shown())
}

// columnOf is the column of a ticket by its name.
func (props BoardListProps) columnOf(t tickets.Ticket) boards.Column {
	column, _ := props.Boards[t.Board].Column(t.Column)
	return column
}

// chosen is a field in the form that chooses those of a list.
type chosenField struct {
	Field query.Field
	Shown bool
}

// choosable are the fields that the list shows, in their order, then the others.
func (props BoardListProps) choosable() (list []chosenField) {
	chosen := savedviews.ParseFields(props.Filter.Fields)
	for _, field := range chosen {
		list = append(list, chosenField{field, true})
	}
	for _, field := range savedviews.ListFields {
		if !slices.Contains(chosen, field) {
			list = append(list, chosenField{field, false})
		}
	}
	return list
}

// edits is where a field of a ticket is changed, and what the change is called; ok is false if the user cannot.
func (props BoardListProps) edits(t tickets.Ticket, field query.Field) (path, name string, ok bool) {
	to, ok := editPaths[field]
	if !ok || !props.Page.Writes(props.Boards[t.Board]) {
		return "", "", false
	}
	return to(props.Page.Actor.Company.Slug, t.Key), fmt.Sprintf("%s of %s", fieldName(field), t.Key), true
}

var editPaths = map[query.Field]func(company string, key tickets.Key) string{
	query.Column: views.PositionPath, query.Assignee: views.AssigneesPath, query.Label: views.TicketLabelsPath,
	query.Priority: views.PriorityPath, query.Start: views.DatesPath, query.Due: views.DatesPath,
}

// fieldNames are the heads of a list's columns.
var fieldNames = map[query.Field]string{query.Column: "Column", query.Status: "Status", query.Assignee: "Assignees",
	query.Label: "Labels", query.Priority: "Priority", query.Start: "Start", query.Due: "Due", query.Created: "Created",
	query.Updated: "Updated", query.Closed: "Closed"}

func fieldName(field query.Field) string { return fieldNames[field] }

// groupChoices are what the tickets of a list can be grouped by.
var groupChoices = []struct{ value, text string }{
	{string(query.Status), "By status"},
	{string(query.Column), "By column"},
	{string(query.Assignee), "By assignee"},
	{string(query.Label), "By label"},
	{string(query.Priority), "By priority"},
	{string(query.Due), "By due date"},
}

func directionOf(sort query.Sort) string {
	if sort.Descending {
		return "descending"
	}
	return "ascending"
}
