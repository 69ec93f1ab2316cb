package web_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// feedItem is an item of a feed as the API shows it.
type feedItem struct {
	ID        uint64
	Position  string `json:"feed_sync_id"`
	Version   uint64
	UpdatedAt string `json:"updated_at"`
	Deleted   bool
	Reason    string
	Data      *struct {
		Key, Title, Board, Slug, Body, Description, URL string
	}
}

// feedPage is a page of a feed.
type feedPage struct {
	Items  []feedItem
	Cursor string
	More   bool `json:"has_more"`
	From   string
}

// publish has all that changed published now.
func (e *env) publish() {
	e.t.Helper()
	for _, feed := range e.workflows.Feeds.Names() {
		for {
			n := domaintest.OK(e.workflows.Feeds.RunOnce(context.Background(), feed))(e.t)
			if n == 0 {
				break
			}
		}
	}
}

// startFeeds publishes changes until the test ends.
func (e *env) startFeeds() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); e.workflows.Feeds.Run(ctx) }()
	e.t.Cleanup(func() { cancel(); <-done })
}

// feed reads a page; pairs are parameters.
func (p *program) feed(t testing.TB, feed string, pairs ...string) (page feedPage) {
	t.Helper()
	p.get("/feeds/"+feed+"?"+form(pairs...).Encode()).is(t, http.StatusOK).read(t, &page)
	return page
}

// mirror is what a reader keeps of a feed.
type mirror map[uint64]feedItem

// read reads a feed from a cursor to its end and returns the cursor there.
func (m mirror) read(t testing.TB, p *program, feed, cursor string, pairs ...string) string {
	t.Helper()
	for {
		page := p.feed(t, feed, append(pairs, "cursor", cursor)...)
		for _, item := range page.Items {
			m.apply(t, item)
		}
		cursor = page.Cursor
		if !page.More {
			return cursor
		}
	}
}

func (m mirror) apply(t testing.TB, item feedItem) {
	t.Helper()
	if item.Deleted != (item.Data == nil) {
		t.Errorf("deleted %v, data %v", item.Deleted, item.Data)
	}
	if item.Deleted {
		delete(m, item.ID)
		return
	}
	m[item.ID] = item
}

// titles are the keys of tickets in a mirror, and their titles.
func (m mirror) titles() map[string]string {
	found := map[string]string{}
	for _, item := range m {
		found[item.Data.Key] = item.Data.Title
	}
	return found
}

