package web_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/search"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/ops/seed"
	"github.com/counterfoil/counterfoil/views"
)

// onPage is how many queries a page may need, with those for session and actor.
const onPage = 8

// onTicket is how many statements a ticket takes that has comments and no more.
const onTicket = 9

// newBoardOf is a board of n open tickets in two columns: titles of some 45 characters, an assignee each for
// every third of the first 150 of them.
func (e *env) newBoardOf(slug string, n int) board {
	e.t.Helper()
	b := e.newBoard(slug)
	e.fill(b, n, "CONCAT('Order sorbitol before the price goes up ', LPAD(n, 5, '0'))")
	e.exec("UPDATE ticket SET column_id = ? WHERE column_id = ? AND local_id % 2 = 1", b.Columns[1].ID, b.Columns[0].ID)
	e.exec("UPDATE board_column SET ticket_count = ? / 2, last_rank = ? * 65536 WHERE id IN (?, ?)", n, n, b.Columns[0].ID,
		b.Columns[1].ID)
	e.exec(`INSERT INTO assignee (ticket_id, account_id, current, created_at)
		SELECT t.id, 1, TRUE, UTC_TIMESTAMP(6) FROM ticket t JOIN board_column c ON c.board_id = t.board_id WHERE c.id = ? AND local_id <= 150 AND local_id % 3 = 0`, b.Columns[0].ID)
	e.exec("ANALYZE TABLE ticket, assignee")
	return b
}

// newFullBoard is a board of 200 tickets that have all that cards can show.
func (e *env) newFullBoard(slug string) {
	e.t.Helper()
	full := e.newBoardOf(slug, 200)
	e.exec(`UPDATE ticket SET priority = 1 + id % 4, due_at = UTC_TIMESTAMP(6) - INTERVAL id % 40 DAY, items = 7, items_checked = id % 8, attachments = id % 5, comments = 3 + id % 40,
		created_at = UTC_TIMESTAMP(6) - INTERVAL 9 DAY WHERE board_id = (SELECT board_id FROM board_column WHERE id = ?)`, full.Columns[0].ID)
	e.exec("UPDATE board_column SET stale_days = 5 WHERE id = ?", full.Columns[1].ID)
	for n := range 3 {
		e.exec("INSERT INTO label (id, company_id, board_id, name, color, created_at) VALUES (?, 1, 0, CONCAT('label number ', ?), ?, UTC_TIMESTAMP(6))", 101+n, n, n)
		e.exec("INSERT INTO ticket_label (ticket_id, label_id) SELECT id, ? FROM ticket WHERE column_id IN (?, ?)", 101+n, full.Columns[0].ID, full.Columns[1].ID)
	}
	e.exec("INSERT IGNORE INTO assignee (ticket_id, account_id, current, created_at) SELECT id, 1, TRUE, UTC_TIMESTAMP(6) FROM ticket WHERE column_id = ?", full.Columns[1].ID)
	e.exec(`INSERT INTO ticket_relation (ticket_id, kind, other_id) SELECT t.id, 3, (SELECT MIN(id) FROM ticket WHERE column_id = ?) FROM ticket t
		WHERE t.column_id = ?`, full.Columns[0].ID, full.Columns[1].ID)
}

// newDiscussion is a ticket with n comments.
func (e *env) newDiscussion(b board, n int) string {
	e.t.Helper()
	e.exec(`INSERT INTO comment (ticket_id, account_id, body, created_at, updated_at)
		SELECT t.id, 1, CONCAT('The **price** of sorbitol went up again, see DEMO-', n.local_id, '.\n\n- one\n- two\n\n@ana says so.'), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6)
		FROM board_column c, ticket t, ticket n WHERE c.id = ? AND t.board_id = c.board_id AND t.local_id = 7 AND n.board_id = t.board_id AND n.local_id <= ?`, b.Columns[0].ID, n)
	e.exec("ANALYZE TABLE comment")
	return b.Slug + "-7"
}

// queries returns how many statements the answer to path takes, at most some.
func (b *browser) queries(t testing.TB, most int, path string) int {
	t.Helper()
	b.env.watch.Take()
	b.get(path).is(t, http.StatusOK)
	sent, _ := b.env.watch.Take()
	if len(sent) > most {
		t.Errorf("%s takes %d queries:\n%s", path, len(sent), strings.Join(sent, "\n"))
	}
	return len(sent)
}

