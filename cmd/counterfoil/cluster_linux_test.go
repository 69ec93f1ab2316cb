//go:build cluster

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest/cluster"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/feedclient"
)

// What happens to a cluster.
const (
	writerKilled   = "the writer is killed, and started again later"
	writerFrozen   = "the writer stands still for a while"
	writerIsolated = "the writer is cut off from the others for a while"
	writerReadOnly = "the writer only allows reading for a while"
	promoted       = "another server is promoted"
	otherKilled    = "a server that is not written to is killed, and started again later"
)

var clusterMishaps = []string{writerKilled, promoted, writerFrozen, otherKilled, writerIsolated, writerReadOnly}

// clusterNumber is a number from the environment, such as how many mishaps there are: each kind in turn.
func clusterNumber(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	return domaintest.OK(strconv.Atoi(text))(t)
}

// TestCluster has twenty writers, callers that pop codes, a run, three followers and a webhook use three servers of ours
// on a database of three, while its servers are killed, frozen, cut off, made read-only and promoted. Nothing
// acknowledged is lost, nothing is given out twice, followers miss nothing, and what fails meanwhile says when to come
// back. COUNTERFOIL_TOPOLOGY is galera, semisync or group, COUNTERFOIL_MISHAPS how many there are, COUNTERFOIL_WRITERS
// how many writers.
func TestCluster(t *testing.T) {
	topology := os.Getenv("COUNTERFOIL_TOPOLOGY")
	n := clusterNumber(t, "COUNTERFOIL_MISHAPS", 100)
	c := domaintest.OK(cluster.Start(t.Context(), topology))(t)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(c.Logs(40))
		}
		domaintest.Must(t, c.Close())
	})
	taker := &taker{held: make(chan struct{}, 1)}
	receiver := httptest.NewServer(taker)
	t.Cleanup(receiver.Close)

	i := onURL(t, c.URL())
	i.env = append(i.env, "COUNTERFOIL_WEBHOOK_ALLOW=127.0.0.1:*")
	servers := []*process{i.serve(t), i.serve(t), i.serve(t)}
	for _, slug := range loadBoards {
		newClient(i).board(t, servers[0].url, slug)
	}
	operator, w, d := i.operator(t)
	actor := domaintest.OK(w.Workflows.Bearer(t.Context(), i.token))(t)
	domaintest.OK(w.Workflows.OpenWebhook(accounts.WithActor(t.Context(), actor),
		webhooks.Draft{URL: receiver.URL, Feeds: []string{"tickets"}}, nil))(t)
	followers := []*follower{
		{name: "polls tickets", h: helper{Feed: "tickets", Mode: feedclient.Poll}},
		{name: "asks and waits for those of a board", h: helper{Feed: "tickets", Board: loadBoards[0],
			Mode: feedclient.LongPoll}},
		{name: "has a stream of tickets", h: helper{Feed: "tickets", Mode: feedclient.Stream}},
	}
	for k, f := range followers {
		f.h.URLs, f.h.Token, f.h.Dir = []string{servers[k].url}, i.token, t.TempDir()
		i.help(t, f.h, "following", nil)
	}
	codes := domaintest.OK(w.Console.OpenRun(operator, workflows.MintName,
		migrations.Values{"codes": "50000", "length": "5"}, migrations.Draft{}, nil))(t)
	until(t, w, operator, codes.ID, "is complete", func(r migrations.Run) bool { return r.State == migrations.Complete })
	domaintest.Exec(t, d,
		"CREATE TABLE ledger (task_id BIGINT UNSIGNED NOT NULL, number BIGINT NOT NULL, PRIMARY KEY (task_id), UNIQUE KEY (number)) ENGINE=InnoDB")
	tasks := 200 * n
	run := domaintest.OK(w.Console.OpenRun(operator, "ledger", migrations.Values{"tasks": strconv.Itoa(tasks)},
		migrations.Draft{}, nil))(t)
	until(t, w, operator, run.ID, "is filled", func(r migrations.Run) bool { return r.State == migrations.Ready })
	domaintest.OK(w.Console.StartRun(operator, run.ID, 0, nil))(t)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	calls := &traffic{t: t, token: i.token, http: &http.Client{Timeout: time.Minute}, titles: map[string]string{},
		codes: map[string]int{}, other: map[string]int{}}
	var group sync.WaitGroup
	for k := range clusterNumber(t, "COUNTERFOIL_WRITERS", 20) {
		group.Go(func() { calls.open(ctx, servers[k%3].url, k) })
	}
	for k := range 3 {
		group.Go(func() { calls.pop(ctx, servers[k].url, k) })
	}
	group.Go(func() { i.demotions(t, ctx) })
	calls.getOn(t, "before the first mishap")
	happened := map[string]int{}
	for k := range n {
		what := clusterMishaps[k%len(clusterMishaps)]
		began := time.Now()
		if !befall(t, c, calls, what, k) {
			continue
		}
		happened[what]++
		longest := calls.takeLongest()
		t.Logf("%d: %s: a caller waited for at most %.1f s; whole again after %.1f s", k, what, longest.Seconds(),
			time.Since(began).Seconds())
	}
	stop()
	group.Wait()
	t.Logf("%s: %v; %d tickets and %d codes, %d answers 503, others: %v", topology, happened, len(calls.titles),
		len(calls.codes), calls.unavailable.Load(), calls.other)
	if len(c.Mended) > 0 {
		t.Logf("members that had to join again: %v", c.Mended)
	}

	until(t, w, operator, run.ID, "is complete", func(r migrations.Run) bool { return r.State == migrations.Complete })
	domaintest.Counts(t, d, tasks-tasks/50, "SELECT COUNT(*) FROM ledger")
	if len(calls.other) > 0 {
		t.Errorf("answers that are neither a success nor a 503 with Retry-After: %v", calls.other)
	}
	calls.complete(t, i, servers[0].url)
	for code, times := range calls.codes {
		if times > 1 {
			t.Errorf("the code %s was given out %d times", code, times)
		}
	}
	grows(t, "all is published", func() int { return -unpublished(d) }, 0)
	for _, f := range followers {
		want := standing(t, d, f.h)
		domaintest.Until(t, "the follower who "+f.name+" has all", func() bool { return maps.Equal(f.copy(t), want) })
		f.proves(t)
	}
	grows(t, "tickets that the webhook was sent", func() int { return calls.sentTo(taker) }, len(calls.titles))
	for _, url := range c.URLs() {
		(&install{env: []string{"DATABASE_URL=" + url, "COUNTERFOIL_KEY_FILE=" + i.keyFile()}, token: i.token}).verified(t)
	}
	domaintest.Counts(t, d, 1, "SELECT COUNT(*) > 0 FROM account WHERE operator")
	domaintest.Counts(t, d, 1, "SELECT COUNT(*) > 0 FROM membership WHERE role = 'owner'")
	for k, p := range servers {
		if err := p.stop(t); err != nil {
			t.Errorf("server %d ended with %v\n%s", k, err, p.logged())
		}
	}
}

