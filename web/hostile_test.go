package web_test

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

// hostiles are texts of attacks. Their effect on a page would carry data-evil.
var hostiles = map[string]string{
	"a script":               `<script data-evil>alert(1)</script>`,
	"an image":               `<img src=x onerror=alert(1) data-evil>`,
	"an attribute":           `" onmouseover="alert(1)" data-evil="`,
	"an attribute in quotes": `' onfocus='alert(1)' autofocus data-evil='`,
	"an attribute without":   "x onfocus=alert(1) data-evil",
	"the end of its element": `</textarea></title></option></select></pre></script><svg onload=alert(1) data-evil>`,
	"Markdown": "[x](javascript:alert(1)) ![x](x\"onerror=\"alert(1)) <a href=javascript:alert(1) " +
		"data-evil>x</a> [y](data:text/html,x)",
	"entities":                  `&lt;script data-evil&gt;&#x3c;script data-evil&#x3e;`,
	"a template":                `{{7*7}} ${7*7} <%= 7*7 %> {% data-evil %}`,
	"SQL":                       `'; DROP TABLE ticket; -- \' OR '1'='1' /* " %_`,
	"a path":                    `../../../../etc/passwd`,
	"an address":                `https://evil.example/`,
	"an address without scheme": `//evil.example/`,
	"an address with backslash": `/\evil.example/`,
	"a zero byte":               "a\x00b",
	"no UTF-8":                  "caf\xe9 \xff",
	"an overlong slash":         "a\xc0\xafb",
	"half a surrogate":          "a\xed\xa0\x80b",
	"an override":               "abc\u202e24-AJNIN",
	"an isolate":                "\u2066NINJA-42\u2069",
	"nothing to see":            "\u200b\u200d\ufeff\u00ad",
	"emoji":                     "👩‍👩‍👧‍👦 🏳️‍🌈 🥷",
	"right to left":             "שלום عالم (1) NINJA-42",
	"a long word":               strings.Repeat("W", 500),
	"header lines":              "x\r\nX-Evil: 1\r\nSet-Cookie: evil=1\r\n\r\n<script data-evil>alert(1)</script>",
	"nothing":                   "",
	"a large number":            "99999999999999999999999",
	"a negative number":         "-1",
	"no number":                 "NaN",
	"a megabyte":                strings.Repeat("<b data-evil>", 1<<20/13),
}

// idle reports whether a text attacks nothing in a field: numbers where any line of text is taken, and a megabyte in a
// second field, since it is the body that is too large.
func (f pageForm) idle(name, what, value string) bool {
	if what == "a megabyte" {
		return name != f.names[0]
	}
	_, err := strconv.ParseFloat(value, 64)
	return err == nil && slices.Contains(f.lines, name)
}

// fillings are good values by the names of fields, if the page has none.
var fillings = map[string]string{
	"title": "Good", "name": "Good", "slug": "GOOD", "company": "Good", "email": "good@example.com",
	"password": "correct horse staple",
	"body":     "Good", "description": "Good", "note": "Good", "handle": "good",
}

// pageForm is a form on a page.
type pageForm struct {
	page, action string
	method       string
	values       url.Values
	names        []string // of the fields
	lines        []string // the names of those for any text
}

// formsOn returns the forms on a page, as a browser would send them untouched.
func formsOn(a *answer, page string) (list []pageForm) {
	a.page().Find("form").Each(func(_ int, f *goquery.Selection) {
		form := pageForm{page: page, action: f.AttrOr("action", page), method: strings.ToUpper(f.AttrOr("method", "GET")),
			values: url.Values{}}
		inside := f.Find("*")
		if id := f.AttrOr("id", ""); id != "" {
			inside = inside.AddSelection(a.page().Find("[form='" + id + "']"))
		}
		inside.Filter("input, textarea, select, button").Each(func(_ int, control *goquery.Selection) {
			name := control.AttrOr("name", "")
			if name == "" {
				return
			}
			if !slices.Contains(form.names, name) {
				form.names = append(form.names, name)
			}
			if control.Is("textarea, input[type=text]:not([inputmode]), input:not([type]):not([inputmode])") {
				form.lines = append(form.lines, name)
			}
			value, sent := valueOf(control)
			if sent && value == "" {
				value = fillings[name]
			}
			if sent {
				form.values.Add(name, value)
			}
		})
		list = append(list, form)
		inside.Filter("button[formaction]").Each(func(_ int, button *goquery.Selection) {
			form.action = button.AttrOr("formaction", "")
			list = append(list, form)
		})
	})
	return list
}

func valueOf(control *goquery.Selection) (value string, sent bool) {
	value = control.AttrOr("value", "")
	switch goquery.NodeName(control) {
	case "textarea":
		return control.Text(), true
	case "button":
		return value, false
	case "select":
		chosen := control.Find("option[selected]")
		if chosen.Length() == 0 {
			chosen = control.Find("option")
		}
		return chosen.First().AttrOr("value", ""), true
	}
	switch control.AttrOr("type", "text") {
	case "checkbox", "radio":
		_, checked := control.Attr("checked")
		return value, checked
	case "submit":
		return value, false
	}
	return value, true
}

// serves reports whether a route's path, with its :names, is that of an address.
func serves(pattern, address string) bool {
	path, _, _ := strings.Cut(address, "?")
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && !strings.HasPrefix(want[i], ":") {
			return false
		}
	}
	return true
}