func TestPagesTakeFewQueries(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	few, many, most := e.newBoardOf("FEW", 200), e.newBoardOf("MANY", 2000), e.newBoardOf("MOST", 20000)
	quiet, loud := e.newDiscussion(few, 20), e.newDiscussion(most, 500)
	e.exec("INSERT INTO company (slug, name, created_at) VALUES ('umbrella', 'Umbrella', UTC_TIMESTAMP(6)), ('globex', " +
		"'Globex', UTC_TIMESTAMP(6))")
	e.exec("INSERT INTO membership (company_id, account_id, role, handle, created_at) SELECT id, 1, 'member', 'ana', " +
		"UTC_TIMESTAMP(6) FROM company WHERE slug <> 'acme'")
	ana := e.ana()

	t.Run("a board, whatever its size", func(t *testing.T) {
		counts := []int{ana.queries(t, onPage, "/acme/boards/FEW"), ana.queries(t, onPage, "/acme/boards/MANY"),
			ana.queries(t, onPage, "/acme/boards/MOST")}
		if counts[0] != counts[1] || counts[1] != counts[2] {
			t.Errorf("200, 2,000 and 20,000 tickets take %v queries", counts)
		}
	})
	t.Run("a board through a filter", func(t *testing.T) {
		for _, narrowed := range []string{"?q=price&who=ana&state=open", "?who=none&label=&q=is:blocked+or+has:due", "?q=00199",
			"?lanes=parent", "?q=price&who=ana&lanes=parent"} {
			for _, slug := range []string{"FEW", "MANY", "MOST"} { // columns of MOST go on where a look ends
				ana.queries(t, onPage, "/acme/boards/"+slug+narrowed)
			}
		}
	})
	t.Run("a board's HTML is small", func(t *testing.T) {
		a := ana.get(fmt.Sprintf("/acme/boards/%s", many.Slug)).is(t, http.StatusOK)
		if n := len(a.body); n > 120_000 {
			t.Errorf("%d bytes", n)
		}
		a.has(t, 60, ".card").has(t, 2, "[aria-labelledby=switch-to] a")
		t.Logf("%d bytes", len(a.body))
	})
	t.Run("a board with all that cards can show", func(t *testing.T) {
		e.newFullBoard("FULL")
		t.Logf("%d queries", ana.queries(t, onPage, "/acme/boards/FULL"))
		a := ana.get("/acme/boards/FULL").is(t, http.StatusOK)
		a.has(t, 60, ".card").has(t, 60, ".card .labels").has(t, 30, ".card .blocked").has(t, 30, ".card .age.stale").has(t, 60, ".card .due")
		t.Logf("%d bytes", len(a.body))
		if n := len(a.body); n > 120_000 {
			t.Errorf("%d bytes", n)
		}
	})
	t.Run("a ticket with all that it can have", func(t *testing.T) {
		key := e.newDiscussion(many, 1)
		ana.post("/acme/"+key+"/labels", "named", "bug")
		ana.post("/acme/"+key+"/assignees", "quick", "1", "add", "1")
		ana.post("/acme/"+key+"/relations", "kind", "child", "other", "MANY-8")
		ana.post("/acme/"+key+"/relations", "kind", "blocks", "other", "MANY-9")
		ana.post("/acme/"+key, "title", "All", "description", "- [ ] one\n\n@ana, see MANY-8.", "version", "1")
		e.exec("INSERT INTO comment_reaction (comment_id, kind, account_id, created_at) SELECT MAX(id), 1, 1, UTC_TIMESTAMP(6) FROM comment")
		e.exec("UPDATE comment SET reactions = '1,0,0,0,0,0' ORDER BY id DESC LIMIT 1")
		ana.sendFiles("/acme/"+key+"/attachments", "plan.txt", "a plan")
		ana.post("/acme/"+key+"/dates", "due", "2040-01-02")
		ana.post("/acme/"+key+"/recurrence", "every", "1", "unit", "day")
		ana.post("/acme/MANY-10/comments", "body", "See "+key)
		ana.get("/acme/"+key).has(t, 1, "#backlinks").has(t, 1, ".repeats")
		t.Logf("%d queries", ana.queries(t, 12, "/acme/"+key))
	})
	t.Run("a ticket, however much was said", func(t *testing.T) {
		if n, m := ana.queries(t, onTicket, "/acme/"+quiet), ana.queries(t, onTicket, "/acme/"+loud); n != m {
			t.Errorf("20 comments take %d queries, 500 take %d", n, m)
		}
	})
}

