package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/feedclient"
)

// replica is a copy of a feed that Follow's handler makes.
type replica struct {
	mu      sync.Mutex
	rows    map[uint64]string
	gone    map[uint64]string // reasons of deletions
	changed chan struct{}     // closed and replaced with each change
	calls   int
	fail    func() error
}

func newReplica() *replica {
	return &replica{rows: map[uint64]string{}, gone: map[uint64]string{}, changed: make(chan struct{})}
}

func (r *replica) apply(_ context.Context, item feedclient.Item) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	if r.fail != nil {
		if err := r.fail(); err != nil {
			return err
		}
	}
	if item.Deleted {
		delete(r.rows, item.ID)
		r.gone[item.ID] = item.Reason
	} else {
		r.rows[item.ID] = string(item.Data)
	}
	close(r.changed)
	r.changed = make(chan struct{})
	return nil
}

// becomes waits until the replica is as it should be.
func (r *replica) becomes(t *testing.T, what string, good func() bool) {
	t.Helper()
	late := time.After(3 * time.Minute)
	for {
		r.mu.Lock()
		done, changed := good(), r.changed
		r.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-late:
			r.mu.Lock()
			defer r.mu.Unlock()
			t.Fatalf("%s: not after three minutes; it has %q, gone %v", what, r.titles(), r.gone)
		}
	}
}

// followed runs Follow until the returned function is called, which fails the test if Follow ended by itself.
func followed(t *testing.T, c *feedclient.Client, o feedclient.Options, r *replica) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Follow(ctx, o, r.apply) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Follow ended with %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// readAll follows a feed until its store is at the end.
func (s *served) readAll(o feedclient.Options) *replica {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	r := newReplica()
	o.Store = &untilWhole{Store: o.Store, whole: cancel}
	if err := s.feed.Follow(ctx, o, r.apply); !errors.Is(err, context.Canceled) {
		s.t.Fatal(err)
	}
	return r
}

// untilWhole calls whole once the end of the feed is saved.
type untilWhole struct {
	feedclient.Store
	whole func()
}

func (u *untilWhole) Save(ctx context.Context, place feedclient.Place, marks []feedclient.Mark) error {
	err := u.Store.Save(ctx, place, marks)
	if place.Whole {
		u.whole()
	}
	return err
}

// everything is the feed read page by page from its start, once all is published.
func everything(t *testing.T, c *feedclient.Client, feed string) map[uint64]string {
	t.Helper()
	rows, cursor := map[uint64]string{}, ""
	for {
		page := domaintest.OK(c.Page(t.Context(), feedclient.Query{Feed: feed, Cursor: cursor, Limit: 3}))(t)
		for _, item := range page.Items {
			if !item.Deleted {
				rows[item.ID] = string(item.Data)
			}
		}
		if cursor = page.Cursor; !page.More {
			return rows
		}
	}
}

// served is an install with a server, and clients that stay the same when it is restarted.
type served struct {
	*install
	t    *testing.T
	mu   sync.Mutex
	host string
	api  *client
	feed *feedclient.Client
}

func newServed(t *testing.T) *served {
	t.Helper()
	s := &served{install: onURL(t, dbtest.URL(t)), t: t}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		s.mu.Lock()
		host := s.host
		s.mu.Unlock()
		return (&net.Dialer{}).DialContext(ctx, network, host)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	s.api = newClient(s.install)
	s.api.http.Transport = transport
	s.feed = &feedclient.Client{URL: "http://counterfoil.test", Token: s.token, HTTP: &http.Client{Transport: transport}}
	s.again()
	return s
}

// again restarts the server.
func (s *served) again() *process {
	s.t.Helper()
	p := s.serve(s.t)
	s.mu.Lock()
	s.host = strings.TrimPrefix(p.url, "http://")
	s.mu.Unlock()
	return p
}

