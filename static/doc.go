// Package static serves the style sheet, the scripts and the pictures, which are in the binary. Its invariant: a
// script or a style is a file of ours, never inline and never from elsewhere; the Content-Security-Policy forbids
// both. Start at static.go for the server; js/app.js for the browser.
//
// # Forms
//
// Every form posts and redirects without JavaScript. The scripts send the same forms in the background and swap in the
// fragments of the response: a drag, the move form on a board, the line at a column's foot and the dialog for new
// tickets; htmx does the rest. Input is kept in the browser (js/drafts.js) until the server has accepted the form.
//
// # Keys and small screens
//
// js/walk.js moves the focus between a board's cards, and moves cards as a drag does. Other keys are declared on the
// control that they press (data-hotkey); js/keys.js decides if a key is the app's. At 700 px and below a board shows
// one column at a time, the dialog is a sheet, and a touch target has 44 px. e2e/phone_test.go and e2e/axe_test.go
// open every page, and fail for a route that they do not know.
//
// # One connection
//
// A browser has one connection for all its tabs (js/connect.js): in a SharedWorker (js/live-worker.js, with the
// build in its address); without one, in the visible tab that holds a Web Lock, which passes messages on by a
// BroadcastChannel and hands over when it is hidden; with neither, as over plain HTTP on a phone, each visible tab
// polls every five seconds. If a stream does not come through, the connection polls too, and tries the stream again
// every minute. js/share.js keeps the latest events for the next page.
//
// # Live pages
//
// Pages learn through js/wire.js which tickets of a board changed (follow), and fetch them again. js/fresh.js retries
// a failed fetch, but not while the tab is hidden or the page in use. idiomorph swaps the response in (js/morph.js),
// so focus, caret, scroll, open dialogs and input stay; asIs in a response marks what must not be touched.
//
// A board (js/follow-board.js) fetches the columns that show the changed tickets and those that have them now; a
// column that shows only a part also if a ticket is not on the page. The user's own changes are not fetched again: an
// event has the stamp of the ticket's card (tickets.Card.Stamp, data-stamp: title, time of the last move, closed or
// not, assignees), and if the response to the user's own request put that card there, the event is ignored (knows in
// js/board.js). If other columns may still show the ticket, or responses of several times are shown together, the
// board fetches; an empty response marks nothing. For changes of the board itself, and after a time without
// connection, it fetches the page without its frame. A response to a fetch from before an action of the user is
// dropped (turn in js/board.js), and fetched again. Changes by others are marked for four seconds, and announced in one
// sentence, at most every ten seconds.
//
// A ticket (js/follow-ticket.js) fetches its page, with as many comments and as much history as the page shows. An
// open form stays as it is; if the ticket has a later version than the form, a line names the user who changed it. If
// a ticket is gone, the page says so and input stays.
//
// Pages of operators and the count of the inbox poll (js/live.js): an element with data-live fetches itself again and
// is morphed. A run's page has three such elements. Its settings pause while they are edited, its tasks while some are
// selected. js/run.js ignores a second press within 0.7 s of Pause, which was meant for the first.
package static
