package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestTheListOfTextsIsUpToDate(t *testing.T) {
	t.Parallel()
	want := domaintest.OK(generate(os.DirFS("../..")))(t)
	got := domaintest.OK(os.ReadFile("../../" + target))(t)
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date: run make generate", target)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	const (
		page  = "package pages\n\ntempl Page(p Props) {\n"
		views = "package views\n\nfunc f() {\n"
		rule  = "package boards\n\nfunc f() error {\n"
	)
	for name, c := range map[string]struct{ file, source, want string }{
		"a sentence with a key in it": {"views/a.templ",
			page + "<p>Press <kbd>c</kbd>,{ \" \" }{ p.Name }.</p>\n}", "- Press c, ….\n"},
		"a link in a paragraph, and one beside another": {"views/a.templ",
			page + "<p>Go <a href=\"/\">home</a>.</p><nav><a>Boards</a><a>Work</a></nav>\n}", "- Go home.\n- Boards\n- Work\n"},
		"both branches": {"views/a.templ",
			page + "if p.On {\n<b>Is on</b>\n} else {\n<b>Is off</b>\n}\n}", "- Is on\n- Is off\n"},
		"attributes that are shown": {"views/a.templ",
			page + "<input class=\"a b\" title=\"Find one\" aria-label={ \"Find in \" + p.Name }/>\n}", "- Find one\n- Find in …\n"},
		"a field of a form": {"views/a.templ",
			page + "{{ f := views.NewField(\"form\", \"slug\", \"Ticket prefix\", \"Begins every key.\", p.Errors) }}\n@Field(f)\n}",
			"- Ticket prefix\n- Begins every key.\n"},
		"a sum, its verbs and the values in it": {"views/a.go",
			views + "say(\"It has \"+count(n, \"one row\")+\", or \"+fmt.Sprintf(\"%[1]d %% of %s\", n, all))\n}",
			"- It has …, or …\n- one row\n- … % of …\n"},
		"no errors for the log": {"views/a.go", views + "fmt.Errorf(\"open the ticket: %w\", err)\n}", ""},
		"no names":              {"views/a.go", views + "say(\"toast\", \"Content-Type\", \"X\")\n}", ""},
		"a message of the domain": {"domain/boards/a.go",
			rule + "return fault.NotFound.New(code, \"slug\", \"no such \"+what)\n}", "- no such …\n"},
		"nothing else of the domain but sentences": {"domain/boards/a.go",
			rule + "f(\"a phrase\", \"SELECT id FROM ticket\", \"A sentence.\")\n}", "- A sentence.\n"},
		"each text once": {"views/a.templ", page + "<p>Save</p><p>Save</p>\n}", "- Save\n"},
		"no tests":       {"views/a_test.go", views + "say(\"It is on\")\n}", ""},
		"a script": {"static/js/a.js",
			"// It isn't one.\nsay(`${n} of ${all ? 'No tickets' : `${m} tickets`}.`, '.a .b')\nx = { textContent: 'Loading…' }\n",
			"- No tickets\n- … tickets\n- … of ….\n- Loading…\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := domaintest.OK(generate(fstest.MapFS{c.file: {Data: []byte(c.source)}}))(t)
			want := c.want
			if want != "" {
				want = "\n## " + c.file + "\n\n" + want
			}
			if got := strings.TrimPrefix(string(text), head); got != want {
				t.Errorf("it says %q; want %q", got, want)
			}
		})
	}
}
