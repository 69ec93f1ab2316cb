package migrations

import (
	"context"
	"io"
	"log/slog"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// Engine runs the registered migrations on a database. Make one with New. It does nothing by itself:
// Work does the work.
type Engine struct {
	db       *db.DB
	registry map[string]*Migration
	files    Files
	options  Options
	watcher  watcher
	wake     wait.Broadcast // tells of changed runs, after the commit
	writers  chan struct{}  // taken by who processes tasks in a transaction: see Migration.Write
}

// writersAtOnce is how many transactions a process is in at once to do tasks, of all its runs together. Each
// may wait for locks that people hold, and others of the process need connections, too.
const writersAtOnce = 8

// Files keeps the uploads of runs; the blob store does. Names are relative paths in ASCII.
type Files interface {
	// Put stores what r gives under the name, whole or not at all.
	Put(ctx context.Context, name string, r io.Reader) error
	// Open opens what is stored under the name.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	Delete(ctx context.Context, name string) error
}

// Options are what an engine is told from outside.
type Options struct {
	Version string // of the program, shown with its workers
	Log     *slog.Logger
	// Replicas are watched: a run waits while one of them is farther behind than its knob allows.
	Replicas []Replica
}

// New returns an engine for the migrations. It panics where one of them cannot be: that is a mistake
// in the program.
func New(d *db.DB, files Files, options Options, list ...*Migration) *Engine {
	e := &Engine{db: d, registry: map[string]*Migration{}, files: files, options: options, writers: make(chan struct{}, writersAtOnce)}
	if e.options.Log == nil {
		e.options.Log = slog.New(slog.DiscardHandler)
	}
	for _, m := range list {
		e.register(m)
	}
	return e
}
