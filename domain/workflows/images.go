package workflows

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/images"
)

// CodeFilesUnavailable: stored files cannot be reached at the moment. Try again later.
const CodeFilesUnavailable fault.Code = "Blob.Unavailable"

func FilesUnavailable(err error) error {
	return fault.Error{
		Kind: fault.Unavailable, Code: CodeFilesUnavailable,
		Message: "Stored files cannot be reached right now. Nothing was lost; try again in a moment.", Cause: err,
	}
}

// Image returns an image that a ticket in the caller's sight shows and its file, or the file of its thumbnail if small is set and it has
// one. The file must be closed; it can be read after ctx has ended. It returns images.NotFound or FilesUnavailable.
func (w *Workflows) Image(ctx context.Context, hash string, small bool) (images.Image, io.ReadCloser, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return images.Image{}, nil, err
	}
	parsed, ok := images.ParseHash(hash)
	if !ok {
		return images.Image{}, nil, images.NotFound()
	}
	image, err := images.ByHash(ctx, w.db.Queries, actor.Sight(), parsed)
	if err != nil {
		return images.Image{}, nil, err
	}
	if w.files == nil {
		return image, nil, FilesUnavailable(errors.New("there is no place for them"))
	}
	names := []string{parsed.Blob()}
	if small {
		names = []string{parsed.Thumbnail(), parsed.Blob()}
	}
	for _, name := range names {
		file, err := w.files.Open(context.WithoutCancel(ctx), name)
		if err == nil {
			return image, file, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return image, nil, FilesUnavailable(err)
		}
	}
	return image, nil, images.NotFound()
}
