package columns_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// env is an environment with what tests do here.
type env struct{ *apptest.Env }

func newEnv(t testing.TB) *env {
	t.Helper()
	return &env{apptest.New(t)}
}

// large is how many tickets are more than one transaction writes.
const large = 2*boards.Chunk + 50

// filled returns a board with tickets in its column Doing.
func (e *env) filled(t testing.TB, slug string, n int) (boards.Board, id.Column) {
	t.Helper()
	board := e.Board(t, slug)
	doing := board.Columns[1].ID
	e.Fill(t, board, doing, n)
	return e.now(t, slug), doing
}

func (e *env) now(t testing.TB, slug string) boards.Board {
	t.Helper()
	return domaintest.OK(boards.BySlug(e.Ctx, e.DB.Queries, e.Actor.Sight(), slug))(t)
}

func (e *env) column(t testing.TB, slug string, column id.Column) boards.Column {
	t.Helper()
	found, ok := e.now(t, slug).Column(column)
	if !ok {
		t.Fatalf("column %d is gone", column)
	}
	return found
}

func (e *env) done(t testing.TB, slug string, column id.Column, done bool) boards.Board {
	t.Helper()
	return domaintest.OK(e.Workflows.EditColumn(e.Ctx, slug, column, boards.ColumnEdit{Done: &done}, nil))(t)
}

// begun is the run that is changing a column, filled and not begun.
func (e *env) begun(t testing.TB, slug string, column id.Column) *apptest.BareRun {
	t.Helper()
	change := e.column(t, slug, column).Change
	if change == nil {
		t.Fatal("no run is changing the column")
	}
	return e.Began(t, workflows.ChangeColumnName, change.Run,
		migrations.Values{"company": "acme", "board": slug, "column": fmt.Sprint(column)})
}

func (e *env) closed(t testing.TB, column id.Column) int {
	t.Helper()
	return e.Count(t, "SELECT COUNT(*) FROM ticket WHERE column_id = ? AND closed_at IS NOT NULL", uint64(column))
}

// numbers are those of a column's tickets, from its top.
func (e *env) numbers(t testing.TB, column id.Column) (list []uint64) {
	t.Helper()
	rows := domaintest.OK(e.DB.SQL.Query("SELECT local_id FROM ticket WHERE column_id = ? ORDER BY rank_in_column",
		uint64(column)))(t)
	defer rows.Close()
	for rows.Next() {
		var n uint64
		domaintest.Must(t, rows.Scan(&n))
		list = append(list, n)
	}
	domaintest.Must(t, rows.Err())
	return list
}