func (s *served) ask(method, path string, in any, want int) (out map[string]any) {
	s.t.Helper()
	response, err := s.api.call(method, s.feed.URL+"/api/v1"+path, "", in, &out)
	if response == nil || response.StatusCode != want {
		s.t.Fatalf("%s %s: %v, %v", method, path, response, err)
	}
	return out
}

func (s *served) ticket(board, title string) string {
	s.t.Helper()
	return s.ask("POST", "/boards/"+board+"/tickets", map[string]any{"title": title}, http.StatusCreated)["key"].(string)
}

func (s *served) retitle(key, title string) {
	s.t.Helper()
	version := s.ask("GET", "/tickets/"+key, nil, http.StatusOK)["version"]
	s.ask("PATCH", "/tickets/"+key, map[string]any{"title": title, "version": version}, http.StatusOK)
}

func (s *served) remove(key string) {
	s.t.Helper()
	response, err := s.api.call("DELETE", s.feed.URL+"/api/v1/tickets/"+key, "", nil, nil)
	if response == nil || response.StatusCode != http.StatusNoContent {
		s.t.Fatalf("delete %s: %v, %v", key, response, err)
	}
}

// caughtUp waits until the cursor of a consumer of tickets is at the end.
func (s *served) caughtUp(name string) {
	s.t.Helper()
	domaintest.Until(s.t, name+" is at the end", func() bool {
		consumer := domaintest.OK(s.feed.Consumer(s.t.Context(), "tickets", name))(s.t)
		return consumer.State == "ok" && consumer.LagRows == 0
	})
}

// titles are those of the rows, without setup's practice board.
func (r *replica) titles() (list []string) {
	for _, data := range r.rows {
		var row struct{ Title, Board string }
		if err := json.Unmarshal([]byte(data), &row); err != nil || row.Board == "DEMO" {
			continue
		}
		list = append(list, row.Title)
	}
	slices.Sort(list)
	return list
}

// shows reports whether the replica has exactly these titles.
func (r *replica) shows(titles ...string) bool {
	slices.Sort(titles)
	return slices.Equal(r.titles(), titles)
}

