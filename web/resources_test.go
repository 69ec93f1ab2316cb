package web_test

import (
	"testing"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

func TestResources(t *testing.T) {
	t.Parallel()
	t.Run("their addresses are those of pages", func(t *testing.T) {
		t.Parallel()
		links, key := workflows.Links{Base: "https://tracker.example.com", Company: "acme"},
			tickets.Key{Board: "NINJA", Number: 42}
		for got, want := range map[string]string{
			links.Ticket(tickets.Ticket{Key: key}).URL:     views.TicketPath("acme", key),
			links.Comment(key, tickets.Comment{ID: 7}).URL: views.CommentPath("acme", key, 7),
			links.Board(boards.Board{Slug: "NINJA"}).URL:   views.BoardPath("acme", "NINJA"),
		} {
			if got != "https://tracker.example.com"+want {
				t.Errorf("%s is not the page %s", got, want)
			}
		}
	})
}
