package pages

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// listed is how many tickets a page of a list has, and inSheet how many a part of its file.
const (
	listed  = 50
	inSheet = 200
)

// BoardList is a board as a table of the tickets that the filter lets through.
func (h *Handlers) BoardList(c echo.Context) error {
	f := filterOf(c)
	if c.QueryParams().Has(views.ChosenBefore) { // the form: its fields are a query now
		return c.Redirect(http.StatusSeeOther, f.In(c.Request().URL.Path))
	}
	after, err := tickets.ParseCursor(c.QueryParam("after"))
	if err != nil {
		return err
	}
	list, err := h.workflows.ListBoard(c.Request().Context(), c.Param("board"),
		workflows.TicketList{Query: f.Query, After: after, Limit: listed})
	if err != nil {
		return err
	}
	if err := respond.CheckName(c, "board", list.Board.Slug); err != nil {
		return err
	}
	props := pages.BoardListProps{Page: h.respond.Page(c, "List of "+list.Board.Title), Board: list.Board, Filter: f,
		Choices: pages.Choices{Members: list.Members, Labels: list.Labels, Problem: list.BadQuery},
		Tickets: list.Tickets, Next: list.Next, First: after == nil}
	if respond.Target(c) == views.ListID {
		return respond.Render(c, http.StatusOK, pages.BoardListMain(props))
	}
	return respond.Render(c, filterStatus(list.BadQuery), pages.BoardListPage(props))
}

// BoardListFile is the whole list as a CSV file, with the columns of the page, and what that says of closed tickets.
func (h *Handlers) BoardListFile(c echo.Context) error {
	of := workflows.TicketList{Query: filterOf(c).Query, Limit: inSheet}
	list, err := h.workflows.ListBoard(c.Request().Context(), c.Param("board"), of)
	if err = cmp.Or(err, list.BadQuery); err != nil {
		return err
	}
	if err := respond.CheckName(c, "board", list.Board.Slug); err != nil {
		return err
	}
	head := []string{"key", "title", "column", "status", "assignees", "labels", "priority", "due", "updated"}
	sort := filterOf(c).Sort().By
	further := further[sort]
	if further != nil {
		head = append(head, string(sort))
	}
	return h.respond.SendSheet(c, migrations.NewSheet(list.Board.Slug+".csv", head,
		func(ctx context.Context, write func(...string)) (bool, error) {
			for _, t := range list.Tickets {
				row := listRow(list.Board, t)
				if further != nil {
					row = append(row, further(t))
				}
				write(row...)
			}
			if list.Next == nil {
				return false, nil
			}
			of.After = list.Next
			list, err = h.workflows.ListBoard(ctx, list.Board.Slug, of)
			err = cmp.Or(err, list.BadQuery)
			return err == nil, err
		}))
}

// further is what the file says of a ticket that is only shown in a list that is sorted by it.
var further = map[query.Field]func(tickets.Ticket) string{
	query.Start:   func(t tickets.Ticket) string { return t.Start.String() },
	query.Created: func(t tickets.Ticket) string { return moment(&t.CreatedAt) },
	query.Closed:  func(t tickets.Ticket) string { return moment(t.ClosedAt) },
}

func moment(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

func listRow(board boards.Board, t tickets.Ticket) []string {
	column, _ := board.Column(t.Column)
	handles := make([]string, len(t.Assignees))
	for i, a := range t.Assignees {
		handles[i] = a.Handle
	}
	priority := ""
	if t.Priority != tickets.NoPriority {
		priority = t.Priority.String()
	}
	status := "open"
	if t.Closed() {
		status = "closed"
	}
	return []string{t.Key.String(), t.Title, column.Name, status, strings.Join(handles, ", "), labels.Names(t.Labels), priority,
		t.Due.String(), moment(&t.UpdatedAt)}
}
