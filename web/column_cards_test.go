package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

func TestColumnCards(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) (e *env, b board, path string) {
		t.Helper()
		e = newEnv(t)
		b = e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "One", "Two", "Three")
		return e, b, fmt.Sprintf("/acme/boards/NINJA/columns/%d/cards", b.Columns[0].ID)
	}
	cards := func(b *browser, column uint64) (keys []string) {
		found := b.get("/acme/boards/NINJA").page().Find(fmt.Sprintf("#column-%d .card", column))
		found.Each(func(_ int, card *goquery.Selection) { keys = append(keys, card.AttrOr("data-key", "")) })
		return keys
	}
	t.Run("they are sorted without JavaScript, and one press undoes it", func(t *testing.T) {
		t.Parallel()
		e, b, path := start(t)
		ana := e.ana()
		ana.get("/acme/boards/NINJA").has(t, 1, fmt.Sprintf("a[href='%s']", path))
		ana.get(path).is(t, 200).textHas(t, "#column-cards h2", "3 cards")
		before := cards(ana, b.Columns[0].ID)
		ana.post("/acme/"+before[2]+"/priority", "priority", "urgent", "seen", "none").is(t, 303)
		ana.post(path, "do", "sort", "by", "priority").goesTo(t, "/acme/boards/NINJA")
		if got := cards(ana, b.Columns[0].ID); got[0] != before[2] || len(got) != 3 {
			t.Errorf("%v is sorted as %v", before, got)
		}
		ana.get("/acme/"+before[2]).textIs(t, "#history li:first-child p", "Ana moved it within its column")
		ana.post("/acme/undo").is(t, 303)
		if got := cards(ana, b.Columns[0].ID); !slices.Equal(got, before) {
			t.Errorf("undone, %v is %v", before, got)
		}
	})
	t.Run("all are moved, and come back with one press", func(t *testing.T) {
		t.Parallel()
		e, b, path := start(t)
		ana := e.ana()
		before := cards(ana, b.Columns[0].ID)
		ana.post(path, "do", "move", "to", fmt.Sprint(b.Columns[2].ID)).goesTo(t, "/acme/boards/NINJA")
		page := ana.get("/acme/boards/NINJA")
		page.textHas(t, ".toast", "3 tickets are at the bottom of Done.")
		if got := cards(ana, b.Columns[2].ID); !slices.Equal(got, before) {
			t.Errorf("%v came as %v", before, got)
		}
		e.counts(t, 3, "SELECT COUNT(*) FROM ticket t JOIN board_column c ON c.id = t.column_id WHERE c.id = ? AND t.closed_at IS NOT NULL", b.Columns[2].ID)
		ana.post("/acme/undo").is(t, 303)
		if got := cards(ana, b.Columns[0].ID); !slices.Equal(got, before) {
			t.Errorf("undone, %v is %v", before, got)
		}
	})
	t.Run("of a column with many a run moves them", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		many := e.newBoardOf("MANY", 500)
		ana := e.ana()
		path := fmt.Sprintf("/acme/boards/MANY/columns/%d/cards", many.Columns[0].ID)
		ana.post(path, "do", "move", "to", fmt.Sprint(many.Columns[2].ID)).is(t, 303)
		ana.get("/acme/boards/MANY").textHas(t, ".toast", "are being moved")
		ana.get("/acme/boards/MANY").textHas(t, ".changing", "Its tickets go to “Done”: 0 of 250.")
		ana.post(path, "do", "sort", "by", "age").is(t, 409)
		ana.get(path).is(t, 200)
	})
	t.Run("what is refused changes nothing, and keeps what was chosen", func(t *testing.T) {
		t.Parallel()
		e, b, path := start(t)
		ana, api := e.ana(), e.program()
		of := fmt.Sprintf("/boards/NINJA/columns/%d", b.Columns[0].ID)
		api.patch(fmt.Sprintf("/boards/NINJA/columns/%d", b.Columns[1].ID), object{"wip": "hard", "wip_limit": 2}).is(t, 200)
		e.unchanged(t, func() {
			page := ana.post(path, "do", "move", "by", "age", "to", fmt.Sprint(b.Columns[1].ID)).is(t, 409)
			page.textHas(t, ".summary", "Doing")
			page.has(t, 1, fmt.Sprintf("[name=to] [value='%d'][selected]", b.Columns[1].ID))
			page.has(t, 1, "[value=age][checked]")
			for _, bad := range []string{"", "0", "99", hostile, fmt.Sprint(b.Columns[0].ID)} {
				if a := ana.post(path, "do", "move", "to", bad); a.code != 422 && a.code != 404 {
					t.Errorf("to %q: %d", bad, a.code)
				}
			}
			ana.post(path, "do", "sort", "by", hostile).is(t, 422).textHas(t, ".summary", "Choose due, priority or age")
			ana.post(path).is(t, 422)
			ana.get("/acme/boards/NINJA/columns/99/cards").is(t, 404)
			api.post(of+"/move", object{"to": b.Columns[1].ID}).is(t, 409)
			api.post(of+"/move", object{}).problem(t, 422, "to")
			api.post(of+"/sort", object{"by": "colour"}).problem(t, 422, "by")
			api.post("/boards/NINJA/columns/99/sort", object{"by": "age"}).is(t, 404)
		})
		api.post(of+"/sort", object{"by": "due"}).is(t, 200)
		if a := api.post(of+"/move", object{"to": b.Columns[2].ID}).is(t, http.StatusOK); !strings.Contains(a.body, `"name":"To do"`) {
			t.Errorf("the API says %s", a.body)
		}
		e.counts(t, 3, "SELECT COUNT(*) FROM ticket WHERE column_id = ?", b.Columns[2].ID)
	})
}
