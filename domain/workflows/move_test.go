package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// checkCounts fails if a column's count is not the number of its tickets.
func (e *env) checkCounts(t testing.TB, slug string) {
	t.Helper()
	board := domaintest.OK(e.Workflows.Board(e.Ctx, slug))(t)
	stored := e.Stored(t, board)
	for _, column := range board.Columns {
		if int(column.Count) != len(stored.Columns[column.ID]) {
			t.Errorf("%s says %d tickets and has %d", column.Name, column.Count, len(stored.Columns[column.ID]))
		}
	}
}

func TestMoveTicket(t *testing.T) {
	t.Parallel()

	t.Run("any sequence of openings, moves and deletes leaves what the model says", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		var nth int
		rapid.Check(t, func(rt *rapid.T) {
			nth++
			slug := fmt.Sprintf("M%d", nth)
			board := e.Board(t, slug)
			m := apptest.Model{Columns: map[id.Column][]uint64{}}
			columnOf := func(label string) id.Column {
				return rapid.SampledFrom(board.Columns).Draw(rt, label).ID
			}
			var numbers []uint64
			rt.Repeat(map[string]func(*rapid.T){
				"open": func(rt *rapid.T) {
					column := columnOf("column")
					key := e.Open(t, slug, column, 1)[0]
					numbers = append(numbers, key.Number)
					m.Columns[column] = append(slices.Clone(m.Columns[column]), key.Number)
				},
				"move": func(rt *rapid.T) {
					if len(numbers) == 0 {
						rt.Skip()
					}
					number := rapid.SampledFrom(numbers).Draw(rt, "number")
					after := rapid.SampledFrom(append([]uint64{0}, numbers...)).Draw(rt, "after")
					column := columnOf("column")
					if column0, i := m.Find(number); rapid.Bool().Draw(rt, "near") && i > 0 {
						after, column = m.Columns[column0][i-1], column0 // often its present position
					}
					moved, _, err := e.Workflows.MoveTicket(e.Ctx, *apptest.KeyOf(slug, number),
						tickets.Intent{Column: column, After: apptest.KeyOf(slug, after)})
					if after == number {
						if !errors.Is(err, tickets.CodeAfterItself) {
							rt.Fatalf("below itself: %v", err)
						}
						return
					}
					domaintest.Must(rt, err)
					if appended := m.Put(number, column, after); appended != moved.Appended {
						rt.Fatalf("appended is %v, the model says %v", moved.Appended, appended)
					}
					_, i := m.Find(number)
					var above uint64
					if i > 0 {
						above = m.Columns[column][i-1]
					}
					if got := apptest.KeyOf(slug, above); (got == nil) != (moved.After == nil) || got != nil && *got != *moved.After {
						rt.Fatalf("the answer says it lies below %v, the model %v", moved.After, got)
					}
				},
				"delete": func(rt *rapid.T) {
					if len(numbers) == 0 {
						rt.Skip()
					}
					i := rapid.IntRange(0, len(numbers)-1).Draw(rt, "i")
					domaintest.Must(rt, e.Workflows.DeleteTicket(e.Ctx, *apptest.KeyOf(slug, numbers[i])))
					m.Remove(numbers[i])
					numbers = slices.Delete(slices.Clone(numbers), i, i+1)
				},
				"": func(rt *rapid.T) {
					stored := e.Stored(t, board)
					for _, column := range board.Columns {
						if !slices.Equal(stored.Columns[column.ID], m.Columns[column.ID]) {
							rt.Fatalf("%s holds %v, the model %v", column.Name, stored.Columns[column.ID], m.Columns[column.ID])
						}
					}
				},
			})
			e.checkCounts(t, slug)
		})
	})

	t.Run("a hundred tickets into one gap keep their order: the gap is renewed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "GAP")
		column := board.Columns[0].ID
		keys := e.Open(t, "GAP", column, 102)
		top := keys[0]
		for _, key := range keys[2:] {
			if _, _, err := e.Workflows.MoveTicket(e.Ctx, key, tickets.Intent{Column: column, After: &top}); err != nil {
				t.Fatal(err)
			}
		}
		want := []uint64{1}
		for n := uint64(102); n >= 2; n-- {
			if n > 2 {
				want = append(want, n)
			}
		}
		want = append(want, 2)
		if got := e.Stored(t, board).Columns[column]; !slices.Equal(got, want) {
			t.Errorf("the column is %v, want %v", got, want)
		}
	})

	t.Run("pages continue at their ends, also when a gap was respaced or their last ticket moved", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "PAGE")
		column := board.Columns[0].ID
		keys := e.Open(t, "PAGE", column, 80)
		var listed []uint64
		page := func(after *tickets.Cursor) *tickets.Cursor {
			_, list, next, err := e.Workflows.TicketsOf(e.Ctx, "PAGE", workflows.TicketList{Column: column, After: after, Limit: 10})
			domaintest.Must(t, err)
			for _, ticket := range list {
				listed = append(listed, ticket.Key.Number)
			}
			return next
		}
		next := page(nil)
		for _, key := range keys[50:] { // thirty into one gap of the first page
			if _, _, err := e.Workflows.MoveTicket(e.Ctx, key, tickets.Intent{Column: column, After: &keys[4]}); err != nil {
				t.Fatal(err)
			}
		}
		next = page(next)
		if _, _, err := e.Workflows.MoveTicket(e.Ctx, keys[19], tickets.Intent{Column: column}); err != nil { // the last of the second page, to the top
			t.Fatal(err)
		}
		for next != nil {
			next = page(next)
		}
		want := make([]uint64, 50)
		for i := range want {
			want[i] = uint64(i + 1)
		}
		if !slices.Equal(listed, want) {
			t.Errorf("listed %v, want the first fifty once each", listed)
		}
	})

}

