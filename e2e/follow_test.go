package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
)

// Visible pages refresh themselves.

// watch has the page record, by the clock of the machine, when a column of it has exactly these keys.
func (b *tab) watch(name, keys string) {
	b.t.Helper()
	eval[bool](b, `(() => {
		window.seenAt = 0
		window.marked = new Set() // the mark goes after a moment
		const look = () => {
			for (const card of document.querySelectorAll("[data-changed]")) window.marked.add(card.dataset.key)
			if (!window.seenAt && `+columns+`.some(c => c.name === %s && c.keys === %s)) window.seenAt = Date.now()
		}
		new MutationObserver(look).observe(document.querySelector("#board"), { subtree: true, childList: true, attributes: true, attributeFilter: ["data-changed"] })
		return true
	})()`, name, keys)
}

// live waits until the page gets events.
func (b *tab) live() {
	b.t.Helper()
	b.connectionIs("live")
}

func TestFollowedBoards(t *testing.T) {
	t.Run("a drag in one window is seen in the other, and marked there alone", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		b, other := a.tab(t), a.tab(t)
		for _, w := range []*tab{b, other} {
			w.moving()
			w.open("/acme/boards/NINJA")
			w.live()
		}
		other.watch("Doing", "NINJA-2")
		eval[bool](b, `(document.addEventListener("pointerup", () => { window.droppedAt = Date.now() }, true), true)`)
		b.drag(card("NINJA-2"), "#cards-"+b.columnID("Doing")+" .empty", 0)
		other.holds("Doing", "NINJA-2")
		other.holds("To do", "NINJA-1 NINJA-3")
		other.wait(`window.marked.has("NINJA-2") && window.marked.size === 1`)
		other.wait(`document.querySelector("#announce").textContent === "NINJA-2 was moved to Doing."`)
		other.sees("#column-"+other.columnID("Doing")+" .count", "1")
		t.Logf("seen in the other window %.0f ms after the drop",
			eval[float64](other, `window.seenAt`)-eval[float64](b, `window.droppedAt`))
		b.holds("Doing", "NINJA-2")
		if eval[bool](b, `!!document.querySelector("[data-changed]")`) {
			t.Error("whoever moved a card is told that others did")
		}
	})
	t.Run("while one drags, what others do waits; then both boards are the same", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three", "Four")
		b, other := a.tab(t), a.tab(t)
		for _, w := range []*tab{b, other} {
			w.open("/acme/boards/NINJA")
			w.live()
		}
		doing, done := b.columnID("Doing"), b.columnID("Done")
		from, to := b.middle(card("NINJA-1")), b.middle("#cards-"+doing+" .empty")
		b.mouse(input.DispatchMouseEventTypeMouseMoved, from)
		b.mouse(input.DispatchMouseEventTypeMousePressed, from)
		for i := 1.0; i <= 24; i++ {
			b.mouse(input.DispatchMouseEventTypeMouseMoved,
				point{from.X + (to.X-from.X)*min(i/12, 1), from.Y + (to.Y-from.Y)*min(i/12, 1)})
			b.frame()
		}
		other.drag(card("NINJA-3"), "#cards-"+done+" .empty", 0)
		other.holds("Done", "NINJA-3")
		for range 20 {
			b.frame()
		}
		if eval[bool](b, `!!document.querySelector("#cards-`+done+` .card")`) {
			t.Error("the board changes under a hand that drags")
		}
		b.mouse(input.DispatchMouseEventTypeMouseReleased, to)
		for _, w := range []*tab{b, other} {
			w.holds("To do", "NINJA-2 NINJA-4")
			w.holds("Doing", "NINJA-1")
			w.holds("Done", "NINJA-3")
		}
	})
	t.Run("typed text, caret, focus and a column's scroll stay", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t)
		for range 30 {
			a.post("/acme/boards/NINJA/tickets", "title", "One of many")
		}
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.live()
		todo, doing := b.columnID("To do"), b.columnID("Doing")
		b.addTo("To do")
		b.types("half a title")
		eval[bool](b, `(() => {
			document.activeElement.setSelectionRange(4, 6)
			document.querySelector("#cards-`+todo+`").scrollTop = 300
			window.typedInto = document.activeElement
			return true
		})()`)
		a.post("/acme/NINJA-1/position", "column", doing, "after", "")
		b.holds("Doing", "NINJA-1")
		b.wait(`document.activeElement === window.typedInto && document.activeElement.value === "half a title" && document.activeElement.selectionStart === 4 && document.activeElement.selectionEnd === 6`)
		b.wait(`document.querySelector("#cards-` + todo + `").scrollTop > 100`)
		b.wait(`document.querySelectorAll("#cards-` + todo + ` .card").length === 29`)
		b.types("\r")
		b.wait(`document.querySelectorAll("#cards-` + todo + ` .card").length === 30`)
	})
}

