package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	// fillBatch is how many tasks and rejections one transaction adds, fillBytes how much of payload: a
	// statement stays well below the 16 MB that a server takes.
	fillBatch = 500
	fillBytes = 2 << 20
	// fillEvery is how old a batch gets, so that the page shows progress also where tasks come slowly.
	fillEvery = time.Second
	// fillCheckEvery is how often filling looks whether it is still wanted.
	fillCheckEvery = 500 * time.Millisecond
	maxCursor      = 500
	// fillPatience is the longest pause after the database, or the place of files, did not answer.
	fillPatience = 30 * time.Second
	// doubtfulTries are for an error that looks like one of the database, without any task added.
	doubtfulTries = 4
)

// errFillOver: the run is not to be filled any more, or another worker took over.
var errFillOver = errors.New("the run is filled by another worker, or cancelled")

// Fill has the worker fill the run if it is open, or if the worker that filled it is gone. It returns when the run is
// filled or cancelled, or ctx ends; at once, and false, if another worker fills it.
func (p *Process) Fill(ctx context.Context, worker id.Worker, run migrations.Run) (mine bool, err error) {
	m, err := p.engine.Migration(run.Name)
	if errors.Is(err, migrations.CodeUnknownMigration) {
		return false, nil // another version of the program has it
	}
	if err != nil {
		return false, err
	}
	if run.Upload != "" {
		if err := p.seesUpload(ctx, worker, run.ID); err != nil {
			return false, err
		}
	}
	if m.Behind && run.State == migrations.Open { // one that has begun continues
		if waits, err := p.waits(ctx, run); err != nil || waits {
			return false, err
		}
	}
	fence, err := p.claimFill(ctx, worker, run.ID)
	if err != nil || fence == 0 {
		return false, err
	}
	return true, p.fillOn(ctx, m, run, filling{worker, fence})
}

// waits reports whether the run is behind one that is not over, and says so on its page.
func (p *Process) waits(ctx context.Context, run migrations.Run) (bool, error) {
	row, err := p.engine.Row(ctx, run.ID)
	if err != nil {
		return false, err
	}
	first, err := p.engine.Before(ctx, row)
	if err != nil || first == 0 {
		return false, err
	}
	if reason := fmt.Sprintf("It starts when run %d, which does the same, has ended.", first); row.Reason != reason {
		err = p.db.SetFillReason(ctx, db.SetFillReasonParams{ID: run.ID, FillFence: row.FillFence, Reason: reason})
	}
	return true, err
}

// fillOn fills a run that the worker has taken, again and again while what fails will be over.
func (p *Process) fillOn(ctx context.Context, m *migrations.Migration, run migrations.Run, by filling) error {
	pause, tries := time.Second, 0
	for {
		added, err := p.fillOnce(ctx, m, run.ID, by)
		if added {
			pause, tries = time.Second, 0
		}
		err, passes := isTransient(err, &tries)
		switch {
		case err == nil, errors.Is(err, errFillOver):
			return nil
		case ctx.Err() != nil:
			p.releaseFill(ctx, run.ID, by.fence)
			return ctx.Err()
		case !passes:
			return p.failFill(ctx, run.ID, by.fence, err)
		}
		p.log.Warn("filling is tried again", "run", run.ID, "error", err)
		_ = p.db.SetFillReason(ctx, db.SetFillReasonParams{ID: run.ID, FillFence: by.fence,
			Reason: migrations.Cut("Filling is waiting: "+fault.Message(err), migrations.MaxReason)})
		if err := wait.Sleep(ctx, pause); err != nil {
			p.releaseFill(ctx, run.ID, by.fence)
			return err
		}
		pause = min(2*pause, fillPatience)
	}
}

// isTransient reports a passing error of the database or of the file store. One that only looks like it, such as an
// EOF, counts as one a few times.
func isTransient(err error, tries *int) (error, bool) {
	if errors.Is(err, fault.Unavailable) || errors.Is(err, fault.Unknown) {
		return err, true // what was committed is read again
	}
	if _, like := db.Read(0, err); errors.Is(like, fault.Unavailable) && *tries < doubtfulTries {
		*tries++
		return like, true
	}
	return err, false
}

