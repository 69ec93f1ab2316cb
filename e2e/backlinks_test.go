package e2e

import "testing"

// A card counts comments, and a ticket lists what mentions it, as they come.
func TestBacklinks(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the door", "Dry it")
	ben := a.member(t, "Ben Okafor", "ben@example.com")
	board, ticket := a.tab(t), a.tab(t)
	board.open("/acme/boards/NINJA")
	ticket.open("/acme/NINJA-2")
	ben.open("/acme/NINJA-1")
	ben.fills("#comment-body", "Before NINJA-2.")
	ben.click("#comment-form .primary")
	ben.sees("#comments", "Before NINJA-2.")
	board.sees(".card[data-key=NINJA-1] .has-comments", "1")
	ticket.sees("#backlinks", "Paint the door")
	ticket.click("#backlinks a")
	ticket.wait(`location.pathname.endsWith("NINJA-1") && location.hash === "#comment-1"`)
	ben.open("/acme/boards/NINJA")
	ben.click(".card[data-key=NINJA-2] a")
	ben.sees("#backlinks", "NINJA-1") // beside the board, too
}
