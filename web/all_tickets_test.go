package web_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// drawn are the columns of the board of all tickets: the name of each, and the keys of its cards.
func (b *browser) drawn(t testing.TB, path string) string {
	t.Helper()
	var columns []string
	b.get(path).is(t, http.StatusOK).page().Find(".all-tickets .column").Each(func(_ int, column *goquery.Selection) {
		words := []string{strings.TrimSpace(column.Find("h2").Text()) + ":"}
		column.Find(".card .key").Each(func(_ int, key *goquery.Selection) { words = append(words, key.Text()) })
		columns = append(columns, strings.Join(words, " "))
	})
	return strings.Join(columns, ", ")
}

// twoBoards are NINJA, private to Ana, and SPRING, with tickets of which the later ones were updated later.
func twoBoards(t testing.TB) *env {
	e := newEnv(t)
	e.exec("UPDATE board SET archived_at = NOW(6) WHERE slug = 'DEMO'")
	ninja, spring := e.newBoard("NINJA"), e.newBoard("SPRING")
	e.newTickets("NINJA", ninja.Columns[0].ID, "Paint the <door>", "Wax")
	e.newTickets("SPRING", spring.Columns[1].ID, "Order paint")
	e.newTickets("SPRING", spring.Columns[2].ID, "Sow")
	e.newTickets("NINJA", ninja.Columns[0].ID, "Sweep")
	e.ana().post("/acme/boards/NINJA/privacy", "private", "yes").is(t, http.StatusSeeOther)
	e.ana().post("/acme/NINJA-1/priority", "priority", "high").is(t, http.StatusSeeOther)
	return e
}

