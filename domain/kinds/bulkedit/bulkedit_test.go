package bulkedit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

type env struct {
	*apptest.Env
	board boards.Board   // NINJA
	more  []boards.Board // others that bulk edits are about
	scope string         // whose tickets bulk edits change
}

// newEnv has a board, and a worker that works until the test ends.
func newEnv(t *testing.T) *env {
	t.Helper()
	e := &env{Env: apptest.New(t), scope: "NINJA"}
	e.board = e.Board(t, "NINJA")
	working, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = e.Worker.Work(working) }()
	t.Cleanup(func() { end(); <-done })
	return e
}

// open opens a bulk edit.
func (e *env) open(t testing.TB, ctx context.Context, wish workflows.BulkRequest) bulkedits.BulkEdit {
	t.Helper()
	return domaintest.OK(e.Workflows.OpenBulkEdit(ctx, e.scope, wish, nil))(t)
}

// rests waits until a bulk edit is in a state, and returns it as it is then.
func (e *env) rests(t testing.TB, edit bulkedits.BulkEdit, in ...migrations.State) (now bulkedits.BulkEdit) {
	t.Helper()
	domaintest.Until(t, fmt.Sprintf("bulk edit %d is %v", edit.ID, in), func() bool {
		now = domaintest.OK(e.Workflows.BulkEdit(e.Ctx, edit.ID))(t)
		return slices.Contains(in, now.State)
	})
	return now
}

// do carries out a bulk edit of the tickets that match, and returns it as it is then.
func (e *env) do(t testing.TB, ctx context.Context, wish workflows.BulkRequest) bulkedits.BulkEdit {
	t.Helper()
	return e.rests(t, e.open(t, ctx, wish), migrations.Complete, migrations.Cancelled)
}

func (e *env) undo(t testing.TB, ctx context.Context, edit bulkedits.BulkEdit) bulkedits.BulkEdit {
	t.Helper()
	opened := domaintest.OK(e.Workflows.UndoBulkEdit(ctx, edit.ID, false, nil))(t)
	return e.rests(t, opened, migrations.Complete, migrations.Cancelled)
}

// is checks the counts of a bulk edit that is over.
func is(t testing.TB, edit bulkedits.BulkEdit, changed, unchanged, refused int) {
	t.Helper()
	if edit.State != migrations.Complete || edit.Changed != changed || edit.Unchanged != unchanged || edit.Refused != refused {
		t.Errorf("bulk edit %d is %s (%s): %d changed, %d unchanged, %d refused; not %d, %d, %d", edit.ID, edit.State, edit.Reason,
			edit.Changed, edit.Unchanged, edit.Refused, changed, unchanged, refused)
	}
}

// reasons are those of the refused tickets, for a reader.
func (e *env) reasons(t testing.TB, ctx context.Context, edit bulkedits.BulkEdit) string {
	t.Helper()
	items, _, err := e.Workflows.BulkEditItems(ctx, edit, bulkedits.Refused, 0)
	domaintest.Must(t, err)
	var list []string
	for _, item := range items {
		if item.Hidden {
			list = append(list, "hidden")
			continue
		}
		list = append(list, item.Key.String()+": "+item.Reason)
	}
	return strings.Join(list, "\n")
}

func (e *env) labels(t testing.TB, key tickets.Key) string {
	t.Helper()
	var names []string
	for _, label := range e.Ticket(t, key.String()).Labels {
		names = append(names, label.Name)
	}
	return strings.Join(names, " ")
}

// state is what bulk edits may change of the tickets of their boards, with the order of the columns.
func (e *env) state(t testing.TB) string {
	t.Helper()
	var out strings.Builder
	for _, board := range append([]boards.Board{e.board}, e.more...) {
		e.writeState(t, &out, board)
	}
	return out.String()
}

func (e *env) writeState(t testing.TB, out *strings.Builder, board boards.Board) {
	t.Helper()
	for _, column := range board.Columns {
		fmt.Fprintf(out, "%s: %v\n", column.Name, e.Stored(t, board).Columns[column.ID])
	}
	for number := uint64(1); number <= 200; number++ {
		ticket, err := e.Workflows.Ticket(e.Ctx, tickets.Key{Board: board.Slug, Number: number})
		if err != nil {
			break
		}
		if ticket.Key.Board != board.Slug {
			continue // it went to another board
		}
		var names []string
		for _, one := range ticket.Assignees {
			names = append(names, one.Handle)
		}
		parent, _ := ticket.Parent()
		fmt.Fprintln(out, ticket.Key, ticket.Priority, ticket.Start, ticket.Due, names, e.labels(t, ticket.Key), ticket.Closed(), parent.Key)
	}
}