// Nothing that a user holds goes away while others change the board.
func TestFollowedFocus(t *testing.T) {
	t.Run("a card with the focus keeps it where others move it, and an open dialog stays", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.live()
		doing := b.columnID("Doing")
		b.types("jj")
		b.wait(`document.activeElement.closest(".card")?.dataset.key === "NINJA-2"`)
		a.post("/acme/NINJA-2/position", "column", doing, "after", "")
		b.holds("Doing", "NINJA-2")
		b.wait(`document.activeElement.closest(".card")?.dataset.key === "NINJA-2"`)

		b.types("c")
		b.wait(`document.activeElement.id === "new-title"`)
		b.types("a title")
		a.post("/acme/NINJA-3/position", "column", doing, "after", "")
		b.holds("Doing", "NINJA-3 NINJA-2")
		b.wait(`document.querySelector("dialog[open]") && document.activeElement.id === "new-title" && document.activeElement.value === "a title"`)
	})
	t.Run("an open menu and an open form stay open while others move tickets", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two", "Three")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.live()
		doing := b.columnID("Doing")
		b.click(".top > .menu > summary")
		b.wait(`document.querySelector(".top > .menu").open`)
		a.post("/acme/NINJA-2/position", "column", doing, "after", "")
		b.holds("Doing", "NINJA-2")
		b.wait(`document.querySelector(".top > .menu").open`)

		b.click(".top > .menu > summary")
		b.addTo("To do")
		a.post("/acme/NINJA-3/position", "column", doing, "after", "")
		b.holds("Doing", "NINJA-3 NINJA-2")
		b.wait(`document.activeElement.name === "title" && document.activeElement.closest(".add").open`)
	})
}

// Changes come from other servers, and after a pause.
func TestFollowedServers(t *testing.T) {
	t.Run("a change by another server's API is seen", func(t *testing.T) {
		t.Parallel()
		a := start(t)
		token := a.setUpByCommand()
		a.post("/acme/boards", "slug", "NINJA", "title", "Night launches")
		other := &env{t: t, jar: a.jar, env: a.env}
		other.run("127.0.0.1:0")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.live()
		b.watch("To do", "NINJA-1")
		sent := time.Now()
		other.create(token, "NINJA", "One")
		b.holds("To do", "NINJA-1")
		t.Logf("seen %.0f ms after it was sent to another server",
			eval[float64](b, `window.seenAt`)-float64(sent.UnixMilli()))
		other.delete(token, "NINJA-1")
		b.holds("To do", "")
	})
	t.Run("a board shows its new name, its new columns, and that it is archived", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.live()
		a.post("/acme/boards/NINJA/columns", "name", "Waiting", "version", "1")
		b.wait(columns + `.some(c => c.name === "Waiting")`)
		b.drag(card("NINJA-1"), "#cards-"+b.columnID("Waiting")+" .empty", 0)
		b.holds("Waiting", "NINJA-1")
		b.hears("NINJA-1 moved to Waiting.")
		a.post("/acme/boards/NINJA/settings", "title", "Day launches", "slug", "DAY", "version", "2")
		b.sees("h1", "Day launches")
		b.wait(`location.pathname === "/acme/boards/DAY" && document.title.startsWith("Day launches")`)
		b.holds("Waiting", "DAY-1")
		a.post("/acme/boards/DAY/archive", "archived", "1", "version", "3")
		b.sees(".banner", "Archived")
		b.wait(`!document.querySelector(".add, .move")`)
	})
	t.Run("changes during a restart of the server are caught up with", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b, other := a.tab(t), a.tab(t)
		b.expected = regexp.MustCompile(
			`ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET`)
		other.expected = b.expected
		for _, w := range []*tab{b, other} {
			w.open("/acme/boards/NINJA")
		}
		doing := b.columnID("Doing")
		a.post("/acme/NINJA-1/position", "column", doing, "after", "")
		b.holds("Doing", "NINJA-1")
		a.stop()
		a.again()
		a.post("/acme/NINJA-2/position", "column", doing, "after", "")
		b.holds("Doing", "NINJA-2 NINJA-1")
		other.holds("Doing", "NINJA-2 NINJA-1")
		b.drag(card("NINJA-1"), "#cards-"+b.columnID("Done")+" .empty", 0)
		other.holds("Done", "NINJA-1")
	})
}

