package monitor

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

const (
	sampleEvery = 5 * time.Second
	samplesKept = 24 * time.Hour // all of them; of older ones about one in five minutes
)

// sampler is what is remembered of a run's samples.
type sampler struct {
	at      time.Time // of the last sample, by this process
	last    migrations.Progress
	thinned time.Time // up to when, by the database
}

// sample records the counters of a run every five seconds while it is active, and once more after, so that the chart
// has its end.
func (m *Monitor) sample(ctx context.Context, run migrations.Run, s *sampler, at time.Time) error {
	active := run.State == migrations.Running || run.State == migrations.Throttled || run.State == migrations.Pausing ||
		run.State == migrations.Cancelling
	still := run.Progress.Processing == 0 && (run.State != migrations.Running ||
		run.Progress.Open+run.Progress.Waiting == 0)
	due := s.at.IsZero() || at.Sub(s.at) >= sampleEvery-sampleEvery/10 // the keeper's second is not exact
	counted := run.Progress
	counted.Open = 0 // filling adds to it
	if ends := still && counted != s.last; !ends && (!active || !due) {
		return nil
	}
	if _, err := db.Read(0, m.db.AddSample(ctx, run.ID)); err != nil {
		return err
	}
	s.at, s.last = at, counted
	return m.thin(ctx, run, s)
}

// thin removes samples of more than a day ago, but for about one in five minutes, some at a time.
func (m *Monitor) thin(ctx context.Context, run migrations.Run, s *sampler) error {
	row, err := db.Read(m.db.RunWithTime(ctx, run.ID))
	if err != nil {
		return err
	}
	if s.thinned.IsZero() {
		s.thinned = run.CreatedAt
	}
	to := row.At.Add(-samplesKept)
	if to.Sub(s.thinned) < time.Minute {
		return nil
	}
	const some = 1000
	n, err := db.Read(m.db.ThinSamples(ctx, db.ThinSamplesParams{RunID: run.ID, Since: s.thinned, Before: to,
		Limit: some}))
	if err == nil && n < some {
		s.thinned = to
	}
	return err
}
