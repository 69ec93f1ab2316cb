package workflows_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// checkColumn fails if a column has other tickets.
func (e *env) checkColumn(t testing.TB, board boards.Board, column int, want ...uint64) {
	t.Helper()
	if got := e.Stored(t, board).Columns[board.Columns[column].ID]; !slices.Equal(got, want) {
		t.Errorf("%s holds %v, not %v", board.Columns[column].Name, got, want)
	}
	e.checkCounts(t, board.Slug)
}

// atOnce runs functions at the same time and returns their errors.
func atOnce(do ...func() error) []error {
	errs := make([]error, len(do))
	var all sync.WaitGroup
	for i, one := range do {
		all.Go(func() { errs[i] = one() })
	}
	all.Wait()
	return errs
}

func countSucceeded(errs []error) (n int) {
	for _, err := range errs {
		if err == nil {
			n++
		}
	}
	return n
}

// meanwhile runs do, and changes something once do has read it and waits for the lock of a row.
func (e *env) meanwhile(t testing.TB, table string, row uint64, change string, do func() error) error {
	t.Helper()
	tx := domaintest.OK(e.DB.SQL.Begin())(t)
	defer func() { _ = tx.Rollback() }()
	domaintest.OK(tx.Exec("SELECT id FROM "+table+" WHERE id = ? FOR UPDATE", row))(t)
	done := make(chan error, 1)
	go func() { done <- do() }()
	for dbtest.Others(t, e.DB.SQL, dbtest.Running("FROM "+table+".*FOR UPDATE")) == 0 {
		select {
		case err := <-done:
			t.Fatalf("it did not wait for the lock: %v", err)
		default:
		}
	}
	domaintest.OK(tx.Exec(change, row))(t)
	domaintest.Must(t, tx.Commit())
	return <-done
}

// removeDuring runs do, and removes an empty column meanwhile.
func (e *env) removeDuring(t testing.TB, column id.Column, do func() error) error {
	t.Helper()
	return e.meanwhile(t, "board_column", uint64(column), "DELETE FROM board_column WHERE id = ?", do)
}

