package pages

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/views"
)

// BatchKind is what is done to several tickets together.
type BatchKind string

const (
	BatchAssign   BatchKind = "assign"
	BatchLabels   BatchKind = "labels"
	BatchPriority BatchKind = "priority"
	BatchDates    BatchKind = "dates"
	BatchMove     BatchKind = "move"
	BatchClose    BatchKind = "close"
	BatchReopen   BatchKind = "reopen"
	BatchDelete   BatchKind = "delete"
)

// batchKinds are all, with a name for a list and the title of the form for some tickets.
var batchKinds = []struct {
	kind        BatchKind
	name, title string
}{
	{BatchAssign, "Assign", "Assign %s"},
	{BatchLabels, "Labels", "Labels of %s"},
	{BatchPriority, "Priority", "Priority of %s"},
	{BatchDates, "Due date", "Due date of %s"},
	{BatchMove, "Move", "Move %s"},
	{BatchClose, "Close", "Close %s?"},
	{BatchReopen, "Reopen", "Reopen %s?"},
	{BatchDelete, "Delete", "Delete %s?"},
}

// BatchProps is the form that changes several tickets. Without a kind it asks for one.
type BatchProps struct {
	Page    views.Page
	Board   boards.Board
	Form    BatchForm
	Tickets int // that its keys name
	Labels  []labels.Label
	Dialog  bool // it is in a dialog over a board
	Filter  views.Filter
}

// BatchForm is its input.
type BatchForm struct {
	Kind      BatchKind
	Keys      string
	Add, Drop string // labels with commas, or handles
	Priority  string
	Due       string
	Column    string // its id; "" for each ticket's own
	Bottom    bool
	Errors    views.Errors
}

// ParseBatchKind returns a kind of a form; ok is false for an unknown one. "" is none yet.
func ParseBatchKind(text string) (kind BatchKind, ok bool) {
	for _, one := range batchKinds {
		if string(one.kind) == text {
			return one.kind, true
		}
	}
	return "", text == ""
}

// verb names the button that does it.
func (k BatchKind) verb() string {
	switch k {
	case BatchMove:
		return "Move"
	case BatchClose:
		return "Close"
	case BatchReopen:
		return "Reopen"
	case BatchDelete:
		return "Delete"
	}
	return "Save"
}

func (props BatchProps) title() string {
	subject := views.Count(int64(props.Tickets), "ticket", "tickets")
	if props.Tickets == 0 {
		subject = "several tickets"
	}
	for _, one := range batchKinds {
		if one.kind == props.Form.Kind {
			return fmt.Sprintf(one.title, subject)
		}
	}
	return "Change " + subject
}
