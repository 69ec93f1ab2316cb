package pages

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
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

// PositionForm asks where to move a ticket. Choosing another column asks for it again.
func (h *Handlers) PositionForm(c echo.Context) error {
	ticket, board, err := h.ticketToChange(c)
	if err != nil {
		return err
	}
	form, err := h.readMove(c, ticket)
	if err != nil {
		return err
	}
	return h.showMove(c, http.StatusOK, ticket, board, form)
}

// readMove reads the choices so far; the rest is the ticket's present position.
func (h *Handlers) readMove(c echo.Context, ticket tickets.Ticket) (pages.MoveForm, error) {
	here, err := h.workflows.PlacementOf(c.Request().Context(), ticket)
	if err != nil {
		return pages.MoveForm{}, err
	}
	form := pages.MoveForm{Board: c.FormValue("board"), Column: ticket.Column, After: c.FormValue("after"), Seen: here}
	if chosen, err := respond.ParseColumn(c.FormValue("column")); err == nil && chosen != 0 {
		form.Column = chosen
	}
	if seen, err := readSeen(c); err == nil && seen != nil {
		form.Seen = *seen
	}
	if here.After != nil && form.After == "" && form.Column == ticket.Column && c.Request().Method == http.MethodGet {
		form.After = here.After.String()
	}
	return form, nil
}

func (h *Handlers) showMove(c echo.Context, code int, ticket tickets.Ticket, board boards.Board,
	form pages.MoveForm) error {
	goal, list, err := h.goals(c, board, form.Board)
	if err != nil {
		return err
	}
	form.Board = goal.Slug
	if _, ok := goal.Column(form.Column); !ok {
		form.Column = goal.Entry().ID
		if goal.ID == board.ID {
			form.Column = ticket.Column
		}
	}
	_, near, err := h.workflows.Column(c.Request().Context(), goal.Slug, form.Column, nil, workflows.BoardFilter{})
	if err != nil {
		return err
	}
	props := pages.MoveProps{
		Page: h.respond.Page(c, "Move "+ticket.Key.String()), Board: board, Boards: list, Goal: goal, Ticket: ticket,
		Form: form, Near: near.List, More: near.Next != nil, Filter: filterOf(c),
		Again: respond.Target(c) == views.MoveID,
	}
	if respond.IsFragment(c) {
		return respond.Render(c, code, pages.MoveFormFragment(props))
	}
	return respond.Render(c, code, pages.MovePage(props))
}

// goals returns the chosen board, or the ticket's own, and all boards that a ticket can go to.
func (h *Handlers) goals(
	c echo.Context, own boards.Board, chosen string,
) (goal boards.Board, list []boards.Board, err error) {
	all, err := h.workflows.Boards(c.Request().Context())
	if err != nil {
		return goal, nil, err
	}
	goal = own
	for _, b := range all {
		if b.Archived() && b.ID != own.ID {
			continue
		}
		if list = append(list, b); b.Slug == chosen {
			goal = b
		}
	}
	return goal, list, nil
}

func readSeen(c echo.Context) (*tickets.Placement, error) {
	seenColumn, err := respond.ParseColumn(c.FormValue("seen_column"))
	if err != nil || seenColumn == 0 {
		return nil, err
	}
	if moved, err := strconv.ParseInt(c.FormValue("seen_moved"), 10, 64); err == nil {
		at := time.UnixMicro(moved).UTC()
		return &tickets.Placement{Column: seenColumn, Moved: &at}, nil
	}
	seenAfter, err := respond.ParseAfter(c.FormValue("seen_after"))
	if err != nil {
		return nil, err
	}
	return &tickets.Placement{Column: seenColumn, After: seenAfter}, nil
}

func readIntent(c echo.Context) (intent tickets.Intent, err error) {
	intent.Board = c.FormValue("board")
	if intent.Column, err = respond.ParseColumn(c.FormValue("column")); err != nil {
		return intent, err
	}
	if intent.After, err = respond.ParseAfter(c.FormValue("after")); err != nil {
		return intent, err
	}
	intent.Seen, err = readSeen(c)
	return intent, err
}

// MoveTicket serves a drag, whose target is a column, and the form.
func (h *Handlers) MoveTicket(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	intent, err := readIntent(c)
	var moved tickets.MoveResult
	var board boards.Board
	if err == nil {
		moved, board, err = h.workflows.MoveTicket(c.Request().Context(), k, intent)
	}
	if err != nil {
		return h.rejectMove(c, k, intent, err)
	}
	to, _ := board.Column(moved.Ticket.Column)
	notes := moveNotes(moved, to, intent)
	if isDrag(c) {
		return h.dragged(c, moved, to, board, intent, notes)
	}
	there := views.FilteredPath(respond.Company(c).Slug, board.Slug, filterOf(c))
	switch {
	case moved.Was != moved.Ticket.Key:
		there = views.BoardPath(respond.Company(c).Slug, board.Slug)
		notes = slices.Insert(notes, 0, moved.Was.String()+" is now "+moved.Ticket.Key.String()+", in "+to.Name+" of “"+
			board.Title+"”.")
	case !moved.Appended:
		notes = slices.Insert(notes, 0, moved.Ticket.Key.String()+" is in "+to.Name+".")
	}
	if respond.Target(c) == views.DialogID { // over a list
		return h.renderToast(c, nil, views.Flash{Text: strings.Join(notes, " "), Undo: moved.Activity})
	}
	return h.seeUndo(c, there, strings.Join(notes, " "), moved.Activity)
}

