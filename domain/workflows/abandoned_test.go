package workflows_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// TestAbandonedBatch holds a batch within its transaction, as a frozen database does, while its caller leaves.
func TestAbandonedBatch(t *testing.T) {
	t.Parallel()
	d, watch := dbtest.NewWatched(t)
	e := apptest.On(t, d)
	e.Board(t, "NINJA")
	held, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	watch.After(func(statement string) {
		if strings.HasPrefix(statement, "INSERT INTO ticket ") {
			once.Do(func() { close(held); <-release })
		}
	})
	open := func(ctx context.Context, title string) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := e.Workflows.OpenTicket(ctx, "NINJA", tickets.Draft{Title: title}, nil)
			done <- err
		}()
		return done
	}
	ctx, leave := context.WithCancel(e.Ctx)
	first := open(ctx, "ship it")
	<-held
	leave()
	domaintest.Is(t, <-first, context.Canceled)
	again := open(e.Ctx, "ship it")
	close(release)
	domaintest.Must(t, <-again)
	domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM ticket WHERE title = 'ship it'")
	domaintest.Counts(t, d, 1, "SELECT local_id FROM ticket WHERE title = 'ship it'")
}
