package delivery_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

func (e *env) setPriority(t *testing.T, key tickets.Key, priority tickets.Priority) {
	t.Helper()
	_, _, err := e.Workflows.SetProperties(e.Ctx, key, tickets.PropertyEdit{Priority: &priority})
	domaintest.Must(t, err)
}

// tracked is how many tickets a webhook's filter let through.
func (e *env) tracked(t *testing.T, hook id.Webhook) int {
	t.Helper()
	return e.Count(t, "SELECT COUNT(*) FROM webhook_ticket WHERE webhook_id = ?", hook)
}

func TestWebhookFilter(t *testing.T) {
	t.Parallel()
	high := webhooks.Draft{Feeds: []string{"tickets", "comments", "boards"}, Filter: "priority:>=high"}
	filtered := func(t *testing.T, body func(n int, m outboundtest.Message) int, draft webhooks.Draft) (*post, id.Webhook) {
		p := newPost(t, body)
		draft.URL = p.url
		hook, _ := p.hook(t, draft)
		p.deliver(t, hook)
		return p, hook
	}
	changed := func(ticket tickets.Ticket, title string) string {
		return fmt.Sprintf("ticket.changed %s %s", ticket.Key, title)
	}
	t.Run("a ticket that meets it is sent, and once that it ceased to", func(t *testing.T) {
		p, hook := filtered(t, nil, high)
		one := p.openTicket(t, "DEMO", "one")
		two := p.openTicket(t, "DEMO", "two")
		same(t, p.deliversNow(t, hook))
		p.setPriority(t, one.Key, tickets.High)
		same(t, p.deliversNow(t, hook), changed(one, "one"))
		p.retitle(t, one.Key.String(), "still high")
		p.retitle(t, two.Key.String(), "still low")
		same(t, p.deliversNow(t, hook), changed(one, "still high"))
		p.setPriority(t, one.Key, tickets.Low)
		same(t, p.deliversNow(t, hook), "ticket.left")
		last := p.inbox.Messages()[len(p.inbox.Messages())-1]
		if body := string(last.Body); !strings.Contains(body, fmt.Sprintf(`"data":{"id":%d,"feed_sync_id":`, p.Ticket(t, one.Key.String()).ID)) ||
			!strings.Contains(body, `"deleted":true,"reason":"left_filter","data":null}`) {
			t.Error(body)
		}
		p.retitle(t, one.Key.String(), "low")
		same(t, p.deliversNow(t, hook))
		p.setPriority(t, one.Key, tickets.Urgent)
		same(t, p.deliversNow(t, hook), changed(one, "low"))
		p.retitle(t, two.Key.String(), "low again")
		p.deliver(t, hook)
		end := domaintest.OK(p.Feeds.End(p.Ctx, "tickets"))(t)
		for _, c := range p.webhook(t, hook).Cursors {
			if c.Feed == "tickets" && c.Position != end.Position {
				t.Errorf("the cursor is at %d of %d, behind rows that are not sent", c.Position, end.Position)
			}
		}
	})
	t.Run("one that met it before the webhook was made is known", func(t *testing.T) {
		p := newPost(t, nil)
		one, two := p.openTicket(t, "DEMO", "one"), p.openTicket(t, "DEMO", "two")
		p.setPriority(t, one.Key, tickets.High)
		p.Publish(t)
		draft := high
		draft.URL = p.url
		hook, _ := p.hook(t, draft)
		same(t, p.deliversNow(t, hook))
		p.setPriority(t, one.Key, tickets.Low)
		p.retitle(t, two.Key.String(), "two again")
		same(t, p.deliversNow(t, hook), "ticket.left")
	})
	t.Run("such tickets are found before anything is to be sent", func(t *testing.T) {
		p := newPost(t, nil)
		p.setPriority(t, p.openTicket(t, "DEMO", "one").Key, tickets.High)
		p.follows(t)
		draft := high
		draft.URL = p.url
		hook, _ := p.hook(t, draft)
		check, wait := p.Delivery.Dispatch(p.Delivery.RunSession)
		domaintest.Must(t, check(p.Ctx))
		wait()
		if n := p.tracked(t, hook); n != 1 {
			t.Errorf("%d tickets are known", n)
		}
	})
	t.Run("deletion and restoration", func(t *testing.T) {
		p, hook := filtered(t, nil, high)
		one, two := p.openTicket(t, "DEMO", "one"), p.openTicket(t, "DEMO", "two")
		p.setPriority(t, one.Key, tickets.High)
		p.deliver(t, hook)
		domaintest.Must(t, p.Workflows.DeleteTicket(p.Ctx, one.Key))
		domaintest.Must(t, p.Workflows.DeleteTicket(p.Ctx, two.Key))
		same(t, p.deliversNow(t, hook), "ticket.deleted")
		for _, key := range []tickets.Key{one.Key, two.Key} {
			_, _, err := p.Workflows.RestoreTicket(p.Ctx, key)
			domaintest.Must(t, err)
		}
		same(t, p.deliversNow(t, hook), changed(one, "one"))
	})
	t.Run("comments come while their ticket meets it, and boards always", func(t *testing.T) {
		p, hook := filtered(t, nil, high)
		one, two := p.openTicket(t, "DEMO", "one"), p.openTicket(t, "DEMO", "two")
		p.setPriority(t, one.Key, tickets.High)
		said := domaintest.OK(p.Workflows.Comment(p.Ctx, one.Key, "seen", nil))(t)
		domaintest.OK(p.Workflows.Comment(p.Ctx, two.Key, "unseen", nil))(t)
		p.Board(t, "NINJA")
		got := p.deliversNow(t, hook)
		slices.Sort(got)
		same(t, got, "board.changed NINJA", "comment.changed seen", changed(one, "one"))
		domaintest.OK(p.Workflows.DeleteComment(p.Ctx, one.Key, said.Comment.ID))(t)
		same(t, p.deliversNow(t, hook), "comment.deleted")
	})
	t.Run("a message that is not taken is sent again as it is then, and counts once taken", func(t *testing.T) {
		refuse := false
		p, hook := filtered(t, func(int, outboundtest.Message) int { return map[bool]int{true: 500, false: 200}[refuse] }, high)
		one := p.openTicket(t, "DEMO", "one")
		refuse = true
		p.setPriority(t, one.Key, tickets.High)
		same(t, p.deliversNow(t, hook), changed(one, "one"))
		if n := p.tracked(t, hook); n != 0 {
			t.Errorf("%d tickets are known of which no message was taken", n)
		}
		p.setPriority(t, one.Key, tickets.Low)
		same(t, p.deliversNow(t, hook)) // it never was there
		p.setPriority(t, one.Key, tickets.High)
		refuse = false
		same(t, p.deliversNow(t, hook), changed(one, "one"))
		refuse = true
		p.setPriority(t, one.Key, tickets.Low)
		same(t, p.deliversNow(t, hook), "ticket.left")
		same(t, p.deliversNow(t, hook), "ticket.left")
		refuse = false
		same(t, p.deliversNow(t, hook), "ticket.left")
		same(t, p.deliversNow(t, hook))
	})
	t.Run("another filter, and none", func(t *testing.T) {
		p, hook := filtered(t, nil, high)
		one, two := p.openTicket(t, "DEMO", "one"), p.openTicket(t, "DEMO", "two")
		p.setPriority(t, one.Key, tickets.High)
		p.setPriority(t, two.Key, tickets.Low)
		p.deliver(t, hook)
		edit := func(filter string) {
			there := p.webhook(t, hook)
			domaintest.Must(t, p.Workflows.EditWebhook(p.Ctx, hook, there.Version,
				webhooks.Draft{URL: there.URL, Feeds: there.Feeds, Filter: filter}))
		}
		edit("priority:low")
		same(t, p.deliversNow(t, hook))
		p.retitle(t, one.Key.String(), "one again")
		p.setPriority(t, two.Key, tickets.High)
		same(t, p.deliversNow(t, hook), "ticket.left", "ticket.left")
		edit("")
		p.retitle(t, one.Key.String(), "unfiltered")
		same(t, p.deliversNow(t, hook), changed(one, "unfiltered"))
		if n := p.tracked(t, hook); n != 0 || p.webhook(t, hook).ComparedTo != nil {
			t.Errorf("%d tickets are known without a filter", n)
		}
	})
	t.Run("what it names may go: it stops, says so, and loses nothing", func(t *testing.T) {
		p := newPost(t, nil)
		bug := domaintest.OK(p.Workflows.OpenLabel(p.Ctx, workflows.LabelDraft{Name: "bug"}, nil))(t)
		hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}, Filter: "label:bug"})
		one := p.openTicket(t, "DEMO", "one")
		p.deliver(t, hook)
		domaintest.OK(p.Workflows.EditLabel(p.Ctx, bug.ID, workflows.LabelEdit{Name: new("Defect")}))(t)
		_, _, err := p.Workflows.SetLabels(p.Ctx, one.Key, []string{"defect"})
		domaintest.Must(t, err)
		same(t, p.deliversNow(t, hook), changed(one, "one")) // an old name still leads to it
		domaintest.OK(p.Workflows.DeleteLabel(p.Ctx, bug.ID))(t)
		p.retitle(t, one.Key.String(), "meanwhile")
		same(t, p.deliversNow(t, hook))
		there := p.webhook(t, hook)
		if there.State != webhooks.Stopped || !strings.Contains(there.Reason, "filter") || !strings.Contains(there.Reason, "bug") {
			t.Errorf("%s: %s", there.State, there.Reason)
		}
		domaintest.Is(t, p.Workflows.EnableWebhook(p.Ctx, hook, true), query.CodeUnknownName)
		domaintest.Must(t, p.Workflows.EditWebhook(p.Ctx, hook, there.Version,
			webhooks.Draft{URL: there.URL, Feeds: there.Feeds, Filter: "status:open"}))
		domaintest.Must(t, p.Workflows.EnableWebhook(p.Ctx, hook, true))
		same(t, p.deliversNow(t, hook), changed(one, "meanwhile"))
	})
	t.Run("a board of its own, and private boards", func(t *testing.T) {
		p, hook := newPrivatePost(t, nil)
		p.Board(t, "NINJA")
		edit := func(filter, board string) {
			there := p.webhook(t, hook)
			domaintest.Must(t, p.Workflows.EditWebhook(p.Ctx, hook, there.Version,
				webhooks.Draft{URL: there.URL, Feeds: []string{"tickets"}, Filter: filter, Board: board}))
		}
		hidden := p.Ticket(t, "HIDE-1")
		p.setPriority(t, hidden.Key, tickets.High)
		edit("priority:high", "")
		same(t, p.deliversNow(t, hook))
		if n := p.tracked(t, hook); n != 0 {
			t.Errorf("%d tickets of a private board are known", n)
		}
		domaintest.OK(p.Workflows.AddToWebhook(p.Ctx, "HIDE", hook))(t)
		p.deliver(t, hook) // compares again
		p.setPriority(t, hidden.Key, tickets.Low)
		same(t, p.deliversNow(t, hook), "ticket.left")

		edit("priority:high column:\"To do\"", "DEMO")
		one := p.openTicket(t, "DEMO", "one")
		p.setPriority(t, one.Key, tickets.High)
		p.setPriority(t, p.openTicket(t, "NINJA", "two").Key, tickets.High)
		same(t, p.deliversNow(t, hook), changed(one, "one"))
		other := domaintest.OK(p.Workflows.Board(p.Ctx, "NINJA"))(t)
		_, _, err := p.Workflows.MoveTicket(p.Ctx, one.Key, tickets.Intent{Board: "NINJA", Column: other.Columns[0].ID})
		domaintest.Must(t, err)
		same(t, p.deliversNow(t, hook), "ticket.left")
		p.retitle(t, "NINJA-2", "elsewhere") // where it is now
		same(t, p.deliversNow(t, hook))
	})
	t.Run("sent again by hand only while it meets it", func(t *testing.T) {
		p, hook := filtered(t, nil, high)
		one := p.openTicket(t, "DEMO", "one")
		p.setPriority(t, one.Key, tickets.High)
		p.deliver(t, hook)
		delivery := p.deliveries(t, hook)[0].ID
		domaintest.OK(p.Workflows.ResendDelivery(p.Ctx, hook, delivery, nil))(t)
		p.setPriority(t, one.Key, tickets.Low)
		p.Publish(t)
		_, err := p.Workflows.ResendDelivery(p.Ctx, hook, delivery, nil)
		domaintest.Is(t, err, webhooks.CodeNothingToSend)
	})
	t.Run("after a restore all tickets are compared again", func(t *testing.T) {
		p, hook := filtered(t, nil, high)
		one := p.openTicket(t, "DEMO", "one")
		p.setPriority(t, one.Key, tickets.High)
		p.deliver(t, hook)
		p.Exec(t, "DELETE FROM webhook_ticket")
		p.Exec(t, "UPDATE webhook_cursor SET epoch = epoch - 1")
		p.deliver(t, hook)
		p.deliver(t, hook)
		if n := p.tracked(t, hook); n != 1 {
			t.Errorf("%d tickets are known", n)
		}
	})
	t.Run("deleted with what it knows", func(t *testing.T) {
		p, hook := filtered(t, nil, high)
		p.setPriority(t, p.openTicket(t, "DEMO", "one").Key, tickets.High)
		p.deliver(t, hook)
		domaintest.Must(t, p.Workflows.DeleteWebhook(p.Ctx, hook))
		p.Counts(t, 0, "SELECT COUNT(*) FROM webhook_ticket")
	})
}

