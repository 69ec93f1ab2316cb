package pages

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// ColumnCardsForm asks what is to be done with all cards of a column.
func (h *Handlers) ColumnCardsForm(c echo.Context) error {
	board, column, err := h.columnToChange(c)
	if err != nil {
		return err
	}
	return h.showColumnCards(c, http.StatusOK, pages.ColumnCardsProps{Board: board, Column: column})
}

// columnToChange is boardToChange with the column of the path.
func (h *Handlers) columnToChange(c echo.Context) (board boards.Board, column boards.Column, err error) {
	of, err := respond.PathColumn(c)
	if err != nil {
		return board, column, err
	}
	if board, err = h.boardToChange(c); err != nil {
		return board, column, err
	}
	column, ok := board.Column(of)
	if !ok {
		return board, column, echo.ErrNotFound
	}
	return board, column, nil
}

func (h *Handlers) showColumnCards(c echo.Context, code int, props pages.ColumnCardsProps) error {
	props.Page, props.Filter = h.respond.Page(c, "Cards of "+props.Column.Name), filterOf(c)
	props.Dialog = respond.Target(c) == views.DialogID
	if respond.IsFragment(c) {
		return respond.Render(c, code, pages.ColumnCardsForm(props))
	}
	return respond.Render(c, code, pages.ColumnCardsPage(props))
}

// ChangeColumnCards moves all cards of a column, or sorts them.
func (h *Handlers) ChangeColumnCards(c echo.Context) error {
	board, column, err := h.columnToChange(c)
	if err != nil {
		return err
	}
	props := pages.ColumnCardsProps{Board: board, Column: column, By: tickets.Order(c.FormValue("by"))}
	var messages []views.Flash
	if c.FormValue("do") == "move" {
		if props.To, err = respond.ParseColumn(c.FormValue("to")); err == nil {
			messages, err = h.moveColumnCards(c, board, column, props.To)
		}
	} else {
		messages, err = h.sortColumnCards(c, board, column)
	}
	if err != nil {
		return h.rejectColumnCards(c, props, err)
	}
	return h.batchDone(c, board, messages)
}

func (h *Handlers) sortColumnCards(
	c echo.Context, board boards.Board, column boards.Column,
) ([]views.Flash, error) {
	order, err := tickets.ParseOrder(c.FormValue("by"))
	if err != nil {
		return nil, err
	}
	_, sorted, err := h.workflows.SortColumn(c.Request().Context(), board.Slug, column.ID, order)
	if err != nil {
		return nil, err
	}
	return h.keepUndo(c, "The cards of “"+column.Name+"” are sorted.", sorted)
}

// keepUndo is a message about actions that are undone together.
func (h *Handlers) keepUndo(c echo.Context, text string, done []id.Activity) ([]views.Flash, error) {
	message := views.Flash{Text: text}
	if n := len(done); n > 0 {
		message.Undo, message.Also = done[n-1], done[:n-1]
	}
	return []views.Flash{message}, h.respond.KeepBatch(c, done)
}

// moveColumnCards moves the cards of a column one by one, so that this can be undone, if they are few enough.
func (h *Handlers) moveColumnCards(
	c echo.Context, board boards.Board, column boards.Column, to id.Column,
) ([]views.Flash, error) {
	ctx := c.Request().Context()
	goal, ok := board.Target(to)
	if !ok || to == column.ID {
		return nil, boards.NoHeir()
	}
	_, list, next, err := h.workflows.TicketsOf(ctx, board.Slug,
		workflows.TicketList{Column: column.ID, Limit: tickets.MaxBatch})
	if err != nil {
		return nil, err
	}
	if next == nil {
		if err := goal.Admit(int64(len(list))); err != nil { // all or none
			return nil, err
		}
		keys := make([]tickets.Key, len(list))
		for i, ticket := range list {
			keys[i] = ticket.Key
		}
		form := pages.BatchForm{Kind: bulkedits.Move, Column: c.FormValue("to"), Bottom: true}
		edit := bulkedits.Edit{Kind: form.Kind, Column: &bulkedits.NamedColumn{ID: goal.ID, Name: goal.Name}, Bottom: true}
		result, err := h.workflows.ChangeTickets(ctx, board, edit, keys)
		if err != nil || len(result.Changed) == 0 {
			return []views.Flash{{Text: "“" + column.Name + "” has no cards to move."}}, err
		}
		return batchMessages(form, board, result), h.respond.KeepBatch(c, result.Activities)
	}
	now, err := h.workflows.MoveColumnTickets(ctx, board.Slug, column.ID, to)
	if err != nil {
		return nil, err
	}
	text := "The cards of “" + column.Name + "” are at the bottom of “" + goal.Name + "”."
	if from, ok := now.Column(column.ID); ok && from.Carries() {
		text = "The cards of “" + column.Name + "” are being moved to “" + goal.Name + "”. The column says how many are."
	}
	return []views.Flash{{Text: text}}, nil
}

// rejectColumnCards shows the form again.
func (h *Handlers) rejectColumnCards(c echo.Context, props pages.ColumnCardsProps, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	if message := messages["column"]; message != "" {
		delete(messages, "column")
		messages["to"] = message
	}
	props.Errors = formErrors(messages, "to", "by")
	return h.showColumnCards(c, code, props)
}
