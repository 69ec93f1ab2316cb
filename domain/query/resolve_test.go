package query_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/query"
)

// matches reports whether a ticket matches a query, read in Auckland at noon of 4 December 2026, 13 hours ahead of UTC.
func matches(t *testing.T, text string, ticket query.Ticket) bool {
	t.Helper()
	zone := domaintest.OK(time.LoadLocation("Pacific/Auckland"))(t)
	names := query.Names{Me: 1, Now: time.Date(2026, 12, 4, 12, 0, 0, 0, zone), Slug: "NINJA",
		Handles: map[string]id.Account{"ben": 2}, Labels: map[string][]id.Label{"bug": {7, 8}, "gone": nil},
		Columns: map[string][]id.Column{"Doing": {5}}, Boards: map[string]id.Board{"NINJA": 3},
		Keys: map[string]id.Ticket{"NINJA-1": 11}}
	c, err := domaintest.OK(query.Parse(text))(t).Resolve(names)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c.Match(ticket, strings.ToLower)
}

func TestMatch(t *testing.T) {
	t.Parallel()
	day := func(text string) query.Date { return query.Date{At: domaintest.OK(time.Parse(time.DateOnly, text))(t)} }
	at := func(text string) time.Time { return domaintest.OK(time.Parse(time.RFC3339, text))(t) }
	closed := at("2026-12-01T10:00:00Z")
	for text, c := range map[string]struct {
		ticket query.Ticket
		want   bool
	}{
		"":                 {query.Ticket{}, true},
		"paint DOOR":       {query.Ticket{Title: "The door, paint it"}, true},
		`"paint door"`:     {query.Ticket{Title: "The door, paint it"}, false},
		"42":               {query.Ticket{Number: 42}, true},
		"#42":              {query.Ticket{Number: 42}, true},
		"ninja-42":         {query.Ticket{Number: 42}, true},
		"OTHER-42":         {query.Ticket{Number: 42}, false},
		"assignee:me":      {query.Ticket{Assignees: []id.Account{3, 1}}, true},
		"assignee:@BEN":    {query.Ticket{Assignees: []id.Account{1}}, false},
		"assignee:none":    {query.Ticket{}, true},
		"assignee:any":     {query.Ticket{}, false},
		"author:ben":       {query.Ticket{Author: 2}, true},
		"label:bug":        {query.Ticket{Labels: []id.Label{8}}, true},
		"-label:bug":       {query.Ticket{Labels: []id.Label{9}}, true},
		"label:none":       {query.Ticket{Labels: []id.Label{9}}, false},
		"board:ninja":      {query.Ticket{Board: 3}, true},
		"column:Doing":     {query.Ticket{Column: 5}, true},
		"parent:ninja-1":   {query.Ticket{Parent: 11}, true},
		"parent:none":      {query.Ticket{}, true},
		"status:done":      {query.Ticket{ClosedAt: &closed}, true},
		"-status:open":     {query.Ticket{ClosedAt: &closed}, true},
		"blocked":          {query.Ticket{Blocked: true}, true},
		"is:request":       {query.Ticket{Request: true}, true},
		"priority:>=high":  {query.Ticket{Priority: 4}, true},
		"priority:>high":   {query.Ticket{Priority: 3}, false},
		"priority:<none":   {query.Ticket{}, false},
		"priority:>urgent": {query.Ticket{Priority: 4}, false},
		"has:comment":      {query.Ticket{Comments: 1}, true},
		"has:due":          {query.Ticket{}, false},
		// A day is the same for everybody; a moment is on the reader's day.
		"due:today":            {query.Ticket{Due: day("2026-12-04")}, true},
		"due:tomorrow":         {query.Ticket{Due: query.Date{At: at("2026-12-04T12:00:00Z"), Timed: true}}, true},
		"due:<today":           {query.Ticket{Due: day("2026-12-03")}, true},
		"due:<7d":              {query.Ticket{Due: day("2026-12-11")}, false},
		"due:<=7d":             {query.Ticket{Due: day("2026-12-11")}, true},
		"due:7d":               {query.Ticket{Due: day("2026-12-11")}, true},
		"due:>7d":              {query.Ticket{Due: day("2026-12-12")}, true},
		"-due:<7d":             {query.Ticket{}, true},
		"due:-1w..1w":          {query.Ticket{Due: day("2026-11-27")}, true},
		"due:none":             {query.Ticket{}, true},
		"overdue":              {query.Ticket{Due: day("2026-12-03")}, true},
		"is:overdue":           {query.Ticket{Due: query.Date{At: at("2026-12-03T22:59:00Z"), Timed: true}}, true},
		"is:overdue ":          {query.Ticket{Due: query.Date{At: at("2026-12-03T23:01:00Z"), Timed: true}}, false},
		" is:overdue":          {query.Ticket{Due: day("2026-12-04")}, false},
		"updated:<30d":         {query.Ticket{UpdatedAt: at("2026-11-04T11:00:00Z")}, true},  // 5 November there
		" updated:<30d":        {query.Ticket{UpdatedAt: at("2026-11-04T10:59:00Z")}, false}, // 4 November
		"updated:30d":          {query.Ticket{UpdatedAt: at("2026-11-04T10:59:00Z")}, true},
		"updated:>30d":         {query.Ticket{UpdatedAt: at("2026-11-03T10:59:00Z")}, true},
		"created:>=2026-12-01": {query.Ticket{CreatedAt: at("2026-11-30T11:00:00Z")}, true},
		"created:2w..1w":       {query.Ticket{CreatedAt: at("2026-11-24T00:00:00Z")}, true},
		"created:1w..2w":       {query.Ticket{CreatedAt: at("2026-11-24T00:00:00Z")}, true},
		"closed:<7d":           {query.Ticket{ClosedAt: &closed}, true},
		"closed:none":          {query.Ticket{}, true},
		"paint or door":        {query.Ticket{Title: "door"}, true},
		"-(paint or door)":     {query.Ticket{Title: "door"}, false},
		"-(paint door)":        {query.Ticket{Title: "door"}, true},
	} {
		if got := matches(t, text, c.ticket); got != c.want {
			t.Errorf("%q: %v of %+v", text, got, c.ticket)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ message, instead string }{
		"label:bgu":          {"no label “bgu”", "bug"},
		"paint assignee:x":   {"no member “x”", ""},
		"author:benn":        {"no member “benn”", "ben"},
		`column:"To do"`:     {"no column “To do”", ""},
		"board:OTHER":        {"no board “OTHER”", ""},
		"parent:NINJA-2":     {"no ticket “NINJA-2”", "NINJA-1"},
		"a or -(label:what)": {"no label “what”", ""},
	} {
		names := query.Names{Handles: map[string]id.Account{"ben": 2}, Labels: map[string][]id.Label{"bug": {1}},
			Keys: map[string]id.Ticket{"NINJA-1": 11}}
		_, err := domaintest.OK(query.Parse(text))(t).Resolve(names)
		var e query.Error
		if !errors.As(err, &e) || !errors.Is(err, query.CodeUnknownName) || !strings.Contains(err.Error(), want.message) ||
			e.Instead != want.instead {
			t.Errorf("%s: %v, %q instead", text, err, e.Instead)
		}
	}
}

func TestNeeds(t *testing.T) {
	t.Parallel()
	n := domaintest.OK(query.Parse("assignee:me author:@Ben assignee:ben label:none label:Bug column:Doing parent:a-1 board:b or due:today"))(t).Needs()
	for got, want := range map[string]string{strings.Join(n.Handles, " "): "ben", strings.Join(n.Labels, " "): "Bug",
		strings.Join(n.Columns, " "): "Doing", strings.Join(n.Keys, " "): "A-1", strings.Join(n.Boards, " "): "B"} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
