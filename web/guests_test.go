package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// newEnvWithGuest is newEnvWithPrivateBoard with gus, a guest, as a member of the private board TEAM, on which are Ana,
// its admin, and mia, a viewer, and the ticket TEAM-1.
func newEnvWithGuest(t testing.TB) *env {
	t.Helper()
	e := newEnvWithPrivateBoard(t)
	e.newBoard("TEAM")
	e.program().post("/boards/TEAM/tickets", object{"title": "Paint the hull"}).is(t, 201)
	ana := e.ana()
	ana.post("/acme/boards/TEAM/privacy", "private", "yes").is(t, 303)
	ana.post("/acme/boards/TEAM/members", "name", "@gus", "role", "member").is(t, 303)
	ana.post("/acme/boards/TEAM/members", "name", "@mia", "role", "viewer").is(t, 303)
	return e
}

// listed are the handles in the list of members.
func (a *answer) listed(t testing.TB) (handles []string) {
	t.Helper()
	handles = a.is(t, 200).page().Find("#members tbody .mono").Map(func(_ int, s *goquery.Selection) string {
		return s.Text()
	})
	slices.Sort(handles)
	return handles
}

func TestGuestsAreInvited(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	page := ana.get("/acme/people").is(t, 200)
	page.has(t, 1, "#invite-role option[value=guest]")
	page.textHas(t, "#invite-role-hint", "Guests see only the boards that name")
	ana.post("/acme/people/invitations", "role", "king", "days", "7").is(t, 422).
		textHas(t, "#invite-role-error", "owner, admin, member, viewer or guest")

	bo := e.visitor()
	path := ana.invitation("role", "guest")
	bo.get(path).is(t, 200).textHas(t, "main", "guest")
	bo.joins(t, path, "bo")
	home := bo.get("/acme").is(t, 200).has(t, 0, ".boards").has(t, 0, "form[action='/acme/boards']")
	home.textHas(t, "main .lead", "As a guest, you see the boards that name you")
	bo.get("/acme/boards/DEMO").is(t, 404)
	if got := bo.get("/acme/people").listed(t); !slices.Equal(got, []string{"@bo"}) {
		t.Errorf("a guest on no board sees %v", got)
	}

	person := fmt.Sprintf("/acme/people/%d", e.idOf("bo"))
	ana.get(person).is(t, 200).has(t, 1, "#person-role option[value=guest][selected]")
	ana.post(person+"/role", "role", "member").is(t, 303)
	bo.get("/acme/boards/DEMO").is(t, 200)
	ana.post(person+"/role", "role", "guest").is(t, 303)
	bo.get("/acme/boards/DEMO").is(t, 404)
	ana.get("/acme/audit").textHas(t, "#audit", "guest")
}

