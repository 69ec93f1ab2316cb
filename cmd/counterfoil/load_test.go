package main

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
)

// each is the number of tickets that a writer opens: few in `make test`, as many as the original load test in `make
// soak`.
func each() int {
	if soak {
		return 1000
	}
	return 30
}

const (
	writers  = 10 // on each board
	patience = 10 * time.Minute
)

var loadBoards = []string{"NINJA", "PIRATE"}

// load is the answers that the writers got.
type load struct {
	mu    sync.Mutex
	keys  map[string]string // ticket key to the title it was opened with
	times []time.Duration
	all   time.Duration
}

// write lets all writers open their tickets, each through the URL that url gives at the time, and calls meanwhile once
// half of them are open.
func write(t *testing.T, c *client, url func(writer int) string, meanwhile func()) *load {
	t.Helper()
	l := &load{keys: map[string]string{}}
	var group sync.WaitGroup
	var opened atomic.Int64
	half := int64(len(loadBoards) * writers * each() / 2)
	reached := make(chan struct{})
	began := time.Now()
	for writer := range writers * len(loadBoards) {
		group.Go(func() {
			board := loadBoards[writer%len(loadBoards)]
			for n := range each() {
				title := fmt.Sprintf("Ticket %d of writer %d", n, writer)
				start := time.Now()
				ticket, err := c.open(func() string { return url(writer) }, board, title, patience)
				if err != nil {
					t.Errorf("%s: %v", title, err)
					return
				}
				l.add(t, ticket, title, time.Since(start))
				if opened.Add(1) == half {
					close(reached)
				}
			}
		})
	}
	if meanwhile != nil {
		<-reached
		meanwhile()
	}
	group.Wait()
	l.all = time.Since(began)
	return l
}

func (l *load) add(t *testing.T, ticket made, title string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if other, taken := l.keys[ticket.Key]; taken {
		t.Errorf("%s was handed out twice: for %q and %q", ticket.Key, other, title)
	}
	l.keys[ticket.Key] = title
	l.times = append(l.times, took)
}

// report logs tickets per second and the latencies.
func (l *load) report(t *testing.T, what string) {
	slices.Sort(l.times)
	at := func(q float64) time.Duration {
		return l.times[int(q*float64(len(l.times)-1))].Round(10 * time.Microsecond)
	}
	t.Logf("%s: %d tickets over HTTP by %d clients on %d cores: %.0f/s, p50 %s, p99 %s",
		what, len(l.times), writers*len(loadBoards), runtime.NumCPU(), float64(len(l.times))/l.all.Seconds(), at(0.5), at(
			0.99))
}

// complete fails the test unless each board has exactly the acknowledged tickets, with the numbers 1 to their count:
// count = max, and a request that was sent twice opened one ticket.
func (l *load) complete(t *testing.T, c *client, url string) {
	t.Helper()
	for _, board := range loadBoards {
		stored := c.list(t, url, board)
		want := writers * each()
		if len(stored) != want {
			t.Errorf("%s has %d tickets, want %d", board, len(stored), want)
		}
		for key, title := range stored {
			if l.keys[key] != title {
				t.Errorf("%s is stored with the title %q, its client was told %q", key, title, l.keys[key])
			}
			if n, err := strconv.Atoi(strings.TrimPrefix(key, board+"-")); err != nil || n < 1 || n > want {
				t.Errorf("%s is not among the first %d numbers", key, want)
			}
		}
		for key := range l.keys {
			if _, there := stored[key]; strings.HasPrefix(key, board+"-") && !there {
				t.Errorf("%s was acknowledged and is gone", key)
			}
		}
	}
}

// list returns the titles of a board's tickets by key, page by page.
func (c *client) list(t *testing.T, url, board string) map[string]string {
	t.Helper()
	titles := map[string]string{}
	for after := ""; ; {
		var page struct {
			Items []made
			Next  *string
		}
		response, err := c.call("GET", url+"/api/v1/boards/"+board+"/tickets?limit=200&after="+after, "", nil, &page)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("list %s: %v %v", board, response, err)
		}
		for _, ticket := range page.Items {
			if _, twice := titles[ticket.Key]; twice {
				t.Errorf("%s is listed twice", ticket.Key)
			}
			titles[ticket.Key] = ticket.Title
		}
		if page.Next == nil {
			return titles
		}
		after = *page.Next
	}
}