// sentTo returns how many of the tickets a webhook was sent.
func (c *traffic) sentTo(receiver *taker) int {
	sent := map[string]bool{}
	for _, m := range receiver.messages() {
		if _, ok := c.titles[m.key]; ok {
			sent[m.key] = true
		}
	}
	return len(sent)
}

// demotions has two owners of a company demote each other again and again, each through connections of its own. One of
// them stays. (Operators do so in domain/accounts: here a caller is one.)
func (i *install) demotions(t *testing.T, ctx context.Context) {
	_, w, d := i.operator(t)
	_, other, _ := i.operator(t)
	domaintest.Exec(t, d, "INSERT INTO company (slug, name, created_at) VALUES ('pair', 'Pair', NOW(6))")
	company := domaintest.OK(accounts.CompanyBySlug(ctx, d.Queries, "pair"))(t)
	var pair [2]accounts.ID
	var as [2]context.Context
	for k := range pair {
		pair[k] = domaintest.Member(t, d, company.ID, "Owner", fmt.Sprintf("owner%d@example.com", k), accounts.Owner, "")
		as[k] = accounts.WithActor(ctx, accounts.Actor{Account: accounts.Account{ID: pair[k]}, Company: company,
			Role: accounts.Owner})
	}
	of := fmt.Sprintf(" WHERE company_id = %d", company.ID)
	rounds, demoted := 0, 0
	for ; ctx.Err() == nil; rounds++ {
		insist(ctx, func() error {
			_, err := d.SQL.ExecContext(ctx, "UPDATE membership SET role = 'owner'"+of)
			return err
		})
		var both sync.WaitGroup
		for k, by := range []*app.App{w, other} {
			both.Go(func() { _ = by.Workflows.ChangeRole(as[k], pair[1-k], accounts.Member) })
		}
		both.Wait()
		owners := 1
		insist(ctx, func() error {
			return d.SQL.QueryRowContext(ctx, "SELECT COUNT(*) FROM membership"+of+" AND role = 'owner'").Scan(&owners)
		})
		if demoted += 2 - owners; owners == 0 {
			t.Errorf("after %d rounds there is no owner", rounds)
		}
		_ = wait.Sleep(ctx, 200*time.Millisecond)
	}
	t.Logf("two owners demoted each other in %d rounds, %d times", rounds, demoted)
}

