package web_test

import (
	"net/http"
	"slices"
	"testing"
)

// A request gets all errors, not the first field's alone.
func TestAllFieldsAtOnce(t *testing.T) {
	t.Parallel()

	t.Run("in the API", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, quiet)
		p := e.program()
		for rule, c := range map[string]struct {
			answer *answer
			want   []part
		}{
			"a board": {p.post("/boards", object{"slug": "1", "title": ""}),
				[]part{{"slug", "Board.BadSlug"}, {"title", "Board.EmptyTitle"}}},
			"a board's names": {
				p.patch("/boards/DEMO", object{"slug": "", "title": long(256)}),
				[]part{{"version", "HTTP.BadJSON"}, {"slug", "Board.EmptySlug"}, {"title", "Board.LongTitle"}},
			},
			"a column": {
				p.post("/boards/DEMO/columns", object{"name": "", "wip": "some", "position": 0}),
				[]part{{"name", "Column.BadName"}, {"wip", "Column.BadLimitKind"}, {"position", "Column.BadPosition"}},
			},
			"a ticket": {
				p.post("/boards/DEMO/tickets", object{"title": " ", "description": long(65536)}),
				[]part{{"title", "Ticket.EmptyTitle"}, {"description", "Ticket.LongDescription"}},
			},
			"an edit": {
				p.patch("/tickets/DEMO-1", object{"title": "", "description": long(65536), "version": 1}),
				[]part{{"title", "Ticket.EmptyTitle"}, {"description", "Ticket.LongDescription"}},
			},
			"a position": {p.post("/tickets/DEMO-1/position", object{"after": "x"}),
				[]part{{"column", "HTTP.BadJSON"}, {"after", "Ticket.BadKey"}}},
			"values of wrong types, and an unknown member": {
				p.post("/boards", object{"title": []int{1}, "slug": 7, "colour": "red"}),
				[]part{{"colour", "HTTP.BadJSON"}, {"slug", "HTTP.BadJSON"}, {"title", "HTTP.BadJSON"}},
			},
			"a consumer": {
				p.post("/feeds/tickets/consumers", object{"name": "no name", "from": "nowhere"}),
				[]part{{"name", "Consumer.BadName"}, {"from", "Feed.BadPosition"}},
			},
		} {
			t.Run(rule, func(t *testing.T) {
				problem := c.answer.problem(t, http.StatusUnprocessableEntity, c.want[0].Field)
				if problem.Type != "urn:counterfoil:problem:"+c.want[0].Code {
					t.Errorf("its type is %s", problem.Type)
				}
				var got []part
				for _, one := range problem.Errors {
					if one.Message == "" {
						t.Errorf("no message: %+v", one)
					}
					got = append(got, part{one.Field, one.Code})
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("it says %v; want %v", got, c.want)
				}
			})
		}
		if one := p.post("/boards", object{"slug": "NINJA", "title": ""}).
			problem(t, http.StatusUnprocessableEntity, "title"); one.Errors != nil {
			t.Errorf("one field is no list: %+v", one)
		}
	})

	t.Run("in forms, each at its field", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, quiet)
		ana := e.ana()
		for path, c := range map[string]struct{ form, wrong []string }{
			"/acme/boards":               {[]string{"slug", "1", "title", ""}, []string{"slug", "title"}},
			"/acme/boards/DEMO/tickets":  {[]string{"title", "", "description", long(65536)}, []string{"title", "description"}},
			"/acme/boards/DEMO/settings": {[]string{"slug", "1", "title", "", "version", "x"}, []string{"slug", "title"}},
			"/acme/people/invitations": {[]string{"role", "king", "note", long(300), "days", "-1"},
				[]string{"role", "note", "days"}},
			"/acme/tokens":            {[]string{"name", "", "days", "-1"}, []string{"name", "scopes", "days"}},
			"/acme/settings/webhooks": {[]string{"url", "nonsense", "note", long(300)}, []string{"url", "note", "feeds"}},
		} {
			t.Run(path, func(t *testing.T) {
				a := ana.post(path, c.form...).is(t, http.StatusUnprocessableEntity)
				a.has(t, len(c.wrong), "#main p.error:not([hidden])")
				for _, field := range c.wrong {
					a.has(t, 1, `#main .summary a[href$="`+field+`"]`)
				}
			})
		}
	})
}
