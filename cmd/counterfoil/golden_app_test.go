package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/db/dbtest/golden"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/web"
)

// TestGoldenApp has one server do a bit of everything, and compares its answers, messages, metrics and stored values
// with the golden files. Ids, times and positions are not compared, only that they are there.
func TestGoldenApp(t *testing.T) {
	t.Parallel()
	a := startApp(t)
	golden.Check(t, "schema.txt", a.schema())
	a.signIn()
	a.showBoards()
	a.showGroups()
	a.showTickets()
	a.showLabels()
	a.showComments()
	a.showChecklists()
	a.showRelations()
	a.showRecurrence()
	a.showAttachments()
	a.showProblems()
	a.showFeeds()
	a.showWebhooks()
	a.showRuns()
	a.showRefs()
	a.showTemplates()
	a.showBulkEdits()
	a.showSavedViews()
	a.missesNoCall()
	a.showMetrics()
	a.showStored()
}

// app is a program that serves, on a database of its own.
type running struct {
	*testing.T
	environment
	url, token string
	sql        *db.DB
	browser    *http.Client
	hooks      chan hooked
	hookURL    string
	gate       chan struct{} // tasks of countUp wait for it
	under      chan struct{} // a task waits

	text   strings.Builder // the golden file that is being written
	called map[string]bool // routes of the API

	underWay bool // how far runs are differs each time
}

func startApp(t *testing.T) *running {
	a := &running{T: t, hooks: make(chan hooked, 1000), gate: make(chan struct{}), under: make(chan struct{}, 100),
		called: map[string]bool{}}
	receiver := httptest.NewServer(http.HandlerFunc(a.takeHook))
	t.Cleanup(receiver.Close)
	a.hookURL = receiver.URL

	values := map[string]string{
		"DATABASE_URL": dbtest.URL(t), "COUNTERFOIL_DATA": t.TempDir(), "COUNTERFOIL_ADDR": "127.0.0.1:0",
		"COUNTERFOIL_WEBHOOK_ALLOW": "127.0.0.1:*", "COUNTERFOIL_METRICS_ADDR": freePort(t),
	}
	said, says := io.Pipe()
	log := &slowLog{}
	a.environment = readEnvironment(func(name string) string { return values[name] },
		strings.NewReader("correct horse battery\n"), says, log)
	a.migrations = []*migrations.Migration{a.countUp()}
	var err error
	if a.sql, err = db.Open(a.databaseURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.sql.Close() })
	a.do("setup", "--company", "acme", "--name", "Acme", "--person", "Ana", "--email", "ana@example.com",
		"--password-file", "-")

	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, a.environment, []string{"serve"})
		says.Close()
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 || t.Failed() {
			t.Logf("serve ended with %d:\n%s", code, log)
		}
	})
	printed := bufio.NewScanner(said)
	for a.url == "" && printed.Scan() {
		a.url, _ = strings.CutPrefix(printed.Text(), "Counterfoil is ready at ")
	}
	if a.url == "" {
		t.Fatal("it does not serve")
	}
	go io.Copy(io.Discard, said)
	return a
}

// do carries out a command; setup's last line has the token.
func (a *running) do(args ...string) {
	a.Helper()
	var out bytes.Buffer
	env := a.environment
	env.stdout = &out
	if code := run(context.Background(), env, args); code != 0 {
		a.Fatalf("%v ended with %d: %s", args, code, env.stderr)
	}
	printed := strings.Split(strings.TrimSpace(out.String()), "\n")
	var last struct{ Token string }
	if json.Unmarshal([]byte(printed[len(printed)-1]), &last) == nil && last.Token != "" {
		a.token = last.Token
	}
}

// slowLog has several writers.
type slowLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *slowLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *slowLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// schema is all tables of the database, in one spelling for both engines.
func (a *running) schema() string {
	a.Helper()
	var b strings.Builder
	for _, table := range a.column(
		"SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY BINARY table_name") {
		var name, text string
		domaintest.Must(a, a.sql.SQL.QueryRow("SHOW CREATE TABLE `"+table+"`").Scan(&name, &text))
		for _, write := range spellings {
			text = write.pattern.ReplaceAllString(text, write.as)
		}
		b.WriteString(text + ";\n\n")
	}
	return b.String()
}

// spellings are what MariaDB and MySQL write differently about the same table.
var spellings = []struct {
	pattern *regexp.Regexp
	as      string
}{
	{regexp.MustCompile("`"), ""},
	{regexp.MustCompile(`\b(bigint|int|mediumint|smallint)\(\d+\)`), "$1"},
	{regexp.MustCompile(`\btinyint\([2-9]\)`), "tinyint"},
	{regexp.MustCompile(` AUTO_INCREMENT=\d+`), ""},
	{regexp.MustCompile(`DEFAULT '(-?\d+)'`), "DEFAULT $1"},
	{regexp.MustCompile(`( CHARACTER SET utf8mb4)? COLLATE utf8mb4_unicode_520_ci\b`), ""}, // the table's own collation, which MySQL spells out in a copy
	{regexp.MustCompile(` /\*!50100 TABLESPACE innodb_system \*/`), ""},                    // of the server for tests
}

// column is the first column of a query's rows.
func (a *running) column(query string) (list []string) {
	a.Helper()
	rows := domaintest.OK(a.sql.SQL.Query(query))(a)
	defer rows.Close()
	for rows.Next() {
		var value string
		domaintest.Must(a, rows.Scan(&value))
		list = append(list, value)
	}
	if rows.Err() != nil {
		a.Fatal(rows.Err())
	}
	return list
}

// signIn opens a browser in which Ana is signed in. The pool of codes is filled only when the test asks for it.
func (a *running) signIn() {
	jar, _ := cookiejar.New(nil)
	a.browser = &http.Client{Jar: jar}
	a.post("/login", "email", "ana@example.com", "password", "correct horse battery")
	a.post("/admin/refs/pause", "paused", "yes")
}