// TestBulkEdit changes all tickets that match in each way, and takes that back as a whole, again and again.
func TestBulkEdit(t *testing.T) {
	t.Parallel()
	doing := func(e *env) *bulkedits.NamedColumn {
		return &bulkedits.NamedColumn{ID: e.board.Columns[1].ID, Name: "Doing"}
	}
	done := func(e *env) *bulkedits.NamedColumn {
		column, _ := e.board.FirstColumn(true)
		return &bulkedits.NamedColumn{ID: column.ID, Name: column.Name}
	}
	for name, edits := range map[string]func(e *env, mia id.Account, old id.Label) []bulkedits.Edit{
		"in place": func(_ *env, mia id.Account, old id.Label) []bulkedits.Edit {
			return []bulkedits.Edit{
				{Kind: bulkedits.Assign, Add: []bulkedits.Person{{ID: mia, Handle: "mia"}}},
				{Kind: bulkedits.Label, Labels: []string{"later", "bug"}, Unlabel: []bulkedits.NamedLabel{{ID: old, Name: "old"}}},
				{Kind: bulkedits.Priority, Priority: "high"},
				{Kind: bulkedits.Due, Due: "2030-01-02"},
				{Kind: bulkedits.Start, Start: "2030-01-01"},
			}
		},
		"to the top and the bottom": func(e *env, _ id.Account, _ id.Label) []bulkedits.Edit {
			return []bulkedits.Edit{{Kind: bulkedits.Move, Column: doing(e)}, {Kind: bulkedits.Move, Column: done(e), Bottom: true}}
		},
		"off the board": func(e *env, _ id.Account, _ id.Label) []bulkedits.Edit {
			return []bulkedits.Edit{{Kind: bulkedits.Close}, {Kind: bulkedits.Delete}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			mia := accounts.ActorFrom(e.As(t, "Mia", accounts.Member)).Account.ID
			keys := e.Open(t, "NINJA", e.board.Columns[0].ID, 60) // more than a block
			for i, key := range keys {
				if i%3 == 0 {
					_, _, err := e.Workflows.LabelTicket(e.Ctx, key, workflows.Labelling{Named: []string{"old", "bug"}})
					domaintest.Must(t, err)
				}
			}
			for _, edit := range edits(e, mia, e.label(t, "old")) {
				e.backAndForth(t, edit, len(keys))
			}
			e.Sound(t)
		})
	}
}

// TestBulkMoveToBoard moves tickets to another board, and takes that back.
func TestBulkMoveToBoard(t *testing.T) {
	t.Parallel()
	to := func(board boards.Board) bulkedits.Edit {
		return bulkedits.Edit{Kind: bulkedits.Board, Board: &bulkedits.NamedBoard{ID: board.ID, Slug: board.Slug, Title: board.Title}}
	}
	// twoBoards has tickets in the columns of NINJA, and one on OTHER.
	twoBoards := func(t *testing.T, each int) (*env, boards.Board) {
		t.Helper()
		e := newEnv(t)
		for _, column := range e.board.Columns {
			e.Open(t, "NINJA", column.ID, each)
		}
		other := e.Board(t, "OTHER")
		e.Open(t, "OTHER", other.Columns[1].ID, 1)
		e.more = []boards.Board{other}
		return e, other
	}

	t.Run("back and forth, each to the column with the name of its own", func(t *testing.T) {
		t.Parallel()
		e, other := twoBoards(t, 25)
		before, n := e.state(t), 25*len(e.board.Columns)
		moved := e.do(t, e.Ctx, workflows.BulkRequest{Edit: to(other)})
		is(t, moved, n, 0, 0)
		for _, column := range other.Columns {
			if got := e.Stored(t, other).Columns[column.ID]; len(got) < 25 {
				t.Errorf("%s has %v", column.Name, got)
			}
		}
		after := e.state(t)
		undone := e.undo(t, e.Ctx, moved)
		is(t, undone, n, 0, 0)
		if now := e.state(t); now != before {
			t.Errorf("taken back:\n%s\nbefore:\n%s", now, before)
		}
		is(t, e.undo(t, e.Ctx, moved), 0, 0, n) // twice is once
		redone := e.undo(t, e.Ctx, undone)
		is(t, redone, n, 0, 0)
		if now := e.state(t); now != after {
			t.Errorf("moved again:\n%s\nat first:\n%s", now, after)
		}
		e.scope = workflows.AllBoards
		is(t, e.do(t, e.Ctx, workflows.BulkRequest{Query: "board:OTHER", Edit: to(other)}), 0, n+1, 0)
		e.Sound(t)
	})

	t.Run("where they may not come, or go back, they stay", func(t *testing.T) {
		t.Parallel()
		e, other := twoBoards(t, 10)
		mia := e.As(t, "Mia", accounts.Member)
		dry := e.do(t, mia, workflows.BulkRequest{Edit: to(other), Dry: true})
		is(t, dry, 10*len(e.board.Columns), 0, 0)
		e.Counts(t, 1, "SELECT max_ticket_id FROM board_ticket_incrementer WHERE board_id = ?", uint64(other.ID)) // no number is lost by a preview
		moved := e.rests(t, e.open(t, mia, workflows.BulkRequest{Edit: to(other), Canary: 10}), migrations.Paused)
		domaintest.OK(e.Workflows.ArchiveBoard(e.Ctx, "OTHER", true, nil))(t)
		domaintest.Must(t, e.Workflows.ResumeBulkEdit(e.Ctx, moved.ID))
		moved = e.rests(t, moved, migrations.Complete)
		is(t, moved, 10, 0, 10*len(e.board.Columns)-10)
		if why := e.reasons(t, mia, moved); !strings.Contains(why, boards.Archived().Error()) {
			t.Error(why)
		}
		e.Counts(t, 11, "SELECT max_ticket_id FROM board_ticket_incrementer WHERE board_id = ?", uint64(other.ID)) // nor by a refusal
		is(t, e.undo(t, mia, moved), 0, 0, 10)                                                                     // they are on an archived board
		domaintest.OK(e.Workflows.ArchiveBoard(e.Ctx, "OTHER", false, nil))(t)
		_, err := e.Workflows.RemoveColumn(e.Ctx, "NINJA", e.board.Columns[0].ID, e.board.Columns[1].ID, nil)
		domaintest.Must(t, err)
		undone := e.undo(t, mia, moved)
		is(t, undone, 0, 0, 10)
		if why := e.reasons(t, mia, undone); !strings.Contains(why, boards.ColumnGone().Error()) {
			t.Error(why)
		}
		hidden := domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, "OTHER", true))(t)
		refused := e.do(t, mia, workflows.BulkRequest{Edit: to(hidden)})
		if refused.Changed != 0 || refused.Refused == 0 || !strings.Contains(e.reasons(t, mia, refused), boards.Unknown().Error()) {
			t.Errorf("%+v: %s", refused, e.reasons(t, mia, refused))
		}
		e.Sound(t)
	})
}

