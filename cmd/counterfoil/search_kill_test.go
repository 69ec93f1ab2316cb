package main

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/search"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// TestKillWhileIndexing ends a server at random moments while it builds a search index and follows changes: in the end the
// index has each ticket once, as it is.
func TestKillWhileIndexing(t *testing.T) {
	t.Parallel()
	const many = 6000
	i := onPrivate(t)
	server := i.serve(t)
	_, w, d := i.operator(t)
	ctx := asOwner(t, w, d)
	board := domaintest.OK(w.Workflows.OpenBoard(ctx, boards.Draft{Slug: "RUN", Title: "Run"}, nil))(t)
	server.kill(t)
	apptest.Fill(t, d, 1, board.ID, board.Columns[0].ID, many)
	const built = "a search index is built"
	for range 4 {
		server = i.serve(t)
		domaintest.OK(w.Workflows.OpenTicket(ctx, "RUN", tickets.Draft{Title: "Sorbitol"}, nil))(t)
		domaintest.Must(t, wait.Sleep(t.Context(), time.Duration(rand.IntN(5000))*time.Millisecond))
		if strings.Contains(server.logged(), built) {
			t.Log("it was built before the kill")
		}
		server.kill(t)
	}
	server = i.serve(t)
	domaintest.OK(w.Workflows.OpenTicket(ctx, "RUN", tickets.Draft{Title: "Sorbitol"}, nil))(t)
	domaintest.Until(t, "the index is built, or was", func() bool {
		domaintest.Must(t, wait.Sleep(t.Context(), 5*time.Second)) // to get on, on the disk too
		domaintest.Must(t, server.stop(t))
		paths := domaintest.OK(filepath.Glob(filepath.Join(i.data(), "search", "*", "*-*-*")))(t)
		if len(paths) != 1 {
			t.Fatalf("%v", paths)
		}
		x := domaintest.OK(search.Open(paths[0]))(t)
		at := domaintest.OK(x.Position())(t)
		all := domaintest.OK(x.Find(t.Context(), search.Find{Text: "ticket", All: true, Limit: 2 * many}))(t)
		late := domaintest.OK(x.Find(t.Context(), search.Find{Text: "sorbitol", All: true, Limit: 100}))(t)
		domaintest.Must(t, x.Close())
		if at.Whole && len(all.Hits) >= many && len(late.Hits) == 5 {
			return true
		}
		t.Logf("%+v: %d and %d", at, len(all.Hits), len(late.Hits))
		server = i.serve(t)
		return false
	})
}