func TestFeed(t *testing.T) {
	t.Parallel()

	t.Run("from its start it is a snapshot, then what changed since", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "One", "Two", "Three")
		e.publish()
		m := mirror{}
		cursor := m.read(t, e.program(), "tickets", "", "board", "NINJA", "limit", "2")
		if got := m.titles(); len(got) != 3 || got["NINJA-2"] != "Two" {
			t.Fatalf("the snapshot is %v", got)
		}
		e.program().patch("/tickets/NINJA-2", object{"title": "Second", "version": 1}).is(t, http.StatusOK)
		e.program().delete("/tickets/NINJA-3").is(t, http.StatusNoContent)
		e.publish()
		page := e.program().feed(t, "tickets", "cursor", cursor, "board", "NINJA")
		if len(page.Items) != 2 || page.More {
			t.Fatalf("not the two that changed: %+v", page)
		}
		for _, item := range page.Items {
			m.apply(t, item)
		}
		if got := m.titles(); len(got) != 2 || got["NINJA-2"] != "Second" {
			t.Errorf("after the changes it is %v", got)
		}
	})

	t.Run("a ticket that leaves the board that is followed is gone for that reader", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		from, to := e.newBoard("NINJA"), e.newBoard("OTHER")
		e.newTickets("NINJA", from.Columns[0].ID, "One")
		e.program().post("/tickets/NINJA-1/comments", object{"body": "Hello"}).is(t, http.StatusCreated)
		e.publish()
		tickets, comments := mirror{}, mirror{}
		ticketsAt := tickets.read(t, e.program(), "tickets", "", "board", "NINJA")
		commentsAt := comments.read(t, e.program(), "comments", "", "board", "NINJA")
		e.program().post("/tickets/NINJA-1/position", object{"board": "OTHER", "column": to.Columns[0].ID}).
			is(t, http.StatusOK)
		e.publish()
		for feed, cursor := range map[string]string{"tickets": ticketsAt, "comments": commentsAt} {
			page := e.program().feed(t, feed, "cursor", cursor, "board", "NINJA")
			if len(page.Items) != 1 || !page.Items[0].Deleted || page.Items[0].Reason != "left_filter" {
				t.Errorf("%s: %+v", feed, page.Items)
			}
		}
	})

	t.Run("nobody reads another company's, and their cursors go over it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.publish()
		e.account("sam", "rivals", accounts.Owner)
		sam := &program{env: e, token: e.tokenOf("sam", "rivals", accounts.Scopes...)}
		for _, feed := range []string{"tickets", "comments", "boards"} {
			mine, theirs := e.program().feed(t, feed, "limit", "1000"), sam.feed(t, feed, "limit", "1000")
			if len(theirs.Items) != 0 || theirs.More || theirs.Cursor != mine.Cursor {
				t.Errorf("%s: %+v", feed, theirs)
			}
		}
		sam.get("/feeds/tickets?board=DEMO").problem(t, http.StatusNotFound, "")
	})

	t.Run("long texts end a page early, and nothing is left out", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("LONG")
		e.fill(b, 250, "CONCAT('Ticket ', n)")
		e.exec("UPDATE ticket SET description = REPEAT('ä', 30000) WHERE board_id = (SELECT id FROM board WHERE slug = " +
			"'LONG')")
		e.publish()
		a := e.program().get("/feeds/tickets?board=LONG&limit=1000").is(t, http.StatusOK)
		var page feedPage
		if a.read(t, &page); !page.More || len(page.Items) >= 250 || len(a.body) > 10<<20 {
			t.Errorf("a page of %d items has %d bytes; more: %v", len(page.Items), len(a.body), page.More)
		}
		m := mirror{}
		if m.read(t, e.program(), "tickets", "", "board", "LONG", "limit", "1000"); len(m) != 250 {
			t.Errorf("%d of 250 tickets", len(m))
		}
	})
}

