package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/web/streams"
)

// startLive sends changes to live pages until the test ends.
func (e *env) startLive() {
	e.t.Helper()
	e.startFeeds()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		e.workflows.Delivery.WorkLive(ctx)
		close(done)
	}()
	e.t.Cleanup(func() {
		stop()
		<-done
	})
}

// watch opens the stream of live pages in acme as a browser's scripts do; pairs are headers.
func watch(t testing.TB, server *httptest.Server, b *browser, query string, pairs ...string) *eventStream {
	t.Helper()
	r := domaintest.OK(http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/acme/live"+query, nil))(t)
	r.AddCookie(&http.Cookie{Name: "counterfoil", Value: b.cookie})
	r.Header.Set("HX-Request", "true")
	for i := 0; i < len(pairs); i += 2 {
		r.Header.Set(pairs[i], pairs[i+1])
	}
	answer := domaintest.OK(server.Client().Do(r))(t)
	t.Cleanup(func() { answer.Body.Close() })
	return &eventStream{answer, bufio.NewScanner(answer.Body)}
}

type liveEvent struct {
	Board, Ticket uint64
	Tickets       [][3]uint64
	At            string
}

// about waits for an event of a name, and returns it.
func (s *eventStream) about(t testing.TB, name string) (e liveEvent) {
	t.Helper()
	for {
		next := s.change(t)
		if next.name != name {
			continue
		}
		domaintest.Must(t, json.Unmarshal([]byte(next.data), &e))
		return e
	}
}

// ends reads a stream to its end and returns the name of its last event.
func (s *eventStream) ends(t testing.TB) (last string) {
	t.Helper()
	for {
		e, err := s.next()
		if err != nil {
			return last
		}
		if e.name != "" {
			last = e.name
		}
	}
}

// ticketID is the id of a ticket's row.
func (e *env) ticketID(board string, number int) uint64 {
	e.t.Helper()
	return uint64(e.count("SELECT t.id FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = ? AND t.local_id = "+
		"?", board, number))
}

// at returns the positions at which a page was drawn, once the server knows them.
func (b *browser) at(t testing.TB) string {
	t.Helper()
	for {
		at, ok := b.get("/acme").is(t, 200).page().Find("body").Attr("data-at")
		if !ok {
			t.Fatal("the page does not say when it was drawn")
		}
		if at != "" {
			return at
		}
	}
}

func TestLive(t *testing.T) {
	t.Parallel()
	t.Run("a change of a ticket has the stamp of its card, whatever changed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.startLive()
		server, ana := serveStreams(t, e), e.ana()
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "One", "Two")
		stream := watch(t, server, ana, "?at="+ana.at(t))
		card := fmt.Sprint("card-", e.ticketID("NINJA", 1))
		column := func(i int) string { return fmt.Sprint(b.Columns[i].ID) }
		before := ""
		for _, change := range [][]string{
			{"/acme/NINJA-1/position", "column", column(1), "after", ""},
			{"/acme/NINJA-1", "title", "Fins, “painted”", "version", "1"},
			{"/acme/NINJA-1/assignees", "quick", "1", "add", "1"},
			{"/acme/NINJA-1/closure", "closed", "1"},
			{"/acme/NINJA-1/closure", "closed", "0"},
			{"/acme/NINJA-1/position", "column", column(0), "after", "NINJA-2"},
		} {
			ana.post(change[0], change[1:]...).is(t, http.StatusSeeOther)
			stamp := ana.get("/acme/boards/NINJA").page().Find("#"+card).AttrOr("data-stamp", "none")
			for told := ""; told != stamp; {
				for _, ticket := range stream.about(t, "board").Tickets {
					if fmt.Sprint("card-", ticket[0]) == card {
						told = fmt.Sprint(ticket[2])
					}
				}
			}
			if stamp == before {
				t.Errorf("%v leaves the stamp as it was", change)
			}
			before = stamp
		}
	})
	t.Run("a page hears what changes from when it was drawn, and after a break what it missed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.startLive()
		server, ana := serveStreams(t, e), e.ana()
		at := ana.at(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "One")
		stream := watch(t, server, ana, "?at="+at)
		if kind := stream.Header.Get("Content-Type"); stream.StatusCode != http.StatusOK || kind != "text/event-stream" {
			t.Fatalf("%d %s", stream.StatusCode, kind)
		}
		if hello := stream.change(t); hello.name != "hello" || !strings.Contains(hello.data, `"build"`) {
			t.Errorf("it begins with %+v", hello)
		}
		one := e.ticketID("NINJA", 1)
		for {
			if e := stream.about(t, "board"); len(e.Tickets) > 0 &&
				slices.Equal(e.Tickets[0][:2], []uint64{one, b.Columns[0].ID}) {
				break
			}
		}
		after, err := stream.next()
		if err != nil || after.id == "" {
			t.Fatalf("news end with %+v", after)
		}
		stream.Body.Close()
		e.program().post("/tickets/NINJA-1/comments", object{"body": "Hello"}).is(t, http.StatusCreated)
		stream = watch(t, server, ana, "?at="+at, "Last-Event-ID", after.id)
		if e := stream.about(t, "ticket"); e.Ticket != one {
			t.Errorf("the comment is on %d, not %d", e.Ticket, one)
		}
	})
	t.Run("a page that was away too long hears that anything may have changed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.startLive()
		server, ana := serveStreams(t, e), e.ana()
		ana.at(t)
		for _, at := range []string{"", "1.2.3.4", "x", strings.Repeat("9", 1000)} {
			stream := watch(t, server, ana, "?at="+url.QueryEscape(at))
			stream.about(t, "all")
			stream.Body.Close()
		}
	})
	t.Run("a page without a stream asks now and then, and mostly hears that nothing changed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.startLive()
		ana := e.ana()
		at := ana.at(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "One")
		one := fmt.Sprintf(`[[%d,%d,`, e.ticketID("NINJA", 1), b.Columns[0].ID)
		var news struct {
			At     string
			Events []struct {
				Name string
				Data json.RawMessage
			}
		}
		found := false
		for !found {
			a := ana.get("/acme/live/changes?at="+at).is(t, 200)
			if err := json.NewDecoder(strings.NewReader(a.body)).Decode(&news); err != nil && err != io.EOF {
				t.Fatal(err)
			}
			for _, e := range news.Events {
				found = found || e.Name == "board" && strings.Contains(string(e.Data), one)
			}
		}
		a := ana.get("/acme/live/changes?at="+news.At).is(t, 200)
		if !strings.Contains(a.body, `"events":[]`) {
			t.Errorf("it says twice: %s", a.body)
		}
		ana.with("If-None-Match", a.header.Get("ETag")).get("/acme/live/changes?at="+news.At).is(t, http.StatusNotModified)
	})
}

