package private

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// maxSocket is the longest path that a Unix socket's address holds.
const maxSocket = 107

// socket returns the path of the database's socket. Attached programs know it from the state file, so it stays the
// same as long as its folder can be used.
func (s *Server) socket() (string, error) {
	if st, err := readState(s.dir); err == nil && os.MkdirAll(filepath.Dir(st.Socket), 0o700) == nil &&
		checkOwner(st.Socket, s.users()) == nil {
		return st.Socket, nil
	}
	sum := sha256.Sum256([]byte(s.dir))
	name := filepath.Join(hex.EncodeToString(sum[:6]), "db.sock")
	var first error
	for _, base := range s.runtimeDirs() {
		path := filepath.Join(base, name)
		if len(path) > maxSocket {
			continue
		}
		err := makePrivate(base, filepath.Dir(path))
		if err == nil {
			return path, nil
		}
		first = cmp.Or(first, err)
	}
	// Any user can make a folder in /tmp first, but not one whose name is not known before.
	dir, err := os.MkdirTemp("/tmp", "counterfoil-"+strconv.Itoa(os.Geteuid())+"-")
	if err != nil {
		return "", cmp.Or(first, NoRuntimeDir("/tmp", err))
	}
	return filepath.Join(dir, "db.sock"), nil
}

// runtimeDirs are the folders that may hold the socket's, the best first.
func (s *Server) runtimeDirs() (dirs []string) {
	// A login's own folder, /run/user/N, is removed at logout, even under a running program.
	if base := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(base) && !strings.HasPrefix(base, "/run/user/") &&
		private(base, os.Geteuid()) == nil {
		dirs = append(dirs, filepath.Join(base, "counterfoil"))
	}
	return append(dirs, "/tmp/counterfoil-"+strconv.Itoa(os.Geteuid()), filepath.Join(s.dir, "run"))
}

// makePrivate creates the folders, outermost first, and checks that no other user can reach into them.
func makePrivate(dirs ...string) error {
	for _, dir := range dirs {
		if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
			return NoRuntimeDir(dir, err)
		}
		if err := private(dir, os.Geteuid()); err != nil {
			return NoRuntimeDir(dir, err)
		}
	}
	return nil
}

// private returns nil if dir is a folder, no link to one, that only one of uids can enter.
func private(dir string, uids ...int) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder", dir)
	}
	if uid := int(info.Sys().(*syscall.Stat_t).Uid); !slices.Contains(uids, uid) {
		return fmt.Errorf("%s belongs to user %d", dir, uid)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is open to other users", dir)
	}
	return nil
}

// users are those whose database we use: we, and for root the data directory's user.
func (s *Server) users() []int {
	uids := []int{os.Geteuid()}
	if info, err := os.Stat(s.dir); err == nil && os.Geteuid() == 0 {
		uids = append(uids, int(info.Sys().(*syscall.Stat_t).Uid))
	}
	return uids
}

// checkOwner returns nil if the socket's folder is that of one of the users, and no other user can put another one in
// its place.
func checkOwner(socket string, uids []int) error {
	dir := filepath.Dir(socket)
	if parent := filepath.Dir(dir); parent != "/tmp" { // where only a folder's owner moves it
		if err := private(parent, uids...); err != nil {
			return err
		}
	}
	return private(dir, uids...)
}

// removeSocket removes a killed server's socket; MySQL keeps a lock file beside it.
func removeSocket(socket string) {
	os.Remove(socket)
	os.Remove(socket + ".lock")
}