// post sends a form and returns the page that follows.
func (a *running) post(path string, fields ...string) string {
	a.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	response, err := a.browser.PostForm(a.url+path, form)
	domaintest.Must(a, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 400 || strings.HasSuffix(response.Request.URL.Path, "/login") {
		a.Fatalf("POST %s: %s %v\n%s", path, response.Status, err, page)
	}
	return string(page)
}

// longest is the timeout of every wait.
const longest = 2 * time.Minute

type object = map[string]any

// shownHeaders are the headers of an answer that clients rely on, beside Content-Type.
var shownHeaders = []string{"Content-Type", "WWW-Authenticate", "Retry-After", "Idempotency-Replayed", "Location",
	"Content-Disposition", "Cache-Control"}

// ask calls the API and returns the answer's body.
func (a *running) ask(method, path string, body any, header ...string) (*http.Response, []byte) {
	a.Helper()
	var text io.Reader
	kind := "application/json"
	if file, ok := body.(fileForm); ok {
		var form []byte
		kind, form = file.form()
		text = bytes.NewReader(form)
	} else if body != nil {
		sent := domaintest.OK(json.Marshal(body))(a)
		text = bytes.NewReader(sent)
	}
	r := domaintest.OK(http.NewRequestWithContext(a.Context(), method, a.url+"/api/v1"+path, text))(a)
	r.Header.Set("Authorization", "Bearer "+a.token)
	if body != nil {
		r.Header.Set("Content-Type", kind)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response := domaintest.OK(client.Do(r))(a)
	defer response.Body.Close()
	answer := domaintest.OK(io.ReadAll(response.Body))(a)
	a.called[a.route(method, r.URL.Path)] = true
	return response, answer
}

// show is ask that also writes the call and its answer into the golden file.
func (a *running) show(method, path string, body any, header ...string) (answer object) {
	a.Helper()
	response, text := a.ask(method, path, body, header...)
	fmt.Fprintf(&a.text, "## %s %s", method, stable(path))
	if body != nil {
		sent, _ := json.Marshal(body)
		fmt.Fprintf(&a.text, " %s", stable(string(sent)))
	}
	fmt.Fprintf(&a.text, "\n%d\n", response.StatusCode)
	for _, name := range shownHeaders {
		if value := response.Header.Get(name); value != "" {
			fmt.Fprintf(&a.text, "%s: %s\n", name, a.here(value))
		}
	}
	if !strings.Contains(response.Header.Get("Content-Type"), "json") {
		if len(text) > 0 {
			fmt.Fprintln(&a.text, stable(strings.TrimSpace(string(text))))
		}
		a.text.WriteString("\n")
		return nil
	}
	before := a.underWay
	a.underWay = before || method != http.MethodGet && strings.Contains(path, "/runs/")
	answer, _ = a.draw(text).(object)
	a.underWay = before
	a.text.WriteString("\n")
	return answer
}

// draw writes JSON into the golden file, its members in order and without values that differ each time.
func (a *running) draw(text []byte) (value any) {
	a.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		a.Fatalf("%v: %s", err, text)
	}
	fmt.Fprintln(&a.text, a.pretty(a.steady("", value)))
	return value
}

func (a *running) pretty(value any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	domaintest.Must(a, encoder.Encode(value))
	return strings.TrimSpace(b.String())
}

// unsteady are members whose values differ each time, with their replacements.
var unsteady = map[string]string{}

func init() {
	for as, names := range map[string]string{
		"<id>":             "id run task worker column",
		"<position>":       "feed_sync_id",
		"<cursor>":         "cursor upto",
		"<checksum>":       "checksum checksum_v2",
		"<number>":         "lag_rows lag_seconds now ten_minutes idle living in_flight finished pid per_hour collided expected blocked share pending count per_second",
		"<number or null>": "runway_hours",
		"<span>":           "took",
		"<span or null>":   "claim_p99",
		"<name>":           "host",
	} {
		for name := range strings.FieldsSeq(names) {
			unsteady[name] = as
		}
	}
}

// steady is a value without what differs each time: whether there is one, and whether it is a text or a number, is
// kept.
func (a *running) steady(name string, value any) any {
	as, differs := unsteady[name]
	switch value := value.(type) {
	case object:
		same := object{}
		for member, of := range value {
			same[member] = a.steady(member, of)
		}
		if name == "per_second" {
			same["errors"] = "<number>"
		}
		if name == "progress" && a.underWay {
			return "<numbers of " + strings.Join(slices.Sorted(maps.Keys(value)), ", ") + ">"
		}
		return same
	case []any:
		if name == "refs" {
			return []any{"<code>", fmt.Sprintf("%d in all", len(value))}
		}
		same := make([]any, len(value))
		for i, of := range value {
			same[i] = a.steady(name, of)
		}
		return same
	case string:
		if (differs || name == "next") && value != "" {
			if strings.HasSuffix(as, "or null>") {
				return as
			}
			return cmp.Or(as, "<cursor>") + " as text"
		}
		return a.here(value)
	case nil:
		if strings.HasSuffix(as, "or null>") {
			return as
		}
	case json.Number:
		if differs {
			return as
		}
		if name == "canary_left" && a.underWay { // a worker may have claimed the canary
			return "<number>"
		}
	}
	return value
}

var (
	moments    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	rowNumbers = regexp.MustCompile(
		`(/runs/|/tasks/|/groups?/|/labels/|/templates/|/comments/|comment[-=]|/columns/|/lots/|/workers/|"(?:column|task)":"?)\d+`)
	places = regexp.MustCompile(`v1\.\d+\.[a-z]+\.[\d.]*\d`)
	failed = regexp.MustCompile(`(?m)^\d+(,\d+,\d+,\d+,)`) // a line of a file of failures begins with the task's id
)

// stable is a text without ids and times.
func stable(text string) string {
	text = moments.ReplaceAllString(text, "<time>")
	text = places.ReplaceAllString(text, "<cursor>")
	text = failed.ReplaceAllString(text, "<id>$1")
	return rowNumbers.ReplaceAllString(text, "$1<id>")
}

// here is stable without the server's address.
func (a *running) here(text string) string {
	return stable(strings.ReplaceAll(strings.ReplaceAll(text, a.url, "http://HERE"), a.hookURL, "http://THERE"))
}

// keep compares what was shown so far with a golden file.
func (a *running) keep(name string) {
	a.Helper()
	golden.Check(a, name, a.text.String())
	a.text.Reset()
}

// route is the route of the table that serves a path.
func (a *running) route(method, path string) string {
	best, fewest := "", 100
	for _, route := range web.Routes() {
		pattern := regexp.MustCompile("^" + regexp.MustCompile(`:[a-z]+`).ReplaceAllString(route.Path, "[^/]+") + "$")
		if n := strings.Count(route.Path, ":"); route.Method == method && n < fewest && pattern.MatchString(path) {
			best, fewest = method+" "+route.Path, n
		}
	}
	return best
}

// missesNoCall fails if a call of the API was not shown.
func (a *running) missesNoCall() {
	for _, route := range web.Routes() {
		name := route.Method + " " + route.Path
		if strings.HasPrefix(route.Path, "/api/") && !strings.HasSuffix(route.Path, "*") && route.Path != "/api/v1" &&
			!a.called[name] {
			a.Errorf("%s is not called, so nothing says what it answers", name)
		}
	}
}

func textOf(value any) string { return fmt.Sprint(value) }

func (a *running) showBoards() {
	a.show("POST", "/boards", object{"slug": "home", "title": "Home"}, "Idempotency-Key", "one")
	a.show("POST", "/boards", object{"slug": "home", "title": "Home"}, "Idempotency-Key", "one")
	a.show("GET", "/boards", nil)
	a.show("PATCH", "/boards/HOME", object{"slug": "house", "title": "House & home", "version": 1})
	a.reaches("1", "complete") // its tickets have new keys
	a.show("GET", "/boards/HOME", nil)
	column := textOf(a.show("POST", "/boards/HOUSE/columns", object{"name": "Review", "wip": "soft", "wip_limit": 3,
		"position": 2})["id"])
	a.show("PATCH", "/boards/HOUSE/columns/"+column, object{"name": "Check", "wip": "none"})
	a.show("POST", "/boards/HOUSE/columns/"+column+"/sort", object{"by": "due"})
	a.show("POST", "/boards/HOUSE/columns/"+column+"/sort", object{"by": "colour"})
	a.show("POST", "/boards/HOUSE/columns/"+column+"/move", object{"to": json.Number(column)})
	a.show("DELETE", "/boards/HOUSE/columns/"+column, nil)
	a.show("PUT", "/boards/HOUSE/archive", nil)
	a.show("DELETE", "/boards/HOUSE/archive", nil)
	a.show("GET", "/boards/HOUSE", nil)
	a.keep("api-boards.txt")
}

func (a *running) showGroups() {
	group := textOf(a.show("POST", "/groups", object{"name": "Roofers"}, "Idempotency-Key", "group")["id"])
	a.show("GET", "/groups?limit=1", nil)
	a.show("PATCH", "/groups/"+group, object{"name": "Roof & gutter"})
	a.show("GET", "/groups/"+group, nil)
	a.show("PUT", "/groups/"+group+"/members/ana", nil)
	a.show("GET", "/groups/"+group+"/members", nil)
	a.show("PUT", "/boards/HOUSE/members/account/ana", object{"role": "admin"})
	a.show("PUT", "/boards/HOUSE/members/group/"+group, object{"role": "member"})
	a.show("GET", "/boards/HOUSE/members?limit=1", nil)
	a.show("DELETE", "/boards/HOUSE/members/group/"+group, nil)
	a.show("DELETE", "/groups/"+group+"/members/ana", nil)
	a.show("DELETE", "/groups/"+group, nil)
	a.show("DELETE", "/groups/"+group, nil)
	a.keep("api-groups.txt")
}

func (a *running) showLabels() {
	label := textOf(a.show("POST", "/labels", object{"name": "leak"}, "Idempotency-Key", "label")["id"])
	other := textOf(a.show("POST", "/labels", object{"name": "drip", "color": "blue", "board": "HOUSE"})["id"])
	a.show("GET", "/labels", nil)
	a.show("PATCH", "/labels/"+other, object{"name": "water", "color": "cyan"})
	a.show("POST", "/labels/"+other+"/merge", object{"into": json.Number(label)})
	a.show("GET", "/labels/"+other, nil)
	a.show("PUT", "/labels/"+other+"/restoration", nil)
	a.show("DELETE", "/labels/"+other, nil)
	a.show("DELETE", "/labels/"+other, nil)
	a.keep("api-labels.txt")
}

func (a *running) showTemplates() {
	template := textOf(a.show("POST", "/boards/HOUSE/templates", object{"name": "Leak", "title": "Leak in the ", "labels": []string{"leak"},
		"assignees": []string{"ana"}, "priority": "high"}, "Idempotency-Key", "template")["id"])
	a.show("GET", "/boards/HOUSE/templates", nil)
	a.show("PATCH", "/boards/HOUSE/templates/"+template, object{"description": "How much water?", "version": 1})
	a.show("PATCH", "/boards/HOUSE/templates/"+template, object{"name": "Drip", "version": 1})
	a.show("GET", "/boards/HOUSE/templates/"+template, nil)
	a.show("POST", "/boards/HOUSE/tickets", object{"template": json.Number(template), "title": "Leak in the kitchen"})
	a.show("DELETE", "/boards/HOUSE/templates/"+template, nil)
	a.show("DELETE", "/boards/HOUSE/templates/"+template, nil)
	a.show("PUT", "/boards/HOUSE/templates/"+template+"/restoration", nil)
	a.show("PUT", "/boards/HOUSE/templates/"+template+"/restoration", nil)
	a.keep("api-templates.txt")
}

// columns are the ids of a board's columns.
func (a *running) columns(board string) (ids []json.Number) {
	_, text := a.ask("GET", "/boards/"+board, nil)
	var answer struct{ Columns []struct{ ID json.Number } }
	domaintest.Must(a, json.Unmarshal(text, &answer))
	for _, column := range answer.Columns {
		ids = append(ids, column.ID)
	}
	return ids
}

func (a *running) showBulkEdits() {
	edit := a.showBulkEdit("/bulk-edits", object{"board": "HOUSE", "q": "is:open", "do": "priority", "priority": "low"})
	a.show("POST", "/bulk-edits", object{"do": "explode", "place": "middle"})
	a.show("GET", edit, nil)
	a.show("GET", edit+"/tickets", nil)
	a.show("PATCH", edit, object{"state": "paused"})
	a.showBulkEdit(edit+"/undo", object{"dry": true})
	a.show("GET", "/bulk-edits", nil)
	a.keep("api-bulk-edits.txt")
}

func (a *running) showSavedViews() {
	view := "/views/" + textOf(a.show("POST", "/views", object{"name": "Roofs", "board": "HOUSE", "q": "roof", "fields": []string{"due"},
		"pinned": true}, "Idempotency-Key", "view")["id"])
	a.show("POST", "/views", object{"layout": "gantt", "group": "colour"})
	a.show("GET", "/views", nil)
	a.show("PATCH", view, object{"name": "Leaks", "version": 1})
	a.show("PATCH", view, object{"name": "Drips", "version": 1})
	a.show("GET", view, nil)
	a.show("GET", view+"/tickets?limit=1", nil)
	a.show("DELETE", view+"/pin", nil)
	a.show("PUT", view+"/pin", nil)
	a.show("DELETE", view, nil)
	a.show("DELETE", view, nil)
	a.keep("api-views.txt")
}

// showBulkEdit opens a bulk edit, waits until it has ended, and returns its path.
func (a *running) showBulkEdit(path string, body object) string {
	a.Helper()
	opened := a.show("POST", path, body)
	if opened["id"] == nil {
		a.Fatalf("POST %s: %v", path, opened)
	}
	edit := "/bulk-edits/" + textOf(opened["id"])
	domaintest.Until(a, edit+" is complete", func() bool {
		_, text := a.ask("GET", edit, nil)
		return bytes.Contains(text, []byte(`"complete"`))
	})
	return edit
}

func (a *running) showTickets() {
	columns := a.columns("HOUSE")
	a.show("POST", "/boards/HOUSE/tickets", object{"title": "Fix the *roof*", "description": "It rains in."})
	a.show("POST", "/boards/HOUSE/tickets", object{"title": "Paint", "column": columns[1]})
	a.show("POST", "/boards/HOUSE/tickets", object{"title": "Old"})
	a.show("GET", "/boards/HOUSE/tickets?limit=2", nil)
	a.show("GET", "/tickets?q=board:HOUSE+sort:created&limit=1", nil)
	domaintest.Until(a, "the search index is built", func() bool {
		_, text := a.ask("GET", "/search?q=roof", nil)
		return bytes.Contains(text, []byte(`"ready"`))
	})
	a.show("GET", "/search?q=roof", nil)
	a.show("GET", "/search?q=status:open", nil)
	a.show("PATCH", "/tickets/HOUSE-1", object{"title": "Mend the roof", "description": "It rains in, @ana.",
		"version": 1})
	a.show("PUT", "/tickets/HOUSE-1/assignees", object{"assignees": []string{"ana"}})
	a.show("PUT", "/tickets/HOUSE-1/labels", object{"labels": []string{"urgent repair", "roof"}})
	a.show("POST", "/tickets/HOUSE-1/position", object{"column": columns[1], "after": "HOUSE-2",
		"seen": object{"column": columns[0], "after": nil}})
	a.show("PUT", "/tickets/HOUSE-2/closure", nil)
	a.show("DELETE", "/tickets/HOUSE-2/closure", nil)
	a.show("DELETE", "/tickets/HOUSE-2", nil)
	a.show("PUT", "/tickets/HOUSE-2/restoration", nil)
	a.show("DELETE", "/tickets/HOUSE-3", nil)
	demo := a.columns("DEMO")
	a.show("POST", "/tickets/HOUSE-2/position", object{"board": "DEMO", "column": demo[0], "after": nil})
	a.show("GET", "/tickets/HOUSE-2", nil)
	a.show("GET", "/tickets/HOUSE-1", nil)
	a.keep("api-tickets.txt")
}

func (a *running) showAttachments() {
	plan := attachment("plan.txt", "a plan")
	a.show("POST", "/tickets/HOUSE-1/attachments", plan, "Idempotency-Key", "plan")
	a.show("POST", "/tickets/HOUSE-1/attachments", plan, "Idempotency-Key", "plan")
	a.show("POST", "/tickets/HOUSE-1/attachments", attachment("empty.txt", ""))
	a.show("POST", "/tickets/HOUSE-1/attachments", nil)
	a.show("GET", "/tickets/HOUSE-1/attachments", nil)
	a.show("GET", "/tickets/HOUSE-1/attachments/1", nil)
	a.show("GET", "/tickets/HOUSE-1/attachments/1/content", nil)
	a.show("DELETE", "/tickets/HOUSE-1/attachments/1", nil)
	a.show("GET", "/tickets/HOUSE-1/attachments/1", nil)
	a.show("POST", "/tickets/HOUSE-1/attachments", plan) // for the feed
	a.keep("api-attachments.txt")
}

// fileForm is a form with a file, as a body.
type fileForm struct{ Name, Content string }

func attachment(name, content string) fileForm { return fileForm{name, content} }

func (f fileForm) form() (kind string, body []byte) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, _ := w.CreateFormFile("file", f.Name)
	_, _ = part.Write([]byte(f.Content))
	_ = w.Close()
	return w.FormDataContentType(), form.Bytes()
}