// formEnv tries the form of a route as Ana, who may do everything.
type formEnv struct {
	*env
	route   string // method and pattern
	browser *browser
	rooms   []string    // pages beside those of TestRoutes
	before  string      // the state before the next attack, if it is known
	written atomic.Bool // something, since this was last set to false
}

func attacked(e *env, route string) *formEnv {
	b := &formEnv{env: e, route: route}
	e.watch.Wrote(func(_ string, rows int64) {
		if rows > 0 {
			b.written.Store(true)
		}
	})
	return b
}

// place is where a form is: the index of a page in formEnv.pages, without a pattern, and whether strangers have it.
type place struct {
	page     int
	stranger bool
}

// actorContext is a context with an actor, for calls of workflows.
func (e *env) actorContext(t *testing.T, name string) context.Context {
	t.Helper()
	account := accounts.ID(e.count("SELECT id FROM account WHERE name = ?", name))
	epoch := uint64(e.count("SELECT session_epoch FROM account WHERE id = ?", account))
	actor := domaintest.OK(e.workflows.Workflows.Enter(context.Background(), "acme", account, epoch))(t)
	return accounts.WithActor(context.Background(), actor)
}

// furnish makes what the forms are about.
func (b *formEnv) furnish(t *testing.T) {
	t.Helper()
	do := func(err error) {
		t.Helper()
		domaintest.Must(t, err)
	}
	ana := b.actorContext(t, "Ana")
	invitation, err := b.workflows.Workflows.Invite(ana, accounts.InvitationDraft{Role: accounts.Member, Days: 7}, nil)
	do(err)
	mia := accounts.ID(b.count("SELECT id FROM account WHERE name = 'mia'"))
	reset, err := b.workflows.Workflows.MakeReset(ana, mia, nil)
	do(err)
	do(b.workflows.Workflows.SetAvatar(ana, accounts.ID(b.count("SELECT id FROM account WHERE name = 'Ana'")), halves(t, 8, 8)))
	do(b.workflows.Workflows.DeleteTicket(ana, tickets.Key{Board: "DEMO", Number: 7}))
	_, err = b.workflows.Workflows.Comment(b.actorContext(t, "mia"), tickets.Key{Board: "DEMO", Number: 2}, "Look, @ana",
		nil)
	do(err)
	b.checklistsAndRelation(t)
	b.deleteTemplate(t)
	link := b.requested(t, "DEMO")
	b.worker("web-1")
	ready, running, over := b.readyRun(12_482), b.runIn(migrations.Running), b.runIn(migrations.Complete)
	b.exec("UPDATE migration_run SET active_key = NULL, listed = ? WHERE id = ?", migrations.ListAttention, over)
	mapping := b.ana().uploadImport(importFile, importTo...).is(t, http.StatusSeeOther).header.Get("Location")
	group, err := b.workflows.Workflows.OpenGroup(ana, "Crew", nil)
	do(err)
	do(b.workflows.Workflows.AddToGroup(ana, group.ID, "mia"))
	_, err = b.workflows.Workflows.NameOnBoard(ana, "DEMO", "@mia", "member")
	do(err)
	_, err = b.workflows.Workflows.OpenPublicLink(ana, "DEMO", nil)
	do(err)
	hidden, err := b.workflows.Workflows.OpenBoard(ana, boards.Draft{Slug: "HIDDEN", Title: "Nobody administers it"}, nil)
	do(err)
	b.exec("UPDATE board SET privacy = ? WHERE id = ?", db.ReachAll, hidden.ID)
	_, err = b.workflows.Workflows.OpenBoard(ana, boards.Draft{Slug: "SECRET", Title: "Sent to a webhook"}, nil)
	do(err)
	_, err = b.workflows.Workflows.SetBoardPrivacy(ana, "SECRET", true)
	do(err)
	_, err = b.workflows.Workflows.AddToWebhook(ana, "SECRET", 1)
	do(err)
	b.exec(`INSERT INTO webhook (company_id, url, note, feeds, secret, state, due_at, lease_ends, created_by, created_at, updated_at)
		SELECT company_id, url, 'Another', feeds, secret, 'off', due_at, lease_ends, created_by, created_at, updated_at FROM webhook`)
	b.exec(`INSERT INTO issuer (id, company_id, url, client_id, name, groups_claim, created_at)
		VALUES (1, 1, 'https://id.invalid', 'counterfoil', 'Acme ID', 'groups', NOW(6))`)
	b.exec("INSERT INTO issuer_company (company_id, issuer_id) VALUES (1, 1)")
	b.exec(`INSERT INTO issuer (id, company_id, url, client_id, name, groups_claim, created_at)
		VALUES (2, 1, 'https://other.invalid', 'counterfoil', 'Other ID', 'groups', NOW(6))`)
	b.exec("INSERT INTO issuer_company (company_id, issuer_id) VALUES (1, 2)")
	b.exec("INSERT INTO account_identity (issuer_id, subject, account_id, created_at) VALUES (2, 'ana', 1, NOW(6))")
	b.exec("INSERT INTO issuer_rule (company_id, issuer_id, claim, role) VALUES (1, 1, 'staff', 'viewer')")
	b.exec("INSERT INTO company_domain (company_id, name, code, created_at) VALUES (1, 'acme.example', 'code', NOW(6))")
	service, err := b.workflows.Workflows.OpenService(ana, "Robot", nil)
	do(err)
	view := b.saveView(t)
	b.openCalendar(t)
	b.rooms = []string{views.SignInSettingsPath("acme"), views.IssuerPath("acme", 1), views.IssuerRemovalPath("acme", 1),
		views.ServicePath("acme", service.ID), views.ServiceRemovalPath("acme", service.ID),
		views.AdminServicePath(service.ID), mapping, views.BoardMembersPath("acme", "SECRET"), views.GroupPath("acme", group.ID), views.PrivateBoardPath("acme", hidden.ID),
		views.GroupRemovalPath("acme", group.ID),
		views.JoinPath(invitation), views.ResetPath(reset), fmt.Sprint("/acme/people/", mia), "/acme/DEMO-7",
		views.RunStartPath(ready), views.RunPath(running), views.RunCancellationPath(running), views.RunPath(over),
		views.TemplatesPath("acme", "DEMO"), views.TemplatePath("acme", "DEMO", 1), views.TemplateDeletionPath("acme", "DEMO", 1),
		views.NewSavedViewPath("acme", "DEMO", savedviews.AsList, views.Filter{}), views.EditSavedViewPath("acme", view.ID),
		views.SavedViewDeletionPath("acme", view.ID), views.CalendarAddressesPath("acme"),
		views.BulkEditPath("acme", b.openBulkEdit(t)), views.BulkEditPath("acme", b.overBulkEdit(t, false)),
		views.BulkEditPath("acme", b.overBulkEdit(t, true)),
		views.FormPath("acme", "DEMO"), link, "/acme/" + b.newest(t, "DEMO"), views.AnyAccountPath(mia),
		views.AnyAccountPath(b.deactivated(t)), views.MemberPath("acme", 1),
	}
}

