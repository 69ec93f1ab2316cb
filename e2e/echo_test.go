package e2e

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// asked is how often a board fetched changes by itself.
const asked = `performance.getEntriesByType("resource").filter(({ name }) => name.includes("columns=")).length`

// counts has a board's page count the events about it.
func (b *tab) counts() {
	b.t.Helper()
	eval[bool](b,
		`(import(document.querySelector("script[src$='/app.js']").src.replace("app.js", "wire.js")).then(({ follow }) => {
		window.heard = 0
		follow({ board: Number(document.querySelector("#board").dataset.board) }, () => { window.heard++ })
	}), true)`)
	b.wait(`window.heard >= 0`)
}

// rests lets the page finish its work.
func (b *tab) rests() {
	b.t.Helper()
	for range 30 {
		b.frame()
	}
}

func TestFollowedEchoes(t *testing.T) {
	t.Parallel()
	t.Run("a user's own change fetches nothing; that of another fetches once", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		b, other := a.tab(t), a.tab(t)
		for _, w := range []*tab{b, other} {
			w.open("/acme/boards/NINJA")
			w.counts()
			w.rests() // earlier events are handled
			eval[bool](w, `(performance.clearResourceTimings(), window.heard = 0, true)`)
		}
		want := map[*tab]int{}
		done := func(what string, by, to *tab) {
			t.Helper()
			want[to]++
			for _, w := range []*tab{by, to} {
				w.wait(`window.heard > 0`)
				w.wait(asked+` >= %s`, want[w])
				w.rests()
				if got := eval[int](w, asked); got != want[w] {
					t.Errorf("%s: whoever did it: %t; asked %d times, not %d", what, w == by, got, want[w])
				}
				w.wait(`(window.heard = 0) === 0`)
			}
			by.same(to)
		}
		b.drag(card("NINJA-2"), "#cards-"+b.columnID("Doing")+" .empty", 0)
		other.holds("Doing", "NINJA-2")
		done("a drag", b, other)
		other.drag(card("NINJA-3"), "#cards-"+other.columnID("Done")+" .empty", 0)
		b.holds("Done", "NINJA-3")
		done("a drag the other way", other, b)
		other.drag(card("NINJA-2"), card("NINJA-1"), 10)
		b.holds("To do", "NINJA-1 NINJA-2")
		done("a drag below another card", other, b)
		b.addTo("To do")
		b.types("Four\r")
		other.holds("To do", "NINJA-1 NINJA-2 NINJA-4")
		done("a new ticket", b, other)
	})
	t.Run("another user's change of the same card meanwhile is fetched", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.counts()
		for range 3 {
			b.drag(card("NINJA-2"), "#cards-"+b.columnID("Doing")+" .empty", 0)
			b.holds("Doing", "NINJA-2")
			a.post("/acme/NINJA-2/assignees", "quick", "1", "add", "1")
			b.wait(`document.querySelector(%s)`, card("NINJA-2")+" .on")
			a.post("/acme/NINJA-2/assignees", "quick", "1", "remove", "1")
			b.wait(`!document.querySelector(%s)`, card("NINJA-2")+" .on")
			a.post("/acme/NINJA-2/position", "column", b.columnID("Done"), "after", "")
			b.holds("Done", "NINJA-2")
		}
	})
}

// same waits until two pages show the same board.
func (b *tab) same(other *tab) {
	b.t.Helper()
	var one, two string
	domaintest.Until(b.t, "both show the same", func() bool {
		one, two = eval[string](b, shown), eval[string](other, shown)
		return one == two
	}, func() string { return one + "\n" + two })
}

func TestFollowedTogether(t *testing.T) {
	t.Parallel()
	for name, cards := range map[string][2]string{"different cards": {"NINJA-1", "NINJA-3"},
		"the same card": {"NINJA-2", "NINJA-2"}} {
		t.Run("two people let go at once of "+name+", and see the same", func(t *testing.T) {
			t.Parallel()
			a := withBoard(t, "One", "Two", "Three", "Four")
			b, other := a.tab(t), a.member(t, "Ben", "ben@example.com")
			for _, w := range []*tab{b, other} {
				w.open("/acme/boards/NINJA")
				w.counts()
			}
			drops := []func() error{b.lifts(card(cards[0]), "#cards-"+b.columnID("Doing")+" .empty", 0),
				other.lifts(card(cards[1]), "#cards-"+other.columnID("Done")+" .empty", 0)}
			began, dropped := make(chan struct{}), make(chan error)
			for _, drop := range drops {
				go func() {
					<-began
					dropped <- drop()
				}()
			}
			close(began)
			for range drops {
				if err := <-dropped; err != nil {
					t.Fatal(err)
				}
			}
			for _, w := range []*tab{b, other} {
				w.wait(`performance.getEntriesByType("resource").some(({ name }) => name.includes("/position"))`) // it was answered
			}
			fresh := a.tab(t)
			fresh.open("/acme/boards/NINJA")
			for _, w := range []*tab{b, other} {
				w.same(fresh)
			}
			t.Log(eval[string](fresh, shown))
		})
	}
	for name, without := range map[string][]string{"in a worker": nil, "in the elected one": {"window.SharedWorker"}} {
		t.Run("ten tabs have one connection "+name+", also when the first is closed and the server restarted",
			func(t *testing.T) {
				t.Parallel()
				a := withBoard(t, "One", "Two", "Three", "Four")
				tabs := []*tab{a.tab(t)}
				tabs[0].expected = regexp.MustCompile(
					`ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET`)
				for len(tabs) < 10 {
					tabs = append(tabs, tabs[0].another())
				}
				for _, w := range tabs {
					w.without(without...)
					w.open("/acme/boards/NINJA")
				}
				doing := tabs[0].columnID("Doing")
				keys := ""
				all := func(ticket int) {
					t.Helper()
					a.post(fmt.Sprintf("/acme/NINJA-%d/position", ticket), "column", doing, "after", "")
					keys = fmt.Sprint("NINJA-", ticket, " ", keys)
					for _, w := range tabs {
						w.seen()
						w.holds("Doing", keys[:len(keys)-1])
					}
					a.streamsAre("1")
				}
				all(1)
				call(tabs[0], page.Close, cdp.Empty{})
				tabs = tabs[1:]
				all(2)
				a.stop()
				a.again()
				all(3)
			})
	}
}

// seen makes a tab visible.
func (b *tab) seen() {
	b.t.Helper()
	call(b, page.BringToFront, cdp.Empty{})
}
