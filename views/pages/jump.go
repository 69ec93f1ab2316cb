package pages

import (
	"strings"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// JumpProps is the jump box with its results. Newest is the number of tickets per board whose titles were searched, 0
// for all.
type JumpProps struct {
	Page   views.Page
	Board  boards.Board // of the tickets to change, if there are Keys
	Query  string
	Keys   string // of the tickets to change, "" for none
	Titles []tickets.SearchResult
	Newest int

	Problem     string   // why a text that begins with the verb of an action has none
	Actions     []Action // what the text says to do to the tickets
	Named, Near []Place  // of whose names each word begins one; that have the letters
	Themes      []Action // that the text names
	Back        string   // the path of the page that the user is on
}

// Place is what a text names beside tickets: a board, a view, a member or a page.
type Place struct {
	Kind, Name, Note, Path string
}

// Action is a change that a text asks for: of tickets, or of the theme if it names one.
type Action struct {
	Name  string
	Form  BatchForm
	Theme string
}

// Finds reports whether there is a result, or a reason for none.
func (p JumpProps) Finds() bool { return len(p.results()) > 0 || p.Problem != "" }

// result is one of the results of a jump: an action, a place or a ticket.
type result struct {
	action *Action
	place  *Place
	ticket *tickets.SearchResult
}

// results are what a text finds: actions, places of that name, themes, tickets, then places with a name like it.
func (p JumpProps) results() (list []result) {
	for i := range p.Actions {
		list = append(list, result{action: &p.Actions[i]})
	}
	for i := range p.Named {
		list = append(list, result{place: &p.Named[i]})
	}
	for i := range p.Themes {
		list = append(list, result{action: &p.Themes[i]})
	}
	for i := range p.Titles {
		list = append(list, result{ticket: &p.Titles[i]})
	}
	for i := range p.Near {
		list = append(list, result{place: &p.Near[i]})
	}
	return list
}

// subject names the tickets to change.
func (p JumpProps) subject() string {
	keys := strings.Fields(p.Keys)
	if len(keys) == 1 {
		return keys[0]
	}
	return views.Count(int64(len(keys)), "ticket", "tickets")
}

// formValue is a hidden field of a form.
type formValue struct{ name, value string }

// values are the fields of a form beside its kind and keys.
func (f BatchForm) values() (list []formValue) {
	for _, field := range []formValue{{"add", f.Add}, {"priority", f.Priority}, {"due", f.Due}, {"column", f.Column}} {
		if field.value != "" {
			list = append(list, field)
		}
	}
	return list
}
