package views

import (
	"strings"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/color"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
)

// initialsColor is the colour of an account's initials. Accounts that joined one after the other have different ones; none
// is gray.
func initialsColor(account id.Account) labels.Color {
	colors := color.All()[1:]
	return colors[uint64(account)*5%uint64(len(colors))]
}

// initials are up to two letters of a name.
func initials(name string) string {
	var letters []string
	for _, word := range strings.Fields(name) {
		if r, _ := utf8.DecodeRuneInString(word); r != utf8.RuneError {
			letters = append(letters, strings.ToUpper(string(r)))
		}
	}
	switch len(letters) {
	case 0:
		return "?"
	case 1:
		return letters[0]
	}
	return letters[0] + letters[len(letters)-1]
}