// A board of which a part is shown stays that part.
func TestFollowedParts(t *testing.T) {
	t.Run("a filter narrows what comes, too", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the fins", "Count down")
		b := a.tab(t)
		b.open("/acme/boards/NINJA?q=fins")
		b.live()
		b.holds("To do", "NINJA-1")
		a.post("/acme/boards/NINJA/tickets", "title", "Nothing like it")
		a.post("/acme/boards/NINJA/tickets", "title", "Sand the fins")
		b.holds("To do", "NINJA-1 NINJA-4")
		b.sees("#column-"+b.columnID("To do")+" .count", "2 of 4")
	})
	t.Run("on a phone the column that shows stays, and the switch counts", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.size(390, 720, true)
		b.open("/acme/boards/NINJA")
		b.live()
		doing := b.columnID("Doing")
		b.tap(`#switch a[href="#column-` + doing + `"]`)
		b.wait(`location.hash === "#column-` + doing + `"`)
		a.post("/acme/NINJA-1/position", "column", doing, "after", "")
		b.holds("Doing", "NINJA-1")
		b.sees(`#switch a[href="#column-`+doing+`"] .count`, "1")
		b.wait(`document.querySelector("#switch [aria-current]").hash === "#column-` + doing +
			`" && Math.abs(document.querySelector("#column-` + doing + `").getBoundingClientRect().left - 12) < 12`)
	})
	t.Run("a page of many cards keeps as many", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t)
		for range 60 {
			a.post("/acme/boards/NINJA/tickets", "title", "One of many")
		}
		b := a.tab(t)
		b.open("/acme/boards/NINJA")
		b.live()
		todo := b.columnID("To do")
		b.wait(`(document.querySelector("#cards-` + todo + `").scrollTop = 1e6) && document.querySelectorAll("#cards-` +
			todo + ` .card").length === 60`)
		a.post("/acme/NINJA-2/position", "column", b.columnID("Done"), "after", "")
		b.holds("Done", "NINJA-2")
		b.wait(`document.querySelectorAll("#cards-` + todo + ` .card").length === 59`)
		a.post("/acme/NINJA-55", "title", "Another one", "version", "1")
		b.sees(card("NINJA-55"), "Another one")
	})
}

// shown is the whole board as JSON.
const shown = `JSON.stringify([...document.querySelectorAll(".column")].map(c => [c.querySelector("header").innerText, c.className, [...c.querySelectorAll(".card")].map(k => [k.dataset.key, k.className, k.innerText, k.querySelector(".on")?.title])]))`

