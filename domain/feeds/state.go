package feeds

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// Rates are of the last thirty intervals of two minutes.
const (
	stretch   = 2 * time.Minute
	stretches = 30
)

// State is the state of a feed.
type State struct {
	Name    string
	Head    uint64
	Epoch   uint64
	Horizon uint64
	// NewestPublish is by the database's clock; nil if nothing was published yet.
	NewestPublish *time.Time
	// OldestUnpublished is for how long a change waits that waits longest, 0 if none does; nil if this
	// process does not publish.
	OldestUnpublished *time.Duration
	Rates             []Rate // nil unless filled by Engine.Rates
}

// Rate is how many rows were published in the two minutes that ended Ago.
type Rate struct {
	Ago       time.Duration
	Published uint64
}

// PerSecond is the same by the second.
func (r Rate) PerSecond() float64 { return float64(r.Published) / stretch.Seconds() }

// States returns the states of all feeds, in the order of registration.
func (e *Engine) States(ctx context.Context) ([]State, error) {
	rows, err := db.Read(e.db.Sequences(ctx))
	if err != nil {
		return nil, fmt.Errorf("read sequences: %w", err)
	}
	of := make(map[string]db.SequencesRow, len(rows))
	for _, row := range rows {
		of[row.Name] = row
	}
	list := make([]State, len(e.feeds))
	for i, feed := range e.feeds {
		now := of[feed.Name]
		list[i] = State{Name: feed.Name, Head: uint64(now.Head), Epoch: now.Epoch, Horizon: now.Horizon}
		if age, known := e.OldestWaiting(feed.Name); known {
			list[i].OldestUnpublished = &age
		}
		at, err := db.Read(e.db.NewestBatch(ctx, feed.Name))
		switch {
		case err == nil:
			list[i].NewestPublish = &at
		case !db.IsNotFound(err):
			return nil, fmt.Errorf("read the newest batch: %w", err)
		}
	}
	return list, nil
}

// Rates returns a feed's recent rates, the oldest first: the differences of its heads, because positions have no gaps.
func (e *Engine) Rates(ctx context.Context, state State) ([]Rate, error) {
	ago := make([]int, stretches)
	for i := range ago {
		ago[i] = int(stretch.Seconds()) * (stretches - i)
	}
	were, err := db.Read(e.db.PositionsAgo(ctx, state.Name, ago))
	if err != nil {
		return nil, fmt.Errorf("read batches: %w", err)
	}
	rates := make([]Rate, stretches)
	for i, was := range were {
		next := state.Head
		if i+1 < len(were) {
			next = were[i+1]
		}
		rates[i] = Rate{Ago: stretch * time.Duration(stretches-1-i)}
		if next > was { // a batch since the state was read
			rates[i].Published = next - was
		}
	}
	return rates, nil
}
