package pages

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// codeBadKeys: the keys of several tickets are missing, too many, or one is no key. Type keys such as NINJA-42.
const codeBadKeys fault.Code = "Ticket.BadKeys"

func badKeys(message string) error { return fault.Invalid.New(codeBadKeys, "keys", message) }

// readKeys reads keys with spaces or commas between them, each once.
func readKeys(text string) (keys []tickets.Key, err error) {
	for _, word := range splitWords(text) {
		key, err := tickets.ParseKey(word)
		if err != nil {
			return nil, badKeys(fmt.Sprintf("“%.40s” is no key. Type keys such as NINJA-42, with spaces between them.", word))
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		if len(keys) > tickets.MaxBatch {
			return nil, badKeys(fmt.Sprintf("Up to %d tickets are changed together. Name fewer.", tickets.MaxBatch))
		}
	}
	if len(keys) == 0 {
		return nil, badKeys("Name the tickets by their keys, such as NINJA-42.")
	}
	return keys, nil
}

func readBatch(c echo.Context) pages.BatchForm {
	kind := pages.ParseBatchKind(c.FormValue("do"))
	params, _ := c.FormParams() // of a body that was read before
	return pages.BatchForm{Kind: kind, Keys: strings.Join(params["keys"], " "), All: c.FormValue("all") != "",
		Canary: c.FormValue("canary"), Next: respond.OwnPath(c.FormValue("next")), Add: c.FormValue("add"), Drop: c.FormValue("drop"),
		Priority: c.FormValue("priority"), Due: c.FormValue("due"), Start: c.FormValue("start"), Column: c.FormValue("column"),
		Bottom: c.FormValue("place") == "bottom", Parent: c.FormValue("parent"), Board: c.FormValue("board")}
}

// BatchForm asks how to change several tickets.
func (h *Handlers) BatchForm(c echo.Context) error {
	board, err := h.boardOrAllToChange(c)
	if err != nil {
		return err
	}
	form, code := readBatch(c), http.StatusOK
	if form.All {
		return h.allMatchingForm(c, board, form)
	}
	if form.Keys == "" {
		form.Kind = "" // both are asked for
	} else if _, err := readKeys(form.Keys); err != nil {
		form.Errors, code = formErrors(respond.FieldErrors(err, fault.Field), "keys"), http.StatusUnprocessableEntity
	}
	if form.Priority == "" {
		form.Priority = tickets.NoPriority.String()
	}
	return h.showBatch(c, code, board, form)
}

func (h *Handlers) showBatch(c echo.Context, code int, board boards.Board, form pages.BatchForm) (err error) {
	props := pages.BatchProps{Page: h.respond.Page(c, "Change tickets"), Board: board, Form: form,
		Dialog: respond.Target(c) == views.DialogID, Filter: filterOf(c)}
	if form.All {
		props.Filter = typedFilter(c)
		if props.Tickets, props.More, err = h.workflows.CountMatching(c.Request().Context(), board.Slug, props.Filter.Query); err != nil {
			return err
		}
	} else if keys, err := readKeys(form.Keys); err == nil {
		props.Tickets = len(keys)
	}
	switch form.Kind {
	case bulkedits.Label:
		props.Labels, err = h.workflows.LabelsOfTickets(c.Request().Context(), board)
	case bulkedits.Board:
		props.Boards, err = h.boardsBeside(c, board)
	case bulkedits.Move:
		if board.ID == 0 {
			props.Boards, err = h.boardsBeside(c, board)
		}
	}
	if err != nil {
		return err
	}
	if respond.IsFragment(c) {
		return respond.Render(c, code, pages.BatchFormOf(props))
	}
	return respond.Render(c, code, pages.BatchPage(props))
}

// ChangeBatch changes several tickets. A board in a browser gets messages alone and fetches its columns.
func (h *Handlers) ChangeBatch(c echo.Context) error {
	ctx := c.Request().Context()
	board, err := h.boardOrAllToChange(c)
	if err != nil {
		return err
	}
	form := readBatch(c)
	edit, badEdit := h.editOf(c, board, form)
	if form.All {
		return h.openBulkEdit(c, board, form, edit, badEdit)
	}
	keys, badKeys := readKeys(form.Keys)
	if err := fault.Join(badKeys, badEdit); err != nil {
		return h.rejectBatch(c, board, form, err)
	}
	if edit.Kind == bulkedits.Move && !edit.Bottom {
		slices.Reverse(keys) // the last one at the top is the first
	}
	result, err := h.workflows.ChangeTickets(ctx, board, edit, keys)
	if err != nil {
		return h.rejectBatch(c, board, form, err)
	}
	if len(result.Changed) == 0 {
		form.Errors = views.Errors{"": refusals(result.Refused)}
		return h.showBatch(c, http.StatusConflict, board, form)
	}
	if err := h.respond.KeepBatch(c, result.Activities); err != nil {
		return err
	}
	return h.batchDone(c, board, batchMessages(form, board, result))
}

// editOf returns the edit that a form asks for, or what is wrong with its fields.
func (h *Handlers) editOf(c echo.Context, board boards.Board, form pages.BatchForm) (bulkedits.Edit, error) {
	asked := workflows.EditRequest{Kind: form.Kind, Bottom: form.Bottom, Parent: form.Parent, Board: form.Board}
	var err error
	switch form.Kind {
	case bulkedits.Assign:
		asked.Add, asked.Drop = splitHandles(form.Add), splitHandles(form.Drop)
	case bulkedits.Label:
		asked.Add = splitLabels(form.Add)
		if form.Drop != "" {
			asked.Drop = []string{form.Drop}
		}
	case bulkedits.Priority:
		asked.Priority, err = tickets.ParsePriority(form.Priority)
	case bulkedits.Due:
		asked.Due, err = tickets.ParseTypedDate("due", form.Due, respond.LocalNow(c))
	case bulkedits.Start:
		asked.Start, err = tickets.ParseTypedDate("start", form.Start, respond.LocalNow(c))
	case bulkedits.Move:
		if board.ID == 0 {
			asked.ColumnNamed = form.Column
		} else {
			asked.Column, err = respond.ParseColumn(form.Column)
		}
	}
	if err != nil {
		return bulkedits.Edit{Kind: form.Kind}, err
	}
	return h.workflows.EditOn(c.Request().Context(), board, asked)
}

// boardsBeside are the boards that tickets can go to: another than the one that all of them are on.
func (h *Handlers) boardsBeside(c echo.Context, own boards.Board) (list []boards.Board, err error) {
	all, err := h.workflows.Boards(c.Request().Context())
	for _, board := range all {
		if board.ID != own.ID && changeable(c, board) == nil {
			list = append(list, board)
		}
	}
	return list, err
}

func (h *Handlers) rejectBatch(c echo.Context, board boards.Board, form pages.BatchForm, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	form.Errors = formErrors(messages, "keys", "do", "add", "drop", "priority", "due", "start", "parent", "board", "column", "canary")
	return h.showBatch(c, code, board, form)
}

const refusalsShown = 5

// refusals are the reasons why tickets stay as they are, by reason.
func refusals(list []workflows.Refusal) string {
	var reasons []string
	keys := map[string][]string{}
	for _, one := range list {
		if keys[one.Reason] == nil {
			reasons = append(reasons, one.Reason)
		}
		keys[one.Reason] = append(keys[one.Reason], one.Key.String())
	}
	var said []string
	for _, reason := range reasons {
		named := keys[reason]
		which := strings.Join(named[:min(len(named), refusalsShown)], ", ")
		if more := len(named) - refusalsShown; more > 0 {
			which += fmt.Sprintf(" and %d more", more)
		}
		said = append(said, which+": "+reason)
	}
	return strings.Join(said, " ")
}

// batchMessages say what was changed, with a button that undoes all of it, and what was not.
func batchMessages(form pages.BatchForm, board boards.Board, result workflows.BatchResult) []views.Flash {
	subject, is := result.Changed[0].String(), " is "
	if len(result.Changed) > 1 {
		subject, is = views.Count(int64(len(result.Changed)), "ticket", "tickets"), " are "
	}
	done := views.Flash{Text: subject + is + batchState(form, board) + "."}
	if n := len(result.Activities); n > 0 {
		done.Undo, done.Also = result.Activities[n-1], result.Activities[:n-1]
	}
	if len(result.Refused) == 0 {
		return []views.Flash{done}
	}
	return []views.Flash{done, {Text: refusals(result.Refused), Bad: true}}
}

// batchState is what changed tickets are now.
func batchState(form pages.BatchForm, board boards.Board) string {
	switch form.Kind {
	case bulkedits.Close:
		return "closed"
	case bulkedits.Reopen:
		return "open again"
	case bulkedits.Delete:
		return "deleted"
	case bulkedits.Board:
		return "on the board " + form.Board
	case bulkedits.Move:
		place := "at the top"
		if form.Bottom {
			place = "at the bottom"
		}
		column, _ := respond.ParseColumn(form.Column)
		if in, ok := board.Column(column); ok {
			place += " of " + in.Name
		} else if board.ID == 0 && form.Column != "" {
			place += " of " + form.Column
		}
		return place
	}
	return "saved"
}

func (h *Handlers) batchDone(c echo.Context, board boards.Board, messages []views.Flash) error {
	if respond.Target(c) == views.DialogID {
		return h.renderToasts(c, nil, messages)
	}
	if next := respond.OwnPath(c.FormValue("next")); next != "" {
		return h.seeAll(c, next, messages)
	}
	return h.seeAll(c, views.FilteredPath(respond.Company(c).Slug, board.Slug, filterOf(c)), messages)
}