func TestFeedRefusesBadQuestions(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.publish()
	p := e.program()
	good := p.feed(t, "tickets", "limit", "1").Cursor
	parts := strings.Split(good, ".")
	epoch, position := parts[1], parts[3]
	e.account("sam", "rivals", accounts.Owner)

	for rule, c := range map[string]struct {
		query string
		code  int
		field string
	}{
		"no cursor at all":                {"cursor=x", 422, "cursor"},
		"a truncated one":                 {"cursor=" + good[:len(good)/3], 422, "cursor"},
		"another feed's":                  {"cursor=" + strings.Replace(good, "tickets", "comments", 1), 422, "cursor"},
		"another version's":               {"cursor=v2" + good[2:], 422, "cursor"},
		"a signed position":               {"cursor=v1." + epoch + ".tickets.%2B1", 422, "cursor"},
		"a negative position":             {"cursor=v1." + epoch + ".tickets.-1", 422, "cursor"},
		"zeros before it":                 {"cursor=v1." + epoch + ".tickets.0" + position, 422, "cursor"},
		"a position above all numbers":    {"cursor=v1." + epoch + ".tickets.99999999999999999999", 422, "cursor"},
		"hostile":                         {"cursor=" + url.QueryEscape("' OR 1=1 --"), 422, "cursor"},
		"bytes that are no text":          {"cursor=%ff%00", 422, "cursor"},
		"very long":                       {"cursor=" + strings.Repeat("v1.", 9000), 422, "cursor"},
		"ahead of the feed":               {"cursor=v1." + epoch + ".tickets.999999999", 503, ""},
		"began ahead of the feed":         {"cursor=v1." + epoch + ".tickets.1.999999999", 503, ""},
		"began before it":                 {"cursor=v1." + epoch + ".tickets.5.4", 422, "cursor"},
		"of an earlier epoch":             {"cursor=v1.1700000000.tickets." + position, 409, ""},
		"limit 0":                         {"limit=0", 422, "limit"},
		"limit -1":                        {"limit=-1", 422, "limit"},
		"limit 10^9":                      {"limit=1000000000", 422, "limit"},
		"a limit above all numbers":       {"limit=99999999999999999999", 422, "limit"},
		"a limit that is none":            {"limit=ten", 422, "limit"},
		"a fraction":                      {"limit=1.5", 422, "limit"},
		"wait -1":                         {"wait=-1", 422, "wait"},
		"wait an hour":                    {"wait=3600", 422, "wait"},
		"wait for ever":                   {"wait=Infinity", 422, "wait"},
		"a board that is not there":       {"board=NOPE", 404, ""},
		"a board that cannot be":          {"board=%00", 404, ""},
		"a consumer that is not there":    {"consumer=nobody", 404, ""},
		"a consumer that cannot be":       {"consumer=%ff", 404, ""},
		"both a consumer and a cursor":    {"consumer=x&cursor=start", 422, "cursor"},
		"a time that is none":             {"cursor=2026-13-01T00:00:00Z", 422, "cursor"},
		"a time without a zone":           {"cursor=2026-01-01T00:00:00", 422, "cursor"},
		"the year 0":                      {"cursor=0000-01-01T00:00:00Z", 200, ""},
		"a time that is long after today": {"cursor=9999-12-31T23:59:59Z", 200, ""},
		"a time after all years":          {"cursor=9999-12-31T23:59:59-12:00", 200, ""},
	} {
		a := p.get("/feeds/tickets?" + c.query)
		if c.code == 200 {
			a.is(t, 200)
			continue
		}
		if a.code != c.code {
			t.Errorf("%s: %d, not %d: %s", rule, a.code, c.code, a.body)
			continue
		}
		a.problem(t, c.code, c.field)
		if strings.HasPrefix(c.query, "cursor") { // a stream is refused before it begins
			if s := p.get("/feeds/tickets/stream?" + c.query); s.code != c.code {
				t.Errorf("%s: the stream answers %d", rule, s.code)
			}
			value, _ := url.QueryUnescape(strings.TrimPrefix(c.query, "cursor="))
			if utf8.ValidString(value) && !strings.Contains(value, "\x00") {
				if s := p.with("Last-Event-ID", value).get("/feeds/tickets/stream?cursor=start"); s.code != c.code {
					t.Errorf("%s: with Last-Event-ID the stream answers %d", rule, s.code)
				}
			}
		}
	}
	for _, feed := range []string{"nope", "Tickets", "sequences", "ticket", "tickets'", "%ff", "%00",
		strings.Repeat("x", 9000)} {
		for _, path := range []string{"", "/stream", "/audit", "/consumers/x"} {
			p.get("/feeds/"+feed+path).problem(t, http.StatusNotFound, "")
		}
	}
	old := "v1." + epoch + ".tickets.1"
	p.feed(t, "tickets", "cursor", old)
	e.exec("UPDATE sequences SET horizon = value WHERE name = 'tickets'")
	if got := p.get("/feeds/tickets?cursor="+old).
		problem(t, http.StatusGone, ""); got.Type != "urn:counterfoil:problem:Feed.CursorExpired" {
		t.Errorf("it is %s", got.Type)
	}
	p.get("/feeds/tickets/stream?cursor="+old).problem(t, http.StatusGone, "")
	for _, query := range []string{"consumer=warehouse", "consumer=warehouse&cursor=end"} {
		p.get("/feeds/tickets/stream?"+query).problem(t, 422, "consumer")
	}
	p.feed(t, "tickets", "cursor", good) // it was in its first reading when that was purged
	m := mirror{}
	if m.read(t, p, "tickets", ""); len(m) == 0 { // the feed goes on
		t.Error("from its start it shows nothing")
	}
}

