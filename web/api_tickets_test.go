package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestAPITickets(t *testing.T) {
	t.Parallel()

	t.Run("a ticket is opened with all that it holds", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withURL("https://example.org"))
		b := e.newBoard("NINJA")
		a := e.program().post("/boards/ninja/tickets",
			object{"title": " Paint  the door ", "description": "Red\r\nor blue", "column": b.Columns[1].ID}).is(t, 201)
		var made ticket
		a.read(t, &made)
		if made.Key != "NINJA-1" || made.Number != 1 || made.Board != "NINJA" || made.Column != b.Columns[1].ID ||
			made.Title != "Paint the door" ||
			made.Description != "Red\nor blue" || made.Version != 1 || made.URL != "https://example.org/acme/NINJA-1" {
			t.Errorf("%+v", made)
		}
		for _, at := range []string{made.CreatedAt, made.UpdatedAt} {
			if when, err := time.Parse(time.RFC3339Nano, at); err != nil || when.Location() != time.UTC {
				t.Errorf("%q is no time in UTC: %v", at, err)
			}
		}
		if again := e.program().get("/tickets/ninja-1").is(t, 200); again.body != a.body {
			t.Errorf("it reads %s, not %s", again.body, a.body)
		}
		e.program().post("/boards/NINJA/tickets", object{"title": "in the first column"}).is(t, 201).read(t, &made)
		if made.Column != b.Columns[0].ID || made.Number != 2 || made.Description != "" {
			t.Errorf("%+v", made)
		}
	})

	e := newEnv(t)
	other := e.newBoard("NINJA")
	for rule, c := range map[string]struct {
		name  string
		value any
		field string
	}{
		"no title":                                    {"title", none, "title"},
		"null as title":                               {"title", nil, "title"},
		"an empty title":                              {"title", "\t\u2003", "title"},
		"a title of 256 characters":                   {"title", long(256), "title"},
		"a title with control characters":             {"title", control, "title"},
		"a description of 65,536 bytes":               {"description", strings.Repeat("a", 65536), "description"},
		"a description of 65,536 bytes in characters": {"description", long(32768), "description"},
		"a description with a zero byte":              {"description", "a\x00", "description"},
		"an unknown column":                           {"column", 4711, "column"},
		"a column of another board":                   {"column", other.Columns[0].ID, "column"},
		"a negative column":                           {"column", -1, "column"},
		"a column in quotes":                          {"column", "1", "column"},
		"a column with a fraction":                    {"column", 1.5, "column"},
		"the largest column that is a number":         {"column", uint64(1<<64 - 1), "column"},
		"a column that is larger than numbers":        {"column", json.Number("18446744073709551616"), "column"},
		"a column with an exponent":                   {"column", json.Number("1e0"), "column"},
	} {
		t.Run(rule+" is refused", func(t *testing.T) {
			asked := with(object{"title": "x", "description": "", "column": 1}, c.name, c.value)
			e.unchanged(t, func() { e.program().post("/boards/DEMO/tickets", asked).problem(t, 422, c.field) })
		})
	}

	t.Run("the longest title and description are taken, and what looks like code is text", func(t *testing.T) {
		var made ticket
		description := strings.Repeat("ü", 32767) + "x"
		e.program().post("/boards/DEMO/tickets", object{"title": strings.Repeat("😀", 255), "description": description}).
			is(t, 201).read(t, &made)
		if made.Title != strings.Repeat("😀", 255) || made.Description != description {
			t.Error("it came back otherwise")
		}
		e.program().post("/boards/DEMO/tickets", object{"title": hostile, "description": hostile}).is(t, 201).read(t, &made)
		if made.Title != hostile || made.Description != hostile {
			t.Errorf("%+v", made)
		}
	})

	t.Run("a board that is not there has no tickets", func(t *testing.T) {
		for _, slug := range []string{"NOPE", "nope", "x", "DEMO%20x", "%ff", "DEMO-1", "..", "%2e%2e%2fDEMO"} {
			e.unchanged(t, func() {
				e.program().post("/boards/"+slug+"/tickets", object{"title": "x"}).problem(t, 404, "")
				e.program().get("/boards/"+slug+"/tickets").problem(t, 404, "")
				e.program().get("/boards/"+slug).problem(t, 404, "")
			})
		}
	})
}

