package web_test

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/search"
)

// newSearchingEnv is newEnv with search indexes.
func newSearchingEnv(t testing.TB) *env {
	t.Helper()
	e := setUp(newEmptyEnvWith(t, []app.Option{app.WithSearch(t.TempDir())}))
	e.keepsIndexes(t)
	return e
}

// keepsIndexes publishes changes and keeps search indexes until the test ends.
func (e *env) keepsIndexes(t testing.TB) {
	e.keeps(t, e.workflows.Feeds.Run)
	e.keeps(t, e.workflows.Delivery.WorkSearch)
}

// keeps runs a loop until the test ends.
func (e *env) keeps(t testing.TB, loop func(context.Context)) {
	ctx, stop := context.WithCancel(context.Background())
	var under sync.WaitGroup
	under.Go(func() { loop(ctx) })
	t.Cleanup(func() {
		stop()
		under.Wait()
	})
}

// isIndexed waits until the search index is whole.
func (e *env) isIndexed(t testing.TB) {
	t.Helper()
	domaintest.Until(t, "the search index is whole", func() bool {
		_, state, err := e.workflows.Delivery.Search().Find(t.Context(), e.actor.Company.ID, search.Find{Text: "x", All: true, Limit: 1})
		return err == nil && state == search.Ready
	})
}

// searches returns the page of a search.
func (b *browser) searches(q string) *answer { return b.get("/acme/search?q=" + url.QueryEscape(q)) }

func TestSearchPage(t *testing.T) {
	t.Parallel()
	e := newSearchingEnv(t)
	e.newBoard("NINJA")
	e.newTickets("NINJA", 0, "Paint the fins", "Order a café table", hostile)
	ana := e.ana()
	ana.post("/acme/NINJA-1/comments", "body", "The **sorbitol** is "+hostile).is(t, 303)
	e.isIndexed(t)

	t.Run("its form, and what it finds", func(t *testing.T) {
		ana.get("/acme/search").is(t, 200).has(t, 1, "main form[role=search] [name=q][autofocus]").has(t, 0, ".hits")
		page := ana.searches("sorbitol").is(t, 200).has(t, 1, ".hits > li").has(t, 1, ".hits a[href='/acme/NINJA-1'] .key").
			has(t, 1, ".snippet .in").has(t, 1, ".snippet mark")
		page.textIs(t, ".snippet mark", "sorbitol")
		if got := page.value(t, "main [name=q]"); got != "sorbitol" {
			t.Error(got)
		}
		ana.searches("cafe").is(t, 200).textIs(t, ".hits mark", "café")
		ana.searches("fins status:open").is(t, 200).has(t, 1, ".hits > li")
		ana.searches("fins assignee:me").is(t, 200).has(t, 0, ".hits > li").has(t, 1, ".none")
	})
	t.Run("nothing, wrong queries and odd ones keep what was typed", func(t *testing.T) {
		for q, code := range map[string]int{
			"nowheretobefound": 200, "status:open": 200, "(": 422, "labl:x y": 422, "x label:nothing": 422, strings.Repeat("x", 501): 422,
			"' OR 1=1": 200, "%": 200, "\u200b": 200, "x\x00y": 200, `\ " "`: 422, "<script>alert(1)</script>": 200, "\u202e": 200,
		} {
			page := ana.searches(q)
			if page.code != code {
				t.Errorf("%q: %d, not %d", q, page.code, code)
			}
			page.has(t, 1, "main [name=q]")
			if got := page.value(t, "main [name=q]"); got != strings.TrimSpace(strings.ReplaceAll(q, "\x00", "\ufffd")) {
				t.Errorf("%q became %q", q, got)
			}
			if code == 422 {
				page.has(t, 1, "[aria-invalid]").has(t, 1, "#filter-problem")
			}
		}
		ana.get("/acme/search?q=%ff%fe").is(t, 200)
		for _, page := range []string{"0", "-1", "2", "99999999999999999999", "x"} {
			ana.get("/acme/search?q=fins&page="+page).is(t, 200)
		}
	})
	t.Run("programs find it, too", func(t *testing.T) {
		var page struct {
			Items []struct {
				Key, Title, Board, Snippet, URL string
				SnippetOf                       string `json:"snippet_of"`
			}
			Total int
			Above bool
			Index string
			Next  *int
		}
		e.program().get("/search?q=sorbitol").is(t, 200).read(t, &page)
		if len(page.Items) != 1 || page.Total != 1 || page.Above || page.Index != "ready" || page.Next != nil {
			t.Fatalf("%+v", page)
		}
		if it := page.Items[0]; it.Key != "NINJA-1" || it.Title != "Paint the fins" || it.Board != "NINJA" || it.SnippetOf != "comment" ||
			!strings.HasPrefix(it.Snippet, "The sorbitol is") || !strings.HasSuffix(it.URL, "/acme/NINJA-1") {
			t.Errorf("%+v", it)
		}
		for _, query := range []string{"", "q=", "q=status:open", "q=(", "q=labl:x", "q=x&page=0", "q=x&page=-1", "q=x&page=x", "q=x&page=1001",
			"q=" + strings.Repeat("x", 600)} {
			e.program().get("/search?"+query).is(t, 422)
		}
	})
	t.Run("words in quotes stand together", func(t *testing.T) {
		ana.post("/acme/NINJA-2/comments", "body", "See [the plan](https://example.com/plan) today, or the table in the café").is(t, 303)
		e.isIndexed(t)
		for q, want := range map[string]string{
			`"cafe TABLE"`: "NINJA-2", `"table cafe"`: "", `"order a cafe table" status:open`: "NINJA-2", `"order a cafe table" status:done`: "",
			`"sorbitol is"`: "NINJA-1", `"is sorbitol"`: "", `"the plan today"`: "NINJA-2", `"the plan tomorrow"`: "", `"café tables"`: "",
			`"the plan today" "order a"`: "NINJA-2", `"the plan today" "paint the"`: "", `"plan today" table`: "NINJA-2", `"the plan`: "",
		} {
			page := ana.searches(q)
			if got := page.page().Find(".hits .key").Text(); got != want {
				t.Errorf("%s finds %q, not %q", q, got, want)
			}
		}
		ana.searches(`"table cafe"`).textHas(t, ".none", "Take the quotes off")
		ana.searches(`"the plan today"`).textHas(t, ".snippet", "the plan today")
		ana.searches(`"the table in"`).textHas(t, ".snippet", "the table in the café")
	})
	t.Run("words in quotes are found behind thousands of comments of others", func(t *testing.T) {
		e.newTickets("NINJA", 0, "crossing zebra one", "crossing zebra two", "crossing zebra three")
		one := e.count("SELECT id FROM ticket WHERE title = 'crossing zebra one'")
		for range 3 {
			e.exec(`INSERT INTO comment (ticket_id, account_id, body, created_at, updated_at)
				SELECT ?, 1, 'crossing', NOW(6), NOW(6)
				FROM (WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 700) SELECT i FROM n) x`, one)
		}
		for _, number := range []int64{one + 1, one + 2} {
			e.exec("INSERT INTO comment (ticket_id, account_id, body, created_at, updated_at) VALUES (?, 1, 'a zebra crossing', NOW(6), NOW(6))", number)
		}
		e.isIndexed(t)
		ana.searches(`"zebra crossing"`).has(t, 2, ".hits > li").has(t, 0, ".hits li:contains('zebra one')")
	})
	t.Run("what is written is shown as text", func(t *testing.T) {
		page := ana.searches(hostile).is(t, 200).has(t, 0, "main script").has(t, 0, ".hits img")
		if page.page().Find(".hits > li").Length() == 0 {
			t.Error("it is not found")
		}
	})
	t.Run("pages", func(t *testing.T) {
		titles := make([]string, 45)
		for i := range titles {
			titles[i] = "Plenty of tickets"
		}
		e.newTickets("NINJA", 0, titles...)
		domaintest.Until(t, "they are found", func() bool {
			return strings.Contains(ana.searches("plenty").is(t, 200).page().Find("main [role=status]").Text(), "45 tickets") // it may be behind
		})
		page := ana.searches("plenty").has(t, 20, ".hits > li").has(t, 1, ".pager [rel=next]")
		next := page.page().Find(".pager [rel=next]").AttrOr("href", "")
		page = ana.get(next).is(t, 200).has(t, 20, ".hits > li").has(t, 2, ".pager a")
		ana.get(page.page().Find(".pager [rel=next]").AttrOr("href", "")).is(t, 200).has(t, 5, ".hits > li").has(t, 0, "[rel=next]")
		ana.get("/acme/search?q=plenty&page=4").is(t, 200).has(t, 0, ".hits > li").has(t, 1, ".none")
	})
	t.Run("the jump box finds all titles, and leads to the search", func(t *testing.T) {
		for q, want := range map[string]string{"fins": "NINJA-1", "cafe": "NINJA-2", "ordar": "NINJA-2", "sorbitol": ""} {
			if got := strings.Join(ana.jumps(t, "", q), " "); got != want {
				t.Errorf("%q finds %q, not %q", q, got, want)
			}
		}
		ana.get("/acme/jump?q=fins").is(t, 200).has(t, 1, "#jump-found a[href='/acme/search?q=fins']").has(t, 0, "[data-nothing]")
		ana.get("/acme/jump?q=nowheretobefound").goesTo(t, "/acme/search?q=nowheretobefound")
	})
}

