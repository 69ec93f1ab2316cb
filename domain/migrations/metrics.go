package migrations

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// What this process did.
var (
	tasksEnded = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "counterfoil_migration_tasks_total",
		Help: "Tasks that this process ended, by outcome: complete, or failed after their last attempt.",
	}, []string{"outcome"})
	attemptsFailed = promauto.NewCounter(prometheus.CounterOpts{
		Name: "counterfoil_migration_attempt_errors_total",
		Help: "Attempts that failed in this process, and those that it found lost with their workers.",
	})
	refused = promauto.NewCounter(prometheus.CounterOpts{
		Name: "counterfoil_migration_refused_total",
		Help: "Completions of this process that came after the task had been claimed anew.",
	})
	reclaimed = promauto.NewCounter(prometheus.CounterOpts{
		Name: "counterfoil_migration_reclaimed_total",
		Help: "Tasks that this process, as the keeper, took back from workers who were gone.",
	})
	claimSeconds = promauto.NewHistogram(prometheus.HistogramOpts{
		Name:    "counterfoil_migration_claim_seconds",
		Help:    "How long this process's claims took that found tasks, with their commits; their count is that of claims.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
	})
)

// meter counts for /metrics what a transaction that is committed added to the counters.
func meter(c db.AddToCounterParams) {
	for outcome, n := range map[string]int64{TaskComplete: c.Complete, TaskFailed: c.Failed} {
		tasksEnded.WithLabelValues(outcome).Add(float64(max(n, 0)))
	}
	attemptsFailed.Add(float64(max(c.Errors, 0)))
	refused.Add(float64(max(c.Refused, 0)))
	reclaimed.Add(float64(max(c.Reclaimed, 0)))
}

// Gauges are how things stand in the whole installation, whoever works.
type Gauges struct {
	Runs    map[State]int  // active ones; of more than ten thousand, so many
	Tasks   []RunGauge     // of the newest active runs, a hundred at most
	Workers map[string]int // who live, by their states
}

// RunGauge is how many tasks of a run are in which state.
type RunGauge struct {
	Run      id.Run
	Name     string
	Progress Progress
}

// gauges keeps the last answer, so that whoever asks often costs little.
type gauges struct {
	mu   sync.Mutex
	last Gauges
	at   time.Time
}

// Gauges returns how things stand, at most two seconds old.
func (e *Engine) Gauges(ctx context.Context) (Gauges, error) {
	kept := &e.watcher.gauges
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if !kept.at.IsZero() && time.Since(kept.at) < healthFresh {
		return kept.last, nil
	}
	g := Gauges{Runs: map[State]int{}, Workers: map[string]int{WorkerActive: 0, WorkerDraining: 0}}
	states := make([]string, len(Active))
	for i, state := range Active {
		g.Runs[state], states[i] = 0, string(state)
	}
	counted, err := db.Read(e.db.RunsByState(ctx, states))
	if err != nil {
		return Gauges{}, err
	}
	for _, row := range counted {
		g.Runs[State(row.State)] = int(row.Runs)
	}
	for _, list := range []string{ListActive, ListAttention} {
		runs, _, err := e.Runs(ctx, list, 0)
		if err != nil {
			return Gauges{}, err
		}
		for _, run := range runs {
			if run.State.IsActive() {
				g.Tasks = append(g.Tasks, RunGauge{run.ID, run.Name, run.Progress})
			}
		}
	}
	workers, err := db.Read(e.db.LivingWorkers(ctx))
	if err != nil {
		return Gauges{}, err
	}
	for _, w := range workers {
		g.Workers[w.MigrationWorker.State]++
	}
	kept.last, kept.at = g, time.Now()
	return g, nil
}
