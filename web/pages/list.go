package pages

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// listed is how many tickets a page of a list has; one in groups has as many as a part of its file.
const (
	listed  = 50
	inSheet = 200
)

// BoardList is a board, or all boards, as a table of the tickets that the filter lets through.
func (h *Handlers) BoardList(c echo.Context) error {
	f := filterOf(c).As(savedviews.AsList)
	path := c.Request().URL.Path
	params := c.QueryParams()
	if params.Has(views.ChosenBefore) { // the form: its fields are a query now
		return c.Redirect(http.StatusSeeOther, f.In(path))
	}
	if params.Has(views.ChosenFields) {
		f.Fields = chosenFields(params)
		to := f.In(path)
		if params.Has(views.EarlierField) {
			to += "#" + views.ListFieldsID // which browsers open
		}
		return c.Redirect(http.StatusSeeOther, to)
	}
	list, err := h.listOfPath(c, f)
	if err != nil {
		return err
	}
	props := listProps(c, h.respond.Page(c, "List of "+pages.BoardTitle(list.Board)), f, list)
	if respond.Target(c) == views.ListID {
		return respond.Render(c, http.StatusOK, pages.BoardListMain(props))
	}
	h.rememberBoard(c, list.Board)
	return respond.Render(c, filterStatus(list.BadQuery), pages.BoardListPage(props))
}

// listOfPath returns a page of a list, and leads to the present prefix of its board.
func (h *Handlers) listOfPath(c echo.Context, f views.Filter) (list workflows.BoardList, err error) {
	of := listOf(f)
	if of.After, err = tickets.ParseCursor(c.QueryParam("after")); err != nil {
		return list, err
	}
	slug, err := scopeOfPath(c)
	if err != nil {
		return list, err
	}
	if list, err = h.workflows.ListBoard(c.Request().Context(), slug, of); err != nil {
		return list, err
	}
	return list, respond.CheckName(c, "board", list.Board.Slug)
}

func listProps(c echo.Context, p views.Page, f views.Filter, list workflows.BoardList) pages.BoardListProps {
	return pages.BoardListProps{Page: p, Board: list.Board, Boards: list.Boards, Filter: f,
		Choices: pages.Choices{Members: list.Members, Labels: list.Labels, Problem: list.BadQuery},
		Groups:  pages.GroupsOf(f.Group, list.Tickets, list.Boards, respond.LocalNow(c)), Next: list.Next, First: c.QueryParam("after") == ""}
}

// AllTickets are the tickets of all boards in sight, in columns.
func (h *Handlers) AllTickets(c echo.Context) error {
	f := filterOf(c).On(workflows.AllBoards, savedviews.AsBoard)
	if c.QueryParams().Has(views.ChosenBefore) { // the form: its fields are a query now
		return c.Redirect(http.StatusSeeOther, f.In(c.Request().URL.Path))
	}
	shown := f
	shown.Group = cmp.Or(f.Group, string(query.Status))
	list, err := h.listOfPath(c, shown)
	if err != nil {
		return err
	}
	props := listProps(c, h.respond.Page(c, "All tickets"), shown, list)
	props.Groups = pages.WithDropGroups(shown.Group, props.Groups)
	props.Filter = f
	if respond.Target(c) == views.ListID {
		return respond.Render(c, http.StatusOK, pages.AllTicketsMain(props))
	}
	return respond.Render(c, filterStatus(list.BadQuery), pages.AllTicketsPage(props))
}

// listOf are the tickets of a page of a list.
func listOf(f views.Filter) workflows.TicketList {
	of := workflows.TicketList{Query: f.Query, Sort: savedviews.OrderOfGroups(query.Field(f.Group)), Limit: listed}
	if f.Group != "" {
		of.Limit = inSheet
	}
	return of
}

// chosenFields are the fields that the form of a list has chosen, with one moved before the one above it if its button was
// pressed.
func chosenFields(params url.Values) string {
	list := params[views.ChosenField]
	if earlier := params.Get(views.EarlierField); earlier != "" {
		switch at := slices.Index(list, earlier); {
		case at < 0:
			list = append(list, earlier)
		case at > 0:
			list[at-1], list[at] = list[at], list[at-1]
		}
	}
	return savedviews.FieldsText(savedviews.ParseFields(cmp.Or(strings.Join(list, ","), ",")))
}

// BoardListFile is the whole list as a CSV file, with the columns and in the order of its pages.
func (h *Handlers) BoardListFile(c echo.Context) error {
	f := filterOf(c).As(savedviews.AsList)
	of := listOf(f)
	of.Limit = inSheet
	slug, err := scopeOfPath(c)
	if err != nil {
		return err
	}
	list, err := h.workflows.ListBoard(c.Request().Context(), slug, of)
	if err = cmp.Or(err, list.BadQuery); err != nil {
		return err
	}
	if err := respond.CheckName(c, "board", list.Board.Slug); err != nil {
		return err
	}
	now, fields := respond.LocalNow(c), sheetFields(f)
	return h.respond.SendSheet(c, migrations.NewSheet(cmp.Or(list.Board.Slug, "tickets")+".csv", sheetHead(f, fields),
		func(ctx context.Context, write func(...string)) (bool, error) {
			for _, group := range pages.GroupsOf(f.Group, list.Tickets, list.Boards, now) {
				for _, t := range group.Tickets {
					write(sheetRow(f, list.Boards[t.Board], group, t, fields)...)
				}
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

// sheetFields are the fields of a list's file: those of its pages, and the status, which they say beside the title.
func sheetFields(f views.Filter) []query.Field {
	fields := f.Shown()
	if slices.Contains(fields, query.Status) {
		return fields
	}
	return slices.Insert(fields, slices.Index(fields, query.Column)+1, query.Status)
}

// sheetNames are the heads of fields in a file that are not the names of the fields.
var sheetNames = map[query.Field]string{query.Assignee: "assignees", query.Label: "labels"}

func sheetHead(f views.Filter, fields []query.Field) (head []string) {
	if f.Group != "" {
		head = append(head, "group")
	}
	head = append(head, "key", "title")
	for _, field := range fields {
		head = append(head, cmp.Or(sheetNames[field], string(field)))
	}
	return head
}

func sheetRow(f views.Filter, board boards.Board, group pages.ListGroup, t tickets.Ticket, fields []query.Field) (row []string) {
	if f.Group != "" {
		row = append(row, group.Name)
	}
	row = append(row, t.Key.String(), t.Title)
	for _, field := range fields {
		row = append(row, sheetCell(board, t, field))
	}
	return row
}

func sheetCell(board boards.Board, t tickets.Ticket, field query.Field) string {
	switch field {
	case query.Column:
		column, _ := board.Column(t.Column)
		return column.Name
	case query.Status:
		if t.Closed() {
			return "closed"
		}
		return "open"
	case query.Assignee:
		handles := make([]string, len(t.Assignees))
		for i, a := range t.Assignees {
			handles[i] = a.Handle
		}
		return strings.Join(handles, ", ")
	case query.Label:
		return labels.Names(t.Labels)
	case query.Priority:
		if t.Priority != tickets.NoPriority {
			return t.Priority.String()
		}
	case query.Start:
		return t.Start.String()
	case query.Due:
		return t.Due.String()
	case query.Created:
		return moment(&t.CreatedAt)
	case query.Updated:
		return moment(&t.UpdatedAt)
	case query.Closed:
		return moment(t.ClosedAt)
	}
	return ""
}

func moment(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}
