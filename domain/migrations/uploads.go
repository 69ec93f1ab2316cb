package migrations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// uploadsIn is the folder of the files of runs.
const uploadsIn = "uploads/"

// sweepPage is how many runs are read at once by who sweeps.
const sweepPage = 1000

// CodeMissingUpload: the file of a run is not where this server keeps files. Set COUNTERFOIL_BLOBS to one place
// for all servers, or cancel the run.
const CodeMissingUpload fault.Code = "Run.UploadMissing"

func MissingUpload(run id.Run, host string) error {
	return fault.Unavailable.New(CodeMissingUpload, "",
		fmt.Sprintf("The file of run %d is not where %s keeps files. All servers must share one place for them: set COUNTERFOIL_BLOBS to the same bucket or shared folder on each. If the file is lost, cancel the run.", run, host))
}

// OpenUpload opens the file of a run from its beginning. It returns RunNotFound, BadUpload if it has none, NoFiles or
// MissingUpload.
func (e *Engine) OpenUpload(ctx context.Context, run id.Run) (io.ReadCloser, error) {
	row, err := e.Row(ctx, run)
	if err != nil {
		return nil, err
	}
	if row.Upload == "" {
		return nil, BadUpload("The run has no file.")
	}
	if e.files == nil {
		return nil, NoFiles()
	}
	file, err := e.files.Open(ctx, row.Upload)
	if errors.As(err, new(blobs.NotFound)) {
		err = MissingUpload(row.ID, Hostname())
	}
	return file, err
}

// Hostname is the name of this server.
func Hostname() string {
	host, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return host
}

// SweepUploads removes files, last written before that time, that no run has: of a run that was perhaps
// refused, when nobody could tell, the file stays. It returns how many those were. The place for files is
// this database's alone.
func (e *Engine) SweepUploads(ctx context.Context, files *blobs.Store, before time.Time) (int, error) {
	old := map[string]bool{}
	err := files.Walk(ctx, uploadsIn, func(file blobs.Info) error {
		if file.ModTime.Before(before) {
			old[file.Name] = true
		}
		return nil
	})
	if err != nil || len(old) == 0 {
		return 0, err
	}
	for after := id.Run(0); ; {
		rows, err := db.Read(e.db.UploadsAfter(ctx, after, sweepPage))
		if err != nil {
			return 0, fmt.Errorf("read the files of runs: %w", err)
		}
		for _, row := range rows {
			delete(old, row.Upload)
			after = row.ID
		}
		if len(rows) < sweepPage {
			break
		}
	}
	var failed []error
	n := 0
	for name := range old {
		if err := files.Delete(ctx, name); err != nil {
			failed = append(failed, err)
			continue
		}
		n++
	}
	return n, errors.Join(failed...)
}
