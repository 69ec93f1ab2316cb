package admin

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Run is a run's page, or of it the list of tasks alone.
func (h *Handlers) Run(c echo.Context) error {
	run, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	if respond.Target(c) == views.RunTasksID {
		filter := taskFilter(c)
		path, _, _ := strings.Cut(views.RunTasksPath(run.ID, filter), "#")
		respond.ReplaceURL(c, path)
		pieces, err := h.drawRun(c, run, "", slices.DeleteFunc(slices.Clone(admin.RunPieces), func(id string) bool { return id == views.RunTasksID })...)
		if err != nil {
			return err
		}
		return respond.Render(c, http.StatusOK, admin.RunPieceOOB(pieces[views.RunTasksID]))
	}
	return h.showRun(c, http.StatusOK, run, admin.RunLive{})
}

// showRun shows a run's page, with what was typed or went wrong.
func (h *Handlers) showRun(c echo.Context, code int, run migrations.Run, with admin.RunLive) error {
	live, err := h.runLive(c, run, nil)
	if err != nil {
		return err
	}
	live.Alert = with.Alert
	if with.Knobs.Values != nil {
		live.Knobs = with.Knobs
	}
	pieces, err := admin.DrawRun(c.Request().Context(), live)
	if err != nil {
		return fmt.Errorf("draw a run: %w", err)
	}
	page := h.controlRoom(c, fmt.Sprintf("%s #%d", run.Title, run.ID))
	return respond.Render(c, code, admin.RunPage(admin.RunProps{Page: page, Run: run, Pieces: pieces, Tasks: live.Tasks}))
}

// runLive reads what the pieces of a run's page are drawn from, but those that are left out.
func (h *Handlers) runLive(c echo.Context, run migrations.Run, without []string) (admin.RunLive, error) {
	ctx := c.Request().Context()
	live := admin.RunLive{Run: run, Knobs: admin.KnobsFormOf(run.Knobs)}
	info, err := h.console.Migration(ctx, run.Name)
	if err != nil && !errors.Is(err, fault.NotFound) {
		return live, err
	}
	live.Params, live.Asks = admin.RunParams(run, info), len(info.First) > 0
	if live.Pulse, err = h.console.RunPulse(ctx, run.ID); err != nil {
		return live, err
	}
	if live.Failures, err = h.console.RunFailures(ctx, run.ID); err != nil {
		return live, err
	}
	live.Workers = live.Pulse.Workers
	if live.Health, err = h.console.DatabaseHealth(ctx); err != nil {
		return live, err
	}
	if live.Events, live.Older, err = h.console.RunEvents(ctx, run.ID, 0); err != nil {
		return live, err
	}
	const most = 8
	if len(live.Events) > most {
		live.Events, live.Older = live.Events[:most], true
	}
	if !slices.Contains(without, views.RunTasksID) {
		live.Tasks, err = h.tasksOf(c, run)
	}
	return live, err
}

func (h *Handlers) drawRun(c echo.Context, run migrations.Run, alert string, without ...string) (map[string]admin.Piece, error) {
	live, err := h.runLive(c, run, without)
	if err != nil {
		return nil, err
	}
	live.Alert = alert
	pieces, err := admin.DrawRun(c.Request().Context(), live, without...)
	if err != nil {
		return nil, fmt.Errorf("draw a run: %w", err)
	}
	return pieces, nil
}

// unasked stands for a piece that a browser does not want anew.
const unasked = "-"

// LiveRun answers a page that keeps itself true with the pieces that are not as it has seen them.
func (h *Handlers) LiveRun(c echo.Context) error {
	run, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	if !respond.IsFragment(c) {
		return c.Redirect(http.StatusSeeOther, views.RunPath(run.ID))
	}
	seen := strings.Split(c.QueryParam("seen"), ".")
	seen = append(seen, make([]string, len(admin.RunPieces))...)
	var without []string
	for i, name := range admin.RunPieces {
		if seen[i] == unasked {
			without = append(without, name)
		}
	}
	pieces, err := h.drawRun(c, run, "", without...)
	if err != nil {
		return err
	}
	var changed []templ.Component
	for i, name := range admin.RunPieces {
		if piece, drawn := pieces[name]; drawn && piece.Seen != seen[i] {
			changed = append(changed, admin.RunPieceOOB(piece))
		}
	}
	if changed == nil {
		c.Response().Header().Set("Cache-Control", "private, no-store")
		return c.NoContent(http.StatusNoContent)
	}
	return respond.Render(c, http.StatusOK, changed...)
}

// answerRun answers what was done to a run: the page again, or its pieces. Where the run's state did not
// allow it, they say so and show what there is now.
func (h *Handlers) answerRun(c echo.Context, run id.Run, said string, err error) error {
	code, alert := http.StatusOK, ""
	if err != nil {
		if !errors.Is(err, fault.Conflict) {
			return err
		}
		code, alert = http.StatusConflict, fault.Message(err)
	}
	if !respond.IsFragment(c) && err == nil {
		return h.respond.SeeOther(c, views.RunPath(run), said)
	}
	now, err := h.console.Run(c.Request().Context(), run)
	if err != nil {
		return err
	}
	if !respond.IsFragment(c) {
		return h.showRun(c, code, now, admin.RunLive{Alert: alert})
	}
	return h.renderRun(c, code, now, alert, said, views.RunKnobsID, views.RunTasksID)
}

