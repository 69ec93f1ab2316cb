package web_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

const importFile = `Summary,Issue key,Status,Assignee,Labels,Comment,Comment,Nothing
"<script>alert(1)</script>",OLD-1,In Progress,ben@example.com,High,a,b,
Second,OLD-2,Closed,,Low,,,
`

// upload sends a file with the form of a new import.
func (b *browser) uploadImport(file string, pairs ...string) *answer {
	b.env.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i < len(pairs); i += 2 {
		_ = w.WriteField(pairs[i], pairs[i+1])
	}
	if file != "" {
		part, _ := w.CreateFormFile("file", "export.csv")
		_, _ = part.Write([]byte(file))
	}
	_ = w.Close()
	return b.send(newRequest(http.MethodPost, "/admin/migrations/import-tickets/runs", w.FormDataContentType(), &body))
}

var importTo = []string{"p-company", "acme", "p-board", "DEMO", "p-author", "ana@example.com", "p-encoding", "detect"}

// sends are the fields of the form as a browser would send them, with changes.
func (a *answer) sends(changes ...string) []string {
	values := url.Values{}
	form := a.page().Find("main form[method=post]")
	form.Find("input, select").Each(func(_ int, s *goquery.Selection) {
		name, value := s.AttrOr("name", ""), s.AttrOr("value", "")
		if s.Is("select") {
			value = s.Find("option[selected]").First().AttrOr("value", s.Find("option").First().AttrOr("value", ""))
		}
		if _, ticked := s.Attr("checked"); s.AttrOr("type", "") == "checkbox" && !ticked {
			return
		}
		values.Add(name, value)
	})
	for i := 0; i < len(changes); i += 2 {
		values.Set(changes[i], changes[i+1])
	}
	return []string{values.Encode()}
}

func (b *browser) postForm(path string, encoded []string) *answer {
	b.env.t.Helper()
	return b.send(newRequest(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(encoded[0])))
}