// checklistsAndRelation gives DEMO-1 a checklist, a comment with one, a due date, a relation, and a file.
func (b *formEnv) checklistsAndRelation(t *testing.T) {
	t.Helper()
	ana, one := b.actorContext(t, "Ana"), tickets.Key{Board: "DEMO", Number: 1}
	list := "- [ ] nails\n"
	ticket := domaintest.OK(b.workflows.Workflows.Ticket(ana, one))(t)
	domaintest.OK(b.workflows.Workflows.EditTicket(ana, one, tickets.Edit{Description: &list, Version: ticket.Version}))(t)
	domaintest.OK(b.workflows.Workflows.Comment(ana, one, list, nil))(t)
	due := tickets.Day(2040, time.January, 2)
	_, _, err := b.workflows.Workflows.SetProperties(ana, one, tickets.PropertyEdit{Due: &due})
	domaintest.Must(t, err)
	b.relate(t)
	b.attach(t)
}

// attach gives DEMO-1 a file.
func (b *formEnv) attach(t *testing.T) {
	t.Helper()
	file := workflows.NewFile{Name: "plan.txt", Content: strings.NewReader("plan"), Size: -1}
	domaintest.OK(b.workflows.Workflows.Attach(b.actorContext(t, "Ana"), tickets.Key{Board: "DEMO", Number: 1}, file, nil))(t)
}

// deleteTemplate leaves a template of DEMO that can be restored.
func (b *formEnv) deleteTemplate(t *testing.T) {
	t.Helper()
	ana, name := b.actorContext(t, "Ana"), fmt.Sprint("Gone ", b.count("SELECT COUNT(*) FROM ticket_template"))
	made := domaintest.OK(b.workflows.Workflows.SaveTemplate(ana, "DEMO", tickets.Template{Name: name}, nil))(t)
	domaintest.Must(t, b.workflows.Workflows.DeleteTemplate(ana, "DEMO", made.ID))
}

// saveView leaves a view of DEMO that is not pinned.
func (b *formEnv) saveView(t *testing.T) savedviews.View {
	t.Helper()
	view := savedviews.View{Name: fmt.Sprint("View ", b.count("SELECT COUNT(*) FROM saved_view")), Layout: savedviews.AsList}
	return domaintest.OK(b.workflows.Workflows.SaveView(b.actorContext(t, "Ana"), "DEMO", view, nil))(t)
}

// openBulkEdit leaves a bulk edit of DEMO that is under way, the only one.
func (b *formEnv) openBulkEdit(t *testing.T) id.BulkEdit {
	t.Helper()
	b.exec("UPDATE migration_run SET state = 'cancelled', active_key = NULL WHERE name = 'bulk-edit'")
	wish := workflows.BulkRequest{Edit: bulkedits.Edit{Kind: bulkedits.Close}}
	return domaintest.OK(b.workflows.Workflows.OpenBulkEdit(b.actorContext(t, "Ana"), "DEMO", wish, nil))(t).ID
}

// overBulkEdit leaves a bulk edit of DEMO that is over and has changed something, or would have.
func (b *formEnv) overBulkEdit(t *testing.T, dry bool) id.BulkEdit {
	t.Helper()
	edit := b.openBulkEdit(t)
	b.exec("UPDATE migration_run SET state = 'cancelled', active_key = NULL WHERE name = 'bulk-edit'")
	b.exec("UPDATE bulk_edit SET changed = 1, dry = ? WHERE id = ?", dry, uint64(edit))
	return edit
}

// openCalendar gives Ana's work a calendar address.
func (b *formEnv) openCalendar(t *testing.T) {
	t.Helper()
	domaintest.OK(b.workflows.Workflows.OpenCalendarAddress(b.actorContext(t, "Ana"), savedviews.OfWork, nil))(t)
}

