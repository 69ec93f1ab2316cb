package web_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/web"
	"github.com/counterfoil/counterfoil/web/streams"
)

// streamEvent is a server-sent event.
type streamEvent struct{ id, name, data string }

// eventStream is a reader's stream of the API.
type eventStream struct {
	*http.Response
	lines *bufio.Scanner
}

// listen opens a stream on a server; pairs are headers.
func listen(t testing.TB, server *httptest.Server, token, path string, pairs ...string) *eventStream {
	t.Helper()
	r := domaintest.OK(http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1"+path, nil))(t)
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(pairs); i += 2 {
		r.Header.Set(pairs[i], pairs[i+1])
	}
	answer := domaintest.OK(server.Client().Do(r))(t)
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	return &eventStream{answer, lines}
}

// next returns the next event, also one without data.
func (s *eventStream) next() (e streamEvent, err error) {
	for s.lines.Scan() {
		switch name, value, _ := strings.Cut(s.lines.Text(), ": "); name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e != (streamEvent{}) {
				return e, nil
			}
		}
	}
	return e, errors.Join(io.EOF, s.lines.Err())
}

// change returns the next event that has data.
func (s *eventStream) change(t testing.TB) streamEvent {
	t.Helper()
	for {
		e := domaintest.OK(s.next())(t)
		if e.data != "" {
			return e
		}
	}
}

// serveStreams serves on a port with the limits of production.
func serveStreams(t testing.TB, e *env) *httptest.Server {
	t.Helper()
	return startServer(t, e, func(*http.Server) {})
}

// shortTimeout is what withShortTimeouts leaves for an answer that has an end: more than one takes on a busy machine, also.
const shortTimeout = 8 * time.Second

// withShortTimeouts is serveStreams with little time to read a request and to answer it. outlived is called for each event
// of a stream and reports whether it went on for longer than that.
func withShortTimeouts(t testing.TB, e *env) (server *httptest.Server, outlived func() bool) {
	t.Helper()
	server = startServer(t, e, func(s *http.Server) { s.ReadTimeout, s.WriteTimeout = shortTimeout, shortTimeout })
	var began time.Time
	return server, func() bool {
		if began.IsZero() {
			began = time.Now()
		}
		return time.Since(began) > shortTimeout+shortTimeout/4
	}
}

func startServer(t testing.TB, e *env, set func(*http.Server)) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.Config = web.HTTPServer(e.handler, slog.New(slog.DiscardHandler))
	set(server.Config)
	server.Start()
	t.Cleanup(func() { e.endStreams(); server.Close() })
	return server
}

func withStreams(limits streams.Limits) func(*web.Config) {
	return func(cfg *web.Config) { cfg.Streams = limits }
}

const tick = 20 * time.Millisecond

func TestStream(t *testing.T) {
	t.Parallel()

	t.Run("it sends what there is, then what changes, each with the cursor behind it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.startFeeds()
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "One", "Two", "Three")
		server := serveStreams(t, e)
		all := listen(t, server, e.token, "/feeds/tickets/stream?board=NINJA")
		if kind := all.Header.Get("Content-Type"); all.StatusCode != http.StatusOK || kind != "text/event-stream" ||
			all.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v", all.StatusCode, all.Header)
		}
		var seen []streamEvent
		for range 3 {
			e := all.change(t)
			if e.name != "change" || e.id == "" {
				t.Errorf("an event is %+v", e)
			}
			seen = append(seen, e)
		}
		e.newTickets("NINJA", b.Columns[0].ID, "Four")
		seen = append(seen, all.change(t))
		if !strings.Contains(seen[3].data, `"title":"Four"`) {
			t.Errorf("the news is %s", seen[3].data)
		}
		again := listen(t, server, e.token, "/feeds/tickets/stream?board=NINJA&cursor=start", "Last-Event-ID", seen[1].id)
		for _, want := range seen[2:] {
			if e := again.change(t); e != want {
				t.Errorf("after coming back it is sent %+v, not %+v", e, want)
			}
		}
		end := listen(t, server, e.token, "/feeds/tickets/stream?cursor=end")
		if e, err := end.next(); err != nil || e.id == "" || e.data != "" {
			t.Errorf("at the end it begins with %+v", e)
		}
		e.newTickets("NINJA", b.Columns[0].ID, "Five")
		if e := end.change(t); !strings.Contains(e.data, `"title":"Five"`) {
			t.Errorf("from the end it is sent %s", e.data)
		}
	})

	t.Run("it outlives the server's deadlines, and heartbeats go over what is others'", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withStreams(streams.Limits{Beat: tick}))
		e.startFeeds()
		e.newBoard("OTHER")
		server, outlived := withShortTimeouts(t, e)
		s := listen(t, server, e.token, "/feeds/tickets/stream?board=OTHER")
		ids := map[string]bool{}
		for !outlived() {
			e := domaintest.OK(s.next())(t)
			ids[e.id] = true
		}
		demo := e.program()
		demo.post("/boards/DEMO/tickets", object{"title": "Elsewhere"}).is(t, 201)
		for before := len(ids); len(ids) == before; {
			e, err := s.next()
			if err != nil || e.data != "" {
				t.Fatalf("%+v %v", e, err)
			}
			ids[e.id] = true
		}
		demo.post("/boards/OTHER/tickets", object{"title": "Here"}).is(t, 201)
		if e := s.change(t); !strings.Contains(e.data, `"title":"Here"`) {
			t.Errorf("it is sent %s", e.data)
		}
	})

	t.Run("HEAD has no events", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		server := serveStreams(t, e)
		r := domaintest.OK(http.NewRequestWithContext(t.Context(), http.MethodHead, server.URL+"/api/v1/feeds/tickets/stream",
			nil))(t)
		r.Header.Set("Authorization", "Bearer "+e.token)
		answer := domaintest.OK(server.Client().Do(r))(t)
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%d", answer.StatusCode)
		}
		e.waitForStreams(t, 0)
	})
}

