// Server runs a command with a throw-away database server beside it:
//
//	go run ./db/dbtest/server [-engine mariadb|mysql|galera] -- go test ./...
//
// The command finds the server in COUNTERFOIL_TEST_DATABASE, a URL without a database, and the
// engine in COUNTERFOIL_TEST_ENGINE; COUNTERFOIL_TEST_POOL is the socket over which dbtest borrows databases that
// have the schema. The exit code is the command's. The server is fast, not
// durable. That of MySQL is the one named in COUNTERFOIL_MYSQLD, or else mysqld of the PATH. That of galera is MariaDB
// as the one node of a cluster, with the library named in COUNTERFOIL_GALERA.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/db/private"
)

const (
	prefix = "counterfoil-test-"
	galera = "galera" // an engine
)

func main() {
	engine := flag.String("engine", "mariadb", "mariadb, mysql or galera")
	flag.Parse()
	if flag.NArg() == 0 || !slices.Contains([]string{"mariadb", "mysql", galera}, *engine) {
		fmt.Fprintln(os.Stderr, "usage: server [-engine mariadb|mysql|galera] -- command [argument ...]")
		os.Exit(2)
	}
	code, err := run(*engine, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "test server:", err)
	}
	os.Exit(code)
}

func run(engine string, command []string) (int, error) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	starting, cancel := context.WithCancel(context.Background())
	defer cancel()
	early := make(chan os.Signal, 1)
	started := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			early <- s
			cancel()
		case <-started:
		}
	}()

	removeAbandoned(starting)
	dir, err := os.MkdirTemp(roomy(), prefix)
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	server, err := open(starting, engine, dir)
	close(started)
	if err != nil {
		return 1, err
	}
	defer stop(server)
	select {
	case s := <-early:
		return 1, fmt.Errorf("%v", s)
	default:
	}
	lending, end := context.WithCancel(context.Background())
	defer end()
	lender, err := newPool(server.URL(""))
	if err != nil {
		return 1, err
	}
	defer lender.close()
	socket := filepath.Join(dir, "pool.sock")
	if err := lender.serve(lending, socket); err != nil {
		return 1, err
	}
	code, err := follow(engine, server, socket, command, signals)
	fmt.Fprintln(os.Stderr, lender.report())
	return code, err
}

// removeAbandoned stops and removes the servers of runs that were killed: they outlive their owner.
func removeAbandoned(ctx context.Context) {
	dirs, _ := filepath.Glob(filepath.Join(roomy(), prefix+"*"))
	for _, dir := range dirs {
		if !isAbandoned(dir) {
			continue
		}
		if server, err := private.Open(ctx, private.Options{Dir: dir}); err == nil {
			stop(server)
		}
		os.RemoveAll(dir)
	}
}

func isAbandoned(dir string) bool {
	lock, err := os.Open(filepath.Join(dir, "owner.lock"))
	if err != nil {
		return false
	}
	defer lock.Close()
	return syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// roomy returns a folder in memory if that has room for a run of the tests.
func roomy() string {
	const memory, enough = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if syscall.Statfs(memory, &fs) == nil && fs.Bavail*uint64(fs.Bsize) > enough {
		return memory
	}
	return os.TempDir()
}

func open(ctx context.Context, engine, dir string) (*private.Server, error) {
	settings := map[string]string{
		"innodb_flush_log_at_trx_commit": "0",
		"innodb_doublewrite":             "0",
		"sync_binlog":                    "0",
		"skip-log-bin":                   "",
		"max_connections":                "1000",
		"innodb_buffer_pool_size":        "512M",
		"innodb_log_file_size":           "32M",
		"table_open_cache":               "20000",
		"table_definition_cache":         "20000",
		"open_files_limit":               "60000",
		"innodb_file_per_table":          "OFF", // tables are made and truncated in two thirds of the time
	}
	switch engine {
	case "mysql":
		delete(settings, "innodb_log_file_size")
		settings["innodb_redo_log_capacity"] = "64M"
	case galera:
		node, err := dbtest.NodeSettings()
		if err != nil {
			return nil, err
		}
		maps.Copy(settings, node)
	}
	return private.Open(ctx, private.Options{
		Dir: dir, Engine: serverOf(engine), Settings: settings,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

// serverOf returns the server that an engine runs on.
func serverOf(engine string) string {
	if engine == galera {
		return "mariadb"
	}
	return engine
}

func stop(server *private.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := server.Close(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "test server:", err)
	}
}

// follow runs the command to its end, whatever signals come: it gets them too.
func follow(
	engine string, server *private.Server, socket string, command []string, signals <-chan os.Signal,
) (int, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "COUNTERFOIL_TEST_DATABASE="+server.URL(""), "COUNTERFOIL_TEST_ENGINE="+serverOf(engine),
		"COUNTERFOIL_TEST_POOL="+socket)
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			cmd.Process.Signal(s)
		case err := <-ended:
			return exitCode(err)
		}
	}
}

func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	if err == nil {
		return 0, nil
	}
	if !errors.As(err, &exit) {
		return 1, err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return exit.ExitCode(), nil
}
