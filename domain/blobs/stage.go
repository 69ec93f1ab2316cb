package blobs

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Staged is a file that was received and has no name yet. End it with Discard.
type Staged struct {
	Hash [sha256.Size]byte // SHA-256 of its content
	Size int64             // in bytes

	store *Store
	file  *os.File
	path  string // "" if it is in no folder of the store
}

// Stage receives what r reads, to its end, and never holds it in memory. With a folder it is written there once, with a
// bucket to the temporary folder. It returns Unavailable, or the error of r.
func (s *Store) Stage(ctx context.Context, r io.Reader) (*Staged, error) {
	staged, err := s.newStaged()
	if err != nil {
		return nil, s.wrap("store", "", err)
	}
	from, sum := &source{Reader: r}, sha256.New()
	staged.Size, err = io.Copy(staged.file, io.TeeReader(readerUntil{ctx, from}, sum))
	if err == nil && staged.path != "" {
		err = staged.file.Sync()
	}
	if err == nil {
		staged.Hash = [sha256.Size]byte(sum.Sum(nil))
		return staged, nil
	}
	staged.Discard()
	if from.err != nil {
		return nil, from.err
	}
	return nil, s.wrap("store", "", err)
}

// readerUntil reads until a context ends.
type readerUntil struct {
	ctx context.Context
	io.Reader
}

func (r readerUntil) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

func (s *Store) newStaged() (*Staged, error) {
	if s.folder == "" {
		file, err := os.CreateTemp("", "counterfoil-upload-*")
		if err == nil {
			err = os.Remove(file.Name()) // it is gone with its last user
		}
		return &Staged{store: s, file: file}, err
	}
	at := filepath.Join(s.folder, temporary("upload"))
	file, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	return &Staged{store: s, file: file, path: at}, err
}

// temporary is a name that IsTemporary knows.
func temporary(name string) string {
	var random [8]byte
	_, _ = rand.Read(random[:])
	return name + "." + hex.EncodeToString(random[:]) + ".tmp"
}

// Content reads the file from its beginning.
func (s *Staged) Content() io.ReadSeeker { return io.NewSectionReader(s.file, 0, s.Size) }

// Save gives the file a name, which may have one already, and replaces an earlier file. It may be called again, as long
// as the file is not discarded. It returns BadName or Unavailable.
func (s *Staged) Save(ctx context.Context, name string) error {
	if err := check(name); err != nil {
		return err
	}
	if s.path == "" {
		return s.store.Put(ctx, name, s.Content())
	}
	to := filepath.Join(s.store.folder, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(to), 0o700)
	if err == nil {
		err = os.Link(s.path, to)
	}
	if errors.Is(err, fs.ErrExist) {
		err = s.replace(to)
	}
	if err != nil { // a file system without links
		return s.store.Put(ctx, name, s.Content())
	}
	return s.store.wrap("store", name, s.store.syncFolders(path.Clean(name)))
}

// replace puts the file in the place of another.
func (s *Staged) replace(to string) error {
	between := filepath.Join(filepath.Dir(to), temporary(filepath.Base(to)))
	if err := os.Link(s.path, between); err != nil {
		return err
	}
	defer os.Remove(between) // which a rename leaves if it is the same file already
	return os.Rename(between, to)
}

// Discard ends the use of the file; what was saved stays.
func (s *Staged) Discard() {
	if s.file != nil {
		_ = s.file.Close()
	}
	if s.path != "" {
		_ = os.Remove(s.path)
	}
}
