package monitor

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// How old the answers about the database, and its plan of a claim, may be.
const (
	healthFresh = 2 * time.Second
	planFresh   = 15 * time.Second
)

// Health is the state of the database under the load of runs.
type Health struct {
	Threads            Figure // that run now
	HistoryList        Figure // old row versions that purge has yet to remove
	Lag                Figure // seconds, of the replica that is farthest behind; not Known without replicas
	DeadlocksPerMinute Figure
	ClaimP99           Figure // seconds; the slowest worker's
	ClaimPlan          ClaimPlan
	Replicas           []ReplicaLag
	At                 time.Time
}

// Figure is a number, or why there is none.
type Figure struct {
	Value float64
	Known bool
	Why   string // a sentence for operators, if it is not known
	Grant string // the statement with which the server's administrator lets it be read, or ""
}

// ReplicaLag is how far a replica is behind, in seconds.
type ReplicaLag struct {
	Name string
	Lag  Figure
}

// ClaimPlan is whether the server claims tasks through their index.
type ClaimPlan struct {
	Known bool
	Good  bool
	Text  string // the plan, or why it is not known
}

// Health looks at the database, at most every two seconds however many ask.
func (m *Monitor) Health(ctx context.Context) (Health, error) {
	l, err := m.loadAt(ctx, healthFresh, time.Now())
	if err != nil {
		return Health{}, err
	}
	workers, err := db.Read(m.db.LivingWorkers(ctx))
	if err != nil {
		return Health{}, err
	}
	h := Health{
		Threads: known(float64(l.Threads)), HistoryList: figure(l.History), ClaimP99: slowestClaims(workers), At: l.at,
		DeadlocksPerMinute: m.deadlocksPerMinute(l), ClaimPlan: m.claimPlan(ctx, l.at),
	}
	h.Lag, h.Replicas = l.lag()
	return h, nil
}

func known(value float64) Figure { return Figure{Value: value, Known: true} }

func unknown(why string) Figure { return Figure{Why: why} }

func figure(r db.ServerValue) Figure {
	switch {
	case r.Known:
		return known(float64(r.Value))
	case r.Grant != "":
		return Figure{Why: "The database account may not read it.", Grant: r.Grant}
	}
	return unknown("This server does not report it.")
}

func (m *Monitor) deadlocksPerMinute(l load) Figure {
	if !l.Deadlocks.Known {
		return figure(l.Deadlocks)
	}
	if rate, ok := m.loads.deadlocksPerMinute(); ok {
		return known(rate)
	}
	return unknown("Counting starts now.")
}

// lag has the figure of the replica that is farthest behind first.
func (l load) lag() (worst Figure, all []ReplicaLag) {
	worst = unknown("No replica is named in COUNTERFOIL_REPLICAS.")
	most := time.Duration(-1)
	for _, r := range l.replicas {
		lag := known(r.lag.Seconds())
		if r.why != "" {
			lag = Figure{Why: "Replica " + r.name + " " + r.why + ".", Grant: r.grant}
		}
		all = append(all, ReplicaLag{Name: r.name, Lag: lag})
		if behind := r.behind(l.at); behind > most {
			worst, most = lag, behind
		}
	}
	return worst, all
}

func slowestClaims(workers []db.LivingWorkersRow) Figure {
	var slowest uint64
	for _, w := range workers {
		slowest = max(slowest, w.MigrationWorker.ClaimP99Us)
	}
	if slowest == 0 {
		return unknown("No running worker has claimed yet.")
	}
	return known(float64(slowest) / 1e6)
}
