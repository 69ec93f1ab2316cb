package workflows_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

func (e *env) edit(t testing.TB, slug string, column id.Column, edit boards.ColumnEdit) boards.Board {
	t.Helper()
	return domaintest.OK(e.Workflows.EditColumn(e.Ctx, slug, column, edit, nil))(t)
}

func hard(n int) boards.ColumnEdit { return boards.ColumnEdit{WIP: new(boards.LimitHard), Limit: &n} }

func TestColumns(t *testing.T) {
	t.Parallel()

	t.Run("they are added at the end, renamed, put in order and removed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "OPS")
		board, review, err := e.Workflows.OpenColumn(e.Ctx, "OPS", boards.ColumnEdit{Name: new(" In  review ")},
			&board.Version, nil)
		if err != nil || review.Name != "In review" || board.Columns[3].ID != review.ID || board.Version != 2 {
			t.Fatalf("%+v, %v", board, err)
		}
		names := func(board boards.Board) (s string) {
			for _, c := range board.Columns {
				s += c.Name + "|"
			}
			return s
		}
		for position, want := range map[int]string{1: "In review|To do|Doing|Done|", 3: "To do|Doing|In review|Done|",
			99: "To do|Doing|Done|In review|", 2: "To do|In review|Doing|Done|"} {
			if got := names(e.edit(t, "OPS", review.ID, boards.ColumnEdit{Position: &position})); got != want {
				t.Errorf("at %d: %s", position, got)
			}
		}
		board = e.edit(t, "OPS", review.ID, boards.ColumnEdit{Name: new("Check"), Position: new(2)})
		for _, c := range board.Columns[1:] {
			if board, err = e.Workflows.RemoveColumn(e.Ctx, "OPS", c.ID, 0, &board.Version); err != nil {
				t.Fatal(err)
			}
		}
		if _, err = e.Workflows.RemoveColumn(e.Ctx, "OPS", board.Columns[0].ID, 0, nil); !errors.Is(err,
			boards.CodeLastColumn) {
			t.Errorf("the last column: %v", err)
		}
		domaintest.Fails(e.Workflows.EditColumn(e.Ctx, "OPS", board.Columns[0].ID, boards.ColumnEdit{}, new(uint64(1))))(t,
			boards.CodeStale)
		e.Sound(t)
	})

	t.Run("there are at most 50, also when two are added at once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.Board(t, "OPS")
		var group sync.WaitGroup
		errs := make([]error, 60)
		for i := range errs {
			group.Go(func() {
				_, _, errs[i] = e.Workflows.OpenColumn(e.Ctx, "OPS", boards.ColumnEdit{Name: new(fmt.Sprint("Column ", i))}, nil,
					nil)
			})
		}
		group.Wait()
		added := 0
		for _, err := range errs {
			if err == nil {
				added++
			}
		}
		if n := e.Count(t, "SELECT COUNT(*) FROM board_column c JOIN board b ON b.id = c.board_id WHERE b.slug = 'OPS'"); n > boards.MaxColumns || n != 3+added {
			t.Errorf("%d columns, %d added", n, added)
		}
		e.Sound(t)
	})

}

