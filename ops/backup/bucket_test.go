package backup_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/ops/backup"
)

// Not parallel: it sets the environment that Amazon's tools read.
func TestStoredFilesInABucket(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	backend := s3mem.New()
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	bucket := func(name string) (string, *blobs.Store) {
		domaintest.Must(t, backend.CreateBucket(name))
		where := "s3://" + name + "?region=us-east-1&endpoint=" + server.URL
		store := domaintest.OK(blobs.Open(context.Background(), where))(t)
		t.Cleanup(func() { store.Close() })
		return where, store
	}
	want := map[string]string{"images/ab/one": "first", "empty": "", "uploads/large": strings.Repeat("x", 6<<20)}
	from := newEnv(t)
	where, store := bucket("from")
	from.Blobs = where
	for name, content := range want {
		domaintest.Must(t, store.Put(context.Background(), name, strings.NewReader(content)))
	}
	file := from.backup(t)
	holds := func(t *testing.T, store *blobs.Store) {
		t.Helper()
		for name, content := range want {
			r, err := store.Open(context.Background(), name)
			domaintest.Must(t, err)
			got, err := io.ReadAll(r)
			if r.Close(); err != nil || string(got) != content {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
	}
	t.Run("come back into a bucket, also where a restore broke off", func(t *testing.T) {
		to := empty(t)
		var store *blobs.Store
		to.Blobs, store = bucket("to")
		domaintest.Must(t, store.Put(context.Background(), "images/ab/one", strings.NewReader("first")))
		if summary := to.restore(t, file); summary.Blobs != 3 {
			t.Errorf("%d are told", summary.Blobs)
		}
		holds(t, store)
	})
	t.Run("come back into a folder, and from there into a bucket", func(t *testing.T) {
		to, third := empty(t), empty(t)
		to.restore(t, file)
		store := domaintest.OK(blobs.Open(context.Background(), to.Blobs))(t)
		holds(t, store)
		// What is being written, or was when its writer died, is no stored file.
		domaintest.Must(t, os.WriteFile(filepath.Join(to.Blobs, "half.187a3f0c12.tmp"), []byte("ha"), 0o600))
		third.Blobs, store = bucket("third")
		if summary := third.restore(t, to.backup(t)); summary.Blobs != 3 {
			t.Errorf("%d are told", summary.Blobs)
		}
		holds(t, store)
	})
	t.Run("of anything else are refused", func(t *testing.T) {
		for i, other := range map[string][2]string{"other-a": {"images/ab/one", "other"},
			"other-b": {"images/ab/two", "first"}} {
			to := empty(t)
			var store *blobs.Store
			to.Blobs, store = bucket(i)
			domaintest.Must(t, store.Put(context.Background(), other[0], strings.NewReader(other[1])))
			_, _, err := backup.Restore(context.Background(), to.Installation, file)
			if !errors.Is(err, backup.CodeNotEmpty) ||
				to.rows(t, "information_schema.tables WHERE table_schema = DATABASE()") != 0 {
				t.Errorf("%s: %v", other[0], err)
			}
		}
	})
	t.Run("of a bucket that does not answer make no backup", func(t *testing.T) {
		_, err := backup.Make(context.Background(),
			backup.Installation{URL: from.URL, Blobs: strings.Replace(where, "s3://from", "s3://missing", 1)}, "test",
			filepath.Join(t.TempDir(), "b"))
		if !errors.As(err, new(blobs.Unavailable)) {
			t.Errorf("%v", err)
		}
	})
}
