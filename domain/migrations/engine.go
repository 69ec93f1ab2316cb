package migrations

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// Engine opens, reads and controls runs of the registered migrations. Make one with New. worker.Process does the work.
type Engine struct {
	db          *db.DB
	registry    map[string]*Migration
	files       Files
	log         *slog.Logger
	lastRequest atomic.Uint64 // the request that FinishRequests continued last; 0 to begin with the first

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
