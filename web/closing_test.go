package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

func TestClosure(t *testing.T) {
	t.Parallel()

	t.Run("a ticket is closed and opened again from its page, and each can be undone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		path := "/acme/DEMO-1"
		ana.post(path+"/closure", "closed", "1").goesTo(t, path)
		page := ana.get(path)
		page.textIs(t, "#flash .toast > span", "DEMO-1 is closed.")
		page.textIs(t, ".column-name", "Done")
		ana.get(path).has(t, 0, "#flash .toast")

		again := ana.post(path+"/closure", "closed", "1").goesTo(t, path)
		_ = again
		if page := ana.get(path); strings.Contains(page.text(t, "#flash"), "Undo") {
			t.Error("what changed nothing can be undone")
		}

		ana.post("/acme/undo", "activity", page.value(t, "#flash [name=activity]"), "next",
			page.value(t, "#flash [name=next]")).goesTo(t, path)
		page = ana.get(path)
		page.textIs(t, "#flash .toast > span", "Undone: DEMO-1 is open again, in To do.")
		page.textHas(t, "#history li:first-child p", "undid closing it")
		ana.post(path+"/closure", "closed", "0").goesTo(t, path)
		ana.post(path+"/closure", "closed", "2").is(t, http.StatusUnprocessableEntity)
		ana.post(path+"/closure").is(t, http.StatusUnprocessableEntity)
	})

	t.Run("the API closes and opens again, and saying it twice changes nothing", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		p := e.program()
		var got struct {
			Key      string
			ClosedAt *string `json:"closed_at"`
			Column   uint64
		}
		p.call(http.MethodPut, "/tickets/DEMO-1/closure", nil).is(t, 200).read(t, &got)
		if got.ClosedAt == nil || got.Column != 3 {
			t.Errorf("%+v", got)
		}
		e.unchanged(t, func() { p.call(http.MethodPut, "/tickets/DEMO-1/closure", nil).is(t, 200) })
		got.ClosedAt = nil
		p.delete("/tickets/DEMO-1/closure").is(t, 200).read(t, &got)
		if got.ClosedAt != nil || got.Column != 1 {
			t.Errorf("%+v", got)
		}
		e.unchanged(t, func() { p.delete("/tickets/DEMO-1/closure").is(t, 200) })
		p.call(http.MethodPut, "/tickets/DEMO-99/closure", nil).problem(t, 404, "")
	})

	t.Run("a full done column says so", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.exec("UPDATE board_column SET wip_limit = 0, wip_hard = TRUE WHERE id = 3")
		e.unchanged(t, func() {
			e.program().call(http.MethodPut, "/tickets/DEMO-1/closure", nil).problem(t, 409, "column")
			if a := e.ana().post("/acme/DEMO-1/closure", "closed", "1").is(t, 409); !strings.Contains(a.body, "full") {
				t.Error(a.body)
			}
		})
	})
}

