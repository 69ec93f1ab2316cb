package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/csvfile"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// moreMemory is the most that a process may grow by, whatever it reads.
const moreMemory = 200 << 20

// resident is the resident memory of a process, or with VmHWM its peak.
func (p *process) resident(t *testing.T, which string) int64 {
	t.Helper()
	status := domaintest.OK(os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid)))(t)
	found := regexp.MustCompile(`(?m)^` + which + `:\s+(\d+) kB$`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no %s in %s", which, status)
	}
	n := domaintest.OK(strconv.ParseInt(string(found[1]), 10, 64))(t)
	return n << 10
}

// importRows is the number of rows that TestImportOfManyRows imports.
func importRows(t *testing.T) int {
	if text := os.Getenv("COUNTERFOIL_SOAK_ROWS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1000 {
			t.Fatalf("COUNTERFOIL_SOAK_ROWS is %q; a number from 1000", text)
		}
		return n
	}
	if soak {
		return 100_000
	}
	return 1_000
}

// jiraRows is a file like a Jira export. In each thousand of its rows one has the key of another, and one is broken.
func jiraRows(t *testing.T, n int) (name string, bad int) {
	t.Helper()
	var file bytes.Buffer
	out := csv.NewWriter(&file)
	write := func(fields ...string) {
		domaintest.Must(t, out.Write(fields))
	}
	write("Summary", "Issue key", "Issue id", "Issue Type", "Status", "Assignee", "Reporter", "Priority", "Labels",
		"Labels", "Created", "Updated", "Resolved", "Description", "Comment", "Comment")
	for i := range n {
		key := i + 1
		switch i % 1000 {
		case 500:
			key -= 100
			bad++
		case 600:
			write("too", "short")
			bad++
			continue
		}
		comments := [2]string{}
		if i%2 == 0 {
			comments[0] = "12/Mar/24 10:05 AM;carla;I see it, too: [log|https://example.com/log/" + strconv.Itoa(i) + "]"
		}
		if i%5 == 0 {
			comments[1] = "13/Mar/24 8:00 AM;ana@example.com;Fixed; deployed"
		}
		write(
			"Login fails, sometimes: case "+strconv.Itoa(i), "BIG-"+strconv.Itoa(key), strconv.Itoa(10_000+i),
			[]string{"Bug", "Task", "Story"}[i%3],
			[]string{"To do", "In Progress", "Done"}[i%3], []string{"", "ana@example.com", "Nobody Known"}[i%3], "Carla", "High",
			"web", "login",
			"12/Mar/24 9:41 AM", "13/Mar/24 10:00 AM", []string{"", "", "14/Mar/24 10:00 AM"}[i%3],
			"h2. Steps\n# open {{/login}}\n# see *500*\n\n{code:go}\nif x < 1 { *y* }\n{code}\n"+strings.Repeat(
				"Some words of text, and \"quotes\". ", 15), comments[0], comments[1],
		)
	}
	out.Flush()
	name = filepath.Join(t.TempDir(), "jira.csv")
	domaintest.Must(t, errors.Join(out.Error(), os.WriteFile(name, file.Bytes(), 0o600)))
	return name, bad
}

// TestImportOfManyRows has two workers import a file, and the same file again, which adds nothing.
func TestImportOfManyRows(t *testing.T) {
	t.Parallel()
	rows := importRows(t)
	i := onPrivate(t)
	operator, w, d := i.operator(t)
	workers := []*process{i.work(t), i.work(t)}
	start := workers[0].resident(t, "VmRSS")
	file, bad := jiraRows(t, rows)
	good := rows - bad
	once := func(run id.Run) (filling, importing time.Duration) {
		t.Helper()
		began := time.Now()
		// A long file is not filled within the patience of the command: then it says how to continue.
		_, _ = i.command(t, "migrations", "start", "import-tickets", "company=acme", "board=DEMO", "author=ana@example.com",
			"statuses=In Progress = Doing", "--file", file, "--prepare")
		filled := until(t, w, operator, run, "is filled", func(r migrations.Run) bool { return r.State == migrations.Ready })
		if int(filled.Total) != good || int(filled.Rejected) != bad {
			t.Fatalf("%d tasks, %d lines rejected; want %d and %d", filled.Total, filled.Rejected, good, bad)
		}
		filling, began = time.Since(began), time.Now()
		if code, out := i.command(t, "migrations", "start", fmt.Sprint(run)); code != 0 {
			t.Fatalf("exit code %d\n%s", code, out)
		}
		done := until(t, w, operator, run, "is complete",
			func(r migrations.Run) bool { return r.State == migrations.Complete })
		if int(done.Progress.Complete) != good {
			t.Fatalf("of %d rows: %+v", good, done.Progress)
		}
		return filling, time.Since(began)
	}
	before := domaintest.Number(t, d, "SELECT COUNT(*) FROM ticket")
	filling, importing := once(1)
	if n := domaintest.Number(t, d, "SELECT COUNT(*) FROM ticket") - before; n != good {
		t.Errorf("%d tickets of %d rows", n, good)
	}
	domaintest.Counts(t, d, good, "SELECT COUNT(*) FROM ticket_origin")
	last := domaintest.Number(t, d, "SELECT MAX(max_ticket_id) FROM board_ticket_incrementer")
	_, again := once(2)
	if n := domaintest.Number(t, d, "SELECT COUNT(*) FROM ticket") - before; n != good {
		t.Errorf("imported twice there are %d tickets of %d rows", n, good)
	}
	domaintest.Counts(t, d, last, "SELECT MAX(max_ticket_id) FROM board_ticket_incrementer")
	i.verified(t)
	perSecond := func(took time.Duration) float64 { return float64(rows) / took.Seconds() }
	most := max(workers[0].resident(t, "VmHWM"), workers[1].resident(t, "VmHWM"))
	t.Logf("%d rows: filled %.0f/s, imported %.0f/s, again %.0f/s; a worker took %d MB at most, %d MB at its start",
		rows, perSecond(filling), perSecond(importing), perSecond(again), most>>20, start>>20)
	if most-start > moreMemory {
		t.Errorf("a worker grew by %d MB", (most-start)>>20)
	}
}

