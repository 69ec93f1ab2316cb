package views

import (
	"net/url"
	"strconv"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/savedviews"
)

// PinCount is how many tickets a view has, as far as it is counted; "" before.
func PinCount(counts map[id.SavedView]savedviews.Count, view id.SavedView) string {
	count, ok := counts[view]
	if !ok {
		return ""
	}
	text := strconv.Itoa(count.Tickets)
	if count.More {
		text += "+"
	}
	return text
}

// shows reports whether the page is that of a board under a filter.
func (p Page) shows(path string) bool {
	at, badAt := url.Parse(p.Path)
	of, badOf := url.Parse(path)
	if badAt != nil || badOf != nil || at.Path != of.Path {
		return false
	}
	here, there := at.Query(), of.Query()
	return FilterFrom(here.Get) == FilterFrom(there.Get)
}
