package pages

import (
	"fmt"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// The states that a member puts a bulk edit in.
const (
	BulkEditRunning = "running"
	BulkEditPaused  = "paused"
	BulkEditStopped = "stopped"
)

// BulkEditsOfCompany is the value of "of" for the bulk edits of all members.
const BulkEditsOfCompany = "company"

// BulkEditsProps is a page of bulk edits, the newest first: the user's, those of a board, or everyone's.
type BulkEditsProps struct {
	Page      views.Page
	Board     *boards.Board
	Everyones bool
	List      []bulkedits.BulkEdit
	Next      id.BulkEdit // from below which the next page is, 0 if there is none
}

// path is that of the first page of the user's bulk edits, or of everyone's.
func (props BulkEditsProps) path(everyones bool) string {
	path := views.BulkEditsPath(props.Page.Actor.Company.Slug)
	if everyones {
		path += "?of=" + BulkEditsOfCompany
	}
	return path
}

// older is the page behind.
func (props BulkEditsProps) older() string {
	before := fmt.Sprintf("before=%d", props.Next)
	switch {
	case props.Board != nil:
		return views.BoardBulkEditsPath(props.Page.Actor.Company.Slug, props.Board.Slug) + "?" + before
	case props.Everyones:
		return props.path(true) + "&" + before
	}
	return props.path(false) + "?" + before
}

// BulkEditProps is a bulk edit with a page of its items.
type BulkEditProps struct {
	Page     views.Page
	Edit     bulkedits.BulkEdit
	Alert    string
	Now      time.Time
	UndoneBy id.BulkEdit // 0 for none
	Held     bool        // operators have stopped all runs
	Shown    bulkedits.Outcome
	Items    []bulkedits.Item
	Seen     map[id.Ticket]bool // of the tickets that changes of the items name, those that the user sees
	Reasons  []bulkedits.Reason
	After    id.Ticket
	More     bool
}

// path is that of the bulk edit with what it shows.
func (props BulkEditProps) path(outcome bulkedits.Outcome, after id.Ticket) string {
	path := fmt.Sprintf("%s?show=%s", views.BulkEditPath(props.Page.Actor.Company.Slug, props.Edit.ID), outcome)
	if after > 0 {
		path += fmt.Sprintf("&after=%d", after)
	}
	return path
}

// what is what the bulk edit does.
func what(p views.Page, edit bulkedits.BulkEdit) string {
	return edit.Text(p.Actor.Account.ID, p.Actor.Role == accounts.Guest)
}

// which are the tickets that it is about.
func which(edit bulkedits.BulkEdit) string {
	of := edit.BoardTitle
	if edit.Board == 0 {
		of = "all boards"
	}
	if edit.Total == 0 {
		return "tickets of " + of
	}
	return views.Count(int64(edit.Total), "ticket", "tickets") + " of " + of
}

// live is how often the page refreshes itself, "" if nothing happens any more.
func (props BulkEditProps) live() string {
	switch {
	case props.Edit.Over():
		return ""
	case props.Edit.State == migrations.Paused:
		return "5000"
	}
	return "1000"
}

// bulkState says in a word how it is.
func bulkState(edit bulkedits.BulkEdit) string {
	switch edit.State {
	case migrations.Open, migrations.Filling, migrations.Ready:
		return "Preparing"
	case migrations.Pausing, migrations.Paused:
		return "Paused"
	case migrations.Throttled:
		return "Waiting"
	case migrations.Cancelling, migrations.Cancelled:
		return "Stopped"
	case migrations.Complete:
		return "Done"
	}
	return "Running"
}

// explanation says why it is in its state, and what to do.
func (props BulkEditProps) explanation() string {
	edit := props.Edit
	switch {
	case props.Held:
		return "An operator has stopped all runs of this server for now. It goes on when they are released."
	case edit.State == migrations.Open || edit.State == migrations.Filling:
		return "It looks for the tickets that match."
	case edit.State == migrations.Paused && edit.Canary && edit.Done() > 0:
		return "The first tickets are changed. Look at them; then continue, or stop and take them back."
	case edit.State == migrations.Paused || edit.State == migrations.Pausing:
		return "Nothing more is changed until you continue."
	case edit.State == migrations.Throttled:
		return "The server is busy. It goes on by itself."
	case edit.State == migrations.Cancelled && edit.Done() == 0:
		return strings.TrimPrefix(edit.Reason, "Filling failed: ")
	case edit.State == migrations.Cancelled:
		return "What was changed until then stays, and can be taken back."
	case edit.State == migrations.Complete && edit.Total == 0:
		return "No ticket matched, so nothing was changed."
	}
	return ""
}

// outcomeNames are the heads of the lists of items.
func outcomeName(edit bulkedits.BulkEdit, outcome bulkedits.Outcome) string {
	switch outcome {
	case bulkedits.Changed:
		switch {
		case edit.Dry:
			return "Would change"
		case edit.Undoes != 0:
			return "Taken back"
		}
		return "Changed"
	case bulkedits.Refused:
		if edit.Undoes != 0 {
			return "Left alone"
		}
		return "Refused"
	}
	return "Nothing to change"
}

func outcomeCount(edit bulkedits.BulkEdit, outcome bulkedits.Outcome) int {
	switch outcome {
	case bulkedits.Changed:
		return edit.Changed
	case bulkedits.Refused:
		return edit.Refused
	}
	return edit.Unchanged
}

// changedWords is how many tickets it changed, and how many were refused.
func changedWords(edit bulkedits.BulkEdit) string {
	var words []string
	switch {
	case edit.Changed > 0 && edit.Dry:
		words = append(words, fmt.Sprintf("%d would change", edit.Changed))
	case edit.Changed > 0:
		words = append(words, fmt.Sprintf("%d changed", edit.Changed))
	}
	if edit.Refused > 0 {
		words = append(words, fmt.Sprintf("%d refused", edit.Refused))
	}
	return strings.Join(words, ", ")
}

// hidden is how many items of the page the user does not see.
func (props BulkEditProps) hidden() (n int) {
	for _, item := range props.Items {
		if item.Hidden {
			n++
		}
	}
	return n
}

// rates are the speeds of a bulk edit.
var rates = []struct {
	value float64
	text  string
}{{0, "As fast as it can"}, {50, "50 per second"}, {10, "10 per second"}, {1, "1 per second"}}

func rateValue(rate float64) string { return fmt.Sprint(rate) }

// progressOf is how much of the bar is full: a run without tickets is done.
func progressOf(edit bulkedits.BulkEdit) int {
	if edit.Total == 0 && edit.State == migrations.Complete {
		return 1
	}
	return edit.Done()
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// opensBulkEdit reports whether an entry of the history is of a bulk edit that the user may look at.
func (p TicketProps) opensBulkEdit(a tickets.Activity) bool {
	actor := p.Page.Actor
	switch {
	case a.Detail.BulkEdit == 0 || actor == nil:
		return false
	case a.Detail.OfAllBoards:
		return a.By.ID == actor.Account.ID || actor.Manages()
	}
	return a.By.ID == actor.Account.ID || p.Page.Manages(p.Board)
}