// TestBulkParent gives tickets a parent, and takes that back.
func TestBulkParent(t *testing.T) {
	t.Parallel()
	below := func(parent tickets.Ticket) bulkedits.Edit {
		return bulkedits.Edit{Kind: bulkedits.Parent, Parent: &bulkedits.NamedTicket{ID: parent.ID, Key: parent.Key}}
	}
	// family has tickets, and a parent for them on another board.
	family := func(t *testing.T, n int) (*env, []tickets.Key, tickets.Ticket) {
		t.Helper()
		e := newEnv(t)
		keys := e.Open(t, "NINJA", e.board.Columns[0].ID, n)
		other := e.Board(t, "OTHER")
		return e, keys, e.Ticket(t, e.Open(t, "OTHER", other.Columns[0].ID, 1)[0].String())
	}

	t.Run("back and forth", func(t *testing.T) {
		t.Parallel()
		e, keys, parent := family(t, 30)
		e.backAndForth(t, below(parent), 30)
		is(t, e.do(t, e.Ctx, workflows.BulkRequest{Edit: below(parent)}), 30, 0, 0)
		e.backAndForth(t, bulkedits.Edit{Kind: bulkedits.Parent}, 30)
		is(t, e.do(t, e.Ctx, workflows.BulkRequest{Edit: below(parent)}), 0, 30, 0)

		set := e.do(t, e.Ctx, workflows.BulkRequest{Query: keys[0].String(), Edit: bulkedits.Edit{Kind: bulkedits.Parent}})
		is(t, set, 1, 0, 0)
		_, _, err := e.Workflows.Relate(e.Ctx, keys[0], tickets.Parent, keys[1])
		domaintest.Must(t, err)
		undone := e.undo(t, e.Ctx, set)
		is(t, undone, 0, 0, 1)
		if why := e.reasons(t, e.Ctx, undone); !strings.Contains(why, "has another parent") {
			t.Error(why)
		}
		e.Sound(t)
	})

	t.Run("a ticket that cannot be a child, or has another parent, stays", func(t *testing.T) {
		t.Parallel()
		e, keys, parent := family(t, 3)
		mia := e.As(t, "Mia", accounts.Member)
		_, _, err := e.Workflows.Relate(e.Ctx, keys[0], tickets.Parent, keys[1])
		domaintest.Must(t, err)
		set := e.do(t, mia, workflows.BulkRequest{Edit: below(e.Ticket(t, keys[0].String()))})
		is(t, set, 1, 0, 2)
		why := e.reasons(t, mia, set)
		for _, part := range []string{keys[0].String() + ": " + tickets.RelatedToItself(keys[0]).Error(), "NINJA-2: "} {
			if !strings.Contains(why, part) {
				t.Errorf("%q is not in\n%s", part, why)
			}
		}
		is(t, e.do(t, mia, workflows.BulkRequest{Edit: below(parent)}), 1, 0, 2) // two have parents

		domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, "OTHER", true))(t)
		domaintest.OK(e.Workflows.NameOnBoard(e.Ctx, "OTHER", "mia", "viewer"))(t)
		removed := e.do(t, mia, workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Parent}})
		is(t, removed, 2, 0, 1)
		if why := e.reasons(t, mia, removed); !strings.Contains(why, accounts.ReadOnly().Error()) {
			t.Error(why)
		}
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, parent.Key))
		refused := e.do(t, mia, workflows.BulkRequest{Edit: below(parent)})
		if why := e.reasons(t, mia, refused); refused.Changed != 0 || !strings.Contains(why, tickets.RelatedNotFound(parent.Key.String()).Error()) {
			t.Errorf("%+v: %s", refused, why)
		}
		e.Sound(t)
	})
}

