package pages

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/views"
)

// stateChoice is a status to filter by.
type stateChoice struct{ value, text string }

// states are the statuses to choose from, with that of the filter.
func states(f views.Filter) []stateChoice {
	list := []stateChoice{{"open", "Open"}, {"closed", "Closed"}}
	if f.Chosen(views.ChosenStatus) == "done" {
		list = append(list, stateChoice{"done", "Done"})
	}
	return list
}

// orderChoice is an order to choose for a list: the value of "sort", and its name.
type orderChoice struct{ value, text string }

var orderChoices = []orderChoice{{"due", "Due date"}, {"-priority", "Priority"}, {"-updated", "Updated"}, {"-created", "Newest"},
	{"start", "Start date"}, {"-closed", "Closed"}}

// orders are the orders to choose from, with that of the filter.
func orders(f views.Filter) []orderChoice {
	by := f.Sort().String()
	if by == "" || slices.ContainsFunc(orderChoices, func(c orderChoice) bool { return c.value == by }) {
		return orderChoices
	}
	return append(slices.Clone(orderChoices), orderChoice{by, otherOrders[by]})
}

var otherOrders = map[string]string{"-due": "Last due first", "priority": "Lowest priority first", "updated": "First updated first",
	"created": "Oldest first", "-start": "Last start first", "closed": "First closed first"}

// columnNames are the names of a board's columns as JSON, to complete queries with.
func columnNames(b boards.Board) string {
	names := make([]string, len(b.Columns))
	for i, c := range b.Columns {
		names[i] = c.Name
	}
	text, _ := json.Marshal(names)
	return string(text)
}

// wrongField are the attributes of the text of a query, nil if nothing is wrong with it.
func wrongField(err error) templ.Attributes {
	if err == nil {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": "filter-problem"}
}

// whereWrong divides a query around what is wrong with it. there is "" if all of it is.
func whereWrong(text string, err error) (before, there, after string) {
	var wrong query.Error
	all := []rune(text)
	if !errors.As(err, &wrong) || wrong.At+wrong.Length > len(all) || wrong.Length == len(all) {
		return "", "", ""
	}
	return string(all[:wrong.At]), string(all[wrong.At : wrong.At+wrong.Length]), string(all[wrong.At+wrong.Length:])
}

// layouts are all of them, with their names and icons.
var layouts = []struct {
	as         savedviews.Layout
	name, icon string
}{{savedviews.AsBoard, "Board", "kanban"}, {savedviews.AsList, "List", "list"}, {savedviews.AsCalendar, "Calendar", "calendar"}}

// savable reports whether a board shows more than itself: a view of it is worth a name.
func savable(f views.Filter, b boards.Board, as savedviews.Layout) bool {
	return f != (views.Filter{}) || as == savedviews.AsCalendar || b.ID == 0
}

// usualOrder is the order of a list that has not been given another.
func usualOrder(b boards.Board) string {
	if b.ID == 0 {
		return "Latest first"
	}
	return "Board order"
}

func layoutName(as savedviews.Layout) string {
	for _, l := range layouts {
		if l.as == as {
			return l.name
		}
	}
	return ""
}
