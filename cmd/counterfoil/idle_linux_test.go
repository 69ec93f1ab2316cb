package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/feedclient"
	"github.com/counterfoil/counterfoil/web/streams"
)

// TestTenThousandIdleConnections opens ten thousand connections to a server: a third send nothing, a third stop in the
// middle of a request, a third ask for a stream and never read on.
func TestTenThousandIdleConnections(t *testing.T) {
	t.Parallel()
	const each = 3_334
	const ownStreams = streams.DefaultOfSession // as docs/operations.md says
	var limit syscall.Rlimit
	domaintest.Must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if limit.Max < 3*each+1_000 {
		t.Fatalf("a process may open %d files here; raise the hard limit to %d (ulimit -Hn)", limit.Max, 3*each+1_000)
	}

	s := newServed(t)
	s.api.board(t, s.feed.URL, "NINJA")
	reader := newReplica()
	followed(t, s.feed, feedclient.Options{Feed: "tickets", Mode: feedclient.Stream}, reader)
	s.ticket("NINJA", "Before")
	reader.becomes(t, "a stream shows a ticket", func() bool { return strings.Join(reader.titles(), " ") == "Before" })

	silent := s.connections(each, "")
	halfway := s.connections(each, "GET /acme HTTP/1.1\r\nHost: coun")
	ask := streamRequest(s.token, "")

	var taken, refused atomic.Int64
	answered := func(c net.Conn) {
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Errorf("a stream: %v", err)
			return
		}
		switch {
		case answer.StatusCode == http.StatusOK:
			taken.Add(1)
		case answer.StatusCode == http.StatusTooManyRequests && answer.Header.Get("Retry-After") != "":
			refused.Add(1)
		default:
			t.Errorf("a stream was answered %s", answer.Status)
		}
	}
	for left := each; left > 0; left -= 100 { // in portions: a connection that waits too long is refused as well
		all(s.connections(min(100, left), ask), answered)
	}
	if got, not := taken.Load(), refused.Load(); got != ownStreams-1 || got+not != each { // the reader has one
		t.Errorf("%d streams were taken, %d refused", got, not)
	}

	s.ticket("NINJA", "Meanwhile")
	reader.becomes(t, "the feed goes on", func() bool { return len(reader.titles()) == 2 })

	all(append(silent, halfway...), func(c net.Conn) {
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("a connection that says nothing is not closed")
		}
	})
	s.ask("GET", "/boards/NINJA", nil, http.StatusOK)
}

// connections opens connections to the server and sends a text on each.
func (s *served) connections(n int, say string) []net.Conn {
	s.t.Helper()
	open := make([]net.Conn, n)
	for i := range open {
		c, err := net.Dial("tcp", s.host)
		if err == nil {
			s.t.Cleanup(func() { _ = c.Close() })
			_, said := io.WriteString(c, say)
			err = errors.Join(said, c.SetDeadline(time.Now().Add(10*time.Minute)))
		}
		if err != nil {
			s.t.Fatalf("connection %d: %v", i, err)
		}
		open[i] = c
	}
	return open
}

// all does something with each connection, at once.
func all(connections []net.Conn, do func(net.Conn)) {
	var doing sync.WaitGroup
	for _, c := range connections {
		doing.Go(func() { do(c) })
	}
	doing.Wait()
}