// TestBulkEditOfAllBoards changes tickets of several boards at once, as far as its maker may, and takes that back.
func TestBulkEditOfAllBoards(t *testing.T) {
	t.Parallel()
	// boardsOf has a board OTHER with tickets beside NINJA, in a scope of all boards.
	boardsOf := func(t *testing.T, each int) *env {
		t.Helper()
		e := newEnv(t)
		e.scope = workflows.AllBoards
		domaintest.OK(e.Workflows.ArchiveBoard(e.Ctx, "DEMO", true, nil))(t)
		other := e.Board(t, "OTHER")
		e.more = []boards.Board{other}
		for range each { // so that blocks have tickets of both
			e.Open(t, "NINJA", e.board.Columns[0].ID, 1)
			e.Open(t, "OTHER", other.Columns[1].ID, 1)
		}
		return e
	}

	t.Run("back and forth", func(t *testing.T) {
		t.Parallel()
		e := boardsOf(t, 20)
		mia := accounts.ActorFrom(e.As(t, "Mia", accounts.Member)).Account.ID
		for _, edit := range []bulkedits.Edit{
			{Kind: bulkedits.Assign, Add: []bulkedits.Person{{ID: mia, Handle: "mia"}}},
			{Kind: bulkedits.Label, Labels: []string{"later", "bug"}},
			{Kind: bulkedits.Start, Start: "2030-01-02"},
			{Kind: bulkedits.Move, ColumnNamed: "done", Bottom: true},
			{Kind: bulkedits.Close},
			{Kind: bulkedits.Delete},
		} {
			e.backAndForth(t, edit, 40)
		}
		is(t, e.do(t, e.Ctx, workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Close}}), 40, 0, 0)
		e.Counts(t, 2, "SELECT COUNT(DISTINCT column_id) FROM ticket WHERE closed_at IS NOT NULL")
		closed := e.state(t)
		reopened := e.do(t, e.Ctx, workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Reopen}})
		is(t, reopened, 40, 0, 0)
		is(t, e.undo(t, e.Ctx, reopened), 40, 0, 0)
		if now := e.state(t); now != closed {
			t.Errorf("closed again:\n%s\nbefore:\n%s", now, closed)
		}
		e.Sound(t)
	})

	t.Run("a column by its name, where there is one", func(t *testing.T) {
		t.Parallel()
		e := boardsOf(t, 3)
		e.Exec(t, "UPDATE board_column SET name = 'Review' WHERE id = ?", uint64(e.board.Columns[1].ID))
		moved := e.do(t, e.Ctx, workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Move, ColumnNamed: "review"}})
		is(t, moved, 3, 0, 3)
		if why := e.reasons(t, e.Ctx, moved); strings.Count(why, "no column “review”") != 3 {
			t.Error(why)
		}
		top := e.do(t, e.Ctx, workflows.BulkRequest{Query: "-NINJA-1 -OTHER-1", Edit: bulkedits.Edit{Kind: bulkedits.Move, Bottom: true}})
		is(t, top, 4, 0, 0)
		e.Sound(t)
	})

	t.Run("of the boards that its maker sees, and may change", func(t *testing.T) {
		t.Parallel()
		e := boardsOf(t, 3)
		mia := e.As(t, "Mia", accounts.Member)
		for slug, role := range map[string]string{"READ": "viewer", "SECRET": ""} {
			private := e.Board(t, slug)
			e.Open(t, slug, private.Columns[0].ID, 2)
			domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, slug, true))(t)
			if role != "" {
				domaintest.OK(e.Workflows.NameOnBoard(e.Ctx, slug, "mia", role))(t)
			}
		}
		past := e.Board(t, "PAST")
		e.Open(t, "PAST", past.Columns[0].ID, 2)
		domaintest.OK(e.Workflows.ArchiveBoard(e.Ctx, "PAST", true, nil))(t)
		high := bulkedits.Edit{Kind: bulkedits.Priority, Priority: "high"}
		set := e.do(t, mia, workflows.BulkRequest{Edit: high})
		is(t, set, 6, 0, 2)
		for _, key := range []string{"READ-1: ", "READ-2: "} {
			if why := e.reasons(t, mia, set); !strings.Contains(why, key+accounts.ReadOnly().Error()) {
				t.Errorf("%q is not in\n%s", key, why)
			}
		}
		is(t, e.do(t, mia, workflows.BulkRequest{Query: "board:PAST", Edit: high}), 0, 0, 2)
		e.Counts(t, 6, "SELECT COUNT(*) FROM ticket WHERE priority > 0")

		// One goes to another board, which is fine for what stays in place; another to one that Mia does not see.
		keys := []tickets.Key{{Board: "NINJA", Number: 1}, {Board: "NINJA", Number: 2}}
		secret := domaintest.OK(e.Workflows.Board(e.Ctx, "SECRET"))(t)
		_, _, err := e.Workflows.MoveTicket(e.Ctx, keys[0], tickets.Intent{Board: "OTHER", Column: e.more[0].Columns[0].ID})
		domaintest.Must(t, err)
		_, _, err = e.Workflows.MoveTicket(e.Ctx, keys[1], tickets.Intent{Board: "SECRET", Column: secret.Columns[0].ID})
		domaintest.Must(t, err)
		undone := e.undo(t, mia, set)
		is(t, undone, 5, 0, 1)
		if why := e.reasons(t, mia, undone); why != "hidden" {
			t.Errorf("Mia reads %q", why)
		}

		closed := e.do(t, mia, workflows.BulkRequest{Query: "board:OTHER", Edit: bulkedits.Edit{Kind: bulkedits.Close}})
		is(t, closed, 4, 0, 0)
		_, _, err = e.Workflows.MoveTicket(e.Ctx, tickets.Key{Board: "OTHER", Number: 1}, tickets.Intent{Board: "NINJA", Column: e.board.Columns[0].ID})
		domaintest.Must(t, err)
		domaintest.OK(e.Workflows.ArchiveBoard(e.Ctx, "OTHER", true, nil))(t)
		undone = e.undo(t, mia, closed)
		is(t, undone, 0, 0, 4)
		if why := e.reasons(t, mia, undone); strings.Count(why, boards.Archived().Error()) != 3 || !strings.Contains(why, "moved to another board") {
			t.Error(why)
		}
		e.Sound(t)
	})

	t.Run("a new label is made where it belongs, and one name leads to a label on each board", func(t *testing.T) {
		t.Parallel()
		e := boardsOf(t, 2)
		for _, slug := range []string{"NINJA", "OTHER"} {
			domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, slug, true))(t)
		}
		is(t, e.do(t, e.Ctx, workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Label, Labels: []string{"own", "two"}}}), 4, 0, 0)
		e.Counts(t, 4, "SELECT COUNT(*) FROM label WHERE board_id > 0")
		e.Counts(t, 8, "SELECT COUNT(*) FROM ticket_label l JOIN ticket t ON t.id = l.ticket_id JOIN label n ON n.id = l.label_id AND n.board_id = t.board_id")
		var own []bulkedits.NamedLabel
		for _, label := range domaintest.OK(e.Workflows.Labels(e.Ctx))(t) {
			if label.Name == "own" {
				own = append(own, bulkedits.NamedLabel{ID: label.ID, Name: label.Name})
			}
		}
		e.backAndForth(t, bulkedits.Edit{Kind: bulkedits.Label, Unlabel: own}, 4)
		e.Sound(t)
	})

	t.Run("whom a board is hidden from is not assigned there", func(t *testing.T) {
		t.Parallel()
		e := boardsOf(t, 2)
		mia := accounts.ActorFrom(e.As(t, "Mia", accounts.Member)).Account.ID
		domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, "OTHER", true))(t)
		edit := bulkedits.Edit{Kind: bulkedits.Assign, Add: []bulkedits.Person{{ID: mia, Handle: "mia"}}}
		assigned := e.do(t, e.Ctx, workflows.BulkRequest{Edit: edit})
		is(t, assigned, 2, 0, 2)
		e.Counts(t, 2, "SELECT COUNT(*) FROM assignee a JOIN ticket t ON t.id = a.ticket_id WHERE t.board_id = ?", uint64(e.board.ID))
		e.Sound(t)
	})

	t.Run("it is its maker's, and of the company's admins", func(t *testing.T) {
		t.Parallel()
		e := boardsOf(t, 1)
		mia, max, adam := e.As(t, "Mia", accounts.Member), e.As(t, "Max", accounts.Member), e.As(t, "Adam", accounts.Admin)
		made := e.do(t, mia, workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Close}})
		is(t, made, 2, 0, 0)
		domaintest.Fails(e.Workflows.BulkEdit(max, made.ID))(t, bulkedits.CodeNotFound)
		domaintest.OK(e.Workflows.BulkEdit(adam, made.ID))(t)
		if list, _, err := e.Workflows.BulkEdits(mia, 0); err != nil || len(list) != 1 || list[0].Board != 0 {
			t.Errorf("%+v, %v", list, err)
		}
		is(t, e.undo(t, adam, made), 2, 0, 0)
		column := &bulkedits.NamedColumn{ID: e.board.Columns[1].ID}
		for _, bad := range []bulkedits.Edit{{Kind: bulkedits.Move, Column: column}, {Kind: bulkedits.Undo}, {}} {
			domaintest.Fails(e.Workflows.OpenBulkEdit(mia, workflows.AllBoards, workflows.BulkRequest{Edit: bad}, nil))(t, bulkedits.CodeBadEdit)
		}
	})
}

