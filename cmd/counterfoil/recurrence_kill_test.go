package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// TestKillWhileRecurring ends one of two servers, and now and then the database, while programs close recurring tickets
// and merge labels that many tickets have: each repeats what was not answered. Each ticket that is closed has one that
// follows it, each label that was merged leads to its other, and verify finds nothing.
func TestKillWhileRecurring(t *testing.T) {
	t.Parallel()
	const chains, labels, labelled, kills = 3, 6, 110, 6 // more than a hundred tickets are published by a run
	i := onPrivate(t)
	servers := []*process{i.serve(t), i.serve(t)}
	var urls [2]atomic.Value
	for n, server := range servers {
		urls[n].Store(server.url)
	}
	p := &persistent{client: newClient(i), url: func() string { return urls[rand.IntN(2)].Load().(string) }}
	p.board(t, servers[0].url, "RUN")
	for n := range labelled {
		p.must(t, "POST", "/boards/RUN/tickets", map[string]any{"title": fmt.Sprint("Labelled ", n),
			"labels": []string{"L0", "L1", "L2", "L3", "L4", "L5"}})
	}
	today := time.Now().UTC().Format(time.DateOnly)
	for n := range chains {
		var opened made
		p.open(t, &opened, map[string]any{"title": fmt.Sprint("Chain ", n), "due": today})
		p.must(t, "PUT", "/tickets/"+opened.Key+"/recurrence", map[string]any{"rule": "FREQ=DAILY", "opens": "closed",
			"time_zone": "UTC"})
	}

	working, end := context.WithCancel(t.Context())
	defer end()
	var work sync.WaitGroup
	for n := range chains {
		work.Go(func() {
			for working.Err() == nil {
				p.closeNext(working, t, fmt.Sprint("Chain ", n))
			}
		})
	}
	work.Go(func() {
		for n := 1; n < labels; n += 2 {
			p.merge(working, t, fmt.Sprint("L", n), fmt.Sprint("L", n-1))
		}
	})
	for n := range kills {
		if err := wait.Sleep(t.Context(), time.Duration(1000+rand.IntN(1500))*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if n%3 == 2 {
			domaintest.Must(t, syscall.Kill(databasePID(t, i), syscall.SIGKILL))
		}
		servers[n%2].kill(t)
		servers[n%2] = i.serve(t)
		urls[n%2].Store(servers[n%2].url)
	}
	end()
	work.Wait()

	_, _, d := i.operator(t)
	count := func(query string) int { return domaintest.Number(t, d, query) }
	domaintest.Until(t, "all that is due is opened, and all runs end", func() bool {
		return count("SELECT COUNT(*) FROM recurrence WHERE due_at IS NOT NULL")+
			count("SELECT COUNT(*) FROM migration_run WHERE finished_at IS NULL") == 0
	})
	closed := count("SELECT COUNT(*) FROM ticket WHERE title LIKE 'Chain %' AND closed_at IS NOT NULL")
	if closed < chains {
		t.Errorf("%d tickets were closed: nothing is proved", closed)
	}
	domaintest.Counts(t, d, closed+chains, "SELECT COUNT(*) FROM ticket WHERE title LIKE 'Chain %'")
	domaintest.Counts(t, d, closed+chains, "SELECT COUNT(DISTINCT recurrence_id, occurs_at) FROM occurrence")
	domaintest.Counts(t, d, chains, "SELECT COUNT(*) FROM recurrence WHERE state = 'active'")
	domaintest.Counts(t, d, labels/2, "SELECT COUNT(*) FROM label WHERE live")
	for _, server := range servers {
		domaintest.Must(t, server.stop(t))
	}
	i.verified(t)
	t.Logf("%d recurring tickets were closed beside %d kills", closed, kills)
}

// persistent repeats a request until it is answered.
type persistent struct {
	*client
	url func() string
}

// do sends a request until it is answered with less than 500, and returns with what.
func (p *persistent) do(ctx context.Context, method, path string, in, out any) (int, error) {
	key := ""
	if method == http.MethodPost {
		key = fmt.Sprint("key-", rand.Uint64())
	}
	if out == nil {
		out = &struct{}{}
	}
	for until := time.Now().Add(2 * time.Minute); time.Now().Before(until); {
		response, err := p.call(method, p.url()+"/api/v1"+path, key, in, out)
		if err == nil && response.StatusCode < 500 && response.StatusCode != http.StatusTooManyRequests {
			return response.StatusCode, nil
		}
		if err := wait.Sleep(ctx, 50*time.Millisecond); err != nil {
			return 0, err
		}
	}
	return 0, errors.New(path + " was not answered in two minutes")
}

// must sends a request until it is done.
func (p *persistent) must(t *testing.T, method, path string, in any) {
	t.Helper()
	if code, err := p.do(t.Context(), method, path, in, nil); err != nil || code >= 300 {
		t.Fatalf("%s %s: %d, %v", method, path, code, err)
	}
}

func (p *persistent) open(t *testing.T, opened *made, draft map[string]any) {
	t.Helper()
	if code, err := p.do(t.Context(), http.MethodPost, "/boards/RUN/tickets", draft, opened); err != nil || code != http.StatusCreated {
		t.Fatalf("open: %d, %v", code, err)
	}
}

// closeNext closes the open ticket with a title, once there is one. There never are two.
func (p *persistent) closeNext(ctx context.Context, t *testing.T, title string) {
	var list struct {
		Items []struct {
			Key, Title string
			ClosedAt   *time.Time `json:"closed_at"`
		}
		Next *string
	}
	open := ""
	for after := ""; ; after = *list.Next {
		list.Next = nil
		if _, err := p.do(ctx, http.MethodGet, "/boards/RUN/tickets?limit=200&after="+after, nil, &list); err != nil {
			return
		}
		for _, ticket := range list.Items {
			if ticket.Title != title || ticket.ClosedAt != nil {
				continue
			}
			if open != "" && open != ticket.Key {
				t.Errorf("%s and %s are open", open, ticket.Key)
			}
			open = ticket.Key
		}
		if list.Next == nil {
			break
		}
	}
	if open != "" {
		// A database that is killed loses tickets that it showed before their commit was on disk.
		code, err := p.do(ctx, http.MethodPut, "/tickets/"+open+"/closure", nil, nil)
		if err == nil && code >= 300 && code != http.StatusNotFound {
			t.Errorf("close %s: %d", open, code)
		}
	}
	_ = wait.Sleep(ctx, 100*time.Millisecond)
}

// merge merges a label into another.
func (p *persistent) merge(ctx context.Context, t *testing.T, from, into string) {
	var list struct {
		Items []struct {
			ID   uint64
			Name string
		}
	}
	if _, err := p.do(ctx, http.MethodGet, "/labels", nil, &list); err != nil {
		t.Error(err)
		return
	}
	ids := map[string]uint64{}
	for _, label := range list.Items {
		ids[label.Name] = label.ID
	}
	code, err := p.do(ctx, http.MethodPost, fmt.Sprintf("/labels/%d/merge", ids[from]), map[string]any{"into": ids[into]}, nil)
	if err != nil || code >= 300 {
		t.Errorf("merge %s into %s: %d, %v", from, into, code, err)
	}
	_ = wait.Sleep(ctx, time.Second)
}
