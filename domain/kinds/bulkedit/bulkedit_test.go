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
	board boards.Board
}

// newEnv has a board, and a worker that works until the test ends.
func newEnv(t *testing.T) *env {
	t.Helper()
	e := &env{Env: apptest.New(t)}
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
	return domaintest.OK(e.Workflows.OpenBulkEdit(ctx, "NINJA", wish, nil))(t)
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

// state is what a bulk edit may change of the board's tickets, with the order of their columns.
func (e *env) state(t testing.TB) string {
	t.Helper()
	var out strings.Builder
	for _, column := range e.board.Columns {
		fmt.Fprintf(&out, "%s: %v\n", column.Name, e.Stored(t, e.board).Columns[column.ID])
	}
	for number := uint64(1); number <= 200; number++ {
		ticket, err := e.Workflows.Ticket(e.Ctx, tickets.Key{Board: "NINJA", Number: number})
		if err != nil {
			break
		}
		var names []string
		for _, one := range ticket.Assignees {
			names = append(names, one.Handle)
		}
		fmt.Fprintln(&out, ticket.Key, ticket.Priority, ticket.Due, names, e.labels(t, ticket.Key), ticket.Closed())
	}
	return out.String()
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
				{Kind: bulkedits.Label, Labels: []string{"later", "bug"}, Unlabel: &bulkedits.NamedLabel{ID: old, Name: "old"}},
				{Kind: bulkedits.Priority, Priority: "high"},
				{Kind: bulkedits.Due, Due: "2030-01-02"},
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
		unlabelled := e.do(t, mia, workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Label, Unlabel: &bulkedits.NamedLabel{ID: label, Name: "old"}}})
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