func TestTicketsOfColumns(t *testing.T) {
	t.Parallel()
	t.Run("a removed column's tickets go to the end of another, in their order", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "OPS")
		todo, doing, done := board.Columns[0].ID, board.Columns[1].ID, board.Columns[2].ID
		there, going := e.Open(t, "OPS", done, 2), e.Open(t, "OPS", doing, 5)
		top, _, err := e.Workflows.MoveTicket(e.Ctx, going[4], tickets.Intent{Column: doing})
		if err != nil || top.Ticket.Rank > 0 {
			t.Fatalf("%+v, %v", top, err)
		}
		domaintest.Fails(e.Workflows.RemoveColumn(e.Ctx, "OPS", doing, 0, nil))(t, boards.CodeNoHeir)
		domaintest.Fails(e.Workflows.RemoveColumn(e.Ctx, "OPS", doing, doing, nil))(t, boards.CodeNoHeir)
		e.edit(t, "OPS", todo, hard(4))
		domaintest.Fails(e.Workflows.RemoveColumn(e.Ctx, "OPS", doing, todo, nil))(t, boards.CodeColumnFull)
		e.DB.SQL.Exec("INSERT INTO assignee (ticket_id, account_id, current, created_at) SELECT id, 1, closed_at IS NULL, created_at FROM ticket")
		if board, err = e.Workflows.RemoveColumn(e.Ctx, "OPS", doing, done, nil); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprint([]uint64{there[0].Number, there[1].Number, going[4].Number, going[0].Number, going[1].Number,
			going[2].Number, going[3].Number})
		if got := fmt.Sprint(e.Stored(t, board).Columns[done]); got != want {
			t.Errorf("%s, not %s", got, want)
		}
		e.Counts(t, 6, "SELECT COUNT(*) FROM activity v JOIN ticket t ON t.id = v.ticket_id JOIN board b ON b.id = t.board_id WHERE b.slug = 'OPS' AND v.kind = 'moved'")
		e.Open(t, "OPS", done, 1)
		e.Sound(t)
	})
	t.Run("the tickets of a column are closed or opened with it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "OPS")
		doing := board.Columns[1].ID
		keys := e.Open(t, "OPS", doing, 3)
		if _, _, err := e.Workflows.MoveTicket(e.Ctx, keys[0], tickets.Intent{Column: doing}); err != nil {
			t.Fatal(err)
		}
		e.DB.SQL.Exec("INSERT INTO assignee (ticket_id, account_id, current, created_at) SELECT id, 1, closed_at IS NULL, created_at FROM ticket")
		for _, done := range []bool{true, true, false} {
			e.edit(t, "OPS", doing, boards.ColumnEdit{Done: &done})
			for _, key := range keys {
				if ticket, err := e.Workflows.Ticket(e.Ctx, key); err != nil || ticket.Closed() != done {
					t.Errorf("%s is %+v, %v", key, ticket.ClosedAt, err)
				}
			}
			e.Sound(t)
		}
		for _, kind := range []string{"closed", "reopened"} {
			e.Counts(t, 3, "SELECT COUNT(*) FROM activity WHERE kind = ?", kind)
		}
	})
	t.Run("an opening that knows an old board keeps to the new one", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		other := e.another(t)
		board := e.Board(t, "OPS")
		first, second := board.Columns[0].ID, board.Columns[1].ID
		e.Open(t, "OPS", 0, 1) // it knows the board now
		other.edit(t, "OPS", first, boards.ColumnEdit{Done: new(true)})
		if ticket, err := e.Workflows.OpenTicket(e.Ctx, "OPS", tickets.Draft{Title: "x"}, nil); err != nil ||
			!ticket.Closed() {
			t.Errorf("in a column that is done by now: %+v, %v", ticket, err)
		}
		other.edit(t, "OPS", first, hard(2))
		domaintest.Fails(e.Workflows.OpenTicket(e.Ctx, "OPS", tickets.Draft{Title: "x"}, nil))(t, boards.CodeColumnFull)
		domaintest.OK(other.Workflows.RemoveColumn(e.Ctx, "OPS", first, second, nil))(t)
		if ticket, err := e.Workflows.OpenTicket(e.Ctx, "OPS", tickets.Draft{Title: "x"}, nil); err != nil ||
			ticket.Column != second {
			t.Errorf("its first column is gone: %+v, %v", ticket, err)
		}
		domaintest.OK(other.Workflows.RenameBoard(e.Ctx, "OPS", boards.Names{Slug: new("NINJA")}, 4))(t)
		ticket := domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "OPS", tickets.Draft{Title: "x"}, nil))(t)
		if found, err := e.Workflows.Ticket(e.Ctx, ticket.Key); err != nil || found.Key.Board != "NINJA" ||
			found.Key.Number != ticket.Key.Number {
			t.Errorf("%s leads to %+v, %v", ticket.Key, found, err)
		}
		domaintest.OK(other.Workflows.ArchiveBoard(e.Ctx, "NINJA", true, nil))(t)
		domaintest.Fails(e.Workflows.OpenTicket(e.Ctx, "OPS", tickets.Draft{Title: "x"}, nil))(t, boards.CodeArchived)
		e.Sound(t)
	})
}

