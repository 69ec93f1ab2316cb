package bulkedits

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Kind is what is done with each ticket.
type Kind string

// The kinds of edits.
const (
	Assign   Kind = "assign"
	Label    Kind = "labels"
	Priority Kind = "priority"
	Due      Kind = "dates"
	Start    Kind = "start"
	Parent   Kind = "parent"
	Move     Kind = "move"
	Board    Kind = "board" // to another board
	Close    Kind = "close"
	Reopen   Kind = "reopen"
	Delete   Kind = "delete"
	Undo     Kind = "undo" // takes back what another bulk edit did
)

// Kinds are those that a member chooses from.
var Kinds = []Kind{Assign, Label, Priority, Due, Start, Parent, Move, Board, Close, Reopen, Delete}

// Edit is what is done with each ticket. Names are those at the time of the request, for display.
type Edit struct {
	Kind    Kind         `json:"kind"`
	Add     []Person     `json:"add,omitempty"`      // of Assign
	Remove  []Person     `json:"remove,omitempty"`   // of Assign
	Labels  []string     `json:"labels,omitempty"`   // of Label: names to add
	Unlabel []NamedLabel `json:"unlabels,omitempty"` // of Label: those to remove, which have one name on several boards
	// Priority, Due and Start are as tickets.Priority.String and tickets.Date.String return them; a date may be "".
	Priority string       `json:"priority,omitempty"`
	Start    string       `json:"start,omitempty"`
	Due      string       `json:"due,omitempty"`
	Column   *NamedColumn `json:"column,omitempty"` // of Move; nil is the column that a ticket is in
	// ColumnNamed, of Move, is in place of Column the name of one on each ticket's board.
	ColumnNamed string       `json:"column_named,omitempty"`
	Bottom      bool         `json:"bottom,omitempty"` // of Move: at the foot of the column, else at its top
	Parent      *NamedTicket `json:"parent,omitempty"` // of Parent; nil for none
	Board       *NamedBoard  `json:"board,omitempty"`  // of Board: where the tickets go
}

// Person is an account to assign.
type Person struct {
	ID     id.Account `json:"id"`
	Handle string     `json:"handle"`
}

// NamedLabel is a label with its name.
type NamedLabel struct {
	ID   id.Label `json:"id"`
	Name string   `json:"name"`
}

// NamedColumn is a column with its name.
type NamedColumn struct {
	ID   id.Column `json:"id"`
	Name string    `json:"name"`
}

// NamedTicket is a ticket with its key.
type NamedTicket struct {
	ID  id.Ticket   `json:"id"`
	Key tickets.Key `json:"key"`
}

// NamedBoard is a board with its names.
type NamedBoard struct {
	ID    id.Board `json:"id"`
	Slug  string   `json:"slug"`
	Title string   `json:"title"`
}

// Accounts are the ids of people.
func Accounts(list []Person) []id.Account {
	ids := make([]id.Account, len(list))
	for i, one := range list {
		ids[i] = one.ID
	}
	return ids
}

// Possible reports whether a member can ask for the edit of the tickets of a board, or of all boards for 0: those have only
// names of columns in common.
func (e Edit) Possible(board id.Board) bool {
	return slices.Contains(Kinds, e.Kind) && !e.Empty() && (board != 0 || e.Column == nil)
}

// Empty reports whether the edit names nothing to change.
func (e Edit) Empty() bool {
	switch e.Kind {
	case Assign:
		return len(e.Add) == 0 && len(e.Remove) == 0
	case Label:
		return len(e.Labels)+len(e.Unlabel) == 0
	case Board:
		return e.Board == nil
	}
	return e.Short() == ""
}

// Moves reports whether tickets may change columns, so that it takes the locks of columns.
func (e Edit) Moves() bool {
	return slices.Contains([]Kind{Move, Board, Close, Reopen, Delete, Undo}, e.Kind)
}

// InOrder reports whether the tickets arrive one below the other, so that their order matters.
func (e Edit) InOrder() bool { return e.Kind == Move || e.Kind == Board }

// NamesOthers reports whether String names a ticket or a board that not all readers of the bulk edit may see.
func (e Edit) NamesOthers() bool { return e.Parent != nil || e.Board != nil }

// String says in a few words what is done. It names members.
func (e Edit) String() string {
	switch e.Kind {
	case Assign:
		return sentence(list("assign", handles(e.Add)), list("unassign", handles(e.Remove)))
	case Label:
		var removed []string
		for _, label := range e.Unlabel {
			removed = append(removed, label.Name)
		}
		return sentence(list("add the label", quoted(e.Labels)), list("remove the label", quoted(slices.Compact(removed))))
	case Priority:
		return "Set the priority to " + e.Priority
	case Due:
		return dated("due date", e.Due)
	case Start:
		return dated("start date", e.Start)
	case Parent:
		if e.Parent == nil {
			return "Remove the parent"
		}
		return "Make them children of " + e.Parent.Key.String()
	case Board:
		return "Move to the board “" + e.Board.Title + "”"
	case Move:
		place := "the top of "
		if e.Bottom {
			place = "the bottom of "
		}
		name := e.ColumnNamed
		if e.Column != nil {
			name = e.Column.Name
		}
		if name == "" {
			return "Move to " + place + "the column"
		}
		return "Move to " + place + "“" + name + "”"
	}
	return e.Short()
}

func dated(what, date string) string {
	if date == "" {
		return "Remove the " + what
	}
	return "Set the " + what + " to " + date
}

// Short says in one or two words what is done. It names nobody.
func (e Edit) Short() string {
	return map[Kind]string{Assign: "Assign", Label: "Change labels", Priority: "Set the priority", Due: "Set the due date",
		Start: "Set the start date", Parent: "Set the parent", Move: "Move",
		Board: "Move to another board", Close: "Close", Reopen: "Reopen", Delete: "Delete", Undo: "Take back"}[e.Kind]
}

func handles(list []Person) (names []string) {
	for _, one := range list {
		names = append(names, "@"+one.Handle)
	}
	return names
}

func quoted(list []string) (names []string) {
	for _, one := range list {
		names = append(names, "“"+one+"”")
	}
	return names
}

func list(verb string, names []string) string {
	switch {
	case len(names) == 0:
		return ""
	case len(names) > 1 && strings.HasSuffix(verb, "label"):
		verb += "s"
	}
	return verb + " " + strings.Join(names, ", ")
}

// sentence joins parts that are not empty, with a capital at the beginning.
func sentence(parts ...string) string {
	text := strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
	if text == "" {
		return "Change nothing"
	}
	return capital(text)
}

// capital returns a text with a capital at the beginning, if that is a letter of ASCII.
func capital(text string) string {
	if text == "" || text[0] >= utf8.RuneSelf {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func (e Edit) stored() (string, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("write edit: %w", err)
	}
	return string(text), nil
}

// Properties returns the change of properties that the edit makes, an empty one if it makes none.
func (e Edit) Properties() (change tickets.PropertyEdit, err error) {
	switch e.Kind {
	case Priority:
		priority, err := tickets.ParsePriority(e.Priority)
		return tickets.PropertyEdit{Priority: &priority}, err
	case Due:
		due, err := readDate("due", e.Due)
		return tickets.PropertyEdit{Due: &due}, err
	case Start:
		start, err := readDate("start", e.Start)
		return tickets.PropertyEdit{Start: &start}, err
	}
	return change, nil
}

func readDate(field, text string) (tickets.Date, error) {
	if text == "" {
		return tickets.Date{}, nil
	}
	return tickets.ParseDate(field, text)
}