func TestImportMapping(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("ben", "acme", accounts.Member)
	ana := e.ana()
	runOf := func(a *answer) migrations.Run {
		t.Helper()
		path := strings.TrimSuffix(strings.TrimSuffix(a.header.Get("Location"), "/mapping"), "/start")
		n, err := parseRun(path[strings.LastIndex(path, "/")+1:])
		if err != nil {
			t.Fatalf("it leads to %q", path)
		}
		run, err := e.workflows.Console.Run(console.AsCommandLine(t.Context()), n)
		domaintest.Must(t, err)
		return run
	}
	begin := func(t *testing.T, file string) (path string, page *answer) {
		t.Helper()
		kept := ana.uploadImport(file, importTo...).is(t, 303)
		if run := runOf(kept); run.State != migrations.Cancelled {
			t.Fatalf("the run that keeps the file is %s", run.State)
		}
		path = kept.header.Get("Location")
		return path, ana.get(path)
	}

	t.Run("the first form asks for the file and little else", func(t *testing.T) {
		ana.get("/admin/migrations/import-tickets/new").is(t, 200).has(t, 1, "#run-p-board").has(t, 0, "#run-p-title").
			has(t, 1, "#run-file")
		ana.uploadImport("", importTo...).is(t, 422).has(t, 1, "#run-file-error")
		ana.uploadImport(importFile, "p-company", "acme", "p-board", "NOPE", "p-author", "ana@example.com").is(t, 422).
			has(t, 1, "#run-p-board-error")
	})
	t.Run("the second shows what is in the file, with what is suggested", func(t *testing.T) {
		_, page := begin(t, importFile)
		page.is(t, 200)
		for param, column := range map[string]string{"title": "Summary", "key": "Issue key", "status": "Status",
			"assignee": "Assignee", "comments": "Comment", "created": "-"} {
			page.has(t, 1, "#run-p-"+param+` option[selected][value="`+column+`"]`)
		}
		page.has(t, 1, "#status-0 option[selected][value='']").has(t, 1, "#status-1 option[selected][value='Done']")
		page.has(t, 1, "#run-p-labels option[selected][value=Labels]").has(t, 0, "input[name=keep-column][value=Nothing]")
		page.has(t, 0, "main script").has(t, 1, "#run-p-names[checked]").has(t, 1, "#run-dry[checked]")
	})
	t.Run("with the relations of its columns", func(t *testing.T) {
		path, page := begin(t, "Summary,Issue key,Parent key,Inward issue link (Blocks)\nx,OLD-1,OLD-2,\nx,OLD-2,,\n")
		page.textIs(t, "#run-p-relations", "Parent key = parent Inward issue link (Blocks) = blocked-by")
		run := runOf(ana.postForm(path, page.sends()).is(t, 303))
		if run.Values["relations"] != "Parent key = parent\nInward issue link (Blocks) = blocked-by" {
			t.Errorf("relations are %q", run.Values["relations"])
		}
	})
	t.Run("and opens a run from that file, with what was chosen", func(t *testing.T) {
		path, page := begin(t, importFile)
		run := runOf(ana.postForm(path, page.sends("status-column", "Doing", "p-description", "Labels")).is(t, 303))
		if !run.Dry || run.State != migrations.Open || run.Upload != "export.csv" {
			t.Errorf("got %+v", run)
		}
		for param, want := range map[string]string{"title": "Summary", "description": "Labels",
			"statuses": "In Progress = Doing", "keep": "-", "names": "true", "created": "-"} {
			if run.Values[param] != want {
				t.Errorf("%s is %q, not %q", param, run.Values[param], want)
			}
		}
		ana.get("/admin/migrations/import-tickets/new?from="+fmt.Sprint(run.ID)).is(t, 303)
		again := ana.get("/admin/migrations/runs/"+fmt.Sprint(run.ID)+"/mapping").is(t, 200)
		again.has(t, 1, `#run-p-description option[selected][value="Labels"]`).
			has(t, 1, "#status-0 option[selected][value=Doing]").has(t, 1, "#run-dry[checked]").has(t, 0, "#run-real")

		e.exec("UPDATE migration_run SET state = 'complete' WHERE id = ?", run.ID)
		tried := ana.get("/admin/migrations/runs/"+fmt.Sprint(run.ID)+"/mapping").is(t, 200)
		tried.has(t, 1, `#run-p-description option[selected][value="Labels"]`).has(t, 0, "#run-dry[checked]").
			has(t, 1, "#run-real.primary").has(t, 1, "main button.primary")
		tried.textHas(t, "main", "this one is for real")
		if dry := ana.postForm("/admin/migrations/runs/"+fmt.Sprint(run.ID)+"/mapping",
			tried.sends("dry", "true", "again", "true")).is(t, 200); strings.Contains(dry.text(t, "main"), "for real") {
			t.Error("a dry run is said to be for real")
		}
		next := runOf(ana.postForm("/admin/migrations/runs/"+fmt.Sprint(run.ID)+"/mapping", tried.sends()).is(t, 303))
		if next.Dry || next.Values["description"] != "Labels" {
			t.Errorf("got %+v", next)
		}
	})
	t.Run("keeps what was chosen where something is wrong, or is looked at again", func(t *testing.T) {
		path, page := begin(t, importFile)
		wrong := ana.postForm(path, page.sends("p-title", "Issue key", "p-author", "nobody@example.com")).is(t, 422)
		wrong.has(t, 1, "#run-p-author-error").has(t, 1, `#run-p-title option[selected][value="Issue key"]`)
		for typed, message := range map[string]string{"Nothing": "names no kind of relation", "Nothing = boss": "“boss” is no kind",
			"Boss = parent": "no column “Boss”"} {
			wrong := ana.postForm(path, page.sends("p-title", "Issue key", "p-relations", typed)).is(t, 422)
			wrong.has(t, 1, `#run-p-title option[selected][value="Issue key"]`).textHas(t, "#run-p-relations-error", message)
			wrong.textIs(t, "#run-p-relations", typed)
		}
		fields, _ := url.ParseQuery(page.sends("p-title", "Issue key", "again", "true")[0])
		fields.Del("dry")
		again := ana.postForm(path, []string{fields.Encode()}).is(t, 200)
		again.has(t, 1, `#run-p-title option[selected][value="Issue key"]`).has(t, 0, "#run-dry[checked]")
	})
	t.Run("a file that cannot be read says why, and another encoding can be chosen", func(t *testing.T) {
		path, page := begin(t, "title;status\ngr\xfc\xdfe;offen\n")
		page.is(t, 422)
		if !strings.Contains(page.body, "Windows-1252") {
			t.Error(page.text(t, "main"))
		}
		page.has(t, 1, "#run-p-encoding").has(t, 1, "button[name=again]")
		read := ana.postForm(path, page.sends("p-encoding", "windows-1252", "again", "true")).is(t, 200)
		if !strings.Contains(read.body, "grüße") {
			t.Error("the title is not there")
		}
	})
	t.Run("nobody else gets to it", func(t *testing.T) {
		path, _ := begin(t, importFile)
		e.signedIn("ben").get(path).is(t, 404)
		e.visitor().get(path).is(t, 303)
		other := e.openRun("count-up", migrations.Values{"to": "5", "mode": "up"})
		ana.get("/admin/migrations/runs/"+fmt.Sprint(other)+"/mapping").is(t, 404)
	})
}