func TestGuests(t *testing.T) {
	t.Parallel()
	e := newEnvWithGuest(t)
	ana, gus := e.ana(), e.signedIn("gus")

	t.Run("work on the boards that name them, as these say", func(t *testing.T) {
		gus.get("/acme").is(t, 200).has(t, 1, ".boards a").has(t, 1, ".boards a[href='/acme/boards/TEAM']")
		gus.get("/acme/boards/TEAM").is(t, 200).has(t, 1, "form#undo")
		gus.post("/acme/boards/TEAM/tickets", "title", "From outside").is(t, 303)
		gus.post("/acme/TEAM-1/comments", "body", "Blue, @mia @adam?").is(t, 303)
		gus.post("/acme/TEAM-1/closure", "closed", "1").is(t, 303)
		gus.post("/acme/undo").is(t, 303)
		gus.post("/acme/boards/TEAM/members", "name", "@mia", "role", "admin").is(t, 403)
		gus.post("/acme/boards", "slug", "MINE", "title", "x").is(t, 403)
	})
	t.Run("see the members on their boards, wherever members are listed", func(t *testing.T) {
		people := gus.get("/acme/people")
		if got := people.listed(t); !slices.Equal(got, []string{"@ana", "@gus", "@mia"}) {
			t.Errorf("the list has %v", got)
		}
		people.has(t, 0, "a[href='/acme/groups']").textHas(t, "main .lead", "members that you share a board with")
		for name, code := range map[string]int{"mia": 200, "gus": 200, "adam": 404, "vera": 404} {
			gus.get(fmt.Sprintf("/acme/people/%d", e.idOf(name))).is(t, code)
		}
		page := fmt.Sprintf("/acme/people/%d", e.idOf("adam"))
		a, b := sameFor(gus.get(page), page), sameFor(gus.get("/acme/people/999999"), "/acme/people/999999")
		if a != b {
			t.Errorf("a hidden member\n%s\nand a missing one\n%s", a, b)
		}
		for _, path := range []string{"/acme/people/mentions?q=a", "/acme/TEAM-1/assignees", "/acme/TEAM-1/assignees?q=ada",
			"/acme/boards/TEAM"} {
			if strings.Contains(gus.get(path).is(t, 200).body, "adam") {
				t.Errorf("a guest is shown adam at %s", path)
			}
			if !strings.Contains(ana.get(path).is(t, 200).body, "adam") {
				t.Errorf("a member is not shown adam at %s", path)
			}
		}
		comments := gus.get("/acme/TEAM-1").is(t, 200)
		comments.has(t, 1, ".prose .mention").textHas(t, ".prose .mention", "@mia")
		if n := ana.get("/acme/TEAM-1").page().Find(".prose .mention").Length(); n != 2 {
			t.Errorf("a member is shown %d mentions", n)
		}
	})
	t.Run("get a member that they do not see for none such", func(t *testing.T) {
		adam := fmt.Sprint(e.idOf("adam"))
		hidden := gus.post("/acme/TEAM-1/assignees", "quick", "1", "add", adam).is(t, 422)
		missing := gus.post("/acme/TEAM-1/assignees", "quick", "1", "add", "999999").is(t, 422)
		if a, b := sameFor(hidden, "TEAM"), sameFor(missing, "TEAM"); a != b {
			t.Errorf("a hidden member\n%s\nand a missing one\n%s", a, b)
		}
		token := &program{env: e, token: e.tokenOf("gus", "acme", accounts.Scopes...)}
		call := func(handle string) string {
			return sameFor(token.put("/tickets/TEAM-1/assignees", object{"assignees": []string{handle}}), handle)
		}
		if a, b := call("adam"), call("nobody"); a != b || !strings.HasPrefix(a, "422") {
			t.Errorf("a hidden handle\n%s\nand a missing one\n%s", a, b)
		}
		token.put("/tickets/TEAM-1/assignees", object{"assignees": []string{"ana", "gus"}}).is(t, 200)
		gus.get("/acme/boards/TEAM?who=adam").is(t, 422).has(t, 0, ".column .card")
		gus.get("/acme/boards/TEAM?who=ana").is(t, 200).has(t, 1, ".column .card")
	})
	t.Run("still see the names on their tickets", func(t *testing.T) {
		ana.post("/acme/boards/TEAM/members", "name", "@vera", "role", "viewer").is(t, 303)
		ana.post("/acme/boards/TEAM/members", "name", "@opal", "role", "member").is(t, 303)
		e.signedIn("opal").post("/acme/TEAM-1/comments", "body", "Green").is(t, 303)
		gus.get(fmt.Sprintf("/acme/people/%d", e.idOf("opal"))).is(t, 200)
		ana.post(fmt.Sprintf("/acme/boards/TEAM/members/account/%d/removal", e.idOf("opal"))).is(t, 303)
		gus.get(fmt.Sprintf("/acme/people/%d", e.idOf("opal"))).is(t, 404)
		gus.get("/acme/TEAM-1").is(t, 200).textHas(t, ".comments, #comments", "opal")
	})
	t.Run("as the admin of a board name only whom they see, and no group", func(t *testing.T) {
		members := "/acme/boards/TEAM/members"
		ana.post(members, "name", "@gus", "role", "admin").is(t, 303)
		page := gus.get(members).is(t, 200)
		page.textHas(t, "#board-members .chip", "guest")
		page.has(t, 1, "option[value='@mia']").has(t, 0, "option[value='@adam']").has(t, 0, "option[value=Pilots]")
		for _, name := range []string{"@adam", "Pilots", "@nobody"} {
			gus.post(members, "name", name, "role", "viewer").is(t, 422).
				textHas(t, "#named-name-error", "No member and no group of your company is called “"+name+"”")
		}
		gus.post(members, "name", "@mia", "role", "member").is(t, 303)
		ana.post(members, "name", "@gus", "role", "member").is(t, 303)
	})
	t.Run("see no groups and no webhooks of the company, also as the admin of a board", func(t *testing.T) {
		members, hooks := "/acme/boards/TEAM/members", "/acme/boards/TEAM/webhooks"
		ana.post(members, "name", "Pilots", "role", "viewer").is(t, 303)
		ana.get(members).is(t, 200).has(t, 1, "form[action='"+hooks+"']").textHas(t, "#board-members", "Pilots")
		pilots := e.count("SELECT id FROM people_group WHERE name = 'Pilots'")
		token := &program{env: e, token: e.tokenOf("gus", "acme", "boards:read")}
		for _, role := range []string{"member", "admin"} {
			ana.post(members, "name", "@gus", "role", role).is(t, 303)
			page := gus.get(members).is(t, 200).has(t, 0, "form[action='"+hooks+"']")
			for _, word := range []string{"Pilots", "For the chat", "127.0.0.1:9"} {
				if strings.Contains(page.body, word) {
					t.Errorf("a guest who is %s of the board reads %s", role, word)
				}
			}
			last := e.count("SELECT COUNT(*) FROM board_member WHERE kind = 'account'")
			if list := token.get(fmt.Sprint("/boards/TEAM/members?limit=", last)).is(t, 200).body; strings.Contains(list, "group") ||
				!strings.Contains(list, `"next":null`) {
				t.Errorf("a guest's program reads %s", list)
			}
		}
		group := fmt.Sprintf("%s/group/%d", members, pilots)
		gus.post(group, "role", "admin").is(t, 404)
		gus.post(group+"/removal").is(t, 404)
		gus.post(hooks, "webhook", "1").is(t, 403)
		gus.post(hooks+"/1/removal").is(t, 403)
		e.counts(t, 0, "SELECT COUNT(*) FROM webhook_board")
		ana.post(group+"/removal").is(t, 303)
		ana.post(members, "name", "@gus", "role", "member").is(t, 303)
	})
	t.Run("do not see who made the public link, unless by a board", func(t *testing.T) {
		members := "/acme/boards/TEAM/members"
		ana.post(members, "name", "@opal", "role", "admin").is(t, 303)
		e.signedIn("opal").post("/acme/boards/TEAM/link").is(t, http.StatusCreated)
		gus.get(members).textHas(t, "#board-link", "Made by opal")
		ana.post(fmt.Sprintf("%s/account/%d/removal", members, e.idOf("opal"))).is(t, 303)
		if text := gus.get(members).is(t, 200).text(t, "#board-link"); strings.Contains(text, "opal") {
			t.Error(text)
		}
		ana.get(members).textHas(t, "#board-link", "Made by opal")
		ana.post("/acme/boards/TEAM/link/revocation").is(t, 303)
	})
	t.Run("see all other members but guests by an open board that names them", func(t *testing.T) {
		e.account("gil", "acme", accounts.Guest)
		ana.post("/acme/boards/DEMO/members", "name", "@gus", "role", "viewer").is(t, 303)
		want := []string{"@adam", "@ana", "@gus", "@mia", "@olga", "@opal", "@vera"}
		if got := gus.get("/acme/people").listed(t); !slices.Equal(got, want) {
			t.Errorf("the list has %v", got)
		}
		gus.post("/acme/boards/DEMO/tickets", "title", "x").is(t, 403)
		ana.post(fmt.Sprintf("/acme/boards/DEMO/members/account/%d/removal", e.idOf("gus"))).is(t, 303)
		gus.get("/acme/boards/DEMO").is(t, 404)
	})
}

