package delivery_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// soon is a limit for what never answers in time. Nothing that is to answer is given so little.
const soon = 3 * time.Second

// receiver is an environment that may reach this machine, with a receiver of any kind on it.
func receiver(t *testing.T, handler http.HandlerFunc) (e *env, hook id.Webhook, url string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	e = newReachingEnv(t)
	hook, _ = e.hook(t, webhooks.Draft{URL: server.URL, Feeds: []string{"tickets"}})
	return e, hook, server.URL
}

func TestWebhookThatAnswersLate(t *testing.T) {
	t.Parallel()
	hostile := outboundtest.New()
	t.Cleanup(hostile.Close)
	t.Run("has not taken the message: it comes again, with the same id", func(t *testing.T) {
		t.Parallel()
		var mu sync.Mutex
		var ids []string
		var late atomic.Bool
		late.Store(true)
		e, hook, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			ids = append(ids, r.Header.Get("webhook-id"))
			mu.Unlock()
			if late.Load() {
				r.URL.Path = "/late"
				hostile.ServeHTTP(w, r)
				return
			}
			w.WriteHeader(http.StatusNoContent)
		})
		e.Delivery.SendFor(soon)
		e.openTicket(t, "DEMO", "one")
		for n := 1; n <= 2; n++ {
			if w := e.deliver(t, hook); w.Failures != n || w.Condition() != "failing" {
				t.Errorf("%+v", w)
			}
			if a := e.deliveries(t, hook)[0]; a.Outcome.OK() || a.Outcome.Status != 0 ||
				!strings.Contains(a.Outcome.Error, soon.String()) {
				t.Errorf("%+v", a)
			}
		}
		late.Store(false)
		e.Delivery.SendFor(time.Minute / 4)
		if w := e.deliver(t, hook); w.Failures != 0 || w.Condition() != "on" {
			t.Errorf("%+v", w)
		}
		mu.Lock()
		defer mu.Unlock()
		if once := slices.Compact(slices.Clone(ids)); len(ids) < 2 || len(once) != 1 || once[0] == "" {
			t.Errorf("%q", ids)
		}
	})
	t.Run("reports it to a test message, too", func(t *testing.T) {
		t.Parallel()
		e, hook, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = "/late"
			hostile.ServeHTTP(w, r)
		})
		e.Delivery.SendFor(soon)
		a, err := e.Workflows.TestWebhook(e.Ctx, hook, nil)
		if err != nil || a.Outcome.OK() || !strings.Contains(a.Outcome.Error, soon.String()) {
			t.Errorf("%+v, %v", a, err)
		}
		if list := e.deliveries(t, hook); len(list) != 1 || list[0].Kind != webhooks.Test {
			t.Errorf("%+v", list)
		}
	})
}

