package pages

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// load is the number of tickets in a column and its limit; narrowed says that the number of matches comes before it.
func load(c boards.Column, narrowed bool) string {
	switch {
	case c.Limit == nil:
		return strconv.FormatInt(c.Count, 10)
	case narrowed:
		return fmt.Sprintf("%d, limit %d", c.Count, *c.Limit)
	}
	return fmt.Sprintf("%d of %d", c.Count, *c.Limit)
}

// loadWords say what load shows by its place and colour.
func loadWords(c boards.Column) string {
	switch {
	case c.Over():
		return " tickets, over its limit"
	case c.Hard && c.Limit != nil && c.Count == int64(*c.Limit):
		return " tickets, full"
	case c.Limit == nil && c.Count == 1:
		return " ticket"
	}
	return " tickets"
}

// above is the card above the first of a list, "" at the top.
func above(k *tickets.Key) string {
	if k == nil {
		return ""
	}
	return k.String()
}

// next is the path of the cards below.
func (props ColumnProps) next() string {
	path := views.ColumnPath(props.Company, props.Board.Slug, props.Column.ID, props.Next)
	if !props.Filter.Any() {
		return props.Filter.In(path)
	}
	return props.Filter.In(path) + "&sofar=" + views.Number(uint64(props.SoFar+len(props.Cards)))
}

// found is the number of cards that match the filter so far; a plus says that there may be more.
func (props ColumnProps) found() string {
	n := views.Number(uint64(props.SoFar + len(props.Cards)))
	if props.Next != nil {
		return n + "+"
	}
	return n
}

// movedAt is the time of a ticket's move, shown under a filter.
func movedAt(at time.Time) string { return strconv.FormatInt(at.UnixMicro(), 10) }

// cardStamp is the stamp that a live event has if it is about what the card shows.
func cardStamp(c tickets.Card) string { return strconv.FormatUint(uint64(c.Stamp()), 10) }

// addError is the one message of a form with one field.
func addError(errs views.Errors) string {
	if errs["title"] != "" {
		return errs["title"]
	}
	for _, message := range errs {
		return message
	}
	return ""
}

// cardPaths are the paths of a card's pages for the keyboard, with {key} for its key: once on the page, since a board
// has thousands of cards.
func cardPaths(p views.Page, b boards.Board) templ.Attributes {
	if !p.Writes(b) {
		return nil
	}
	way := func(path func(string, tickets.Key) string) string {
		var none tickets.Key
		return strings.Replace(path(p.Actor.Company.Slug, none), none.String(), "{key}", 1)
	}
	return templ.Attributes{"data-edit": way(views.EditPath), "data-assignees": way(views.AssigneesPath),
		"data-priority": way(views.PriorityPath), "data-dates": way(views.DatesPath),
		"data-labels": way(views.TicketLabelsPath), "data-columns": views.ColumnsPath(p.Actor.Company.Slug, b.Slug), "data-batch": views.BatchPath(p.Actor.Company.Slug, b.Slug)}
}

// Seen is a hash of what a column shows.
func (props ColumnProps) Seen() string {
	sum := fnv.New64a()
	c := props.Column
	fmt.Fprint(sum, props.Board.Slug, c.Name, c.Done, load(c, false), c.Hard, props.Write, props.Next != nil,
		len(props.Cards), c.StaleDays, props.Filter.Lanes)
	if c.Change != nil {
		fmt.Fprint(sum, "|", *c.Change)
	}
	for _, card := range props.Cards {
		fmt.Fprintf(sum, "|%d %d %d %t %d", card.ID, card.Key.Number, card.Stamp(), card.Blocked, daysIn(props, card))
		for _, a := range card.Assignees {
			fmt.Fprintf(sum, " %q", a.Name)
		}
		if card.Parent != nil {
			fmt.Fprintf(sum, " %v %q", card.Parent.Key, card.Parent.Title)
		}
	}
	return strconv.FormatUint(sum.Sum64(), 36)
}

func formID(c id.Column) string { return strconv.FormatUint(uint64(c), 10) }

// changeShort is changeText below the name of the column.
func changeShort(board boards.Board, c boards.Column) string {
	text := changeText(board, c)
	return strings.ToUpper(text[:1]) + text[1:]
}

// tint are the classes of a column's colour.
func tint(c boards.Column) string {
	if c.Color == nil {
		return ""
	}
	return "tint " + c.Color.String()
}

// BoardTitle is the title of a board; that of all boards is zero.
func BoardTitle(b boards.Board) string {
	if b.ID == 0 {
		return "All tickets"
	}
	return b.Title
}
