package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// The keys of the header work on every page of a signed-in user, those of operators and of the account among them.
func TestKeysEverywhere(t *testing.T) {
	t.Parallel()
	a := full(t)
	var paths []string
	for _, path := range append(pagesOf(t), "/acme/boards/NINJA?q=fins&state=open", "/nowhere/at/all") {
		strangers := []string{"/t", "/login/", "/acme/forms/"}
		if !slices.ContainsFunc(strangers, func(prefix string) bool { return strings.HasPrefix(path, prefix) }) {
			paths = append(paths, path)
		}
	}
	const tabs = 3
	for n := range tabs {
		t.Run(fmt.Sprint("pages ", n), func(t *testing.T) {
			t.Parallel()
			b := a.tab(t)
			b.expected = regexp.MustCompile(`ERR_CONNECTION_REFUSED|status of 404`)
			for i := n; i < len(paths); i += tabs {
				b.keys(paths[i], i/tabs)
			}
		})
	}
}

// keys tries the keys of the header on a page, and goes by the one whose turn it is.
func (b *tab) keys(name string, turn int) {
	b.t.Helper()
	if name == "/nowhere/at/all" {
		b.open(name)
	} else {
		b.visit(name)
	}
	rest := func() {
		b.frame() // which gives an element with autofocus the focus
		b.frame()
		eval[bool](b, `(document.activeElement.blur(), true)`)
	}
	shut := func() {
		eval[bool](b, `(document.getElementById("dialog").close(), document.activeElement.blur(), true)`)
	}
	rest()
	b.types("?")
	b.sees("dialog[open] h2", "Keyboard shortcuts")
	shut()
	b.types("/")
	b.wait(`document.activeElement.matches("dialog[open] #jump-q")`)
	shut()
	leads := []struct{ keys, at string }{{"gi", "/acme/inbox"}, {"gw", "/acme/work"}, {"gb", "/acme"}}
	eval[bool](b, `(document.addEventListener("click", window.stay = (event) => {
		window.went = event.target.closest("a")?.pathname
		event.preventDefault()
	}, true), true)`)
	for _, lead := range leads { // of each the link that it presses
		b.types(lead.keys)
		b.wait(`window.went === %s`, lead.at)
	}
	eval[bool](b, `(document.removeEventListener("click", window.stay, true), true)`)
	b.types(leads[turn%3].keys)
	b.at(leads[turn%3].at)
}

// The menu is inside a small screen, also a flat one, and its last entry can be reached by keyboard.
func TestMenuFits(t *testing.T) {
	t.Parallel()
	a := withBoard(t)
	b := a.tab(t)
	for _, size := range [][2]int64{{390, 844}, {640, 360}, {320, 568}, {1280, 900}} {
		for _, path := range []string{"/acme", "/admin", "/account"} {
			b.size(size[0], size[1], size[0] < 1000)
			b.open(path)
			eval[bool](b, `(document.querySelector(".menu summary").focus(), true)`)
			b.types(kb.Enter)
			b.wait(`document.querySelector(".menu").open`)
			b.wait(`(() => { const r = document.querySelector(".menu > div").getBoundingClientRect()
				return r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight })()`)
			for range eval[int](b, `document.querySelectorAll(".menu > div :is(a, button)").length`) {
				b.types(kb.Tab)
			}
			b.wait(`document.activeElement.matches(".menu form button")`)
			b.wait(`(() => { const r = document.activeElement.getBoundingClientRect()
				return r.top >= 0 && r.bottom <= innerHeight })()`)
			b.fits(path)
		}
	}
}

// The operators' pages are one row on a phone, with the current one in sight.
func TestServerNav(t *testing.T) {
	t.Parallel()
	a := withBoard(t)
	b := a.tab(t)
	for _, path := range []string{"/admin", "/admin/migrations", "/admin/migrations/workers", "/admin/feeds",
		"/admin/refs", "/admin/companies"} {
		b.size(390, 844, true)
		b.open(path)
		b.wait(`(() => {
			const rows = new Set([...document.querySelectorAll(".server a")].map((a) => a.getBoundingClientRect().top))
			const here = document.querySelector(".server [aria-current]").getBoundingClientRect()
			return rows.size === 1 && here.left >= 0 && here.right <= innerWidth
		})()`)
		b.fits(path)
	}
	b.open("/admin")
	b.click(`.server a[href="/admin/feeds"]`)
	b.at("/admin/feeds")
	b.look("admin-feeds")
	for _, path := range []string{"/admin", "/admin/migrations/workers", "/account"} {
		b.open(path)
		b.look("shell" + strings.ReplaceAll(path, "/", "-"))
		eval[bool](b, `(document.querySelector(".menu").open = true)`)
		b.look("menu" + strings.ReplaceAll(path, "/", "-"))
	}
}