func TestWebhookRetryAfter(t *testing.T) {
	t.Parallel()
	inAnHour := time.Now().UTC().Add(time.Hour).Truncate(time.Second)
	most := 12 * time.Hour
	for name, c := range map[string]struct {
		status int
		value  string
		// It is due then, or so long after it was asked.
		at          time.Time
		least, most time.Duration
	}{
		"429 for an hour":                         {status: 429, value: "3600", least: time.Hour, most: time.Hour},
		"503 for an hour":                         {status: 503, value: "3600", least: time.Hour, most: time.Hour},
		"503 until a time":                        {status: 503, value: inAnHour.Format(http.TimeFormat), at: inAnHour},
		"429 for a week":                          {status: 429, value: "604800", least: most, most: most},
		"429 for longer than a number says":       {status: 429, value: "99999999999999999999", least: most, most: most},
		"503 until the end of days":               {status: 503, value: "Fri, 31 Dec 9999 23:59:59 GMT", least: most, most: most},
		"429 for less than is waited in any case": {status: 429, value: "0", least: 4 * time.Second, most: 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var ids []string
			e, hook, url := receiver(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if ids = append(ids, r.Header.Get("webhook-id")); len(ids) == 1 {
					w.Header().Set("Retry-After", c.value)
					w.WriteHeader(c.status)
				}
			})
			retryAfter := func() int {
				mu.Lock()
				defer mu.Unlock()
				return len(ids)
			}
			e.openTicket(t, "DEMO", "one")
			e.Publish(t)
			before := e.clock(t, "SELECT NOW(6)")
			domaintest.Must(t, e.Delivery.RunSession(e.Ctx, hook))
			due, after := e.clock(t, "SELECT due_at FROM webhook"), e.clock(t, "SELECT NOW(6)")
			least, most := before.Add(c.least), after.Add(c.most)
			if !c.at.IsZero() {
				least, most = c.at, c.at.Add(after.Sub(before))
			}
			if due.Before(least) || due.After(most) {
				t.Errorf("due at %s, asked between %s and %s", due, before, after)
			}
			if w := e.webhook(t, hook); w.Failures != 1 || e.deliveries(t, hook)[0].Outcome.Status != c.status {
				t.Errorf("%+v", w)
			}
			if c.value == "0" {
				return
			}

			// Both background work and a direct delivery leave it alone.
			inbox := outboundtest.NewInbox(nil)
			server := httptest.NewServer(inbox)
			defer server.Close()
			e.hook(t, webhooks.Draft{URL: server.URL, Feeds: []string{"tickets"}})
			ctx, cancel := context.WithCancel(e.Ctx)
			var work sync.WaitGroup
			work.Go(func() { e.Feeds.Run(ctx) })
			work.Go(func() { e.Delivery.WorkWebhooks(ctx) })
			e.openTicket(t, "DEMO", "two")
			<-inbox.Received()
			e.openTicket(t, "DEMO", "three")
			<-inbox.Received()
			cancel()
			work.Wait()
			if err := e.Delivery.RunSession(e.Ctx, hook); err != nil || retryAfter() != 1 {
				t.Errorf("%s was asked %d times, %v", url, retryAfter(), err)
			}

			e.Exec(t, "UPDATE webhook SET due_at = NOW(6) WHERE id = ?", hook)
			if err := e.Delivery.RunSession(e.Ctx, hook); err != nil || retryAfter() != 4 || ids[0] != ids[1] {
				t.Errorf("%v, %q", err, ids)
			}
		})
	}
}

// clock reads a time of the database.
func (e *env) clock(t *testing.T, query string) (at time.Time) {
	t.Helper()
	domaintest.Must(t, e.DB.SQL.QueryRowContext(e.Ctx, query).Scan(&at))
	return at
}

// During a receiver's outage fifty changes become one message.
func TestWebhookAfterAnOutage(t *testing.T) {
	t.Parallel()
	inbox := outboundtest.NewInbox(nil)
	var away atomic.Bool
	e, hook, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			panic(http.ErrAbortHandler)
		}
		inbox.ServeHTTP(w, r)
	})
	busy, quiet := e.openTicket(t, "DEMO", "busy"), e.openTicket(t, "DEMO", "quiet")
	e.deliver(t, hook)
	if n := len(inbox.Messages()); n != 2 {
		t.Fatalf("%d messages", n)
	}
	away.Store(true)
	const edits = 50
	for i := 1; i <= edits; i++ {
		var err error
		if busy, err = e.Workflows.EditTicket(e.Ctx, busy.Key, tickets.Edit{Title: new(fmt.Sprint("version ", i)),
			Version: busy.Version}); err != nil {
			t.Fatal(err)
		}
		if e.Publish(t); i%10 == 5 {
			e.deliver(t, hook)
		}
	}
	domaintest.OK(e.Workflows.EditTicket(e.Ctx, quiet.Key, tickets.Edit{Title: new("once"), Version: quiet.Version}))(t)
	if w := e.deliver(t, hook); w.Failures != 6 {
		t.Errorf("%+v", w)
	}
	away.Store(false)
	if w := e.deliver(t, hook); w.Failures != 0 || w.Failing != nil {
		t.Errorf("%+v", w)
	}
	same(t, summaries(t, inbox.Messages())[2:], "ticket.changed "+busy.Key.String()+fmt.Sprint(" version ", edits),
		"ticket.changed "+quiet.Key.String()+" once")
	e.deliver(t, hook)
	if n := len(inbox.Messages()); n != 4 {
		t.Errorf("%d messages", n)
	}
}
