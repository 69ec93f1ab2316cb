package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// TaskLoad is a number of tasks that do nothing, for each number of workers with each size of a block. A rival stops
// after its Patience, or does all if that is 0; ours does all.
type TaskLoad struct {
	Tasks           int
	Workers, Blocks []int
	Patience        time.Duration
}

// Migrations measures ways to hand out and complete tasks on an empty scratch database, one after the other. Duplicates
// are tasks completed twice, Gaps tasks not completed.
func Migrations(ctx context.Context, d *db.DB, load TaskLoad) (Report, error) {
	d.Connections(slices.Max(load.Workers)*2 + 20)
	report, err := newReport(ctx, d)
	if err != nil {
		return Report{}, err
	}
	report.unit = "tasks"
	for _, workers := range load.Workers {
		for _, block := range load.Blocks {
			for _, rival := range taskRivals {
				row, err := measureRival(ctx, d, rival, load, workers, block)
				if err != nil {
					return Report{}, fmt.Errorf("%s with %d workers, block %d: %w", rival.name, workers, block, err)
				}
				report.Rows = append(report.Rows, row)
			}
			row, err := measureEngine(ctx, d, load, workers, block)
			if err != nil {
				return Report{}, fmt.Errorf("ours with %d workers, block %d: %w", workers, block, err)
			}
			report.Rows = append(report.Rows, row)
		}
	}
	report.compare(load)
	err = report.waiting(ctx, d, min(load.Tasks, 20_000))
	return report, err
}

// waiting measures one worker whose tasks wait, as downloads do.
func (r *Report) waiting(ctx context.Context, d *db.DB, tasks int) error {
	const wait, atOnce, block = 50 * time.Millisecond, 200, 100
	row := Row{Measure: "waiting", Strategy: "ours, waiting", Workers: 1, Block: block, Most: atOnce / wait.Seconds(),
		Note: fmt.Sprintf("whole engine; each task waits %s, %d at a time", wait, atOnce)}
	row, err := runIdle(ctx, d, &idleWork{wait: wait}, row, tasks, migrations.KnobChange{"concurrency": float64(atOnce),
		"block": float64(block)})
	if err != nil {
		return fmt.Errorf("tasks that wait: %w", err)
	}
	r.Rows = append(r.Rows, row)
	r.remarks = append(r.remarks, fmt.Sprintf("1 worker, waiting %s in each task, %d at a time: %.0f/s of %.0f.", wait,
		atOnce, row.PerSecond, row.Most))
	return nil
}

func to[T any](value T) *T { return &value }

// compare adds how our rows compare with the original at the block it was designed with, the first one, and what the
// figures of a stopped strategy are worth.
func (r *Report) compare(load TaskLoad) {
	for _, workers := range load.Workers {
		base := r.find("original", workers, load.Blocks[0])
		for _, block := range load.Blocks {
			ours := r.find("ours", workers, block)
			r.remarks = append(r.remarks, fmt.Sprintf("%d workers: ours at block %d is %.1f × the original at block %d%s.",
				workers, block, ours.PerSecond/base.PerSecond, load.Blocks[0], base.measured()))
		}
	}
	if slices.ContainsFunc(r.Rows, Row.stopped) {
		r.remarks = append(r.remarks,
			fmt.Sprintf("A strategy that did not do all tasks was stopped after %s. The more tasks are open, the longer the original searches: "+
				"over a whole run it is faster than it is here. With --patience 0 every strategy does all.", load.Patience))
	}
}

// measured names the tasks of a row's figures, if they are not all.
func (r Row) measured() string {
	if !r.stopped() {
		return ""
	}
	return fmt.Sprintf(", measured with its first %d tasks", r.Done)
}

func (r *Report) find(strategy string, workers, block int) Row {
	for _, row := range r.Rows {
		if row.Measure == "" && row.Strategy == strategy && row.Workers == workers && row.Block == block {
			return row
		}
	}
	return Row{}
}

// durations collects the durations of calls.
type durations struct {
	mu   sync.Mutex
	list []time.Duration
}

func (d *durations) add(t time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, t)
}

// quantiles returns the median and the 99th percentile in milliseconds.
func (d *durations) quantiles() (p50, p99 float64) {
	slices.Sort(d.list)
	return quantile(d.list, 0.5), quantile(d.list, 0.99)
}

// together runs do for each worker at once and returns the first error.
func together(workers int, do func(worker int) error) error {
	errs := make(chan error, workers)
	for worker := range workers {
		go func() { errs <- do(worker) }()
	}
	var first error
	for range workers {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}
