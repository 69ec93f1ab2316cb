package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// codeBadKeys: the keys of several tickets are missing, too many, or one is no key. Type keys such as NINJA-42.
const codeBadKeys fault.Code = "Ticket.BadKeys"

func badKeys(message string) error { return fault.Invalid.New(codeBadKeys, "keys", message) }

// codeBadBatch: what is to be done to several tickets is not named, or unknown. Choose it from the list.
const codeBadBatch fault.Code = "Ticket.BadBatch"

func badBatch() error {
	return fault.Invalid.New(codeBadBatch, "do", "Choose what to change from the list.")
}

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
	kind, _ := pages.ParseBatchKind(c.FormValue("do"))
	return pages.BatchForm{Kind: kind, Keys: c.FormValue("keys"), Add: c.FormValue("add"), Drop: c.FormValue("drop"),
		Priority: c.FormValue("priority"), Due: c.FormValue("due"), Column: c.FormValue("column"),
		Bottom: c.FormValue("place") == "bottom"}
}

// BatchForm asks how to change several tickets.
func (h *Handlers) BatchForm(c echo.Context) error {
	board, err := h.boardToChange(c)
	if err != nil {
		return err
	}
	form, code := readBatch(c), http.StatusOK
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
	if keys, err := readKeys(form.Keys); err == nil {
		props.Tickets = len(keys)
	}
	if form.Kind == pages.BatchLabels {
		if props.Labels, err = h.workflows.LabelsOn(c.Request().Context(), board); err != nil {
			return err
		}
	}
	if respond.IsFragment(c) {
		return respond.Render(c, code, pages.BatchFormOf(props))
	}
	return respond.Render(c, code, pages.BatchPage(props))
}

