package private

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

const collation = "utf8mb4_unicode_520_ci"

// kind is one of the two makes of server.
type kind struct {
	name   string // of its folder in the data directory
	title  string
	oldest version
	// flags are this kind's flags beside the common ones.
	flags func(e engine) []string
	// initialise is the command that makes an empty dir a data directory.
	initialise func(ctx context.Context, e engine, dir string) (*exec.Cmd, error)
}

// engine is an installed server.
type engine struct {
	kind
	server  string
	version version
}

type version struct{ major, minor, patch int }

func (v version) String() string { return fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch) }

// series orders versions by the format of their files: 10.11, 11.4.
func (v version) series() int { return v.major*1000 + v.minor }

// findEngine returns the server to run on the data directory: one of the kind that made it.
func (s *Server) findEngine(ctx context.Context) (engine, error) {
	var other *engine
	candidates := s.candidates()
	for _, path := range candidates {
		e, err := identify(ctx, path)
		if err != nil && len(candidates) == 1 {
			return engine{}, NotInstalled(path, "", err)
		}
		if err != nil {
			s.log.Warn("this database server does not run", "path", path, "err", err)
			continue
		}
		if s.engine != "" && s.engine != e.name {
			continue
		}
		if s.fits(e) {
			return e, e.checkAge()
		}
		other = &e
	}
	if other != nil {
		return engine{}, OtherEngine(s.dir, opposite(other.kind).title, other.server, other.title)
	}
	return engine{}, NotInstalled("", s.engine, nil)
}

func (s *Server) candidates() []string {
	named := s.server
	if named == "" {
		named = os.Getenv("COUNTERFOIL_MYSQLD")
	}
	if named != "" && (s.server != "" || s.engine == "") {
		return []string{named}
	}
	dirs := append(filepath.SplitList(os.Getenv("PATH")),
		"/usr/sbin", "/usr/bin", "/usr/libexec", "/usr/local/sbin", "/usr/local/bin", "/usr/local/libexec",
		"/usr/local/mysql/bin", "/usr/local/mariadb/bin", "/opt/homebrew/bin", "/opt/mariadb/bin", "/opt/mysql/bin")
	var found []string
	if named != "" {
		found = append(found, named)
	}
	for _, name := range []string{"mariadbd", "mysqld"} {
		for _, dir := range dirs {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() &&
				info.Mode()&0o111 != 0 {
				found = append(found, path)
				break
			}
		}
	}
	return found
}

// fits reports whether the data directory is new or was made by e's kind.
func (s *Server) fits(e engine) bool {
	return exists(filepath.Join(s.dir, e.name)) || !exists(filepath.Join(s.dir, opposite(e.kind).name))
}

func opposite(k kind) kind {
	if k.name == mariadb.name {
		return mysql
	}
	return mariadb
}

func (e engine) checkAge() error {
	if e.version.series() < e.oldest.series() {
		return TooOld(e.server, e.title+" "+e.version.String(), fmt.Sprintf("%d.%d", e.oldest.major, e.oldest.minor))
	}
	return nil
}

var versionLine = regexp.MustCompile(`Ver (\d+)\.(\d+)\.(\d+)(-MariaDB)?`)

// identify asks the program, because mysqld is often another name of mariadbd.
func identify(ctx context.Context, path string) (engine, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--no-defaults", "--version").CombinedOutput()
	if err != nil {
		return engine{}, fmt.Errorf("%w %s", err, out)
	}
	m := versionLine.FindStringSubmatch(string(out))
	if m == nil {
		return engine{}, fmt.Errorf("it is no MariaDB or MySQL server; it says %q", out)
	}
	e := engine{kind: mysql, server: path, version: version{number(m[1]), number(m[2]), number(m[3])}}
	if m[4] != "" {
		e.kind = mariadb
	}
	return e, nil
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