func TestMoveTicketWrites(t *testing.T) {
	t.Parallel()
	t.Run("a move writes one ticket row and one entry of history", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "ROW")
		keys := e.Open(t, "ROW", board.Columns[0].ID, 5)
		before := e.rows(t)
		if _, _, err := e.Workflows.MoveTicket(e.Ctx, keys[0], tickets.Intent{Column: board.Columns[1].ID}); err != nil {
			t.Fatal(err)
		}
		after := e.rows(t)
		changed := 0
		for ticket, row := range after.tickets {
			if before.tickets[ticket] != row {
				changed++
			}
		}
		if changed != 1 || after.activity != before.activity+1 {
			t.Errorf("%d ticket rows changed and %d entries were added", changed, after.activity-before.activity)
		}
	})
	t.Run("a ticket that is there already is not written", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "SAME")
		keys := e.Open(t, "SAME", board.Columns[0].ID, 3)
		before := e.rows(t)
		if _, _, err := e.Workflows.MoveTicket(e.Ctx, keys[1],
			tickets.Intent{Column: board.Columns[0].ID, After: &keys[0]}); err != nil {
			t.Fatal(err)
		}
		if after := e.rows(t); after.activity != before.activity {
			t.Error("history was written")
		}
	})
}

// rows is what is stored of tickets, for comparing.
type rows struct {
	tickets  map[uint64]string
	activity int
}

func (e *env) rows(t testing.TB) rows {
	t.Helper()
	r := rows{tickets: map[uint64]string{}}
	list := domaintest.OK(
		e.DB.SQL.Query("SELECT id, CONCAT_WS('/', column_id, rank_in_column, title, version, updated_at, moved_at) FROM ticket"))(t)
	defer list.Close()
	for list.Next() {
		var ticket uint64
		var text string
		domaintest.Must(t, list.Scan(&ticket, &text))
		r.tickets[ticket] = text
	}
	domaintest.Must(t, e.DB.SQL.QueryRow("SELECT COUNT(*) FROM activity").Scan(&r.activity))
	return r
}

func TestMoveTicketSeen(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	board := e.Board(t, "SEEN")
	todo, doing := board.Columns[0].ID, board.Columns[1].ID
	keys := e.Open(t, "SEEN", todo, 2)
	move := func(column id.Column, seen *tickets.Placement) error {
		_, _, err := e.Workflows.MoveTicket(e.Ctx, keys[1], tickets.Intent{Column: column, Seen: seen})
		return err
	}
	t.Run("a ticket moved to another column since is refused, and stays", func(t *testing.T) {
		domaintest.Must(t, move(doing, nil))
		domaintest.Is(t, move(todo, &tickets.Placement{Column: todo, After: &keys[0]}), tickets.CodeMovedSince)
		if ticket, err := e.Workflows.Ticket(e.Ctx, keys[1]); err != nil || ticket.Column != doing {
			t.Errorf("it is in column %d (%v)", ticket.Column, err)
		}
	})
}

func TestMoveTicketAtOnce(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	board := e.Board(t, "RUSH")
	keys := e.Open(t, "RUSH", board.Columns[0].ID, 40)
	var group sync.WaitGroup
	for range 12 {
		group.Go(func() {
			for range 40 {
				key, other := keys[rand.N(len(keys))], keys[rand.N(len(keys))]
				intent := tickets.Intent{Column: board.Columns[rand.N(3)].ID}
				if other != key && rand.N(4) > 0 {
					intent.After = &other
				}
				if _, _, err := e.Workflows.MoveTicket(e.Ctx, key, intent); err != nil {
					t.Errorf("move %s: %v", key, err)
				}
			}
		})
	}
	group.Go(func() {
		for i := range 40 {
			if _, err := e.Workflows.OpenTicket(e.Ctx, "RUSH",
				tickets.Draft{Title: fmt.Sprint("New ", i), Column: board.Columns[i%3].ID}, nil); err != nil {
				t.Error(err)
			}
		}
	})
	group.Wait()
	stored := e.Stored(t, board)
	seen := map[uint64]bool{}
	for _, list := range stored.Columns {
		for _, number := range list {
			if seen[number] {
				t.Errorf("%d is in two places", number)
			}
			seen[number] = true
		}
	}
	if len(seen) != 80 {
		t.Errorf("%d tickets are on the board, want 80", len(seen))
	}
	e.checkCounts(t, "RUSH")
}

// A caller's context reaches neither the batch nor the others in it.
func TestOpenTicketCancelled(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Board(t, "LEFT")
	gone, cancel := context.WithCancel(e.Ctx)
	cancel()
	domaintest.Fails(e.Workflows.OpenTicket(gone, "LEFT", tickets.Draft{Title: "x"}, nil))(t, context.Canceled)
	if key := e.Open(t, "LEFT", 0, 1)[0]; key.Number != 1 {
		t.Errorf("the first ticket is %s", key)
	}
}