func TestCloseTicket(t *testing.T) {
	t.Parallel()

	t.Run("if the done column is removed meanwhile, it is closed in its column", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		key := e.Open(t, "NINJA", board.Columns[0].ID, 1)[0]
		var moved tickets.MoveResult
		err := e.removeDuring(t, board.Columns[2].ID,
			func() (err error) { moved, _, err = e.Workflows.CloseTicket(e.Ctx, key); return err })
		if err != nil || !moved.Ticket.Closed() {
			t.Fatal(moved, err)
		}
		board, err = e.Workflows.Board(e.Ctx, "NINJA")
		domaintest.Must(t, err)
		e.checkColumn(t, board, 0, 1)
	})

	t.Run("if the target column is removed meanwhile, it goes to another", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		key := e.Open(t, "NINJA", board.Columns[0].ID, 1)[0]
		_, _, err := e.Workflows.CloseTicket(e.Ctx, key)
		domaintest.Must(t, err)
		domaintest.Must(t, e.removeDuring(t, board.Columns[0].ID,
			func() error { _, _, err := e.Workflows.ReopenTicket(e.Ctx, key); return err }))
		board, err = e.Workflows.Board(e.Ctx, "NINJA")
		domaintest.Must(t, err)
		e.checkColumn(t, board, 0, 1)
	})

	t.Run("it goes to the top of the first done column and back to the end of its own", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[1].ID, 3)
		e.Exec(t, "INSERT INTO assignee (ticket_id, account_id, current, created_at) SELECT id, created_by, TRUE, created_at FROM ticket WHERE board_id = ?", uint64(board.ID))
		for _, key := range keys[:2] {
			if _, _, err := e.Workflows.CloseTicket(e.Ctx, key); err != nil {
				t.Fatal(err)
			}
		}
		e.checkColumn(t, board, 2, 2, 1)
		e.Counts(t, 0, "SELECT COUNT(*) FROM assignee a JOIN ticket t ON t.id = a.ticket_id WHERE t.board_id = ? AND a.current <> (t.closed_at IS NULL)", uint64(board.ID))
		if _, _, err := e.Workflows.ReopenTicket(e.Ctx, keys[0]); err != nil {
			t.Fatal(err)
		}
		e.checkColumn(t, board, 1, 3, 1)
		e.checkColumn(t, board, 2, 2)
		e.Counts(t, 0, "SELECT COUNT(*) FROM assignee a JOIN ticket t ON t.id = a.ticket_id WHERE t.board_id = ? AND a.current <> (t.closed_at IS NULL)", uint64(board.ID))
	})

	t.Run("a closed ticket is not closed again, also by many at once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		key := e.Open(t, "NINJA", board.Columns[0].ID, 1)[0]
		closing := func() error { _, _, err := e.Workflows.CloseTicket(e.Ctx, key); return err }
		if errs := atOnce(closing, closing, closing, closing); countSucceeded(errs) != 4 {
			t.Error(errs)
		}
		e.Counts(t, 1, "SELECT COUNT(*) FROM activity WHERE kind = 'closed'")
		e.checkColumn(t, board, 2, 1)
	})

	t.Run("on a board without a done column it is closed in its column", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		e.Exec(t, "UPDATE board_column SET done = FALSE WHERE board_id = ?", uint64(board.ID))
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 2)
		moved, _, err := e.Workflows.CloseTicket(e.Ctx, keys[0])
		if err != nil || !moved.Ticket.Closed() {
			t.Fatal(moved, err)
		}
		e.checkColumn(t, board, 0, 1, 2)
		if undone, err := e.Workflows.Undo(e.Ctx, moved.Activity); err != nil || undone.Ticket.Closed() {
			t.Error(undone, err)
		}
		e.checkColumn(t, board, 0, 1, 2)
	})

	t.Run("a hard limit of the done column is never exceeded, also by a close against a move", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		e.Exec(t, "UPDATE board_column SET wip_limit = 1, wip_hard = TRUE WHERE id = ?", uint64(board.Columns[2].ID))
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 3)
		errs := atOnce(
			func() error { _, _, err := e.Workflows.CloseTicket(e.Ctx, keys[0]); return err },
			func() error { _, _, err := e.Workflows.CloseTicket(e.Ctx, keys[1]); return err },
			func() error {
				_, _, err := e.Workflows.MoveTicket(e.Ctx, keys[2], tickets.Intent{Column: board.Columns[2].ID})
				return err
			},
		)
		if countSucceeded(errs) != 1 {
			t.Error(errs)
		}
		for _, err := range errs {
			if err != nil && !errors.Is(err, boards.CodeColumnFull) {
				t.Error(err)
			}
		}
		e.checkCounts(t, "NINJA")
	})
}

func TestRestoreTicket(t *testing.T) {
	t.Parallel()

	t.Run("once, also by many at once, at the end of the column it was in", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[1].ID, 3)
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, keys[0]))
		restoring := func() error { _, _, err := e.Workflows.RestoreTicket(e.Ctx, keys[0]); return err }
		if errs := atOnce(restoring, restoring, restoring, restoring); countSucceeded(errs) != 4 {
			t.Error(errs)
		}
		e.Counts(t, 1, "SELECT COUNT(*) FROM activity WHERE kind = 'restored'")
		e.checkColumn(t, board, 1, 2, 3, 1)
	})

	t.Run("into the first column if its own is gone, and never into a full one", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[1].ID, 2)
		for _, key := range keys {
			domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, key))
		}
		e.Exec(t, "UPDATE board_column SET wip_limit = 0, wip_hard = TRUE WHERE id = ?", uint64(board.Columns[1].ID))
		if _, _, err := e.Workflows.RestoreTicket(e.Ctx, keys[0]); !errors.Is(err, boards.CodeColumnFull) {
			t.Error(err)
		}
		e.Exec(t, "DELETE FROM board_column WHERE id = ?", uint64(board.Columns[1].ID))
		if _, _, err := e.Workflows.RestoreTicket(e.Ctx, keys[0]); err != nil {
			t.Fatal(err)
		}
		now := domaintest.OK(e.Workflows.Board(e.Ctx, "NINJA"))(t)
		e.checkColumn(t, now, 0, 1)
	})
}

