package tickets_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	todo := f.ninja.columns[0]

	t.Run("several have the numbers that they got, and are read back in their order", func(t *testing.T) {
		opened := domaintest.OK(f.open(f.ninja, todo, "One", "Two", "Three"))(t)
		if got := numbers(f.inColumn(t, f.ninja, todo), numberOf); got != "1 2 3" {
			t.Errorf("the column has %s", got)
		}
		for _, one := range opened {
			read := f.byKey(t, one.Key)
			one.ID = read.ID // Open does not read it back
			if fmt.Sprint(read) != fmt.Sprint(one) {
				t.Errorf("opened %+v, read %+v", one, read)
			}
			history, more, err := tickets.History(ctx, f.Queries, read.ID, 0, 10)
			if err != nil || more || len(history) != 1 || history[0].Kind != tickets.KindOpened || history[0].By != f.ann {
				t.Errorf("the history of %s is %+v, %v", one.Key, history, err)
			}
		}
	})

	t.Run("an archived board takes none", func(t *testing.T) {
		domaintest.Exec(t, f.DB, "UPDATE board SET archived_at = NOW(6) WHERE id = ?", uint64(f.pirate.id))
		domaintest.Fails(f.open(f.pirate, f.pirate.columns[0], "One"))(t, tickets.ErrArchived)
		domaintest.Counts(t, f.DB, 0, "SELECT COUNT(*) FROM ticket WHERE board_id = ?", uint64(f.pirate.id))
	})

	t.Run("a key is found in its own company alone", func(t *testing.T) {
		one := tickets.Key{Board: "NINJA", Number: 1}
		domaintest.Fails(tickets.ByKey(ctx, f.Queries, db.SightOfAll(f.company+1), one))(t, tickets.CodeNotFound)
		domaintest.Fails(tickets.ByKey(ctx, f.Queries, db.SightOfAll(f.company), tickets.Key{Board: "NINJA", Number: 4}))(t,
			tickets.CodeNotFound)
	})
}

func TestOldKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ticket := f.opens(t, f.ninja, f.ninja.columns[0], 2)[1]
	f.opens(t, f.pirate, f.pirate.columns[0], 4)
	old, now := ticket.Key, tickets.Key{Board: "PIRATE", Number: 5}
	transfer := func(t *testing.T, to board, want tickets.Key) {
		t.Helper()
		moved, _, err := f.move(ticket, to, tickets.Intent{Column: to.columns[0]})
		if err != nil || moved.Ticket.Key != want {
			t.Fatalf("it is %s now, %v", moved.Ticket.Key, err)
		}
		ticket = moved.Ticket
		for _, key := range []tickets.Key{old, now} {
			if read := f.byKey(t, key); read.ID != ticket.ID || read.Key != want || read.Board != to.id {
				t.Errorf("%s leads to %s", key, read.Key)
			}
		}
	}
	t.Run("a moved ticket is found by its old key", func(t *testing.T) { transfer(t, f.pirate, now) })
	t.Run("if it comes back it has its old number, and the other key still leads to it", func(t *testing.T) {
		transfer(t, f.ninja, old)
		domaintest.Counts(t, f.DB, 1, "SELECT COUNT(*) FROM ticket_alias")
	})
	t.Run("and the other number again", func(t *testing.T) { transfer(t, f.pirate, now) })
}

