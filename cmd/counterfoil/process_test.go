package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// asProgram makes the test binary Counterfoil: tests start it as processes of their own.
const asProgram = "COUNTERFOIL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(program(ledger(), uncancellable()))
	}
	if text := os.Getenv(asHelper); text != "" {
		var h helper
		if err := json.Unmarshal([]byte(text), &h); err != nil {
			panic(err)
		}
		os.Exit(h.run())
	}
	code := domaintest.RunWithoutLeaks(m)
	os.RemoveAll(firstInstall.dir)
	os.Exit(code)
}

// install is a data directory or a database, and the settings of programs on it.
type install struct {
	env   []string
	under []string // the command that runs its programs, with arguments; nil for none
	token string
}

// firstInstall is the data directory of an install that does not run: those of tests are copies of it, since a database
// with its schema takes MySQL many seconds.
var firstInstall struct {
	sync.Mutex
	dir   string
	token string
}

// onPrivate is an install with a private, durable database, set up.
func onPrivate(t *testing.T) *install {
	t.Helper()
	in := func(dir string) *install { return &install{env: []string{"COUNTERFOIL_DATA=" + dir, "DATABASE_URL="}} }
	firstInstall.Lock()
	defer firstInstall.Unlock()
	if firstInstall.token == "" {
		firstInstall.dir = domaintest.OK(os.MkdirTemp("", "counterfoil-first-"))(t)
		firstInstall.token = setUp(t, in(firstInstall.dir)).token
	}
	i := in(t.TempDir())
	if out, err := exec.Command("cp", "-a", firstInstall.dir+"/.", i.data()).CombinedOutput(); err != nil {
		t.Fatalf("copy the first install: %v\n%s", err, out)
	}
	i.token = firstInstall.token
	return i
}

// onURL is an install on a database of the test server, set up.
func onURL(t *testing.T, url string) *install {
	t.Helper()
	return setUp(t, &install{env: []string{"DATABASE_URL=" + url, "COUNTERFOIL_BLOBS=" + t.TempDir(), "COUNTERFOIL_SEARCH=" + t.TempDir(),
		"COUNTERFOIL_KEY_FILE=" + filepath.Join(t.TempDir(), "key")}})
}

func setUp(t *testing.T, i *install) *install {
	t.Helper()
	password := filepath.Join(t.TempDir(), "password")
	domaintest.Must(t, os.WriteFile(password, []byte("correct horse battery\n"), 0o600))
	code, out := i.command(t, "setup", "--company", "acme", "--name", "Acme", "--email", "ana@example.com",
		"--password-file", password)
	if code != 0 {
		t.Fatalf("setup: exit code %d\n%s", code, out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var answer struct{ Company, Token string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &answer); err != nil || answer.Company != "acme" ||
		answer.Token == "" {
		t.Fatalf("the last line of setup is %q", lines[len(lines)-1])
	}
	i.token = answer.Token
	return i
}

// data is the data directory of an install with a private database.
func (i *install) data() string { return strings.TrimPrefix(i.env[0], "COUNTERFOIL_DATA=") }

// databasePID is the process of the install's private database.
func databasePID(t *testing.T, i *install) int {
	t.Helper()
	return domaintest.OK(i.database())(t)
}

func (i *install) database() (pid int, err error) {
	text, err := os.ReadFile(filepath.Join(i.data(), "database.json"))
	if err != nil {
		return 0, err
	}
	var state struct{ PID int }
	if err := json.Unmarshal(text, &state); err != nil || state.PID == 0 {
		return 0, fmt.Errorf("database.json is %s", text)
	}
	return state.PID, nil
}

func (i *install) program(args ...string) *exec.Cmd {
	line := slices.Concat(i.under, []string{os.Args[0]}, args)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Env = append(append(os.Environ(), asProgram+"=1", "COUNTERFOIL_ADDR=127.0.0.1:0", "COUNTERFOIL_API_RATE=off",
		"COUNTERFOIL_METRICS_ADDR=off"), i.env...)
	return cmd
}

// command runs a command to its end and returns its exit code and output.
func (i *install) command(t *testing.T, args ...string) (int, string) {
	t.Helper()
	out, err := i.program(args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		return exit.ExitCode(), string(out)
	}
	return 0, string(out)
}

// verified fails the test if verify has findings.
func (i *install) verified(t *testing.T) {
	t.Helper()
	if code, out := i.command(t, "verify"); code != 0 {
		t.Errorf("verify: exit code %d\n%s", code, out)
	}
}

// operator joins the install's database and returns its use cases, and the context of an operator.
func (i *install) operator(t *testing.T) (context.Context, *app.App, *db.DB) {
	t.Helper()
	env := readEnvironment(func(name string) string {
		for _, setting := range i.env {
			if value, ok := strings.CutPrefix(setting, name+"="); ok {
				return value
			}
		}
		return ""
	}, nil, io.Discard, io.Discard)
	env.migrations = []*migrations.Migration{ledger(), uncancellable()}
	d := domaintest.OK(env.openDatabase(t.Context()))(t)
	t.Cleanup(func() { d.close() })
	w := domaintest.OK(env.workflows(t.Context(), d))(t)
	return console.AsCommandLine(t.Context()), w, d.DB
}

// process is a running serve or work.
type process struct {
	cmd    *exec.Cmd
	url    string
	exited chan error

	mu  sync.Mutex
	log bytes.Buffer
}

// serve starts a server and waits until it is ready.
func (i *install) serve(t *testing.T) *process {
	t.Helper()
	return i.start(t, "Counterfoil is ready at ", "serve")
}

// work starts a worker and waits until it is ready.
func (i *install) work(t *testing.T) *process {
	t.Helper()
	return i.start(t, "Counterfoil works on migrations", "work")
}

// start starts a command and waits until it prints a line with this beginning; the rest of the line is the url.
func (i *install) start(t *testing.T, says string, args ...string) *process {
	t.Helper()
	p := &process{cmd: i.program(args...), exited: make(chan error, 1)}
	p.cmd.Stderr = p
	out := domaintest.OK(p.cmd.StdoutPipe())(t)
	domaintest.Must(t, p.cmd.Start())
	ready := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if url, ok := strings.CutPrefix(lines.Text(), says); ok {
				ready <- url
			}
		}
	}()
	go func() { <-read; p.exited <- p.cmd.Wait() }()
	t.Cleanup(func() {
		p.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.exited:
		case <-time.After(5 * time.Minute):
			p.cmd.Process.Kill()
		}
	})
	select {
	case p.url = <-ready:
	case err := <-p.exited:
		t.Fatalf("%s ended before it was ready: %v\n%s", args[0], err, p.logged())
	case <-time.After(5 * time.Minute):
		t.Fatalf("%s is not ready after five minutes\n%s", args[0], p.logged())
	}
	return p
}