func TestUndo(t *testing.T) {
	t.Parallel()

	t.Run("further and further back, each action once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 3)
		move := func(key tickets.Key, column int) {
			_, _, err := e.Workflows.MoveTicket(e.Ctx, key, tickets.Intent{Column: board.Columns[column].ID})
			domaintest.Must(t, err)
		}
		move(keys[1], 1)
		move(keys[1], 2)
		_, _, err := e.Workflows.ReopenTicket(e.Ctx, keys[1])
		domaintest.Must(t, err)
		_, _, err = e.Workflows.CloseTicket(e.Ctx, keys[2])
		domaintest.Must(t, err)
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, keys[0]))
		for _, want := range [][]uint64{{1}, {1, 3}, {1, 3}, {1, 3}, {1, 2, 3}} {
			domaintest.OK(e.Workflows.Undo(e.Ctx, 0))(t)
			e.checkColumn(t, board, 0, want...)
		}
		e.checkColumn(t, board, 1)
		e.checkColumn(t, board, 2)
		domaintest.Fails(e.Workflows.Undo(e.Ctx, 0))(t, tickets.CodeNothingToUndo)
		e.Counts(t, 0, "SELECT COUNT(*) FROM ticket WHERE board_id = ? AND (closed_at IS NOT NULL OR deleted_at IS NOT NULL)",
			uint64(board.ID))
	})

	t.Run("of one action by many at once has one winner", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 2)
		moved, _, err := e.Workflows.MoveTicket(e.Ctx, keys[0], tickets.Intent{Column: board.Columns[1].ID})
		domaintest.Must(t, err)
		undo := func() error { _, err := e.Workflows.Undo(e.Ctx, moved.Activity); return err }
		errs := atOnce(undo, undo, undo, undo)
		if countSucceeded(errs) != 1 {
			t.Error(errs)
		}
		for _, err := range errs {
			if err != nil && !errors.Is(err, tickets.CodeUndoneBefore) {
				t.Error(err)
			}
		}
		e.checkColumn(t, board, 0, 1, 2)
	})

	t.Run("two of the last at once are two actions", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 3)
		for _, key := range keys {
			_, _, err := e.Workflows.CloseTicket(e.Ctx, key)
			domaintest.Must(t, err)
		}
		undo := func() error { _, err := e.Workflows.Undo(e.Ctx, 0); return err }
		if errs := atOnce(undo, undo, undo); countSucceeded(errs) != 3 {
			t.Error(errs)
		}
		e.checkColumn(t, board, 2)
		e.checkCounts(t, "NINJA")
	})

	t.Run("a ticket goes back to its board and its key, below the one that it was below", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board, other := e.Board(t, "NINJA"), e.Board(t, "OTHER")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 3)
		moved, _, err := e.Workflows.MoveTicket(e.Ctx, keys[1], tickets.Intent{Board: "OTHER", Column: other.Columns[2].ID})
		domaintest.Must(t, err)
		undone, err := e.Workflows.Undo(e.Ctx, 0)
		domaintest.Must(t, err)
		if undone.Ticket.Key != keys[1] || undone.Ticket.Closed() || moved.Ticket.Key.Board != "OTHER" {
			t.Errorf("%+v", undone.Ticket)
		}
		e.checkColumn(t, board, 0, 1, 2, 3)
		e.checkColumn(t, other, 2)
	})

	t.Run("if the column is gone it goes to the first, and the result says so", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		key := e.Open(t, "NINJA", board.Columns[1].ID, 1)[0]
		_, _, err := e.Workflows.CloseTicket(e.Ctx, key)
		domaintest.Must(t, err)
		e.Exec(t, "DELETE FROM board_column WHERE id = ?", uint64(board.Columns[1].ID))
		undone, err := e.Workflows.Undo(e.Ctx, 0)
		domaintest.Must(t, err)
		if !undone.Gone || undone.Ticket.Column != board.Columns[0].ID || undone.Ticket.Closed() {
			t.Errorf("%+v", undone)
		}
	})
}

