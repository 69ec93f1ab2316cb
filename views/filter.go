package views

import (
	"net/url"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/labels"
)

// Filter is the query on a board, in the words of its URL.
type Filter struct {
	Text     string // q
	Assignee string // a handle, or the word for the user or for no assignee
	State    string
	Requests bool   // those from the public form alone
	Label    string // the name of a label, present or old
}

// Any reports whether the filter leaves anything out.
func (f Filter) Any() bool { return f != Filter{} }

// In returns a path with the filter as its query.
func (f Filter) In(path string) string {
	query := url.Values{}
	for name, value := range map[string]string{"q": f.Text, "who": f.Assignee, "state": f.State, "label": f.Label} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if f.Requests {
		query.Set("requests", "1")
	}
	switch {
	case len(query) == 0:
		return path
	case strings.Contains(path, "?"):
		return path + "&" + query.Encode()
	}
	return path + "?" + query.Encode()
}

// Mine is the filter for the user's own tickets; if it is on, without it.
func (f Filter) Mine() Filter {
	if f.Assignee == accounts.Me {
		f.Assignee = ""
	} else {
		f.Assignee = accounts.Me
	}
	return f
}

// OtherLabel reports whether the filter names a label that the list lacks: an old name, or one that there is not.
func (f Filter) OtherLabel(list []labels.Label) bool {
	return f.Label != "" && !slices.ContainsFunc(list, f.ByLabel)
}

// ByLabel reports whether the filter is for a label.
func (f Filter) ByLabel(l labels.Label) bool { return strings.EqualFold(f.Label, l.Name) }

// Elsewhere reports whether the filter names a member that the list lacks.
func (f Filter) Elsewhere(people []accounts.NamedMember) bool {
	if f.Assignee == "" || f.Assignee == accounts.Me || f.Assignee == accounts.NoOne {
		return false
	}
	for _, c := range people {
		if c.Word() == f.Assignee {
			return false
		}
	}
	return true
}
