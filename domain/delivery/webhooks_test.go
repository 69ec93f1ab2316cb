package delivery_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// post is an environment that may reach this machine, with a receiver on it.
type post struct {
	*env
	inbox *outboundtest.Inbox
	url   string // of the receiver
}

func newPost(t *testing.T, body func(n int, m outboundtest.Message) int) *post {
	t.Helper()
	inbox := outboundtest.NewInbox(body)
	server := httptest.NewServer(inbox)
	t.Cleanup(server.Close)
	return &post{env: newReachingEnv(t), inbox: inbox, url: server.URL}
}

// newReachingEnv is an environment that may reach this machine.
func newReachingEnv(t *testing.T) *env {
	t.Helper()
	e := newEnv(t, app.WithWebhooks(outboundtest.Here(t)), app.WithURL("https://tickets.example/"))
	e.Publish(t)
	return e
}

func (e *env) hook(t *testing.T, draft webhooks.Draft) (id.Webhook, string) {
	t.Helper()
	if draft.Feeds == nil {
		draft.Feeds = []string{"tickets", "comments", "boards"}
	}
	hook := domaintest.OK(e.Workflows.OpenWebhook(e.Ctx, draft, nil))(t)
	return hook.ID, hook.Secret
}

// deliver publishes, and sends to the webhook whatever its wait.
func (e *env) deliver(t *testing.T, hook id.Webhook) webhooks.Webhook {
	t.Helper()
	e.Publish(t)
	e.Exec(t, "UPDATE webhook SET due_at = NOW(6) WHERE id = ?", hook)
	domaintest.Must(t, e.Delivery.RunSession(e.Ctx, hook))
	return e.webhook(t, hook)
}

func (e *env) webhook(t *testing.T, hook id.Webhook) webhooks.Webhook {
	t.Helper()
	return domaintest.OK(e.Workflows.Webhook(e.Ctx, hook))(t)
}

func (e *env) openTicket(t *testing.T, board, title string) tickets.Ticket {
	t.Helper()
	return domaintest.OK(e.Workflows.OpenTicket(e.Ctx, board, tickets.Draft{Title: title}, nil))(t)
}

func (e *env) deliveries(t *testing.T, hook id.Webhook) []webhooks.Attempt {
	t.Helper()
	list, _, err := e.Workflows.Deliveries(e.Ctx, hook, 0)
	domaintest.Must(t, err)
	return list
}

