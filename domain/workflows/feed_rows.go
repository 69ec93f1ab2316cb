package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// reach is what a reader sees of a ticket, or of what hangs on it.
type reach int

const (
	hidden reach = iota
	left         // it was on the board that is followed, and is on another now
	shown
)

// reached says it by the company and the board that a row is of. left needs another look.
func visibilityOf(scope feeds.Scope, company id.Company, board id.Board) reach {
	switch {
	case company != scope.Company:
		return hidden
	case scope.Board != 0 && scope.Board != board:
		return left
	}
	return shown
}

// row returns an item as far as its reach says.
func (r reach) row(item feeds.Item) feeds.Row {
	switch r {
	case hidden:
		return feeds.Row{Item: feeds.Item{ID: item.ID, Position: item.Position}, Hidden: true}
	case left:
		return feeds.Row{Item: feeds.Item{ID: item.ID, Position: item.Position, Deleted: true, Reason: feeds.LeftFilter}}
	}
	return feeds.Row{Item: item}
}

// linksOf draws what is of the company that has the slug.
func links(scope feeds.Scope, company string) Links {
	return Links{Base: scope.Base, Company: company}
}

// loadTickets reads who works on the tickets after their positions: what has changed by then is published
// again.
func loadTickets(ctx context.Context, q *db.Queries, look feeds.Span) ([]feeds.Row, error) {
	list, err := tickets.PublishedTickets(ctx, q, look.After, look.Upto, look.Limit)
	if err != nil {
		return nil, err
	}
	reaches := make([]reach, len(list))
	var live, elsewhere []tickets.ID
	for i, p := range list {
		switch reaches[i] = visibilityOf(look.Scope, p.Company, p.Ticket.Board); {
		case reaches[i] == left:
			elsewhere = append(elsewhere, p.Ticket.ID)
		case reaches[i] == shown && !p.Ticket.Deleted():
			live = append(live, p.Ticket.ID)
		}
	}
	assignees, err := tickets.AssigneesOf(ctx, q, look.Scope.Company, live)
	if err != nil {
		return nil, err
	}
	were, err := tickets.NumberedOn(ctx, q, look.Scope.Board, elsewhere)
	if err != nil {
		return nil, err
	}
	rows := make([]feeds.Row, len(list))
	for i, p := range list {
		if reaches[i] == left && !were[p.Ticket.ID] {
			reaches[i] = hidden
		}
		p.Ticket.Assignees = assignees[p.Ticket.ID]
		item := feeds.Item{ID: uint64(p.Ticket.ID), Position: p.Position, Deleted: p.Ticket.Deleted()}
		if reaches[i] == shown && !item.Deleted {
			item.Data = links(look.Scope, p.Slug).Ticket(p.Ticket)
		}
		rows[i] = reaches[i].row(item)
	}
	return rows, nil
}

// loadComments shows comments as far as it does their tickets.
func loadComments(ctx context.Context, q *db.Queries, look feeds.Span) ([]feeds.Row, error) {
	list, err := tickets.PublishedComments(ctx, q, look.After, look.Upto, look.Limit)
	if err != nil {
		return nil, err
	}
	reaches := make([]reach, len(list))
	var elsewhere []tickets.ID
	for i, p := range list {
		if reaches[i] = visibilityOf(look.Scope, p.Company, p.Board); reaches[i] == left {
			elsewhere = append(elsewhere, p.Comment.Ticket)
		}
	}
	were, err := tickets.NumberedOn(ctx, q, look.Scope.Board, elsewhere)
	if err != nil {
		return nil, err
	}
	rows := make([]feeds.Row, len(list))
	for i, p := range list {
		if reaches[i] == left && !were[p.Comment.Ticket] {
			reaches[i] = hidden
		}
		item := feeds.Item{ID: uint64(p.Comment.ID), Position: p.Position, Deleted: p.Comment.Deleted() || p.TicketDeleted}
		if reaches[i] == shown && !item.Deleted {
			item.Data = links(look.Scope, p.Slug).Comment(p.Key, p.Comment)
		}
		rows[i] = reaches[i].row(item)
	}
	return rows, nil
}

// loadBoards reads the columns after the positions: what has changed by then is published again. A reader of
// one board is shown no other.
func loadBoards(ctx context.Context, q *db.Queries, look feeds.Span) ([]feeds.Row, error) {
	list, err := boards.PublishedBoards(ctx, q, look.Scope.Company, look.After, look.Upto, look.Limit)
	if err != nil {
		return nil, err
	}
	rows := make([]feeds.Row, len(list))
	for i, p := range list {
		item := feeds.Item{ID: uint64(p.Board.ID), Position: p.Position}
		reach := visibilityOf(look.Scope, p.Board.Company, p.Board.ID)
		if reach == shown {
			item.Data = links(look.Scope, p.Slug).Board(p.Board)
		} else {
			reach = hidden
		}
		rows[i] = reach.row(item)
	}
	return rows, nil
}
