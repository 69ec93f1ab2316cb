package monitor

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// steady has samples every five seconds up to noon, at a rate.
func steady(n int, perSecond float64) (samples []Sample) {
	for i := range n {
		samples = append(samples, Sample{At: noon.Add(time.Duration(i-n+1) * 5 * time.Second),
			Complete: int64(float64(i*5) * perSecond)})
	}
	return samples
}

func measure(state migrations.State, total uint64, progress migrations.Progress, samples []Sample) Statistics {
	p := Statistics{Samples: samples}
	p.measure(state, total, progress, noon.Add(time.Second))
	return p
}

func TestRates(t *testing.T) {
	t.Parallel()
	t.Run("an even run has one rate and an ETA around its rest", func(t *testing.T) {
		t.Parallel()
		p := measure(migrations.Running, 20_000, migrations.Progress{Complete: 9_060, Open: 10_940}, steady(181, 10)) // to 9,000 at noon, 60 a second later
		if math.Abs(p.Now-12.5) > 3 || math.Abs(p.TenMinutes-10.1) > 0.1 {
			t.Errorf("now %.2f, ten minutes %.2f", p.Now, p.TenMinutes)
		}
		if even := time.Duration(10_940/10) * time.Second; !p.ETA.Known || p.ETA.Low > even || p.ETA.High < even ||
			p.ETA.High > 2*even {
			t.Errorf("%+v; want %s within", p.ETA, even)
		}
	})
	t.Run("tasks that are to be done again take nothing away from the rate", func(t *testing.T) {
		t.Parallel()
		samples := []Sample{{At: noon.Add(-15 * time.Second), Failed: 5_000},
			{At: noon.Add(-10 * time.Second), Failed: 5_100}, {At: noon.Add(-5 * time.Second)}, {At: noon, Complete: 50}}
		p := measure(migrations.Running, 10_000, migrations.Progress{Complete: 60, Open: 9_940}, samples)
		if want := 160.0 / 16; p.Now != want || p.TenMinutes != want {
			t.Errorf("%v and %v, not %v", p.Now, p.TenMinutes, want)
		}
	})
	t.Run("skipping is no work", func(t *testing.T) {
		t.Parallel()
		p := measure(migrations.Running, 10_000, migrations.Progress{Skipped: 5_000, Open: 5_000},
			[]Sample{{At: noon.Add(-5 * time.Second)}, {At: noon, Skipped: 5_000}})
		if p.Now != 0 || p.ETA.Known {
			t.Errorf("%+v", p)
		}
	})
	t.Run("a pause of days is in no rate", func(t *testing.T) {
		t.Parallel()
		samples := []Sample{{At: noon.Add(-72 * time.Hour), Complete: 100}, {At: noon.Add(-5 * time.Second), Complete: 100},
			{At: noon, Complete: 600}}
		p := measure(migrations.Running, 10_000, migrations.Progress{Complete: 700, Open: 9_300}, samples)
		if p.Now != 100 || p.TenMinutes != 100 {
			t.Errorf("%v and %v", p.Now, p.TenMinutes)
		}
	})
	t.Run("there is no ETA", func(t *testing.T) {
		t.Parallel()
		for name, p := range map[string]Statistics{
			"below half a percent": measure(migrations.Running, 10_000_000,
				migrations.Progress{Complete: 9_010, Open: 9_990_990}, steady(180, 10)),
			"while paused": measure(migrations.Paused, 20_000,
				migrations.Progress{Complete: 9_010, Open: 10_990}, steady(180, 10)),
			"while throttled": measure(migrations.Throttled, 20_000,
				migrations.Progress{Complete: 9_010, Open: 10_990}, steady(180, 10)),
			"when it is over": measure(migrations.Complete, 9_010, migrations.Progress{Complete: 9_010},
				steady(180, 10)),
			"when nothing is left": measure(migrations.Running, 9_010, migrations.Progress{Complete: 9_010},
				steady(180, 10)),
			"while all that is left waits": measure(migrations.Running, 20_000,
				migrations.Progress{Complete: 9_010, Waiting: 10_990}, steady(180, 10)),
			"while nothing is done": measure(migrations.Running, 20_000,
				migrations.Progress{Complete: 9_000, Open: 11_000}, []Sample{{At: noon.Add(-time.Minute), Complete: 9_000},
					{At: noon, Complete: 9_000}}),
			"without samples": measure(migrations.Running, 20_000,
				migrations.Progress{Complete: 9_000, Open: 11_000}, nil),
		} {
			if p.ETA != (ETA{}) {
				t.Errorf("%s: %+v", name, p.ETA)
			}
		}
	})
}

func TestStatisticsOfAnySamplesAreNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "samples")
		at := noon
		var samples []Sample
		for range n {
			at = at.Add(rapid.Custom(func(t *rapid.T) time.Duration {
				return time.Duration(rapid.OneOf(rapid.Int64Range(1, 1000), rapid.Int64Range(1e6, 1e8),
					rapid.Int64Range(1e9, 1e12)).Draw(t, "µs")) * time.Microsecond
			}).Draw(t, "gap"))
			samples = append(samples, Sample{
				At: at, Complete: rapid.Int64Range(-5, 1e9).Draw(t, "complete"),
				Failed: rapid.Int64Range(-5, 1e9).Draw(t, "failed"), Errors: rapid.Int64Range(0, 1e9).Draw(t, "errors"),
			})
		}
		total := rapid.Uint64Range(0, 1e12).Draw(t, "total")
		progress := migrations.Progress{Complete: rapid.Int64Range(0, 1e9).Draw(t, "done"),
			Waiting: rapid.Int64Range(0, 1e3).Draw(t, "waiting")}
		progress.Open = int64(total) - progress.Complete - progress.Waiting
		p := Statistics{Samples: samples}
		p.measure(rapid.SampledFrom(append(migrations.Active, migrations.Complete, migrations.Cancelled)).Draw(t, "state"),
			total, progress, at.Add(time.Duration(rapid.Int64Range(-1e9, 1e10).Draw(t, "since"))))
		for name, rate := range map[string]float64{"now": p.Now, "ten minutes": p.TenMinutes, "errors": p.Errors} {
			if rate < 0 || math.IsNaN(rate) || math.IsInf(rate, 0) {
				t.Fatalf("%s: %v", name, rate)
			}
		}
		if p.ETA.Known && (p.ETA.Low < 0 || p.ETA.High < p.ETA.Low || p.ETA.High <= 0 || p.ETA.High > farthest) ||
			!p.ETA.Known && p.ETA != (ETA{}) {
			t.Fatalf("%+v", p.ETA)
		}
	})
}

// worker adds a worker whose lease ends in so many seconds.
func (s *env) worker(number int, state string, lease int) {
	s.Helper()
	s.exec(`INSERT INTO migration_worker (id, host, pid, version, state, claim_p99_us, started_at, beat_at, lease_until)
		VALUES (?, 'server', ?, '1', ?, ?, NOW(6), NOW(6), NOW(6) + INTERVAL ? SECOND)`, number, number, state, 1000*number, lease)
}

