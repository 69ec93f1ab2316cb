package pages

import (
	"errors"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/query"
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

// filtered is the page that a filter is for: a board or its list.
func filtered(company, slug string, list bool) string {
	if list {
		return views.BoardListPath(company, slug)
	}
	return views.BoardPath(company, slug)
}
