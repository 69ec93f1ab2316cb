package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// formCase is a form, how it is filled well, and the badly filled ones.
type formCase struct {
	path  string
	valid []string // name, value, name, value
	bad   []badForm
}

// badForm changes fields of the valid form. A message must be at field; typed text stays.
type badForm struct {
	rule   string
	change []string
	code   int
	field  string // id of the control, without its form's prefix
}

const (
	hostile  = `<script>alert(1)</script><img src=x onerror=alert(1)>"'--; DROP TABLE ticket; ../../etc/passwd {{7*7}} ${x}`
	control  = "bell\x07and\x1bescape"
	notUTF8  = "caf\xe9 \xff"
	turned   = "Pay \u202e24-AJNIN"
	tooLong  = 256
	oversize = 513 << 10
)

func long(n int) string { return strings.Repeat("ö", n) }

// title are the bad titles of every form that has one.
func badTitles(valid ...badForm) []badForm {
	return append([]badForm{
		{"an empty title", []string{"title", ""}, 422, "title"},
		{"a title of spaces", []string{"title", " \t "}, 422, "title"},
		{"a title that is too long", []string{"title", long(tooLong)}, 422, "title"},
		{"a title that is not UTF-8", []string{"title", notUTF8}, 422, "title"},
		{"a title with control characters", []string{"title", control}, 422, "title"},
		{"a title that turns its direction", []string{"title", turned}, 422, "title"},
	}, valid...)
}