// TestImportOfALargeFile sends a server a file that is much larger than the memory that it may use, and has it fill a
// run from it.
func TestImportOfALargeFile(t *testing.T) {
	t.Parallel()
	rows := 5_000 // of 30 KB
	if soak {
		rows = 100_000
	}
	i := onPrivate(t)
	i.env = append(i.env, "COUNTERFOIL_MAX_UPLOAD=4GB")
	operator, w, _ := i.operator(t)
	p := i.serve(t)
	start := p.resident(t, "VmRSS")
	body, size, kind := largeUpload(rows)
	request := domaintest.OK(http.NewRequestWithContext(t.Context(), http.MethodPost,
		p.url+"/api/v1/migrations/import-tickets/runs", body))(t)
	request.Header.Set("Authorization", "Bearer "+i.token)
	request.Header.Set("Content-Type", kind)
	began := time.Now()
	response := domaintest.OK(http.DefaultClient.Do(request))(t)
	answer, _ := io.ReadAll(response.Body)
	response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s", response.Status, answer)
	}
	sending := time.Since(began)
	sent := p.resident(t, "VmHWM")
	began = time.Now()
	run := until(t, w, operator, 1, "is filled", func(r migrations.Run) bool { return r.State == migrations.Ready })
	if int(run.Total) != rows || run.Rejected != 1 {
		t.Errorf("%d tasks, %d rejected, of %d rows and a broken one", run.Total, run.Rejected, rows)
	}
	most := p.resident(t, "VmHWM")
	t.Logf("%d MB: sent in %s, filled in %s; the server took %d MB at its start, %d MB at most while it was sent and %d MB in all",
		*size>>20, sending.Round(time.Second/10), time.Since(began).Round(time.Second/10), start>>20, sent>>20, most>>20)
	if *size < int64(rows)*30_000 || most-start > moreMemory {
		t.Errorf("the server grew by %d MB for a file of %d", (most-start)>>20, *size>>20)
	}
}

// largeUpload is a form with a file of so many rows and one endless row in their middle, made while it is sent. Size is
// the number of bytes sent.
func largeUpload(rows int) (body io.Reader, size *int64, kind string) {
	r, pipe := io.Pipe()
	size = new(int64)
	form := multipart.NewWriter(pipe)
	text := strings.Repeat("A line of \"\"text\"\", that nothing is made of.\n", 30_000/45+1)
	send := func() error {
		if err := form.WriteField("params", `{"company":"acme","board":"DEMO","author":"ana@example.com"}`); err != nil {
			return err
		}
		part, err := form.CreateFormFile("file", "large.csv")
		if err != nil {
			return err
		}
		write := func(format string, args ...any) error {
			n, err := fmt.Fprintf(part, format, args...)
			*size += int64(n)
			return err
		}
		if err := write("Title,Key,Log\n"); err != nil {
			return err
		}
		for n := range rows {
			if n == rows/2 {
				if err := write("%s\n", strings.Repeat("x", 8*csvfile.MaxRow)); err != nil {
					return err
				}
			}
			if err := write("Row %d,LARGE-%d,\"%s\"\n", n, n+1, text); err != nil {
				return err
			}
		}
		return form.Close()
	}
	go func() { pipe.CloseWithError(send()) }()
	return r, size, form.FormDataContentType()
}
