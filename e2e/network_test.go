package e2e

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// Proxies between a browser and the server may hold data back.

// through has tabs reach the server at another address.
func (a *env) through(at string) *env {
	front := *a
	front.url = at
	return &front
}

func TestBadNetworks(t *testing.T) {
	t.Parallel()
	t.Run("a proxy that keeps streams back: the board asks, and is true all the same", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.through(keepsStreamsBack(t, a.url)).tab(t)
		b.open("/acme/boards/NINJA")
		b.connectionIs("polling") // it waits for a stream's first bytes, then polls every five seconds
		a.post("/acme/NINJA-1/position", "column", b.columnID("Doing"), "after", "")
		b.holds("Doing", "NINJA-1")
		a.post("/acme/NINJA-2", "title", "Another", "version", "1")
		b.sees(card("NINJA-2"), "Another")
	})
	t.Run("a proxy that ends streams after their first bytes: the board asks in place of connecting without end",
		func(t *testing.T) {
			t.Parallel()
			a := withBoard(t, "One")
			b := a.through(endsStreams(t, a.url)).tab(t)
			b.open("/acme/boards/NINJA")
			b.connectionIs("polling")
			a.post("/acme/NINJA-1/position", "column", b.columnID("Doing"), "after", "")
			b.holds("Doing", "NINJA-1")
		})
	t.Run("a network that swallows all without a word: the board notices, and catches up", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		line := newLine(t, a.url)
		b := a.through(line.url).tab(t)
		b.open("/acme/boards/NINJA")
		b.live()
		line.lost.Add(1) // open connections get nothing more, as behind a router that was restarted
		a.post("/acme/NINJA-1/position", "column", b.columnID("Doing"), "after", "")
		b.holds("Doing", "NINJA-1") // after 45 s without a byte it takes the connection for dead
	})
}

func TestLostAnswers(t *testing.T) {
	t.Parallel()
	t.Run("a title whose answer was lost is one ticket when it is sent again, and the same title next is another",
		func(t *testing.T) {
			t.Parallel()
			a := withBoard(t)
			lossy := losesAnswers(t, a.url)
			b := a.through(lossy.url).tab(t)
			b.expected = regexp.MustCompile(`ERR_`)
			b.open("/acme/boards/NINJA")
			b.addTo("To do")
			lossy.losing.Store(true)
			b.types("Precious\r")
			b.wait(`document.querySelector("#flash").textContent.includes("was not created") && document.activeElement.value === "Precious"`)
			lossy.losing.Store(false)
			b.types("\r")
			b.sees(".add", "NINJA-1 created")
			b.types("Precious\rLast\r")
			b.holds("To do", "NINJA-1 NINJA-2 NINJA-3")
		})
	t.Run("a comment whose answer was lost is said once, also from its draft on the page that is opened again",
		func(t *testing.T) {
			t.Parallel()
			a := withBoard(t, "One")
			lossy := losesAnswers(t, a.url)
			b := a.through(lossy.url).tab(t)
			b.expected = regexp.MustCompile(`ERR_|htmx:`)
			b.open("/acme/NINJA-1")
			b.fills("#comment-body", "Said once")
			lossy.losing.Store(true)
			b.click("#comment-form .primary")
			b.sees("#flash", "cannot be reached")
			lossy.losing.Store(false)
			b.open("/acme/NINJA-1")
			b.wait(`document.querySelector("#comment-body").value === "Said once"`)
			b.click("#comment-form .primary")
			b.wait(`document.querySelector("#comment-body").value === ""`)
			b.open("/acme/NINJA-1")
			b.wait(`[...document.querySelectorAll("article, li")].filter((one) => one.matches("[id^=comment-]") && one.textContent.includes("Said once")).length === 1`)
		})
}

// lossy is a proxy. While it loses answers, those of POSTs do not come back.
type lossy struct {
	url    string
	losing atomic.Bool
}

func losesAnswers(t *testing.T, to string) *lossy {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	l := &lossy{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval, proxy.ErrorLog = -1, log.New(io.Discard, "", 0) // a stream that is left is no error
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !l.losing.Load() {
			proxy.ServeHTTP(w, r)
			return
		}
		proxy.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	l.url = server.URL
	return l
}

// keepsStreamsBack is a proxy that reads the answers of streams to their end before it passes them on.
func keepsStreamsBack(t *testing.T, to string) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/live") {
			<-r.Context().Done()
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// endsStreams is a proxy that passes the first bytes of a stream on, and ends it.
func endsStreams(t *testing.T, to string) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/live") {
			proxy.ServeHTTP(w, r)
			return
		}
		ask := r.Clone(r.Context())
		ask.URL.Scheme, ask.URL.Host = target.Scheme, target.Host
		answer, err := http.DefaultTransport.RoundTrip(ask)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		first := make([]byte, 4<<10)
		n, _ := answer.Body.Read(first)
		w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
		w.WriteHeader(answer.StatusCode)
		_, _ = w.Write(first[:n])
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// line passes bytes on. Connections older than the last increment of lost get nothing more, and are not closed.
type line struct {
	url  string
	lost atomic.Int64
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	l := &line{url: "http://" + listener.Addr().String()}
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", strings.TrimPrefix(to, "http://"))
			if err != nil {
				near.Close()
				continue
			}
			t.Cleanup(func() { near.Close(); far.Close() })
			began := l.lost.Load()
			go l.pass(near, far, began)
			go l.pass(far, near, began)
		}
	}()
	return l
}

func (l *line) pass(to, from net.Conn, began int64) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if l.lost.Load() > began {
			_, _ = io.Copy(io.Discard, from)
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			to.Close()
			return
		}
	}
}
