package monitor

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// env is a run in a database of its own, and a keeper that looks at it when the test says so.
type env struct {
	*testing.T
	db      *db.DB
	engine  *migrations.Engine
	monitor *Monitor
	run     id.Run
	at      time.Time // of the keeper's next look
}

func newEnv(t *testing.T, knobs migrations.Knobs, replicas ...Replica) *env {
	t.Helper()
	d := dbtest.Open(t)
	engine := migrations.New(d, nil, nil)
	s := &env{T: t, db: d, engine: engine, monitor: New(d, engine, replicas...), run: 1, at: time.Now()}
	s.exec(`INSERT INTO migration_run (id, name, params, state, state_since, knobs, total, actor, created_at)
		VALUES (1, 'test', '{}', 'running', NOW(6), ?, 1000, 'Ann', NOW(6))`, text(t, knobs))
	return s
}

func text(t *testing.T, knobs migrations.Knobs) string {
	t.Helper()
	b := domaintest.OK(json.Marshal(knobs))(t)
	return string(b)
}

func (s *env) exec(statement string, args ...any) {
	s.Helper()
	domaintest.Exec(s.T, s.db, statement, args...)
}

// number is what a statement finds.
func (s *env) number(statement string, args ...any) int {
	s.Helper()
	return domaintest.Number(s.T, s.db, statement, args...)
}

// now is the run as the keeper finds it.
func (s *env) now() migrations.Run {
	s.Helper()
	return domaintest.OK(s.engine.Run(s.Context(), s.run))(s)
}

// check has the keeper look once, a second after its last look, and returns the run.
func (s *env) check() migrations.Run {
	s.Helper()
	s.at = s.at.Add(time.Second)
	domaintest.Must(s, s.monitor.watchAt(s.Context(), []migrations.Run{s.now()}, s.at))
	return s.now()
}

// until looks until the run is in the state.
func (s *env) until(state migrations.State) migrations.Run {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 5*time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if run := s.check(); run.State == state {
			return run
		}
	}
	s.Fatalf("the run does not become %s: %+v", state, s.now())
	return migrations.Run{}
}

// events are the kinds of the run's events.
func (s *env) events() string {
	s.Helper()
	rows := domaintest.OK(s.db.RunEventsOf(s.Context(), db.RunEventsOfParams{RunID: s.run, Before: math.MaxInt64,
		Limit: 100}))(s)
	var kinds []string
	for i := range rows {
		kinds = append(kinds, rows[len(rows)-1-i].Kind)
	}
	return strings.Join(kinds, " ")
}