func TestHardLimit(t *testing.T) {
	t.Parallel()
	t.Run("movers, openers and the removal of a column at once never exceed it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		const limit = 7
		ops, ninja := e.Board(t, "OPS"), e.Board(t, "NINJA")
		goal := ops.Columns[1].ID
		e.edit(t, "OPS", goal, hard(limit))
		servers := []*env{e, e.another(t)}
		from := append(e.Open(t, "OPS", ops.Columns[0].ID, 12), e.Open(t, "NINJA", ninja.Columns[0].ID, 12)...)
		var mu sync.Mutex
		in := map[tickets.Key]bool{}
		came := func(key tickets.Key, err error) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				in[key] = true
			case !errors.Is(err, boards.CodeColumnFull):
				t.Errorf("%s: %v", key, err)
			}
		}
		var group sync.WaitGroup
		for i, key := range from {
			group.Go(func() {
				moved, _, err := servers[i%2].Workflows.MoveTicket(e.Ctx, key, tickets.Intent{Board: "OPS", Column: goal})
				came(moved.Ticket.Key, err)
			})
		}
		for i := range 12 {
			group.Go(func() {
				ticket, err := servers[i%2].Workflows.OpenTicket(e.Ctx, "OPS", tickets.Draft{Title: "x", Column: goal}, nil)
				came(ticket.Key, err)
			})
		}
		group.Wait()
		board, _ := e.Workflows.Board(e.Ctx, "OPS")
		stored := e.Stored(t, board).Columns[goal]
		if len(stored) != limit || len(in) != limit {
			t.Errorf("%d are there, %d were told that they are; the limit is %d", len(stored), len(in), limit)
		}
		for _, number := range stored {
			if !in[tickets.Key{Board: "OPS", Number: number}] {
				t.Errorf("OPS-%d is there and was refused", number)
			}
		}
		if _, _, err := e.Workflows.MoveTicket(e.Ctx, tickets.Key{Board: "OPS", Number: stored[0]},
			tickets.Intent{Column: goal, After: apptest.KeyOf("OPS", stored[6])}); err != nil {
			t.Errorf("a move within a full column: %v", err)
		}
		e.Sound(t)
	})
}

func TestArchivedBoard(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	board := e.Board(t, "OPS")
	e.Board(t, "NINJA")
	keys := e.Open(t, "OPS", 0, 2)
	other := e.Open(t, "NINJA", 0, 1)[0]
	archived, err := e.Workflows.ArchiveBoard(e.Ctx, "OPS", true, &board.Version)
	if err != nil || !archived.Archived() {
		t.Fatalf("%+v, %v", archived, err)
	}
	before := e.Count(t, "SELECT COUNT(*) FROM activity")
	column := board.Columns[1].ID
	for what, do := range map[string]func() error{
		"open": func() error {
			_, err := e.Workflows.OpenTicket(e.Ctx, "OPS", tickets.Draft{Title: "x"}, nil)
			return err
		},
		"edit": func() error {
			_, err := e.Workflows.EditTicket(e.Ctx, keys[0], tickets.Edit{Title: new("y"), Version: 1})
			return err
		},
		"move": func() error {
			_, _, err := e.Workflows.MoveTicket(e.Ctx, keys[0], tickets.Intent{Column: column})
			return err
		},
		"move here": func() error {
			_, _, err := e.Workflows.MoveTicket(e.Ctx, other, tickets.Intent{Board: "OPS", Column: column})
			return err
		},
		"move away": func() error {
			to, _ := e.Workflows.Board(e.Ctx, "NINJA")
			_, _, err := e.Workflows.MoveTicket(e.Ctx, keys[0], tickets.Intent{Board: "NINJA", Column: to.Columns[0].ID})
			return err
		},
		"close":  func() error { _, _, err := e.Workflows.CloseTicket(e.Ctx, keys[0]); return err },
		"delete": func() error { return e.Workflows.DeleteTicket(e.Ctx, keys[1]) },
		"rename": func() error {
			_, err := e.Workflows.RenameBoard(e.Ctx, "OPS", boards.Names{Title: new("x")}, archived.Version)
			return err
		},
		"columns": func() error {
			_, err := e.Workflows.EditColumn(e.Ctx, "OPS", column, boards.ColumnEdit{Name: new("x")}, nil)
			return err
		},
	} {
		if err := do(); !errors.Is(err, boards.CodeArchived) {
			t.Errorf("%s: %v", what, err)
		}
	}
	e.Counts(t, before, "SELECT COUNT(*) FROM activity")
	if _, err := e.Workflows.Ticket(e.Ctx, keys[0]); err != nil {
		t.Error(err)
	}
	if _, err := e.Workflows.ArchiveBoard(e.Ctx, "OPS", false, nil); err != nil {
		t.Error(err)
	}
	e.Open(t, "OPS", 0, 1)
	e.Sound(t)
}

