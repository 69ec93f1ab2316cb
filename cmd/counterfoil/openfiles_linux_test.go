package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
)

// A server that may open few files says so, refuses streams in time, and goes on with everything else.
func TestFewOpenFiles(t *testing.T) {
	t.Parallel()
	i := onURL(t, dbtest.URL(t))
	_, w, d := i.operator(t)
	company := id.Company(domaintest.Number(t, d, "SELECT id FROM company"))
	i.under = []string{"sh", "-c", `ulimit -n 300 && exec "$0" "$@"`}
	p, c := i.serve(t), newClient(i)
	c.board(t, p.url, "NINJA")
	if log := p.logged(); !strings.Contains(log, "may open few files") || !strings.Contains(log, "streams=150") {
		t.Errorf("it does not say so: %s", log)
	}
	s := &served{install: i, t: t, host: strings.TrimPrefix(p.url, "http://")}
	var taken, refused atomic.Int64
	for user := range 8 {
		email := fmt.Sprintf("user%d@example.com", user)
		domaintest.Member(t, d, company, "User", email, "member", "")
		token := domaintest.OK(w.Workflows.OpenToken(t.Context(), "acme", email, nil, 0))(t)
		all(s.connections(25, streamRequest(token, "")), func(c net.Conn) {
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			switch {
			case err != nil:
				t.Error(err)
			case answer.StatusCode == http.StatusOK:
				taken.Add(1)
			case answer.StatusCode == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") != "":
				refused.Add(1)
			default:
				t.Error(answer.Status)
			}
		})
	}
	if taken.Load() != 150 || refused.Load() != 50 {
		t.Errorf("%d streams were taken, %d refused", taken.Load(), refused.Load())
	}
	if _, err := c.open(func() string { return p.url }, "NINJA", "Meanwhile", patience); err != nil {
		t.Error(err)
	}
}

// streamRequest asks for the stream of tickets behind a cursor.
func streamRequest(token, cursor string) string {
	return "GET /api/v1/feeds/tickets/stream?cursor=" + cursor + " HTTP/1.1\r\nHost: counterfoil.test\r\n" +
		"Authorization: Bearer " + token + "\r\n\r\n"
}