func TestWrongWebhookFilter(t *testing.T) {
	t.Parallel()
	p, _ := newPrivatePost(t, nil)
	adam := p.As(t, "adam", "admin")
	for filter, code := range map[string]fault.Code{
		"label:nothing":                        query.CodeUnknownName,
		"assignee:nobody":                      query.CodeUnknownName,
		"board:HIDE":                           query.CodeUnknownName,
		"parent:HIDE-1":                        query.CodeUnknownName,
		"assignee:me":                          query.CodeBadValue,
		"author:me or status:open":             query.CodeBadValue,
		"colour:red":                           query.CodeUnknownField,
		"priority:high sort:due":               query.CodeBadValue,
		"(status:open":                         query.CodeSyntax,
		strings.Repeat("é", query.MaxLength+1): query.CodeTooLong,
		"label:\u202ebug":                      webhooks.CodeBadFilter,
		"a\x00b":                               webhooks.CodeBadFilter,
		"\xff":                                 webhooks.CodeBadFilter,
	} {
		_, err := p.Workflows.OpenWebhook(adam, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}, Filter: filter}, nil)
		domaintest.Is(t, err, code)
	}
	_, err := p.Workflows.OpenWebhook(adam, webhooks.Draft{URL: "ftp://x", Filter: "label:nothing"}, nil)
	for _, code := range []fault.Code{query.CodeUnknownName, webhooks.CodeBadURL, webhooks.CodeNoFeeds} {
		if !errors.Is(err, code) {
			t.Errorf("%v lacks %s", err, code)
		}
	}
	p.Counts(t, 1, "SELECT COUNT(*) FROM webhook")
}

