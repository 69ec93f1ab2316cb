package workflows_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestOpenTicket(t *testing.T) {
	t.Parallel()
	t.Run("twenty writers on two boards get every number once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		const writers, each = 10, 50
		for _, slug := range []string{"NINJA", "PIRATE"} {
			e.Board(t, slug)
		}
		var mu sync.Mutex
		seen := map[tickets.Key]bool{}
		var group sync.WaitGroup
		for _, slug := range []string{"NINJA", "PIRATE"} {
			for n := range writers {
				group.Go(func() {
					for i := range each {
						ticket, err := e.Workflows.OpenTicket(e.Ctx, slug, tickets.Draft{Title: fmt.Sprint(n, i)}, nil)
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						if seen[ticket.Key] {
							t.Errorf("%s was handed out twice", ticket.Key)
						}
						seen[ticket.Key] = true
						mu.Unlock()
					}
				})
			}
		}
		group.Wait()
		for _, slug := range []string{"NINJA", "PIRATE"} {
			for n := uint64(1); n <= writers*each; n++ {
				if !seen[tickets.Key{Board: slug, Number: n}] {
					t.Fatalf("%s-%d was never handed out", slug, n)
				}
			}
		}
	})
}