func TestLiveEnds(t *testing.T) {
	t.Parallel()
	t.Run("a stream ends soon after its reader was removed, or signed out", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withStreams(streams.Limits{Check: tick}))
		e.account("mia", "acme", accounts.Member)
		e.account("max", "acme", accounts.Member)
		e.account("moe", "acme", accounts.Member)
		server := serveStreams(t, e)
		mia, maxi, moe := e.signedIn("mia"), e.signedIn("max"), e.signedIn("moe")
		for _, out := range []struct {
			who *browser
			do  func()
		}{
			{mia, func() { e.exec("DELETE FROM membership WHERE handle = 'mia'") }},
			{maxi, func() { maxi.post("/logout").is(t, http.StatusSeeOther) }},
			{moe, func() { e.exec("UPDATE account SET session_epoch = session_epoch + 1 WHERE name = 'moe'") }},
		} {
			stream := watch(t, server, &browser{cookie: out.who.cookie}, "")
			if hello := stream.change(t); hello.name != "hello" {
				t.Fatalf("it begins with %+v", hello)
			}
			out.do()
			if last := stream.ends(t); last != "gone" {
				t.Errorf("it ends with %q", last)
			}
		}
	})
	t.Run("a stream of a member that becomes a guest ends, and comes again", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("mia", "acme", accounts.Member)
		server := serveStreams(t, e)
		mia := e.signedIn("mia")
		for _, role := range []string{"guest", "member"} {
			stream := watch(t, server, mia, "")
			if hello := stream.change(t); hello.name != "hello" {
				t.Fatalf("it begins with %+v", hello)
			}
			e.ana().post(fmt.Sprintf("/acme/people/%d/role", e.idOf("mia")), "role", role).is(t, http.StatusSeeOther)
			if last := stream.ends(t); last != "" {
				t.Errorf("it ends with %q", last)
			}
		}
	})
	t.Run("it has a sign of life, and ends when the server stops", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withStreams(streams.Limits{Beat: tick}))
		e.startLive()
		server, outlived := withShortTimeouts(t, e)
		ana := e.ana()
		stream := watch(t, server, ana, "?at="+ana.at(t))
		for !outlived() {
			domaintest.OK(stream.next())(t)
		}
		e.endStreams()
		if last := stream.ends(t); last != "" {
			t.Errorf("it ends with %q", last)
		}
	})
	t.Run("a signed-out page hears so, and one with too many streams when to come again", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withStreams(streams.Limits{OfSession: 1}))
		server := serveStreams(t, e)
		if stream := watch(t, server, e.visitor(), ""); stream.StatusCode != http.StatusUnauthorized {
			t.Errorf("signed out: %d", stream.StatusCode)
		}
		ana := e.ana()
		watch(t, server, ana, "").change(t)
		if second := watch(t, server, ana, ""); second.StatusCode != http.StatusTooManyRequests ||
			second.Header.Get("Retry-After") == "" {
			t.Errorf("the second: %d, %v", second.StatusCode, second.Header)
		}
		if other := watch(t, server, e.ana(), ""); other.StatusCode != http.StatusOK {
			t.Errorf("another session: %d", other.StatusCode)
		}
	})
}

