package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// The board that a new company starts with. Its tickets are small real tasks: doing them is how one
// learns the board.
var practice = struct {
	draft   boards.Draft
	tickets []tickets.Draft
}{
	draft: boards.Draft{Slug: "DEMO", Title: "First steps"},
	tickets: []tickets.Draft{
		{Title: "Open me", Description: `Every ticket has a page. This is the one of **DEMO-1**, and its address will never change.

What you read here is its description. Press **Edit** to write in it; [Markdown](https://commonmark.org/help/) works:

- lists like this one
- ` + "`code`" + `, *emphasis*, links
- tables, quotes and task lists

When you have looked around, go back to the board and take DEMO-2.`},
		{Title: "Drag me to Doing", Description: `Take the card with the mouse and drop it in **Doing**. On a phone, take it by its handle.

Without a mouse: open the ticket, press **Move to…** and choose. It is the same move.`},
		{Title: "Follow my key to DEMO-1", Description: `A key in any text is a link. DEMO-1 is the ticket you opened first.

Keys are for ever: a number is handed out once, and nobody else gets it, not even after the ticket has gone.`},
		{Title: "Open a ticket of your own", Description: `Press **c** on the board, type a title, press Enter. The dialog stays for the next one.

Or type into the line at the foot of a column.`},
		{Title: "Change my title", Description: `Press **Edit** above. Afterwards look at the history on this page: it says who changed what, and when.`},
		{Title: "Put me above my neighbour", Description: `The order within a column is yours. Drag this card up by one; it stays where you put it, for everyone.`},
		{Title: "Open a board for your team", Description: `Go to **Boards**, choose a short slug, and give it a title. A board with the slug NINJA has the tickets NINJA-1, NINJA-2 and so on.

When its first ticket is there, drag this one to **Done**.`},
	},
}

// openPractice adds the practice board with its tickets in its first column.
func openPractice(ctx context.Context, tx *db.Tx, actor accounts.Actor) (boards.Board, error) {
	board, err := boards.Open(ctx, tx, actor.Company.ID, practice.draft)
	if err != nil {
		return boards.Board{}, err
	}
	openings := make([]*opening, len(practice.tickets))
	for i, draft := range practice.tickets {
		openings[i] = &opening{draft: draft, author: person(actor)}
	}
	_, err = openAll(ctx, tx, board, openings)
	return board, err
}