// dragged responds with the columns of a drag, once the card has what its new lane stands for.
func (h *Handlers) dragged(c echo.Context, moved tickets.MoveResult, to boards.Column, board boards.Board,
	intent tickets.Intent, notes []string) error {
	undoable, err := h.changeLane(c, moved.Ticket.Key)
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Conflict, fault.Gone, fault.NotFound, fault.Forbidden:
		notes = append(notes, fault.Message(err))
	default:
		if err != nil {
			return err
		}
	}
	columns, err := h.columnsNow(c, board.Slug, strings.Join(notes, " "), intent.Column, seenColumn(intent))
	if err != nil {
		return err
	}
	done := views.Flash{Text: moved.Ticket.Key.String() + " is in " + to.Name + "."}
	if undoable = append(entries(moved.Activity), undoable...); len(undoable) > 0 {
		last := len(undoable) - 1
		done.Undo, done.Also = undoable[last], undoable[:last]
		if last > 0 {
			if err := h.respond.KeepBatch(c, undoable); err != nil {
				return err
			}
		}
	}
	return h.renderToast(c, columns, done)
}

// moveNotes explain a move that did not end as asked.
func moveNotes(moved tickets.MoveResult, to boards.Column, intent tickets.Intent) (notes []string) {
	if moved.Appended {
		notes = append(notes, intent.After.String()+" is not in this column any more, so "+moved.Ticket.Key.String()+
			" went to its end.")
	}
	if moved.From.Column != to.ID && to.Over() {
		notes = append(notes, fmt.Sprintf("“%s” has more than its limit: %d of %d.", to.Name, to.Count, *to.Limit))
	}
	return notes
}

// isDrag reports whether the response must be columns: the script takes any other for an error and puts the card back.
func isDrag(c echo.Context) bool { return strings.HasPrefix(respond.Target(c), columnPrefix) }

var columnPrefix = strings.TrimSuffix(views.ColumnID(0), "0")

func seenColumn(intent tickets.Intent) id.Column {
	if intent.Seen == nil {
		return intent.Column
	}
	return intent.Seen.Column
}

// showColumns responds to a drag with the present columns, the first with a note.
func (h *Handlers) showColumns(c echo.Context, code int, slug, note string, columns ...id.Column) error {
	components, err := h.columnsNow(c, slug, note, columns...)
	if err != nil {
		return err
	}
	return respond.Render(c, code, components...)
}

// columnsNow are the present columns that the board still has, the first with a note.
func (h *Handlers) columnsNow(
	c echo.Context, slug, note string, columns ...id.Column,
) (components []templ.Component, err error) {
	for i, n := range columns {
		if slices.Contains(columns[:i], n) {
			continue
		}
		props, ok, err := h.columnNow(c, slug, n)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if len(components) == 0 {
			props.Alert = note
			components = append(components, pages.Column(props))
			continue
		}
		components = append(components, pages.ColumnOOB(props))
	}
	return components, nil
}

// renderToast responds with components and a message.
func (h *Handlers) renderToast(c echo.Context, components []templ.Component, message views.Flash) error {
	return h.renderToasts(c, components, []views.Flash{message})
}

// renderToasts is renderToast with several messages.
func (h *Handlers) renderToasts(c echo.Context, components []templ.Component, messages []views.Flash) error {
	page := h.respond.Page(c, "")
	page.Flash = messages
	return respond.Render(c, http.StatusOK, append(components, views.FlashesOOB(page))...)
}

func (h *Handlers) rejectMove(c echo.Context, k tickets.Key, intent tickets.Intent, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	var since tickets.MovedSince
	if isDrag(c) && errors.As(err, &since) {
		return h.showColumns(c, code, since.Current.Key.Board, since.Error(), intent.Column, seenColumn(intent),
			since.Current.Column)
	}
	ticket, board, readErr := h.workflows.TicketOnBoard(c.Request().Context(), k)
	if readErr != nil {
		return readErr
	}
	if isDrag(c) && code == http.StatusConflict {
		return h.showColumns(c, code, board.Slug, fault.Message(err), intent.Column, seenColumn(intent))
	}
	if isDrag(c) {
		return err
	}
	form, err := h.readMove(c, ticket)
	if err != nil {
		return err
	}
	form.Errors = messages
	if code == http.StatusConflict {
		if form.Seen, err = h.workflows.PlacementOf(c.Request().Context(), ticket); err != nil {
			return err
		}
	}
	return h.showMove(c, code, ticket, board, form)
}
