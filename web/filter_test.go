package web_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// keys are the keys of the cards in an answer, in its order.
func (a *answer) keys() string {
	var keys []string
	a.page().Find(".card").Each(func(_ int, s *goquery.Selection) { keys = append(keys, s.AttrOr("data-key", "")) })
	return strings.Join(keys, " ")
}

func (e *env) assign(key, name string) {
	e.t.Helper()
	slug, number, _ := strings.Cut(key, "-")
	e.exec(`INSERT INTO assignee (ticket_id, account_id, current, created_at)
		SELECT t.id, m.account_id, t.closed_at IS NULL, UTC_TIMESTAMP(6) FROM ticket t JOIN board b ON b.id = t.board_id JOIN membership m ON m.company_id = b.company_id
		WHERE b.slug = ? AND t.local_id = ? AND m.handle = ?`, slug, number, name)
}

func TestFilter(t *testing.T) {
	t.Parallel()

	t.Run("text is found in titles whatever case and accents, as it is written", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newBoard("NINJA")
		for _, title := range []string{"Sharpen the Katana", "Café for the dojo", "100% cotton belts", "100 cotton belts",
			"snake_case", "snakeXcase", `back\slash`, "Order 12 masks!", "a", "b", "c", "Last one"} {
			e.program().post("/boards/NINJA/tickets", object{"title": title}).is(t, 201)
		}
		ana := e.ana()
		for q, want := range map[string]string{
			"the": "NINJA-1 NINJA-2", "CAFE": "NINJA-2", "0% c": "NINJA-3", "#12": "NINJA-12", "nothing like it": "",
			"  katana \n": "NINJA-1", "sharpen  the": "NINJA-1", "\x00": "", "\xff": "", strings.Repeat("x", 3000): "",
		} {
			code := 200
			if len(q) > query.MaxLength {
				code = 422
			}
			a := ana.get("/acme/boards/NINJA?q="+url.QueryEscape(q)).is(t, code)
			if got := a.keys(); got != want {
				t.Errorf("%q finds %q, not %q", q, got, want)
			}
			if got := a.value(t, "#filter-q"); got != q &&
				!strings.ContainsFunc(q, func(r rune) bool { return r < 32 || r == utf8.RuneError }) {
				t.Errorf("the form has %q, not %q", got, q)
			}
		}
	})

	t.Run("people and states, together with text", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Member)
		e.account("sam", "rivals", accounts.Owner)
		b := e.newBoard("NINJA")
		for i := range 6 {
			e.program().post("/boards/NINJA/tickets", object{"title": fmt.Sprint("Ticket ", i%2), "column": b.Columns[i%3].ID}).
				is(t, 201)
		}
		e.assign("NINJA-1", "ana")
		e.assign("NINJA-2", "ana")
		e.assign("NINJA-2", "ben")
		e.assign("NINJA-3", "ben")
		ana := e.ana()
		for query, want := range map[string]string{
			"":                                      "NINJA-1 NINJA-4 NINJA-2 NINJA-5 NINJA-3 NINJA-6",
			"q=&who=&state=":                        "NINJA-1 NINJA-4 NINJA-2 NINJA-5 NINJA-3 NINJA-6",
			"state=open":                            "NINJA-1 NINJA-4 NINJA-2 NINJA-5",
			"state=closed":                          "NINJA-3 NINJA-6",
			"state=sideways":                        "NINJA-1 NINJA-4 NINJA-2 NINJA-5 NINJA-3 NINJA-6",
			"who=me":                                "NINJA-1 NINJA-2",
			"who=ana":                               "NINJA-1 NINJA-2",
			"who=%40BEN":                            "NINJA-2 NINJA-3",
			"who=ben&state=closed":                  "NINJA-3",
			"who=none":                              "NINJA-4 NINJA-5 NINJA-6",
			"q=assignee:ben+-status:closed":         "NINJA-2",
			"q=%231+or+assignee:none":               "NINJA-1 NINJA-4 NINJA-5 NINJA-6",
			"q=assignee:ben&was=&who=&state=closed": "NINJA-3",
			"q=assignee:ben&was=assignee:ben&who=ben":  "NINJA-2 NINJA-3",
			"q=assignee:ben&was=assignee:ben&who=":     "NINJA-1 NINJA-4 NINJA-2 NINJA-5 NINJA-3 NINJA-6",
			"q=assignee:ben&was=assignee:ben&who=me":   "NINJA-1 NINJA-2",
			"q=assignee:none&was=assignee:ben&who=ben": "NINJA-4 NINJA-5 NINJA-6",
			"q=%22ticket+1&was=&state=closed&who=":     "",
			"q=ticket+1&who=none":                      "NINJA-4 NINJA-6",
			"q=ticket+1&state=closed":                  "NINJA-6",
		} {
			if got := ana.get("/acme/boards/NINJA?"+query).is(t, 200).keys(); got != want {
				t.Errorf("%q shows %q, not %q", query, got, want)
			}
		}
		for search, want := range map[string]string{"who=sam": "no member “sam”", "who=nobody-here": "no member “nobody-here”", "who=an%C3%A4": "no member “anä”",
			"who=%ff": "no member “\ufffd”", "label=what": "no label “what”", "q=stauts:open": "Did you mean “status”?", "q=%22x": "not closed"} {
			page := ana.get("/acme/boards/NINJA?"+search).is(t, 422).has(t, 0, ".card")
			page.has(t, 1, "#filter-q[aria-invalid=true]").has(t, 3, ".column").textHas(t, "#filter-problem", want)
			ana.htmx(views.BoardID).get("/acme/boards/NINJA?"+search).is(t, 200).textHas(t, "#filter-problem", want)
		}
		a := ana.get("/acme/boards/NINJA?who=ben&state=open")
		if a.text(t, "#filter-who [selected]") != "ben" || a.text(t, "#filter-state [selected]") != "Open" {
			t.Error("the form does not say what the board is narrowed to")
		}
		a.textIs(t, "#column-"+strconv.FormatUint(b.Columns[1].ID, 10)+" .count", "1 of 2 tickets")
		e.exec("UPDATE board_column SET wip_limit = 5 WHERE id = ?", b.Columns[1].ID)
		limited := ana.get("/acme/boards/NINJA?who=ben&state=open")
		limited.textIs(t, "#column-"+strconv.FormatUint(b.Columns[1].ID, 10)+
			" .count", "1 of 2, limit 5 tickets")
		a.has(t, 0, "#filter-who [value='sam']")
	})

}

