package migrations

import (
	"context"
	"io"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Migration is a kind of bulk work.
type Migration struct {
	Name        string // such as download-images: lower-case letters, digits and hyphens, at most 60
	Title       string // Name if it is ""
	Description string
	Params      []Param
	// Upload says what file a run is filled from, "" if it takes none. With UploadOptional a run can do without.
	Upload         string
	UploadOptional bool
	// First are the names of the parameters that a form asks for together with the file. The others are
	// asked for on a page of its own, which shows what the file has. nil is all at once.
	First []string
	// Check looks at the parameters together, after each was parsed. It may be nil.
	Check func(ctx context.Context, values Values) error
	// Fill adds the tasks of a run. It may be called again for a run, with the cursor of the last batch
	// that was committed, so it must go through its source in a fixed order.
	Fill func(ctx context.Context, into Filler) error
	// Process does one task. Several run at a time, and a task may run again after a crash: its effects outside this
	// database must bear that. Its writes to this database go through Work.Commit. Either Process or Write is set.
	Process func(ctx context.Context, work *Work) error
	// Write does a block of tasks in the transaction that completes them, so each is done exactly once.
	// It may be called again with fewer of them. Work.Fail fails one of them; an error fails all, and
	// then each is tried alone.
	Write func(ctx context.Context, tx *db.Tx, works []*Work) error
	// Label says in a few words what the task with a payload is about: a title or an address. The payload may be cut off
	// (see PayloadFields). It may be nil, and "" is for a payload that it does not know.
	Label func(payload string) string
	// Preview describes, for a dry run, the effect of the task, and changes nothing.
	Preview func(ctx context.Context, work *Work) (string, error)
	// Knobs are a run's initial settings; zero values are taken from DefaultKnobs.
	Knobs Knobs
	// AdjustKnobs changes them by the parameters. It may be nil.
	AdjustKnobs func(values Values, knobs *Knobs)
	// Unattended runs start by themselves once they are filled.
	Unattended bool
	// Several allows more than one active run with the same parameters.
	Several bool
	// Behind allows one more active run with the same parameters: it waits until the first is over. A third request
	// returns the run that has not begun, as ActiveRun.
	Behind bool
}

// Kind is the type of a parameter.
type Kind string

// The kinds of parameters.
const (
	Text   Kind = "text"
	Number Kind = "number" // a whole one, Min to Max
	Choice Kind = "choice" // one of Choices
	Flag   Kind = "flag"   // "true" or "false"
	Secret Kind = "secret" // text that is never shown again
)

// Param is a parameter of a migration.
type Param struct {
	Name     string // as in the API and on the command line
	Label    string
	Help     string
	Kind     Kind
	Required bool
	Default  string
	Min, Max int64 // of a Number, both 0 if it has no bounds; of a Text, Max is its length in characters (0: 1,000)
	// Choices are what a Choice can be, as it is now.
	Choices func(ctx context.Context) ([]Option, error)
	Refers  Reference // what a Text names, if a form can offer a choice of that
}

// Reference is the kind of thing that a parameter names.
type Reference string

// The kinds of references. Boards and members are those of the company that another parameter names.
const (
	ToCompany Reference = "company" // by its slug
	ToBoard   Reference = "board"   // by its slug
	ToMember  Reference = "member"  // by the email address; one who may write
)

// Option is a choice of a parameter.
type Option struct{ Value, Label string }

// Values are the parsed parameters of a run by name. A number is in decimal, a flag "true" or "false".
type Values map[string]string

// Filler takes the tasks of a run that is being filled.
type Filler interface {
	Run() id.Run
	Values() Values
	// Cursor is the resume point of an interrupted fill: the last one that was given to Add or Reject and committed,
	// "" at first.
	Cursor() string
	// Upload opens the run's file from its beginning.
	Upload(ctx context.Context) (io.ReadCloser, error)
	// Add adds a task. Cursor is the resume point after it. Line is its line in the upload, 0 without one.
	Add(ctx context.Context, task NewTask) error
	// Reject reports a line that no task is made of.
	Reject(ctx context.Context, rejection Rejection) error
}

// NewTask is a task to add.
type NewTask struct {
	Payload string // at most MaxPayload bytes; JSON, or what the migration likes
	Line    uint64
	Cursor  string // at most 500 bytes
}

// MaxPayload is the largest payload of a task in bytes.
const MaxPayload = 1 << 20

// Rejection is a line that no task was made of, and why.
type Rejection struct {
	Number  uint64 // among the rejections of the run, from 1; Reject does not look at it
	Line    uint64
	Reason  string // a sentence for operators
	Content string // how the line begins
	Cursor  string
}

// MaxRejections are kept of a run; later ones are only counted.
const MaxRejections = 10_000

// Knobs are the settings that an operator can change during a run. 0 means no limit, or the default if a value is
// needed.
type Knobs struct {
	Concurrency int           `json:"concurrency"` // tasks at a time in one worker
	Block       int           `json:"block"`       // tasks in one claim
	Attempts    int           `json:"attempts"`    // of a task in one iteration
	Backoff     time.Duration `json:"backoff"`     // before the second attempt; doubles, with jitter, up to an hour
	Timeout     time.Duration `json:"timeout"`     // of one attempt
	Lease       time.Duration `json:"lease"`       // how long a worker that does not answer keeps its tasks
	Rate        float64       `json:"rate"`        // tasks per second over all workers
	PerHost     float64       `json:"per_host"`    // requests per second to one upstream host over all workers
	MaxThreads  int           `json:"max_threads"` // threads running in the database
	MaxHistory  int64         `json:"max_history"` // length of the history list: row versions that wait for purge
	MaxLag      time.Duration `json:"max_lag"`     // of a replica
	ErrorShare  float64       `json:"error_share"` // of the last 100 attempts: above it the run pauses; 0 to 1
	SameError   int           `json:"same_error"`  // in a row, up to 1000: at it the run pauses
	Throttled   bool          `json:"throttled"`   // by hand
}

// DefaultKnobs are for a migration that says nothing else.
var DefaultKnobs = Knobs{
	Concurrency: 4, Block: 10, Attempts: 5, Backoff: 2 * time.Second, Timeout: 5 * time.Minute, Lease: 30 * time.Second,
	MaxThreads: 64, MaxHistory: 2_000_000, MaxLag: 10 * time.Second, ErrorShare: 0.5, SameError: 20,
}

// Work is a claimed task in the hands of its processor.
type Work struct {
	Task   Task
	Values Values
	Worker id.Worker
	// HostLimit waits until a request to the host may be sent, as Await does; nil lets each through.
	HostLimit func(ctx context.Context, host string) error
	outcome   Outcome
}

// Outcome is what a processor said of its task so far.
type Outcome struct {
	Note   string
	Err    error                                      // of Fail
	Commit func(ctx context.Context, tx *db.Tx) error // nil if there is nothing to write
	Order  uint64                                     // of Locks
}

// Outcome is what was said of the task so far, for its worker.
func (w *Work) Outcome() *Outcome { return &w.outcome }

// Note sets the result of the task in a line, such as the key of the ticket that it made.
func (w *Work) Note(note string) { w.outcome.Note = note }

// Fail fails the task within Migration.Write, with its error.
func (w *Work) Fail(err error) { w.outcome.Err = err }

// Commit runs fn in the transaction that completes the task, after the check of the fence. If fn fails, or the fence
// refuses, nothing is written and the task is not complete.
func (w *Work) Commit(fn func(ctx context.Context, tx *db.Tx) error) { w.outcome.Commit = fn }

// Locks says what Commit's function locks first, such as the id of a ticket. Works that are completed in
// one transaction do so in ascending order, so that two transactions do not wait for each other.
func (w *Work) Locks(row uint64) { w.outcome.Order = row }

// Await waits until the run's rate for the upstream host lets a request through. If that would take long it returns an
// error with which the processor returns: the task comes again later, and that costs no attempt.
func (w *Work) Await(ctx context.Context, host string) error {
	if w.HostLimit == nil {
		return nil
	}
	return w.HostLimit(ctx, host)
}