func TestStatistics(t *testing.T) {
	t.Parallel()
	s := newEnv(t, migrations.Knobs{})
	for number := range 4 {
		s.worker(number+1, migrations.WorkerActive, 30)
	}
	s.worker(5, migrations.WorkerActive, -1) // dead
	s.worker(6, migrations.WorkerStopped, 30)
	s.exec("UPDATE migration_run SET state = 'pausing', version = 7 WHERE id = 1")
	for number, c := range map[int][2]int{0: {-5, 0}, 1: {0, 7}, 2: {3, 6}, 3: {3, 7}, 5: {3, 7}} { // worker 4 has yet to see the run
		s.exec("INSERT INTO migration_counter (run_id, worker_id, processing, seen, complete) VALUES (1, ?, ?, ?, 10)",
			number, c[0], c[1])
	}
	s.exec("INSERT INTO migration_event (run_id, actor, kind, detail, created_at) VALUES (1, 'Ann', 'running', '', NOW(6) - INTERVAL 1 DAY)")
	for range 200 {
		domaintest.Must(t, s.db.AddSample(t.Context(), 1))
	}
	s.exec("INSERT INTO migration_event (run_id, actor, kind, detail, created_at) VALUES (1, 'Ann', 'pausing', '', NOW(6))")

	p := domaintest.OK(s.monitor.Statistics(t.Context(), 1))(t)
	if p.Idle != 1 || p.Living != 4 {
		t.Errorf("%d of %d workers idle; want 1 of 4", p.Idle, p.Living)
	}
	if len(p.Samples) != 180 || !p.Samples[0].At.Before(p.Samples[179].At) || p.Samples[0].Complete != 50 {
		t.Errorf("%d samples: %+v …", len(p.Samples), p.Samples[0])
	}
	if len(p.Marks) != 1 || p.Marks[0].Kind != "pausing" {
		t.Errorf("marks %+v", p.Marks)
	}
	workers := p.Workers
	got := ""
	for _, w := range workers {
		got += fmt.Sprintf("%d:%d:%v ", w.ID, w.Claimed, w.Seen)
	}
	if want := "1:0:true 2:3:false 3:3:true 4:0:false "; got != want {
		t.Errorf("workers %s, not %s", got, want)
	}
	if w := workers[1]; w.ClaimP99 != 2*time.Millisecond || w.Left <= 0 || w.Left > 30*time.Second || w.Complete != 10 {
		t.Errorf("%+v", w)
	}

	domaintest.Fails(s.monitor.Statistics(t.Context(), 99))(t, migrations.RunNotFound(99))
}

func TestStartIsMarked(t *testing.T) {
	t.Parallel()
	s := newEnv(t, migrations.Knobs{})
	event := func(kind string, ago int) {
		t.Helper()
		s.exec("INSERT INTO migration_event (run_id, actor, kind, detail, created_at) VALUES (1, 'Ann', ?, '', NOW(6) - INTERVAL ? SECOND)", kind, ago)
	}
	sample := func(n, ago int) {
		t.Helper()
		for i := range n {
			s.exec("INSERT INTO migration_sample VALUES (1, NOW(6) - INTERVAL ? SECOND + INTERVAL ? MICROSECOND, 0, 0, 0, 0, 0)",
				ago, i)
		}
	}
	marks := func() string {
		t.Helper()
		p := domaintest.OK(s.monitor.Statistics(t.Context(), 1))(t)
		var kinds []string
		for _, m := range p.Marks {
			kinds = append(kinds, m.Kind)
		}
		return strings.Join(kinds, " ")
	}
	event("open", 3000)
	event("ready", 2900)
	event("running", 2800)
	event("knob", 2799)
	sample(2, 2700)
	event("pausing", 2600)
	if got := marks(); got != "running pausing" {
		t.Errorf("the chart from the run's beginning on marks %q", got)
	}
	sample(chartSamples, 2650)
	if got := marks(); got != "pausing" {
		t.Errorf("a chart of a later time marks %q", got)
	}
}