func TestLongPoll(t *testing.T) {
	t.Parallel()

	t.Run("it answers as soon as there is something", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.startFeeds()
		p := e.program()
		cursor := p.feed(t, "tickets", "cursor", "end").Cursor
		var wait sync.WaitGroup
		for range 20 {
			wait.Go(func() {
				m := mirror{}
				for at := cursor; len(m) == 0; {
					page := p.feed(t, "tickets", "cursor", at, "wait", "60")
					if len(page.Items) == 0 {
						t.Error("it gave up")
						return
					}
					for _, item := range page.Items {
						if item.Data.Title == "News" {
							m.apply(t, item)
						}
					}
					at = page.Cursor
				}
			})
		}
		p.post("/boards/DEMO/tickets", object{"title": "News"}).is(t, http.StatusCreated)
		wait.Wait()
	})

	t.Run("a reader without the right any more gets nothing of a change", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.publish()
		e.startFeeds()
		e.account("mia", "acme", accounts.Member)
		mia := &program{env: e, token: e.tokenOf("mia", "acme", "tickets:read")}
		end := mia.feed(t, "tickets", "cursor", "end").Cursor
		answered := make(chan *answer)
		go func() { answered <- mia.get("/feeds/tickets?wait=60&board=DEMO&cursor=" + end) }()
		e.waitForStreams(t, 1)
		e.ana().post(fmt.Sprintf("/acme/people/%d/removal", e.count("SELECT id FROM account WHERE name = 'mia'"))).
			is(t, http.StatusSeeOther)
		e.program().post("/boards/DEMO/tickets", object{"title": "Not for mia"}).is(t, http.StatusCreated)
		(<-answered).problem(t, http.StatusUnauthorized, "")
	})

	t.Run("a reader whose token is revoked is told so within a second", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.publish()
		e.startFeeds()
		p := e.program()
		end := p.feed(t, "tickets", "cursor", "end").Cursor
		answered := make(chan *answer)
		go func() { answered <- p.get("/feeds/tickets?wait=60&cursor=" + end) }()
		e.waitForStreams(t, 1)
		e.ana().post(fmt.Sprintf("/acme/tokens/%d/revocation", e.count("SELECT MAX(id) FROM api_token"))).
			is(t, http.StatusSeeOther)
		(<-answered).problem(t, http.StatusUnauthorized, "")
	})

	t.Run("it answers with nothing when the time is over or the server stops", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.publish()
		p := e.program()
		end := p.feed(t, "tickets", "cursor", "end").Cursor
		if page := p.feed(t, "tickets", "cursor", end, "wait", "1"); len(page.Items) != 0 || page.Cursor != end {
			t.Errorf("not an empty page: %+v", page)
		}
		answered := make(chan *answer)
		go func() { answered <- p.get("/feeds/tickets?wait=60&cursor=" + end) }()
		e.waitForStreams(t, 1)
		e.endStreams()
		(<-answered).is(t, http.StatusOK)
		a := p.get("/feeds/tickets?wait=60&cursor=" + end)
		if a.problem(t, http.StatusServiceUnavailable, ""); a.header.Get("Retry-After") == "" {
			t.Error("it does not say when to come again")
		}
		p.feed(t, "tickets", "cursor", end) // who does not wait is answered
	})
}

func TestFeedAudit(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	b := e.newBoard("MANY")
	e.fill(b, 2500, "CONCAT('Ticket ', n)")
	e.publish()
	p := e.program()
	m := mirror{}
	cursor := m.read(t, p, "tickets", "", "limit", "1000")

	if wrong := m.audit(t, p, "tickets", cursor); wrong != 0 {
		t.Fatalf("%d ranges differ for a reader who has all", wrong)
	}
	some := e.count("SELECT MAX(id) FROM ticket")
	lost := m[uint64(some)]
	delete(m, uint64(some))
	if wrong := m.audit(t, p, "tickets", cursor); wrong != 1 {
		t.Errorf("%d ranges differ for a reader who lost a row", wrong)
	}
	old := lost
	old.Position = "1"
	m[uint64(some)] = old
	if wrong := m.audit(t, p, "tickets", cursor); wrong != 1 {
		t.Errorf("%d ranges differ for a reader who has an old row", wrong)
	}
	same := lost
	same.UpdatedAt = strings.Replace(same.UpdatedAt, "T", "T1", 1)
	m[uint64(some)] = same
	if wrong := m.audit(t, p, "tickets", cursor); wrong != 1 {
		t.Errorf("%d ranges differ for a reader who has another state of a row at its position", wrong)
	}
	m[uint64(some)] = lost

	e.exec("UPDATE ticket SET title = 'Changed', feed_sync_id = NULL WHERE id = ?", some)
	if wrong := m.audit(t, p, "tickets", cursor); wrong != 0 {
		t.Errorf("%d ranges differ, though the one that changed says so", wrong)
	}
	e.publish()
	cursor = m.read(t, p, "tickets", cursor)
	if wrong := m.audit(t, p, "tickets", cursor); wrong != 0 {
		t.Errorf("%d ranges differ after reading on", wrong)
	}
	p.delete("/tickets/MANY-7").is(t, http.StatusNoContent)
	e.publish()
	ghost := mirror{}
	for id, item := range m {
		ghost[id] = item
	}
	cursor = m.read(t, p, "tickets", cursor)
	if wrong := m.audit(t, p, "tickets", cursor); wrong != 0 {
		t.Errorf("%d ranges differ after a deletion", wrong)
	}
	if wrong := ghost.audit(t, p, "tickets", cursor); wrong != 1 {
		t.Errorf("%d ranges differ for a reader who keeps what was deleted", wrong)
	}
	board := mirror{}
	at := board.read(t, p, "tickets", "", "board", "DEMO")
	if wrong := board.audit(t, p, "tickets", at, "board", "DEMO"); wrong != 0 {
		t.Errorf("%d ranges of a board differ", wrong)
	}
	for _, feed := range []string{"comments", "boards"} {
		m := mirror{}
		at := m.read(t, p, feed, "")
		if wrong := m.audit(t, p, feed, at); wrong != 0 {
			t.Errorf("%s: %d ranges differ", feed, wrong)
		}
	}
	p.get("/feeds/tickets/audit?upto=v1.5.tickets.1").problem(t, http.StatusConflict, "")
	p.get("/feeds/tickets/audit?upto=x").problem(t, 422, "upto")
	p.get("/feeds/tickets/audit?after=-1").problem(t, 422, "after")
	e.account("sam", "rivals", accounts.Owner)
	sam := &program{env: e, token: e.tokenOf("sam", "rivals", accounts.Scopes...)}
	var empty struct{ Ranges []any }
	if sam.get("/feeds/tickets/audit").is(t, 200).read(t, &empty); len(empty.Ranges) != 0 {
		t.Errorf("a stranger sees %v", empty.Ranges)
	}
}

