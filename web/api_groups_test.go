package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// rows are the items of a list of the API.
type rows struct {
	Items []struct {
		ID                       uint64
		Kind, Handle, Name, Role string
	}
	Next *string
}

// all reads a list of the API in pages of one, and returns a text of each item.
func (p *program) all(t *testing.T, path string) (list []string) {
	t.Helper()
	for after := ""; ; {
		var page rows
		p.get(path+"?limit=1&after="+after).is(t, http.StatusOK).read(t, &page)
		for _, item := range page.Items {
			list = append(list, strings.TrimSpace(item.Kind+" "+item.Handle+" "+item.Name+" "+item.Role))
		}
		if page.Next == nil {
			return list
		}
		after = *page.Next
	}
}

func is(t *testing.T, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestAPIPrivateBoards(t *testing.T) {
	t.Parallel()
	private := func(t *testing.T, a *answer) bool {
		t.Helper()
		var b struct{ Private *bool }
		a.is(t, http.StatusOK).read(t, &b)
		if b.Private == nil {
			t.Fatal("a board does not say whether it is private")
		}
		return *b.Private
	}
	t.Run("a board says whether it is private, in lists and in the feed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.program()
		e.newBoard("NINJA")
		if private(t, ana.get("/boards/NINJA")) || !private(t, ana.patch("/boards/NINJA", object{"private": true, "version": 1})) ||
			!private(t, ana.get("/boards/NINJA")) {
			t.Error("it is not as it was set")
		}
		var list struct{ Items []struct{ Private bool } }
		ana.get("/boards").is(t, 200).read(t, &list)
		if len(list.Items) != 2 || list.Items[0].Private || !list.Items[1].Private {
			t.Errorf("%+v", list)
		}
		e.publish()
		var feed struct {
			Items []struct{ Data struct{ Slug, Private any } }
		}
		ana.get("/feeds/boards").is(t, 200).read(t, &feed)
		if last := feed.Items[len(feed.Items)-1].Data; last.Slug != "NINJA" || last.Private != true {
			t.Errorf("%+v", feed)
		}
		e.account("mia", "acme", accounts.Member)
		mia := &program{env: e, token: e.tokenOf("mia", "acme", accounts.Scopes...)}
		mia.get("/boards/NINJA").problem(t, 404, "")
		e.counts(t, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'board-private'")
	})
	t.Run("names and privacy change together or not at all, at the version that was read", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.program()
		e.newBoard("NINJA")
		e.unchanged(t, func() {
			ana.patch("/boards/NINJA", object{"private": true}).problem(t, 422, "version")
			ana.patch("/boards/NINJA", object{"private": "yes", "version": 1}).problem(t, 422, "private")
			ana.patch("/boards/NINJA", object{"private": true, "version": 2}).problem(t, 409, "title")
			ana.patch("/boards/NINJA", object{"private": true, "title": "", "version": 1}).problem(t, 422, "title")
			ana.patch("/boards/NINJA", object{"private": true, "slug": "DEMO", "version": 1}).problem(t, 409, "slug")
		})
		var same board
		if ana.patch("/boards/NINJA", object{"private": false, "version": 1}).is(t, 200).read(t, &same); same.Version != 1 {
			t.Errorf("nothing was changed, but the version is %d", same.Version)
		}
		if !private(t, ana.patch("/boards/NINJA", object{"private": true, "slug": "HIDE", "title": "Hidden", "version": 1})) {
			t.Error("it is open")
		}
		var b board
		ana.get("/boards/HIDE").is(t, 200).read(t, &b)
		if b.Slug != "HIDE" || b.Title != "Hidden" {
			t.Errorf("%+v", b)
		}
		if private(t, ana.patch("/boards/HIDE", object{"private": false, "version": b.Version})) {
			t.Error("it is private")
		}
		ana.put("/boards/HIDE/archive", nil).is(t, 200).read(t, &b)
		ana.patch("/boards/HIDE", object{"private": true, "version": b.Version}).problem(t, 409, "")
	})
	t.Run("only its admins change that, and who is named", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithPrivateBoard(t)
		ana := e.program()
		mia := &program{env: e, token: e.tokenOf("mia", "acme", accounts.Scopes...)}
		ana.put("/boards/HIDE/members/account/mia", object{"role": "member"}).is(t, 200)
		e.unchanged(t, func() {
			mia.patch("/boards/HIDE", object{"private": false, "version": 2}).problem(t, 403, "")
			mia.put("/boards/HIDE/members/account/mia", object{"role": "admin"}).problem(t, 403, "")
			mia.delete("/boards/HIDE/members/account/ana").problem(t, 403, "")
		})
		is(t, mia.all(t, "/boards/HIDE/members"), "account ana Ana admin", "account mia mia member")
	})
}

