package pages

import (
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/web/respond"
)

// idsField reads the ids of a field of a form, most of them at most: else it returns tooMany, and bad for what is no id.
func idsField[T ~uint64](c echo.Context, field string, most int, tooMany, bad error) (list []T, err error) {
	values, err := c.FormParams()
	if err != nil {
		return nil, echo.ErrBadRequest
	}
	if len(values[field]) > most {
		return nil, tooMany
	}
	for _, text := range values[field] {
		one, err := respond.RowID[T](text, bad)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// differences returns what a form that showed some as chosen adds and removes.
func differences[T comparable](seen, chosen []T) (added, removed []T) {
	return without(chosen, seen), without(seen, chosen)
}

// stillChosen returns what is chosen in a form that showed seen, now that others made it current: what they removed is
// gone, what they added is there.
func stillChosen[T comparable](seen, chosen, current []T) []T {
	return append(without(chosen, without(seen, current)), without(current, append(slices.Clone(seen), chosen...))...)
}

func without[T comparable](list, others []T) (left []T) {
	for _, one := range list {
		if !slices.Contains(others, one) {
			left = append(left, one)
		}
	}
	return left
}
