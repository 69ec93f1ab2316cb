package accounts

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestQueue(t *testing.T) {
	t.Parallel()
	q := &queue{free: 1}
	domaintest.Must(t, q.enter(t.Context(), false))
	waiting := func() int {
		q.mu.Lock()
		defer q.mu.Unlock()
		return len(q.known) + len(q.unknown)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.enter(gone, true); !errors.Is(err, context.Canceled) || waiting() != 0 {
		t.Fatalf("a cancelled caller stays in the queue: %v", err)
	}
	var mu sync.Mutex
	var order []string
	var group sync.WaitGroup
	for i, name := range []string{"stranger", "another", "known"} {
		group.Go(func() {
			if err := q.enter(t.Context(), name == "known"); err != nil {
				t.Error(err)
			}
			mu.Lock()
			order = append(order, name)
			mu.Unlock()
			q.leave()
		})
		domaintest.Until(t, "it waits", func() bool { return waiting() == i+1 })
	}
	q.leave()
	group.Wait()
	if want := []string{"known", "stranger", "another"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v", order)
	}
	if q.free != 1 {
		t.Errorf("%d turns are free", q.free)
	}
}
