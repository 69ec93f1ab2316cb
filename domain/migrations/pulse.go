package migrations

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// Pulse is how fast a run goes. Rates count tasks that were completed or failed for good, per second.
type Pulse struct {
	Now          float64 // over about the last 15 seconds
	TenMinutes   float64 // over the last ten minutes, or since it began
	Errors       float64 // failed attempts per second, over about the last 15 seconds
	ETA          ETA
	Samples      []Sample // the last 180 at most, oldest first; every five seconds while it goes on
	Marks        []Event  // what operators and the engine did in the time of Samples, oldest first
	Idle, Living int      // workers who hold nothing of the run and know its present state, of those who live
}

// ETA is in what time the run is likely to be over, as a range. It is not Known below 0.5 % done, while
// the run does not run, and while all that is left waits for its next attempt.
type ETA struct {
	Low, High time.Duration
	Known     bool
}

// RunWorker is what a worker does for a run.
type RunWorker struct {
	Worker
	Holds    int64 // tasks of the run that it has claimed and not finished
	Complete int64
	Failed   int64
	Errors   int64 // attempts
	Refused  int64 // completions that came too late
	Seen     bool  // it acts on the run's present state and knobs, and holds nothing where nothing is to be done
}

// Pulse measures a run. What it reads does not grow with the run. It returns RunNotFound.
func (e *Engine) Pulse(ctx context.Context, run id.Run) (Pulse, error) { return Pulse{}, nil }

// WorkersOf returns the workers who live or hold tasks of the run, by id. It returns RunNotFound.
func (e *Engine) WorkersOf(ctx context.Context, run id.Run) ([]RunWorker, error) { return nil, nil }
