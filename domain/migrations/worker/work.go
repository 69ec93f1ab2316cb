package worker

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// Process is this process's part in the work: one worker after the other, each until its lease ends. Make one with
// New.
type Process struct {
	db      *db.DB
	engine  *migrations.Engine
	monitor *monitor.Monitor
	version string // of the program, shown with its workers
	log     *slog.Logger
	claims  claimTimes
	hosts   hosts
	writers chan struct{} // taken by who processes tasks in a transaction: see Migration.Write
}

// writersAtOnce bounds the task transactions of a process, of all its runs. Each may wait for locks of users, and
// others of the process need connections, too.
const writersAtOnce = 8

// New returns a process that works on the engine's runs once Work is called.
func New(d *db.DB, engine *migrations.Engine, monitor *monitor.Monitor, version string, log *slog.Logger) *Process {
	return &Process{db: d, engine: engine, monitor: monitor, version: version,
		log: cmp.Or(log, slog.New(slog.DiscardHandler)), writers: make(chan struct{}, writersAtOnce)}
}

// Work works on the runs until ctx ends: fills them, processes their tasks, and is the keeper if no one
// else is. Any number of processes may do so. Then it finishes what is under way, for 15 seconds at
// most, and gives the rest back, which costs no attempt. A database that is away is waited for.
func (p *Process) Work(ctx context.Context) error {
	state := migrations.WorkerActive
	for failed := 0; ctx.Err() == nil; {
		w, err := p.signOn(ctx, state)
		if err != nil {
			if ctx.Err() == nil {
				p.log.Warn("the worker cannot begin", "error", err)
			}
			failed = min(failed+1, 6)
			_ = wait.Sleep(ctx, 100*time.Millisecond<<failed+rand.N(100*time.Millisecond))
			continue
		}
		failed = 0
		w.work(ctx)
		if state = migrations.WorkerActive; w.draining.Load() {
			state = migrations.WorkerDraining // the operator meant the process
		}
	}
	return nil
}
