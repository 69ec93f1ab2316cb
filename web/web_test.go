package web_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web"
)

// The fixtures of this package: a server with a database of its own, and its clients.

const (
	email    = "ana@example.com"
	password = "correct horse battery"
)

// env is the real handler on a database of its own. Most have the company acme with the practice board DEMO, whose
// owner is Ana.
type env struct {
	t         testing.TB
	handler   web.Handler
	workflows *app.App
	db        *db.DB
	watch     *dbtest.Watch
	files     *blobs.Store
	actor     accounts.Actor
	token     string // Ana's, with every scope
	owned     string // the tables of state
}

// setupCode is the code of /setup: that of the key that each env has.
const setupCode = "hpyl-xi6s-z43l"

// A machine may be slow; only what says so is to be refused for that.
const patience = 5 * time.Minute

// newEmptyEnv is an env before setup; change alters the configuration.
func newEmptyEnv(t testing.TB, change ...func(*web.Config)) *env {
	t.Helper()
	return newEmptyEnvWith(t, nil, change...)
}

func newEmptyEnvWith(t testing.TB, options []app.Option, change ...func(*web.Config)) *env {
	t.Helper()
	d, watch := dbtest.NewWatched(t)
	e := newEnvOn(t, d, options, change...)
	e.watch = watch
	if _, measures := t.(*testing.B); !measures {
		e.handler.Handler = keepsSight(t, watch, e.handler.Handler)
	}
	return e
}

// newEnvOn is an env before setup on an empty database.
func newEnvOn(t testing.TB, d *db.DB, options []app.Option, change ...func(*web.Config)) *env {
	t.Helper()
	files := domaintest.OK(blobs.Open(context.Background(), t.TempDir()))(t)
	w := app.New(d, append([]app.Option{apptest.CheapPasswords, apptest.WithKeys, app.WithMigrations(probes()...), app.WithFiles(files)},
		options...)...)
	t.Cleanup(func() { w.Close(context.Background()) })
	domaintest.Exec(t, d, "INSERT INTO signing_key (id, secret, created_at) VALUES (1, REPEAT('k', 32), NOW(6))")
	cfg := web.Config{Workflows: w.Workflows, Console: w.Console, Live: w.Delivery.Live(), Sessions: accounts.NewSessionStore(d),
		Log: slog.New(slog.NewTextHandler(testLog{t}, nil)), Patience: patience}
	for _, c := range change {
		c(&cfg)
	}
	handler := web.New(cfg)
	t.Cleanup(handler.EndStreams)
	return &env{t: t, handler: handler, workflows: w, db: d, files: files}
}

// testLog fails the test if the server logs a warning or an error.
type testLog struct{ t testing.TB }

func (f testLog) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("X-Forwarded-For from an address")) { // which tests send
		return len(line), nil
	}
	if bytes.Contains(line, []byte("level=ERROR")) || bytes.Contains(line, []byte("level=WARN")) {
		f.t.Errorf("the server says: %s", line)
	}
	return len(line), nil
}

func newEnv(t testing.TB, change ...func(*web.Config)) *env {
	t.Helper()
	return setUp(newEmptyEnv(t, change...))
}

// setUp makes the company acme and its owner Ana.
func setUp(e *env) *env {
	t := e.t
	t.Helper()
	var err error
	e.actor, _, e.token, err = e.workflows.Workflows.SetUp(context.Background(),
		workflows.Setup{Token: true, Company: "Acme", Name: "Ana", Email: email, Password: password})
	domaintest.Must(t, err)
	return e
}

func withURL(address string) func(*web.Config) {
	return func(cfg *web.Config) {
		var err error
		if cfg.URL, err = url.Parse(address); err != nil {
			panic(err)
		}
	}
}

// stopClock stops the clock, for what is refused for a time.
func (e *env) stopClock() time.Time {
	at := time.Now().UTC()
	e.db.SetClock(func() time.Time { return at })
	return at
}

// exec runs a statement and returns the id that it gave.
func (e *env) exec(statement string, args ...any) int64 {
	e.t.Helper()
	return domaintest.Exec(e.t, e.db, statement, args...)
}

