package pages

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) EditTicket(c echo.Context) error {
	ticket, board, err := h.ticketToChange(c)
	if err != nil {
		return err
	}
	form := pages.TicketForm{Title: ticket.Title, Description: ticket.Description, Version: ticket.Version}
	return h.showEdit(c, http.StatusOK, ticket, board, form)
}

func (h *Handlers) showEdit(c echo.Context, code int, ticket tickets.Ticket, board boards.Board,
	form pages.TicketForm) error {
	form.Alone = respond.Target(c) != views.TicketID
	props := pages.EditProps{Page: h.respond.Page(c, "Edit "+ticket.Key.String()), Board: board, Ticket: ticket,
		Form: form}
	if form.Alone {
		return respond.Render(c, code, pages.EditPage(props))
	}
	return respond.Render(c, code, pages.EditForm(props))
}

// SaveTicket saves an edit. On a conflict the form comes back with the other change: the input can be saved over that
// (overwrite) or merged with it (merge); either names the version that the user has seen.
func (h *Handlers) SaveTicket(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	form, edit, err := readEdit(c)
	var ticket tickets.Ticket
	if err == nil && c.Request().Form.Has("mine") {
		var merged bool
		if form, merged, err = h.mergePieces(c, k, form); err == nil && !merged {
			return h.rejectPieces(c, k, form)
		}
		edit = tickets.Edit{Version: form.Version, Title: &form.Title, Description: &form.Description}
	}
	if err == nil {
		ticket, err = h.workflows.EditTicket(c.Request().Context(), k, edit)
	}
	if err != nil {
		return h.rejectEdit(c, k, form, edit, err)
	}
	return h.respond.SeeOther(c, views.TicketPath(respond.Company(c).Slug, ticket.Key), "")
}

func readEdit(c echo.Context) (form pages.TicketForm, edit tickets.Edit, err error) {
	title, description := "title", "description"
	over, bad := strconv.ParseUint(c.FormValue("overwrite"), 10, 63)
	overwrites := bad == nil
	seen, bad := strconv.ParseUint(c.FormValue("merge"), 10, 63)
	merges := bad == nil
	if merges {
		title, description = "merged_title", "merged_description"
	}
	form = pages.TicketForm{Title: c.FormValue(title), Description: c.FormValue(description)}
	if form.Version, err = respond.Version(c); err != nil {
		return form, edit, err
	}
	switch {
	case merges:
		form.Version = seen // the merged text is based on theirs
		edit.Version = seen
	case overwrites:
		edit.Version = over
	default:
		edit.Version = form.Version
	}
	edit.Title = &form.Title
	if c.Request().Form.Has(description) { // a form without it leaves it as it is
		edit.Description = &form.Description
	}
	return form, edit, nil
}

// mergePieces makes the description of the choices for what both changed. form has the version that the user has seen.
// ok is false if one is missing, unless the ticket was changed again: then the piece has the lines of both.
func (h *Handlers) mergePieces(c echo.Context, k tickets.Key, form pages.TicketForm) (
	merged pages.TicketForm, ok bool, err error) {
	ctx := c.Request().Context()
	base, err := respond.Version(c)
	if err != nil {
		return form, false, err
	}
	mine := pages.TicketForm{Title: c.FormValue("mine_title"), Description: c.FormValue("mine"), Version: base}
	current, _, err := h.workflows.TicketOnBoard(ctx, k)
	if err != nil {
		return form, false, err
	}
	conflict, err := h.workflows.ConflictAt(ctx, current, base, form.Version)
	if err != nil {
		return form, false, err
	}
	if !conflict.Known { // it is a conflict of what was typed
		return mine, true, nil
	}
	conflict.Resolve(storedTexts(mine))
	mine.Choices = readChoices(c, conflict.Merged.Clashes())
	text, missing := conflict.Merged.Text(mine.Choices...)
	if len(missing) == 0 || form.Version != current.Version {
		form.Description = text
		return form, true, nil
	}
	conflict.MergedTitle = form.Title
	mine.Conflict, mine.Errors = &conflict, views.Errors{}
	for _, n := range missing {
		mine.Errors[pages.PieceName(n)] = "Choose a version of this piece."
	}
	return mine, false, nil
}

func readChoices(c echo.Context, n int) (choices []tickets.Choice) {
	for i := range n {
		name := pages.PieceName(i)
		other := strings.ReplaceAll(c.FormValue(name+pages.PieceOther), "\r\n", "\n")
		choices = append(choices, tickets.Choice{Take: c.FormValue(name), Other: other})
	}
	return choices
}

func (h *Handlers) rejectPieces(c echo.Context, k tickets.Key, form pages.TicketForm) error {
	ticket, board, err := h.workflows.TicketOnBoard(c.Request().Context(), k)
	if err != nil {
		return err
	}
	return h.showEdit(c, http.StatusUnprocessableEntity, ticket, board, form)
}

func (h *Handlers) rejectEdit(c echo.Context, k tickets.Key, form pages.TicketForm, edit tickets.Edit,
	err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	ctx := c.Request().Context()
	ticket, board, readErr := h.workflows.TicketOnBoard(ctx, k)
	if readErr != nil {
		return readErr
	}
	form.Errors = messages
	checkTexts(form)
	var stale tickets.Stale
	if errors.As(err, &stale) {
		conflict, err := h.workflows.Conflict(ctx, stale.Current, form.Version)
		if err != nil {
			return err
		}
		form.Conflict = &conflict
		if edit.Description == nil {
			form.Description = conflict.Since.Description
		}
		if conflict.Known {
			conflict.Resolve(storedTexts(form))
		}
	}
	return h.showEdit(c, code, ticket, board, form)
}

// storedTexts returns the texts of a form as they would be stored, or unchanged if they cannot be.
func storedTexts(form pages.TicketForm) (title, description string) {
	title, description = form.Title, form.Description
	if parsed, err := tickets.ParseTitle(title); err == nil {
		title = parsed
	}
	if parsed, err := tickets.ParseDescription(description); err == nil {
		description = parsed
	}
	return title, description
}