func TestAllTickets(t *testing.T) {
	t.Parallel()
	t.Run("they are listed, drawn and filed across boards, the latest updated first", func(t *testing.T) {
		t.Parallel()
		e := twoBoards(t)
		ana := e.ana()
		const list = "/acme/tickets/list"
		keys, next := ana.listed(t, list)
		if got := strings.Join(keys, " "); got != "NINJA-1 NINJA-3 SPRING-2 SPRING-1 NINJA-2" || next != "" {
			t.Errorf("it lists %s, and then %q", got, next)
		}
		page := ana.get(list).has(t, 1, `header.top nav a[href="/acme/tickets/list"][aria-current]`).
			has(t, 1, `.listed a.cell[href="/acme/SPRING-2/position"]`).has(t, 5, ".listed input[name=keys]").
			has(t, 1, `.layouts a[href="/acme/tickets"]`).has(t, 1, `.layouts a[href="/acme/tickets/calendar"]`).has(t, 1, `[data-follow="0"]`)
		page.textIs(t, "#filter-sort [value='']", "Latest first")
		for query, want := range map[string]string{"q=paint": "NINJA-1 SPRING-1", "q=paint+-board:spring": "NINJA-1", "q=sort:created": "NINJA-1 NINJA-2 SPRING-1 SPRING-2 NINJA-3",
			"q=column:doing": "SPRING-1", "q=board:SPRING": "SPRING-2 SPRING-1", "q=priority:high": "NINJA-1", "q=zebra": "", "q=2": "SPRING-2 NINJA-2", "q=NINJA-2": "NINJA-2"} {
			if keys, _ := ana.listed(t, list+"?"+query); strings.Join(keys, " ") != want {
				t.Errorf("%s lists %v, not %s", query, keys, want)
			}
		}
		for path, want := range map[string]string{
			"/acme/tickets":                            "Open: NINJA-1 NINJA-3 SPRING-1 NINJA-2, Closed: SPRING-2",
			"/acme/tickets?group=column":               "To do: NINJA-1 NINJA-3 NINJA-2, Doing: SPRING-1, Done: SPRING-2",
			"/acme/tickets?group=priority&q=paint":     "Urgent:, High: NINJA-1, Medium:, Low:, No priority: SPRING-1",
			"/acme/tickets?group=due&q=paint":          "Today:, No due date: NINJA-1 SPRING-1",
			"/acme/tickets?group=label&q=paint":        "No label: NINJA-1 SPRING-1",
			"/acme/tickets?q=status:open+board:spring": "Open: SPRING-1, Closed:", "/acme/tickets?q=zebra": "",
		} {
			if got := ana.drawn(t, path); got != want {
				t.Errorf("%s draws %s, not %s", path, got, want)
			}
		}
		ana.get("/acme/tickets?group=column").has(t, 1, `.column h2 a[href="/acme/tickets/list?q=column%3ADoing"]`).has(t, 1, `.card a[href="/acme/SPRING-1"]`).
			textIs(t, ".card [href='/acme/NINJA-1'] .title", "Paint the <door>")
		rows := domaintest.OK(csv.NewReader(strings.NewReader(strings.TrimPrefix(ana.get(list+".csv?q=paint").is(t, http.StatusOK).body, "\ufeff"))).ReadAll())(t)
		if len(rows) != 3 || rows[1][0] != "NINJA-1" || rows[2][0] != "SPRING-1" || !slices.Contains(rows[2], "Doing") {
			t.Errorf("%q", rows)
		}
	})
	t.Run("each user sees the tickets of the boards in sight, and edits where that is allowed", func(t *testing.T) {
		t.Parallel()
		e := twoBoards(t)
		vera := newcomer(e, "vera", accounts.Viewer)
		for _, path := range []string{"/acme/tickets/list", "/acme/tickets", "/acme/tickets/list.csv", "/acme/tickets/calendar", "/acme/tickets/views/new"} {
			shown := strings.ReplaceAll(vera.get(path).is(t, http.StatusOK).body, "NINJA\u201142", "") // the jump box has an example
			if at := strings.Index(shown, "NINJA"); at >= 0 {
				t.Errorf("%s shows a board that is hidden: %s", path, shown[max(at-200, 0):at+100])
			}
		}
		vera.get("/acme/tickets/list?q=board:ninja").is(t, http.StatusUnprocessableEntity).has(t, 1, "#filter-problem")
		if keys, _ := vera.listed(t, "/acme/tickets/list"); strings.Join(keys, " ") != "SPRING-2 SPRING-1" {
			t.Errorf("she sees %v", keys)
		}
		vera.get("/acme/tickets/list").has(t, 0, "a.cell")
		gus := newcomer(e, "gus", accounts.Guest)
		gus.get("/acme/tickets/list").is(t, http.StatusOK).textIs(t, ".none", "Nothing here yet.")
	})
	t.Run("an archived board is left out unless a query names it", func(t *testing.T) {
		t.Parallel()
		e := twoBoards(t)
		e.exec("UPDATE board SET archived_at = NOW(6) WHERE slug = 'NINJA'")
		ana := e.ana()
		if keys, _ := ana.listed(t, "/acme/tickets/list?q=paint"); strings.Join(keys, " ") != "SPRING-1" {
			t.Errorf("%v", keys)
		}
		if keys, _ := ana.listed(t, "/acme/tickets/list?q=paint+board:NINJA"); strings.Join(keys, " ") != "NINJA-1" {
			t.Errorf("%v", keys)
		}
		ana.get("/acme/tickets/list?q=board:NINJA").has(t, 0, "a.cell")
	})
	t.Run("due dates are in a calendar, and change there", func(t *testing.T) {
		t.Parallel()
		e := twoBoards(t)
		ana := e.ana()
		ana.post("/acme/SPRING-1/dates", "due", "2040-01-05").is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-2/dates", "due", "2040-01-05").is(t, http.StatusSeeOther)
		ana.get("/acme/tickets/calendar?month=2040-01").is(t, http.StatusOK).has(t, 2, "#day-2040-01-05 li[data-dates]").has(t, 1, "table[data-calendar]")
		newcomer(e, "vera", accounts.Viewer).get("/acme/tickets/calendar?month=2040-01").has(t, 1, "#day-2040-01-05 li").has(t, 0, "li[data-dates]").has(t, 0, "[data-calendar]")
	})
	t.Run("what is wrong is said", func(t *testing.T) {
		t.Parallel()
		ana := twoBoards(t).ana()
		for _, path := range []string{"/acme/tickets", "/acme/tickets/list", "/acme/tickets/calendar"} {
			ana.get(path+"?q=label:none-such").is(t, http.StatusUnprocessableEntity).has(t, 1, "#filter-problem")
			ana.get(path+"?was=&q=paint&who=me").is(t, http.StatusSeeOther)
		}
		for _, path := range []string{"/acme/boards//list", "/acme/boards//list.csv", "/acme/boards//calendar", "/acme/boards//views/new"} {
			ana.get(path).is(t, http.StatusNotFound)
		}
		ana.post("/acme/boards//views", viewed("Mine", "")...).is(t, http.StatusNotFound)
		ana.get("/acme/tickets?after=x").is(t, http.StatusUnprocessableEntity)
		ana.get("/acme/tickets/list?after=MTowOjE6MA").is(t, http.StatusUnprocessableEntity) // a place in a column
		ana.get("/acme/tickets/list?group=nothing&fields=x,due").is(t, http.StatusOK)
	})
}

