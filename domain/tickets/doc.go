// Package tickets has the rules of tickets: what they hold, their keys, their order in a column, their history,
// comments, mentions and notifications. Its invariants: a key that a ticket ever had keeps working, and no two
// tickets of a column have one rank. Start at ticket.go and store.go; move.go has moves.
//
// # Keys for ever
//
// A ticket that goes to another board takes a number there, and its old number becomes a row of ticket_alias in the
// same transaction. An alias goes from a board and a number to the ticket's id, never to another key, so there are
// no chains. A ticket that comes back swaps the rows and has its old number again. Resolving a key is one lookup of
// the slug (board_slug), of the number among tickets, and of the number among aliases; all three are unique
// indexes. Pages and the API answer 301 to a read under an old name, never to be stored; a write to an old name is
// carried out.
//
// An imported ticket has a row of ticket_origin with its name in the source. If that has the form of a key, its
// slug gets a row of board_slug that is marked as imported. If the slug is a board's already, the board's numbers
// stay its own. The primary key of ticket_origin makes a repeated import safe: an import locks all columns of its
// board before it looks, so two imports into one board see each other's rows.
//
// # Order
//
// ticket.rank_in_column is a BIGINT, unique in its column, with gaps of 2^16. A move locks the columns that it
// concerns, then the ticket, finds the tickets above and below, and writes one row with the rank half way. If a gap
// is used up, the 32 tickets below are spread anew (more if they are crowded too), in an order in which no two rows
// ever have one rank. board_column.last_rank is where the next ticket at the foot goes; ticket_count is kept under
// the same lock, so no request counts rows.
//
// A move may name the place in which the ticket was seen. It is refused if the ticket is in another column by now.
// If the ticket is below another neighbour in the same column, times decide: if moved_at of the ticket is later
// than that of its neighbour and of the one that it was seen below, the ticket itself was moved, and the move is
// refused; otherwise a neighbour came or went, and the move is carried out.
//
// # Filter
//
// A filter reads at most Reach cards of a column from its starting point (ReachOn where there are many columns), keeps the
// matches, and returns where it ended. "More" goes on from there, so no request grows with a column. A card that was seen
// through a filter does not know what is above it, so its drag sends moved_at, and that decides whether the ticket was
// moved since.
//
// # Undo
//
// The history keeps where a ticket was before a move, a close, a reopening or a deletion (From), and its place
// after it (To). Undoing restores From. It sets activity.undone_at with WHERE undone_at IS NULL, so of many
// concurrent callers one wins, under the same locks as a move. It is refused if the ticket was moved, closed or
// deleted after the entry, unless that was undone too. Users undo their own actions, for 30 minutes, the newest
// first; a refusal gives its reason, and the next attempt passes that action over. A deleted ticket keeps its row,
// number and history, and can be restored for 30 days.
//
// # Concurrent edits
//
// An edit names the version that it was made from. If that is no longer the current one, the texts of that version
// are taken from the history (each edit keeps old and new), and Merge, a three-way merge by lines, offers both
// changes together. Lines are paired first where they occur once in both texts, the rest by a longest common
// subsequence of bounded size, so no text takes long.
//
// # Mentions and notifications
//
// A text mentions a member with @handle; markup.Mentions returns the handles, but for those in code, links and
// addresses. A member who is mentioned or assigned, or who watches a ticket that gets a comment, gets a row of
// notification. It is written in the transaction of the text, once per member, never for the member's own action:
// for at most 50 mentioned members per text and at most 1,000 who watch. Rows are added in the order of accounts,
// so two transactions that notify each other's authors wait and do not deadlock. watcher has the members who were
// mentioned or assigned or commented, and those who muted the ticket; its author needs no row. Opening tickets
// whose descriptions mention nobody costs no further statement.
//
// The inbox is by tickets: each is where its newest entry is. A page is made of a window of 300 entries, so its cost
// has a bound whatever a ticket has: InboxWindow says of each entry which is the newest of its ticket, by one step in
// an index, so that a ticket of an earlier page is left out. Reading an entry reads those before it of its ticket.
//
// A deleted comment has no text in comment, so nothing that reads comments can show it. Until its deletion cannot be
// undone any more, deleted_comment has it.
//
// assignee.current is kept by whatever closes, reopens, deletes or restores a ticket, so My work reads only open
// tickets. Assigning holds the member's row in share mode: a member who is removed at the same time is assigned
// before that, or not at all.
//
// The boards of keys and the members of handles in a text are looked up only if it has such words, and only for
// those. A page of comments ends after 25 of them or 64 KiB of text. The unread count in the header reads at most a
// hundred entries of an index, in the statement that identifies the caller.
package tickets
