package web_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web"
)

// stock puts codes into the pool.
func (e *env) stock(codes ...string) {
	e.t.Helper()
	e.exec("UPDATE ref_policy SET canary_key = REPEAT('k', 16)") // which codes are canaries is the same in all tests
	e.mint(1, codes)
}

// mint puts codes into the ledger and the pool.
func (e *env) mint(batch int64, codes []string) {
	e.t.Helper()
	if len(codes) == 0 {
		return
	}
	values := func(end string) string { return "('" + strings.Join(codes, "'"+end+",('") + "'" + end }
	e.exec("INSERT INTO ref_ledger (code, batch) VALUES " + values(fmt.Sprintf(",%d)", batch)))
	e.exec("INSERT INTO ref_pool (code) VALUES " + values(")"))
}

// codes are n codes of the right form.
func codes(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("c%c%c%c%c", 'a'+i/26/26/26%26, 'a'+i/26/26%26, 'a'+i/26%26, 'a'+i%26))
	}
	return list
}

// newEnvWithForm has a board DEMO that takes requests.
func newEnvWithForm(t testing.TB, codes ...string) *env {
	t.Helper()
	e := newEnv(t)
	e.stock(codes...)
	e.offer(t, "DEMO", "on", "1", "intro", "How can we help?")
	return e
}

// offer saves the settings of a board's form on their current version.
func (e *env) offer(t testing.TB, board string, fields ...string) {
	t.Helper()
	ana := e.ana()
	seen := ana.get("/acme/boards/"+board+"/settings").is(t, 200).value(t, "#public-form [name=version]")
	ana.post("/acme/boards/"+board+"/form", append(fields, "version", seen)...).is(t, http.StatusSeeOther)
}

// requested turns a board's form on, stocks codes, sends the form and returns the private link.
func (e *env) requested(t testing.TB, board string) string {
	t.Helper()
	e.stock(codes(200)...)
	e.offer(t, board, "on", "1")
	return e.ask(t, board, "A request")
}

// ask sends a form and returns the private link.
func (e *env) ask(t testing.TB, board, title string) string {
	t.Helper()
	path := views.FormPath("acme", board)
	stranger := e.visitor()
	nonce := stranger.get(path).is(t, 200).value(t, "[name=nonce]")
	a := stranger.post(path, "nonce", nonce, "title", title, "description", "Please <b>help</b>", "email",
		"stranger@example.com").is(t, http.StatusSeeOther)
	return strings.TrimSuffix(a.header.Get("Location"), "/receipt")
}

// newest is the key of the ticket that was opened last on a board.
func (e *env) newest(t testing.TB, board string) string {
	t.Helper()
	return fmt.Sprintf("%s-%d", board,
		e.count("SELECT i.max_ticket_id FROM board_ticket_incrementer i JOIN board b ON b.id = i.board_id WHERE b.slug = ?",
			board))
}

func codeOf(link string) string { return strings.Split(link, "/")[2] }

