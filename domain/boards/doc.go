// Package boards has the rules of boards, their columns and their ticket numbers. Its invariant: a board hands out
// each number once and without a gap, and a slug is one board's for ever. Start at board.go; numbers and ranks for
// new tickets are in take.go.
//
// # Numbers
//
// board_ticket_incrementer has one row per board. AllocateNumbers runs UPDATE … SET max_ticket_id =
// LAST_INSERT_ID(max_ticket_id + k): it takes k numbers under the row's lock, and the answer to the update carries
// the last of them. The tickets are inserted in the same transaction, so a failed insert gives its numbers back and
// leaves no gap. UNIQUE (board_id, local_id) is the last defence. A deleted ticket keeps its row and its number.
// The row's lock also puts the batches of several processes in line.
//
// # Slugs
//
// board_slug has every slug that a board ever had. A slug is looked up there, so an old one still works and cannot
// become another board's. A slug that only came with an import is marked as imported: it belongs to no board, none
// can take it, and keys with it are looked up among ticket_origin.
//
// # Columns, limits, archive
//
// A change of a board's columns holds the locks of all of them and ends with an increment of the board's version; a
// second change made from the same version is refused there. A hard limit is checked under the column's lock by
// whatever brings a ticket. The statement that takes ranks for new tickets carries the limit, and whether the
// column is a done-column or being removed, in its WHERE, because it works with a board read up to a second ago.
//
// # Changes of all tickets of a column
//
// A column that becomes done, or ceases to be, or is removed, changes all its tickets: up to Chunk in the transaction of
// the edit, more by a run (domain/kinds/columns), Chunk in each transaction. The column's row says so meanwhile: see
// Change. A column that is being closed is done already, so what comes to it is closed; until its Change is over,
// tickets that were there before may be open, and verify knows. One that is being reopened is not done, and what comes
// to it stays as it is. One that is being emptied takes no ticket, and its target keeps room below its hard limit for
// all that may come (Incoming).
//
// A transaction that changes tickets locks the board's row in share mode, after the tickets, and checks that the
// board is not archived. New tickets get that lock by their foreign key, before the statement that writes their
// history checks for the archive.
package boards
