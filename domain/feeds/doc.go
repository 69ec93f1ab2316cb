// Package feeds publishes changed rows at strictly increasing positions and reads them in that order. It is an
// engine that knows no entity: a feed is registered with it. Its invariant: a reader that goes on from its cursor
// gets the last version of every row at least once, in order. Start at publish.go, then read.go.
//
// # Publishing
//
// A row of ticket, comment or board has the position at which it was last published, and NULL from a change on
// until it is published again. A publisher, in every serve and work, finds such rows, locks those that no other
// transaction has locked, takes as many positions from sequences, whose row it holds until the commit, and writes
// them. So positions become visible in order and without gaps, and each batch leaves a row in feed_batch. A row
// that others always have locked, such as that of a board on which tickets are opened all the time, is waited for
// after a second, by itself and before the sequence is touched.
//
// # Reading
//
// A reader first reads the head of the feed, then, in another statement, the rows behind its cursor up to that
// head. MariaDB may show a later batch without an earlier one only to a view that is older than that answer. The
// payload is loaded with the position or after it; a change in between is published again. So a row that changes
// often is not sent each time.
//
// Both statements belong to one read-write transaction, which a proxy that sends reads to replicas leaves on the
// primary, and the statement that reads the rows asks for the head once more: the page ends at the smaller one. So a
// server that is behind can delay a reader, and make it miss nothing.
//
// # Durability
//
// Without a binary log a commit is visible before it is on disk, and a crash takes back what was visible alone. So the
// head is not the last position that was given out, but the last that is known to be durable: a publisher notes it in
// feed_durable once its COMMIT has returned, which makes all earlier commits durable. What a publisher that died has
// not noted, the next one does, after a commit of its own. A row that a page lacks because it was changed may come back
// at its position, too: a page with gaps is returned once a later commit has returned. None of this holds on a server
// whose COMMIT returns before the disk has it (innodb_flush_log_at_trx_commit other than 1; with a binary log, sync_binlog
// other than 1): serve and doctor say so.
//
// # Tombstones, horizon, epoch
//
// A deleted row stays as a tombstone, so that it can be published. The migration purge-deleted removes it after 30
// days if all registered consumers and webhooks have passed it, after 90 in any case, never before it is published,
// and raises sequences.horizon in the same transaction. A cursor from before the horizon is refused (410), for its
// reader may have missed a deletion. A restore begins a new epoch, and refuses all earlier cursors (409). A cursor of the same
// epoch that is ahead of the head is one of a server that knows more: it is waited for, then refused for now (503).
//
// # Sight
//
// Who sees a row can change without it, too. Whoever changes whose boards an account sees clears, in the same
// transaction, the position of the row of that board and account in the feed's table of changes of sight. It is published
// among the rows, for its account alone, and says what the account sees when it is read: Left, drop what you have of the
// board, or Joined, read its Snapshot. A row of a snapshot is at its position; what is changed meanwhile comes later. A
// reader gets no such change that was published before it began, for all that it has was read since.
//
// # Republishing
//
// What is shown of a row can change without it: a board's new slug changes the keys of all its tickets. Renaming a
// board therefore opens a run of the migration republish in its own transaction, in the name of the caller; the run
// is unattended and goes through the board at a bounded rate, at most a hundred rows in a task and its transaction.
// Users are the exception: their name and handle are shown as they are when the row is read, and a change of them
// publishes nothing, for the number of their tickets and comments has no bound. A member who left stays assigned,
// with a name and no handle. docs/api.md says so to readers.
package feeds
