package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

func TestFeedPages(t *testing.T) {
	t.Parallel()
	t.Run("before anybody reads they say how to begin", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		a := e.ana().get(views.FeedsPath).is(t, http.StatusOK)
		a.has(t, 3, "#feeds tbody tr").has(t, 3, ".spark svg").has(t, 1, ".empty-list").
			has(t, 1, "form[action='/admin/feeds/republications']")
		e.ana().htmx(views.FeedsID).get(views.FeedsPath).is(t, http.StatusOK).has(t, 1, "#feeds[data-live]").
			has(t, 0, "form[action='/admin/feeds/republications']")
	})

	t.Run("a consumer is paused, set and deleted without a script, and its company can see who did it",
		func(t *testing.T) {
			t.Parallel()
			e := newEnvWithRoles(t)
			otto := e.signedIn("otto") // of another company
			e.program().post("/feeds/boards/consumers", object{"name": "map", "from": "end"}).is(t, http.StatusCreated)
			row, page := "#"+views.ConsumerRowID(1), views.ConsumerPath(1)
			list := otto.get(views.FeedsPath).is(t, http.StatusOK).has(t, 2, ".readers tbody tr form")
			if text := list.text(t, row); !strings.Contains(text, "warehouse") || !strings.Contains(text, "acme") {
				t.Error(text)
			}

			otto.post(page+"/pause", "paused", "yes", "next", views.FeedsPath).goesTo(t, views.FeedsPath)
			otto.get(views.FeedsPath).has(t, 1, row+" .held").has(t, 1, row+" button[value=no]")
			otto.post(page+"/pause", "paused", "yes").goesTo(t, page) // it is by now
			otto.post(page+"/pause", "paused", "no", "next", "https://example.com/").goesTo(t, page)
			otto.post(page+"/pause", "paused", "maybe").is(t, http.StatusUnprocessableEntity)

			for _, place := range []string{"start", "end"} {
				otto.post(page+"/cursor", "place", place).goesTo(t, page)
			}
			cursor := otto.get(page).text(t, "#consumer dd.mono")
			for _, at := range []string{"2026-01-31T12:00:00Z", " 2026-01-31 12:00 ", "2026-01-31", "9999-01-01T00:00:00+02:00",
				cursor} {
				otto.post(page+"/cursor", "place", "at", "at", at).goesTo(t, page)
			}
			e.unchanged(t, func() {
				for _, at := range []string{"", "end", "soon", "v1.1.tickets.x", strings.Replace(cursor, "tickets", "boards", 1)} {
					bad := otto.post(page+"/cursor", "place", "at", "at", at).is(t, http.StatusUnprocessableEntity).
						has(t, 1, "#seek-at-error").has(t, 1, "#seek-place option[value=at][selected]")
					if got := bad.value(t, "#seek-at"); got != at {
						t.Errorf("%q was typed, %q stands there", at, got)
					}
				}
				otto.post(page+"/cursor", "place", "at", "at", "v1.1.tickets.5").is(t, http.StatusConflict).has(t, 1, ".summary")
				otto.post(page+"/cursor", "place", "nowhere").is(t, http.StatusUnprocessableEntity).has(t, 1, "#seek-place-error")
			})

			otto.get(page+"/removal").is(t, http.StatusOK).has(t, 1, "form button.danger")
			otto.post(page+"/removal").goesTo(t, views.FeedsPath)
			otto.get(page).is(t, http.StatusNotFound).has(t, 1, "main .actions a[href='"+views.FeedsPath+"']")
			otto.post(page+"/removal").is(t, http.StatusNotFound)

			audit := e.ana().get("/acme/audit").text(t, "#"+views.AuditID)
			for _, want := range []string{"paused the consumer warehouse of the feed tickets", "resumed the consumer warehouse",
				"set the cursor of the consumer warehouse", "deleted the consumer warehouse"} {
				if !strings.Contains(audit, want) {
					t.Errorf("no %q in the audit list", want)
				}
			}
			e.counts(t, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'consumer-paused' AND company_id = 1")
		})

	t.Run("a reader that cannot go on says why", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.exec("UPDATE sequences SET value = value + 2000, horizon = 1500 WHERE name = 'tickets'")
		e.exec("INSERT INTO feed_durable (feed, head) SELECT name, value FROM sequences ON DUPLICATE KEY UPDATE head = VALUES(head)")
		e.exec("UPDATE feed_consumer SET position = 1, began = 0")
		row := "#" + views.ConsumerRowID(1)
		a := e.ana().get(views.FeedsPath).has(t, 1, row+" .failed").has(t, 1, row+" .run-reason")
		if width := a.page().Find(row+" .lag-bar rect").AttrOr("width", ""); width != "1000" && width != "999" {
			t.Errorf("the bar of the one furthest behind is %q wide", width)
		}
		e.exec("UPDATE sequences SET epoch = epoch + 1")
		e.ana().get(views.ConsumerPath(1)).is(t, http.StatusOK).has(t, 1, ".failed").has(t, 1, ".run-reason")
	})

	t.Run("a webhook shows its host and its attempts, not its address", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.exec("UPDATE webhook SET url = 'https://hooks.example/s3cret', failures = 4, failing_since = NOW(6)")
		otto := e.signedIn("otto")
		otto.get(views.AnyWebhooksPath).has(t, 1, "#webhooks tbody tr").has(t, 1, "#webhooks .chip.bad")
		a := otto.get(views.AnyWebhookPath(1)).is(t, http.StatusOK).has(t, 1, "#deliveries tbody tr").has(t, 0, "main form").
			has(t, 0, "main a[href^='/acme']")
		if strings.Contains(a.body, "s3cret") || !strings.Contains(a.text(t, "h1"), "hooks.example") {
			t.Error("the address is shown")
		}
		e.ana().get(views.AnyWebhookPath(1)).has(t, 1, "main a[href='/acme/settings/webhooks/1']")
		otto.htmx(views.WebhookID).get(views.AnyWebhookPath(1)).is(t, http.StatusOK).has(t, 1, "#webhook[data-live]")
		for _, path := range []string{views.AnyWebhookPath(0), views.AnyWebhookPath(99), views.AnyWebhooksPath + "/x"} {
			otto.get(path).is(t, http.StatusNotFound)
		}
		otto.get(views.AnyWebhookPath(1)+"?before=x").is(t, http.StatusBadRequest)
	})

	t.Run("many readers are shown by pages, each of which stays where it is", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		for n := range 100 {
			e.exec("INSERT INTO feed_consumer (company_id, feed, name, epoch, position, began, created_by, created_at, "+
				"seen_at) SELECT company_id, feed, CONCAT('more-', ?), epoch, position, began, created_by, created_at, seen_at "+
				"FROM feed_consumer WHERE id = 1", n)
		}
		ana := e.ana()
		more := ana.get(views.FeedsPath).has(t, 100, ".readers tbody tr form").page().Find(".more a").AttrOr("href", "")
		next := ana.get(more).is(t, http.StatusOK).has(t, 1, ".readers tbody tr form")
		if from := next.page().Find("#feeds").AttrOr("data-from", ""); from != more {
			t.Errorf("%s asks for %s", more, from)
		}
		for _, path := range []string{"?consumer=x", "?consumer=-1"} {
			ana.get(views.FeedsPath+path).is(t, http.StatusBadRequest)
		}
	})
}

