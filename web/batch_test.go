package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestBatch(t *testing.T) {
	t.Parallel()

	t.Run("several tickets are changed in each way without JavaScript, and it is undone together", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		columns := e.newBoard("NINJA").Columns
		keys := e.newTickets("NINJA", columns[0].ID, "One", "Two", "Three", "Four")
		few := strings.Join(keys[1:3], " ")
		const path = "/acme/boards/NINJA/batch"
		ana.get("/acme/boards/NINJA").has(t, 1, ".board-head a.nojs[href='"+path+"']")
		ana.get(path).has(t, 1, "#batch[method=get] select[name=do]").has(t, 1, "#batch textarea[name=keys]")
		form := ana.get(path+"?do=delete&keys="+strings.ReplaceAll(few, " ", "+")).
			has(t, 1, "#batch[method=post] input[name=do][value=delete]")
		form.textIs(t, "#batch h1", "Delete 2 tickets?")
		form.textIs(t, "#batch textarea", few)
		ana.get(path+"?do=labels&keys=ninja-1").textIs(t, "#batch h1", "Labels of 1 ticket")

		for _, one := range []struct {
			form []string
			says string
			sees string // of NINJA-2's page, by a selector with a text
		}{
			{[]string{"do", "priority", "priority", "high"}, "2 tickets are saved.", ".properties:contains('High')"},
			{[]string{"do", "dates", "due", "31 dec 2040"}, "2 tickets are saved.", ".properties:contains('2040')"},
			{[]string{"do", "labels", "add", "wood, metal"}, "2 tickets are saved.", ".label:contains('wood')"},
			{[]string{"do", "assign", "add", "@ana"}, "2 tickets are saved.", "#assignees:contains('Ana')"},
			{[]string{"do", "move", "column", fmt.Sprint(columns[1].ID), "place", "top"},
				"2 tickets are at the top of Doing.", ".column-name:contains('Doing')"},
			{[]string{"do", "close"}, "2 tickets are closed.", ".column-name:contains('Done')"},
			{[]string{"do", "delete"}, "2 tickets are deleted.", "h1:contains('is deleted')"},
		} {
			ana.post(path, append(one.form, "keys", few)...).goesTo(t, "/acme/boards/NINJA")
			page := ana.get("/acme/boards/NINJA")
			page.textIs(t, "#flash .toast > span", one.says)
			status := http.StatusOK
			if one.form[1] == "delete" {
				status = http.StatusNotFound
			}
			for _, key := range keys[1:3] {
				ana.get("/acme/"+key).is(t, status).has(t, 1, one.sees)
			}
			undo := url.Values{"next": {"/acme/boards/NINJA"}}
			for _, input := range page.page().Find("#flash [name=activity]").EachIter() {
				undo.Add("activity", input.AttrOr("value", ""))
			}
			ana.send(newRequest(http.MethodPost, "/acme/undo", "application/x-www-form-urlencoded", strings.NewReader(undo.Encode()))).
				goesTo(t, "/acme/boards/NINJA")
			ana.get("/acme/boards/NINJA").textIs(t, "#flash .toast > span", "Undone: 2 tickets are as they were.")
			ana.get("/acme/NINJA-2").is(t, 200).has(t, 0, one.sees)
		}
		if got := strings.Join(e.keys("NINJA", columns[0].ID), " "); got != strings.Join(keys, " ") {
			t.Errorf("after all was undone, the column has %s", got)
		}
	})

	t.Run("a list gets its page again", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		const list = "/acme/boards/DEMO/list?q=sort%3Adue"
		form := ana.get("/acme/boards/DEMO/batch?do=close&keys=DEMO-1&keys=DEMO-2&next="+url.QueryEscape(list)).
			has(t, 1, "#batch input[name=next][value='"+list+"']").has(t, 1, "#batch a.cancel[href='"+list+"']")
		form.textIs(t, "#batch textarea", "DEMO-1 DEMO-2")
		ana.post("/acme/boards/DEMO/batch", "do", "close", "keys", "DEMO-1 DEMO-2", "next", list).goesTo(t, list)
		ana.post("/acme/boards/DEMO/batch", "do", "reopen", "keys", "DEMO-1", "next", "https://evil.example/").
			goesTo(t, "/acme/boards/DEMO")
	})

	t.Run("the order stays at the top and at the bottom, also in their own columns", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		columns := e.newBoard("NINJA").Columns
		todo := columns[0].ID
		e.newTickets("NINJA", todo, "One", "Two", "Three", "Four", "Five")
		for _, one := range []struct{ place, want string }{
			{"bottom", "NINJA-1 NINJA-3 NINJA-5 NINJA-2 NINJA-4"},
			{"top", "NINJA-2 NINJA-4 NINJA-1 NINJA-3 NINJA-5"},
		} {
			ana.post("/acme/boards/NINJA/batch", "do", "move", "place", one.place, "column", "", "keys", "NINJA-2, NINJA-4 NINJA-2").
				goesTo(t, "/acme/boards/NINJA")
			if got := strings.Join(e.keys("NINJA", todo), " "); got != one.want {
				t.Errorf("at the %s: %s", one.place, got)
			}
		}
	})

	t.Run("undo without a name takes back the last change whole, unless something was done since", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		columns := e.newBoard("NINJA").Columns
		todo, done := columns[0].ID, columns[2].ID
		e.newTickets("NINJA", todo, "One", "Two", "Three")
		ana.post("/acme/boards/NINJA/batch", "do", "close", "keys", "NINJA-1 NINJA-2")
		ana.post("/acme/NINJA-3/closure", "closed", "1")
		ana.post("/acme/undo")
		if got := strings.Join(e.keys("NINJA", done), " "); !strings.Contains(got, "NINJA-1") || strings.Contains(got, "NINJA-3") {
			t.Errorf("after the first undo the column has %s", got)
		}
		ana.post("/acme/undo")
		if got := e.keys("NINJA", done); len(got) != 0 {
			t.Errorf("after the second undo the column has %s", got)
		}
		ana.get("/acme").textHas(t, "#flash", "Undone: 2 tickets are as they were.")
	})

	t.Run("what is refused is named with its reason, and the rest is done", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		columns := e.newBoard("NINJA").Columns
		todo, doing := columns[0].ID, columns[1].ID
		e.newTickets("NINJA", todo, "One", "Two", "Three")
		e.program().call(http.MethodPatch, fmt.Sprintf("/boards/NINJA/columns/%d", doing),
			object{"wip": "hard", "wip_limit": 1, "version": 1}).is(t, 200)
		ana.post("/acme/boards/NINJA/batch", "do", "move", "place", "bottom", "column", fmt.Sprint(doing), "keys", "NINJA-1 NINJA-2 NINJA-99").
			goesTo(t, "/acme/boards/NINJA")
		page := ana.get("/acme/boards/NINJA")
		page.textHas(t, "#flash .toast:not(.bad)", "NINJA-1 is at the bottom of Doing.")
		page.textHas(t, "#flash .toast.bad", "NINJA-2: ")
		page.textHas(t, "#flash .toast.bad", "NINJA-99: There is no such ticket, or not for you.")

		e.unchanged(t, func() {
			refused := ana.post("/acme/boards/NINJA/batch", "do", "move", "column", fmt.Sprint(doing), "keys", "NINJA-2 NINJA-3")
			refused.textIs(t, "#batch textarea", "NINJA-2 NINJA-3")
			refused.textHas(t, "#batch .summary", "NINJA-3, NINJA-2: ")
			refused.is(t, http.StatusConflict).has(t, 1, fmt.Sprintf("#batch option[value='%d'][selected]", doing))
		})
	})

	t.Run("a link with a wrong key leads to the form that it asks for", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		form := e.ana().get("/acme/boards/DEMO/batch?do=move&keys=zzz").is(t, http.StatusUnprocessableEntity)
		form.has(t, 1, "#batch[method=post] [name=place]").has(t, 1, "#batch-keys-error")
	})

	t.Run("wrong input gets a message at its field, and is kept", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		columns := e.newBoard("NINJA").Columns
		e.newTickets("NINJA", columns[0].ID, "One")
		many := make([]string, 101)
		for i := range many {
			many[i] = fmt.Sprint("NINJA-", i+1)
		}
		e.unchanged(t, func() {
			for _, one := range []struct {
				form        []string
				field, says string
			}{
				{[]string{"do", "close"}, "keys", "Name the tickets"},
				{[]string{"do", "labels", "add", "wood"}, "keys", "Name the tickets"},
				{[]string{"do", "close", "keys", "NINJA-1 <b>x</b>"}, "keys", "“<b>x</b>” is no key"},
				{[]string{"do", "close", "keys", strings.Join(many, " ")}, "keys", "Up to 100 tickets"},
				{[]string{"do", "explode", "keys", "NINJA-1"}, "do", "Choose what to change"},
				{[]string{"do", "assign", "keys", "NINJA-1", "add", "@nobody"}, "add", "“nobody” is not a member"},
				{[]string{"do", "assign", "keys", "NINJA-1", "drop", "@nobody"}, "drop", "“nobody” is not a member"},
				{[]string{"do", "labels", "keys", "NINJA-1", "add", strings.Repeat("x", 41)}, "add", "40"},
				{[]string{"do", "labels", "keys", "NINJA-1", "drop", "unknown"}, "drop", "does not exist"},
				{[]string{"do", "dates", "keys", "NINJA-1", "due", "the day after never"}, "due", "the day after never"},
				{[]string{"do", "priority", "keys", "NINJA-1", "priority", "huge"}, "priority", "huge"},
				{[]string{"do", "move", "keys", "NINJA-1", "column", "x"}, "column", ""},
			} {
				page := ana.post("/acme/boards/NINJA/batch", one.form...).is(t, http.StatusUnprocessableEntity)
				page.has(t, 1, "#batch .summary a[href='#batch-"+one.field+"']")
				page.textHas(t, "#batch", one.says)
				for i := 2; i < len(one.form); i += 2 {
					if one.form[i] == "add" || one.form[i] == "due" {
						page.has(t, 1, fmt.Sprintf("#batch [name=%s][value='%s']", one.form[i], one.form[i+1]))
					}
				}
			}
		})
	})
}
