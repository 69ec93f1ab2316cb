package live

import (
	"sync"

	"github.com/counterfoil/counterfoil/domain/wait"
)

// capacity is how much a hub keeps, as weight counts it: a few megabytes at most.
const capacity = 100_000

// Hub keeps the latest changes, in order, for one writer and any number of readers, each with an Offset.
type Hub struct {
	mu      sync.Mutex
	kept    []Change
	first   uint64 // the number of kept[0]: changes are counted from the first one on
	weight  int
	since   Position // the kept changes begin there
	at      Position // and goes up to there
	changed wait.Broadcast
}

// New returns an empty hub.
func New() *Hub { return &Hub{} }

// Offset is a reader's place in a hub.
type Offset struct{ next uint64 }

// Update is what a reader has not read yet. If Missed, anything may have changed.
type Update struct {
	Changes  []Change
	Missed   bool
	Position Position
	Next     Offset
	More     <-chan struct{} // closed when there is more to read, for whichever company
}

// Position is the position of the latest change.
func (h *Hub) Position() Position {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

// Begin empties the hub and sets its position.
func (h *Hub) Begin(at Position) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.first += uint64(len(h.kept)) + 1 // readers have missed something
	h.kept, h.weight, h.since, h.at = nil, 0, at, at
	h.changed.Wake()
}

// Add adds the changes up to a position. Without changes it wakes no reader.
func (h *Hub) Add(at Position, changes ...Change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = at
	for _, change := range changes {
		change.Position, change.encoded = at, &sharedEncoding{}
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

// After returns the changes for a reader after a position, which may come from another server.
func (h *Hub) After(reader Reader, seen Position) Update {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !seen.Covers(h.since) {
		return h.missed()
	}
	from := 0
	for from < len(h.kept) && seen.Covers(h.kept[from].Position) {
		from++
	}
	return h.update(reader, from)
}

// Read returns the changes for a reader after an offset.
func (h *Hub) Read(reader Reader, from Offset) Update {
	h.mu.Lock()
	defer h.mu.Unlock()
	if from.next < h.first {
		return h.missed()
	}
	return h.update(reader, int(from.next-h.first))
}

func (h *Hub) missed() Update {
	update := h.update(Reader{}, len(h.kept))
	update.Missed = true
	return update
}

func (h *Hub) update(reader Reader, from int) Update {
	update := Update{Position: h.at, Next: Offset{h.first + uint64(len(h.kept))}, More: h.changed.Next()}
	for _, change := range h.kept[from:] {
		if change.isFor(reader) {
			update.Changes = append(update.Changes, change)
		}
	}
	return update
}
