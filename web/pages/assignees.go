package pages

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

const (
	peopleToAssign  = 50 // shown in the form at once
	peopleToMention = 8  // offered in a list while the user types
)

// codeBadMember: a member is named by what is no id. Choose members from the list.
const codeBadMember fault.Code = "Member.BadID"

func badMember() error {
	return fault.Invalid.New(codeBadMember, "assignees",
		"Choose members from the list. Reload the page and try again.")
}

// accountsField reads the accounts of a field of a form.
func accountsField(c echo.Context, field string) ([]id.Account, error) {
	return idsField[id.Account](c, field, 10*tickets.MaxAssignees, tickets.TooManyAssignees(), badMember())
}

func (h *Handlers) AssignForm(c echo.Context) error {
	ticket, board, err := h.ticketToChange(c)
	if err != nil {
		return err
	}
	checked := make([]id.Account, len(ticket.Assignees))
	for i, a := range ticket.Assignees {
		checked[i] = a.ID
	}
	if c.QueryParam("seen") != "" || c.QueryParam("q") != "" {
		chosen, bad := accountsField(c, "assignee")
		seen, badSeen := accountsField(c, "seen")
		if bad != nil || badSeen != nil {
			return echo.ErrBadRequest
		}
		if c.QueryParam("seen") != "" {
			chosen = stillChosen(seen, chosen, checked)
		}
		checked = chosen
	}
	return h.showAssign(c, http.StatusOK, ticket, board, checked, nil)
}

// showAssign shows the form of the assignees; checked members stay in its list under every search.
func (h *Handlers) showAssign(c echo.Context, code int, ticket tickets.Ticket, board boards.Board, checked []id.Account,
	messages views.Errors) error {
	ctx := c.Request().Context()
	props := pages.AssignProps{Page: h.respond.Page(c, "Assign "+ticket.Key.String()), Board: board, Ticket: ticket,
		Find: c.FormValue("q"), Checked: checked, Errors: messages}
	var err error
	if props.Members, err = h.workflows.MembersAmong(ctx, checked); err != nil {
		return err
	}
	found, err := h.workflows.FindMembers(ctx, props.Find, true, peopleToAssign+1)
	if err != nil {
		return err
	}
	if props.More = len(found) > peopleToAssign; props.More {
		found = found[:peopleToAssign]
	}
	if props.Find != "" && len(found) > 0 {
		props.First = found[0].ID
	}
	for _, one := range found {
		if !slices.Contains(checked, one.ID) {
			props.Members = append(props.Members, one)
		}
	}
	switch {
	case respond.Target(c) == views.CandidatesID:
		return respond.Render(c, code, pages.Candidates(props))
	case respond.IsFragment(c):
		return respond.Render(c, code, pages.AssignForm(props))
	}
	return respond.Render(c, code, pages.AssignPage(props))
}

// AssignTicket serves the form, which names the assignees that it showed, and the buttons that add or remove one.
func (h *Handlers) AssignTicket(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	wish, err := readAssignment(c)
	var ticket tickets.Ticket
	var entry tickets.Activity
	if err == nil {
		ticket, entry, err = h.workflows.AssignTicket(c.Request().Context(), k, wish)
	}
	if err != nil {
		return h.rejectAssign(c, err)
	}
	return h.ticketSaved(c, ticket, entry)
}

func readAssignment(c echo.Context) (wish workflows.Assignment, err error) {
	if c.FormValue("quick") != "" {
		if wish.Add, err = accountsField(c, "add"); err != nil {
			return wish, err
		}
		wish.Remove, err = accountsField(c, "remove")
		return wish, err
	}
	seen, err := accountsField(c, "seen")
	if err != nil {
		return wish, err
	}
	chosen, err := accountsField(c, "assignee")
	if err != nil {
		return wish, err
	}
	wish.Add, wish.Remove = differences(seen, chosen)
	return wish, nil
}

func (h *Handlers) rejectAssign(c echo.Context, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	checked, err := accountsField(c, "assignee")
	if err != nil {
		checked = nil
	}
	if respond.IsFragment(c) {
		respond.Retarget(c, "#assign")
	}
	return h.showAssign(c, code, ticket, board, checked[:min(len(checked), tickets.MaxAssignees)], messages)
}

// Mentions are members to mention, for the list that opens while the user types.
func (h *Handlers) Mentions(c echo.Context) error {
	found, err := h.workflows.FindMembers(c.Request().Context(), c.QueryParam("q"), false, peopleToMention)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, pages.MentionList(h.respond.Page(c, "Members"), found))
}

func (h *Handlers) Work(c echo.Context) error {
	before, err := respond.Cursor[tickets.ID](c, "before")
	if err != nil {
		return err
	}
	list, more, err := h.workflows.Work(c.Request().Context(), before)
	if err != nil {
		return err
	}
	props := pages.WorkProps{Page: h.respond.Page(c, "My work")}
	if more {
		props.Next = list[len(list)-1].ID
	}
	props.Boards = byBoard(list)
	return respond.Render(c, http.StatusOK, pages.WorkPage(props))
}

// byBoard sorts work by boards, columns and ranks.
func byBoard(list []tickets.Work) (grouped []pages.WorkOnBoard) {
	slices.SortFunc(list, tickets.Work.Compare)
	for _, one := range list {
		if n := len(grouped); n == 0 || grouped[n-1].Slug != one.Key.Board {
			grouped = append(grouped, pages.WorkOnBoard{Slug: one.Key.Board, Title: one.Board})
		}
		board := &grouped[len(grouped)-1]
		if n := len(board.Columns); n == 0 || board.Columns[n-1].Name != one.Column {
			board.Columns = append(board.Columns, pages.WorkInColumn{Name: one.Column})
		}
		column := &board.Columns[len(board.Columns)-1]
		column.Tickets = append(column.Tickets, one)
	}
	return grouped
}