func TestSessionsMembersAndCompaniesHaveSoManyStreams(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("sam", "rivals", accounts.Owner)
	server := serveStreams(t, e)
	status := func(b *browser) (*net.TCPConn, int, string) {
		conn, from := dialLive(t, server, b, "1.1")
		answer := domaintest.OK(http.ReadResponse(from, nil))(t)
		if answer.StatusCode == http.StatusOK {
			return conn, answer.StatusCode, ""
		}
		return conn, answer.StatusCode, answer.Header.Get("Retry-After")
	}
	var open [][]*net.TCPConn // of each session
	var sessions []*browser
	const ofMember = streams.DefaultOfCompany / 5 / streams.DefaultOfSession // sessions
	for i := range streams.DefaultOfCompany / streams.DefaultOfSession {
		name := fmt.Sprint("user", i/ofMember)
		if i%ofMember == 0 {
			e.account(name, "acme", accounts.Guest)
		}
		b := e.signedIn(name)
		var own []*net.TCPConn
		for range streams.DefaultOfSession {
			conn, code, _ := status(b)
			if code != http.StatusOK {
				t.Fatalf("stream %d of session %d: %d", len(own)+1, len(open)+1, code)
			}
			own = append(own, conn)
		}
		if _, code, again := status(b); code != http.StatusTooManyRequests || again == "" {
			t.Fatalf("one more of session %d: %d, Retry-After %q", len(open)+1, code, again)
		}
		open, sessions = append(open, own), append(sessions, b)
		if i%ofMember < ofMember-1 || i > ofMember {
			continue
		}
		// Whatever a member does, others have their streams.
		s := listen(t, server, e.tokenOf(name, "acme", "tickets:read"), "/feeds/tickets/stream?cursor=end")
		if _, code, _ := status(e.signedIn(name)); code != http.StatusTooManyRequests || s.StatusCode != code {
			t.Fatalf("another session of the member: %d, a program: %d", code, s.StatusCode)
		}
	}
	next := e.ana()
	if _, code, again := status(next); code != http.StatusTooManyRequests || again == "" {
		t.Errorf("one more of the company: %d, Retry-After %q", code, again)
	}
	s := listen(t, server, e.token, "/feeds/tickets/stream?cursor=end")
	if body, _ := io.ReadAll(s.Body); s.StatusCode != http.StatusTooManyRequests ||
		!strings.Contains(string(body), string(streams.CodeTooManyOfCompany)) {
		t.Errorf("a program of the company: %d %s", s.StatusCode, body)
	}
	sessions[0].get("/acme/live/changes?at=").is(t, http.StatusOK) // a page goes on with polls
	sam := e.visitor()
	sam.post("/login", "email", "sam@example.com", "password", password)
	r := domaintest.OK(http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/rivals/live", nil))(t)
	r.AddCookie(&http.Cookie{Name: "counterfoil", Value: sam.cookie})
	other := domaintest.OK(server.Client().Do(r))(t)
	defer other.Body.Close()
	if other.StatusCode != http.StatusOK {
		t.Errorf("another company: %d", other.StatusCode)
	}
	if text := e.metrics(); !strings.Contains(text, "counterfoil_streams_refused_total") {
		t.Error("refusals are not counted")
	}

	for _, conn := range open[3] { // dropped, as by a router that restarts
		domaintest.Must(t, conn.SetLinger(0))
		domaintest.Must(t, conn.Close())
	}
	e.waitForStreams(t, streams.DefaultOfCompany-streams.DefaultOfSession+1)
	for _, b := range []*browser{sessions[3], next} {
		if _, code, _ := status(b); code != http.StatusOK {
			t.Errorf("after the end of others: %d", code)
		}
	}
}
