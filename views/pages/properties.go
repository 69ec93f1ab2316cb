package pages

import (
	"context"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// quickDates are the due dates that take one press. They are read as typed. Their buttons come after that which saves:
// Enter presses the first.
var quickDates = []string{"Today", "Tomorrow", "Next week", "None"}

func quickText(q string) string {
	if q == "None" {
		return "Not due"
	}
	return "Due " + strings.ToLower(q)
}

// propertiesForm are the attributes of a form of properties, whose response is the ticket's page behind the dialog.
func propertiesForm(path string) templ.Attributes {
	return templ.Attributes{"method": "post", "action": path, "hx-post": path, "hx-target": "#" + views.TicketID,
		"hx-swap": "outerHTML", "data-closes": true}
}

func boolAttrs(names []string) templ.Attributes {
	attrs := templ.Attributes{}
	for _, name := range names {
		attrs[name] = true
	}
	return attrs
}

// zoneHint says in which zone times are.
func zoneHint(today time.Time) string {
	return "Times are in " + today.Location().String() + "; it is " + today.Format("Monday, 2 January, 15:04") + "."
}

// datesNow are the dates that a ticket has after another's change.
func datesNow(ctx context.Context, p tickets.Properties) string {
	text := func(d tickets.Date) string {
		if d.IsZero() {
			return "none"
		}
		return views.DateText(ctx, d)
	}
	return "It is now: due " + text(p.Due) + ", start " + text(p.Start) + "."
}

// setWords say what a change of properties did.
func setWords(ctx context.Context, d tickets.Detail) string {
	var did []string
	if c := d.Priority; c != nil {
		switch {
		case c.Old == tickets.NoPriority.String():
			did = append(did, "set the priority to "+c.New)
		case c.New == tickets.NoPriority.String():
			did = append(did, "removed the priority "+c.Old)
		default:
			did = append(did, "changed the priority from "+c.Old+" to "+c.New)
		}
	}
	for _, one := range []struct {
		name   string
		change *tickets.Change
	}{{"due date", d.Due}, {"start", d.Start}} {
		if one.change != nil {
			did = append(did, dateWords(ctx, one.name, *one.change))
		}
	}
	if d.Recurrence != nil {
		did = append(did, planWords(ctx, *d.Recurrence))
	}
	if d.Labels != nil {
		did = append(did, labelWords(*d.Labels)...)
	}
	return strings.Join(did, ", ")
}

func dateWords(ctx context.Context, name string, c tickets.Change) string {
	text := func(stored string) string {
		d, err := tickets.ParseDate("", stored)
		if err != nil {
			return stored
		}
		return views.DateText(ctx, d)
	}
	switch {
	case c.Old == "":
		return "set the " + name + " to " + text(c.New)
	case c.New == "":
		return "removed the " + name + ", " + text(c.Old)
	}
	return "changed the " + name + " from " + text(c.Old) + " to " + text(c.New)
}
