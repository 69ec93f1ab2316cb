package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/savedviews"
)

const boardViews = "/acme/boards/NINJA/views"

// viewed is a view of NINJA as a list, for a form.
func viewed(name, query string, more ...string) []string {
	return append([]string{"name", name, "layout", "list", "q", query}, more...)
}

// pins are the pinned views of a page, each with its count.
func (a *answer) pins() (list []string) {
	a.page().Find("#pins a").Each(func(_ int, link *goquery.Selection) {
		list = append(list, strings.Join(strings.Fields(link.Text()), " "))
	})
	return list
}

func (e *env) viewID(name string) int64 {
	return e.count("SELECT id FROM saved_view WHERE name = ?", name)
}

func TestSavedViews(t *testing.T) {
	t.Parallel()
	t.Run("one is saved, pinned with its count, changed, copied and deleted", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "Paint the door", "Paint the wall", "Sweep")
		ana := e.ana()
		ana.get("/acme/boards/NINJA").has(t, 0, "#pins").has(t, 1, ".save-view[hidden]")
		from := ana.get("/acme/boards/NINJA/list?q=paint").is(t, http.StatusOK)
		href := from.page().Find(".save-view:not([hidden])").AttrOr("href", "")
		form := ana.get(href).is(t, http.StatusOK)
		form.textIs(t, "#view-layout [selected]", "List")
		if got := form.value(t, "#view-q"); got != "paint" {
			t.Errorf("the query is %q", got)
		}
		ana.post(boardViews, viewed("Painting", " paint ", "pinned", "1")...).goesTo(t, "/acme/boards/NINJA/list?q=paint")
		page := ana.get("/acme/boards/NINJA/list?q=paint").has(t, 1, "#pins [aria-current=page]").has(t, 1, "#pins[data-live='1']")
		if got := strings.Join(page.pins(), ", "); got != "Painting" {
			t.Errorf("pinned: %q", got)
		}
		counts := ana.htmx("pins").get("/acme/views/pinned").is(t, http.StatusOK).has(t, 1, "#pins[data-live='20000']")
		if got := strings.Join(counts.pins(), ", "); got != "Painting 2" {
			t.Errorf("pinned: %q", got)
		}
		ana.get("/acme/boards/NINJA/list?q=paint+door").has(t, 0, "#pins [aria-current]")
		ana.get("/acme/views/1").goesTo(t, "/acme/boards/NINJA/list?q=paint")

		ana.get("/acme/views/1/edit?layout=board&q=sweep&lanes=label").textIs(t, "#view-lanes [selected]", "By label")
		ana.post("/acme/views/1", "name", "Sweeping", "layout", "board", "q", "sweep", "lanes", "label", "version", "1").goesTo(t, "/acme/views")
		ana.get("/acme/views/1").goesTo(t, "/acme/boards/NINJA?lanes=label&q=sweep")
		ana.post("/acme/views/1/pin").goesTo(t, "/acme/views")
		list := ana.get("/acme/views").has(t, 1, "#own-views tbody tr").has(t, 0, "#pins")
		copying := list.page().Find("#own-views [aria-label='Copy Sweeping']").AttrOr("href", "")
		ana.get(copying).textIs(t, "#view-layout [selected]", "Board")
		ana.post("/acme/views/1/deletion").goesTo(t, "/acme/views")
		ana.get("/acme/views/1").is(t, http.StatusNotFound)
		ana.get("/acme/views").has(t, 0, "#own-views tbody tr")
	})

	t.Run("a shared one is for everyone who sees the board, and changed by its owner and admins", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newBoard("NINJA")
		for name, role := range map[string]string{"ben": accounts.Member, "ada": accounts.Admin, "vera": accounts.Viewer, "gil": accounts.Guest} {
			e.account(name, "acme", role)
		}
		ben := e.signedIn("ben")
		ben.post(boardViews, viewed("Mine", "assignee:me")...).is(t, http.StatusSeeOther)
		ben.post(boardViews, viewed("Ours", "priority:high", "shared", "1")...).is(t, http.StatusSeeOther)
		mine, ours := fmt.Sprint("/acme/views/", e.viewID("Mine")), fmt.Sprint("/acme/views/", e.viewID("Ours"))
		for name, code := range map[string]int{"ada": 303, "vera": 303, "gil": 404} {
			b := e.signedIn(name)
			b.get(mine).is(t, http.StatusNotFound)
			b.get(ours).is(t, code)
		}
		vera, ada := e.signedIn("vera"), e.signedIn("ada")
		list := vera.get("/acme/views").has(t, 1, "#shared-views tbody tr").has(t, 0, "[aria-label='Change Ours']").has(t, 1, "[aria-label='Copy Ours']")
		list.textHas(t, "#shared-views tbody th", "by ben")
		change := viewed("Ours too", "priority:urgent", "shared", "1", "version", "1")
		vera.post(ours, change...).is(t, http.StatusForbidden)
		vera.post(ours+"/deletion").is(t, http.StatusForbidden)
		ada.post(ours, change...).is(t, http.StatusSeeOther)
		e.counts(t, 1, "SELECT COUNT(*) FROM saved_view WHERE name = 'Ours too' AND account_id = (SELECT id FROM account WHERE name = 'ben')")

		vera.post(boardViews, viewed("Hers", "")...).is(t, http.StatusSeeOther)
		vera.post(boardViews, viewed("Hers for all", "", "shared", "1")...).is(t, http.StatusForbidden)
		vera.post(ours+"/pin", "pinned", "1").is(t, http.StatusSeeOther)
		vera.get("/acme").has(t, 1, "#pins a")
		ada.post(ours, viewed("Ours too", "", "version", "2")...).is(t, http.StatusSeeOther) // not shared any more
		vera.get("/acme").has(t, 0, "#pins a")
		ada.get(ours).is(t, http.StatusNotFound)
	})

	t.Run("one of a list keeps its groups and fields", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newBoard("NINJA")
		ana := e.ana()
		const list = "/acme/boards/NINJA/list?fields=due%2Clabel&group=due"
		form := ana.get(ana.get(list).page().Find(".save-view:not([hidden])").AttrOr("href", "")).is(t, http.StatusOK)
		form.textIs(t, "#view-group [selected]", "By due date")
		form.textHas(t, "#view-fields", "Key, Title, Due, Labels")
		if got := form.value(t, "[name=fields]"); got != "due,label" {
			t.Errorf("the form has the fields %q", got)
		}
		by := []string{"group", "due", "fields", "due,label"}
		lost := ana.post(boardViews, viewed("", "", by...)...).is(t, http.StatusUnprocessableEntity)
		lost.textIs(t, "#view-group [selected]", "By due date")
		if got := lost.value(t, "[name=fields]"); got != "due,label" {
			t.Errorf("the rejected form has the fields %q", got)
		}
		ana.post(boardViews, viewed("By date", "", append(by, "pinned", "1")...)...).goesTo(t, list)
		ana.get(list).has(t, 1, "#pins [aria-current=page]")
		ana.get("/acme/boards/NINJA/list?group=due").has(t, 0, "#pins [aria-current]")
		ana.get("/acme/views/1/edit").textIs(t, "#view-group [selected]", "By due date")
		ana.post("/acme/views/1", viewed("By date", "", "group", "label", "fields", "none", "version", "1")...).is(t, http.StatusSeeOther)
		ana.get("/acme/views/1").goesTo(t, "/acme/boards/NINJA/list?fields=none&group=label")
		ana.post("/acme/views/1", viewed("By date", "", "group", "color", "fields", "x'; --,due,due", "version", "2")...).is(t, http.StatusSeeOther)
		ana.get("/acme/views/1").goesTo(t, "/acme/boards/NINJA/list?fields=due")
		ana.post("/acme/views/1", "name", "By date", "layout", "board", "q", "", "group", "due", "fields", "due", "version", "3").is(t, http.StatusSeeOther)
		ana.get("/acme/views/1").goesTo(t, "/acme/boards/NINJA")
	})

	t.Run("what is wrong is said, and what was typed stays", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newBoard("NINJA")
		ana := e.ana()
		ana.post(boardViews, viewed("Taken", "")...).is(t, http.StatusSeeOther)
		for field, form := range map[string][]string{
			"name":   viewed("  ", "priority:high"),
			"q":      viewed("Wrong", "asignee:me"),
			"layout": {"name", "Wrong", "layout", "map", "q", "priority:high"},
		} {
			before := e.state()
			a := ana.post(boardViews, form...).is(t, http.StatusUnprocessableEntity).has(t, 1, "#view-"+field+"[aria-invalid]")
			if a.value(t, "#view-q") != form[5] || e.state() != before {
				t.Errorf("%s: the form lost %q, or something was stored", field, form)
			}
		}
		ana.post(boardViews, viewed(strings.Repeat("é", 61), "")...).is(t, http.StatusUnprocessableEntity).textHas(t, "#view-name-error", "61 characters")
		ana.post(boardViews, viewed("a\u202eb", "")...).is(t, http.StatusUnprocessableEntity)
		ana.post(boardViews, viewed("x", strings.Repeat("a", 501))...).is(t, http.StatusUnprocessableEntity).textHas(t, "#view-q-error", "501 characters")
		ana.post(boardViews, viewed("x", "a\u202eb")...).is(t, http.StatusUnprocessableEntity).textHas(t, "#view-q-error", "invisible")
		ana.post(boardViews, viewed("\xff", "\xff")...).is(t, http.StatusUnprocessableEntity)
		ana.post(boardViews, viewed("TAKEN", "")...).is(t, http.StatusConflict).textHas(t, "#view-name-error", "already")
		ana.post("/acme/boards/NOPE/views", viewed("x", "")...).is(t, http.StatusNotFound)
		ana.post("/acme/views/1", viewed("Taken", "", "version", "x")...).is(t, http.StatusUnprocessableEntity)
		stale := ana.post("/acme/views/1", viewed("Newer", "", "version", "7")...).is(t, http.StatusConflict)
		stale.textHas(t, ".summary", "Someone else changed")
		if got := stale.value(t, "input[name=version]"); got != "1" {
			t.Errorf("the form can be sent again for version %s", got)
		}
		hostile := `<script>alert(1)</script>' OR 1=1 --`
		ana.post(boardViews, viewed(hostile, "", "pinned", "1")...).is(t, http.StatusSeeOther)
		ana.get("/acme").textIs(t, "#pins bdi", hostile)
		for _, path := range []string{"/acme/views/0", "/acme/views/99", "/acme/views/-1", "/acme/views/18446744073709551616", "/acme/views/x"} {
			ana.get(path).is(t, http.StatusNotFound)
			ana.post(path+"/pin", "pinned", "1").is(t, http.StatusNotFound)
		}
	})

	t.Run("one that names something deleted says so", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "Paint")
		ana := e.ana()
		ana.post("/acme/NINJA-1/labels", "named", "wood").is(t, http.StatusSeeOther)
		ana.post(boardViews, viewed("Wood", "label:wood", "pinned", "1")...).is(t, http.StatusSeeOther)
		if got := strings.Join(ana.htmx("pins").get("/acme/views/pinned").pins(), ""); got != "Wood 1" {
			t.Errorf("pinned: %q", got)
		}
		ana.post("/acme/labels/"+e.labelID(t, "wood")+"/deletion").is(t, http.StatusSeeOther)
		ana.htmx("pins").get("/acme/views/pinned").is(t, http.StatusOK).textHas(t, "#pins a", "wood")
		ana.get("/acme/views/1").is(t, http.StatusSeeOther)
		ana.get("/acme/boards/NINJA/list?q=label:wood").is(t, http.StatusUnprocessableEntity).has(t, 1, "#filter-problem")
		ana.post("/acme/views/1", viewed("Wood", "label:wood", "version", "1")...).is(t, http.StatusUnprocessableEntity).has(t, 1, "#view-q[aria-invalid]")
	})

	t.Run("there are limits, also for a hundred at once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newBoard("NINJA")
		e.account("ben", "acme", accounts.Member)
		e.account("cleo", "acme", accounts.Member)
		ana := e.ana()
		fill := `INSERT INTO saved_view (company_id, board_id, account_id, name, layout, query, lanes, shared, created_at, updated_at)
			SELECT b.company_id, b.id, a.id, CONCAT('Filled ', n.n), 'list', '', '', ?, NOW(6), NOW(6)
			FROM board b, account a, (WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 290) SELECT n FROM r) n
			WHERE b.slug = 'NINJA' AND a.name = ? AND n.n <= ?`
		e.exec(fill, false, "Ana", savedviews.MaxOwn-5)
		var all sync.WaitGroup
		for i := range 100 {
			one := ana.with()
			all.Go(func() { one.post(boardViews, viewed(fmt.Sprint("At once ", i), "", "pinned", "1")...) })
		}
		all.Wait()
		e.counts(t, savedviews.MaxOwn, "SELECT COUNT(*) FROM saved_view")
		e.counts(t, 5, "SELECT COUNT(*) FROM pinned_view")
		ana.post(boardViews, viewed("One more", "")...).is(t, http.StatusConflict).textHas(t, ".summary", "at most 100")

		for n := range savedviews.MaxPins - 5 {
			ana.post(fmt.Sprint("/acme/views/", n+1, "/pin"), "pinned", "1").is(t, http.StatusSeeOther)
		}
		ana.post("/acme/views/1/pin", "pinned", "1").is(t, http.StatusSeeOther) // again
		ana.post("/acme/views/50/pin", "pinned", "1").is(t, http.StatusConflict).textHas(t, ".summary", "at most 12")
		e.counts(t, savedviews.MaxPins, "SELECT COUNT(*) FROM pinned_view")
		ana.post("/acme/views/1/deletion").is(t, http.StatusSeeOther)
		ana.post("/acme/views/50/pin", "pinned", "1").is(t, http.StatusSeeOther) // its pin is of nothing
		ana.get("/acme").has(t, savedviews.MaxPins, "#pins a")

		e.exec(fill, true, "ben", savedviews.MaxShared-210)
		e.exec("UPDATE saved_view SET shared = TRUE")
		e.exec(strings.Replace(fill, "'Filled '", "'Also '", 1), true, "cleo", savedviews.MaxShared-e.count("SELECT COUNT(*) FROM saved_view"))
		ben := e.signedIn("ben")
		refused := ben.post(boardViews, viewed("Shared", "", "shared", "1")...).is(t, http.StatusConflict)
		refused.textHas(t, ".error", "at most 300 shared")
		ben.post(boardViews, viewed("Not shared", "")...).is(t, http.StatusSeeOther)
	})

	t.Run("a page has one query more for pins, and counts do not grow with the board", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newBoardOf("NINJA", 4700)
		ana := e.ana()
		ana.get("/acme/views")
		before := ana.queries(t, 20, "/acme/views")
		ana.post(boardViews, viewed("All", "", "pinned", "1")...).is(t, http.StatusSeeOther)
		ana.post(boardViews, viewed("Few", url.QueryEscape("04699"), "pinned", "1")...).is(t, http.StatusSeeOther)
		ana.get("/acme/views") // shows what the forms said
		if after := ana.queries(t, 20, "/acme/views"); after != before+1 {
			t.Errorf("%d queries with pins, %d without", after, before)
		}
		ana.queries(t, 12, "/acme/views/pinned")
		if got := strings.Join(ana.get("/acme/views/pinned").pins(), ", "); !strings.HasPrefix(got, "All 99+, Few ") {
			t.Errorf("pinned: %q", got)
		}
	})
}
