package web_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/views"
)

// columns returns the columns of a page, each with its number of cards.
func (a *answer) columns() string {
	var columns []string
	a.page().Find(".column").Each(func(_ int, s *goquery.Selection) {
		columns = append(columns, fmt.Sprintf("%s.%d.%s", s.AttrOr("data-column", ""), s.Find(".card").Length(),
			s.AttrOr("data-seen", "")))
	})
	return strings.Join(columns, ",")
}

func TestBoardNow(t *testing.T) {
	t.Parallel()

	t.Run("a page gets the columns that are not as it shows them, and no others", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.newBoard("NINJA")
		todo, doing := board.Columns[0].ID, board.Columns[1].ID
		e.newTickets("NINJA", todo, "One", "Two")
		page := e.ana()
		shown := page.get("/acme/boards/NINJA").is(t, 200).columns()
		ana := e.ana().htmx(views.BoardID)
		now := func() *answer { return ana.get("/acme/boards/NINJA?columns="+shown).fragment(t, 200) }
		now().has(t, 0, ".column")

		e.program().post("/tickets/NINJA-1/position", map[string]any{"column": doing}).is(t, 200)
		now().has(t, 2, "body > .column").has(t, 1, "#"+columnTarget(todo)).has(t, 1, "#"+columnTarget(doing)+" .card")

		shown = page.get("/acme/boards/NINJA").columns()
		e.program().patch("/tickets/NINJA-2", map[string]any{"title": "Second", "version": 1}).is(t, 200)
		now().has(t, 1, ".column").has(t, 1, "#"+columnTarget(todo))

		shown = page.get("/acme/boards/NINJA").columns()
		page.post("/acme/NINJA-2/assignees", "quick", "1", "add", "1").is(t, 303)
		now().has(t, 1, ".column").has(t, 1, ".card .on")
	})
	t.Run("columns that were not asked for, or are none of the board's, are not in the answer", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.newBoard("NINJA")
		ana := e.ana().htmx(views.BoardID)
		got := ana.get(fmt.Sprintf("/acme/boards/NINJA?columns=%d,%d,1", board.Columns[2].ID, board.Columns[0].ID)).
			fragment(t, 200)
		got.has(t, 2, ".column")
	})
	t.Run("as many cards come as are shown, in whole pages", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.newBoard("NINJA")
		titles := make([]string, 120)
		for i := range titles {
			titles[i] = fmt.Sprint("Ticket ", i+1)
		}
		todo := board.Columns[0].ID
		e.newTickets("NINJA", todo, titles...)
		ana := e.ana().htmx(views.BoardID)
		for shown, cards := range map[int]int{0: 50, 50: 50, 51: 100, 100: 100, 101: 120, 1 << 30: 120, -1: 50} {
			for _, filter := range []string{"", "&q=ticket"} {
				got := ana.get(fmt.Sprintf("/acme/boards/NINJA?columns=%d.%d%s", todo, shown, filter)).fragment(t, 200)
				got.has(t, cards, ".card")
				if more := got.page().Find(".more").Length(); more != 0 && cards == 120 || more == 0 && cards < 120 {
					t.Errorf("%d shown%s: %d cards and %d links to more", shown, filter, cards, more)
				}
			}
		}
	})
	t.Run("a request without columns is refused", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana().htmx(views.BoardID)
		for _, bad := range []string{"x", "1.x", "-1", ",", "1,,2", strings.Repeat("1,", 2000) + "x"} {
			ana.get("/acme/boards/DEMO?columns="+bad).is(t, 400)
		}
		many := make([]string, 51)
		for i := range many {
			many[i] = fmt.Sprint(i + 1)
		}
		ana.get("/acme/boards/DEMO?columns="+strings.Join(many, ",")).is(t, 400)
	})
	t.Run("a page without its frame is the page without its frame", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for _, path := range []string{"/acme/boards/DEMO", "/acme/DEMO-1"} {
			whole := domaintest.OK(e.ana().get(path).page().Find("#main").Html())(t)
			part := e.ana().htmx(views.MainID).get(path).fragment(t, 200).body
			nonce := regexp.MustCompile(`name="nonce" value="[\w.-]+"`)
			same := func(html string) string { return strings.TrimSpace(nonce.ReplaceAllString(html, "")) }
			if same(whole) != same(normalize(t, part)) {
				t.Errorf("%s has in its frame\n%s\nand without it\n%s", path, whole, part)
			}
		}
	})
}

// normalize returns a fragment as a browser would write it.
func normalize(t *testing.T, fragment string) string {
	t.Helper()
	document := domaintest.OK(goquery.NewDocumentFromReader(strings.NewReader(fragment)))(t)
	return domaintest.OK(document.Find("body").Html())(t)
}
