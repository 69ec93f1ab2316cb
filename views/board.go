package views

import (
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func plural(n int64) string {
	if n == 1 {
		return " ticket"
	}
	return " tickets"
}

// above is the card that the first of a list lies below, "" at the top.
func above(k *tickets.Key) string {
	if k == nil {
		return ""
	}
	return k.String()
}

// addError is the one message of a form with one field.
func addError(errs Errors) string {
	if errs["title"] != "" {
		return errs["title"]
	}
	for _, message := range errs {
		return message
	}
	return ""
}