func TestSlugs(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ops := e.Board(t, "OPS")
	e.Board(t, "NINJA")
	key := e.Open(t, "OPS", 0, 1)[0]
	rename := func(slug, to string, version uint64) (boards.Board, error) {
		return e.Workflows.RenameBoard(e.Ctx, slug, boards.Names{Slug: &to}, version)
	}
	now, err := rename("OPS", "dev", ops.Version)
	if err != nil || now.Slug != "DEV" || now.Title != ops.Title {
		t.Fatalf("%+v, %v", now, err)
	}
	if ticket, err := e.Workflows.Ticket(e.Ctx, key); err != nil || ticket.Key.String() != "DEV-1" {
		t.Errorf("%s is %+v, %v", key, ticket, err)
	}
	domaintest.Fails(e.Workflows.OpenBoard(e.Ctx, boards.Draft{Slug: "OPS", Title: "x"}, nil))(t,
		boards.SlugConflict("OPS", boards.Board{Slug: "DEV", Title: ops.Title}))
	domaintest.Fails(rename("NINJA", "OPS", 1))(t, boards.SlugConflict("OPS", boards.Board{Slug: "DEV", Title: ops.Title}))
	domaintest.Fails(rename("NINJA", "DEV", 1))(t, boards.SlugConflict("DEV", boards.Board{Slug: "DEV", Title: ops.Title}))
	domaintest.Fails(rename("OPS", "X1", ops.Version))(t, boards.CodeStale)
	if back, err := rename("DEV", "OPS", now.Version); err != nil || back.Slug != "OPS" {
		t.Errorf("back: %+v, %v", back, err)
	}
	if ticket, err := e.Workflows.Ticket(e.Ctx, tickets.Key{Board: "DEV", Number: 1}); err != nil || ticket.Key != key {
		t.Errorf("%+v, %v", ticket, err)
	}
	e.Sound(t)
}

func TestCountOfCards(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(e *env, column id.Column) (boards.Board, error){
		"a board": func(e *env, _ id.Column) (boards.Board, error) {
			view, err := e.Workflows.ViewBoard(e.Ctx, "NINJA", workflows.BoardFilter{})
			return view.Board, err
		},
		"some columns": func(e *env, column id.Column) (boards.Board, error) {
			view, err := e.Workflows.ViewColumns(e.Ctx, "NINJA", workflows.BoardFilter{}, map[id.Column]int{column: 1})
			return view.Board, err
		},
		"a column": func(e *env, column id.Column) (boards.Board, error) {
			board, _, err := e.Workflows.Column(e.Ctx, "NINJA", column, nil, workflows.BoardFilter{})
			return board, err
		},
	} {
		t.Run("a ticket that leaves a column while "+name+" is read is not counted without its card", func(t *testing.T) {
			t.Parallel()
			d, watch := dbtest.NewWatched(t)
			e := &env{apptest.On(t, d)}
			board := e.Board(t, "NINJA")
			e.Open(t, "NINJA", board.Columns[0].ID, 2)
			var moved atomic.Bool
			watch.After(func(statement string) {
				if !strings.Contains(statement, "board_column") || moved.Swap(true) {
					return
				}
				_, _, err := e.Workflows.MoveTicket(e.Ctx, tickets.Key{Board: "NINJA", Number: 1},
					tickets.Intent{Column: board.Columns[1].ID})
				domaintest.Must(t, err)
			})
			column, _ := domaintest.OK(read(e, board.Columns[0].ID))(t).Column(board.Columns[0].ID)
			if column.Count != 1 {
				t.Errorf("%d tickets are counted beside one card", column.Count)
			}
		})
	}
}

// TestFirstCards: a board begins with about 60 cards, however many columns have some, and shows as many as a page
// has when its columns are read again.
func TestFirstCards(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	board := e.Board(t, "MANY")
	for i := range 9 {
		name := fmt.Sprint("More ", i)
		_, _, err := e.Workflows.OpenColumn(e.Ctx, "MANY", boards.ColumnEdit{Name: &name}, nil, nil)
		domaintest.Must(t, err)
	}
	board = domaintest.OK(e.Workflows.Board(e.Ctx, "MANY"))(t)
	for i, want := range []int{50, 30, 20, 15, 12, 10, 8, 8, 8, 8, 8, 8} {
		e.Fill(t, board, board.Columns[i].ID, 120)
		view := domaintest.OK(e.Workflows.ViewBoard(e.Ctx, "MANY", workflows.BoardFilter{}))(t)
		if got := len(view.Cards[board.Columns[i].ID].List); got != want {
			t.Errorf("%d columns with cards show %d each, not %d", i+1, got, want)
		}
	}
	first := board.Columns[0].ID
	for shown, want := range map[int]int{-1: 8, 0: 8, 8: 8, 9: 50, 50: 50, 51: 100, 101: 120} {
		view := domaintest.OK(e.Workflows.ViewColumns(e.Ctx, "MANY", workflows.BoardFilter{}, map[id.Column]int{first: shown}))(t)
		if got := len(view.Cards[first].List); got != want || len(view.Cards) != 1 {
			t.Errorf("%d shown: %d, not %d", shown, got, want)
		}
	}
}
