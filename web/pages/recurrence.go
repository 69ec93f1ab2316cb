package pages

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/recurrence"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) RecurrenceForm(c echo.Context) error {
	ticket, board, err := h.ticketToChange(c)
	if err != nil {
		return err
	}
	props := pages.RecurrenceProps{Page: h.respond.Page(c, ticket.Key.String()), Board: board, Ticket: ticket,
		Today: respond.LocalNow(c)}
	props.Form = pages.NewRecurrenceInput(ticket, props.Today)
	return showRecurrence(c, http.StatusOK, props)
}

func showRecurrence(c echo.Context, code int, props pages.RecurrenceProps) error {
	if respond.IsFragment(c) {
		respond.Retarget(c, "#"+views.RecurrenceID)
		return respond.Render(c, code, pages.RecurrenceForm(props))
	}
	return respond.Render(c, code, pages.RecurrencePage(props))
}

// SetRecurrence serves the form of the recurrence, and its button that ends it.
func (h *Handlers) SetRecurrence(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	in, err := readRecurrence(c)
	if err != nil {
		return err
	}
	var plan *recurrence.Plan
	if c.FormValue("stop") == "" {
		before, _, err := h.ticketToChange(c)
		if err != nil {
			return err
		}
		read, err := planOf(in, before, respond.LocalNow(c))
		if err != nil {
			return h.rejectRecurrence(c, in, err)
		}
		plan = &read
	}
	ticket, entry, err := h.workflows.SetRecurrence(c.Request().Context(), k, plan)
	if err != nil {
		return h.rejectRecurrence(c, in, err)
	}
	return h.ticketSaved(c, ticket, entry)
}

func readRecurrence(c echo.Context) (in pages.RecurrenceInput, err error) {
	form, err := c.FormParams()
	if err != nil {
		return in, err
	}
	return pages.RecurrenceInput{Every: form.Get("every"), Unit: form.Get("unit"), Days: form["day"], Ends: form.Get("ends"),
		Until: form.Get("until"), Count: form.Get("count"), Opens: form.Get("opens"), Rule: form.Get("rule")}, nil
}

// planOf returns the plan that was typed, in the time zone of the user; one that is not changed keeps its own.
func planOf(in pages.RecurrenceInput, ticket tickets.Ticket, now time.Time) (plan recurrence.Plan, err error) {
	zone := now.Location().String()
	if before := ticket.Recurrence; before != nil {
		zone = before.Zone
	}
	if in.Rule != "" {
		return recurrence.ParsePlan(in.Rule, in.Opens, zone)
	}
	var badUntil, badOpens error
	parts := recurrence.Parts{Every: number(in.Every), Unit: recurrence.Unit(in.Unit)}
	if parts.Unit == recurrence.Week {
		for _, day := range recurrence.Weekdays {
			if slices.Contains(in.Days, pages.DayValue(day)) {
				parts.Days = append(parts.Days, day)
			}
		}
	}
	switch in.Ends {
	case "until":
		parts.Until, badUntil = lastDay(in.Until, now)
	case "count":
		parts.Count = cmp.Or(number(in.Count), -1)
	}
	plan = recurrence.Plan{Zone: zone}
	plan.Opens, badOpens = recurrence.ParseOpens(in.Opens)
	first := ticket.Due.At
	if ticket.Due.Timed {
		first = plan.Clock(first)
	}
	if plan.Rule, err = parts.Rule(first); err != nil || badUntil != nil || badOpens != nil {
		return plan, fault.Join(err, badUntil, badOpens)
	}
	return plan, nil
}

// number returns a number that was typed, 0 for anything else.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

func lastDay(text string, now time.Time) (time.Time, error) {
	date, err := tickets.ParseTypedDate("until", text, now)
	if err != nil {
		return time.Time{}, err
	}
	if date.IsZero() {
		return time.Time{}, recurrence.NoLastDay()
	}
	at := date.In(now.Location())
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC), nil
}

// rejectRecurrence shows the form again with its input.
func (h *Handlers) rejectRecurrence(c echo.Context, in pages.RecurrenceInput, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	if message, of := messages["rule"]; of && in.Rule == "" { // it is the whole form that makes the rule
		messages[""] = message
		delete(messages, "rule")
	}
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	return showRecurrence(c, code, pages.RecurrenceProps{Page: h.respond.Page(c, ticket.Key.String()), Board: board,
		Ticket: ticket, Form: in, Today: respond.LocalNow(c), Errors: messages})
}
