package monitor

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

const (
	chartSamples = 180
	chartMarks   = 100
	lately       = 17 * time.Second // three samples and what came since
	tenMinutes   = 10*time.Minute + 2*time.Second
	closedShown  = 5
	farthest     = 365 * 24 * time.Hour // an ETA beyond it is none
)

// Statistics is how fast a run goes. Rates count tasks that were completed or failed for good, per second.
type Statistics struct {
	Now          float64 // over about the last 15 seconds
	TenMinutes   float64 // over the last ten minutes, or since it began
	Errors       float64 // failed attempts per second, over about the last 15 seconds
	ETA          ETA
	Samples      []Sample           // the last 180 at most, oldest first; every five seconds while the run is active
	Marks        []migrations.Event // actions of operators and the engine in the time of Samples, oldest first; before it, Start
	Workers      []RunWorker        // those who live, by id, with what they do for the run
	Idle, Living int                // of the workers: those that act on the run's present state and have none of its tasks, and all
	// Closed are hosts with a block by any run, while tasks of this one wait: the longest blocks first, five at most.
	// MoreClosed: there are others.
	Closed     []ClosedHost
	MoreClosed bool
}

// Sample is what a run's counters showed at a time.
type Sample struct {
	At                                            time.Time
	Complete, Failed, Skipped, Errors, Processing int64
}

// ClosedHost is a host that gets no requests until then, for the reason that it gave.
type ClosedHost struct {
	Host   string
	Until  time.Time
	Reason string
}

// ETA is in what time the run is likely to be over, as a range. It is not Known below 0.5 % done, while
// the run does not run, and while all that is left waits for its next attempt.
type ETA struct {
	Low, High time.Duration
	Known     bool
}

// RunWorker is what a worker does for a run.
type RunWorker struct {
	migrations.Worker
	Claimed  int64 // tasks of the run that it has claimed and not finished
	Complete int64
	Failed   int64
	Errors   int64 // attempts
	Refused  int64 // completions that came too late
	// Seen says that the worker acts on the run's present state and knobs, and had none of its tasks when it
	// acknowledged them.
	Seen bool
}

// Statistics measures a run. Its reads do not grow with the run. It returns RunNotFound.
func (m *Monitor) Statistics(ctx context.Context, run id.Run) (Statistics, error) {
	row, workers, err := m.workersOf(ctx, run)
	if err != nil {
		return Statistics{}, err
	}
	rows, err := db.Read(m.db.LastSamples(ctx, run, chartSamples))
	if err != nil {
		return Statistics{}, err
	}
	progress, err := db.Read(m.db.ProgressOf(ctx, run))
	if err != nil {
		return Statistics{}, err
	}
	p := Statistics{Workers: workers, Living: len(workers)}
	for _, w := range workers {
		if w.Seen && w.Claimed == 0 {
			p.Idle++
		}
	}
	for _, s := range slices.Backward(rows) {
		p.Samples = append(p.Samples, Sample{At: s.At, Complete: s.Complete, Failed: s.Failed, Skipped: s.Skipped,
			Errors: s.Errors, Processing: s.Processing})
	}
	p.measure(migrations.State(row.MigrationRun.State), row.MigrationRun.Total,
		migrations.ProgressOf(row.MigrationRun.Total, progress), row.At)
	if migrations.State(row.MigrationRun.State).IsActive() && progress.Waiting > 0 {
		if p.Closed, p.MoreClosed, err = m.closedHosts(ctx, row.At); err != nil {
			return Statistics{}, err
		}
	}
	p.Marks, err = m.marks(ctx, run, p.Samples)
	return p, err
}

// closedHosts are those that are left alone at a time.
func (m *Monitor) closedHosts(ctx context.Context, at time.Time) (list []ClosedHost, more bool, err error) {
	rows, err := db.Read(m.db.BlockedUpstreams(ctx, closedShown+1))
	if err != nil {
		return nil, false, err
	}
	more = len(rows) > closedShown
	rows = rows[:min(len(rows), closedShown)]
	for _, row := range rows {
		left := time.Duration(row.LeftUs) * time.Microsecond
		list = append(list, ClosedHost{Host: row.Host, Until: at.Add(left).Round(time.Second), Reason: row.Reason})
	}
	return list, more, nil
}

// marks are the events in the time of the samples. If these are all that the run has, Start is among them: it comes
// before the first.
func (m *Monitor) marks(ctx context.Context, run id.Run, samples []Sample) ([]migrations.Event, error) {
	if len(samples) == 0 {
		return nil, nil
	}
	rows, err := db.Read(m.db.RunEventsOf(ctx, db.RunEventsOfParams{RunID: run, Before: math.MaxInt64, Limit: chartMarks}))
	if err != nil {
		return nil, err
	}
	var marks []migrations.Event
	for _, row := range rows {
		before := row.CreatedAt.Before(samples[0].At)
		if before && len(samples) == chartSamples {
			break
		}
		if before && migrations.State(row.Kind) != migrations.Running {
			continue
		}
		marks = append(marks, migrations.EventFrom(row))
		if before {
			break
		}
	}
	slices.Reverse(marks)
	return marks, nil
}

