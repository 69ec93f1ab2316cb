package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

func TestRequestWatch(t *testing.T) {
	t.Parallel()
	const settings, path = "/acme/boards/DEMO/settings", "/acme/boards/DEMO/form/watch"
	t.Run("the settings have the switch, on for admins and owners, of a board with a form alone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("ben", "acme", accounts.Member)
		e.account("adam", "acme", accounts.Admin)
		e.ana().get(settings).is(t, 200).has(t, 0, "#request-watch")
		e.offer(t, "DEMO", "on", "1")
		e.ana().get(settings).has(t, 1, "#public-form [role=switch][aria-checked=true]")
		e.signedIn("adam").get(settings).has(t, 1, "[role=switch][aria-checked=true]")
		e.signedIn("ben").get(settings).has(t, 1, "[role=switch][aria-checked=false]")
	})
	t.Run("it is saved at once, for the user alone", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t)
		e.account("ben", "acme", accounts.Member)
		ben := e.signedIn("ben")
		ben.post(path, "on", ben.get(settings).value(t, "#request-watch [name=on]")).goesTo(t, settings+"#request-watch")
		ben.get(settings).has(t, 1, "[role=switch][aria-checked=true]")
		ben.htmx("request-watch").post(path, "on", "0").is(t, 200).has(t, 1, "[role=switch][aria-checked=false]")
		ben.get(settings).has(t, 1, "[role=switch][aria-checked=false]")
		e.ana().get(settings).has(t, 1, "[role=switch][aria-checked=true]")
	})
	t.Run("viewers can choose, too", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithForm(t)
		e.account("vera", "acme", accounts.Viewer)
		vera := e.signedIn("vera")
		vera.get("/acme/boards/DEMO").has(t, 1, `.board-head a[href="`+settings+`"]`)
		vera.get(settings).has(t, 1, "[role=switch][aria-checked=false]").has(t, 0, "#public-form")
		vera.post(path, "on", "1").is(t, http.StatusSeeOther)
		vera.get(settings).has(t, 1, "[role=switch][aria-checked=true]")
	})
	t.Run("the inbox says what is new, and reading the ticket reads it", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		link := e.requested(t, "DEMO")
		ana, key := e.ana(), e.newest(t, "DEMO")
		e.exec("DELETE FROM notification WHERE kind = 'sign-in'") // Ana's second one
		entry := ana.get("/acme/inbox").is(t, 200).has(t, 1, ".entry.unread").text(t, ".entry")
		for _, part := range []string{"New request " + key, "A request", "Please <b>help</b>"} {
			if !strings.Contains(entry, part) {
				t.Errorf("%q lacks %q", entry, part)
			}
		}
		e.visitor().post(link+"/replies", "body", "Any news?").is(t, http.StatusSeeOther)
		if entry := ana.get("/acme/inbox").has(t, 1, ".entry.unread").text(t, ".entry:first-child"); !strings.Contains(entry,
			"Requester replied on "+key) || !strings.Contains(entry, "Any news?") {
			t.Error(entry)
		}
		ana.get("/acme/"+key).is(t, 200)
		ana.get("/acme/inbox").has(t, 0, ".entry.unread")
	})
}
