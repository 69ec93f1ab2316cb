package tickets_test

import (
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// entries are Ben's notifications, newest first.
func (f *fixture) entries(t testing.TB) (ids []id.Notification) {
	t.Helper()
	rows := domaintest.OK(f.SQL.Query("SELECT id FROM notification WHERE account_id = ? ORDER BY id DESC",
		uint64(f.ben.ID)))(t)
	defer rows.Close()
	for rows.Next() {
		var one id.Notification
		domaintest.Must(t, rows.Scan(&one))
		ids = append(ids, one)
	}
	domaintest.Must(t, rows.Err())
	return ids
}

func TestInbox(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	list := f.opens(t, f.ninja, f.ninja.columns[0], 2)
	const all = 105
	domaintest.Must(t, f.InTx(ctx, func(tx *db.Tx) error {
		for i := range all {
			if err := tickets.Notify(ctx, tx, tickets.Notifications{Company: f.company, Ticket: list[i%2], By: f.ann,
				Mentioned: []id.Account{f.ann.ID, f.ben.ID}}); err != nil {
				return err
			}
		}
		return nil
	}))
	inbox := f.entries(t)
	unread := func(t *testing.T, want int) {
		t.Helper()
		if n := domaintest.OK(tickets.Unread(ctx, f.Queries, db.Sight{Company: f.company, Reader: f.ben.ID}))(t); n != want {
			t.Errorf("%d are unread, not %d", n, want)
		}
	}

	t.Run("a ticket is in it once, on the page of its newest entry, with the number of unread ones", func(t *testing.T) {
		var before id.Notification
		for i, want := range []int{53, 52} {
			page, next, err := tickets.Inbox(ctx, f.Queries, db.Sight{Company: f.company, Reader: f.ben.ID}, before, 1)
			if err != nil || len(page) != 1 || (next == 0) != (i == 1) {
				t.Fatalf("page %d has %d groups, next %d, %v", i, len(page), next, err)
			}
			group := page[0]
			if group.ID != inbox[i] || group.New != want || !group.Unread || group.By != f.ann ||
				group.Why != tickets.ReasonMention || group.Key != list[i].Key || len(group.Also) != 0 {
				t.Errorf("page %d has %+v", i, group)
			}
			before = next
		}
	})
	t.Run("the actor, and another company, have none", func(t *testing.T) {
		for company, account := range map[id.Company]id.Account{f.company: f.ann.ID, f.company + 1: f.ben.ID} {
			page, next, err := tickets.Inbox(ctx, f.Queries, db.Sight{Company: company, Reader: account}, 0, 50)
			if n, errUnread := tickets.Unread(ctx, f.Queries, db.Sight{Company: company, Reader: account}); err != nil || errUnread != nil || next != 0 ||
				len(page)+n != 0 {
				t.Errorf("%d entries, %d unread, %v", len(page), n, err)
			}
		}
	})
	t.Run("the unread are counted up to a hundred; reading one reads those before it of its ticket", func(t *testing.T) {
		unread(t, tickets.MaxUnread+1)
		for range 2 {
			domaintest.Must(t, tickets.Read(ctx, f.Queries, db.Sight{Company: f.company, Reader: f.ben.ID}, inbox[all-11]))
			unread(t, all-6)
		}
		group := domaintest.OK(tickets.InboxEntry(ctx, f.Queries, db.Sight{Company: f.company, Reader: f.ben.ID}, inbox[all-11]))(t)
		if group.New != 0 || group.Unread || group.Key != list[0].Key {
			t.Errorf("%+v", group)
		}
	})
	t.Run("an entry is read by its owner alone", func(t *testing.T) {
		err := tickets.Read(ctx, f.Queries, db.Sight{Company: f.company, Reader: f.ann.ID}, inbox[20])
		domaintest.Is(t, err, tickets.CodeEntryNotFound)
		err = tickets.Read(ctx, f.Queries, db.Sight{Company: f.company + 1, Reader: f.ben.ID}, inbox[20])
		domaintest.Is(t, err, tickets.CodeEntryNotFound)
		unread(t, all-6)
	})
	t.Run("those up to one are read, and later ones are not; then those of a ticket", func(t *testing.T) {
		domaintest.Must(t, tickets.ReadUpTo(ctx, f.Queries, f.company, f.ben.ID, inbox[14]))
		unread(t, 14)
		if n := domaintest.OK(tickets.ReadTicket(ctx, f.Queries, list[0].ID, f.ben.ID))(t); n != 7 {
			t.Errorf("%d entries of the ticket were unread", n)
		}
		unread(t, 7)
	})
}

// A ticket with more entries than a page reads hides no other, and comes again on no later page.
func TestInboxOfABusyTicket(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	list := f.opens(t, f.ninja, f.ninja.columns[0], 2)
	notify := func(ticket tickets.Ticket, times int, mentioned, assigned []id.Account) {
		t.Helper()
		domaintest.Must(t, f.InTx(ctx, func(tx *db.Tx) error {
			for range times {
				if err := tickets.Notify(ctx, tx, tickets.Notifications{Company: f.company, Ticket: ticket, By: f.ann,
					Mentioned: mentioned, Assigned: assigned}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	ben := []id.Account{f.ben.ID}
	notify(list[0], 1, ben, nil)
	notify(list[1], 650, ben, nil)
	notify(list[1], 1, nil, ben)
	first, next, err := tickets.Inbox(ctx, f.Queries, db.Sight{Company: f.company, Reader: f.ben.ID}, 0, 50)
	if err != nil || len(first) != 1 || next == 0 || first[0].Key != list[1].Key || first[0].New < tickets.MaxUnread ||
		first[0].Why != tickets.ReasonAssigned || len(first[0].Also) != 1 || first[0].Also[0] != tickets.ReasonMention {
		t.Fatalf("the first page has %+v, next %d, %v", first, next, err)
	}
	second, next, err := tickets.Inbox(ctx, f.Queries, db.Sight{Company: f.company, Reader: f.ben.ID}, next, 50)
	if err != nil || len(second) != 1 || next != 0 || second[0].Key != list[0].Key || second[0].New != 1 {
		t.Fatalf("the second page has %+v, next %d, %v", second, next, err)
	}
}