func (a *running) showRelations() {
	a.show("PUT", "/tickets/HOUSE-1/relations/blocked-by/HOUSE-2", nil)
	a.show("GET", "/tickets/HOUSE-2/relations", nil)
	a.show("GET", "/tickets/HOUSE-2/backlinks", nil)
	a.show("PUT", "/tickets/HOUSE-2/relations/blocked-by/HOUSE-1", nil)
	a.show("PUT", "/tickets/HOUSE-1/relations/eats/HOUSE-99", nil)
	a.show("PUT", "/tickets/HOUSE-1/relations/child/HOUSE-1", nil)
	a.show("DELETE", "/tickets/HOUSE-1/relations/blocked-by/HOUSE-2", nil)
	a.keep("api-relations.txt")
}

func (a *running) showRecurrence() {
	a.show("PUT", "/tickets/HOUSE-1/recurrence", object{"rule": "FREQ=WEEKLY"})
	a.show("PATCH", "/tickets/HOUSE-1", object{"due": "2040-01-02"})
	a.show("PUT", "/tickets/HOUSE-1/recurrence", object{"rule": "FREQ=WEEKLY;BYDAY=MO", "opens": "closed", "time_zone": "Europe/Berlin"})
	a.show("PUT", "/tickets/HOUSE-1/recurrence", object{"rule": "FREQ=HOURLY"})
	a.show("DELETE", "/tickets/HOUSE-1/recurrence", nil)
	a.show("PATCH", "/tickets/HOUSE-1", object{"due": nil})
	a.keep("api-recurrence.txt")
}