func TestAMoveWritesOneTicket(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	b := e.newBoardOf("NINJA", 300)
	ana := e.ana()
	todo, doing := fmt.Sprint(b.Columns[0].ID), fmt.Sprint(b.Columns[1].ID)
	rows := func() map[int64]string {
		found := domaintest.OK(
			e.db.SQL.Query("SELECT id, CONCAT_WS('|', board_id, local_id, column_id, rank_in_column, title, " +
				"version, " +
				"updated_at, moved_at, closed_at) FROM ticket"))(t)
		defer found.Close()
		all := map[int64]string{}
		for found.Next() {
			var n int64
			var row string
			domaintest.Must(t, found.Scan(&n, &row))
			all[n] = row
		}
		return all
	}
	for _, fields := range [][]string{
		{"column", todo, "after", "NINJA-40", "seen_column", todo, "seen_after", "NINJA-198"},
		{"column", doing, "after", "", "seen_column", todo, "seen_after", "NINJA-40"},
	} {
		before, history := rows(), e.count("SELECT COUNT(*) FROM activity")
		e.watch.Take()
		ana.htmx("column-"+todo).post("/acme/NINJA-200/position", fields...).is(t, http.StatusOK)
		sent, _ := e.watch.Take()
		changed := 0
		for n, row := range rows() {
			if before[n] != row {
				changed++
			}
		}
		written := slices.DeleteFunc(sent, func(s string) bool {
			return !strings.Contains(s, "UPDATE ") && !strings.Contains(s, "INSERT ") && !strings.Contains(s, "DELETE ") ||
				strings.Contains(s, "FOR UPDATE")
		})
		if added := e.count("SELECT COUNT(*) FROM activity") - history; changed != 1 || added != 1 {
			t.Errorf("%d tickets changed, %d entries of activity added", changed, added)
		}
		for _, statement := range written {
			if !strings.Contains(statement, "UPDATE ticket ") && !strings.Contains(statement, "UPDATE board_column ") &&
				!strings.Contains(statement, "INSERT INTO activity") && !strings.Contains(statement, "UPDATE assignee") &&
				!strings.Contains(statement, " ticket_stay ") {
				t.Errorf("a move also writes: %s", statement)
			}
		}
	}
}

// BenchmarkPages measures whole answers, compressed as browsers ask for it, beside the time that the same
// answers waited for the database:
//
//	go run ./db/dbtest/server -- go test -run XXX -bench Pages -benchtime 300x ./web
func BenchmarkPages(b *testing.B) {
	e := newEnv(b)
	e.newBoardOf("MANY", 2000)
	most := e.newBoardOf("MOST", 20000)
	e.newFullBoard("FULL")
	loud := e.newDiscussion(most, 500)
	for name, path := range map[string]string{
		"board of 2,000": "/acme/boards/MANY", "board of 20,000": "/acme/boards/MOST",
		"board with all that cards can show": "/acme/boards/FULL", "the same in lanes": "/acme/boards/FULL?lanes=label",
		"board of 2,000, filtered":  "/acme/boards/MANY?q=00199&state=open",
		"board of 20,000, filtered": "/acme/boards/MOST?q=00199&state=open", "ticket with 500 comments": "/acme/" + loud,
	} {
		b.Run(name, func(b *testing.B) { e.measures(b, path) })
	}
}