func TestFollowedStorm(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")
	windows := []*tab{a.tab(t), a.tab(t), a.tab(t)}
	for i, w := range windows {
		w.expected = regexp.MustCompile(`status of (404|409|422)`)
		w.open("/acme/boards/NINJA" + []string{"", "", "?state=open"}[i])
	}
	columns := []string{windows[0].columnID("To do"), windows[0].columnID("Doing"), windows[0].columnID("Done")}
	client := http.Client{Jar: a.jar, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	send := func(path string, pairs ...string) {
		answer, err := client.PostForm(a.url+path, form(pairs))
		if err != nil {
			t.Error(err)
			return
		}
		answer.Body.Close()
	}
	var writers sync.WaitGroup
	for n := range 3 {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(5, uint64(n)))
			for range 40 {
				ticket, column := fmt.Sprintf("/acme/NINJA-%d", 1+random.IntN(8)), columns[random.IntN(3)]
				switch random.IntN(8) {
				case 0, 1, 2:
					send(ticket+"/position", "column", column, "after", "")
				case 3:
					send("/acme/boards/NINJA/tickets", "title", fmt.Sprint("New ", random.IntN(100)), "column", column)
				case 4:
					send(ticket, "title", fmt.Sprint("Changed ", random.IntN(100)), "version", fmt.Sprint(1+random.IntN(4)))
				case 5:
					send(ticket+"/closure", "closed", fmt.Sprint(random.IntN(2)))
				case 6:
					send(ticket+"/assignees", "quick", "1", []string{"add", "remove"}[random.IntN(2)], "1")
				case 7:
					send(ticket + []string{"/deletion", "/restoration"}[random.IntN(2)])
				}
			}
		})
	}
	for i := range 4 {
		w := windows[i%2]
		w.drag("#board .card", "#cards-"+columns[(i+1)%3], 0)
	}
	writers.Wait()
	for i, w := range windows {
		fresh := a.tab(t)
		fresh.open("/acme/boards/NINJA" + []string{"", "", "?state=open"}[i])
		w.same(fresh)
	}
}