// audit returns how many ranges with nothing pending differ from the reader's copy.
func (m mirror) audit(t testing.TB, p *program, feed, upto string, pairs ...string) (wrong int) {
	t.Helper()
	seen := 0
	for after := ""; ; {
		var audit struct {
			Ranges []struct {
				From, To, Pending uint64
				Count             int
				Checksum          string
				ChecksumV2        string `json:"checksum_v2"`
			}
			Next *string
		}
		p.get("/feeds/"+feed+"/audit?"+form(append(pairs, "upto", upto, "after", after)...).Encode()).is(t, http.StatusOK).
			read(t, &audit)
		for _, r := range audit.Ranges {
			n, sum, second := 0, uint64(0), uint64(0)
			for id, item := range m {
				if id >= r.From && id <= r.To {
					digest := sha256.Sum256(fmt.Appendf(nil, "%d:%s", id, item.Position))
					sum += binary.BigEndian.Uint64(digest[:8])
					digest = sha256.Sum256(fmt.Appendf(nil, "%d:%s:%d:%s", id, item.Position, item.Version, item.UpdatedAt))
					second += binary.BigEndian.Uint64(digest[:8])
					n++
				}
			}
			seen += n
			if r.Pending == 0 && (r.Count != n || r.Checksum != fmt.Sprintf("%016x", sum) ||
				r.ChecksumV2 != fmt.Sprintf("%016x", second)) {
				wrong++
			}
		}
		if audit.Next == nil {
			break
		}
		after = *audit.Next
	}
	if seen != len(m) {
		t.Errorf("the audit is about %d rows, the reader has %d", seen, len(m))
	}
	return wrong
}

// consumer is a consumer as the API shows it.
type consumer struct {
	Feed, Name, Cursor, State string
	Paused                    bool
	LagRows                   uint64  `json:"lag_rows"`
	LagSeconds                float64 `json:"lag_seconds"`
}

func TestConsumersAreBounded(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("sam", "rivals", accounts.Owner)
	sam := &program{env: e, token: e.tokenOf("sam", "rivals", accounts.Scopes...)}
	for i := range 100 {
		sam.post("/feeds/"+[]string{"tickets", "boards"}[i%2]+"/consumers", object{"name": fmt.Sprint(i)}).
			is(t, http.StatusCreated)
	}
	sam.post("/feeds/tickets/consumers", object{"name": "one-more"}).problem(t, http.StatusConflict, "")
	e.program().post("/feeds/tickets/consumers", object{"name": "warehouse"}).is(t, http.StatusCreated)
	sam.call("DELETE", "/feeds/tickets/consumers/0", nil).is(t, http.StatusNoContent)
	sam.post("/feeds/tickets/consumers", object{"name": "one-more"}).is(t, http.StatusCreated)
}

