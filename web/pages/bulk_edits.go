package pages

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// allMatchingForm asks how to change all tickets that match: up to a hundred as if they were selected.
func (h *Handlers) allMatchingForm(c echo.Context, board boards.Board, form pages.BatchForm) error {
	keys, few, err := h.workflows.KeysMatching(c.Request().Context(), board.Slug, typedFilter(c).Query)
	if problem := query.Problem(err); problem != nil {
		return c.Redirect(http.StatusSeeOther, typedFilter(c).In(views.BoardListPath(respond.Company(c).Slug, board.Slug)))
	}
	if err != nil {
		return err
	}
	if few && len(keys) > 0 {
		list := make([]string, len(keys))
		for i, key := range keys {
			list[i] = key.String()
		}
		form.All, form.Keys = false, strings.Join(list, " ")
	}
	code := http.StatusOK
	if len(keys) == 0 && few {
		form.Errors, code = views.Errors{"": bulkedits.NoTickets().Error()}, http.StatusConflict
	}
	return h.showBatch(c, code, board, form)
}

// openBulkEdit opens the run that changes all tickets that match.
func (h *Handlers) openBulkEdit(
	c echo.Context, board boards.Board, form pages.BatchForm, edit bulkedits.Edit, bad error,
) error {
	canary, err := strconv.Atoi(form.Canary)
	if form.Canary != "" && (err != nil || canary < 1 || canary > bulkedits.MaxCanary) {
		bad = fault.Join(bad, bulkedits.BadCanary())
	}
	if bad != nil {
		return h.rejectBatch(c, board, form, bad)
	}
	wish := workflows.BulkRequest{Query: typedFilter(c).Query, Edit: edit, Dry: c.FormValue("dry") != "", Canary: canary}
	opened, err := respond.Once(c, func(once *workflows.Once[bulkedits.BulkEdit]) (bulkedits.BulkEdit, error) {
		return h.workflows.OpenBulkEdit(c.Request().Context(), board.Slug, wish, once)
	})
	if problem := query.Problem(err); problem != nil {
		return c.Redirect(http.StatusSeeOther, typedFilter(c).In(views.BoardListPath(respond.Company(c).Slug, board.Slug)))
	}
	if err != nil {
		return h.rejectBatch(c, board, form, err)
	}
	return c.Redirect(http.StatusSeeOther, views.BulkEditPath(respond.Company(c).Slug, opened.ID))
}

// BulkEdits lists the user's bulk edits, or to admins those of the company.
func (h *Handlers) BulkEdits(c echo.Context) error {
	before, err := beforeOf(c)
	if err != nil {
		return err
	}
	props := pages.BulkEditsProps{Page: h.respond.Page(c, "Bulk edits"), Everyones: c.QueryParam("of") == pages.BulkEditsOfCompany}
	read := h.workflows.BulkEdits
	if props.Everyones {
		read = h.workflows.CompanyBulkEdits
	}
	if props.List, props.Next, err = read(c.Request().Context(), before); err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, pages.BulkEditsPage(props))
}

// BoardBulkEdits lists those of a board.
func (h *Handlers) BoardBulkEdits(c echo.Context) error {
	before, err := beforeOf(c)
	if err != nil {
		return err
	}
	board, list, next, err := h.workflows.BulkEditsOn(c.Request().Context(), c.Param("board"), before)
	if err != nil {
		return err
	}
	if err := respond.CheckName(c, "board", board.Slug); err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, pages.BulkEditsPage(pages.BulkEditsProps{
		Page: h.respond.Page(c, "Bulk edits of "+board.Title), Board: &board, List: list, Next: next}))
}

func beforeOf(c echo.Context) (id.BulkEdit, error) {
	if c.QueryParam("before") == "" {
		return 0, nil
	}
	return respond.RowID[id.BulkEdit](c.QueryParam("before"), bulkedits.NotFound())
}

func (h *Handlers) bulkEditOfPath(c echo.Context) (bulkedits.BulkEdit, error) {
	edit, err := respond.RowID[id.BulkEdit](c.Param("edit"), bulkedits.NotFound())
	if err != nil {
		return bulkedits.BulkEdit{}, err
	}
	return h.workflows.BulkEdit(c.Request().Context(), edit)
}

// BulkEdit is a bulk edit: how far it is, and the outcome for each ticket.
func (h *Handlers) BulkEdit(c echo.Context) error { return h.showBulkEdit(c, http.StatusOK, "") }

