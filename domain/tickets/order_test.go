package tickets_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// rows is what is stored of each ticket, but for those that are left out.
func (f *fixture) rows(t *testing.T, leftOut ...tickets.ID) map[tickets.ID]string {
	t.Helper()
	all := map[tickets.ID]string{}
	list := domaintest.OK(f.SQL.Query(
		"SELECT id, CONCAT_WS('/', board_id, local_id, column_id, rank_in_column, moved_at, updated_at) FROM ticket"))(t)
	defer list.Close()
	for list.Next() {
		var n uint64
		var text string
		domaintest.Must(t, list.Scan(&n, &text))
		all[tickets.ID(n)] = text
	}
	domaintest.Must(t, list.Err())
	for _, one := range leftOut {
		delete(all, one)
	}
	return all
}

func TestRank(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const gap = tickets.Gap
	for _, c := range []struct {
		name              string
		number            int // of a ticket from 1 to 4 in a column with these, a gap apart
		after             int // 0 is the top, 5 one of another column, 6 none
		atEnd             bool
		order             string
		rank              int64
		appended, written bool
	}{
		{name: "at the top it is a gap above the first", number: 3, order: "3 1 2 4", rank: 0, written: true},
		{name: "between two it is half way", number: 4, after: 1, order: "1 4 2 3", rank: gap + gap/2, written: true},
		{name: "below the last it is a gap further", number: 1, after: 4, order: "2 3 4 1", rank: 5 * gap, written: true},
		{name: "at the end as asked", number: 2, atEnd: true, order: "1 3 4 2", rank: 5 * gap, written: true},
		{name: "at the end if the other has left the column", number: 2, after: 5, order: "1 3 4 2", rank: 5 * gap,
			appended: true, written: true},
		{name: "at the end if there is no such other", number: 4, after: 6, order: "1 2 3 4", rank: 4 * gap, appended: true},
		{name: "where it is at the top nothing is written", number: 1, order: "1 2 3 4", rank: gap},
		{name: "where it is in the midst nothing is written", number: 3, after: 2, order: "1 2 3 4", rank: 3 * gap},
		{name: "where it is at the end nothing is written", number: 4, atEnd: true, order: "1 2 3 4", rank: 4 * gap},
	} {
		t.Run(c.name, func(t *testing.T) {
			column := f.column(t, f.ninja)
			list := f.opens(t, f.ninja, column, 4)
			first := list[0].Key.Number
			list = append(list, f.opens(t, f.ninja, f.column(t, f.ninja), 1)...)
			list = append(list, tickets.Ticket{Key: tickets.Key{Board: "NINJA", Number: 4711}})
			intent := tickets.Intent{Column: column, AtEnd: c.atEnd}
			if c.after > 0 {
				intent.After = &list[c.after-1].Key
			}
			it := list[c.number-1]
			before, others := f.rows(t), f.rows(t, it.ID)
			moved, placed, err := f.move(it, f.ninja, intent)
			if err != nil || placed != c.written || moved.Appended != c.appended || moved.Ticket.Rank != c.rank {
				t.Errorf("placed %v, appended %v, rank %d, %v", placed, moved.Appended, moved.Ticket.Rank, err)
			}
			order := numbers(f.inColumn(t, f.ninja, column), func(t tickets.Ticket) uint64 { return t.Key.Number - first + 1 })
			if order != c.order {
				t.Errorf("the order is %s", order)
			}
			if after := f.rows(t); maps.Equal(after, before) == c.written {
				t.Errorf("it is written: %v", !c.written)
			}
			if !maps.Equal(f.rows(t, it.ID), others) {
				t.Error("another row was written")
			}
		})
	}
	t.Run("a ticket is never below itself", func(t *testing.T) {
		it := f.opens(t, f.ninja, f.ninja.columns[0], 1)[0]
		_, _, err := f.move(it, f.ninja, tickets.Intent{Column: it.Column, After: &it.Key})
		domaintest.Is(t, err, tickets.CodeAfterItself)
	})
}

func TestGapUsedUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		tickets, dense int // so many of the first are without a gap
		renumbered     int
	}{
		{"the 32 tickets below are spread over their room", 60, 2, 32},
		{"a crowd is spread over the room of twice as many", 90, 40, 64},
		{"at the end of a column all below get full gaps", 12, 12, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			column := f.ninja.columns[0]
			list := f.opens(t, f.ninja, column, c.tickets)
			for i, ticket := range list[1:c.dense] {
				domaintest.Exec(t, f.DB, "UPDATE ticket SET rank_in_column = ? WHERE id = ?", list[0].Rank+int64(i)+1,
					uint64(ticket.ID))
			}
			list = f.inColumn(t, f.ninja, column)
			domaintest.Exec(t, f.DB, "UPDATE board_column SET last_rank = ? WHERE id = ?", list[len(list)-1].Rank,
				uint64(column))
			top, last := list[0], list[len(list)-1]
			if _, _, err := f.move(last, f.ninja, tickets.Intent{Column: column, After: &top.Key}); err != nil {
				t.Fatal(err)
			}
			now := f.inColumn(t, f.ninja, column)
			want := append([]tickets.Ticket{top, last}, list[1:len(list)-1]...)
			if got := numbers(now, numberOf); got != numbers(want, numberOf) {
				t.Errorf("the order is %s", got)
			}
			renumbered := 0
			for i, ticket := range now {
				if ticket.ID != last.ID && !ticket.MovedAt.Equal(want[i].MovedAt) {
					t.Errorf("%s counts as moved", ticket.Key)
				}
				if ticket.ID != last.ID && ticket.Rank != want[i].Rank {
					renumbered++
				}
			}
			if renumbered != c.renumbered {
				t.Errorf("%d got another rank, not %d", renumbered, c.renumbered)
			}
			domaintest.Counts(t, f.DB, 1, `SELECT last_rank >= (SELECT MAX(rank_in_column) FROM ticket WHERE column_id = c.id)
				FROM board_column c WHERE id = ?`, uint64(column))
		})
	}
}