func TestFilterStays(t *testing.T) {
	t.Parallel()
	t.Run("moves, new tickets and reloads keep it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		for i := range 6 {
			e.program().post("/boards/NINJA/tickets", object{"title": []string{"Odd", "Even"}[i%2]}).is(t, 201)
		}
		todo, doing := fmt.Sprint(b.Columns[0].ID), fmt.Sprint(b.Columns[1].ID)
		page := "/acme/boards/NINJA?q=even"
		ana := e.ana()

		shown := ana.get(page).is(t, 200)
		moved := func(key string) string { return shown.page().Find("[data-key='"+key+"']").AttrOr("data-moved", "") }
		drag := ana.htmx("column-"+todo).with("HX-Current-URL", "http://example.com"+page)
		a := drag.post("/acme/NINJA-6/position", "column", todo, "after", "NINJA-2", "seen_column", todo, "seen_after",
			"NINJA-4", "seen_moved", moved("NINJA-6")).fragment(t, 200)
		if got := a.keys(); got != "NINJA-2 NINJA-6 NINJA-4" {
			t.Errorf("a drag through the filter shows %q", got)
		}
		if got := ana.get("/acme/boards/NINJA").keys(); got != "NINJA-1 NINJA-2 NINJA-6 NINJA-3 NINJA-4 NINJA-5" {
			t.Errorf("below NINJA-2 is: %q", got)
		}
		drag.post("/acme/NINJA-6/position", "column", doing, "after", "", "seen_column", todo, "seen_after", "NINJA-2",
			"seen_moved", moved("NINJA-6")).fragment(t, 409).
			has(t, 1, ".alert")

		a = drag.post("/acme/boards/NINJA/tickets", "inline", "1", "column", todo, "title", "Odd again").fragment(t, 200)
		if a.keys() != "NINJA-2 NINJA-6 NINJA-4" || a.text(t, ".created") != "NINJA-7 created. The filter does not show it." {
			t.Errorf("a new ticket that does not match: %q, %q", a.keys(), a.text(t, ".created"))
		}
		a = drag.post("/acme/boards/NINJA/tickets", "inline", "1", "column", todo, "title", "Even again").fragment(t, 200)
		if a.keys() != "NINJA-2 NINJA-6 NINJA-4 NINJA-8" || a.text(t, ".created") != "NINJA-8 created." {
			t.Errorf("a new ticket that matches: %q, %q", a.keys(), a.text(t, ".created"))
		}

		// Without JavaScript the forms say it.
		a = ana.get(page)
		inline := a.page().Find("#add-" + todo + " form")
		ana.post(inline.AttrOr("action", ""), "inline", "1", "column", todo, "title", "Odd", "q",
			inline.Find("[name=q]").AttrOr("value", "")).goesTo(t, page)
		form := ana.get(a.page().Find("[data-key='NINJA-2'] .move").AttrOr("href", "")).is(t, 200)
		ana.post("/acme/NINJA-2/position", "column", doing, "after", "", "q", form.value(t, "#move [name=q]")).goesTo(t, page)

		columns := ana.htmx("board").get(page).fragment(t, 200)
		columns.has(t, 3, "body > .column")
		columns.has(t, 4, ".card")
	})
	t.Run("a page looks at no more than a window of a column, and More goes on from there", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		const many = 2*tickets.Reach + 500
		e.fill(b, many, "IF(n IN (1, 2100, 4400), 'Needle', IF(n > 4000, 'Straw', 'Hay'))")
		ana := e.ana()
		todo := fmt.Sprint(b.Columns[0].ID)
		more := "#column-" + todo + " .more a"

		a := ana.get("/acme/boards/NINJA?q=needle").is(t, 200)
		if got := a.text(t, "#column-"+todo+" .count"); a.keys() != "NINJA-1" || got != "1+ of 4500 tickets" {
			t.Errorf("first: %q, %q", a.keys(), got)
		}
		rows := ana.htmx("").get(a.page().Find(more).AttrOr("href", "")).fragment(t, 200)
		if rows.keys() != "NINJA-2100" {
			t.Errorf("second: %q", rows.keys())
		}
		a = ana.get(rows.page().Find(".more a").AttrOr("href", "")).is(t, 200)
		if got := a.text(t, "#column-"+todo+" .count"); a.keys() != "NINJA-4400" || got != "3 of 4500 tickets" {
			t.Errorf("third: %q, %q", a.keys(), got)
		}
		a.has(t, 0, more)

		// None in the first window: More is there all the same, and says so.
		a = ana.get("/acme/boards/NINJA?q=straw").is(t, 200)
		if got := a.text(t, "#column-"+todo+" .empty .idle"); a.keys() != "" || got != "No match so far." {
			t.Errorf("%q, %q", a.keys(), got)
		}
		seen := 0
		for path := a.page().Find(more).AttrOr("href", ""); path != ""; {
			rows := ana.htmx("").get(path).fragment(t, 200)
			seen += rows.page().Find(".card").Length()
			path = rows.page().Find(".more a").AttrOr("href", "")
		}
		if seen != 499 {
			t.Errorf("%d straws", seen)
		}
	})
	t.Run("a page looks at fewer cards of each column where there are many columns", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("WIDE")
		e.fill(b, 2000, "IF(n IN (1, 333, 334, 1800), 'Needle', 'Hay')")
		e.exec(`INSERT INTO board_column (board_id, name, position, done, last_rank)
			SELECT board_id, CONCAT('More ', local_id), 10 + local_id, FALSE, 0 FROM ticket WHERE column_id = ? AND local_id <= ?`,
			b.Columns[0].ID, 12-len(b.Columns))
		ana := e.ana()
		more := fmt.Sprintf("#column-%d .more a", b.Columns[0].ID)
		a := ana.get("/acme/boards/WIDE?q=needle").is(t, 200).has(t, 12, ".column")
		if a.keys() != "WIDE-1 WIDE-333" {
			t.Errorf("first: %q", a.keys())
		}
		if rows := ana.htmx("").get(a.page().Find(more).AttrOr("href", "")).fragment(t, 200); rows.keys() != "WIDE-334 WIDE-1800" {
			t.Errorf("then: %q", rows.keys())
		}
	})
}

// fill gives a board's first column n tickets at once; title is SQL of n.
func (e *env) fill(b board, n int, title string) {
	e.t.Helper()
	digits := "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"
	numbers := fmt.Sprintf("(SELECT 1 + a.d + 10*b.d + 100*c.d + 1000*e.d + 10000*f.d AS n FROM %[1]s a, %[1]s b, %[1]s "+
		"c, %[1]s e, %[1]s f) numbers", digits)
	column := b.Columns[0].ID
	e.exec(`INSERT INTO ticket (board_id, local_id, column_id, rank_in_column, title, description, created_by, created_at, updated_at, moved_at)
		SELECT c.board_id, n, c.id, n * 65536, `+title+
		`, '', 1, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) FROM board_column c, `+numbers+
		` WHERE c.id = ? AND n <= ?`, column, n)
	e.exec("UPDATE board_column SET ticket_count = ?, last_rank = ? * 65536 WHERE id = ?", n, n, column)
	e.exec("UPDATE board_ticket_incrementer i JOIN board_column c ON c.board_id = i.board_id SET i.max_ticket_id = ? "+
		"WHERE c.id = ?", n, column)
}
