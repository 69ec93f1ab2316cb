package live_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/live"
)

func at(tickets uint64) live.Position { return live.Position{Epoch: 1, Tickets: tickets} }

func change(company id.Company, tickets ...live.Ticket) live.Change {
	return live.Change{Company: company, Boards: []live.Board{{ID: 1, Tickets: tickets}}}
}

func TestAt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(0, 1<<62)
		a := live.Position{Epoch: n.Draw(t, "epoch"), Tickets: n.Draw(t, "tickets"), Comments: n.Draw(t, "comments"),
			Boards: n.Draw(t, "boards")}
		if got := live.ParsePosition(a.String()); got != a {
			t.Errorf("%q is %v, not %v", a, got, a)
		}
	})
	for _, wrong := range []string{"", "1.2.3", "1.2.3.4.5", "1.2.3.-4", "1.2.3.x", "1.2.3.99999999999999999999",
		" 1.2.3.4"} {
		if got := live.ParsePosition(wrong); got != (live.Position{}) {
			t.Errorf("%q is %v", wrong, got)
		}
	}
}

func TestHub(t *testing.T) {
	t.Parallel()
	t.Run("a reader gets the changes after its position", func(t *testing.T) {
		h := live.New()
		h.Begin(at(10))
		h.Add(at(11), change(1, live.Ticket{ID: 7}))
		h.Add(at(12), change(2))
		h.Add(at(13), change(1, live.Ticket{ID: 8}))
		for from, want := range map[uint64]int{10: 2, 11: 1, 12: 1, 13: 0, 14: 0} {
			if update := h.After(live.Reader{Company: 1}, at(from)); update.Missed || len(update.Changes) != want || update.Position != at(13) {
				t.Errorf("after %d: %+v", from, update)
			}
		}
	})
	t.Run("a reader from before the kept changes, or of another epoch, has missed changes", func(t *testing.T) {
		h := live.New()
		h.Begin(at(10))
		for _, from := range []live.Position{{}, at(9), {Epoch: 2, Tickets: 10}} {
			if update := h.After(live.Reader{Company: 1}, from); !update.Missed || len(update.Changes) > 0 {
				t.Errorf("after %v: %+v", from, update)
			}
		}
	})
	t.Run("a reader hears each change of its company once, in order", func(t *testing.T) {
		h := live.New()
		h.Begin(at(10))
		update := h.After(live.Reader{Company: 1}, at(10))
		for i := range uint64(5) {
			h.Add(at(11+i), change(id.Company(1+i%2)))
			<-update.More
			update = h.Read(live.Reader{Company: 1}, update.Next)
			if want := 1 - int(i%2); update.Missed || len(update.Changes) != want {
				t.Errorf("%d: %+v", i, update)
			}
		}
		if update = h.Read(live.Reader{Company: 1}, update.Next); len(update.Changes) > 0 || update.Position != at(15) {
			t.Errorf("%+v", update)
		}
	})
	t.Run("a slow reader has missed changes, and continues", func(t *testing.T) {
		h := live.New()
		h.Begin(at(10))
		update := h.After(live.Reader{Company: 1}, at(10))
		for i := range uint64(1000) {
			h.Add(at(11+i), change(1, make([]live.Ticket, 500)...))
		}
		update = h.Read(live.Reader{Company: 1}, update.Next)
		if !update.Missed || len(update.Changes) > 0 || update.Position != at(1010) {
			t.Fatalf("%+v", update)
		}
		h.Add(at(1011), change(1))
		if update = h.Read(live.Reader{Company: 1}, update.Next); update.Missed || len(update.Changes) != 1 {
			t.Errorf("%+v", update)
		}
		if update := h.After(live.Reader{Company: 1}, at(500)); !update.Missed {
			t.Error("it kept all of that")
		}
		if update := h.After(live.Reader{Company: 1}, at(1000)); update.Missed || len(update.Changes) != 11 {
			t.Errorf("it kept nothing of that: %+v", update)
		}
	})
	t.Run("in a new epoch every reader has missed changes", func(t *testing.T) {
		h := live.New()
		h.Begin(at(10))
		h.Add(at(11), change(1))
		update := h.After(live.Reader{Company: 1}, at(11))
		h.Begin(live.Position{Epoch: 2, Tickets: 3})
		<-update.More
		if update = h.Read(live.Reader{Company: 1}, update.Next); !update.Missed {
			t.Errorf("%+v", update)
		}
	})
}

// Readers of live pages are told of what a board that names them has, members of open boards, and guests of what is for
// guests.
func TestAudiences(t *testing.T) {
	t.Parallel()
	hub := live.New()
	hub.Begin(live.Position{Epoch: 1})
	hub.Add(live.Position{Epoch: 1, Tickets: 1},
		live.Change{Company: 1, For: live.Named, Readers: []id.Account{3, 5}, Boards: []live.Board{{ID: 7}}},
		live.Change{Company: 1, Boards: []live.Board{{ID: 8}}},
		live.Change{Company: 1, For: live.Guests, Boards: []live.Board{{ID: 9}}})
	for reader, want := range map[live.Reader][]id.Board{
		{Company: 1, Account: 3}:              {7, 8},
		{Company: 1, Account: 4}:              {8},
		{Company: 1, Account: 5, Guest: true}: {7, 9},
		{Company: 1, Account: 6, Guest: true}: {9},
		{Company: 2, Account: 3}:              nil,
	} {
		var got []id.Board
		for _, change := range hub.After(reader, live.Position{Epoch: 1}).Changes {
			got = append(got, change.Boards[0].ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v is told of %v, want %v", reader, got, want)
		}
	}
}
