package views

import (
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Page is what the frame around every page needs.
type Page struct {
	Title string
	Actor *accounts.Actor // nil outside a company
	// Person is the signed-in user, or nil.
	Person *accounts.Account
	Flash  []Flash // said once, on the page after a redirect
	Now    time.Time
	At     string // the heads of the feeds when it was requested
	Path   string // the page's own, if it can be loaded again
	Unread int    // entries of the inbox; tickets.MaxUnread + 1 means more
	Styles string // path of the style sheet, with its hash
	Script string // path of the script, with its hash
	Board  string // slug of the board that it is about, "" for none
	Public bool   // it is for strangers: no robot keeps it
	Room   string // path of the operators' style sheet, "" elsewhere
}

// Writes reports whether the user may change a board.
func (p Page) Writes(b boards.Board) bool { return p.Actor.Writes() && !b.Archived() }

// here marks the link to a page as the current one, also on the pages below it.
func (p Page) here(path, below string) templ.Attributes {
	at, _, _ := strings.Cut(p.Path, "?")
	switch {
	case at == path:
		return templ.Attributes{"aria-current": "page"}
	case strings.HasPrefix(at, below+"/"):
		return templ.Attributes{"aria-current": "true"}
	}
	return nil
}

// Flash is a message that is shown once.
type Flash struct {
	Text string
	Bad  bool
	Undo id.Activity // what can be undone; 0 is nothing
}

// Errors are messages by form field; the one under "" is about the whole form.
type Errors map[string]string

// ErrorProps is a page for what went wrong.
type ErrorProps struct {
	Page    Page
	Status  int
	Heading string   // what happened
	Message string   // what to do
	Retry   bool     // trying again may help
	Back    WayBack  // zero for the boards
	Typed   []string // what was sent to no avail
}

// WayBack is a link from a page that leads nowhere.
type WayBack struct{ Path, Text string }