func TestUndoConflicts(t *testing.T) {
	t.Parallel()
	t.Run("against a move by another: the move stays if it came first, and nothing is lost", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		bob := e.As(t, "Bob", accounts.Member)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 6)
		for _, key := range keys {
			moved, _, err := e.Workflows.MoveTicket(e.Ctx, key, tickets.Intent{Column: board.Columns[1].ID})
			domaintest.Must(t, err)
			errs := atOnce(
				func() error { _, err := e.Workflows.Undo(e.Ctx, moved.Activity); return err },
				func() error {
					_, _, err := e.Workflows.MoveTicket(bob, key, tickets.Intent{Column: board.Columns[2].ID})
					return err
				},
			)
			if errs[1] != nil || errs[0] != nil && !errors.Is(errs[0], tickets.CodeChangedSince) {
				t.Error(errs)
			}
			now, err := e.Workflows.Ticket(e.Ctx, key)
			domaintest.Must(t, err)
			if now.Column != board.Columns[2].ID {
				t.Errorf("%s is not where Bob put it", key)
			}
		}
		e.checkCounts(t, "NINJA")
	})
	t.Run("not after another user's close, delete or restore; but after one that was undone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		bob := e.As(t, "Bob", accounts.Member)
		board := e.Board(t, "NINJA")
		key := e.Open(t, "NINJA", board.Columns[0].ID, 1)[0]
		moved, _, err := e.Workflows.MoveTicket(e.Ctx, key, tickets.Intent{Column: board.Columns[1].ID})
		domaintest.Must(t, err)
		closed, _, err := e.Workflows.CloseTicket(bob, key)
		domaintest.Must(t, err)
		refused := func() {
			t.Helper()
			if _, err := e.Workflows.Undo(e.Ctx, moved.Activity); !errors.Is(err, tickets.CodeChangedSince) ||
				!strings.HasPrefix(fault.Message(err), "Bob ") {
				t.Error(err)
			}
		}
		refused()
		domaintest.Must(t, e.Workflows.DeleteTicket(bob, key))
		refused()
		_, _, err = e.Workflows.RestoreTicket(bob, key)
		domaintest.Must(t, err)
		refused()
		if _, err := e.Workflows.Undo(bob, closed.Activity); err == nil {
			t.Error("a close was undone after a deletion and a restoration")
		}

		other := e.Open(t, "NINJA", board.Columns[0].ID, 1)[0]
		moved, _, err = e.Workflows.MoveTicket(e.Ctx, other, tickets.Intent{Column: board.Columns[1].ID})
		domaintest.Must(t, err)
		closed, _, err = e.Workflows.CloseTicket(bob, other)
		domaintest.Must(t, err)
		_, err = e.Workflows.Undo(bob, closed.Activity)
		domaintest.Must(t, err)
		undone, err := e.Workflows.Undo(e.Ctx, moved.Activity)
		domaintest.Must(t, err)
		if undone.Ticket.Column != board.Columns[0].ID {
			t.Error("it did not go back")
		}
	})
	t.Run("not past a hard limit, not on an archived board, not after half an hour", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 2)
		moved, _, err := e.Workflows.MoveTicket(e.Ctx, keys[0], tickets.Intent{Column: board.Columns[1].ID})
		domaintest.Must(t, err)
		e.Exec(t, "UPDATE board_column SET wip_limit = 1, wip_hard = TRUE WHERE id = ?", uint64(board.Columns[0].ID))
		domaintest.Fails(e.Workflows.Undo(e.Ctx, moved.Activity))(t, boards.CodeColumnFull)
		e.Exec(t, "UPDATE board_column SET wip_limit = NULL WHERE id = ?", uint64(board.Columns[0].ID))
		e.Exec(t, "UPDATE board SET archived_at = created_at WHERE id = ?", uint64(board.ID))
		domaintest.Fails(e.Workflows.Undo(e.Ctx, moved.Activity))(t, boards.CodeArchived)
		e.Exec(t, "UPDATE board SET archived_at = NULL WHERE id = ?", uint64(board.ID))
		e.Exec(t, "UPDATE activity SET created_at = ? WHERE id = ?", time.Now().UTC().Add(-tickets.UndoFor-time.Minute),
			uint64(moved.Activity))
		for _, activity := range []id.Activity{0, moved.Activity} {
			domaintest.Fails(e.Workflows.Undo(e.Ctx, activity))(t, tickets.CodeNothingToUndo)
		}
	})
}

