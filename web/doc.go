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
// A stream of a feed (api_feed_stream.go) and one of a page (live.go) are begun, counted, bounded and ended by the
// same code (streams.go, stream.go). It takes the connection from net/http (detach): the handler returns, and a
// waiting stream is two goroutines and a few fields, with nothing of the request, its buffers or its context. So
// the headers that every response needs are written before, the request is counted when the stream begins, the
// stream recovers its own panics, and a shutdown ends it by EndStreams, which RegisterOnShutdown calls, since
// Shutdown does not know such connections. If a connection cannot be taken, as with HTTP/2, the stream stays in its
// handler and is otherwise the same. A reader that closes its sending side is gone, as net/http sees it; one that
// goes on sending is closed, and so is one that does not take a write within 10 seconds.
//
// Streams that wait for the same kind of event wake at the same moment (soon): at once if they are few, up to 0.4 s
// later if they are thousands, so frequent events for many cost no more than rare ones. Streams at one position of
// a feed share one read and its bytes (frames); a change for pages is encoded once for all listeners
// (live.Change.Told). A long poll (?wait=) stays in its handler: its connection is used again.
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