func TestMoveSeen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	todo, doing := f.ninja.columns[0], f.ninja.columns[1]
	title := "Another title"
	type three struct{ a, x, b tickets.Ticket } // a above x above b
	move := func(it tickets.Ticket, column id.Column, after *tickets.Key, seen *tickets.Placement) error {
		_, _, err := f.move(it, f.ninja, tickets.Intent{Column: column, After: after, Seen: seen})
		return err
	}
	for name, c := range map[string]struct {
		meanwhile func(three) error
		refused   bool
	}{
		"a ticket moved to another column since is refused": {
			func(s three) error { return move(s.x, doing, nil, nil) }, true},
		"a ticket moved within its column since is refused": {
			func(s three) error { return move(s.x, todo, &s.b.Key, nil) }, true},
		"a neighbour that went away is no reason to refuse": {
			func(s three) error { return move(s.a, doing, nil, nil) }, false},
		"nor is one that went below it": {func(s three) error { return move(s.a, todo, &s.b.Key, nil) }, false},
		"nor one that came between":     {func(s three) error { return move(s.b, todo, &s.a.Key, nil) }, false},
		"nor one that was deleted":      {func(s three) error { return f.delete(s.a) }, false},
		"nor an edit of the title": {func(s three) error {
			return f.InTx(ctx, func(tx *db.Tx) error {
				_, err := tickets.Save(ctx, tx, s.x, tickets.Edit{Title: &title, Version: 1}, f.ann)
				return err
			})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			list := f.opens(t, f.ninja, todo, 3)
			list = list[len(list)-3:]
			s := three{list[0], list[1], list[2]}
			domaintest.Must(t, c.meanwhile(s))
			err := move(s.x, doing, nil, &tickets.Placement{Column: todo, After: &s.a.Key})
			if refused := errors.Is(err, tickets.CodeMovedSince); refused != c.refused || !refused && err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("seen through a filter, its time of move alone decides", func(t *testing.T) {
		it := f.opens(t, f.ninja, todo, 1)[0]
		earlier := it.MovedAt.Add(-time.Microsecond)
		domaintest.Is(t, move(it, doing, nil, &tickets.Placement{Column: todo, Moved: &earlier}), tickets.CodeMovedSince)
		domaintest.Must(t, move(it, doing, nil, &tickets.Placement{Column: todo, Moved: &it.MovedAt}))
	})
}

func TestFilter(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	column := f.ninja.columns[0]
	domaintest.OK(f.open(f.ninja, column, "Sharpen the Katana", "Café for the dojo", "100% cotton belts",
		"100 cotton belts", "snake_case", "snakeXcase", `back\slash`, "Order 12 masks!", "a", "b", "c", "Last one"))(t)
	list := f.inColumn(t, f.ninja, column)
	domaintest.Exec(t, f.DB, "UPDATE ticket SET closed_at = NOW(6) WHERE local_id IN (2, 3)")
	domaintest.Exec(t, f.DB, `INSERT INTO assignee (ticket_id, account_id, current, created_at)
		SELECT id, ?, TRUE, NOW(6) FROM ticket WHERE local_id < 3`, uint64(f.ben.ID))
	find := func(t *testing.T, filter tickets.Filter, start tickets.FilterStart, limit int) tickets.FilteredCards {
		t.Helper()
		return domaintest.OK(tickets.FindCards(ctx, f.Queries, db.SightOfAll(f.company), f.ninja.id, "NINJA", filter, []tickets.FilterStart{start},
			limit))(t)[start.Column]
	}

	titled := func(text string) tickets.Filter { return tickets.Filter{Where: db.TicketsTitled(text)} }
	t.Run("it matches text in titles as written, in any case and with any accents", func(t *testing.T) {
		for text, want := range map[string]string{
			"katana": "1", "KATANA": "1", "cafe": "2", "CAFÉ": "2", "the": "1 2", "100%": "3", "0% c": "3", "%": "3",
			"_": "5", "snake_case": "5", `\`: "7", `\s`: "7", "!": "8", "s!": "8", "12": "8", "nothing like it": "", "'": "", `"`: "",
			"' OR 1=1 --": "", "💥": "", "?": "", strings.Repeat("x", 3000): "", "": "1 2 3 4 5 6 7 8 9 10 11 12",
		} {
			if got := numbers(find(t, titled(text), tickets.FilterStart{Column: column}, 20).Cards,
				cardNumber); got != want {
				t.Errorf("%.20q finds %q, not %q", text, got, want)
			}
		}
	})
	of := func(accounts ...id.Account) db.TicketCondition {
		var ids []uint64
		for _, account := range accounts {
			ids = append(ids, uint64(account))
		}
		return db.TicketsAssigned(ids)
	}
	t.Run("conditions are joined, and one ticket matches as it does in the list", func(t *testing.T) {
		for _, c := range []struct {
			filter tickets.Filter
			want   string
		}{
			{tickets.Filter{Where: of(f.ben.ID)}, "1 2"},
			{tickets.Filter{Where: of(f.ann.ID)}, ""},
			{tickets.Filter{Where: db.TicketsWithAll(db.TicketsWithNone(of()), db.TicketsTitled("0"))}, "3 4"},
			{tickets.Filter{Where: db.TicketsThatAreClosed()}, "2 3"},
			{tickets.Filter{Where: db.TicketsWithAny(db.TicketsNumbered(4), of(f.ben.ID))}, "1 2 4"},
			{tickets.Filter{Where: db.TicketsWithAll(of(f.ben.ID), db.TicketsThatAreClosed(), db.TicketsTitled("Sharpen"))}, ""},
			{tickets.Filter{Where: db.TicketsWithAny()}, ""},
			{tickets.Filter{Where: db.TicketsWithAll()}, "1 2 3 4 5 6 7 8 9 10 11 12"},
		} {
			filter, want := c.filter, c.want
			if got := numbers(find(t, filter, tickets.FilterStart{Column: column}, 20).Cards, cardNumber); got != want {
				t.Errorf("%+v finds %q, not %q", filter, got, want)
			}
			for _, ticket := range list {
				alone := domaintest.OK(tickets.Matches(ctx, f.Queries, filter, ticket))(t)
				if within := strings.Contains(" "+want+" ", fmt.Sprintf(" %d ", ticket.Key.Number)); alone != within {
					t.Errorf("%s alone matches %+v: %v", ticket.Key, filter, alone)
				}
			}
		}
	})
	t.Run("pages have all matches once", func(t *testing.T) {
		var all []string
		for start := (tickets.FilterStart{Column: column}); ; {
			page := find(t, titled("s"), start, 2)
			all = append(all, numbers(page.Cards, cardNumber))
			if start.Below = page.Next; page.Next == nil {
				break
			}
		}
		if got := strings.Join(all, " | "); got != "1 3 | 4 5 | 6 7 | 8 12" {
			t.Error(got)
		}
	})
	t.Run("a page ends after 2,000 cards, also without a match", func(t *testing.T) {
		long := f.pirate.columns[0]
		f.opens(t, f.pirate, long, tickets.Reach+1)
		start := tickets.FilterStart{Column: long, Reach: tickets.Reach}
		filter := titled(fmt.Sprint("Ticket ", tickets.Reach+1))
		first := find(t, filter, start, 20)
		if len(first.Cards) != 0 || first.Next == nil || first.Next.Number != tickets.Reach {
			t.Fatalf("%+v", first)
		}
		start.Below = first.Next
		if rest := find(t, filter, start, 20); len(rest.Cards) != 1 || rest.Next != nil {
			t.Errorf("%+v", rest)
		}
	})
}