func TestFollow(t *testing.T) {
	t.Parallel()
	s := newServed(t)
	s.api.board(t, s.feed.URL, "NINJA")
	s.api.board(t, s.feed.URL, "OTHER")
	first := s.ticket("NINJA", "one")

	t.Run("however it is read, a reader has what the feed shows, also where the server ends in between", func(t *testing.T) {
		domaintest.OK(s.feed.Register(t.Context(), "tickets", "mirror", "start"))(t)
		var all []*replica
		for _, o := range []feedclient.Options{
			{Mode: feedclient.LongPoll}, {Mode: feedclient.Stream},
			{Mode: feedclient.Poll, Every: 50 * time.Millisecond, Limit: 2}, {Consumer: "mirror", Limit: 1},
		} {
			o.Feed = "tickets"
			var err error
			if o.Store, err = feedclient.OpenFile(filepath.Join(t.TempDir(), "store")); err != nil {
				t.Fatal(err)
			}
			r := newReplica()
			followed(t, s.feed, o, r)
			all = append(all, r)
		}
		soon := func(what string, good func(r *replica) bool) {
			t.Helper()
			for i, r := range all {
				r.becomes(t, fmt.Sprintf("%s, reader %d", what, i), func() bool { return good(r) })
			}
		}
		shown := []string{}
		for i := range 3 {
			title := fmt.Sprintf("more %d", i)
			s.ticket("NINJA", title)
			shown = append(shown, title)
		}
		s.retitle(first, "one, changed")
		gone := s.ticket("OTHER", "not for long")
		soon("opened and changed",
			func(r *replica) bool { return r.shows(append(slices.Clone(shown), "one, changed", "not for long")...) })
		s.remove(gone)
		soon("deleted", func(r *replica) bool { return r.shows(append(slices.Clone(shown), "one, changed")...) })

		s.again() // the first runs until the test ends, but its answers are not used any more
		s.retitle(first, "one, again")
		soon("changed by another server",
			func(r *replica) bool { return r.shows(append(slices.Clone(shown), "one, again")...) })
		want := everything(t, s.feed, "tickets")
		soon("as the feed shows it", func(r *replica) bool { return maps.Equal(r.rows, want) })
		s.caughtUp("mirror")
	})

	t.Run("an audit proves that a reader has lost nothing, and finds what it has lost", func(t *testing.T) {
		for _, o := range []feedclient.Options{{Feed: "tickets"}, {Feed: "tickets", Board: "NINJA"}, {Feed: "boards"}} {
			store := &feedclient.Memory{}
			o.Store = store
			read := s.readAll(o)
			proof, err := s.feed.Prove(t.Context(), store)
			if err != nil || !proof.Whole() || proof.Rows == 0 || proof.Rows != len(read.rows) {
				t.Fatalf("%+v: %+v, %v; it has %d rows", o, proof, err, len(read.rows))
			}
			place, err := store.Place(t.Context())
			domaintest.Must(t, err)
			some := slices.Min(slices.Collect(maps.Keys(read.rows)))
			marks, err := store.Marks(t.Context(), []uint64{some})
			domaintest.Must(t, err)
			save := func(mark feedclient.Mark) {
				t.Helper()
				domaintest.Must(t, store.Save(t.Context(), place, []feedclient.Mark{mark}))
			}
			for what, mark := range map[string]feedclient.Mark{
				"a row that was lost":              {ID: some, Gone: true},
				"a change that was lost":           {ID: some, Round: place.Round, Position: marks[some].Position - 1},
				"a row that was not handed over":   {ID: some, Round: place.Round},
				"a deletion that was lost":         {ID: 999, Round: place.Round, Position: 1},
				"a row where the feed has no rows": {ID: 5_000_000, Round: place.Round, Position: 1},
			} {
				save(mark)
				if proof, err := s.feed.Prove(t.Context(), store); err != nil || proof.Whole() {
					t.Errorf("%s is not found: %+v, %v", what, proof, err)
				}
				save(feedclient.Mark{ID: mark.ID, Gone: true})
				save(marks[some])
			}
			if proof, err := s.feed.Prove(t.Context(), store); err != nil || !proof.Whole() {
				t.Errorf("with all put back: %+v, %v", proof, err)
			}
		}
		if _, err := s.feed.Prove(t.Context(), &feedclient.Memory{}); err == nil {
			t.Error("a store that has read nothing proves something")
		}
	})

	t.Run("a reader of one board is told of a ticket that leaves it", func(t *testing.T) {
		key := s.ticket("OTHER", "wanders")
		r := newReplica()
		followed(t, s.feed, feedclient.Options{Feed: "tickets", Board: "OTHER", Mode: feedclient.Stream}, r)
		r.becomes(t, "shown", func() bool { return r.shows("wanders") })
		board := s.ask("GET", "/boards/NINJA", nil, http.StatusOK)
		column := board["columns"].([]any)[0].(map[string]any)["id"]
		s.ask("POST", "/tickets/"+key+"/position", map[string]any{"board": "NINJA", "column": column}, http.StatusOK)
		r.becomes(t, "left", func() bool { return len(r.rows) == 0 })
		r.mu.Lock()
		defer r.mu.Unlock()
		left := slices.Collect(maps.Values(r.gone))
		slices.Sort(left)
		if !slices.Equal(left, []string{"", feedclient.LeftFilter}) { // another was deleted
			t.Errorf("rows left for the reasons %q", left)
		}
	})

	t.Run("an item that a killed program had not saved comes again, a saved one does not", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "store")
		open := func() feedclient.Options {
			store := domaintest.OK(feedclient.OpenFile(path))(t)
			return feedclient.Options{Feed: "tickets", Store: store, Limit: 2}
		}
		all := domaintest.OK(s.feed.Page(t.Context(), feedclient.Query{Feed: "tickets"}))(t)
		want := everything(t, s.feed, "tickets")
		crash := errors.New("killed")
		r := newReplica()
		r.fail = func() error {
			if r.calls == 4 {
				return crash
			}
			return nil
		}
		if err := s.feed.Follow(t.Context(), open(), r.apply); !errors.Is(err, crash) {
			t.Fatalf("Follow ended with %v, not with the handler's error", err)
		}
		r.fail, r.calls = nil, 0
		stop := followed(t, s.feed, open(), r)
		r.becomes(t, "the rest came", func() bool { return r.calls == len(all.Items)-2 && maps.Equal(r.rows, want) })
		stop()
		stop = followed(t, s.feed, open(), r)
		s.retitle(first, "one, at last")
		r.becomes(t, "the change came", func() bool { return slices.Contains(r.titles(), "one, at last") })
		stop()
		if r.calls != len(all.Items)-2+1 {
			t.Errorf("%d came behind the two that were saved, of %d and one change", r.calls, len(all.Items)-2)
		}
	})

	t.Run("a final refusal of the server ends it", func(t *testing.T) {
		var refused *feedclient.Error
		stranger := *s.feed
		stranger.Token = "cfl_wrong"
		if err := stranger.Follow(t.Context(), feedclient.Options{Feed: "tickets"}, newReplica().apply); !errors.As(err,
			&refused) || refused.Status != http.StatusUnauthorized {
			t.Errorf("a wrong token: %v", err)
		}
		if err := s.feed.Follow(t.Context(), feedclient.Options{Feed: "nothing"}, newReplica().apply); !errors.As(err,
			&refused) || refused.Status != http.StatusNotFound || refused.Detail == "" {
			t.Errorf("no such feed: %v", err)
		}
		if err := s.feed.Stream(t.Context(), feedclient.Query{Feed: "tickets", Cursor: "v1.1.tickets.5"},
			nil); !errors.As(err, &refused) || !refused.StartOver() {
			t.Errorf("a stream from before: %v", err)
		}
	})

	t.Run("a name that is taken and a consumer that moved are no reasons to start over", func(t *testing.T) {
		domaintest.OK(s.feed.Register(t.Context(), "tickets", "taken", "start"))(t)
		_, taken := s.feed.Register(t.Context(), "tickets", "taken", "start")
		page := domaintest.OK(s.feed.Page(t.Context(), feedclient.Query{Feed: "tickets", Consumer: "taken", Limit: 1}))(t)
		domaintest.OK(s.feed.Advance(t.Context(), "tickets", "taken", page.From, page.Cursor))(t)
		_, moved := s.feed.Advance(t.Context(), "tickets", "taken", page.From, page.Cursor)
		for name, err := range map[string]error{"Consumer.NameConflict": taken, "Consumer.MovedSince": moved} {
			var refused *feedclient.Error
			if !errors.As(err, &refused) || refused.Status != http.StatusConflict ||
				refused.Type != "urn:counterfoil:problem:"+name || refused.StartOver() {
				t.Errorf("%s: %v, %+v", name, err, refused)
			}
		}
	})
}

