package views

import (
	"net/url"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/savedviews"
)

// Filter is the query on a board, and how a layout shows what it lets through, in the words of its URL.
type Filter struct {
	Query  string // q: a text of domain/query, as it was typed
	Lanes  string // of a board: LanesByAssignee and so on; "" for none
	Group  string // of a list: the field that it is grouped by, one of savedviews.Groups; of a board of all tickets, its columns
	Fields string // of a list, as savedviews.ParseFields reads them
}

// What the lanes of a board can be.
const (
	LanesByAssignee = "assignee"
	LanesByLabel    = "label"
	LanesByPriority = "priority"
	LanesByParent   = "parent"
)

// LaneFields are the fields that the lanes of a board can be by.
var LaneFields = []string{LanesByAssignee, LanesByLabel, LanesByPriority, LanesByParent}

// The fields of a filter's form beside its text.
const (
	ChosenAssignee = "who"
	ChosenLabel    = "label"
	ChosenStatus   = "state"
	ChosenRequests = "requests"
	ChosenSort     = "sort"
	ChosenBefore   = "was" // the query of the page that the form is on
)

// The fields of the form that chooses those of a list.
const (
	ChosenFields = "choose"
	ChosenField  = "field"
	EarlierField = "earlier" // which is to come before the one above it
)

// choice is a field of a filter's form that stands for one condition of its query.
type choice struct {
	name  string
	field query.Field
	only  string // the one value that it sets; "" for any
}

var choices = []choice{
	{ChosenAssignee, query.Assignee, ""}, {ChosenLabel, query.Label, ""}, {ChosenStatus, query.Status, ""},
	{ChosenRequests, query.Is, "request"},
}

// FilterFrom reads a filter: param returns the value of a parameter, "" if there is none. Choices that differ from the
// query of the page before are put into the query; addresses of before it had conditions have them alone.
func FilterFrom(param func(name string) string) Filter {
	said := func(name string) string { return strings.ToValidUTF8(param(name), "\ufffd") }
	f := Filter{Query: strings.TrimSpace(said("q")), Lanes: said("lanes")}
	f.Group, f.Fields = string(savedviews.ParseGroup(said("group"))), savedviews.FieldsText(savedviews.ParseFields(said("fields")))
	if !slices.Contains(LaneFields, f.Lanes) {
		f.Lanes = ""
	}
	before := Filter{Query: strings.TrimSpace(said(ChosenBefore))}
	for _, c := range choices {
		if value := c.read(said(c.name)); value != before.chosen(c) {
			f.Query = f.with(c, value)
		}
	}
	if sort := said(ChosenSort); sort != before.Sort().String() {
		if q, err := query.Parse("sort:" + sort); err == nil || sort == "" {
			f = f.sorted(q.Sort)
		}
	}
	return f
}

// read returns a value that a choice can have, or "".
func (c choice) read(value string) string {
	if c.only != "" && value == "1" { // addresses of before queries
		return c.only
	}
	if c.only != "" && value != c.only {
		return ""
	}
	if _, err := query.Parse(query.NodeText(query.Term{Field: c.field, Value: value})); err != nil {
		return ""
	}
	return value
}

// parsed is the query; ok is false if it cannot be read.
func (f Filter) parsed() (q query.Query, ok bool) {
	q, err := query.Parse(f.Query)
	return q, err == nil
}

// is reports whether a part of a query is what a choice sets.
func (c choice) is(n query.Node) (value string, ok bool) {
	t, isTerm := n.(query.Term)
	return t.Value, isTerm && t.Field == c.field && t.Op == query.Equal && (c.only == "" || t.Value == c.only)
}

func (f Filter) chosen(c choice) string {
	q, _ := f.parsed()
	for _, part := range q.Parts() {
		if value, ok := c.is(part); ok {
			return value
		}
	}
	return ""
}

// Chosen is the value of a field of the filter's form, one of the Chosen… above, "" for none.
func (f Filter) Chosen(name string) string {
	return f.chosen(choiceNamed(name))
}

func choiceNamed(name string) choice {
	return choices[slices.IndexFunc(choices, func(c choice) bool { return c.name == name })]
}

// with returns the query with another value of a choice, "" for none. A text that cannot be read is one to look for.
func (f Filter) with(c choice, value string) string {
	q, ok := f.parsed()
	if !ok {
		q = query.Query{}.With(query.Term{Value: strings.Join(strings.Fields(f.Query), " ")})
	}
	for i := len(q.Parts()) - 1; i >= 0; i-- {
		if _, ok := c.is(q.Parts()[i]); ok {
			q = q.Without(i)
		}
	}
	if value != "" {
		q = q.With(query.Term{Field: c.field, Value: value})
	}
	return q.String()
}

// Sort is the order that the query asks for.
func (f Filter) Sort() query.Sort {
	q, _ := f.parsed()
	return q.Sort
}

// sorted is the filter in another order. A text that cannot be read stays as it is.
func (f Filter) sorted(by query.Sort) Filter {
	if q, ok := f.parsed(); ok {
		q.Sort = by
		f.Query = q.String()
	}
	return f
}