// one is a URL for all writers.
func one(p *process) func(int) string { return func(int) string { return p.url } }

func TestLoad(t *testing.T) {
	t.Parallel()
	t.Run("two boards, ten writers each: count = max, through one server", func(t *testing.T) {
		i := onURL(t, dbtest.URL(t))
		c, p := newClient(i), i.serve(t)
		for _, slug := range loadBoards {
			c.board(t, p.url, slug)
		}
		l := write(t, c, one(p), nil)
		l.complete(t, c, p.url)
		l.report(t, "one server")
		i.verified(t)
	})

	t.Run("the same through two servers on one database", func(t *testing.T) {
		i := onURL(t, dbtest.URL(t))
		c, servers := newClient(i), []*process{i.serve(t), i.serve(t)}
		for _, slug := range loadBoards {
			c.board(t, servers[0].url, slug)
		}
		l := write(t, c, func(writer int) string { return servers[writer/2%2].url }, nil)
		l.complete(t, c, servers[1].url)
		l.report(t, "two servers")
		i.verified(t)
	})

	t.Run("on a private database, as it comes", func(t *testing.T) {
		i := onPrivate(t)
		c, p := newClient(i), i.serve(t)
		for _, slug := range loadBoards {
			c.board(t, p.url, slug)
		}
		l := write(t, c, one(p), nil)
		l.complete(t, c, p.url)
		l.report(t, "private database")
		i.verified(t)
	})
}

// server is the server that writers use after a crash.
type server struct{ at atomic.Pointer[process] }

func (s *server) url(int) string { return s.at.Load().url }

func TestCrash(t *testing.T) {
	t.Parallel()
	t.Run("the database is killed under load: it comes back, and nothing acknowledged is lost", func(t *testing.T) {
		i := onPrivate(t)
		c, p := newPatientClient(i), i.serve(t)
		for _, slug := range loadBoards {
			c.board(t, p.url, slug)
		}
		l := write(t, c, one(p), func() {
			if err := syscall.Kill(databasePID(t, i), syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		})
		l.complete(t, c, p.url)
		i.verified(t)
	})

	t.Run("the app is killed under load: the next one finds its database, and nothing acknowledged is lost", func(t *testing.T) {
		i := onPrivate(t)
		c := newPatientClient(i)
		var s server
		s.at.Store(i.serve(t))
		for _, slug := range loadBoards {
			c.board(t, s.url(0), slug)
		}
		l := write(t, c, s.url, func() {
			s.at.Load().kill(t)
			s.at.Store(i.serve(t))
		})
		l.complete(t, c, s.url(0))
		i.verified(t)
	})

	t.Run("the owner of the database is killed under load: the other server takes over", func(t *testing.T) {
		i := onPrivate(t)
		c, owner := newPatientClient(i), i.serve(t)
		other := i.serve(t)
		var s server
		s.at.Store(owner)
		for _, slug := range loadBoards {
			c.board(t, other.url, slug)
		}
		l := write(t, c, func(writer int) string {
			if writer%4 < 2 {
				return other.url
			}
			return s.url(writer)
		}, func() {
			owner.kill(t)
			s.at.Store(other)
		})
		l.complete(t, c, other.url)
		i.verified(t)
		if err := other.stop(t); err != nil {
			t.Errorf("the server that took over ended with %v\n%s", err, other.logged())
		}
	})
}

func TestStop(t *testing.T) {
	t.Parallel()
	t.Run("requests under way are answered, then the database stops", func(t *testing.T) {
		i := onPrivate(t)
		c := newPatientClient(i)
		var s server
		s.at.Store(i.serve(t))
		for _, slug := range loadBoards {
			c.board(t, s.url(0), slug)
		}
		l := write(t, c, s.url, func() {
			database := databasePID(t, i)
			if err := s.at.Load().stop(t); err != nil {
				t.Errorf("serve ended with %v\n%s", err, s.at.Load().logged())
			}
			if err := syscall.Kill(database, 0); err != syscall.ESRCH {
				t.Errorf("the database still runs: %v", err)
			}
			s.at.Store(i.serve(t))
		})
		l.complete(t, c, s.url(0))
	})
}