// ChangeBatch changes several tickets. A board in a browser gets messages alone and fetches its columns.
func (h *Handlers) ChangeBatch(c echo.Context) error {
	ctx := c.Request().Context()
	board, err := h.boardToChange(c)
	if err != nil {
		return err
	}
	form := readBatch(c)
	keys, badKeys := readKeys(form.Keys)
	change, badChange := h.batchChange(c, board, form)
	if err := fault.Join(badKeys, badChange); err != nil {
		return h.rejectBatch(c, board, form, err)
	}
	if form.Kind == pages.BatchMove && !form.Bottom {
		slices.Reverse(keys) // the last one at the top is the first
	}
	result, err := h.workflows.ChangeBatch(ctx, keys, change)
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

// batchChange returns the change that a form asks for, or what is wrong with its fields.
func (h *Handlers) batchChange(c echo.Context, board boards.Board, form pages.BatchForm) (workflows.TicketChange, error) {
	switch form.Kind {
	case pages.BatchAssign:
		return h.batchAssign(c, form)
	case pages.BatchLabels:
		return h.batchLabels(c, board, form)
	case pages.BatchPriority:
		priority, err := tickets.ParsePriority(form.Priority)
		return h.batchProperties(tickets.PropertyEdit{Priority: &priority}), err
	case pages.BatchDates:
		due, err := tickets.ParseTypedDate("due", form.Due, respond.LocalNow(c))
		return h.batchProperties(tickets.PropertyEdit{Due: &due}), err
	case pages.BatchMove:
		return h.batchMove(board, form)
	case pages.BatchClose:
		return moving(h.workflows.CloseTicket), nil
	case pages.BatchReopen:
		return moving(h.workflows.ReopenTicket), nil
	case pages.BatchDelete:
		return h.deleteOne, nil
	}
	return nil, badBatch()
}

func (h *Handlers) batchAssign(c echo.Context, form pages.BatchForm) (workflows.TicketChange, error) {
	ctx := c.Request().Context()
	var change workflows.Assignment
	var err, badAdd, badDrop error
	for _, one := range []struct {
		text, field string
		to          *[]id.Account
		bad         *error
	}{{form.Add, "add", &change.Add, &badAdd}, {form.Drop, "drop", &change.Remove, &badDrop}} {
		var handles []string
		if handles, err = tickets.ParseAssignees(splitHandles(one.text)); err == nil {
			*one.to, err = h.workflows.AssignableMembers(ctx, handles)
		}
		*one.bad = atField(one.field, err)
	}
	if err := fault.Join(badAdd, badDrop); err != nil {
		return nil, err
	}
	return func(ctx context.Context, key tickets.Key) (id.Activity, error) {
		_, entry, err := h.workflows.AssignTicket(ctx, key, change)
		return entry.ID, err
	}, nil
}

func (h *Handlers) batchLabels(c echo.Context, board boards.Board, form pages.BatchForm) (workflows.TicketChange, error) {
	named, bad := labels.ParseNames(splitLabels(form.Add))
	change := workflows.Labelling{Named: named}
	var badDrop error
	if form.Drop != "" {
		all, err := h.workflows.LabelsOn(c.Request().Context(), board)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(all, func(l labels.Label) bool { return l.Name == form.Drop })
		if at >= 0 {
			change.Remove = []id.Label{all[at].ID}
		} else {
			badDrop = atField("drop", labels.NotHere())
		}
	}
	return func(ctx context.Context, key tickets.Key) (id.Activity, error) {
		_, entry, err := h.workflows.LabelTicket(ctx, key, change)
		return entry.ID, err
	}, fault.Join(atField("add", bad), badDrop)
}

func (h *Handlers) batchProperties(edit tickets.PropertyEdit) workflows.TicketChange {
	return func(ctx context.Context, key tickets.Key) (id.Activity, error) {
		_, entry, err := h.workflows.SetProperties(ctx, key, edit)
		return entry.ID, err
	}
}

// batchMove moves tickets to the top or bottom of a column of the board, or of their own.
func (h *Handlers) batchMove(board boards.Board, form pages.BatchForm) (workflows.TicketChange, error) {
	column, err := respond.ParseColumn(form.Column)
	if err != nil {
		return nil, err
	}
	intent := tickets.Intent{Column: column, AtEnd: form.Bottom}
	if column != 0 {
		intent.Board = board.Slug
	}
	return func(ctx context.Context, key tickets.Key) (id.Activity, error) {
		own := intent
		if column == 0 {
			ticket, err := h.workflows.Ticket(ctx, key)
			if err != nil {
				return 0, err
			}
			own.Column = ticket.Column
		}
		moved, _, err := h.workflows.MoveTicket(ctx, key, own)
		return moved.Activity, err
	}, nil
}

// moving is a change by a way of a ticket to another place.
func moving(
	way func(context.Context, tickets.Key) (tickets.MoveResult, boards.Board, error),
) workflows.TicketChange {
	return func(ctx context.Context, key tickets.Key) (id.Activity, error) {
		moved, _, err := way(ctx, key)
		return moved.Activity, err
	}
}

func (h *Handlers) deleteOne(ctx context.Context, key tickets.Key) (id.Activity, error) {
	if err := h.workflows.DeleteTicket(ctx, key); err != nil {
		return 0, err
	}
	_, _, deletion, err := h.workflows.DeletedTicket(ctx, key)
	if errors.Is(err, fault.NotFound) {
		return 0, nil // it was restored at once
	}
	return deletion.ID, err
}

// atField is an error about another field of a form.
func atField(field string, err error) error {
	var moved []error
	for _, one := range fault.Each(err) {
		var bad fault.Error
		if errors.As(one, &bad) {
			bad.Field = field
			one = bad
		}
		moved = append(moved, one)
	}
	return fault.Join(moved...)
}

func (h *Handlers) rejectBatch(c echo.Context, board boards.Board, form pages.BatchForm, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	form.Errors = formErrors(messages, "keys", "do", "add", "drop", "priority", "due", "column")
	return h.showBatch(c, code, board, form)
}

const refusalsShown = 5

// refusals are the reasons why tickets stay as they are, by reason.
func refusals(list []workflows.Refusal) string {
	var reasons []string
	keys := map[string][]string{}
	for _, one := range list {
		reason := fault.Message(one.Err)
		if errors.Is(one.Err, tickets.CodeNotFound) {
			reason = "There is no such ticket, or not for you."
		}
		if keys[reason] == nil {
			reasons = append(reasons, reason)
		}
		keys[reason] = append(keys[reason], one.Key.String())
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
	case pages.BatchClose:
		return "closed"
	case pages.BatchReopen:
		return "open again"
	case pages.BatchDelete:
		return "deleted"
	case pages.BatchMove:
		place := "at the top"
		if form.Bottom {
			place = "at the bottom"
		}
		column, _ := respond.ParseColumn(form.Column)
		if in, ok := board.Column(column); ok {
			place += " of " + in.Name
		}
		return place
	}
	return "saved"
}

func (h *Handlers) batchDone(c echo.Context, board boards.Board, messages []views.Flash) error {
	if respond.Target(c) == views.DialogID {
		return h.renderToasts(c, nil, messages)
	}
	return h.seeAll(c, views.FilteredPath(respond.Company(c).Slug, board.Slug, filterOf(c)), messages)
}