// showBulkEdit shows the bulk edit of the path, below a message about what was asked of it.
func (h *Handlers) showBulkEdit(c echo.Context, code int, alert string) error {
	edit, err := h.bulkEditOfPath(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	props := pages.BulkEditProps{Page: h.respond.Page(c, "Bulk edit"), Edit: edit, Alert: alert, Now: respond.LocalNow(c),
		Shown: shownOutcome(c.QueryParam("show"), edit)}
	if props.After, err = afterOf(c); err != nil {
		return err
	}
	if props.UndoneBy, err = h.workflows.UndoOf(ctx, edit); err != nil {
		return err
	}
	if !edit.Over() {
		if props.Held, err = h.workflows.StoppedByOperators(ctx); err != nil {
			return err
		}
	}
	if props.Items, props.More, err = h.workflows.BulkEditItems(ctx, edit, props.Shown, props.After); err != nil {
		return err
	}
	if props.Shown == bulkedits.Refused && props.After == 0 {
		if props.Reasons, err = h.workflows.BulkEditReasons(ctx, edit); err != nil {
			return err
		}
	}
	entries := make([]tickets.Activity, len(props.Items))
	for i, item := range props.Items {
		entries[i] = item.Activity
	}
	if props.Seen, err = h.workflows.RelationsSeen(ctx, entries); err != nil {
		return err
	}
	if respond.Target(c) == views.BulkEditID {
		return respond.Render(c, code, pages.BulkEditNow(props))
	}
	return respond.Render(c, code, pages.BulkEditPage(props))
}

func afterOf(c echo.Context) (id.Ticket, error) {
	if c.QueryParam("after") == "" {
		return 0, nil
	}
	return respond.RowID[id.Ticket](c.QueryParam("after"), bulkedits.NotFound())
}

// shownOutcome is whose items are shown: of an unknown one the first that there are some of.
func shownOutcome(text string, edit bulkedits.BulkEdit) bulkedits.Outcome {
	for _, outcome := range bulkedits.Outcomes {
		if string(outcome) == text {
			return outcome
		}
	}
	switch {
	case edit.Changed > 0:
		return bulkedits.Changed
	case edit.Refused > 0:
		return bulkedits.Refused
	case edit.Unchanged > 0:
		return bulkedits.Unchanged
	}
	return bulkedits.Changed
}

// BulkEditOfRun leads from a notification about a run to its bulk edit.
func (h *Handlers) BulkEditOfRun(c echo.Context) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	edit, err := h.workflows.BulkEditOfRun(c.Request().Context(), run)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, views.BulkEditPath(respond.Company(c).Slug, edit.ID))
}

// SetBulkEditState pauses a bulk edit, resumes or stops it.
func (h *Handlers) SetBulkEditState(c echo.Context) error {
	edit, err := h.bulkEditOfPath(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	switch to := c.FormValue("to"); to {
	case pages.BulkEditPaused:
		err = h.workflows.PauseBulkEdit(ctx, edit.ID)
	case pages.BulkEditRunning:
		err = h.workflows.ResumeBulkEdit(ctx, edit.ID)
	case pages.BulkEditStopped:
		err = h.workflows.StopBulkEdit(ctx, edit.ID)
	default:
		err = fault.Invalid.New(codeBadBulkState, "to", fmt.Sprintf("“%.20s” is no state. Press one of the buttons.", to))
	}
	return h.bulkEditDone(c, edit, err)
}

// codeBadBulkState: a bulk edit can be paused, running or stopped. Send one of them.
const codeBadBulkState fault.Code = "BulkEdit.BadState"

// SlowBulkEdit sets the speed of a bulk edit.
func (h *Handlers) SlowBulkEdit(c echo.Context) error {
	edit, err := h.bulkEditOfPath(c)
	if err != nil {
		return err
	}
	rate, err := strconv.ParseFloat(c.FormValue("rate"), 64)
	if err != nil {
		return h.bulkEditDone(c, edit, bulkedits.BadRate())
	}
	return h.bulkEditDone(c, edit, h.workflows.SlowBulkEdit(c.Request().Context(), edit.ID, rate))
}

// bulkEditDone leads back to a bulk edit, or shows why what was asked of it was refused.
func (h *Handlers) bulkEditDone(c echo.Context, edit bulkedits.BulkEdit, err error) error {
	if err == nil {
		return c.Redirect(http.StatusSeeOther, views.BulkEditPath(respond.Company(c).Slug, edit.ID))
	}
	if !errors.Is(err, fault.Invalid) && !errors.Is(err, fault.Conflict) {
		return err
	}
	code, _ := respond.Status(err)
	return h.showBulkEdit(c, code, fault.Message(err))
}

// UndoBulkEdit takes a bulk edit back.
func (h *Handlers) UndoBulkEdit(c echo.Context) error {
	return h.openFrom(c, func(edit bulkedits.BulkEdit, once *workflows.Once[bulkedits.BulkEdit]) (bulkedits.BulkEdit, error) {
		return h.workflows.UndoBulkEdit(c.Request().Context(), edit.ID, c.FormValue("dry") != "", once)
	})
}

// RepeatBulkEdit does what was previewed.
func (h *Handlers) RepeatBulkEdit(c echo.Context) error {
	return h.openFrom(c, func(edit bulkedits.BulkEdit, once *workflows.Once[bulkedits.BulkEdit]) (bulkedits.BulkEdit, error) {
		if edit.Undoes != 0 {
			return h.workflows.UndoBulkEdit(c.Request().Context(), edit.Undoes, false, once)
		}
		return h.workflows.OpenBulkEdit(c.Request().Context(), edit.Slug, workflows.BulkRequest{Query: edit.Query, Edit: edit.Edit}, once)
	})
}

// openFrom opens a bulk edit from that of the path, and leads to it.
func (h *Handlers) openFrom(
	c echo.Context,
	open func(bulkedits.BulkEdit, *workflows.Once[bulkedits.BulkEdit]) (bulkedits.BulkEdit, error),
) error {
	edit, err := h.bulkEditOfPath(c)
	if err != nil {
		return err
	}
	opened, err := respond.Once(c, func(once *workflows.Once[bulkedits.BulkEdit]) (bulkedits.BulkEdit, error) {
		return open(edit, once)
	})
	if err != nil {
		return h.bulkEditDone(c, edit, err)
	}
	return h.bulkEditDone(c, opened, nil)
}
