package backup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// part is a file under the name FILE.part until it is complete.
type part struct {
	*os.File
	path string
	done bool
}

// newPart locks and empties FILE.part: that of a killed backup is reused, that of a running one is not touched.
func newPart(path string) (*part, error) {
	if err := free(path); err != nil {
		return nil, err
	}
	name := path + ".part"
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, BadFile(name, err)
	}
	p := &part{File: file, path: path}
	if err := p.take(); err != nil {
		file.Close()
		return nil, err
	}
	return p, nil
}

func (p *part) take() error {
	if err := syscall.Flock(int(p.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return InUse(p.path)
	}
	// Its former owner may have given the file its final name meanwhile.
	mine, err := p.Stat()
	if err != nil {
		return BadFile(p.Name(), err)
	}
	if named, err := os.Lstat(p.Name()); err != nil || !os.SameFile(mine, named) || !mine.Mode().IsRegular() {
		return InUse(p.path)
	}
	if err := errors.Join(p.Chmod(0o600), p.Truncate(0)); err != nil {
		return BadFile(p.Name(), err)
	}
	return nil
}

// finish makes the file durable and gives it its name.
func (p *part) finish() error {
	if err := p.Sync(); err != nil {
		return BadFile(p.path, err)
	}
	if err := rename(p.Name(), p.path); err != nil {
		return err
	}
	p.done = true
	p.Close()
	return syncFolder(filepath.Dir(p.path))
}

// discard removes the file unless it is finished.
func (p *part) discard() {
	if p.done {
		return
	}
	os.Remove(p.Name())
	p.Close()
}

// rename gives a file a name that does not exist yet. A link, unlike a rename, never replaces a file; some file
// systems have no links.
func rename(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		err = os.Remove(from)
	} else if errors.Is(err, fs.ErrExist) {
		return Exists(to)
	} else if err = free(to); err == nil {
		err = os.Rename(from, to)
	}
	if err != nil {
		return BadFile(to, err)
	}
	return nil
}

func free(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return Exists(path)
	case !errors.Is(err, fs.ErrNotExist):
		return BadFile(path, err)
	}
	return nil
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return BadFile(path, err)
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return BadFile(path, err)
	}
	return nil
}