func (a *running) showChecklists() {
	a.show("POST", "/boards/HOUSE/tickets", object{"title": "Move out", "description": "- [ ] Keys\n- [x] Meters\n"})
	list := a.show("GET", "/tickets/HOUSE-4/checklist", nil)["items"].([]any)
	keys := textOf(list[0].(object)["id"])
	a.show("PUT", "/tickets/HOUSE-4/checklist", object{"item": keys, "checked": true})
	a.show("POST", "/tickets/HOUSE-4/checklist/tickets", object{"item": "none"})
	a.show("PATCH", "/tickets/HOUSE-4", object{"description": "- [x] Meters\n", "version": 2})
	a.show("PUT", "/tickets/HOUSE-4/checklist", object{"item": keys, "checked": false})
	a.show("PUT", "/tickets/HOUSE-4/checklist", object{"item": "keys"})
	comment := textOf(a.show("POST", "/tickets/HOUSE-4/comments", object{"body": "1. [ ] Phone"})["id"])
	list = a.show("GET", "/tickets/HOUSE-4/comments/"+comment+"/checklist", nil)["items"].([]any)
	a.show("PUT", "/tickets/HOUSE-4/comments/"+comment+"/checklist",
		object{"item": textOf(list[0].(object)["id"]), "checked": true})
	a.show("DELETE", "/tickets/HOUSE-4", nil)
	a.keep("api-checklists.txt")
}

