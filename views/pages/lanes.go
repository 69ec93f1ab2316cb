package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// Lane is a row across the columns of a board: the cards with the same assignee, label, priority or parent. A card with
// several assignees or labels is in the lane of its first.
type Lane struct {
	By    string // views.LanesByAssignee and so on
	ID    string // of the assignee or label, the priority, or the key of the parent; "" for cards with none
	Order string // lanes are sorted by it, in this order of bytes
	Of    tickets.Card
	Cards []tickets.Card
}

// laneOf is the lane of a card, without cards.
func laneOf(by string, card tickets.Card) Lane {
	lane := Lane{By: by, Order: "~", Of: card}
	set := func(id, order string) { lane.ID, lane.Order = id, "!"+strings.ToLower(order)+" "+id }
	switch by {
	case views.LanesByAssignee:
		if len(card.Assignees) > 0 {
			first := card.Assignees[0]
			set(views.Number(uint64(first.ID)), first.Name)
		}
	case views.LanesByLabel:
		if len(card.Labels) > 0 {
			first := card.Labels[0]
			set(views.Number(uint64(first.ID)), first.Name)
		}
	case views.LanesByPriority:
		if card.Priority != tickets.NoPriority {
			set(card.Priority.String(), views.Number(uint64(tickets.Urgent-card.Priority)))
		}
	case views.LanesByParent:
		if card.Parent != nil {
			key := card.Parent.Key
			set(key.String(), fmt.Sprintf("%s %020d", key.Board, key.Number))
		}
	}
	return lane
}

// LanesOf are the lanes of cards, sorted, with those that a column of the same board has beside them.
func LanesOf(by string, cards []tickets.Card, beside ...Lane) []Lane {
	if by == "" {
		return nil
	}
	var lanes []Lane
	at := map[string]int{}
	add := func(lane Lane) int {
		i, ok := at[lane.ID]
		if !ok {
			i = len(lanes)
			at[lane.ID] = i
			lanes = append(lanes, lane)
		}
		return i
	}
	for _, card := range cards {
		i := add(laneOf(by, card))
		lanes[i].Cards = append(lanes[i].Cards, card)
	}
	for _, lane := range beside {
		lane.Cards = nil
		add(lane)
	}
	slices.SortFunc(lanes, func(a, b Lane) int { return cmp.Compare(a.Order, b.Order) })
	return lanes
}

func (props ColumnProps) lanes() []Lane {
	return LanesOf(props.Filter.Lanes, props.Cards, props.Lanes...)
}

// laneChoices are what the lanes of a board can be.
var laneChoices = []struct{ value, text string }{
	{views.LanesByAssignee, "By assignee"},
	{views.LanesByLabel, "By label"},
	{views.LanesByPriority, "By priority"},
	{views.LanesByParent, "By parent"},
}

// noLane is the name of the lane of cards with none.
var noLane = map[string]string{views.LanesByAssignee: "Unassigned", views.LanesByLabel: "No label",
	views.LanesByPriority: "No priority", views.LanesByParent: "No parent"}