// summaries returns the types and subjects of messages, in order.
func summaries(t *testing.T, list []outboundtest.Message) (lines []string) {
	t.Helper()
	for _, m := range list {
		var body struct {
			Type string
			Data struct {
				Reason string
				Data   *struct{ Key, Title, Slug, Body string }
			}
		}
		domaintest.Must(t, json.Unmarshal(m.Body, &body))
		line := body.Type
		if d := body.Data.Data; d != nil {
			line += " " + d.Key + d.Slug + d.Body
			if d.Key != "" {
				line += " " + d.Title
			}
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestWebhookIsSentChanges(t *testing.T) {
	t.Parallel()
	t.Run("in order, from when it was made, signed, each row as it is by then", func(t *testing.T) {
		p := newPost(t, nil)
		hook, secret := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets", "comments"}})
		one, two := p.openTicket(t, "DEMO", "one"), p.openTicket(t, "DEMO", "two")
		domaintest.OK(p.Workflows.EditTicket(p.Ctx, one.Key, tickets.Edit{Title: new("one again"), Version: one.Version}))(t)
		p.deliver(t, hook)
		same(t, summaries(t, p.inbox.Messages()), "ticket.changed "+one.Key.String()+" one again",
			"ticket.changed "+two.Key.String()+" two")

		domaintest.Must(t, p.Workflows.DeleteTicket(p.Ctx, two.Key))
		p.deliver(t, hook)
		if got := summaries(t, p.inbox.Messages()); got[len(got)-1] != "ticket.deleted" {
			t.Error(got)
		}
		signer := domaintest.OK(standardwebhooks.NewWebhook(secret))(t)
		ids := map[string]bool{}
		for _, m := range p.inbox.Messages() {
			if err := signer.Verify(m.Body, m.Header); err != nil {
				t.Error(err)
			}
			ids[m.Header.Get("webhook-id")] = true
			if strings.Contains(string(m.Body), `"data":{"key"`) && !strings.Contains(string(m.Body),
				`"url":"https://tickets.example/acme/`) {
				t.Errorf("%s", m.Body)
			}
		}
		if len(ids) != 3 {
			t.Error(ids)
		}
		for _, a := range p.deliveries(t, hook) {
			if a.Kind != webhooks.Sent || !a.Outcome.OK() || a.Outcome.Status != 204 {
				t.Errorf("%+v", a)
			}
		}
	})
	t.Run("nothing of other companies, and of a board also the tickets that leave it", func(t *testing.T) {
		p := newPost(t, nil)
		ninja := p.Board(t, "NINJA")
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}, Board: "DEMO"})
		rivals := domaintest.OK(p.Console.OpenCompany(p.Ctx, "Rivals", "rivals", nil))(t)
		there := p.Actor
		there.Company = rivals
		asRival := accounts.WithActor(context.Background(), there)
		domaintest.OK(p.Workflows.OpenBoard(asRival, boards.Draft{Slug: "SPY", Title: "Spy"}, nil))(t)
		domaintest.OK(p.Workflows.OpenTicket(asRival, "SPY", tickets.Draft{Title: "secret"}, nil))(t)
		p.openTicket(t, "NINJA", "elsewhere")
		here := p.openTicket(t, "DEMO", "here")
		p.deliver(t, hook)
		if _, _, err := p.Workflows.MoveTicket(p.Ctx, here.Key,
			tickets.Intent{Board: "NINJA", Column: ninja.Columns[0].ID}); err != nil {
			t.Fatal(err)
		}
		p.deliver(t, hook)
		same(t, summaries(t, p.inbox.Messages()), "ticket.changed "+here.Key.String()+" here", "ticket.left")
	})
	t.Run("of a board that becomes private that it left, and nothing of it from then on", func(t *testing.T) {
		p := newPost(t, nil)
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets", "boards"}})
		here := p.openTicket(t, "DEMO", "here")
		p.deliver(t, hook)
		board := domaintest.OK(p.Workflows.SetBoardPrivacy(p.Ctx, "DEMO", true))(t)
		p.openTicket(t, "DEMO", "later")
		p.deliver(t, hook)
		got := summaries(t, p.inbox.Messages())
		slices.Sort(got[1:])
		same(t, got, "ticket.changed "+here.Key.String()+" here", "board.left", "ticket.left")
		if last := string(p.inbox.Messages()[2].Body); !strings.Contains(last, fmt.Sprintf(`"board":%d,"deleted":true,"reason":"left"`, board.ID)) {
			t.Error(last)
		}
	})
}

func TestWebhookThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	t.Run("is tried again with the same message, and gets no later one before", func(t *testing.T) {
		p := newPost(t, func(n int, _ outboundtest.Message) int { return map[bool]int{true: 500, false: 200}[n <= 2] })
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}})
		p.openTicket(t, "DEMO", "one")
		p.openTicket(t, "DEMO", "two")
		if w := p.deliver(t, hook); w.Failures != 1 || w.Failing == nil || w.Condition() != "failing" || w.Wait <= 0 {
			t.Errorf("%+v", w)
		}
		if w := p.deliver(t, hook); w.Failures != 2 {
			t.Errorf("%+v", w)
		}
		if w := p.deliver(t, hook); w.Failures != 0 || w.Failing != nil {
			t.Errorf("%+v", w)
		}
		list := p.inbox.Messages()
		if len(list) != 4 {
			t.Fatal(summaries(t, list))
		}
		id := func(i int) string { return list[i].Header.Get("webhook-id") }
		if id(0) != id(1) || id(1) != id(2) || id(2) == id(3) {
			t.Error(id(0), id(1), id(2), id(3))
		}
	})
	t.Run("gets changes since once, in their present state", func(t *testing.T) {
		p := newPost(t, func(n int, _ outboundtest.Message) int { return map[bool]int{true: 503, false: 200}[n == 1] })
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}})
		ticket := p.openTicket(t, "DEMO", "draft")
		p.deliver(t, hook)
		for i := range 5 {
			var err error
			if ticket, err = p.Workflows.EditTicket(p.Ctx, ticket.Key, tickets.Edit{Title: new(fmt.Sprint("version ", i)),
				Version: ticket.Version}); err != nil {
				t.Fatal(err)
			}
			p.Publish(t)
		}
		p.deliver(t, hook)
		same(t, summaries(t, p.inbox.Messages()), "ticket.changed "+ticket.Key.String()+" draft",
			"ticket.changed "+ticket.Key.String()+" version 4")
	})
	t.Run("no row that was read too long ago, not even the first", func(t *testing.T) {
		p := newPost(t, nil)
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}})
		one := p.openTicket(t, "DEMO", "one")
		p.Delivery.FreshFor(0)
		p.deliver(t, hook)
		same(t, summaries(t, p.inbox.Messages()))
		p.Delivery.FreshFor(time.Minute)
		p.deliver(t, hook)
		same(t, summaries(t, p.inbox.Messages()), "ticket.changed "+one.Key.String()+" one")
	})
	t.Run("is left alone before its time", func(t *testing.T) {
		p := newPost(t, func(int, outboundtest.Message) int { return 500 })
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}})
		p.openTicket(t, "DEMO", "one")
		p.deliver(t, hook)
		p.Exec(t, "UPDATE webhook SET due_at = due_at + INTERVAL 1 HOUR")
		if err := p.Delivery.RunSession(p.Ctx, hook); err != nil || len(p.inbox.Messages()) != 1 {
			t.Error(err, len(p.inbox.Messages()))
		}
	})
	t.Run("410 stops it, with the reason, and it resumes at its cursor once it is turned on", func(t *testing.T) {
		p := newPost(t, func(n int, _ outboundtest.Message) int { return map[bool]int{true: 410, false: 200}[n == 1] })
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}})
		p.openTicket(t, "DEMO", "one")
		if w := p.deliver(t, hook); w.State != webhooks.Stopped || !strings.Contains(w.Reason, "410") {
			t.Errorf("%+v", w)
		}
		p.openTicket(t, "DEMO", "two")
		p.deliver(t, hook)
		if n := len(p.inbox.Messages()); n != 1 {
			t.Errorf("%d messages", n)
		}
		domaintest.Must(t, p.Workflows.EnableWebhook(p.Ctx, hook, true))
		if w := p.deliver(t, hook); w.State != webhooks.On || len(p.inbox.Messages()) != 3 {
			t.Errorf("%+v, %q", w, summaries(t, p.inbox.Messages()))
		}
	})
	t.Run("five days of failures stop it, and one answer begins them anew", func(t *testing.T) {
		p := newPost(t, func(n int, _ outboundtest.Message) int { return map[bool]int{true: 200, false: 500}[n == 2] })
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}})
		long := "UPDATE webhook SET failing_since = NOW(6) - INTERVAL 121 HOUR WHERE failing_since IS NOT NULL"
		p.openTicket(t, "DEMO", "one")
		p.deliver(t, hook)
		p.Exec(t, long)
		p.openTicket(t, "DEMO", "two")
		if w := p.deliver(t, hook); w.State != webhooks.On { // taken, then failed
			t.Errorf("%+v", w)
		}
		p.Exec(t, long)
		if w := p.deliver(t, hook); w.State != webhooks.Stopped || !strings.Contains(w.Reason, "five days") {
			t.Errorf("%+v", w)
		}
	})
}

func TestSlowWebhooks(t *testing.T) {
	t.Parallel()
	e := newReachingEnv(t)
	const hooks = 18 // more than two rounds of a company's turns
	for n := range hooks {
		e.hook(t, webhooks.Draft{URL: fmt.Sprintf("http://127.0.0.1/%d", n), Feeds: []string{"tickets"}})
	}
	e.openTicket(t, "DEMO", "one")
	e.follows(t)
	var looking sync.Mutex // no turn ends meanwhile
	had := map[id.Webhook]bool{}
	check, wait := e.Delivery.Dispatch(func(_ context.Context, hook id.Webhook) error { // a turn that leaves as much to send as there was
		looking.Lock()
		defer looking.Unlock()
		had[hook] = true
		return nil
	})
	for range 3 {
		looking.Lock()
		err := check(e.Ctx)
		looking.Unlock()
		domaintest.Must(t, err)
		wait()
	}
	if len(had) != hooks {
		t.Errorf("of %d webhooks only %d had a turn in three rounds", hooks, len(had))
	}
}