func TestUndoAssignees(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) (e *env, change func(ctx context.Context, add, remove context.Context) id.Activity, is func(want string)) {
		e = newEnv(t)
		change = func(ctx context.Context, add, remove context.Context) id.Activity {
			t.Helper()
			var wish workflows.Assignment
			if add != nil {
				wish.Add = []id.Account{accounts.ActorFrom(add).Account.ID}
			}
			if remove != nil {
				wish.Remove = []id.Account{accounts.ActorFrom(remove).Account.ID}
			}
			_, entry, err := e.Workflows.AssignTicket(ctx, demo1, wish)
			domaintest.Must(t, err)
			return entry.ID
		}
		is = func(want string) {
			t.Helper()
			var names []string
			for _, one := range domaintest.OK(e.Workflows.Ticket(e.Ctx, demo1))(t).Assignees {
				names = append(names, one.Name)
			}
			if got := strings.Join(names, ", "); got != want {
				t.Errorf("assigned to %q, not %q", got, want)
			}
		}
		return e, change, is
	}
	t.Run("as it was, once, beside others that were assigned since", func(t *testing.T) {
		t.Parallel()
		e, change, is := start(t)
		ben, cleo := e.As(t, "Ben", accounts.Member), e.As(t, "Cleo", accounts.Member)
		first := change(e.Ctx, ben, nil)
		change(cleo, cleo, nil)
		domaintest.Exec(t, e.DB, "UPDATE ticket t JOIN board b ON b.id = t.board_id SET t.feed_sync_id = 4711 WHERE b.slug = 'DEMO' AND t.local_id = 1")
		undone := domaintest.OK(e.Workflows.Undo(e.Ctx, first))(t)
		is("Cleo")
		if undone.Kind != tickets.KindAssigned || len(undone.Ticket.Assignees) != 1 {
			t.Errorf("undone: %+v", undone)
		}
		e.Counts(t, 1, "SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'DEMO' AND t.local_id = 1 AND t.feed_sync_id IS NULL")
		domaintest.Fails(e.Workflows.Undo(e.Ctx, first))(t, tickets.CodeUndoneBefore)
		domaintest.Fails(e.Workflows.Undo(ben, first))(t, tickets.CodeNothingToUndo)

		out := change(e.Ctx, nil, cleo)
		e.hears(t, cleo)
		domaintest.OK(e.Workflows.Undo(e.Ctx, 0))(t) // the last one
		is("Cleo")
		e.hears(t, cleo)
		domaintest.Fails(e.Workflows.Undo(e.Ctx, out))(t, tickets.CodeUndoneBefore)
		history, _, err := e.Workflows.History(e.Ctx, domaintest.OK(e.Workflows.Ticket(e.Ctx, demo1))(t).ID, 0)
		if err != nil || history[0].Kind != tickets.KindAssigned || history[0].Detail.Undid != tickets.KindAssigned ||
			*history[0].Detail.Assignees != (tickets.Change{New: "Cleo"}) {
			t.Errorf("the history has %+v, %v", history[0], err)
		}
		domaintest.Fails(e.Workflows.Undo(e.Ctx, history[0].ID))(t, tickets.CodeNothingToUndo)
	})
	t.Run("not if that was changed since, or nobody can be assigned again", func(t *testing.T) {
		t.Parallel()
		e, change, is := start(t)
		ben, cleo := e.As(t, "Ben", accounts.Member), e.As(t, "Cleo", accounts.Member)
		first := change(e.Ctx, ben, nil)
		change(ben, nil, ben)
		domaintest.Fails(e.Workflows.Undo(e.Ctx, first))(t, tickets.CodeChangedSince)
		change(cleo, cleo, nil)
		second := change(e.Ctx, nil, cleo)
		change(cleo, cleo, nil)
		domaintest.Fails(e.Workflows.Undo(e.Ctx, second))(t, tickets.CodeChangedSince)
		third := change(e.Ctx, nil, cleo)
		domaintest.Exec(t, e.DB, "UPDATE membership SET role = 'viewer' WHERE account_id = ?", uint64(accounts.ActorFrom(cleo).Account.ID))
		domaintest.Fails(e.Workflows.Undo(e.Ctx, third))(t, tickets.CodeNotAssignable)
		is("")
		domaintest.Exec(t, e.DB, "UPDATE membership SET role = 'member' WHERE account_id = ?", uint64(accounts.ActorFrom(cleo).Account.ID))
		domaintest.OK(e.Workflows.Undo(e.Ctx, third))(t) // a refusal leaves it to be undone
		is("Cleo")
	})
	t.Run("not if it was recorded before that could be undone", func(t *testing.T) {
		t.Parallel()
		e, change, is := start(t)
		ben := e.As(t, "Ben", accounts.Member)
		entry := change(e.Ctx, ben, nil)
		domaintest.Exec(t, e.DB, "UPDATE activity SET detail = JSON_REMOVE(detail, '$.assigned') WHERE id = ?", uint64(entry))
		domaintest.Fails(e.Workflows.Undo(e.Ctx, entry))(t, tickets.CodeNothingToUndo)
		domaintest.Fails(e.Workflows.Undo(e.Ctx, 0))(t, tickets.CodeNothingToUndo)
		is("Ben")
	})
}