func TestClosingALargeColumn(t *testing.T) {
	t.Parallel()
	t.Run("what comes meanwhile is closed, what leaves stays as it is, and then the change is over", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board, doing := e.filled(t, "OPS", large)
		todo := board.Columns[0].ID
		board = e.done(t, "OPS", doing, true)
		column, _ := board.Column(doing)
		if !column.Done || column.Change == nil || column.Change.Kind != boards.ChangeClose || column.Change.Total != large ||
			e.closed(t, doing) != 0 {
			t.Fatalf("%+v, %+v, %d closed", column, column.Change, e.closed(t, doing))
		}
		b := e.begun(t, "OPS", doing)
		if len(b.Tasks) != 3 {
			t.Fatalf("%d tickets are %d tasks", large, len(b.Tasks))
		}
		numbers := e.numbers(t, doing)
		key := func(i int) tickets.Key { return *apptest.KeyOf("OPS", numbers[i]) }
		domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "OPS", tickets.Draft{Title: "Late", Column: doing}, nil))(t)
		b.Do(t, b.Tasks[0])
		if n := e.closed(t, doing); n != boards.Chunk+1 {
			t.Errorf("%d are closed after a task", n)
		}
		if c := e.column(t, "OPS", doing); c.Change == nil || c.Change.Done != boards.Chunk {
			t.Errorf("progress is %+v", c.Change)
		}
		// From the part that the run has not reached: one leaves, one goes to the top, one is deleted.
		move := func(i int, intent tickets.Intent) {
			if _, _, err := e.Workflows.MoveTicket(e.Ctx, key(i), intent); err != nil {
				t.Error(err)
			}
		}
		move(300, tickets.Intent{Column: todo})
		move(301, tickets.Intent{Column: doing})
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, key(302)))
		e.Sound(t)
		b.Do(t, b.Tasks[2])
		b.Do(t, b.Tasks[1])
		if c := e.column(t, "OPS", doing); c.Change != nil || e.closed(t, doing) != int(c.Count) || c.Count != large-1 {
			t.Errorf("%+v, %d of %d are closed", c.Change, e.closed(t, doing), c.Count)
		}
		if n := e.closed(t, todo); n != 0 {
			t.Errorf("%d are closed elsewhere", n)
		}
		e.Counts(t, large-3, "SELECT COUNT(*) FROM activity WHERE kind = 'closed' AND account_id = ?",
			uint64(e.Actor.Account.ID))
		e.Sound(t)
	})

	t.Run("a second change of its tickets is refused meanwhile, and goes on after a cancelled run", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board, doing := e.filled(t, "OPS", large)
		e.done(t, "OPS", doing, true)
		refused := func(err error) {
			t.Helper()
			domaintest.Is(t, err, boards.CodeColumnChanging)
			if err != nil && !strings.Contains(err.Error(), "“Doing” are being closed: 0 of 450. Wait") {
				t.Error(err)
			}
		}
		_, err := e.Workflows.EditColumn(e.Ctx, "OPS", doing, boards.ColumnEdit{Done: new(bool)}, nil)
		refused(err)
		_, err = e.Workflows.RemoveColumn(e.Ctx, "OPS", doing, board.Columns[0].ID, nil)
		refused(err)
		_, err = e.Workflows.ArchiveBoard(e.Ctx, "OPS", true, nil)
		refused(err)
		domaintest.OK(e.Workflows.EditColumn(e.Ctx, "OPS", doing, boards.ColumnEdit{Name: new("Doing"), Done: new(true)},
			nil))(t)
		first := e.column(t, "OPS", doing).Change.Run
		b := e.begun(t, "OPS", doing)
		b.Do(t, b.Tasks[0])
		operator := apptest.AsCommandLine(t.Context())
		domaintest.OK(e.Console.CancelRun(operator, first))(t)
		e.WorkAll(t, workflows.ChangeColumnName)
		e.Sound(t)
		e.done(t, "OPS", doing, true)
		if c := e.column(t, "OPS", doing); c.Change == nil || c.Change.Run == first {
			t.Fatalf("it does not go on: %+v", c.Change)
		}
		b.Do(t, b.Tasks[1]) // a late one of the first run
		if n := e.closed(t, doing); n != boards.Chunk {
			t.Errorf("the cancelled run closed %d", n)
		}
		e.WorkAll(t, workflows.ChangeColumnName)
		if c := e.column(t, "OPS", doing); c.Change != nil || e.closed(t, doing) != large {
			t.Errorf("%+v, %d closed", c.Change, e.closed(t, doing))
		}
		e.Sound(t)
	})

	t.Run("at most 200 are closed in the request", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		_, doing := e.filled(t, "OPS", boards.Chunk)
		board := e.done(t, "OPS", doing, true)
		if c, _ := board.Column(doing); c.Change != nil || e.closed(t, doing) != boards.Chunk {
			t.Errorf("%+v, %d closed", c.Change, e.closed(t, doing))
		}
		e.Sound(t)
	})
}

func TestReopeningALargeColumn(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	board := e.Board(t, "OPS")
	todo, doing, done := board.Columns[0].ID, board.Columns[1].ID, board.Columns[2].ID
	e.Fill(t, board, done, large)
	e.done(t, "OPS", doing, true)
	other := e.Open(t, "OPS", doing, 1)[0] // closed by its column
	e.done(t, "OPS", done, false)
	b := e.begun(t, "OPS", done)
	numbers := e.numbers(t, done)
	b.Do(t, b.Tasks[0])
	if n := e.closed(t, done); n != large-boards.Chunk {
		t.Fatalf("%d are closed", n)
	}
	key := func(i int) tickets.Key { return *apptest.KeyOf("OPS", numbers[i]) }
	move := func(key tickets.Key, intent tickets.Intent) {
		t.Helper()
		if _, _, err := e.Workflows.MoveTicket(e.Ctx, key, intent); err != nil {
			t.Error(err)
		}
	}
	move(key(300), tickets.Intent{Column: todo}) // out of what was a done column
	move(key(301), tickets.Intent{Column: done}) // within it
	move(key(302), tickets.Intent{Column: doing})
	e.done(t, "OPS", doing, false) // in its request
	if _, _, err := e.Workflows.CloseTicket(e.Ctx, key(0)); err != nil {
		t.Error(err)
	}
	if _, _, err := e.Workflows.CloseTicket(e.Ctx, other); err != nil {
		t.Error(err)
	}
	move(other, tickets.Intent{Column: done})
	for _, task := range b.Tasks[1:] {
		b.Do(t, task)
	}
	for name, c := range map[tickets.Key]bool{key(300): false, key(301): false, key(302): false, key(0): true, other: true} {
		if got := e.Ticket(t, name.String()).Closed(); got != c {
			t.Errorf("%s is closed: %v", name, got)
		}
	}
	if c := e.column(t, "OPS", done); c.Change != nil || e.closed(t, done) != 2 {
		t.Errorf("%+v, %d closed", c.Change, e.closed(t, done))
	}
	e.Sound(t)
}

