package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/web"
)

const (
	firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	iphone  = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
		"Version/18.5 Mobile/15E148 Safari/604.1"
)

// signedInWith is signedIn in a browser with a user agent.
func (e *env) signedInWith(agent string) *browser {
	e.t.Helper()
	b := e.visitor().with("User-Agent", agent)
	b.post("/login", "email", email, "password", password).is(e.t, http.StatusSeeOther)
	return b
}

// sessionRows are the rows of the list of sessions.
func (a *answer) sessionRows() (rows []string) {
	a.page().Find("#sessions tbody tr").Each(func(_ int, row *goquery.Selection) {
		cells := row.Children().Map(func(_ int, cell *goquery.Selection) string {
			return strings.Join(strings.Fields(cell.Text()), " ")
		})
		rows = append(rows, strings.Join(cells, " | "))
	})
	return rows
}

func TestSessions(t *testing.T) {
	t.Parallel()
	t.Run("are listed with device and address, this one marked, and end one by one", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		desk, phone := e.signedInWith(firefox), e.signedInWith(iphone)
		rows := desk.get("/account").is(t, 200).sessionRows()
		if len(rows) != 2 || !strings.HasPrefix(rows[0], "Safari on iPhone | 192.0.2.1 | ") ||
			!strings.HasPrefix(rows[1], "Firefox on Linux this one | 192.0.2.1 | ") {
			t.Fatalf("the sessions are %q", rows)
		}
		page := desk.get("/account").page()
		end := page.Find("#sessions tbody tr:first-child form").AttrOr("action", "")
		desk.post(end).goesTo(t, "/account")
		desk.get("/account").textHas(t, "#flash", "The session is ended.")
		phone.get("/acme").goesTo(t, "/login?next=%2Facme")
		desk.get("/acme").is(t, 200)
		e.counts(t, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'session-ended'")
		desk.post(end).goesTo(t, "/account") // it has ended
		e.counts(t, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'session-ended'")
	})
	t.Run("end by the user's own page only", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("mia", "acme", "member")
		ana, mia := e.ana(), e.signedIn("mia")
		session := e.count("SELECT MIN(id) FROM sessions") // Ana's
		mia.post(fmt.Sprintf("/account/sessions/%d/revocation", session)).is(t, 303)
		ana.get("/acme").is(t, 200)
		mia.post("/account/sessions/x/revocation").is(t, 404)
	})
	t.Run("this one ends like a sign-out", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.post(fmt.Sprintf("/account/sessions/%d/revocation", e.count("SELECT MAX(id) FROM sessions"))).
			goesTo(t, "/login")
		ana.get("/acme").goesTo(t, "/login?next=%2Facme")
	})
	t.Run("all others end, and this one goes on", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		here, there := e.ana(), []*browser{e.ana(), e.ana()}
		began := e.count("SELECT FLOOR(UNIX_TIMESTAMP(began_at)) FROM sessions ORDER BY id LIMIT 1")
		here.post("/account/sessions/revocation").goesTo(t, "/account")
		here.get("/account").is(t, 200).has(t, 1, "#sessions tbody tr")
		for _, b := range there {
			b.get("/acme").goesTo(t, "/login?next=%2Facme")
		}
		e.counts(t, int(began), "SELECT FLOOR(UNIX_TIMESTAMP(began_at)) FROM sessions ORDER BY id DESC LIMIT 1")
	})
	t.Run("are shown a page at a time", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		for i := range 21 {
			e.exec(`INSERT INTO sessions (token, data, expiry, account_id, epoch, device, began_at, used_at)
				SELECT ?, 'x', NOW() + INTERVAL 1 DAY, id, session_epoch, 'Old', NOW(6), NOW(6) FROM account WHERE email = ?`,
				fmt.Sprint("t", i), email)
		}
		first := ana.get("/account").has(t, 20, "#sessions tbody tr")
		older, _ := first.page().Find(`a:contains("Older sessions")`).Attr("href")
		older, _, _ = strings.Cut(older, "#")
		rows := ana.get(older).has(t, 2, "#sessions tbody tr").sessionRows()
		if !strings.Contains(rows[1], "this one") {
			t.Errorf("the last rows are %q", rows)
		}
		ana.get("/account?sessions=x").is(t, 400)
	})
}

func TestSessionUse(t *testing.T) {
	t.Parallel()
	t.Run("is written once in five minutes", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.signedInWith(firefox)
		used := func() int64 {
			return e.count("SELECT CAST(UNIX_TIMESTAMP(used_at) * 1000000 AS UNSIGNED) FROM sessions")
		}
		ana.get("/acme").is(t, 200)
		first := used()
		ana.get("/acme").is(t, 200)
		if used() != first {
			t.Error("a use at once is written again")
		}
		e.exec("UPDATE sessions SET used_at = used_at - INTERVAL 6 MINUTE")
		ana.with("User-Agent", iphone).get("/acme").is(t, 200)
		if used() <= first-6*60*1000000 {
			t.Error("a use after six minutes is not written")
		}
		e.counts(t, 1, "SELECT COUNT(*) FROM sessions WHERE used_at > NOW(6) - INTERVAL 1 MINUTE")
	})
	t.Run("of a session from before the list puts it there", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.exec(`UPDATE sessions SET account_id = NULL, epoch = 0, device = '', address = '', began_at = NULL,
			used_at = NULL, confirmed_at = NULL`)
		ana.get("/account").has(t, 1, "#sessions tbody tr")
		e.counts(t, 1, "SELECT COUNT(*) FROM sessions WHERE began_at BETWEEN NOW(6) - INTERVAL 1 MINUTE AND NOW(6)")
	})
	t.Run("ends after fourteen days without, and after thirty with", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.counts(t, 14, "SELECT ROUND(TIMESTAMPDIFF(MINUTE, NOW(), expiry) / 1440) FROM sessions")
		e.exec("UPDATE sessions SET used_at = used_at - INTERVAL 13 DAY, expiry = NOW() + INTERVAL 1 DAY")
		ana.get("/acme").is(t, 200)
		e.counts(t, 14, "SELECT ROUND(TIMESTAMPDIFF(MINUTE, NOW(), expiry) / 1440) FROM sessions")
		e.exec("UPDATE sessions SET used_at = used_at - INTERVAL 14 DAY")
		ana.get("/acme").goesTo(t, "/login?next=%2Facme")
	})
	t.Run("does not end it later than the absolute end", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, func(cfg *web.Config) { cfg.Idle = 31 * 24 * time.Hour })
		e.ana()
		e.counts(t, 30, "SELECT ROUND(TIMESTAMPDIFF(MINUTE, NOW(), expiry) / 1440) FROM sessions")
	})
	t.Run("ends as the operator says", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, func(cfg *web.Config) { cfg.Idle = 24 * time.Hour })
		ana := e.ana()
		e.exec("UPDATE sessions SET used_at = used_at - INTERVAL 23 HOUR")
		ana.get("/acme").is(t, 200)
		e.exec("UPDATE sessions SET used_at = used_at - INTERVAL 24 HOUR")
		ana.get("/acme").goesTo(t, "/login?next=%2Facme")
	})
	t.Run("that cannot be written lets the page through", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.exec("UPDATE sessions SET used_at = used_at - INTERVAL 1 HOUR")
		e.exec("CREATE TRIGGER refuse BEFORE UPDATE ON sessions FOR EACH ROW SIGNAL SQLSTATE '45000'")
		ana.get("/acme").is(t, 200)
	})
}
