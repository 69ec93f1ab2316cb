package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/counterfoil/counterfoil/domain/blobs"
)

// unfinished is the prefix of a stored file that a restore is writing.
const unfinished = ".restore-"

// passing reports whether a file of that name is not a stored one.
func passing(name string) bool {
	return strings.HasPrefix(name, unfinished) || blobs.IsTemporary(name)
}

// roomIn returns the free space of a folder, which need not exist. A bucket's is unknown.
func roomIn(folder string) room {
	if blobs.Remote(folder) {
		return anyRoom
	}
	return func(need uint64) error {
		at := folder
		var disk syscall.Statfs_t
		for err := syscall.Statfs(at, &disk); err != nil; err = syscall.Statfs(at, &disk) {
			if parent := filepath.Dir(at); parent != at {
				at = parent
				continue
			}
			return nil // unknown: a write will fail
		}
		if free := disk.Bavail * uint64(disk.Bsize); need > free {
			return NoRoom(folder, need, free)
		}
		return nil
	}
}

// blobsEmpty returns NotEmpty if the folder holds a file that is not one of the backup's, byte for byte: those may
// remain from an interrupted restore.
func blobsEmpty(ctx context.Context, folder string, known map[string]member) error {
	if blobs.Remote(folder) {
		return bucketEmpty(ctx, folder, known)
	}
	resolved, err := filepath.EvalSymlinks(folder)
	if folder == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return filepath.WalkDir(resolved, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || passing(entry.Name()) {
			return err
		}
		relative, err := filepath.Rel(resolved, name)
		if err != nil {
			return err
		}
		was, ok := known[filepath.ToSlash(relative)]
		if ok && entry.Type().IsRegular() {
			if ok, err = same(name, was); err != nil {
				return err
			}
		}
		if !ok {
			return NotEmpty("the folder of its stored files, " + folder + ", holds " + relative)
		}
		return nil
	})
}

func same(file string, was member) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return equal(f, was)
}

func equal(r io.Reader, was member) (bool, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(r, was.Size+1))
	return n == was.Size && hex.EncodeToString(sum.Sum(nil)) == was.SHA256, err
}

// restoreBlobs writes the stored files, and leaves the folder alone if there are none.
func restoreBlobs(ctx context.Context, folder string, f *os.File, c contents) error {
	if len(c.blobs) == 0 {
		return nil
	}
	if blobs.Remote(folder) {
		return restoreBucket(ctx, folder, f, c)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return eachBlob(ctx, f, c, func(name string, was member, r io.Reader) error { return restoreBlob(root, name, was, r) })
}

// eachBlob calls restore with the stored files of a backup.
func eachBlob(
	ctx context.Context, f *os.File, c contents, restore func(name string, was member, r io.Reader) error,
) error {
	next := 0
	return walk(ctx, f, c.progress.reading("load stored files", f, func(m member, r io.Reader) error {
		next++
		name, ok := blobName(m.Name)
		if !ok {
			return nil // another kind of member
		}
		was := c.sums.Members[next-1]
		if m.Name != was.Name {
			return errChanged
		}
		return restore(name, was, r)
	}))
}

// restoreBlob gives a file its name once all of it is on the disk.
func restoreBlob(root *os.Root, name string, was member, r io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return memberError{err}
	}
	temporary := path.Join(path.Dir(name), unfinished+path.Base(name))
	defer root.Remove(temporary)
	out, err := root.OpenFile(temporary, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return memberError{err}
	}
	defer out.Close()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(sum, out), r); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != was.SHA256 {
		return errChanged
	}
	if err := errors.Join(out.Sync(), out.Close(), root.Rename(temporary, name),
		syncIn(root, path.Dir(name))); err != nil {
		return memberError{err}
	}
	return nil
}

func syncIn(root *os.Root, folder string) error {
	f, err := root.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
