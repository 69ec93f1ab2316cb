package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFirstDay is the first day of a team: from setup to ten tickets, an invitation, an assignment, a conflict, an
// import of 400 rows, a request from outside and an undo. It logs the clicks, keys and seconds of each part.
func TestFirstDay(t *testing.T) {
	t.Parallel()
	a := start(t)
	ana := a.tab(t)
	since := time.Now()
	clicks, keys := 0, 0
	took := func(part string, users ...*tab) {
		t.Helper()
		c, k := 0, 0
		for _, b := range users {
			c, k = c+b.clicks, k+b.strokes
			b.clicks, b.strokes = 0, 0
		}
		clicks, keys = clicks+c, keys+k
		t.Logf("%-12s %2d clicks, %3d keys, %.1f s", part, c, k, time.Since(since).Seconds())
		since = time.Now()
	}

	ana.open(<-a.setup)
	ana.fills("#setup-company", "Acme")
	ana.fills("#setup-slug", "acme")
	ana.fills("#setup-name", "Ana")
	ana.fills("#setup-email", email)
	ana.fills("#setup-password", password)
	ana.click("form .primary")
	ana.wait(`location.pathname.startsWith("/acme")`)
	took("setup", ana)

	ana.click(`.top nav a[href="/acme"]`)
	ana.at("/acme")
	ana.fills("#board-title", "Night launches")
	ana.fills("#board-slug", "NINJA")
	ana.types("\r")
	ana.at("/acme/boards/NINJA")
	ana.addTo("To do")
	for n := range 10 {
		ana.types(fmt.Sprintf("Fin %d\r", n+1))
	}
	ana.wait(`document.querySelectorAll(".column:first-child .card").length === 10`)
	took("ten tickets", ana)

	ana.click(`.top nav a[href="/acme/people"]`)
	ana.at("/acme/people")
	ana.click(`form[action="/acme/people/invitations"] .primary`)
	ana.wait(`document.querySelector("#link")`)
	bo := a.stranger(t)
	bo.open(strings.TrimPrefix(eval[string](ana, `document.querySelector("#link").value`), a.url))
	bo.fills("#join-name", "Bo")
	bo.fills("#join-email", "bo@example.com")
	bo.fills("#join-password", password)
	bo.types("\r")
	bo.signsInAs("bo@example.com")
	bo.at("/acme")
	took("invitation", ana, bo)

	ana.open("/acme/NINJA-1")
	ana.types("abo\r")
	ana.sees(".assignees", "Bo")
	took("assignment", ana)

	for _, b := range []*tab{ana, bo} {
		b.open("/acme/NINJA-2")
		b.types("e")
		b.wait(`document.activeElement.id === "edit-title"`)
	}
	ana.fills("#edit-title", "Paint the fins")
	ana.types("\r")
	ana.sees("h1", "Paint the fins")
	bo.fills("#edit-description", "In **red**.")
	bo.ctrl("Enter", "Enter", 13)
	bo.sees("main", "Not saved yet")
	bo.click("#merge .primary")
	bo.sees("h1", "Paint the fins")
	bo.sees(".prose", "In red.")
	took("conflict", ana, bo)

	var rows strings.Builder
	rows.WriteString("Title,Status\n")
	for n := range 400 {
		fmt.Fprintf(&rows, "Row %d,%s\n", n+1, []string{"To do", "Done"}[n%2])
	}
	file := filepath.Join(t.TempDir(), "rows.csv")
	ana.must(os.WriteFile(file, []byte(rows.String()), 0o600))
	ana.open("/acme/boards/NINJA")
	ana.imports(file)
	ana.wait(`location.pathname === "/acme/boards/NINJA" && document.querySelector(".column:first-child .count")?.textContent.startsWith("210")`)
	took("import", ana)

	ana.click(`.board-head a[href$="/settings"]`)
	ana.at("/acme/boards/NINJA/settings")
	ana.click(`form[action$="/form"] [name=on]`)
	ana.click(`form[action$="/form"] .actions button`)
	ana.wait(`document.querySelector("#form-address").value.endsWith("/acme/forms/NINJA")`)
	a.onDatabase(t, "INSERT INTO ref_ledger (code, batch) VALUES ('ukrEP', 4000000000)")
	a.onDatabase(t, "INSERT INTO ref_pool (code) VALUES ('ukrEP')")
	stranger := a.stranger(t)
	stranger.open("/acme/forms/NINJA")
	stranger.fills("#request-title", "The gate squeaks")
	stranger.fills("#request-description", "Every morning")
	stranger.click("form .primary")
	stranger.wait(`location.pathname.endsWith("/receipt")`)
	ana.click(".inbox-link")
	ana.sees(".entry", "New request")
	took("public form", ana, stranger)

	ana.open("/acme/boards/NINJA")
	ana.drag(card("NINJA-1"), "#cards-"+ana.columnID("Doing")+" .empty", 0)
	ana.sees("#flash .toast", "NINJA-1 is in Doing.")
	ana.ctrl("z", "KeyZ", 90)
	ana.holds("Doing", "")
	ana.wait(`document.querySelector(".column:first-child .card").dataset.key === "NINJA-1"`)
	took("undo", ana)
	t.Logf("%-12s %2d clicks, %3d keys", "in all", clicks, keys)
}

// imports takes a file from a board's settings to its tickets.
func (b *tab) imports(file string) {
	b.t.Helper()
	b.click(`.board-head a[href$="/settings"]`)
	b.click("#import")
	b.wait(`location.pathname.endsWith("/import-tickets/new")`)
	b.clicks++ // the file is chosen
	b.chooseFile("#run-file", file)
	b.click("main form button.primary")
	b.sees("h1", "Map the columns")
	b.click("#run-dry")
	b.click("main form button.primary")
	b.wait(`location.pathname.endsWith("/start")`)
	b.click("main form button.primary")
	b.sees("#run-done", "400 rows")
	b.click("#run-done a")
}
