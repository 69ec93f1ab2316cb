package live

import (
	"sync"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// capacity is how much a hub keeps, as weight counts it: a few megabytes at most.
const capacity = 100_000

// Hub keeps the latest changes, in order. One writes, any number read; readers share what is kept, and each
// has nothing but its Place.
type Hub struct {
	mu      sync.Mutex
	kept    []Change
	first   uint64 // the number of kept[0]: changes are counted from the first one on
	weight  int
	since   Position // what is kept begins there
	at      Position // and goes up to there
	changed wait.Broadcast
}

// New returns a hub that keeps nothing yet.
func New() *Hub { return &Hub{} }

// Offset is where a reader stands.
type Offset struct{ next uint64 }

// Update is what a reader is told. With Missed it is not all: anything may have changed.
type Update struct {
	Changes  []Change
	Missed   bool
	Position Position
	Next     Offset
	More     <-chan struct{} // closed when there is more to read, for whichever company
}

// Position is how far the hub has come.
func (h *Hub) Position() Position {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

// Begin has the hub forget what it kept, and go on from there.
func (h *Hub) Begin(at Position) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.first += uint64(len(h.kept)) + 1 // who reads has missed something
	h.kept, h.weight, h.since, h.at = nil, 0, at, at
	h.changed.Wake()
}

// Add has the hub keep what changed up to at. Nobody is told of nothing.
func (h *Hub) Add(at Position, changes ...Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = at
	for _, change := range changes {
		change.Position, change.encoded = at, &encoding{}
		h.kept = append(h.kept, change)
		h.weight += change.weight()
	}
	for h.weight > capacity && len(h.kept) > 0 {
		h.since = h.kept[0].Position
		h.weight -= h.kept[0].weight()
		h.kept[0] = Change{}
		h.kept, h.first = h.kept[1:], h.first+1
	}
	if len(changes) > 0 {
		h.changed.Wake()
	}
}

// After returns what changed in a company behind seen, which may be what another server said.
func (h *Hub) After(company id.Company, seen Position) Update {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !seen.Covers(h.since) {
		return h.missed()
	}
	from := 0
	for from < len(h.kept) && seen.Covers(h.kept[from].Position) {
		from++
	}
	return h.update(company, from)
}

// Read returns what changed in a company behind a place.
func (h *Hub) Read(company id.Company, from Offset) Update {
	h.mu.Lock()
	defer h.mu.Unlock()
	if from.next < h.first {
		return h.missed()
	}
	return h.update(company, int(from.next-h.first))
}

func (h *Hub) missed() Update {
	news := h.update(0, len(h.kept))
	news.Missed = true
	return news
}

func (h *Hub) update(company id.Company, from int) Update {
	news := Update{Position: h.at, Next: Offset{h.first + uint64(len(h.kept))}, More: h.changed.Next()}
	for _, change := range h.kept[from:] {
		if change.Company == company {
			news.Changes = append(news.Changes, change)
		}
	}
	return news
}