func (a *running) showComments() {
	first := textOf(a.show("POST", "/tickets/HOUSE-1/comments", object{"body": "Who has a *ladder*?"})["id"])
	a.show("PATCH", "/tickets/HOUSE-1/comments/"+first, object{"body": "Who has a ladder?", "version": 1})
	second := textOf(a.show("POST", "/tickets/HOUSE-1/comments", object{"body": "Me."})["id"])
	a.show("PUT", "/tickets/HOUSE-1/comments/"+first+"/reactions/heart", nil)
	a.show("DELETE", "/tickets/HOUSE-1/comments/"+first+"/reactions/laugh", nil)
	a.show("DELETE", "/tickets/HOUSE-1/comments/"+second, nil)
	a.show("GET", "/tickets/HOUSE-1/comments", nil)
	a.keep("api-comments.txt")
}

func (a *running) showProblems() {
	a.show("GET", "/boards/NONE", nil)
	a.show("GET", "/nothing", nil)
	a.show("GET", "/boards", nil, "Authorization", "Bearer cfl_unknown")
	a.show("POST", "/boards", object{"slug": "HOUSE", "title": "Again"})
	a.show("POST", "/boards", object{"slug": "", "title": ""})
	a.show("POST", "/boards", object{"slug": "X", "title": "X", "colour": "red"})
	a.show("POST", "/boards", object{"slug": "xyz", "title": "Other"}, "Idempotency-Key", "one")
	a.show("PATCH", "/boards/HOUSE", object{"title": "Late", "version": 0})
	a.show("PATCH", "/tickets/HOUSE-1", object{"title": "Late", "version": 1})
	a.show("PATCH", "/tickets/HOUSE-1", object{"title": "Late"})
	a.show("POST", "/tickets/HOUSE-1/position", object{"column": a.columns("HOUSE")[0], "after": nil,
		"seen": object{"column": a.columns("HOUSE")[2], "after": nil}})
	a.show("GET", "/feeds/tickets?cursor=nonsense", nil)
	a.show("GET", "/feeds/tickets?limit=0", nil)
	a.show("POST", "/refs/pop", object{"count": 1})
	a.show("POST", "/boards", nil, "Content-Type", "text/plain")
	a.keep("api-problems.txt")
}

// item is one of a feed.
type item struct {
	ID       json.Number
	Position string `json:"feed_sync_id"`
	Deleted  bool
	Reason   string
	Data     struct{ Key, Body, Slug string }
}

func (a *running) items(path string) (cursor string, list []item, raw []json.RawMessage) {
	a.Helper()
	_, text := a.ask("GET", path, nil)
	var page struct {
		Items  []json.RawMessage
		Cursor string
	}
	err := json.Unmarshal(text, &page)
	for _, one := range page.Items {
		var i item
		err = errors.Join(err, json.Unmarshal(one, &i))
		list = append(list, i)
	}
	if err != nil {
		a.Fatalf("%s: %v: %s", path, err, text)
	}
	return page.Cursor, list, page.Items
}

// showItem shows the page of a feed with one item, once it is published.
func (a *running) showItem(what, path string, such func(item) bool) {
	a.Helper()
	domaintest.Until(a, what, func() bool {
		_, list, raw := a.items(path)
		n := slices.IndexFunc(list, such)
		if n >= 0 {
			fmt.Fprintf(&a.text, "## %s\n", what)
			a.draw(raw[n])
			a.text.WriteString("\n")
		}
		return n >= 0
	})
}

func (a *running) showFeeds() {
	a.showItem("a ticket", "/feeds/tickets", func(i item) bool { return i.Data.Key == "HOUSE-1" })
	a.showItem("a ticket that was deleted", "/feeds/tickets", func(i item) bool { return i.Deleted })
	a.showItem("a ticket that went to another board", "/feeds/tickets?board=HOUSE",
		func(i item) bool { return i.Reason != "" })
	a.showItem("a comment", "/feeds/comments", func(i item) bool { return i.Data.Body == "Who has a ladder?" })
	a.showItem("a comment that was deleted", "/feeds/comments", func(i item) bool { return i.Deleted })
	a.showItem("a board", "/feeds/boards", func(i item) bool { return i.Data.Slug == "HOUSE" })
	a.keep("feed-items.txt")

	a.show("GET", "/feeds/boards?limit=1", nil)
	end, _, _ := a.items("/feeds/boards")
	a.show("GET", "/feeds/boards?cursor="+end, nil)
	a.show("GET", "/feeds/boards/audit?upto="+end, nil)
	a.show("GET", "/feeds/boards/snapshot?board=HOUSE", nil)
	a.showStream("/feeds/boards/stream?cursor=start")
	a.show("POST", "/feeds/boards/consumers", object{"name": "warehouse", "from": "start"})
	a.show("GET", "/feeds/boards/consumers/warehouse", nil)
	a.show("GET", "/consumers", nil)
	a.show("PUT", "/feeds/boards/consumers/warehouse/pause", nil)
	a.show("DELETE", "/feeds/boards/consumers/warehouse/pause", nil)
	a.show("GET", "/feeds/boards?limit=1&consumer=warehouse", nil)
	a.show("PUT", "/feeds/boards/consumers/warehouse/cursor", object{"to": "end"})
	a.show("PUT", "/feeds/boards/consumers/warehouse/cursor", object{"from": end, "to": end})
	a.show("DELETE", "/feeds/boards/consumers/warehouse", nil)
	a.show("POST", "/feeds/comments/consumers", object{"name": "shop"}) // stays connected, for the metrics
	a.show("POST", "/feeds/tickets/republish", object{"ids": []string{"HOUSE-1"}})
	a.keep("api-feeds.txt")
}