func TestAPIBoardMembers(t *testing.T) {
	t.Parallel()
	e := newEnvWithPrivateBoard(t)
	ana := e.program()
	mia := &program{env: e, token: e.tokenOf("mia", "acme", accounts.Scopes...)}
	const members = "/boards/HIDE/members"

	t.Run("a member or a group that is put there sees the board, with the role", func(t *testing.T) {
		var got struct {
			Kind, Name, Role string
			ID               int64
			Handle           *string
		}
		ana.put(members+"/account/@Mia", object{"role": "viewer"}).is(t, 200).read(t, &got)
		if got.Kind != "account" || got.Role != "viewer" || got.ID != e.idOf("mia") || got.Handle == nil || *got.Handle != "mia" {
			t.Errorf("%+v", got)
		}
		ana.put(members+"/group/1", object{"role": "member"}).is(t, 200).read(t, &got)
		if got.Kind != "group" || got.ID != 1 || got.Handle != nil || got.Name != "Pilots" {
			t.Errorf("%+v", got)
		}
		mia.get("/boards/HIDE").is(t, 200)
		mia.post("/boards/HIDE/tickets", object{"title": "x"}).problem(t, 403, "")
		for range 2 {
			ana.put(members+"/account/mia", object{"role": "member"}).is(t, 200)
		}
		mia.post("/boards/HIDE/tickets", object{"title": "x"}).is(t, 201)
		e.counts(t, 2, "SELECT COUNT(*) FROM audit WHERE kind = 'board-member' AND detail LIKE '%mia%'")
		is(t, ana.all(t, members), "account ana Ana admin", "account mia mia member", "group  Pilots member")
	})
	t.Run("what is not there or not right is refused", func(t *testing.T) {
		e.unchanged(t, func() {
			ana.put(members+"/account/mia", object{"role": "king"}).problem(t, 422, "role")
			ana.put(members+"/account/mia", object{}).problem(t, 422, "role")
			ana.put(members+"/account/mia", object{"role": "admin", "x": 1}).problem(t, 422, "x")
			for _, of := range []string{"account/sam", "account/nobody", "account/%ff", "group/99", "group/x", "role/admin"} {
				ana.put(members+"/"+of, object{"role": "viewer"}).problem(t, 404, "")
				ana.delete(members+"/"+of).problem(t, 404, "")
			}
			ana.delete(members+"/account/adam").problem(t, 404, "")
			ana.get(members+"?after=x:1").problem(t, 422, "after")
			ana.get(members+"?after=account:x").problem(t, 422, "after")
			ana.get(members+"?limit=0").problem(t, 422, "limit")
			ana.put(members+"/account/ana", object{"role": "viewer"}).problem(t, 409, "")
			ana.delete(members+"/account/ana").problem(t, 409, "")
		})
	})
	t.Run("who is taken off sees nothing more", func(t *testing.T) {
		ana.delete(members+"/account/mia").is(t, 204)
		ana.delete(members+"/account/mia").problem(t, 404, "")
		mia.get("/boards/HIDE").problem(t, 404, "")
		ana.delete(members+"/group/1").is(t, 204)
		is(t, ana.all(t, members), "account ana Ana admin")
	})
	t.Run("a former slug leads to the list", func(t *testing.T) {
		ana.patch("/boards/HIDE", object{"slug": "VEIL", "version": 2}).is(t, 200)
		ana.get("/boards/HIDE/members").is(t, http.StatusMovedPermanently)
	})
}

