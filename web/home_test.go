package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
)

// changed are the keys of the changes on the home page, or what was done to many.
func (a *answer) changed() string {
	var list []string
	a.page().Find("#changes .entry").Each(func(_ int, s *goquery.Selection) {
		key := s.Find(".subject .key").Text()
		if key == "" {
			key = "many"
		}
		list = append(list, key)
	})
	return strings.Join(list, " ")
}

// links are the texts of the links below a heading.
func (a *answer) links(heading string) string {
	var list []string
	a.page().Find("section[aria-labelledby=" + heading + "] li > a").Each(func(_ int, s *goquery.Selection) {
		list = append(list, strings.Join(strings.Fields(s.Text()), " "))
	})
	return strings.Join(list, "; ")
}

// looksLater ends a member's visit of the home page.
func (e *env) looksLater(name string) {
	e.t.Helper()
	e.exec(`UPDATE home_visit v JOIN account a ON a.id = v.account_id
		SET v.last_at = v.last_at - INTERVAL 2 HOUR, v.since_at = v.since_at - INTERVAL 2 HOUR WHERE a.name = ?`, name)
}

func TestHome(t *testing.T) {
	t.Parallel()
	t.Run("on the first day it says what it will have", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("sam", "rivals", accounts.Owner)
		sam := e.signedIn("sam")
		sam.get("/rivals").is(t, http.StatusOK).has(t, 0, "#home-work").textHas(t, "main", "Create the first one below")
		sam.post("/rivals/boards", "title", "Ninjas", "slug", "NINJA").is(t, http.StatusSeeOther)
		page := sam.get("/rivals").is(t, http.StatusOK)
		for heading, says := range map[string]string{"home-work": "Nothing is assigned to you", "home-changes": "Nothing so far",
			"home-pinned": "The boards that you pin", "home-recent": "The tickets that you looked at last"} {
			page.textHas(t, "section[aria-labelledby="+heading+"]", says)
		}
		if got := page.links("home-boards"); got != "NINJA Ninjas 00 tickets" {
			t.Errorf("boards: %s", got)
		}
	})

	t.Run("it has what others changed since the user looked last", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ninja, other := e.newBoard("NINJA"), e.newBoard("OTHER")
		e.newTickets("NINJA", ninja.Columns[0].ID, "Paint the door", "Sweep", "Mine")
		e.newTickets("OTHER", other.Columns[0].ID, "Elsewhere")
		bo := newcomer(e, "bo", accounts.Member)
		ana := e.ana()
		e.publish()
		ana.get("/acme").textHas(t, "#home-changes", "Changes of the last week") // the user made them all
		bo.get("/acme").textHas(t, "#changes", "opened this ticket")
		e.looksLater("ana")

		bo.post("/acme/NINJA-1/comments", "body", "One").is(t, http.StatusSeeOther)
		bo.post("/acme/NINJA-1/comments", "body", "Two").is(t, http.StatusSeeOther)
		bo.post("/acme/NINJA-1/closure", "closed", "1").is(t, http.StatusSeeOther)
		bo.post("/acme/OTHER-1/closure", "closed", "1").is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-3/closure", "closed", "1").is(t, http.StatusSeeOther)
		e.publish()
		page := ana.get("/acme").is(t, http.StatusOK)
		page.textHas(t, "#home-changes", "Since you last looked")
		if got := page.changed(); got != "OTHER-1 NINJA-1" {
			t.Fatalf("changed: %s", got)
		}
		page.textHas(t, "#changes li:has(.subject [href='/acme/NINJA-1'])", "bo wrote 2 comments")
		page.textHas(t, "#changes li:has(.subject [href='/acme/NINJA-1'])", "bo closed it")
		if got := ana.get("/acme").changed(); got != "OTHER-1 NINJA-1" {
			t.Errorf("changed when the page is loaded again: %s", got)
		}
		comment := page.page().Find("#changes a[href*='comment=']").AttrOr("href", "")
		ana.get(comment).is(t, http.StatusOK).textHas(t, "main", "Two")

		ana.post("/acme/boards/NINJA/pin", "pinned", "1").goesTo(t, "/acme")
		if got := ana.named(t, "q="); len(got) == 0 || got[0] != "Board The NINJA board NINJA" {
			t.Errorf("the jump box begins with %q", got)
		}
		page = ana.get("/acme")
		page.textHas(t, "#changes .hint", "on the boards that you pinned")
		if got := page.changed(); got != "NINJA-1" {
			t.Errorf("changed on pinned boards: %s", got)
		}
		ana.post("/acme/boards/NINJA/archive", "archived", "1", "version", "1").is(t, http.StatusSeeOther)
		if got := ana.get("/acme").changed(); got != "" {
			t.Errorf("changed on an archived board: %s", got)
		}
		ana.post("/acme/boards/NINJA/archive", "version", "2").is(t, http.StatusSeeOther)
		if got := ana.get("/acme").changed(); got != "NINJA-1" {
			t.Errorf("changed on the board taken from the archive: %s", got)
		}

		ana.post("/acme/seen").goesTo(t, "/acme")
		e.exec("UPDATE activity SET created_at = created_at - INTERVAL 5 MINUTE") // as if it were not the same second
		e.exec("UPDATE comment SET created_at = created_at - INTERVAL 5 MINUTE")
		page = ana.get("/acme").has(t, 0, "[action='/acme/seen']")
		if got := page.changed(); got != "" {
			t.Errorf("changed after all was marked as seen: %s", got)
		}
		bo.post("/acme/NINJA-2/comments", "body", "Three").is(t, http.StatusSeeOther)
		e.publish()
		e.exec("UPDATE comment SET created_at = created_at - INTERVAL 1 MINUTE")
		e.exec("UPDATE home_visit SET last_at = last_at - INTERVAL 2 MINUTE, since_at = since_at - INTERVAL 2 MINUTE")
		ana.post("/acme/seen").goesTo(t, "/acme") // on a page that was loaded before that
		if got := ana.get("/acme").changed(); got != "NINJA-2" {
			t.Errorf("changed since: %s", got)
		}
		e.exec(`INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
			SELECT t.id, a.id, 'edited', '{"title":{"old":"x","new":"y"}}', v.since_at - INTERVAL 3 SECOND
			FROM ticket t JOIN board b ON b.id = t.board_id, account a, home_visit v JOIN account me ON me.id = v.account_id
			WHERE b.slug = 'NINJA' AND t.local_id = 3 AND a.name = 'bo' AND me.name = 'Ana'`) // committed after its time
		e.exec("UPDATE ticket SET feed_sync_id = NULL WHERE local_id = 3")
		e.publish()
		if got := ana.get("/acme").changed(); !strings.Contains(got, "NINJA-3") {
			t.Errorf("changed, with what was committed late: %s", got)
		}
	})

	t.Run("a bulk edit is one change", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ninja := e.newBoard("NINJA")
		e.newTickets("NINJA", ninja.Columns[0].ID, "One", "Two", "Three", "Four")
		bo := newcomer(e, "bo", accounts.Member)
		ana := e.ana()
		ana.get("/acme").is(t, http.StatusOK)
		e.looksLater("ana")
		bo.post("/acme/NINJA-4/comments", "body", "Look").is(t, http.StatusSeeOther)
		e.exec(`INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
			SELECT t.id, a.id, 'closed', '{"bulk_edit":1}', NOW(6) FROM ticket t JOIN board b ON b.id = t.board_id, account a WHERE b.slug = 'NINJA' AND a.name = 'bo'`)
		e.exec("UPDATE ticket SET feed_sync_id = NULL")
		e.publish()
		page := ana.get("/acme")
		if got := page.changed(); got != "many NINJA-4" && got != "NINJA-4 many" {
			t.Fatalf("changed: %s", got)
		}
		page.textHas(t, "#changes", "bo changed 4 tickets in a bulk edit")
		page.has(t, 3, "#changes .examples a")
	})

	t.Run("what is hidden is on no part of it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		hidden := e.newBoard("HIDE")
		e.newBoard("OPEN")
		e.newTickets("HIDE", hidden.Columns[0].ID, "Secret")
		bo, gil := newcomer(e, "bo", accounts.Member), newcomer(e, "gil", accounts.Guest)
		ana := e.ana()
		e.assign("HIDE-1", "bo")
		bo.get("/acme/HIDE-1").is(t, http.StatusOK)
		bo.post("/acme/boards/HIDE/pin", "pinned", "1").is(t, http.StatusSeeOther)
		ana.post("/acme/HIDE-1/comments", "body", "Whisper").is(t, http.StatusSeeOther)
		e.publish()
		page := bo.get("/acme")
		if got := page.changed(); got != "HIDE-1" {
			t.Fatalf("changed while it is open: %s", got)
		}
		if got := page.links("home-pinned") + " | " + page.links("home-recent"); got != "HIDE The HIDE board | HIDE-1Secret" {
			t.Fatalf("pinned and recent while it is open: %s", got)
		}
		page.textHas(t, ".work", "Secret")
		ana.post("/acme/boards/HIDE/privacy", "private", "yes").is(t, http.StatusSeeOther)
		for name, b := range map[string]*browser{"bo": bo, "gil": gil} {
			page := b.get("/acme").is(t, http.StatusOK)
			if strings.Contains(page.body, "HIDE") || strings.Contains(page.body, "Secret") || strings.Contains(page.body, "Whisper") {
				t.Errorf("%s reads of the hidden board", name)
			}
			b.post("/acme/boards/HIDE/pin", "pinned", "1").is(t, http.StatusNotFound)
			b.post("/acme/boards/HIDE/pin").is(t, http.StatusNotFound)
		}
		e.counts(t, 1, "SELECT COUNT(*) FROM pinned_board")
	})

	t.Run("boards are pinned and unpinned, up to a number", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		for i := range boards.MaxPins + 1 {
			slug := fmt.Sprintf("B%02d", i)
			e.newBoard(slug)
			if i < boards.MaxPins {
				ana.post("/acme/boards/"+slug+"/pin", "pinned", "1").goesTo(t, "/acme")
				ana.post("/acme/boards/"+slug+"/pin", "pinned", "1").goesTo(t, "/acme") // twice is once
			}
		}
		last := fmt.Sprintf("/acme/boards/B%02d/pin", boards.MaxPins)
		refused := ana.post(last, "pinned", "1").is(t, http.StatusConflict)
		refused.textHas(t, "[role=alert]", "Unpin one first")
		e.counts(t, boards.MaxPins, "SELECT COUNT(*) FROM pinned_board")
		ana.post("/acme/boards/B03/pin").goesTo(t, "/acme")
		ana.post("/acme/boards/B03/pin").goesTo(t, "/acme")
		ana.post(last, "pinned", "1").goesTo(t, "/acme")
		page := ana.get("/acme").has(t, boards.MaxPins, "section[aria-labelledby=home-pinned] li").has(t, boards.MaxPins, ".pin[aria-pressed=true]")
		if got := page.links("home-pinned"); !strings.HasPrefix(got, "B00 The B00 board; B01") || !strings.HasSuffix(got, "B20 The B20 board") || strings.Contains(got, "B03") {
			t.Errorf("pinned: %s", got)
		}
		ana.post("/acme/boards/NONE/pin", "pinned", "1").is(t, http.StatusNotFound)
	})

	t.Run("my work is the most urgent of it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ninja := e.newBoard("NINJA")
		e.newTickets("NINJA", ninja.Columns[0].ID, "Some day", "Late", "Soon", "Urgent")
		for n := range 4 {
			e.assign(fmt.Sprintf("NINJA-%d", n+1), "ana")
		}
		ana := e.ana()
		ana.post("/acme/NINJA-2/dates", "due", "2020-01-01").is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-3/dates", "due", "in 2d").is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-4/priority", "priority", "urgent", "seen", "none").is(t, http.StatusSeeOther)
		page := ana.get("/acme")
		var order []string
		page.page().Find(".work h3, .work .title").Each(func(_ int, s *goquery.Selection) { order = append(order, s.Text()) })
		if got := strings.Join(order, "; "); got != "Overdue; Late; Next 7 days; Soon; Later, or without a due date; Urgent; Some day" {
			t.Errorf("work: %s", got)
		}
		page.textIs(t, ".work .head a", "All 4")
	})
}
