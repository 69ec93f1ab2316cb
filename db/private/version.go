package private

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// versionFile, in the engine's folder, holds the version of the server that last ran there.
const versionFile = "counterfoil.version"

// checkData refuses files that this server, or this user, would damage or not read.
func (s *Server) checkData(e engine) error {
	dir := filepath.Join(s.dir, e.name)
	info, err := os.Stat(dir)
	if err != nil {
		return explain(s.dir, err)
	}
	if uid := int(info.Sys().(*syscall.Stat_t).Uid); uid != os.Geteuid() {
		return OtherUser(dir, uid)
	}
	last, err := readVersion(dir)
	if err != nil {
		return explain(s.dir, err)
	}
	if last.series() > e.version.series() {
		return NewerData(dir, e.title+" "+last.String(), e.server, e.title+" "+e.version.String())
	}
	return nil
}

// noteVersion is called once the server has taken over the files.
func (s *Server) noteVersion(e engine) error {
	dir := filepath.Join(s.dir, e.name)
	if last, err := readVersion(dir); err == nil && last == e.version {
		return nil
	}
	return explain(s.dir, writeVersion(dir, e))
}

func readVersion(dir string) (version, error) {
	raw, err := os.ReadFile(filepath.Join(dir, versionFile))
	if os.IsNotExist(err) {
		return version{}, nil
	}
	if err != nil {
		return version{}, err
	}
	var v version
	_, _ = fmt.Sscanf(string(raw), "%d.%d.%d", &v.major, &v.minor, &v.patch)
	return v, nil
}

func writeVersion(dir string, e engine) error {
	return os.WriteFile(filepath.Join(dir, versionFile), []byte(e.version.String()+"\n"), 0o600)
}