func TestRepublishPages(t *testing.T) {
	t.Parallel()
	t.Run("rows are published again: some at once, a board or all by a run", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		otto := e.signedIn("otto")
		e.exec("UPDATE ticket SET feed_sync_id = id")
		otto.post(views.RepublicationsPath, "feed", "tickets", "company", "acme", "ids", "1, demo-2 99999").
			goesTo(t, views.FeedsPath)
		e.counts(t, 2, "SELECT COUNT(*) FROM ticket WHERE feed_sync_id IS NULL")
		otto.get(views.FeedsPath).textHas(t, ".toast", "2 rows")
		otto.post(views.RepublicationsPath, "feed", "tickets", "company", "acme", "board", "DEMO").goesTo(t, views.RunPath(2))
		otto.post(views.RepublicationsPath, "feed", "tickets", "company", "acme", "board", "DEMO").goesTo(t, views.RunPath(2))
		otto.get(views.RunPath(2)).textHas(t, "#flash", "already resends these rows")
		otto.post(views.RepublicationsPath, "feed", "boards", "all", "yes").
			goesTo(t, views.RunPath(id.Run(e.count("SELECT MAX(id) FROM migration_run"))))
		e.unchanged(t, func() {
			for _, bad := range []struct {
				field  string
				fields []string
			}{
				{"ids", nil},
				{"ids", []string{"ids", "1", "board", "DEMO"}},
				{"ids", []string{"ids", "1;2"}},
				{"ids", []string{"ids", "0"}},
				{"ids", []string{"ids", "DEMO-1"}}, // of the feed of comments
				{"ids", []string{"ids", "1, DEMO-999", "feed", "tickets"}},
				{"ids", []string{"ids", strings.Repeat("7 ", 1001)}},
				{"board", []string{"board", "NOPE"}},
				{"company", []string{"ids", "1", "company", "nobody"}},
				{"company", []string{"ids", "1", "company", ""}},
				{"company", []string{"board", "DEMO", "company", ""}},
				{"feed", []string{"all", "yes", "feed", "nothing"}},
			} {
				fields := []string{"feed", "comments", "company", "acme"}
				for i := 0; i < len(bad.fields); i += 2 {
					switch bad.fields[i] {
					case "feed":
						fields[1] = bad.fields[i+1]
					case "company":
						fields[3] = bad.fields[i+1]
					default:
						fields = append(fields, bad.fields[i], bad.fields[i+1])
					}
				}
				a := otto.post(views.RepublicationsPath, fields...).is(t, http.StatusUnprocessableEntity).
					has(t, 1, "#republish-"+bad.field+"-error")
				for i := 2; i < len(fields); i += 2 {
					if got := a.page().Find("#republish-"+fields[i]).AttrOr("value", ""); fields[i] != "all" && got != fields[i+1] {
						t.Errorf("%v: %q stands there", fields, got)
					}
				}
			}
		})
	})
}
