package blobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// bucket returns the address of an empty bucket on a server that speaks S3.
func bucket(t *testing.T) string {
	t.Helper()
	backend := s3mem.New()
	domaintest.Must(t, backend.CreateBucket("files"))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return "s3://files?region=us-east-1&endpoint=" + server.URL
}

// each runs the test with a folder and with a bucket.
func each(t *testing.T, test func(t *testing.T, s *blobs.Store, folder string)) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	folder := filepath.Join(t.TempDir(), "not", "yet")
	for kind, where := range map[string]string{"folder": folder, "bucket": bucket(t), "part of a bucket": bucket(t) +
		"&prefix=ours/"} {
		t.Run(kind, func(t *testing.T) {
			s := domaintest.OK(blobs.Open(context.Background(), where))(t)
			defer s.Close()
			if kind != "folder" {
				test(t, s, "")
			} else {
				test(t, s, folder)
			}
		})
	}
}

func put(t *testing.T, s *blobs.Store, name, content string) {
	t.Helper()
	domaintest.Must(t, s.Put(context.Background(), name, strings.NewReader(content)))
}

func read(t *testing.T, s *blobs.Store, name string) string {
	t.Helper()
	r := domaintest.OK(s.Open(context.Background(), name))(t)
	defer r.Close()
	content := domaintest.OK(io.ReadAll(r))(t)
	return string(content)
}

func names(t *testing.T, s *blobs.Store, prefix string) (list []string) {
	t.Helper()
	domaintest.Must(t, s.Walk(context.Background(), prefix,
		func(i blobs.Info) error { list = append(list, i.Name); return nil }))
	return list
}

func TestStore(t *testing.T) {
	each(t, func(t *testing.T, s *blobs.Store, folder string) {
		ctx := context.Background()
		large := strings.Repeat("0123456789abcdef", 1<<20) // more than one part of an upload

		t.Run("a stored file can be opened, also when it is empty or large", func(t *testing.T) {
			for name, content := range map[string]string{"images/ab/one.png": "first", "empty": "", "large": large,
				"ef/größer 🥷": "x"} {
				put(t, s, name, content)
				if read(t, s, name) != content {
					t.Errorf("%s is not as it was put", name)
				}
				if info, err := s.Stat(ctx, name); err != nil || info.Size != int64(len(content)) || info.ModTime.IsZero() {
					t.Errorf("%s: %+v, %v", name, info, err)
				}
			}
		})
		t.Run("a second put takes the place of the first", func(t *testing.T) {
			put(t, s, "twice", "first")
			put(t, s, "twice", "second")
			if got := read(t, s, "twice"); got != "second" {
				t.Errorf("%q", got)
			}
		})
		t.Run("a file that cannot be read to its end is not stored, and the old one stays", func(t *testing.T) {
			put(t, s, "kept", "before")
			broken := errors.New("broken")
			for _, name := range []string{"never", "kept"} {
				err := s.Put(ctx, name, io.MultiReader(strings.NewReader(large), iotest.ErrReader(broken)))
				if !errors.Is(err, broken) {
					t.Errorf("%v", err)
				}
			}
			domaintest.Fails(s.Open(ctx, "never"))(t, fs.ErrNotExist)
			if got := read(t, s, "kept"); got != "before" {
				t.Errorf("%.20q", got)
			}
		})
		t.Run("a put that is called off is not stored", func(t *testing.T) {
			called, off := context.WithCancel(ctx)
			defer off()
			err := s.Put(called, "off",
				io.MultiReader(strings.NewReader("some"), readFunc(func([]byte) (int, error) { off(); return 0, io.EOF })))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
			domaintest.Fails(s.Open(ctx, "off"))(t, fs.ErrNotExist)
		})
		t.Run("a missing file is not found", func(t *testing.T) {
			if _, err := s.Open(ctx, "nothing"); !errors.As(err, new(blobs.NotFound)) {
				t.Errorf("%v", err)
			}
			if _, err := s.Stat(ctx, "images"); !errors.As(err, new(blobs.NotFound)) {
				t.Errorf("a folder is a file: %v", err)
			}
		})
		t.Run("delete takes away, once or often", func(t *testing.T) {
			put(t, s, "gone", "x")
			for range 2 {
				if err := s.Delete(ctx, "gone"); err != nil {
					t.Error(err)
				}
			}
			if _, err := s.Open(ctx, "gone"); !errors.As(err, new(blobs.NotFound)) {
				t.Errorf("%v", err)
			}
		})
	})
}

