package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// comment is a comment as the API shows it.
type comment struct {
	ID                uint64
	Ticket, Body, URL string
	Author            struct{ Name string }
	Version           uint64
	Deleted           bool
}

// programOf calls the API as a user, with every scope.
func (e *env) programOf(name string) *program {
	return &program{env: e, token: e.tokenOf(name, "acme", accounts.Scopes...)}
}

func (p *program) put(path string, body any) *answer {
	p.env.t.Helper()
	return p.call(http.MethodPut, path, body)
}

func TestAPIComments(t *testing.T) {
	t.Parallel()
	t.Run("a comment is written, edited, listed and taken back", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withURL("https://example.org"))
		p := e.program()
		var made comment
		p.post("/tickets/demo-1/comments", object{"body": "First\r\nline"}).is(t, 201).read(t, &made)
		if made.Ticket != "DEMO-1" || made.Body != "First\nline" || made.Version != 1 || made.Author.Name != "Ana" ||
			made.Deleted ||
			made.URL != fmt.Sprintf("https://example.org/acme/DEMO-1?comment=%d#comment-%d", made.ID, made.ID) {
			t.Errorf("%+v", made)
		}
		path := fmt.Sprintf("/tickets/DEMO-1/comments/%d", made.ID)
		p.patch(path, object{"body": "Second", "version": 1}).is(t, 200).read(t, &made)
		if made.Body != "Second" || made.Version != 2 {
			t.Errorf("%+v", made)
		}
		problem := p.patch(path, object{"body": "Third", "version": 1}).problem(t, 409, "version")
		var current comment
		if err := json.Unmarshal(*problem.Current, &current); err != nil || current != made {
			t.Errorf("it is said to be %s", *problem.Current)
		}
		if a := p.delete(path).is(t, 204); a.body != "" {
			t.Error(a.body)
		}
		p.delete(path).problem(t, 404, "")
		var page struct {
			Items []comment
			Next  *string
		}
		p.get("/tickets/DEMO-1/comments").is(t, 200).read(t, &page)
		if len(page.Items) != 1 || !page.Items[0].Deleted || page.Items[0].Body != "" || page.Next != nil {
			t.Errorf("%+v", page)
		}
	})
	t.Run("a list is read in pages, oldest first", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		var want, got []string
		for i := range 7 {
			want = append(want, fmt.Sprint("comment ", i))
			e.program().post("/tickets/DEMO-1/comments", object{"body": want[i]}).is(t, 201)
		}
		for after := ""; ; {
			var page struct {
				Items []comment
				Next  *string
			}
			e.program().get("/tickets/DEMO-1/comments?limit=3&after="+url.QueryEscape(after)).is(t, 200).read(t, &page)
			for _, c := range page.Items {
				got = append(got, c.Body)
			}
			if page.Next == nil {
				break
			}
			after = *page.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		for field, values := range map[string][]string{"limit": {"0", "201", "x"},
			"after": {"x", "-1", "%ff", "1.5", "99999999999999999999"}} {
			for _, value := range values {
				e.program().get("/tickets/DEMO-1/comments?"+field+"="+value).problem(t, 422, field)
			}
		}
	})
	t.Run("a program that lost the answer asks again and has said it once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		once := e.program().with("Idempotency-Key", "one")
		first := once.post("/tickets/DEMO-1/comments", object{"body": "x"}).is(t, 201)
		again := once.post("/tickets/DEMO-1/comments", object{"body": "x"}).is(t, 201)
		if again.body != first.body || again.header.Get("Idempotency-Replayed") != "true" ||
			e.count("SELECT COUNT(*) FROM comment") != 1 {
			t.Errorf("%s\n%s", first.body, again.body)
		}
		once.post("/tickets/DEMO-1/comments", object{"body": "y"}).problem(t, 422, "Idempotency-Key")
	})
	t.Run("nobody changes what another wrote, a viewer writes nothing, and bad texts are refused", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("mia", "acme", accounts.Member)
		e.account("vera", "acme", accounts.Viewer)
		var made comment
		e.program().post("/tickets/DEMO-1/comments", object{"body": "Mine"}).is(t, 201).read(t, &made)
		path := fmt.Sprintf("/tickets/DEMO-1/comments/%d", made.ID)
		vera, mia := e.programOf("vera"), e.programOf("mia")
		e.unchanged(t, func() {
			mia.patch(path, object{"body": "Ours", "version": 1}).problem(t, 403, "")
			mia.delete(path).problem(t, 403, "")
			vera.post("/tickets/DEMO-1/comments", object{"body": "x"}).problem(t, 403, "")
			for field, values := range map[string][]any{
				"body":    {"", control, 1, none, nil},
				"version": {none, nil, -1, "1", 1.5},
			} {
				for _, value := range values {
					if field == "body" {
						e.program().post("/tickets/DEMO-1/comments", with(object{}, field, value)).problem(t, 422, field)
					}
					mia.patch(path, with(object{"body": "x", "version": 1}, field, value)).problem(t, 422, field)
				}
			}
			for _, bad := range []string{"0", "x", "-1", "99", "99999999999999999999", "%ff"} {
				e.program().patch("/tickets/DEMO-1/comments/"+bad, object{"body": "x", "version": 1}).problem(t, 404, "")
			}
			e.program().get("/tickets/DEMO-99/comments").problem(t, 404, "")
			e.program().post("/tickets/DEMO-99/comments", object{"body": "x"}).problem(t, 404, "")
		})
		e.program().post("/tickets/DEMO-1/comments", object{"body": hostile + strings.Repeat("ü", 30000)}).is(t, 201).
			read(t, &made)
		if made.Body != hostile+strings.Repeat("ü", 30000) {
			t.Error("it came back otherwise")
		}
	})
}