func TestEmptyingALargeColumn(t *testing.T) {
	t.Parallel()
	t.Run("its tickets go to the end of another in their order, and then it is gone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board, doing := e.filled(t, "OPS", large)
		todo, done := board.Columns[0].ID, board.Columns[2].ID
		e.Open(t, "OPS", done, 2)
		want := append(e.numbers(t, done), e.numbers(t, doing)...)
		domaintest.Fails(e.Workflows.RemoveColumn(e.Ctx, "OPS", doing, 0, nil))(t, boards.CodeNoHeir)
		board = domaintest.OK(e.Workflows.RemoveColumn(e.Ctx, "OPS", doing, done, nil))(t)
		if c, ok := board.Column(doing); !ok || !c.Leaving() || c.Change.Total != large {
			t.Fatalf("%+v", c)
		}
		b := e.begun(t, "OPS", doing)
		b.Do(t, b.Tasks[0])
		e.Sound(t)
		domaintest.Fails(e.Workflows.OpenTicket(e.Ctx, "OPS", tickets.Draft{Title: "Late", Column: doing}, nil))(t,
			boards.CodeColumnLeaving)
		late := e.Open(t, "OPS", todo, 1)[0]
		_, _, err := e.Workflows.MoveTicket(e.Ctx, late, tickets.Intent{Column: doing})
		domaintest.Is(t, err, boards.CodeColumnLeaving)
		domaintest.Fails(e.Workflows.RemoveColumn(e.Ctx, "OPS", done, todo, nil))(t, boards.CodeColumnChanging)
		domaintest.Fails(e.Workflows.RemoveColumn(e.Ctx, "OPS", doing, done, nil))(t, boards.CodeColumnChanging)
		left := want[2+large-1]
		if _, _, err := e.Workflows.MoveTicket(e.Ctx, *apptest.KeyOf("OPS", left), tickets.Intent{Column: todo}); err != nil {
			t.Error(err)
		}
		for _, task := range b.Tasks[1:] {
			b.Do(t, task)
		}
		if _, there := e.now(t, "OPS").Column(doing); there {
			t.Error("it is still there")
		}
		if got := e.numbers(t, done); !slices.Equal(got, want[:len(want)-1]) {
			t.Errorf("the order is %v", got)
		}
		if n := e.closed(t, done); n != len(want)-1 {
			t.Errorf("%d are closed", n)
		}
		e.Counts(t, 0, "SELECT SUM(incoming) FROM board_column")
		e.Counts(t, large-1, "SELECT COUNT(*) FROM activity WHERE kind = 'moved' AND detail NOT LIKE '%from%'")
		e.Sound(t)
	})

	t.Run("a hard limit keeps room for them", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board, doing := e.filled(t, "OPS", large)
		todo := board.Columns[0].ID
		limit := large + 1
		domaintest.OK(e.Workflows.EditColumn(e.Ctx, "OPS", todo, boards.ColumnEdit{WIP: new(boards.LimitHard), Limit: &limit},
			nil))(t)
		domaintest.OK(e.Workflows.RemoveColumn(e.Ctx, "OPS", doing, todo, nil))(t)
		e.Open(t, "OPS", todo, 1)
		domaintest.Fails(e.Workflows.OpenTicket(e.Ctx, "OPS", tickets.Draft{Title: "Late", Column: todo}, nil))(t,
			boards.CodeColumnFull)
		if runs := e.WorkAll(t, workflows.ChangeColumnName); len(runs) != 1 || runs[0].State != migrations.Complete {
			t.Errorf("%+v", runs)
		}
		if n := len(e.numbers(t, todo)); n != limit {
			t.Errorf("%d tickets", n)
		}
		e.Sound(t)
	})

	t.Run("one that was cancelled goes on, to another column if that is wanted", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board, doing := e.filled(t, "OPS", large)
		todo, done := board.Columns[0].ID, board.Columns[2].ID
		domaintest.OK(e.Workflows.RemoveColumn(e.Ctx, "OPS", doing, done, nil))(t)
		b := e.begun(t, "OPS", doing)
		b.Do(t, b.Tasks[0])
		operator := apptest.AsCommandLine(t.Context())
		run := e.column(t, "OPS", doing).Change.Run
		domaintest.OK(e.Console.CancelRun(operator, run))(t)
		e.WorkAll(t, workflows.ChangeColumnName)
		domaintest.OK(e.Workflows.RemoveColumn(e.Ctx, "OPS", doing, todo, nil))(t)
		e.Sound(t)
		e.WorkAll(t, workflows.ChangeColumnName)
		if _, there := e.now(t, "OPS").Column(doing); there || len(e.numbers(t, done)) != boards.Chunk ||
			len(e.numbers(t, todo)) != large-boards.Chunk {
			t.Errorf("there: %v, %d and %d", there, len(e.numbers(t, done)), len(e.numbers(t, todo)))
		}
		e.Counts(t, 0, "SELECT SUM(incoming) FROM board_column")
		e.Sound(t)
	})
}