func TestStreamEnds(t *testing.T) {
	t.Parallel()
	t.Run("it ends with the token", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withStreams(streams.Limits{Check: tick, Beat: tick}))
		e.startFeeds()
		e.account("mia", "acme", accounts.Member)
		mia := e.tokenOf("mia", "acme", "tickets:read")
		server := serveStreams(t, e)
		s := listen(t, server, mia, "/feeds/tickets/stream?cursor=end")
		domaintest.OK(s.next())(t)
		e.exec("DELETE FROM membership WHERE handle = 'mia'")
		for {
			if _, err := s.next(); err != nil {
				break
			}
		}
		e.waitForStreams(t, 0)
	})
	t.Run("it ends when its reader becomes a guest, who sees other boards", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.publish() // so that she has read something
		e.startFeeds()
		e.account("mia", "acme", accounts.Member)
		mia := e.tokenOf("mia", "acme", "tickets:read")
		server := serveStreams(t, e)
		s := listen(t, server, mia, "/feeds/tickets/stream?cursor=end")
		first := domaintest.OK(s.next())(t)
		e.ana().post(fmt.Sprintf("/acme/people/%d/role", e.idOf("mia")), "role", "guest").is(t, http.StatusSeeOther)
		s.ends(t)
		e.waitForStreams(t, 0)
		e.program().post("/boards/DEMO/tickets", object{"title": "Not for guests"}).is(t, 201)
		e.publish()
		s = listen(t, server, mia, "/feeds/tickets/stream", "Last-Event-ID", first.id)
		next := domaintest.OK(s.next())(t)
		for next.data == "" { // only the cursor moved
			next = domaintest.OK(s.next())(t)
		}
		if !strings.Contains(next.data, `"reason":"left"`) {
			t.Errorf("it goes on with %+v", next)
		}
		page := (&program{env: e, token: mia}).get("/feeds/tickets?cursor="+next.id).is(t, 200)
		if strings.Contains(page.body, "Not for guests") || strings.Contains(page.body, `"id"`) {
			t.Errorf("then it goes on with %s", page.body)
		}
	})
	t.Run("it ends with the token also where there is much to read yet", func(t *testing.T) {
		t.Parallel()
		const many = 1000
		e := newEnv(t, withStreams(streams.Limits{Check: tick}))
		b := e.newBoard("LONG")
		e.fill(b, many, "CONCAT('Ticket ', n)")
		e.exec("UPDATE ticket SET description = REPEAT('x', 60000) WHERE board_id = (SELECT id FROM board WHERE slug = " +
			"'LONG')")
		e.publish()
		e.account("mia", "acme", accounts.Member)
		s := listen(t, serveStreams(t, e), e.tokenOf("mia", "acme", "tickets:read"), "/feeds/tickets/stream?board=LONG")
		s.change(t)
		e.ana().post(fmt.Sprintf("/acme/people/%d/removal", e.count("SELECT id FROM account WHERE name = 'mia'"))).
			is(t, http.StatusSeeOther)
		n := 1
		for ; ; n++ {
			if _, err := s.next(); err != nil {
				break
			}
		}
		if n >= many {
			t.Errorf("all of %d tickets were sent", n)
		}
	})
	t.Run("it ends with the epoch, and coming back is refused", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.startFeeds()
		server := serveStreams(t, e)
		s := listen(t, server, e.token, "/feeds/tickets/stream?cursor=end")
		last, err := s.next()
		domaintest.Must(t, err)
		e.program().post("/boards/DEMO/tickets", object{"title": "Here"}).is(t, 201)
		s.change(t) // what comes after it was read a moment ago
		e.exec("UPDATE sequences SET epoch = epoch + 1")
		for err == nil {
			_, err = s.next()
		}
		if again := listen(t, server, e.token, "/feeds/tickets/stream", "Last-Event-ID",
			last.id); again.StatusCode != http.StatusConflict {
			t.Errorf("coming back: %d", again.StatusCode)
		}
	})
	t.Run("a stop of the server does not wait for it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.startFeeds()
		server := serveStreams(t, e)
		s := listen(t, server, e.token, "/feeds/tickets/stream?cursor=end")
		domaintest.OK(s.next())(t)
		if err := server.Config.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		for err := error(nil); err == nil; { // what was sent before may still come
			_, err = s.next()
		}
	})
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()

	t.Run("all tokens of a person count as one", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withStreams(streams.Limits{OfSession: 2}))
		e.account("mia", "acme", accounts.Member)
		server := serveStreams(t, e)
		var codes []int
		for _, scope := range []string{"tickets:read", "boards:read", "tickets:write"} {
			token := e.tokenOf("mia", "acme", "tickets:read", scope)
			codes = append(codes, listen(t, server, token, "/feeds/tickets/stream?cursor=end").StatusCode)
		}
		if !slices.Equal(codes, []int{200, 200, 429}) {
			t.Errorf("they are answered %d", codes)
		}
	})

	t.Run("there are so many of one person, and so many in all", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withStreams(streams.Limits{Most: 5, OfSession: 3}))
		e.publish() // nothing is left to publish
		e.startFeeds()
		e.account("mia", "acme", accounts.Member)
		mia := e.tokenOf("mia", "acme", "tickets:read")
		server := serveStreams(t, e)
		refused := func(token, path string, code int, problem string) {
			t.Helper()
			s := listen(t, server, token, path)
			body, _ := io.ReadAll(s.Body)
			if s.StatusCode != code || s.Header.Get("Retry-After") == "" ||
				!strings.Contains(string(body), `"urn:counterfoil:problem:`+problem+`"`) {
				t.Errorf("one more is answered %d %v %s", s.StatusCode, s.Header, body)
			}
		}
		var own []*eventStream
		for range 3 {
			own = append(own, listen(t, server, e.token, "/feeds/tickets/stream?cursor=end"))
		}
		for _, s := range own {
			domaintest.OK(s.next())(t)
		}
		refused(e.token, "/feeds/tickets/stream?cursor=end", 429, "Stream.TooManyOfSession")
		refused(e.token, "/feeds/tickets?cursor=end&wait=60", 429, "Stream.TooManyOfSession")
		for range 2 {
			if s := listen(t, server, mia, "/feeds/tickets/stream?cursor=end"); s.StatusCode != http.StatusOK {
				t.Errorf("another token is answered %d", s.StatusCode)
			}
		}
		refused(mia, "/feeds/tickets/stream?cursor=end", 503, "Stream.TooMany")
		e.program().feed(t, "tickets", "cursor", "end") // who does not wait is answered
		own[0].Body.Close()
		e.waitForStreams(t, 4)
		if s := listen(t, server, mia, "/feeds/tickets/stream?cursor=end"); s.StatusCode != http.StatusOK {
			t.Errorf("when one has gone the next is answered %d", s.StatusCode)
		}
	})

	t.Run("a reader who takes nothing is left, and the others go on", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withStreams(streams.Limits{Write: 10 * time.Second}))
		e.startFeeds()
		b := e.newBoard("LONG")
		e.fill(b, 400, "CONCAT('Ticket ', n)")
		e.exec("UPDATE ticket SET description = REPEAT('x', 60000) WHERE board_id = (SELECT id FROM board WHERE slug = " +
			"'LONG')")
		server := serveStreams(t, e)
		stuck := domaintest.OK((&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String()))(t)
		defer stuck.Close()
		domaintest.Must(t, stuck.(*net.TCPConn).SetReadBuffer(4096))
		fmt.Fprintf(stuck, "GET /api/v1/feeds/tickets/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
			e.token)
		e.waitForStreams(t, 1)
		good := listen(t, server, e.token, "/feeds/tickets/stream?board=LONG")
		for range 400 {
			good.change(t)
		}
		e.waitForStreams(t, 1)
	})

	t.Run("many at one place share what they read", func(t *testing.T) {
		t.Parallel()
		const readers = 100
		e := newEnv(t, withStreams(streams.Limits{OfSession: readers}))
		e.publish()
		e.startFeeds()
		server := serveStreams(t, e)
		begun := make(chan error, readers)
		var done sync.WaitGroup
		for range readers {
			done.Go(func() {
				s := listen(t, server, e.token, "/feeds/tickets/stream?cursor=end")
				_, err := s.next()
				begun <- err
				if e := s.change(t); !strings.Contains(e.data, `"title":"News"`) {
					t.Errorf("it is sent %s", e.data)
				}
			})
		}
		for range readers {
			domaintest.Must(t, <-begun)
		}
		e.watch.Take()
		e.program().post("/boards/DEMO/tickets", object{"title": "News"}).is(t, 201)
		done.Wait()
		reads := 0
		sent, _ := e.watch.Take()
		for _, statement := range sent {
			if strings.Contains(statement, "uq_ticket_feed") && strings.Contains(statement, "feed_sync_id >") {
				reads++
			}
		}
		if reads == 0 || reads > readers/10 {
			t.Errorf("%d streams read %d pages", readers, reads)
		}
	})
}