func TestRequestForm(t *testing.T) {
	t.Parallel()
	t.Run("a stranger sends it, gets a receipt, and a reload opens no other", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP", "UkrEP")
		stranger := e.visitor()
		page := stranger.get("/acme/forms/DEMO").is(t, 200)
		if !strings.Contains(page.text(t, "main"), "How can we help?") {
			t.Error(page.body)
		}
		fields := []string{"nonce", page.value(t, "[name=nonce]"), "title", "The door is stuck", "description",
			"<b>Since</b> today", "email", ""}
		sent := stranger.post("/acme/forms/DEMO", fields...).is(t, http.StatusSeeOther)
		to := sent.header.Get("Location")
		before := e.count("SELECT COUNT(*) FROM ticket")
		for range 2 {
			receipt := stranger.get(to).is(t, 200)
			code := receipt.text(t, "#receipt .code")
			if code != codeOf(to) || receipt.value(t, "#receipt-code") != code {
				t.Errorf("the code is %q", code)
			}
			if link := receipt.value(t, "#receipt-link"); link != "http://example.com"+strings.TrimSuffix(to, "/receipt") {
				t.Errorf("the link is %q", link)
			}
		}
		stranger.post("/acme/forms/DEMO", fields...).goesTo(t, to)
		e.counts(t, int(before), "SELECT COUNT(*) FROM ticket")
		if e.count("SELECT COUNT(*) FROM sessions") != 1 { // Ana's
			t.Error("strangers have sessions")
		}
	})
	t.Run("a rejected form keeps the typed text", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		for what, fields := range map[string][]string{
			"no title":           {"title", "", "description", "Long story", "email", "a@b.example"},
			"a header":           {"title", "x", "description", "Long story", "email", "a@b.example\r\nBcc: c@d.example"},
			"a long title":       {"title", strings.Repeat("x", 256), "description", "Long story", "email", ""},
			"a filled trap":      {"title", "x", "description", "Long story", "email", "", "website", "https://spam.example"},
			"a long description": {"title", "x", "description", strings.Repeat("x", 65536), "email", ""},
		} {
			a := e.visitor().post("/acme/forms/DEMO", append(fields, "nonce", requests.NewToken())...).
				is(t, http.StatusUnprocessableEntity)
			if a.value(t, "#request-title") != fields[1] ||
				strings.TrimPrefix(a.value(t, "#request-description"), "\n") != fields[3] {
				t.Errorf("%s: what was typed is lost", what)
			}
			a.has(t, 1, "[role=alert]")
		}
		e.counts(t, 0, "SELECT COUNT(*) FROM ticket_request")
	})
	t.Run("without codes it says so, keeps what was typed, and says when to try again", func(t *testing.T) {
		t.Parallel()
		e := setUp(newEmptyEnv(t, quiet))
		e.offer(t, "DEMO", "on", "1")
		nonce := requests.NewToken()
		a := e.visitor().post("/acme/forms/DEMO", "nonce", nonce, "title", "Kept", "description", "All of it").
			is(t, http.StatusServiceUnavailable)
		if a.value(t, "#request-title") != "Kept" || a.value(t, "#request-description") != "All of it" ||
			a.value(t, "[name=nonce]") != nonce || a.header.Get("Retry-After") == "" {
			t.Error(a.header, a.body)
		}
		e.stock("ukrEP")
		e.visitor().post("/acme/forms/DEMO", "nonce", nonce, "title", "Kept", "description", "All of it").
			is(t, http.StatusSeeOther)
	})
	t.Run("too many are told to wait, and lose nothing", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, codes(40)...)
		e.stopClock()
		for i := range 20 {
			e.ask(t, "DEMO", fmt.Sprint("Request ", i))
		}
		a := e.visitor().post("/acme/forms/DEMO", "title", "One more").is(t, http.StatusTooManyRequests)
		if a.value(t, "#request-title") != "One more" || a.header.Get("Retry-After") == "" ||
			!strings.Contains(a.text(t, "main"), "Nothing was sent.") {
			t.Error(a.header, a.body)
		}
	})
	t.Run("without a form the answer is the same whatever the reason", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t)
		ana := e.ana()
		for _, slug := range []string{"PAST", "OFF"} {
			e.newBoard(slug)
			e.offer(t, slug, "on", "1")
		}
		ana.post("/acme/boards/PAST/archive", "archived", "1", "version", "1").is(t, http.StatusSeeOther)
		e.offer(t, "OFF", "intro", "x")
		e.visitor().get("/acme/forms/OFF").is(t, 404).has(t, 1, `main a[href="/t"]`).has(t, 0, `main a[href^="/login"]`)
		checkSame(t, e.visitor(), "/acme/forms/PAST", "/acme/forms/OFF", "/acme/forms/NOPE", "/nobody/forms/DEMO",
			"/acme/forms/DEMO.", "/acme/forms/1")
	})
	t.Run("the text of a form that is gone is shown, to be copied; that of another site is not",
		func(t *testing.T) {
			t.Parallel()
			e := newEnvWithForm(t, "ukrEP")
			fields := []string{"title", "The door", "description", "It is stuck", "email", "a@b.example"}
			a := e.visitor().post("/acme/forms/NOPE", fields...).is(t, http.StatusNotFound)
			if typed := a.text(t, ".typed"); !strings.Contains(typed, "The door") || !strings.Contains(typed, "It is stuck") ||
				!strings.Contains(typed, "a@b.example") {
				t.Error(a.body)
			}
			for _, path := range []string{"/acme/forms/DEMO", "/login"} {
				if a := e.visitor().with("Origin", "https://elsewhere.example").post(path, fields...); a.code < 400 ||
					strings.Contains(a.body, "It is stuck") {
					t.Error(path, a.code, a.body)
				}
			}
		})
	t.Run("sent again after its link was revoked or replaced, it leads to what the code tells", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		fields := []string{"nonce", requests.NewToken(), "title", "Once"}
		e.visitor().post("/acme/forms/DEMO", fields...).is(t, http.StatusSeeOther)
		ticket := "/acme/" + e.newest(t, "DEMO")
		e.ana().post(ticket+"/link/revocation").is(t, http.StatusSeeOther)
		e.visitor().post("/acme/forms/DEMO", fields...).goesTo(t, "/t/ukrEP")
		e.ana().post(ticket+"/link").is(t, http.StatusCreated)
		e.visitor().post("/acme/forms/DEMO", fields...).goesTo(t, "/t/ukrEP")
		e.visitor().get("/t/ukrEP").is(t, 200)
	})
	t.Run("it is kept by no robot and loads nothing from elsewhere", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		link := e.ask(t, "DEMO", "Help")
		for path, policy := range map[string]string{"/acme/forms/DEMO": "same-origin", "/t": "no-referrer",
			"/t/ukrEP": "no-referrer", link: "no-referrer", link + "/receipt": "no-referrer", "/t/zzzzz": "no-referrer"} {
			a := e.visitor().get(path)
			head := a.header
			if head.Get("X-Robots-Tag") != "noindex, nofollow" || head.Get("Cache-Control") != "private, no-store" ||
				head.Get("Referrer-Policy") != policy || strings.Contains(head.Get("Content-Security-Policy"), "https:") ||
				head.Get("Set-Cookie") != "" {
				t.Errorf("%s: %v", path, head)
			}
			if a.code == 200 {
				a.has(t, 1, `meta[name=robots][content="noindex, nofollow"]`)
			}
		}
	})
}