func TestAPIGroups(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("mia", "acme", accounts.Member)
	e.account("adam", "acme", accounts.Admin)
	e.account("sam", "rivals", accounts.Owner)
	ana := e.program()
	rivals := &program{env: e, token: e.tokenOf("sam", "rivals", accounts.Scopes...)}

	t.Run("one is created once, renamed and listed", func(t *testing.T) {
		first := ana.with("Idempotency-Key", "one").post("/groups", object{"name": "Crew"}).is(t, 201)
		again := ana.with("Idempotency-Key", "one").post("/groups", object{"name": "Crew"}).is(t, 201)
		if first.body != again.body || again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s, then %s", first.body, again.body)
		}
		var apes struct{ ID int }
		ana.post("/groups", object{"name": "Apes"}).is(t, 201).read(t, &apes)
		for name, code := range map[string]int{"": 422, strings.Repeat("x", 101): 422, "crew": 409} {
			ana.post("/groups", object{"name": name}).problem(t, code, "name")
			if name != "crew" {
				ana.patch("/groups/1", object{"name": name}).problem(t, code, "name")
			}
		}
		ana.patch(fmt.Sprint("/groups/", apes.ID), object{"name": "Crew"}).problem(t, 409, "name")
		var renamed struct{ Name string }
		ana.patch("/groups/1", object{"name": "Pilots"}).is(t, 200).read(t, &renamed)
		if one := ana.get("/groups/1").is(t, 200); renamed.Name != "Pilots" || !strings.Contains(one.body, "Pilots") {
			t.Errorf("%+v, %s", renamed, one.body)
		}
		is(t, ana.all(t, "/groups"), "Pilots", "Apes")
		is(t, rivals.all(t, "/groups"))
		e.counts(t, 2, "SELECT COUNT(*) FROM audit WHERE kind = 'group-made'")
	})
	t.Run("members come and go, each once", func(t *testing.T) {
		for range 2 {
			ana.put("/groups/1/members/mia", nil).is(t, 204)
		}
		ana.put("/groups/1/members/@Adam", nil).is(t, 204)
		e.counts(t, 2, "SELECT COUNT(*) FROM audit WHERE kind = 'group-member'")
		is(t, ana.all(t, "/groups/1/members"), "mia mia member", "adam adam admin")
		e.unchanged(t, func() {
			for _, path := range []string{"/groups/1/members/sam", "/groups/1/members/nobody", "/groups/99/members/mia",
				"/groups/x/members/mia"} {
				ana.put(path, nil).problem(t, 404, "")
				ana.delete(path).problem(t, 404, "")
			}
			rivals.put("/groups/1/members/sam", nil).problem(t, 404, "")
			rivals.get("/groups/1/members").problem(t, 404, "")
			ana.get("/groups/1/members?after=x").problem(t, 422, "after")
			ana.get("/groups?after=x").problem(t, 422, "after")
		})
		ana.delete("/groups/1/members/mia").is(t, 204)
		ana.delete("/groups/1/members/mia").problem(t, 404, "")
		is(t, ana.all(t, "/groups/1/members"), "adam adam admin")
	})
	t.Run("one that is deleted is taken off its boards", func(t *testing.T) {
		ana.put("/boards/DEMO/members/group/1", object{"role": "viewer"}).is(t, 200)
		adam := &program{env: e, token: e.tokenOf("adam", "acme", accounts.Scopes...)}
		adam.post("/boards/DEMO/tickets", object{"title": "x"}).problem(t, 403, "")
		ana.delete("/groups/1").is(t, 204)
		ana.delete("/groups/1").problem(t, 404, "")
		adam.post("/boards/DEMO/tickets", object{"title": "x"}).is(t, 201)
		is(t, ana.all(t, "/boards/DEMO/members"))
	})
}
