package pages

import (
	"github.com/counterfoil/counterfoil/domain/search"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// SearchProps is a search with its results. Problem is what is wrong with the query, nil if nothing is. Number is that of
// the page.
type SearchProps struct {
	Page    views.Page
	Query   string
	Number  int
	Problem error
	Found   tickets.SearchPage
}

// inText names where a snippet is from.
var inText = map[string]string{"comment": "Comment", "file": "File"}

// state says what the results lack.
func (p SearchProps) state() string {
	switch p.Found.State {
	case search.Building:
		return "The search index is being built. Until then, results are missing."
	case search.Behind:
		return "The search index is catching up. The latest changes may be missing."
	case search.Off:
		return "This server has no search index. Ask its operator to set COUNTERFOIL_SEARCH to a folder that can be written."
	}
	return ""
}

// count says how many tickets match.
func (p SearchProps) count() string {
	if p.Found.Above {
		return "More than " + views.Count(int64(p.Found.Total), "ticket", "tickets")
	}
	return views.Count(int64(p.Found.Total), "ticket", "tickets")
}