// insist tries until it succeeds or ctx ends.
func insist(ctx context.Context, try func() error) {
	for try() != nil && wait.Sleep(ctx, 100*time.Millisecond) == nil {
	}
}

// befall does one mishap, waits until callers get on in spite of it, and makes the cluster whole again. It reports false
// if the topology has no such mishap.
func befall(t *testing.T, c *cluster.Cluster, calls *traffic, what string, nth int) bool {
	t.Helper()
	ctx := t.Context()
	var writer *cluster.Node
	domaintest.Until(t, "the proxy leads to a server", func() (ok bool) {
		var err error
		writer, err = c.Writer(ctx)
		return err == nil
	})
	var others []*cluster.Node
	for _, n := range c.Nodes {
		if n != writer {
			others = append(others, n)
		}
	}
	switch what {
	case writerKilled:
		writer.Kill()
		domaintest.Must(t, c.Failover(ctx, writer))
		calls.getOn(t, what)
		domaintest.Must(t, writer.Restart(ctx))
	case writerFrozen:
		domaintest.Must(t, writer.Freeze())
		domaintest.Must(t, c.Failover(ctx, writer))
		calls.getOn(t, what)
		domaintest.Must(t, writer.Thaw())
		domaintest.Must(t, writer.Rejoin(ctx))
	case writerIsolated:
		err := writer.Isolate(ctx)
		if errors.Is(err, cluster.ErrNotPossible) {
			return false
		}
		domaintest.Must(t, err)
		domaintest.Must(t, c.Failover(ctx, writer))
		calls.getOn(t, what)
		domaintest.Must(t, writer.Heal(ctx))
		domaintest.Must(t, writer.Rejoin(ctx))
	case writerReadOnly:
		refused := calls.unavailable.Load()
		domaintest.Must(t, writer.ReadOnly(ctx, true))
		domaintest.Until(t, "callers notice it", func() bool { return calls.unavailable.Load() > refused })
		domaintest.Must(t, writer.ReadOnly(ctx, false))
	case promoted:
		domaintest.Must(t, c.Promote(ctx, others[nth/len(clusterMishaps)%2]))
	case otherKilled:
		other := others[nth/len(clusterMishaps)%2]
		other.Kill()
		calls.getOn(t, what)
		domaintest.Must(t, other.Restart(ctx))
	}
	domaintest.Must(t, c.AwaitWhole(ctx))
	calls.getOn(t, "after "+what)
	return true
}

// traffic is what callers ask for and get. Each repeats a request with its key until it has an answer.
type traffic struct {
	t           *testing.T
	token       string
	http        *http.Client
	unavailable atomic.Int64 // answers
	done        atomic.Int64

	mu      sync.Mutex
	titles  map[string]string // of tickets, by key
	codes   map[string]int    // how often each was given out
	other   map[string]int    // answers that should not be
	longest time.Duration     // that a caller waited for an answer that is none of 503
}

