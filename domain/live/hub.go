package live

import (
	"sync"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// room is how much a hub keeps, as weight counts it: a few megabytes at most.
const room = 100_000

// Hub keeps the latest changes, in order. One writes, any number read; readers share what is kept, and each
// has nothing but its Place.
type Hub struct {
	mu      sync.Mutex
	kept    []Change
	first   uint64 // the number of kept[0]: changes are counted from the first one on
	weight  int
	since   At // what is kept begins there
	at      At // and goes up to there
	changed wait.Broadcast
}

// New returns a hub that keeps nothing yet.
func New() *Hub { return &Hub{} }

// Place is where a reader stands.
type Place struct{ next uint64 }

// News is what a reader is told. With Missed it is not all: anything may have changed.
type News struct {
	Changes []Change
	Missed  bool
	At      At
	Next    Place
	More    <-chan struct{} // closed when there is more to read, for whichever company
}

// At is how far the hub has come.
func (h *Hub) At() At {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

// Begin has the hub forget what it kept, and go on from there.
func (h *Hub) Begin(at At) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.first += uint64(len(h.kept)) + 1 // who reads has missed something
	h.kept, h.weight, h.since, h.at = nil, 0, at, at
	h.changed.Wake()
}

// Add has the hub keep what changed up to at. Nobody is told of nothing.
func (h *Hub) Add(at At, changes ...Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = at
	for _, change := range changes {
		change.At, change.told = at, &told{}
		h.kept = append(h.kept, change)
		h.weight += change.weight()
	}
	for h.weight > room && len(h.kept) > 0 {
		h.since = h.kept[0].At
		h.weight -= h.kept[0].weight()
		h.kept[0] = Change{}
		h.kept, h.first = h.kept[1:], h.first+1
	}
	if len(changes) > 0 {
		h.changed.Wake()
	}
}

// After returns what changed in a company behind seen, which may be what another server said.
func (h *Hub) After(company id.Company, seen At) News {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !seen.Has(h.since) {
		return h.missed()
	}
	from := 0
	for from < len(h.kept) && seen.Has(h.kept[from].At) {
		from++
	}
	return h.news(company, from)
}

// Read returns what changed in a company behind a place.
func (h *Hub) Read(company id.Company, from Place) News {
	h.mu.Lock()
	defer h.mu.Unlock()
	if from.next < h.first {
		return h.missed()
	}
	return h.news(company, int(from.next-h.first))
}

func (h *Hub) missed() News {
	news := h.news(0, len(h.kept))
	news.Missed = true
	return news
}

func (h *Hub) news(company id.Company, from int) News {
	news := News{At: h.at, Next: Place{h.first + uint64(len(h.kept))}, More: h.changed.Next()}
	for _, change := range h.kept[from:] {
		if change.Company == company {
			news.Changes = append(news.Changes, change)
		}
	}
	return news
}
