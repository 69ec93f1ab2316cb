package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

// The fragments that static/js and htmx ask for.

// fragment fails if the answer is a whole page, or may be cached or taken for another.
func (a *answer) fragment(t testing.TB, code int) *answer {
	t.Helper()
	a.is(t, code)
	if strings.Contains(a.body, "<html") || strings.Contains(a.body, "<!doctype") {
		t.Error("a fragment is a whole page")
	}
	return a.varies(t)
}

func (a *answer) varies(t testing.TB) *answer {
	t.Helper()
	vary := strings.Join(a.header.Values("Vary"), ", ")
	for _, name := range []string{"HX-Request", "HX-Target", "Cookie"} {
		if !strings.Contains(vary, name) {
			t.Errorf("Vary is %q", vary)
		}
	}
	if got := a.header.Values("Cache-Control"); len(got) != 1 || got[0] != "private, no-store" {
		t.Errorf("Cache-Control is %q", got)
	}
	return a
}

func columnTarget(column uint64) string { return views.ColumnID(id.Column(column)) }

// titles are the titles of a column's cards from the top.
func (a *answer) titles(column uint64) (titles []string) {
	a.page().Find("#" + columnTarget(column) + " > .cards > .card > a:first-child > .title").
		Each(func(_ int, s *goquery.Selection) { titles = append(titles, s.Text()) })
	return titles
}

func TestFragments(t *testing.T) {
	t.Parallel()

	t.Run("pages are pages for whoever does not ask for a fragment", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		for _, path := range []string{"/acme", "/acme/boards/DEMO", "/acme/DEMO-1", "/acme/DEMO-1/edit",
			"/acme/DEMO-1/position", "/acme/boards/DEMO/tickets/new", "/acme/boards/DEMO/columns/1",
			"/acme/DEMO-1/activity?before=99"} {
			a := ana.get(path).is(t, 200).varies(t)
			a.has(t, 1, "html > body > main#main")
			ids := map[string]bool{}
			a.page().Find("[id]").Not("template *").Each(func(_ int, s *goquery.Selection) {
				if name := s.AttrOr("id", ""); ids[name] {
					t.Errorf("%s has two elements with the id %s", path, name)
				} else {
					ids[name] = true
				}
			})
		}
	})

	t.Run("the ticket and its form take each other's place", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana().htmx(views.TicketID)
		ana.get("/acme/DEMO-1").fragment(t, 200).has(t, 1, "body > article#ticket")
		ana.get("/acme/DEMO-1/edit").fragment(t, 200).has(t, 1, "body > section#ticket form[hx-target='#ticket']")
		// On a page of its own there is no ticket, nor its comments, to take the place of.
		e.ana().get("/acme/DEMO-1/edit").has(t, 0, "#ticket [hx-post], #ticket [hx-get]")
		ana.post("/acme/DEMO-1", "title", "", "description", "x", "version", "1").fragment(t, 422).
			has(t, 1, "body > section#ticket #edit-title-error")
		a := ana.post("/acme/DEMO-1", "title", "Mine", "description", "x", "version", "1").goesTo(t, "/acme/DEMO-1")
		for name := range a.header {
			if strings.HasPrefix(http.CanonicalHeaderKey(name), "Hx-") {
				t.Errorf("a redirect carries %s, which htmx ignores", name)
			}
		}
		ana.post("/acme/DEMO-1", "title", "Late", "description", "x", "version", "1").fragment(t, 409).
			has(t, 1, "body > section#ticket .theirs")
		e.ana().get("/acme/DEMO-1").has(t, 0, "#flash .toast")
	})

	t.Run("older history comes as rows", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for i := range 60 {
			e.program().patch("/tickets/DEMO-1", object{"title": fmt.Sprint("title ", i), "version": i + 1}).is(t, 200)
		}
		ana := e.ana()
		page := ana.get("/acme/DEMO-1").is(t, 200)
		page.has(t, 50, "#history > li:not(.more)")
		older := page.page().Find("#history > li.more a").AttrOr("hx-get", "")
		rows := ana.htmx("").get(older).fragment(t, 200)
		rows.has(t, 11, "body > li")
		rows.has(t, 0, "li.more")
		ana.get(older).is(t, 200).has(t, 11, "#history > li")
		for _, before := range []string{"x", "-1", "%ff", "1.5", "99999999999999999999"} {
			ana.get("/acme/DEMO-1/activity?before="+before).is(t, 400)
		}
	})

}