func TestFollowStartsOver(t *testing.T) {
	t.Parallel()
	s := newServed(t)
	s.api.board(t, s.feed.URL, "NINJA")
	s.ticket("NINJA", "one")
	second := s.ticket("NINJA", "two")
	_, _, d := s.operator(t)
	domaintest.OK(s.feed.Register(t.Context(), "tickets", "mirror", "start"))(t)
	const ghost = 999_999
	title, n := "two", 0
	for name, change := range map[string]string{
		"the database was replaced":           "UPDATE sequences SET epoch = epoch + 1",
		"the cursor is behind the horizon":    "UPDATE sequences SET horizon = value",
		"a copy that stood before takes over": "UPDATE sequences SET epoch = epoch + 1, value = value + 1000",
	} {
		for _, o := range []feedclient.Options{{Mode: feedclient.LongPoll}, {Mode: feedclient.Stream}, {Consumer: "mirror"}} {
			t.Run(fmt.Sprintf("%s, mode %d %s", name, o.Mode, o.Consumer), func(t *testing.T) {
				store := &feedclient.Memory{}
				o.Feed, o.Store = "tickets", store
				if o.Consumer != "" {
					domaintest.OK(s.feed.Seek(t.Context(), "tickets", "mirror", "start"))(t)
				}
				r := newReplica()
				stop := followed(t, s.feed, o, r)
				r.becomes(t, "read", func() bool { return r.shows("one", title) })
				if o.Consumer != "" {
					s.caughtUp(o.Consumer)
				}
				stop()
				place := domaintest.OK(store.Place(t.Context()))(t)
				domaintest.Must(t, store.Save(t.Context(), place, []feedclient.Mark{{ID: ghost, Round: place.Round, Position: 1}}))
				r.rows[ghost] = `{"title":"a ghost"}`

				n++
				title = fmt.Sprintf("two, change %d", n)
				s.retitle(second, title)
				if page, err := s.feed.Page(t.Context(), feedclient.Query{Feed: "tickets", Cursor: place.Cursor,
					Wait: 30 * time.Second}); err != nil || len(page.Items) != 1 {
					t.Fatalf("%+v, %v", page, err)
				}
				domaintest.Exec(t, d, change)
				followed(t, s.feed, o, r)
				r.becomes(t, "what the feed does not show is dropped",
					func() bool { return r.gone[ghost] == feedclient.Swept && r.shows("one", title) })
			})
		}
	}
}