// relate gives DEMO-1 a relation.
func (b *formEnv) relate(t *testing.T) {
	t.Helper()
	_, _, err := b.workflows.Workflows.Relate(b.actorContext(t, "Ana"), tickets.Key{Board: "DEMO", Number: 1}, tickets.Blocks,
		tickets.Key{Board: "DEMO", Number: 2})
	domaintest.Must(t, err)
}

// deactivated is an account that is deactivated.
func (b *formEnv) deactivated(t *testing.T) accounts.ID {
	t.Helper()
	vera := accounts.ID(b.idOf("vera"))
	domaintest.OK(b.workflows.Console.DeactivateAccount(b.actorContext(t, "Ana"), vera, ""))(t)
	return vera
}

// restock puts something in the place of what a form took away, and returns the form about that, on its page or
// another; ok is false if only a new environment has one.
func (b *formEnv) restock(t *testing.T, page, name string) (form pageForm, ok bool) {
	t.Helper()
	do := func(err error) {
		t.Helper()
		domaintest.Must(t, err)
	}
	if strings.HasSuffix(b.route, " /setup") {
		return form, false
	}
	ana := b.actorContext(t, "Ana")
	switch {
	case strings.HasSuffix(b.route, views.EpochPath):
		b.browser = b.ana()
		form, ok = b.on(b.browser, views.AccountPath)
	case strings.HasSuffix(b.route, "/boards/:board/pin"):
		b.exec("DELETE FROM pinned_board")
		form, ok = b.on(b.browser, page)
	case strings.HasSuffix(b.route, "/views/:view/pin"):
		b.exec("DELETE FROM pinned_view")
		form, ok = b.on(b.browser, page)
	case strings.HasSuffix(b.route, "/settings/second-factor"):
		b.exec("UPDATE company SET second_factor = FALSE")
		form, ok = b.on(b.browser, page)
	case strings.HasSuffix(b.route, "/runs/:run/dismissal"):
		b.exec("UPDATE migration_run SET listed = ? WHERE state = ?", migrations.ListAttention, migrations.Complete)
		form, ok = b.on(b.browser, page)
	case strings.HasSuffix(b.route, " /admin/stop"):
		do(b.workflows.Console.Release(ana))
		form, ok = b.on(b.browser, page)
	case strings.HasSuffix(b.route, "/people/:account/sessions/revocation"):
		b.browser = b.ana()
		form, ok = b.on(b.browser, page)
	case strings.HasSuffix(b.route, "/avatar/removal"):
		do(b.workflows.Workflows.SetAvatar(ana, accounts.ID(b.idOf("ana")), halves(t, 8, 8)))
		form, ok = b.on(b.browser, page)
	case strings.HasSuffix(b.route, "/reset/:secret"):
		reset, err := b.workflows.Workflows.MakeReset(ana, accounts.ID(b.idOf("mia")), nil)
		do(err)
		b.browser = b.visitor()
		form, ok = b.on(b.browser, views.ResetPath(reset))
	case strings.HasSuffix(b.route, "/archive"):
		_, err := b.workflows.Workflows.ArchiveBoard(ana, "DEMO", false, nil)
		do(err)
		form, ok = b.on(b.browser, views.BoardSettingsPath("acme", "DEMO"))
	case strings.HasSuffix(b.route, "/columns/:column/removal"):
		column := "More"
		_, opened, err := b.workflows.Workflows.OpenColumn(ana, "DEMO", boards.ColumnEdit{Name: &column}, nil, nil)
		do(err)
		_, err = b.workflows.Workflows.OpenTicket(ana, "DEMO", tickets.Draft{Title: "More", Column: opened.ID}, nil)
		do(err)
		form, ok = b.on(b.browser, views.ColumnRemovalPath("acme", "DEMO", opened.ID))
	case strings.HasSuffix(b.route, "/templates/:template/restoration"):
		b.deleteTemplate(t)
		form, ok = b.on(b.browser, views.TemplatesPath("acme", "DEMO"))
	case strings.HasSuffix(b.route, "/templates/:template/deletion"):
		t := domaintest.OK(b.workflows.Workflows.SaveTemplate(ana, "DEMO", tickets.Template{Name: "More"}, nil))(t)
		form, ok = b.on(b.browser, views.TemplateDeletionPath("acme", "DEMO", t.ID))
	case strings.HasSuffix(b.route, "/views/:view/deletion"):
		form, ok = b.on(b.browser, views.SavedViewDeletionPath("acme", b.saveView(t).ID))
	case strings.HasSuffix(b.route, "/bulk-edits/:edit/state"), strings.HasSuffix(b.route, "/bulk-edits/:edit/speed"):
		form, ok = b.on(b.browser, views.BulkEditPath("acme", b.openBulkEdit(t)))
	case strings.HasSuffix(b.route, "/bulk-edits/:edit/undo"):
		form, ok = b.on(b.browser, views.BulkEditPath("acme", b.overBulkEdit(t, false)))
	case strings.HasSuffix(b.route, "/bulk-edits/:edit/repeat"):
		form, ok = b.on(b.browser, views.BulkEditPath("acme", b.overBulkEdit(t, true)))
	case strings.HasSuffix(b.route, "/calendars/:view/revocation"):
		b.openCalendar(t)
		form, ok = b.on(b.browser, views.CalendarAddressesPath("acme"))
	case strings.HasSuffix(b.route, "/deactivation"):
		mia := accounts.ID(b.idOf("mia"))
		do(b.workflows.Console.ReactivateAccount(ana, mia))
		form, ok = b.on(b.browser, views.AnyAccountPath(mia))
	case strings.HasSuffix(b.route, "/reactivation"):
		form, ok = b.on(b.browser, views.AnyAccountPath(b.deactivated(t)))
	case strings.HasSuffix(b.route, "/comments/:comment/removal"):
		said, err := b.workflows.Workflows.Comment(ana, tickets.Key{Board: "DEMO", Number: 1}, "More", nil)
		do(err)
		form, ok = b.on(b.browser, views.EditCommentPath("acme", said.Key, said.Comment.ID))
	case strings.HasSuffix(b.route, "/comments/:comment/restoration"):
		b.deleteComment(t)
		form, ok = b.on(b.browser, "/acme/DEMO-1")
	case strings.HasSuffix(b.route, "/attachments/:attachment/removal"):
		b.attach(t)
		form, ok = b.on(b.browser, "/acme/DEMO-1")
	case strings.HasSuffix(b.route, "/relations/removal"):
		b.relate(t)
		form, ok = b.on(b.browser, "/acme/DEMO-1")
	case strings.HasSuffix(b.route, "/runs/:run/start"):
		form, ok = b.on(b.browser, views.RunStartPath(b.readyRun(12_482)))
	}
	return form, ok && slices.Contains(form.names, name)
}