func TestBoardFragments(t *testing.T) {
	t.Parallel()
	t.Run("the dialog opens one ticket after the other and brings the column", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana().htmx("dialog")
		ana.get("/acme/boards/DEMO/tickets/new?column=2").fragment(t, 200).
			has(t, 1, "form#new-ticket[data-again] option[value='2'][selected]")
		a := ana.post("/acme/boards/DEMO/tickets", "title", "Paint the door", "description", "Red", "column", "2", "again",
			"1").fragment(t, 200)
		a.textIs(t, "form[data-again] .created .key", "DEMO-8")
		if a.value(t, "#new-title") != "" || a.value(t, "#new-description") != "" {
			t.Error("the next form is not empty")
		}
		a.has(t, 1, "#new-column option[value='2'][selected]")
		a.has(t, 1, "section.column#column-2[hx-swap-oob=true]")
		a.has(t, 1, "section.column")
		if got := a.titles(2); len(got) != 1 || got[0] != "Paint the door" {
			t.Errorf("the column has %q", got)
		}
		bad := ana.post("/acme/boards/DEMO/tickets", "title", "", "description", "Red", "column", "2", "again", "1").
			fragment(t, 422)
		bad.has(t, 1, "form[data-again] #new-title-error")
		bad.has(t, 0, ".created, .column")
		ana.get("/acme/boards/NOPE/tickets/new").is(t, 404)
		ana.get("/acme/boards/DEMO/tickets/new?column=x").is(t, 400)
	})
	t.Run("the line at a column's foot brings its column, open for the next", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana().htmx("column-3")
		a := ana.post("/acme/boards/DEMO/tickets", "title", "Paint the door", "column", "3", "inline", "1").fragment(t, 200)
		a.has(t, 1, "body > section.column#column-3")
		a.has(t, 0, "[hx-swap-oob]")
		a.has(t, 1, "#add-3[open]")
		if a.text(t, "#add-3 .created .key") != "DEMO-8" || a.value(t, "#add-3-title") != "" {
			t.Error("it does not say what is open, or is not free for the next")
		}
		if got := a.titles(3); len(got) != 1 {
			t.Errorf("the column has %q", got)
		}
		bad := ana.post("/acme/boards/DEMO/tickets", "title", long(256), "column", "3", "inline", "1").fragment(t, 422)
		bad.has(t, 1, "body > section.column#column-3 #add-3[open] #add-3-title-error")
		if bad.value(t, "#add-3-title") != long(256) {
			t.Error("what was typed is gone")
		}
		e.unchanged(t, func() {
			unknown := ana.post("/acme/boards/DEMO/tickets", "title", "x", "column", "4711", "inline", "1").fragment(t, 422)
			unknown.has(t, 0, ".column")
			unknown.has(t, 1, ".error")
			ana.post("/acme/boards/NOPE/tickets", "title", "x", "column", "3", "inline", "1").is(t, 404)
		})
	})
	t.Run("a column's further cards come as rows", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		column := b.Columns[0].ID
		for i := range 120 {
			e.newTickets("NINJA", column, fmt.Sprint("card ", i))
		}
		ana := e.ana()
		page := ana.get("/acme/boards/NINJA").is(t, 200)
		seen := page.titles(column)
		more := page.page().Find("li.more").AttrOr("hx-get", "")
		for more != "" {
			plain := ana.get(more).is(t, 200)
			plain.has(t, 1, "html > body #"+columnTarget(column))
			rows := ana.htmx("more-"+fmt.Sprint(column)).get(more).fragment(t, 200)
			rows.page().Find("body > li.card > a:first-child > .title").
				Each(func(_ int, s *goquery.Selection) { seen = append(seen, s.Text()) })
			more = rows.page().Find("li.more").AttrOr("hx-get", "")
			if want := plain.page().Find("li.more").AttrOr("hx-get", ""); more != want {
				t.Errorf("the page goes on at %q, the rows at %q", want, more)
			}
		}
		if len(seen) != 120 || seen[0] != "card 0" || seen[119] != "card 119" || seen[50] != "card 50" {
			t.Errorf("%d cards: %q", len(seen), seen)
		}
		for _, below := range []string{"x", "1.5", "%ff", "99999999999999999999"} {
			ana.get(fmt.Sprintf("/acme/boards/NINJA/columns/%d?below=%s", column, below)).is(t, 400)
		}
	})
	t.Run("the move form comes alone, and again for another column", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newTickets("DEMO", 2, "x")
		ana := e.ana()
		a := ana.htmx("dialog").get("/acme/DEMO-2/position").fragment(t, 200)
		a.has(t, 1, "body > form#move[data-move=DEMO-2]")
		if a.value(t, "[name=seen_column]") != "1" || a.value(t, "[name=seen_after]") != "DEMO-1" {
			t.Error("it does not remember where the ticket is")
		}
		a.has(t, 1, "#move-after option[value=DEMO-1][selected]")
		a.has(t, 0, "#move-after option[value=DEMO-2]")
		ana.htmx("dialog").get("/acme/DEMO-2/position").has(t, 1, "#move-column[autofocus]")
		other := ana.htmx("move").get("/acme/DEMO-2/position?column=2&after=DEMO-1&seen_column=1&seen_after=DEMO-1").
			fragment(t, 200)
		other.has(t, 0, "[autofocus]") // the focus stays where something was chosen
		other.has(t, 1, "#move-column option[value='2'][selected]")
		other.has(t, 1, "#move-after option[value=DEMO-8]")
		if other.value(t, "[name=seen_column]") != "1" || other.value(t, "[name=seen_after]") != "DEMO-1" {
			t.Error("it forgot where the ticket was seen")
		}
		ana.get("/acme/DEMO-2/position?column=4711&after=x&seen_column=y&seen_after=%ff").is(t, 200)
	})
}