// count reads one number.
func (e *env) count(query string, args ...any) int64 {
	e.t.Helper()
	return int64(domaintest.Number(e.t, e.db, query, args...))
}

// counts reports an error unless a query selects the wanted number.
func (e *env) counts(t testing.TB, want int, query string, args ...any) {
	t.Helper()
	domaintest.Counts(t, e.db, want, query, args...)
}

// state is a fingerprint of all that users own. It leaves out the traces of reading: sessions, sign-ins, visits of
// the home page, lookups by strangers, and the last use of a token. An unknown table is part of it.
func (e *env) state() string {
	e.t.Helper()
	if e.owned == "" {
		const tables = `SELECT JSON_ARRAYAGG(table_name) FROM information_schema.tables
			WHERE table_schema = DATABASE() AND table_name NOT IN ('sessions', 'session_way', 'sign_in_limit', 'home_visit', 'public_limit', 'lookup_hour', 'audit', 'api_token', 'account', 'notification', 'schema_migrations')`
		var list string // which GROUP_CONCAT would cut off on MySQL
		domaintest.Must(e.t, e.db.SQL.QueryRowContext(context.Background(), tables).Scan(&list))
		var names []string
		domaintest.Must(e.t, json.Unmarshal([]byte(list), &names))
		slices.Sort(names)
		e.owned = strings.Join(names, ", ")
	}
	rows := domaintest.OK(e.db.SQL.QueryContext(context.Background(), "CHECKSUM TABLE "+e.owned))(e.t)
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var table string
		var sum int64
		domaintest.Must(e.t, rows.Scan(&table, &sum))
		_, table, _ = strings.Cut(table, ".")
		fmt.Fprintf(&b, "%s %d\n", table, sum)
	}
	if rows.Err() != nil {
		e.t.Fatal(rows.Err())
	}
	fmt.Fprintf(&b, "account %d\n",
		e.count(`SELECT COALESCE(SUM(CRC32(CONCAT_WS(' ', id, email, name, password_hash, operator, session_epoch, created_at))), 0)
			FROM account`))
	fmt.Fprintf(&b, "notification %d\n", e.count(`SELECT COALESCE(SUM(CRC32(CONCAT_WS(' ', id, account_id, ticket_id, board_id, comment_id, unread))), 0)
		FROM notification WHERE kind NOT IN ('sign-in', 'password')`))
	fmt.Fprintf(&b, "api_token %d\n",
		e.count(`SELECT COALESCE(SUM(CRC32(CONCAT_WS(' ', id, company_id, account_id, name, HEX(hash), scopes, expires_at, revoked_at))), 0)
		FROM api_token WHERE name <> 'test'`))
	return b.String()
}

// unchanged fails if fn changes anything that users own.
func (e *env) unchanged(t *testing.T, fn func()) {
	t.Helper()
	before := e.state()
	fn()
	if after := e.state(); after != before {
		t.Errorf("the database changed:\n%s\n%s", before, after)
	}
}

// account adds a user with Ana's password to a company, which is made if missing.
func (e *env) account(name, company, role string) {
	e.t.Helper()
	e.exec("INSERT IGNORE INTO company (slug, name, created_at) VALUES (?, ?, NOW(6))", company, company)
	domaintest.Member(e.t, e.db, id.Company(e.count("SELECT id FROM company WHERE slug = ?", company)),
		name, name+"@example.com", role, cheapHash())
}

// cheapHash is a hash of Ana's password that takes no time to verify.
var cheapHash = sync.OnceValue(func() string {
	hash, err := accounts.HashPassword(password, apptest.CheapCost)
	if err != nil {
		panic(err)
	}
	return hash
})

// tokenOf adds a token of a user with the scopes.
func (e *env) tokenOf(name, company string, scopes ...string) string {
	e.t.Helper()
	token := "cfl_" + name + company + strings.Join(scopes, "")
	e.exec(`INSERT INTO api_token (company_id, account_id, name, hash, scopes, created_at)
		SELECT c.id, a.id, 'test', ?, ?, UTC_TIMESTAMP(6) FROM company c, account a WHERE c.slug = ? AND a.email = ?`,
		accounts.HashToken(token), strings.Join(scopes, " "), company, name+"@example.com")
	return token
}