// recovery is the form that lets an owner into a company whose issuer fails.
const recovery = "POST " + views.RecoveryPath

// newFormEnv returns the form from the first page that has it, or filled in as in TestRoutes.
func newFormEnv(t *testing.T, route string) (*formEnv, pageForm) {
	t.Helper()
	if strings.HasSuffix(route, " /setup") {
		b := attacked(newEmptyEnv(t), route)
		b.browser = b.visitor()
		return b, formsOn(b.browser.get("/setup"), "/setup")[0]
	}
	if page := factorForms[route]; page != "" {
		return newFactorFormEnv(t, route, page)
	}
	b := attacked(newEnvWithRoles(t), route)
	b.furnish(t)
	if route == "POST /admin/stop/release" {
		domaintest.OK(b.workflows.Console.StopAll(b.actorContext(t, "Ana"), "The disk is full."))(t)
	}
	if route == recovery {
		b.exec("UPDATE company SET issuer_required = TRUE")
	}
	if form, ok := b.find(t); ok {
		return b, form
	}
	t.Errorf("the form of %s is on no page", route)
	form := pageForm{page: pages[route].path, action: pages[route].path, method: http.MethodPost,
		values: form(pages[route].fields...)}
	form.names = slices.Collect(maps.Keys(form.values))
	return b, form
}

// factorForms are forms of second factors with their pages: they need a user with factors, at an address where browsers
// have passkeys.
var factorForms = map[string]string{
	"POST /account/totp/removal":              views.AccountPath,
	"POST /account/recovery-codes":            views.AccountPath,
	"POST /account/passkeys/:passkey/removal": views.AccountPath,
	"POST /account/passkeys/:passkey":         views.PasskeysPath + "/1",
	"POST /account/passkeys":                  views.PasskeysPath,
	"POST /login/passkey":                     views.LoginPath,
	"POST /login/second":                      views.SecondStepPath,
	"POST /login/second/passkey":              views.SecondStepPath,
}

func newFactorFormEnv(t *testing.T, route, page string) (*formEnv, pageForm) {
	t.Helper()
	b := attacked(newPasskeyEnv(t), route)
	b.browser = b.ana()
	b.browser.setUpTOTP(t)
	b.browser.addPasskey(t)
	switch page {
	case views.LoginPath:
		b.browser = b.visitor()
	case views.SecondStepPath:
		b.browser = b.firstStep(t, "ana")
	}
	form, ok := b.on(b.browser, page)
	if !ok {
		t.Errorf("the form of %s is not on %s", route, page)
	}
	return b, form
}

// deleteComment deletes a comment: the message that says so, on the next page, has the form that undoes it.
func (b *formEnv) deleteComment(t *testing.T) {
	t.Helper()
	said, err := b.workflows.Workflows.Comment(b.actorContext(t, "Ana"), tickets.Key{Board: "DEMO", Number: 1}, "More", nil)
	domaintest.Must(t, err)
	b.browser.post(views.CommentRemovalPath("acme", said.Key, said.Comment.ID)).is(t, http.StatusSeeOther)
}

// formPlaces are those of forms by their routes, as far as an environment came across them: they are the same in all.
var formPlaces sync.Map

// find looks for the route's form where it was seen, then on every page, as Ana and as a stranger.
func (b *formEnv) find(t *testing.T) (pageForm, bool) {
	t.Helper()
	b.enter(t, false)
	if at, ok := formPlaces.Load(b.route); ok {
		if form, ok := b.at(t, at.(place)); ok {
			return form, true
		}
	}
	_, pattern, _ := strings.Cut(b.route, " ")
	for _, stranger := range []bool{false, true} {
		b.enter(t, stranger)
		for _, path := range b.pages(pattern) {
			form, ok := b.on(b.browser, path, func(other pageForm) {
				formPlaces.LoadOrStore(routeOf(other), place{slices.Index(b.pages(""), path), stranger})
			})
			if ok {
				return form, true
			}
		}
	}
	b.enter(t, false)
	return pageForm{}, false
}

