package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

// TestCLIGolden runs every command line of testdata/cli.golden, in order and on one database, and compares its exit
// code and the first line of each stream. A line is SETTINGS $ COMMAND.
func TestCLIGolden(t *testing.T) {
	t.Parallel()
	const golden = "testdata/cli.golden"
	content := domaintest.OK(os.ReadFile(golden))(t)
	c := newGoldenCLI(t)
	var got strings.Builder
	for line := range strings.Lines(string(content)) {
		settings, args, found := strings.Cut(strings.TrimSpace(line), "$ counterfoil")
		switch {
		case found:
			got.WriteString(c.record(settings, args))
		case line == "\n" || strings.HasPrefix(line, "#"):
			got.WriteString(line)
		}
	}
	if *updateGolden {
		domaintest.Must(t, os.WriteFile(golden, []byte(got.String()), 0o600))
		return
	}
	want, have := blocks(string(content)), blocks(got.String())
	for i := range want {
		if want[i] != have[i] {
			t.Errorf("it was\n%sand is\n%s", want[i], have[i])
		}
	}
}

// blocks are the command lines of a golden file, each with its output.
func blocks(text string) []string {
	return strings.SplitAfter(strings.ReplaceAll(text, "\n$ ", "\n\x00$ "), "\x00")
}

type goldenCLI struct {
	values map[string]string // of "%NAME" in a golden file
	house  *env
}

func newGoldenCLI(t *testing.T) goldenCLI {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"codes": "ABCDE\nFGHJK\n", "help": "aaaaa\n"} {
		domaintest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"status":404,"detail":"There is no such feed."}`)
	}))
	t.Cleanup(server.Close)
	house := newEnv(t, dbtest.Empty(t))
	return goldenCLI{map[string]string{"%DIR": dir, "%SERVER": server.URL, "%DB": house.databaseURL,
		"%EMPTY": dbtest.Empty(t)}, house}
}

// record runs a command line and returns it with its exit code and the beginning of its output.
func (c goldenCLI) record(settings, args string) string {
	values := map[string]string{"DATABASE_URL": "%DB", "COUNTERFOIL_DATA": "%DIR/data"}
	for _, setting := range strings.Fields(settings) {
		name, value, _ := strings.Cut(setting, "=")
		values[name] = value
	}
	expand := func(text string) string {
		for name, value := range c.values {
			text = strings.ReplaceAll(text, name, value)
		}
		return text
	}
	var out, err bytes.Buffer
	env := readEnvironment(func(name string) string { return expand(values[name]) },
		strings.NewReader("correct horse battery\n"), &out, &err)
	env.migrations, env.patience = probes(), time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	code := run(ctx, env, strings.Fields(expand(args)))
	return fmt.Sprintf("%s$ counterfoil%s\n  exit %d\n%s%s", settings, args, code, c.shape("out", out.String()),
		c.shape("err", err.String()))
}

// Values that differ each time.
var (
	engines = regexp.MustCompile(`(MariaDB|MySQL) [^ ,)"]*`)
	tokens  = regexp.MustCompile(`cfl_[\w-]+|[\w-]{40,}`)
	spans   = regexp.MustCompile(`written in [^ ]*s\.`)
	numbers = regexp.MustCompile(`[0-9]+`)
	gaps    = regexp.MustCompile(`\s+`)
)

// shape is the first line of a text without values that differ each time.
func (c goldenCLI) shape(stream, text string) string {
	first, _, _ := strings.Cut(text, "\n")
	if first == "" {
		return ""
	}
	for name, value := range c.values {
		first = strings.ReplaceAll(first, value, name)
	}
	first = spans.ReplaceAllString(engines.ReplaceAllString(first, "ENGINE"), "written in TIME.")
	first = numbers.ReplaceAllString(tokens.ReplaceAllString(first, "SECRET"), "N")
	shown := 110
	if strings.HasPrefix(first, "{") {
		shown = 60
	}
	return fmt.Sprintf("  %s %s\n", stream, cutTo(gaps.ReplaceAllString(first, " "), shown))
}
