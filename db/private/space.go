package private

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

const (
	// needNew is for a new database with its logs; needMore is to open an existing one.
	needNew  = 256 * mib
	needMore = 32 * mib
)

// DiskFull returns an error for the user while the data directory's disk is almost full; else nil.
func (s *Server) DiskFull() error {
	if left := free(s.dir); left < needMore {
		return DiskFull(s.dir, left, needMore)
	}
	return nil
}

func (s *Server) checkSpace(e engine) error {
	need := uint64(needMore)
	if !exists(filepath.Join(s.dir, e.name)) {
		need = needNew
	}
	if left := free(s.dir); left < need {
		return DiskFull(s.dir, left, need)
	}
	return nil
}

// free returns the bytes that we may still write in dir's file system.
func free(dir string) uint64 {
	var fs syscall.Statfs_t
	for {
		err := syscall.Statfs(dir, &fs)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EINTR) {
			return ^uint64(0) // unknown: the next write will fail instead
		}
	}
	if os.Geteuid() == 0 {
		return fs.Bfree * uint64(fs.Bsize)
	}
	return fs.Bavail * uint64(fs.Bsize)
}