func TestConsumers(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	b := e.newBoard("NINJA")
	e.newTickets("NINJA", b.Columns[0].ID, "One", "Two", "Three")
	e.publish()
	p := e.program()
	get := func(name string) (c consumer) {
		p.get("/feeds/tickets/consumers/"+name).is(t, 200).read(t, &c)
		return c
	}
	move := func(name string, body object) *answer {
		return p.call("PUT", "/feeds/tickets/consumers/"+name+"/cursor", body)
	}

	var made consumer
	p.post("/feeds/tickets/consumers", object{"name": "warehouse"}).is(t, 201).read(t, &made)
	if made.State != "ok" || made.LagRows == 0 || made.Feed != "tickets" {
		t.Errorf("a new one is %+v", made)
	}
	p.post("/feeds/tickets/consumers", object{"name": "warehouse"}).problem(t, 409, "name")
	for _, bad := range []string{"", " ", ".x", "a b", "a/b", "ä", strings.Repeat("x", 81), "x\n"} {
		p.post("/feeds/tickets/consumers", object{"name": bad}).problem(t, 422, "name")
	}
	for _, bad := range []string{"x", "v1.1.tickets", "Start", "tomorrow"} {
		p.post("/feeds/tickets/consumers", object{"name": "other", "from": bad}).problem(t, 422, "from")
	}
	p.post("/feeds/tickets/consumers", object{"name": "other", "from": "v1.1.tickets.1"}).problem(t, 409, "")

	page := p.feed(t, "tickets", "consumer", "warehouse", "limit", "2")
	if len(page.Items) != 2 || page.From != made.Cursor || !page.More {
		t.Fatalf("its first page is %+v", page)
	}
	if again := p.feed(t, "tickets", "consumer", "warehouse", "limit", "2"); again.Cursor != page.Cursor {
		t.Error("reading has moved it")
	}

	// Of many that did the same work, one moves the cursor, and the others get its position.
	results := make(chan *answer)
	for range 8 {
		go func() { results <- move("warehouse", object{"from": page.From, "to": page.Cursor}) }()
	}
	won := 0
	for range 8 {
		switch a := <-results; a.code {
		case 200:
			won++
		default:
			problem := a.problem(t, 409, "")
			var current consumer
			if err := json.Unmarshal(*problem.Current, &current); err != nil || current.Cursor != page.Cursor {
				t.Errorf("the others are told %s", *problem.Current)
			}
		}
	}
	if won != 1 {
		t.Errorf("%d have moved it", won)
	}
	move("warehouse", object{"from": page.Cursor, "to": page.From}).problem(t, 422, "to")
	move("warehouse", object{"from": page.Cursor, "to": "end"}).problem(t, 422, "to")
	move("warehouse", object{"from": page.Cursor}).problem(t, 422, "to")
	move("nobody", object{"to": "end"}).problem(t, 404, "")

	move("warehouse", object{"to": "end"}).is(t, 200)
	if c := get("warehouse"); c.LagRows != 0 || c.LagSeconds != 0 {
		t.Errorf("at the end it is behind: %+v", c)
	}
	before := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	move("warehouse", object{"to": before}).is(t, 200)
	if again := p.feed(t, "tickets", "consumer", "warehouse", "limit", "1000"); len(again.Items) < 3 {
		t.Errorf("from an hour ago it reads %d items", len(again.Items))
	}
	move("warehouse", object{"to": time.Now().UTC().Format(time.RFC3339Nano)}).is(t, 200)
	if again := p.feed(t, "tickets", "consumer", "warehouse", "limit", "1000"); len(again.Items) == 0 {
		t.Error("what was stamped a moment before a time may not have been seen by then, and is left out")
	}
	move("warehouse", object{"to": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}).is(t, 200)
	if c := get("warehouse"); c.LagRows != 0 {
		t.Errorf("from the future it is behind: %+v", c)
	}

	move("warehouse", object{"to": "start"}).is(t, 200)
	p.call("PUT", "/feeds/tickets/consumers/warehouse/pause", nil).is(t, 200)
	if page := p.feed(t, "tickets", "consumer", "warehouse"); len(page.Items) != 0 || get("warehouse").State != "paused" {
		t.Error("a paused one gets something")
	}
	p.delete("/feeds/tickets/consumers/warehouse/pause").is(t, 200)
	if page := p.feed(t, "tickets", "consumer", "warehouse"); len(page.Items) == 0 {
		t.Error("one that goes on gets nothing")
	}

	e.exec("UPDATE feed_consumer SET position = 1, began = 0")
	e.exec("UPDATE sequences SET horizon = 2")
	if c := get("warehouse"); c.State != "behind the horizon" {
		t.Errorf("behind the horizon it is %+v", c)
	}
	p.get("/feeds/tickets?consumer=warehouse").problem(t, 410, "")
	e.exec("UPDATE sequences SET epoch = epoch + 1")
	if c := get("warehouse"); c.State != "of an earlier epoch" || c.LagRows == 0 || c.LagSeconds == 0 {
		t.Errorf("after a restore it is %+v", c)
	}
	p.get("/feeds/tickets?consumer=warehouse").problem(t, 409, "")
	move("warehouse", object{"to": "start"}).is(t, 200) // which is how it goes on
	p.feed(t, "tickets", "consumer", "warehouse")

	p.delete("/feeds/tickets/consumers/warehouse").is(t, 204)
	p.get("/feeds/tickets/consumers/warehouse").problem(t, 404, "")
}

