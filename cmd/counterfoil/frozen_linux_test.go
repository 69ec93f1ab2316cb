package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// While a database hangs, requests get 503 in time; they succeed again when it continues.
func TestFrozenDatabase(t *testing.T) {
	t.Parallel()
	i := onPrivate(t)
	c, p := newClient(i), i.serve(t)
	c.board(t, p.url, "NINJA")
	database := databasePID(t, i)
	freeze(t, database)
	for _, path := range []string{"/readyz", "/api/v1/boards"} {
		response, err := c.call("GET", p.url+path, "", nil, &struct{}{})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %s, Retry-After %q, while the database's threads were %v", path, response.Status,
				response.Header.Get("Retry-After"), threads(t, database))
		}
	}
	domaintest.Must(t, syscall.Kill(database, syscall.SIGCONT))
	if _, err := c.open(func() string { return p.url }, "NINJA", "After the frost", patience); err != nil {
		t.Error(err)
	}
}

// freeze stops a process until the test ends. It returns when all threads are stopped: the signal reaches some of them
// a moment later than the others.
func freeze(t *testing.T, pid int) {
	t.Helper()
	domaintest.Must(t, syscall.Kill(pid, syscall.SIGSTOP))
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGCONT) })
	domaintest.Until(t, fmt.Sprintf("process %d stands still", pid), func() bool {
		states := strings.Join(threads(t, pid), "")
		return states != "" && strings.Trim(states, "Tt") == "" // t: it has a tracer
	}, func() string { return "its threads are " + strings.Join(threads(t, pid), " ") })
}

// threads returns the state of each thread of a process, T or t for a stopped one.
func threads(t *testing.T, pid int) (states []string) {
	t.Helper()
	files := domaintest.OK(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)))(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread is gone
		}
		_, rest, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')'):]), " ")
		state, _, _ := strings.Cut(rest, " ")
		states = append(states, state)
	}
	return states
}
