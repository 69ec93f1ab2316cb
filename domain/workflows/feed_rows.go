package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// visibility is what a reader sees of a row.
type visibility int

const (
	hidden visibility = iota
	left              // it was on a board of the reader's scope, and is on another now
	shown
)

// visibilityOf returns the visibility of a row on a board; own says that it is of the reader's company, seen that the
// reader sees the board. left is hidden, if the row never was in the reader's scope.
func visibilityOf(scope feeds.Scope, own, seen bool, board id.Board) visibility {
	switch {
	case !own:
		return hidden
	case !seen || scope.Board != 0 && scope.Board != board:
		return left
	}
	return shown
}

// row returns as much of an item as is visible.
func (v visibility) row(item feeds.Item, feed db.FeedHead) feeds.Row {
	switch v {
	case hidden:
		return feeds.Row{Item: feeds.Item{ID: item.ID, Position: item.Position}, Hidden: true, Feed: feed}
	case left:
		return feeds.Row{Item: feeds.Item{ID: item.ID, Position: item.Position, Deleted: true, Reason: feeds.LeftFilter},
			Feed: feed}
	}
	return feeds.Row{Item: item, Feed: feed}
}

// links returns the links of a company.
func links(scope feeds.Scope, company string) Links {
	return Links{Base: scope.Base, Company: company}
}

func loadTickets(ctx context.Context, tx *db.Tx, span feeds.Span) ([]feeds.Row, error) {
	list, err := tickets.PublishedTickets(ctx, tx.Queries, span.Scope.Sight, span.After, span.To, span.Limit)
	if err != nil {
		return nil, err
	}
	return ticketRows(ctx, tx, span.Scope, list)
}

// ticketRows reads the assignees and labels after the positions: a later change is published again.
func ticketRows(
	ctx context.Context, tx *db.Tx, scope feeds.Scope, list []tickets.PublishedTicket,
) ([]feeds.Row, error) {
	visible := make([]visibility, len(list))
	var live, elsewhere []tickets.ID
	for i, p := range list {
		switch visible[i] = visibilityOf(scope, p.Own, p.Visible, p.Ticket.Board); {
		case visible[i] == left:
			elsewhere = append(elsewhere, p.Ticket.ID)
		case visible[i] == shown && !p.Ticket.Deleted():
			live = append(live, p.Ticket.ID)
		}
	}
	assignees, err := tickets.AssigneesOf(ctx, tx.Queries, scope.Company, live)
	if err != nil {
		return nil, err
	}
	labels, err := tickets.LabelsOf(ctx, tx.Queries, live)
	if err != nil {
		return nil, err
	}
	relations, err := tickets.RelationsOf(ctx, tx.Queries, scope.Sight, live)
	if err != nil {
		return nil, err
	}
	attachments, err := tickets.AttachmentsOf(ctx, tx.Queries, live)
	if err != nil {
		return nil, err
	}
	recurrences, err := tickets.RecurrencesOf(ctx, tx.Queries, live)
	if err != nil {
		return nil, err
	}
	onceThere, err := tickets.OnceSeen(ctx, tx.Queries, scope.Sight, scope.Board, elsewhere)
	if err != nil {
		return nil, err
	}
	rows := make([]feeds.Row, len(list))
	for i, p := range list {
		if visible[i] == left && !onceThere[p.Ticket.ID] {
			visible[i] = hidden
		}
		p.Ticket.Assignees, p.Ticket.Labels = assignees[p.Ticket.ID], labels[p.Ticket.ID]
		p.Ticket.Relations, p.Ticket.Attachments = relations[p.Ticket.ID], attachments[p.Ticket.ID]
		p.Ticket.Recurrence = recurrences[p.Ticket.ID]
		item := feeds.Item{ID: uint64(p.Ticket.ID), Position: p.Position, Ticket: p.Ticket.ID, Deleted: p.Ticket.Deleted()}
		if visible[i] == shown && !item.Deleted {
			item.Edition = feeds.Edition{Version: p.Ticket.Version, UpdatedAt: p.Ticket.UpdatedAt}
			item.Board, item.Data = p.Ticket.Board, links(scope, p.Slug).Ticket(p.Ticket)
		}
		rows[i] = visible[i].row(item, p.Feed)
	}
	return rows, nil
}

// loadComments shows comments as it does their tickets.
func loadComments(ctx context.Context, tx *db.Tx, span feeds.Span) ([]feeds.Row, error) {
	list, err := tickets.PublishedComments(ctx, tx.Queries, span.Scope.Sight, span.After, span.To, span.Limit)
	if err != nil {
		return nil, err
	}
	return commentRows(ctx, tx, span.Scope, list)
}

func commentRows(
	ctx context.Context, tx *db.Tx, scope feeds.Scope, list []tickets.PublishedComment,
) ([]feeds.Row, error) {
	visible := make([]visibility, len(list))
	var elsewhere []tickets.ID
	for i, p := range list {
		if visible[i] = visibilityOf(scope, p.Own, p.Visible, p.Board); visible[i] == left {
			elsewhere = append(elsewhere, p.Comment.Ticket)
		}
	}
	onceThere, err := tickets.OnceSeen(ctx, tx.Queries, scope.Sight, scope.Board, elsewhere)
	if err != nil {
		return nil, err
	}
	rows := make([]feeds.Row, len(list))
	for i, p := range list {
		if visible[i] == left && !onceThere[p.Comment.Ticket] {
			visible[i] = hidden
		}
		item := feeds.Item{ID: uint64(p.Comment.ID), Position: p.Position, Ticket: p.Comment.Ticket,
			Deleted: p.Comment.Deleted() || p.TicketDeleted}
		if visible[i] == shown && !item.Deleted {
			item.Edition = feeds.Edition{Version: p.Comment.Version, UpdatedAt: p.Comment.UpdatedAt}
			item.Board, item.Data = p.Board, links(scope, p.Slug).Comment(p.Key, p.Comment)
		}
		rows[i] = visible[i].row(item, p.Feed)
	}
	return rows, nil
}

// loadBoards reads the columns after the positions: a later change is published again. A reader of one board sees no
// other.
func loadBoards(ctx context.Context, tx *db.Tx, span feeds.Span) ([]feeds.Row, error) {
	list, err := boards.PublishedBoards(ctx, tx.Queries, span.Scope.Sight, span.After, span.To, span.Limit)
	if err != nil {
		return nil, err
	}
	rows := make([]feeds.Row, len(list))
	for i, p := range list {
		item := feeds.Item{ID: uint64(p.Board.ID), Position: p.Position}
		v := visibilityOf(span.Scope, p.Visible, p.Visible, p.Board.ID)
		if v == shown {
			item.Edition = feeds.Edition{Version: p.Board.Version, UpdatedAt: p.Board.UpdatedAt}
			item.Board, item.Data = p.Board.ID, links(span.Scope, p.Slug).Board(p.Board)
		} else {
			v = hidden
		}
		rows[i] = v.row(item, p.Feed)
	}
	return rows, nil
}
