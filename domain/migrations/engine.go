package migrations

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// Engine opens, reads and controls runs of the registered migrations. Make one with New. worker.Process does the work.
type Engine struct {
	db          *db.DB
	registry    map[string]*Migration
	files       Files
	log         *slog.Logger
	lastRequest atomic.Uint64 // the request that FinishRequests continued last; 0 to begin with the first

	record Recorder

	// Changes is woken after the commit of what changes a run.
	Changes wait.Broadcast
}

// MaxPerStatement bounds what one statement is about. MariaDB makes a subquery of a longer list.
const MaxPerStatement = 500

// Files keeps the uploads of runs; the blob store does. Names are relative paths in ASCII.
type Files interface {
	// Put stores what r gives under the name, whole or not at all.
	Put(ctx context.Context, name string, r io.Reader) error
	// Open opens what is stored under the name.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	Delete(ctx context.Context, name string) error
}

// New returns an engine for the migrations; without a log nothing is logged. It panics if one of them is not well-formed: that is a
// mistake in the program.
func New(d *db.DB, files Files, log *slog.Logger, list ...*Migration) *Engine {
	e := &Engine{db: d, registry: map[string]*Migration{}, files: files, log: cmp.Or(log, slog.New(slog.DiscardHandler))}
	for _, m := range list {
		e.register(m)
	}
	return e
}

// Control is what an actor did with a run.
type Control struct {
	Actor  Actor
	Action string // "open", "start", "pause", "resume", "cancel", "dismiss", "adjust", "retry", "skip", "read"; with ForAllRuns "stop" or "release"
	Run    id.Run
	Title  string // of the migration
	Dry    bool
	// Company is the slug of the company that the run changes, "" for all if ForCompany; else it changes none.
	Company    string
	ForCompany bool
	ForAllRuns bool   // it is about no run of its own
	Note       string // what was changed
}

// Recorder stores what an actor did with a run, in the transaction that did it.
type Recorder func(ctx context.Context, tx *db.Tx, done Control) error

// RecordWith has the engine record what actors other than itself do. It is for the start of the program.
func (e *Engine) RecordWith(record Recorder) { e.record = record }

// recordControl records what an actor did with a run.
func (e *Engine) recordControl(
	ctx context.Context, tx *db.Tx, actor Actor, action string, row db.MigrationRun, note string,
) error {
	if e.record == nil || actor.isEngine() {
		return nil
	}
	done := Control{Actor: actor, Action: action, Run: row.ID, Title: row.Name, Dry: row.Dry, Note: note}
	if m := e.registry[row.Name]; m != nil {
		done.Title = m.Title
		done.ForCompany = m.ofBoards()
	}
	values, err := ClearValues(row.Params)
	if err != nil {
		return err
	}
	if done.Company = values[companyParam]; done.Company != "" {
		done.ForCompany = true
	}
	return e.record(ctx, tx, done)
}

// RecordRead records that an actor reads what tasks of a run, or the lines of its file, hold. It returns RunNotFound.
func (e *Engine) RecordRead(ctx context.Context, actor Actor, run id.Run, what string) error {
	row, err := e.Row(ctx, run)
	if err != nil {
		return err
	}
	err = e.db.InTx(ctx, func(tx *db.Tx) error { return e.recordControl(ctx, tx, actor, "read", row, what) })
	if err != nil {
		return fmt.Errorf("record what is read: %w", err)
	}
	return nil
}

// companyParam is the parameter of the migrations that change a company's data.
const companyParam = "company"
