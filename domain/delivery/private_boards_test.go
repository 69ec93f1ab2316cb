package delivery_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// newPrivatePost is newPost with the private board HIDE and its ticket HIDE-1, and a webhook.
func newPrivatePost(t *testing.T, body func(int, outboundtest.Message) int) (*post, id.Webhook) {
	t.Helper()
	p := newPost(t, body)
	p.Board(t, "HIDE")
	domaintest.OK(p.Workflows.SetBoardPrivacy(p.Ctx, "HIDE", true))(t)
	p.openTicket(t, "HIDE", "before")
	p.Publish(t)
	hook, _ := p.hook(t, webhooks.Draft{URL: p.url})
	return p, hook
}

// deliversNow returns what a webhook is sent now.
func (p *post) deliversNow(t *testing.T, hook id.Webhook) []string {
	t.Helper()
	before := len(p.inbox.Messages())
	p.deliver(t, hook)
	return summaries(t, p.inbox.Messages()[before:])
}

func (e *env) retitle(t *testing.T, key, title string) {
	t.Helper()
	there := e.Ticket(t, key)
	domaintest.OK(e.Workflows.EditTicket(e.Ctx, there.Key, tickets.Edit{Title: &title, Version: there.Version}))(t)
}

func TestWebhookOfAPrivateBoard(t *testing.T) {
	t.Parallel()
	t.Run("it is sent what changes from when it was added until it is removed", func(t *testing.T) {
		p, hook := newPrivatePost(t, nil)
		p.retitle(t, "HIDE-1", "unsent")
		same(t, p.deliversNow(t, hook))

		p.openTicket(t, "HIDE", "two")
		p.Publish(t) // which the webhook has not read when the board is added
		domaintest.OK(p.Workflows.AddToWebhook(p.Ctx, "HIDE", hook))(t)
		same(t, p.deliversNow(t, hook))

		p.retitle(t, "HIDE-1", "sent")
		domaintest.OK(p.Workflows.Comment(p.Ctx, tickets.Key{Board: "HIDE", Number: 2}, "said", nil))(t)
		slug, board := "HIDE", domaintest.OK(p.Workflows.Board(p.Ctx, "HIDE"))(t)
		domaintest.OK(p.Workflows.RenameBoard(p.Ctx, slug, boards.Names{Title: new("Hidden")}, board.Version))(t)
		same(t, p.deliversNow(t, hook), "board.changed HIDE", "comment.changed said", "ticket.changed HIDE-1 sent")

		other, _ := p.hook(t, webhooks.Draft{URL: p.url})
		p.retitle(t, "HIDE-1", "for one")
		same(t, p.deliversNow(t, other))
		same(t, p.deliversNow(t, hook), "ticket.changed HIDE-1 for one")

		p.retitle(t, "HIDE-1", "too late")
		domaintest.OK(p.Workflows.DropFromWebhook(p.Ctx, "HIDE", hook))(t)
		same(t, p.deliversNow(t, hook))
		p.retitle(t, "HIDE-1", "much too late")
		same(t, p.deliversNow(t, hook))
	})
	t.Run("a ticket that leaves it for a board that the webhook does not see is gone, without a word", func(t *testing.T) {
		p, hook := newPrivatePost(t, nil)
		p.Board(t, "DEEP")
		domaintest.OK(p.Workflows.SetBoardPrivacy(p.Ctx, "DEEP", true))(t)
		domaintest.OK(p.Workflows.AddToWebhook(p.Ctx, "HIDE", hook))(t)
		p.deliver(t, hook)
		deep := domaintest.OK(p.Workflows.Board(p.Ctx, "DEEP"))(t)
		intent := tickets.Intent{Board: "DEEP", Column: deep.Columns[0].ID, AtEnd: true}
		_, _, err := p.Workflows.MoveTicket(p.Ctx, tickets.Key{Board: "HIDE", Number: 1}, intent)
		domaintest.Must(t, err)
		same(t, p.deliversNow(t, hook), "ticket.left")
		p.retitle(t, "DEEP-1", "deep")
		for _, m := range p.deliversNow(t, hook) {
			if m != "ticket.left" {
				t.Error(m)
			}
		}
	})
	t.Run("a board that is opened and made private again is sent to none", func(t *testing.T) {
		p, hook := newPrivatePost(t, nil)
		domaintest.OK(p.Workflows.AddToWebhook(p.Ctx, "HIDE", hook))(t)
		domaintest.OK(p.Workflows.SetBoardPrivacy(p.Ctx, "HIDE", false))(t)
		domaintest.Fails(p.Workflows.AddToWebhook(p.Ctx, "HIDE", hook))(t, workflows.CodeBoardIsOpen)
		p.retitle(t, "HIDE-1", "open")
		if got := strings.Join(p.deliversNow(t, hook), "\n"); !strings.Contains(got, "HIDE-1 open") {
			t.Error(got)
		}
		domaintest.OK(p.Workflows.SetBoardPrivacy(p.Ctx, "HIDE", true))(t)
		p.retitle(t, "HIDE-1", "private")
		left := p.deliversNow(t, hook)
		slices.Sort(left)
		same(t, left, "board.left", "comment.left", "ticket.left")
		p.Counts(t, 0, "SELECT COUNT(*) FROM webhook_board")
	})
	t.Run("one that gets private and is added at once is not said to be lost after its first change", func(t *testing.T) {
		p, hook := newPrivatePost(t, nil)
		domaintest.OK(p.Workflows.SetBoardPrivacy(p.Ctx, "HIDE", false))(t)
		p.deliver(t, hook)
		domaintest.OK(p.Workflows.SetBoardPrivacy(p.Ctx, "HIDE", true))(t)
		domaintest.OK(p.Workflows.AddToWebhook(p.Ctx, "HIDE", hook))(t)
		p.retitle(t, "HIDE-1", "again")
		same(t, p.deliversNow(t, hook), "board.changed HIDE", "ticket.changed HIDE-1 again")
	})
	t.Run("a failed message is not repeated after the board was removed", func(t *testing.T) {
		p, hook := newPrivatePost(t, func(int, outboundtest.Message) int { return http.StatusInternalServerError })
		domaintest.OK(p.Workflows.AddToWebhook(p.Ctx, "HIDE", hook))(t)
		p.retitle(t, "HIDE-1", "refused")
		same(t, p.deliversNow(t, hook), "ticket.changed HIDE-1 refused")
		failed := p.deliveries(t, hook)[0].ID
		domaintest.OK(p.Workflows.DropFromWebhook(p.Ctx, "HIDE", hook))(t)
		same(t, p.deliversNow(t, hook))
		domaintest.Fails(p.Workflows.ResendDelivery(p.Ctx, hook, failed, nil))(t, webhooks.CodeNothingToSend)
		same(t, p.deliversNow(t, hook))
	})
	t.Run("rows that were read before the board was removed are not sent later than a moment after", func(t *testing.T) {
		var p *post
		var hook id.Webhook
		p, hook = newPrivatePost(t, func(int, outboundtest.Message) int {
			if _, err := p.Workflows.DropFromWebhook(p.Ctx, "HIDE", hook); err != nil {
				panic(err)
			}
			<-time.After(time.Second / 2)
			return http.StatusNoContent
		})
		domaintest.OK(p.Workflows.AddToWebhook(p.Ctx, "HIDE", hook))(t)
		for i := range 5 {
			p.openTicket(t, "HIDE", fmt.Sprint(i))
		}
		p.Delivery.FreshFor(time.Second / 2) // instead of a second
		same(t, p.deliversNow(t, hook), "ticket.changed HIDE-2 0")
	})
	t.Run("its deliveries are shown in full to those who see the board", func(t *testing.T) {
		p, hook := newPrivatePost(t, nil)
		domaintest.OK(p.Workflows.AddToWebhook(p.Ctx, "HIDE", hook))(t)
		p.retitle(t, "HIDE-1", "sent")
		p.deliver(t, hook)
		p.Exec(t, "UPDATE webhook_attempt SET response = 'echo of a hidden word'")
		adam := p.As(t, "Adam", accounts.Admin)
		for _, c := range []struct {
			ctx              context.Context
			subject, answers string
		}{{p.Ctx, "HIDE-1", "echo of a hidden word"}, {adam, "", ""}} {
			list, _, err := p.Workflows.Deliveries(c.ctx, hook, 0)
			domaintest.Must(t, err)
			one := domaintest.OK(p.Workflows.Delivery(c.ctx, hook, list[0].ID))(t)
			for _, a := range []webhooks.Attempt{list[0], one} {
				if a.Subject != c.subject || string(a.Outcome.Response) != c.answers || a.Hidden != (c.subject == "") {
					t.Errorf("%+v", a)
				}
			}
		}
	})
	t.Run("so are those of deletions, and to nobody once their tickets are purged", func(t *testing.T) {
		p, hook := newPrivatePost(t, nil)
		domaintest.OK(p.Workflows.AddToWebhook(p.Ctx, "HIDE", hook))(t)
		key := tickets.Key{Board: "HIDE", Number: 1}
		domaintest.OK(p.Workflows.Comment(p.Ctx, key, "said", nil))(t)
		p.deliver(t, hook)
		p.Exec(t, "DELETE FROM webhook_attempt")
		domaintest.Must(t, p.Workflows.DeleteTicket(p.Ctx, key))
		same(t, p.deliversNow(t, hook), "comment.deleted", "ticket.deleted")
		p.Exec(t, "UPDATE webhook_attempt SET response = 'echo of a hidden word'")
		adam := p.As(t, "Adam", accounts.Admin)
		shown := func(ctx context.Context, want bool) {
			t.Helper()
			list, _, err := p.Workflows.Deliveries(ctx, hook, 0)
			domaintest.Must(t, err)
			for _, a := range list {
				if one := domaintest.OK(p.Workflows.Delivery(ctx, hook, a.ID))(t); len(a.Outcome.Response) > 0 != want ||
					a.Hidden == want || one.Hidden == want {
					t.Errorf("%+v", a)
				}
			}
			if len(list) != 2 {
				t.Errorf("%d deliveries", len(list))
			}
		}
		shown(p.Ctx, true)
		shown(adam, false)
		p.Exec(t, "UPDATE webhook_attempt SET row_id = row_id + 1000")
		shown(p.Ctx, false)
	})
	t.Run("at another address it loses also what comes behind the first thousand", func(t *testing.T) {
		p, hook := newPrivatePost(t, nil)
		adam := p.As(t, "Adam", accounts.Admin)
		p.Exec(t, `INSERT INTO board (company_id, slug, title, created_at, updated_at, privacy)
			WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 32)
			SELECT 1, CONCAT('A', a.i, 'B', b.i), 'x', NOW(6), NOW(6), 1 FROM n a JOIN n b`)
		p.Exec(t, `INSERT INTO board_access (board_id, account_id, level) SELECT id, ?, 3 FROM board WHERE slug LIKE 'A%'`,
			uint64(accounts.ActorFrom(adam).Account.ID))
		p.Exec(t, `INSERT INTO webhook_board (webhook_id, board_id, tickets_after, comments_after, boards_after, added_by, created_at)
			SELECT ?, id, 0, 0, 0, 1, NOW(6) FROM board WHERE privacy > 0`, uint64(hook))
		domaintest.OK(p.Workflows.AddToWebhook(p.Ctx, "HIDE", hook))(t) // where it is
		draft := webhooks.Draft{URL: p.url + "/mine", Feeds: []string{"tickets"}}
		domaintest.Must(t, p.Workflows.EditWebhook(adam, hook, p.webhook(t, hook).Version, draft))
		p.Counts(t, 0, "SELECT COUNT(*) FROM webhook_board w JOIN board b ON b.id = w.board_id WHERE b.slug = 'HIDE'")
		p.Counts(t, 32*32, "SELECT COUNT(*) FROM webhook_board")
	})
	t.Run("at another address the webhook loses the boards that its editor does not administer", func(t *testing.T) {
		p, hook := newPrivatePost(t, nil)
		adam := p.As(t, "Adam", accounts.Admin)
		p.Board(t, "OURS")
		domaintest.OK(p.Workflows.NameOnBoard(p.Ctx, "OURS", "@"+accounts.ActorFrom(adam).Handle, "admin"))(t)
		domaintest.OK(p.Workflows.SetBoardPrivacy(p.Ctx, "OURS", true))(t)
		for _, slug := range []string{"HIDE", "OURS"} {
			domaintest.OK(p.Workflows.AddToWebhook(p.Ctx, slug, hook))(t)
		}
		edit := func(draft webhooks.Draft) (left []string) {
			draft.Feeds = []string{"tickets"}
			domaintest.Must(t, p.Workflows.EditWebhook(adam, hook, p.webhook(t, hook).Version, draft))
			for _, board := range domaintest.OK(p.Workflows.WebhookBoards(adam, hook))(t) {
				left = append(left, board.Slug)
			}
			return left
		}
		same(t, edit(webhooks.Draft{URL: p.url, Note: "the same address"}), "HIDE", "OURS")
		same(t, edit(webhooks.Draft{URL: p.url + "/mine"}), "OURS")
		p.Counts(t, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'webhook-board-removed' AND account_id = ?",
			accounts.ActorFrom(adam).Account.ID)
		domaintest.Must(t, p.Workflows.DeleteWebhook(adam, hook))
		p.Counts(t, 0, "SELECT COUNT(*) FROM webhook_board")
	})
}
