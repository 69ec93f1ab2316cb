package web_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
)

func TestGroups(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("mia", "acme", accounts.Member)
	e.account("sam", "rivals", accounts.Owner)
	ana, mia := e.ana(), e.signedIn("mia")

	ana.get("/acme/people").has(t, 1, "main a[href='/acme/groups']")
	ana.get("/acme/groups").has(t, 1, ".menu a[href='/acme/groups']")
	a := ana.post("/acme/groups", "name", strings.Repeat("x", 101)).is(t, http.StatusUnprocessableEntity)
	if a.value(t, "#group-name") != strings.Repeat("x", 101) {
		t.Error("the name that was typed is lost")
	}
	a.has(t, 1, "#group-name-error")
	ana.post("/acme/groups", "name", "Pilots").goesTo(t, "/acme/groups/1")
	ana.post("/acme/groups", "name", "pilots").is(t, http.StatusConflict).has(t, 1, "#group-name-error")
	ana.post("/acme/groups", "name", "Crew").is(t, http.StatusSeeOther)

	a = ana.post("/acme/groups/1/members", "handle", "@sam").is(t, http.StatusUnprocessableEntity)
	a.has(t, 1, "#add-handle-error").has(t, 0, "#group-name-error")
	if a.value(t, "#add-handle") != "@sam" || a.value(t, "#group-name") != "Pilots" {
		t.Error("a refused handle is lost, or taken for the name")
	}
	a.has(t, 1, "#handles option[value='@mia']").has(t, 0, "#handles option[value='@sam']")
	ana.post("/acme/groups/1/members", "handle", " @Mia ").goesTo(t, "/acme/groups/1")
	ana.get("/acme/groups/1").has(t, 1, "#group tbody tr").has(t, 0, "#handles option[value='@mia']")
	if row := ana.get("/acme/groups").text(t, "#groups tbody tr:last-child"); !strings.Contains(row, "Pilots") ||
		!strings.Contains(row, "1") {
		t.Errorf("the list has %q", row)
	}
	ana.post("/acme/groups/1", "name", "Crew").is(t, http.StatusConflict).has(t, 1, "#group-name-error")
	ana.post("/acme/groups/1", "name", "Captains").goesTo(t, "/acme/groups/1")

	mia.get("/acme/groups/1").is(t, 200).has(t, 1, "#group tbody tr").has(t, 0, "main form")
	mia.get("/acme/groups").is(t, 200).has(t, 2, "#groups tbody tr").has(t, 0, "main form")

	e.exec(`INSERT INTO board_member (board_id, kind, member_id, level)
		SELECT id, 'group', 1, 2 FROM board WHERE slug = 'DEMO'`)
	if text := ana.get("/acme/groups/1/removal").text(t, "main .lead"); !strings.Contains(text, "named on 1 board.") {
		t.Errorf("it asks %q", text)
	}
	ana.post("/acme/groups/1/removal").goesTo(t, "/acme/groups")
	ana.get("/acme/groups/1").is(t, http.StatusNotFound)
	e.counts(t, 0, "SELECT COUNT(*) FROM board_member WHERE kind = 'group'")

	log := ana.get("/acme/audit").text(t, "#audit")
	for _, text := range []string{"created the group Pilots", "added mia <mia@example.com> to the group Pilots",
		"renamed the group Pilots to Captains", "deleted the group Captains"} {
		if !strings.Contains(log, text) {
			t.Errorf("the audit log does not say %q:\n%s", text, log)
		}
	}
}

func TestMemberWhoLeavesTheCompanyLeavesItsGroupsAndBoards(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("mia", "acme", accounts.Member)
	ana := e.ana()
	ana.post("/acme/groups", "name", "Pilots").is(t, http.StatusSeeOther)
	ana.post("/acme/groups/1/members", "handle", "mia").is(t, http.StatusSeeOther)
	mia := e.idOf("mia")
	for _, table := range []string{"board_member (board_id, kind, member_id, level) SELECT id, 'account',",
		"board_access (board_id, account_id, level) SELECT id,"} {
		e.exec("INSERT INTO "+table+" ?, 2 FROM board WHERE slug = 'DEMO'", mia)
	}
	e.signedIn("mia").post("/acme/people/"+number(mia)+"/removal").is(t, http.StatusSeeOther)
	e.counts(t, 0, "SELECT COUNT(*) FROM people_group_member")
	e.counts(t, 0, "SELECT COUNT(*) FROM board_member")
	e.counts(t, 0, "SELECT COUNT(*) FROM board_access")
}