func TestAPIEdit(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	b := e.newBoard("NINJA")
	e.newTickets("NINJA", b.Columns[0].ID, "Paint the door")
	p := e.program()

	t.Run("only what is sent changes", func(t *testing.T) {
		var one ticket
		p.patch("/tickets/ninja-1", object{"description": "Red", "version": 1}).is(t, 200).read(t, &one)
		if one.Title != "Paint the door" || one.Description != "Red" || one.Version != 2 {
			t.Errorf("%+v", one)
		}
		p.patch("/tickets/NINJA-1", object{"title": "Paint the wall", "version": 2}).is(t, 200).read(t, &one)
		if one.Title != "Paint the wall" || one.Description != "Red" || one.Version != 3 {
			t.Errorf("%+v", one)
		}
		p.patch("/tickets/NINJA-1", object{"description": "", "title": nil, "version": 3}).is(t, 200).read(t, &one)
		if one.Title != "Paint the wall" || one.Description != "" || one.Version != 4 {
			t.Errorf("%+v", one)
		}
	})

	t.Run("an edit without a change counts for nothing", func(t *testing.T) {
		e.unchanged(t, func() {
			var one ticket
			p.patch("/tickets/NINJA-1", object{"version": 4}).is(t, 200).read(t, &one)
			p.patch("/tickets/NINJA-1", object{"title": " Paint the  wall", "version": 4}).is(t, 200).read(t, &one)
			if one.Version != 4 {
				t.Errorf("%+v", one)
			}
		})
	})

	t.Run("an edit on an old version is refused with the ticket as it is", func(t *testing.T) {
		e.unchanged(t, func() {
			for _, version := range []any{0, 1, 3, 5, json.Number("18446744073709551615")} {
				problem := p.patch("/tickets/NINJA-1", object{"title": "Mine", "version": version}).problem(t, 409, "version")
				var current ticket
				if problem.Current == nil {
					t.Fatal("it does not say how the ticket is")
				}
				if err := json.Unmarshal(*problem.Current, &current); err != nil || current.Key != "NINJA-1" ||
					current.Title != "Paint the wall" || current.Version != 4 || current.URL == "" {
					t.Errorf("it is said to be %s", *problem.Current)
				}
			}
		})
	})

	t.Run("bad texts and versions are refused", func(t *testing.T) {
		e.unchanged(t, func() {
			for field, values := range map[string][]any{
				"title":       {"", " ", long(256), control, 1},
				"description": {strings.Repeat("a", 65536), control, 1},
				"version":     {none, nil, -1, 1.5, "4", true},
			} {
				for _, value := range values {
					p.patch("/tickets/NINJA-1", with(object{"version": 4}, field, value)).problem(t, 422, field)
				}
			}
		})
	})

	t.Run("of twenty edits at once on one version exactly one is taken", func(t *testing.T) {
		e := newEnv(t)
		answers := make([]*answer, 20)
		var group sync.WaitGroup
		for i := range answers {
			group.Go(func() {
				answers[i] = e.program().patch("/tickets/DEMO-1", object{"title": fmt.Sprint("by ", i), "version": 1})
			})
		}
		group.Wait()
		won := -1
		for i, a := range answers {
			if a.code != http.StatusOK {
				a.problem(t, 409, "version")
			} else if won >= 0 {
				t.Errorf("%d was taken, and so was %d", i, won)
			} else {
				won = i
			}
		}
		var now ticket
		if e.program().get("/tickets/DEMO-1").is(t, 200).read(t, &now); now.Title != fmt.Sprint("by ", won) ||
			now.Version != 2 {
			t.Errorf("%d won, it is %+v", won, now)
		}
	})

	t.Run("a deleted ticket is gone and its number never comes again", func(t *testing.T) {
		if a := p.delete("/tickets/ninja-1").is(t, http.StatusNoContent); a.body != "" {
			t.Errorf("the answer has a body: %s", a.body)
		}
		e.unchanged(t, func() {
			p.delete("/tickets/NINJA-1").problem(t, 404, "")
			p.get("/tickets/NINJA-1").problem(t, 404, "")
			p.patch("/tickets/NINJA-1", object{"title": "x", "version": 5}).problem(t, 404, "")
			p.post("/tickets/NINJA-1/position", object{"column": b.Columns[0].ID, "after": nil}).problem(t, 404, "")
		})
		if keys := e.newTickets("NINJA", b.Columns[0].ID, "another"); keys[0] != "NINJA-2" {
			t.Errorf("the next is %s", keys[0])
		}
		if keys := e.keys("NINJA", b.Columns[0].ID); !slices.Equal(keys, []string{"NINJA-2"}) {
			t.Errorf("the column has %v", keys)
		}
		e.counts(t, 1, "SELECT ticket_count FROM board_column WHERE id = ?", b.Columns[0].ID)
	})
}

// list reads all pages of a path.
func (e *env) list(t testing.TB, path string, between func()) (keys []string, pages int) {
	t.Helper()
	for after := ""; ; pages++ {
		var page struct {
			Items []ticket
			Next  *string
		}
		e.program().get(path+"&after="+url.QueryEscape(after)).is(t, 200).read(t, &page)
		for _, one := range page.Items {
			keys = append(keys, one.Key)
		}
		if page.Next == nil {
			return keys, pages + 1
		}
		after = *page.Next
		between()
	}
}

