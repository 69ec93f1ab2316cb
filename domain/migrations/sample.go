package migrations

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

const (
	sampleEvery = 5 * time.Second
	samplesKept = 24 * time.Hour // all of them; of older ones about one in five minutes
)

// sampling is what is remembered of a run's samples.
type sampling struct {
	at      time.Time // of the last sample, by this process
	last    Progress
	thinned time.Time // up to when, by the database
}

// sample notes the counters of a run every five seconds while it goes on; and once more when nothing
// goes on any more, so that the chart has its end.
func (e *Engine) sample(ctx context.Context, run Run, m *sampling, at time.Time) error {
	goes := run.State == Running || run.State == Throttled || run.State == Pausing || run.State == Cancelling
	still := run.Progress.Processing == 0 && (run.State != Running || run.Progress.Open+run.Progress.Waiting == 0)
	due := m.at.IsZero() || at.Sub(m.at) >= sampleEvery-sampleEvery/10 // the keeper's second is not exact
	counted := run.Progress
	counted.Open = 0 // filling adds to it
	if ends := still && counted != m.last; !ends && (!goes || !due) {
		return nil
	}
	if _, err := db.Read(0, e.db.AddSample(ctx, run.ID)); err != nil {
		return err
	}
	m.at, m.last = at, counted
	return e.thin(ctx, run, m)
}

// thin removes samples of more than a day ago, but for about one in five minutes, some at a time.
func (e *Engine) thin(ctx context.Context, run Run, m *sampling) error {
	row, err := db.Read(e.db.RunNow(ctx, run.ID))
	if err != nil {
		return err
	}
	if m.thinned.IsZero() {
		m.thinned = run.CreatedAt
	}
	upto := row.At.Add(-samplesKept)
	if upto.Sub(m.thinned) < time.Minute {
		return nil
	}
	const some = 1000
	n, err := db.Read(e.db.ThinSamples(ctx, db.ThinSamplesParams{RunID: run.ID, Since: m.thinned, Upto: upto, Limit: some}))
	if err == nil && n < some {
		m.thinned = upto
	}
	return err
}
