// Package workflows has the use cases of users. Each opens one transaction, coordinates entities in the lock order
// of package db, and records activity. Its invariant: a change of a ticket, a comment or a board commits together
// with its history, its notifications and feed_sync_id = NULL. Start at open_ticket.go, then move_ticket.go; one
// file per capability.
//
// The caller's account comes with the context (accounts.WithActor); a use case checks its rights. The names of
// migrations that use cases open are in runs.go; the migrations themselves are in domain/kinds, which this package
// does not import.
//
// # Publishing
//
// A use case that changes a row of a feed runs in change, in place of db.InTx, so the row is published at once.
// What is shown of a row but is stored in another (its assignees, the key of a comment's ticket; not a user's name)
// takes a Republish function of the entity in the same transaction. everyFeed in feeds.go lists the feeds;
// feed_rows.go and resources.go load what their readers get.
//
// # Idempotency
//
// The answer to a request with an Idempotency-Key is stored with the key in the transaction of its change, in the
// same batch as the tickets (once.go). A second request with the key fails on the primary key and gets the first
// answer. So a process killed between commit and answer loses nothing: the client asks again and gets it.
//
// # Recent reads
//
// Boards and bearer tokens are kept for a second (coalesce.Recent). A use case that revokes or changes one forgets
// it there after the commit. What must be true at the moment of the change is checked by the statement that
// changes.
package workflows
