package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestTheListOfErrorsIsUpToDate(t *testing.T) {
	t.Parallel()
	want := domaintest.OK(generate(os.DirFS("../..")))(t)
	got := domaintest.OK(os.ReadFile("../../" + target))(t)
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date: run make generate", target)
	}
	for _, code := range []string{"Board.SlugConflict", "Board.EmptySlug", "Board.EmptyTitle", "Board.NotFound",
		"Ticket.MovedSince"} {
		if !strings.Contains(string(got), "| `"+code+"` |") {
			t.Errorf("there is no %s", code)
		}
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	const (
		head     = "package boards\n\nimport \"fault\"\n\n"
		statuses = "package web\n\nvar statuses = map[fault.Kind]int{fault.NotFound: http.StatusNotFound}\n\nfunc f() { boards.NotFound() }\n"
		code     = "// CodeNotFound: the board does not exist. See the list.\nconst CodeNotFound fault.Code = \"Board.NotFound\"\n\n"
		maker    = "func NotFound() error { return fault.NotFound.New(CodeNotFound, here, said) }\n"
	)
	for rule, c := range map[string]struct{ source, says string }{
		"as it should be":   {head + code + maker, ""},
		"no Noun.Reason":    {head + strings.ReplaceAll(code, "Board.NotFound", "NotFound") + maker, "Noun.Reason"},
		"declared twice":    {head + code + maker + strings.ReplaceAll(code, "CodeNotFound", "CodeNone"), "declared twice"},
		"never made":        {head + code, "no error is made"},
		"its maker is idle": {head + strings.ReplaceAll(code+maker, "NotFound() error", "Missing() error"), "no error is made"},
		"without a comment": {head + code[strings.Index(code, "const"):] + maker, "the meaning, then the remedy"},
		"without a remedy":  {head + strings.ReplaceAll(code, " See the list.", "") + maker, "the meaning, then the remedy"},
		"without a status":  {head + code + strings.ReplaceAll(maker, "fault.NotFound", "fault.Gone"), "has no status"},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			text, err := generate(fstest.MapFS{"domain/boards/errors.go": {Data: []byte(c.source)},
				"web/errors.go": {Data: []byte(statuses)}})
			switch {
			case c.says == "" &&
				(err != nil || !strings.Contains(string(text),
					"| `Board.NotFound` | 404 | The board does not exist. | See the list. |")):
				t.Errorf("%v, %s", err, text)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("it says %v; want %q", err, c.says)
			}
		})
	}
}