// label is the label of a name.
func (e *env) label(t testing.TB, name string) id.Label {
	t.Helper()
	list := domaintest.OK(e.Workflows.LabelsOn(e.Ctx, e.board))(t)
	return list[slices.IndexFunc(list, func(l labels.Label) bool { return l.Name == name })].ID
}

// backAndForth does an edit of all open tickets, takes it back, and takes that back.
func (e *env) backAndForth(t *testing.T, edit bulkedits.Edit, n int) {
	t.Helper()
	before := e.state(t)
	first := e.do(t, e.Ctx, workflows.BulkRequest{Query: "-status:closed", Edit: edit})
	is(t, first, n, 0, 0)
	after := e.state(t)
	if after == before {
		t.Errorf("%s changed nothing", edit)
	}
	undone := e.undo(t, e.Ctx, first)
	is(t, undone, n, 0, 0)
	if now := e.state(t); now != before {
		t.Errorf("after the undo of %s:\n%s\nbefore:\n%s", edit, now, before)
	}
	is(t, e.undo(t, e.Ctx, first), 0, 0, n) // twice is once
	redone := e.undo(t, e.Ctx, undone)
	is(t, redone, n, 0, 0)
	if now := e.state(t); now != after {
		t.Errorf("after the undo of the undo of %s:\n%s\nafter it:\n%s", edit, now, after)
	}
	is(t, e.undo(t, e.Ctx, redone), n, 0, 0)
	if now := e.state(t); now != before {
		t.Errorf("after three undos of %s:\n%s\nbefore:\n%s", edit, now, before)
	}
}