func TestDeletion(t *testing.T) {
	t.Parallel()

	t.Run("a ticket is deleted, listed and restored without JavaScript", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("vera", "acme", accounts.Viewer)
		e.account("sam", "rivals", accounts.Owner)
		ana := e.ana()
		ana.get("/acme/DEMO-1/deletion").has(t, 1, "form#deletion[action='/acme/DEMO-1/deletion']")
		ana.post("/acme/DEMO-1/deletion").goesTo(t, "/acme/boards/DEMO")
		ana.get("/acme/boards/DEMO").textIs(t, "#flash .toast > span", "DEMO-1 is deleted.")
		gone := ana.get("/acme/DEMO-1").is(t, http.StatusNotFound)
		gone.has(t, 1, "form[action='/acme/DEMO-1/restoration']")
		if got := gone.text(t, "#ticket .lead"); !strings.HasPrefix(got, "Ana deleted") {
			t.Errorf("it says %q", got)
		}
		vera := e.signedIn("vera")
		vera.get("/acme/DEMO-1").is(t, http.StatusNotFound).has(t, 0, "form[action$=restoration]")
		vera.get("/acme/boards/DEMO/deleted").is(t, 200).has(t, 0, "form[action$=restoration]")
		e.signedIn("sam").get("/acme/DEMO-1").is(t, http.StatusNotFound).has(t, 0, "#ticket")

		list := ana.get("/acme/boards/DEMO/deleted")
		list.has(t, 1, "#deleted > li")
		ana.post("/acme/DEMO-1/restoration").goesTo(t, "/acme/DEMO-1")
		ana.get("/acme/DEMO-1").is(t, 200).textIs(t, "#history li:first-child p", "Ana restored it to To do")
		ana.get("/acme/boards/DEMO/deleted").has(t, 0, "#deleted > li")
	})

	t.Run("after thirty days it is gone for good", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.program().delete("/tickets/DEMO-1").is(t, 204)
		e.exec("UPDATE ticket SET deleted_at = deleted_at - INTERVAL 31 DAY WHERE local_id = 1")
		e.unchanged(t, func() {
			ana := e.ana()
			ana.get("/acme/DEMO-1").is(t, 404).has(t, 0, "#ticket")
			ana.get("/acme/boards/DEMO/deleted").has(t, 0, "#deleted > li")
			if a := ana.post("/acme/DEMO-1/restoration").is(t, 409); !strings.Contains(a.body, "30 days") {
				t.Error(a.body)
			}
			e.program().call(http.MethodPut, "/tickets/DEMO-1/restoration", nil).problem(t, 409, "")
		})
	})

	t.Run("the list goes on below its page, each ticket once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("GONE")
		titles := make([]string, 60)
		for i := range titles {
			titles[i] = fmt.Sprint("Ticket ", i)
		}
		for _, key := range e.newTickets("GONE", b.Columns[0].ID, titles...) {
			e.program().delete("/tickets/"+key).is(t, 204)
		}
		e.exec("UPDATE ticket SET deleted_at = '2026-01-01' + INTERVAL local_id DIV 7 SECOND WHERE deleted_at IS NOT NULL")
		e.exec("UPDATE ticket SET deleted_at = UTC_TIMESTAMP(6) - INTERVAL (60 - local_id DIV 7) SECOND WHERE deleted_at " +
			"IS " +
			"NOT NULL")
		e.exec("UPDATE ticket t JOIN (SELECT MIN(deleted_at) AS at FROM ticket) m SET t.deleted_at = m.at WHERE " +
			"t.deleted_at IS NOT NULL AND local_id < 20")
		ana := e.ana()
		seen := map[string]bool{}
		for path := "/acme/boards/GONE/deleted"; path != ""; {
			page := ana.get(path).page()
			for _, key := range page.Find("#deleted .key").EachIter() {
				if seen[key.Text()] {
					t.Errorf("%s is there twice", key.Text())
				}
				seen[key.Text()] = true
			}
			path = page.Find("#deleted .more a").AttrOr("href", "")
		}
		if len(seen) != 60 {
			t.Errorf("%d of 60", len(seen))
		}
		for _, cursor := range []string{"x", "1-", "-1", "1-2-3", "99999999999999999-1",
			"9999999999999999-999999999999999999", "0-0"} {
			if a := ana.get("/acme/boards/GONE/deleted?below=" + cursor); a.code != 400 && a.code != 200 {
				t.Errorf("%s: %d", cursor, a.code)
			}
		}
	})
}

func TestNothingTypedIsLost(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("bob", "acme", accounts.Member)
	e.account("sam", "rivals", accounts.Owner)
	ana, bob := e.ana(), e.signedIn("bob")

	bob.post("/acme/DEMO-1/deletion").goesTo(t, "/acme/boards/DEMO")
	a := ana.post("/acme/DEMO-1/comments", "body", "an hour's thoughts").is(t, 404)
	if got := a.text(t, ".typed textarea"); got != "an hour's thoughts" ||
		!strings.Contains(a.text(t, "#main .lead"), "bob deleted") {
		t.Errorf("on a deleted ticket it says %q and %q", a.text(t, "#main .lead"), got)
	}
	a = ana.post("/acme/DEMO-1", "title", "T", "description", "a long text", "version", "1").is(t, 404)
	if got := a.page().Find(".typed textarea").Last().Text(); got != "a long text" {
		t.Errorf("on a deleted ticket the edit shows %q", got)
	}
	if got := ana.htmx("comment-form").post("/acme/DEMO-1/comments", "body", "x").
		is(t, 404); !strings.Contains(got.text(t, "#main .lead"), "bob deleted") {
		t.Errorf("a script is told %q", got.text(t, "#main .lead"))
	}
	if got := e.signedIn("sam").post("/acme/DEMO-1/comments", "body", "mine").
		is(t, 404); strings.Contains(got.body, "bob") {
		t.Error("a stranger learns of a deleted ticket")
	}

	e.program().call(http.MethodPut, "/boards/DEMO/archive", nil).is(t, 200)
	ana.post("/acme/DEMO-2/comments", "body", "an hour's thoughts").is(t, 409).
		textIs(t, ".typed textarea", "an hour's thoughts")
	e.exec("UPDATE membership m JOIN account a ON a.id = m.account_id SET m.role = 'viewer' WHERE a.name = 'bob'")
	bob.post("/acme/DEMO-2/comments", "body", "mine").is(t, 403).textIs(t, ".typed textarea", "mine")
}