var forms = map[string]formCase{
	"board": {"/acme/boards", []string{"slug", "NINJA", "title", "Night launches"}, badTitles(
		badForm{"an empty slug", []string{"slug", ""}, 422, "slug"},
		badForm{"a slug that is too long", []string{"slug", "ABCDEFGHIJK"}, 422, "slug"},
		badForm{"a slug that is too short", []string{"slug", "A"}, 422, "slug"},
		badForm{"a slug that begins with a digit", []string{"slug", "1A"}, 422, "slug"},
		badForm{"a hostile slug", []string{"slug", hostile}, 422, "slug"},
		badForm{"a slug that is not UTF-8", []string{"slug", notUTF8}, 422, "slug"},
		badForm{"a slug with a zero byte", []string{"slug", "NI\x00NJA"}, 422, "slug"},
		badForm{"a slug that is taken", []string{"slug", "demo"}, 409, "slug"},
		badForm{"a slug that is taken, with a bad title", []string{"slug", "DEMO", "title", ""}, 422, "title"},
	)},
	"settings": {"/acme/boards/DEMO/settings", []string{"title", "Night launches", "version", "1"}, badTitles(
		badForm{"an old version", []string{"version", "0"}, 409, "title"},
		badForm{"a version to come", []string{"version", "2"}, 409, "title"},
	)},
	"new": {"/acme/boards/DEMO/tickets", []string{"title", "Paint the door", "description", "Red\nor **blue**", "column",
		"1"}, badTitles(
		badForm{"a description that is too long", []string{"description", strings.Repeat("a", 65536)}, 422, "description"},
		badForm{"a description that is too long in bytes", []string{"description", long(32768)}, 422, "description"},
		badForm{"a description that is not UTF-8", []string{"description", notUTF8}, 422, "description"},
		badForm{"a description with control characters", []string{"description", control}, 422, "description"},
		badForm{"an unknown column", []string{"column", "4711"}, 422, "column"},
		badForm{"a column that is no number", []string{"column", hostile}, 422, "column"},
		badForm{"a column that is too large a number", []string{"column", "18446744073709551616"}, 422, "column"},
	)},
	"edit": {"/acme/DEMO-1", []string{"title", "Paint the door", "description", "Red", "version", "1"}, badTitles(
		badForm{"a description that is too long", []string{"description", strings.Repeat("a", 65536)}, 422, "description"},
		badForm{"a description that is not UTF-8", []string{"description", notUTF8}, 422, "description"},
		badForm{"a description with control characters", []string{"description", control}, 422, "description"},
		badForm{"a bad title and a bad description", []string{"title", "", "description", notUTF8}, 422, "description"},
	)},
	"move": {"/acme/DEMO-1/position", []string{"column", "2", "after", ""}, []badForm{
		{"an unknown column", []string{"column", "4711"}, 422, "column"},
		{"a column that is no number", []string{"column", "x"}, 422, "column"},
		{"no column", []string{"column", ""}, 422, "column"},
		{"a place that is no key", []string{"after", hostile}, 422, "after"},
		{"a place that is not UTF-8", []string{"after", notUTF8}, 422, "after"},
		{"below itself", []string{"after", "DEMO-1", "column", "1"}, 422, "after"},
	}},
	"login": {"/login", []string{"email", email, "password", password}, []badForm{
		{"a wrong password", []string{"password", "wrong"}, 422, "password"},
		{"no password", []string{"password", ""}, 422, "password"},
		{"a password that is too long", []string{"password", strings.Repeat("a", 2000)}, 422, "password"},
		{"a password that is not UTF-8", []string{"password", notUTF8}, 422, "password"},
		{"an unknown address", []string{"email", "eve@example.com"}, 422, "password"},
		{"no address", []string{"email", ""}, 422, "password"},
		{"a hostile address", []string{"email", hostile}, 422, "password"},
		{"an address that is not UTF-8", []string{"email", notUTF8}, 422, "password"},
		{"an address with control characters", []string{"email", control}, 422, "password"},
		{"a very long address", []string{"email", long(50000)}, 422, "password"},
	}},
	"setup": {"/setup", []string{"code", setupCode, "company", "Acme", "slug", "acme", "name", "Ana", "email", email, "password", password},
		[]badForm{
			{"no company", []string{"company", ""}, 422, "company"},
			{"a company that is too long", []string{"company", long(tooLong)}, 422, "company"},
			{"a company that is not UTF-8", []string{"company", notUTF8}, 422, "company"},
			{"a company with control characters", []string{"company", control}, 422, "company"},
			{"a company without a letter in its name has no slug", []string{"company", "日本", "slug", ""}, 422, "slug"},
			{"a short name that is a path", []string{"slug", "../etc"}, 422, "slug"},
			{"a hostile short name", []string{"slug", hostile}, 422, "slug"},
			{"a reserved short name", []string{"slug", "API"}, 422, "slug"},
			{"a short name that is too long", []string{"slug", strings.Repeat("a", 41)}, 422, "slug"},
			{"a short name that is not UTF-8", []string{"slug", notUTF8}, 422, "slug"},
			{"no name", []string{"name", " "}, 422, "name"},
			{"a name that is too long", []string{"name", long(tooLong)}, 422, "name"},
			{"a name that is not UTF-8", []string{"name", notUTF8}, 422, "name"},
			{"a name that turns its direction", []string{"name", turned}, 422, "name"},
			{"no address", []string{"email", ""}, 422, "email"},
			{"an address that is none", []string{"email", "ana"}, 422, "email"},
			{"a hostile address", []string{"email", hostile}, 422, "email"},
			{"an address that is too long", []string{"email", strings.Repeat("a", 255) + "@example.com"}, 422, "email"},
			{"an address that is not UTF-8", []string{"email", "ana\xff@example.com"}, 422, "email"},
			{"a short name with a letter that is like an ASCII one", []string{"slug", "\u212aelvin"}, 422, "slug"},
			{"a short password", []string{"password", "123456789"}, 422, "password"},
			{"a password that is too long", []string{"password", strings.Repeat("a", 1025)}, 422, "password"},
			{"a password that is not UTF-8", []string{"password", "correct horse \xff"}, 422, "password"},
			{"all wrong at once: the company", []string{"company", "", "slug", "API", "name", "", "email", "", "password", ""},
				422, "company"},
			{"all wrong at once: the short name", []string{"company", "", "slug", "API", "name", "", "email", "", "password",
				""}, 422, "slug"},
			{"all wrong at once: the name", []string{"company", "", "slug", "API", "name", "", "email", "", "password", ""}, 422,
				"name"},
			{"all wrong at once: the address", []string{"company", "", "slug", "API", "name", "", "email", "", "password", ""},
				422, "email"},
			{"all wrong at once: the password", []string{"company", "", "slug", "API", "name", "", "email", "", "password", ""},
				422, "password"},
		}},
}

// visit returns the environment of a form and the browser that fills it in.
func visit(t *testing.T, name string) (*env, *browser) {
	switch name {
	case "setup":
		e := newEmptyEnv(t)
		return e, e.visitor()
	case "login":
		e := newEnv(t)
		return e, e.visitor()
	}
	e := newEnv(t)
	return e, e.ana()
}

