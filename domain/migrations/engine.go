package migrations

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"slices"
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
	Action string // "open", "start", "pause", "resume", "cancel", "dismiss", "adjust", "retry" or "skip"
	Run    id.Run
	Title  string // of the migration
	Dry    bool
	// Company is the slug of the company that the run changes, "" for all if ForCompany; else it changes none.
	Company    string
	ForCompany bool
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
		done.ForCompany = slices.ContainsFunc(m.Params, func(p Param) bool { return p.Name == companyParam })
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

// companyParam is the parameter of the migrations that change a company's data.
const companyParam = "company"
