package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// TestWebhooksOutliveTheirSender kills the process that sends to a webhook in the middle of a message. Another takes
// over once the lease is over; the receiver gets the last version of each row, in order, and never two messages at a
// time.
func TestWebhooksOutliveTheirSender(t *testing.T) {
	t.Parallel()
	kills := 1 // each costs a lease
	if soak {
		kills = 10
	}
	r := &taker{held: make(chan struct{}, 1)}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	i := onURL(t, dbtest.URL(t))
	i.env = append(i.env, "COUNTERFOIL_WEBHOOK_ALLOW=127.0.0.1:*")
	_, w, d := i.operator(t)
	actor, err := w.Workflows.Bearer(t.Context(), i.token)
	domaintest.Must(t, err)
	ctx := accounts.WithActor(t.Context(), actor)
	domaintest.OK(w.Workflows.OpenWebhook(ctx, webhooks.Draft{URL: server.URL, Feeds: []string{"tickets"}}, nil))(t)
	newest := map[string]string{} // titles by key
	var rows []tickets.Ticket
	edit := func(n int, title string) {
		t.Helper()
		if rows[n], err = w.Workflows.EditTicket(ctx, rows[n].Key,
			tickets.Edit{Title: &title, Version: rows[n].Version}); err != nil {
			t.Fatal(err)
		}
		newest[rows[n].Key.String()] = title
	}

	sender := i.work(t)
	for kill := range kills {
		r.hold(len(r.messages()) + 4)
		for n := range 10 {
			title := fmt.Sprintf("ticket %d of round %d", n, kill)
			ticket := domaintest.OK(w.Workflows.OpenTicket(ctx, "DEMO", tickets.Draft{Title: title}, nil))(t)
			rows = append(rows, ticket)
			newest[ticket.Key.String()] = title
		}
		select {
		case <-r.held:
		case <-time.After(patience):
			t.Fatalf("nothing is sent\n%s", sender.logged())
		}
		cut := r.messages()[len(r.messages())-1]
		edit(10*kill+1, "changed after it was sent")
		edit(10*kill+8, "changed before it was sent")
		sender.kill(t)
		sender = i.work(t)

		complete := func() int {
			have := map[string]string{}
			for _, m := range r.messages() {
				have[m.key] = m.title
			}
			n := 0
			for key, title := range newest {
				if have[key] == title {
					n++
				}
			}
			return n
		}
		domaintest.Until(t, "all rows came in their last version", func() bool { return complete() == len(newest) },
			func() string { return fmt.Sprintf("%d of %d did", complete(), len(newest)) }, sender.logged)
		if again := r.after(cut); again == nil || again.id != cut.id {
			t.Errorf("after %+v, which was not answered, came %+v", cut, again)
		}
	}
	last := uint64(0)
	for n, m := range r.messages() {
		if m.position < last {
			t.Errorf("message %d is of position %d, after %d", n, m.position, last)
		}
		last = m.position
	}
	if r.most != 1 {
		t.Errorf("%d messages were sent at a time", r.most)
	}
	var failures int
	if err := d.SQL.QueryRow("SELECT failures FROM webhook").Scan(&failures); err != nil || failures != 0 {
		t.Errorf("%d failures, %v", failures, err)
	}
	if err := sender.stop(t); err != nil {
		t.Errorf("%v\n%s", err, sender.logged())
	}
	i.verified(t)
}

// taker is a receiver that records messages, and holds one until its sender is gone.
type taker struct {
	held chan struct{} // signals a message

	mu   sync.Mutex
	list []taken
	nth  int // is held
	now  int // under way
	most int
}

type taken struct {
	id, key, title string
	position       uint64
}

// hold has the nth message, from 1 on, held.
func (r *taker) hold(nth int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nth = nth
}

func (r *taker) messages() []taken {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]taken(nil), r.list...)
}

// after is the message after the first that equals m.
func (r *taker) after(m taken) *taken {
	list := r.messages()
	for n := range list[:len(list)-1] {
		if list[n] == m {
			return &list[n+1]
		}
	}
	return nil
}

func (r *taker) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	text, err := io.ReadAll(req.Body)
	var body struct {
		Data struct {
			Position uint64 `json:"feed_sync_id,string"`
			Data     struct{ Key, Title string }
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.now++
	r.most = max(r.most, r.now)
	r.list = append(r.list, taken{id: req.Header.Get("webhook-id"), key: body.Data.Data.Key, title: body.Data.Data.Title,
		position: body.Data.Position})
	hold := len(r.list) == r.nth
	r.mu.Unlock()
	if hold {
		r.held <- struct{}{}
		<-req.Context().Done()
	}
	r.mu.Lock()
	r.now--
	r.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}
