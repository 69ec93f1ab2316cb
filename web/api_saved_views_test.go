package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// savedViewAnswer is a saved view as programs read it.
type savedViewAnswer struct {
	ID                         uint64
	Name, Layout, Lanes, Group string
	Query                      string `json:"q"`
	Board                      *string
	Fields                     []string
	Shared, Own, Pinned        bool
	Version                    uint64
	URL                        string
}

func TestAPISavedViews(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	b := e.newBoard("NINJA")
	e.newTickets("NINJA", b.Columns[0].ID, "Paint the door", "Paint the wall", "Sweep")
	p := e.program()
	saved := func(body object) (v savedViewAnswer) {
		t.Helper()
		p.post("/views", body).is(t, http.StatusCreated).read(t, &v)
		return v
	}
	names := func(p *program) (list []string) {
		t.Helper()
		var page struct{ Items []savedViewAnswer }
		p.get("/views").is(t, http.StatusOK).read(t, &page)
		for _, v := range page.Items {
			list = append(list, v.Name)
		}
		return list
	}

	painting := saved(object{"name": "Painting", "board": "NINJA", "q": "paint", "fields": []string{"due", "label"}, "pinned": true})
	if v := painting; *v.Board != "NINJA" || v.Layout != "list" || !slices.Equal(v.Fields, []string{"due", "label"}) || !v.Own ||
		!v.Pinned || v.Shared || v.Version != 1 || v.URL != fmt.Sprint("http://example.com/acme/views/", v.ID) {
		t.Errorf("%+v", v)
	}
	if got := e.ana().get("/acme").is(t, http.StatusOK).pins(); !slices.Equal(got, []string{"Painting"}) {
		t.Errorf("in the navigation: %q", got)
	}
	everywhere := saved(object{"name": "Everywhere", "layout": "board", "q": "status:open", "group": "assignee", "shared": true})
	if v := everywhere; v.Board != nil || v.Group != "assignee" || len(v.Fields) != 0 || !v.Shared {
		t.Errorf("%+v", v)
	}
	if got := names(p); !slices.Equal(got, []string{"Everywhere", "Painting"}) {
		t.Errorf("%q", got)
	}

	path := fmt.Sprint("/views/", painting.ID)
	var tickets struct {
		Items []struct{ Title string }
		Next  *string
	}
	p.get(path+"/tickets?limit=1").is(t, http.StatusOK).read(t, &tickets)
	if len(tickets.Items) != 1 || tickets.Items[0].Title != "Paint the door" || tickets.Next == nil {
		t.Errorf("%+v", tickets)
	}
	p.get(path+"/tickets?after="+*tickets.Next).is(t, http.StatusOK).read(t, &tickets)
	if len(tickets.Items) != 1 || tickets.Items[0].Title != "Paint the wall" || tickets.Next != nil {
		t.Errorf("%+v", tickets)
	}

	var changed savedViewAnswer
	p.patch(path, object{"q": "sweep", "fields": []string{}, "version": 1}).is(t, http.StatusOK).read(t, &changed)
	if v := changed; v.Query != "sweep" || v.Name != "Painting" || len(v.Fields) != 0 || v.Version != 2 || !v.Pinned {
		t.Errorf("%+v", v)
	}
	p.call(http.MethodDelete, path+"/pin", nil).is(t, http.StatusOK).read(t, &changed)
	if changed.Pinned {
		t.Error("it is pinned")
	}
	p.call(http.MethodPut, path+"/pin", nil).is(t, http.StatusOK).read(t, &changed)
	if !changed.Pinned {
		t.Error("it is not pinned")
	}

	t.Run("an idempotency key saves one", func(t *testing.T) {
		var first, again savedViewAnswer
		body := object{"name": "Once"}
		p.with("Idempotency-Key", "once").post("/views", body).is(t, http.StatusCreated).read(t, &first)
		p.with("Idempotency-Key", "once").post("/views", body).is(t, http.StatusCreated).read(t, &again)
		if first.ID != again.ID {
			t.Errorf("%+v and %+v", first, again)
		}
		p.call(http.MethodDelete, fmt.Sprint("/views/", first.ID), nil).is(t, http.StatusNoContent)
		p.get(fmt.Sprint("/views/", first.ID)).problem(t, http.StatusNotFound, "")
	})

	t.Run("what is wrong is said, and saves nothing", func(t *testing.T) {
		e.unchanged(t, func() {
			for _, c := range []struct {
				body  object
				code  int
				field string
			}{
				{object{}, 422, "name"},
				{object{"name": "a\u202eb"}, 422, "name"},
				{object{"name": "x", "layout": "gantt"}, 422, "layout"},
				{object{"name": "x", "lanes": "colour"}, 422, "lanes"},
				{object{"name": "x", "group": "colour"}, 422, "group"},
				{object{"name": "x", "fields": "due"}, 422, "fields"},
				{object{"name": "x", "fields": []int{1}}, 422, "fields"},
				{object{"name": "x", "fields": []string{"colour"}}, 422, "fields"},
				{object{"name": "x", "fields": []string{"due", "due"}}, 422, "fields"},
				{object{"name": "x", "q": "asignee:me"}, 422, "q"},
				{object{"name": "x", "board": "NOWHERE"}, 404, ""},
				{object{"name": "Painting"}, 409, "name"},
				{object{"name": "x", "color": "red"}, 422, "color"},
			} {
				p.post("/views", c.body).problem(t, c.code, c.field)
			}
			p.patch(path, object{"name": "y"}).problem(t, 422, "version")
			p.patch(path, object{"name": "y", "version": 1}).problem(t, 409, "")
			p.get("/views/x").problem(t, 404, "")
		})
	})

	t.Run("others read what is shared, and change nothing of it", func(t *testing.T) {
		newcomer(e, "ben", accounts.Member)
		newcomer(e, "vera", accounts.Viewer)
		shared := fmt.Sprint("/views/", everywhere.ID)
		for _, name := range []string{"ben", "vera"} {
			other := &program{env: e, token: e.tokenOf(name, "acme", accounts.Scopes...)}
			if got := names(other); !slices.Equal(got, []string{"Everywhere"}) {
				t.Errorf("%s: %q", name, got)
			}
			e.unchanged(t, func() {
				other.get(path).problem(t, 404, "")
				other.patch(shared, object{"name": "Mine", "version": 1}).problem(t, 403, "")
				other.call(http.MethodDelete, shared, nil).problem(t, 403, "")
			})
		}
		reads := &program{env: e, token: e.tokenOf("ana", "acme", "boards:read")}
		reads.get(path).is(t, http.StatusOK)
		e.unchanged(t, func() {
			reads.get(path+"/tickets").problem(t, 403, "")
			reads.post("/views", object{"name": "x"}).problem(t, 403, "")
			reads.call(http.MethodPut, path+"/pin", nil).problem(t, 403, "")
		})
	})
}
