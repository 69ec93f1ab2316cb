// Package pages serves members: pages of a company, its boards and tickets, their fragments for htmx, accounts, and the
// stream of changes for open pages. Its invariant: every page posts and redirects without JavaScript. One file per
// resource; a handler binds, makes one call to a workflow, and renders or redirects. Start at boards.go and tickets.go.
//
// # Live events
//
// A page carries the heads of the feeds that were known before it was rendered (data-at). GET /{company}/live is a
// stream of server-sent events: hello (build), board with [ticket, column, stamp] of tickets or null for any of them,
// ticket when comments changed, all, gone. Session and membership are checked every 30 seconds. GET
// /{company}/live/changes?at= answers the same events at once, from memory, with an ETag. A change is encoded once for
// all listeners (live.Change.Encoded). Nobody's presence on a ticket is shown: servers would have to send one another
// every view.
//
// # Refreshing a board
//
// GET /{company}/boards/{SLUG}?columns=12.50.3x9k,… with HX-Target: board names columns, of each the number of cards on
// the page and the hash that the page has (data-seen); the answer has the columns that differ. With HX-Target: main the
// answer is a page without its frame.
//
// # Search by key
//
// /jump finds a ticket by its key, or by words of its title among the newest few thousand, however many a company has.
package pages

import (
	"github.com/counterfoil/counterfoil/domain/live"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web/respond"
	"github.com/counterfoil/counterfoil/web/streams"
)

// Handlers serve the pages of members. Make them with New.
type Handlers struct {
	workflows *workflows.Workflows
	hub       *live.Hub
	streams   *streams.Streams
	respond   *respond.Responder
}

// New returns the handlers; hub has the changes for open pages.
func New(workflows *workflows.Workflows, hub *live.Hub, streams *streams.Streams,
	respond *respond.Responder) *Handlers {
	return &Handlers{workflows: workflows, hub: hub, streams: streams, respond: respond}
}
