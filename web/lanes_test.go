package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// lanes are the cards of a column by lane, as High: NINJA-2 NINJA-3 | No priority:.
func (a *answer) lanes(column uint64) string {
	var lanes []string
	a.page().Find(fmt.Sprintf("#column-%d .lane", column)).Each(func(_ int, lane *goquery.Selection) {
		lane.Find("h3 .on").Remove()
		text := strings.Join(strings.Fields(lane.Find("h3").Text()), " ")
		text += ":"
		lane.Find(".card").Each(func(_ int, card *goquery.Selection) { text += " " + card.AttrOr("data-key", "") })
		lanes = append(lanes, text)
	})
	return strings.Join(lanes, " | ")
}

func TestLanes(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) (e *env, b board, ana *browser) {
		t.Helper()
		e = newEnv(t)
		e.account("ben", "acme", accounts.Member)
		b = e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "One", "Two", "Three")
		e.newTickets("NINJA", b.Columns[1].ID, "Four")
		return e, b, e.ana()
	}
	t.Run("all columns have those of the board, in one order, and each card is in one", func(t *testing.T) {
		t.Parallel()
		e, b, ana := start(t)
		e.assign("NINJA-2", "ben")
		e.assign("NINJA-2", "ana")
		e.assign("NINJA-4", "ben")
		ana.post("/acme/NINJA-3/priority", "priority", "urgent", "seen", "none").is(t, 303)
		ana.post("/acme/NINJA-4/priority", "priority", "low", "seen", "none").is(t, 303)
		ana.post("/acme/NINJA-1/labels", "named", "wood").is(t, 303)
		ana.post("/acme/NINJA-4/labels", "named", "iron").is(t, 303)
		ana.post("/acme/NINJA-4/labels", "named", "wood").is(t, 303)
		ana.post("/acme/NINJA-3/relations", "kind", "parent", "q", "DEMO-1").is(t, 303)
		for by, want := range map[string][2]string{
			"assignee": {"Ana: NINJA-2 | ben: | Unassigned: NINJA-1 NINJA-3", "Ana: | ben: NINJA-4 | Unassigned:"},
			"priority": {"Urgent priority: NINJA-3 | Low priority: | No priority: NINJA-1 NINJA-2", "Urgent priority: | Low priority: NINJA-4 | No priority:"},
			"label":    {"iron: | wood: NINJA-1 | No label: NINJA-2 NINJA-3", "iron: NINJA-4 | wood: | No label:"},
			"parent":   {"DEMO-1Open me, and change my title: NINJA-3 | No parent: NINJA-1 NINJA-2", "DEMO-1Open me, and change my title: | No parent: NINJA-4"},
			"colour":   {"", ""},
			"":         {"", ""},
		} {
			a := ana.get("/acme/boards/NINJA?lanes="+by).is(t, 200).has(t, 4, ".card")
			for i, want := range want {
				if got := a.lanes(b.Columns[i].ID); got != want {
					t.Errorf("by %s column %d has %q, not %q", by, i, got, want)
				}
			}
			if want[0] != "" && a.text(t, "#filter-lanes [selected]") != "By "+by {
				t.Error("the form does not say it")
			}
		}
		a := ana.get("/acme/boards/NINJA?lanes=priority&who=ben")
		if got := a.lanes(b.Columns[0].ID); got != "Low priority: | No priority: NINJA-2" {
			t.Errorf("through a filter: %q", got)
		}
		a.has(t, 1, "a[data-clear][href='/acme/boards/NINJA?lanes=priority']")
		ana.get("/acme/boards/NINJA?lanes=priority").has(t, 1, "a[data-clear][hidden]")
	})
	t.Run("a hidden parent is none", func(t *testing.T) {
		t.Parallel()
		e, b, ana := start(t)
		e.newBoardOf("SECRET", 2)
		ana.post("/acme/boards/SECRET/privacy", "private", "yes").is(t, 303)
		ana.post("/acme/NINJA-1/relations", "kind", "parent", "q", "SECRET-1").is(t, 303)
		ana.get("/acme/boards/NINJA?lanes=parent").has(t, 3, ".lane[data-lane=SECRET-1] h3")
		a := e.signedIn("ben").get("/acme/boards/NINJA?lanes=parent")
		if got := a.lanes(b.Columns[0].ID); got != "No parent: NINJA-1 NINJA-2 NINJA-3" || strings.Contains(a.body, "SECRET") {
			t.Errorf("ben sees %q", got)
		}
	})
	drag := func(ana *browser, key, lanes, from, to string) *answer {
		page := "/acme/boards/NINJA?lanes=" + lanes
		a := ana.get(page)
		card := a.page().Find(".card[data-key=" + key + "]")
		column := card.Closest(".column").AttrOr("data-column", "")
		return ana.with("HX-Request", "true", "HX-Target", "column-"+column, "HX-Current-URL", "http://x"+page).post("/acme/"+key+"/position", "column", column, "after", "",
			"seen_column", column, "seen_after", "", "seen_moved", card.AttrOr("data-moved", ""), "lane", to, "seen_lane", from)
	}
	t.Run("a card that is dragged into another has what that stands for, and one press undoes it", func(t *testing.T) {
		t.Parallel()
		e, b, ana := start(t)
		column := b.Columns[0].ID
		drag(ana, "NINJA-3", "priority", "", "high").is(t, 200)
		if got := ana.get("/acme/boards/NINJA?lanes=priority").lanes(column); got != "High priority: NINJA-3 | No priority: NINJA-1 NINJA-2" {
			t.Errorf("it is %q", got)
		}
		ana.post("/acme/undo").is(t, 303)
		if got := ana.get("/acme/boards/NINJA?lanes=priority").lanes(column); got != "No priority: NINJA-1 NINJA-2 NINJA-3" {
			t.Errorf("undone, it is %q", got)
		}
		ben := fmt.Sprint(e.count("SELECT account_id FROM membership WHERE handle = 'ben'"))
		drag(ana, "NINJA-2", "assignee", "", ben).is(t, 200)
		ana.get("/acme/boards/NINJA?lanes=assignee").has(t, 1, ".lane[data-lane='"+ben+"'] .card[data-key=NINJA-2]")
		drag(ana, "NINJA-2", "assignee", ben, "").is(t, 200)
		ana.get("/acme/boards/NINJA?lanes=assignee").has(t, 1, ".lane[data-lane=''] .card[data-key=NINJA-2]")

		ana.post("/acme/NINJA-1/labels", "named", "wood").is(t, 303)
		wood := fmt.Sprint(e.count("SELECT id FROM label WHERE name = 'wood'"))
		drag(ana, "NINJA-2", "label", "", wood).is(t, 200)
		drag(ana, "NINJA-1", "label", wood, "").is(t, 200)
		if got := ana.get("/acme/boards/NINJA?lanes=label").lanes(column); !strings.HasPrefix(got, "wood: NINJA-2 | No label: NINJA-1") {
			t.Errorf("by label: %q", got)
		}

		ana.post("/acme/NINJA-1/relations", "kind", "parent", "q", "DEMO-1").is(t, 303)
		ana.post("/acme/NINJA-2/relations", "kind", "parent", "q", "DEMO-2").is(t, 303)
		drag(ana, "NINJA-1", "parent", "DEMO-1", "DEMO-2").is(t, 200)
		ana.get("/acme/boards/NINJA?lanes=parent").has(t, 2, ".lane[data-lane=DEMO-2] .card").has(t, 0, ".lane[data-lane=DEMO-1]")
		ana.post("/acme/undo").is(t, 303)
		ana.get("/acme/boards/NINJA?lanes=parent").has(t, 1, ".lane[data-lane=DEMO-1] .card")
	})
	t.Run("what it cannot be stays as it was, and the column says why", func(t *testing.T) {
		t.Parallel()
		e, _, ana := start(t)
		ana.post("/acme/NINJA-1/relations", "kind", "parent", "q", "NINJA-2").is(t, 303)
		ana.post("/acme/NINJA-3/relations", "kind", "parent", "q", "NINJA-1").is(t, 303)
		drag(ana, "NINJA-1", "parent", "NINJA-2", "NINJA-3").is(t, 200).textHas(t, ".alert", "NINJA-3")
		ana.get("/acme/boards/NINJA?lanes=parent").has(t, 1, ".lane[data-lane=NINJA-2] .card[data-key=NINJA-1]")
		drag(ana, "NINJA-1", "parent", "", "DEMO-1").is(t, 200).textHas(t, ".alert", "parent")
		drag(ana, "NINJA-1", "priority", "", "hot").is(t, 200).textHas(t, ".alert", "hot")
		drag(ana, "NINJA-1", "label", "", "4711").is(t, 200).has(t, 1, ".alert")
		drag(ana, "NINJA-1", "assignee", "", "4711").is(t, 200).has(t, 1, ".alert")
		e.counts(t, 0, "SELECT COUNT(*) FROM assignee a JOIN ticket t ON t.id = a.ticket_id JOIN board b ON b.id = t.board_id WHERE b.slug = 'NINJA'")
		ana.get("/acme/boards/NINJA?lanes=parent").has(t, 1, ".lane[data-lane=NINJA-2] .card[data-key=NINJA-1]")
	})
	t.Run("the cards below have lanes, too", func(t *testing.T) {
		t.Parallel()
		e, _, ana := start(t)
		e.newBoardOf("MANY", 200)
		a := ana.get("/acme/boards/MANY?lanes=assignee").has(t, 6, ".lane").has(t, 60, ".card")
		next := a.page().Find(".more a").First().AttrOr("href", "")
		below := ana.htmx("more-1").get(next).is(t, 200)
		below.has(t, 2, ".lane").has(t, 50, ".lane .card").has(t, 0, ".laned")
		ana.get(next).is(t, 200).has(t, 50, ".laned > .lane .card")
	})
}