// getOn waits until each caller has had some answers.
func (c *traffic) getOn(t *testing.T, when string) {
	t.Helper()
	before := c.done.Load()
	domaintest.Until(t, "callers get on: "+when, func() bool { return c.done.Load() > before+100 })
}

func (c *traffic) takeLongest() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	longest := c.longest
	c.longest = 0
	return longest
}

func (c *traffic) note(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

func (c *traffic) open(ctx context.Context, url string, who int) {
	for n := 0; ctx.Err() == nil; n++ {
		title := fmt.Sprintf("Ticket %d of writer %d", n, who)
		var ticket made
		if !c.ask(url+"/api/v1/boards/"+loadBoards[who%2]+"/tickets", title, map[string]string{"title": title}, &ticket) {
			return
		}
		c.note(func() {
			if was, twice := c.titles[ticket.Key]; twice {
				c.t.Errorf("%s was given out twice: for %q and %q", ticket.Key, was, title)
			}
			c.titles[ticket.Key] = title
		})
		_ = wait.Sleep(ctx, 20*time.Millisecond)
	}
}

func (c *traffic) pop(ctx context.Context, url string, who int) {
	for n := 0; ctx.Err() == nil; n++ {
		var popped struct{ Refs []string }
		if !c.ask(url+"/api/v1/refs/pop", fmt.Sprintf("pop %d of %d", n, who), map[string]int{"count": 2}, &popped) {
			return
		}
		c.note(func() {
			for _, code := range popped.Refs {
				c.codes[code]++
			}
		})
		_ = wait.Sleep(ctx, 50*time.Millisecond)
	}
}

// ask repeats a request until it is answered, also after the end of a test's mishaps: what was sent may have been done.
func (c *traffic) ask(url, key string, in, out any) bool {
	began := time.Now()
	for time.Since(began) < patience {
		status, retry, err := c.try(url, key, in, out)
		switch {
		case err == nil && status/100 == 2:
			c.done.Add(1)
			c.note(func() { c.longest = max(c.longest, time.Since(began)) })
			return true
		case err == nil && status == http.StatusServiceUnavailable && retry:
			c.unavailable.Add(1)
		case err == nil && status/100 == 4:
			c.t.Errorf("%q is answered with %d", key, status)
			return false
		default:
			c.note(func() { c.other[fmt.Sprintf("%d, Retry-After: %t, %v", status, retry, err)]++ })
		}
		_ = wait.Sleep(context.Background(), 50*time.Millisecond) // as an honest client does
	}
	c.t.Errorf("no answer to %q within %s", key, patience)
	return false
}

func (c *traffic) try(url, key string, in, out any) (status int, retry bool, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return 0, false, err
	}
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, false, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	response, err := c.http.Do(request)
	if err != nil {
		return 0, false, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode/100 != 2 {
		return response.StatusCode, response.Header.Get("Retry-After") != "", err
	}
	return response.StatusCode, false, json.Unmarshal(text, out)
}

// complete fails the test unless each board has exactly the acknowledged tickets, with the numbers from 1 to their
// count, so that none is there twice.
func (c *traffic) complete(t *testing.T, i *install, url string) {
	t.Helper()
	for _, board := range loadBoards {
		stored := newClient(i).list(t, url, board)
		acknowledged := maps.Clone(c.titles)
		maps.DeleteFunc(acknowledged, func(key, _ string) bool { return !strings.HasPrefix(key, board+"-") })
		for _, key := range slices.Sorted(maps.Keys(acknowledged)) {
			if title, there := stored[key]; !there || title != acknowledged[key] {
				t.Errorf("%s was acknowledged with the title %q, and is stored with %q", key, acknowledged[key], title)
			}
		}
		for n := range len(stored) {
			if key := fmt.Sprint(board, "-", n+1); acknowledged[key] == "" {
				t.Errorf("%s is stored with the title %q, and nobody was told of it", key, stored[key])
			}
		}
	}
}