// checkSame fails if the answers to these paths differ in status, headers or body; or, of paths of one form, in
// queries.
func checkSame(t *testing.T, b *browser, paths ...string) {
	t.Helper()
	var first *answer
	took := map[int][]string{} // by how many slashes a path has
	for _, path := range paths {
		b.env.watch.Take()
		a := b.get(path)
		sent, _ := b.env.watch.Take()
		if first == nil {
			first = a.is(t, http.StatusNotFound)
		}
		form := strings.Count(path, "/")
		if took[form] == nil {
			took[form] = sent
		}
		if a.code != first.code || a.body != first.body || fmt.Sprint(a.header) != fmt.Sprint(first.header) {
			t.Errorf("%s: %d %v\n%s\nbut %s: %d %v\n%s", path, a.code, a.header, a.body, paths[0], first.code, first.header,
				first.body)
		}
		if !slices.Equal(sent, took[form]) {
			t.Errorf("%s takes\n%s\nbut others\n%s", path, strings.Join(sent, "\n"), strings.Join(took[form], "\n"))
		}
	}
}

func TestTrackingPages(t *testing.T) {
	t.Parallel()
	t.Run("a code shows the state and nothing else, a private link the rest", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		link := e.ask(t, "DEMO", "The secret door")
		key := e.newest(t, "DEMO")
		ana := e.ana()
		ana.post("/acme/"+key+"/comments", "body", "They never learn").is(t, http.StatusSeeOther)
		ana.post("/acme/"+key+"/comments", "body", "We **look** into @ana and "+key+" ![x](https://evil.example/x.png)",
			"public", "1").is(t, http.StatusSeeOther)
		a := e.visitor().get("/t/ukrEP").is(t, 200)
		if text := a.text(t, "main"); !strings.Contains(text, "Received") || strings.Contains(text, "door") ||
			strings.Contains(text, "look") || strings.Contains(a.body, key) {
			t.Error(text)
		}
		a.has(t, 0, "main form")
		a = e.visitor().get(link).is(t, 200)
		text := a.text(t, "main")
		if !strings.Contains(text, "The secret door") || !strings.Contains(text, "We look into") ||
			strings.Contains(text, "They never learn") {
			t.Error(text)
		}
		a.has(t, 1, ".prose strong").has(t, 0, "main a.key, .mention, main b")
		e.visitor().post(link+"/replies", "body", "<i>Thank</i> you").goesTo(t, link+"#said")
		if text := e.visitor().get(link).text(t, "#said"); !strings.Contains(text, "You") ||
			!strings.Contains(text, "<i>Thank</i> you") {
			t.Error(text)
		}
		e.visitor().post(link+"/replies", "body", " ").is(t, http.StatusUnprocessableEntity).has(t, 1, "#reply-body-error")
	})
	t.Run("a private link shows what was sent, whatever members made of it", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		link := e.ask(t, "DEMO", "The <b>door</b>")
		key := e.newest(t, "DEMO")
		wrote := e.visitor().get(link).is(t, 200).has(t, 0, ".sent .title").text(t, ".sent .as-typed")
		if wrote == "" {
			t.Error("nothing of what was written is there")
		}
		ana := e.ana()
		for version, fields := range [][]string{{"title", "Door", "description", wrote}, {"title", "Gate", "description", "Done *so*"},
			{"title", "Gate 2", "description", ""}} {
			ana.post("/acme/"+key, append(fields, "version", fmt.Sprint(version+1))...).is(t, http.StatusSeeOther)
		}
		a := e.visitor().get(link).is(t, 200)
		a.textIs(t, "main h1", "Gate 2")
		a.textIs(t, ".sent .title", "The <b>door</b>")
		a.textIs(t, ".sent .as-typed", wrote)
		e.visitor().get("/t/ukrEP").is(t, 200).has(t, 0, ".sent")
		e.exec(`UPDATE activity SET detail = '{}' WHERE kind = 'edited'`)
		e.exec(`INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
			WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 100)
			SELECT r.ticket_id, 1, 'edited', '{}', NOW(6) FROM ticket_request r JOIN n`)
		e.visitor().get(link).is(t, 200).has(t, 0, ".sent") // it was edited too often to find it
	})
	t.Run("a reply is said once, however often its form is sent; a refused form keeps its nonce", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "caaaa")
		link := e.ask(t, "DEMO", "A door")
		nonceOn := func(a *answer) string { return a.page().Find("form [name=nonce]").AttrOr("value", "") }
		nonce := nonceOn(e.visitor().get(link).is(t, 200))
		refused := e.visitor().post(link+"/replies", "body", " ", "nonce", nonce).is(t, http.StatusUnprocessableEntity)
		if kept := nonceOn(refused); nonce == "" || kept != nonce {
			t.Errorf("the nonce is %q, and that of the refused form %q", nonce, kept)
		}
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				e.visitor().post(link+"/replies", "body", "Thank you", "nonce", nonce).goesTo(t, link+"#said")
			})
		}
		all.Wait()
		e.counts(t, 1, "SELECT COUNT(*) FROM comment WHERE body = 'Thank you'")
		e.visitor().post(link+"/replies", "body", "Thank you!", "nonce", nonce).goesTo(t, link+"#said")
		e.counts(t, 1, "SELECT COUNT(*) FROM comment WHERE body = 'Thank you!'")
	})
	t.Run("a link that leads to nothing answers the same whatever the reason", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "caaaa", "caaab", "caaac")
		live := e.ask(t, "DEMO", "Live")
		deleted := e.ask(t, "DEMO", "Deleted")
		gone := e.newest(t, "DEMO")
		revoked := e.ask(t, "DEMO", "Revoked")
		ana := e.ana()
		ana.post("/acme/"+gone+"/deletion").is(t, http.StatusSeeOther)
		ana.post("/acme/"+e.newest(t, "DEMO")+"/link/revocation").is(t, http.StatusSeeOther)
		e.visitor().get("/t/zzzzz").is(t, 404).has(t, 1, `main a[href="/t"]`) // it reads which codes are canaries, once
		checkSame(t, e.visitor(), "/t/zzzzz", "/t/"+codeOf(deleted), "/t/"+codeOf(live)+"/"+requests.NewToken(), deleted,
			revoked, "/t/"+codeOf(live)+"/x", revoked+"/receipt", deleted+"/receipt")
		e.visitor().get("/t/"+codeOf(revoked)).is(t, 200) // the code alone still tells how far it is
	})
	t.Run("case matters, and the box leads on", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		e.ask(t, "DEMO", "Help")
		e.visitor().get("/t?code=+ukrEP+").goesTo(t, "/t/ukrEP")
		e.visitor().get("/t/ukrEP").is(t, 200)
		e.visitor().get("/t/UkrEP").is(t, 404)
	})
	t.Run("a reply from the private link needs no origin, as browsers send none from there", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		link := e.ask(t, "DEMO", "Help")
		e.visitor().with("Origin", "null").post(link+"/replies", "body", "Hello").is(t, http.StatusSeeOther)
		e.visitor().with("Origin", "null").post("/acme/forms/DEMO", "title", "Hello").is(t, http.StatusForbidden)
	})
	t.Run("the log has no code", func(t *testing.T) {
		t.Parallel()
		var log bytes.Buffer
		e := newEnv(t, func(cfg *web.Config) {
			cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		})
		e.stopClock()
		e.stock("ukrEP")
		e.offer(t, "DEMO", "on", "1")
		link := e.ask(t, "DEMO", "The secret door")
		stranger := e.visitor()
		for _, path := range []string{link + "/receipt", link, "/t/ukrEP"} {
			stranger.get(path).is(t, 200)
		}
		stranger.post(link+"/replies", "body", "Thank you").is(t, http.StatusSeeOther)
		stranger.post(link+"/replies", "body", " ").is(t, http.StatusUnprocessableEntity)
		stranger.post("/acme/forms/DEMO", "title", "", "email", "stranger@example.com").is(t, http.StatusUnprocessableEntity)
		for range 20 {
			stranger.get(link+"x").is(t, 404)
		}
		stranger.get("/t/ukrEP").is(t, http.StatusTooManyRequests)
		e.exec("RENAME TABLE comment TO lost")
		stranger.get(link).is(t, http.StatusInternalServerError)
		stranger.post(link+"/replies", "body", "Are you there?").is(t, http.StatusInternalServerError)
		e.exec("RENAME TABLE ticket_request TO gone")
		stranger.post("/acme/forms/DEMO", "title", "Another", "email", "stranger@example.com").
			is(t, http.StatusInternalServerError)
		said := log.String()
		for _, told := range []string{"path=/t/… ", "status=404", "status=429", "level=ERROR", "path=/acme/forms/DEMO"} {
			if !strings.Contains(said, told) {
				t.Errorf("%q is not in the log", told)
			}
		}
		for _, secret := range []string{"ukrEP", strings.Split(link, "/")[3], "stranger@", "secret door", "Thank you"} {
			if at := strings.Index(said, secret); at >= 0 {
				t.Errorf("%q is in the log: %s", secret, said[max(0, at-300):at+len(secret)])
			}
		}
	})
	t.Run("a reply by a link that was revoked meanwhile is shown, to be copied", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		link := e.ask(t, "DEMO", "Help")
		e.ana().post("/acme/"+e.newest(t, "DEMO")+"/link/revocation").is(t, http.StatusSeeOther)
		a := e.visitor().post(link+"/replies", "body", "It took me an hour to write this").is(t, 404)
		a.textIs(t, ".typed textarea", "It took me an hour to write this")
	})
}