// at returns the route's form if it is at a place.
func (b *formEnv) at(t *testing.T, at place) (pageForm, bool) {
	t.Helper()
	b.enter(t, at.stranger)
	return b.on(b.browser, b.pages("")[at.page])
}

// enter opens a browser, of Ana or a stranger.
func (b *formEnv) enter(t *testing.T, stranger bool) {
	t.Helper()
	if stranger {
		b.browser = b.visitor()
		return
	}
	b.browser = b.ana()
	if strings.HasSuffix(b.route, "/comments/:comment/restoration") {
		b.deleteComment(t)
	}
}

// pages are the paths on which a form may be, those most like its route's pattern first.
func (b *formEnv) pages(pattern string) (paths []string) {
	alike := func(path string) (n int) {
		for n < min(len(path), len(pattern)) && path[n] == pattern[n] {
			n++
		}
		return n
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		if path, ok := strings.CutPrefix(name, "GET "); ok {
			names = append(names, path)
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(alike(y), alike(x)) })
	for _, name := range names {
		paths = append(paths, pages["GET "+name].path)
	}
	return append(paths, b.rooms...)
}

// on looks for the route's form on a page, and notes the others that come before it.
func (b *formEnv) on(who *browser, page string, note ...func(other pageForm)) (pageForm, bool) {
	method, pattern, _ := strings.Cut(b.route, " ")
	for _, form := range formsOn(who.get(page), page) {
		if form.method == method && serves(pattern, form.action) && routeOf(form) == b.route {
			return form, true
		}
		for _, take := range note {
			take(form)
		}
	}
	return pageForm{}, false
}

// routeOf returns the route that serves a form, "" if it is none of pages: the one with the fewest :names.
func routeOf(form pageForm) (route string) {
	for other := range pages {
		method, pattern, _ := strings.Cut(other, " ")
		if method != form.method || !serves(pattern, form.action) {
			continue
		}
		if route == "" || strings.Count(other, ":") < strings.Count(route, ":") {
			route = other
		}
	}
	return route
}

// try sends a form with one field changed.
func (b *formEnv) try(form pageForm, name, value string, fragment bool) *answer {
	values := maps.Clone(form.values)
	values[name] = []string{value}
	r := httptest.NewRequest(form.method, form.action, strings.NewReader(values.Encode()))
	if form.method == http.MethodGet {
		path, _, _ := strings.Cut(form.action, "?")
		r = httptest.NewRequest(http.MethodGet, path+"?"+values.Encode(), nil)
	} else {
		r.Header.Set("Content-Type", formKind)
	}
	if fragment {
		return b.browser.htmx("dialog").send(r)
	}
	return b.browser.send(r)
}

// sieges is the number of environments in which forms are tried, one after the other: to look at every page after each
// of them takes as long as the attacks. Forms that are neighbours, and may want the same names, are in different ones.
const sieges = 14

// TestHostileForms puts hostile texts into every field of every form, one at a time: nothing breaks,
// nothing gets out of its place, and what is refused leaves no trace.
func TestHostileForms(t *testing.T) {
	t.Parallel()
	const setup = "POST /setup"                                              // is for an empty environment
	const zone = "POST /:company/zone"                                       // is sent by a script; TestZone sends it what is bad
	const file = "POST /:company/attachments"                                // as zone, and TestAttachments
	const position = "POST /:company/boards/:board/columns/:column/position" // as zone, and TestColumnPosition
	const seen = "POST /:company/seen"                                       // has no field; TestHome
	posts := slices.DeleteFunc(slices.Sorted(maps.Keys(pages)), func(route string) bool {
		return route == setup || route == zone || route == file || route == position || route == seen || !strings.HasPrefix(route, "POST ")
	})
	for n := range sieges {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var routes []string
			for i := n; i < len(posts); i += sieges {
				routes = append(routes, posts[i])
			}
			besiege(t, routes)
		})
	}
	t.Run("empty", func(t *testing.T) { besiege(t, []string{setup}) })
}

func besiege(t *testing.T, routes []string) {
	t.Parallel()
	var b *formEnv
	for _, route := range routes {
		t.Run(route, func(sub *testing.T) {
			var form pageForm
			b, form = b.turnTo(t, route)
			b = b.besiege(sub, t, form)
		})
	}
	if b != nil { // -run selected some of them
		b.rest(t)
	}
}

// turnTo returns the form of another route. The environment is a new one if the attacks on the earlier ones left none,
// or renamed Ana.
func (b *formEnv) turnTo(t *testing.T, route string) (*formEnv, pageForm) {
	t.Helper()
	if b == nil {
		return newFormEnv(t, route)
	}
	if b.count("SELECT COUNT(*) FROM account WHERE name = 'Ana' AND email = ?", email) == 1 {
		b.heal()
		b.route, b.before = route, ""
		if form, ok := b.find(t); ok {
			return b, form
		}
	}
	b.rest(t)
	return newFormEnv(t, route)
}

