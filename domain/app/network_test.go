package app_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/live"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/migrationstest"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// network is an app that reaches its database through a proxy, and the database itself. Its server would keep the locks
// of a dropped connection for hours.
type network struct {
	*apptest.Env
	proxy  *dbtest.Proxy
	direct *db.DB
}

func newNetwork(t *testing.T, options ...app.Option) *network {
	t.Helper()
	url := dbtest.URL(t)
	proxy, through := dbtest.NewProxy(t, url)
	d := dbtest.OpenAt(t, through, db.AnswerWithin(answerWithin))
	n := &network{
		Env:   apptest.On(t, d, append(options, app.WithMigrations(migrationstest.Numbers))...),
		proxy: proxy, direct: dbtest.OpenAt(t, url),
	}
	n.Board(t, "NINJA")
	return n
}

// background runs a loop of the app until the test ends.
func background(t *testing.T, loop func(ctx context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var loops sync.WaitGroup
	loops.Go(func() { loop(ctx) })
	t.Cleanup(func() {
		cancel()
		loops.Wait()
	})
}

func (n *network) open(title string) error {
	_, err := n.Workflows.OpenTicket(n.Ctx, "NINJA", tickets.Draft{Title: title}, nil)
	return err
}

// drop has the next COMMIT behind a statement be dropped while do runs, and waits until it was.
func (n *network) drop(t *testing.T, after string, arrives bool, do func()) {
	t.Helper()
	dropped := n.proxy.DropCommit(after, arrives)
	do()
	awaitClosed(t, "a COMMIT after "+after+" is dropped", dropped)
}

func awaitClosed(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	domaintest.Until(t, what, func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
}

// longestPause is how long nothing may stand still for a dropped connection.
const longestPause = 15 * time.Second

// shows waits until the live tail has a ticket of a title, which it opens, and returns how long that took.
func (n *network) shows(t *testing.T, title string) time.Duration {
	t.Helper()
	since, began := n.Delivery.Live().Position(), time.Now()
	domaintest.Must(t, n.open(title))
	ticket := id.Ticket(domaintest.Number(t, n.direct, "SELECT MAX(id) FROM ticket WHERE title = ?", title))
	domaintest.Until(t, title+" is shown by open boards", func() bool {
		update := n.Delivery.Live().After(live.Reader{Company: n.Actor.Company.ID}, since)
		return update.Missed || slices.ContainsFunc(update.Changes, func(c live.Change) bool {
			return slices.ContainsFunc(c.Boards, func(b live.Board) bool {
				return slices.ContainsFunc(b.Tickets, func(shown live.Ticket) bool { return shown.ID == ticket })
			})
		})
	})
	return time.Since(began)
}

// TestSilentlyDroppedRead drops the connection of a statement by which open boards are kept up to date: they show what
// happens after a pause.
func TestSilentlyDroppedRead(t *testing.T) {
	t.Parallel()
	for statement, what := range map[string]string{
		"name: LiveTickets":                "the live tail, which reads what changed",
		"name: LiveAliases":                "the live tail, in the midst of its transaction",
		"name: Sequences":                  "the look at the heads of the feeds",
		"WHERE feed_sync_id IS NULL LIMIT": "the publisher, which looks for changes",
	} {
		for _, arrives := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s; it arrives: %t", what, arrives), func(t *testing.T) {
				t.Parallel()
				n := newNetwork(t)
				background(t, n.Feeds.Run)
				background(t, n.Delivery.WorkLive)
				domaintest.Until(t, "the tail has begun", func() bool { return n.Delivery.Live().Position().Epoch > 0 })
				n.shows(t, "before")
				for range rounds {
					dropped := n.proxy.DropStatement(statement, arrives)
					took := n.shows(t, "during")
					awaitClosed(t, statement+" is dropped", dropped)
					t.Logf("shown after %s", took.Round(time.Millisecond))
					if took > longestPause {
						t.Errorf("it stands still for %s", took)
					}
					n.shows(t, "after")
				}
			})
		}
	}
}