func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

func (p *process) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// kill ends the process as a power cut would, and waits until it is gone.
func (p *process) kill(t *testing.T) {
	t.Helper()
	domaintest.Must(t, p.cmd.Process.Kill())
	p.exited <- <-p.exited
}

// stop asks the process to end and returns its result.
func (p *process) stop(t *testing.T) error {
	t.Helper()
	domaintest.Must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	err := <-p.exited
	p.exited <- err
	return err
}

// client calls the API of one process or another.
type client struct {
	token string
	http  *http.Client
	again bool // sends an Idempotency-Key, so that it may send a request twice
}

func newClient(i *install) *client {
	return &client{token: i.token,
		http: &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 200}}}
}

// newPatientClient returns one that retries when an answer is lost or a server says to come back.
func newPatientClient(i *install) *client {
	c := newClient(i)
	c.again = true
	return c
}

// call sends a request, decodes the JSON answer and returns the status.
func (c *client) call(method, url, idempotencyKey string, in, out any) (*http.Response, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(context.Background(), method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	if idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 {
		return response, nil
	}
	return response, json.Unmarshal(text, out)
}

func (c *client) board(t *testing.T, url, slug string) {
	t.Helper()
	var out struct{ Slug string }
	response := domaintest.OK(c.call("POST", url+"/api/v1/boards", "",
		map[string]string{"slug": slug, "title": slug + " board"}, &out))(t)
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("open board %s: %s", slug, response.Status)
	}
}

type made struct {
	Key    string `json:"key"`
	Number uint64 `json:"number"`
	Title  string `json:"title"`
}

// open opens a ticket. A patient client retries with the same idempotency key until it is answered or patience ends.
func (c *client) open(url func() string, board, title string, patience time.Duration) (made, error) {
	deadline := time.Now().Add(patience)
	key := ""
	if c.again {
		key = title
	}
	for {
		var ticket made
		response, err := c.call("POST", url()+"/api/v1/boards/"+board+"/tickets", key, map[string]string{"title": title},
			&ticket)
		switch {
		case err == nil && response.StatusCode == http.StatusCreated:
			return ticket, nil
		case err == nil && response.StatusCode != http.StatusServiceUnavailable:
			return ticket, fmt.Errorf("open ticket: %s", response.Status)
		case err == nil && response.Header.Get("Retry-After") == "":
			return ticket, errors.New("a 503 without Retry-After")
		case !c.again || time.Now().After(deadline):
			return ticket, fmt.Errorf("no answer within %s: %w", patience, err)
		}
		_ = wait.Sleep(context.Background(), 50*time.Millisecond) // as an honest client does
	}
}