// follows has this process know how far the feeds are by now.
func (e *env) follows(t *testing.T) {
	t.Helper()
	e.Publish(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.Feeds.Run(ctx)
	}()
	defer func() { stop(); <-done }()
	for _, feed := range e.Feeds.Names() {
		end := domaintest.OK(e.Feeds.End(ctx, feed))(t)
		for {
			at, moved := e.Feeds.Head(feed)
			if at.Position >= end.Position {
				break
			}
			select {
			case <-moved:
			case <-time.After(3 * time.Minute):
				t.Fatalf("%s: this process is at %d, not %d", feed, at.Position, end.Position)
			}
		}
	}
}

func TestWebhookThatMoves(t *testing.T) {
	t.Parallel()
	p := newPost(t, func(int, outboundtest.Message) int { return http.StatusInternalServerError })
	draft := webhooks.Draft{URL: p.url + "/a", Feeds: []string{"tickets"}}
	hook, _ := p.hook(t, draft)
	p.openTicket(t, "DEMO", "one")
	failing := p.deliver(t, hook)
	if failing.Failures != 1 {
		t.Fatalf("%+v", failing)
	}
	p.Exec(t, "UPDATE webhook SET failing_since = NOW(6) - INTERVAL 121 HOUR WHERE id = ?", hook)
	edits := func(draft webhooks.Draft) webhooks.Webhook {
		t.Helper()
		now, err := p.Workflows.Webhook(p.Ctx, hook)
		domaintest.Must(t, err)
		domaintest.Must(t, p.Workflows.EditWebhook(p.Ctx, hook, now.Version, draft))
		if now, err = p.Workflows.Webhook(p.Ctx, hook); err != nil {
			t.Fatal(err)
		}
		return now
	}
	draft.Note = "what it is for"
	if now := edits(draft); now.Failures != 1 || now.Failing == nil {
		t.Errorf("with another note it is the same receiver, but %+v", now)
	}
	draft.URL = p.url + "/A" // which a database may take for the same
	if now := edits(draft); now.Failures != 0 || now.Failing != nil {
		t.Errorf("at another address it fails as before: %+v", now)
	}
	p.Exec(t, "UPDATE webhook SET lease_ends = NOW(6) WHERE id = ?", hook)
	if now := p.deliver(t, hook); now.State != webhooks.On || now.Failures != 1 {
		t.Errorf("the first failure there stopped it: %+v", now)
	}
}

func TestHostileReceivers(t *testing.T) {
	t.Parallel()
	hostile := outboundtest.New()
	server := httptest.NewServer(hostile)
	t.Cleanup(server.Close)
	t.Cleanup(hostile.Close)
	e := newReachingEnv(t)
	if packed, err := http.Get(server.URL + "/gzip-bomb.png"); err != nil { // it is made when it is first asked for
		t.Fatal(err)
	} else {
		packed.Body.Close()
	}
	for path, want := range map[string]struct {
		status int
		said   string
	}{
		"/huge":                        {200, ""},
		"/stall-body":                  {200, ""},
		"/to?" + "http://example.com/": {302, "Redirects are not followed"},
		"/loop":                        {302, "Redirects are not followed"},
		"/reset":                       {0, "cannot be reached"},
		"/status/500":                  {500, "500"},
		"/gzip-bomb.png":               {200, ""},
	} {
		t.Run(path, func(t *testing.T) {
			hook, _ := e.hook(t, webhooks.Draft{URL: server.URL + path})
			a := domaintest.OK(e.Workflows.TestWebhook(e.Ctx, hook, nil))(t)
			if a.Outcome.Status != want.status || !strings.Contains(a.Outcome.Error, want.said) ||
				(want.said == "") != a.Outcome.OK() || len(a.Outcome.Response) > webhooks.MaxResponse {
				t.Errorf("%d %q, %d bytes", a.Outcome.Status, a.Outcome.Error, len(a.Outcome.Response))
			}
		})
	}
	if hostile.RequestCount("/loop") != 1 {
		t.Error("a redirect was followed")
	}
}