func TestRunReport(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	run := uint64(e.openRun("count-up", migrations.Values{"to": "5", "mode": "up"}))
	for line := 2; line <= 1200; line++ {
		if line%3 == 0 {
			e.exec("INSERT INTO migration_rejection (run_id, number, line, reason, content) VALUES (?, ?, ?, 'No title.', '=1')",
				run, line, line)
		} else {
			e.exec("INSERT INTO migration_task (run_id, line, payload, state, note) VALUES (?, ?, '{}', 'complete', "+
				"CONCAT('opened as DEMO-', ?))", run, line, line)
		}
	}
	rows := domaintest.OK(csv.NewReader(strings.NewReader(e.ana().get(fmt.Sprintf("/admin/migrations/runs/%d/report.csv",
		run)).
		is(t, 200).body)).ReadAll())(t)
	if len(rows) != 1200 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, row := range rows[1:] {
		line := i + 2
		want := []string{fmt.Sprint(line), "complete", fmt.Sprint("opened as DEMO-", line), "{}"}
		if line%3 == 0 {
			want = []string{fmt.Sprint(line), "rejected", "No title.", "'=1"}
		}
		if !slices.Equal(row, want) {
			t.Fatalf("got %q, want %q", row, want)
		}
	}
}

// slowRecorder takes an answer chunk by chunk.
type slowRecorder struct {
	*httptest.ResponseRecorder
	takes func() error // the error of the next chunk
}

func (r slowRecorder) Write(p []byte) (int, error) {
	if err := r.takes(); err != nil {
		return 0, err
	}
	return r.ResponseRecorder.Write(p)
}

// A file of a large run takes longer to send than a page may take to answer.
func TestFilesOfRunsAreLimitedByPiece(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	run := uint64(e.openRun("count-up", migrations.Values{"to": "5", "mode": "up"}))
	for line := 2; line <= 400; line++ {
		e.exec("INSERT INTO migration_rejection (run_id, number, line, reason, content) VALUES (?, ?, ?, 'No title.', 'x')",
			run, line, line)
		e.exec("INSERT INTO migration_task (run_id, line, payload, state) VALUES (?, ?, '{}', 'complete')", run, 1000+line)
	}
	ana := e.ana()
	ask := func(ctx context.Context, file string, takes func() error) (r slowRecorder, aborted bool) {
		request := newRequest(http.MethodGet, fmt.Sprintf("/admin/migrations/runs/%d/%s", run, file), "", nil, "Cookie",
			"counterfoil="+ana.cookie).WithContext(ctx)
		r = slowRecorder{httptest.NewRecorder(), takes}
		defer func() { aborted = recover() != nil }()
		e.handler.ServeHTTP(r, request)
		return r, false
	}
	for file, lines := range map[string]int{"report.csv": 799, "rejections.csv": 400} {
		t.Run("the time of the request ends after the first piece of "+file, func(t *testing.T) {
			ctx, end := context.WithCancel(t.Context())
			r, aborted := ask(ctx, file, func() error { end(); return nil })
			if rows, err := csv.NewReader(r.Body).ReadAll(); err != nil || len(rows) != lines || r.Code != 200 || aborted {
				t.Errorf("%d rows, %v, status %d, broken off %t", len(rows), err, r.Code, aborted)
			}
		})
		t.Run("the client that asked for "+file+" leaves, and nothing more is read", func(t *testing.T) {
			e.watch.Take()
			pieces := 0
			_, aborted := ask(t.Context(), file, func() error {
				if pieces++; pieces > 1 {
					return errors.New("broken pipe")
				}
				return nil
			})
			reads := 0
			sent, _ := e.watch.Take()
			for _, statement := range sent {
				if strings.Contains(statement, "FROM migration_rejection") {
					reads++
				}
			}
			if !aborted || reads == 0 || reads > 3 {
				t.Errorf("broken off %t after %d reads", aborted, reads)
			}
		})
	}
}

func parseRun(s string) (id.Run, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	return id.Run(n), err
}
