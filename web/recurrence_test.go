package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestRecurrence(t *testing.T) {
	t.Parallel()
	t.Run("without JavaScript it is set, shown, opens the next ticket, is undone and ended", func(t *testing.T) {
		t.Parallel()
		e, ana, ben := newEnvInBerlin(t)
		ana.get("/acme/DEMO-1").has(t, 0, "a[href='/acme/DEMO-1/recurrence']") // it has no due date
		ana.post("/acme/DEMO-1/dates", "due", "2030-01-31").is(t, 303)
		ana.get("/acme/DEMO-1").has(t, 1, "a[href='/acme/DEMO-1/recurrence']")
		form := ana.get("/acme/DEMO-1/recurrence").is(t, 200)
		form.has(t, 1, "[name=unit] [value=week][selected]").has(t, 1, "[name=day][value=th][checked]").has(t, 1, "[name=day][checked]")
		e.publish()
		ana.post("/acme/DEMO-1/recurrence", "every", "1", "unit", "month", "ends", "never", "opens", "closed").
			goesTo(t, "/acme/DEMO-1")
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE local_id = 1 AND feed_sync_id IS NULL")
		page := ana.get("/acme/DEMO-1").is(t, 200)
		page.textHas(t, ".repeats", "Repeats every month")
		page.textHas(t, ".properties", "The next one, due 28 Feb 2030, is opened when this one is closed.")
		page.textIs(t, "#history li:first-child p", "Ana set it to repeat every month, when it is closed")
		e.publish()
		if a := e.program().get("/feeds/tickets").is(t, 200); !strings.Contains(a.body,
			`"recurrence":{"rule":"FREQ=MONTHLY;BYSETPOS=-1;BYMONTHDAY=28,29,30,31","opens":"closed","time_zone":"Europe/Berlin","next":"2030-02-28","state":"active","owner":{"name":"Ana"}}`) {
			t.Error("the feed does not have it")
		}
		ana.post("/acme/undo").goesTo(t, "/acme/DEMO-1")
		ana.get("/acme/DEMO-1").has(t, 0, ".repeats").
			textIs(t, "#history li:first-child p", "Ana undid a change: stopped repeating it")
		ben.post("/acme/DEMO-1/recurrence", "every", "1", "unit", "month", "ends", "never", "opens", "closed").is(t, 303)
		ana.post("/acme/DEMO-1/closure", "closed", "1").is(t, 303)
		if n := domaintest.OK(e.workflows.Workflows.OpenRecurring(context.Background()))(t); n != 1 {
			t.Fatalf("%d tickets were opened", n)
		}
		page = ana.get("/acme/DEMO-1")
		page.textHas(t, "#history li:first-child p", "ben opened the next one, DEMO-8")
		page = ana.get("/acme/DEMO-8").is(t, 200)
		page.textHas(t, "#history li:first-child p", "ben opened it by the rule of DEMO-1")
		page.textHas(t, ".properties .due", "Due 28 Feb 2030")
		ana.post("/acme/DEMO-8/recurrence", "stop", "1").goesTo(t, "/acme/DEMO-8")
		ana.get("/acme/DEMO-8").has(t, 0, ".repeats").textIs(t, "#history li:first-child p", "Ana stopped repeating it")
	})
	t.Run("what was typed stays in a form that is refused", func(t *testing.T) {
		t.Parallel()
		e, ana, _ := newEnvInBerlin(t)
		send := func(pairs ...string) *answer {
			values := url.Values{}
			for i := 0; i < len(pairs); i += 2 {
				values.Add(pairs[i], pairs[i+1])
			}
			return ana.send(newRequest(http.MethodPost, "/acme/DEMO-1/recurrence", "application/x-www-form-urlencoded",
				strings.NewReader(values.Encode())))
		}
		e.unchanged(t, func() {
			send("every", "2", "unit", "week", "opens", "due").is(t, 409).textHas(t, ".summary", "Set a due date first")
		})
		ana.post("/acme/DEMO-1/dates", "due", "2030-01-31").is(t, 303)
		e.unchanged(t, func() {
			page := send("every", "many", "unit", "week", "day", "mo", "day", "su", "ends", "until", "until", "some day", "count",
				"7", "opens", "closed").is(t, 422)
			page.textHas(t, "#recurrence-every-error", "1 to 999")
			page.textHas(t, "#recurrence-until-error", "is no date")
			page.has(t, 1, "[name=every][value=many]").has(t, 2, "[name=day][checked]").has(t, 1, "[value=until][checked]")
			page.has(t, 1, "[name=until][value='some day']").has(t, 1, "[name=count][value='7']").has(t, 1, "[value=closed][checked]")
			send("every", "1", "unit", "day", "ends", "until", "until", "2029-01-01").is(t, 422).textHas(t, ".summary", "no date after")
			send("every", "1", "unit", "day", "ends", "until").is(t, 422).textHas(t, "#recurrence-until-error", "Type the last day")
			send("every", "1", "unit", "day", "ends", "count", "count", "1").is(t, 422).textHas(t, "#recurrence-count-error", "2 to 3660")
			send("every", "1", "unit", "aeon").is(t, 422).has(t, 1, "#recurrence-unit-error")
			send("every", "1", "unit", "day", "opens", "sometimes").is(t, 422)
			for _, rule := range []string{"FREQ=SECONDLY", hostile, "\xff", strings.Repeat("A", 70_000)} {
				send("rule", rule).is(t, 422).has(t, 1, "#recurrence-rule-error")
			}
			send("rule", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30").is(t, 422).textHas(t, "#recurrence-rule-error", "no date after")
		})
		send("rule", "freq=monthly;byday=-1fr").is(t, 303)
		ana.get("/acme/DEMO-1").textHas(t, ".repeats", "Repeats by the rule FREQ=MONTHLY;BYDAY=-1FR")
		ana.get("/acme/DEMO-1/recurrence").has(t, 1, "details[open] [name=rule][value='FREQ=MONTHLY;BYDAY=-1FR']")
	})
	t.Run("the API sets and ends it, and a reader does not", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		api := e.program()
		e.account("vic", "acme", accounts.Viewer)
		api.patch("/tickets/DEMO-1", map[string]any{"due": "2030-01-31T15:00:00Z"}).is(t, 200)
		a := api.put("/tickets/DEMO-1/recurrence", map[string]any{"rule": "FREQ=WEEKLY;BYDAY=TH", "time_zone": "America/New_York"}).is(t, 200)
		if !strings.Contains(a.body, `"rule":"FREQ=WEEKLY;BYDAY=TH","opens":"due","time_zone":"America/New_York","next":"2030-02-07T15:00:00Z"`) {
			t.Errorf("the ticket is %s", a.body)
		}
		e.unchanged(t, func() {
			api.put("/tickets/DEMO-1/recurrence", map[string]any{"rule": "weekly"}).problem(t, 422, "rule")
			api.put("/tickets/DEMO-1/recurrence", map[string]any{"rule": "FREQ=HOURLY"}).problem(t, 422, "rule")
			api.put("/tickets/DEMO-1/recurrence", map[string]any{"rule": "FREQ=DAILY", "opens": "never"}).problem(t, 422, "opens")
			api.put("/tickets/DEMO-1/recurrence", map[string]any{"rule": "FREQ=DAILY", "time_zone": "../etc/passwd"}).
				problem(t, 422, "time_zone")
			api.put("/tickets/DEMO-2/recurrence", map[string]any{"rule": "FREQ=DAILY"}).is(t, 409)
			api.put("/tickets/DEMO-99/recurrence", map[string]any{"rule": "FREQ=DAILY"}).is(t, 404)
			vic := &program{env: e, token: e.tokenOf("vic", "acme", "tickets:read")}
			vic.put("/tickets/DEMO-1/recurrence", map[string]any{"rule": "FREQ=DAILY"}).is(t, 403)
		})
		api.delete("/tickets/DEMO-1/recurrence").is(t, 204)
		api.delete("/tickets/DEMO-1/recurrence").is(t, 204)
		if a := api.get("/tickets/DEMO-1").is(t, 200); !strings.Contains(a.body, `"recurrence":null`) {
			t.Errorf("the ticket is %s", a.body)
		}
	})
	t.Run("a rule whose owner left is shown as paused, also in the inbox of the board's admins", func(t *testing.T) {
		t.Parallel()
		e, ana, ben := newEnvInBerlin(t)
		ben.post("/acme/DEMO-1/dates", "due", "2020-01-31").is(t, 303)
		ben.post("/acme/DEMO-1/recurrence", "every", "1", "unit", "day").is(t, 303)
		e.exec("DELETE FROM membership WHERE account_id = (SELECT id FROM account WHERE name = 'Ben')")
		domaintest.OK(e.workflows.Workflows.OpenRecurring(context.Background()))(t)
		page := ana.get("/acme/DEMO-1").is(t, 200)
		page.textHas(t, ".properties", "Paused: ben may not open tickets on this board any more.")
		page.textIs(t, "#history li:first-child p", "ben may not open tickets here any more, so it is not repeated")
		ana.get("/acme/inbox").is(t, 200).textHas(t, "#inbox", "ben no longer repeats DEMO-1")
		e.account("gus", "acme", accounts.Guest)
		e.signedIn("gus").get("/acme/DEMO-1/recurrence").is(t, 404)
	})
	t.Run("a request of a stranger is not repeated", func(t *testing.T) {
		t.Parallel()
		e, ana, _ := newEnvInBerlin(t)
		e.exec("UPDATE ticket SET from_requester = TRUE, due_at = '2030-01-31' WHERE local_id = 1")
		e.unchanged(t, func() {
			ana.post("/acme/DEMO-1/recurrence", "every", "1", "unit", "day").is(t, 409).textHas(t, ".summary", "Duplicate it")
		})
	})
}
