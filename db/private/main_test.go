package private

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
)

// helperEnv makes the test binary a program of its own with a private database; its value is a
// helperConfig.
const helperEnv = "COUNTERFOIL_PRIVATE_HELPER"

type helperConfig struct {
	Dir      string
	Settings map[string]string
	Watch    bool
}

// helperStatus answers each line that a helper reads.
type helperStatus struct {
	Owner bool
	Pid   int
	URL   string
	Err   string
}

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
	code := m.Run()
	os.RemoveAll(runtime)
	os.RemoveAll(template.dir)
	os.Exit(code)
}

// helper answers "status" and "close" until its input ends.
func helper(config string) {
	var c helperConfig
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		panic(err)
	}
	out := json.NewEncoder(os.Stdout)
	s, err := Open(context.Background(), options(c.Dir, c.Settings))
	if err != nil {
		out.Encode(helperStatus{Err: err.Error()})
		os.Exit(1)
	}
	if c.Watch {
		go s.Watch(context.Background())
	}
	out.Encode(statusOf(s))
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "close" {
			break
		}
		out.Encode(statusOf(s))
	}
	status := statusOf(s)
	if err := s.Close(context.Background()); err != nil {
		status.Err = err.Error()
	}
	out.Encode(status)
}

func statusOf(s *Server) helperStatus {
	return helperStatus{Owner: s.Owner(), Pid: s.Pid(), URL: s.URL(database)}
}

// program is a running helper.
type program struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// launch starts a helper that has not opened its database yet.
func launch(t *testing.T, c helperConfig, change ...func(*exec.Cmd)) *program {
	t.Helper()
	raw, err := json.Marshal(c)
	must(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"="+string(raw))
	var log bytes.Buffer
	cmd.Stderr = &log
	for _, change := range change {
		change(cmd)
	}
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("helper %d said:\n%s", cmd.Process.Pid, log.String())
		}
	})
	return &program{t: t, cmd: cmd, in: in, out: json.NewDecoder(out)}
}

// opened starts a helper and returns when its database answers.
func opened(t *testing.T, c helperConfig, change ...func(*exec.Cmd)) *program {
	t.Helper()
	p := launch(t, c, change...)
	if got := p.read(); got.Err != "" {
		t.Fatal(got.Err)
	}
	return p
}

func (p *program) read() helperStatus {
	p.t.Helper()
	var got helperStatus
	must(p.t, p.out.Decode(&got))
	return got
}

func (p *program) status() helperStatus {
	p.t.Helper()
	fmt.Fprintln(p.in, "status")
	return p.read()
}

// close returns the error of the helper's Close.
func (p *program) close() string {
	p.t.Helper()
	fmt.Fprintln(p.in, "close")
	return p.read().Err
}

// kill is kill -9.
func (p *program) kill() {
	p.t.Helper()
	must(p.t, p.cmd.Process.Kill())
	p.cmd.Wait()
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

// installed fails the test, with what to run, if there is no server for it.
func installed(t *testing.T) engine {
	t.Helper()
	e, err := (&Server{engine: underTest(), log: slog.New(slog.DiscardHandler)}).findEngine(context.Background())
	if err != nil {
		t.Fatalf("%v\nFor MySQL run: COUNTERFOIL_MYSQLD=$(scripts/get-mysql)/mysqld COUNTERFOIL_TEST_ENGINE=mysql go test ./db/private", err)
	}
	return e
}

// emptyDir is a new data directory; what runs in it at the end of the test is killed.
func emptyDir(t *testing.T) string {
	t.Helper()
	installed(t)
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
	dir := emptyDir(t)
	template.Do(func() {
		if template.dir, template.err = os.MkdirTemp("", "cf-template-"); template.err != nil {
			return
		}
		var s *Server
		if s, template.err = Open(context.Background(), options(template.dir, nil)); template.err == nil {
			template.err = s.Close(context.Background())
		}
	})
	must(t, template.err)
	name := underTest()
	must(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(template.dir, name))))
	must(t, os.Chmod(filepath.Join(dir, name), 0o700))
	return dir
}

// open is Open, with Close at the end of the test.
func open(t *testing.T, dir string) *Server {
	t.Helper()
	s, err := Open(t.Context(), options(dir, nil))
	must(t, err)
	t.Cleanup(func() { must(t, s.Close(context.Background())) })
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
	cfg, err := driver.ParseDSN(strings.TrimPrefix(url, "mysql://"))
	must(t, err)
	cfg.Logger = &driver.NopLogger{}
	connector, err := driver.NewConnector(cfg)
	must(t, err)
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

// eventually polls; the limit only keeps a broken test from hanging.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for limit := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("never: " + what)
		}
	}
}

func running(dir string) bool {
	_, ok := (&Server{dir: dir}).orphan()
	return ok
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
