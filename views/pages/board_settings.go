package pages

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// BoardSettingsProps is the page of a board's names and columns. Each form has messages of its own; Lost are those
// about a column that was removed.
type BoardSettingsProps struct {
	Page    views.Page
	Board   boards.Board
	Form    BoardForm
	Columns []ColumnForm
	Add     ColumnForm
	Archive views.Errors
	Copy    BoardForm
	Public  *PublicForm // nil if the user may not change it
	Lost    views.Errors
	// Stopped are the columns whose change no run is carrying on.
	Stopped  map[id.Column]bool
	Fragment bool // ColumnChanges alone is asked for
}

// changing reports whether a run is changing all tickets of a column.
func (props BoardSettingsProps) changing() bool {
	return slices.ContainsFunc(props.Board.Columns, func(c boards.Column) bool { return c.Change != nil })
}

// changeText says how far the change of a column's tickets is.
func changeText(board boards.Board, c boards.Column) string {
	far := fmt.Sprintf("%s of %s", migrations.Grouped(c.Change.Done), migrations.Grouped(c.Change.Total))
	switch c.Change.Kind {
	case boards.ChangeClose:
		return "its tickets are being closed: " + far + "."
	case boards.ChangeReopen:
		return "its tickets are being reopened: " + far + "."
	}
	to, _ := board.Column(c.Change.To)
	if !c.Leaving() {
		return "its tickets go to “" + to.Name + "”: " + far + "."
	}
	return "it is being removed. Its tickets go to “" + to.Name + "”: " + far + "."
}

// stoppedText says how a change goes on.
func stoppedText(c boards.Column) string {
	if c.Leaving() {
		return "Remove the column again to go on."
	}
	if c.Carries() {
		return "Move its tickets again to go on."
	}
	return "Save the column again to go on."
}

// ColumnForm is the input of the form of a column.
type ColumnForm struct {
	Column boards.Column
	Name   string
	Done   bool
	WIP    string
	Limit  string
	Stale  string
	Color  string // "" for none
	Errors views.Errors
}

// RemovalForm is the form that removes a column.
type RemovalForm struct {
	To      id.Column
	Version uint64
	Errors  views.Errors
}

// RemovalProps is the page that removes a column.
type RemovalProps struct {
	Page   views.Page
	Board  boards.Board
	Column boards.Column
	Form   RemovalForm
}

// form is the prefix of the ids of a column's form.
func (f ColumnForm) form() string {
	if f.Column.ID == 0 {
		return "new-column"
	}
	return "column-" + formID(f.Column.ID)
}

// limits are the kinds of limit, as the page calls them.
var limits = []struct{ value, label string }{
	{boards.LimitNone, "No limit"}, {boards.LimitSoft, "Warn above"}, {boards.LimitHard, "Block above"},
}

// split separates archived boards.
func split(list []boards.Board) (live, archived []boards.Board) {
	for _, b := range list {
		if b.Archived() {
			archived = append(archived, b)
		} else {
			live = append(live, b)
		}
	}
	return live, archived
}

func position(i int) string { return strconv.Itoa(i + 1) }

// archivedError is the message of a form that came while the board was archived.
func archivedError(props BoardSettingsProps) string {
	for _, errs := range append([]views.Errors{props.Form.Errors, props.Add.Errors, props.Archive, props.Lost,
		publicErrors(props.Public)}, columnErrors(props.Columns)...) {
		if message := addError(errs); message != "" {
			return message
		}
	}
	return ""
}

func publicErrors(f *PublicForm) views.Errors {
	if f == nil {
		return nil
	}
	return f.Errors
}

func columnErrors(forms []ColumnForm) (all []views.Errors) {
	for _, f := range forms {
		all = append(all, f.Errors)
	}
	return all
}

// colorText is the name of a colour as a choice.
func colorText(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
