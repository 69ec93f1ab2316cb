package views

import (
	"strings"
	"unicode/utf8"
)

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
