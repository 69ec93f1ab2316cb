package monitor

import (
	"context"
	"errors"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// Monitor measures runs, and throttles and pauses them by what it measures. Make one with New.
type Monitor struct {
	db       *db.DB
	engine   *migrations.Engine
	replicas []Replica
	loads    loads
	gauges   gauges

	runs     map[id.Run]*runMemory // Watch's alone
	lastTidy time.Time
}

// Replica is a copy of the database that must not fall too far behind.
type Replica struct {
	Name string // for operators
	DB   *db.DB
}

// New returns a monitor of an engine's runs. A run waits while a replica is farther behind than its knob allows.
func New(d *db.DB, engine *migrations.Engine, replicas ...Replica) *Monitor {
	return &Monitor{db: d, engine: engine, replicas: replicas}
}

// runMemory is what the keeper remembers of a run between two checks.
type runMemory struct {
	throttle throttle
	breaker  breaker
	sampler  sampler
}

// Watch checks the throttle and the breaker of active runs, whose progress is given with them, and samples them. The
// keeper calls it once a second, from one goroutine.
func (m *Monitor) Watch(ctx context.Context, active []migrations.Run) error {
	return m.watchAt(ctx, active, time.Now())
}

func (m *Monitor) watchAt(ctx context.Context, active []migrations.Run, at time.Time) error {
	kept := make(map[id.Run]*runMemory, len(active))
	var failed []error
	for _, run := range active {
		last := m.runs[run.ID]
		if last == nil {
			last = &runMemory{}
		}
		kept[run.ID] = last
		failed = append(failed, m.checkThrottle(ctx, run, &last.throttle, at), m.checkBreaker(ctx, run, &last.breaker),
			m.sample(ctx, run, &last.sampler, at))
	}
	m.runs = kept
	if at.Sub(m.lastTidy) >= time.Minute {
		m.lastTidy = at
		failed = append(failed, m.forgetHosts(ctx))
	}
	return errors.Join(failed...)
}

// forgetHosts removes blocks that are over.
func (m *Monitor) forgetHosts(ctx context.Context) error {
	const some = 100
	for {
		hosts, err := db.Read(m.db.ExpiredUpstreams(ctx, some))
		if err != nil || len(hosts) == 0 {
			return err
		}
		if _, err := db.Read(0, m.db.ForgetUpstreams(ctx, hosts)); err != nil || len(hosts) < some {
			return err
		}
	}
}
