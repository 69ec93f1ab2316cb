package workflows

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// conditionOn returns what a text of domain/query means on a board for an actor. known are members whose handles need no
// look-up. It returns a query.Error.
func (w *Workflows) conditionOn(
	ctx context.Context, actor accounts.Actor, board boards.Board, text string, known []accounts.NamedMember,
) (db.TicketCondition, error) {
	q, err := query.Parse(text)
	if err != nil {
		return db.TicketCondition{}, err
	}
	return w.conditionOf(ctx, actor, board, q, known)
}

// conditionOf is conditionOn of a query.
func (w *Workflows) conditionOf(
	ctx context.Context, actor accounts.Actor, board boards.Board, q query.Query, known []accounts.NamedMember,
) (db.TicketCondition, error) {
	c, err := w.resolve(ctx, actor, board, q, known)
	if err != nil || c.IsZero() {
		return db.TicketCondition{}, err
	}
	return whereOf(c, actor.Sight()), nil
}

// narrowOf is what all tickets that meet a condition have.
func narrowOf(c query.Condition) (n tickets.Narrow) {
	for _, board := range c.Required(query.BoardIn) {
		n.Boards = append(n.Boards, id.Board(board))
	}
	for _, label := range c.Required(query.LabelIn) {
		n.Labels = append(n.Labels, id.Label(label))
	}
	if assignees := c.Required(query.AssigneeIn); len(assignees) == 1 {
		n.Assignee = id.Account(assignees[0])
	}
	return n
}

// resolve returns what a query means to an actor. The zero board stands for all boards in sight.
func (w *Workflows) resolve(
	ctx context.Context, actor accounts.Actor, board boards.Board, q query.Query, known []accounts.NamedMember,
) (query.Condition, error) {
	reader := nameReader{q: w.db.Queries, by: actor.Sight(), board: board, members: known}
	return reader.resolve(ctx, q, query.Names{Me: actor.Account.ID, Now: w.db.Now().In(zoneOf(actor))})
}

// nameReader reads what the names in queries stand for.
type nameReader struct {
	q       *db.Queries
	by      db.Sight
	board   boards.Board           // zero for all in sight
	members []accounts.NamedMember // whose handles need no look-up
}

// resolve returns what a query means, from what is known of its reader.
func (r nameReader) resolve(ctx context.Context, q query.Query, names query.Names) (query.Condition, error) {
	if q.Where == nil {
		return query.Condition{}, nil
	}
	names.Slug = r.board.Slug
	needs := q.Needs()
	for _, find := range []func() error{
		func() (err error) { names.Handles, err = r.accounts(ctx, needs.Handles); return err },
		func() (err error) { names.Labels, err = r.labels(ctx, needs.Labels); return err },
		func() (err error) { names.Boards, err = r.boards(ctx, needs.Boards); return err },
		func() (err error) { names.Keys, err = r.tickets(ctx, needs.Keys); return err },
		func() (err error) { names.Columns, err = r.columns(ctx, needs.Columns); return err },
	} {
		if err := find(); err != nil {
			return query.Condition{}, err
		}
	}
	return q.Resolve(names)
}

// orderOf returns the order of a list; ok is false if that is the one of the board.
func orderOf(of TicketList) (order db.TicketOrder, ok bool) {
	sort := of.Sort
	if q, err := query.Parse(of.Query); err == nil && q.Sort != (query.Sort{}) {
		sort = q.Sort
	}
	return db.TicketOrder{By: orderedBy[sort.By], Descending: sort.Descending}, sort != (query.Sort{})
}

// zoneOf is the time zone of an actor, UTC if it is not known.
func zoneOf(actor accounts.Actor) *time.Location {
	if zone, ok := accounts.Location(actor.Account.Display.TimeZone); ok {
		return zone
	}
	return time.UTC
}

