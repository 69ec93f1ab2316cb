package delivery_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Only a requester and the members may know the code, the link and the address.
func TestWebhooksHaveNoSecretsOfRequesters(t *testing.T) {
	t.Parallel()
	p := newPost(t, nil)
	p.Board(t, "NINJA")
	p.Offer(t, "NINJA", true)
	apptest.Load(t, p.DB, "UkrEP", "ukrEP", "UKrEP")
	hook, _ := p.hook(t, webhooks.Draft{URL: p.url})
	stranger := accounts.WithAddress(context.Background(), "192.0.2.1")
	must := func(t testing.TB, err error) {
		t.Helper()
		domaintest.Must(t, err)
	}
	receipt, err := p.Workflows.Send(stranger, requests.Submission{Company: "acme", Board: "NINJA",
		Nonce: requests.NewToken(), Title: "The door is stuck", Description: "Please", Email: "stranger@example.com"})
	must(t, err)
	key := tickets.Key{Board: "NINJA", Number: 1}
	_, err = p.Workflows.Comment(p.Ctx, key, "Mine", nil)
	must(t, err)
	must(t, p.Workflows.ReplyByLink(stranger, receipt.Code, receipt.Token,
		requests.Reply{Nonce: requests.NewToken(), Body: "Any news, @ana?"}))
	second, err := p.Workflows.NewRequestLink(p.Ctx, key, nil)
	must(t, err)
	_, err = p.Workflows.RevokeRequestLink(p.Ctx, key)
	must(t, err)
	p.deliver(t, hook)

	var lines []string
	for _, m := range p.inbox.Messages() {
		lines = append(lines, fmt.Sprint(m.Header, string(m.Body)))
	}
	add := func(what ...any) {
		for _, err := range what {
			if err, failed := err.(error); failed {
				t.Fatal(err)
			}
		}
		text, err := json.Marshal(what)
		must(t, err)
		lines = append(lines, string(text))
	}
	for _, feed := range p.Workflows.WebhookFeeds() {
		items, _ := p.FeedItems(t, feed, "")
		add(feed, items)
	}
	ticket, err := p.Workflows.Ticket(p.Ctx, key)
	must(t, err)
	add(ticket)
	for _, read := range []func() (any, error){
		func() (any, error) { list, _, err := p.Workflows.History(p.Ctx, ticket.ID, 0); return list, err },
		func() (any, error) { return p.Workflows.Comments(p.Ctx, ticket, 0) },
		func() (any, error) { list, _, err := p.Workflows.Inbox(p.Ctx, 0); return list, err },
		func() (any, error) { list, _, err := p.Workflows.Audit(p.Ctx, 0); return list, err },
		func() (any, error) { return p.Workflows.ViewBoard(p.Ctx, "NINJA", workflows.BoardFilter{}) },
		func() (any, error) { list, _, err := p.Workflows.Deliveries(p.Ctx, hook, 0); return list, err },
	} {
		list, err := read()
		add(list, err)
	}

	all := strings.Join(lines, "\n")
	for _, text := range []string{"The door is stuck", "Any news, @ana?", "link-revoked", "form-on"} { // the webhook does get the public parts
		if !strings.Contains(all, text) {
			t.Errorf("%q is told nowhere in %s", text, all)
		}
	}
	found := func(text string) (n int) {
		jump, err := p.Workflows.JumpTo(p.Ctx, "NINJA", text)
		must(t, err)
		if jump.Key != nil {
			n++
		}
		view, err := p.Workflows.ViewBoard(p.Ctx, "NINJA", workflows.BoardFilter{Query: `"` + text + `"`})
		must(t, err)
		for _, column := range view.Cards {
			n += len(column.List)
		}
		return n + len(jump.Titles)
	}
	if n := found("door"); n != 2 {
		t.Errorf("what a requester wrote is found %d times", n)
	}
	for _, secret := range []string{receipt.Code, receipt.Token, second.Token,
		hex.EncodeToString(requests.HashToken(receipt.Token)), "stranger@example.com"} {
		if found(secret) > 0 {
			t.Errorf("%q finds something", secret)
		}
		if at := strings.Index(all, secret); at >= 0 {
			t.Errorf("%q is told: %s", secret, all[max(0, at-200):min(len(all), at+200)])
		}
	}
}
