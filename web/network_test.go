package web_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/web"
	"github.com/counterfoil/counterfoil/web/streams"
)

const (
	answerWithin = 3 * time.Second  // of the database, before its connection is given up
	longestPause = 15 * time.Second // nothing stands still for longer
)

// newNetworkEnv is an env whose database is behind a proxy, which drops connections in silence.
func newNetworkEnv(t *testing.T, change ...func(*web.Config)) (*env, *dbtest.Proxy) {
	t.Helper()
	proxy, through := dbtest.NewProxy(t, dbtest.URL(t))
	quiet := func(cfg *web.Config) { cfg.Log = slog.New(slog.DiscardHandler) } // it warns of what is dropped
	e := newEnvOn(t, dbtest.OpenAt(t, through, db.AnswerWithin(answerWithin)), nil, append(change, quiet)...)
	return setUp(e), proxy
}

// isDropped fails unless a drop has happened.
func isDropped(t *testing.T, dropped <-chan struct{}) {
	t.Helper()
	select {
	case <-dropped:
	default:
		t.Fatal("no connection was dropped")
	}
}

// TestDroppedConnection drops the connection of a statement in silence: the request that waited for it is told to try
// again, in time, and the next one is as if nothing had happened.
func TestDroppedConnection(t *testing.T) {
	t.Parallel()
	const (
		findSession = "name: FindSession"
		saveSession = "name: BeginSession"
	)
	for _, arrives := range []bool{true, false} {
		t.Run(fmt.Sprintf("a page whose session is read, and stays; it arrives: %t", arrives), func(t *testing.T) {
			t.Parallel()
			e, proxy := newNetworkEnv(t)
			ana := e.ana()
			cookie := ana.cookie
			dropped, began := proxy.DropStatement(findSession, arrives), time.Now()
			a := ana.get("/acme/boards/DEMO").is(t, http.StatusServiceUnavailable)
			isDropped(t, dropped)
			if took := time.Since(began); took > longestPause || a.header.Get("Retry-After") == "" {
				t.Errorf("after %s it says %v", took, a.header)
			}
			if ana.get("/acme/boards/DEMO").is(t, http.StatusOK); ana.cookie != cookie {
				t.Error("the session is another one")
			}
		})
		t.Run(fmt.Sprintf("a sign-in that reads the account; it arrives: %t", arrives), func(t *testing.T) {
			t.Parallel()
			e, proxy := newNetworkEnv(t)
			dropped := proxy.DropStatement("name: AccountByEmail", arrives)
			signIn := func() *answer { return e.visitor().post("/login", "email", email, "password", password) }
			signIn().is(t, http.StatusServiceUnavailable)
			isDropped(t, dropped)
			signIn().is(t, http.StatusSeeOther)
		})
		t.Run(fmt.Sprintf("a sign-in that saves its session; it arrives: %t", arrives), func(t *testing.T) {
			t.Parallel()
			e, proxy := newNetworkEnv(t)
			ana := e.visitor()
			signIn := func() *answer { return ana.post("/login", "email", email, "password", password) }
			dropped := proxy.DropStatement(saveSession, arrives)
			a := signIn()
			isDropped(t, dropped)
			if a.is(t, http.StatusServiceUnavailable); a.header.Get("Retry-After") == "" {
				t.Error("it does not say when to try again")
			}
			signIn().is(t, http.StatusSeeOther)
			ana.get("/acme/boards/DEMO").is(t, http.StatusOK)
		})
		for statement, what := range map[string]string{
			"name: LiveTickets": "what changed is read", findSession: "its session is looked at",
			"name: Sequences": "the heads of the feeds are looked at",
		} {
			t.Run(fmt.Sprintf("an open board goes on while %s; it arrives: %t", what, arrives), func(t *testing.T) {
				t.Parallel()
				e, proxy := newNetworkEnv(t, withStreams(streams.Limits{Check: 300 * time.Millisecond}))
				e.startLive()
				server, ana := serveStreams(t, e), e.ana()
				stream := watch(t, server, ana, "?at="+ana.at(t))
				shows := func(number int) {
					t.Helper()
					ticket := e.ticketID("DEMO", number)
					for !slices.ContainsFunc(stream.about(t, "board").Tickets, func(shown [3]uint64) bool { return shown[0] == ticket }) {
					}
				}
				first := int(e.count("SELECT i.max_ticket_id FROM board_ticket_incrementer i JOIN board b ON b.id = i.board_id "+
					"WHERE b.slug = 'DEMO'")) + 1
				column := uint64(e.count("SELECT MIN(c.id) FROM board_column c JOIN board b ON b.id = c.board_id WHERE b.slug = 'DEMO'"))
				e.newTickets("DEMO", column, "before")
				shows(first)
				dropped, began := proxy.DropStatement(statement, arrives), time.Now()
				e.newTickets("DEMO", column, "during")
				shows(first + 1)
				if took := time.Since(began); took > longestPause {
					t.Errorf("it shows a ticket after %s", took)
				}
				domaintest.Until(t, "it is dropped", func() bool {
					select {
					case <-dropped:
						return true
					default:
						return false
					}
				})
				e.newTickets("DEMO", column, "after")
				shows(first + 2)
			})
		}
	}
}