func TestTrackingLimits(t *testing.T) {
	t.Parallel()
	t.Run("a guesser must wait, and is counted", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		e.stopClock()
		e.ask(t, "DEMO", "Help")
		before := metric(t, e, `counterfoil_code_lookups_total{outcome="refused"}`)
		for range 20 {
			e.visitor().get("/t/zzzzz").is(t, 404)
		}
		for _, path := range []string{"/t/zzzzz", "/t/ukrEP"} {
			a := e.visitor().get(path).is(t, http.StatusTooManyRequests)
			if says := a.text(t, "main"); a.header.Get("Retry-After") == "" || strings.Contains(says, "sent") ||
				!strings.Contains(says, "wrong codes") {
				t.Error(a.header, says)
			}
		}
		if n := metric(t, e, `counterfoil_code_lookups_total{outcome="refused"}`); n < before+2 {
			t.Errorf("%v were refused, after %v", n, before)
		}
	})
	t.Run("a scanner is seen on the page about codes", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		e.stopClock()
		ana := e.ana()
		for range 30 {
			e.visitor().get("/t/zzzzz")
		}
		domaintest.Must(t, e.workflows.Delivery.TendRefs(t.Context()))
		if misses := ana.get(views.RefsPath).is(t, 200).text(t, "#refs-misses"); !strings.HasPrefix(misses, "20 (100") {
			t.Errorf("it says %q", misses)
		}
	})
	t.Run("behind a proxy each has a budget of their own, and none for an address that they make up", func(t *testing.T) {
		t.Parallel()
		_, trusted, _ := net.ParseCIDR("10.0.0.0/8")
		e := newEnv(t, func(cfg *web.Config) { cfg.Proxies = []*net.IPNet{trusted} })
		e.stopClock()
		e.stock(codes(60)...)
		e.offer(t, "DEMO", "on", "1")
		send := func(method, path, client string, forged int, fields ...string) int {
			r := newRequest(method, path, formKind, strings.NewReader(form(fields...).Encode()), "X-Forwarded-For",
				fmt.Sprintf("203.0.113.%d, %s", forged, client))
			r.RemoteAddr = "10.0.0.1:1"
			return e.send(r).code
		}
		for _, client := range []string{"192.0.2.7", "192.0.2.8"} {
			answers := map[int]int{}
			for i := range 30 {
				answers[send(http.MethodPost, "/acme/forms/DEMO", client, i, "title", fmt.Sprint(client, i))]++
				answers[send(http.MethodGet, "/t/zzzzz", client, i)]++
			}
			if want := map[int]int{http.StatusSeeOther: 20, http.StatusNotFound: 20,
				http.StatusTooManyRequests: 20}; !maps.Equal(answers, want) {
				t.Error(client, answers)
			}
		}
	})
}

