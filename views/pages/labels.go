package pages

import (
	"strconv"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// labelsOnCard is how many labels a card shows.
const labelsOnCard = 6

// TicketLabelsProps is the form of a ticket's labels: Shown in its list, of those found by Find. First is the label that
// Enter takes, 0 for none; Make is the name of one that can be made, "" for none.
type TicketLabelsProps struct {
	Page   views.Page
	Board  boards.Board
	Ticket tickets.Ticket
	Find   string
	Shown  []LabelChoice
	Named  []string // to be added, or made
	First  id.Label
	Make   string
	More   bool // there are more labels than the list shows
	Errors views.Errors
}

// LabelChoice is a label in the list.
type LabelChoice struct {
	labels.Label
	Checked bool
}

// findLabel is the field of the form that finds labels.
func findLabel() views.Field {
	return views.NewField("labels", "q", "Find or make a label", "", nil)
}

func labelQuery() templ.Attributes {
	return templ.Attributes{"type": "search", "maxlength": strconv.Itoa(labels.MaxName), "autocomplete": "off", "dir": "auto",
		"autofocus": true}
}

// LabelsProps is a company's labels. Name, Color and Board are the input of the form for another.
type LabelsProps struct {
	Page               views.Page
	List, Ended        []labels.Label
	Managed            map[id.Label]bool // those that the user may change
	Boards             []boards.Board    // of which a label can be
	Name, Color, Board string
	Errors             views.Errors
	Alert              string // why a label was not restored
}

// LabelProps is a label with its forms. Shown is how many tickets show it; Others are labels to merge it into.
type LabelProps struct {
	Page        views.Page
	Label       labels.Label
	Shown       int
	Others      []labels.Label
	Name, Color string // the input
	Into        id.Label
	Errors      views.Errors
	MergeErrors views.Errors
}

// labelPlace is where a label can be used.
func labelPlace(l labels.Label) string {
	if l.Slug == "" {
		return "All boards"
	}
	return l.Slug
}

func labelNumber(l id.Label) string { return strconv.FormatUint(uint64(l), 10) }

// ticketsShown says how many tickets show a label.
func ticketsShown(n int) string {
	if n >= labels.CountedTickets {
		return "at least " + views.Count(int64(n), "ticket", "tickets")
	}
	return views.Count(int64(n), "ticket", "tickets")
}

// labelWords say what a change of labels did.
func labelWords(c tickets.LabelChange) (did []string) {
	for _, part := range []struct {
		did  string
		list []tickets.LabelName
	}{{"added", c.Added}, {"removed", c.Removed}} {
		switch len(part.list) {
		case 0:
		case 1:
			did = append(did, part.did+" the label "+part.list[0].Name)
		default:
			names := part.list[0].Name
			for _, l := range part.list[1:] {
				names += ", " + l.Name
			}
			did = append(did, part.did+" the labels "+names)
		}
	}
	return did
}