// showStream shows the beginning of a stream, up to its first change.
func (a *running) showStream(path string) {
	a.Helper()
	ctx, stop := context.WithTimeout(a.Context(), time.Minute)
	defer stop()
	r := domaintest.OK(http.NewRequestWithContext(ctx, http.MethodGet, a.url+"/api/v1"+path, nil))(a)
	r.Header.Set("Authorization", "Bearer "+a.token)
	response := domaintest.OK(http.DefaultClient.Do(r))(a)
	defer response.Body.Close()
	a.called[a.route("GET", r.URL.Path)] = true
	fmt.Fprintf(&a.text, "## GET %s\n%d\n", path, response.StatusCode)
	for _, name := range append(slices.Clone(shownHeaders), "X-Accel-Buffering") {
		if value := response.Header.Get(name); value != "" {
			fmt.Fprintf(&a.text, "%s: %s\n", name, value)
		}
	}
	changed := false
	read := bufio.NewScanner(response.Body)
	for read.Scan() {
		field, value, _ := strings.Cut(read.Text(), ": ")
		switch field {
		case "retry", "id":
			fmt.Fprintf(&a.text, "%s: <%s>\n", field, field)
		case "data":
			a.text.WriteString("data: ")
			a.draw([]byte(value))
		default:
			fmt.Fprintln(&a.text, read.Text())
		}
		changed = changed || read.Text() == "event: change"
		if changed && read.Text() == "" {
			return
		}
	}
	a.Fatalf("the stream ends before a change: %v", read.Err())
}

// hooked is a message that a webhook received.
type hooked struct {
	path   string
	header http.Header
	body   []byte
	kind   string
}

func (a *running) takeHook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var message struct{ Type string }
	if err == nil {
		err = json.Unmarshal(body, &message)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.hooks <- hooked{r.Method + " " + r.URL.Path, r.Header, body, message.Type}
	w.WriteHeader(http.StatusNoContent)
}

// takes waits for a message of a type at a path, and drops those before it. Its subject is in its body.
func (a *running) takes(path, kind, about string) hooked {
	a.Helper()
	deadline := time.After(longest)
	for {
		select {
		case m := <-a.hooks:
			if m.path == path && m.kind == kind && bytes.Contains(m.body, []byte(about)) {
				return m
			}
		case <-deadline:
			a.Fatalf("no %s came to %s", kind, path)
		}
	}
}

var goldenSecrets = regexp.MustCompile(`whsec_[A-Za-z0-9+/]+=*`)

func (a *running) showWebhooks() {
	// Two webhooks, one for a board alone: changes that were published before are not sent to them.
	all := goldenSecrets.FindString(a.post("/acme/settings/webhooks", "url", a.hookURL+"/all", "feeds", "tickets", "feeds",
		"comments", "feeds", "boards"))
	some := goldenSecrets.FindString(a.post("/acme/settings/webhooks", "url", a.hookURL+"/house", "feeds", "tickets",
		"board", "HOUSE"))
	step := func(path, kind, about, secret string) {
		a.Helper()
		m := a.takes("POST "+path, kind, about)
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err == nil {
			err = verifier.Verify(m.body, m.header)
		}
		if err != nil {
			a.Errorf("%s cannot be verified: %v", kind, err)
		}
		fmt.Fprintf(&a.text, "## %s\n", kind)
		for _, name := range slices.Sorted(maps.Keys(m.header)) {
			fmt.Fprintf(&a.text, "%s: %s\n", name, a.headerOf(name, m.header.Get(name)))
		}
		a.draw(m.body)
		a.text.WriteString("\n")
	}
	a.post("/acme/settings/webhooks/1/tests")
	step("/all", "test", "", all)
	a.ask("POST", "/boards/HOUSE/tickets", object{"title": "Sweep"})
	step("/all", "ticket.changed", "HOUSE-5", all)
	_, answer := a.ask("POST", "/tickets/HOUSE-5/comments", object{"body": "Soon."})
	step("/all", "comment.changed", "Soon.", all)
	var comment struct{ ID json.Number }
	domaintest.Must(a, json.Unmarshal(answer, &comment))
	a.ask("DELETE", "/tickets/HOUSE-5/comments/"+comment.ID.String(), nil)
	step("/all", "comment.deleted", "", all)
	a.ask("POST", "/boards", object{"slug": "GARDEN", "title": "Garden"})
	step("/all", "board.changed", "GARDEN", all)
	a.ask("POST", "/tickets/HOUSE-5/position", object{"board": "GARDEN", "column": a.columns("GARDEN")[0], "after": nil})
	step("/house", "ticket.left", "", some)
	a.ask("DELETE", "/tickets/GARDEN-1", nil)
	step("/all", "ticket.deleted", "", all)
	a.do("feed", "new-epoch")
	a.ask("POST", "/boards/GARDEN/tickets", object{"title": "Dig"})
	step("/all", "feed.reset", `"feed":"tickets"`, all)
	a.keep("webhooks.txt")
}

var (
	lengths = regexp.MustCompile(`\d{2,}`)
	signed  = regexp.MustCompile(`^v1,([A-Za-z0-9+/=]+)$`)
)

// headerOf is a header of a message without what differs each time.
func (a *running) headerOf(name, value string) string {
	switch strings.ToLower(name) {
	case "webhook-id":
		if strings.HasPrefix(value, "test") || strings.Count(value, ":") < 3 {
			return regexp.MustCompile(`[:_-].*`).ReplaceAllString(value, ":<more>")
		}
		parts := strings.Split(value, ":")
		return parts[0] + ":<epoch>:<row>:<position>"
	case "webhook-timestamp":
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && time.Since(time.Unix(n, 0)).Abs() < time.Hour {
			return "<seconds>"
		}
	case "webhook-signature":
		if parts := signed.FindStringSubmatch(value); parts != nil {
			if signature, err := base64.StdEncoding.DecodeString(parts[1]); err == nil {
				return fmt.Sprintf("v1,<base64 of %d bytes>", len(signature))
			}
		}
	case "content-length":
		return lengths.ReplaceAllString(value, "<number>")
	}
	return a.here(value)
}