// BenchmarkLarge measures the pages of a company with 60 boards, 200,000 tickets and 1,000,000 comments, which takes two
// minutes to make:
//
//	go run ./db/dbtest/server -- go test -run XXX -bench Large -benchtime 200x ./web
func BenchmarkLarge(b *testing.B) {
	e := newEnv(b)
	company := seed.Company{Slug: "fjord", Name: "Fjord", Password: password}
	domaintest.OK(seed.Fill(b.Context(), e.db, company, seed.Large(time.Now()), func(int) {}))(b)
	text := func(query string) (found string) {
		b.Helper()
		domaintest.Must(b, e.db.SQL.QueryRowContext(b.Context(), query).Scan(&found))
		return found
	}
	board := "boards/" + text(`SELECT slug FROM board JOIN board_ticket_incrementer i ON i.board_id = board.id
		WHERE company_id = (SELECT id FROM company WHERE slug = 'fjord') AND archived_at IS NULL ORDER BY i.max_ticket_id DESC LIMIT 1`)
	ticket := text(`SELECT CONCAT(slug, '-', local_id) FROM ticket JOIN board ON board.id = board_id
		WHERE company_id = (SELECT id FROM company WHERE slug = 'fjord') AND deleted_at IS NULL ORDER BY comments DESC LIMIT 1`)
	for _, page := range []string{
		"", board, board + "?q=assignee:me", board + "?q=sorbitol", board + "?q=label:bug+priority:>=high", board + "?lanes=label",
		board + "/list", board + "/list?q=-status:done+due:<30d", board + "/list?q=sort:-updated", board + "/list?q=label:bug+sort:due",
		board + "/calendar", board + "/settings", board + "/tickets/new", ticket, ticket + "/relations",
		ticket + "/labels", ticket + "/assignees", "inbox", "work", "labels", "groups", "settings", "jump?q=order",
		"tickets/list", "tickets/list?q=label:bug+sort:due", "tickets/list?q=assignee:me", "tickets/list?q=zebra", "tickets?group=column",
		"tickets/calendar",
	} {
		b.Run(page, func(b *testing.B) { e.measures(b, strings.TrimSuffix("/fjord/"+page, "/")) })
	}
	ana := e.ana()
	for _, query := range []string{"", "assignee:me", "author:me", "sorbitol", "label:bug priority:>=high", "is:overdue", "due:<7d",
		"-status:done", "updated:<7d", "priority:urgent", "has:attachment", "blocked"} {
		ana.post("/fjord/"+board+"/views", viewed("View "+query, query, "pinned", "1")...).is(b, http.StatusSeeOther)
	}
	for _, page := range []string{"views/pinned", "views", board} {
		b.Run("pins/"+page, func(b *testing.B) { e.measures(b, "/fjord/"+page) })
	}
}

// BenchmarkSearch measures searches on the large seed, which takes some minutes to make and to index, and pages while the
// index is built:
//
//	go run ./db/dbtest/server -- go test -run XXX -bench Search -benchtime 200x ./web
func BenchmarkSearch(b *testing.B) {
	folder := b.TempDir()
	e := setUp(newEmptyEnvWith(b, []app.Option{app.WithSearch(folder)}))
	company := seed.Company{Slug: "fjord", Name: "Fjord", Password: password}
	domaintest.OK(seed.Fill(b.Context(), e.db, company, seed.Large(time.Now()), func(int) {}))(b)
	page := "/fjord/work"
	e.keeps(b, e.workflows.Feeds.Run)
	for e.count("SELECT COUNT(*) FROM (SELECT id FROM comment WHERE feed_sync_id IS NULL LIMIT 1) c") > 0 {
		domaintest.Must(b, wait.Sleep(b.Context(), time.Second))
	}
	b.Run("a page without an index", func(b *testing.B) { e.measures(b, page) })
	began := time.Now()
	e.keeps(b, e.workflows.Delivery.WorkSearch)
	b.Run("a page while the index is built", func(b *testing.B) { e.measures(b, page) })
	var fjord id.Company
	domaintest.Must(b, e.db.SQL.QueryRowContext(b.Context(), "SELECT id FROM company WHERE slug = 'fjord'").Scan(&fjord))
	for {
		_, state, err := e.workflows.Delivery.Search().Find(b.Context(), fjord, search.Find{Text: "order", All: true, Limit: 1})
		domaintest.Must(b, err)
		if state == search.Ready {
			break
		}
		domaintest.Must(b, wait.Sleep(b.Context(), time.Second))
	}
	b.Logf("built in %v", time.Since(began))
	b.Run("200 texts", func(b *testing.B) { e.measures(b, searchesFor(b, e, 200)...) })
	for _, q := range []string{"order", "the", "invoice export", "rate limiter proxy", "stagin", "receept", "invoise expert", "timeout",
		"fix the order form for new customers", "lisbon", "label:bug order", "status:open assignee:me export",
		`"order form"`, `"the order form"`, `"invoice export"`} {
		b.Run(q, func(b *testing.B) { e.measures(b, "/fjord/search?q="+url.QueryEscape(q)) })
	}
	for _, q := range []string{"order", "the", "stagin", "invoise"} {
		b.Run("jump/"+q, func(b *testing.B) { e.measures(b, "/fjord/jump?q="+q) })
	}
}

// searchesFor are paths of searches for one to three words of titles of the large seed, every third one without its end.
func searchesFor(b *testing.B, e *env, n int) (paths []string) {
	rows, err := e.db.SQL.QueryContext(b.Context(), "SELECT title FROM ticket WHERE id % 997 = 0 ORDER BY id LIMIT ?", n)
	domaintest.Must(b, err)
	defer rows.Close()
	for rows.Next() {
		var title string
		domaintest.Must(b, rows.Scan(&title))
		words := strings.Fields(title)
		i := len(paths)
		text := []rune(strings.Join(words[i%len(words):min(len(words), i%len(words)+1+i%3)], " "))
		if i%3 == 2 && len(text) > 4 {
			text = text[:len(text)-2]
		}
		paths = append(paths, "/fjord/search?q="+url.QueryEscape(string(text)))
	}
	domaintest.Must(b, rows.Err())
	return paths
}