func TestViewsOfAllBoards(t *testing.T) {
	t.Parallel()
	e := twoBoards(t)
	ana := e.ana()
	form := ana.get(ana.get("/acme/tickets/list?q=paint").page().Find(".save-view:not([hidden])").AttrOr("href", "")).is(t, http.StatusOK)
	form.has(t, 1, `form[action="/acme/tickets/views"]`).has(t, 0, "#view-lanes").textIs(t, "#view-layout [selected]", "List")
	const at = "/acme/tickets/views"
	ana.post(at, viewed("Painting", "paint", "pinned", "1", "shared", "1")...).goesTo(t, "/acme/tickets/list?q=paint")
	ana.post(at, "name", "By column", "layout", "board", "q", "status:open", "group", "column", "lanes", "label").goesTo(t, "/acme/tickets?group=column&q=status%3Aopen")
	ana.post(at, viewed("painting", "x")...).is(t, http.StatusConflict)
	ana.post(at, viewed("Wrong", "label:none-such")...).is(t, http.StatusUnprocessableEntity).has(t, 1, "#view-q-error")
	if got := strings.Join(ana.htmx("pins").get("/acme/views/pinned").is(t, http.StatusOK).pins(), ", "); got != "Painting 2" {
		t.Errorf("pinned: %q", got)
	}
	ana.get("/acme/tickets/list?q=paint").has(t, 1, "#pins [aria-current=page]")
	list := ana.get("/acme/views").has(t, 2, "#own-views tbody tr")
	copying := list.page().Find("#own-views [aria-label='Copy By column']").AttrOr("href", "")
	ana.get(copying).is(t, http.StatusOK).textIs(t, "#view-group [selected]", "By column")

	vera := newcomer(e, "vera", accounts.Viewer)
	vera.get("/acme/views").has(t, 1, "#shared-views tbody tr").has(t, 0, "#shared-views [aria-label^='Change']")
	vera.post("/acme/views/1/pin", "pinned", "1").is(t, http.StatusSeeOther)
	if got := strings.Join(vera.htmx("pins").get("/acme/views/pinned").pins(), ", "); got != "Painting 1" {
		t.Errorf("she has pinned %q", got)
	}
	gus := newcomer(e, "gus", accounts.Guest)
	gus.get("/acme/views").has(t, 0, "#shared-views")
	gus.get("/acme/views/1").is(t, http.StatusNotFound)
	gus.post(at, viewed("Mine", "")...).goesTo(t, "/acme/tickets/list")
	gus.get("/acme/views").has(t, 1, "#own-views tbody tr")

	path := "/acme/views/1"
	ana.get(path+"/edit").has(t, 0, "#view-lanes")
	ana.post(path, "name", "Painting", "layout", "calendar", "q", "paint board:SPRING", "shared", "1", "version", "1").goesTo(t, "/acme/views")
	ana.get(path).goesTo(t, "/acme/tickets/calendar?q=paint+board%3ASPRING")
	ana.post(path+"/deletion").goesTo(t, "/acme/views")
	vera.get("/acme/views").has(t, 0, "#shared-views").has(t, 0, "#pins")
}

// TestTicketsOfAllBoardsAreSubscribed has calendar programs read the due dates in a view of all boards, each with the rights
// of its reader, and what has become wrong with its query.
func TestTicketsOfAllBoardsAreSubscribed(t *testing.T) {
	t.Parallel()
	e := twoBoards(t)
	ana := e.ana()
	soon := time.Now().AddDate(0, 0, 3)
	for _, key := range []string{"NINJA-1", "SPRING-1"} {
		ana.post("/acme/"+key+"/dates", "due", soon.Format("2006-01-02")).is(t, http.StatusSeeOther)
		ana.post("/acme/"+key+"/labels", "named", "wood").is(t, http.StatusSeeOther)
	}
	ana.post("/acme/tickets/views", viewed("Wood", "label:wood", "shared", "1", "pinned", "1")...).is(t, http.StatusSeeOther)
	vera := newcomer(e, "vera", accounts.Viewer)
	all, some := ana.calendarAddress(t, "1"), vera.calendarAddress(t, "1")
	day := soon.Format("20060102")
	if got := strings.Join(e.subscribes(t, all), ", "); got != day+" NINJA-1 Paint the <door>, "+day+" SPRING-1 Order paint" {
		t.Errorf("she reads %s", got)
	}
	if got := strings.Join(e.subscribes(t, some), ", "); got != day+" SPRING-1 Order paint" {
		t.Errorf("a viewer reads %s", got)
	}
	for range 2 { // each board has its own
		ana.post("/acme/labels/"+fmt.Sprint(e.count("SELECT MAX(id) FROM label WHERE name = 'wood' AND live = TRUE"))+"/deletion").is(t, http.StatusSeeOther)
	}
	if got := strings.Join(e.subscribes(t, all), ", "); !strings.Contains(got, "wood") || strings.Contains(got, "NINJA") {
		t.Errorf("a view of a deleted label has %s", got)
	}
	ana.htmx("pins").get("/acme/views/pinned").is(t, http.StatusOK).textHas(t, "#pins a", "Its query is wrong")
	ana.get("/acme/tickets/list?q=label:wood").is(t, http.StatusUnprocessableEntity).has(t, 1, "#filter-problem")
}