func fillIn(c formCase, change ...string) url.Values {
	values := form(c.valid...)
	for i := 0; i < len(change); i += 2 {
		values.Set(change[i], change[i+1])
	}
	return values
}

func postRequest(path, kind string, body string) *http.Request {
	return newRequest(http.MethodPost, path, kind, strings.NewReader(body))
}

func TestForms(t *testing.T) {
	t.Parallel()
	for name, c := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, b := visit(t, name)
			for _, bad := range c.bad {
				t.Run(bad.rule, func(t *testing.T) {
					values := fillIn(c, bad.change...)
					e.unchanged(t, func() {
						a := b.send(postRequest(c.path, formKind, values.Encode())).is(t, bad.code)
						checkRejected(t, a, name, bad, values)
						if name == "login" {
							return
						}
						fragment := b.htmx("dialog").send(postRequest(c.path, formKind, values.Encode())).is(t, bad.code)
						checkRejected(t, fragment, name, bad, values)
					})
				})
			}
			t.Run("unreadable bodies", func(t *testing.T) { checkUnreadable(t, e, b, c) })
			t.Run("a form without fields", func(t *testing.T) {
				e.unchanged(t, func() { b.post(c.path).is(t, http.StatusUnprocessableEntity) })
			})
			t.Run("filled well", func(t *testing.T) {
				before := e.state()
				b.send(postRequest(c.path, formKind, fillIn(c).Encode())).is(t, http.StatusSeeOther)
				if name != "login" && e.state() == before {
					t.Error("nothing changed in the database")
				}
			})
		})
	}
}

// checkRejected looks whether a form came back with its message and with what was typed.
func checkRejected(t *testing.T, a *answer, name string, bad badForm, values url.Values) {
	t.Helper()
	id := name + "-" + bad.field
	message := a.text(t, "#"+id+"-error")
	if len(message) < 10 || !strings.HasSuffix(message, ".") {
		t.Errorf("the message next to %s is %q", id, message)
	}
	control := a.page().Find("#" + id)
	if control.AttrOr("aria-invalid", "") != "true" ||
		!strings.Contains(control.AttrOr("aria-describedby", ""), id+"-error") {
		t.Errorf("the control %s is not tied to its message: %s", id, control.AttrOr("aria-describedby", ""))
	}
	a.has(t, 1, ".summary [href='#"+id+"']")
	a.has(t, 0, "main script, form script, form img")
	if got := a.header.Get("Content-Type"); got != "text/html; charset=UTF-8" {
		t.Errorf("content type %s", got)
	}
	for field, want := range values {
		kept := a.page().Find("#" + name + "-" + field)
		if kept.Length() == 0 || kept.Is("select") {
			continue
		}
		got := a.value(t, "#"+name+"-"+field)
		if field == "password" {
			if got != "" || strings.Contains(a.body, want[0]) && len(want[0]) > 5 {
				t.Error("the password came back")
			}
			continue
		}
		if plain := func(s string) string {
			return strings.Map(func(r rune) rune {
				if r < ' ' || r == 0xfffd {
					return -1
				}
				return r
			}, strings.ToValidUTF8(s, ""))
		}; plain(got) != plain(want[0]) {
			t.Errorf("%s was %.50q and came back as %.50q", field, want[0], got)
		}
	}
}