func TestUndo(t *testing.T) {
	t.Parallel()

	t.Run("a drag offers its undo beside the columns, which gives them as they were", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		todo, doing := b.Columns[0].ID, b.Columns[1].ID
		keys := e.newTickets("NINJA", todo, "a", "b", "c")
		ana := e.ana()
		a := ana.htmx(fmt.Sprint("column-", doing)).post("/acme/NINJA-2/position", "column", fmt.Sprint(doing)).is(t, 200)
		activity := a.value(t, "#flash[hx-swap-oob] .toast [name=activity]")
		got := ana.htmx("board").post("/acme/undo", "activity", activity).is(t, 200)
		got.has(t, 2, "section.column")
		if now := e.keys("NINJA", todo); strings.Join(now, " ") != strings.Join(keys, " ") {
			t.Errorf("the column holds %v", now)
		}
		e.unchanged(t, func() { ana.htmx("board").post("/acme/undo", "activity", activity).is(t, 400) })
		e.unchanged(t, func() { ana.post("/acme/undo", "activity", activity).is(t, 409) })
	})

	t.Run("a deed that stays is said once, and the next undo goes on to the one before it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("bob", "acme", accounts.Member)
		ana := e.ana()
		ana.post("/acme/DEMO-1/closure", "closed", "1").goesTo(t, "/acme/DEMO-1")
		ana.post("/acme/DEMO-2/closure", "closed", "1").goesTo(t, "/acme/DEMO-2")
		ana.post("/acme/DEMO-3/closure", "closed", "1").goesTo(t, "/acme/DEMO-3")
		e.signedIn("bob").post("/acme/DEMO-3/closure", "closed", "0").goesTo(t, "/acme/DEMO-3")
		e.signedIn("bob").post("/acme/DEMO-2/deletion")
		for _, key := range []string{"DEMO-3", "DEMO-2"} {
			ana.post("/acme/undo").is(t, 409).textHas(t, "#main .lead", key)
		}
		ana.post("/acme/undo").goesTo(t, "/acme/DEMO-1")
		ana.post("/acme/undo").is(t, 409)
	})

	t.Run("a change of a whole column is no action, and does not hide those before it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "a", "b")
		ana := e.ana()
		ana.post("/acme/NINJA-1/closure", "closed", "1").goesTo(t, "/acme/NINJA-1")
		e.program().patch(fmt.Sprintf("/boards/NINJA/columns/%d", b.Columns[0].ID), object{"done": true}).is(t, 200)
		ana.post("/acme/undo").goesTo(t, "/acme/NINJA-1")
	})

	t.Run("nobody takes back what another did, or what is no action", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("mia", "acme", accounts.Member)
		e.account("sam", "rivals", accounts.Owner)
		e.account("ana2", "rivals", accounts.Owner)
		e.exec("INSERT INTO membership (company_id, account_id, role, handle, created_at) SELECT c.id, a.id, 'owner', "+
			"'anar', UTC_TIMESTAMP(6) FROM company c, account a WHERE c.slug = 'rivals' AND a.email = ?", email)
		e.program().call(http.MethodPut, "/tickets/DEMO-1/closure", nil).is(t, 200)
		id := fmt.Sprint(e.count("SELECT MAX(id) FROM activity"))
		e.unchanged(t, func() {
			for _, b := range []*browser{e.signedIn("mia"), e.ana()} {
				for _, wrong := range []string{"0x1", "-1", "1", "99999999999999999999", "9223372036854775807", "'"} {
					b.post("/acme/undo", "activity", wrong).is(t, 409)
				}
			}
			e.signedIn("mia").post("/acme/undo", "activity", id).is(t, 409)
			e.signedIn("mia").post("/acme/undo").is(t, 409)
			e.ana().post("/rivals/undo", "activity", id).is(t, 409)
			e.ana().post("/rivals/undo").is(t, 409)
		})
		e.ana().post("/acme/undo", "next", "https://evil.example/").goesTo(t, "/acme/DEMO-1")
	})
}

