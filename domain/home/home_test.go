package home

import (
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func TestVisits(t *testing.T) {
	t.Parallel()
	first := Visit{}.at(noon)
	if first.Since != nil || first.Last != noon {
		t.Fatalf("the first visit is %v", first)
	}
	if soon := first.at(noon.Add(5 * time.Second)); soon != first {
		t.Errorf("five seconds later: %v", soon)
	}
	later := first.at(noon.Add(20 * time.Minute))
	if later.Since != nil || !later.Last.Equal(noon.Add(20*time.Minute)) {
		t.Errorf("20 minutes later: %v", later)
	}
	same := later.at(noon.Add(45 * time.Minute)) // 45 minutes after the first look, 25 after the last
	if same.Since != nil {
		t.Errorf("25 minutes after a look: %v", same)
	}
	next := same.at(noon.Add(3 * time.Hour))
	if next.Since == nil || !next.Since.Equal(noon.Add(45*time.Minute)) || !next.Last.Equal(noon.Add(3*time.Hour)) {
		t.Errorf("the next visit is %v", next)
	}
	if again := next.at(noon.Add(3*time.Hour + 10*time.Minute)); !again.Since.Equal(*next.Since) {
		t.Errorf("within the next visit: %v", again)
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	minutes := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }
	entry := func(n int, by id.Account, detail tickets.Detail) tickets.Activity {
		return tickets.Activity{ID: id.Activity(n), Kind: tickets.KindMoved, By: tickets.User{ID: by, Name: "Bo"}, At: minutes(n), Detail: detail}
	}
	bulk := tickets.Detail{BulkEdit: 7}
	changed := []db.ChangedTicketsRow{{ID: 1, LocalID: 1, Title: "One", Slug: "A"}, {ID: 2, LocalID: 2, Title: "Two", Slug: "A"},
		{ID: 3, LocalID: 3, Title: "Three", Slug: "A"}, {ID: 4, LocalID: 4, Title: "By the reader alone", Slug: "A"},
		{ID: 5, LocalID: 5, Title: "Five", Slug: "A"}, {ID: 6, LocalID: 6, Title: "Six", Slug: "A"}}
	histories := map[id.Ticket][]tickets.Activity{
		1: {entry(6, 2, bulk), entry(5, 2, bulk), entry(4, 2, tickets.Detail{})},
		2: {entry(7, 2, bulk)},
		5: {entry(3, 2, bulk), entry(2, 2, bulk)}, 6: {entry(3, 2, bulk), entry(2, 2, bulk)},
		3: {entry(13, 2, tickets.Detail{}), entry(12, 2, tickets.Detail{}), entry(11, 2, tickets.Detail{}), entry(10, 2, tickets.Detail{})},
	}
	comments := []db.CommentsByOthersRow{
		{ID: 1, TicketID: 1, AccountID: 3, AccountName: "Cy", CreatedAt: minutes(1), LocalID: 1, Title: "One", Slug: "A"}, // edited since
		{ID: 9, TicketID: 1, AccountID: 3, AccountName: "Cy", CreatedAt: minutes(9), LocalID: 1, Title: "One", Slug: "A"},
		{ID: 8, TicketID: 1, AccountID: 3, FromRequester: true, CreatedAt: minutes(8), LocalID: 1, Title: "One", Slug: "A"},
	}
	list := merge(changed, comments, histories, false)
	if len(list) != 3 {
		t.Fatalf("%d changes: %+v", len(list), list)
	}
	three, one, many := list[0], list[1], list[2]
	if three.Ticket.Title != "Three" || len(three.Actions) != maxActions || three.More != 1 || three.At != minutes(13) {
		t.Errorf("the latest is %+v", three)
	}
	if one.Ticket.Title != "One" || len(one.Actions) != 3 || one.Actions[0].Comments != 2 || one.Actions[0].Comment != 9 ||
		!one.Actions[1].Requester || one.Actions[2].Entry.ID != 4 {
		t.Errorf("the second is %+v", one)
	}
	if many.Many.Tickets != 4 || many.Many.By.Name != "Bo" || many.Many.Imported || many.Many.More || len(many.Many.Examples) != maxExamples || many.At != minutes(7) {
		t.Errorf("the bulk edit is %+v", many)
	}
}