func TestPrivateBoardsInSettings(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("mia", "acme", accounts.Member)
	e.account("adam", "acme", accounts.Admin)
	e.exec("UPDATE board SET privacy = ? WHERE slug = 'DEMO'", db.ReachAll)
	e.exec(`INSERT INTO board_member (board_id, kind, member_id, level)
		SELECT id, 'account', ?, 2 FROM board WHERE slug = 'DEMO'`, e.idOf("mia"))
	e.exec(`INSERT INTO board_access (board_id, account_id, level)
		SELECT id, ?, 2 FROM board WHERE slug = 'DEMO'`, e.idOf("mia"))
	path := "/acme/settings/boards/" + number(e.count("SELECT id FROM board WHERE slug = 'DEMO'"))
	ana, adam, mia := e.ana(), e.signedIn("adam"), e.signedIn("mia")

	ana.get("/acme/boards/DEMO").is(t, http.StatusNotFound)
	a := adam.get("/acme/settings/boards").is(t, 200)
	a.has(t, 1, "#private-boards a[href='"+path+"']").has(t, 0, "main a[href='/acme/boards/DEMO']")
	a = adam.get(path).is(t, 200).has(t, 0, "main form").has(t, 1, "#private-boards tbody tr")
	if text := a.text(t, "#private-boards tbody"); !strings.Contains(text, "@mia") || !strings.Contains(text, "member") {
		t.Errorf("it names %q", text)
	}
	adam.post(path+"/takeover").is(t, http.StatusForbidden).textHas(t, "main", "Only owners of the company can take over a board")
	for _, hidden := range []string{"/acme/settings/boards", path} {
		mia.get(hidden).is(t, http.StatusForbidden)
	}
	ana.get(path).has(t, 1, "main form[action='"+path+"/takeover']")
	ana.post(path+"/takeover").goesTo(t, "/acme/boards/DEMO")
	ana.get("/acme/boards/DEMO").is(t, 200)
	ana.post(path+"/takeover").is(t, http.StatusConflict)
	t.Run("the members whom it names find that in their inboxes", func(t *testing.T) {
		for _, other := range []*browser{ana, adam} {
			other.get("/acme/inbox").is(t, 200).has(t, 0, ".entry")
		}
		inbox := mia.get("/acme/inbox").is(t, 200).has(t, 1, ".entry.unread").has(t, 1, ".entry a[href='/acme/boards/DEMO']")
		inbox.textHas(t, ".entry", "Ana took over DEMO and administers it now.")
		inbox.has(t, 1, ".inbox-link[data-unread='1']")
		entry, _ := inbox.page().Find(".entry form").Attr("action")
		read := mia.get("/acme/inbox").is(t, 200)
		mia.send(newRequest(http.MethodPost, entry, formKind, strings.NewReader(""), "HX-Request", "true")).is(t, 200).
			has(t, 0, ".entry.unread").textHas(t, ".entry", "Ana took over DEMO and administers it now.")
		e.exec("UPDATE notification SET unread = TRUE")
		mia.post("/acme/inbox", "upto", read.value(t, "input[name=upto]")).goesTo(t, "/acme/inbox")
		mia.get("/acme/inbox").is(t, 200).has(t, 1, ".entry").has(t, 0, ".entry.unread")
		ana.post(fmt.Sprintf("/acme/boards/DEMO/members/account/%d/removal", e.idOf("mia"))).is(t, 303)
		e.exec("UPDATE notification SET unread = TRUE")
		mia.get("/acme/inbox").is(t, 200).has(t, 0, ".entry").has(t, 1, ".inbox-link[data-unread='0']")
		mia.post(entry).is(t, 404)
	})
	ana.get(path).is(t, 200).has(t, 0, "main form")
	if log := ana.get("/acme/audit").text(t, "#audit"); !strings.Contains(log, "took over the board DEMO") {
		t.Errorf("the audit log does not say so:\n%s", log)
	}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// The page of groups counts the boards that a reader knows of: managers know that private ones exist.
func TestGroupsCountBoardsInSight(t *testing.T) {
	t.Parallel()
	e := newEnvWithPrivateBoard(t)
	ana := e.ana()
	pilots := e.count("SELECT id FROM people_group WHERE name = 'Pilots'")
	for _, board := range []string{"HIDE", "DEMO"} {
		ana.post("/acme/boards/"+board+"/members", "name", "Pilots", "role", "viewer").is(t, 303)
	}
	path := "/acme/groups/" + number(pilots)
	for name, want := range map[string]string{"ana": "2 boards", "adam": "2 boards", "olga": "2 boards", "mia": "1 board",
		"vera": "2 boards"} {
		e.signedIn(name).get(path).is(t, 200).textHas(t, "main", "Named on "+want+".")
	}
	// Vera is in the group.
	ana.post(path+"/members", "handle", "@mia").is(t, 303)
	e.signedIn("mia").get(path).is(t, 200).textHas(t, "main", "Named on 2 boards.")
}
