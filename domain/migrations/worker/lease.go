package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	// shortestBeat and longestBeat bound how often a worker renews its lease, which is at a third of it.
	shortestBeat = 100 * time.Millisecond
	longestBeat  = 10 * time.Second
	// busyBeat is how often at least it does so while it holds tasks, for the panel shows what it says.
	busyBeat = 2 * time.Second
)

// errLeaseLost is the cause of a worker's end whose lease ended or was taken.
type errLeaseLost struct{ why string }

func (e errLeaseLost) Error() string { return "the worker's lease was lost: " + e.why }

// errHalted is the cause of a worker's end by a stop of all runs.
var errHalted = errors.New("all runs are stopped")

// errStopping is the cause of the end of work that had to stop with its process.
var errStopping = errors.New("the worker stops")

// signOn makes a worker of this process: a row with a lease, active or draining.
func (p *Process) signOn(ctx context.Context, state string) (*worker, error) {
	w := newWorker(p, migrations.Cut(migrations.Hostname(), 255), os.Getpid())
	sent := time.Now()
	number, err := db.Read(p.db.RegisterWorker(ctx, db.RegisterWorkerParams{
		Host: w.host, Pid: uint32(w.pid), Version: migrations.Cut(p.version, 100),
		State: state, Knows: migrations.Cut(strings.Join(p.engine.Names(), " "), 8000), LeaseUs: w.length().Microseconds(),
	}))
	if err != nil {
		return nil, fmt.Errorf("register worker: %w", err)
	}
	w.id, w.epoch = id.Worker(number), 1
	w.granted.Store(int64(w.length()))
	w.lease.Begin(sent, w.length())
	return w, nil
}

// keepLease renews the lease until ctx ends. It returns errLeaseLost when the lease ended, or was taken:
// then the keeper gives the worker's tasks to others.
func (w *worker) keepLease(ctx context.Context) error {
	failed := false
	for {
		if !w.rest(ctx, failed) {
			return nil
		}
		err := w.renew(ctx)
		if failed = err != nil; failed && ctx.Err() == nil {
			w.p.log.Warn("renew the worker's lease", "worker", w.id, "left", w.lease.Left(), "error", err)
		}
		if lost, is := err.(errLeaseLost); is {
			return lost
		}
		if !w.lease.Valid() && ctx.Err() == nil {
			return errLeaseLost{"it could not be renewed in time"}
		}
	}
}

// rest waits until the next renewal of the lease, and reports whether ctx is still open. A run with a short lease or a
// new claim shortens the wait, counted from its start.
func (w *worker) rest(ctx context.Context, failed bool) bool {
	for began := time.Now(); ; {
		pause := w.beat()
		if failed {
			pause = max(pause/4, shortestBeat)
		}
		left := min(pause-time.Since(began), w.lease.Left())
		if left <= 0 {
			return ctx.Err() == nil
		}
		if wait.Sleep(ctx, min(left, readEvery)) != nil {
			return false
		}
	}
}

// beat is how long until the next renewal. A lease that is to be longer is not yet.
func (w *worker) beat() time.Duration {
	beat := min(w.length()/3, time.Duration(w.granted.Load())/3, longestBeat)
	if w.inFlight.Load() > 0 || w.inFlightWritten.Load() > 0 {
		beat = min(beat, busyBeat)
	}
	return max(beat, shortestBeat)
}

// renew renews the lease, and says what the worker does.
func (w *worker) renew(ctx context.Context) error {
	patience := min(w.lease.Left(), w.length()/3) // so that a dead connection leaves time for another
	ctx, cancel := context.WithTimeout(ctx, max(patience, shortestBeat))
	defer cancel()
	inFlight, length, sent := max(w.inFlight.Load(), 0), w.length(), time.Now()
	found, err := db.Read(w.p.db.RenewWorker(ctx, db.RenewWorkerParams{
		LeaseUs: length.Microseconds(), InFlight: uint32(inFlight), Finished: w.finished.Load(), PerSecond: w.pace(sent),
		ClaimP99Us: uint64(w.p.claims.p99().Microseconds()), ID: w.id, Epoch: w.epoch,
	}))
	switch {
	case err != nil:
		return err
	case found == 0:
		return errLeaseLost{"the keeper took it, for it had ended"}
	}
	if !w.lease.Renew(sent, length) {
		return errLeaseLost{"it was over before it could be renewed"}
	}
	w.granted.Store(int64(length))
	w.inFlightWritten.Store(inFlight)
	return nil
}

// signOff ends the lease, so that the others need not wait for it.
func (w *worker) signOff(ctx context.Context) {
	err := w.p.db.SignOffWorker(ctx, db.SignOffWorkerParams{Finished: w.finished.Load(), ID: w.id, Epoch: w.epoch})
	if err != nil {
		w.p.log.Warn("sign off worker", "worker", w.id, "error", err)
	}
}
