package admin

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Run is a run's page, or its settings or tasks alone.
func (h *Handlers) Run(c echo.Context) error {
	run, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	switch respond.Target(c) {
	case views.RunKnobsID:
		return respond.Render(c, http.StatusOK, admin.RunKnobs(run, admin.KnobsFormOf(run.Knobs), false))
	case views.RunTasksID:
		tasks, err := h.tasksOf(c, run)
		if err != nil {
			return err
		}
		respond.ReplaceURL(c, views.RunListPath(run.ID, tasks.Filter))
		return respond.Render(c, http.StatusOK, admin.RunTaskRows(tasks))
	}
	return h.showRun(c, http.StatusOK, run, "", admin.KnobsFormOf(run.Knobs))
}

// showRun shows a run's page, with an alert and the input of its settings.
func (h *Handlers) showRun(c echo.Context, code int, run migrations.Run, alert string, knobs admin.KnobsForm) error {
	live, err := h.runLive(c, run, alert)
	if err != nil {
		return err
	}
	tasks, err := h.tasksOf(c, run)
	if err != nil {
		return err
	}
	live.Knobs, live.Tasks = &knobs, &tasks
	page := h.controlRoom(c, fmt.Sprintf("%s #%d", run.Title, run.ID))
	return respond.Render(c, code, admin.RunPage(admin.RunProps{Page: page, Live: live}))
}

// runLive reads the present state of a run, without its settings and tasks.
func (h *Handlers) runLive(c echo.Context, run migrations.Run, alert string) (admin.RunLive, error) {
	ctx := c.Request().Context()
	live := admin.RunLive{Run: run, Alert: alert}
	info, err := h.console.Migration(ctx, run.Name)
	if err != nil && !errors.Is(err, fault.NotFound) {
		return live, err
	}
	live.Params, live.Asks = admin.RunParams(run, info), len(info.First) > 0
	if live.Board, err = h.importBoard(ctx, run); err != nil {
		return live, err
	}
	if live.Statistics, err = h.console.RunStatistics(ctx, run.ID); err != nil {
		return live, err
	}
	if live.Failures, err = h.console.RunFailures(ctx, run.ID); err != nil {
		return live, err
	}
	live.Workers = live.Statistics.Workers
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
	return live, nil
}

// LiveRun answers a run's page that refreshes itself.
func (h *Handlers) LiveRun(c echo.Context) error {
	run, err := h.runOfPath(c)
	if err != nil {
		return err
	}
	if !respond.IsFragment(c) {
		return c.Redirect(http.StatusSeeOther, views.RunPath(run.ID))
	}
	live, err := h.runLive(c, run, "")
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, admin.RunNow(live, false))
}

// answerRun responds to a form of a run's page. If the run's state did not allow the action, the response says so and
// shows the present run.
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
		return h.showRun(c, code, now, alert, admin.KnobsFormOf(now.Knobs))
	}
	return h.renderRun(c, code, now, alert, said, nil)
}

// renderRun responds to a form of a run's page with the run and a message; knobs may be nil.
func (h *Handlers) renderRun(c echo.Context, code int, run migrations.Run, alert, said string,
	knobs *admin.KnobsForm) error {
	live, err := h.runLive(c, run, alert)
	if err != nil {
		return err
	}
	live.Knobs = knobs
	answer := []templ.Component{admin.RunNow(live, true)}
	if said != "" {
		answer = append(answer, admin.RunSaid(views.Page{Flash: []views.Flash{{Text: said}}}))
	}
	return respond.Render(c, code, answer...)
}

// codeBadPaused: the field paused is neither 1 nor 0. Reload the page.
const codeBadPaused fault.Code = "Run.BadPaused"

func badPaused() error {
	return fault.Invalid.New(codeBadPaused, "paused", "paused must be 1 or 0. Reload the page and try again.")
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
		do, said = h.console.ResumeRun, "The run is resumed."
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
		return admin.RunQuestion{Run: run, Heading: "Nothing to stop",
			Lines: []string{fmt.Sprintf("Run %d is over.", run.ID)}}
	}
	p := run.Progress
	left := p.Open + p.Waiting
	done := fmt.Sprintf("Of %s, %s so.", views.Counted(int64(run.Total), "task", "tasks"), doneAndStay(p.Complete))
	if p.Complete == 0 {
		done = "No task was done yet."
	}
	lines := []string{
		done,
		fmt.Sprintf("%s will not be done.", views.Counted(left, "task", "tasks")),
	}
	if p.Failed > 0 {
		lines = append(lines, fmt.Sprintf("%s failed.", views.Counted(p.Failed, "task", "tasks")))
	}
	if p.Skipped > 0 {
		lines = append(lines, fmt.Sprintf("%s skipped.", views.Counted(p.Skipped, "task was", "tasks were")))
	}
	if p.Processing > 0 {
		lines = append(lines, fmt.Sprintf("%s processing now will be finished first.",
			views.Counted(p.Processing, "task", "tasks")))
	}
	lines = append(lines, "A stopped run cannot be resumed. To stop it for a while, pause it.")
	return admin.RunQuestion{
		Run: run, Heading: fmt.Sprintf("Stop run %d?", run.ID), Lines: lines, Path: views.RunCancellationPath(run.ID),
		Button: "Stop, and leave " + views.Counted(left, "task", "tasks"), Class: "danger",
	}
}

func doneAndStay(n int64) string {
	if n == 1 {
		return "1 is done and stays"
	}
	return views.Thousands(n) + " are done and stay"
}

func (h *Handlers) CancelRun(c echo.Context) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	_, err = h.console.CancelRun(c.Request().Context(), run)
	return h.answerRun(c, run, "Stopping: nothing more is claimed.", err)
}

// DismissRun dismisses a finished run from those that need attention.
func (h *Handlers) DismissRun(c echo.Context) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	_, err = h.console.DismissRun(c.Request().Context(), run)
	if err == nil && c.FormValue("next") == views.MigrationsPath {
		return h.respond.SeeOther(c, views.MigrationsPath, fmt.Sprintf("Run %d is dismissed.", run))
	}
	return h.answerRun(c, run, "The run is dismissed.", err)
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