func TestConflict(t *testing.T) {
	t.Parallel()

	const began = "one\ntwo\nthree\nfour\nfive"
	setUp := func(t *testing.T) (*env, *browser) {
		e := newEnv(t)
		e.account("bob", "acme", accounts.Member)
		ana := e.ana()
		ana.post("/acme/DEMO-1", "title", "Title", "description", began, "version", "1").goesTo(t, "/acme/DEMO-1")
		e.signedIn("bob").post("/acme/DEMO-1", "title", "Title", "description", strings.Replace(began, "five", "FIVE", 1),
			"version", "2").goesTo(t, "/acme/DEMO-1")
		return e, ana
	}

	t.Run("changes to other lines are merged, and a second conflict keeps what was merged", func(t *testing.T) {
		t.Parallel()
		e, ana := setUp(t)
		a := ana.post("/acme/DEMO-1", "title", "New title", "description",
			strings.ReplaceAll(strings.Replace(began, "one", "ONE", 1), "\n", "\r\n"), "version", "2").is(t, 409)
		if got, want := a.value(t, "#merged-merged_description"), "ONE\ntwo\nthree\nfour\nFIVE"; got != want {
			t.Errorf("merged is %q", got)
		}
		if got := a.value(t, "#merged-merged_title"); got != "New title" {
			t.Errorf("the merged title is %q", got)
		}
		a.textIs(t, "#theirs-name bdi", "bob")
		e.signedIn("bob").post("/acme/DEMO-1", "title", "Title", "description",
			strings.Replace(strings.Replace(began, "five", "FIVE", 1), "three", "THREE", 1), "version", "3").
			goesTo(t, "/acme/DEMO-1")
		a = ana.post("/acme/DEMO-1", "merged_title", a.value(t, "#merged-merged_title"), "merged_description",
			a.value(t, "#merged-merged_description"),
			"version", "2", "merge", a.value(t, "[name=merge]")).is(t, 409)
		if got := a.value(t, "#edit-description"); got != "ONE\ntwo\nthree\nfour\nFIVE" {
			t.Errorf("what was merged is %q", got)
		}
		ana.post("/acme/DEMO-1", "merged_title", a.value(t, "#merged-merged_title"), "merged_description",
			a.value(t, "#merged-merged_description"),
			"version", a.value(t, "#merge [name=version]"), "merge", a.value(t, "[name=merge]")).goesTo(t, "/acme/DEMO-1")
		if got := ana.get("/acme/DEMO-1/edit").value(t, "#edit-description"); got != "ONE\ntwo\nTHREE\nfour\nFIVE" {
			t.Errorf("stored is %q", got)
		}
	})

	t.Run("of a line that both changed one is chosen, or both, or another text; or mine replaces theirs", func(t *testing.T) {
		t.Parallel()
		_, ana := setUp(t)
		mine := strings.Replace(began, "five", "<<<<<<< HEAD", 1) // of git: text like any other
		a := ana.post("/acme/DEMO-1", "title", "Title", "description", mine, "version", "2").is(t, 409).
			has(t, 0, "#merged-merged_description").has(t, 1, "#merge .clash").has(t, 0, "#merge :checked")
		if got := a.text(t, "#merge .clash label:first-of-type pre"); got != "<<<<<<< HEAD" {
			t.Errorf("the piece is %q", got)
		}
		form := []string{"merged_title", "New title", "mine_title", a.value(t, "#merge [name=mine_title]"), "mine",
			a.value(t, "#merge [name=mine]"), "version", a.value(t, "#merge [name=version]"), "merge", a.value(t, "[name=merge]"),
			"piece-0-other", "six\r\nseven"}
		for _, none := range []string{"", "x"} {
			a = ana.post("/acme/DEMO-1", append(form, "piece-0", none)...).is(t, 422).has(t, 1, "#merged-piece-0-error")
			if a.value(t, "#merged-merged_title") != "New title" || a.value(t, "#edit-description") != mine ||
				a.value(t, "[name=piece-0-other]") != "six\nseven" {
				t.Error("what was typed is lost:", a.body)
			}
		}
		ana.post("/acme/DEMO-1", append(form, "piece-0", "other")...).goesTo(t, "/acme/DEMO-1")
		if got := ana.get("/acme/DEMO-1/edit").value(t, "#edit-description"); got != "one\ntwo\nthree\nfour\nsix\nseven" {
			t.Errorf("stored is %q", got)
		}
		a = ana.post("/acme/DEMO-1", append(form, "piece-0", "both")...).is(t, 409) // sent again
		if got := a.value(t, "#edit-description"); got != mine+"\nFIVE" {
			t.Errorf("kept is %q", got)
		}
		ana.post("/acme/DEMO-1", "title", "Title", "description", mine, "version", "2", "overwrite",
			a.value(t, "[name=overwrite]")).goesTo(t, "/acme/DEMO-1")
		if got := ana.get("/acme/DEMO-1/edit").value(t, "#edit-description"); got != mine {
			t.Errorf("stored is %q", got)
		}
	})

	t.Run("a piece without a choice has the lines of both if the ticket was changed again", func(t *testing.T) {
		t.Parallel()
		e, ana := setUp(t)
		mine := strings.Replace(began, "five", "mine", 1)
		a := ana.post("/acme/DEMO-1", "title", "Title", "description", mine, "version", "2").is(t, 409)
		e.signedIn("bob").post("/acme/DEMO-1", "title", "Title", "description", strings.Replace(began, "one", "ONE", 1),
			"version", "3").goesTo(t, "/acme/DEMO-1")
		a = ana.post("/acme/DEMO-1", "merged_title", "Title", "mine_title", "Title", "mine", mine, "version", "2", "merge",
			a.value(t, "[name=merge]")).is(t, 409)
		if got := a.value(t, "#edit-description"); got != mine+"\nFIVE" {
			t.Errorf("kept is %q", got)
		}
		for _, versions := range [][2]string{{"0", "99"}, {"99", "3"}, {"2", "0"}} { // that never were
			a = ana.post("/acme/DEMO-1", "merged_title", "Title", "mine_title", "Title", "mine", mine, "version", versions[0],
				"merge", versions[1]).is(t, 409)
			if got := a.value(t, "#edit-description"); got != mine {
				t.Errorf("kept is %q", got)
			}
		}
	})

	t.Run("a version that never was shows theirs and keeps mine", func(t *testing.T) {
		t.Parallel()
		_, ana := setUp(t)
		for _, version := range []string{"0", "99", "18446744073709551615"} {
			a := ana.post("/acme/DEMO-1", "title", "Mine", "description", "mine", "version", version)
			if version == "18446744073709551615" && a.code == 422 {
				continue
			}
			a.is(t, 409).has(t, 0, "#merge")
			if a.value(t, "#edit-title") != "Mine" || !strings.Contains(a.text(t, ".theirs pre"), "FIVE") {
				t.Error(a.body)
			}
		}
	})

	t.Run("the history shows the lines that an edit changed", func(t *testing.T) {
		t.Parallel()
		e, ana := setUp(t)
		path := ana.get("/acme/DEMO-1").page().Find("#history .what").First().AttrOr("href", "")
		ana.htmx("x").get(path).is(t, 200).textIs(t, ".lines ins", "Added: FIVE")
		ana.get(path).is(t, 200).has(t, 1, "section.sheet .lines del")
		other := fmt.Sprintf("/acme/DEMO-2/activity/%d", e.count("SELECT MAX(id) FROM activity"))
		ana.get(other).is(t, 404)
	})
}
