package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestAPIBoards(t *testing.T) {
	t.Parallel()

	t.Run("a board is opened with its columns", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withURL("https://tracker.example.com/"))
		a := e.program().post("/boards", object{"slug": " ninja ", "title": " Night  launches "}).is(t, http.StatusCreated)
		var b board
		a.read(t, &b)
		if b.Slug != "NINJA" || b.Title != "Night launches" || b.Version != 1 ||
			b.URL != "https://tracker.example.com/acme/boards/NINJA" {
			t.Errorf("%+v", b)
		}
		if len(b.Columns) != 3 || b.Columns[0].Name != "To do" || b.Columns[1].Name != "Doing" ||
			b.Columns[2].Name != "Done" || !b.Columns[2].Done || b.Columns[0].Done {
			t.Errorf("its columns are %+v", b.Columns)
		}
		for _, name := range []string{`"id":4`, `"wip_limit":null`, `"done":true`} {
			if !strings.Contains(a.body, name) {
				t.Errorf("%s is not in %s", name, a.body)
			}
		}
		if again := e.program().get("/boards/ninja").is(t, http.StatusOK); again.body != a.body {
			t.Errorf("it reads %s, not %s", again.body, a.body)
		}
		var list struct {
			Items []board
			Next  *string
		}
		all := e.program().get("/boards").is(t, http.StatusOK)
		all.read(t, &list)
		if len(list.Items) != 2 || list.Items[0].Slug != "DEMO" || list.Items[1].Slug != "NINJA" ||
			!strings.Contains(all.body, `"next":null`) {
			t.Errorf("the list is %s", all.body)
		}
		if all.header.Get("Cache-Control") != "no-store" {
			t.Error("it may be kept by caches")
		}
	})

	t.Run("without a public address its own is that of the request", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		if b := e.newBoard("NINJA"); b.URL != "http://example.com/acme/boards/NINJA" {
			t.Error(b.URL)
		}
	})

	for rule, c := range map[string]struct {
		change object
		code   int
		field  string
	}{
		"no slug":                            {object{"slug": none}, 422, "slug"},
		"an empty slug":                      {object{"slug": ""}, 422, "slug"},
		"a slug of one letter":               {object{"slug": "A"}, 422, "slug"},
		"a slug of eleven letters":           {object{"slug": "ABCDEFGHIJK"}, 422, "slug"},
		"a slug that begins with a digit":    {object{"slug": "1A"}, 422, "slug"},
		"a slug with a hyphen":               {object{"slug": "NIN-JA"}, 422, "slug"},
		"a slug with a letter that is a":     {object{"slug": "NİNJA"}, 422, "slug"},
		"a slug with a line end":             {object{"slug": "NIN\nJA"}, 422, "slug"},
		"a hostile slug":                     {object{"slug": hostile}, 422, "slug"},
		"a taken slug":                       {object{"slug": "DEMO"}, 409, "slug"},
		"a taken slug in lower case":         {object{"slug": " demo"}, 409, "slug"},
		"no title":                           {object{"title": none}, 422, "title"},
		"null as title":                      {object{"title": nil}, 422, "title"},
		"an empty title":                     {object{"title": " \u00a0\n"}, 422, "title"},
		"a title of 256 characters":          {object{"title": long(256)}, 422, "title"},
		"a title with control characters":    {object{"title": control}, 422, "title"},
		"a title with a zero byte":           {object{"title": "a\x00"}, 422, "title"},
		"a slug and a title of other boards": {object{"slug": "DEMO", "title": "First steps"}, 409, "slug"},
	} {
		t.Run(rule+" is refused", func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			asked := object{"slug": "NINJA", "title": "Night launches"}
			for name, value := range c.change {
				asked = with(asked, name, value)
			}
			e.unchanged(t, func() { e.program().post("/boards", asked).problem(t, c.code, c.field) })
		})
	}

	t.Run("the longest slug and title are taken, and what looks like code is text", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		var b board
		e.program().post("/boards", object{"slug": "ABCDEFGHIJ", "title": strings.Repeat("😀", 255)}).is(t, 201).read(t, &b)
		if b.Title != strings.Repeat("😀", 255) {
			t.Error(b.Title)
		}
		e.program().post("/boards", object{"slug": "A1", "title": hostile}).is(t, 201).read(t, &b)
		if b.Title != hostile {
			t.Error(b.Title)
		}
	})

	t.Run("a rename needs the version that was read, and a stale one gets the board as it is", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.unchanged(t, func() {
			e.program().patch("/boards/DEMO", object{"title": "Mine"}).problem(t, 422, "version")
			e.program().patch("/boards/DEMO", object{"title": "Mine", "version": -1}).problem(t, 422, "version")
			e.program().patch("/boards/DEMO", object{"title": "Mine", "version": 1.5}).problem(t, 422, "version")
			e.program().patch("/boards/DEMO", object{"title": "", "version": 1}).problem(t, 422, "title")
			e.program().patch("/boards/DEMO", object{"title": long(256), "version": 1}).problem(t, 422, "title")
			e.program().patch("/boards/DEMO", `{"title":"Mine","version":18446744073709551615}`).problem(t, 409, "title")
			e.program().patch("/boards/NOPE", object{"title": "Mine", "version": 1}).problem(t, 404, "")
		})
		var b board
		e.program().patch("/boards/demo", object{"title": "Theirs", "version": 1}).is(t, 200).read(t, &b)
		if b.Title != "Theirs" || b.Version != 2 {
			t.Errorf("%+v", b)
		}
		p := e.program().patch("/boards/DEMO", object{"title": "Mine", "version": 1}).problem(t, 409, "title")
		var current board
		if p.Current == nil {
			t.Fatal("it does not say how the board is")
		}
		if err := json.Unmarshal(*p.Current, &current); err != nil || current.Title != "Theirs" || current.Version != 2 ||
			len(current.Columns) != 3 {
			t.Errorf("it is said to be %s", *p.Current)
		}
	})
}