// TestSearchHidesPrivateBoards searches as somebody who may not see a board for what is on it.
func TestSearchHidesPrivateBoards(t *testing.T) {
	t.Parallel()
	e := newSearchingEnv(t)
	e.newBoard("OPEN")
	e.newBoard("HIDE")
	e.newTickets("OPEN", 0, "Something public")
	e.newTickets("HIDE", 0, "Something secret")
	e.account("mia", "acme", "member")
	e.account("gus", "acme", "guest")
	ana := e.ana()
	ana.post("/acme/boards/HIDE/privacy", "private", "yes").is(t, 303)
	e.isIndexed(t)
	ana.searches("something").is(t, 200).has(t, 2, ".hits > li")
	mia, gus := e.signedIn("mia"), e.signedIn("gus")
	mia.searches("something").is(t, 200).has(t, 1, ".hits > li").textIs(t, "main > div > [role=status]", "1 ticket")
	for _, q := range []string{"secret", "HIDE-1", "secrot", "secr"} {
		mia.searches(q).is(t, 200).has(t, 0, ".hits > li")
		gus.searches(q).is(t, 200).has(t, 0, ".hits > li")
		if got := mia.jumps(t, "", q); len(got) != 0 {
			t.Errorf("%q: %v", q, got)
		}
	}
	gus.searches("something").is(t, 200).has(t, 0, ".hits > li")
	mia.searches("secret board:HIDE").is(t, 422)
	e.exec("UPDATE board_column SET name = 'Vault' WHERE position = 1 AND board_id = (SELECT id FROM board WHERE slug = 'HIDE')")
	ana.searches("something column:vault").is(t, 200)
	mia.searches("something column:vault").is(t, 422) // as if there were none
	ana.post("/acme/boards/HIDE/members", "name", "@gus", "role", "viewer").is(t, 303)
	gus.searches("something").is(t, 200).has(t, 1, ".hits > li").has(t, 1, ".hits a[href='/acme/HIDE-1']")
}