func TestSave(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	seen := f.opens(t, f.ninja, f.ninja.columns[0], 1)[0]
	save := func(by tickets.User, version uint64, title, description string) (saved tickets.Ticket, err error) {
		err = f.InTx(ctx, func(tx *db.Tx) error {
			locked, err := tickets.Lock(ctx, tx, seen)
			if err != nil {
				return err
			}
			saved, err = tickets.Save(ctx, tx, locked,
				tickets.Edit{Title: &title, Description: &description, Version: version}, by)
			return err
		})
		return saved, err
	}
	domaintest.OK(save(f.ann, 1, "Second", "a"))(t)
	domaintest.OK(save(f.ben, 2, "Third", "b"))(t)
	current := domaintest.OK(save(f.ann, 3, "Third", "c"))(t)

	t.Run("an edit of an old version is Stale, with the ticket as it is", func(t *testing.T) {
		_, err := save(f.ben, 3, "Mine", "mine")
		var stale tickets.Stale
		if !errors.As(err, &stale) || stale.Current.Title != "Third" || stale.Current.Version != 4 {
			t.Errorf("%v", err)
		}
	})
	t.Run("an edit that changes nothing is no version", func(t *testing.T) {
		if same := domaintest.OK(save(f.ben, 4, " Third ", "c"))(t); same.Version != 4 {
			t.Errorf("version %d", same.Version)
		}
	})
	t.Run("the history has the texts of a version, and the names of those who edited since", func(t *testing.T) {
		for version, want := range map[uint64]string{1: "Ticket 1, of Ticket 1 [Ben Ann]", 2: "Second, a [Ben Ann]",
			3: "Third, b [Ann]"} {
			since, ok, err := tickets.EditsSince(ctx, f.Queries, current, version)
			if got := fmt.Sprintf("%s, %s %v", since.Title, since.Description, since.By); err != nil || !ok || got != want {
				t.Errorf("version %d: %s, %v %v", version, got, ok, err)
			}
		}
		for _, version := range []uint64{0, 4, 5} {
			if _, ok, err := tickets.EditsSince(ctx, f.Queries, current, version); ok || err != nil {
				t.Errorf("version %d: %v, %v", version, ok, err)
			}
		}
	})
	t.Run("the history is read newest first, in pages, and an entry alone has its description", func(t *testing.T) {
		first, more, err := tickets.History(ctx, f.Queries, seen.ID, 0, 3)
		if err != nil || !more || len(first) != 3 || first[0].Detail.Version != 4 || first[2].Detail.Version != 2 {
			t.Fatalf("%+v, %v %v", first, more, err)
		}
		rest, more, err := tickets.History(ctx, f.Queries, seen.ID, first[2].ID, 3)
		if err != nil || more || len(rest) != 1 || rest[0].Kind != tickets.KindOpened {
			t.Errorf("%+v, %v %v", rest, more, err)
		}
		entry := domaintest.OK(tickets.ActivityOf(ctx, f.Queries, db.SightOfAll(f.company), seen, first[0].ID))(t)
		if *first[0].Detail.Description != (tickets.Change{}) ||
			*entry.Detail.Description != (tickets.Change{Old: "b", New: "c"}) {
			t.Errorf("the page has %+v, the entry %+v", first[0].Detail.Description, entry.Detail.Description)
		}
		other := tickets.Ticket{ID: seen.ID + 1}
		domaintest.Fails(tickets.ActivityOf(ctx, f.Queries, db.SightOfAll(f.company), other, first[0].ID))(t, tickets.CodeNotFound)
	})
}

func TestDelete(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	todo := f.ninja.columns[0]
	list := f.opens(t, f.ninja, todo, 4)
	for _, ticket := range list[:3] {
		domaintest.Must(t, f.delete(ticket))
	}
	month := time.Now().AddDate(0, -1, 0)

	t.Run("a deleted ticket has left its column, and its key opens nothing", func(t *testing.T) {
		if got := numbers(f.inColumn(t, f.ninja, todo), numberOf); got != "4" {
			t.Errorf("the column has %s", got)
		}
		domaintest.Fails(tickets.ByKey(ctx, f.Queries, db.SightOfAll(f.company), list[0].Key))(t, tickets.CodeNotFound)
		domaintest.Is(t, f.delete(list[0]), tickets.CodeNotFound)
	})
	t.Run("it is in the list of the deleted, newest first, with the deleter's name, in pages", func(t *testing.T) {
		first := domaintest.OK(tickets.DeletedOf(ctx, f.Queries, f.ninja.id, "NINJA", month, nil, 2))(t)
		below := &tickets.DeletedCursor{At: first[1].At, ID: first[1].ID}
		rest := domaintest.OK(tickets.DeletedOf(ctx, f.Queries, f.ninja.id, "NINJA", month, below, 2))(t)
		all := append(first, rest...)
		if got := numbers(all, func(d tickets.DeletedTicket) uint64 { return d.Key.Number }); got != "3 2 1" ||
			all[0].By != "Ann" {
			t.Errorf("%s are listed, deleted by %q", got, all[0].By)
		}
		late := domaintest.OK(tickets.DeletedOf(ctx, f.Queries, f.ninja.id, "NINJA", time.Now().AddDate(0, 0, 1), nil, 2))(t)
		if len(late) != 0 {
			t.Errorf("%+v were deleted before the time", late)
		}
	})
	t.Run("restored it has its key again", func(t *testing.T) {
		deleted := domaintest.OK(tickets.DeletedByKey(ctx, f.Queries, db.SightOfAll(f.company), list[1].Key))(t)
		if !deleted.Deleted() || deleted.Column != 0 {
			t.Fatalf("%+v", deleted)
		}
		if _, placed, err := f.move(deleted, f.ninja, tickets.Intent{Column: todo, AtEnd: true}); err != nil || !placed {
			t.Fatal(placed, err)
		}
		if ticket := f.byKey(t, list[1].Key); ticket.Deleted() || ticket.ID != list[1].ID {
			t.Errorf("%+v", ticket)
		}
		if got := numbers(f.inColumn(t, f.ninja, todo), numberOf); got != "4 2" {
			t.Errorf("the column has %s", got)
		}
		domaintest.Fails(tickets.DeletedByKey(ctx, f.Queries, db.SightOfAll(f.company), list[1].Key))(t, tickets.CodeNotFound)
	})
}

