package web_test

import (
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

func TestPurgedKeys(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	api := &program{env: e, token: e.tokenOf("ana", "acme", accounts.Scopes...)}
	ana.post("/acme/DEMO-1/comments", "body", "As DEMO-2 says, and DEMO-3, and DEMO-999.").is(t, 303)
	ana.get("/acme/DEMO-1").has(t, 3, "#comments a.key")

	for _, table := range []string{"notification", "comment", "activity", "assignee", "watcher", "ticket_stay", "occurrence", "recurrence", "backlink"} {
		e.exec("DELETE FROM " + table + " WHERE ticket_id IN (SELECT id FROM ticket WHERE local_id = 2)")
	}
	e.exec("UPDATE board_column c JOIN ticket t ON t.column_id = c.id SET c.ticket_count = c.ticket_count - 1 WHERE " +
		"t.local_id = 2")
	e.exec("DELETE FROM ticket WHERE local_id = 2")
	e.exec("UPDATE board_ticket_incrementer SET purged = 1")

	t.Run("open no ticket, and say why", func(t *testing.T) {
		for _, refused := range []*answer{ana.get("/acme/DEMO-2").is(t, 404), ana.get("/acme/demo-2").is(t, 404),
			api.get("/tickets/DEMO-2").is(t, 404)} {
			if !strings.Contains(refused.body, "DEMO-2 was deleted more than 30 days ago and is gone for good.") {
				t.Errorf("it does not say why: %s", refused.body)
			}
		}
	})
	t.Run("are plain text in other tickets, and the others are links still", func(t *testing.T) {
		page := ana.get("/acme/DEMO-1").has(t, 2, "#comments a.key").has(t, 0, `#comments a[href$="DEMO-2"]`)
		if !strings.Contains(page.body, "As DEMO-2 says") {
			t.Error("the text lacks its key")
		}
	})
}