// accounts returns the members in sight by their handles, with those that are known.
func (r nameReader) accounts(ctx context.Context, handles []string) (map[string]id.Account, error) {
	found := make(map[string]id.Account, len(r.members))
	for _, member := range r.members {
		found[member.Handle] = member.ID
	}
	var others []string
	for _, handle := range handles {
		if _, ok := found[handle]; !ok {
			others = append(others, handle)
		}
	}
	if len(others) == 0 {
		return found, nil
	}
	members, err := accounts.ByHandle(ctx, r.q, r.by, others)
	if err != nil {
		return nil, err
	}
	for _, member := range members {
		found[member.Handle] = member.ID
	}
	return found, nil
}

// labels returns the labels of the board by their names, present or old; at an unknown one, also all others of the board.
func (r nameReader) labels(ctx context.Context, names []string) (map[string][]id.Label, error) {
	found := map[string][]id.Label{}
	if r.board.ID == 0 && len(names) > 0 {
		return r.labelsEverywhere(ctx, names)
	}
	for _, name := range names {
		list, err := labels.Matching(ctx, r.q, r.board.Company, r.board.ID, searchText(name))
		if err != nil {
			return nil, err
		}
		if found[name] = list; len(list) == 0 { // one of these may be meant
			all, err := labels.On(ctx, r.q, r.board.Company, r.board.ID)
			if err != nil {
				return nil, err
			}
			for _, label := range all {
				found[label.Name] = append(found[label.Name], label.ID)
			}
			return found, nil
		}
	}
	return found, nil
}

// labelsEverywhere returns all labels in sight by their present names, in any case, and those of some names; an old name
// is of a label of all boards.
func (r nameReader) labelsEverywhere(ctx context.Context, names []string) (map[string][]id.Label, error) {
	all, err := labels.InSight(ctx, r.q, r.by)
	if err != nil {
		return nil, err
	}
	found := map[string][]id.Label{}
	for _, label := range all {
		found[label.Name] = append(found[label.Name], label.ID)
		for _, name := range names {
			if !strings.EqualFold(name, label.Name) {
				continue
			}
			list, err := labels.Together(ctx, r.q, label)
			if err != nil {
				return nil, err
			}
			found[name] = append(found[name], list...)
		}
	}
	for _, name := range names {
		if len(found[name]) > 0 {
			continue
		}
		list, err := labels.Matching(ctx, r.q, r.by.Company, 0, searchText(name))
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			found[name] = list
		}
	}
	return found, nil
}

// boards returns the boards in sight by their slugs, present or old.
func (r nameReader) boards(ctx context.Context, slugs []string) (map[string]id.Board, error) {
	found := map[string]id.Board{}
	for _, slug := range slugs {
		if slug == r.board.Slug {
			found[slug] = r.board.ID
			continue
		}
		board, err := boards.BySlug(ctx, r.q, r.by, slug)
		switch {
		case err == nil:
			found[slug] = board.ID
		case !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Invalid):
			return nil, err
		}
	}
	return found, nil
}

// tickets returns the tickets in sight by their keys, present or old.
func (r nameReader) tickets(ctx context.Context, keys []string) (map[string]id.Ticket, error) {
	found := map[string]id.Ticket{}
	for _, text := range keys {
		key, err := tickets.ParseKey(text)
		if err != nil {
			continue
		}
		ticket, err := tickets.ByKey(ctx, r.q, r.by, key)
		switch {
		case err == nil:
			found[text] = ticket.ID
		case !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Gone):
			return nil, err
		}
	}
	return found, nil
}

// columns returns the columns of the board by their names, in any case, and the names of the others for suggestions.
func (r nameReader) columns(ctx context.Context, names []string) (map[string][]id.Column, error) {
	found := map[string][]id.Column{}
	if len(names) == 0 {
		return found, nil
	}
	if r.board.ID == 0 {
		return r.columnsEverywhere(ctx, names)
	}
	for _, column := range r.board.Columns {
		found[column.Name] = append(found[column.Name], column.ID)
	}
	for _, name := range names {
		if len(found[name]) > 0 {
			continue
		}
		for _, column := range r.board.Columns {
			if strings.EqualFold(column.Name, name) {
				found[name] = append(found[name], column.ID)
			}
		}
	}
	return found, nil
}