// besiege attacks a form, and returns the environment that it ends in, which is whole's.
func (b *formEnv) besiege(t, whole *testing.T, form pageForm) *formEnv {
	t.Helper()
	route, lines, taken := b.route, len(form.lines) > 0, 0
	for _, name := range form.names {
		for what, value := range hostiles {
			if form.idle(name, what, value) {
				continue
			}
			if slow(route) && utf8.ValidString(value) && !strings.Contains(value, "data-evil") &&
				!strings.ContainsAny(value, "\x00\u202e") && !strings.Contains(what, "number") {
				continue
			}
			a := b.attack(t, form, name, what, value)
			if a.code >= 400 {
				continue
			}
			taken++
			// The action may have removed the form.
			again, ok := b.on(b.browser, form.page)
			if !ok || !slices.Contains(again.names, name) {
				again, ok = b.restock(t, form.page, name)
			}
			if !ok {
				b, again = newFormEnv(whole, route)
			}
			form = again
		}
	}
	if lines && taken == 0 && !slices.Contains(strict, route) {
		t.Error("no text was taken: was it refused for another reason than the text?")
	}
	return b
}

// heal gives Ana her password back.
func (b *formEnv) heal() {
	b.exec("UPDATE account SET password_hash = ? WHERE email = ?", cheapHash(), email)
}

// strict are the routes of forms with lines of text that take none of the hostile ones: their other fields are not
// filled in, or the text is a name of something.
var strict = []string{"POST /setup", "POST /:company/boards/:board/members", "POST /:company/tokens",
	"POST /admin/migrations/:name/runs", "POST /admin/feeds/republications", "POST /:company/groups/:group/members", "POST /login/second",
	"POST /account/passkeys", "POST /:company/settings/service-accounts/:account/tokens", "POST /:company/settings/sign-in/issuers",
	"POST /:company/settings/sign-in/domains", "POST /:company/settings/sign-in/issuers/:issuer/rules", "POST /:company/people/:account/handle", "POST /admin/companies/:slug/quota", recovery}

// slow reports whether a form takes its time: it hashes a password, or has many fields on a large page.
func slow(route string) bool {
	return slices.Contains([]string{"POST /setup", "POST /join/:secret", "POST /reset/:secret", "POST /account/password",
		"POST /admin/migrations/runs/:run/knobs", "POST /admin/migrations/runs/:run/mapping"}, route)
}

// parameters are what pages read from their addresses.
var parameters = []string{"after", "before", "below", "column", "from", "next", "page", "person", "q", "seen_after",
	"seen_column", "state", "text", "title", "to", "version"}

// TestHostileAddresses puts hostile texts into every form that asks, and into every part of every address.
func TestHostileAddresses(t *testing.T) {
	t.Parallel()
	b := attacked(newEnvWithRoles(t), "GET")
	b.browser = b.ana()
	before := b.state()
	names := slices.Clone(parameters)
	for route, who := range pages {
		if !strings.HasPrefix(route, "GET ") {
			continue
		}
		for _, form := range formsOn(b.browser.get(who.path), who.path) {
			if form.method == http.MethodGet {
				names = append(names, form.names...)
			}
		}
	}
	t.Run("texts", func(t *testing.T) {
		for what, value := range hostiles {
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				b.askFor(t, what, value, names)
			})
		}
	})
	if b.state() != before {
		t.Error("something changed")
	}
}

// askFor puts a hostile text into every parameter and every part of every address.
func (b *formEnv) askFor(t *testing.T, what, value string, names []string) {
	t.Helper()
	by := b.ana()
	b.exec("UPDATE sessions SET confirmed_at = UTC_TIMESTAMP(6)") // else it is too old for operators on a slow machine
	query := url.Values{}
	for _, name := range names {
		query.Set(name, value)
	}
	for route, who := range pages {
		method, pattern, _ := strings.Cut(route, " ")
		if method == http.MethodGet && len(value) < 600 {
			path, _, _ := strings.Cut(who.path, "?")
			b.harmless(t, route+" asked for "+what, by.get(path+"?"+query.Encode()))
			b.harmless(t, route+" asked for a part and "+what, by.htmx(value).get(path+"?"+query.Encode()))
		}
		for i, part := range strings.Split(pattern, "/") {
			if !strings.HasPrefix(part, ":") || value == "" || len(value) > 600 {
				continue
			}
			parts := strings.Split(who.path, "/")
			parts[i] = url.PathEscape(value)
			a := by.send(newRequest(method, strings.Join(parts, "/"), formKind,
				strings.NewReader(form(who.fields...).Encode())))
			if b.harmless(t, route+" with a path of "+what, a); a.code < 400 {
				t.Errorf("%s with a path of %s: %d", route, what, a.code)
			}
		}
	}
}

// plain reports whether a text that was refused cannot harm the next page, whatever was kept of it.
func plain(value string) bool {
	return utf8.ValidString(value) && !strings.Contains(value, "data-evil") && !strings.ContainsAny(value,
		"\u202e\u2066\n\x00")
}