func TestBulkEditBesideOthers(t *testing.T) {
	t.Parallel()
	high := bulkedits.Edit{Kind: bulkedits.Priority, Priority: "high"}
	t.Run("a dry run says what would be changed and refused, and changes nothing", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		keys := e.Open(t, "NINJA", e.board.Columns[0].ID, 4)
		start := tickets.Day(2030, 2, 1)
		_, _, err := e.Workflows.SetProperties(e.Ctx, keys[1], tickets.PropertyEdit{Start: &start})
		domaintest.Must(t, err)
		before := e.state(t)
		history := e.Count(t, "SELECT COUNT(*) FROM activity")
		wish := workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Due, Due: "2030-01-02"}, Dry: true}
		dry := e.do(t, e.Ctx, wish)
		is(t, dry, 3, 0, 1)
		if why := e.reasons(t, e.Ctx, dry); !strings.HasPrefix(why, keys[1].String()+": The start is after the due date") {
			t.Error(why)
		}
		items, _, err := e.Workflows.BulkEditItems(e.Ctx, dry, bulkedits.Changed, 0)
		domaintest.Must(t, err)
		for _, item := range items {
			if c := item.Activity.Detail.Due; c == nil || c.Old != "" || c.New != "2030-01-02" || item.Activity.ID != 0 {
				t.Errorf("%+v", item)
			}
		}
		if now := e.state(t); now != before {
			t.Error(now)
		}
		e.Counts(t, history, "SELECT COUNT(*) FROM activity")
		domaintest.Fails(e.Workflows.UndoBulkEdit(e.Ctx, dry.ID, false, nil))(t, bulkedits.CodeNothingChanged)
		wish.Dry = false
		is(t, e.do(t, e.Ctx, wish), 3, 0, 1)
	})

	t.Run("what others changed since stays, and is named", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		keys := e.Open(t, "NINJA", e.board.Columns[0].ID, 6)
		moved := e.do(t, e.Ctx, workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Move,
			Column: &bulkedits.NamedColumn{ID: e.board.Columns[1].ID}}})
		is(t, moved, 6, 0, 0)
		_, _, err := e.Workflows.MoveTicket(e.Ctx, keys[0], tickets.Intent{Column: e.board.Columns[0].ID})
		domaintest.Must(t, err)
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, keys[1]))
		low := tickets.Low
		_, _, err = e.Workflows.SetProperties(e.Ctx, keys[2], tickets.PropertyEdit{Priority: &low}) // another field
		domaintest.Must(t, err)
		e.Board(t, "OTHER")
		other := domaintest.OK(e.Workflows.Board(e.Ctx, "OTHER"))(t)
		_, _, err = e.Workflows.MoveTicket(e.Ctx, keys[3], tickets.Intent{Board: "OTHER", Column: other.Columns[0].ID})
		domaintest.Must(t, err)
		undone := e.undo(t, e.Ctx, moved)
		is(t, undone, 3, 0, 3)
		for _, part := range []string{keys[0].String() + ": ", "OTHER-1: It was moved to another board"} {
			if why := e.reasons(t, e.Ctx, undone); !strings.Contains(why, part) {
				t.Errorf("%q is not in\n%s", part, why)
			}
		}
		e.Sound(t)
	})

	t.Run("a column or a label that is gone, and tickets that are not seen any more, are left out", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		mia := e.As(t, "Mia", accounts.Member)
		keys := e.Open(t, "NINJA", e.board.Columns[0].ID, 3)
		_, _, err := e.Workflows.LabelTicket(e.Ctx, keys[0], workflows.Labelling{Named: []string{"old"}})
		domaintest.Must(t, err)
		label := e.label(t, "old")
		unlabelled := e.do(t, mia, workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Label, Unlabel: []bulkedits.NamedLabel{{ID: label, Name: "old"}}}})
		is(t, unlabelled, 1, 2, 0)
		moved := e.do(t, mia, workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Move, Column: &bulkedits.NamedColumn{ID: e.board.Columns[1].ID}}})
		is(t, moved, 3, 0, 0)
		_, err = e.Workflows.DeleteLabel(e.Ctx, label)
		domaintest.Must(t, err)
		_, err = e.Workflows.RemoveColumn(e.Ctx, "NINJA", e.board.Columns[0].ID, e.board.Columns[1].ID, nil)
		domaintest.Must(t, err)
		undone := e.undo(t, mia, unlabelled)
		is(t, undone, 0, 0, 1)
		if why := e.reasons(t, mia, undone); !strings.Contains(why, "label") {
			t.Error(why)
		}
		undone = e.undo(t, mia, moved)
		is(t, undone, 0, 0, 3)
		if why := e.reasons(t, mia, undone); !strings.Contains(why, "The column that it was in was removed") {
			t.Error(why)
		}
		is(t, e.do(t, mia, workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Move, Column: &bulkedits.NamedColumn{ID: e.board.Columns[0].ID}}}), 0, 0, 3)

		set := e.do(t, mia, workflows.BulkRequest{Edit: high})
		is(t, set, 3, 0, 0)
		domaintest.OK(e.Workflows.OpenBoard(e.Ctx, boards.Draft{Slug: "SECRET", Title: "Secret"}, nil))(t)
		secret := domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, "SECRET", true))(t)
		_, _, err = e.Workflows.MoveTicket(e.Ctx, keys[0], tickets.Intent{Board: "SECRET", Column: secret.Columns[0].ID})
		domaintest.Must(t, err)
		opened := domaintest.OK(e.Workflows.UndoBulkEdit(mia, set.ID, false, nil))(t)
		undone = e.rests(t, opened, migrations.Complete)
		is(t, undone, 2, 0, 1)
		if why := e.reasons(t, mia, undone); why != "hidden" {
			t.Errorf("Mia reads %q", why)
		}
		if p := domaintest.OK(e.Workflows.Ticket(e.Ctx, tickets.Key{Board: "SECRET", Number: 1}))(t).Priority; p != tickets.High {
			t.Errorf("Mia changed a ticket that she does not see: %s", p)
		}
	})

	t.Run("it has the rights that its maker has when a ticket is changed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		mia := e.As(t, "Mia", accounts.Member)
		e.Open(t, "NINJA", e.board.Columns[0].ID, 20)
		edit := e.rests(t, e.open(t, mia, workflows.BulkRequest{Edit: high, Canary: 10}), migrations.Paused)
		e.Exec(t, "UPDATE membership SET role = 'viewer' WHERE account_id = ?", uint64(edit.Maker.ID))
		domaintest.Must(t, e.Workflows.ResumeBulkEdit(e.Ctx, edit.ID))
		edit = e.rests(t, edit, migrations.Complete)
		is(t, edit, 10, 0, 10)
		is(t, e.undo(t, e.Ctx, edit), 10, 0, 0)
	})

	t.Run("whoever it concerns is notified once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		mia := e.As(t, "Mia", accounts.Member)
		keys := e.Open(t, "NINJA", e.board.Columns[0].ID, 60)
		account := accounts.ActorFrom(mia).Account.ID
		edit := bulkedits.Edit{Kind: bulkedits.Assign, Add: []bulkedits.Person{{ID: account, Handle: "mia"}}}
		is(t, e.do(t, e.Ctx, workflows.BulkRequest{Edit: edit}), 60, 0, 0)
		e.Counts(t, 1, "SELECT COUNT(*) FROM notification WHERE account_id = ?", uint64(account))
		e.Counts(t, 1, "SELECT COUNT(*) FROM notification WHERE kind = 'bulk-edit' AND board_id = ?", uint64(e.board.ID))
		e.Counts(t, 60, "SELECT COUNT(*) FROM watcher WHERE account_id = ?", uint64(account))
		for _, key := range keys[1:20] {
			_, _, err := e.Workflows.Relate(e.Ctx, keys[0], tickets.BlockedBy, key)
			domaintest.Must(t, err)
		}
		others := workflows.BulkRequest{Query: "-" + keys[0].String(), Edit: bulkedits.Edit{Kind: bulkedits.Close}}
		is(t, e.do(t, e.Ctx, others), 59, 0, 0)
		e.Counts(t, 2, "SELECT COUNT(*) FROM notification WHERE account_id = ?", uint64(account))
	})

	t.Run("no more tickets than a bulk edit may have, and none at all", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		nothing := e.do(t, e.Ctx, workflows.BulkRequest{Query: "none-such", Edit: high})
		if nothing.State != migrations.Complete || nothing.Done() != 0 {
			t.Errorf("%+v", nothing)
		}
		e.Fill(t, e.board, e.board.Columns[0].ID, bulkedits.DefaultLimits.Tickets+1)
		many := e.do(t, e.Ctx, workflows.BulkRequest{Edit: high})
		if many.State != migrations.Cancelled || many.Done() != 0 || !strings.Contains(many.Reason, "More than 10000 tickets match") {
			t.Errorf("%+v", many)
		}
	})

	t.Run("what was made 31 days ago is not taken back, and forgotten", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.Open(t, "NINJA", e.board.Columns[0].ID, 3)
		old, young := e.do(t, e.Ctx, workflows.BulkRequest{Edit: high}), e.do(t, e.Ctx, workflows.BulkRequest{Edit: high})
		e.Exec(t, "UPDATE bulk_edit SET created_at = created_at - INTERVAL 31 DAY WHERE id = ?", uint64(old.ID))
		domaintest.Fails(e.Workflows.UndoBulkEdit(e.Ctx, old.ID, false, nil))(t, bulkedits.CodeTooLate)
		domaintest.OK(e.Workflows.ForgetBulkEdits(e.Ctx))(t)
		domaintest.Fails(e.Workflows.BulkEdit(e.Ctx, old.ID))(t, bulkedits.CodeNotFound)
		domaintest.OK(e.Workflows.BulkEdit(e.Ctx, young.ID))(t)
		e.Counts(t, 3, "SELECT COUNT(*) FROM bulk_edit_item")
	})

	t.Run("a ticket that is on an archived board by now stays as it is", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		keys := e.Open(t, "NINJA", e.board.Columns[0].ID, 2)
		set := e.do(t, e.Ctx, workflows.BulkRequest{Edit: high})
		past := e.Board(t, "PAST")
		_, _, err := e.Workflows.MoveTicket(e.Ctx, keys[0], tickets.Intent{Board: "PAST", Column: past.Columns[0].ID})
		domaintest.Must(t, err)
		domaintest.OK(e.Workflows.ArchiveBoard(e.Ctx, "PAST", true, nil))(t)
		undone := e.undo(t, e.Ctx, set)
		is(t, undone, 1, 0, 1)
		if why := e.reasons(t, e.Ctx, undone); !strings.HasPrefix(why, "PAST-1: ") || !strings.Contains(why, "archived") {
			t.Error(why)
		}
	})

	t.Run("a column that is full takes no more, also in the middle of a block", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		from, to := e.board.Columns[0].ID, e.board.Columns[1].ID
		e.Open(t, "NINJA", from, 6)
		e.Exec(t, "UPDATE board_column SET wip_limit = 4, wip_hard = TRUE WHERE id IN (?, ?)", uint64(from), uint64(to))
		moved := e.do(t, e.Ctx, workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Move, Column: &bulkedits.NamedColumn{ID: to}}})
		is(t, moved, 4, 0, 2)
		e.Open(t, "NINJA", from, 1)
		undone := e.undo(t, e.Ctx, moved) // there are three by now
		is(t, undone, 1, 0, 3)
		e.Sound(t)
	})

	t.Run("an archived board takes none", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.Open(t, "NINJA", e.board.Columns[0].ID, 3)
		set := e.do(t, e.Ctx, workflows.BulkRequest{Edit: high})
		domaintest.OK(e.Workflows.ArchiveBoard(e.Ctx, "NINJA", true, nil))(t)
		domaintest.Fails(e.Workflows.OpenBulkEdit(e.Ctx, "NINJA", workflows.BulkRequest{Edit: high}, nil))(t, boards.CodeArchived)
		domaintest.Fails(e.Workflows.UndoBulkEdit(e.Ctx, set.ID, false, nil))(t, boards.CodeArchived)
	})
}