// mayFill reports whether the worker may begin, or continue, to fill the run.
func mayFill(f db.FillerOfRow, worker id.Worker) bool {
	return migrations.State(f.State) == migrations.Open || migrations.State(f.State) == migrations.Filling &&
		(!f.Lives || f.FillWorker == worker)
}

// claimFill returns the fence with which the worker fills the run, 0 if it may not.
func (p *Process) claimFill(ctx context.Context, worker id.Worker, run id.Run) (fence uint64, err error) {
	now, err := db.Read(p.db.FillerOf(ctx, run)) // without the lock, for this is asked every second
	if err != nil || !mayFill(now, worker) {
		return 0, err
	}
	err = p.db.InTx(ctx, func(tx *db.Tx) error {
		fence = 0
		row, err := migrations.LockRun(ctx, tx, run)
		if err != nil {
			return err
		}
		now, err := tx.FillerOf(ctx, run)
		if err != nil || !mayFill(now, worker) {
			return err
		}
		if migrations.State(row.State) == migrations.Open {
			err = migrations.Transit(ctx, tx, run,
				migrations.Move{Action: "be filled", From: []migrations.State{migrations.Open}, To: migrations.Filling,
					Actor: migrations.Keeper}, nil)
		} else {
			err = migrations.LogEvent(ctx, tx, run, migrations.Keeper, string(migrations.Filling),
				fmt.Sprintf("Worker %d continues after %d tasks and %d rejected lines.", worker, row.Total, row.Rejected))
		}
		if err != nil {
			return err
		}
		fence = row.FillFence + 1
		return tx.ClaimFill(ctx, worker, run)
	})
	if err != nil {
		return 0, fmt.Errorf("take filling: %w", err)
	}
	return fence, nil
}

// fillOnce continues behind the last committed batch; added: a batch was committed.
func (p *Process) fillOnce(
	ctx context.Context, m *migrations.Migration, run id.Run, by filling,
) (added bool, err error) {
	row, err := p.engine.Row(ctx, run)
	if err != nil {
		return false, err
	}
	if migrations.State(row.State) != migrations.Filling || row.FillFence != by.fence {
		return false, errFillOver
	}
	values, err := migrations.ClearValues(row.Params)
	if err != nil {
		return false, err
	}
	f := &runFiller{process: p, worker: by.worker, row: row, values: values, cursor: row.FillCursor, flushed: time.Now()}
	if f.cursor == "" {
		f.skip = row.Total + row.Rejected
	}
	if err := p.whileWanted(ctx, run, by.fence, func(ctx context.Context) error { return f.all(ctx, m) }); err != nil {
		return f.added, err
	}
	return f.added, p.endFill(ctx, m, run, by)
}

// whileWanted runs fn with a context that ends when the run is not to be filled with the fence any more.
func (p *Process) whileWanted(ctx context.Context, run id.Run, fence uint64, fn func(ctx context.Context) error) error {
	inner, cancel := context.WithCancelCause(ctx)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for wait.Sleep(inner, fillCheckEvery) == nil {
			now, err := p.db.FillerOf(inner, run)
			if err == nil && (migrations.State(now.State) != migrations.Filling || now.FillFence != fence) {
				cancel(errFillOver)
			}
		}
	}()
	err := fn(inner)
	over := context.Cause(inner)
	cancel(nil)
	<-read
	if err != nil && errors.Is(over, errFillOver) {
		return over
	}
	return err
}

// endFill ends the filling: the run waits for Start; a dry or unattended one runs. One without tasks is over: there is
// nothing to start, and nothing for anybody to decide.
func (p *Process) endFill(ctx context.Context, m *migrations.Migration, run id.Run, by filling) error {
	began := time.Now()
	err := p.db.InTx(ctx, func(tx *db.Tx) error {
		row, err := lockFill(ctx, tx, run, by.fence)
		if err != nil {
			return err
		}
		next := migrations.Move{Action: "be ready", From: []migrations.State{migrations.Filling}, To: migrations.Ready,
			Actor: migrations.Keeper, Reason: rejectedReason(row)}
		switch {
		case row.Total == 0 && row.Rejected > 0:
			next.To = migrations.Cancelled
		case row.Total == 0:
			next.Action, next.To = "complete", migrations.Complete
		case row.Dry || m.Unattended:
			next.To = migrations.Running
		}
		if err := migrations.Transit(ctx, tx, run, next, nil); err != nil {
			return err
		}
		return confirmFill(ctx, tx, by.worker, began)
	})
	if err != nil {
		return fmt.Errorf("end filling: %w", err)
	}
	return nil
}

