package pages

import (
	"time"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// daysIn is how many days an open card is in its column; 0 where nobody works on cards: where they wait to be begun, in
// the board's first column, unless that has a number of days after which they are stale, and where they are done.
func daysIn(props ColumnProps, card tickets.Card) int {
	column := props.Column
	if props.Waits && column.StaleDays == 0 || column.Done || card.ClosedAt != nil {
		return 0
	}
	return int(props.Now.Sub(card.Since) / (24 * time.Hour))
}

// stale reports whether a card is in a column for too many days.
func stale(column boards.Column, days int) bool {
	return column.StaleDays > 0 && days >= column.StaleDays
}

// cardAction is an entry of a card's menu. js/card-acts.js does it.
type cardAction struct {
	does  views.Command
	text  string
	key   views.Command // "" for none
	one   bool          // not for several cards
	write bool          // not for those who may only read
}

var cardActions = [][]cardAction{
	{
		{does: views.KeyOpen, text: "Open", key: views.KeyOpen, one: true},
		{does: views.KeyEdit, text: "Edit", key: views.KeyEdit, one: true, write: true},
		{does: views.KeySelect, text: "Select", key: views.KeySelect, one: true, write: true},
	},
	{
		{does: views.KeyAssign, text: "Assign…", key: views.KeyAssign, write: true},
		{does: views.KeyLabels, text: "Labels…", key: views.KeyLabels, write: true},
		{does: views.KeyPriority, text: "Priority…", key: views.KeyPriority, write: true},
		{does: views.KeyDates, text: "Dates…", key: views.KeyDates, write: true},
	},
	{
		{does: views.KeyMove, text: "Move to…", write: true},
		{does: "top", text: "To the top", write: true},
		{does: "bottom", text: "To the bottom", write: true},
	},
	{
		{does: "copy-link", text: "Copy link"},
		{does: "copy-key", text: "Copy key"},
	},
	{
		{does: "close", text: "Close", write: true},
		{does: "delete", text: "Delete…", write: true},
	},
}

// selectionActions are the buttons of the bar of selected cards.
var selectionActions = []cardAction{
	{does: views.KeyAssign, text: "Assign…"},
	{does: views.KeyLabels, text: "Labels…"},
	{does: views.KeyPriority, text: "Priority…"},
	{does: views.KeyDates, text: "Due…"},
	{does: views.KeyMove, text: "Move…"},
	{does: "close", text: "Close"},
	{does: "delete", text: "Delete…"},
}