// distinct are n words that begin alike.
func distinct(prefix string, n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprint(prefix, i)
	}
	return words
}

func TestAPIAssigneesOfANewTicket(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("ben", "acme", accounts.Member)
	p := e.program()
	var got struct {
		Assignees []struct{ Handle string } `json:"assignees"`
	}
	new := object{"title": "x", "assignees": []string{"ben", "ana"}}
	p.post("/boards/DEMO/tickets", new).is(t, 201).read(t, &got)
	if len(got.Assignees) != 2 {
		t.Errorf("assigned to %v", got.Assignees)
	}
	e.unchanged(t, func() {
		p.post("/boards/DEMO/tickets", object{"title": "x", "assignees": []string{"nobody"}}).problem(t, 422, "assignees")
		p.post("/boards/DEMO/tickets", object{"title": "x", "assignees": "ben"}).problem(t, 422, "assignees")
		p.post("/boards/DEMO/tickets", object{"title": "x", "assignees": distinct("m", 21)}).problem(t, 422, "assignees")
	})
}

func TestAPIAssignees(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("mia", "acme", accounts.Member)
	e.account("vera", "acme", accounts.Viewer)
	e.account("sam", "rivals", accounts.Owner)
	type assigned struct {
		Assignees []struct{ Handle, Name string }
		ClosedAt  *string `json:"closed_at"`
	}
	t.Run("they are who is sent, on the ticket, in its list and in a conflict", func(t *testing.T) {
		var one assigned
		e.program().put("/tickets/demo-1/assignees", object{"assignees": []string{"mia", "ana"}}).is(t, 200).read(t, &one)
		if len(one.Assignees) != 2 || one.Assignees[0].Handle != "ana" || one.Assignees[1].Name != "mia" ||
			one.ClosedAt != nil {
			t.Errorf("%+v", one)
		}
		e.program().put("/tickets/DEMO-1/assignees", object{"assignees": []string{"mia"}}).is(t, 200)
		for name, a := range map[string]*answer{
			"the ticket":  e.program().get("/tickets/DEMO-1").is(t, 200),
			"a list":      e.program().get("/boards/DEMO/tickets?limit=1").is(t, 200),
			"a conflict":  e.program().patch("/tickets/DEMO-1", object{"title": "x", "version": 9}).is(t, 409),
			"an edit":     e.program().patch("/tickets/DEMO-1", object{"title": "x", "version": 1}).is(t, 200),
			"its removal": e.program().patch("/tickets/DEMO-1", object{"title": "y", "version": 2}).is(t, 200),
		} {
			if !strings.Contains(a.body, `"assignees":[{"handle":"mia","name":"mia"}]`) ||
				!strings.Contains(a.body, `"closed_at":null`) {
				t.Errorf("%s: %s", name, a.body)
			}
		}
		e.program().put("/tickets/DEMO-1/assignees", object{"assignees": []string{}}).is(t, 200).read(t, &one)
		if len(one.Assignees) != 0 {
			t.Errorf("%+v", one)
		}
	})
	t.Run("a closed ticket says since when", func(t *testing.T) {
		column := e.count("SELECT id FROM board_column WHERE done")
		e.program().post("/tickets/DEMO-2/position", object{"column": column}).is(t, 200)
		var one assigned
		if e.program().get("/tickets/DEMO-2").is(t, 200).read(t, &one); one.ClosedAt == nil {
			t.Error("it does not")
		}
	})
	t.Run("nobody else can be one", func(t *testing.T) {
		e.unchanged(t, func() {
			for _, value := range []any{[]string{"vera"}, []string{"sam"}, []string{"nobody"}, []string{""}, []string{"@mia"},
				[]string{hostile}, []string{"mia", control}, none, nil, slices.Repeat([]string{"mia"}, 21)} {
				e.program().put("/tickets/DEMO-1/assignees", with(object{}, "assignees", value)).problem(t, 422, "assignees")
			}
			e.program().put("/tickets/DEMO-1/assignees", object{"assignees": "mia"}).problem(t, 422, "assignees")
			if p := e.program().put("/tickets/DEMO-1/assignees", object{"assignees": []string{"vera"}}).
				problem(t, 422, "assignees"); !strings.Contains(p.Detail, "is a viewer and cannot be assigned") {
				t.Error(p.Detail)
			}
		})
	})
}