// changeKnobs sets the run's knobs, as an operator does.
func (s *env) changeKnobs(knobs migrations.Knobs) {
	s.Helper()
	s.exec("UPDATE migration_run SET knobs = ?, version = version + 1 WHERE id = 1", text(s.T, knobs))
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	t.Run("while more threads run than the limit", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, migrations.Knobs{MaxThreads: 50})
		if run := s.check(); run.State != migrations.Running {
			t.Fatalf("throttled without need: %+v", run)
		}
		wake := sleepers(t, s.db, 60)
		run := s.until(migrations.Throttled)
		if !strings.HasSuffix(run.Reason, "threads run in the database; the limit is 50.") {
			t.Errorf("reason %q", run.Reason)
		}
		wake()
		if run := s.until(migrations.Running); run.Reason != "" {
			t.Errorf("it runs with the reason %q", run.Reason)
		}
		if got := s.events(); got != "throttled running" {
			t.Errorf("events %q", got)
		}
	})

	t.Run("while the history list is longer than the limit", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, migrations.Knobs{MaxHistory: 20})
		view := oldView(t, s.db)
		defer view.Close()
		for range 100 {
			s.exec("UPDATE migration_run SET total = total + 1 WHERE id = 1")
		}
		run := s.until(migrations.Throttled)
		if !strings.HasSuffix(run.Reason, "old row versions wait for purge (the history list); the limit is 20.") {
			t.Errorf("reason %q", run.Reason)
		}
		s.changeKnobs(migrations.Knobs{MaxHistory: 1 << 40})
		s.until(migrations.Running)
	})

	t.Run("while a replica is too far behind", func(t *testing.T) {
		t.Parallel()
		replica := dbtest.Open(t)
		s := newEnv(t, migrations.Knobs{MaxLag: 10 * time.Second}, Replica{"db2", replica})
		beat(t, s.db, "2026-01-01 00:00:13.1")
		beat(t, replica, "2026-01-01 00:00:00")
		run := s.check()
		if run.State != migrations.Throttled || run.Reason != "Replica db2 is 13.1 s behind; the limit is 10 s." {
			t.Fatalf("%s: %q", run.State, run.Reason)
		}
		beat(t, s.db, "2026-01-01 00:00:15")
		reason := s.check()
		if reason.Reason != "Replica db2 is 15 s behind; the limit is 10 s." || reason.Version != run.Version {
			t.Errorf("version %d, then %d, %q", run.Version, reason.Version, reason.Reason)
		}
		beat(t, replica, "2026-01-01 00:00:15")
		for range 3 {
			if run := s.check(); run.State != migrations.Throttled {
				t.Fatal("it went on before the replica was near for a while")
			}
		}
		beat(t, replica, "2026-01-01 00:00:01")
		s.check()
		beat(t, replica, "2026-01-01 00:00:15")
		for range 3 {
			if run := s.check(); run.State != migrations.Throttled {
				t.Fatal("the while did not begin anew")
			}
		}
		if run := s.check(); run.State != migrations.Running || run.Reason != "" {
			t.Errorf("%s: %q", run.State, run.Reason)
		}
		if got := s.events(); got != "throttled running" {
			t.Errorf("events %q", got)
		}
	})

	t.Run("a replica that stops to answer falls behind from then on", func(t *testing.T) {
		t.Parallel()
		replica := dbtest.Open(t)
		s := newEnv(t, migrations.Knobs{MaxLag: 10 * time.Second}, Replica{"db2", replica})
		beat(t, s.db, "2026-01-01 00:00:05")
		beat(t, replica, "2026-01-01 00:00:00")
		s.check()
		replica.Close()
		for range 5 {
			if run := s.check(); run.State != migrations.Running {
				t.Fatalf("throttled after one answer too few: %q", run.Reason)
			}
		}
		run := s.check()
		if run.State != migrations.Throttled || !strings.HasPrefix(run.Reason, "Replica db2 cannot be read: ") ||
			!strings.HasSuffix(run.Reason, "6 s ago it was 5 s behind, and the limit is 10 s.") {
			t.Errorf("%s: %q", run.State, run.Reason)
		}
		s.changeKnobs(migrations.Knobs{})
		s.until(migrations.Running)
	})

	t.Run("a replica that never answered is too far behind", func(t *testing.T) {
		t.Parallel()
		missing := domaintest.OK(db.Open("mysql://nobody@unix(" + t.TempDir() + "/no.sock)/nothing"))(t)
		defer missing.Close()
		s := newEnv(t, migrations.Knobs{MaxLag: time.Hour}, Replica{"db3", missing})
		beat(t, s.db, "2026-01-01 00:00:05")
		if run := s.check(); run.State != migrations.Throttled ||
			!strings.HasPrefix(run.Reason, "Replica db3 cannot be read: ") {
			t.Errorf("%s: %q", run.State, run.Reason)
		}
	})

	t.Run("by hand, until it is turned off", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, migrations.Knobs{Throttled: true})
		if run := s.check(); run.State != migrations.Throttled || run.Reason != manualReason {
			t.Fatalf("%s: %q", run.State, run.Reason)
		}
		s.changeKnobs(migrations.Knobs{})
		if run := s.check(); run.State != migrations.Running {
			t.Errorf("%s: %q", run.State, run.Reason)
		}
	})

	t.Run("an operator's pause in the meantime wins", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, migrations.Knobs{Throttled: true})
		before := s.now()
		s.exec("UPDATE migration_run SET state = 'pausing', reason = 'Ann paused it.' WHERE id = 1")
		domaintest.Must(t, s.monitor.watchAt(t.Context(), []migrations.Run{before}, s.at))
		if run := s.now(); run.State != migrations.Pausing || run.Reason != "Ann paused it." {
			t.Errorf("%s: %q", run.State, run.Reason)
		}
	})
}

// sleepers has n connections run SLEEP until the function that it returns wakes them.
func sleepers(t *testing.T, d *db.DB, n int) (wake func()) {
	t.Helper()
	pool := domaintest.OK(db.Open(urlOf(t, d)))(t)
	pool.Connections(n)
	t.Cleanup(func() { pool.Close() })
	threads, ended := make([]uint64, n), make(chan error, n)
	for i := range n {
		conn := domaintest.OK(pool.SQL.Conn(t.Context()))(t)
		domaintest.Must(t, conn.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&threads[i]))
		go func() {
			defer conn.Close()
			_, err := conn.ExecContext(context.Background(), "DO SLEEP(300)")
			ended <- err
		}()
	}
	return func() {
		for _, thread := range threads {
			d.SQL.ExecContext(t.Context(), fmt.Sprintf("KILL %d", thread))
		}
		for range threads {
			<-ended
		}
	}
}

// urlOf returns the address of a test's database.
func urlOf(t *testing.T, d *db.DB) string {
	t.Helper()
	var name string
	domaintest.Must(t, d.SQL.QueryRowContext(t.Context(), "SELECT DATABASE()").Scan(&name))
	return dbtest.Named(t, name)
}

// A machine may be slow; only what says so is to be taken for dead.
func init() { replicaTimeout = time.Minute }

// oldView is a transaction that keeps purge from removing what is changed after it.
func oldView(t *testing.T, d *db.DB) *sql.Conn {
	t.Helper()
	conn := domaintest.OK(d.SQL.Conn(t.Context()))(t)
	for _, statement := range []string{"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
		"START TRANSACTION WITH CONSISTENT SNAPSHOT", "DO (SELECT COUNT(*) FROM migration_run)"} {
		domaintest.OK(conn.ExecContext(t.Context(), statement))(t)
	}
	return conn
}

// beat sets the heartbeat of the keeper.
func beat(t *testing.T, d *db.DB, at string) {
	t.Helper()
	domaintest.Exec(t, d,
		"REPLACE INTO migration_lease (name, worker_id, renewed_at, lease_until) VALUES ('keeper', 1, ?, ?)", at, at)
}
