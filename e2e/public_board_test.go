package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// An admin turns the public link of a board on, and a stranger reads the board, with and without scripts, until it is
// turned off.
func TestPublicLink(t *testing.T) {
	t.Parallel()
	var titles []string
	for n := range 60 {
		titles = append(titles, fmt.Sprint("Paint fin ", n))
	}
	a := withBoard(t, titles...)
	owner := a.tab(t)
	owner.open("/acme/boards/NINJA/members")
	owner.click(`form[action="/acme/boards/NINJA/link"] button`)
	owner.wait(`document.querySelector("#board-link-address")`)
	link := strings.TrimPrefix(eval[string](owner, `document.querySelector("#board-link-address").value`), a.url)
	owner.click("[data-copy]")
	owner.sees("#flash .toast", "Copied.")
	owner.accessible("a public link that was just made")
	owner.look("public-link")

	b := a.stranger(t)
	b.open(link)
	b.at(link)
	eval[bool](b, `(document.querySelector(".column .cards").scrollTo(0, 1e6), true)`)
	b.wait(`document.querySelectorAll(".column:first-child .card").length === 60`)
	b.size(390, 844, true)
	b.open(link)
	b.click(".switch a:last-child")
	b.wait(`document.querySelector(".switch a:last-child").ariaCurrent === "true"`)
	b.size(1280, 900, false)
	b.open(link)
	b.click(".card a")
	b.at(link + "/1")
	b.sees("#ticket h1", "Paint fin 0")
	b.look("public-ticket")
	if cookies := eval[string](b, `document.cookie`); cookies != "" {
		t.Errorf("cookies %q", cookies)
	}

	plain := a.stranger(t)
	plain.noScript()
	plain.open(link)
	plain.click(".card a")
	plain.at(link + "/1")
	plain.click(".crumbs a")
	plain.at(link)
	plain.open(eval[string](plain, `document.querySelector(".more a").getAttribute("href")`))
	plain.sees(".column", "Paint fin 59")
	plain.look("public-board")

	owner.open("/acme/boards/NINJA/members")
	owner.click(`form[action="/acme/boards/NINJA/link/revocation"] button`)
	owner.sees("#flash .toast", "The public link is off.")
	plain.expected = regexp.MustCompile(`status of 404`)
	plain.open(link + "/2")
	plain.sees("main", "There is no board at this address")
}
