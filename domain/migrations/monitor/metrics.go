package monitor

import (
	"context"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// Gauges are the state of all runs and workers of the installation.
type Gauges struct {
	Runs    map[migrations.State]int // active ones; of more than ten thousand, so many
	Tasks   []RunGauge               // of the newest active runs, a hundred at most
	Workers map[string]int           // the living ones, by their states
}

// RunGauge is how many tasks of a run are in which state.
type RunGauge struct {
	Run      id.Run
	Name     string
	Progress migrations.Progress
}

// gauges keeps the last answer, so that frequent requests cost little.
type gauges struct {
	mu   sync.Mutex
	last Gauges
	at   time.Time
}

// Gauges returns the state of runs and workers, at most two seconds old.
func (m *Monitor) Gauges(ctx context.Context) (Gauges, error) {
	kept := &m.gauges
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if !kept.at.IsZero() && time.Since(kept.at) < healthFresh {
		return kept.last, nil
	}
	g := Gauges{Runs: map[migrations.State]int{}, Workers: map[string]int{migrations.WorkerActive: 0,
		migrations.WorkerDraining: 0}}
	states := make([]string, len(migrations.Active))
	for i, state := range migrations.Active {
		g.Runs[state], states[i] = 0, string(state)
	}
	counted, err := db.Read(m.db.RunsByState(ctx, states))
	if err != nil {
		return Gauges{}, err
	}
	for _, row := range counted {
		g.Runs[migrations.State(row.State)] = int(row.Runs)
	}
	for _, list := range []string{migrations.ListActive, migrations.ListAttention} {
		runs, _, err := m.engine.Runs(ctx, list, 0)
		if err != nil {
			return Gauges{}, err
		}
		for _, run := range runs {
			if run.State.IsActive() {
				g.Tasks = append(g.Tasks, RunGauge{run.ID, run.Name, run.Progress})
			}
		}
	}
	workers, err := db.Read(m.db.LivingWorkers(ctx))
	if err != nil {
		return Gauges{}, err
	}
	for _, w := range workers {
		g.Workers[w.MigrationWorker.State]++
	}
	kept.last, kept.at = g, time.Now()
	return g, nil
}