// FilterOf is the filter of a saved view.
func FilterOf(v savedviews.View) Filter {
	return Filter{Query: v.Query, Lanes: v.Lanes, Group: v.Group, Fields: v.Fields}
}

// As is the filter as a layout takes it: lanes are those of a board, which has an order of its own, groups and fields those
// of a list.
func (f Filter) As(layout savedviews.Layout) Filter {
	switch layout {
	case savedviews.AsBoard:
		return Filter{Query: f.Unsorted().Query, Lanes: f.Lanes}
	case savedviews.AsList:
		return Filter{Query: f.Query, Group: f.Group, Fields: f.Fields}
	}
	return Filter{Query: f.Query}
}

// On is the filter as a layout of a board takes it, or of all boards if the slug is "".
func (f Filter) On(slug string, layout savedviews.Layout) Filter {
	if slug == "" && layout == savedviews.AsBoard {
		return Filter{Query: f.Query, Group: f.Group}
	}
	return f.As(layout)
}

// Unsorted is the filter in the order of the board.
func (f Filter) Unsorted() Filter { return f.sorted(query.Sort{}) }

// SortedBy is the filter in the next order by a field: in its usual direction, then in the other one, then in the order of
// the board.
func (f Filter) SortedBy(field query.Field) Filter {
	usual := query.Sort{By: field, Descending: field != query.Due && field != query.Start}
	other := query.Sort{By: field, Descending: !usual.Descending}
	switch f.Sort() {
	case usual:
		return f.sorted(other)
	case other:
		return f.Unsorted()
	}
	return f.sorted(usual)
}

// And is the query with one more condition, which is written out.
func (f Filter) And(condition string) string {
	more, err := query.Parse(condition)
	q, ok := f.Unsorted().parsed()
	if err != nil || !ok {
		return condition
	}
	return q.With(more.Where).String()
}

// Any reports whether the filter leaves anything out.
func (f Filter) Any() bool { return f.Query != "" }

// None is the filter that leaves nothing out, and shows it in the same way.
func (f Filter) None() Filter { return f.asking("") }

// asking is the filter with another query.
func (f Filter) asking(query string) Filter {
	f.Query = query
	return f
}

// In returns a path with the filter as its query.
func (f Filter) In(path string) string {
	values := url.Values{}
	for name, value := range map[string]string{"q": f.Query, "lanes": f.Lanes, "group": f.Group, "fields": f.Fields} {
		if value != "" {
			values.Set(name, value)
		}
	}
	switch {
	case len(values) == 0:
		return path
	case strings.Contains(path, "?"):
		return path + "&" + values.Encode()
	}
	return path + "?" + values.Encode()
}

// Shown are the fields of a list, with the one that it is sorted by.
func (f Filter) Shown() []query.Field {
	list := savedviews.ParseFields(f.Fields)
	if by := f.Sort().By; by != "" && !slices.Contains(list, by) {
		list = append(list, by)
	}
	return list
}

// Mine is the filter for the user's own tickets; if it is on, without it.
func (f Filter) Mine() Filter {
	value := accounts.Me
	if f.IsMine() {
		value = ""
	}
	f.Query = f.with(choiceNamed(ChosenAssignee), value)
	return f
}

// IsMine reports whether the filter is for the user's own tickets.
func (f Filter) IsMine() bool { return f.Chosen(ChosenAssignee) == accounts.Me }

// Labelled is the filter for a label alone.
func Labelled(name string) Filter {
	return Filter{Query: query.NodeText(query.Term{Field: query.Label, Value: name})}
}

// Chip is a condition of a filter, and the filter without it.
type Chip struct {
	Text    string
	Without Filter
}

// Chips are the conditions of the filter; none if its query cannot be read.
func (f Filter) Chips() (list []Chip) {
	q, _ := f.parsed()
	for i, part := range q.Parts() {
		list = append(list, Chip{query.NodeText(part), f.asking(q.Without(i).String())})
	}
	if q.Sort != (query.Sort{}) {
		list = append(list, Chip{"sort:" + q.Sort.String(), f.Unsorted()})
	}
	return list
}

// OtherLabel reports whether the filter names a label that the list lacks: an old name, or one that there is not.
func (f Filter) OtherLabel(list []labels.Label) bool {
	return f.Chosen(ChosenLabel) != "" && !slices.ContainsFunc(list, f.ByLabel)
}

// ByLabel reports whether the filter is for a label.
func (f Filter) ByLabel(l labels.Label) bool { return strings.EqualFold(f.Chosen(ChosenLabel), l.Name) }

// ByMember reports whether the filter is for a member's tickets.
func (f Filter) ByMember(m accounts.NamedMember) bool {
	return strings.EqualFold(strings.TrimPrefix(f.Chosen(ChosenAssignee), "@"), m.Handle)
}

// Elsewhere reports whether the filter names a member that the list lacks.
func (f Filter) Elsewhere(people []accounts.NamedMember) bool {
	chosen := f.Chosen(ChosenAssignee)
	return chosen != "" && chosen != accounts.Me && chosen != accounts.NoOne && !slices.ContainsFunc(people, f.ByMember)
}
