package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// notices are the entries of the inbox of a browser's user in a company: the first words and the link of each.
func (b *browser) notices(company string) (list []string) {
	b.env.t.Helper()
	b.get("/"+company+"/inbox").is(b.env.t, 200).page().Find(".entry").Each(func(_ int, entry *goquery.Selection) {
		link := entry.Find("p a")
		list = append(list, strings.Join(strings.Fields(entry.Find(".by").Text()), " ")+" | "+
			strings.TrimSpace(link.Text())+" | "+link.AttrOr("href", ""))
	})
	return list
}

func TestNotices(t *testing.T) {
	t.Parallel()
	t.Run("a sign-in in a browser that is not known, in each company; not the first, nor one in a known browser", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("mia", "acme", "member")
		e.exec(`INSERT INTO membership (company_id, account_id, role, handle, created_at)
			SELECT c.id, a.id, 'member', 'mia', NOW(6) FROM company c, account a WHERE c.slug = 'acme' AND a.name = 'mia'
			ON DUPLICATE KEY UPDATE handle = 'mia'`)
		other := e.exec("INSERT INTO company (slug, name, created_at) VALUES ('second', 'Second', NOW(6))")
		e.exec(`INSERT INTO membership (company_id, account_id, role, handle, created_at)
			SELECT ?, id, 'guest', 'mia', NOW(6) FROM account WHERE name = 'mia'`, other)
		mia := e.signedIn("mia")
		if list := mia.notices("acme"); len(list) > 0 {
			t.Errorf("after the first sign-in the inbox has %q", list)
		}
		mia.post("/logout").is(t, 303)
		mia.post("/login", "email", "mia@example.com", "password", password).is(t, 303)
		if list := mia.notices("acme"); len(list) > 0 {
			t.Errorf("after a sign-in in the same browser the inbox has %q", list)
		}
		e.visitor().post("/login", "email", "mia@example.com", "password", "wrong "+password).is(t, 422)
		e.visitor().with("User-Agent", iphone).post("/login", "email", "mia@example.com", "password", password).is(t, 303)
		want := []string{"New sign-in | Safari on iPhone, 192.0.2.1 | /account"}
		for _, company := range []string{"acme", "second"} {
			if list := mia.notices(company); !slices.Equal(list, want) {
				t.Errorf("the inbox of %s has %q", company, list)
			}
			mia.get("/"+company+"/inbox").has(t, 1, "#unread[data-unread='1']")
		}
		entry := e.count("SELECT MIN(id) FROM notification")
		mia.post(fmt.Sprintf("/acme/inbox/%d", entry)).goesTo(t, "/acme/inbox")
		mia.get("/acme/inbox").has(t, 1, "#unread[data-unread='0']").has(t, 0, ".entry.unread")
		e.counts(t, 1, "SELECT COUNT(*) FROM notification WHERE unread")
	})
	t.Run("are the reader's alone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("mia", "acme", "admin")
		mia := e.signedIn("mia")
		e.signedIn("mia")
		entry := e.count("SELECT MIN(id) FROM notification")
		ana := e.ana()
		if list := ana.notices("acme"); len(list) > 0 {
			t.Errorf("Ana reads %q", list)
		}
		ana.post(fmt.Sprintf("/acme/inbox/%d", entry)).is(t, 404)
		ana.post("/acme/inbox", "upto", fmt.Sprint(entry)).is(t, 303)
		mia.get("/acme/inbox").has(t, 1, ".entry.unread")
	})
	t.Run("a new API token, once for a form that is sent twice", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.exec("DELETE FROM notification")
		for range 2 {
			ana.post("/acme/tokens", "nonce", "n1", "name", "backup script", "scopes", "boards:read", "days", "30").is(t, 201)
		}
		want := []string{"New API token | backup script | /acme/tokens"}
		if list := ana.notices("acme"); !slices.Equal(list, want) {
			t.Errorf("the inbox has %q", list)
		}
	})
	t.Run("a link for a new password, and its use", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.account("mia", "acme", "member")
		reset := pathOf(t, e.ana().post(fmt.Sprintf("/acme/people/%d/resets", e.idOf("mia"))).is(t, 201).value(t, "#link"))
		mia := e.visitor()
		mia.post(reset, "password", password).is(t, 303)
		want := []string{"New password by a link | Your account | /account", "Ana | Your account | /account"}
		if list := mia.notices("acme"); !slices.Equal(list, want) {
			t.Errorf("the inbox has %q", list)
		}
		mia.get("/acme/inbox").textHas(t, ".entry:nth-child(2) p:first-child", "created a link for a new password of yours")
	})
}