// TestFollowIsKilledAtTheStart kills a reader in its first pages: it reads them again, from the start. A row that it
// had handed over before, and that was removed meanwhile, must not stay for ever.
func TestFollowIsKilledAtTheStart(t *testing.T) {
	t.Parallel()
	s := newServed(t)
	s.api.board(t, s.feed.URL, "NINJA")
	s.ticket("NINJA", "one")
	s.ticket("NINJA", "two")
	all := newReplica() // a first page without rows hands none over that could be removed
	stop := followed(t, s.feed, feedclient.Options{Feed: "tickets"}, all)
	all.becomes(t, "the tickets are published", func() bool { return all.shows("one", "two") })
	stop()
	const removed = 999_999
	for name, c := range map[string]struct {
		consumer string
		saved    bool
	}{
		"before its first page is saved":             {"", false},
		"a consumer, before its first page is saved": {"early", false},
		"a consumer, before it advances":             {"late", true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.consumer != "" {
				domaintest.OK(s.feed.Register(t.Context(), "tickets", c.consumer, "start"))(t)
			}
			store, killed := &feedclient.Memory{}, errors.New("killed")
			o := feedclient.Options{Feed: "tickets", Consumer: c.consumer, Limit: 1,
				Store: &killedStore{store, c.saved, killed}}
			r := newReplica()
			if err := s.feed.Follow(t.Context(), o, r.apply); !errors.Is(err, killed) {
				t.Fatalf("Follow ended with %v", err)
			}
			place := domaintest.OK(store.Place(t.Context()))(t)
			domaintest.Must(t, store.Save(t.Context(), place, []feedclient.Mark{{ID: removed, Round: place.Round, Position: 1}}))
			o.Store = store
			followed(t, s.feed, o, r)
			r.becomes(t, "what was removed is dropped", func() bool {
				return r.gone[removed] == feedclient.Swept && r.shows("one", "two")
			})
		})
	}
}

// killedStore ends its reader at the save of its first page, or just after it.
type killedStore struct {
	feedclient.Store
	saved bool
	err   error
}

func (k *killedStore) Save(ctx context.Context, place feedclient.Place, marks []feedclient.Mark) error {
	if place.Cursor != "" && !k.saved {
		return k.err
	}
	err := k.Store.Save(ctx, place, marks)
	if place.Cursor != "" {
		return errors.Join(err, k.err)
	}
	return err
}
