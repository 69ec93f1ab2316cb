package worker

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
)

// agoes moves all times of migrations in the database back by days, as if no worker had run since.
func (b env) agoes(days int) {
	b.t.Helper()
	rows := domaintest.OK(b.d.SQL.Query(`SELECT table_name, column_name FROM information_schema.columns
		WHERE table_schema = DATABASE() AND table_name LIKE 'migration\_%' AND data_type = 'datetime'`))(b.t)
	defer rows.Close()
	var moves []string
	for rows.Next() {
		var table, column string
		domaintest.Must(b.t, rows.Scan(&table, &column))
		moves = append(moves, fmt.Sprintf("UPDATE %s SET %s = %s - INTERVAL %d DAY", table, column, column, days))
	}
	if err := rows.Err(); err != nil || len(moves) < 10 {
		b.t.Fatal(moves, err)
	}
	for _, move := range moves {
		b.exec(move)
	}
}

func TestARunResumesAfterDays(t *testing.T) {
	t.Parallel()
	const tasks, canary, days = 100, 60, 9 // after seven, workers that are gone are forgotten
	var mu sync.Mutex
	done := map[string]int{}
	refusing, gate := true, make(chan struct{})
	close(gate)
	b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(ctx context.Context, w *migrations.Work) error {
		mu.Lock()
		open, refused := gate, refusing && w.Task.Payload[len(w.Task.Payload)-1] == '7'
		mu.Unlock()
		select {
		case <-open:
		case <-ctx.Done():
			return ctx.Err()
		}
		if refused {
			return migrations.Later{After: time.Hour, Host: "images.example", Reason: "429 Too Many Requests"}
		}
		mu.Lock()
		done[w.Task.Payload]++
		mu.Unlock()
		return nil
	}})
	run := b.running(tasks, migrations.Knobs{Attempts: 1})
	b.exec("UPDATE migration_run SET canary_left = ? WHERE id = ?", canary, uint64(run))
	stop := b.works()
	b.waitFor(run, migrations.Paused)
	stop()
	before := b.progress(run)
	if before.Complete != canary || before.Waiting == 0 || before.Processing != 0 {
		t.Fatalf("%+v", before)
	}

	b.agoes(days)
	mu.Lock()
	refusing, gate = false, make(chan struct{})
	mu.Unlock()
	later := b.another()
	sane := func() monitor.Statistics {
		t.Helper()
		p := domaintest.OK(later.p.monitor.Statistics(t.Context(), run))(t)
		for _, rate := range []float64{p.Now, p.TenMinutes, p.Errors} {
			if math.IsNaN(rate) || rate < 0 || rate > tasks {
				t.Errorf("rates %g, %g, %g", p.Now, p.TenMinutes, p.Errors)
			}
		}
		if p.ETA.Known && (p.ETA.Low < 0 || p.ETA.High < p.ETA.Low || p.ETA.High > 24*time.Hour) {
			t.Errorf("from %s to %s left", p.ETA.Low, p.ETA.High)
		}
		return p
	}
	if p := sane(); p.Now != 0 || p.TenMinutes != 0 || p.ETA.Known || p.Living != 0 || p.Closed != nil {
		t.Errorf("before anybody works: %+v", p)
	}
	later.works()
	if got := later.progress(run); got != before || later.state(run) != migrations.Paused {
		t.Errorf("it went on by itself: %s, %+v", later.state(run), got)
	}
	domaintest.OK(later.ResumeRun(t.Context(), migrations.Actor{Name: "Ann"}, run))(t)
	later.until("tasks are under way, and those that waited are due", func() bool {
		p := later.progress(run)
		return p.Processing > 0 && p.Waiting == 0
	})
	if p := sane(); p.Living > 1 {
		t.Errorf("%d workers live", p.Living)
	}
	close(gate)
	later.until("it is complete", func() bool { sane(); return later.state(run) == migrations.Complete })
	if p := later.progress(run); p.Complete != tasks || p.Errors != 0 {
		t.Errorf("%+v", p)
	}
	later.adds(run)
	mu.Lock()
	defer mu.Unlock()
	for n := range tasks {
		if times := done[fmt.Sprint(n)]; times != 1 {
			t.Errorf("task %d was done %d times", n, times)
		}
	}
}
