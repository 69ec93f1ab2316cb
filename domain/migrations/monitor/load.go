package monitor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// KeeperLease is the row of migration_lease whose renewed_at is the heartbeat that replicas are measured by.
const KeeperLease = "keeper"

// replicaTimeout is how long a replica may take to answer.
var replicaTimeout = time.Second

// load is what the database and its replicas said at a time.
type load struct {
	db.Load
	replicas []replicaLag
	at       time.Time
}

// replicaLag is how far a replica is behind, or since when it does not say.
type replicaLag struct {
	name       string
	lag        time.Duration // as it last said
	measuredAt time.Time     // zero if it never answered
	why        string        // why it does not answer now; "" if it does
	// grant is the statement that lets our account read the lag there, if that is missing.
	grant string
}

// behind is how far it may be behind by now: a replica that does not answer is taken to have stopped.
func (r replicaLag) behind(at time.Time) time.Duration {
	switch {
	case r.why == "":
		return r.lag
	case r.measuredAt.IsZero():
		return math.MaxInt64
	}
	return r.lag + at.Sub(r.measuredAt)
}

// loads keeps the last answers, so that many requests cost one.
type loads struct {
	mu        sync.Mutex
	last      load
	deadlocks []deadlocks // counts of about the last minute, oldest first
	plan      ClaimPlan
	planned   time.Time
}

type deadlocks struct {
	at    time.Time
	count int64
}

// loadAt returns the load of the database, not older than maxAge at that time.
func (m *Monitor) loadAt(ctx context.Context, maxAge time.Duration, at time.Time) (load, error) {
	l := &m.loads
	l.mu.Lock()
	defer l.mu.Unlock()
	if age := at.Sub(l.last.at); !l.last.at.IsZero() && age >= 0 && age < maxAge {
		return l.last, nil
	}
	row, err := m.db.Load(ctx)
	if err != nil {
		return load{}, err
	}
	replicas, err := m.askReplicas(ctx, l.last.replicas, at)
	if err != nil {
		return load{}, err
	}
	l.last = load{Load: row, replicas: replicas, at: at}
	if row.Deadlocks.Known {
		l.count(deadlocks{at, row.Deadlocks.Value})
	}
	return l.last, nil
}

// count keeps the counts of the last minute and the one before them.
func (l *loads) count(d deadlocks) {
	if n := len(l.deadlocks); n > 0 && d.count < l.deadlocks[n-1].count {
		l.deadlocks = nil // the server was started anew
	}
	l.deadlocks = append(l.deadlocks, d)
	for len(l.deadlocks) > 2 && d.at.Sub(l.deadlocks[1].at) >= time.Minute {
		l.deadlocks = l.deadlocks[1:]
	}
}

// deadlocksPerMinute is the number of deadlocks in the last minute, or since the first reading if that was later.
func (l *loads) deadlocksPerMinute() (float64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.deadlocks)
	if n < 2 {
		return 0, false
	}
	first, last := l.deadlocks[0], l.deadlocks[n-1]
	return float64(last.count-first.count) / max(last.at.Sub(first.at).Minutes(), 1), true
}

// claimPlan is the plan of a claim, as it was in the last quarter of a minute.
func (m *Monitor) claimPlan(ctx context.Context, at time.Time) ClaimPlan {
	l := &m.loads
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.planned.IsZero() || !l.plan.Known || at.Sub(l.planned) >= planFresh {
		l.plan, l.planned = PlanOfClaim(ctx, m.db), at
	}
	return l.plan
}

// askReplicas compares the keeper's heartbeat there with the one here, which is read first: so a
// replica that is up to date is never found behind. Both are times of the database's own clock.
func (m *Monitor) askReplicas(ctx context.Context, before []replicaLag, at time.Time) ([]replicaLag, error) {
	if len(m.replicas) == 0 {
		return nil, nil
	}
	here, err := m.db.LeaseRenewed(ctx, KeeperLease)
	if db.IsNotFound(err) {
		return nil, nil // no worker ever ran here
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, replicaTimeout)
	defer cancel()
	lags := make([]replicaLag, len(m.replicas))
	copy(lags, before)
	var readers sync.WaitGroup
	for i, replica := range m.replicas {
		readers.Go(func() { lags[i] = askReplica(ctx, replica, lags[i], here, at) })
	}
	readers.Wait()
	return lags, nil
}

func askReplica(ctx context.Context, replica Replica, before replicaLag, here, at time.Time) replicaLag {
	there, err := replica.DB.LeaseRenewed(ctx, KeeperLease)
	now := replicaLag{name: replica.Name, lag: before.lag, measuredAt: before.measuredAt}
	switch {
	case err == nil:
		now.lag, now.measuredAt = max(0, here.Sub(there)), at
	case db.IsNotFound(err):
		now.why = "has no heartbeat of the workers yet"
	case db.IsForbidden(err):
		now.why = "does not let our account read migration_lease"
		now.grant = db.GrantSelect(ctx, replica.DB.SQL, "migration_lease")
	case errors.Is(err, context.DeadlineExceeded):
		now.why = fmt.Sprintf("did not answer within %s", replicaTimeout)
	default:
		now.why = "cannot be read: " + sentence(err)
	}
	return now
}

// sentence is an error as operators see it.
func sentence(err error) string {
	_, err = db.Read(0, err)
	if message := fault.Message(err); message != "" {
		return message
	}
	return migrations.Cut(err.Error(), 200)
}

// seconds writes a duration such as 13.1 s, whole if it is.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(math.Round(d.Seconds()*10)/10, 'f', -1, 64) + " s"
}
