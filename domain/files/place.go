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
// database has. The first server writes both, the file first: one that is cut off leaves a file that means nothing. It
// returns OtherPlace or blobs.Unavailable.
func CheckPlace(ctx context.Context, q *db.Queries, store *blobs.Store) error {
	token, err := db.Read(q.FilePlace(ctx))
	if db.IsNotFound(err) {
		token, err = choosePlace(ctx, q, store)
	}
	if err != nil {
		return fmt.Errorf("read the place of files: %w", err)
	}
	_, err = store.Stat(ctx, markIn+token)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	some, err := db.Read(q.StoredFilesAfter(ctx, []byte{}, 1))
	if err != nil {
		return fmt.Errorf("read stored files: %w", err)
	}
	if len(some) > 0 {
		return OtherPlace(store.String(), markIn+token)
	}
	return mark(ctx, store, token) // there is nothing to lose
}

// choosePlace makes a place that of a database unless another is by now, and returns the name of its mark.
func choosePlace(ctx context.Context, q *db.Queries, store *blobs.Store) (string, error) {
	var random [16]byte
	_, _ = rand.Read(random[:])
	token := hex.EncodeToString(random[:])
	if err := mark(ctx, store, token); err != nil {
		return "", err
	}
	n, err := db.Read(q.SetFilePlace(ctx, token))
	if err != nil || n == 1 {
		return token, err
	}
	if err := store.Delete(ctx, markIn+token); err != nil {
		return "", err
	}
	return db.Read(q.FilePlace(ctx))
}

func mark(ctx context.Context, store *blobs.Store, token string) error {
	return store.Put(ctx, markIn+token, strings.NewReader(""))
}