// TestUndoAmongOthers changes tickets at random, some of them by bulk edits, and takes these back at random: but for what a
// bulk edit did, everything is as if it had not been.
func TestUndoAmongOthers(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.As(t, "Mia", accounts.Member)
	keys := e.Open(t, "NINJA", e.board.Columns[0].ID, 12)
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	priorities := make(map[tickets.Key]tickets.Priority)
	for range 6 {
		// What others did before, a bulk edit, and what others do after it to some.
		edit := bulkedits.Edit{Kind: bulkedits.Priority, Priority: tickets.Priorities[random.IntN(5)].String()}
		for _, key := range keys {
			priorities[key] = e.Ticket(t, key.String()).Priority
		}
		done := e.do(t, e.Ctx, workflows.BulkRequest{Edit: edit})
		touched := map[tickets.Key]tickets.Priority{}
		for _, key := range keys {
			if random.IntN(3) > 0 {
				continue
			}
			to := tickets.Priorities[random.IntN(5)]
			if _, entry, err := e.Workflows.SetProperties(e.Ctx, key, tickets.PropertyEdit{Priority: &to}); err != nil || entry.ID == 0 {
				domaintest.Must(t, err)
				continue
			}
			touched[key] = to
		}
		undone := e.undoIfAny(t, done)
		for _, key := range keys {
			want := priorities[key]
			if to, ok := touched[key]; ok {
				want = to
			}
			if got := e.Ticket(t, key.String()).Priority; got != want {
				t.Fatalf("%s has priority %s, not %s, after %s was taken back (%+v)", key, got, want, edit, undone)
			}
		}
	}
	e.Sound(t)
}

// undoIfAny takes a bulk edit back, if it changed anything.
func (e *env) undoIfAny(t testing.TB, edit bulkedits.BulkEdit) bulkedits.BulkEdit {
	t.Helper()
	if edit.Changed == 0 {
		return bulkedits.BulkEdit{}
	}
	return e.undo(t, e.Ctx, edit)
}
