package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/domain/migrations/worker"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// idleWork is a migration whose tasks do nothing, or wait; begun counts the starts of each.
type idleWork struct {
	wait  time.Duration
	begun sync.Map // id.Task to *atomic.Int64
}

func (w *idleWork) migration() *migrations.Migration {
	return &migrations.Migration{
		Name: "bench", Title: "Measurement", Description: "Tasks that do nothing.",
		Params: []migrations.Param{{Name: "tasks", Label: "Tasks", Kind: migrations.Number, Required: true, Min: 1,
			Max: 10_000_000}},
		Fill:    fillIdle,
		Process: w.process,
		Several: true,
	}
}

func fillIdle(ctx context.Context, into migrations.Filler) error {
	tasks, err := strconv.Atoi(into.Values()["tasks"])
	if err != nil {
		return err
	}
	first := 1
	if after := into.Cursor(); after != "" {
		if first, err = strconv.Atoi(after); err != nil {
			return err
		}
		first++
	}
	for n := first; n <= tasks; n++ {
		if err := into.Add(ctx, migrations.NewTask{Payload: "https://example.com/image.png",
			Cursor: strconv.Itoa(n)}); err != nil {
			return err
		}
	}
	return nil
}

func (w *idleWork) process(ctx context.Context, work *migrations.Work) error {
	count, _ := w.begun.LoadOrStore(work.Task.ID, new(atomic.Int64))
	count.(*atomic.Int64).Add(1)
	if w.wait == 0 {
		return nil
	}
	return wait.Sleep(ctx, w.wait)
}

// twice is the number of tasks that were started more than once.
func (w *idleWork) twice() (n uint64) {
	w.begun.Range(func(_, count any) bool {
		n += uint64(count.(*atomic.Int64).Load() - 1)
		return true
	})
	return n
}

// crewOf is workers, each with an engine and a lease of its own, as if each were a process.
type crewOf struct {
	engine  *migrations.Engine
	workers []*worker.Process
	end     context.CancelFunc
	ended   chan error
}

func newCrew(ctx context.Context, d *db.DB, workers int, work *idleWork) *crewOf {
	ctx, end := context.WithCancel(ctx)
	c := &crewOf{end: end, ended: make(chan error, workers)}
	for range workers {
		log := slog.New(slog.DiscardHandler)
		c.engine = migrations.New(d, nil, log, work.migration()) // of the last worker
		process := worker.New(d, c.engine, monitor.New(d, c.engine), "bench", log)
		c.workers = append(c.workers, process)
		go func() { c.ended <- process.Work(ctx) }()
	}
	return c
}

func (c *crewOf) stop() error {
	c.end()
	var failed []error
	for range c.workers {
		failed = append(failed, <-c.ended)
	}
	return errors.Join(failed...)
}

// measureEngine has the whole engine do the tasks: leases, fences, counters, keeper and all. The time is from the first
// claim to the last completion.
func measureEngine(ctx context.Context, d *db.DB, load TaskLoad, workers, block int) (Row, error) {
	work := &idleWork{}
	note := "whole engine: leases, fences, counters, completion in batches"
	return runIdle(ctx, d, work, Row{Strategy: "ours", Workers: workers, Block: block, Note: note}, load.Tasks,
		migrations.KnobChange{"block": float64(block)})
}

func runIdle(
	ctx context.Context, d *db.DB, work *idleWork, row Row, tasks int, knobs migrations.KnobChange,
) (Row, error) {
	return counted(ctx, d, func() (Row, error) { return runAlone(ctx, d, work, row, tasks, knobs) })
}

func runAlone(
	ctx context.Context, d *db.DB, work *idleWork, row Row, tasks int, knobs migrations.KnobChange,
) (_ Row, err error) {
	crew := newCrew(ctx, d, row.Workers, work)
	defer func() { err = errors.Join(err, crew.stop()) }()
	engine, actor := crew.engine, migrations.Actor{Name: "bench"}
	run, err := engine.OpenRun(ctx, actor, "bench", migrations.Values{"tasks": strconv.Itoa(tasks)}, migrations.Draft{})
	if err != nil {
		return row, err
	}
	if _, err := await(ctx, engine, run.ID, migrations.Ready); err != nil {
		return row, err
	}
	if _, err := engine.ChangeKnobs(ctx, actor, run.ID, knobs); err != nil {
		return row, err
	}
	if _, err := engine.StartRun(ctx, actor, run.ID, 0, nil); err != nil {
		return row, err
	}
	done, err := await(ctx, engine, run.ID, migrations.Complete)
	if err != nil {
		return row, err
	}
	var times durations
	for _, w := range crew.workers {
		times.list = append(times.list, w.ClaimTimes()...)
	}
	row.P50, row.P99 = times.quantiles()
	var took float64
	const between = "SELECT TIMESTAMPDIFF(MICROSECOND, MIN(claimed_at), MAX(finished_at)) / 1e6 FROM migration_task WHERE run_id = ?"
	if err := d.SQL.QueryRowContext(ctx, between, uint64(run.ID)).Scan(&took); err != nil {
		return row, err
	}
	row.PerSecond, row.Duplicates = float64(tasks)/took, work.twice()+uint64(done.Progress.Refused)
	row.Gaps, row.Errors = uint64(int64(tasks)-done.Progress.Complete), uint64(done.Progress.Errors)
	row.Tasks, row.Done = uint64(tasks), uint64(done.Progress.Complete)
	return row, nil
}

// await waits until the run is in the state.
func await(ctx context.Context, engine *migrations.Engine, run id.Run, state migrations.State) (migrations.Run, error) {
	for {
		now, err := engine.Run(ctx, run)
		if err != nil || now.State == state {
			return now, err
		}
		if !now.State.IsActive() || now.State == migrations.Paused {
			return now, fmt.Errorf("the run is %s, not %s: %s", now.State, state, now.Reason)
		}
		if err := wait.Sleep(ctx, 100*time.Millisecond); err != nil {
			return now, err
		}
	}
}
