package web_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// bulkEditAnswer is a bulk edit as programs read it.
type bulkEditAnswer struct {
	ID                         uint64
	Board                      *string
	Query                      string `json:"q"`
	Do, Change, State, By, URL string
	Dry                        bool
	Undoes                     *uint64
	Total, Changed, Refused    int
}

func TestAPIBulkEdits(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	bulkBoard(t, e, 120)
	e.newBoard("OTHER")
	e.newTickets("OTHER", 0, "Ticket elsewhere")
	p := e.program()
	opened := func(body object) (b bulkEditAnswer) {
		t.Helper()
		p.post("/bulk-edits", body).is(t, http.StatusAccepted).read(t, &b)
		return b
	}
	now := func(b bulkEditAnswer) (is bulkEditAnswer) {
		t.Helper()
		p.get(fmt.Sprint("/bulk-edits/", b.ID)).is(t, http.StatusOK).read(t, &is)
		return is
	}

	preview := opened(object{"board": "NINJA", "q": "Ticket", "do": "priority", "priority": "high", "dry": true})
	if preview.State != "open" || *preview.Board != "NINJA" || !preview.Dry || preview.Change != "Set the priority to high" {
		t.Errorf("%+v", preview)
	}
	e.work(t)
	if is := now(preview); is.State != "complete" || is.Changed != 120 || is.Total != 120 || is.Refused != 0 {
		t.Errorf("%+v", is)
	}
	e.counts(t, 0, "SELECT COUNT(*) FROM ticket WHERE priority > 0")

	body := object{"do": "priority", "priority": "low", "q": "Ticket"}
	var first, again bulkEditAnswer
	p.with("Idempotency-Key", "all").post("/bulk-edits", body).is(t, http.StatusAccepted).read(t, &first)
	p.with("Idempotency-Key", "all").post("/bulk-edits", body).is(t, http.StatusAccepted).read(t, &again)
	if first.ID != again.ID || first.Board != nil {
		t.Errorf("%+v and %+v", first, again)
	}
	e.work(t)
	e.counts(t, 121, "SELECT COUNT(*) FROM ticket WHERE priority = 1")

	var page struct {
		Items []struct{ Key, Title, Reason, URL string }
		Next  *string
	}
	seen := map[string]bool{}
	for after := ""; ; after = *page.Next {
		page.Next = nil
		p.get(fmt.Sprintf("/bulk-edits/%d/tickets?outcome=changed&after=%s", first.ID, after)).is(t, http.StatusOK).read(t, &page)
		for _, one := range page.Items {
			seen[one.Key] = true
		}
		if page.Next == nil {
			break
		}
	}
	if len(seen) != 121 || !seen["OTHER-1"] || !seen["NINJA-120"] {
		t.Errorf("%d tickets", len(seen))
	}

	p.patch("/tickets/NINJA-5", object{"priority": "urgent"}).is(t, http.StatusOK)
	var undo bulkEditAnswer
	p.post(fmt.Sprintf("/bulk-edits/%d/undo", first.ID), object{}).is(t, http.StatusAccepted).read(t, &undo)
	e.work(t)
	if is := now(undo); is.Changed != 120 || is.Refused != 1 || *is.Undoes != first.ID || is.Do != "undo" {
		t.Errorf("%+v", is)
	}
	p.get(fmt.Sprintf("/bulk-edits/%d/tickets?outcome=refused", undo.ID)).is(t, http.StatusOK).read(t, &page)
	if len(page.Items) != 1 || page.Items[0].Key != "NINJA-5" || page.Items[0].Reason == "" {
		t.Errorf("%+v", page)
	}

	paused := opened(object{"board": "NINJA", "do": "move", "column_named": "Done", "place": "bottom"})
	path := fmt.Sprint("/bulk-edits/", paused.ID)
	p.patch(path, object{"rate": 5, "state": "cancelled"}).is(t, http.StatusOK)
	if is := now(paused); is.State != "cancelled" && is.State != "cancelling" {
		t.Errorf("%+v", is)
	}
	p.patch(path, object{"state": "running"}).problem(t, http.StatusConflict, "")

	var list struct{ Items []bulkEditAnswer }
	p.get("/bulk-edits").is(t, http.StatusOK).read(t, &list)
	if len(list.Items) != 4 || list.Items[0].ID != paused.ID || list.Items[3].ID != preview.ID {
		t.Errorf("%+v", list)
	}

	t.Run("what is wrong is said, and opens nothing", func(t *testing.T) {
		e.unchanged(t, func() {
			for _, c := range []struct {
				body  object
				code  int
				field string
			}{
				{object{}, 422, "do"},
				{object{"do": "explode"}, 422, "do"},
				{object{"do": "assign", "add": "ana"}, 422, "add"},
				{object{"do": "undo"}, 422, "do"},
				{object{"do": "priority", "priority": "huge"}, 422, "priority"},
				{object{"do": "dates", "due": "someday"}, 422, "due"},
				{object{"do": "assign"}, 422, "do"},
				{object{"do": "assign", "add": []string{"nobody"}}, 422, "add"},
				{object{"do": "labels", "drop": []string{"nothing"}}, 422, "drop"},
				{object{"do": "labels", "add": []string{"a\u202eb"}}, 422, "add"},
				{object{"do": "parent", "parent": "NINJA-999"}, 422, "parent"},
				{object{"do": "board", "to_board": "NONE"}, 422, "board"},
				{object{"do": "move", "place": "middle"}, 422, "place"},
				{object{"do": "move", "column_named": "Nowhere"}, 422, "column"},
				{object{"do": "close", "board": "NONE"}, 404, ""},
				{object{"do": "close", "q": "labl:x"}, 422, "q"},
				{object{"do": "close", "canary": -1}, 422, "canary"},
				{object{"do": "close", "more": 1}, 422, "more"},
			} {
				p.post("/bulk-edits", c.body).problem(t, c.code, c.field)
			}
			for _, query := range []string{"?before=x", "/1/tickets?outcome=good", "/1/tickets?after=x"} {
				p.get("/bulk-edits"+query).is(t, http.StatusUnprocessableEntity)
			}
			p.patch("/bulk-edits/1", object{"state": "gone"}).is(t, http.StatusUnprocessableEntity)
			p.patch("/bulk-edits/1", object{"rate": -1}).is(t, http.StatusUnprocessableEntity)
			p.get("/bulk-edits/99").is(t, http.StatusNotFound)
			p.get("/bulk-edits/x").is(t, http.StatusNotFound)
		})
	})
	t.Run("another member sees none of it", func(t *testing.T) {
		e.account("mia", "acme", accounts.Member)
		mia := &program{env: e, token: e.tokenOf("mia", "acme", accounts.Scopes...)}
		mia.get(path).is(t, http.StatusNotFound)
		mia.post(path+"/undo", object{}).is(t, http.StatusNotFound)
		mia.get("/bulk-edits").is(t, http.StatusOK).read(t, &list)
		if len(list.Items) != 0 {
			t.Errorf("%+v", list)
		}
	})
}