// serve serves on a port.
func serve(t testing.TB, e *env) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(e.handler)
	t.Cleanup(server.Close)
	return server
}

// answer is a response.
type answer struct {
	t      testing.TB
	code   int
	header http.Header
	body   string
	parsed *goquery.Document // by page
}

// send serves a request and returns its answer.
func (e *env) send(r *http.Request) *answer {
	e.t.Helper()
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	recorder := streamRecorder{httptest.NewRecorder(), leave}
	e.handler.ServeHTTP(recorder, r.WithContext(ctx))
	return &answer{t: e.t, code: recorder.Code, header: recorder.Result().Header, body: recorder.Body.String()}
}

// streamRecorder leaves at the first write of a stream.
type streamRecorder struct {
	*httptest.ResponseRecorder
	leave func()
}

func (l streamRecorder) Write(b []byte) (int, error) {
	if l.Header().Get("Content-Type") == "text/event-stream" {
		l.leave()
	}
	return l.ResponseRecorder.Write(b)
}

func newRequest(method, path, kind string, body io.Reader, header ...string) *http.Request {
	r := httptest.NewRequest(method, path, body)
	if strings.HasPrefix(path, "/setup") {
		r.Host = "localhost"
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

// is fails if the answer has another status.
func (a *answer) is(t testing.TB, code int) *answer {
	t.Helper()
	if a.code != code {
		t.Fatalf("status %d, not %d: %s", a.code, code, a.body)
	}
	return a
}

// goesTo fails if the answer does not redirect to path.
func (a *answer) goesTo(t testing.TB, path string) *answer {
	t.Helper()
	a.is(t, http.StatusSeeOther)
	if got := a.header.Get("Location"); got != path {
		t.Fatalf("it goes to %q, not to %q", got, path)
	}
	return a
}

// page returns the answer's HTML.
func (a *answer) page() *goquery.Document {
	a.t.Helper()
	if a.parsed == nil {
		a.parsed = domaintest.OK(goquery.NewDocumentFromReader(strings.NewReader(a.body)))(a.t)
	}
	return a.parsed
}

// text returns the text of the one element that is selected.
func (a *answer) text(t testing.TB, selector string) string {
	t.Helper()
	found := a.page().Find(selector)
	if found.Length() != 1 {
		t.Fatalf("%d elements %s in %s", found.Length(), selector, a.body)
	}
	return strings.Join(strings.Fields(found.Text()), " ")
}

// textIs reports an error unless the one element that is selected has that text.
func (a *answer) textIs(t testing.TB, selector, want string) {
	t.Helper()
	if got := a.text(t, selector); got != want {
		t.Errorf("%s says %q, not %q", selector, got, want)
	}
}

// textHas reports an error unless that is in the text of the one element that is selected.
func (a *answer) textHas(t testing.TB, selector, want string) {
	t.Helper()
	if got := a.text(t, selector); !strings.Contains(got, want) {
		t.Errorf("%s says %q, not %q", selector, got, want)
	}
}

// value returns the value of the one control that is selected, as a browser reads it.
func (a *answer) value(t testing.TB, selector string) string {
	t.Helper()
	found := a.page().Find(selector)
	if found.Length() != 1 {
		t.Fatalf("%d elements %s in %s", found.Length(), selector, a.body)
	}
	if goquery.NodeName(found) == "textarea" {
		return found.Text()
	}
	return found.AttrOr("value", "")
}

// has fails if the selector finds another number of elements.
func (a *answer) has(t testing.TB, n int, selector string) *answer {
	t.Helper()
	if found := a.page().Find(selector).Length(); found != n {
		t.Errorf("%d elements %s, not %d", found, selector, n)
	}
	return a
}

// read decodes the answer's JSON.
func (a *answer) read(t testing.TB, v any) {
	t.Helper()
	if kind := a.header.Get("Content-Type"); kind != "application/json" {
		t.Fatalf("status %d, content type %q: %s", a.code, kind, a.body)
	}
	if err := json.Unmarshal([]byte(a.body), v); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
}

// browser is a browser with the cookie of its session; that of visitor is not signed in.
type browser struct {
	env    *env
	cookie string
	header []string     // sent with every request
	name   string       // of the cookie; "" is that of plain HTTP
	came   *http.Cookie // the company that it showed last
	device *http.Cookie // of a browser that signed in
	start  *http.Cookie // of a sign-in at an issuer that began
	known  *http.Cookie // of a browser in which an issuer signed in
	recent *http.Cookie // the tickets that it showed last
}

func (e *env) visitor() *browser { return &browser{env: e} }

// signedIn is a browser of a signed-in user.
func (e *env) signedIn(name string) *browser {
	e.t.Helper()
	b := e.visitor()
	b.post("/login", "email", name+"@example.com", "password", password).is(e.t, http.StatusSeeOther)
	return b
}

func (e *env) ana() *browser { e.t.Helper(); return e.signedIn("ana") }

// with is the same browser, sending more headers.
func (b *browser) with(header ...string) *browser {
	return &browser{env: b.env, cookie: b.cookie, name: b.name, came: b.came, recent: b.recent,
		header: append(b.header[:len(b.header):len(b.header)], header...)}
}

// htmx is the same browser, asking for what goes to the element with that id.
func (b *browser) htmx(target string) *browser {
	return b.with("HX-Request", "true", "HX-Target", target)
}

func (b *browser) get(path string) *answer {
	b.env.t.Helper()
	return b.send(newRequest(http.MethodGet, path, "", nil))
}

// post sends a form without JavaScript, fields given as name, value, name, value.
func (b *browser) post(path string, pairs ...string) *answer {
	b.env.t.Helper()
	return b.send(newRequest(http.MethodPost, path, "application/x-www-form-urlencoded",
		strings.NewReader(form(pairs...).Encode())))
}

func form(pairs ...string) url.Values {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return values
}

func (b *browser) send(r *http.Request) *answer {
	b.env.t.Helper()
	if b.cookie != "" {
		r.AddCookie(&http.Cookie{Name: cmp.Or(b.name, "counterfoil"), Value: b.cookie})
	}
	if b.device != nil {
		r.AddCookie(&http.Cookie{Name: b.device.Name, Value: b.device.Value})
	}
	if b.known != nil {
		r.AddCookie(&http.Cookie{Name: b.known.Name, Value: b.known.Value})
	}
	if b.start != nil {
		r.AddCookie(&http.Cookie{Name: b.start.Name, Value: b.start.Value})
	}
	if b.came != nil {
		r.AddCookie(&http.Cookie{Name: b.came.Name, Value: b.came.Value})
	}
	if b.recent != nil {
		r.AddCookie(&http.Cookie{Name: b.recent.Name, Value: b.recent.Value})
	}
	for i := 0; i < len(b.header); i += 2 {
		r.Header.Add(b.header[i], b.header[i+1])
	}
	a := b.env.send(r)
	for _, cookie := range (&http.Response{Header: a.header}).Cookies() {
		if strings.HasSuffix(cookie.Name, "-company") {
			b.came = cookie
			continue
		}
		if strings.Contains(cookie.Name, "-recent-") {
			b.recent = cookie
			continue
		}
		if strings.HasSuffix(cookie.Name, "-device") {
			b.device = cookie
			continue
		}
		if strings.HasSuffix(cookie.Name, "-issuer") {
			b.start = cookie
			continue
		}
		if strings.HasSuffix(cookie.Name, "-browser") {
			b.known = cookie
			continue
		}
		b.cookie, b.name = cookie.Value, cookie.Name
	}
	return a
}

// program is a caller of the API.
type program struct {
	env    *env
	token  string
	header []string
}

func (e *env) program() *program { return &program{env: e, token: e.token} }

// with is the same program, sending more headers.
func (p *program) with(header ...string) *program {
	return &program{p.env, p.token, append(p.header[:len(p.header):len(p.header)], header...)}
}

// call sends JSON; body is text, or anything else to be encoded, or nil for none.
func (p *program) call(method, path string, body any) *answer {
	p.env.t.Helper()
	var kind string
	var reader io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		kind, reader = "application/json", strings.NewReader(body)
	default:
		kind, reader = "application/json", strings.NewReader(jsonOf(p.env.t, body))
	}
	r := newRequest(method, "/api/v1"+path, kind, reader, p.header...)
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	return p.env.send(r)
}

func (p *program) get(path string) *answer {
	p.env.t.Helper()
	return p.call(http.MethodGet, path, nil)
}

func (p *program) post(path string, body any) *answer {
	p.env.t.Helper()
	return p.call(http.MethodPost, path, body)
}

func (p *program) patch(path string, body any) *answer {
	p.env.t.Helper()
	return p.call(http.MethodPatch, path, body)
}

func (p *program) delete(path string) *answer {
	p.env.t.Helper()
	return p.call(http.MethodDelete, path, nil)
}

// object is JSON to send.
type object map[string]any

func jsonOf(t testing.TB, v any) string {
	t.Helper()
	text := domaintest.OK(json.Marshal(v))(t)
	return string(text)
}

// board is a board as the API shows it.
type board struct {
	Slug, Title, URL string
	Version          uint64
	Columns          []struct {
		ID       uint64
		Name     string
		Done     bool
		WIPLimit *int `json:"wip_limit"`
	}
}

// ticket is a ticket as the API shows it, also with its place after a move.
type ticket struct {
	Key, Board, Title, Description, URL string
	Number, Column, Version             uint64
	CreatedAt                           string `json:"created_at"`
	UpdatedAt                           string `json:"updated_at"`
	Priority                            string
	Start, Due                          *string
	After                               *string
	Appended                            bool
}

// problem is an error as the API shows it.
type problem struct {
	Type, Title, Detail, Field string
	Status                     int
	Current                    *json.RawMessage
	Errors                     []struct{ Field, Code, Message string }
}

// part is a field that a problem names, and what is wrong with it.
type part struct{ Field, Code string }

// problem fails if the answer is not a problem with that status about that field.
func (a *answer) problem(t testing.TB, code int, field string) problem {
	t.Helper()
	a.is(t, code)
	if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
		t.Fatalf("content type %q: %s", kind, a.body)
	}
	var p problem
	if err := json.Unmarshal([]byte(a.body), &p); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	if p.Status != code || p.Title == "" || p.Detail == "" ||
		(p.Type != "about:blank" && !strings.HasPrefix(p.Type, "urn:counterfoil:problem:")) {
		t.Errorf("not all that a problem has: %s", a.body)
	}
	if p.Field != field {
		t.Errorf("it is about %q, not %q: %s", p.Field, field, a.body)
	}
	return p
}

// newBoard opens a board through the API.
func (e *env) newBoard(slug string) (b board) {
	e.t.Helper()
	e.program().post("/boards", object{"slug": slug, "title": "The " + slug + " board"}).is(e.t, http.StatusCreated).
		read(e.t, &b)
	return b
}

// newTickets opens tickets in a column through the API, the first at its top, and returns their keys.
func (e *env) newTickets(slug string, column uint64, titles ...string) (keys []string) {
	e.t.Helper()
	for _, title := range titles {
		var made ticket
		e.program().post("/boards/"+slug+"/tickets", object{"title": title, "column": column}).is(e.t, http.StatusCreated).
			read(e.t, &made)
		keys = append(keys, made.Key)
	}
	return keys
}

// keys returns the keys of a column from its top.
func (e *env) keys(slug string, column uint64) (keys []string) {
	e.t.Helper()
	var page struct{ Items []ticket }
	e.program().get(fmt.Sprintf("/boards/%s/tickets?limit=200&column=%d", slug, column)).is(e.t, http.StatusOK).
		read(e.t, &page)
	for _, one := range page.Items {
		keys = append(keys, one.Key)
	}
	return keys
}