func TestStoreNames(t *testing.T) {
	each(t, func(t *testing.T, s *blobs.Store, folder string) {
		ctx := context.Background()
		t.Run("names that lead elsewhere are refused", func(t *testing.T) {
			for _, name := range []string{
				"", ".", "..", "/", "/etc/passwd", "../up", "a/../b", "a/../../b", "a//b", "a/", "./a", "a\\b", "a\x00b", "a\nb",
				"\xff", "c:x",
				".hidden", "a/.restore-x", "a.tmp", "a.tmp/b", "a.attrs", "a__0x2f__b", strings.Repeat("a", 201),
				strings.Repeat("a/", 500) + "b",
			} {
				_, opening := s.Open(ctx, name)
				_, looking := s.Stat(ctx, name)
				for _, err := range []error{s.Put(ctx, name, strings.NewReader("x")), opening, looking, s.Delete(ctx, name)} {
					if !errors.As(err, new(blobs.BadName)) {
						t.Errorf("%q: %v", name, err)
					}
				}
			}
		})
		t.Run("walk goes over all names, by prefix too, and over nothing that is being written", func(t *testing.T) {
			var want []string
			for i := range 1100 { // more than a page of a bucket
				want = append(want, fmt.Sprintf("many/%02d/%04d", i%7, i))
				put(t, s, want[i], "x")
			}
			if folder != "" {
				for _, name := range []string{"many/00/x.18a.tmp", "many/.restore-x"} {
					domaintest.Must(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
				}
			}
			slices.Sort(want)
			if got := names(t, s, "many/"); !slices.Equal(got, want) {
				t.Errorf("%d names, want %d", len(got), len(want))
			}
			if got := names(t, s, "many/03/"); len(got) != 157 {
				t.Errorf("%d names in one folder", len(got))
			}
			halt := errors.New("halt")
			if err := s.Walk(ctx, "", func(blobs.Info) error { return halt }); err != halt {
				t.Errorf("%v", err)
			}
		})
		t.Run("a concurrent reader sees one of the contents, whole", func(t *testing.T) {
			contents := [][]byte{bytes.Repeat([]byte("a"), 300_000), bytes.Repeat([]byte("b"), 200_000),
				bytes.Repeat([]byte("c"), 100_000)}
			put(t, s, "shared/file", string(contents[0]))
			var group sync.WaitGroup
			for _, content := range contents {
				group.Go(func() {
					for range 20 {
						if err := s.Put(ctx, "shared/file", bytes.NewReader(content)); err != nil {
							t.Error(err)
						}
					}
				})
				group.Go(func() {
					for range 20 {
						r, err := s.Open(ctx, "shared/file")
						if err != nil {
							t.Error(err)
							continue
						}
						got, err := io.ReadAll(r)
						r.Close()
						if err != nil || !slices.ContainsFunc(contents, func(c []byte) bool { return bytes.Equal(c, got) }) {
							t.Errorf("%d bytes of %.3q, %v", len(got), got, err)
						}
					}
				})
			}
			group.Wait()
		})
		if folder == "" {
			return
		}
		t.Run("files of dead writers are swept once they are old", func(t *testing.T) {
			old := time.Now().Add(-25 * time.Hour)
			aged := func(name string) {
				domaintest.Must(t, os.Chtimes(filepath.Join(folder, name), old, old))
			}
			put(t, s, "swept/kept", "x")
			aged("swept/kept")
			for _, name := range []string{"swept/old.18a5b3c4d5e6f708.tmp", "swept/new.18a5b3c4d5e6f709.tmp", "swept/mine.tmp"} {
				domaintest.Must(t, os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o600))
			}
			aged("swept/old.18a5b3c4d5e6f708.tmp")
			aged("swept/mine.tmp")
			if n, err := s.Sweep(ctx, time.Now().Add(-24*time.Hour)); n != 1 || err != nil {
				t.Errorf("%d swept, %v", n, err)
			}
			entries, err := os.ReadDir(filepath.Join(folder, "swept"))
			var left []string
			for _, entry := range entries {
				left = append(left, entry.Name())
			}
			if want := []string{"kept", "mine.tmp", "new.18a5b3c4d5e6f709.tmp"}; err != nil || !slices.Equal(left, want) {
				t.Errorf("left %q, %v", left, err)
			}
			domaintest.Must(t, os.RemoveAll(filepath.Join(folder, "swept")))
		})
		t.Run("in a folder there are plain files for their owner alone, and nothing else", func(t *testing.T) {
			put(t, s, "images/ab/one.png", "first")
			for _, left := range []string{"many/00/x.18a.tmp", "many/.restore-x"} {
				domaintest.Must(t, os.Remove(filepath.Join(folder, left)))
			}
			files := 0
			err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				info, err := entry.Info()
				if err != nil {
					return err
				}
				if info.Mode().Perm()&0o077 != 0 {
					t.Errorf("%s is %v", name, info.Mode())
				}
				if !entry.IsDir() {
					files++
				}
				return nil
			})
			if want := len(names(t, s, "")); err != nil || files != want {
				t.Errorf("%d files, %d names, %v", files, want, err)
			}
			if content, err := os.ReadFile(filepath.Join(folder, "images", "ab", "one.png")); err != nil ||
				string(content) != "first" {
				t.Errorf("%q, %v", content, err)
			}
		})
	})
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func TestOpen(t *testing.T) {
	ctx := context.Background()
	t.Run("a wrong location is refused, without its password", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		domaintest.Must(t, os.WriteFile(file, nil, 0o600))
		for _, where := range []string{"", file, file + "/below", "gs://bucket", "s3://", "s3://bucket/path",
			"s3://key:pa55word@bucket", "s3://bucket?nonsense=1", "s3://%zz"} {
			_, err := blobs.Open(ctx, where)
			if !errors.As(err, new(blobs.BadLocation)) || strings.Contains(err.Error(), "pa55word") {
				t.Errorf("%q: %v", where, err)
			}
		}
	})
	t.Run("a folder behind a link is one", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "link")
		domaintest.Must(t, os.Symlink(t.TempDir(), link))
		s := domaintest.OK(blobs.Open(ctx, link))(t)
		put(t, s, "a/b", "x")
		if got := names(t, s, ""); len(got) != 1 {
			t.Errorf("%v", got)
		}
	})
	t.Run("a folder that cannot be written and a bucket that is not there are unavailable", func(t *testing.T) {
		t.Setenv("AWS_ACCESS_KEY_ID", "key")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
		folder := t.TempDir()
		domaintest.Must(t, os.WriteFile(filepath.Join(folder, "taken"), nil, 0o600))
		for where, name := range map[string]string{folder: "taken/below",
			strings.Replace(bucket(t), "s3://files", "s3://missing", 1): "x"} {
			s := domaintest.OK(blobs.Open(ctx, where))(t)
			if err := s.Put(ctx, name, strings.NewReader("x")); !errors.As(err, new(blobs.Unavailable)) {
				t.Errorf("%s: %v", where, err)
			}
			if _, err := s.Open(ctx, name); blobs.Remote(where) && !errors.As(err, new(blobs.Unavailable)) {
				t.Errorf("%s: %v", where, err)
			}
		}
	})
}

