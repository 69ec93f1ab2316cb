package workflows

import (
	"context"
	"io"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// ImportFile is what the first rows of an import's file show, and what is suggested for it.
type ImportFile struct {
	Run          migrations.Run
	Jira         bool
	Columns      []ImportColumn // each name once
	Roles        []ImportRole
	Kept         []string // columns that are kept below the description
	Relations    []string // columns of relations: Parent key = parent
	Statuses     []ImportStatus
	Board        string   // its title
	BoardColumns []string // the board's columns
	Rows         int      // that were read
	Whole        bool     // there are no more
	Rejected     []string // rows among them that cannot be read
}

// ImportColumn is a column of a file.
type ImportColumn struct {
	Name    string
	Times   int      // how many columns have the name
	Samples []string // its first values
}

// ImportRole is what a column can be for an import. Column is "-" if there is none.
type ImportRole struct{ Param, Label, Help, Column string }

// ImportStatus is a status in the file, and the column of the board that its tickets go to.
type ImportStatus struct {
	Name   string
	Times  int
	Column string // "" if the board has none for it
}

// ImportReader reads the file of an import; the migration import-tickets does.
type ImportReader interface {
	// ReadImport returns what a file of import-tickets has, but for its run. Values are the choices so far. What is
	// wrong with them is returned with the file, if they name a board. It returns csvfile.BadFile and migrations.BadParam.
	ReadImport(ctx context.Context, open func() (io.ReadCloser, error), values migrations.Values) (ImportFile, error)
}

// ImportFile returns what the file of a run of import-tickets has, for an operator. Values are the choices so far. It
// returns csvfile.BadFile, migrations.BadParam and migrations.FileHidden.
func (w *Workflows) ImportFile(ctx context.Context, run id.Run, values migrations.Values) (ImportFile, error) {
	by, err := Operator(ctx)
	if err != nil {
		return ImportFile{}, err
	}
	if err := w.engine.ShowsFile(ctx, SightOf(by), run); err != nil {
		return ImportFile{}, err
	}
	of, err := w.engine.Run(ctx, run)
	if err != nil {
		return ImportFile{Run: of}, err
	}
	if of.Name != ImportName {
		return ImportFile{Run: of}, migrations.BadFrom(run)
	}
	file, err := w.importer.ReadImport(ctx, func() (io.ReadCloser, error) { return w.engine.OpenUpload(ctx, run) }, values)
	file.Run = of
	return file, err
}