// Programs list the tickets of all boards in sight by a query.
func TestAPITicketsOfAllBoards(t *testing.T) {
	t.Parallel()
	e := newEnvWithPrivateBoard(t)
	var page struct {
		Items []struct{ Key string }
		Next  *string
	}
	p := e.program()
	had := map[string]bool{}
	for after := ""; ; after = *page.Next {
		page.Next = nil
		p.get("/tickets?limit=2&q=sort:created&after="+after).is(t, http.StatusOK).read(t, &page)
		for _, one := range page.Items {
			if had[one.Key] {
				t.Errorf("%s is on two pages", one.Key)
			}
			had[one.Key] = true
		}
		if page.Next == nil {
			break
		}
	}
	e.counts(t, len(had), "SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.company_id = 1 AND t.deleted_at IS NULL")
	if !had["HIDE-1"] || !had["DEMO-1"] {
		t.Errorf("%v", had)
	}
	mia := &program{env: e, token: e.tokenOf("mia", "acme", accounts.Scopes...)}
	mia.get("/tickets?limit=200").is(t, http.StatusOK).read(t, &page)
	for _, one := range page.Items {
		if one.Key == "HIDE-1" {
			t.Error("a member reads a ticket of a board that is not in sight")
		}
	}
	p.get("/tickets?q=board:HIDE").is(t, http.StatusOK).read(t, &page)
	if len(page.Items) == 0 {
		t.Error("the board is not filtered by")
	}
	for _, query := range []string{"q=labl:x", "limit=0", "after=x", "column=1"} {
		p.get("/tickets?"+query).is(t, http.StatusUnprocessableEntity)
	}
}