// countUp is a migration for the test: one line of its file is rejected, one task always fails, and the tasks of a run
// that waits continue once the test lets them.
func (a *running) countUp() *migrations.Migration {
	return &migrations.Migration{
		Name: "count-up", Title: "Count up", Description: "For this test.",
		Knobs: migrations.Knobs{Concurrency: 1, Block: 10, Attempts: 1},
		Params: []migrations.Param{
			{Name: "to", Label: "Up to", Kind: migrations.Number, Required: true, Min: 1, Max: 10},
			{Name: "waits", Label: "Waits", Kind: migrations.Flag},
			{Name: "key", Label: "Key", Kind: migrations.Secret},
		},
		Fill: func(ctx context.Context, into migrations.Filler) error {
			to, err := strconv.Atoi(into.Values()["to"])
			for n := 1; n <= to && err == nil; n++ {
				err = into.Add(ctx, migrations.NewTask{Payload: strconv.Itoa(n), Line: uint64(n), Cursor: strconv.Itoa(n)})
			}
			if err != nil {
				return err
			}
			return into.Reject(ctx, migrations.Rejection{Line: 11, Reason: "It is no number.", Content: "eleven", Cursor: "11"})
		},
		Process: func(ctx context.Context, w *migrations.Work) error {
			if w.Values["waits"] == "true" {
				a.under <- struct{}{}
				select {
				case <-a.gate:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			if w.Task.Payload == "3" {
				return migrations.Permanent{Err: errors.New("3 cannot be counted")}
			}
			return nil
		},
		Preview: func(context.Context, *migrations.Work) (string, error) { return "would count", nil },
	}
}

// reaches waits until a run is in a state, and its counters are settled.
func (a *running) reaches(run, state string) {
	a.Helper()
	var text []byte
	domaintest.Until(a, "run "+run+" is "+state, func() bool {
		_, text = a.ask("GET", "/runs/"+run, nil)
		var answer struct {
			State    string
			Progress struct{ Open, Processing, Waiting int }
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			a.Fatalf("%v: %s", err, text)
		}
		left := answer.Progress.Open + answer.Progress.Processing + answer.Progress.Waiting
		return answer.State == state && (left == 0 || state != "complete")
	})
}

func (a *running) showRuns() {
	a.showMigrations()
	first := textOf(a.show("POST", "/migrations/count-up/runs", object{"params": object{"to": 3, "key": "secret"}})["id"])
	a.reaches(first, "ready")
	a.show("GET", "/runs?group=attention", nil)
	a.show("POST", "/runs/"+first+"/pause", nil)
	a.show("POST", "/runs/"+first+"/start", object{"canary": 1})
	a.reaches(first, "paused")
	a.show("POST", "/runs/"+first+"/resume", nil)
	a.reaches(first, "complete")
	a.show("GET", "/runs/"+first, nil)
	tasks := a.show("GET", "/runs/"+first+"/tasks", nil)["items"].([]any)
	a.show("GET", "/runs/"+first+"/tasks/"+textOf(tasks[2].(object)["id"]), nil)
	a.show("GET", "/runs/"+first+"/failures", nil)
	a.show("GET", "/runs/"+first+"/failures.csv", nil)
	a.show("GET", "/runs/"+first+"/rejections", nil)
	a.show("GET", "/runs/"+first+"/rejections.csv", nil)
	a.show("GET", "/runs/"+first+"/report.csv", nil)
	a.show("POST", "/runs/"+first+"/retry", object{"all": true})
	domaintest.Until(a, "it fails again", func() bool {
		_, text := a.ask("GET", "/runs/"+first, nil)
		var answer struct {
			State    string
			Progress struct{ Failed, Errors int }
		}
		return json.Unmarshal(text, &answer) == nil && answer.State == "complete" && answer.Progress.Errors == 2
	})
	a.show("POST", "/runs/"+first+"/skip", object{"all": true})
	a.show("PUT", "/runs/"+first+"/dismissal", nil)
	a.show("GET", "/runs/"+first+"/events", nil)
	a.show("GET", "/runs?group=finished", nil)
	a.keep("api-runs.txt")

	a.underWay = true
	second := textOf(a.show("POST", "/migrations/count-up/runs", object{"params": object{"to": 10, "waits": true},
		"dry": false})["id"])
	a.reaches(second, "ready")
	a.ask("POST", "/runs/"+second+"/start", nil)
	<-a.under
	a.show("PATCH", "/runs/"+second, object{"concurrency": 2, "max_lag": "5s"})
	_, text := a.ask("GET", "/workers", nil)
	var workers struct{ Items []struct{ ID json.Number } }
	if err := json.Unmarshal(text, &workers); err != nil || len(workers.Items) != 1 {
		a.Fatalf("%v: %s", err, text)
	}
	worker := workers.Items[0].ID.String()
	a.show("PUT", "/workers/"+worker+"/drain", nil)
	a.show("DELETE", "/workers/"+worker+"/drain", nil)
	a.show("POST", "/runs/"+second+"/pause", nil)
	close(a.gate)
	a.reaches(second, "paused")
	a.show("POST", "/runs/"+second+"/cancel", nil)
	a.reaches(second, "cancelled")
	a.show("GET", "/workers", nil)
	for _, list := range []string{"/audit", "/audit.csv", "/instance/audit", "/instance/audit.csv"} { // web tests what they answer
		a.ask("GET", list, nil)
	}
	third := textOf(a.show("POST", "/migrations/count-up/runs", object{"from": json.Number(first)})["id"]) // stays connected, for the metrics
	a.reaches(third, "ready")
	a.underWay = false
	a.keep("api-control.txt")
}

// showMigrations shows all built-in migrations.
func (a *running) showMigrations() {
	_, text := a.ask("GET", "/migrations", nil)
	var list struct {
		Items []object
		Next  any
	}
	domaintest.Must(a, json.Unmarshal(text, &list))
	list.Items = slices.DeleteFunc(list.Items, func(m object) bool { return m["name"] == "count-up" })
	golden.Check(a, "migrations.txt", a.pretty(object{"items": list.Items, "next": list.Next})+"\n")
}

func (a *running) showRefs() {
	_, text := a.ask("POST", "/migrations/mint-refs/runs", object{"params": object{"codes": 50, "length": "5"}})
	var run struct{ ID json.Number }
	if err := json.Unmarshal(text, &run); err != nil || run.ID == "" {
		a.Fatalf("%v: %s", err, text)
	}
	domaintest.Until(a, "codes are minted", func() bool {
		_, text := a.ask("GET", "/runs/"+run.ID.String(), nil)
		var now struct{ State string }
		domaintest.Must(a, json.Unmarshal(text, &now))
		if now.State == "ready" {
			a.ask("POST", "/runs/"+run.ID.String()+"/start", nil)
		}
		return now.State == "complete"
	})
	a.show("POST", "/refs/pop", nil)
	a.show("POST", "/refs/pop", object{"count": 3}, "Idempotency-Key", "codes")
	a.show("POST", "/refs/pop", object{"count": 3}, "Idempotency-Key", "codes")
	a.show("POST", "/refs/pop", object{"purpose": "A crate of masks"})
	a.show("GET", "/refs/zzzzzz", nil)
	lots := a.show("GET", "/refs/lots", nil)["items"].([]any)
	domaintest.Until(a, "codes are counted", func() bool {
		_, text := a.ask("GET", "/refs", nil)
		var now struct{ Counted any }
		return json.Unmarshal(text, &now) == nil && now.Counted != nil
	})
	a.show("GET", "/refs", nil)
	a.show("PUT", "/refs/lots/"+textOf(lots[0].(object)["id"])+"/quarantine", nil)
	a.keep("api-refs.txt")
}

// showMetrics shows the name, kind, labels and help of each metric, once all that the source names are there: some
// appear with their first measurement.
func (a *running) showMetrics() {
	want := map[string]bool{}
	for _, file := range sources(a.T) {
		for _, text := range texts(file.File) {
			if metricName.MatchString(text) {
				want[text] = true
			}
		}
	}
	for range 2 { // the rate of codes is that of the hour before
		domaintest.Exec(a, a.sql,
			"REPLACE INTO ref_sample (at, source, popped, empties, p50_us, p99_us) VALUES (UTC_TIMESTAMP() - INTERVAL 10 MINUTE, 1, 100, 0, 1, 1)")
	}
	var metrics map[string]*metric
	missing := func() (names []string) {
		metrics = a.metrics()
		for name := range want {
			if metrics[name] == nil {
				names = append(names, name)
			}
		}
		return names
	}
	domaintest.Until(a, "all metrics are there", func() bool { return len(missing()) == 0 })
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		m := metrics[name]
		fmt.Fprintf(&a.text, "%s %s {%s}\n  %s\n", name, m.kind, strings.Join(slices.Sorted(maps.Keys(m.labels)), ","),
			m.help)
	}
	a.keep("metrics.txt")
}

var (
	metricName = regexp.MustCompile(`^counterfoil_[a-z]+(_[a-z]+)*$`)
	sample     = regexp.MustCompile(`^([a-z_]+)(?:\{(.*)\})? `)
	label      = regexp.MustCompile(`([a-z_]+)="`)
)

type metric struct {
	kind, help string
	labels     map[string]bool
}

// metrics are those of /metrics without those of Go and the process.
func (a *running) metrics() map[string]*metric {
	a.Helper()
	response := domaintest.OK(http.Get("http://" + a.metricsAddr + web.MetricsPath))(a)
	defer response.Body.Close()
	all := map[string]*metric{}
	read := bufio.NewScanner(response.Body)
	for read.Scan() {
		line := read.Text()
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, help, _ := strings.Cut(rest, " ")
			all[name] = &metric{help: help, labels: map[string]bool{}}
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			if all[name] == nil {
				all[name] = &metric{labels: map[string]bool{}}
			}
			all[name].kind = kind
			continue
		}
		parts := sample.FindStringSubmatch(line)
		if parts == nil {
			continue
		}
		name := parts[1]
		for _, end := range []string{"_bucket", "_sum", "_count"} {
			if cut, ok := strings.CutSuffix(name, end); ok && all[cut] != nil {
				name = cut
			}
		}
		for _, found := range label.FindAllStringSubmatch(parts[2], -1) {
			all[name].labels[found[1]] = true
		}
	}
	maps.DeleteFunc(all, func(name string, _ *metric) bool { return !strings.HasPrefix(name, "counterfoil_") })
	return all
}

