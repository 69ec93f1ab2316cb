package migrations

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// HiddenTask stands for the payload of a task, and HiddenLine for the content of a rejected line, of a board that the
// reader does not see. States, figures and errors are shown of all: errors name rows by their keys and lines, and quote
// no text.
const (
	HiddenTask = "Hidden: this task belongs to a board that you do not see."
	HiddenLine = "Hidden: this line belongs to a board that you do not see."
)

// CodeFileHidden: the file of the run belongs to a board that the caller does not see. Ask an admin of the board to
// name you on it, or use the command line of the server.
const CodeFileHidden fault.Code = "Run.FileHidden"

func FileHidden(run id.Run) error {
	return fault.Forbidden.New(CodeFileHidden, "from",
		fmt.Sprintf("The file of run %d belongs to a board that you do not see. Ask an admin of the board to name you on it, or use the command line of the server.", run))
}

// ofBoards reports whether the tasks of a migration belong to boards. Those of one that names no company, such as a
// mint, belong to the instance.
func (m *Migration) ofBoards() bool {
	return slices.ContainsFunc(m.Params, func(p Param) bool { return p.Name == companyParam })
}

// shows reports whether a reader sees the payloads of a run of the named migration; seen is what the statement says of
// the boards. A migration that is gone from the program is taken for one of boards.
func (e *Engine) shows(by db.Sight, name string, seen bool) bool {
	m, ok := e.registry[name]
	return seen || by.Reach == db.ReachAll || ok && !m.ofBoards()
}

// hide takes out of a task what it is about.
func (t Task) hide() Task {
	t.Payload, t.Cut, t.Note, t.Hidden = HiddenTask, false, "", true
	return t
}

// ShowsFile returns nil if a reader sees what the file of a run has: it sees the run's board, or opened the run for an
// open one, or there is no file. It returns RunNotFound or FileHidden.
func (e *Engine) ShowsFile(ctx context.Context, by db.Sight, run id.Run) error {
	row, err := db.Read(e.db.RunSeen(ctx, db.RunSeenParams{Opener: &by.Reader, Reader: by.Reader, ID: run}))
	switch {
	case db.IsNotFound(err):
		return RunNotFound(run)
	case err != nil:
		return fmt.Errorf("read run: %w", err)
	case row.Upload != "" && !e.shows(by, row.Name, row.Seen):
		return FileHidden(run)
	}
	return nil
}
