package monitor

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	t.Run("readable figures are numbers, the others have a reason", func(t *testing.T) {
		t.Parallel()
		replica := dbtest.Open(t)
		s := newEnv(t, migrations.Knobs{}, Replica{"db2", replica}, Replica{"db3", dbtest.Open(t)})
		beat(t, s.db, "2026-01-01 00:00:05")
		beat(t, replica, "2026-01-01 00:00:01.5")
		h := s.health()
		if !h.Threads.Known || h.Threads.Value < 1 || !h.HistoryList.Known {
			t.Errorf("threads %+v, history %+v", h.Threads, h.HistoryList)
		}
		if h.DeadlocksPerMinute.Known || h.DeadlocksPerMinute.Why == "" || h.ClaimP99.Known || h.ClaimP99.Why == "" {
			t.Errorf("deadlocks %+v, claims %+v", h.DeadlocksPerMinute, h.ClaimP99)
		}
		if !h.ClaimPlan.Good || !strings.Contains(h.ClaimPlan.Text, "ix_claim") {
			t.Errorf("claim plan %+v", h.ClaimPlan)
		}
		if got := fmt.Sprint(
			h.Replicas); got != "[{db2 {3.5 true  }} {db3 {0 false Replica db3 has no heartbeat of the workers yet. }}]" {
			t.Errorf("replicas %s", got)
		}
		if h.Lag.Known || h.Lag.Why != "Replica db3 has no heartbeat of the workers yet." {
			t.Errorf("the worst lag: %+v", h.Lag)
		}
		s.worker(1, migrations.WorkerActive, 30)
		s.worker(7, migrations.WorkerActive, 30)
		s.worker(9, migrations.WorkerActive, -1)
		s.stale()
		h = s.health()
		if !h.DeadlocksPerMinute.Known || h.DeadlocksPerMinute.Value < 0 || !h.ClaimP99.Known || h.ClaimP99.Value != 0.007 {
			t.Errorf("deadlocks %+v, claims %+v", h.DeadlocksPerMinute, h.ClaimP99)
		}
	})

	t.Run("many readers cost one read", func(t *testing.T) {
		t.Parallel()
		d, watch := dbtest.NewWatched(t)
		m := New(d, migrations.New(d, nil, nil))
		checked, began := 0, time.Now()
		watch.Take()
		for range 10 {
			domaintest.OK(m.Health(t.Context()))(t)
		}
		sent, _ := watch.Take()
		for _, statement := range sent {
			if strings.Contains(statement, "GLOBAL STATUS") {
				checked++
			}
		}
		if most := 2 + int(time.Since(began)/healthFresh); checked < 1 || checked > most {
			t.Errorf("the server was asked %d times", checked)
		}
	})

	t.Run("an account with few rights sees which it lacks", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		name, poor := poorAccount(t, d, "SELECT, INSERT, UPDATE, DELETE ON %s.*")
		_, blind := poorAccount(t, d, "SELECT ON %s.ticket")
		beat(t, d, "2026-01-01 00:00:05")
		m := New(poor, migrations.New(poor, nil, nil), Replica{"db2", blind})
		h := domaintest.OK(m.Health(t.Context()))(t)
		if !h.Threads.Known {
			t.Errorf("threads %+v", h.Threads)
		}
		if os.Getenv("COUNTERFOIL_TEST_ENGINE") == "mysql" {
			want := Figure{Why: "The database account may not read it.", Grant: "GRANT PROCESS ON *.* TO '" + name +
				"'@'%';"}
			if h.HistoryList != want || h.DeadlocksPerMinute != want {
				t.Errorf("history %+v, deadlocks %+v; want %+v", h.HistoryList, h.DeadlocksPerMinute, want)
			}
		} else if !h.HistoryList.Known {
			t.Errorf("history %+v", h.HistoryList)
		}
		if h.Lag.Known || h.Lag.Why != "Replica db2 does not let our account read migration_lease." ||
			!strings.HasPrefix(h.Lag.Grant, "GRANT SELECT ON ") {
			t.Errorf("lag %+v", h.Lag)
		}
		if reasons, err := m.excesses(t.Context(), migrations.Knobs{MaxHistory: 1, MaxThreads: 1 << 30},
			time.Now()); err != nil || os.Getenv("COUNTERFOIL_TEST_ENGINE") == "mysql" && len(reasons) > 0 {
			t.Errorf("what cannot be read limits: %v, %v", reasons, err)
		}
	})
}

func TestDeadlocksAreCountedByTheMinute(t *testing.T) {
	t.Parallel()
	var l loads
	if _, known := l.deadlocksPerMinute(); known {
		t.Error("one knows before the first look")
	}
	for second := range 121 { // one every ten seconds
		l.count(deadlocks{noon.Add(time.Duration(second) * time.Second), int64(100 + second/10)})
	}
	if rate, known := l.deadlocksPerMinute(); !known || rate != 6 {
		t.Errorf("%v, %v", rate, known)
	}
	if n := len(l.deadlocks); n > 62 {
		t.Errorf("%d counts are kept", n)
	}
	l.count(deadlocks{noon.Add(time.Hour), 172}) // no reading for 58 minutes
	if rate, _ := l.deadlocksPerMinute(); rate < 1 || rate > 1.1 {
		t.Errorf("%v a minute after an hour without a look", rate)
	}
	l.count(deadlocks{noon.Add(2 * time.Hour), 3})
	if _, known := l.deadlocksPerMinute(); known {
		t.Error("it compares with before the server was started anew")
	}
}

func (s *env) health() Health {
	s.Helper()
	return domaintest.OK(s.monitor.Health(s.Context()))(s)
}

// stale makes the next reader look at the database again.
func (s *env) stale() {
	s.monitor.loads.last.at = s.monitor.loads.last.at.Add(-healthFresh)
}

// poorAccount returns the database as an account with no more than a grant sees it.
func poorAccount(t *testing.T, d *db.DB, grant string) (name string, poor *db.DB) {
	t.Helper()
	var database string
	domaintest.Must(t, d.SQL.QueryRowContext(t.Context(), "SELECT DATABASE()").Scan(&database))
	name = "poor" + strings.ToLower(rand.Text()[:10])
	domaintest.Exec(t, d, "CREATE USER '"+name+"'@'%' IDENTIFIED BY 'x'")
	t.Cleanup(func() { d.SQL.Exec("DROP USER '" + name + "'@'%'") })
	domaintest.Exec(t, d, "GRANT "+fmt.Sprintf(grant, database)+" TO '"+name+"'@'%'")
	_, address, _ := strings.Cut(dbtest.Named(t, database), "@")
	poor = domaintest.OK(db.Open("mysql://" + name + ":x@" + address))(t)
	t.Cleanup(func() { poor.Close() })
	return name, poor
}
