// Package blobs stores files under names: in a folder, or in a bucket with the S3 protocol.
//
// In a folder each is a plain file of its name, readable by its owner only. A file appears whole or not at all, and is
// on the disk once Put has returned.
package blobs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob" // opens s3:// addresses
	"gocloud.dev/gcerrors"
)

// Store stores files. Make one with Open.
type Store struct {
	bucket   *blob.Bucket
	location string // for users
	folder   string // "" for a bucket
}

// Remote reports whether a setting is a bucket's address rather than a folder.
func Remote(where string) bool { return strings.HasPrefix(where, "s3://") }

// Open opens a folder, which it makes if it is missing, or a bucket such as
// s3://name?region=eu-central-1&endpoint=https://s3.example.com&prefix=counterfoil/. With an endpoint the bucket's
// name goes into the path and checksums are sent only if they are required, as servers other than Amazon's expect. The
// keys to a bucket come from the environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or whatever else Amazon's
// tools read.
//
// It sends no request to the bucket. It returns BadLocation.
func Open(ctx context.Context, where string) (*Store, error) {
	if Remote(where) {
		return openBucket(ctx, where)
	}
	if where == "" || strings.Contains(where, "://") {
		return nil, BadLocation{where, errors.New("it is neither a folder nor an address that begins with s3://")}
	}
	return openFolder(where)
}

func openBucket(ctx context.Context, where string) (*Store, error) {
	u, err := url.Parse(where)
	if err != nil || u.Host == "" || u.User != nil || u.Path != "" && u.Path != "/" {
		return nil, BadLocation{hidden(where), errors.New("it is no address such as s3://bucket?region=eu-central-1")}
	}
	u.Path = ""
	q := u.Query()
	if q.Has("endpoint") {
		for name, value := range map[string]string{"use_path_style": "true", "request_checksum_calculation": "when_required",
			"response_checksum_validation": "when_required"} {
			if !q.Has(name) {
				q.Set(name, value)
			}
		}
	}
	u.RawQuery = q.Encode()
	bucket, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, BadLocation{hidden(where), err}
	}
	return &Store{bucket: bucket, location: "s3://" + u.Host}, nil
}

// hidden removes possible passwords from an address.
func hidden(where string) string {
	if u, err := url.Parse(where); err == nil {
		return u.Redacted()
	}
	return "s3://…"
}

func openFolder(where string) (*Store, error) {
	if err := os.MkdirAll(where, 0o700); err != nil {
		return nil, BadLocation{where, err}
	}
	folder, err := filepath.EvalSymlinks(where)
	if err != nil {
		return nil, BadLocation{where, err}
	}
	bucket, err := fileblob.OpenBucket(folder, &fileblob.Options{DirFileMode: 0o700, NoTempDir: true,
		Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		return nil, BadLocation{where, err}
	}
	return &Store{bucket: bucket, location: where, folder: folder}, nil
}

// Close closes the store's connections.
func (s *Store) Close() error { return s.bucket.Close() }

// String is the location for users, without keys.
func (s *Store) String() string { return s.location }

// Put stores what r reads under the name, whole or not at all, and replaces an earlier file. It returns BadName,
// Unavailable, or the error of r.
func (s *Store) Put(ctx context.Context, name string, r io.Reader) error {
	if err := check(name); err != nil {
		return err
	}
	// Ending this context before Close is how a write is given up.
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	var file *os.File
	w, err := s.bucket.NewWriter(ctx, name, &blob.WriterOptions{
		ContentType: "application/octet-stream", // else it would be guessed from the content
		BeforeWrite: func(as func(any) bool) error {
			if as(&file) {
				return file.Chmod(0o600)
			}
			return nil
		},
	})
	if err != nil {
		return s.wrap("store", name, err)
	}
	from := &source{Reader: r}
	_, err = io.Copy(w, from)
	if err == nil && file != nil {
		err = file.Sync()
	}
	if err != nil {
		giveUp()
		_ = w.Close()
		if from.err != nil {
			return from.err
		}
		return s.wrap("store", name, err)
	}
	if err := w.Close(); err != nil {
		return s.wrap("store", name, err)
	}
	return s.wrap("store", name, s.syncFolders(name))
}

// source keeps read errors apart from write errors.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// syncFolders makes the entries of a file and of its new folders survive a crash.
func (s *Store) syncFolders(name string) error {
	if s.folder == "" {
		return nil
	}
	for below := path.Dir(name); ; below = path.Dir(below) {
		f, err := os.Open(filepath.Join(s.folder, filepath.FromSlash(below)))
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
		if below == "." {
			return nil
		}
	}
}

// Open opens a file. It returns BadName, NotFound or Unavailable; reading fails once ctx has ended.
func (s *Store) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	return s.OpenSeeker(ctx, name)
}