// TestNoStatementIsLarge closes, reopens and empties a column of 3,000 tickets while another company opens some: no
// statement writes more rows than a chunk has, and none of the other company's requests fails.
func TestNoStatementIsLarge(t *testing.T) {
	t.Parallel()
	d, watch := dbtest.NewWatched(t)
	e := &env{apptest.On(t, d)}
	board, doing := e.filled(t, "OPS", 3000)
	var most atomic.Int64
	watch.Wrote(func(statement string, rows int64) {
		if rows > boards.Chunk && most.Swap(rows) < rows {
			t.Errorf("%d rows by %s", rows, statement)
		}
	})
	other := e.another(t)
	ctx, end := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var opened atomic.Int64
	for range 2 {
		group.Go(func() {
			for ctx.Err() == nil {
				if _, err := e.Workflows.OpenTicket(other, "ELSE", tickets.Draft{Title: "Other"}, nil); err != nil {
					t.Error(err)
					return
				}
				opened.Add(1)
			}
		})
	}
	for _, step := range []func(){
		func() { e.done(t, "OPS", doing, true) },
		func() { e.done(t, "OPS", doing, false) },
		func() { domaintest.OK(e.Workflows.RemoveColumn(e.Ctx, "OPS", doing, board.Columns[2].ID, nil))(t) },
	} {
		step()
		before := opened.Load()
		e.WorkAll(t, workflows.ChangeColumnName)
		domaintest.Until(t, "the other company's requests go on", func() bool { return opened.Load() > before })
	}
	end()
	group.Wait()
	if n := e.closed(t, board.Columns[2].ID); n != 3000 {
		t.Errorf("%d are closed in the end", n)
	}
	e.Sound(t)
}

// another opens another company with a board ELSE, and returns the context of its owner.
func (e *env) another(t testing.TB) context.Context {
	t.Helper()
	actor := e.Actor
	actor.Company = domaintest.OK(e.Console.OpenCompany(e.Ctx, "Rivals", "rivals", nil))(t)
	ctx := accounts.WithActor(context.Background(), actor)
	domaintest.OK(e.Workflows.OpenBoard(ctx, boards.Draft{Slug: "ELSE", Title: "Elsewhere"}, nil))(t)
	return ctx
}