func TestRequestsForMembers(t *testing.T) {
	t.Parallel()
	t.Run("a ticket says who sent it, and what it says is text", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		e.ask(t, "DEMO", "<script>1</script>")
		a := e.ana().get("/acme/"+e.newest(t, "DEMO")).is(t, 200)
		if text := a.text(t, "#requester"); !strings.Contains(text, "ukrEP") ||
			!strings.Contains(text, "stranger@example.com") {
			t.Error(text)
		}
		if a.text(t, ".face .as-typed") != "Please <b>help</b>" || a.text(t, "h1") != "<script>1</script>" {
			t.Error(a.body)
		}
		a.has(t, 1, "#reply-form .answer").has(t, 1, "#comment-form .primary.js-only")
		if a.text(t, "#reply-form button") != "Reply to requester" ||
			a.text(t, "#comment-form .primary.js-only") != "Comment internally" {
			t.Error("one cannot tell the two apart")
		}
		e.ana().get("/acme/DEMO-1").has(t, 0, "#requester, #reply-form")
	})
	t.Run("comments say who reads them", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		link := e.ask(t, "DEMO", "Help")
		path := "/acme/" + e.newest(t, "DEMO")
		ana := e.ana()
		ana.post(path+"/comments", "body", "Among us")
		ana.post(path+"/comments", "body", "To you", "public", "1")
		e.visitor().post(link+"/replies", "body", "<b>To</b> **us**")
		a := ana.get(path).is(t, 200)
		var chips []string
		for _, selector := range []string{"#said li:nth-child(1) .chip", "#said li:nth-child(2).public .chip",
			"#said li:nth-child(3).requester .chip"} {
			chips = append(chips, a.text(t, selector))
		}
		if want := []string{"Internal", "Reply to the requester", "From the requester"}; !slices.Equal(chips, want) {
			t.Error(chips)
		}
		if a.text(t, "#said .requester .as-typed") != "<b>To</b> **us**" {
			t.Error(a.body)
		}
		ana.get("/acme/inbox").is(t, 200).textIs(t, ".entry:first-child .excerpt", "<b>To</b> **us**")
		ana.post(path+"/comments", "body", "", "public", "1").is(t, http.StatusUnprocessableEntity).
			has(t, 1, "#answer-body-error").has(t, 0, "#comment-body-error")
	})
	t.Run("a new link is shown once, and either ends the one before", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		first := e.ask(t, "DEMO", "Help")
		path := "/acme/" + e.newest(t, "DEMO")
		ana := e.ana()
		second := strings.TrimPrefix(ana.post(path+"/link").is(t, http.StatusCreated).value(t, "#request-link"),
			"http://example.com")
		e.visitor().get(first).is(t, 404)
		e.visitor().get(second).is(t, 200)
		if a := ana.get(path); strings.Contains(a.body, second) {
			t.Error("it is shown again")
		}
		ana.post(path+"/link/revocation").goesTo(t, path)
		e.visitor().get(second).is(t, 404)
		a := ana.get(path).has(t, 0, `form[action$="/revocation"]`).has(t, 1, `form[action$="/link"]`)
		a.textHas(t, "#reply-form .hint", "can read this once there is a new one")
		ana.post(path + "/link")
		ana.get(path).textHas(t, "#reply-form .hint", "Anyone with the private link")
	})
	t.Run("programs are told what is public and what a requester wrote, and no code and no token", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t, "ukrEP")
		link := e.ask(t, "DEMO", "Help")
		key := e.newest(t, "DEMO")
		e.program().post("/tickets/"+key+"/comments", object{"body": "Hello", "public": true}).is(t, http.StatusCreated)
		e.program().post("/tickets/DEMO-1/comments", object{"body": "Hello", "public": true}).
			problem(t, http.StatusUnprocessableEntity, "public")
		e.visitor().post(link+"/replies", "body", "Hello yourself").is(t, http.StatusSeeOther)
		ticket := e.program().get("/tickets/"+key).is(t, 200).body
		comments := e.program().get("/tickets/"+key+"/comments").is(t, 200).body
		if !strings.Contains(ticket, `"from_requester":true`) || !strings.Contains(comments,
			`"public":true,"from_requester":false`) || !strings.Contains(comments, `"public":true,"from_requester":true`) {
			t.Error(ticket, comments)
		}
		for _, body := range []string{ticket, comments} {
			if strings.Contains(body, "ukrEP") || strings.Contains(body, strings.Split(link, "/")[3]) ||
				strings.Contains(body, "stranger@") {
				t.Error("it tells the code, the token or the address:", body)
			}
		}
	})
	t.Run("the settings show the address of a form that is on", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t)
		ana := e.ana()
		if address := ana.get("/acme/boards/DEMO/settings").
			value(t, "#form-address"); address != "http://example.com/acme/forms/DEMO" {
			t.Error(address)
		}
		ana.post("/acme/boards/DEMO/form", "intro", strings.Repeat("x", 2001), "on", "1", "version", "1").
			is(t, http.StatusUnprocessableEntity).has(t, 1, "#public-intro-error")
		e.offer(t, "DEMO", "intro", "")
		ana.get("/acme/boards/DEMO/settings").has(t, 0, "#form-address")
		e.account("vera", "acme", "viewer")
		e.signedIn("vera").get("/acme/boards/DEMO/settings").has(t, 0, "#public-form")
	})
}

