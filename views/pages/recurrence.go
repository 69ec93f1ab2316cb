package pages

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/recurrence"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// NewRecurrenceInput is the form as it begins: that of the ticket's recurrence, or else of one on the weekday that the
// ticket is due.
func NewRecurrenceInput(t tickets.Ticket, today time.Time) RecurrenceInput {
	in := RecurrenceInput{Every: "1", Unit: string(recurrence.Week), Ends: "never", Opens: string(recurrence.WhenDue)}
	if r := t.Recurrence; r != nil {
		in.Opens = string(r.Opens)
		parts, ok := r.Rule.Parts()
		if !ok {
			in.Rule = r.Rule.String()
			return in
		}
		return in.with(parts)
	}
	if !t.Due.IsZero() {
		in.Days = []string{DayValue(t.Due.In(today.Location()).Weekday())}
	}
	return in
}

func (in RecurrenceInput) with(p recurrence.Parts) RecurrenceInput {
	in.Every, in.Unit = strconv.Itoa(p.Every), string(p.Unit)
	for _, day := range p.Days {
		in.Days = append(in.Days, DayValue(day))
	}
	if !p.Until.IsZero() {
		in.Ends, in.Until = "until", p.Until.Format("2006-01-02")
	}
	if p.Count > 0 {
		in.Ends, in.Count = "count", strconv.Itoa(p.Count)
	}
	return in
}

// DayValue is a day of the week as the form sends it: mo.
func DayValue(day time.Weekday) string { return strings.ToLower(day.String()[:2]) }

// ruleWords say how a rule repeats: every 2 weeks on Monday and Thursday, until 31 Dec 2027.
func ruleWords(ctx context.Context, rule recurrence.Rule) string {
	p, ok := rule.Parts()
	if !ok {
		return "by the rule " + rule.String()
	}
	words := "every " + string(p.Unit)
	if p.Every > 1 {
		words = fmt.Sprintf("every %d %ss", p.Every, p.Unit)
	}
	if days := dayNames(p.Days); days != "" {
		words += " on " + days
	}
	switch {
	case !p.Until.IsZero():
		words += ", until " + views.DateText(ctx, tickets.Day(p.Until.Year(), p.Until.Month(), p.Until.Day()))
	case p.Count > 0:
		words += fmt.Sprintf(", %d times in all", p.Count)
	}
	return words
}

func dayNames(days []time.Weekday) string {
	if len(days) == 7 {
		return "all days"
	}
	var names []string
	for _, day := range recurrence.Weekdays {
		if slices.Contains(days, day) {
			names = append(names, day.String())
		}
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// repeatsWords say how a ticket is repeated.
func repeatsWords(ctx context.Context, r tickets.Recurrence) string {
	return "Repeats " + ruleWords(ctx, r.Rule)
}

// nextWords say what comes of a recurrence next, or why nothing does.
func nextWords(ctx context.Context, r tickets.Recurrence) string {
	switch r.State {
	case tickets.RecurrenceRights:
		return "Paused: " + r.Owner.Name + " may not open tickets on this board any more. Whoever saves how it repeats takes it over."
	case tickets.RecurrenceRefused:
		return "Paused: the next ticket was refused. Correct this one, then save how it repeats."
	}
	if r.Coming == nil || r.State == tickets.RecurrenceEnded {
		return "This is the last one."
	}
	due := views.DateText(ctx, r.Due(*r.Coming))
	if r.Opens == recurrence.WhenClosed {
		return "The next one, due " + due + ", is opened when this one is closed."
	}
	return "The next one, due " + due + ", is opened when this one is due."
}

// planWords say what a change of the recurrence did.
func planWords(ctx context.Context, c tickets.Change) string {
	plan, err := recurrence.ReadPlan(c.New)
	switch {
	case c.New == "":
		return "stopped repeating it"
	case err != nil:
		return "set how it repeats"
	case plan.Opens == recurrence.WhenClosed:
		return "set it to repeat " + ruleWords(ctx, plan.Rule) + ", when it is closed"
	}
	return "set it to repeat " + ruleWords(ctx, plan.Rule) + ", when it is due"
}

// pausedWords say why a recurrence opened nothing.
func pausedWords(why tickets.RecurrenceState) string {
	switch why {
	case tickets.RecurrenceEnded:
		return "was the last one to be repeated"
	case tickets.RecurrenceRights:
		return "may not open tickets here any more, so it is not repeated"
	}
	return "could not open the next one, so it is not repeated"
}

func (p RecurrenceProps) field(name, label, hint string) views.Field {
	return views.NewField(views.RecurrenceID, name, label, hint, p.Errors)
}
