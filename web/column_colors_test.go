package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestColumnColors(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana, api := e.ana(), e.program()
	b := e.newBoard("NINJA")
	settings, path := "/acme/boards/NINJA/settings", fmt.Sprintf("/acme/boards/NINJA/columns/%d", b.Columns[1].ID)
	version := func() string { return ana.get(settings).value(t, ".new-column [name=version]") }
	ana.get("/acme/boards/NINJA").has(t, 0, ".column.tint")
	ana.post(path, "name", "Doing", "wip", "none", "color", "teal", "version", version()).is(t, 303)
	ana.get("/acme/boards/NINJA").has(t, 1, ".column.tint.teal")
	ana.get(settings).has(t, 1, fmt.Sprintf("#column-%d-color [value=teal][selected]", b.Columns[1].ID))
	e.unchanged(t, func() {
		page := ana.post(path, "name", "Making", "wip", "none", "color", hostile, "version", version()).is(t, 422)
		page.textHas(t, fmt.Sprintf("#column-%d-color-error", b.Columns[1].ID), "Choose one of gray, red")
		if got := page.value(t, fmt.Sprintf("#column-%d-name", b.Columns[1].ID)); got != "Making" {
			t.Errorf("the name is %q", got)
		}
	})
	of := fmt.Sprintf("/boards/NINJA/columns/%d", b.Columns[1].ID)
	api.patch(of, object{"name": "Making"}).is(t, 200)
	if a := api.get("/boards/NINJA").is(t, 200); strings.Count(a.body, `"color":"teal"`) != 1 || strings.Count(a.body, `"color":null`) != 2 {
		t.Errorf("the API has %s", a.body)
	}
	ana.post("/acme/boards/NINJA/copies", "slug", "COPY", "title", "Copy").is(t, 303)
	ana.get("/acme/boards/COPY").has(t, 1, ".column.tint.teal")
	api.patch(of, object{"color": "mauve"}).problem(t, 422, "color")
	api.call(http.MethodPatch, of, object{"color": nil}).is(t, 200)
	ana.get("/acme/boards/NINJA").has(t, 0, ".column.tint")
}
