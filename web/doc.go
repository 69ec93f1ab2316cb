// Package web speaks HTTP: pages for users, their fragments for htmx, JSON for programs. Its invariant: every page
// posts and redirects without JavaScript, and an error becomes a status in errors.go only. Start at routes.go, the
// one table of routes; then render.go, htmx.go (the only file that reads or writes HX-* headers), forms.go, one
// file per resource, and api_*.go for JSON.
//
// A handler binds, makes one call to a workflow, and renders or redirects. Unsafe requests from other sites are
// refused by http.CrossOriginProtection; sessions are in the database under a hash of their token.
//
// # Errors
//
// errors.go makes of a fault.Error's kind a status, and of the error a page, a form with its fields, or a
// problem+json with its code. fault.Join makes one error of all that is wrong with a request. An error without a
// kind is a server error: a 500 with a plain sentence, and the details in the log.
//
// # Search by key
//
// /jump finds a ticket by its key, or by words of its title among the newest few thousand, however many a company
// has.
//
// # Streams
//
// A stream of a feed (api_feed_stream.go), one of a page (live.go) and a long poll (?wait=) are responses of package
// streams. Streams at one position of a feed share one read and its bytes (frames); a change for pages is encoded once
// for all listeners (live.Change.Told).
//
// # Live events
//
// A page carries the heads of the feeds that were known before it was rendered (data-at). GET /{company}/live is a
// stream of server-sent events: hello (build), board with [ticket, column, stamp] of tickets or null for any of
// them, ticket when comments changed, all, gone. Session and membership are checked every 30 seconds. GET
// /{company}/live/changes?at= answers the same events at once, from memory, with an ETag. The presence of others on
// a ticket is not shown: servers would have to send one another every view.
//
// # Refreshing a board
//
// GET /{company}/boards/{SLUG}?columns=12.50.3x9k,… with HX-Target: board names columns, of each the number of
// cards on the page and the hash that the page has seen (data-seen, a hash of what a column shows); the answer has
// the columns that differ. With HX-Target: main the answer is a page without its frame.
package web