func TestFollowedTickets(t *testing.T) {
	t.Run("fields, comments and history come, and what is typed stays", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		b := a.tab(t)
		b.open("/acme/NINJA-1")
		b.live()
		b.click("#comment-form textarea")
		b.types("half a com")
		a.post("/acme/NINJA-1", "title", "The first", "description", "With words.", "version", "1")
		b.sees("h1", "The first")
		b.sees(".face .prose", "With words.")
		b.sees("#history", "changed the title")
		a.post("/acme/NINJA-1/comments", "body", "Said meanwhile.")
		b.sees("#said", "Said meanwhile.")
		b.wait(`document.activeElement.value === "half a com"`)
		b.types("ment\r")
		eval[bool](b, `(document.querySelector("#comment-form").requestSubmit(), true)`)
		b.sees("#said .comment:last-child", "half a comment")
		b.wait(`document.querySelectorAll("#said > .comment").length === 2`)
	})
	t.Run("a reply and a comment that are half written stay, wherever one looks, also when the board is archived",
		func(t *testing.T) {
			t.Parallel()
			a := withRequests(t)
			_, _ = a.stranger(t).sends("The gate squeaks", "Every morning")
			b := a.tab(t)
			b.open("/acme/NINJA-2")
			b.live()
			b.fills("#answer-body", "half a reply")
			b.fills("#comment-body", "half a comment")
			eval[bool](b, `(document.activeElement.blur(), true)`)
			stay := func() {
				t.Helper()
				b.wait(`document.querySelector("#answer-body")?.value === "half a reply" && document.querySelector("#comment-body")?.value === "half a comment"`)
			}
			for _, said := range []string{"Said meanwhile.", "And again."} {
				a.post("/acme/NINJA-2/comments", "body", said)
				b.sees("#said", said)
				stay()
			}
			a.post("/acme/NINJA-2/link/revocation")
			a.post("/acme/NINJA-2/comments", "body", "And now.")
			b.sees("#said", "And now.")
			b.sees("#reply-form .hint", "can read this once there is a new one")
			stay()
			a.post("/acme/boards/NINJA/archive", "archived", "1", "version", "1")
			b.sees("main", "this board can be read, not changed")
			stay()
		})
	t.Run("an open editor is not touched; a line says who changed the ticket", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		b := a.tab(t)
		b.open("/acme/NINJA-1")
		b.live()
		b.types("e")
		b.wait(`document.activeElement.id === "edit-title"`)
		b.fills("#edit-description", "My own words.")
		b.wait(`document.activeElement.id === "edit-description" && document.activeElement.value === "My own words."`)
		a.post("/acme/NINJA-1", "title", "The first", "description", "", "version", "1")
		b.sees("#meanwhile", "This ticket was changed by Ana. Your text is kept")
		b.wait(`document.querySelector("#edit-description").value === "My own words." && document.activeElement.id === "edit-description"`)
		a.post("/acme/NINJA-1/comments", "body", "Said meanwhile.")
		b.sees("#said", "Said meanwhile.")
		b.wait(`document.querySelector("#edit-description").value === "My own words."`)
		b.click("#ticket .primary")
		b.sees("#ticket", "Merged")
	})
	t.Run("an editor that is a page of its own says so, too, and a comment that is edited stays open", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		a.post("/acme/NINJA-1/comments", "body", "Said before.")
		b, other := a.tab(t), a.tab(t)
		b.open("/acme/NINJA-1/edit")
		b.fills("#edit-description", "My own words.")
		other.open("/acme/NINJA-1")
		other.click(".comment a[href$='/edit']")
		other.wait(`document.activeElement.name === "body" && document.activeElement.closest(".comment")`)
		other.types("And this. ")
		a.post("/acme/NINJA-1", "title", "The first", "description", "", "version", "1")
		a.post("/acme/NINJA-1/comments", "body", "Said meanwhile.")
		b.sees("#meanwhile", "This ticket was changed by Ana.")
		b.wait(`document.querySelector("#edit-description").value === "My own words."`)
		other.sees("h1", "The first")
		other.sees("#said", "Said meanwhile.")
		other.wait(`document.activeElement.closest(".comment") && document.activeElement.value.includes("And this. ")`)
	})
	t.Run("that a ticket was deleted is said, and what was typed is kept", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.expected = notFound
		b.open("/acme/NINJA-1")
		b.live()
		b.click("#comment-form textarea")
		b.types("half a com")
		a.post("/acme/NINJA-1/deletion")
		b.sees(".banner", "Your text is kept here")
		b.wait(`document.querySelector("#comment-form textarea").value === "half a com"`)

		b.open("/acme/NINJA-2")
		b.live()
		a.post("/acme/NINJA-2/deletion")
		b.sees("main", "deleted")
		b.wait(`!document.querySelector("#comment-form")`)
	})
	t.Run("a ticket that goes to another board takes its page along", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		b := a.tab(t)
		b.open("/acme/boards/DEMO")
		column := b.columnID("To do")
		b.open("/acme/NINJA-1")
		b.live()
		a.post("/acme/NINJA-1/position", "board", "DEMO", "column", column, "after", "")
		b.wait(`location.pathname.startsWith("/acme/DEMO-")`)
		b.sees(".ticket-head .key", "DEMO")
	})
	t.Run("as many comments stay as were loaded, and changes of old ones come", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		for i := range 40 {
			a.post("/acme/NINJA-1/comments", "body", fmt.Sprintf("Comment %d.", i+1))
		}
		b := a.tab(t)
		b.open("/acme/NINJA-1")
		b.live()
		b.click("#said > .more a")
		b.wait(`document.querySelectorAll("#said > .comment").length === 40`)
		first := eval[string](b, `document.querySelector("#said > .comment").id.replace("comment-", "")`)
		a.post("/acme/NINJA-1/comments/"+first, "body", "Another beginning.", "version", "1")
		b.sees("#comment-"+first, "Another beginning.")
		b.wait(`document.querySelectorAll("#said > .comment").length === 40`)
	})
}

var notFound = regexp.MustCompile(`status of 404`)