// measure works out the rates and the ETA at a time, from the samples and the counters then.
func (p *Statistics) measure(state migrations.State, total uint64, progress migrations.Progress, at time.Time) {
	if !state.IsActive() {
		return
	}
	points := slices.Clip(p.Samples)
	if n := len(points); n == 0 || points[n-1].At.Before(at) {
		points = append(points, Sample{At: at, Complete: progress.Complete, Failed: progress.Failed, Errors: progress.Errors})
	}
	last := points[len(points)-1].At
	short, long := since(points, last.Add(-lately)), since(points, last.Add(-tenMinutes))
	p.Now, p.TenMinutes, p.Errors = perSecond(short, finishedBetween), perSecond(long, finishedBetween),
		perSecond(short, failures)
	if state == migrations.Running && progress.Open+progress.Processing > 0 &&
		float64(progress.Done()) >= float64(total)*0.005 {
		p.ETA = eta(float64(progress.Open+progress.Processing+progress.Waiting), p.Now, p.TenMinutes, spread(long))
	}
}

// since returns the samples from a time on.
func since(points []Sample, from time.Time) []Sample {
	first := slices.IndexFunc(points, func(s Sample) bool { return !s.At.Before(from) })
	return points[max(first, 0):]
}

// finishedBetween and failures are what happened between two samples. A counter that fell, as when failed
// tasks are to be done again, takes nothing away from what was done.
func finishedBetween(before, after Sample) float64 {
	return float64(max(0, after.Complete-before.Complete) + max(0, after.Failed-before.Failed))
}

func failures(before, after Sample) float64 { return float64(max(0, after.Errors-before.Errors)) }

// perSecond is a rate over samples; 0 before there are two.
func perSecond(points []Sample, what func(before, after Sample) float64) float64 {
	took := points[len(points)-1].At.Sub(points[0].At).Seconds()
	if took < 1 {
		return 0
	}
	sum := 0.0
	for i := 1; i < len(points); i++ {
		sum += what(points[i-1], points[i])
	}
	return sum / took
}

// spread is how far the mean of the samples' rates may be from the true one: two standard errors, half of the mean for
// few samples.
func spread(points []Sample) float64 {
	mean := perSecond(points, finishedBetween)
	var n, squares float64
	for i := 1; i < len(points); i++ {
		if took := points[i].At.Sub(points[i-1].At).Seconds(); took >= 1 {
			off := finishedBetween(points[i-1], points[i])/took - mean
			n, squares = n+1, squares+off*off
		}
	}
	if n < 4 {
		return mean / 2
	}
	return 2 * math.Sqrt(squares/(n-1)/n)
}

// eta is the range from the rest at the better of the rates to the rest at the worse, each with the spread; the worse
// counts as a quarter of the long one at least, because a short pause of tasks says little. Without progress for ten
// minutes there is none.
func eta(left, now, long, spread float64) ETA {
	fast, slow := max(now, long)+spread, max(min(now, long)-spread, long/4)
	if left <= 0 || slow <= 0 || left/slow > farthest.Seconds() {
		return ETA{}
	}
	return ETA{
		Low:   time.Duration(left / fast * float64(time.Second)),
		High:  time.Duration(left / slow * float64(time.Second)),
		Known: true,
	}
}

// workersOf reads a run as it is now, and the workers who live, with what they do for it.
func (m *Monitor) workersOf(ctx context.Context, run id.Run) (db.RunWithTimeRow, []RunWorker, error) {
	row, err := db.Read(m.db.RunWithTime(ctx, run))
	if db.IsNotFound(err) {
		return row, nil, migrations.RunNotFound(run)
	}
	if err != nil {
		return row, nil, err
	}
	living, err := db.Read(m.db.LivingWorkers(ctx))
	if err != nil {
		return row, nil, err
	}
	counters, err := db.Read(m.db.CountersOf(ctx, run))
	if err != nil {
		return row, nil, err
	}
	of := make(map[id.Worker]db.MigrationCounter, len(counters))
	for _, c := range counters {
		of[c.WorkerID] = c
	}
	workers := make([]RunWorker, len(living))
	for i, w := range living {
		c := of[w.MigrationWorker.ID]
		workers[i] = RunWorker{
			Worker: migrations.WorkerFrom(w.MigrationWorker, w.LeftUs), Seen: c.Seen >= row.MigrationRun.Version,
			Claimed: max(0, c.Processing), Complete: max(0, c.Complete), Failed: max(0, c.Failed), Errors: c.Errors,
			Refused: c.Refused,
		}
	}
	return row, workers, nil
}