func TestHostsThatAreLeftAlone(t *testing.T) {
	t.Parallel()
	t.Run("those for the longest come first, while tasks wait", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, migrations.Knobs{})
		for i := range 7 {
			s.exec("INSERT INTO migration_upstream VALUES (?, NOW(6) + INTERVAL ? SECOND, ?)", fmt.Sprintf("host%d.example", i),
				(i+1)*270, fmt.Sprintf("429 for the %d.", i))
		}
		s.exec("INSERT INTO migration_upstream VALUES ('open.example', NOW(6) - INTERVAL 1 SECOND, 'again open')")
		stats := func() Statistics {
			t.Helper()
			return domaintest.OK(s.monitor.Statistics(t.Context(), 1))(t)
		}
		if p := stats(); p.Closed != nil || p.MoreClosed {
			t.Errorf("no task waits: %+v", p.Closed)
		}
		s.count(db.AddToCounterParams{Waiting: 3})
		p := stats()
		if len(p.Closed) != closedShown || !p.MoreClosed || p.Closed[0].Host != "host6.example" ||
			p.Closed[4].Host != "host2.example" || p.Closed[0].Reason != "429 for the 6." {
			t.Errorf("%v %+v", p.MoreClosed, p.Closed)
		}
		if until := s.number(
			"SELECT TIMESTAMPDIFF(SECOND, ?, blocked_until) FROM migration_upstream WHERE host = 'host6.example'",
			p.Closed[0].Until); until < -2 || until > 2 {
			t.Errorf("until %d seconds before its end", until)
		}
		s.exec("UPDATE migration_run SET state = 'cancelled' WHERE id = 1")
		if p := stats(); p.Closed != nil {
			t.Errorf("the run is over: %+v", p.Closed)
		}
	})
	t.Run("blocks that are over are removed", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, migrations.Knobs{})
		s.exec("INSERT INTO migration_upstream VALUES ('a', NOW(6) - INTERVAL 1 SECOND, ''), ('b', NOW(6) + INTERVAL 1 DAY, '')")
		s.check()
		rows, err := s.db.BlockedUpstreams(t.Context(), 10)
		if err != nil || len(rows) != 1 {
			t.Errorf("%v, %v", rows, err)
		}
		var n int
		if err := s.db.SQL.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM migration_upstream").Scan(&n); err != nil ||
			n != 1 {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}

func TestStatisticsCostsNoMoreWithMoreTasks(t *testing.T) {
	t.Parallel()
	d, watch := dbtest.NewWatched(t)
	s := &env{T: t, db: d, monitor: New(d, migrations.New(d, nil, nil))}
	s.exec(`INSERT INTO migration_run (id, name, params, state, state_since, knobs, total, actor, created_at) VALUES (1, 'test', '{}', 'running', NOW(6), '{}', 1000, 'Ann', NOW(6))`)
	watch.Take()
	domaintest.OK(s.monitor.Statistics(t.Context(), 1))(t)
	sent, _ := watch.Take()
	for _, statement := range sent {
		if strings.Contains(statement, "migration_task") || strings.Contains(statement, "COUNT(") {
			t.Errorf("it looks at tasks: %s", statement)
		}
	}
	if len(sent) > 6 {
		t.Errorf("%d statements: %v", len(sent), sent)
	}
}

func TestSamples(t *testing.T) {
	t.Parallel()
	s := newEnv(t, migrations.Knobs{})
	samples := func() (n int) {
		t.Helper()
		return domaintest.Number(t, s.db, "SELECT COUNT(*) FROM migration_sample")
	}
	for range 11 {
		s.check()
	}
	if n := samples(); n != 3 {
		t.Errorf("%d samples in 11 seconds; want one every five", n)
	}
	s.exec("UPDATE migration_run SET state = 'paused' WHERE id = 1")
	s.count(db.AddToCounterParams{Complete: 7})
	for range 30 {
		s.check()
	}
	if n := samples(); n != 4 {
		t.Errorf("%d samples; want one more of what changed until the pause, and none of the pause", n)
	}

	t.Run("of more than a day ago, one in five minutes stays", func(t *testing.T) {
		s.exec("DELETE FROM migration_sample")
		s.exec("UPDATE migration_run SET created_at = NOW(6) - INTERVAL 10 DAY, state = 'running' WHERE id = 1")
		var rows []byte
		for minute := range 60 { // 2 days ago, every 5 seconds for an hour; and some of an hour ago
			for second := 0; second < 60; second += 5 {
				rows = fmt.Appendf(rows, ",(1, DATE(NOW()) - INTERVAL 2 DAY + INTERVAL %d SECOND, 0, 0, 0, 0, 0)", minute*60+second)
			}
		}
		s.exec("INSERT INTO migration_sample VALUES " + string(rows[1:]))
		s.exec("INSERT INTO migration_sample VALUES (1, NOW(6) - INTERVAL 23 HOUR, 0, 0, 0, 0, 0), (1, NOW(6) - INTERVAL 1 HOUR, 0, 0, 0, 0, 0)")
		s.monitor = New(s.db, s.engine)
		s.check()
		if n := samples(); n != 12+2+1 {
			t.Errorf("%d samples; want 12 of the old hour, 2 of today and the new one", n)
		}
	})
}
