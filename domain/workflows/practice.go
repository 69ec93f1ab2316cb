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
		{Title: "Open me, and change my title", Description: `Every ticket has a page. This is the one of **DEMO-1**, and its address will never change.

What you read here is its description. Press **Edit** to write in it, or to give the ticket another title; [Markdown](https://commonmark.org/help/) works:

- lists like this one
- ` + "`code`" + `, *emphasis*, links
- tables, quotes and task lists

The history on this page says who changed what, and when. Then go back to the board and take DEMO-2.`},
		{Title: "Drag me to Doing", Description: `Take the card with the mouse and drop it in **Doing**. On a phone, take it by its handle.

Without a mouse: open the ticket, press **Move to…** and choose. It is the same move. What was a mistake can be undone: with the button that appears, or with Ctrl+Z.

The order within a column is yours, too. A card stays where you put it, for everyone.`},
		{Title: "Follow my key to DEMO-1", Description: `A key in any text is a link. DEMO-1 is the ticket you opened first.

Keys are for ever: a number is handed out once, and nobody else gets it, not even after the ticket has gone.`},
		{Title: "Walk the board by keyboard", Description: `On the board, **j** and **k** go down and up a column, **h** and **l** to the columns beside it; Enter opens the card, and **m** takes it along: then the arrows move it.

Press **c** for a new ticket of your own, **/** to jump to any key or title, **?** for all the keys there are.`},
		{Title: "Mention yourself below", Description: `Write a comment on this page: type **@** and the first letters of your name, and choose yourself. Then make the ticket yours with the list of people above.

Whoever else you name or give a ticket to finds it in their **Inbox**, and so do those who spoke here before. What is yours on all boards is in **My work**.`},
		{Title: "Fill a column to its limit", Description: `In the board's **Settings**, give **Doing** the limit 1, one that refuses. Then try to have two cards there: the second is sent back, and it says why. This holds also when two people move at the same moment.

A limit that only warns colours the column. Take it away when you have seen enough.`},
		{Title: "Move me to another board, and come back by my old key", Description: `Go to **Boards** and create one for your team: a title and a ticket prefix. A board with the prefix NINJA has the tickets NINJA-1, NINJA-2 and so on.

Then press **Move to…** here and choose it. This ticket gets a key of that board; DEMO-7 goes on leading to it, in links, in texts and in the address line.

When you have got there, drag it to **Done**: that closes it.`},
	},
}

// openPractice adds the practice board with its tickets in its first column.
func openPractice(ctx context.Context, tx *db.Tx, actor accounts.Actor) (boards.Board, error) {
	board, err := boards.Open(ctx, tx, actor.Company.ID, practice.draft)
	if err != nil {
		return boards.Board{}, err
	}
	rows := make([]tickets.NewTicket, len(practice.tickets))
	for i, draft := range practice.tickets {
		rows[i] = tickets.NewTicket{Draft: draft, Author: user(actor)}
	}
	if _, err = OpenTickets(ctx, tx, board, rows, tickets.Open); err != nil {
		return board, err
	}
	_, err = tickets.IndexTexts(ctx, tx, board.ID, 0, uint64(len(rows))) // they mention each other
	return board, err
}
