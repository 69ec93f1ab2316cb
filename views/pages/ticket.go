package pages

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// maxLines is the most lines of a difference on a page: a text may have 65,535, each with its marks.
const maxLines = 4000

func columnName(b boards.Board, column id.Column) string {
	c, _ := b.Column(column)
	return c.Name
}

// followed names the ticket that the page keeps up to date, and its version.
func followed(company string, b boards.Board, t tickets.Ticket) templ.Attributes {
	return templ.Attributes{"data-ticket": views.Number(uint64(t.ID)), "data-on": views.Number(uint64(b.ID)),
		"data-version": views.Number(t.Version), "data-from": views.TicketPath(company, t.Key)}
}

// editForm are the attributes of the form of an edit, which is kept as a draft.
func editForm(path string, f TicketForm) templ.Attributes {
	attrs := inPlace(path, "hx-post", f)
	attrs["method"], attrs["action"] = "post", path
	attrs["data-draft"], attrs["data-draft-version"] = "edit", views.Number(f.Version)
	return attrs
}

// mergeForm are the attributes of the form of the merged texts.
func mergeForm(path string, f TicketForm) templ.Attributes {
	attrs := inPlace(path, "hx-post", f)
	attrs["method"], attrs["action"] = "post", path
	return attrs
}

// PieceName is the field of the choice for a piece that both changed; with PieceOther it is that of its other text.
func PieceName(n int) string { return "piece-" + strconv.Itoa(n) }

const PieceOther = "-other"

// choiceOf is the choice that was sent for a piece.
func choiceOf(f TicketForm, n int) (c tickets.Choice) {
	if n < len(f.Choices) {
		c = f.Choices[n]
	}
	return c
}

// otherText is what was written for a piece, or else the lines of both.
func otherText(p tickets.Piece, chosen tickets.Choice) string {
	if chosen.Take != "" || chosen.Other != "" {
		return chosen.Other
	}
	return strings.Join(p.Both(), "\n")
}

// inPlace swaps a form in a ticket's page; a form that is a page of its own leads to another.
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
		return "another member"
	case 1:
		return by[0]
	default:
		return strings.Join(by[:len(by)-1], ", ") + " and " + by[len(by)-1]
	}
}

// shorten cuts a title to what a select can show.
func shorten(title string) string {
	const most = 60
	runes := []rune(title)
	if len(runes) <= most {
		return title
	}
	return string(runes[:most-1]) + "…"
}