// attack sends one hostile text and looks at what comes of it.
func (b *formEnv) attack(t *testing.T, form pageForm, name, what, value string) *answer {
	t.Helper()
	where := fmt.Sprintf("%s, %s with %s", b.route, name, what)
	b.exec("DELETE FROM public_limit") // else strangers are told to wait
	b.exec("DELETE FROM sign_in_limit")
	if b.before == "" {
		b.before = b.state()
	}
	for _, fragment := range []bool{true, false} {
		if fragment && !strings.Contains(value, "data-evil") {
			continue // what is to be seen of a text is the same in a fragment
		}
		b.written.Store(false)
		a := b.try(form, name, value, fragment)
		b.harmless(t, where, a)
		if a.code < 400 {
			b.before = ""
		} else if b.written.Load() {
			after := b.state()
			if after != b.before {
				t.Errorf("%s: %d, but something changed", where, a.code)
			}
			b.before = after
		}
		if len(value) > 600<<10 && form.method != http.MethodGet && a.code != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d", where, a.code)
		}
		if a.code < 400 && strings.ContainsAny(value, "\u202e\u2066\n\x00") {
			b.straight(t, where)
		}
		if a.code < 400 && (fragment || form.method == http.MethodGet) {
			return a
		}
		if a.code < 400 {
			if to := a.header.Get("Location"); to != "" { // none where the answer shows what is never shown again
				b.harmless(t, where+", then "+to, b.browser.get(to))
			}
			return a
		}
		if fragment {
			continue
		}
		if plain(value) {
			return a
		}
		after := b.browser.get(form.page)
		if b.harmless(t, where+", then the page again", after); after.code >= 400 {
			t.Errorf("%s: the page is %d from then on", where, after.code)
		}
		return a
	}
	return nil
}

// harmless fails if an answer has something that no page of ours has.
func (b *formEnv) harmless(t *testing.T, where string, a *answer) {
	t.Helper()
	if a.code >= 500 {
		t.Errorf("%s: %d", where, a.code)
	}
	for name, values := range a.header {
		if strings.Contains(strings.ToLower(name), "evil") || strings.ContainsAny(strings.Join(values, ""), "\r\n") ||
			name == "Set-Cookie" && strings.Contains(strings.Join(values, ";"), "evil") {
			t.Errorf("%s: the header %s: %q", where, name, values)
		}
	}
	if to := a.header.Get("Location"); to != "" && (to[0] != '/' || len(to) > 1 && (to[1] == '/' || to[1] == '\\')) {
		t.Errorf("%s: it leads to %s", where, to)
	}
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		return
	}
	if !strings.HasPrefix(strings.ToLower(a.header.Get("Content-Type")), "text/html; charset=utf-8") {
		t.Errorf("%s: it is %s", where, a.header.Get("Content-Type"))
	}
	page := a.page()
	if page.Find("[data-evil], body script, iframe, object, embed, main svg[onload]").Length() > 0 {
		t.Errorf("%s: the text became part of the page: %s", where, a.body)
	}
	for element := range page.Nodes[0].Descendants() {
		for _, attr := range element.Attr {
			if !allows(element, attr) {
				t.Errorf("%s: <%s %s=%q>", where, element.Data, attr.Key, attr.Val)
			}
		}
	}
}

// allows reports whether pages of ours have an attribute such as this.
func allows(element *html.Node, attr html.Attribute) bool {
	if strings.HasPrefix(attr.Key, "on") || attr.Key == "style" || attr.Key == "srcdoc" {
		return false
	}
	if !slices.Contains([]string{"href", "src", "action", "formaction", "hx-get", "hx-post"}, attr.Key) {
		return true
	}
	value := strings.ToLower(strings.TrimSpace(attr.Val))
	leads, _, _ := strings.Cut(value, "?") // a page of ours may be asked for anything
	e := goquery.NewDocumentFromNode(element)
	switch {
	case strings.HasPrefix(attr.Val, "data:image/png;base64,") && e.Is("img.qr"): // of our own making
		return true
	case strings.HasPrefix(value, "javascript:"), strings.HasPrefix(value, "data:"):
		return false
	}
	return !strings.Contains(leads, "evil.example") || e.Closest(".prose").Length() > 0
}

// rest looks at all that is left after the siege.
func (b *formEnv) rest(t *testing.T) {
	t.Helper()
	b.heal()
	if !strings.HasSuffix(b.route, " /setup") {
		b.browser = b.visitor()
		b.browser.post("/login", "email", email, "password", password)
	}
	for name, who := range pages {
		if strings.HasPrefix(name, "GET ") {
			b.harmless(t, b.route+", then "+who.path, b.browser.get(who.path))
		}
	}
}

// straight fails if a stored line of text changes its direction, or is not one line.
func (b *formEnv) straight(t *testing.T, where string) {
	t.Helper()
	rows := domaintest.OK(b.db.SQL.Query(b.crooked()))(t)
	defer rows.Close()
	for rows.Next() {
		var table string
		var row sql.RawBytes
		domaintest.Must(t, rows.Scan(&table, &row))
		t.Errorf("%s: a row of %s is %q", where, table, row)
	}
	domaintest.Must(t, rows.Err())
}

// crooked is the query for rows with a control in a line of text.
func (b *formEnv) crooked() string {
	const lines = `SELECT table_name, GROUP_CONCAT(column_name) FROM information_schema.columns
		WHERE table_schema = DATABASE() AND data_type = 'varchar' AND character_set_name = 'utf8mb4' GROUP BY table_name`
	rows := domaintest.OK(b.db.SQL.Query(lines))(b.t)
	defer rows.Close()
	var selects []string
	for rows.Next() {
		var table, columns string
		domaintest.Must(b.t, rows.Scan(&table, &columns))
		selects = append(selects, fmt.Sprintf(`(SELECT '%s', line FROM (SELECT CAST(CONCAT_WS(' ', %s) AS BINARY) AS line FROM %s) AS %s_lines
			WHERE LOCATE(0xE280AE, line) + LOCATE(0xE281A6, line) + LOCATE(0x0A, line) + LOCATE(0x00, line) > 0)`, table, columns, table, table))
	}
	domaintest.Must(b.t, rows.Err())
	return strings.Join(selects, " UNION ALL ")
}
