package tickets_test

import (
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

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
	var inbox []tickets.Notification
	unread := func(t *testing.T, want int) {
		t.Helper()
		if n := domaintest.OK(tickets.Unread(ctx, f.Queries, f.company, f.ben.ID))(t); n != want {
			t.Errorf("%d are unread, not %d", n, want)
		}
	}

	t.Run("it is read newest first, in pages, each entry once", func(t *testing.T) {
		var before id.Notification
		for _, want := range []int{50, 50, 5} {
			page, more, err := tickets.Inbox(ctx, f.Queries, f.company, f.ben.ID, before, 50)
			if err != nil || len(page) != want || more != (want == 50) {
				t.Fatalf("a page of %d, more: %v, %v", len(page), more, err)
			}
			inbox, before = append(inbox, page...), page[len(page)-1].ID
		}
		for i, entry := range inbox {
			if i > 0 && entry.ID >= inbox[i-1].ID || !entry.Unread || entry.By != f.ann ||
				entry.Why != tickets.ReasonMention || entry.Key != list[(all-1-i)%2].Key {
				t.Errorf("entry %d is %+v", i, entry)
			}
		}
	})
	t.Run("the actor, and another company, have none", func(t *testing.T) {
		for company, account := range map[id.Company]id.Account{f.company: f.ann.ID, f.company + 1: f.ben.ID} {
			page, more, err := tickets.Inbox(ctx, f.Queries, company, account, 0, 50)
			if n, errUnread := tickets.Unread(ctx, f.Queries, company, account); err != nil || errUnread != nil || more ||
				len(page)+n != 0 {
				t.Errorf("%d entries, %d unread, %v", len(page), n, err)
			}
		}
	})
	t.Run("the unread are counted up to a hundred, and one by one below", func(t *testing.T) {
		unread(t, tickets.MaxUnread+1)
		for _, entry := range inbox[:10] {
			domaintest.Must(t, tickets.Read(ctx, f.Queries, f.company, f.ben.ID, entry.ID))
		}
		unread(t, all-10)
		domaintest.Must(t, tickets.Read(ctx, f.Queries, f.company, f.ben.ID, inbox[0].ID)) // again
		unread(t, all-10)
	})
	t.Run("an entry is read by its owner alone", func(t *testing.T) {
		err := tickets.Read(ctx, f.Queries, f.company, f.ann.ID, inbox[20].ID)
		domaintest.Is(t, err, tickets.CodeEntryNotFound)
		err = tickets.Read(ctx, f.Queries, f.company+1, f.ben.ID, inbox[20].ID)
		domaintest.Is(t, err, tickets.CodeEntryNotFound)
		unread(t, all-10)
	})
	t.Run("those up to one are read, and later ones are not; then those of a ticket", func(t *testing.T) {
		domaintest.Must(t, tickets.ReadUpTo(ctx, f.Queries, f.company, f.ben.ID, inbox[14].ID))
		unread(t, 4) // entries 10 to 13
		if n := domaintest.OK(tickets.ReadTicket(ctx, f.Queries, list[0].ID, f.ben.ID))(t); n != 2 {
			t.Errorf("%d entries of the ticket were unread", n)
		}
		unread(t, 2)
	})
}
