package delivery_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/live"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// publishes has the app publish until stop.
func (e *env) publishes(t testing.TB) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		e.Feeds.Run(ctx)
		close(done)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

// seen is all changes of a company since a position.
type seen struct {
	tickets map[string]bool // "board/ticket/column"
	boards  map[id.Board]bool
	all     map[id.Board]bool
	talk    map[id.Ticket]bool
	missed  bool
}

// sees reads changes since a position until they are enough.
func (e *env) sees(t testing.TB, company id.Company, since live.Position, enough func(seen) bool) live.Position {
	t.Helper()
	patience := time.After(3 * time.Minute)
	for {
		moved := domaintest.OK(e.Delivery.UpdateLive(e.Ctx))(t)
		update := e.Delivery.Live().After(live.Reader{Company: company}, since)
		all := seen{map[string]bool{}, map[id.Board]bool{}, map[id.Board]bool{}, map[id.Ticket]bool{}, update.Missed}
		for _, change := range update.Changes {
			for _, b := range change.Boards {
				all.boards[b.ID] = all.boards[b.ID] || b.Own
				all.all[b.ID] = all.all[b.ID] || b.All
				for _, ticket := range b.Tickets {
					all.tickets[fmt.Sprint(b.ID, "/", ticket.ID, "/", ticket.Column)] = true
				}
			}
			for _, ticket := range change.Commented {
				all.talk[ticket] = true
			}
		}
		if enough(all) {
			return update.Position
		}
		select {
		case <-moved:
		case <-patience:
			t.Fatalf("never enough, up to %v: %+v", update.Position, all)
		}
	}
}