func TestPublicFormSettings(t *testing.T) {
	t.Parallel()
	t.Run("a stale form shows the current one, keeps the typed text, and can be saved again", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t)
		ana := e.ana()
		seen := ana.get("/acme/boards/DEMO/settings").value(t, "#public-form [name=version]")
		e.offer(t, "DEMO", "intro", "Closed for the holidays")
		a := ana.post("/acme/boards/DEMO/form", "on", "1", "intro", "What is broken?", "version", seen).
			is(t, http.StatusConflict)
		if now := a.text(t, "#public-form .theirs"); !strings.Contains(now, "The form is off.") ||
			!strings.Contains(now, "Closed for the holidays") {
			t.Error(now)
		}
		if a.text(t, "#public-intro") != "What is broken?" {
			t.Error("what was typed is lost")
		}
		a.has(t, 1, "#public-form .summary[role=alert]").has(t, 1, "#public-form [name=on][checked]").
			has(t, 0, "#form-address")
		ana.post("/acme/boards/DEMO/form", "on", "1", "intro", "What is broken?", "version",
			a.value(t, "#public-form [name=version]")).is(t, http.StatusSeeOther)
		ana.get("/acme/boards/DEMO/settings").textIs(t, "#public-intro", "What is broken?")
	})
	t.Run("a form that does not say what it was made from is refused, as those of boards are", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t)
		for _, version := range []string{"", "x", "-1", "1e3"} {
			e.ana().post("/acme/boards/DEMO/form", "intro", "Mine", "version", version).is(t, http.StatusUnprocessableEntity)
		}
		e.ana().post("/acme/boards/DEMO/form", "intro", "Mine", "version", "9223372036854775807").is(t, http.StatusConflict)
	})
}

