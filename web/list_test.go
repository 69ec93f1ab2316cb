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
		if title := a.page().Find(".listed tbody th a").First().Text(); title != "Paint the <door>" {
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
		var first []string // by id, which is not by number where the server filled the board in another order
		rows := domaintest.OK(e.db.SQL.Query("SELECT t.local_id FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'MANY' ORDER BY t.id"))(t)
		defer rows.Close()
		for rows.Next() {
			var n int
			domaintest.Must(t, rows.Scan(&n))
			first = append(first, fmt.Sprintf("MANY-%d", n))
		}
		domaintest.Must(t, rows.Err())
		last := slices.Clone(first)
		slices.Reverse(last)
		for query, want := range map[string][]string{"": want, "04699": {"MANY-4699"}, "sort:due": first, "sort:-created": last,
			"sort:-priority 04699": {"MANY-4699"}} {
			query = url.QueryEscape(query)
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

	t.Run("it is sorted as the query says, and its heads say so", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "Paint", "Wax", "Paint again", "Gone")
		e.newTickets("NINJA", b.Columns[1].ID, "Order paint")
		ana := e.ana()
		for key, due := range map[string]string{"NINJA-1": "2040-01-02", "NINJA-2": "2039-05-05", "NINJA-4": "2038-01-01", "NINJA-5": "2041-01-01"} {
			ana.post("/acme/"+key+"/dates", "due", due)
		}
		ana.post("/acme/NINJA-3/priority", "priority", "high")
		ana.post("/acme/NINJA-2/priority", "priority", "low")
		ana.post("/acme/NINJA-4/deletion").is(t, http.StatusSeeOther)
		for q, want := range map[string]string{
			"sort:due": "2 1 5 3", "sort:-due": "5 1 2 3", "paint sort:due": "1 5 3", "sort:-priority": "3 2 5 1", "sort:priority": "2 3 1 5",
			"sort:created": "1 2 3 5", "sort:-created": "5 3 2 1", "sort:closed": "1 2 3 5", "sort:start column:doing": "5",
		} {
			keys, _ := ana.listed(t, "/acme/boards/NINJA/list?q="+url.QueryEscape(q))
			if got := strings.ReplaceAll(strings.Join(keys, " "), "NINJA-", ""); got != want {
				t.Errorf("%s lists %s, not %s", q, got, want)
			}
		}
		plain := ana.get("/acme/boards/NINJA/list")
		plain.has(t, 0, "th[aria-sort]").has(t, 3, ".listed thead a").has(t, 1, `.listed thead a[href="/acme/boards/NINJA/list?q=sort%3Adue"]`).
			has(t, 1, `.listed thead a[href="/acme/boards/NINJA/list?q=sort%3A-priority"]`)
		sorted := ana.get("/acme/boards/NINJA/list?q=paint+sort:due").has(t, 1, "th[aria-sort]").has(t, 1, "th[aria-sort=ascending]").
			has(t, 1, `.listed thead a[href="/acme/boards/NINJA/list?q=paint+sort%3A-due"]`).has(t, 1, `#filter-sort option[value=due][selected]`).
			has(t, 1, `.board-head a[href="/acme/boards/NINJA?q=paint"]`).has(t, 1, `.pager a[href="/acme/boards/NINJA/list.csv?q=paint+sort%3Adue"]`)
		if to := sorted.page().Find(".chips a").Last().AttrOr("href", ""); to != "/acme/boards/NINJA/list?q=paint" {
			t.Errorf("the order is taken off by %s", to)
		}
		ana.get("/acme/boards/NINJA/list?q=sort:-due").has(t, 1, "th[aria-sort=descending]").has(t, 1, `.listed thead a[href="/acme/boards/NINJA/list"]`)
		ana.get("/acme/boards/NINJA/list?q=sort:-start").has(t, 4, ".listed thead a").has(t, 1, "th[aria-sort=descending]")
		for form, want := range map[string]string{"was=&q=paint&sort=-updated": "paint sort:-updated", "was=sort:due&q=sort:due&sort=": "",
			"was=sort:due&q=sort:due&sort=-priority": "sort:-priority", "was=sort:due&q=paint&sort=due": "paint", "was=&q=paint&sort=color": "paint"} {
			want := strings.TrimSuffix("/acme/boards/NINJA/list?q="+url.QueryEscape(want), "?q=")
			if to := ana.get("/acme/boards/NINJA/list?"+form).is(t, http.StatusSeeOther).header.Get("Location"); to != want {
				t.Errorf("%s leads to %s, not %s", form, to, want)
			}
		}
		ana.get("/acme/boards/NINJA?q=paint+sort:due").has(t, 3, ".card").has(t, 1, `.filter .hint a[href="/acme/boards/NINJA/list?q=paint+sort%3Adue"]`)
		file := ana.get("/acme/boards/NINJA/list.csv?q=sort:-created").is(t, http.StatusOK)
		rows := domaintest.OK(csv.NewReader(strings.NewReader(file.body)).ReadAll())(t)
		if head := rows[0]; len(rows) != 5 || head[len(head)-1] != "created" || rows[1][0] != "NINJA-5" || rows[1][len(head)-1] == "" {
			t.Errorf("the file is %q", rows)
		}
	})

	t.Run("a place in another order is no start of a page", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newBoardOf("MANY", 120)
		_, next := e.ana().listed(t, "/acme/boards/MANY/list?q=sort:due")
		after := domaintest.OK(url.Parse(next))(t).Query().Get("after")
		for _, q := range []string{"", "sort:-due", "sort:updated", "order"} {
			e.ana().get("/acme/boards/MANY/list?after="+after+"&q="+q).is(t, http.StatusUnprocessableEntity)
		}
		e.ana().get("/acme/boards/MANY/list?after="+after+"&q=sort:due+price").is(t, http.StatusOK)
		e.program().get("/boards/MANY/tickets?q=sort:-created&limit=7").is(t, http.StatusOK)
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