// TestSilentlyDroppedConnection drops the connection of a COMMIT, which arrives or does not: nothing stands still, and
// nothing is done twice.
func TestSilentlyDroppedConnection(t *testing.T) {
	t.Parallel()
	for name, arrives := range map[string]bool{"the COMMIT arrives": true, "the COMMIT does not arrive": false} {
		stored := map[bool]int{true: 1, false: 0}[arrives]
		t.Run(name+": the lane of a board goes on, and its caller is told that the outcome is unknown", func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t)
			for round := range rounds {
				dropped := time.Now()
				n.drop(t, "INSERT INTO ticket ", arrives, func() {
					if err := n.open("first"); !errors.Is(err, fault.Unknown) {
						t.Errorf("it is told %v", err)
					}
				})
				domaintest.Must(t, n.open("second"))
				t.Logf("the next ticket after %s", time.Since(dropped).Round(time.Millisecond))
				domaintest.Counts(t, n.direct, stored*(round+1), "SELECT COUNT(*) FROM ticket WHERE title = 'first'")
				domaintest.Counts(t, n.direct, round+1, "SELECT COUNT(*) FROM ticket WHERE title = 'second'")
			}
			domaintest.Counts(t, n.direct, (stored+1)*rounds,
				"SELECT i.max_ticket_id FROM board_ticket_incrementer i JOIN board b ON b.id = i.board_id WHERE b.slug = 'NINJA'")
		})
		t.Run(name+": the publisher goes on, and gives each position once", func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t)
			background(t, n.Feeds.Run)
			for range rounds {
				dropped := time.Now()
				n.drop(t, "INSERT INTO feed_batch", arrives, func() { domaintest.Must(t, n.open("published")) })
				domaintest.Must(t, n.open("another"))
				domaintest.Until(t, "all tickets are published", func() bool {
					return domaintest.Number(t, n.direct, "SELECT COUNT(*) FROM ticket WHERE feed_sync_id IS NULL") == 0
				})
				t.Logf("all is published after %s", time.Since(dropped).Round(time.Millisecond))
			}
			domaintest.Counts(t, n.direct, 1,
				"SELECT MAX(feed_sync_id) = (SELECT value FROM sequences WHERE name = 'tickets') FROM ticket")
		})
		t.Run(name+": webhooks go on, and get each change", func(t *testing.T) {
			t.Parallel()
			inbox := outboundtest.NewInbox(nil)
			server := httptest.NewServer(inbox)
			t.Cleanup(server.Close)
			n := newNetwork(t, app.WithWebhooks(outboundtest.Here(t)), app.WithURL("https://tickets.example/"))
			domaintest.OK(n.Workflows.OpenWebhook(n.Ctx, webhooks.Draft{URL: server.URL, Feeds: []string{"tickets"}}, nil))(t)
			background(t, n.Feeds.Run)
			background(t, n.Delivery.WorkWebhooks)
			for round := range rounds {
				dropped := time.Now()
				titles := []string{fmt.Sprint("dropped ", round), fmt.Sprint("next ", round)}
				n.drop(t, "UPDATE webhook_cursor", arrives, func() { domaintest.Must(t, n.open(titles[0])) })
				domaintest.Must(t, n.open(titles[1]))
				domaintest.Until(t, "both are received", func() bool {
					return !slices.ContainsFunc(titles, func(title string) bool {
						return !slices.ContainsFunc(inbox.Messages(), func(m outboundtest.Message) bool {
							return strings.Contains(string(m.Body), title)
						})
					})
				})
				t.Logf("both are received after %s", time.Since(dropped).Round(time.Millisecond))
			}
		})
		t.Run(name+": a worker goes on, and counts each task once", func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t)
			background(t, func(ctx context.Context) { _ = n.Worker.Work(ctx) })
			for range rounds {
				operator := migrations.Actor{Account: &n.Actor.Account.ID, Name: "Ana"}
				run := domaintest.OK(n.Engine.OpenRun(n.Ctx, operator, "numbers", migrations.Values{"upto": "40"},
					migrations.Draft{}))(t)
				state := func(wanted migrations.State) {
					domaintest.Until(t, "the run is "+string(wanted), func() bool {
						now, err := n.Engine.Run(n.Ctx, run.ID)
						return err == nil && now.State == wanted
					})
				}
				state(migrations.Ready)
				dropped := time.Now()
				n.drop(t, "UPDATE migration_task", arrives, func() {
					domaintest.OK(n.Engine.StartRun(n.Ctx, operator, run.ID, 0, nil))(t)
				})
				state(migrations.Complete)
				t.Logf("the run is complete after %s", time.Since(dropped).Round(time.Millisecond))
				domaintest.Counts(t, n.direct, 40, "SELECT SUM(complete) FROM migration_counter WHERE run_id = ?", run.ID)
			}
		})
	}
}
