package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
)

// jumps are the keys that a jump finds, in their order.
func (b *browser) jumps(t testing.TB, board, q string) (keys []string) {
	t.Helper()
	a := b.htmx(views.JumpID).get("/acme/jump?board="+board+"&q="+url.QueryEscape(q)).fragment(t, 200)
	a.page().Find("[role=option] .key").Each(func(_ int, s *goquery.Selection) { keys = append(keys, s.Text()) })
	return keys
}

func TestJump(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.newBoard("NINJA")
	other := e.newBoard("OTHER")
	e.newTickets("NINJA", 0, "Paint the fins", "Order a café table", "100% of the fins_are done")
	e.newTickets("OTHER", other.Columns[0].ID, "Fins for a boat")
	ana := e.ana()

	t.Run("a key, in any case, or a number on the board is the ticket at once", func(t *testing.T) {
		for q, board := range map[string]string{"NINJA-2": "", "ninja-2": "OTHER", " 2 ": "NINJA", "#2": "ninja"} {
			ana.get("/acme/jump?board="+board+"&q="+url.QueryEscape(q)).is(t, 303).goesTo(t, "/acme/NINJA-2")
			if got := ana.jumps(t, board, q); len(got) != 1 || got[0] != "NINJA-2" {
				t.Errorf("%q on %q lists %v", q, board, got)
			}
		}
		ana.get("/acme/jump?q=2").is(t, 200).has(t, 0, "#jump-found li") // of which board?
	})
	t.Run("words of a title are found without case and accents, those of this board first", func(t *testing.T) {
		for q, want := range map[string]string{
			"fins":            "NINJA-3 NINJA-1 OTHER-1",
			"FINS paint":      "NINJA-1",
			"cafe":            "NINJA-2",
			"%":               "NINJA-3",
			"s_a":             "NINJA-3",
			"fins nowhere":    "",
			"' OR 1=1":        "",
			"\u200b":          "",
			"x\x00y":          "",
			"\xff":            "",
			`\`:               "",
			"999999999999999": "",
		} {
			if got := strings.Join(ana.jumps(t, "NINJA", q), " "); got != want {
				t.Errorf("%q finds %q, not %q", q, got, want)
			}
		}
		if got := strings.Join(ana.jumps(t, "OTHER", "fins"), " "); got != "OTHER-1 NINJA-3 NINJA-1" {
			t.Error("on the other board:", got)
		}
	})
	t.Run("a page without a script has the list, and says when there is nothing", func(t *testing.T) {
		ana.get("/acme/jump?q=fins").is(t, 200).has(t, 3, "main .found li a")
		ana.get("/acme/jump?q=nowhere").textHas(t, "[data-nothing]", "Nothing")
		ana.get("/acme/jump?q="+strings.Repeat("x", 4000)).is(t, 200)
	})
	t.Run("another company's tickets are not found", func(t *testing.T) {
		e.account("sam", "rivals", accounts.Owner)
		sam := e.signedIn("sam")
		sam.get("/rivals/jump?q=NINJA-1").is(t, 200).has(t, 0, ".found")
		sam.get("/rivals/jump?q=fins").is(t, 200).has(t, 0, ".found")
	})
	t.Run("a deleted ticket is not found", func(t *testing.T) {
		e.program().delete("/tickets/NINJA-1").is(t, 204)
		ana.get("/acme/jump?q=NINJA-1").is(t, 200).has(t, 0, ".found")
		if got := ana.jumps(t, "NINJA", "paint"); got != nil {
			t.Error(got)
		}
	})
	t.Run("ten at most, the newest", func(t *testing.T) {
		titles := make([]string, 15)
		for i := range titles {
			titles[i] = fmt.Sprintf("Many %d", i)
		}
		e.newTickets("NINJA", 0, titles...)
		if got := ana.jumps(t, "NINJA", "many"); len(got) != 10 || got[0] != "NINJA-18" {
			t.Error(got)
		}
	})
}

// named are the results of a jump beside tickets, each with its kind.
func (b *browser) named(t testing.TB, params string) (list []string) {
	t.Helper()
	b.htmx(views.JumpID).get("/acme/jump?"+params).fragment(t, 200).page().Find("[role=option]:not(:has(.key))").
		Each(func(_ int, s *goquery.Selection) { list = append(list, strings.Join(strings.Fields(s.Text()), " ")) })
	return list
}

func TestJumpToNames(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.newBoard("NINJA")
	e.newBoard("HIDE")
	e.exec("UPDATE board SET title = 'Café Zürich' WHERE slug = 'NINJA'")
	e.exec("UPDATE board SET title = 'Zurich in secret', privacy = 1 WHERE slug = 'HIDE'")
	e.account("ben", "acme", accounts.Member)
	e.account("gil", "acme", accounts.Guest)
	ana, ben, gil := e.ana(), e.signedIn("ben"), e.signedIn("gil")
	ana.post(boardViews, viewed("Zebra", "priority:high", "shared", "1")...).is(t, 303)
	ana.post(boardViews, viewed("Zen", "assignee:me")...).is(t, 303)

	t.Run("boards, views, members and pages are found by words, in any order, and by letters", func(t *testing.T) {
		for q, want := range map[string]string{
			"zur caf":                  "Board Café Zürich NINJA",
			"ZEB":                      "View Zebra NINJA",
			"zen":                      "View Zen NINJA",
			"ben":                      "Member ben @ben",
			"@ben":                     "Member ben @ben",
			"my wor":                   "Page My work",
			"inbx":                     "Page Inbox",
			"home":                     "Page Home and boards",
			"audit":                    "Page Audit log",
			"dark":                     "Theme Dark",
			"Theme light":              "Theme Light",
			"theme":                    "Theme As the system; Theme Light; Theme Dark",
			"paint it dark":            "",
			"qqq":                      "",
			"%":                        "",
			"\x00\xff":                 "",
			"<script>":                 "",
			"' OR 1=1 --":              "",
			"migr":                     "Page Migrations",
			"keyboard":                 "Page Keyboard shortcuts",
			"@":                        "Member Ana @ana; Member ben @ben; Member gil @gil",
			strings.Repeat("q ", 2000): "",
		} {
			if got := strings.Join(ana.named(t, "q="+url.QueryEscape(q)), "; "); got != want {
				t.Errorf("%.40q finds %q, not %q", q, got, want)
			}
		}
	})
	t.Run("nobody finds what they do not see", func(t *testing.T) {
		for q, want := range map[string]string{"z": "View Zebra NINJA; Board Café Zürich NINJA", "secret": "", "audit": "", "migrations": "", "settings": ""} {
			if got := strings.Join(ben.named(t, "q="+q), "; "); got != want {
				t.Errorf("a member finds %q by %s, not %q", got, q, want)
			}
			if got := gil.named(t, "q="+q); got != nil {
				t.Errorf("a guest finds %q by %s", got, q)
			}
		}
		if got := gil.named(t, "q=ben"); got != nil {
			t.Errorf("a guest finds %q", got)
		}
	})
	t.Run("what is found is there", func(t *testing.T) {
		for _, q := range []string{"a", "e", "i", "o", "s", "z"} {
			ana.get("/acme/jump?q=" + q).page().Find(".found a").Each(func(_ int, link *goquery.Selection) {
				if a := ana.get(link.AttrOr("href", "")); a.code >= 400 {
					t.Errorf("%s leads to status %d", link.Text(), a.code)
				}
			})
		}
	})
}

func TestJumpRecent(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.newBoard("NINJA")
	titles := make([]string, 12)
	for i := range titles {
		titles[i] = fmt.Sprintf("Many %d", i)
	}
	e.newTickets("NINJA", 0, titles...)
	ana := e.ana()
	if got := ana.jumps(t, "", ""); got != nil {
		t.Errorf("before anything was looked at: %v", got)
	}
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 3} {
		ana.get(fmt.Sprint("/acme/NINJA-", n)).is(t, 200)
	}
	want := "NINJA-3 NINJA-9 NINJA-8 NINJA-7 NINJA-6 NINJA-5 NINJA-4 NINJA-2"
	if got := strings.Join(ana.jumps(t, "", ""), " "); got != want {
		t.Errorf("looked at: %s", got)
	}
	ana.get("/acme/jump").has(t, 8, ".found .key") // without a script
	if got := ana.jumps(t, "", "many"); len(got) != 10 || strings.Join(got, " ") != want+" NINJA-12 NINJA-11" {
		t.Errorf("among those with a word they are not first: %v", got)
	}
	e.program().delete("/tickets/NINJA-9").is(t, 204)
	if got := ana.jumps(t, "", ""); len(got) != 7 || got[1] != "NINJA-8" {
		t.Errorf("after one was deleted: %v", got)
	}
	safe := newEnv(t, withURL("https://example.com"))
	safe.newBoard("NINJA")
	safe.newTickets("NINJA", 0, "One")
	// Browsers take no __Host- cookie of another path.
	if c := safe.ana().get("/acme/NINJA-1").is(t, 200).cookies(); len(c) != 2 || c[1].Name != "__Host-counterfoil-recent-acme" ||
		c[1].Path != "/" || !c[1].Secure || !c[1].HttpOnly || c[1].SameSite != http.SameSiteLaxMode {
		t.Errorf("over HTTPS it is %v", c)
	}
	// A cookie opens nothing, whoever wrote it.
	e.account("gil", "acme", accounts.Guest)
	gil := e.signedIn("gil")
	for _, forged := range []string{"", ".", "1.NINJA-1", fmt.Sprint(e.count("SELECT id FROM account WHERE name = 'gil'"), ".NINJA-1.NINJA-2"),
		"x.NINJA-1", strings.Repeat("NINJA-1.", 300), "1.' OR 1=1"} {
		gil.recent = &http.Cookie{Name: "counterfoil-recent-acme", Value: forged}
		if got := gil.jumps(t, "", ""); got != nil {
			t.Errorf("%q shows a guest %v", forged, got)
		}
	}
}

// Boards, views and members that one looked at last are the first of those that a text finds.
func TestJumpToRecentPlaces(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for _, slug := range []string{"NINJA", "NINJB", "NINJC", "NINJD"} {
		e.newBoard(slug)
	}
	for _, name := range []string{"bea", "beb", "bec"} {
		e.account(name, "acme", accounts.Member)
	}
	ana := e.ana()
	for _, name := range []string{"Later", "Late", "Latest"} {
		ana.post("/acme/boards/NINJA/views", viewed(name, "is:open")...).is(t, 303)
	}
	places := func(b *browser, text string) (list []string) {
		b.get("/acme/jump?q=" + url.QueryEscape(text)).page().Find(".found a").Each(func(_ int, a *goquery.Selection) {
			list = append(list, strings.TrimPrefix(a.AttrOr("href", ""), "/acme/"))
		})
		return list
	}
	first := func(text string, want ...string) {
		t.Helper()
		if got := places(ana, text); len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("%q leads to %v, not first to %v", text, got, want)
		}
	}
	ana.get("/acme/boards/NINJC").is(t, 200)
	ana.get("/acme/boards/NINJB/list").is(t, 200)
	ana.get("/acme/boards/NINJD/calendar").is(t, 200)
	first("ninj", "boards/NINJD", "boards/NINJB", "boards/NINJC")
	first("", "boards/NINJD", "boards/NINJB", "boards/NINJC")
	ana.htmx(views.BoardID).get("/acme/boards/NINJC").is(t, 200) // the page follows its board
	first("ninj", "boards/NINJD")
	view := fmt.Sprint("views/", e.count("SELECT id FROM saved_view WHERE name = 'Latest'"))
	ana.get("/acme/"+view).is(t, 303)
	first("late", view)
	first("", view, "boards/NINJD")
	person := fmt.Sprint("people/", e.idOf("bec"))
	ana.get("/acme/"+person).is(t, 200)
	first("be", person)

	// It opens nothing, and is one account's.
	ben := e.signedIn("bea")
	ben.recent = ana.recent
	if got := places(ben, "ninj"); slices.Equal(got[:2], []string{"boards/NINJD", "boards/NINJB"}) {
		t.Errorf("another account of the browser is led to %v", got)
	}
	ana.post("/acme/"+view+"/deletion").is(t, 303)
	first("", "boards/NINJD")
	ana.recent = &http.Cookie{Name: ana.recent.Name, Value: "1.boards/NOWHERE.views/999.people/999.boards/..%2f.x/y." + strings.Repeat("boards/A.", 200)}
	first("", "boards/DEMO")
}

func TestJumpChanges(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.newBoard("NINJA")
	e.newBoard("OTHER")
	e.newTickets("NINJA", 0, "One", "Two")
	for name, role := range map[string]string{"ben": accounts.Member, "vera": accounts.Viewer} {
		e.account(name, "acme", role)
	}
	ana := e.ana()
	ana.post("/acme/NINJA-1/labels", "named", "bug").is(t, 303)
	const both = "board=NINJA&keys=NINJA-1+NINJA-2&q="
	for q, want := range map[string]string{
		"assign ben":     "2 tickets Assign to ben @ben",
		"assign to ben":  "2 tickets Assign to ben @ben",
		"move doi":       "2 tickets Move to Doing",
		"label bu":       "2 tickets Label bug",
		"priority hi":    "2 tickets Priority high",
		"due 2040-01-02": "2 tickets Due 2040-01-02",
		"due nonsense":   "",
		"no due":         "2 tickets No due date",
		"close":          "2 tickets Close",
		"assign vera":    "", // who cannot be assigned
		"mov":            "", // a title may begin like that
		"doing":          "",
		"clos":           "",
		"bug":            "",
	} {
		if got := strings.Join(ana.named(t, both+url.QueryEscape(q)), "; "); got != want {
			t.Errorf("%q offers %q, not %q", q, got, want)
		}
	}
	for name, params := range map[string]string{"no keys": "board=NINJA&q=close", "no board": "keys=NINJA-1&q=close",
		"an unknown board": "board=NOPE&keys=NINJA-1&q=close", "a wrong key": "board=NINJA&keys=x&q=close",
		"too many keys": "board=NINJA&q=close&keys=" + manyKeys(101)} {
		if got := ana.named(t, params); got != nil {
			t.Errorf("%s: it offers %q", name, got)
		}
	}
	if got := e.signedIn("vera").named(t, both+"close"); got != nil {
		t.Errorf("a viewer is offered %q", got)
	}
	for q, want := range map[string]string{"due 31 feb": "such as today", "assign nobody": "no member", "move nowhere": "no column",
		"label what": "no label", "priority top": "none, low"} {
		ana.htmx(views.JumpID).get("/acme/jump?"+both+url.QueryEscape(q)).fragment(t, 200).textHas(t, "[data-nothing]", want)
	}
	// The form of a change is one that does it, without a script too.
	form := ana.get("/acme/jump?"+both+"assign+ben").is(t, 200).has(t, 0, "[data-here]").page().Find(".found form")
	fields := []string{}
	form.Find("input").Each(func(_ int, in *goquery.Selection) {
		fields = append(fields, in.AttrOr("name", ""), in.AttrOr("value", ""))
	})
	ana.post(form.AttrOr("action", ""), fields...).is(t, 303)
	e.counts(t, 2, "SELECT COUNT(*) FROM assignee a JOIN account p ON p.id = a.account_id WHERE p.name = 'ben' AND a.current")
	ana.get("/acme/jump?board=NINJA&keys=NINJA-1").textHas(t, "main #jump-found", "To change NINJA-1: “assign Jo”")
}

// manyKeys are n keys of NINJA.
func manyKeys(n int) string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprint("NINJA-", i+1)
	}
	return strings.Join(keys, "+")
}

func TestKeysHelp(t *testing.T) {
	t.Parallel()
	ana := newEnv(t).ana()
	ana.get("/acme/keys").is(t, 200).has(t, 1, "main h1")
	ana.htmx(views.DialogID).get("/acme/keys").fragment(t, 200).has(t, 1, "#dialog-title")
}

func TestThemeByName(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.newBoard("NINJA")
	ana := e.ana()
	box := ana.htmx("jump-found").with("HX-Current-URL", "http://example.com/acme/boards/NINJA?q=label:bug").get("/acme/jump?q=dark").is(t, 200)
	if next := box.value(t, "form[action='/acme/theme'] [name=next]"); next != "/acme/boards/NINJA?q=label:bug" {
		t.Errorf("it leads back to %q", next)
	}
	ana.post("/acme/theme", "theme", "dark", "next", "/acme/boards/NINJA?q=label:bug").goesTo(t, "/acme/boards/NINJA?q=label:bug")
	ana.get("/acme").has(t, 1, "html[data-theme=dark]")
	ana.post("/acme/theme", "theme", "system", "next", "//evil.example").goesTo(t, "/acme")
	ana.get("/acme").has(t, 0, "html[data-theme]")
	ana.post("/acme/theme", "theme", "pink").is(t, 422)
	ana.get("/acme").has(t, 0, "html[data-theme]")
}
