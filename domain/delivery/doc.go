// Package delivery has what leaves after a commit: messages to webhooks, the tail of changes for open pages, the
// pictures that texts show from other hosts, and the refill of the pool of reference codes. Its invariant: nothing here runs in a user's transaction. Start at
// dispatch.go for webhooks, live.go for pages, pictures.go for pictures, refill.go for codes.
//
// # Webhooks
//
// Each process checks, when a feed moves and once a second, which webhooks are due (dispatch.go). One query for all
// webhooks returns the companies whose rows were published, so a webhook of another costs no statement. A turn sends
// page by page, for up to 20 s, in a goroutine of its own (turn.go), 64 at a time and eight of one company, so a slow
// receiver delays no other. If turns are too few, the webhook that has waited longest is next. Rows are read at most a
// second before they are sent.
//
// # Live pages
//
// Each serve reads what the feeds published since its last update, at most ten times a second (UpdateLive): which
// tickets, of which boards now and before, in which columns, which comments and boards. It goes into domain/live.
package delivery
