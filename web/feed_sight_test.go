package web_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/feedclient"
)

// copied is a copy of a feed as a reader makes it.
type copied struct {
	mu    sync.Mutex
	rows  map[uint64]string
	store feedclient.Memory
}

func (c *copied) apply(_ context.Context, item feedclient.Item) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if item.ID == 0 {
		return fmt.Errorf("an item without a row: %+v", item)
	}
	if item.Deleted {
		delete(c.rows, item.ID)
	} else {
		c.rows[item.ID] = string(item.Data)
	}
	return nil
}

func (c *copied) has(word string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, data := range c.rows {
		if strings.Contains(data, word) {
			return true
		}
	}
	return false
}

// follows has a member follow a feed to the end of the test.
func (e *env) follows(t *testing.T, server *httptest.Server, token, feed string, mode feedclient.Mode) *copied {
	t.Helper()
	c := &copied{rows: map[uint64]string{}}
	client := &feedclient.Client{URL: server.URL, Token: token}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- client.Follow(ctx, feedclient.Options{Feed: feed, Store: &c.store, Limit: 3, Mode: mode,
			Every: 20 * time.Millisecond}, c.apply)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", feed, err)
		}
	})
	return c
}

// proves reports whether a copy is what its reader sees, by the audit of the feed.
func proves(t *testing.T, server *httptest.Server, token string, c *copied) bool {
	t.Helper()
	proof, err := (&feedclient.Client{URL: server.URL, Token: token}).Prove(t.Context(), &c.store)
	return err == nil && proof.Whole()
}

// A reader of feeds that gets to see a board has its rows, and one that loses it has none of them.
func TestFeedsFollowSight(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	e.startFeeds()
	server := httptest.NewServer(e.handler)
	t.Cleanup(server.Close)
	for _, slug := range []string{"HIDE", "OPEN"} {
		e.newBoard(slug)
		for n := range 5 {
			e.program().post("/boards/"+slug+"/tickets", object{"title": fmt.Sprintf("word%s%d", slug, n)}).is(t, 201)
			e.program().post(fmt.Sprintf("/tickets/%s-%d/comments", slug, n+1), object{"body": "word" + slug}).is(t, 201)
		}
	}
	token := e.tokenOf("mia", "acme", "tickets:read", "boards:read")
	copies := map[string]*copied{}
	for i, feed := range []string{"tickets", "comments", "boards"} {
		copies[feed] = e.follows(t, server, token, feed, feedclient.Mode(i))
	}
	words := map[string]string{"tickets": "wordHIDE", "comments": "wordHIDE", "boards": `"HIDE"`}
	settle := func(what string, sees bool) {
		t.Helper()
		for feed, c := range copies {
			domaintest.Until(t, what+": "+feed, func() bool { return c.has(words[feed]) == sees })
			domaintest.Until(t, what+": the proof of "+feed, func() bool { return proves(t, server, token, c) })
		}
	}
	settle("an open board is read", true)
	ana := e.ana()
	ana.post("/acme/boards/HIDE/privacy", "private", "yes").is(t, 303)
	settle("a board that gets private is dropped", false)
	e.program().post("/boards/HIDE/tickets", object{"title": "wordHIDE later"}).is(t, 201)
	e.program().delete("/tickets/HIDE-2").is(t, 204)
	ana.post("/acme/boards/HIDE/members", "name", "@mia", "role", "viewer").is(t, 303)
	settle("one that names the reader is read", true)
	if !copies["tickets"].has("wordHIDE later") || copies["tickets"].has("wordHIDE1") {
		t.Errorf("it has %v", copies["tickets"].rows)
	}
	ana.post("/acme/boards/HIDE/privacy", "private", "no").is(t, 303)
	settle("one that is opened stays", true)
}

