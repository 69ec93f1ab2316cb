package views

import (
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Page is the props of the frame around every page.
type Page struct {
	Title string
	Actor *accounts.Actor // nil outside a company
	// Came is, outside a company, the user in the one that they came from; nil if they are in none. It is for the header.
	Came *accounts.Actor
	// User is the signed-in user, or nil.
	User   *accounts.Account
	Flash  []Flash // shown once, on the page after a redirect
	Now    time.Time
	At     string            // the heads of the feeds when it was requested
	Path   string            // of the page itself, if it can be loaded again
	Place  string            // of the request, without its query
	From   string            // path of the page whose link led here, "" if unknown
	Pins   []savedviews.View // that the user has pinned
	Unread int               // entries of the inbox; tickets.MaxUnread + 1 means more
	Styles string            // path of the style sheet, with its hash
	Script string            // path of the script, with its hash
	Board  string            // slug of the board that it is about, "" for none
	Public bool              // it is for strangers: search engines must not index it
	Room   string            // path of the operators' style sheet, "" elsewhere
	Nonce  string            // of the forms that create something
	Stop   *migrations.Stop  // of all runs, on the operators' pages; nil without one
}

// Writes reports whether the user may change a board as it is.
func (p Page) Writes(b boards.Board) bool { return p.MayWrite(b) && !b.Archived() }

// MayWrite is Writes if the board is not archived.
func (p Page) MayWrite(b boards.Board) bool { return access.On(*p.Actor, b.Grant) >= access.Write }

// Manages reports whether the user administers a board.
func (p Page) Manages(b boards.Board) bool { return access.On(*p.Actor, b.Grant) >= access.Manage }

// member is the user in the company of the header, or nil.
func (p Page) member() *accounts.Actor {
	if p.Actor != nil {
		return p.Actor
	}
	return p.Came
}

// keysPath is the help for keyboard shortcuts.
func (p Page) keysPath() string {
	if m := p.member(); m != nil {
		return KeysPath(m.Company.Slug)
	}
	return AccountKeysPath
}

// title is the page's in the browser, with the number of unread entries.
func (p Page) title() string {
	title := p.Title + " · Counterfoil"
	if p.member() != nil && p.Unread > 0 {
		title = "(" + UnreadText(p.Unread) + ") " + title
	}
	return title
}

// BackTo is the path of a board, with the filter that it had where the user came from.
func (p Page) BackTo(board string) string {
	from, err := url.Parse(p.From)
	if err != nil || from.Path != board {
		return board
	}
	return FilterFrom(from.Query().Get).In(board)
}

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
	Undo id.Activity   // the activity to undo; 0 for none
	Also []id.Activity // those before it, which are undone with it
	// Restore is a deleted comment to restore; nil for none.
	Restore *DeletedComment
}

// DeletedComment is a comment that its deleter can restore.
type DeletedComment struct {
	Ticket  tickets.Key
	Comment id.Comment
}

// Errors are messages by form field; the one under "" is about the whole form.
type Errors map[string]string

// ErrorProps is the page of an error.
type ErrorProps struct {
	Page    Page
	Status  int
	Heading string   // what happened
	Message string   // what to do
	Retry   bool     // a retry may help
	Back    WayBack  // zero for the boards
	Typed   []string // input that was not saved
}

// WayBack is the link of a page without a way forward.
type WayBack struct{ Path, Text string }