// BenchmarkBesideBulkEdits measures pages, first alone, then while bulk edits of 5,000 tickets follow one another: tickets
// are closed, and that is taken back.
//
//	go run ./db/dbtest/server -- go test -run XXX -bench BesideBulk -benchtime 500x ./web
func BenchmarkBesideBulkEdits(b *testing.B) {
	e := newEnv(b)
	e.newBoardOf("BULK", 5000)
	e.newBoardOf("OTHER", 2000)
	paths := map[string]string{"board that is edited": "/acme/boards/BULK", "another board": "/acme/boards/OTHER", "a ticket": "/acme/OTHER-7"}
	for name, path := range paths {
		b.Run(name+", alone", func(b *testing.B) { e.measures(b, path) })
	}
	stop, ended := e.editsInBulk(b)
	for range 2 { // which are alone
		b.Logf("5,000 tickets in %v", <-ended)
	}
	for name, path := range paths {
		b.Run(name, func(b *testing.B) { e.measures(b, path) })
	}
	stop()
	for name, path := range paths {
		b.Run(name+", afterwards", func(b *testing.B) { e.measures(b, path) })
	}
}

// editsInBulk closes the tickets of the board BULK by bulk edits and takes that back, again and again, until it is stopped.
// ended has how long each took.
func (e *env) editsInBulk(b *testing.B) (stop func(), ended <-chan time.Duration) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	took := make(chan time.Duration, 1000)
	var under sync.WaitGroup
	under.Go(func() { _ = e.workflows.Worker.Work(ctx) })
	under.Go(func() {
		ana := e.ana()
		for edits := 0; ctx.Err() == nil; edits++ {
			began := time.Now()
			to := "/acme/boards/BULK/batch"
			if edits%2 == 1 {
				to = views.BulkEditPath("acme", id.BulkEdit(edits)) + "/undo"
			}
			if a := ana.post(to, "all", "1", "q", "is:open", "do", "close"); a.code != http.StatusSeeOther {
				b.Errorf("%s: %d", to, a.code)
				return
			}
			for ctx.Err() == nil && e.count("SELECT COUNT(*) FROM migration_run WHERE state NOT IN ('complete', 'cancelled')") > 0 {
				_ = wait.Sleep(ctx, 50*time.Millisecond)
			}
			took <- time.Since(began).Round(100 * time.Millisecond)
		}
	})
	return func() {
		cancel()
		under.Wait()
	}, took
}

// measures times pages of Ana's, one after the other, compressed, and what they waited for the database.
func (e *env) measures(t *testing.B, paths ...string) {
	plain := e.ana()
	bytes := len(plain.get(paths[0]).is(t, http.StatusOK).body)
	ana := plain.with("Accept-Encoding", "gzip")
	for i := range 20 {
		ana.get(paths[i%len(paths)]).is(t, http.StatusOK)
	}
	var whole, own, rest []time.Duration
	e.watch.Take()
	queries := 0
	for i := 0; t.Loop(); i++ {
		start := time.Now()
		a := ana.get(paths[i%len(paths)])
		took := time.Since(start)
		sent, waited := e.watch.Take()
		if a.code != http.StatusOK {
			t.Fatal(a.code)
		}
		queries = len(sent)
		whole, own, rest = append(whole, took), append(own, waited), append(rest, took-waited)
	}
	t.ReportMetric(0, "ns/op")
	t.ReportMetric(float64(queries), "queries")
	t.ReportMetric(float64(bytes), "bytes")
	for what, times := range map[string][]time.Duration{"": whole, "db-": own, "rest-": rest} {
		t.ReportMetric(percentile(times, 50), what+"p50-ms")
		t.ReportMetric(percentile(times, 95), what+"p95-ms")
	}
}

// percentile is a percentile in milliseconds.
func percentile(times []time.Duration, percent int) float64 {
	sorted := slices.SortedFunc(slices.Values(times), cmp.Compare[time.Duration])
	return float64(sorted[min(len(sorted)-1, len(sorted)*percent/100)].Microseconds()) / 1000
}