// rejectedReason is the run's reason if lines were rejected or no task was found.
func rejectedReason(row db.MigrationRun) string {
	switch {
	case row.Total == 0 && row.Rejected == 0:
		return "There is nothing to do: no task was found."
	case row.Total == 0:
		return fmt.Sprintf("Every line was rejected, %d in all, so there is nothing to do. The rejected lines say why: correct the file or its settings, and start again.", row.Rejected)
	case row.Rejected > migrations.MaxRejections:
		return fmt.Sprintf("%d lines were rejected; the first %d are kept.", row.Rejected, migrations.MaxRejections)
	case row.Rejected == 1:
		return "One line was rejected."
	case row.Rejected > 0:
		return fmt.Sprintf("%d lines were rejected.", row.Rejected)
	}
	return ""
}

func lockFill(ctx context.Context, tx *db.Tx, run id.Run, fence uint64) (db.MigrationRun, error) {
	row, err := migrations.LockRun(ctx, tx, run)
	if err == nil && (migrations.State(row.State) != migrations.Filling || row.FillFence != fence) {
		err = errFillOver
	}
	return row, err
}

// failFill cancels a run that cannot be filled, such as from a file that is none.
func (p *Process) failFill(ctx context.Context, run id.Run, fence uint64, why error) error {
	err := p.db.InTx(ctx, func(tx *db.Tx) error {
		row, err := lockFill(ctx, tx, run, fence)
		if err != nil {
			return err
		}
		message := fault.Message(why)
		if message == "" {
			message = migrations.WithoutSecrets(row.Params, why.Error())
		}
		return migrations.Transit(ctx, tx, run,
			migrations.Move{Action: "be filled", From: []migrations.State{migrations.Filling}, To: migrations.Cancelled,
				Actor: migrations.Keeper, Reason: "It could not be filled: " + message}, nil)
	})
	if errors.Is(err, errFillOver) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cancel a run that cannot be filled: %w", err)
	}
	return nil
}

// releaseFill lets another worker continue at once.
func (p *Process) releaseFill(ctx context.Context, run id.Run, fence uint64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = p.db.ReleaseFill(ctx, run, fence) // else they wait until this worker's lease ends
}

// filling is a worker's claim to fill a run.
type filling struct {
	worker id.Worker
	fence  uint64
}

// confirmFill is confirm for a batch of a filling.
func confirmFill(ctx context.Context, tx *db.Tx, worker id.Worker, began time.Time) error {
	err := confirm(ctx, tx, worker, began)
	if errors.Is(err, errHalted) {
		return errFillOver
	}
	return err
}

// runFiller is the Filler of a run for one worker.
type runFiller struct {
	process    *Process
	worker     id.Worker
	row        db.MigrationRun
	values     migrations.Values
	cursor     string // committed or in the batch
	skip       uint64 // a migration without cursors gives again what was committed
	tasks      []db.NewTask
	rejections []db.MigrationRejection
	rejected   uint64 // in the batch, also those that are only counted
	bytes      int
	flushed    time.Time
	added      bool
}

func (f *runFiller) Run() id.Run               { return f.row.ID }
func (f *runFiller) Values() migrations.Values { return f.values }
func (f *runFiller) Cursor() string            { return f.row.FillCursor }

func (f *runFiller) Upload(ctx context.Context) (io.ReadCloser, error) {
	return f.process.engine.OpenUpload(ctx, f.row.ID)
}

// seesUpload returns MissingUpload, which is also written to the run, if its file is not on this server: then other
// workers fill it. It does nothing for a run that another worker fills.
func (p *Process) seesUpload(ctx context.Context, worker id.Worker, run id.Run) error {
	now, err := db.Read(p.db.FillerOf(ctx, run))
	if err != nil || !mayFill(now, worker) {
		return err
	}
	file, err := p.engine.OpenUpload(ctx, run)
	if err == nil {
		return file.Close()
	}
	if !errors.Is(err, migrations.CodeMissingUpload) {
		return nil // filling says so
	}
	_ = p.db.SetFillReason(ctx, db.SetFillReasonParams{ID: run, FillFence: now.FillFence,
		Reason: migrations.Cut("Filling is waiting: "+fault.Message(err), migrations.MaxReason)})
	return err
}