// mostColumns is how many columns of one name are searched.
const mostColumns = 1000

// columnsEverywhere returns the columns of some names on all boards in sight.
func (r nameReader) columnsEverywhere(ctx context.Context, names []string) (map[string][]id.Column, error) {
	found := map[string][]id.Column{}
	for _, name := range names {
		list, err := db.Read(r.q.SearchedColumns(ctx, db.SearchedColumnsParams{
			Reader: r.by.Reader, CompanyID: r.by.Company, Reach: r.by.Reach, Name: searchText(name), Limit: mostColumns,
		}))
		if err != nil {
			return nil, fmt.Errorf("read columns: %w", err)
		}
		if len(list) > 0 {
			found[name] = list
		}
	}
	return found, nil
}

// whereOf returns a condition for the database.
func whereOf(c query.Condition, by db.Sight) db.TicketCondition {
	switch c.Test {
	case query.All:
		return db.TicketsWithAll(partsOf(c, by)...)
	case query.AnyOf:
		return db.TicketsWithAny(partsOf(c, by)...)
	case query.NoneOf:
		return db.TicketsWithNone(partsOf(c, by)...)
	case query.TitleHas:
		return db.TicketsTitled(c.Words)
	case query.NumberIs:
		return db.TicketsNumbered(c.Number)
	case query.AssigneeIn:
		return db.TicketsAssigned(c.IDs)
	case query.AuthorIn:
		return db.TicketsIn(db.TicketAuthor, c.IDs)
	case query.LabelIn:
		return db.TicketsLabelled(c.IDs)
	case query.BoardIn:
		return db.TicketsIn(db.TicketBoard, c.IDs)
	case query.ColumnIn:
		return db.TicketsIn(db.TicketColumnID, c.IDs)
	case query.ParentIn:
		return db.TicketsBelow(by, c.IDs)
	case query.IsClosed:
		return db.TicketsThatAreClosed()
	case query.IsBlocked:
		return db.TicketsBlocked(by)
	case query.IsRequest:
		return db.TicketsFromRequesters()
	case query.IsOverdue:
		return db.TicketsWithAll(db.TicketsWithNone(db.TicketsThatAreClosed()), within(db.TicketDue, c.Span))
	case query.PriorityIn:
		return db.TicketsOfPriority(c.Low, c.High)
	case query.HasDescription:
		return db.TicketsDescribed()
	}
	if column, ok := timesOf[c.Test]; ok {
		return within(column, c.Span)
	}
	return db.TicketsCounting(countsOf[c.Test])
}

var timesOf = map[query.Test]db.TicketColumn{query.StartIn: db.TicketStart, query.DueIn: db.TicketDue,
	query.CreatedIn: db.TicketCreated, query.UpdatedIn: db.TicketUpdated, query.ClosedIn: db.TicketClosed}

// orderedBy has the columns of the fields that tickets can be sorted by.
var orderedBy = map[query.Field]db.TicketColumn{query.Priority: db.TicketPriority, query.Start: db.TicketStart,
	query.Due: db.TicketDue, query.Created: db.TicketCreated, query.Updated: db.TicketUpdated, query.Closed: db.TicketClosed}

var countsOf = map[query.Test]db.TicketColumn{query.HasAttachment: db.TicketAttachments, query.HasChecklist: db.TicketItems,
	query.HasComment: db.TicketComments}

func partsOf(c query.Condition, by db.Sight) []db.TicketCondition {
	list := make([]db.TicketCondition, len(c.Parts))
	for i, part := range c.Parts {
		list[i] = whereOf(part, by)
	}
	return list
}

func within(column db.TicketColumn, span query.Span) db.TicketCondition {
	return db.TicketsWithin(column, bound(span.From), bound(span.To))
}

func bound(day *query.Day) *db.DayBound {
	if day == nil {
		return nil
	}
	return &db.DayBound{Day: day.Date, Moment: day.Begins}
}