func TestAPIList(t *testing.T) {
	t.Parallel()
	nothing := func() {}

	t.Run("pages go through all columns in board order, whatever their size", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		var want []string
		for i, n := range []int{7, 0, 5} {
			for range n {
				want = append(want, e.newTickets("NINJA", b.Columns[i].ID, "x")...)
			}
		}
		e.program().post("/tickets/NINJA-7/position", object{"column": b.Columns[0].ID, "after": nil}).is(t, 200)
		want = append([]string{"NINJA-7"}, append(slices.Clone(want[:6]), want[7:]...)...)
		for limit := 1; limit <= 14; limit++ {
			got, pages := e.list(t, fmt.Sprintf("/boards/NINJA/tickets?limit=%d", limit), nothing)
			if !slices.Equal(got, want) || pages != (12+limit-1)/limit {
				t.Errorf("in pages of %d: %v in %d pages", limit, got, pages)
			}
		}
		if got, _ := e.list(t, fmt.Sprintf("/boards/NINJA/tickets?limit=2&column=%d", b.Columns[2].ID),
			nothing); !slices.Equal(got, want[7:]) {
			t.Errorf("the third column is %v", got)
		}
		if a := e.program().get(fmt.Sprintf("/boards/NINJA/tickets?column=%d", b.Columns[1].ID)).
			is(t, 200); strings.TrimSpace(a.body) != `{"items":[],"next":null}` {
			t.Errorf("the second column is %s", a.body)
		}
	})

	t.Run("a ticket that stays is listed once, also while others move, come and go", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		var stay []string
		for i := range b.Columns {
			for range 8 {
				stay = append(stay, e.newTickets("NINJA", b.Columns[i].ID, "stays")...)
			}
		}
		movers := e.newTickets("NINJA", b.Columns[1].ID, "moves", "moves", "moves")
		turn := 0
		got, _ := e.list(t, "/boards/NINJA/tickets?limit=2", func() {
			turn++
			mover, column := movers[turn%3], turn%3
			e.program().post("/tickets/"+mover+"/position",
				object{"column": b.Columns[column].ID, "after": stay[column*8+turn%8]}).is(t, 200)
			e.newTickets("NINJA", b.Columns[turn%3].ID, "new")
			if turn == 4 {
				e.program().delete("/tickets/"+movers[0]).is(t, 204)
				movers[0] = movers[1]
			}
		})
		got = slices.DeleteFunc(got, func(key string) bool { return !slices.Contains(stay, key) })
		if !slices.Equal(got, stay) {
			t.Errorf("%v\nwere listed as\n%v", stay, got)
		}
	})

	t.Run("a query lists the tickets that match, in board order", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		for i := range b.Columns {
			e.newTickets("NINJA", b.Columns[i].ID, "Paint the door", "Order paint", "Wax")
		}
		e.program().put("/tickets/NINJA-4/closure", nil).is(t, 200)
		of := func(q string) string { return "/boards/NINJA/tickets?limit=2&q=" + url.QueryEscape(q) }
		for q, want := range map[string][]string{"": {"NINJA-1", "NINJA-2", "NINJA-3", "NINJA-5", "NINJA-6", "NINJA-4", "NINJA-7", "NINJA-8", "NINJA-9"},
			"paint status:open": {"NINJA-1", "NINJA-2", "NINJA-5"}, "wax": {"NINJA-3", "NINJA-6", "NINJA-9"},
			"column:doing": {"NINJA-5", "NINJA-6"}, "7": {"NINJA-7"}, "assignee:me": nil} {
			if got, _ := e.list(t, of(q), nothing); !slices.Equal(got, want) {
				t.Errorf("%q lists %v, not %v", q, got, want)
			}
		}
		if got, _ := e.list(t, of("wax")+fmt.Sprintf("&column=%d", b.Columns[2].ID), nothing); !slices.Equal(got, []string{"NINJA-9"}) {
			t.Errorf("the third column lists %v", got)
		}
		for _, q := range []string{"asignee:me", "label:bgu", "(paint", "due:soon", strings.Repeat("x", 501)} {
			e.program().get(of(q)).problem(t, 422, "q")
		}
	})

	t.Run("a page of a query reads no more of a large column than of a small one", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoardOf("NINJA", 9000)
		got, pages := e.list(t, "/boards/NINJA/tickets?limit=2&q=08999", nothing)
		if !slices.Equal(got, []string{"NINJA-8999"}) || pages != 7 {
			t.Errorf("%v in %d pages", got, pages)
		}
		if got, pages = e.list(t, fmt.Sprintf("/boards/NINJA/tickets?limit=2&q=08999&column=%d", b.Columns[1].ID), nothing); len(got) != 1 || pages != 3 {
			t.Errorf("%v of its column in %d pages", got, pages)
		}
	})

	t.Run("bad parameters are refused", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		other := e.newBoard("NINJA")
		for field, values := range map[string][]string{
			"limit":  {"0", "-1", "201", "x", "1.5", "99999999999999999999", "%ff", "1e1"},
			"column": {"x", "-1", "4711", "18446744073709551615", "1.0", "%ff", fmt.Sprint(other.Columns[0].ID), "1%20OR%201=1"},
			"after":  {"x", "%ff", "MTox%00"},
		} {
			for _, value := range values {
				e.program().get("/boards/DEMO/tickets?"+field+"="+value).problem(t, 422, field)
			}
		}
	})

	t.Run("a page of another board's list is not continued here", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "x", "y")
		var page struct{ Next string }
		e.program().get("/boards/NINJA/tickets?limit=1").is(t, 200).read(t, &page)
		e.program().get("/boards/DEMO/tickets?after="+page.Next).problem(t, 422, "column")
	})
}