func TestPurge(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	list := f.opens(t, f.ninja, f.ninja.columns[0], 4)
	gone, unread, live, fresh := list[0], list[1], list[2], list[3]
	domaintest.Must(t, f.InTx(ctx, func(tx *db.Tx) error {
		comment, err := tickets.AddComment(ctx, tx, gone, "x", f.ann, tickets.Internal)
		if err != nil {
			return err
		}
		if _, _, _, err := tickets.Assign(ctx, tx, f.company, gone, []tickets.Assignee{{ID: f.ben.ID}}, nil, f.ann); err != nil {
			return err
		}
		return tickets.Notify(ctx, tx, tickets.Notifications{Company: f.company, Ticket: gone, Comment: comment.ID, By: f.ann,
			Mentioned: []id.Account{f.ben.ID}})
	}))
	for i, ticket := range []tickets.Ticket{gone, unread, fresh} {
		domaintest.Must(t, f.delete(ticket))
		domaintest.Exec(t, f.DB, "UPDATE ticket SET deleted_at = ?, feed_sync_id = ? WHERE id = ?",
			time.Now().UTC().AddDate(0, 0, -40*(1-i/2)), 7+i, uint64(ticket.ID))
	}
	domaintest.Exec(t, f.DB, "UPDATE comment SET feed_sync_id = 5")
	now := time.Now().UTC()
	rule := tickets.PurgeRule{Now: now, Before: now.Add(-tickets.KeepDeleted),
		Passed: tickets.FeedPositions{Tickets: 7, Comments: 5}}
	all := []tickets.ID{gone.ID, unread.ID, live.ID, fresh.ID}
	check := func(t *testing.T, rule tickets.PurgeRule, purge bool, want string, left int) {
		t.Helper()
		var done tickets.PurgeResult
		domaintest.Must(t, f.InTx(ctx, func(tx *db.Tx) (err error) {
			if !purge {
				done, err = rule.Preview(ctx, tx, all)
				return err
			}
			if done, err = rule.Purge(ctx, tx, all); err != nil {
				return err
			}
			_, err = tx.CountPurged(ctx, done.Numbers[f.ninja.id], f.ninja.id)
			return err
		}))
		if got := fmt.Sprint(done.Gone, done.Waiting, done.To); got != want {
			t.Errorf("%s, not %s", got, want)
		}
		domaintest.Counts(t, f.DB, left, "SELECT COUNT(*) FROM ticket")
	}

	t.Run("it waits while a consumer has not read the deletion, or that of a comment", func(t *testing.T) {
		behind := rule
		behind.Passed = tickets.FeedPositions{Tickets: 6, Comments: 5}
		check(t, behind, true, "map[] map[1:true 2:true] {0 0}", 4)
		behind.Passed = tickets.FeedPositions{Tickets: 7, Comments: 4}
		check(t, behind, true, "map[] map[1:true 2:true] {0 0}", 4)
		domaintest.Exec(t, f.DB, "UPDATE comment SET feed_sync_id = NULL")
		check(t, rule, true, "map[] map[1:true 2:true] {0 0}", 4)
		domaintest.Exec(t, f.DB, "UPDATE comment SET feed_sync_id = 5")
	})
	t.Run("a preview says what would go, and removes nothing", func(t *testing.T) {
		check(t, rule, false, "map[1:true] map[2:true] {7 5}", 4)
	})
	t.Run("the rows of a ticket go with it; a live and a newly deleted ticket stay", func(t *testing.T) {
		check(t, rule, true, "map[1:true] map[2:true] {7 5}", 3)
		for _, table := range []string{"comment", "assignee", "notification", "watcher"} {
			domaintest.Counts(t, f.DB, 0, "SELECT COUNT(*) FROM "+table)
		}
	})
	t.Run("its number stays taken, and its key says so", func(t *testing.T) {
		domaintest.Fails(tickets.ByKey(ctx, f.Queries, db.SightOfAll(f.company), gone.Key))(t, tickets.CodePurged)
		never := tickets.Key{Board: "NINJA", Number: 5}
		domaintest.Fails(tickets.ByKey(ctx, f.Queries, db.SightOfAll(f.company), never))(t, tickets.CodeNotFound)
		purged, err := tickets.PurgedKeys(ctx, f.Queries, map[string]id.Board{"NINJA": f.ninja.id},
			[]tickets.Key{gone.Key, unread.Key, live.Key})
		if err != nil || len(purged) != 1 || !purged[gone.Key] {
			t.Errorf("%v, %v", purged, err)
		}
		if next := domaintest.OK(f.open(f.ninja, f.ninja.columns[0], "Next"))(t); next[0].Key != never {
			t.Errorf("the next ticket is %s", next[0].Key)
		}
	})
	t.Run("after ninety days no consumer is waited for", func(t *testing.T) {
		later := rule
		later.Now = now.AddDate(0, 0, 60)
		check(t, later, true, "map[2:true] map[] {8 0}", 3)
	})
}