// Whatever happens to tickets, a receiver that keeps what it is sent, and began with a list of the tickets that matched,
// has the tickets that match, and is told of none that it has not.
func TestWebhookFilterProperty(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 19))
			mirror := map[uint64]string{}
			takes := true
			var strays []string
			p := newPost(t, func(_ int, m outboundtest.Message) int {
				if !takes || random.IntN(6) == 0 {
					return 503
				}
				var body struct {
					Type string
					Data struct {
						ID   uint64
						Data *struct{ Key string }
					}
				}
				if err := json.Unmarshal(m.Body, &body); err != nil {
					strays = append(strays, err.Error())
				}
				switch ticket := body.Data.ID; {
				case body.Type == "ticket.changed":
					mirror[ticket] = body.Data.Data.Key
				case mirror[ticket] == "":
					strays = append(strays, fmt.Sprint(body.Type, " of ticket ", ticket))
				default:
					delete(mirror, ticket)
				}
				return 200
			})
			const filter = `(priority:>=high or "odd") -status:closed -board:NINJA`
			p.Board(t, "NINJA")
			p.Board(t, "OTHER")
			columns, slugs := map[string]boards.Board{}, map[id.Board]string{}
			for _, slug := range []string{"DEMO", "NINJA", "OTHER"} {
				board := domaintest.OK(p.Workflows.Board(p.Ctx, slug))(t)
				columns[slug], slugs[board.ID] = board, slug
			}
			var all []id.Ticket
			for n := range 12 {
				slug := []string{"DEMO", "NINJA", "OTHER"}[n%3]
				opened := p.openTicket(t, slug, []string{"odd", "even"}[random.IntN(2)])
				all = append(all, p.Ticket(t, opened.Key.String()).ID)
			}
			key := func(ticket id.Ticket) tickets.Key {
				board := p.Count(t, "SELECT board_id FROM ticket WHERE id = ?", ticket)
				number := p.Count(t, "SELECT local_id FROM ticket WHERE id = ?", ticket)
				return domaintest.OK(tickets.ParseKey(fmt.Sprintf("%s-%d", slugs[id.Board(board)], number)))(t)
			}
			matching := func() map[uint64]string {
				found := map[uint64]string{}
				for from, more := (*tickets.Cursor)(nil), true; more; more = from != nil {
					_, list, next, err := p.Workflows.TicketsOf(p.Ctx, workflows.AllBoards,
						workflows.TicketList{Query: filter, After: from, Limit: 50})
					domaintest.Must(t, err)
					for _, ticket := range list {
						found[uint64(ticket.ID)] = ticket.Key.String()
					}
					from = next
				}
				return found
			}
			p.Publish(t)
			hook, _ := p.hook(t, webhooks.Draft{URL: p.url, Feeds: []string{"tickets"}, Filter: filter})
			p.deliver(t, hook)
			maps.Copy(mirror, matching())
			for range 60 {
				ticket := all[random.IntN(len(all))]
				switch at := key(ticket); random.IntN(8) {
				case 0, 1:
					priority := tickets.Priority(random.IntN(5))
					_, _, _ = p.Workflows.SetProperties(p.Ctx, at, tickets.PropertyEdit{Priority: &priority}) // it may be deleted
				case 2:
					_, _, _ = p.Workflows.CloseTicket(p.Ctx, at)
				case 3:
					_, _, _ = p.Workflows.ReopenTicket(p.Ctx, at)
				case 4:
					to := columns[[]string{"DEMO", "NINJA", "OTHER"}[random.IntN(3)]]
					_, _, _ = p.Workflows.MoveTicket(p.Ctx, at, tickets.Intent{Board: to.Slug, Column: to.Columns[0].ID})
				case 5:
					_ = p.Workflows.DeleteTicket(p.Ctx, at)
				case 6:
					_, _, _ = p.Workflows.RestoreTicket(p.Ctx, at)
				case 7:
					p.deliver(t, hook)
				}
			}
			for range 200 {
				p.deliver(t, hook)
				if there := p.webhook(t, hook); there.Failures == 0 && maps.Equal(mirror, matching()) {
					break
				}
			}
			if want := matching(); !maps.Equal(mirror, want) || len(want) == 0 {
				t.Errorf("the receiver has %v, not %v", mirror, want)
			}
			if len(strays) > 0 {
				t.Error("sent of what the receiver has not:", strays)
			}
		})
	}
}
