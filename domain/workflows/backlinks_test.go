package workflows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// mentionedIn returns the keys of the tickets that mention one, with the number of a comment behind those that do so
// in one.
func (e *env) mentionedIn(t testing.TB, key string) (list []string) {
	t.Helper()
	links := domaintest.OK(e.Workflows.Backlinks(e.Ctx, e.Ticket(t, key).ID, 100))(t)
	for _, b := range links {
		text := b.Key.String()
		if b.Comment != 0 {
			text += fmt.Sprint(" ", b.Comment)
		}
		list = append(list, text)
	}
	return list
}

func TestBacklinks(t *testing.T) {
	t.Parallel()
	t.Run("they follow every change of a text", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		other := e.Board(t, "PIRATE")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 3)
		is := func(key string, want ...string) {
			t.Helper()
			if got := e.mentionedIn(t, key); !slices.Equal(got, want) {
				t.Errorf("%s is mentioned in %q, want %q", key, got, want)
			}
		}
		opened := domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "NINJA", tickets.Draft{Title: "After NINJA-1",
			Description: "NINJA-2, NINJA-2, `NINJA-3`, NINJA-4, NINJA-99, X-NINJA-3, NONE-1"}, nil))(t)
		is("NINJA-1", "NINJA-4")
		is("NINJA-2", "NINJA-4")
		is("NINJA-3")
		is("NINJA-4")
		text := "Now NINJA-3."
		domaintest.OK(e.Workflows.EditTicket(e.Ctx, opened.Key, tickets.Edit{Description: &text, Version: 1}))(t)
		is("NINJA-1", "NINJA-4")
		is("NINJA-2")
		is("NINJA-3", "NINJA-4")

		said := domaintest.OK(e.Workflows.Comment(e.Ctx, keys[1], "See NINJA-1 and NINJA-3.", nil))(t)
		in := fmt.Sprint("NINJA-2 ", said.Comment.ID)
		is("NINJA-1", "NINJA-4", in)
		_, err := e.Workflows.EditComment(e.Ctx, keys[1], said.Comment.ID, "See NINJA-3.", 1)
		domaintest.Must(t, err)
		is("NINJA-1", "NINJA-4")
		is("NINJA-3", "NINJA-4", in)
		domaintest.OK(e.Workflows.DeleteComment(e.Ctx, keys[1], said.Comment.ID))(t)
		is("NINJA-3", "NINJA-4")
		domaintest.OK(e.Workflows.RestoreComment(e.Ctx, keys[1], said.Comment.ID))(t)
		is("NINJA-3", "NINJA-4", in)

		// A ticket is mentioned under a key that it had, on whatever board it is.
		_, _, err = e.Workflows.MoveTicket(e.Ctx, keys[2], tickets.Intent{Board: "PIRATE", Column: other.Columns[0].ID})
		domaintest.Must(t, err)
		is("PIRATE-1", "NINJA-4", in)
		domaintest.OK(e.Workflows.Comment(e.Ctx, keys[0], "NINJA-3 sails, PIRATE-1 too", nil))(t)
		if n := len(e.mentionedIn(t, "PIRATE-1")); n != 3 {
			t.Errorf("%d tickets mention it", n)
		}
		// What is deleted mentions nothing, until it is restored.
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, opened.Key))
		is("NINJA-1")
		_, _, err = e.Workflows.RestoreTicket(e.Ctx, opened.Key)
		domaintest.Must(t, err)
		is("NINJA-1", "NINJA-4")
	})
	t.Run("of tickets that a reader does not see there are none", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board, secret := e.Board(t, "NINJA"), e.Board(t, "SECRET")
		e.Open(t, "NINJA", board.Columns[0].ID, 1)
		ben, gus := e.As(t, "Ben", accounts.Member), e.As(t, "Gus", accounts.Guest)
		domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "SECRET", tickets.Draft{Title: "NINJA-1", Column: secret.Columns[0].ID}, nil))(t)
		ticket := e.Ticket(t, "NINJA-1").ID
		for _, c := range []struct {
			private bool
			want    int
		}{{false, 1}, {true, 0}} {
			domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, "SECRET", c.private))(t)
			if n := len(domaintest.OK(e.Workflows.Backlinks(ben, ticket, 20))(t)); n != c.want {
				t.Errorf("private %t: a member sees %d", c.private, n)
			}
			if n := len(domaintest.OK(e.Workflows.Backlinks(gus, ticket, 20))(t)); n != 0 {
				t.Errorf("a guest sees %d", n)
			}
			if n := len(e.mentionedIn(t, "NINJA-1")); n != 1 {
				t.Errorf("an admin of the board sees %d", n)
			}
		}
	})
	t.Run("two texts that mention each other's tickets, at once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 2)
		var both []func() error
		for range 10 {
			for i, key := range keys {
				both = append(both, func() error {
					_, err := e.Workflows.Comment(e.Ctx, key, "See "+keys[1-i].String(), nil)
					return err
				})
			}
		}
		for _, err := range atOnce(both...) {
			domaintest.Must(t, err)
		}
		e.Counts(t, 20, "SELECT COUNT(*) FROM backlink WHERE comment_id > 0")
		e.Counts(t, 20, "SELECT SUM(comments) FROM ticket WHERE board_id = ?", uint64(board.ID))
	})
	t.Run("a text of a thousand keys", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		e.Open(t, "NINJA", board.Columns[0].ID, 150)
		var text strings.Builder
		for n := range 1000 {
			fmt.Fprintf(&text, "NINJA-%d ", n+1)
		}
		domaintest.OK(e.Workflows.Comment(e.Ctx, tickets.Key{Board: "NINJA", Number: 1}, text.String(), nil))(t)
		if n := e.Count(t, "SELECT COUNT(*) FROM backlink WHERE comment_id > 0"); n == 0 || n > 100 {
			t.Errorf("it has %d backlinks", n)
		}
	})
	t.Run("a requester's texts mention nothing", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.Exec(t, "UPDATE ticket SET from_requester = TRUE WHERE id = (SELECT id FROM (SELECT MIN(id) AS id FROM ticket) t)")
		e.Exec(t, "DELETE FROM backlink")
		key := demo1
		seen := domaintest.OK(e.Workflows.Ticket(e.Ctx, key))(t)
		text := "DEMO-2"
		domaintest.OK(e.Workflows.EditTicket(e.Ctx, key, tickets.Edit{Description: &text, Version: seen.Version}))(t)
		e.Counts(t, 0, "SELECT COUNT(*) FROM backlink WHERE from_id = ?", uint64(seen.ID))
	})
}
