package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/private"
)

// root is the folder of the module: tests run in those of their packages.
func root() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return "."
}

// config is the path of a configuration file that the guide shows.
func config(name string) string { return filepath.Join(root(), "docs", "scaling", name) }

// installed makes sure that the programs of a topology are there.
func installed(topology string) error {
	if _, err := script("need", "haproxy"); err != nil {
		return err
	}
	if topology == Group {
		return nil
	}
	_, err := script("need", "mariadbd")
	return err
}

// script runs one of the project's scripts and returns what it prints.
func script(name string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(root(), "scripts", name), args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("scripts/%s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// server is an installed database server.
type server struct {
	path        string
	flags       []string
	environment []string
}

// serverOf finds the server of a topology. A node of Galera runs what scripts/get-galera has beside it, too.
func serverOf(topology string) (server, error) {
	search := os.Getenv("PATH") + ":/usr/sbin:/usr/local/sbin:/usr/libexec"
	s := server{environment: []string{"PATH=" + search}}
	if topology == Galera {
		library, err := galeraLibrary()
		if err != nil {
			return s, err
		}
		s.environment[0] = "PATH=" + filepath.Join(filepath.Dir(library), "bin") + ":" + search
	}
	if topology == Group {
		mysqld, err := mysqldPath()
		s.path = mysqld
		if base := filepath.Join(filepath.Dir(mysqld), "root", "usr"); err == nil && exists(base) {
			s.flags = []string{"--basedir=" + base, "--secure-file-priv=NULL"}
		}
		return s, err
	}
	for _, dir := range filepath.SplitList(search) {
		if path := filepath.Join(dir, "mariadbd"); exists(path) {
			s.path = path
			return s, nil
		}
	}
	return s, errors.New("there is no mariadbd")
}

func mysqldPath() (string, error) {
	if named := os.Getenv("COUNTERFOIL_MYSQLD"); named != "" {
		return named, nil
	}
	dir, err := script("get-mysql")
	return filepath.Join(dir, "mysqld"), err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// folder makes the folder of a cluster, in memory if that has room, and removes those of clusters whose program died.
func folder() (string, error) {
	const memory, enough, prefix = "/dev/shm", 4 << 30, "counterfoil-cluster-"
	parent := os.TempDir()
	var disk syscall.Statfs_t
	if syscall.Statfs(memory, &disk) == nil && disk.Bavail*uint64(disk.Bsize) > enough {
		parent = memory
	}
	left, _ := filepath.Glob(filepath.Join(parent, prefix+"*"))
	for _, dir := range left {
		_, pid, _ := strings.Cut(filepath.Base(dir), prefix)
		pid, _, _ = strings.Cut(pid, "-")
		if number, err := strconv.Atoi(pid); err == nil && syscall.Kill(number, 0) == syscall.ESRCH {
			os.RemoveAll(dir)
		}
	}
	dir, err := os.MkdirTemp(parent, fmt.Sprintf("%s%d-*", prefix, os.Getpid()))
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// pattern makes the data of an empty database with its accounts, of which each node gets a copy.
func (c *Cluster) pattern(ctx context.Context) (string, error) {
	dir := filepath.Join(c.dir, "pattern")
	options := private.Options{Dir: dir, Engine: c.engine()}
	if c.engine() == "mysql" {
		path, err := mysqldPath()
		if err != nil {
			return "", err
		}
		options.Server = path
	}
	made, err := private.Open(ctx, options)
	if err != nil {
		return "", err
	}
	err = accounts(ctx, made.URL(database), c.engine())
	if err := errors.Join(err, made.Close(ctx)); err != nil {
		return "", err
	}
	data := filepath.Join(dir, c.engine())
	_ = os.Remove(filepath.Join(data, "auto.cnf")) // a server's identity
	return data, nil
}

// accounts makes those of programs, of replicas, and of the proxy's checks.
func accounts(ctx context.Context, url, engine string) error {
	d, err := db.Open(url)
	if err != nil {
		return err
	}
	defer d.Close()
	statements := []string{
		"CREATE USER " + account + "@'%' IDENTIFIED BY '" + password + "'",
		"GRANT ALL ON " + database + ".* TO " + account + "@'%'",
		"CREATE USER haproxy@'%'",
		"CREATE USER replication@'%' IDENTIFIED BY 'replication'",
		"GRANT REPLICATION SLAVE ON *.* TO replication@'%'",
	}
	if engine == "mysql" {
		statements = append(statements,
			"GRANT CONNECTION_ADMIN, BACKUP_ADMIN, GROUP_REPLICATION_STREAM ON *.* TO replication@'%'",
			"GRANT SELECT ON performance_schema.replication_group_members TO haproxy@'%'")
	}
	for _, statement := range statements {
		if _, err := d.SQL.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// copyFolder copies a folder and gives the copy, and what is around it, to the user of servers.
func copyFolder(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return nil
	}
	return filepath.WalkDir(filepath.Dir(to), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, nobody, nobody)
	})
}

// freePorts returns ports without a listener, outside the range of the machine's outgoing connections. The port after
// that of the group is free, too: Galera sends there what a node missed.
func freePorts() (ports, error) {
	for range 100 {
		first := 20_000 + rand.IntN(12_000)
		if !slices.ContainsFunc([]int{0, 1, 2, 3}, func(n int) bool { return !isFree(first + n) }) {
			return ports{sql: first, group: first + 1, receive: first + 3}, nil
		}
	}
	return ports{}, errors.New("no ports are free")
}

func isFree(port int) bool {
	listener, err := net.Listen("tcp", address(port))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