func checkUnreadable(t *testing.T, e *env, b *browser, c formCase) {
	var parts bytes.Buffer
	w := multipart.NewWriter(&parts)
	for name, values := range fillIn(c) {
		domaintest.Must(t, w.WriteField(name, values[0]))
	}
	large := "title=" + strings.Repeat("a", oversize)
	for rule, bad := range map[string]struct {
		kind, body string
		code       int
	}{
		"over 512 KiB": {formKind, large, 413},
		"over 512 KiB in parts": {w.FormDataContentType(),
			parts.String() + "\r\n--" + w.Boundary() + "\r\nContent-Disposition: form-data; name=x\r\n\r\n" + large, 413},
		"bad escapes":                     {formKind, "title=%zz", 400},
		"a broken escape at the end":      {formKind, "title=a%f", 400},
		"semicolons":                      {formKind, "title=a;slug=b", 400},
		"parts without an end":            {w.FormDataContentType(), parts.String(), 400},
		"parts without a boundary":        {"multipart/form-data", parts.String(), 400},
		"JSON":                            {"application/json", `{"title":"x","slug":"NINJA"}`, 422},
		"text":                            {"text/plain", fillIn(c).Encode(), 422},
		"no type":                         {"", fillIn(c).Encode(), 422},
		"a form whose type is not a type": {"/;/", fillIn(c).Encode(), 400},
		"ten thousand fields":             {formKind, strings.Repeat("x=1&", 10000), 400},
	} {
		e.unchanged(t, func() {
			if a := b.send(postRequest(c.path, bad.kind, bad.body)); a.code != bad.code {
				t.Errorf("%s: %d, not %d", rule, a.code, bad.code)
			} else if a.code != 422 && a.text(t, "#main .lead") == "" {
				t.Errorf("%s: the page does not say what to do", rule)
			}
			r := postRequest(c.path, bad.kind, bad.body)
			r.ContentLength = -1 // as a chunked body
			if a := b.send(r); a.code != bad.code {
				t.Errorf("%s, chunked: %d, not %d", rule, a.code, bad.code)
			}
		})
	}
}

func TestTypedTextIsOnlyText(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.exec("UPDATE account SET name = ?", hostile)
	e.exec("UPDATE company SET name = ?", hostile)
	ana := e.ana()
	ana.post("/acme/boards", "slug", "NINJA", "title", hostile).goesTo(t, "/acme/boards/NINJA")
	ana.post("/acme/boards/NINJA/tickets", "title", hostile, "description",
		hostile+"\n\n"+hostile+"\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))").is(t, 303)
	ana.post("/acme/NINJA-1", "title", hostile+"!", "description", hostile, "version", "1").is(t, 303)
	for _, path := range []string{"/acme", "/acme/boards/NINJA", "/acme/boards/NINJA/settings",
		"/acme/boards/NINJA/tickets/new", "/acme/NINJA-1", "/acme/NINJA-1/edit",
		"/acme/NINJA-1/position", "/acme/NINJA-1/activity?before=99999"} {
		a := ana.get(path).is(t, 200)
		a.has(t, 0, "body script")
		a.has(t, 0, "[onerror], [onclick], img")
		if a.page().Find("a[href^='javascript']").Length() > 0 {
			t.Errorf("%s has a link to a script", path)
		}
		if !strings.Contains(a.page().Text()+a.page().Find("input[name=title]").AttrOr("value", ""),
			`"'--; DROP TABLE ticket`) {
			t.Errorf("%s does not show the text as it is", path)
		}
	}
	ana.get("/acme/boards/NINJA").textIs(t, "h1", strings.Join(strings.Fields(hostile), " "))
}