func TestWebhookErrors(t *testing.T) {
	t.Parallel()
	t.Run("one that is long when it is written is a failure as others are", func(t *testing.T) {
		e := newReachingEnv(t)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", strings.Repeat(`"`, 5000))
			w.WriteHeader(http.StatusFound)
		}))
		t.Cleanup(server.Close)
		hook, _ := e.hook(t, webhooks.Draft{URL: server.URL, Feeds: []string{"tickets"}})
		e.openTicket(t, "DEMO", "one")
		if w := e.deliver(t, hook); w.Failures != 1 || w.Wait <= 0 {
			t.Errorf("%+v", w)
		}
		if a, err := e.Workflows.TestWebhook(e.Ctx, hook, nil); err != nil || a.Outcome.OK() {
			t.Errorf("%+v, %v", a, err)
		}
	})
	t.Run("a name of an internal address does not reveal the address, and is stopped at its third refusal",
		func(t *testing.T) {
			e := newEnv(t, app.WithWebhooks(outbound.New(outbound.Options{Purpose: outbound.Webhooks,
				Resolver: outboundtest.Resolver(t, "10.9.8.7")})))
			e.Publish(t)
			hook, _ := e.hook(t, webhooks.Draft{URL: "https://chat.test/s3cret", Feeds: []string{"tickets"}})
			e.openTicket(t, "DEMO", "one")
			for n := 1; n <= 3; n++ {
				w := e.deliver(t, hook)
				if stopped := w.State == webhooks.Stopped; stopped != (n == 3) {
					t.Fatalf("after %d refusals it is %+v", n, w)
				}
				if n == 3 && (!strings.Contains(w.Reason, "chat.test") || !strings.Contains(w.Reason, "COUNTERFOIL_WEBHOOK_ALLOW") ||
					strings.Contains(w.Reason, "s3cret")) {
					t.Errorf("the reason is %q", w.Reason)
				}
			}
			for _, a := range e.deliveries(t, hook) {
				if said := a.Outcome.Error; !strings.Contains(said, "not a public one") || strings.Contains(said, "10.9") {
					t.Error(said)
				}
			}
		})
}

// TestPrivateReceivers has receivers on an allowed private network say what nobody else is to read.
func TestPrivateReceivers(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	tell := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://"+secret+".internal/")
			w.Header().Set("Server", secret)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(secret))
		}
	}
	banner := domaintest.OK(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { banner.Close() })
	go func() {
		for {
			conn, err := banner.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("SSH-2.0-" + secret + "\r\n"))
			conn.Close()
		}
	}()
	certified := httptest.NewTLSServer(tell(200)) // of a name that is not asked for
	t.Cleanup(certified.Close)
	receivers := map[string]struct {
		url    string
		status int
		said   string
	}{
		"a banner of another protocol": {"http://" + banner.Addr().String(), 0, "does not answer as a web server does"},
		"another protocol beneath TLS": {"https://" + banner.Addr().String(), 0, "does not answer as a web server does"},
		"a certificate":                {certified.URL, 0, "does not answer as a web server does"},
		"a closed port":                {"http://" + domaintest.RefusingAddress(t), 0, "refuses the connection"},
	}
	for status, said := range map[int]string{200: "", 302: "302 Found. Redirects are not followed", 401: "401", 500: "500"} {
		server := httptest.NewServer(tell(status))
		t.Cleanup(server.Close)
		receivers["answer "+fmt.Sprint(status)] = struct {
			url    string
			status int
			said   string
		}{server.URL, status, said}
	}
	e := newReachingEnv(t)
	for name, r := range receivers {
		t.Run(name, func(t *testing.T) {
			hook, _ := e.hook(t, webhooks.Draft{URL: r.url, Feeds: []string{"tickets"}})
			for range 2 { // by a new connection, and a kept one
				a := domaintest.OK(e.Workflows.TestWebhook(e.Ctx, hook, nil))(t)
				if a.Outcome.Status != r.status || !strings.Contains(a.Outcome.Error, r.said) {
					t.Errorf("%d %q", a.Outcome.Status, a.Outcome.Error)
				}
			}
			domaintest.Counts(t, e.DB, 0, "SELECT COUNT(*) FROM webhook_attempt WHERE webhook_id = ? "+
				"AND (response <> '' OR error LIKE '%hunter2%' OR error LIKE '%example.com%')", hook)
			domaintest.Counts(t, e.DB, 2, "SELECT COUNT(*) FROM webhook_attempt WHERE webhook_id = ?", hook)
		})
	}
}

// TestRefusedWebhooks changes the rules below webhooks that were made before.
func TestRefusedWebhooks(t *testing.T) {
	t.Parallel()
	p := newPost(t, nil)
	var hooks []id.Webhook
	for range 3 {
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url + "/s3cret", Feeds: []string{"tickets"}})
		hooks = append(hooks, hook)
	}
	public, _ := p.hook(t, webhooks.Draft{URL: "https://hooks.example/", Feeds: []string{"tickets"}})
	off, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}})
	domaintest.Must(t, p.Workflows.EnableWebhook(p.Ctx, off, false))
	p.Exec(t, "UPDATE webhook SET url = 'http://hooks.example/s3cret' WHERE id = ?", hooks[1])
	other := app.New(p.DB, apptest.WithKeys) // which allows nothing
	t.Cleanup(func() { domaintest.Must(t, other.Close(context.Background())) })
	stopped := func(hook id.Webhook, reason string) {
		t.Helper()
		w := p.webhook(t, hook)
		if w.State != webhooks.Stopped || !strings.Contains(w.Reason, reason) || strings.Contains(w.Reason, "s3cret") {
			t.Errorf("webhook %d is %s: %q", hook, w.State, w.Reason)
		}
	}
	ticket := p.openTicket(t, "DEMO", "one")
	p.Publish(t)
	domaintest.Must(t, other.Delivery.RunSession(p.Ctx, hooks[0]))
	stopped(hooks[0], "not a public one")
	domaintest.Must(t, other.Delivery.StopRefused(p.Ctx))
	stopped(hooks[1], "by https only")
	stopped(hooks[2], "not a public one")
	if w := p.webhook(t, public); w.State != webhooks.On {
		t.Errorf("a public one is %+v", w)
	}
	if w := p.webhook(t, off); w.State != webhooks.Off || w.Reason != "" {
		t.Errorf("one that was off is %+v", w)
	}
	if n := len(p.deliveries(t, hooks[0])); n != 0 || len(p.inbox.Messages()) != 0 {
		t.Errorf("%d attempts, and %d messages came", n, len(p.inbox.Messages()))
	}
	list := domaintest.OK(webhooks.FirstStopped(p.Ctx, p.DB.Queries, 10))(t)
	if !slices.Equal(list, hooks) {
		t.Errorf("operators are shown %v", list)
	}

	t.Run("none is turned on while its address is refused", func(t *testing.T) {
		domaintest.Is(t, other.Workflows.EnableWebhook(p.Ctx, hooks[0], true), webhooks.CodeBadURL)
		domaintest.Is(t, p.Workflows.EnableWebhook(p.Ctx, hooks[1], true), webhooks.CodeNotHTTPS)
		stopped(hooks[0], "not a public one")
	})
	t.Run("turned on under other rules, it is sent what changed meanwhile", func(t *testing.T) {
		domaintest.Must(t, p.Delivery.StopRefused(p.Ctx))
		stopped(hooks[0], "not a public one") // until somebody turns it on
		domaintest.Must(t, p.Workflows.EnableWebhook(p.Ctx, hooks[0], true))
		p.Exec(t, "UPDATE webhook SET lease_ends = NOW(6)")
		p.deliver(t, hooks[0])
		same(t, summaries(t, p.inbox.Messages()), "ticket.changed "+ticket.Key.String()+" one")
	})
	t.Run("one that was changed meanwhile is left alone", func(t *testing.T) {
		read := p.webhook(t, hooks[0])
		p.Exec(t, "UPDATE webhook SET version = version + 1 WHERE id = ?", hooks[0])
		if done := domaintest.OK(webhooks.Refuse(p.Ctx, p.DB, read, "x"))(t); done {
			t.Error("it is stopped")
		}
	})
	t.Run("a process begins with it", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { other.Delivery.WorkWebhooks(ctx); close(done) }()
		domaintest.Until(t, "it is stopped", func() bool { return p.webhook(t, hooks[0]).State == webhooks.Stopped })
		cancel()
		<-done
	})
}

func TestWebhookRules(t *testing.T) {
	t.Parallel()
	t.Run("a draft is checked, and all that is wrong with it said", func(t *testing.T) {
		e := newEnv(t)
		_, err := e.Workflows.OpenWebhook(e.Ctx, webhooks.Draft{URL: "http://127.0.0.1/x"}, nil)
		for _, want := range []error{webhooks.CodeBadURL, webhooks.CodeNoFeeds} {
			domaintest.Is(t, err, want)
		}
	})
	t.Run("only managers of the company have them", func(t *testing.T) {
		e := newEnv(t)
		hook, _ := e.hook(t, webhooks.Draft{URL: "https://example.com/hook"})
		weak := e.Actor
		weak.Role = accounts.Member
		ctx := accounts.WithActor(context.Background(), weak)
		draft := webhooks.Draft{URL: "https://example.com/hook", Feeds: []string{"tickets"}}
		_, open := e.Workflows.OpenWebhook(ctx, draft, nil)
		_, list := e.Workflows.Webhooks(ctx)
		_, test := e.Workflows.TestWebhook(ctx, hook, nil)
		_, rotate := e.Workflows.RotateSecret(ctx, hook, nil)
		_, _, deliveries := e.Workflows.Deliveries(ctx, hook, 0)
		for i, err := range []error{open, list, test, rotate, deliveries, e.Workflows.EditWebhook(ctx, hook, 1, draft),
			e.Workflows.EnableWebhook(ctx, hook, false), e.Workflows.DeleteWebhook(ctx, hook)} {
			if !errors.Is(err, accounts.CodeNotManager) {
				t.Errorf("%d: %v", i, err)
			}
		}
	})
	t.Run("for a day both secrets sign", func(t *testing.T) {
		p := newPost(t, nil)
		hook, first := p.hook(t, webhooks.Draft{URL: p.url})
		second := domaintest.OK(p.Workflows.RotateSecret(p.Ctx, hook, nil))(t)
		verified := func() (both [2]bool) {
			domaintest.OK(p.Workflows.TestWebhook(p.Ctx, hook, nil))(t)
			m := <-p.inbox.Received()
			for i, secret := range []string{first, second} {
				signer := domaintest.OK(standardwebhooks.NewWebhook(secret))(t)
				both[i] = signer.Verify(m.Body, m.Header) == nil
			}
			return both
		}
		if got := verified(); got != [2]bool{true, true} {
			t.Error(got)
		}
		p.Exec(t, "UPDATE webhook SET old_secret_ends = NOW(6) - INTERVAL 1 SECOND")
		if got := verified(); got != [2]bool{false, true} {
			t.Error(got)
		}
	})
	t.Run("a delivery can be sent once more, as it is now", func(t *testing.T) {
		p := newPost(t, nil)
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}})
		ticket := p.openTicket(t, "DEMO", "one")
		p.deliver(t, hook)
		before := p.deliveries(t, hook)[0]
		again, err := p.Workflows.ResendDelivery(p.Ctx, hook, before.ID, nil)
		if err != nil || again.Message != before.Message || !again.Outcome.OK() {
			t.Errorf("%+v, %v", again, err)
		}
		domaintest.OK(p.Workflows.EditTicket(p.Ctx, ticket.Key, tickets.Edit{Title: new("two"), Version: ticket.Version}))(t)
		domaintest.Fails(p.Workflows.ResendDelivery(p.Ctx, hook, before.ID, nil))(t, webhooks.CodeNothingToSend)
		p.Publish(t)
		if _, err := p.Workflows.ResendDelivery(p.Ctx, hook, before.ID, nil); err != nil {
			t.Error(err)
		}
		same(t, summaries(t, p.inbox.Messages()), "ticket.changed "+ticket.Key.String()+" one",
			"ticket.changed "+ticket.Key.String()+" one", "ticket.changed "+ticket.Key.String()+" two")
	})
	t.Run("a new feed begins at its end, others go on", func(t *testing.T) {
		p := newPost(t, nil)
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}})
		ticket := p.openTicket(t, "DEMO", "one")
		domaintest.OK(p.Workflows.Comment(p.Ctx, ticket.Key, "unseen", nil))(t)
		p.Publish(t)
		w := p.webhook(t, hook)
		domaintest.Must(t, p.Workflows.EditWebhook(p.Ctx, hook, w.Version,
			webhooks.Draft{URL: p.url, Feeds: []string{"comments", "tickets"}}))
		domaintest.Is(t, p.Workflows.EditWebhook(p.Ctx, hook, w.Version,
			webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}}), webhooks.CodeStale)
		p.deliver(t, hook)
		same(t, summaries(t, p.inbox.Messages()), "ticket.changed "+ticket.Key.String()+" one")
	})
	t.Run("a deleted one leaves nothing", func(t *testing.T) {
		p := newPost(t, nil)
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url})
		p.openTicket(t, "DEMO", "one")
		p.deliver(t, hook)
		domaintest.Must(t, p.Workflows.DeleteWebhook(p.Ctx, hook))
		domaintest.Fails(p.Workflows.Webhook(p.Ctx, hook))(t, webhooks.CodeNotFound)
	})
}

func TestWebhookAfterItsCursorIsNoMore(t *testing.T) {
	t.Parallel()
	t.Run("a server that is behind is told nothing, and waited for", func(t *testing.T) {
		t.Parallel()
		p := newPost(t, nil)
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}})
		p.Exec(t, "UPDATE webhook_cursor SET position = position + 1000")
		domaintest.Is(t, p.Delivery.RunSession(p.Ctx, hook), feeds.CodeCursorAhead)
		p.Exec(t, "UPDATE webhook_cursor SET position = position - 1000")
		p.openTicket(t, "DEMO", "one")
		p.deliver(t, hook)
		if got := p.inbox.Messages(); len(got) != 1 {
			t.Errorf("it got %v", summaries(t, got))
		}
	})
	for name, c := range map[string]struct{ statement, reason string }{
		"a restored database": {"UPDATE sequences SET epoch = epoch + 1", "restored"},
		"forgotten deletions": {"UPDATE sequences SET horizon = value", "expired"},
	} {
		t.Run(name+" is told, and it goes on", func(t *testing.T) {
			t.Parallel()
			p := newPost(t, nil)
			hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}})
			p.openTicket(t, "DEMO", "one")
			p.deliver(t, hook)
			two := p.openTicket(t, "DEMO", "two")
			p.Publish(t)
			p.Exec(t, c.statement)
			p.deliver(t, hook)
			three := p.openTicket(t, "DEMO", "three")
			p.deliver(t, hook)
			got := summaries(t, p.inbox.Messages())[1:]
			want := []string{"feed.reset", "ticket.changed " + two.Key.String() + " two",
				"ticket.changed " + three.Key.String() + " three"}
			same(t, got, want...)
			if body := string(p.inbox.Messages()[1].Body); !strings.Contains(body, `"reason":"`+c.reason+`"`) {
				t.Error(body)
			}
		})
	}
}

// With everything running, on two processes: each change is sent to each webhook, in order and once, and a dead
// receiver delays no other.
func TestWorkWebhooks(t *testing.T) {
	t.Parallel()
	p := newPost(t, nil)
	hostile := outboundtest.New()
	server := httptest.NewServer(hostile)
	t.Cleanup(server.Close)
	t.Cleanup(hostile.Close)
	p.hook(t, webhooks.Draft{URL: server.URL + "/stall", Feeds: []string{"tickets"}})
	p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}})
	ctx, cancel := context.WithCancel(context.Background())
	other := app.New(p.DB, apptest.WithKeys, app.WithWebhooks(outboundtest.Here(t)))
	done := make(chan struct{}, 4)
	for _, w := range []*app.App{p.App, other} {
		go func() { w.Feeds.Run(ctx); done <- struct{}{} }()
		go func() { w.Delivery.WorkWebhooks(ctx); done <- struct{}{} }()
	}
	const n = 30
	var want []string
	for i := range n {
		ticket := p.openTicket(t, "DEMO", fmt.Sprint("ticket ", i))
		want = append(want, "ticket.changed "+ticket.Key.String()+" "+ticket.Title)
	}
	var list []outboundtest.Message
	for len(list) < n {
		list = append(list, <-p.inbox.Received())
	}
	domaintest.OK(p.Workflows.SetBoardPrivacy(p.Ctx, "DEMO", true))(t)
	want = append(want, "ticket.left")
	<-p.inbox.Received()
	cancel()
	for range 4 {
		<-done
	}
	var last uint64
	for _, m := range p.inbox.Messages() { // in the order of positions, which two publishers may give out in another than that of creation
		var epoch, row, position uint64
		if _, err := fmt.Sscanf(m.Header.Get("webhook-id"), "tickets:%d:%d:%d", &epoch, &row, &position); err != nil ||
			position <= last {
			t.Errorf("%s comes after position %d (%v)", m.Header.Get("webhook-id"), last, err)
		}
		last = position
	}
	got := summaries(t, p.inbox.Messages())
	slices.Sort(got)
	slices.Sort(want)
	same(t, got, want...)
	if other.Close(context.Background()) != nil {
		t.Error("close")
	}
}
