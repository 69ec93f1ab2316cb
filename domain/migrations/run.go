package migrations

import (
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// State is the state of a run.
type State string

// The states of a run: open → filling → ready → running ⇄ pausing, paused, throttled → complete, or cancelling →
// cancelled. A dry run goes from filling to running unattended.
const (
	Open       State = "open"       // to be filled by the first free worker
	Filling    State = "filling"    // its tasks are being added
	Ready      State = "ready"      // filled; waits for Start
	Running    State = "running"    // workers claim its tasks
	Pausing    State = "pausing"    // nothing is claimed; some tasks are still under way
	Paused     State = "paused"     // nothing is claimed, nothing under way
	Throttled  State = "throttled"  // no claims until the cause is over; then it resumes
	Cancelling State = "cancelling" // as pausing, for good
	Cancelled  State = "cancelled"
	Complete   State = "complete" // every task is complete, failed or skipped
)

// Active are the states of runs that are not over.
var Active = []State{Open, Filling, Ready, Running, Pausing, Paused, Throttled, Cancelling}

// IsActive reports whether a run in the state is not over.
func (s State) IsActive() bool { return slices.Contains(Active, s) }

// Run is one execution of a migration.
type Run struct {
	ID         id.Run
	Name       string // of the migration, which may be gone from the program
	Title      string // of the migration; its name if the program no longer has it
	Known      bool   // this program has the migration
	Listed     string // in which of the lists of runs it is: ListActive, ListAttention or ListFinished
	Values     Values // secrets masked, unless for a worker
	State      State
	Reason     string // why it is in the state, for operators; "" if the state says enough
	StateSince time.Time
	Version    uint64
	Dry        bool
	CanaryLeft *uint32 // how many tasks may yet be claimed before it pauses and asks
	Knobs      Knobs
	Total      uint64 // tasks, exact once filled
	Rejected   uint64 // lines that no task was made of
	Upload     string // the name of its file, "" without one
	Actor      string // its maker
	Progress   Progress
	secrets    []string // in clear, for a worker: records of its work mask them
	CreatedAt  time.Time
	StartedAt  *time.Time
	FinishedAt *time.Time
	PurgedAt   *time.Time // since when its tasks, log and secrets are gone; nil while they are kept
}

// Unlisted is how many of the rejected lines are only counted: those behind the first MaxRejections.
func (r Run) Unlisted() uint64 { return r.Rejected - min(r.Rejected, MaxRejections) }

// Mask takes the secrets of a run that a worker has out of a text.
func (r Run) Mask(text string) string { return mask(r.secrets, text) }

// Progress is how many tasks of a run are in which state, exactly.
type Progress struct {
	Open, Processing, Waiting, Complete, Failed, Skipped int64
	Errors                                               int64 // attempts that failed
	Refused                                              int64 // completions that came after the task had been claimed anew
	Reclaimed                                            int64 // tasks taken back from workers who were gone
}

// Done is how many tasks need nothing more.
func (p Progress) Done() int64 { return p.Complete + p.Failed + p.Skipped }

// ProgressOf is the progress that a run's counters show.
func ProgressOf(total uint64, row db.ProgressOfRow) Progress {
	p := Progress{
		Processing: row.Processing, Waiting: row.Waiting, Complete: row.Complete, Failed: row.Failed, Skipped: row.Skipped,
		Errors: row.Errors, Refused: row.Refused, Reclaimed: row.Reclaimed,
	}
	p.Open = int64(total) - p.Processing - p.Waiting - p.Done()
	return p
}

// The states of a task.
const (
	TaskOpen       = "open"
	TaskProcessing = "processing"
	TaskWaiting    = "waiting" // for its next attempt
	TaskComplete   = "complete"
	TaskFailed     = "failed" // after its last attempt
	TaskSkipped    = "skipped"
)

// Task is one piece of a run's work.
type Task struct {
	ID        id.Task
	Run       id.Run
	State     string
	Fence     uint64
	Worker    id.Worker // the last that claimed it
	Attempt   int       // of the iteration, from 1 once claimed
	Iteration int       // from 1; grows when an operator retries it
	Line      uint64    // in the upload
	Payload   string
	Cut       bool // Payload is only its beginning: a list shows no more
	Note      string
	Hidden    bool // it belongs to a board that the reader does not see: Payload is Hidden, Note ""
	// Fingerprint is that of the failure while the task is failed, and Error what its last attempt said:
	// only FailedTasks reads that.
	Fingerprint, Error string
	DueAt              *time.Time
	ClaimedAt          *time.Time
	FinishedAt         *time.Time
}

// Attempt is one that did not complete its task.
type Attempt struct {
	Iteration, Attempt int
	Outcome            string // "failed", or "lost" with its worker
	Worker             string // host:pid
	StartedAt          time.Time
	Took               time.Duration
	Message, Detail    string // Detail is a stack or what an upstream answered
}

// Failure is a group of errors that are alike.
type Failure struct {
	Fingerprint string // 16 hexadecimal digits
	Message     string // of the first
	Task        id.Task
	Errors      uint64 // attempts that ended so
	Failed      uint64 // tasks that are failed so now
	FirstAt     time.Time
	LastAt      time.Time
}

// Worker is a process that works.
type Worker struct {
	ID        id.Worker
	Host      string
	PID       int
	Version   string
	Knows     []string // the migrations that it can work on
	State     string   // WorkerActive, WorkerDraining, WorkerStopped
	InFlight  int      // tasks claimed and not finished
	Finished  uint64   // tasks since its start
	PerSecond float64
	ClaimP99  time.Duration // of its last claims; 0 before the first
	StartedAt time.Time
	BeatAt    time.Time
	Left      time.Duration // of its lease, by the database's clock; negative once it ended
}

// The states of a worker.
const (
	WorkerActive   = "active"
	WorkerDraining = "draining" // finishes what it has, claims nothing
	WorkerStopped  = "stopped"
)

// Event is an entry in the log of a run.
type Event struct {
	ID     id.Event
	Kind   string // a state, "knob", "retry", "skip", "drain", …
	Actor  string
	Detail string
	At     time.Time
}