// metric is the value of a metric of this process, 0 if it has none yet.
func metric(t testing.TB, e *env, name string) (value float64) {
	t.Helper()
	for line := range strings.Lines(e.metrics()) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			domaintest.OK(fmt.Sscan(rest, &value))(t)
		}
	}
	return value
}

func TestOnlyAdminsTurnOnAPublicForm(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	mia := e.signedIn("mia")
	a := mia.post("/acme/boards/DEMO/form", "on", "1", "intro", "", "version", "0").is(t, http.StatusForbidden)
	a.textHas(t, "#main", "Only admins and owners")
	e.counts(t, 0, "SELECT COUNT(*) FROM request_form")
	e.signedIn("adam").post("/acme/boards/DEMO/form", "on", "1", "intro", "", "version", "0").is(t, http.StatusSeeOther)
	seen := mia.get("/acme/boards/DEMO/settings").value(t, "#public-form input[name=version]")
	mia.post("/acme/boards/DEMO/form", "on", "1", "intro", "Hello", "version", seen).is(t, http.StatusSeeOther)
	seen = mia.get("/acme/boards/DEMO/settings").value(t, "#public-form input[name=version]")
	mia.post("/acme/boards/DEMO/form", "intro", "Hello", "version", seen).is(t, http.StatusSeeOther)
	seen = mia.get("/acme/boards/DEMO/settings").value(t, "#public-form input[name=version]")
	mia.post("/acme/boards/DEMO/form", "on", "1", "intro", "Hello", "version", seen).is(t, http.StatusForbidden)
}