// showStored shows the values that the database has in columns with a fixed set of values, and the members of what is
// stored as JSON.
func (a *running) showStored() {
	for _, query := range []struct{ what, text string }{
		{"activity.kind", "SELECT DISTINCT kind, detail FROM activity"},
		{"audit.kind", "SELECT DISTINCT kind, detail FROM audit"},
		{"membership.role", "SELECT DISTINCT role, NULL FROM membership"},
		{"api_token.scopes", "SELECT DISTINCT scopes, NULL FROM api_token"},
		{"migration_run.name", "SELECT DISTINCT name, params FROM migration_run"},
		{"migration_event.kind", "SELECT DISTINCT kind, NULL FROM migration_event"},
		{"migration_lease.name", "SELECT DISTINCT name, NULL FROM migration_lease"},
		{"migration_failure.fingerprint", "SELECT DISTINCT HEX(fingerprint), NULL FROM migration_failure"},
		{"ref_lot.source", "SELECT DISTINCT source, NULL FROM ref_lot"},
		{"sequences.name", "SELECT DISTINCT name, NULL FROM sequences"},
		{"webhook.state", "SELECT DISTINCT state, NULL FROM webhook"},
		{"webhook_attempt.kind, type", "SELECT DISTINCT CONCAT(kind, ' ', type), NULL FROM webhook_attempt"},
	} {
		fmt.Fprintf(&a.text, "%s:\n  %s\n", query.what, strings.ReplaceAll(strings.TrimSpace(sorted(a.stored(query.text))),
			"\n", "\n  "))
	}
	a.keep("stored-values.txt")
}

// stored are the values that a query selects, each with the members of the JSON beside it.
func (a *running) stored(query string) (list []string) {
	a.Helper()
	rows := domaintest.OK(a.sql.SQL.Query(query))(a)
	defer rows.Close()
	for rows.Next() {
		var value string
		var text *string
		domaintest.Must(a, rows.Scan(&value, &text))
		if text != nil && *text != "" {
			var detail object
			if err := json.Unmarshal([]byte(*text), &detail); err != nil {
				a.Fatalf("%v: %s", err, *text)
			}
			value += " " + members(detail)
		}
		list = append(list, value)
	}
	if rows.Err() != nil {
		a.Fatal(rows.Err())
	}
	return list
}

// members are the names of an object's members, and of those of the objects in it.
func members(of object) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if inner, ok := of[name].(object); ok {
			name += members(inner)
		}
		names = append(names, name)
	}
	return "{" + strings.Join(names, ", ") + "}"
}
