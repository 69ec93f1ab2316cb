package workflows_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// location is where a model's ticket is: column 0 if it is deleted.
type location struct {
	board  id.Board
	column id.Column
}

// checkStays fails unless a ticket's stays are at the locations where it was, without a gap or an overlap.
func (e *env) checkStays(t *rapid.T, ticket tickets.ID, was []location) (stays []tickets.Stay) {
	t.Helper()
	stays, err := tickets.Stays(e.Ctx, e.DB.Queries, ticket)
	if err != nil {
		t.Fatalf("read stays: %v", err)
	}
	at := 0
	for i, where := range was {
		if where.column == 0 {
			continue
		}
		if at == len(stays) {
			t.Fatalf("ticket %d was at %v, but has the stays %v", ticket, was, stays)
		}
		stay := stays[at]
		at++
		last := i == len(was)-1
		gapless := last || stay.Until != nil && (was[i+1].column == 0 || at < len(stays) && stays[at].Since.Equal(*stay.Until))
		if (location{stay.Board, stay.Column}) != where || (stay.Until == nil) != last || !gapless ||
			stay.Until != nil && !stay.Until.After(stay.Since) {
			t.Fatalf("ticket %d was at %v, but stay %d of %v is not", ticket, was, at, stays)
		}
	}
	if at != len(stays) {
		t.Fatalf("ticket %d was at %v, but has %d stays: %v", ticket, was, len(stays), stays)
	}
	return stays
}

// TestStays compares the stays of tickets with a model, as they are kept, and as they are found in the histories.
func TestStays(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	var nth int
	rapid.Check(t, func(rt *rapid.T) {
		nth++
		one := e.Board(t, fmt.Sprintf("A%d", nth))
		two := e.Board(t, fmt.Sprintf("B%d", nth))
		var keys []tickets.Key
		ids := map[tickets.Key]tickets.ID{}
		was := map[tickets.ID][]location{}
		// now reads where a ticket is, after an operation that may have moved it.
		now := func(key tickets.Key) {
			ticket, err := e.Workflows.Ticket(e.Ctx, key)
			there := location{}
			switch {
			case err == nil:
				ids[key], there = ticket.ID, location{ticket.Board, ticket.Column}
			case ids[key] == 0:
				rt.Fatal(err)
			}
			list := was[ids[key]]
			if len(list) == 0 || list[len(list)-1] != there {
				was[ids[key]] = append(list, there)
			}
		}
		any := func() tickets.Key {
			if len(keys) == 0 {
				rt.Skip()
			}
			return rapid.SampledFrom(keys).Draw(rt, "key")
		}
		rt.Repeat(map[string]func(*rapid.T){
			"open": func(rt *rapid.T) {
				key := e.Open(t, one.Slug, rapid.SampledFrom(one.Columns).Draw(rt, "column").ID, 1)[0]
				keys = append(keys, key)
				now(key)
			},
			"move": func(rt *rapid.T) {
				key := any()
				board := rapid.SampledFrom([]struct {
					slug    string
					columns []id.Column
				}{{one.Slug, columnIDs(one)}, {two.Slug, columnIDs(two)}}).Draw(rt, "board")
				_, _, _ = e.Workflows.MoveTicket(e.Ctx, key, tickets.Intent{Board: board.slug,
					Column: rapid.SampledFrom(board.columns).Draw(rt, "column")})
				now(key)
			},
			"close":   func(rt *rapid.T) { key := any(); _, _, _ = e.Workflows.CloseTicket(e.Ctx, key); now(key) },
			"reopen":  func(rt *rapid.T) { key := any(); _, _, _ = e.Workflows.ReopenTicket(e.Ctx, key); now(key) },
			"delete":  func(rt *rapid.T) { key := any(); _ = e.Workflows.DeleteTicket(e.Ctx, key); now(key) },
			"restore": func(rt *rapid.T) { key := any(); _, _, _ = e.Workflows.RestoreTicket(e.Ctx, key); now(key) },
			"undo": func(rt *rapid.T) {
				_, _ = e.Workflows.Undo(e.Ctx, 0)
				for _, key := range keys {
					now(key)
				}
			},
			"": func(rt *rapid.T) {
				for _, ticket := range ids {
					e.checkStays(rt, ticket, was[ticket])
				}
			},
		})
		e.checkFilled(rt, ids, was)
	})
}

// checkFilled has the stays of tickets found in their histories, all of them and all but the last ones.
func (e *env) checkFilled(rt *rapid.T, ids map[tickets.Key]tickets.ID, was map[tickets.ID][]location) {
	for _, forgotten := range []string{"", " AND until_at IS NOT NULL"} {
		kept := map[tickets.ID][]tickets.Stay{}
		for _, ticket := range ids {
			kept[ticket] = e.checkStays(rt, ticket, was[ticket])
			domaintest.Exec(rt, e.DB, "DELETE FROM ticket_stay WHERE ticket_id = ?"+forgotten, uint64(ticket))
		}
		for range 2 { // again it finds nothing to do
			domaintest.Must(rt, e.DB.InTx(e.Ctx, func(tx *db.Tx) error {
				for _, list := range was {
					for _, where := range list {
						if where.board == 0 {
							continue
						}
						if _, err := tickets.FillStays(e.Ctx, tx, where.board, 0, 1000); err != nil {
							return err
						}
					}
				}
				return nil
			}))
		}
		for _, ticket := range ids {
			filled := e.checkStays(rt, ticket, was[ticket])
			same := slices.EqualFunc(filled, kept[ticket], func(a, b tickets.Stay) bool {
				return a.Board == b.Board && a.Column == b.Column && a.By == b.By && sameTime(&a.Since, &b.Since) && sameTime(a.Until, b.Until)
			})
			if !same {
				rt.Fatalf("ticket %d had the stays %v, its history says %v", ticket, kept[ticket], filled)
			}
			for _, stay := range filled {
				if stay.Inferred {
					rt.Fatalf("ticket %d has an inferred stay, but its history says all: %v", ticket, filled)
				}
			}
		}
	}
}

func columnIDs(board boards.Board) []id.Column {
	ids := make([]id.Column, len(board.Columns))
	for i, column := range board.Columns {
		ids[i] = column.ID
	}
	return ids
}

func sameTime(a, b *time.Time) bool { return (a == nil) == (b == nil) && (a == nil || a.Equal(*b)) }
