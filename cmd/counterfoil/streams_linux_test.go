//go:build soak

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
	"github.com/counterfoil/counterfoil/web/streams"
)

// TestFiveThousandStreams opens as many streams as one server takes. One more is refused, and each of them shows a
// ticket that is opened then.
func TestFiveThousandStreams(t *testing.T) {
	t.Parallel()
	const each = streams.DefaultOfSession
	const users = streams.DefaultMost / each
	i := onURL(t, dbtest.URL(t))
	i.env = append(i.env, fmt.Sprint("COUNTERFOIL_COMPANY_STREAMS=", streams.DefaultMost))
	_, w, d := i.operator(t)
	p, c := i.serve(t), newClient(i)
	c.board(t, p.url, "NINJA")
	company := id.Company(domaintest.Number(t, d, "SELECT id FROM company"))
	s := &served{install: i, t: t, host: strings.TrimPrefix(p.url, "http://")}
	before := p.resident(t, "VmRSS")

	var open, shown atomic.Int64
	answered := make(chan struct{})
	follow := func(conn net.Conn) {
		reader := bufio.NewReaderSize(conn, 512)
		answer, err := http.ReadResponse(reader, nil)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("a stream: %v %v", answer, err)
			answered <- struct{}{}
			return
		}
		open.Add(1)
		answered <- struct{}{}
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			if strings.Contains(lines.Text(), "Meanwhile") {
				shown.Add(1)
				return
			}
		}
	}
	for user := range users {
		email := fmt.Sprintf("user%d@example.com", user)
		domaintest.Member(t, d, company, "User", email, "member", "")
		token := domaintest.OK(w.Workflows.OpenToken(t.Context(), "acme", email, nil, 0))(t)
		for range each / 50 { // in portions: a connection that waits too long is refused as well
			for _, conn := range s.connections(50, streamRequest(token, "")) {
				go follow(conn)
			}
			for range 50 {
				<-answered
			}
		}
	}
	if open.Load() != streams.DefaultMost {
		t.Fatalf("%d streams are open", open.Load())
	}
	grown := p.resident(t, "VmRSS") - before

	refused := s.connections(1, streamRequest(i.token, ""))[0]
	answer := domaintest.OK(http.ReadResponse(bufio.NewReader(refused), nil))(t)
	text := make([]byte, 400)
	n, _ := answer.Body.Read(text)
	if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" ||
		!strings.Contains(string(text[:n]), string(streams.CodeTooMany)) {
		t.Errorf("one more: %s %s", answer.Status, text[:n])
	}
	domaintest.OK(c.open(func() string { return p.url }, "NINJA", "Meanwhile", patience))(t)
	domaintest.Until(t, "each stream shows the ticket", func() bool { return shown.Load() == streams.DefaultMost },
		func() string { return fmt.Sprintf("%d do", shown.Load()) })
	t.Logf("%d streams: %d MB more, %d MB at most", open.Load(), grown>>20, p.resident(t, "VmHWM")>>20)
	if grown > moreMemory {
		t.Errorf("the server grew by %d MB", grown>>20)
	}
}
