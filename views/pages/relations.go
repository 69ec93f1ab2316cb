package pages

import (
	"slices"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// RelationProps is the form of another relation of a ticket. Kind, Find and Other, a key, are its input; Found are the
// tickets that Find finds.
type RelationProps struct {
	Page   views.Page
	Board  boards.Board
	Ticket tickets.Ticket
	Kind   tickets.RelationKind
	Find   string
	Other  string
	Close  bool // a duplicate
	Found  []tickets.SearchResult
	Errors views.Errors
}

func findRelated(errors views.Errors) views.Field {
	return views.NewField(views.RelateID, "q", "Other ticket", "Its key, or words of its title.", errors)
}

func relatedQuery() templ.Attributes {
	return templ.Attributes{"type": "search", "maxlength": "100", "autocomplete": "off", "dir": "auto", "autofocus": true}
}

// relationWords say what a ticket is to the other, in its form.
var relationWords = map[tickets.RelationKind]string{
	tickets.Parent: "is a child of", tickets.Child: "is the parent of", tickets.BlockedBy: "is blocked by",
	tickets.Blocks: "blocks", tickets.Duplicates: "is a duplicate of", tickets.DuplicatedBy: "has as its duplicate",
	tickets.RelatesTo: "is related to",
}

// relationHeadings are those of the lists of relations.
var relationHeadings = map[tickets.RelationKind]string{
	tickets.Parent: "Parent", tickets.Child: "Children", tickets.BlockedBy: "Blocked by", tickets.Blocks: "Blocks",
	tickets.Duplicates: "Duplicate of", tickets.DuplicatedBy: "Duplicates", tickets.RelatesTo: "Related",
}

// relationAction is what was done to a relation.
func relationAction(d tickets.Detail) string {
	action := "added a relation"
	if d.Relation.Removed {
		action = "removed a relation"
	}
	if d.Undid != "" {
		return "undid a change of a relation: " + action
	}
	return action
}

// relationPast says in the history what the ticket is to the other.
func relationPast(kind string) string {
	k, err := tickets.ParseRelationKind(kind)
	if err != nil {
		return kind
	}
	return relationWords[k]
}

// relationGroup are the relations of a kind.
type relationGroup struct {
	Kind tickets.RelationKind
	List []tickets.Relation
}

// relationGroups splits relations, which are in the order of their kinds.
func relationGroups(list []tickets.Relation) (groups []relationGroup) {
	for _, r := range list {
		if n := len(groups); n == 0 || groups[n-1].Kind != r.Kind {
			groups = append(groups, relationGroup{Kind: r.Kind})
		}
		last := &groups[len(groups)-1]
		last.List = append(last.List, r)
	}
	return groups
}

func (g relationGroup) heading() string { return relationHeadings[g.Kind] }

func (g relationGroup) closed() (n uint64) {
	for _, r := range g.List {
		if r.Closed {
			n++
		}
	}
	return n
}

// mentionedIn are the tickets that mention this one, without those that have a relation to it, which are listed already.
// more says that there are older ones.
func (p TicketProps) mentionedIn() (list []tickets.Backlink, more bool) {
	list = slices.DeleteFunc(slices.Clone(p.Backlinks), func(b tickets.Backlink) bool {
		return slices.ContainsFunc(p.Ticket.Relations, func(r tickets.Relation) bool { return r.Key == b.Key })
	})
	return list, len(p.Backlinks) == tickets.MaxBacklinks
}

// backlinkPath leads to the text that mentions a ticket.
func backlinkPath(company string, b tickets.Backlink) templ.SafeURL {
	if b.Comment == 0 {
		return templ.SafeURL(views.TicketPath(company, b.Key))
	}
	return templ.SafeURL(views.CommentPath(company, b.Key, b.Comment))
}