func TestStage(t *testing.T) {
	ctx := context.Background()
	each(t, func(t *testing.T, s *blobs.Store, folder string) {
		staged := domaintest.OK(s.Stage(ctx, strings.NewReader("content")))(t)
		if staged.Size != 7 || fmt.Sprintf("%x", staged.Hash) != "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73" {
			t.Errorf("%d bytes, %x", staged.Size, staged.Hash)
		}
		if n := count(t, s); n != 0 {
			t.Errorf("%d files have a name before they are saved", n)
		}
		put(t, s, "a/b", "other")
		for range 2 { // it may be saved again, and replaces another
			domaintest.Must(t, staged.Save(ctx, "a/b"))
		}
		domaintest.Must(t, staged.Save(ctx, "a/c"))
		staged.Discard()
		for _, name := range []string{"a/b", "a/c"} {
			file := domaintest.OK(s.OpenSeeker(ctx, name))(t)
			domaintest.OK(file.Seek(3, io.SeekStart))(t)
			if rest := domaintest.OK(io.ReadAll(file))(t); string(rest) != "tent" {
				t.Errorf("%s ends with %q", name, rest)
			}
			file.Close()
		}
		if err := staged.Save(ctx, "../up"); !errors.As(err, new(blobs.BadName)) {
			t.Error(err)
		}
		if _, err := s.Stage(ctx, iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := s.Stage(ended, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if folder == "" {
			return
		}
		left := domaintest.OK(filepath.Glob(filepath.Join(folder, "*")))(t)
		if len(left) != 1 || filepath.Base(left[0]) != "a" {
			t.Errorf("%q are left", left)
		}
		// What a dead writer leaves is swept.
		domaintest.OK(s.Stage(ctx, strings.NewReader("x")))(t)
		if n := domaintest.OK(s.Sweep(ctx, time.Now().Add(time.Hour)))(t); n != 1 {
			t.Errorf("%d files were swept", n)
		}
	})
}

func count(t *testing.T, s *blobs.Store) (n int) {
	t.Helper()
	domaintest.Must(t, s.Walk(context.Background(), "", func(blobs.Info) error { n++; return nil }))
	return n
}
