package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// due are the keys on each day of a calendar, for days that have some: 2026-12-04 NINJA-1 NINJA-2.
func (a *answer) due() (days []string) {
	a.page().Find("#calendar ol").Each(func(_ int, list *goquery.Selection) {
		day := list.AttrOr("data-day", "")
		list.Find("li").Each(func(_ int, e *goquery.Selection) { day += " " + e.AttrOr("data-key", "") })
		if strings.Contains(day, " ") {
			days = append(days, day)
		}
	})
	return days
}

func TestCalendar(t *testing.T) {
	t.Parallel()

	t.Run("tickets are on the day on which they are due for the reader, and the filter holds", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "Paint the <door>", "Wax", "Paint again", "Gone", "No date", "Next year", "At night", "Closed")
		e.newTickets("OTHER", e.newBoard("OTHER").Columns[0].ID, "Of another board")
		for key, due := range map[string]string{"NINJA-1": "2026-12-04", "NINJA-2": "2026-12-04", "NINJA-3": "2026-11-30", "NINJA-4": "2026-12-05",
			"NINJA-6": "2027-12-04", "NINJA-7": "2026-12-31 23:30", "NINJA-8": "2027-01-03", "OTHER-1": "2026-12-04"} {
			e.ana().post("/acme/"+key+"/dates", "due", due)
		}
		ana := e.ana()
		ana.post("/acme/NINJA-4/deletion").is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-8/closure", "closed", "1").is(t, http.StatusSeeOther)
		december := ana.get("/acme/boards/NINJA/calendar?month=2026-12").is(t, http.StatusOK)
		want := []string{"2026-11-30 NINJA-3", "2026-12-04 NINJA-1 NINJA-2", "2026-12-31 NINJA-7", "2027-01-03 NINJA-8"}
		if got := december.due(); !slices.Equal(got, want) {
			t.Errorf("it shows %v, not %v", got, want)
		}
		if title := december.page().Find(`li[data-key=NINJA-1] bdi`).Text(); title != "Paint the <door>" {
			t.Errorf("the first is %q", title)
		}
		december.has(t, 35, "#calendar td").has(t, 4, "#calendar .outside").has(t, 1, "#calendar .closed").has(t, 1, ".calendar h2").
			has(t, 1, `a[rel=prev][href="/acme/boards/NINJA/calendar?month=2026-11"]`).has(t, 1, `a[rel=next][href="/acme/boards/NINJA/calendar?month=2027-01"]`).
			has(t, 1, `.layouts a[href="/acme/boards/NINJA"]`).has(t, 1, `.layouts a[href="/acme/boards/NINJA/list"]`)
		if got := ana.get("/acme/boards/NINJA/calendar?month=2026-12&q=paint+sort:-due").is(t, http.StatusOK).due(); !slices.Equal(got, []string{"2026-11-30 NINJA-3", "2026-12-04 NINJA-1"}) {
			t.Errorf("through the filter it shows %v", got)
		}
		if got := ana.get("/acme/boards/NINJA/calendar?week=2026-12-03").is(t, http.StatusOK).has(t, 7, "#calendar td").due(); !slices.Equal(got, want[:2]) {
			t.Errorf("the week shows %v", got)
		}
		e.exec("UPDATE account SET time_zone = 'Pacific/Auckland' WHERE id = 1") // 13 hours ahead of UTC
		if got := ana.get("/acme/boards/NINJA/calendar?month=2026-12").due(); !slices.Equal(got, []string{want[0], want[1], "2027-01-01 NINJA-7", want[3]}) {
			t.Errorf("in Auckland it shows %v", got)
		}
		if got := ana.get("/acme/boards/NINJA/calendar?week=2027-01-03").due(); !slices.Equal(got, []string{"2027-01-01 NINJA-7", want[3]}) {
			t.Errorf("its week in Auckland shows %v", got)
		}
		now := ana.get("/acme/boards/NINJA/calendar").is(t, http.StatusOK).has(t, 1, "#calendar [aria-current=date]")
		now.has(t, 1, "#calendar[data-calendar]")
	})

	t.Run("a month shows some tickets of a day, and a list has the others", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newBoardOf("MANY", 700)
		e.exec("UPDATE ticket t JOIN board b ON b.id = t.board_id SET t.due_at = '2026-12-04' + INTERVAL t.local_id % 2 DAY WHERE b.slug = 'MANY' AND t.local_id <= 17")
		ana := e.ana()
		ana.queries(t, 14, "/acme/boards/MANY/calendar?month=2026-12")
		page := ana.get("/acme/boards/MANY/calendar?month=2026-12&q=order").has(t, 10, "#calendar li").has(t, 0, ".calendar > .hint")
		further := page.page().Find(`td:has([data-day="2026-12-05"]) .further`)
		if to := further.AttrOr("href", ""); strings.TrimSpace(further.Text()) != "4 more" || to != "/acme/boards/MANY/list?q=order+due%3A2026-12-05" {
			t.Errorf("it says %q and leads to %s", further.Text(), to)
		}
		if keys, _ := ana.listed(t, further.AttrOr("href", "")); len(keys) != 9 {
			t.Errorf("the list has %d", len(keys))
		}
		ana.get("/acme/boards/MANY/calendar?week=2026-12-05").has(t, 17, "#calendar li").has(t, 0, ".further")
		e.exec("UPDATE ticket t JOIN board b ON b.id = t.board_id SET t.due_at = '2026-12-04' WHERE b.slug = 'MANY'")
		ana.get("/acme/boards/MANY/calendar?week=2026-12-05").has(t, 500, "#calendar li").has(t, 1, ".calendar > .hint")
		e.newBoardOf("VAST", 2300)
		e.exec("UPDATE ticket t JOIN board b ON b.id = t.board_id SET t.due_at = '2026-12-04' WHERE b.slug = 'VAST'")
		numbered := func(which string) (number string) { // of those that are due at once, by id
			row := e.db.SQL.QueryRow("SELECT LPAD(t.local_id, 5, '0') FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'VAST' ORDER BY t.id " + which + " LIMIT 1")
			domaintest.Must(t, row.Scan(&number))
			return number
		}
		ana.get("/acme/boards/VAST/calendar?week=2026-12-05&q="+numbered("DESC")).has(t, 0, "#calendar li").has(t, 1, ".calendar > .hint")
		ana.get("/acme/boards/VAST/calendar?week=2026-12-05&q="+numbered("ASC")).has(t, 1, "#calendar li")
	})

	t.Run("what is no month, no week or no query is said so", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for _, query := range []string{"month=2026-13", "month=x", "week=2026-02-30", "week=2026-12-04T10:00:00Z", "month=2026-12-04T10:00:00Z", "month=0001-01",
			"week=9999-12-31", "month=" + strings.Repeat("9", 4000), "q=asignee:me"} {
			a := e.ana().get("/acme/boards/DEMO/calendar?" + query)
			if a.code != http.StatusUnprocessableEntity && a.code != http.StatusBadRequest {
				t.Errorf("%.40s: %d", query, a.code)
			}
		}
		for query, want := range map[string]string{"month=2026-13": "“2026-13” is no month. Write it as 2026-12.", "week=x": "“x” is no day. Write it as 2026-12-04.",
			"month=1969-12": "between 1970 and 2199"} {
			if said := e.ana().get("/acme/boards/DEMO/calendar?" + query).page().Find(".lead").Text(); !strings.Contains(said, want) {
				t.Errorf("%s: it says %q", query, said)
			}
		}
		e.ana().get("/acme/boards/DEMO/calendar?q=asignee:me").is(t, http.StatusUnprocessableEntity).has(t, 1, "#filter-problem").has(t, 0, "#calendar li")
		for form, want := range map[string]string{"": "?q=paint+assignee%3Ame", "&month=2027-02": "?month=2027-02&q=paint+assignee%3Ame",
			"&week=2027-02-03": "?week=2027-02-03&q=paint+assignee%3Ame"} {
			to := e.ana().get("/acme/boards/DEMO/calendar?was=&q=paint&who=me"+form).is(t, http.StatusSeeOther).header.Get("Location")
			if to != "/acme/boards/DEMO/calendar"+want {
				t.Errorf("the form%s leads to %s", form, to)
			}
		}
		e.ana().get("/acme/boards/DEMO/calendar?week=2027-02-03").has(t, 1, "#filter input[name=week][value='2027-02-03']")
	})

	t.Run("each day is shown once, whatever the span", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for n := range 14 {
			month := time.Date(2026, time.Month(n), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
			seen := map[string]bool{}
			e.ana().get("/acme/boards/DEMO/calendar?month="+month).is(t, http.StatusOK).page().Find("#calendar ol").Each(func(_ int, s *goquery.Selection) {
				day := s.AttrOr("data-day", "")
				if seen[day] {
					t.Errorf("%s has %s twice", month, day)
				}
				seen[day] = true
			})
			if len(seen)%7 != 0 || len(seen) < 28 || !seen[fmt.Sprintf("%s-01", month)] || !seen[month+"-28"] {
				t.Errorf("%s has %d days", month, len(seen))
			}
		}
	})
}