// OpenSeeker is Open for readers of parts of a file.
func (s *Store) OpenSeeker(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	r, err := s.bucket.NewReader(ctx, name, nil)
	if err != nil {
		return nil, s.wrap("read", name, err)
	}
	return r, nil
}

// Info describes a stored file.
type Info struct {
	Name    string
	Size    int64
	ModTime time.Time
}

// Stat returns the Info of a file. It returns BadName, NotFound or Unavailable.
func (s *Store) Stat(ctx context.Context, name string) (Info, error) {
	if err := check(name); err != nil {
		return Info{}, err
	}
	a, err := s.bucket.Attributes(ctx, name)
	if err != nil {
		return Info{}, s.wrap("look at", name, err)
	}
	return Info{Name: name, Size: a.Size, ModTime: a.ModTime}, nil
}

// Delete removes the file of that name. That there is none is no error. It returns BadName or Unavailable.
func (s *Store) Delete(ctx context.Context, name string) error {
	if err := check(name); err != nil {
		return err
	}
	err := s.wrap("delete", name, s.bucket.Delete(ctx, name))
	if errors.As(err, new(NotFound)) {
		return nil
	}
	return err
}

// Walk calls visit with each stored file whose name begins with prefix, in the order of names. It skips names that Put
// refuses, such as unfinished files. It returns Unavailable, or the error of visit.
func (s *Store) Walk(ctx context.Context, prefix string, visit func(Info) error) error {
	size := 1000 // a bucket's maximum
	if s.folder != "" {
		size = 1 << 20 // each page reads all of the folder
	}
	for page := blob.FirstPageToken; len(page) > 0; {
		list, next, err := s.bucket.ListPage(ctx, page, size, &blob.ListOptions{Prefix: prefix})
		if err != nil {
			return s.wrap("list", prefix, err)
		}
		for _, o := range list {
			if check(o.Key) != nil {
				continue
			}
			if err := visit(Info{Name: o.Key, Size: o.Size, ModTime: o.ModTime}); err != nil {
				return err
			}
		}
		page = next
	}
	return nil
}

// temporaryName is how the folder's names of files end that are being written, or were when their writer died.
var temporaryName = regexp.MustCompile(`\.[0-9a-f]{8,16}\.tmp$`)

// IsTemporary reports whether a file of that name in a store's folder is being written, or was when its
// writer died.
func IsTemporary(name string) bool { return temporaryName.MatchString(name) }

// Sweep removes unfinished files that dead writers last wrote before a time, and returns how many. A bucket has none.
func (s *Store) Sweep(ctx context.Context, before time.Time) (n int, err error) {
	if s.folder == "" {
		return 0, nil
	}
	err = filepath.WalkDir(s.folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if !entry.Type().IsRegular() || !IsTemporary(entry.Name()) {
			return nil
		}
		info, err := entry.Info()
		if err == nil && !info.ModTime().Before(before) {
			return nil
		}
		if err == nil {
			err = os.Remove(name)
		}
		if errors.Is(err, fs.ErrNotExist) { // finished, or removed by another process
			return nil
		}
		n++
		return err
	})
	return n, s.wrap("sweep", "", err)
}

// check returns BadName for a name that leads elsewhere, that a folder or a bucket would change, or that looks like an
// unfinished file.
func check(name string) error {
	ok := fs.ValidPath(name) && name != "." && len(name) <= 800 && !strings.ContainsAny(name, "\\:") &&
		!strings.Contains(name, "__0x")
	for part := range strings.SplitSeq(name, "/") {
		ok = ok && len(part) <= 200 && !strings.HasPrefix(part, ".") && !strings.HasSuffix(part, ".tmp") &&
			!strings.HasSuffix(part, ".attrs")
	}
	if !ok || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return BadName{name}
	}
	return nil
}

// wrap returns nil for nil, and NotFound or Unavailable else.
func (s *Store) wrap(doing, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case gcerrors.Code(err) == gcerrors.NotFound && doing != "store" && !noBucket(err):
		return NotFound{name}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case gcerrors.Code(err) == gcerrors.Canceled:
		return context.Canceled
	}
	return Unavailable{doing, name, s.location, err}
}

// noBucket reports whether it is the bucket that is not there.
func noBucket(err error) bool {
	var coded interface{ ErrorCode() string }
	return errors.As(err, &coded) && coded.ErrorCode() == "NoSuchBucket"
}