func TestMovingALargeColumn(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) (e *env, board boards.Board, doing, done id.Column) {
		t.Helper()
		e = newEnv(t)
		board, doing = e.filled(t, "OPS", large)
		done = board.Columns[2].ID
		board = domaintest.OK(e.Workflows.MoveColumnTickets(e.Ctx, "OPS", doing, done))(t)
		from, _ := board.Column(doing)
		to, _ := board.Column(done)
		if !from.Carries() || from.Leaving() || from.Change.Total != large || to.Incoming != large {
			t.Fatalf("%+v, %+v", from, to)
		}
		return e, board, doing, done
	}
	t.Run("in their order, but for those that came later", func(t *testing.T) {
		t.Parallel()
		e, board, doing, done := start(t)
		before := e.numbers(t, doing)
		b := e.begun(t, "OPS", doing)
		key := func(n uint64) tickets.Key { return *apptest.KeyOf("OPS", n) }
		late := domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "OPS", tickets.Draft{Title: "Late", Column: doing}, nil))(t)
		b.Do(t, b.Tasks[0])
		e.Sound(t)
		// From the part that it has not reached: one leaves, one goes to the top and stays, one is deleted.
		_, _, err := e.Workflows.MoveTicket(e.Ctx, key(before[300]), tickets.Intent{Column: board.Columns[0].ID})
		domaintest.Must(t, err)
		_, _, err = e.Workflows.MoveTicket(e.Ctx, key(before[301]), tickets.Intent{Column: doing})
		domaintest.Must(t, err)
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, key(before[302])))
		domaintest.Fails(e.Workflows.RemoveColumn(e.Ctx, "OPS", done, board.Columns[0].ID, nil))(t, boards.CodeColumnChanging)
		domaintest.Fails(e.Workflows.MoveColumnTickets(e.Ctx, "OPS", doing, done))(t, boards.CodeColumnChanging)
		b.Do(t, b.Tasks[1])
		b.Do(t, b.Tasks[2])
		want := slices.Delete(slices.Clone(before), 300, 303)
		if got := e.numbers(t, done); !slices.Equal(got, want) {
			t.Errorf("%d tickets came, want %d in their order", len(got), len(want))
		}
		if got := e.numbers(t, doing); !slices.Equal(got, []uint64{before[301], late.Key.Number}) {
			t.Errorf("%v are left", got)
		}
		if c := e.column(t, "OPS", doing); c.Change != nil || e.column(t, "OPS", done).Incoming != 0 {
			t.Errorf("the change is %+v, and room is kept for %d", c.Change, e.column(t, "OPS", done).Incoming)
		}
		if n := e.closed(t, done); n != len(want) {
			t.Errorf("%d are closed in the done column", n)
		}
		e.Sound(t)
	})
	t.Run("a run that was cancelled is gone on with, to another column", func(t *testing.T) {
		t.Parallel()
		e, board, doing, done := start(t)
		b := e.begun(t, "OPS", doing)
		b.Do(t, b.Tasks[0])
		e.Exec(t, "UPDATE migration_run SET state = 'cancelled', finished_at = NOW(6) WHERE name = 'change-column'")
		title := "Now"
		domaintest.OK(e.Workflows.EditColumn(e.Ctx, "OPS", doing, boards.ColumnEdit{Name: &title}, nil))(t)
		if c := e.column(t, "OPS", doing); c.Name != "Now" || !c.Carries() {
			t.Errorf("an edit leaves %+v", c)
		}
		todo := board.Columns[0].ID
		domaintest.OK(e.Workflows.MoveColumnTickets(e.Ctx, "OPS", doing, todo))(t)
		if to := e.column(t, "OPS", done); to.Incoming != 0 {
			t.Errorf("room is kept for %d", to.Incoming)
		}
		again := e.begun(t, "OPS", doing)
		for _, task := range again.Tasks {
			again.Do(t, task)
		}
		if n, m := len(e.numbers(t, todo)), len(e.numbers(t, done)); n != large-boards.Chunk || m != boards.Chunk {
			t.Errorf("%d and %d tickets came", n, m)
		}
		e.Sound(t)
	})
	t.Run("a hard limit keeps all of them out", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board, doing := e.filled(t, "OPS", large)
		limit, hard := large-1, boards.LimitHard
		domaintest.OK(e.Workflows.EditColumn(e.Ctx, "OPS", board.Columns[0].ID, boards.ColumnEdit{WIP: &hard, Limit: &limit}, nil))(t)
		domaintest.Fails(e.Workflows.MoveColumnTickets(e.Ctx, "OPS", doing, board.Columns[0].ID))(t, boards.CodeColumnFull)
		domaintest.Fails(e.Workflows.MoveColumnTickets(e.Ctx, "OPS", doing, doing))(t, boards.CodeNoHeir)
	})
}
