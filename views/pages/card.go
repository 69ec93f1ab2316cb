package pages

import "github.com/counterfoil/counterfoil/views"

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
