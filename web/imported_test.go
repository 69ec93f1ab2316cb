package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// addImportedKey gives DEMO-1 a key that it had before it was imported.
func (e *env) addImportedKey(slug, origin string) {
	e.t.Helper()
	e.exec("INSERT INTO board_slug (company_id, slug, board_id, created_at, imported) SELECT company_id, ?, id, "+
		"created_at, TRUE FROM board WHERE slug = 'DEMO' AND company_id = 1", slug)
	e.exec("INSERT INTO ticket_origin (company_id, external_id, ticket_id, created_at) SELECT 1, ?, id, created_at FROM "+
		"ticket WHERE local_id = 1 LIMIT 1", origin)
}

func TestImportedKeys(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("sam", "rivals", accounts.Owner)
	e.addImportedKey("OLD", "OLD-123")
	ana, sam := e.ana(), e.signedIn("sam")
	api := &program{env: e, token: e.tokenOf("ana", "acme", accounts.Scopes...)}

	t.Run("open the ticket in pages, the API and the jump box", func(t *testing.T) {
		ana.get("/acme/OLD-123").movedTo(t, "/acme/DEMO-1")
		ana.get("/acme/old-123/comments").movedTo(t, "/acme/DEMO-1/comments")
		api.get("/tickets/OLD-123").movedTo(t, "/api/v1/tickets/DEMO-1")
		ana.get("/acme/jump?q=old-123").is(t, 303).goesTo(t, "/acme/DEMO-1")
		sam.get("/rivals/OLD-123").is(t, 404)
	})
	t.Run("are no numbers of the board that they were imported to", func(t *testing.T) {
		ana.get("/acme/OLD-1").is(t, 404)
		ana.get("/acme/OLD-2").is(t, 404)
		api.get("/tickets/OLD-1").is(t, 404)
	})
	t.Run("are links in texts, to what opens the ticket", func(t *testing.T) {
		ana.post("/acme/DEMO-2", "title", "After OLD-123", "description", "See OLD-123 and NOPE-123, not `OLD-123`.",
			"version", "1").is(t, 303)
		ana.post("/acme/DEMO-2/comments", "body", "And OLD-123 again.").is(t, 303)
		page := ana.get("/acme/DEMO-2").is(t, 200)
		for _, text := range []string{".face .prose", ".comment .prose"} {
			page.has(t, 1, text+" a[href='/acme/OLD-123']")
		}
		page.has(t, 1, "h1 a[href='/acme/OLD-123']").has(t, 0, "a[href='/acme/NOPE-123']")
		ana.get("/acme/OLD-123").movedTo(t, "/acme/DEMO-1")
	})
	t.Run("make no board", func(t *testing.T) {
		ana.get("/acme/boards/OLD").is(t, 404)
		api.get("/boards/OLD").is(t, 404)
		api.post("/boards/OLD/tickets", map[string]any{"title": "x"}).is(t, 404)
	})
	t.Run("keep their slug from boards", func(t *testing.T) {
		refused := api.post("/boards", map[string]any{"slug": "OLD", "title": "x"}).is(t, http.StatusConflict)
		if !strings.Contains(refused.body, "OLD-1") {
			t.Errorf("it does not say why: %s", refused.body)
		}
		api.patch("/boards/DEMO", map[string]any{"slug": "old", "version": 1}).is(t, http.StatusConflict)
	})
	t.Run("go with a ticket to where it goes", func(t *testing.T) {
		e.exec("UPDATE ticket SET deleted_at = NOW(6), column_id = NULL, rank_in_column = NULL WHERE local_id = 1")
		ana.get("/acme/OLD-123").is(t, 404)
	})
}
