package web_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestWebhookFilterForm(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.program().post("/labels", object{"name": "big idea"}).is(t, http.StatusCreated)
	ana := e.ana()
	const list, one = "/acme/settings/webhooks", "/acme/settings/webhooks/1"
	fields := func(query string, more ...string) []string {
		return append([]string{"url", "https://hooks.example.com/x", "feeds", "tickets", "q", query}, more...)
	}
	t.Run("wrong queries are kept, with what is wrong with them", func(t *testing.T) {
		for query, says := range map[string]string{
			`label:"big ide"`:   "Did you mean “big idea”?",
			"assignee:me":       "where nobody reads",
			"colour:red":        "There is no field “colour”",
			"sort:due":          "Remove it.",
			`"<b>` + "' or 1=1": "", // syntax
			"\u202ered":         "invalid characters",
		} {
			page := ana.post(list, fields(query)...).is(t, http.StatusUnprocessableEntity)
			page.has(t, 1, "#webhook-q-error").textHas(t, "#webhook-q-error", says)
			if got := page.page().Find("#webhook-q").AttrOr("value", ""); !strings.Contains(query, "\u202e") && got != query {
				t.Errorf("the field has %q, not %q", got, query)
			}
			page.has(t, 1, "#webhook-url[value='https://hooks.example.com/x']")
		}
		both := ana.post(list, "url", "nonsense", "q", "colour:red").is(t, http.StatusUnprocessableEntity)
		both.has(t, 1, "#webhook-q-error").has(t, 1, "#webhook-url-error")
		e.counts(t, 0, "SELECT COUNT(*) FROM webhook")
	})
	t.Run("it is shown, changed and taken off", func(t *testing.T) {
		ana.post(list, fields(`  label:"big idea"   status:open `)...).is(t, http.StatusCreated)
		ana.get(list).textHas(t, "#webhooks tbody tr code.query", `label:"big idea" status:open`)
		ana.get(one).has(t, 1, `#webhook-q[value='label:"big idea" status:open']`)
		ana.post(one, fields("board:DEMO", "version", "1")...).goesTo(t, one)
		ana.get(one).has(t, 1, "#webhook-q[value='board:DEMO']")
		stale := ana.post(one, fields("priority:high", "version", "1")...).is(t, http.StatusConflict)
		stale.has(t, 1, "#webhook-q[value='priority:high']")
		ana.post(one, fields("", "version", "2")...).goesTo(t, one)
		ana.get(list).has(t, 0, "#webhooks code.query")
	})
	t.Run("one that stopped because of its filter says so, and is not turned on before that is mended", func(t *testing.T) {
		ana.post(one, fields(`label:"big idea"`, "version", "3")...).goesTo(t, one)
		e.exec("UPDATE label SET live = NULL, ended_at = NOW(6)")
		e.exec(`UPDATE webhook SET state = 'stopped', reason = 'Its filter cannot be used any more. There is no label “big idea” here.'`)
		ana.get(one).textHas(t, "form.banner", "There is no label “big idea” here. Mend that")
		page := ana.post(one+"/state", "on", "yes").is(t, http.StatusUnprocessableEntity)
		page.textHas(t, "#webhook-q-error", "There is no label “big idea” here.")
		ana.post(one, fields("status:open", "version", "4")...).goesTo(t, one)
		ana.post(one+"/state", "on", "yes").goesTo(t, one)
	})
}