// all fills the run from its cursor. A panic is an error like others.
func (f *runFiller) all(ctx context.Context, m *migrations.Migration) (err error) {
	defer func() {
		if p := recover(); p != nil {
			f.process.log.Error("filling panicked", "run", f.row.ID, "panic",
				migrations.WithoutSecrets(f.row.Params, fmt.Sprint(p)), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if err := m.Fill(ctx, f); err != nil {
		return err
	}
	return f.flush(ctx)
}

func (f *runFiller) Add(ctx context.Context, task migrations.NewTask) error {
	switch {
	case len(task.Payload) > migrations.MaxPayload:
		return f.Reject(ctx, migrations.Rejection{Line: task.Line, Reason: fmt.Sprintf("It has %d bytes; a task can have %d.",
			len(task.Payload), migrations.MaxPayload), Content: excerpt(task.Payload), Cursor: task.Cursor})
	case !utf8.ValidString(task.Payload):
		return f.Reject(ctx, migrations.Rejection{Line: task.Line, Reason: "It is not UTF-8.", Content: excerpt(task.Payload),
			Cursor: task.Cursor})
	}
	if done, err := f.advance(task.Cursor); done || err != nil {
		return err
	}
	f.tasks = append(f.tasks, db.NewTask{Line: task.Line, Payload: task.Payload})
	f.bytes += len(task.Payload)
	return f.flushFull(ctx)
}

// excerpt is enough of a text to recognise it.
func excerpt(text string) string { return migrations.Cut(text[:min(len(text), 800)], 200) }

func (f *runFiller) Reject(ctx context.Context, r migrations.Rejection) error {
	if done, err := f.advance(r.Cursor); done || err != nil {
		return err
	}
	f.rejected++
	if number := f.row.Rejected + f.rejected; number <= migrations.MaxRejections {
		f.rejections = append(f.rejections, migrations.RejectionRow(f.row.ID, number, r))
	}
	return f.flushFull(ctx)
}

// advance notes the cursor; done: this was committed before.
func (f *runFiller) advance(cursor string) (done bool, err error) {
	switch {
	case len(cursor) > maxCursor, !utf8.ValidString(cursor):
		return false, fmt.Errorf("a cursor is UTF-8 of at most %d bytes, not %q", maxCursor, excerpt(cursor))
	case cursor == "" && f.cursor != "":
		return false, errors.New("a task without a cursor came after one with a cursor")
	case f.skip > 0:
		f.skip--
		return true, nil
	}
	f.cursor = cursor
	return false, nil
}

func (f *runFiller) flushFull(ctx context.Context) error {
	if len(f.tasks)+int(f.rejected) < fillBatch && f.bytes < fillBytes && time.Since(f.flushed) < fillEvery {
		return ctx.Err()
	}
	return f.flush(ctx)
}

// flush commits the batch: tasks, rejections, their numbers and the cursor together, or nothing.
func (f *runFiller) flush(ctx context.Context) error {
	if len(f.tasks) == 0 && f.rejected == 0 {
		return nil
	}
	began := time.Now()
	err := f.process.db.InTx(ctx, func(tx *db.Tx) error {
		n, err := tx.RecordFilled(ctx, db.RecordFilledParams{
			Tasks: uint64(len(f.tasks)), Rejections: f.rejected, FillCursor: f.cursor, ID: f.row.ID, FillFence: f.row.FillFence,
		})
		if err != nil {
			return err
		}
		if n == 0 {
			return errFillOver
		}
		if err := tx.AddTasks(ctx, f.row.ID, f.tasks); err != nil {
			return err
		}
		if err := tx.AddRejections(ctx, f.rejections); err != nil {
			return err
		}
		return confirmFill(ctx, tx, f.worker, began)
	})
	if err != nil {
		return fmt.Errorf("add tasks: %w", err)
	}
	f.row.Rejected += f.rejected
	f.tasks, f.rejections, f.rejected, f.bytes = f.tasks[:0], f.rejections[:0], 0, 0
	f.flushed, f.added = time.Now(), true
	return nil
}
