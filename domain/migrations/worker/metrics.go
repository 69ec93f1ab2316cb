package worker

import (
	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// The totals of this process.
var (
	tasksEnded = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "counterfoil_migration_tasks_total",
		Help: "Tasks that this process ended, by outcome: complete, or failed after their last attempt.",
	}, []string{"outcome"})
	attemptsFailed = promauto.NewCounter(prometheus.CounterOpts{
		Name: "counterfoil_migration_attempt_errors_total",
		Help: "Failed attempts in this process, and those that it found lost with their workers.",
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
	for outcome, n := range map[string]int64{migrations.TaskComplete: c.Complete, migrations.TaskFailed: c.Failed} {
		tasksEnded.WithLabelValues(outcome).Add(float64(max(n, 0)))
	}
	attemptsFailed.Add(float64(max(c.Errors, 0)))
	refused.Add(float64(max(c.Refused, 0)))
	reclaimed.Add(float64(max(c.Reclaimed, 0)))
}
