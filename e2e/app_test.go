package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// env is a running Counterfoil.
type env struct {
	t    *testing.T
	url  string
	jar  *cookiejar.Jar
	env  []string // of the program
	stop func()

	metrics string // their address

	setup chan string // the path to set up, with its code
}

// start runs the server on a new database.
func start(t *testing.T) *env {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &env{t: t, jar: jar, env: append(os.Environ(), "DATABASE_URL="+dbtest.URL(t), "COUNTERFOIL_DATA="+t.TempDir(),
		"COUNTERFOIL_URL=", "COUNTERFOIL_ISSUER_ALLOW=127.0.0.1:*, localhost:*"), setup: make(chan string, 1)}
	a.run("127.0.0.1:0")
	return a
}

// again starts a stopped server again, at its address.
func (a *env) again() {
	a.t.Helper()
	a.run(strings.TrimPrefix(a.url, "http://"))
}

// setUp sends the form of the first company, by the link that the server printed.
func (a *env) setUp(pairs ...string) {
	a.t.Helper()
	_, code, _ := strings.Cut(<-a.setup, "?code=")
	a.post("/setup", append(pairs, "code", code)...)
}

func (a *env) run(at string) {
	t := a.t
	t.Helper()
	cmd := exec.Command(binary, "serve")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a.metrics = free.Addr().String()
	free.Close()
	cmd.Env = append(slices.Clone(a.env), "COUNTERFOIL_ADDR="+at, "COUNTERFOIL_METRICS_ADDR="+a.metrics)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		_ = cmd.Process.Signal(syscall.SIGTERM)
		dead := time.AfterFunc(90*time.Second, func() { _ = cmd.Process.Kill() })
		defer dead.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("stop: %v\n%s", err, &log)
		}
	}
	t.Cleanup(func() {
		stop()
		if t.Failed() && log.Len() > 0 {
			t.Logf("the server said:\n%s", &log)
		}
	})

	ready := make(chan string, 1)
	go func() {
		defer close(ready)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if _, at, ok := strings.Cut(lines.Text(), "ready at "); ok {
				ready <- strings.TrimRight(strings.TrimSpace(at), "/.")
			}
			if _, link, ok := strings.Cut(lines.Text(), "Open "); ok {
				link, _, _ = strings.Cut(link, " ")
				a.setup <- link[strings.Index(link, "/setup"):]
			}
		}
	}()
	select {
	case at, ok := <-ready:
		if !ok {
			t.Fatalf("the server ended before it was ready:\n%s", &log)
		}
		a.url, a.stop = at, stop
	case <-time.After(2 * time.Minute):
		t.Fatal("the server was not ready in two minutes")
	}
}

const (
	email    = "ana@example.com"
	password = "correct horse battery"
)

// withBoard is a server with the company acme and its board NINJA, with a ticket for each title, NINJA-1 and so on, in
// the first column.
func withBoard(t *testing.T, titles ...string) *env {
	t.Helper()
	a := start(t)
	a.setUp("company", "Acme", "slug", "acme", "name", "Ana", "email", email, "password", password)
	before := a.at()
	a.post("/acme/boards", "slug", "NINJA", "title", "Night launches")
	for _, title := range titles {
		a.post("/acme/boards/NINJA/tickets", "title", title)
	}
	a.announced(before, len(titles))
	a.read("/acme") // it takes the flashes of these requests, too
	return a
}

// at returns the positions up to which the server has sent changes.
func (a *env) at() string {
	a.t.Helper()
	positions := regexp.MustCompile(`data-at="([0-9.]+)"`)
	var found [][]byte
	domaintest.Until(a.t, "the server has read the feeds", func() bool {
		found = positions.FindSubmatch(a.read("/acme"))
		return found != nil
	})
	return string(found[1])
}

// announced waits until a new board and its tickets were sent, so a page opened after it gets no event of them.
func (a *env) announced(since string, tickets int) {
	a.t.Helper()
	domaintest.Until(a.t, fmt.Sprintf("a board and %d tickets are announced", tickets), func() bool {
		var sent struct {
			Events []struct {
				Name string
				Data struct {
					Board   uint
					Tickets [][3]uint
				}
			}
		}
		if err := json.Unmarshal(a.read("/acme/live/changes?at="+since), &sent); err != nil {
			a.t.Fatal(err)
		}
		board, seen := false, map[uint]bool{}
		for _, event := range sent.Events {
			if event.Name == "board" && event.Data.Board > 1 { // 1 is the practice board
				board = true
				for _, ticket := range event.Data.Tickets {
					seen[ticket[0]] = true
				}
			}
		}
		return board && len(seen) == tickets
	})
}

// read gets a page in that other browser.
func (a *env) read(path string) []byte {
	a.t.Helper()
	client := http.Client{Jar: a.jar}
	answer, err := client.Get(a.url + path)
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		a.t.Fatalf("GET %s: %s, %v", path, answer.Status, err)
	}
	return page
}

// post sends a form as another browser of the same user, without JavaScript.
func (a *env) post(path string, pairs ...string) {
	a.t.Helper()
	client := http.Client{Jar: a.jar, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	answer, err := client.PostForm(a.url+path, form(pairs))
	if err != nil {
		a.t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther {
		a.t.Fatalf("POST %s %v: %s", path, pairs, answer.Status)
	}
}

func form(pairs []string) url.Values {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return values
}

func (a *env) cookies() []*http.Cookie {
	at, err := url.Parse(a.url)
	if err != nil {
		panic(fmt.Sprint("e2e: ", err))
	}
	return a.jar.Cookies(at)
}

// setUpByCommand sets the server up, signs in, and returns an API token.
func (a *env) setUpByCommand() string {
	a.t.Helper()
	setup := exec.Command(binary, "setup", "--company", "acme", "--name", "Acme", "--person", "Ana", "--email", email,
		"--password-file", "-")
	setup.Env, setup.Stdin = a.env, strings.NewReader(password)
	out, err := setup.Output()
	if err != nil {
		a.t.Fatal(err)
	}
	a.post("/login", "email", email, "password", password)
	return a.tokenIn(out)
}

// tokenIn returns the token that a command ended its output with.
func (a *env) tokenIn(out []byte) string {
	a.t.Helper()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var answer struct{ Token string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &answer); err != nil {
		a.t.Fatal(err)
	}
	return answer.Token
}

// create opens a ticket through the API.
func (a *env) create(token, board, title string) {
	a.t.Helper()
	a.call(token, http.MethodPost, "/boards/"+board+"/tickets", map[string]string{"title": title}, http.StatusCreated)
}

// delete deletes a ticket through the API.
func (a *env) delete(token, key string) {
	a.t.Helper()
	a.call(token, http.MethodDelete, "/tickets/"+key, nil, http.StatusNoContent)
}

func (a *env) call(token, method, path string, in any, want int) {
	a.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		a.t.Fatal(err)
	}
	request, err := http.NewRequest(method, a.url+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		a.t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != want {
		a.t.Fatalf("%s %s: %s", method, path, answer.Status)
	}
}
