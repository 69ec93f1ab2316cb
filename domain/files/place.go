package files

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/blobs"
)

// markIn is the folder of the empty file whose name marks the place of a database's files.
const markIn = "place/"

// CheckPlace checks that a place is the one that all servers of a database keep files in, by a file there whose name the
// database has. The first upload writes both, the file first: one that is cut off leaves a file that means nothing. It
// returns OtherPlace or blobs.Unavailable.
func CheckPlace(ctx context.Context, q *db.Queries, store *blobs.Store) error {
	_, err := db.Read(q.FilePlace(ctx))
	if db.IsNotFound(err) {
		err = choosePlace(ctx, q, store)
	}
	if err != nil {
		return fmt.Errorf("read the place of files: %w", err)
	}
	return CheckMark(ctx, q, store)
}

// CheckMark returns OtherPlace if the place of a database's files is another one. It writes nothing.
func CheckMark(ctx context.Context, q *db.Queries, store *blobs.Store) error {
	token, err := db.Read(q.FilePlace(ctx))
	if db.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the place of files: %w", err)
	}
	_, err = store.Stat(ctx, markIn+token)
	if errors.Is(err, fs.ErrNotExist) {
		return OtherPlace(store.String(), markIn+token)
	}
	return err
}

// choosePlace makes a place that of a database unless another is by now.
func choosePlace(ctx context.Context, q *db.Queries, store *blobs.Store) error {
	var random [16]byte
	_, _ = rand.Read(random[:])
	token := hex.EncodeToString(random[:])
	mark := markIn + token
	if err := store.Put(ctx, mark, strings.NewReader("")); err != nil {
		return err
	}
	n, err := db.Read(q.SetFilePlace(ctx, token))
	if err != nil || n == 1 {
		return err
	}
	return store.Delete(ctx, mark)
}
