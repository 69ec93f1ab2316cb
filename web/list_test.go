package web_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
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
			if said := a.page().Find(".board-list .none").Text(); strings.Contains(said, "match") {
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

	t.Run("its fields are chosen and ordered, on its pages and in its file", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "Paint")
		ana := e.ana()
		ana.post("/acme/NINJA-1/dates", "start", "2040-01-01", "due", "2040-01-02")
		const usual = "field=column&field=assignee&field=label&field=priority&field=due&field=updated"
		for form, want := range map[string]string{
			usual:                                  "",
			usual + "&group=due":                   "?group=due",
			"":                                     "?fields=none",
			"field=due":                            "?fields=due",
			"field=due&field=label&earlier=label":  "?fields=label%2Cdue#list-fields",
			"field=due&field=label&earlier=due":    "?fields=due%2Clabel#list-fields", // the first one
			"field=due&earlier=start&q=paint":      "?fields=due%2Cstart&q=paint#list-fields",
			"field=due&field=due&field=color":      "?fields=due",
			"field=due&earlier=color&group=color":  "?fields=due#list-fields",
			"field=%ff&field=%3Cb%3E&field=due%00": "?fields=none",
			"field=due%2Clabel&lanes=label":        "?fields=due%2Clabel",
		} {
			a := ana.get("/acme/boards/NINJA/list?choose=1&"+form).is(t, http.StatusSeeOther)
			if to := a.header.Get("Location"); to != "/acme/boards/NINJA/list"+want {
				t.Errorf("%s leads to %s, not %s", form, to, want)
			}
		}
		for fields, want := range map[string]string{
			"":                                     "Selected Key Title Column Assignees Labels Priority Due Updated",
			"fields=none":                          "Selected Key Title",
			"fields=due,start":                     "Selected Key Title Due Start",
			"fields=due,due,' OR 1":                "Selected Key Title Due",
			"fields=due&q=sort:-priority":          "Selected Key Title Due Priority",
			"fields=status,closed,created":         "Selected Key Title Status Closed Created",
			"fields=%ff":                           "Selected Key Title",
			"fields=" + strings.Repeat("x,", 4000): "Selected Key Title",
		} {
			page := ana.get("/acme/boards/NINJA/list?"+strings.ReplaceAll(fields, " ", "+")).is(t, http.StatusOK).page()
			var heads []string
			page.Find(".listed thead th").Each(func(_ int, th *goquery.Selection) { heads = append(heads, strings.TrimSpace(th.Text())) })
			if got := strings.Join(heads, " "); got != want {
				t.Errorf("%q has %q, not %q", fields, got, want)
			}
			if cells := page.Find(".listed tbody tr").First().Children().Length(); cells != len(heads) {
				t.Errorf("%q has %d cells below %d heads", fields, cells, len(heads))
			}
		}
		shown := ana.get("/acme/boards/NINJA/list?fields=start,due&q=paint").is(t, http.StatusOK).has(t, 2, ".list-fields [name=field]:checked").
			has(t, 1, "button[name=earlier]").has(t, 1, ".list-fields [name=q][value=paint]").has(t, 1, ".filter [name=fields][value='start,due']").
			has(t, 1, `[aria-sort], .listed thead a[href="/acme/boards/NINJA/list?fields=start%2Cdue&q=paint+sort%3Adue"]`).
			has(t, 1, `.board-head a[href="/acme/boards/NINJA?q=paint"]`)
		file := ana.get(shown.page().Find(".as-csv").AttrOr("href", "")).is(t, http.StatusOK)
		if want := "key,title,status,start,due\r\nNINJA-1,Paint,open,2040-01-01,2040-01-02\r\n"; strings.ReplaceAll(file.body, "\r\n", "\n") != strings.ReplaceAll(want, "\r\n", "\n") {
			t.Errorf("the file is %q", file.body)
		}
		ana.get("/acme/boards/NINJA/list?q=asignee:x&fields=due&group=due").is(t, http.StatusUnprocessableEntity).
			has(t, 1, ".filter [name=fields][value=due]").has(t, 1, ".filter [name=group][value=due]")
	})

	t.Run("its tickets are in groups, each with its name, number and query", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "One", "Two", "Three", "Four", "Five", "Six")
		e.account("ben", "acme", accounts.Member)
		ana := e.ana()
		day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
		for key, due := range map[string]int{"NINJA-1": 40, "NINJA-2": -3, "NINJA-3": 0, "NINJA-4": 6, "NINJA-5": -3} {
			ana.post("/acme/"+key+"/dates", "due", day(due)).is(t, http.StatusSeeOther)
		}
		ana.post("/acme/NINJA-3/labels", "named", "or").is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-4/labels", "named", "<b>'s").is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-4/labels", "named", "wood").is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-6/priority", "priority", "low").is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-2/priority", "priority", "urgent").is(t, http.StatusSeeOther)
		e.exec("UPDATE ticket SET closed_at = NOW(6) WHERE local_id = 5 AND board_id = (SELECT id FROM board WHERE slug = 'NINJA')")
		e.exec("INSERT INTO assignee SELECT id, (SELECT id FROM account WHERE name = 'ben'), TRUE, NOW(6) FROM ticket WHERE board_id = (SELECT id FROM board WHERE slug = 'NINJA') AND local_id = 2")
		for by, want := range map[string]string{
			"due":      "Overdue: 2; Past: 5; Today: 3; Next 7 days: 4; Later: 1; No due date: 6",
			"priority": "Urgent: 2; Low: 6; No priority: 5 4 3 1",
			"label":    "<b>'s: 4; or: 3; No label: 1 2 5 6",
			"status":   "Open: 1 2 3 4 6; Closed: 5",
			"assignee": "ben: 2; Unassigned: 1 3 4 5 6",
			"color":    ": 1 2 3 4 5 6",
		} {
			page := ana.get("/acme/boards/NINJA/list?group="+by).is(t, http.StatusOK).page()
			var groups []string
			page.Find(".listed tbody").Each(func(_ int, group *goquery.Selection) {
				var keys []string
				group.Find(".key").Each(func(_ int, key *goquery.Selection) { keys = append(keys, strings.TrimPrefix(key.Text(), "NINJA-")) })
				groups = append(groups, group.Find(".group a").Text()+": "+strings.Join(keys, " "))
				if by == "color" {
					return
				}
				if n := group.Find(".group .count").Text(); n != fmt.Sprint(len(keys)) {
					t.Errorf("%s: %d tickets are said to be %s", by, len(keys), n)
				}
				to := group.Find(".group a").AttrOr("href", "")
				slices.Sort(keys)
				if got, _ := ana.listed(t, to); strings.ReplaceAll(strings.Join(slices.Sorted(slices.Values(got)), " "), "NINJA-", "") != strings.Join(keys, " ") {
					t.Errorf("%s: %s lists %v, not %v", by, to, got, keys)
				}
			})
			if got := strings.Join(groups, "; "); got != want {
				t.Errorf("by %s: %q, not %q", by, got, want)
			}
		}
		file := ana.get("/acme/boards/NINJA/list.csv?group=due&fields=none").is(t, http.StatusOK)
		rows := domaintest.OK(csv.NewReader(strings.NewReader(file.body)).ReadAll())(t)
		var got []string
		for _, row := range rows {
			got = append(got, strings.Join(row[:2], " "))
		}
		if want := "group key, Overdue NINJA-2, Past NINJA-5, Today NINJA-3, Next 7 days NINJA-4, Later NINJA-1, No due date NINJA-6"; strings.Join(got, ", ") != want {
			t.Errorf("the file has %q", got)
		}
		ana.get("/acme/boards/NINJA/list?group=priority&q=status:open").has(t, 1, `.filter [name=group][value=priority]`).
			has(t, 1, `.pager a[href="/acme/boards/NINJA/list.csv?group=priority&q=status%3Aopen"]`).
			has(t, 1, `#head-urgent a[href="/acme/boards/NINJA/list?q=status%3Aopen+priority%3Aurgent"]`).has(t, 1, `#list-group [value=priority][selected]`)
	})

	t.Run("pages of a grouped list have every ticket once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newBoardOf("MANY", 500)
		e.exec("UPDATE ticket SET priority = MOD(local_id, 5), due_at = IF(MOD(local_id, 3) = 0, NULL, DATE_ADD(UTC_DATE(), INTERVAL CAST(MOD(local_id, 20) AS SIGNED) - 10 DAY)) WHERE board_id = (SELECT id FROM board WHERE slug = 'MANY')")
		ana := e.ana()
		for _, by := range []string{"status", "assignee", "label", "priority", "due"} {
			seen := map[string]int{}
			pages, order := 0, []string{}
			for path := "/acme/boards/MANY/list?group=" + by; path != ""; pages++ {
				ana.queries(t, 14, path)
				page := ana.get(path).is(t, http.StatusOK).page()
				page.Find(".listed tbody .key").Each(func(_ int, e *goquery.Selection) { seen[e.Text()]++ })
				page.Find(".listed .group a").Each(func(_ int, e *goquery.Selection) { order = append(order, e.Text()) })
				path = page.Find(".pager a[rel=next]").AttrOr("href", "")
			}
			if len(seen) != 500 || pages != 3 {
				t.Errorf("by %s: %d tickets on %d pages", by, len(seen), pages)
			}
			for key, n := range seen {
				if n != 1 {
					t.Errorf("by %s: %s is listed %d times", by, key, n)
				}
			}
			want := map[string]string{"priority": "Urgent High Medium Low No priority", "due": "Overdue Today Next 7 days Later No due date"}[by]
			if got := strings.Join(slices.Compact(order), " "); want != "" && got != want {
				t.Errorf("by %s the groups are %q", by, got)
			}
		}
	})

	t.Run("those who write change its cells, and others read them", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "Paint")
		e.account("vera", "acme", accounts.Viewer)
		e.signedIn("vera").get("/acme/boards/NINJA/list").is(t, http.StatusOK).has(t, 1, ".listed tbody tr").has(t, 0, ".listed a[data-dialog]")
		ana := e.ana()
		cells := ana.get("/acme/boards/NINJA/list?fields=column,assignee,label,priority,start,due,status,updated").has(t, 6, ".listed td a[data-dialog]").page()
		cells.Find(".listed a[data-dialog]").Each(func(_ int, cell *goquery.Selection) {
			ana.get(cell.AttrOr("href", "")).is(t, http.StatusOK).has(t, 1, "main form[method=post][action^='/acme/NINJA-1/']")
		})
		ana.post("/acme/boards/NINJA/archive", "version", "1", "archived", "1").is(t, http.StatusSeeOther)
		ana.get("/acme/boards/NINJA/list").is(t, http.StatusOK).has(t, 1, ".listed tbody tr").has(t, 0, ".listed a[data-dialog]")
	})
}