func TestStaleForms(t *testing.T) {
	t.Parallel()

	t.Run("an edit on an old version shows both and can be saved over", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post("/acme/DEMO-1", "title", "Theirs", "description", "<b>theirs</b>", "version", "1").goesTo(t, "/acme/DEMO-1")
		var a *answer
		e.unchanged(t, func() {
			a = ana.post("/acme/DEMO-1", "title", "Mine", "description", "mine", "version", "1").is(t, http.StatusConflict)
		})
		if a.value(t, "#edit-title") != "Mine" || a.value(t, "#edit-description") != "mine" ||
			a.value(t, ".mine [name=version]") != "1" {
			t.Error("what was typed is gone")
		}
		a.textIs(t, ".theirs .title ins", "Theirs")
		a.textIs(t, ".theirs .lines ins", "Added: <b>theirs</b>")
		over := a.value(t, "button[name=overwrite]")
		ana.post("/acme/DEMO-1", "title", "Mine", "description", "mine", "version", "1", "overwrite", over).
			goesTo(t, "/acme/DEMO-1")
		ana.get("/acme/DEMO-1").textIs(t, "h1", "Mine")
		e.unchanged(t, func() {
			ana.post("/acme/DEMO-1", "title", "Late", "description", "", "version", "1", "overwrite", over).
				is(t, http.StatusConflict)
		})
	})

	t.Run("a rename on an old version says the other title and can be sent again", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post("/acme/boards/DEMO/settings", "title", "Theirs", "version", "1").goesTo(t, "/acme/boards/DEMO")
		a := ana.post("/acme/boards/DEMO/settings", "title", "Mine", "version", "1").is(t, http.StatusConflict)
		if !strings.Contains(a.text(t, "#settings-title-error"), "“Theirs”") || a.value(t, "#settings-title") != "Mine" {
			t.Error("it shows neither theirs nor mine")
		}
		ana.post("/acme/boards/DEMO/settings", "title", "Mine", "version",
			a.value(t, "form[action$='/settings'] [name=version]")).goesTo(t, "/acme/boards/DEMO")
	})

	t.Run("a move that saw another place says so and can be sent again", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post("/acme/DEMO-1/position", "column", "2", "after", "", "seen_column", "1").goesTo(t, "/acme/boards/DEMO")
		var a *answer
		e.unchanged(t, func() {
			a = ana.post("/acme/DEMO-1/position", "column", "3", "after", "", "seen_column", "1", "seen_after", "").
				is(t, http.StatusConflict)
		})
		if !strings.Contains(a.text(t, ".summary"), "moved by someone else") {
			t.Errorf("it says %q", a.text(t, ".summary"))
		}
		ana.post("/acme/DEMO-1/position", "column", "3", "after", "", "seen_column", a.value(t, "[name=seen_column]"),
			"seen_after", a.value(t, "[name=seen_after]")).is(t, 303)
		e.counts(t, 3, "SELECT column_id FROM ticket WHERE id = 1")
	})

	t.Run("a version that is no number is refused with a word about it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.unchanged(t, func() {
			for _, version := range []string{"", "x", "-1", "1.0", "99999999999999999999", hostile} {
				for path, name := range map[string]string{"/acme/DEMO-1": "edit", "/acme/boards/DEMO/settings": "settings"} {
					a := ana.post(path, "title", "Mine", "description", "mine", "version", version).is(t, 422)
					if got := a.text(t, ".summary"); !strings.Contains(got, "version must be a whole number") {
						t.Errorf("%s, version %q: it says %q", path, version, got)
					}
					if got := a.value(t, "#"+name+"-title"); got != "Mine" {
						t.Errorf("%s: the title is %q", path, got)
					}
				}
			}
		})
	})

	t.Run("a ticket that has gone is not there to be changed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.program().delete("/tickets/DEMO-1").is(t, 204)
		e.unchanged(t, func() {
			ana.post("/acme/DEMO-1", "title", "Mine", "version", "1").is(t, 404)
			ana.post("/acme/DEMO-1/position", "column", "2").is(t, 404)
			ana.get("/acme/DEMO-1").is(t, 404)
		})
	})
}

func TestViewer(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("vera", "acme", accounts.Viewer)
	vera := e.signedIn("vera")
	e.unchanged(t, func() {
		for name, c := range forms {
			if name == "setup" || name == "login" {
				continue
			}
			a := vera.send(postRequest(c.path, formKind, fillIn(c).Encode())).is(t, http.StatusForbidden)
			if got := a.text(t, "#main .lead"); !strings.Contains(got, "Ask an admin") {
				t.Errorf("%s: it says %q", c.path, got)
			}
		}
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	description := strings.Repeat("ü", 32767) + "x" // 65,535 bytes
	crlf := strings.Repeat("a\r\n", 21845)          // as browsers send them; 43,690 bytes once stored
	ana.post("/acme/boards/DEMO/tickets", "title", long(255), "description", description).is(t, 303)
	e.counts(t, 65535, "SELECT LENGTH(description) FROM ticket WHERE local_id = 8")
	ana.post("/acme/boards/DEMO/tickets", "title", "x", "description", crlf).is(t, 303)
	e.counts(t, 43690, "SELECT LENGTH(description) FROM ticket WHERE local_id = 9")
	if got := ana.get("/acme/DEMO-8/edit").value(t, "#edit-description"); got != description {
		t.Error("the description did not come back")
	}
	ana.post("/acme/boards", "slug", "ABCDEFGHIJ", "title", long(255)).goesTo(t, "/acme/boards/ABCDEFGHIJ")
	if got := e.count("SELECT CHAR_LENGTH(title) FROM board WHERE slug = 'ABCDEFGHIJ'"); got != 255 {
		t.Error("the title has " + strconv.FormatInt(got, 10) + " characters")
	}
}