// Guests page through the members like others.
func TestGuestsPageThroughMembers(t *testing.T) {
	t.Parallel()
	e := newEnvWithGuest(t)
	for i := range 120 {
		e.account(fmt.Sprintf("member%03d", i), "acme", accounts.Member)
		e.account(fmt.Sprintf("other%03d", i), "acme", accounts.Guest)
	}
	e.ana().post("/acme/boards/DEMO/members", "name", "@gus", "role", "viewer").is(t, 303)
	gus := e.signedIn("gus")
	var all []string
	pages := 0
	for path, more := "/acme/people", true; more; pages++ {
		a := gus.get(path)
		all = append(all, a.listed(t)...)
		path, more = a.page().Find(".more a").Attr("href")
	}
	slices.Sort(all)
	if len(all) != 127 || len(slices.Compact(all)) != 127 || pages != 2 {
		t.Errorf("%d members on %d pages", len(all), pages)
	}
}

func TestGuestsInTheAPI(t *testing.T) {
	t.Parallel()
	e := newEnvWithGuest(t)
	gus := e.signedIn("gus")
	form := gus.get("/acme/tokens").is(t, 200)
	form.has(t, 1, "input[value='tickets:write']").has(t, 0, "input[value='audit:read']")
	gus.post("/acme/tokens", "name", "x", "scopes", "tickets:write", "days", "30").is(t, 201)
	p := e.programOf("gus")

	if list := p.get("/boards").is(t, 200).body; !strings.Contains(list, `"TEAM"`) || strings.Contains(list, `"DEMO"`) {
		t.Error(list)
	}
	p.post("/boards/TEAM/tickets", object{"title": "By a program"}).is(t, 201)
	p.post("/boards/DEMO/tickets", object{"title": "x"}).is(t, 404)
	for path, code := range map[string]int{"/consumers": 403, "/feeds/tickets/consumers/warehouse": 403,
		"/feeds/tickets?consumer=warehouse": 403, "/feeds/tickets": 200, "/feeds/boards": 200} {
		p.get(path).is(t, code)
	}
	refused := p.post("/boards", object{"slug": "MINE", "title": "x"}).problem(t, http.StatusForbidden, "")
	if refused.Type != "urn:counterfoil:problem:"+string(accounts.CodeNotForGuests) {
		t.Errorf("%+v", refused)
	}
	e.publish()
	for feed, word := range map[string]string{"tickets": "Paint the hull", "boards": "TEAM"} {
		text := p.get("/feeds/"+feed).is(t, 200).body
		if !strings.Contains(text, word) || strings.Contains(text, "DEMO") || strings.Contains(text, "HIDE") {
			t.Errorf("the feed %s has %s", feed, text)
		}
	}
	e.ana().post("/acme/boards/TEAM/members", "name", "@gus", "role", "viewer").is(t, 303)
	p.post("/boards/TEAM/tickets", object{"title": "x"}).is(t, 403)
}
