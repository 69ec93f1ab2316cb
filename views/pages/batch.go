package pages

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/views"
)

// batchKinds are all, with a name for a list and the title of the form for some tickets.
var batchKinds = []struct {
	kind        bulkedits.Kind
	name, title string
}{
	{bulkedits.Assign, "Assign", "Assign %s"},
	{bulkedits.Label, "Labels", "Labels of %s"},
	{bulkedits.Priority, "Priority", "Priority of %s"},
	{bulkedits.Due, "Due date", "Due date of %s"},
	{bulkedits.Move, "Move", "Move %s"},
	{bulkedits.Close, "Close", "Close %s?"},
	{bulkedits.Reopen, "Reopen", "Reopen %s?"},
	{bulkedits.Delete, "Delete", "Delete %s?"},
}

// BatchProps is the form that changes several tickets. Without a kind it asks for one.
type BatchProps struct {
	Page    views.Page
	Board   boards.Board
	Form    BatchForm
	Tickets int  // that its keys name, or that match
	More    bool // more tickets match than were counted
	Labels  []labels.Label
	Dialog  bool // it is in a dialog over a board
	Filter  views.Filter
}

// BatchForm is its input.
type BatchForm struct {
	Kind      bulkedits.Kind
	Keys      string
	All       bool // that match the filter, in place of those with the keys
	Canary    string
	Next      string // the page to return to, "" for the board
	Add, Drop string // labels with commas, or handles
	Priority  string
	Due       string
	Column    string // its id; "" for each ticket's own
	Bottom    bool
	Errors    views.Errors
}

// ParseBatchKind returns a kind of a form; ok is false for an unknown one. "" is none yet.
func ParseBatchKind(text string) (kind bulkedits.Kind, ok bool) {
	for _, one := range batchKinds {
		if string(one.kind) == text {
			return one.kind, true
		}
	}
	return "", text == ""
}

// verb names the button that does it.
func verb(k bulkedits.Kind) string {
	switch k {
	case bulkedits.Move:
		return "Move"
	case bulkedits.Close:
		return "Close"
	case bulkedits.Reopen:
		return "Reopen"
	case bulkedits.Delete:
		return "Delete"
	}
	return "Save"
}

func (props BatchProps) title() string {
	subject := views.Count(int64(props.Tickets), "ticket", "tickets")
	switch {
	case props.More:
		subject = "more than " + subject
	case props.Tickets == 0 && props.Form.All:
		subject = "all tickets that match"
	case props.Tickets == 0:
		subject = "several tickets"
	}
	for _, one := range batchKinds {
		if one.kind == props.Form.Kind {
			return fmt.Sprintf(one.title, subject)
		}
	}
	return "Change " + subject
}

// canaries are after how many tickets a bulk edit can pause.
var canaries = []struct{ value, text string }{
	{"", "All of them"}, {"10", "The first 10, then ask"}, {"100", "The first 100, then ask"},
}

// next is the page that follows.
func (props BatchProps) next() string {
	if props.Form.Next != "" {
		return props.Form.Next
	}
	return views.BoardPath(props.Page.Actor.Company.Slug, props.Board.Slug)
}
