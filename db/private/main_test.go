package private

import (
	"context"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestMain(m *testing.M) {
	if config := os.Getenv(helperEnv); config != "" {
		os.Unsetenv(helperEnv)
		helper(config)
		return
	}
	runtime, err := os.MkdirTemp("/tmp", "cf-run-")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_RUNTIME_DIR", runtime)
	code := domaintest.RunWithoutLeaks(m)
	os.RemoveAll(runtime)
	os.RemoveAll(template.dir)
	os.Exit(code)
}

// underTest returns the engine that the environment asks for.
func underTest() string {
	if name := os.Getenv("COUNTERFOIL_TEST_ENGINE"); name != "" {
		return name
	}
	return mariadb.name
}

func options(dir string, settings map[string]string) Options {
	all := map[string]string{"innodb_buffer_pool_size": "64M"}
	if underTest() == mariadb.name {
		all["innodb_log_file_size"] = "16M"
	} else {
		all["innodb_redo_log_capacity"] = "16M"
	}
	for name, value := range settings {
		all[name] = value
	}
	return Options{Dir: dir, Engine: underTest(), Settings: all, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
}

// requireServer fails the test, with what to run, if there is no server for it.
func requireServer(t *testing.T) engine {
	t.Helper()
	e, err := (&Server{engine: underTest(), log: slog.New(slog.DiscardHandler)}).findEngine(context.Background())
	if err != nil {
		t.Fatalf("%v\nFor MySQL run: COUNTERFOIL_MYSQLD=$(scripts/get-mysql)/mysqld COUNTERFOIL_TEST_ENGINE=mysql go test ./db/private", err)
	}
	return e
}

// emptyDir is a new data directory; the test's end kills the processes in it.
func emptyDir(t *testing.T) string {
	t.Helper()
	requireServer(t)
	dir := t.TempDir()
	t.Cleanup(func() { sweep(t, dir) })
	return dir
}

func sweep(t *testing.T, dir string) {
	s := &Server{dir: dir}
	for {
		left, ok := s.orphan()
		if !ok {
			break
		}
		if !t.Failed() {
			t.Errorf("the test left the database process %d", left.PID)
		}
		p := follow(left.PID, left.Start)
		p.handle.Signal(syscall.SIGKILL)
		<-p.done
	}
}

var template struct {
	sync.Once
	dir string
	err error
}

// seededDir is a data directory with an initialised database that does not run.
func seededDir(t *testing.T) string {
	t.Helper()
	return seed(t, emptyDir(t))
}

// seed puts an initialised database that does not run into a data directory.
func seed(t *testing.T, dir string) string {
	t.Helper()
	template.Do(func() {
		if template.dir, template.err = os.MkdirTemp("", "cf-template-"); template.err != nil {
			return
		}
		var s *Server
		if s, template.err = Open(context.Background(), options(template.dir, nil)); template.err == nil {
			template.err = s.Close(context.Background())
		}
	})
	domaintest.Must(t, template.err)
	name := underTest()
	domaintest.Must(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(template.dir, name))))
	domaintest.Must(t, os.Chmod(filepath.Join(dir, name), 0o700))
	return dir
}

// open is Open, with Close at the end of the test.
func open(t *testing.T, dir string) *Server {
	t.Helper()
	s := domaintest.OK(Open(t.Context(), options(dir, nil)))(t)
	t.Cleanup(func() { domaintest.Must(t, s.Close(context.Background())) })
	return s
}

// watch runs Watch until the test's end.
func watch(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Watch(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// connect opens the schema at url, the form of DATABASE_URL.
func connect(t *testing.T, url string) *sql.DB {
	t.Helper()
	cfg := domaintest.OK(driver.ParseDSN(strings.TrimPrefix(url, "mysql://")))(t)
	cfg.Logger = &driver.NopLogger{}
	connector := domaintest.OK(driver.NewConnector(cfg))(t)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

func execute(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func ask[T any](t *testing.T, db *sql.DB, query string) T {
	t.Helper()
	var got T
	if err := db.QueryRow(query).Scan(&got); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return got
}

func isRunning(dir string) bool {
	_, ok := (&Server{dir: dir}).orphan()
	return ok
}
