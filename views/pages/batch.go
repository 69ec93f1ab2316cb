package pages

import (
	"fmt"
	"slices"
	"strings"

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
	{bulkedits.Start, "Start date", "Start date of %s"},
	{bulkedits.Parent, "Parent", "Parent of %s"},
	{bulkedits.Move, "Move", "Move %s"},
	{bulkedits.Board, "Move to another board", "Move %s to another board"},
	{bulkedits.Close, "Close", "Close %s?"},
	{bulkedits.Reopen, "Reopen", "Reopen %s?"},
	{bulkedits.Delete, "Delete", "Delete %s?"},
}

// BatchProps is the form that changes several tickets. Without a kind it asks for one.
type BatchProps struct {
	Page    views.Page
	Board   boards.Board // zero for all boards
	Form    BatchForm
	Tickets int  // that its keys name, or that match
	More    bool // more tickets match than were counted
	Labels  []labels.Label
	Boards  []boards.Board // to move to, or whose columns to move to
	Dialog  bool           // it is in a dialog over a board
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
	Start     string
	Column    string // its id, or its name on all boards; "" for each ticket's own
	Bottom    bool
	Parent    string // its key, "" for none
	Board     string // the slug of the one to move to
	Errors    views.Errors
}

// ParseBatchKind returns a kind of a form, "" for an unknown one.
func ParseBatchKind(text string) bulkedits.Kind {
	for _, one := range batchKinds {
		if string(one.kind) == text {
			return one.kind
		}
	}
	return ""
}

// columnChoice is a column to move to: of a board by its id, of all boards by its name.
type columnChoice struct{ value, name string }

func (props BatchProps) columns() (list []columnChoice) {
	if props.Board.ID != 0 {
		for _, column := range props.Board.Targets() {
			list = append(list, columnChoice{formID(column.ID), column.Name})
		}
		return list
	}
	for _, board := range props.Boards {
		for _, column := range board.Targets() {
			known := func(c columnChoice) bool { return strings.EqualFold(c.name, column.Name) }
			if !slices.ContainsFunc(list, known) {
				list = append(list, columnChoice{column.Name, column.Name})
			}
		}
	}
	return list
}

func (props BatchProps) columnHint() string {
	if props.Board.ID != 0 {
		return ""
	}
	return "The one with this name on each ticket’s board. Tickets of boards that have none stay."
}

// labelNames are the names of labels, each once.
func labelNames(list []labels.Label) (names []string) {
	for _, label := range list {
		if !slices.Contains(names, label.Name) {
			names = append(names, label.Name)
		}
	}
	return names
}

// verb names the button that does it.
func verb(k bulkedits.Kind) string {
	switch k {
	case bulkedits.Move, bulkedits.Board:
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
