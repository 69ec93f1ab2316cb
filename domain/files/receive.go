package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"mime"
	"runtime"

	"github.com/gabriel-vasile/mimetype"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/images"
)

const (
	// maxPicture is the size in bytes of the largest file that pages show as a picture.
	maxPicture = 20 << 20
	// maxShown is how many pixels such a picture may have, and maxPixels how many any picture.
	maxShown, maxPixels = 25_000_000, 250_000_000
	// beginning is how much of a file is read to find its type and the size of a picture.
	beginning = 1 << 20
)

// Received is a file that was received, and its picture made anew. End it with Discard.
type Received struct {
	File File

	store   *blobs.Store
	staged  *blobs.Staged
	picture images.Picture // of one that pages show
	own     Stored         // as Store stored it
}

// Receive receives a file to its end without holding it in memory, but for a picture of up to 20 MB. It returns Empty,
// TooManyPixels, blobs.Unavailable or the error of r.
func Receive(ctx context.Context, store *blobs.Store, r io.Reader) (*Received, error) {
	staged, err := store.Stage(ctx, r)
	if err != nil {
		return nil, err
	}
	received := &Received{store: store, staged: staged, File: File{Stored: Stored{staged.Hash, rand.Uint32()}, Bytes: staged.Size}}
	if err := received.examine(ctx); err != nil {
		staged.Discard()
		return nil, err
	}
	return received, nil
}

// examine finds the type of the file, and makes a picture anew.
func (r *Received) examine(ctx context.Context) error {
	if r.File.Bytes == 0 {
		return Empty()
	}
	head, err := io.ReadAll(io.LimitReader(r.staged.Content(), beginning))
	if err != nil {
		return fmt.Errorf("read received file: %w", err)
	}
	r.File.Type = typeOf(head)
	pixels, ok := images.Pixels(head)
	switch {
	case !ok:
		return nil
	case pixels > maxPixels:
		return TooManyPixels(pixels)
	case pixels > maxShown || r.File.Bytes > maxPicture:
		return nil
	}
	return r.convert(ctx)
}

// typeOf is the type of a file without parameters.
func typeOf(head []byte) string {
	kind, _, err := mime.ParseMediaType(mimetype.Detect(head).String())
	if err != nil || len(kind) > 100 {
		return "application/octet-stream"
	}
	return kind
}

// conversions allows as many pictures in memory as there are processors.
var conversions = make(chan struct{}, runtime.GOMAXPROCS(0))

// convert makes a picture anew. One that is damaged is a file as any other.
func (r *Received) convert(ctx context.Context) error {
	select {
	case conversions <- struct{}{}:
		defer func() { <-conversions }()
	case <-ctx.Done():
		return ctx.Err()
	}
	content, err := io.ReadAll(r.staged.Content())
	if err != nil {
		return fmt.Errorf("read received file: %w", err)
	}
	limits := images.Limits{Pixels: maxShown, Thumbnail: images.ThumbnailWidth}
	picture, err := images.Convert(ctx, content, limits)
	if fault.CodeOf(err) == images.CodeUnfit {
		return nil
	}
	if err != nil {
		return err
	}
	r.picture = picture
	r.File.Picture = Image{Type: picture.Type, Bytes: int64(len(picture.Content)), Width: picture.Width,
		Height: picture.Height}
	return nil
}

// Store stores the file and its copies. It is called before the transaction of Keep. It returns blobs.Unavailable.
func (r *Received) Store(ctx context.Context) error {
	r.own = r.File.Stored
	return r.save(ctx, r.File.Names()...)
}

func (r *Received) save(ctx context.Context, names ...string) (err error) {
	for _, name := range names {
		switch {
		case err != nil:
		case name == r.File.Stored.Image():
			err = r.store.Put(ctx, name, bytes.NewReader(r.picture.Content))
		case name == r.File.Stored.Thumbnail():
			err = r.store.Put(ctx, name, bytes.NewReader(r.picture.Thumbnail))
		default:
			err = r.staged.Save(ctx, name)
		}
	}
	return err
}

// Keep records the file for a company. If the same content is stored already, the file is that one from then on, and
// what of it was lost is stored again. A removal at the same time conflicts with this transaction. It returns
// QuotaExceeded or blobs.Unavailable.
func (r *Received) Keep(ctx context.Context, tx *db.Tx, company id.Company) error {
	f := r.File
	err := tx.StoreFile(ctx, db.StoreFileParams{Hash: f.Hash[:], Bytes: uint64(f.Bytes), ContentType: f.Type,
		ImageType: f.Picture.Type, ImageBytes: uint64(f.Picture.Bytes), Width: uint32(f.Picture.Width),
		Height: uint32(f.Picture.Height), CreatedAt: tx.Now, Generation: r.own.Generation})
	if err != nil {
		return fmt.Errorf("record file: %w", err)
	}
	row, err := tx.StoredFile(ctx, f.Hash[:])
	if err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	r.File.Generation = row.Generation
	for _, name := range r.File.Names() {
		_, err := r.store.Stat(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			err = r.save(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	return take(ctx, tx, company, f.Bytes)
}

// Reuse counts one more use of a file by a company; ok is false if the file is gone. A removal at the same time conflicts
// with this transaction. It returns QuotaExceeded.
func Reuse(ctx context.Context, tx *db.Tx, company id.Company, file File) (ok bool, err error) {
	n, err := tx.LockFile(ctx, file.Hash[:])
	if err != nil {
		return false, fmt.Errorf("lock file: %w", err)
	}
	if n == 0 {
		return false, nil
	}
	return true, take(ctx, tx, company, file.Bytes)
}

// Discard ends the use of the file. Unless it was kept, what was stored of it is deleted; kept says that the transaction
// of Keep was committed, or perhaps was.
func (r *Received) Discard(ctx context.Context, kept bool) {
	r.staged.Discard()
	if r.own == (Stored{}) || kept && r.File.Stored == r.own {
		return
	}
	for _, name := range r.own.Names() {
		_ = r.store.Delete(context.WithoutCancel(ctx), name) // else the next removal of unused files does it
	}
}