// TestFeedsFollowSightAtRandom changes rights, boards and tickets while readers follow: at rest each has what it sees.
func TestFeedsFollowSightAtRandom(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	e.startFeeds()
	server := httptest.NewServer(e.handler)
	t.Cleanup(server.Close)
	slugs := []string{"ONE", "TWO", "TRE"}
	var keys []string
	columns := map[string]uint64{}
	for _, slug := range slugs {
		e.newBoard(slug)
		var board struct{ Columns []struct{ ID uint64 } }
		e.program().get("/boards/"+slug).read(t, &board)
		columns[slug] = board.Columns[0].ID
		for range 4 {
			var opened struct{ Key string }
			e.program().post("/boards/"+slug+"/tickets", object{"title": "A"}).is(t, 201).read(t, &opened)
			e.program().post("/tickets/"+opened.Key+"/comments", object{"body": "B"}).is(t, 201)
			keys = append(keys, opened.Key)
		}
	}
	type follower struct {
		who, token, feed string
		copy             *copied
	}
	var followers []follower
	for i, who := range []string{"mia", "adam", "vera"} {
		token := e.tokenOf(who, "acme", "tickets:read", "boards:read")
		for j, feed := range []string{"tickets", "comments", "boards"} {
			followers = append(followers, follower{who, token, feed,
				e.follows(t, server, token, feed, feedclient.Mode((i+j)%3))})
		}
	}
	seed := rand.Uint64()
	t.Logf("the seed is %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	ana := e.ana()
	pilots := e.count("SELECT id FROM people_group WHERE name = 'Pilots'")
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	for range 6 {
		for range 1 + random.IntN(10) {
			slug, key := pick(slugs...), pick(keys...)
			switch random.IntN(9) {
			case 0:
				ana.post("/acme/boards/"+slug+"/privacy", "private", pick("yes", "yes", "no"))
			case 1, 2:
				ana.post("/acme/boards/"+slug+"/members", "name", pick("@mia", "@adam", "@vera"), "role", pick("viewer", "member"))
			case 3:
				ana.post(fmt.Sprintf("/acme/boards/%s/members/account/%d/removal", slug, e.count("SELECT id FROM account WHERE name = ?", pick("mia", "adam", "vera"))))
			case 4:
				e.program().post("/tickets/"+key+"/position", object{"board": slug, "column": columns[slug], "after": nil})
			case 5:
				e.program().post("/tickets/"+key+"/comments", object{"body": "C"})
			case 6:
				e.program().post("/boards/"+slug+"/tickets", object{"title": "D"})
			case 7:
				ana.post("/acme/boards/"+slug+"/members", "name", "Pilots", "role", "member")
			case 8:
				group := fmt.Sprintf("/acme/groups/%d/members", pilots)
				if random.IntN(2) == 0 {
					group += fmt.Sprintf("/%d/removal", e.count("SELECT id FROM account WHERE name = ?", "mia"))
				}
				ana.post(group, "handle", "@mia")
			}
		}
		for _, f := range followers {
			domaintest.Until(t, f.who+" has "+f.feed+" as they are", func() bool { return proves(t, server, f.token, f.copy) })
		}
	}
}

// A snapshot of a board that is out of sight is that of a board that does not exist.
func TestFeedSnapshot(t *testing.T) {
	t.Parallel()
	e := newEnvWithPrivateBoard(t)
	e.startFeeds()
	program := &program{env: e, token: e.tokenOf("mia", "acme", accounts.Scopes...)}
	for _, feed := range []string{"tickets", "comments", "boards"} {
		hidden := program.get("/feeds/"+feed+"/snapshot?board=HIDE").is(t, 404)
		if missing := program.get("/feeds/"+feed+"/snapshot?board=NONE").is(t, 404); sameFor(hidden, "HIDE") != sameFor(missing, "NONE") {
			t.Errorf("%s: hidden\n%s\nmissing\n%s", feed, hidden.body, missing.body)
		}
		program.get("/feeds/"+feed+"/snapshot").is(t, 404)
		program.get("/feeds/"+feed+"/snapshot?board=DEMO&limit=0").is(t, 422)
		program.get("/feeds/"+feed+"/snapshot?board=DEMO&after=there").is(t, 422)
	}
	program.get("/feeds/nothing/snapshot?board=DEMO").is(t, 404)
}
