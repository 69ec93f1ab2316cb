package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// streamLag is how long after a change a stream may send what it read before it: streams of who becomes a guest end
// within a second, and a busy machine is slow to deliver. At rest there is none.
const streamLag = 4 * time.Second

// sightStreams are the streams of members: of a page, and of the feeds of tickets and comments.
type sightStreams struct {
	*env
	s       *sightings
	server  *httptest.Server
	keys    []string
	tickets map[uint64]int // their indexes, by id
	fence   int            // the index of a ticket that all see
	mu      sync.Mutex
	since   time.Time               // of rest
	got     map[string]map[int]bool // what each stream sent of tickets since rest
	fences  map[string]int          // how often each sent the fence
}

func (e *env) followSight(s *sightings, keys []string) *sightStreams {
	f := &sightStreams{env: e, s: s, server: serveStreams(e.t, e), keys: keys, tickets: map[uint64]int{}, fence: len(keys) - 1,
		got: map[string]map[int]bool{}, fences: map[string]int{}}
	f.account("max", "acme", accounts.Member)
	for i, key := range keys {
		f.tickets[f.ticketOf(key)] = i
	}
	return f
}

// ticketOf is the id of the ticket with a key.
func (e *env) ticketOf(key string) uint64 {
	var board string
	var number int
	domaintest.OK(fmt.Sscanf(key, "%3s-%d", &board, &number))(e.t)
	return e.ticketID(board, number)
}

// open follows the streams of a member until the test ends; a stream that ends is opened again.
func (f *sightStreams) open(who, token string) {
	ctx, cancel := context.WithCancel(context.Background())
	var streams sync.WaitGroup
	f.t.Cleanup(func() { cancel(); streams.Wait() })
	cookie := f.signedIn(who).cookie
	for stream, header := range map[string]http.Header{
		"/acme/live":                    {"Cookie": {"counterfoil=" + cookie}, "Hx-Request": {"true"}},
		"/api/v1/feeds/tickets/stream":  {"Authorization": {"Bearer " + token}},
		"/api/v1/feeds/comments/stream": {"Authorization": {"Bearer " + token}},
	} {
		f.got[who+" "+stream] = map[int]bool{}
		streams.Go(func() {
			for ctx.Err() == nil {
				f.follow(ctx, who, stream, header)
			}
		})
	}
}

// follow reads a stream to its end.
func (f *sightStreams) follow(ctx context.Context, who, stream string, header http.Header) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.server.URL+stream, nil)
	if err != nil {
		f.t.Error(err)
		return
	}
	r.Header = header
	answer, err := f.server.Client().Do(r)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		f.t.Errorf("%s opens %s: %d", who, stream, answer.StatusCode)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for from := (&eventStream{answer, lines}); ; {
		event, err := from.next()
		if err != nil {
			return
		}
		for _, ticket := range f.about(event) {
			f.sent(who, stream, ticket)
		}
	}
}

// about are the tickets of which an event says something. That one is not on a board where it was, without a column, is
// told to all who see that board.
func (f *sightStreams) about(event streamEvent) (list []int) {
	for _, word := range secretWord.FindAllStringSubmatch(event.data, -1) {
		var ticket int
		fmt.Sscan(word[1], &ticket)
		list = append(list, ticket)
	}
	var of liveEvent
	switch event.name {
	case "ticket", "board":
		if err := json.Unmarshal([]byte(event.data), &of); err != nil {
			f.t.Error(err)
		}
	default:
		return list
	}
	for _, ticket := range append(of.Tickets, [3]uint64{of.Ticket, 1}) {
		if i, ok := f.tickets[ticket[0]]; ok && ticket[1] > 0 {
			list = append(list, i)
		}
	}
	return list
}

// sent notes that a stream said something of a ticket, and reports it if the member may not see it.
func (f *sightStreams) sent(who, stream string, ticket int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	since := time.Now().Add(-streamLag)
	if f.since.After(since) {
		since = f.since
	}
	if !f.s.saw(who, ticket, since) {
		f.t.Errorf("%s is sent %s by %s", who, f.keys[ticket], stream)
	}
	if ticket == f.fence {
		f.fences[who+" "+stream]++
	}
	f.got[who+" "+stream][ticket] = true
}

// rest has all tickets change when no right does any more: each stream sends those that its member sees, and no other.
func (f *sightStreams) rest() {
	f.settle()
	f.pass()
	f.mu.Lock()
	f.since = time.Now()
	for stream := range f.got {
		clear(f.got[stream])
	}
	f.mu.Unlock()
	for ticket := range f.keys {
		f.touch(ticket)
	}
	f.pass()
	f.mu.Lock()
	defer f.mu.Unlock()
	for stream, got := range f.got {
		var who string
		fmt.Sscan(stream, &who)
		for ticket, key := range f.keys {
			if f.s.now.sees(who, ticket) && !got[ticket] {
				f.t.Errorf("%s: nothing of %s; it sent %v", stream, key, slices.Sorted(maps.Keys(got)))
			}
		}
	}
}

// settle waits until the server has looked twice for members that became guests: those of before are settled then.
func (f *sightStreams) settle() {
	maxi, role := f.signedIn("max"), fmt.Sprintf("/acme/people/%d/role", f.idOf("max"))
	for _, now := range []string{accounts.Guest, accounts.Member} {
		stream := watch(f.t, f.server, maxi, "")
		stream.change(f.t)
		f.ana().post(role, "role", now).is(f.t, http.StatusSeeOther)
		stream.ends(f.t)
	}
}

// touch changes a ticket, and comments on it.
func (f *sightStreams) touch(ticket int) {
	number := f.count("SELECT local_id FROM ticket WHERE title = ?", fmt.Sprintf("secret%dz", ticket))
	key := fmt.Sprintf("%s-%d", f.s.now.on[ticket], number)
	f.program().post("/tickets/"+key+"/comments", object{"body": fmt.Sprintf("secret%dz", ticket)}).is(f.t, http.StatusCreated)
	f.program().put("/tickets/"+key+"/closure", nil).is(f.t, http.StatusOK)
	f.program().delete("/tickets/"+key+"/closure").is(f.t, http.StatusOK)
}

// pass has the streams send the ticket that all see, twice: what came before was read before the second one.
func (f *sightStreams) pass() {
	for range 2 {
		f.mu.Lock()
		clear(f.fences)
		f.mu.Unlock()
		f.touch(f.fence)
		domaintest.Until(f.t, "all streams sent the last ticket", func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			return len(f.fences) == len(f.got)
		}, func() string { f.mu.Lock(); defer f.mu.Unlock(); return fmt.Sprint(f.fences) })
	}
}
