package web_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/web"
)

// dialLive sends a raw request for acme's live stream in a version of HTTP, and returns the connection.
func dialLive(t testing.TB, server *httptest.Server, b *browser, version string) (*net.TCPConn, *bufio.Reader) {
	t.Helper()
	conn := domaintest.OK((&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String()))(t)
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "GET /acme/live HTTP/%s\r\nHost: x\r\nHX-Request: true\r\nAccept-Encoding: gzip\r\nCookie: "+
		"counterfoil=%s\r\n\r\n", version, b.cookie)
	return conn.(*net.TCPConn), bufio.NewReader(conn)
}

// readHello reads until hello, and fails if the stream ends before.
func readHello(t testing.TB, from *bufio.Reader) (head string) {
	t.Helper()
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			t.Fatalf("it ends after %q: %v", head, err)
		}
		if strings.HasPrefix(line, "event: hello") {
			return head
		}
		head += line
	}
}

func TestDetachedStreams(t *testing.T) {
	t.Parallel()

	t.Run("over HTTP/2 and TLS a stream is the same, and ends with its reader and with the server", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.startLive()
		ana := e.ana()
		server := httptest.NewUnstartedServer(nil)
		server.Config = web.HTTPServer(e.handler, slog.New(slog.DiscardHandler))
		server.EnableHTTP2 = true
		server.StartTLS()
		t.Cleanup(func() { e.endStreams(); server.Close() })
		at := ana.at(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "One")
		one := watch(t, server, ana, "?at="+at)
		if one.ProtoMajor != 2 {
			t.Fatalf("it is %s", one.Proto)
		}
		one.about(t, "board")
		watch(t, server, ana, "?at="+at).about(t, "board")
		one.Body.Close()
		e.waitForStreams(t, 1)
		e.endStreams()
		e.waitForStreams(t, 0)
	})

	t.Run("it has the headers that every answer has, is not compressed, and is counted", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		server, ana := serveStreams(t, e), e.ana()
		for _, version := range []string{"1.0", "1.1"} {
			_, from := dialLive(t, server, ana, version)
			head := readHello(t, from)
			if !strings.HasPrefix(head, "HTTP/"+version+" 200 OK\r\n") {
				t.Errorf("HTTP/%s is answered %q", version, head)
			}
			for _, want := range []string{"Content-Security-Policy: ", "X-Content-Type-Options: nosniff",
				"Cache-Control: no-store", "Content-Type: text/event-stream", "Connection: close", "Date: "} {
				if !strings.Contains(head, "\r\n"+want) && !strings.Contains(head, "\n"+want) {
					t.Errorf("no %q in %q", want, head)
				}
			}
			if strings.Contains(head, "Content-Encoding") || strings.Contains(head, "Transfer-Encoding") {
				t.Errorf("it is encoded: %q", head)
			}
		}
		if metrics := e.metrics(); !strings.Contains(metrics,
			`counterfoil_request_seconds_count{method="GET",route="/:company/live",status="200"}`) {
			t.Error("the requests are not counted")
		}
	})

	t.Run("it ends with a reader who sends nothing more, and with one who sends without end", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		server, ana := serveStreams(t, e), e.ana()
		half, from := dialLive(t, server, ana, "1.1")
		readHello(t, from)
		e.waitForStreams(t, 1)
		domaintest.Must(t, half.CloseWrite())
		if _, err := io.Copy(io.Discard, from); err != nil {
			t.Error(err)
		}
		e.waitForStreams(t, 0)

		flood, from := dialLive(t, server, ana, "1.1")
		readHello(t, from)
		fmt.Fprint(flood, "\r\n\r\n") // some send that after a request
		e.waitForStreams(t, 1)
		for text := []byte(strings.Repeat("GET / HTTP/1.1\r\n\r\n", 1000)); ; {
			if _, err := flood.Write(text); err != nil {
				break
			}
		}
		e.waitForStreams(t, 0)
	})

	t.Run("a live stream does not hold up a stop of the server", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		server, ana := serveStreams(t, e), e.ana()
		_, from := dialLive(t, server, ana, "1.1")
		readHello(t, from)
		if err := server.Config.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := io.Copy(io.Discard, from); err != nil {
			t.Error(err)
		}
		e.waitForStreams(t, 0)
	})

	t.Run("HEAD has no events", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		server, ana := serveStreams(t, e), e.ana()
		r := domaintest.OK(http.NewRequestWithContext(t.Context(), http.MethodHead, server.URL+"/acme/live", nil))(t)
		r.AddCookie(&http.Cookie{Name: "counterfoil", Value: ana.cookie})
		answer := domaintest.OK(server.Client().Do(r))(t)
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("%d %v", answer.StatusCode, answer.Header)
		}
		e.waitForStreams(t, 0)
	})
}
