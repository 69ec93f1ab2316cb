package web_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// listed are the keys of a list's page, and the path of the next one.
func (b *browser) listed(t testing.TB, path string) (keys []string, next string) {
	t.Helper()
	page := b.get(path).is(t, http.StatusOK).page()
	page.Find(".listed tbody .key").Each(func(_ int, e *goquery.Selection) { keys = append(keys, e.Text()) })
	return keys, page.Find(".pager a[rel=next]").AttrOr("href", "")
}

func TestBoardList(t *testing.T) {
	t.Parallel()

	t.Run("it shows the tickets that match, each with what it has", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "Paint the <door>", "Wax")
		e.newTickets("NINJA", b.Columns[1].ID, "Order paint")
		ana := e.ana()
		ana.post("/acme/NINJA-1/labels", "named", "bug")
		ana.post("/acme/NINJA-1/assignees", "quick", "1", "add", "1")
		ana.post("/acme/NINJA-1/dates", "due", "2040-01-02")
		ana.post("/acme/NINJA-1/priority", "priority", "high")
		if keys, next := ana.listed(t, "/acme/boards/NINJA/list"); !slices.Equal(keys, []string{"NINJA-1", "NINJA-2", "NINJA-3"}) || next != "" {
			t.Errorf("it lists %v, and then %q", keys, next)
		}
		a := ana.get("/acme/boards/NINJA/list?q=paint").is(t, http.StatusOK)
		a.has(t, 2, ".listed tbody tr").has(t, 1, ".listed .label").has(t, 1, ".listed .priority.high").has(t, 1, ".listed .due").has(t, 1, ".listed .on").
			has(t, 1, `.board-head a[href="/acme/boards/NINJA?q=paint"]`).has(t, 1, `.pager a[href="/acme/boards/NINJA/list.csv?q=paint"]`)
		if title := a.page().Find(".listed th a").First().Text(); title != "Paint the <door>" {
			t.Errorf("the first is %q", title)
		}
		ana.get("/acme/boards/NINJA?q=paint").has(t, 1, `.board-head a[href="/acme/boards/NINJA/list?q=paint"]`)
		ana.get("/acme/boards/NINJA/list?q=nothing").is(t, http.StatusOK).has(t, 0, ".listed").has(t, 0, ".pager .as-csv")
	})

	t.Run("the form leads to its query", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		a := e.ana().get("/acme/boards/DEMO/list?was=&q=paint&who=me&label=&state=").is(t, http.StatusSeeOther)
		if to := a.header.Get("Location"); to != "/acme/boards/DEMO/list?q="+url.QueryEscape("paint assignee:me") {
			t.Errorf("it leads to %s", to)
		}
	})

	t.Run("a wrong query lists nothing, and says what is wrong", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for _, q := range []string{"asignee:me", "label:bgu", "(", strings.Repeat("x", 501)} {
			a := e.ana().get("/acme/boards/DEMO/list?q="+url.QueryEscape(q)).is(t, http.StatusUnprocessableEntity)
			a.has(t, 1, "#filter-problem").has(t, 0, ".listed")
			if said := a.page().Find(".list .none").Text(); strings.Contains(said, "match") {
				t.Errorf("%s: it says %q", q, said)
			}
			if got := a.page().Find("#filter-q").AttrOr("value", ""); got != q {
				t.Errorf("the field says %q", got)
			}
			e.ana().get("/acme/boards/DEMO/list.csv?q="+url.QueryEscape(q)).is(t, http.StatusUnprocessableEntity)
		}
		e.ana().get("/acme/boards/DEMO/list?after=x").is(t, http.StatusUnprocessableEntity)
	})

	t.Run("pages and file have every ticket once, in few queries whatever the board's size", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newBoardOf("MANY", 4700)
		ana := e.ana()
		var want []string
		for _, odd := range []int{0, 1} {
			for n := 1; n <= 4700; n++ {
				if n%2 == odd {
					want = append(want, fmt.Sprintf("MANY-%d", n))
				}
			}
		}
		for query, want := range map[string][]string{"": want, "04699": {"MANY-4699"}} {
			var got []string
			for path := "/acme/boards/MANY/list?q=" + query; path != ""; {
				ana.queries(t, 14, path)
				var keys []string
				keys, path = ana.listed(t, path)
				got = append(got, keys...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("the pages of %q have %d tickets, not %d", query, len(got), len(want))
			}
			file := ana.get("/acme/boards/MANY/list.csv?q="+query).is(t, http.StatusOK)
			rows := domaintest.OK(csv.NewReader(strings.NewReader(file.body)).ReadAll())(t)
			got = nil
			for _, row := range rows[1:] {
				got = append(got, row[0])
			}
			if !slices.Equal(got, want) {
				t.Errorf("the file of %q has %d tickets, not %d", query, len(got), len(want))
			}
		}
	})

	t.Run("the file has the columns of the page, and nothing that a spreadsheet calculates", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[1].ID, "=SUM(A1:A9), \"and\" more")
		ana := e.ana()
		ana.post("/acme/NINJA-1/labels", "named", "bug")
		ana.post("/acme/NINJA-1/assignees", "quick", "1", "add", "1")
		ana.post("/acme/NINJA-1/dates", "due", "2040-01-02")
		file := ana.get("/acme/boards/NINJA/list.csv").is(t, http.StatusOK)
		rows := domaintest.OK(csv.NewReader(strings.NewReader(file.body)).ReadAll())(t)
		if len(rows) != 2 || !slices.Equal(rows[0], []string{"key", "title", "column", "status", "assignees", "labels", "priority", "due", "updated"}) ||
			!slices.Equal(rows[1][:8], []string{"NINJA-1", "'=SUM(A1:A9), \"and\" more", b.Columns[1].Name, "open", "ana", "bug", "", "2040-01-02"}) {
			t.Errorf("it is %q", rows)
		}
		if kind := file.header.Get("Content-Type"); kind != "text/csv; charset=utf-8" {
			t.Errorf("it is %s", kind)
		}
	})
}
