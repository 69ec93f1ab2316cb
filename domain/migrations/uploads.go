package migrations

import (
	"context"
	"io"

	"github.com/counterfoil/counterfoil/domain/id"
)

// OpenUpload opens the file of a run from its beginning. It returns RunNotFound, BadUpload where it has none, or NoFiles.
func (e *Engine) OpenUpload(ctx context.Context, run id.Run) (io.ReadCloser, error) {
	row, err := e.runRow(ctx, run)
	if err != nil {
		return nil, err
	}
	return (&filling{engine: e, row: row}).Upload(ctx)
}
