package pages

import (
	"strings"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// maxLines is how many lines of a difference a page shows: a text may have 65,535, each with its marks.
const maxLines = 4000

func columnName(b boards.Board, column id.Column) string {
	c, _ := b.Column(column)
	return c.Name
}

// followed is what a page says of the ticket that it keeps itself true to: which one it is, and as of which
// version.
func followed(company string, b boards.Board, t tickets.Ticket) templ.Attributes {
	return templ.Attributes{"data-ticket": views.Number(uint64(t.ID)), "data-on": views.Number(uint64(b.ID)),
		"data-version": views.Number(t.Version), "data-from": views.TicketPath(company, t.Key)}
}

// editForm is what the form of an edit is sent by, and kept as a draft.
func editForm(path string, f TicketForm) templ.Attributes {
	attrs := inPlace(path, "hx-post", f)
	attrs["method"], attrs["action"] = "post", path
	attrs["data-draft"], attrs["data-draft-version"] = "edit", views.Number(f.Version)
	return attrs
}

// mergeForm is what the form of both together is sent by.
func mergeForm(path string, f TicketForm) templ.Attributes {
	attrs := inPlace(path, "hx-post", f)
	attrs["method"], attrs["action"] = "post", path
	return attrs
}

// inPlace asks for what takes the place of a form in a ticket's page; a form that is a page of its own
// leads to another.
func inPlace(path, verb string, f TicketForm) templ.Attributes {
	if f.Alone {
		return templ.Attributes{}
	}
	return templ.Attributes{verb: path, "hx-target": "#" + views.TicketID, "hx-swap": "outerHTML"}
}

// changedBy names the author of the other change in a conflict.
func changedBy(c tickets.Conflict) string {
	switch by := c.Since.By; len(by) {
	case 0:
		return "someone else"
	case 1:
		return by[0]
	default:
		return strings.Join(by[:len(by)-1], ", ") + " and " + by[len(by)-1]
	}
}

// shorten keeps a title to what a select can show.
func shorten(title string) string {
	const most = 60
	runes := []rune(title)
	if len(runes) <= most {
		return title
	}
	return string(runes[:most-1]) + "…"
}