// endStreams does what a stop of the server does.
func (e *env) endStreams() { e.handler.EndStreams() }

// waitForStreams returns when n streams are open.
func (e *env) waitForStreams(t testing.TB, n int) {
	t.Helper()
	domaintest.Until(t, fmt.Sprintf("%d answers go on", n), func() bool { return e.handler.OpenStreams() == n },
		func() string { return fmt.Sprintf("%d do", e.handler.OpenStreams()) })
}

func TestRepublish(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.publish()
	p := e.program()
	m := mirror{}
	cursor := m.read(t, p, "tickets", "")
	first := e.count("SELECT MIN(id) FROM ticket")
	var done struct{ Rows int64 }
	p.post("/feeds/tickets/republish", object{"ids": []int64{first, 999999}}).is(t, 200).read(t, &done)
	e.publish()
	if page := p.feed(t, "tickets", "cursor", cursor); done.Rows != 1 || len(page.Items) != 1 ||
		page.Items[0].ID != uint64(first) {
		t.Errorf("%d rows, then %+v", done.Rows, page.Items)
	}
	p.delete("/tickets/DEMO-2").is(t, http.StatusNoContent)
	p.post("/feeds/tickets/republish", json.RawMessage(fmt.Sprintf(`{"ids":[%d,"DEMO-1","demo\u002d2"]}`, first))).
		is(t, 200).read(t, &done)
	if done.Rows != 2 {
		t.Errorf("%d rows by an id and two keys, one of them of the same ticket", done.Rows)
	}
	if a := p.post("/feeds/tickets/republish", object{"ids": []any{first, "DEMO-999"}}); !strings.Contains(a.body,
		"DEMO-999") {
		t.Errorf("%s does not name the key", a.body)
	} else {
		a.problem(t, 422, "ids")
	}
	for _, bad := range []any{0, -1, 1.5, true, nil, "DEMO", "DEMO-1 DEMO-2", []int{1}, object{}} {
		p.post("/feeds/tickets/republish", object{"ids": []any{bad}}).problem(t, 422, "ids")
	}
	p.post("/feeds/boards/republish", object{"ids": []any{"DEMO-1"}}).problem(t, 422, "ids")
	asked := p.post("/feeds/tickets/republish", object{"board": "DEMO"}).is(t, http.StatusAccepted)
	if again := p.post("/feeds/tickets/republish", object{"board": "demo"}).
		is(t, http.StatusAccepted); again.body != asked.body {
		t.Errorf("%s, and before %s", again.body, asked.body)
	}
	for _, bad := range []object{{}, {"ids": []int{1}, "all": true}, {"ids": make([]int, 1001)}} {
		if a := p.post("/feeds/tickets/republish", bad); a.code != 422 {
			t.Errorf("%d: %s", a.code, a.body)
		}
	}
	p.post("/feeds/tickets/republish", object{"board": "NOPE"}).problem(t, 404, "")
	p.post("/feeds/nope/republish", object{"ids": []int{1}}).problem(t, 404, "")
	member := &program{env: e, token: e.tokenOf("ana", "acme", "tickets:read", "tickets:write")}
	member.post("/feeds/tickets/republish", object{"all": true}).problem(t, http.StatusForbidden, "")
}