func TestLive(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.publishes(t)
	ninja, other := e.Board(t, "NINJA"), e.Board(t, "OTHER")
	e.sees(t, e.Actor.Company.ID, live.Position{}, func(all seen) bool { return e.Delivery.Live().Position().Boards >= 3 })
	company := e.Actor.Company.ID
	open := func(title string) tickets.Ticket {
		t.Helper()
		ticket, err := e.Workflows.OpenTicket(e.Ctx, "NINJA", tickets.Draft{Title: title}, nil)
		domaintest.Must(t, err)
		if ticket, err = e.Workflows.Ticket(e.Ctx, ticket.Key); err != nil {
			t.Fatal(err)
		}
		return ticket
	}
	place := func(board boards.Board, ticket tickets.Ticket, column id.Column) string {
		return fmt.Sprint(board.ID, "/", ticket.ID, "/", column)
	}
	columns := func(b boards.Board) (list []id.Column) {
		for _, column := range b.Columns {
			list = append(list, column.ID)
		}
		return list
	}

	t.Run("a ticket's change is reported with its column", func(t *testing.T) {
		since := e.Delivery.Live().Position()
		ticket := open("One")
		since = e.sees(t, company, since, func(all seen) bool { return all.tickets[place(ninja, ticket, columns(ninja)[0])] })
		if _, _, err := e.Workflows.MoveTicket(e.Ctx, ticket.Key,
			tickets.Intent{Column: columns(ninja)[1], AtEnd: true}); err != nil {
			t.Fatal(err)
		}
		e.sees(t, company, since, func(all seen) bool { return all.tickets[place(ninja, ticket, columns(ninja)[1])] })
	})
	t.Run("a ticket that goes to another board is reported on both", func(t *testing.T) {
		ticket := open("Two")
		since := e.sees(t, company, e.Delivery.Live().Position(),
			func(all seen) bool { return all.tickets[place(ninja, ticket, columns(ninja)[0])] })
		if _, _, err := e.Workflows.MoveTicket(e.Ctx, ticket.Key, tickets.Intent{Board: "OTHER", Column: columns(other)[0],
			AtEnd: true}); err != nil {
			t.Fatal(err)
		}
		e.sees(t, company, since, func(all seen) bool {
			return all.tickets[place(other, ticket, columns(other)[0])] && all.tickets[place(ninja, ticket, 0)]
		})
	})
	t.Run("one that is deleted is on its board no more", func(t *testing.T) {
		ticket := open("Three")
		since := e.sees(t, company, e.Delivery.Live().Position(),
			func(all seen) bool { return all.tickets[place(ninja, ticket, columns(ninja)[0])] })
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, ticket.Key))
		e.sees(t, company, since, func(all seen) bool { return all.tickets[place(ninja, ticket, 0)] })
	})
	t.Run("a comment is reported with its ticket, a column with its board", func(t *testing.T) {
		ticket, review := open("Four"), "Review"
		since := e.Delivery.Live().Position()
		domaintest.OK(e.Workflows.Comment(e.Ctx, ticket.Key, "Hello", nil))(t)
		e.sees(t, company, since, func(all seen) bool { return all.talk[ticket.ID] })
		if _, _, err := e.Workflows.OpenColumn(e.Ctx, "NINJA", boards.ColumnEdit{Name: &review}, nil, nil); err != nil {
			t.Fatal(err)
		}
		e.sees(t, company, since, func(all seen) bool { return all.boards[ninja.ID] })
	})
	t.Run("a company hears nothing of another", func(t *testing.T) {
		since := e.Delivery.Live().Position()
		ticket := open("Five")
		e.sees(t, company, since, func(all seen) bool { return all.tickets[place(ninja, ticket, columns(ninja)[0])] })
		if update := e.Delivery.Live().After(live.Reader{Company: company + 1}, since); update.Missed || len(update.Changes) > 0 {
			t.Errorf("%+v", update)
		}
	})
	t.Run("a guest hears of the boards that name it, and of others only that they changed", func(t *testing.T) {
		gil, gus := e.As(t, "Gil", accounts.Guest), e.As(t, "Gus", accounts.Guest)
		domaintest.OK(e.Workflows.NameOnBoard(e.Ctx, "NINJA", "@gil", "viewer"))(t)
		since := e.sees(t, company, e.Delivery.Live().Position(), func(seen) bool { return true })
		ticket, title := open("Six"), "Ninjas"
		domaintest.OK(e.Workflows.Comment(e.Ctx, ticket.Key, "Hello", nil))(t)
		ninjaNow := domaintest.OK(e.Workflows.Board(e.Ctx, "NINJA"))(t)
		domaintest.OK(e.Workflows.RenameBoard(e.Ctx, "NINJA", boards.Names{Title: &title}, ninjaNow.Version))(t)
		e.sees(t, company, since, func(all seen) bool {
			return all.tickets[place(ninja, ticket, columns(ninja)[0])] && all.talk[ticket.ID] && all.boards[ninja.ID]
		})
		for ctx, named := range map[context.Context]bool{gil: true, gus: false} {
			reader := live.Reader{Company: company, Account: accounts.ActorFrom(ctx).Account.ID, Guest: true}
			own, told := false, false
			for _, change := range e.Delivery.Live().After(reader, since).Changes {
				told = told || len(change.Commented) > 0
				for _, b := range change.Boards {
					own, told = own || b.Own, told || len(b.Tickets) > 0
				}
			}
			if !own || told != named {
				t.Errorf("named %v: told that the board changed: %v, of its tickets: %v", named, own, told)
			}
		}
	})
	t.Run("many tickets of a board are reported as all of it, and still more as anything", func(t *testing.T) {
		since := e.Delivery.Live().Position()
		var drafts []tickets.Ticket
		for range 3 {
			drafts = append(drafts, open("Many"))
		}
		since = e.sees(t, company, since, func(all seen) bool {
			return !slices.ContainsFunc(drafts,
				func(d tickets.Ticket) bool { return !all.tickets[place(ninja, d, columns(ninja)[0])] })
		})
		copies := func(n int) {
			t.Helper()
			domaintest.Exec(t, e.DB, `INSERT INTO ticket (board_id, local_id, title, description, created_by, created_at, updated_at, moved_at, deleted_at)
				SELECT ?, 100000 + j.n, 'Copy', '', 1, NOW(6), NOW(6), NOW(6), NOW(6) FROM JSON_TABLE(CONCAT('[', REPEAT('0,', ? - 1), '0]'), '$[*]' COLUMNS (n FOR ORDINALITY)) j`, ninja.ID, n)
		}
		before := since.Tickets
		copies(600)
		e.waitPublished(t, before+600) // looked at all at once
		since = e.sees(t, company, since, func(all seen) bool { return all.all[ninja.ID] && !all.missed })
		domaintest.Exec(t, e.DB, `DELETE FROM ticket WHERE local_id > 100000`)
		copies(5000)
		e.waitPublished(t, before+5600)
		e.sees(t, company, since, func(all seen) bool { return all.missed })
	})
}

// waitPublished waits until this process knows of so many positions of tickets.
func (e *env) waitPublished(t testing.TB, want uint64) {
	t.Helper()
	patience := time.After(3 * time.Minute)
	for {
		at, moved := e.Feeds.Head("tickets")
		if at.Position >= want {
			return
		}
		select {
		case <-moved:
		case <-patience:
			t.Fatalf("%d of %d are published", at.Position, want)
		}
	}
}