func TestDrag(t *testing.T) {
	t.Parallel()
	drag := func(b *browser, key string, to uint64, after string, from uint64, seen string) *answer {
		return b.htmx(columnTarget(to)).post("/acme/"+key+"/position", "column", fmt.Sprint(to), "after", after,
			"seen_column", fmt.Sprint(from), "seen_after", seen)
	}

	t.Run("the answer is the column that it went to, then the one that it left", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		a := drag(e.ana(), "DEMO-2", 2, "", 1, "DEMO-1").fragment(t, 200)
		a.has(t, 2, "section.column")
		a.has(t, 1, "body > section#column-2:first-child:not([hx-swap-oob])")
		a.has(t, 1, "body > section#column-1[hx-swap-oob=true]")
		a.has(t, 0, ".alert")
		if got := a.titles(2); len(got) != 1 || len(a.titles(1)) != 6 {
			t.Errorf("the columns are %q and %q", got, a.titles(1))
		}
		if a.text(t, "#column-2 .count") != "1 ticket" && !strings.HasPrefix(a.text(t, "#column-2 .count"), "1") {
			t.Errorf("the count is %q", a.text(t, "#column-2 .count"))
		}
	})

	t.Run("within a column it is that column", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		a := drag(e.ana(), "DEMO-2", 1, "", 1, "DEMO-1").fragment(t, 200)
		a.has(t, 1, "section.column")
		a.has(t, 1, "body > section#column-1:not([hx-swap-oob])")
	})

	t.Run("without its neighbour it says that it went to the end", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.program().delete("/tickets/DEMO-5").is(t, 204)
		a := drag(e.ana(), "DEMO-1", 1, "DEMO-5", 1, "").fragment(t, 200)
		if got := a.text(t, "#column-1 .alert"); !strings.Contains(got, "DEMO-5") ||
			!strings.Contains(got, "went to its end") {
			t.Errorf("it says %q", got)
		}
	})

	t.Run("if another user moved it the columns show its place", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.program().post("/tickets/DEMO-1/position", object{"column": 3, "after": nil}).is(t, 200)
		ana := e.ana()
		e.unchanged(t, func() {
			a := drag(ana, "DEMO-1", 2, "", 1, "").fragment(t, http.StatusConflict)
			a.textHas(t, "body > section#column-2:first-child .alert", "moved by someone else")
			a.has(t, 3, "section.column")
			a.has(t, 1, "section#column-1[hx-swap-oob]")
			a.has(t, 1, "section#column-3[hx-swap-oob] [data-key=DEMO-1]")
			a.has(t, 1, "[data-key=DEMO-1]")
		})
	})

	t.Run("a refused move is an error page, so that the script puts the card back", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.account("vera", "acme", accounts.Viewer)
		vera := e.signedIn("vera")
		e.program().delete("/tickets/DEMO-7").is(t, 204)
		e.unchanged(t, func() {
			for rule, a := range map[string]*answer{
				"unknown column":             drag(ana, "DEMO-1", 4711, "", 1, ""),
				"below itself":               drag(ana, "DEMO-1", 1, "DEMO-1", 1, ""),
				"no key":                     drag(ana, "DEMO-1", 2, "x", 1, ""),
				"a ticket that has gone":     drag(ana, "DEMO-7", 2, "", 1, ""),
				"a viewer":                   drag(vera, "DEMO-1", 2, "", 1, ""),
				"a column that is no number": ana.htmx("column-x").post("/acme/DEMO-1/position", "column", "x", "after", ""),
			} {
				if a.code < 400 || a.code == 409 || a.code == 422 {
					t.Errorf("%s: %d", rule, a.code)
				}
				if a.text(t, "#main .lead") == "" {
					t.Errorf("%s: it does not say why", rule)
				}
			}
		})
	})
}

func TestSessionHasGone(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.unchanged(t, func() {
		for _, who := range []*browser{e.visitor(), {env: e, cookie: "made-up"}} {
			for _, a := range []*answer{
				who.htmx("ticket").get("/acme/DEMO-1"), who.htmx("dialog").get("/acme/boards/DEMO/tickets/new"),
				who.htmx("column-1").post("/acme/DEMO-1/position", "column", "2"),
				who.htmx("dialog").post("/acme/boards/DEMO/tickets", "title", "x"),
				who.htmx("ticket").post("/acme/DEMO-1", "title", "x", "version", "1"),
			} {
				a.is(t, http.StatusUnauthorized)
				if got := a.header.Get("HX-Redirect"); got != "/login" || a.body != "" {
					t.Errorf("it goes to %q with %q", got, a.body)
				}
			}
		}
	})
}
