package web_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestRequestsOnABoard(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	const board = "/acme/boards/NINJA"
	first := e.newBoard("NINJA").Columns[0].ID
	for i := range 50 { // a page
		e.newTickets("NINJA", first, fmt.Sprint("Ours ", i))
	}
	ana := e.ana()
	ana.get(board).is(t, 200).has(t, 0, ".filter [name=requests]").has(t, 0, ".card .badge")
	e.requested(t, "NINJA")
	e.ask(t, "NINJA", "Another")
	t.Run("their cards have a badge, also those that are loaded later", func(t *testing.T) {
		more := ana.get(board).is(t, 200).has(t, 0, ".card .badge").page().Find("li.more").AttrOr("hx-get", "")
		rows := ana.htmx(fmt.Sprint("more-", first)).get(more).is(t, 200).has(t, 2, ".card .badge[title]")
		if card := rows.text(t, "[data-key=NINJA-51] > a:first-child"); !strings.Contains(card, "Request: A request") {
			t.Error(card)
		}
	})
	t.Run("a filter shows them alone, together with others", func(t *testing.T) {
		for query, want := range map[string]string{
			"requests=1": "NINJA-51 NINJA-52", "requests=1&q=another": "NINJA-52", "requests=1&q=ours": "",
			"requests=1&state=closed": "", "requests=1&who=none": "NINJA-51 NINJA-52", "requests=1&who=me": "",
		} {
			a := ana.get(board+"?"+query).is(t, 200)
			if got := a.keys(); got != want {
				t.Errorf("%s finds %q, not %q", query, got, want)
			}
			a.has(t, len(strings.Fields(want)), ".card .badge")
		}
		for _, query := range []string{"requests=", "requests=on", "requests=0"} {
			ana.get(board+"?"+query).is(t, 200).has(t, 50, ".card").has(t, 0, ".filter [name=requests][checked]")
		}
	})
	t.Run("the form, its links and the forms of cards keep it", func(t *testing.T) {
		a := ana.get(board+"?requests=1").has(t, 1, ".filter [name=requests][checked]").has(t, 0, "[data-clear][hidden]").
			has(t, 1, `[data-mine][href="`+board+`?q=is%3Arequest+assignee%3Ame"]`)
		move := a.page().Find("[data-key=NINJA-51] .move").AttrOr("href", "")
		ana.get(move).is(t, 200).has(t, 1, "[name=q][value='is:request']")
	})
	t.Run("the page of a column has it", func(t *testing.T) {
		ana.get(fmt.Sprint(board, "/columns/", first)).is(t, 200).has(t, 1, ".filter [name=requests]")
	})
}
