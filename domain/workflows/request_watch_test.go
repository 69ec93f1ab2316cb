package workflows_test

import (
	"context"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

var ninja1 = tickets.Key{Board: "NINJA", Number: 1}

const (
	newRequest = "request by Requester on NINJA-1"
	theirReply = "reply by Requester on NINJA-1"
)

// replyBack is the requester's.
func (e *env) replyBack(t testing.TB, to workflows.Receipt, body string) {
	t.Helper()
	domaintest.Must(t, e.Workflows.ReplyByLink(from("192.0.2.1"), to.Code, to.Token,
		requests.Reply{Nonce: requests.NewToken(), Body: body}))
}

func (e *env) watchRequests(t testing.TB, ctx context.Context, on bool) {
	t.Helper()
	domaintest.OK(e.Workflows.WatchRequests(ctx, "NINJA", on))(t)
}

func TestNotifyingOfRequests(t *testing.T) {
	t.Parallel()
	t.Run("owners, admins and watchers are notified of a request and the requester's reply, once each",
		func(t *testing.T) {
			t.Parallel()
			e := withForm(t, 5)
			adam, ben, vera := e.As(t, "Adam", accounts.Admin), e.As(t, "Ben", accounts.Member),
				e.As(t, "Vera", accounts.Viewer)
			e.watchRequests(t, vera, true)
			sent := submission("Help")
			receipt := e.send(t, sent)
			e.send(t, sent) // again
			e.replyBack(t, receipt, "Any news?")
			for _, ctx := range []context.Context{e.Ctx, adam, vera} {
				e.hears(t, ctx, newRequest, theirReply)
			}
			e.hears(t, ben)
		})
	t.Run("who turned it off is not, whatever their role", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		ben := e.As(t, "Ben", accounts.Member)
		e.watchRequests(t, e.Ctx, false)
		e.watchRequests(t, ben, true)
		e.watchRequests(t, ben, false)
		receipt := e.send(t, submission("Help"))
		domaintest.OK(e.Workflows.Reply(ben, ninja1, "Soon", nil))(t) // a choice outlives it
		e.send(t, submission("More"))
		e.hears(t, e.Ctx)
		e.hears(t, ben)
		e.replyBack(t, receipt, "Thank you")
		e.hears(t, e.Ctx)
		e.hears(t, ben, theirReply) // as a commenter
	})
	t.Run("a member who replied to a requester is from then on, on that board alone", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		e.Board(t, "OTHER")
		e.Offer(t, "OTHER", true)
		ben, cyd := e.As(t, "Ben", accounts.Member), e.As(t, "Cyd", accounts.Member)
		e.send(t, submission("Help"))
		domaintest.OK(e.Workflows.Comment(cyd, ninja1, "Among us", nil))(t)
		domaintest.OK(e.Workflows.Reply(ben, ninja1, "Soon", nil))(t)
		e.send(t, submission("More"))
		other := submission("Elsewhere")
		other.Board = "OTHER"
		e.send(t, other)
		e.hears(t, ben, "request by Requester on NINJA-2")
		e.hears(t, cyd, "reply by Ben on NINJA-1")
	})
	t.Run("replies notify assignees and commenters, but nobody who muted the ticket", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		ben, cyd, dan := e.As(t, "Ben", accounts.Member), e.As(t, "Cyd", accounts.Member), e.As(t, "Dan", accounts.Member)
		e.watchRequests(t, dan, true)
		receipt := e.send(t, submission("Help"))
		domaintest.OK(e.Workflows.SetAssignees(e.Ctx, ninja1, []string{"ben"}))(t)
		domaintest.OK(e.Workflows.Comment(cyd, ninja1, "Mine", nil))(t)
		for _, ctx := range []context.Context{e.Ctx, dan} { // by default, and by choice
			domaintest.OK(e.Workflows.MuteTicket(ctx, ninja1, true))(t)
		}
		e.replyBack(t, receipt, "Any news?")
		e.hears(t, ben, "assignment by Ana on NINJA-1", "reply by Cyd on NINJA-1", theirReply)
		e.hears(t, cyd, theirReply)
		e.hears(t, e.Ctx, newRequest)
		e.hears(t, dan, newRequest)
	})
	t.Run("an internal comment does not notify watchers of requests", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		ben, dan := e.As(t, "Ben", accounts.Member), e.As(t, "Dan", accounts.Member)
		e.watchRequests(t, dan, true)
		e.send(t, submission("Help"))
		domaintest.OK(e.Workflows.Comment(ben, ninja1, "Among us", nil))(t)
		e.hears(t, dan, newRequest)
	})
	t.Run("a former member is not, nor members of other companies", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		ben := e.As(t, "Ben", accounts.Member)
		e.watchRequests(t, ben, true)
		e.leave(t, ben)
		rivals := domaintest.Exec(t, e.DB,
			"INSERT INTO company (slug, name, created_at) VALUES ('rivals', 'Rivals', '2026-01-01')")
		domaintest.Member(t, e.DB, id.Company(rivals), "Rita", "rita@example.com", accounts.Owner, "")
		e.send(t, submission("Help"))
		e.Counts(t, 1, "SELECT COUNT(*) FROM notification")
	})
	t.Run("an entry has the beginning of the request as it was typed", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		sent := submission("Help")
		sent.Description = "It is **not** bold"
		receipt := e.send(t, sent)
		newest := func(excerpt string) {
			t.Helper()
			list, _, err := e.Workflows.Inbox(e.Ctx, 0)
			domaintest.Must(t, err)
			if len(list) != 1 || list[0].Excerpt != excerpt || !list[0].FromRequester {
				t.Errorf("%+v", list)
			}
		}
		newest("It is **not** bold")
		e.replyBack(t, receipt, "Nor is *this*")
		newest("Nor is *this*")
	})
}

func TestRequestsWatched(t *testing.T) {
	t.Parallel()
	e := withForm(t, 5)
	board := domaintest.OK(e.Workflows.Board(e.Ctx, "NINJA"))(t)
	ben := e.As(t, "Ben", accounts.Member)
	watched := func(ctx context.Context, want bool) {
		t.Helper()
		if got := domaintest.OK(e.Workflows.RequestsWatched(ctx, board))(t); got != want {
			t.Errorf("%s: %v, want %v", accounts.ActorFrom(ctx).Account.Name, got, want)
		}
	}
	watched(e.Ctx, true)
	watched(ben, false)
	e.send(t, submission("Help"))
	domaintest.OK(e.Workflows.Reply(ben, ninja1, "Soon", nil))(t)
	watched(ben, true)
	e.watchRequests(t, ben, false)
	e.watchRequests(t, e.Ctx, false)
	watched(ben, false)
	watched(e.Ctx, false)
}
