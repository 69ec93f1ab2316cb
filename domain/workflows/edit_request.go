package workflows

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// EditRequest is an edit of several tickets by names, as people and programs write it.
type EditRequest struct {
	Kind        bulkedits.Kind
	Add, Drop   []string // handles, for Assign; names of labels, for Label
	Priority    tickets.Priority
	Start, Due  tickets.Date
	Column      id.Column // for Move, on one board; 0 for the column that each ticket is in
	ColumnNamed string    // for Move, in place of Column the name of one on each ticket's board
	Bottom      bool      // for Move
	Parent      string    // a key, "" for none
	Board       string    // a slug
}

// EditOf returns the edit of tickets of a board, or of AllBoards, that is asked for. It returns boards.NotFound, and an
// error about each field that is wrong: "do", "add", "drop", "column", "parent", "board".
func (w *Workflows) EditOf(ctx context.Context, slug string, asked EditRequest) (edit bulkedits.Edit, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return edit, err
	}
	board, err := w.scopeNamed(ctx, actor, slug)
	if err != nil {
		return edit, err
	}
	return w.EditOn(ctx, board, asked)
}

// EditOn is EditOf with the board, which is zero for AllBoards.
func (w *Workflows) EditOn(ctx context.Context, board boards.Board, asked EditRequest) (edit bulkedits.Edit, err error) {
	edit.Kind = asked.Kind
	switch asked.Kind {
	case bulkedits.Assign:
		var badAdd, badDrop error
		edit.Add, badAdd = w.peopleNamed(ctx, asked.Add)
		edit.Remove, badDrop = w.peopleNamed(ctx, asked.Drop)
		return edit, fault.Join(fault.At("add", badAdd), fault.At("drop", badDrop))
	case bulkedits.Label:
		var badAdd, badDrop error
		edit.Labels, badAdd = labels.ParseNames(asked.Add)
		edit.Unlabel, badDrop = w.labelsNamed(ctx, board, asked.Drop)
		return edit, fault.Join(fault.At("add", badAdd), fault.At("drop", badDrop))
	case bulkedits.Priority:
		edit.Priority = asked.Priority.String()
		return edit, nil
	case bulkedits.Due:
		edit.Due = asked.Due.String()
		return edit, nil
	case bulkedits.Start:
		edit.Start = asked.Start.String()
		return edit, nil
	case bulkedits.Move:
		edit.Bottom = asked.Bottom
		if edit.ColumnNamed, err = w.columnOnSome(ctx, asked.ColumnNamed); err == nil {
			edit.Column, err = columnOn(board, asked.Column)
		}
		return edit, err
	case bulkedits.Parent:
		edit.Parent, err = w.parentNamed(ctx, asked.Parent)
		return edit, err
	case bulkedits.Board:
		edit.Board, err = w.boardNamed(ctx, asked.Board)
		return edit, fault.At("board", err)
	case bulkedits.Close, bulkedits.Reopen, bulkedits.Delete:
		return edit, nil
	}
	return edit, bulkedits.BadEdit()
}

// peopleNamed returns the members with some handles.
func (w *Workflows) peopleNamed(ctx context.Context, handles []string) (list []bulkedits.Person, err error) {
	if handles, err = tickets.ParseAssignees(handles); err != nil {
		return nil, err
	}
	ids, err := w.AssignableMembers(ctx, handles)
	for i, account := range ids {
		list = append(list, bulkedits.Person{ID: account, Handle: handles[i]})
	}
	return list, err
}

// labelsNamed returns the labels with some names: one each on a board, but several boards may have each their own.
func (w *Workflows) labelsNamed(ctx context.Context, board boards.Board, names []string) (named []bulkedits.NamedLabel, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	all, err := w.LabelsOfTickets(ctx, board)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		before := len(named)
		for _, label := range all {
			if label.Name == name {
				named = append(named, bulkedits.NamedLabel{ID: label.ID, Name: name})
			}
		}
		if len(named) == before {
			return nil, labels.NotHere()
		}
	}
	return named, nil
}

// LabelsOfTickets returns the labels that tickets of a board may have; if it is zero, those of all boards in sight.
func (w *Workflows) LabelsOfTickets(ctx context.Context, board boards.Board) ([]labels.Label, error) {
	if board.ID == 0 {
		return w.Labels(ctx)
	}
	return w.LabelsOn(ctx, board)
}

// columnOn returns a column of a board, nil for 0.
func columnOn(board boards.Board, column id.Column) (*bulkedits.NamedColumn, error) {
	if column == 0 {
		return nil, nil
	}
	in, ok := board.Column(column)
	if !ok {
		return nil, boards.ColumnNotFound{Column: uint64(column)}
	}
	return &bulkedits.NamedColumn{ID: column, Name: in.Name}, nil
}

// columnOnSome returns a name that a column of some board in sight has, or "".
func (w *Workflows) columnOnSome(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	all, err := boards.Of(ctx, w.db.Queries, accounts.ActorFrom(ctx).Sight())
	if err != nil {
		return "", err
	}
	for _, board := range all {
		if _, ok := board.ColumnNamed(name); ok {
			return name, nil
		}
	}
	return "", fault.Invalid.New(boards.CodeNoColumnNamed, "column",
		fmt.Sprintf("No board has a column “%.50s”. Name one of those that your boards have.", name))
}

// parentNamed returns the ticket with a key, nil for "".
func (w *Workflows) parentNamed(ctx context.Context, text string) (*bulkedits.NamedTicket, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	key, err := tickets.ParseKey(text)
	if err != nil {
		return nil, noParent(text)
	}
	parent, err := w.Ticket(ctx, key)
	if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Gone) {
		return nil, noParent(text)
	}
	if err != nil {
		return nil, err
	}
	return &bulkedits.NamedTicket{ID: parent.ID, Key: parent.Key}, nil
}

func noParent(text string) error {
	return fault.Invalid.New(tickets.CodeRelatedNotFound, "parent",
		fmt.Sprintf("“%.40s” is no key of a ticket that you have access to. Type one such as NINJA-42.", text))
}

// boardNamed returns the board that tickets go to.
func (w *Workflows) boardNamed(ctx context.Context, slug string) (*bulkedits.NamedBoard, error) {
	if slug == "" {
		return nil, boards.Unknown()
	}
	actor := accounts.ActorFrom(ctx)
	board, err := boards.BySlug(ctx, w.db.Queries, actor.Sight(), slug)
	switch {
	case errors.Is(err, fault.NotFound) || errors.Is(err, fault.Gone):
		return nil, boards.Unknown()
	case err != nil:
		return nil, err
	case access.On(actor, board.Grant) < access.Write:
		return nil, accounts.ReadOnly()
	case board.Archived():
		return nil, boards.Archived()
	}
	return &bulkedits.NamedBoard{ID: board.ID, Slug: board.Slug, Title: board.Title}, nil
}
