package views

import (
	"net/url"
	"strings"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// Filter is what a board is narrowed to, in the words of its URL.
type Filter struct {
	Text  string // q
	Who   string // a handle, or a word for oneself or for nobody
	State string
}

// Any reports whether the board is narrowed at all.
func (f Filter) Any() bool { return f != Filter{} }

// In returns a path with the filter as its query.
func (f Filter) In(path string) string {
	query := url.Values{}
	for name, value := range map[string]string{"q": f.Text, "who": f.Who, "state": f.State} {
		if value != "" {
			query.Set(name, value)
		}
	}
	switch {
	case len(query) == 0:
		return path
	case strings.Contains(path, "?"):
		return path + "&" + query.Encode()
	}
	return path + "?" + query.Encode()
}

// Mine is the filter for one's own tickets; off where it is that already.
func (f Filter) Mine() Filter {
	if f.Who == accounts.Me {
		f.Who = ""
	} else {
		f.Who = accounts.Me
	}
	return f
}

// Elsewhere reports whether the filter names a person whom the list of people lacks.
func (f Filter) Elsewhere(people []accounts.NamedMember) bool {
	if f.Who == "" || f.Who == accounts.Me || f.Who == accounts.NoOne {
		return false
	}
	for _, c := range people {
		if c.Word() == f.Who {
			return false
		}
	}
	return true
}