// renderRun answers with the pieces of a run's page and a message.
func (h *Handlers) renderRun(c echo.Context, code int, run migrations.Run, alert, said string, without ...string) error {
	pieces, err := h.drawRun(c, run, alert, without...)
	if err != nil {
		return err
	}
	var answer []templ.Component
	for _, name := range admin.RunPieces {
		if piece, drawn := pieces[name]; drawn {
			answer = append(answer, admin.RunPieceOOB(piece))
		}
	}
	if said != "" {
		answer = append(answer, admin.RunSaid(views.Page{Flash: []views.Flash{{Text: said}}}))
	}
	return respond.Render(c, code, answer...)
}

// codeBadPaused: the field paused is neither 1 nor 0. Reload the page.
const codeBadPaused fault.Code = "Run.BadPaused"

func badPaused() error {
	return fault.Error{
		Kind: fault.Invalid, Code: codeBadPaused, Field: "paused",
		Message: "paused must be 1 or 0. Reload the page and try again.",
	}
}

// PauseRun pauses a run, or with paused=0 resumes it.
func (h *Handlers) PauseRun(c echo.Context) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	do, said := h.console.PauseRun, "Pausing: nothing more is claimed."
	switch c.FormValue("paused") {
	case "1":
	case "0":
		do, said = h.console.ResumeRun, "The run goes on."
	default:
		return badPaused()
	}
	_, err = do(c.Request().Context(), run)
	return h.answerRun(c, run, said, err)
}

// CancellationForm asks whether to stop a run for good.
func (h *Handlers) CancellationForm(c echo.Context) error {
	run, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	return h.askAbout(c, http.StatusOK, cancellation(run))
}

func cancellation(run migrations.Run) admin.RunQuestion {
	if !run.State.IsActive() {
		return admin.RunQuestion{Run: run, Heading: "Nothing to stop", Lines: []string{fmt.Sprintf("Run %d is over.", run.ID)}}
	}
	p := run.Progress
	left := p.Open + p.Waiting
	done := fmt.Sprintf("Of %s, %s done and stay so.", views.Counted(int64(run.Total), "task", "tasks"), isOrAre(p.Done()))
	if p.Done() == 0 {
		done = "No task was done yet."
	}
	lines := []string{
		done,
		fmt.Sprintf("%s will not be done.", views.Counted(left, "task", "tasks")),
	}
	if p.Processing > 0 {
		lines = append(lines, fmt.Sprintf("%s in work now will be finished first.", views.Counted(p.Processing, "task", "tasks")))
	}
	lines = append(lines, "A stopped run cannot be resumed. To stop it for a while, pause it.")
	return admin.RunQuestion{
		Run: run, Heading: fmt.Sprintf("Stop run %d?", run.ID), Lines: lines, Path: views.RunCancellationPath(run.ID),
		Button: "Stop, and leave " + views.Counted(left, "task", "tasks"), Class: "danger",
	}
}

func isOrAre(n int64) string {
	if n == 1 {
		return "1 is"
	}
	return views.Thousands(n) + " are"
}

func (h *Handlers) CancelRun(c echo.Context) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	_, err = h.console.CancelRun(c.Request().Context(), run)
	return h.answerRun(c, run, "Stopping: nothing more is claimed.", err)
}

// DismissRun takes a run that is over from the list of those that need attention.
func (h *Handlers) DismissRun(c echo.Context) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	_, err = h.console.DismissRun(c.Request().Context(), run)
	if err == nil && c.FormValue("next") == views.MigrationsPath {
		return h.respond.SeeOther(c, views.MigrationsPath, fmt.Sprintf("Run %d needs no attention any more.", run))
	}
	return h.answerRun(c, run, "The run needs no attention any more.", err)
}

// askAbout asks a question about a run, in the dialog or on a page.
func (h *Handlers) askAbout(c echo.Context, code int, q admin.RunQuestion) error {
	if respond.IsFragment(c) {
		return respond.Render(c, code, admin.RunQuestionForm(q, false))
	}
	q.Page = h.controlRoom(c, q.Heading)
	return respond.Render(c, code, admin.RunQuestionPage(q))
}

// Events are older entries of a run's log.
func (h *Handlers) Events(c echo.Context) error {
	run, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	before, err := respond.Cursor[id.Event](c, "before")
	if err != nil {
		return err
	}
	list, older, err := h.console.RunEvents(c.Request().Context(), run.ID, before)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, admin.RunEventsPage(h.controlRoom(c, "Log"), run, list, older))
}

// Keys is the help for the keyboard where there is no company.
func (h *Handlers) Keys(c echo.Context) error {
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, views.KeysDialog())
	}
	return respond.Render(c, http.StatusOK, views.KeysPage(h.controlRoom(c, "Keys")))
}
