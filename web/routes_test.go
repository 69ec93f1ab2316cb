package web_test

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/web"
)

// access is the status of a route for each kind of visitor. A visitor named by a role has it in acme; the operator is a
// member there, and the foreign operator, like the stranger, owns another company.
type access struct {
	path                                           string   // one that the route serves
	fields                                         []string // of the form that is sent: name, value, name, value
	signedOut, stranger, foreignOperator           int
	viewer, member, admin, owner, memberAsOperator int
	guest                                          int // 0 is 404 on a board, or as a viewer on what is on none
}

// toGuest is the same route, which answers guests otherwise than viewers.
func (a access) toGuest(code int) access { a.guest = code; return a }

// forGuest is the status for a guest whom no board names: boards and tickets do not exist for it.
func (a access) forGuest() int {
	switch {
	case a.guest != 0:
		return a.guest
	case a.viewer != a.stranger && strings.Contains(a.path, "/acme/") && strings.Contains(a.path, "DEMO"):
		return http.StatusNotFound
	}
	return a.viewer
}

// sending is the same route, asked with a form that has these fields.
func (a access) sending(fields ...string) access { a.fields = fields; return a }

// everyone is a route that makes no difference between visitors.
func everyone(path string, code int) access {
	return access{path, nil, code, code, code, code, code, code, code, code, 0}
}

// signedIn is a page for signed-in users of any company.
func signedIn(path string, code int) access {
	return access{path, nil, 303, code, code, code, code, code, code, code, 0}
}

// operators is a page for operators; others get 404.
func operators(path string, code int) access {
	return access{path, nil, 303, 404, code, 404, 404, 404, 404, code, 0}
}

// members is what everyone in the company may see or do; to a stranger there is none such.
func members(path string, code int) access {
	return access{path, nil, 303, 404, 404, code, code, code, code, code, 0}
}

// writers is what everyone in the company but viewers may do.
func writers(path string, code int) access {
	return access{path, nil, 303, 404, 404, 403, code, code, code, code, 0}
}

// managers is what owners and admins of the company may see or do.
func managers(path string, code int) access {
	return access{path, nil, 303, 404, 404, 403, 403, code, code, 403, 0}
}

// keepers is managers for what is missing to everyone else.
func keepers(path string, code int) access {
	return access{path, nil, 303, 404, 404, 404, 404, code, code, 404, 404}
}

// owners is a route for owners of the company.
func owners(path string, code int) access {
	return access{path, nil, 303, 404, 404, 403, 403, 403, code, 403, 0}
}

// pages are the routes for browsers with their statuses. If that is no error, the form is carried out for one visitor
// after the other.
var pages = map[string]access{
	"GET /healthz":     everyone("/healthz", 200),
	"GET /readyz":      everyone("/readyz", 200),
	"GET /metrics":     everyone("/metrics", 404),
	"GET /static/*":    everyone("/static/x/css/app.css", 200),
	"GET /favicon.ico": everyone("/favicon.ico", 302),
	"GET /robots.txt":  everyone("/robots.txt", 200),

	"GET /":                      everyone("/", 303),
	"GET /setup":                 everyone("/setup", 303),
	"POST /setup":                everyone("/setup", 409),
	"GET /login":                 {"/login", nil, 200, 303, 303, 303, 303, 303, 303, 303, 0},
	"POST /login":                everyone("/login", 422),
	"GET /login/passkey":         everyone("/login/passkey", 422), // not at this address
	"POST /login/passkey":        everyone("/login/passkey", 422),
	"GET /login/second/passkey":  {"/login/second/passkey", nil, 303, 422, 422, 422, 422, 422, 422, 422, 0},
	"POST /login/second/passkey": {"/login/second/passkey", nil, 303, 422, 422, 422, 422, 422, 422, 422, 0},
	"POST /logout":               everyone("/logout", 303),
	"GET /login/companies":       everyone("/login/companies?company=acme", 200),
	"POST /login/recovery":       {"/login/recovery", nil, 303, 422, 422, 422, 422, 422, 422, 422, 0},

	// There is no issuer in newEnvWithRoles.
	"GET /login/issuers/:issuer":          everyone("/login/issuers/99", 404),
	"GET /login/issuers/:issuer/callback": everyone("/login/issuers/99/callback?state=x&code=x", 422),
	"GET /login/second":                   everyone("/login/second", 303),
	"POST /login/second":                  {"/login/second", nil, 303, 422, 422, 422, 422, 422, 422, 422, 0},

	"GET /join/:secret":   everyone("/join/unknown", 404),
	"POST /join/:secret":  everyone("/join/unknown", 404),
	"GET /reset/:secret":  everyone("/reset/unknown", 404),
	"POST /reset/:secret": everyone("/reset/unknown", 404),

	// There is no form and no request in newEnvWithRoles.
	"GET /:company/forms/:form":           everyone("/acme/forms/DEMO", 404),
	"POST /:company/forms/:form":          everyone("/acme/forms/DEMO", 404).sending("title", "x"),
	"GET /t":                              everyone("/t", 200),
	"GET /t/:code":                        everyone("/t/zzzzz", 404),
	"GET /t/:code/:token":                 everyone("/t/zzzzz/unknown", 404),
	"GET /t/:code/:token/receipt":         everyone("/t/zzzzz/unknown/receipt", 404),
	"POST /t/:code/:token/replies":        everyone("/t/zzzzz/unknown/replies", 404).sending("body", "x"),
	"GET /p/:secret":                      everyone("/p/unknown", 404),
	"GET /p/:secret/:number":              everyone("/p/unknown/1", 404),
	"GET /p/:secret/columns/:column":      everyone("/p/unknown/columns/1", 404),
	"GET /c/:secret":                      everyone("/c/unknown.ics", 404),
	"POST /:company/:key/link":            writers("/acme/DEMO-1/link", 422),
	"POST /:company/:key/link/revocation": writers("/acme/DEMO-1/link/revocation", 422),

	"GET /account":                             signedIn("/account", 200),
	"GET /account/totp":                        signedIn("/account/totp", 200),
	"POST /account/totp":                       signedIn("/account/totp", 422),
	"POST /account/totp/removal":               signedIn("/account/totp/removal", 404),
	"GET /account/passkeys":                    signedIn("/account/passkeys", 200),
	"GET /account/passkeys/options":            signedIn("/account/passkeys/options", 422),
	"POST /account/passkeys":                   signedIn("/account/passkeys", 422),
	"GET /account/passkeys/:passkey":           signedIn("/account/passkeys/99", 404),
	"POST /account/passkeys/:passkey":          signedIn("/account/passkeys/99", 404).sending("name", "Laptop"),
	"POST /account/passkeys/:passkey/removal":  signedIn("/account/passkeys/99/removal", 404),
	"POST /account/recovery-codes":             signedIn("/account/recovery-codes", 404),
	"POST /account":                            signedIn("/account", 422),
	"POST /account/display":                    signedIn("/account/display", 422),
	"POST /account/avatar":                     signedIn("/account/avatar", 422),
	"POST /account/avatar/removal":             signedIn("/account/avatar/removal", 303),
	"GET /account/avatar/:avatar":              signedIn("/account/avatar/0123456789abcdef", 404),
	"POST /account/password":                   signedIn("/account/password", 422),
	"POST /account/epoch":                      signedIn("/account/epoch", 303),
	"POST /account/identities/:issuer":         signedIn("/account/identities/99", 404),
	"POST /account/identities/:issuer/removal": signedIn("/account/identities/99/removal", 404),

	"GET /account/confirmation":                  signedIn("/account/confirmation", 200),
	"POST /account/confirmation":                 signedIn("/account/confirmation", 422),
	"POST /account/sessions/revocation":          signedIn("/account/sessions/revocation", 303),
	"POST /account/sessions/:session/revocation": signedIn("/account/sessions/99/revocation", 303),
	"POST /account/tokens/:token/revocation":     signedIn("/account/tokens/99/revocation", 404),

	"GET /admin":               operators("/admin", 200),
	"GET /admin/settings":      operators("/admin/settings", 200),
	"GET /admin/doctor":        operators("/admin/doctor", 200),
	"GET /admin/storage":       operators("/admin/storage", 200),
	"GET /admin/webhooks":      operators("/admin/webhooks", 200),
	"GET /admin/stop":          operators("/admin/stop", 200),
	"POST /admin/stop":         operators("/admin/stop", 422),
	"POST /admin/stop/release": operators("/admin/stop/release", 303),

	"GET /admin/companies":              operators("/admin/companies", 200),
	"POST /admin/companies":             operators("/admin/companies", 422),
	"GET /admin/companies/:slug":        operators("/admin/companies/acme", 200),
	"POST /admin/companies/:slug/quota": operators("/admin/companies/acme/quota", 422),
	"GET /admin/people":                 operators("/admin/people", 200),
	"GET /admin/audit":                  operators("/admin/audit", 200),
	"GET /admin/audit.csv":              operators("/admin/audit.csv", 200),

	"GET /admin/people/:account":                      operators("/admin/people/1", 200),
	"POST /admin/people/:account/sessions/revocation": operators("/admin/people/99/sessions/revocation", 404),
	"POST /admin/people/:account/resets":              operators("/admin/people/99/resets", 404),
	"POST /admin/people/:account/address":             operators("/admin/people/1/address", 422),
	"POST /admin/people/:account/deactivation":        operators("/admin/people/99/deactivation", 404),
	"POST /admin/people/:account/reactivation":        operators("/admin/people/99/reactivation", 404),
	"POST /admin/people/:account/operator":            operators("/admin/people/1/operator", 422),

	// Consumer 1 and webhook 1 are of acme.
	"GET /admin/feeds":                     operators("/admin/feeds", 200),
	"POST /admin/feeds/republications":     operators("/admin/feeds/republications", 422),
	"GET /admin/feeds/consumers/:consumer": operators("/admin/feeds/consumers/1", 200),
	"POST /admin/feeds/consumers/:consumer/pause": operators("/admin/feeds/consumers/1/pause", 303).
		sending("paused", "yes"),
	"POST /admin/feeds/consumers/:consumer/cursor": operators("/admin/feeds/consumers/1/cursor", 303).
		sending("place", "end"),
	"GET /admin/feeds/consumers/:consumer/removal":  operators("/admin/feeds/consumers/1/removal", 200),
	"POST /admin/feeds/consumers/:consumer/removal": operators("/admin/feeds/consumers/99/removal", 404),
	"GET /admin/webhooks/:webhook":                  operators("/admin/webhooks/1", 200),

	// There is no service account 99.
	"GET /admin/refs/service-accounts":           operators("/admin/refs/service-accounts", 200),
	"GET /admin/refs/service-accounts/:account":  operators("/admin/refs/service-accounts/99", 404),
	"POST /admin/refs/service-accounts/:account": operators("/admin/refs/service-accounts/99", 404).sending("per_day", "5", "per_call", "5"),
	"GET /admin/migrations/images":               operators("/admin/migrations/images", 200),

	"GET /admin/refs":        operators("/admin/refs", 200),
	"GET /admin/refs/mints":  operators("/admin/refs/mints?codes=5&length=5", 200),
	"POST /admin/refs/mints": operators("/admin/refs/mints", 303).sending("codes", "5", "length", "5"),
	"POST /admin/refs/policy": operators("/admin/refs/policy", 303).
		sending("at_least", "5", "low_hours", "1", "high_hours", "2"),
	"POST /admin/refs/pause":                operators("/admin/refs/pause", 303).sending("paused", "yes"),
	"GET /admin/refs/lots/:lot/quarantine":  operators("/admin/refs/lots/1/quarantine", 200),
	"POST /admin/refs/lots/:lot/quarantine": operators("/admin/refs/lots/99/quarantine", 404),

	// The run is not filled yet.
	"GET /admin/migrations":         operators("/admin/migrations", 200),
	"GET /admin/migrations/workers": operators("/admin/migrations/workers", 200),
	"POST /admin/migrations/workers/:worker/drain": operators("/admin/migrations/workers/99/drain", 404).
		sending("drain", "yes"),
	"GET /admin/migrations/:name/new":                operators("/admin/migrations/count-up/new", 200),
	"POST /admin/migrations/:name/runs":              operators("/admin/migrations/count-up/runs", 422),
	"GET /admin/migrations/runs/:run/mapping":        operators("/admin/migrations/runs/1/mapping", 404),
	"POST /admin/migrations/runs/:run/mapping":       operators("/admin/migrations/runs/1/mapping", 404),
	"GET /admin/migrations/runs/:run/start":          operators("/admin/migrations/runs/1/start", 200),
	"POST /admin/migrations/runs/:run/start":         operators("/admin/migrations/runs/1/start", 409),
	"GET /admin/migrations/runs/:run/rejections":     operators("/admin/migrations/runs/1/rejections", 200),
	"GET /admin/migrations/runs/:run/report.csv":     operators("/admin/migrations/runs/1/report.csv", 200),
	"GET /admin/migrations/runs/:run/rejections.csv": operators("/admin/migrations/runs/1/rejections.csv", 200),

	"GET /account/keys":                    signedIn("/account/keys", 200),
	"GET /admin/migrations/runs/:run":      operators("/admin/migrations/runs/1", 200),
	"GET /admin/migrations/runs/:run/live": operators("/admin/migrations/runs/1/live", 303),
	"POST /admin/migrations/runs/:run/pause": operators("/admin/migrations/runs/1/pause", 409).
		sending("paused", "1"),
	"GET /admin/migrations/runs/:run/cancellation":  operators("/admin/migrations/runs/1/cancellation", 200),
	"POST /admin/migrations/runs/:run/cancellation": operators("/admin/migrations/runs/1/cancellation", 303),
	"POST /admin/migrations/runs/:run/dismissal":    operators("/admin/migrations/runs/1/dismissal", 409),
	"POST /admin/migrations/runs/:run/knobs": operators("/admin/migrations/runs/1/knobs", 422).
		sending("rate", "x"),
	"GET /admin/migrations/runs/:run/tasks/:task": operators("/admin/migrations/runs/1/tasks/1", 404),
	"GET /admin/migrations/runs/:run/failures":    operators("/admin/migrations/runs/1/failures", 200),
	"GET /admin/migrations/runs/:run/failures/:fingerprint": operators(
		"/admin/migrations/runs/1/failures/0123456789abcdef", 200),
	"GET /admin/migrations/runs/:run/retries": operators("/admin/migrations/runs/1/retries", 200),
	"POST /admin/migrations/runs/:run/retries": operators("/admin/migrations/runs/1/retries", 409).
		sending("all", "1"),
	"GET /admin/migrations/runs/:run/skips":  operators("/admin/migrations/runs/1/skips", 200),
	"POST /admin/migrations/runs/:run/skips": operators("/admin/migrations/runs/1/skips", 409).sending("all", "1"),
	"GET /admin/migrations/runs/:run/events": operators("/admin/migrations/runs/1/events", 200),

	"GET /:company/images/:hash":       members("/acme/images/"+noImage, 404),
	"GET /:company/images/:hash/640":   members("/acme/images/"+noImage+"/640", 404),
	"GET /:company/people":             members("/acme/people", 200),
	"GET /:company/people/invitations": members("/acme/people/invitations", 200),
	"POST /:company/people/invitations": managers("/acme/people/invitations", 201).
		sending("role", "member", "days", "7"),
	"POST /:company/people/invitations/:invitation/revocation": managers("/acme/people/invitations/99/revocation", 404),
	"GET /:company/people/:account":                            members("/acme/people/1", 200).toGuest(404),
	"POST /:company/people/:account/role": managers("/acme/people/4/role", 303).
		sending("role", "viewer").toGuest(404),
	// Ana is an owner
	"POST /:company/people/:account/removal": {"/acme/people/1/removal", nil, 303, 404, 404, 403, 403, 403, 303, 403, 404},
	"POST /:company/people/:account/handle":  members("/acme/people/99/handle", 404),
	"POST /:company/people/:account/resets":  managers("/acme/people/4/resets", 201).toGuest(404),
	"POST /:company/people/:account/operator": {"/acme/people/4/operator", []string{"operator", "yes"}, 303, 404, 404, 403,
		403, 403, 403, 303, 0},
	// Group 1 is of acme; board 99 is none.
	"GET /:company/labels":                     members("/acme/labels", 200),
	"POST /:company/labels":                    writers("/acme/labels", 422),
	"GET /:company/labels/:label":              managers("/acme/labels/1", 200),
	"POST /:company/labels/:label":             managers("/acme/labels/1", 303).sending("name", "Bug", "color", "red"),
	"GET /:company/labels/:label/merge":        managers("/acme/labels/1/merge?into=2", 200),
	"POST /:company/labels/:label/merge":       managers("/acme/labels/1/merge", 303).sending("into", "2"),
	"GET /:company/labels/:label/deletion":     managers("/acme/labels/1/deletion", 200),
	"POST /:company/labels/:label/deletion":    managers("/acme/labels/1/deletion", 303),
	"POST /:company/labels/:label/restoration": managers("/acme/labels/2/restoration", 409),

	"GET /:company/groups":         members("/acme/groups", 200).toGuest(403),
	"POST /:company/groups":        managers("/acme/groups", 422),
	"GET /:company/groups/:group":  members("/acme/groups/1", 200).toGuest(403),
	"POST /:company/groups/:group": managers("/acme/groups/1", 303).sending("name", "Crew"),
	"POST /:company/groups/:group/members": managers("/acme/groups/1/members", 303).
		sending("handle", "mia"),
	"POST /:company/groups/:group/members/:account/removal": managers("/acme/groups/1/members/99/removal", 404),
	"GET /:company/groups/:group/removal":                   managers("/acme/groups/1/removal", 200),
	"POST /:company/groups/:group/removal":                  managers("/acme/groups/99/removal", 404),
	"GET /:company/settings/boards":                         managers("/acme/settings/boards", 200),
	"GET /:company/settings/boards/:board":                  managers("/acme/settings/boards/99", 404),
	"POST /:company/settings/boards/:board/takeover": {"/acme/settings/boards/99/takeover", nil, 303, 404, 404, 403, 403,
		403, 404, 403, 0},

	"GET /:company/tokens":                    members("/acme/tokens", 200),
	"POST /:company/tokens":                   members("/acme/tokens", 422),
	"POST /:company/tokens/:token/revocation": members("/acme/tokens/99/revocation", 404),
	"GET /:company/settings":                  managers("/acme/settings", 200),
	"POST /:company/settings":                 managers("/acme/settings", 422),
	"POST /:company/settings/second-factor":   {"/acme/settings/second-factor", nil, 303, 404, 404, 403, 403, 403, 303, 403, 0},
	"GET /:company/settings/service-accounts": managers("/acme/settings/service-accounts", 200),
	"POST /:company/settings/service-accounts": managers("/acme/settings/service-accounts", 303).
		sending("name", "Robot"),
	"GET /:company/settings/service-accounts/:account":          managers("/acme/settings/service-accounts/99", 404),
	"POST /:company/settings/service-accounts/:account/tokens":  managers("/acme/settings/service-accounts/99/tokens", 404),
	"GET /:company/settings/service-accounts/:account/removal":  managers("/acme/settings/service-accounts/99/removal", 404),
	"POST /:company/settings/service-accounts/:account/removal": managers("/acme/settings/service-accounts/99/removal", 404),
	"GET /:company/audit":     managers("/acme/audit", 200),
	"GET /:company/audit.csv": managers("/acme/audit.csv", 200),

	// Webhook 1 goes to this machine, which is refused; so is a form with its address.
	"GET /:company/settings/sign-in":           owners("/acme/settings/sign-in", 200),
	"POST /:company/settings/sign-in/required": owners("/acme/settings/sign-in/required", 303),
	"POST /:company/settings/sign-in/issuers":  owners("/acme/settings/sign-in/issuers", 422),
	"GET /:company/settings/sign-in/issuers/:issuer": owners(
		"/acme/settings/sign-in/issuers/99", 404),
	"POST /:company/settings/sign-in/issuers/:issuer": owners(
		"/acme/settings/sign-in/issuers/99", 404),
	"GET /:company/settings/sign-in/issuers/:issuer/removal": owners(
		"/acme/settings/sign-in/issuers/99/removal", 404),
	"POST /:company/settings/sign-in/issuers/:issuer/removal": owners(
		"/acme/settings/sign-in/issuers/99/removal", 404),
	"POST /:company/settings/sign-in/issuers/:issuer/rules": owners(
		"/acme/settings/sign-in/issuers/99/rules", 404),
	"POST /:company/settings/sign-in/issuers/:issuer/rules/:rule/removal": owners(
		"/acme/settings/sign-in/issuers/99/rules/1/removal", 404),
	"POST /:company/settings/sign-in/domains": owners("/acme/settings/sign-in/domains", 422),
	"POST /:company/settings/sign-in/domains/:domain/check": owners(
		"/acme/settings/sign-in/domains/99/check", 404),
	"POST /:company/settings/sign-in/domains/:domain/removal": owners(
		"/acme/settings/sign-in/domains/99/removal", 404),
	"GET /:company/settings/webhooks": managers("/acme/settings/webhooks", 200),
	"POST /:company/settings/webhooks": managers("/acme/settings/webhooks", 201).
		sending("url", "https://hooks.example/x", "feeds", "tickets"),
	"GET /:company/settings/webhooks/:webhook": managers("/acme/settings/webhooks/1", 200),
	"POST /:company/settings/webhooks/:webhook": managers("/acme/settings/webhooks/1", 422).
		sending("version", "1", "url", "http://127.0.0.1/", "feeds", "tickets"),
	"POST /:company/settings/webhooks/:webhook/state": managers("/acme/settings/webhooks/1/state",
		303).sending("on", "no"),
	"POST /:company/settings/webhooks/:webhook/secret": managers("/acme/settings/webhooks/1/secret",
		201),
	"POST /:company/settings/webhooks/:webhook/tests": managers("/acme/settings/webhooks/1/tests",
		303),
	"GET /:company/settings/webhooks/:webhook/removal": managers("/acme/settings/webhooks/1/removal",
		200),
	"POST /:company/settings/webhooks/:webhook/removal": managers(
		"/acme/settings/webhooks/99/removal", 404),
	"GET /:company/settings/webhooks/:webhook/deliveries/:delivery": managers(
		"/acme/settings/webhooks/1/deliveries/1", 200),
	"POST /:company/settings/webhooks/:webhook/deliveries/:delivery/resends": managers(
		"/acme/settings/webhooks/1/deliveries/1/resends", 303),

	"GET /:company":                               members("/acme", 200),
	"GET /:company/boards":                        members("/acme/boards", 200),
	"GET /:company/jump":                          members("/acme/jump?q=dark", 200),
	"GET /:company/search":                        members("/acme/search?q=x", 200),
	"GET /:company/keys":                          members("/acme/keys", 200),
	"GET /:company/display":                       members("/acme/display", 200),
	"POST /:company/display":                      members("/acme/display", 422),
	"POST /:company/zone":                         members("/acme/zone", 204).sending("zone", "Europe/Berlin"),
	"GET /:company/avatars/:account/:avatar":      members("/acme/avatars/1/0123456789abcdef", 404),
	"POST /:company/boards":                       writers("/acme/boards", 422),
	"GET /:company/boards/:board":                 members("/acme/boards/DEMO", 200),
	"GET /:company/boards/:board/list":            members("/acme/boards/DEMO/list", 200),
	"GET /:company/boards/:board/list.csv":        members("/acme/boards/DEMO/list.csv", 200),
	"GET /:company/boards/:board/calendar":        members("/acme/boards/DEMO/calendar", 200),
	"GET /:company/boards/:board/views/new":       members("/acme/boards/DEMO/views/new", 200),
	"POST /:company/boards/:board/views":          members("/acme/boards/DEMO/views", 422),
	"GET /:company/tickets":                       members("/acme/tickets", 200),
	"GET /:company/tickets/list":                  members("/acme/tickets/list", 200),
	"GET /:company/tickets/list.csv":              members("/acme/tickets/list.csv", 200),
	"GET /:company/tickets/calendar":              members("/acme/tickets/calendar", 200),
	"GET /:company/tickets/views/new":             members("/acme/tickets/views/new", 200),
	"POST /:company/tickets/views":                members("/acme/tickets/views", 422),
	"GET /:company/tickets/batch":                 {"/acme/tickets/batch?do=labels&keys=demo-1", nil, 303, 404, 404, 403, 200, 200, 200, 200, 200},
	"POST /:company/tickets/batch":                {"/acme/tickets/batch", nil, 303, 404, 404, 403, 422, 422, 422, 422, 422},
	"GET /:company/bulk-edits":                    members("/acme/bulk-edits", 200),
	"GET /:company/bulk-edits/:edit":              keepers("/acme/bulk-edits/1", 200),
	"GET /:company/bulk-edits/runs/:run":          keepers("/acme/bulk-edits/runs/1", 303),
	"POST /:company/bulk-edits/:edit/state":       keepers("/acme/bulk-edits/1/state", 422),
	"POST /:company/bulk-edits/:edit/speed":       keepers("/acme/bulk-edits/1/speed", 422),
	"POST /:company/bulk-edits/:edit/undo":        keepers("/acme/bulk-edits/1/undo", 409),
	"POST /:company/bulk-edits/:edit/repeat":      members("/acme/bulk-edits/99/repeat", 404),
	"GET /:company/boards/:board/bulk-edits":      managers("/acme/boards/DEMO/bulk-edits", 200),
	"GET /:company/views":                         members("/acme/views", 200),
	"GET /:company/views/pinned":                  members("/acme/views/pinned", 200),
	"GET /:company/views/:view":                   members("/acme/views/1", 303).toGuest(404),
	"GET /:company/views/:view/edit":              managers("/acme/views/1/edit", 200).toGuest(404),
	"POST /:company/views/:view":                  managers("/acme/views/1", 422).sending("version", "1").toGuest(404),
	"POST /:company/boards/:board/pin":            members("/acme/boards/DEMO/pin", 303).toGuest(404),
	"POST /:company/theme":                        members("/acme/theme", 422),
	"POST /:company/seen":                         members("/acme/seen", 303),
	"POST /:company/views/:view/pin":              members("/acme/views/1/pin", 303).toGuest(404),
	"GET /:company/views/:view/deletion":          managers("/acme/views/1/deletion", 200).toGuest(404),
	"POST /:company/views/:view/deletion":         members("/acme/views/99/deletion", 404),
	"GET /:company/calendars":                     members("/acme/calendars", 200),
	"POST /:company/calendars/:view":              members("/acme/calendars/work", 201),
	"POST /:company/calendars/:view/revocation":   members("/acme/calendars/work/revocation", 303),
	"GET /:company/boards/:board/settings":        members("/acme/boards/DEMO/settings", 200),
	"POST /:company/boards/:board/settings":       writers("/acme/boards/DEMO/settings", 422).sending("version", "1"),
	"GET /:company/boards/:board/columns/:column": members("/acme/boards/DEMO/columns/1", 200),
	"GET /:company/boards/:board/tickets/new":     writers("/acme/boards/DEMO/tickets/new", 200),
	"POST /:company/boards/:board/tickets":        writers("/acme/boards/DEMO/tickets", 422),
	"GET /:company/boards/:board/members":         members("/acme/boards/DEMO/members", 200),
	"POST /:company/boards/:board/members": {"/acme/boards/DEMO/members", []string{"name", "@mia", "role", "member"},
		303, 404, 404, 403, 403, 303, 303, 403, 0},
	"POST /:company/boards/:board/members/:kind/:member": {"/acme/boards/DEMO/members/account/99", []string{"role", "member"},
		303, 404, 404, 403, 403, 404, 404, 403, 0},
	"POST /:company/boards/:board/members/:kind/:member/removal": {"/acme/boards/DEMO/members/account/99/removal", nil,
		303, 404, 404, 403, 403, 404, 404, 403, 0},
	"POST /:company/boards/:board/privacy": {"/acme/boards/DEMO/privacy", []string{"private", "no"},
		303, 404, 404, 403, 403, 303, 303, 403, 0},
	"POST /:company/boards/:board/link": {"/acme/boards/DEMO/link", nil,
		303, 404, 404, 403, 403, 201, 201, 403, 0},
	"POST /:company/boards/:board/link/revocation": {"/acme/boards/DEMO/link/revocation", nil,
		303, 404, 404, 403, 403, 303, 303, 403, 0},
	"POST /:company/boards/:board/webhooks": {"/acme/boards/DEMO/webhooks", []string{"webhook", "1"},
		303, 404, 404, 403, 403, 409, 409, 403, 0},
	"POST /:company/boards/:board/webhooks/:webhook/removal": {"/acme/boards/DEMO/webhooks/1/removal", nil,
		303, 404, 404, 403, 403, 303, 303, 403, 0},
	"GET /:company/boards/:board/deleted": members("/acme/boards/DEMO/deleted", 200),
	"POST /:company/undo":                 writers("/acme/undo", 409).toGuest(409),
	"POST /:company/preview":              members("/acme/preview", 200), // it changes nothing
	"POST /:company/:key/closure":         writers("/acme/DEMO-1/closure", 303).sending("closed", "1"),
	"GET /:company/:key/deletion":         writers("/acme/DEMO-1/deletion", 200),
	"POST /:company/:key/deletion":        writers("/acme/DEMO-99/deletion", 404),
	"POST /:company/:key/restoration":     writers("/acme/DEMO-1/restoration", 303),
	"GET /:company/:key/activity/:entry":  members("/acme/DEMO-1/activity/1", 200),
	"GET /:company/:key":                  members("/acme/DEMO-1", 200),
	"POST /:company/:key":                 writers("/acme/DEMO-1", 422).sending("version", "1"),
	"GET /:company/:key/edit":             writers("/acme/DEMO-1/edit", 200),
	"GET /:company/:key/position":         writers("/acme/DEMO-1/position", 200),
	"POST /:company/:key/position":        writers("/acme/DEMO-1/position", 303).sending("column", "2"),
	"GET /:company/:key/activity":         members("/acme/DEMO-1/activity?before=9", 200),

	"GET /:company/inbox":           members("/acme/inbox", 200),
	"POST /:company/inbox":          members("/acme/inbox", 303).sending("upto", "1"),
	"GET /:company/inbox/unread":    members("/acme/inbox/unread", 200),
	"POST /:company/inbox/:entry":   members("/acme/inbox/1", 404), // nobody's
	"GET /:company/live":            members("/acme/live", 200),
	"GET /:company/live/changes":    members("/acme/live/changes", 200),
	"GET /:company/work":            members("/acme/work", 200),
	"GET /:company/people/mentions": members("/acme/people/mentions?q=a", 200),

	// A comment is its author's alone: this one is Ana's.
	"GET /:company/:key/comments":          members("/acme/DEMO-1/comments", 200),
	"POST /:company/:key/comments":         writers("/acme/DEMO-1/comments", 303).sending("body", "x"),
	"GET /:company/:key/comments/:comment": members("/acme/DEMO-1/comments/1", 303),
	"POST /:company/:key/comments/:comment": members("/acme/DEMO-1/comments/1", 403).
		sending("body", "x", "version", "1"),
	"GET /:company/:key/comments/:comment/edit": members("/acme/DEMO-1/comments/1/edit", 403),
	"POST /:company/:key/comments/:comment/reactions": writers("/acme/DEMO-1/comments/1/reactions", 303).
		sending("reaction", "heart on"),
	"GET /:company/:key/comments/:comment/quotation":    writers("/acme/DEMO-1/comments/1/quotation", 200),
	"POST /:company/:key/comments/:comment/removal":     members("/acme/DEMO-1/comments/1/removal", 403),
	"POST /:company/:key/comments/:comment/restoration": writers("/acme/DEMO-1/comments/1/restoration", 303),
	"GET /:company/:key/priority":                       writers("/acme/DEMO-1/priority", 200),
	"POST /:company/:key/priority": writers("/acme/DEMO-1/priority", 303).
		sending("priority", "high", "seen", "none"),
	"GET /:company/:key/title":       writers("/acme/DEMO-1/title", 200),
	"POST /:company/:key/title":      writers("/acme/DEMO-1/title", 303).sending("title", "Better", "seen", "Open me, and change my title"),
	"GET /:company/:key/dates":       writers("/acme/DEMO-1/dates", 200),
	"POST /:company/:key/dates":      writers("/acme/DEMO-1/dates", 303).sending("due", "2026-12-04"),
	"GET /:company/:key/recurrence":  writers("/acme/DEMO-1/recurrence", 200),
	"POST /:company/:key/recurrence": writers("/acme/DEMO-1/recurrence", 409).sending("every", "1", "unit", "week"), // it has no due date
	"GET /:company/:key/labels":      writers("/acme/DEMO-1/labels", 200),
	"POST /:company/:key/labels":     writers("/acme/DEMO-1/labels", 303).sending("label", "1"),
	"POST /:company/:key/checklist/tickets": writers("/acme/DEMO-1/checklist/tickets", 409). // there is no such item
													sending("check", "0-0123456789abcdef-0-1-1"),
	"POST /:company/attachments":                          writers("/acme/attachments", 422).toGuest(422),
	"GET /:company/attachments/:attachment":               members("/acme/attachments/99", 404),
	"GET /:company/attachments/:attachment/image":         members("/acme/attachments/99/image", 404),
	"GET /:company/attachments/:attachment/small":         members("/acme/attachments/99/small", 404),
	"POST /:company/:key/attachments":                     writers("/acme/DEMO-1/attachments", 422),
	"POST /:company/:key/attachments/:attachment/removal": writers("/acme/DEMO-1/attachments/99/removal", 404),
	"GET /:company/:key/relations":                        writers("/acme/DEMO-1/relations", 200),
	"POST /:company/:key/relations":                       writers("/acme/DEMO-1/relations", 303).sending("kind", "blocks", "q", "DEMO-2"),
	"POST /:company/:key/relations/removal": writers("/acme/DEMO-1/relations/removal", 303).
		sending("kind", "blocks", "other", "DEMO-2"),
	"POST /:company/:key/checklist": writers("/acme/DEMO-1/checklist", 409). // there is no such item
											sending("check", "0-0123456789abcdef-0-1-1"),
	"POST /:company/:key/comments/:comment/checklist": writers("/acme/DEMO-1/comments/1/checklist", 409).
		sending("check", "0-0123456789abcdef-0-1-1"),
	"GET /:company/:key/assignees": writers("/acme/DEMO-1/assignees", 200),
	"POST /:company/:key/assignees": writers("/acme/DEMO-1/assignees", 303).
		sending("quick", "1", "add", "1"),
	"POST /:company/:key/mute":            members("/acme/DEMO-1/mute", 303).sending("muted", "1"),
	"POST /:company/boards/:board/copies": writers("/acme/boards/DEMO/copies", 422).toGuest(403),
	"POST /:company/boards/:board/archive": writers("/acme/boards/DEMO/archive", 409).
		sending("version", "7"),
	"POST /:company/boards/:board/form": managers("/acme/boards/DEMO/form", 303).
		sending("on", "1", "version", "0"),
	"GET /:company/boards/:board/batch":               writers("/acme/boards/DEMO/batch?do=labels&keys=DEMO-1", 200),
	"POST /:company/boards/:board/batch":              writers("/acme/boards/DEMO/batch", 422),
	"GET /:company/boards/:board/templates":           members("/acme/boards/DEMO/templates", 200),
	"POST /:company/boards/:board/templates":          writers("/acme/boards/DEMO/templates", 422),
	"GET /:company/boards/:board/templates/new":       writers("/acme/boards/DEMO/templates/new", 200),
	"GET /:company/boards/:board/templates/:template": writers("/acme/boards/DEMO/templates/1", 200),
	"POST /:company/boards/:board/templates/:template": writers("/acme/boards/DEMO/templates/1", 422).
		sending("name", "Bug"),
	"GET /:company/boards/:board/templates/:template/deletion":     writers("/acme/boards/DEMO/templates/1/deletion", 200),
	"POST /:company/boards/:board/templates/:template/deletion":    writers("/acme/boards/DEMO/templates/99/deletion", 404),
	"POST /:company/boards/:board/templates/:template/restoration": writers("/acme/boards/DEMO/templates/99/restoration", 404),
	"POST /:company/boards/:board/form/watch":                      members("/acme/boards/DEMO/form/watch", 303).sending("on", "1"),
	"POST /:company/boards/:board/columns": writers("/acme/boards/DEMO/columns", 422).
		sending("version", "1"),
	"POST /:company/boards/:board/columns/:column": writers("/acme/boards/DEMO/columns/1", 422).
		sending("version", "1"),
	"POST /:company/boards/:board/columns/:column/fold":     members("/acme/boards/DEMO/columns/1/fold", 303),
	"POST /:company/boards/:board/columns/:column/position": writers("/acme/boards/DEMO/columns/1/position", 422),
	"GET /:company/boards/:board/columns/:column/cards":     writers("/acme/boards/DEMO/columns/1/cards", 200),
	"POST /:company/boards/:board/columns/:column/cards":    writers("/acme/boards/DEMO/columns/1/cards", 422).sending("do", "sort"),
	"GET /:company/boards/:board/columns/:column/removal":   writers("/acme/boards/DEMO/columns/1/removal", 200),
	"POST /:company/boards/:board/columns/:column/removal": writers("/acme/boards/DEMO/columns/1/removal", 422).
		sending("version", "1"),
}

// call is a route of the API: the scope that it needs, the weakest role that may use it ("" is a
// member, or a viewer for GET), and what it answers. To a token of another company it answers
// foreign; 404 leaves no trace there either.
type call struct {
	path, body    string
	scope         string
	foreign, code int
	least         string
}

// forGuest is the status for a guest whom no board names: boards and tickets do not exist for it, and it neither changes
// anything else nor gets what is the company's as a whole.
func (c call) forGuest(method string) int {
	switch {
	case accounts.OperatorOnly(c.scope), c.scope == accounts.ReadAudit:
		return http.StatusForbidden
	case strings.Contains(c.path, "DEMO"),
		method != http.MethodGet && (strings.HasPrefix(c.path, "/bulk-edits") || strings.HasPrefix(c.path, "/views")):
		return http.StatusNotFound
	case method != http.MethodGet, strings.Contains(c.path, "/consumers"), strings.HasPrefix(c.path, "/groups"):
		return http.StatusForbidden
	}
	return c.code
}

// calls are the routes of the API. One role's change may stop the next one's (409, or 404 if it removed something).
var calls = map[string]call{
	"GET /api/v1/boards": {"/boards", "", "boards:read", 200, 200, ""},
	"POST /api/v1/boards": {"/boards", `{"slug":"NINJA","title":"x"}`, "boards:write", 201, 201,
		""},
	"GET /api/v1/boards/:board": {"/boards/DEMO", "", "boards:read", 404, 200, ""},
	"PATCH /api/v1/boards/:board": {"/boards/DEMO", `{"title":"x","version":1}`, "boards:write", 404, 200,
		""},
	"PUT /api/v1/boards/:board/archive":    {"/boards/DEMO/archive", "", "boards:write", 404, 200, ""},
	"DELETE /api/v1/boards/:board/archive": {"/boards/DEMO/archive", "", "boards:write", 404, 200, ""},
	"GET /api/v1/boards/:board/members":    {"/boards/DEMO/members", "", "boards:read", 404, 200, ""},
	"PUT /api/v1/boards/:board/members/:kind/:member": {"/boards/DEMO/members/account/mia", `{"role":"viewer"}`,
		"boards:write", 404, 200, accounts.Admin},
	"DELETE /api/v1/boards/:board/members/:kind/:member": {"/boards/DEMO/members/group/1", "", "boards:write", 404, 204,
		accounts.Admin},
	"PUT /api/v1/tickets/:key/labels": {"/tickets/DEMO-1/labels", `{"labels":["Bug"]}`, "tickets:write", 404, 200, ""},
	"POST /api/v1/tickets/:key/checklist/tickets": {"/tickets/DEMO-1/checklist/tickets", `{"item":"0-0123456789abcdef-0-1"}`,
		"tickets:write", 404, 409, ""},
	"GET /api/v1/tickets/:key/attachments":                     {"/tickets/DEMO-1/attachments", "", "tickets:read", 404, 200, ""},
	"POST /api/v1/tickets/:key/attachments":                    {"/tickets/DEMO-1/attachments", "", "tickets:write", 404, 422, ""},
	"GET /api/v1/tickets/:key/attachments/:attachment":         {"/tickets/DEMO-1/attachments/99", "", "tickets:read", 404, 404, ""},
	"GET /api/v1/tickets/:key/attachments/:attachment/content": {"/tickets/DEMO-1/attachments/99/content", "", "tickets:read", 404, 404, ""},
	"DELETE /api/v1/tickets/:key/attachments/:attachment":      {"/tickets/DEMO-1/attachments/99", "", "tickets:write", 404, 404, ""},
	"PUT /api/v1/tickets/:key/recurrence":                      {"/tickets/DEMO-1/recurrence", `{"rule":"FREQ=DAILY"}`, "tickets:write", 404, 409, ""},
	"DELETE /api/v1/tickets/:key/recurrence":                   {"/tickets/DEMO-1/recurrence", "", "tickets:write", 404, 204, ""},
	"GET /api/v1/tickets/:key/backlinks":                       {"/tickets/DEMO-1/backlinks", "", "tickets:read", 404, 200, ""},
	"GET /api/v1/tickets/:key/relations":                       {"/tickets/DEMO-1/relations", "", "tickets:read", 404, 200, ""},
	"PUT /api/v1/tickets/:key/relations/:kind/:other": {"/tickets/DEMO-1/relations/blocks/DEMO-2", "", "tickets:write",
		404, 200, ""},
	"DELETE /api/v1/tickets/:key/relations/:kind/:other": {"/tickets/DEMO-1/relations/blocks/DEMO-2", "", "tickets:write",
		404, 204, ""},
	"GET /api/v1/tickets/:key/checklist": {"/tickets/DEMO-1/checklist", "", "tickets:read", 404, 200, ""},
	"PUT /api/v1/tickets/:key/checklist": {"/tickets/DEMO-1/checklist", `{"item":"0-0123456789abcdef-0-1","checked":true}`,
		"tickets:write", 404, 409, ""},
	"GET /api/v1/boards/:board/templates":           {"/boards/DEMO/templates", "", "boards:read", 404, 200, ""},
	"POST /api/v1/boards/:board/templates":          {"/boards/DEMO/templates", `{"name":"New"}`, "boards:write", 404, 201, ""},
	"GET /api/v1/boards/:board/templates/:template": {"/boards/DEMO/templates/1", "", "boards:read", 404, 200, ""},
	"PATCH /api/v1/boards/:board/templates/:template": {"/boards/DEMO/templates/1", `{"name":"New","version":1}`, "boards:write",
		404, 200, ""},
	"DELETE /api/v1/boards/:board/templates/:template":          {"/boards/DEMO/templates/1", "", "boards:write", 404, 204, ""},
	"PUT /api/v1/boards/:board/templates/:template/restoration": {"/boards/DEMO/templates/1/restoration", "", "boards:write", 404, 404, ""},
	"GET /api/v1/search":                        {"/search?q=x", "", "tickets:read", 200, 200, ""},
	"GET /api/v1/bulk-edits":                    {"/bulk-edits", "", "tickets:read", 200, 200, ""},
	"POST /api/v1/bulk-edits":                   {"/bulk-edits", `{"board":"DEMO","do":"close","dry":true}`, "tickets:write", 404, 202, ""},
	"GET /api/v1/bulk-edits/:edit":              {"/bulk-edits/99", "", "tickets:read", 404, 404, ""},
	"PATCH /api/v1/bulk-edits/:edit":            {"/bulk-edits/99", `{"state":"paused"}`, "tickets:write", 404, 404, ""},
	"GET /api/v1/bulk-edits/:edit/tickets":      {"/bulk-edits/99/tickets", "", "tickets:read", 404, 404, ""},
	"POST /api/v1/bulk-edits/:edit/undo":        {"/bulk-edits/99/undo", `{}`, "tickets:write", 404, 404, ""},
	"GET /api/v1/views":                         {"/views", "", "boards:read", 200, 200, ""},
	"POST /api/v1/views":                        {"/views", `{"name":"New","board":"DEMO"}`, "boards:write", 404, 201, ""},
	"GET /api/v1/views/:view":                   {"/views/99", "", "boards:read", 404, 404, ""},
	"PATCH /api/v1/views/:view":                 {"/views/99", `{"name":"New","version":1}`, "boards:write", 404, 404, ""},
	"DELETE /api/v1/views/:view":                {"/views/99", "", "boards:write", 404, 404, ""},
	"GET /api/v1/views/:view/tickets":           {"/views/99/tickets", "", "boards:read", 404, 404, ""},
	"PUT /api/v1/views/:view/pin":               {"/views/99/pin", "", "boards:write", 404, 404, ""},
	"DELETE /api/v1/views/:view/pin":            {"/views/99/pin", "", "boards:write", 404, 404, ""},
	"GET /api/v1/labels":                        {"/labels", "", "tickets:read", 200, 200, ""},
	"POST /api/v1/labels":                       {"/labels", `{"name":"New"}`, "tickets:write", 201, 201, ""},
	"GET /api/v1/labels/:label":                 {"/labels/1", "", "tickets:read", 404, 200, ""},
	"PATCH /api/v1/labels/:label":               {"/labels/1", `{"name":"Fault"}`, "tickets:write", 404, 200, accounts.Admin},
	"DELETE /api/v1/labels/:label":              {"/labels/1", "", "tickets:write", 404, 204, accounts.Admin},
	"POST /api/v1/labels/:label/merge":          {"/labels/1/merge", `{"into":2}`, "tickets:write", 404, 200, accounts.Admin},
	"PUT /api/v1/labels/:label/restoration":     {"/labels/3/restoration", "", "tickets:write", 404, 200, accounts.Admin},
	"GET /api/v1/groups":                        {"/groups", "", "boards:read", 200, 200, ""},
	"POST /api/v1/groups":                       {"/groups", `{"name":"Crew"}`, "boards:write", 201, 201, accounts.Admin},
	"GET /api/v1/groups/:group":                 {"/groups/1", "", "boards:read", 404, 200, ""},
	"PATCH /api/v1/groups/:group":               {"/groups/1", `{"name":"Crew"}`, "boards:write", 404, 200, accounts.Admin},
	"DELETE /api/v1/groups/:group":              {"/groups/1", "", "boards:write", 404, 204, accounts.Admin},
	"GET /api/v1/groups/:group/members":         {"/groups/1/members", "", "boards:read", 404, 200, ""},
	"PUT /api/v1/groups/:group/members/:member": {"/groups/1/members/mia", "", "boards:write", 404, 204, accounts.Admin},
	"DELETE /api/v1/groups/:group/members/:member": {"/groups/1/members/vera", "", "boards:write", 404, 204,
		accounts.Admin},
	"POST /api/v1/boards/:board/columns": {"/boards/DEMO/columns", `{"name":"Review"}`, "boards:write", 404, 201,
		""},
	"PATCH /api/v1/boards/:board/columns/:column": {"/boards/DEMO/columns/1", `{"name":"Ideas"}`, "boards:write", 404,
		200, ""},
	"POST /api/v1/boards/:board/columns/:column/move": {"/boards/DEMO/columns/1/move", `{"to":99}`, "boards:write", 404, 422, ""},
	"POST /api/v1/boards/:board/columns/:column/sort": {"/boards/DEMO/columns/1/sort", `{"by":"age"}`, "boards:write", 404, 200, ""},
	"DELETE /api/v1/boards/:board/columns/:column":    {"/boards/DEMO/columns/2", "", "boards:write", 404, 204, ""},
	"GET /api/v1/boards/:board/tickets":               {"/boards/DEMO/tickets", "", "tickets:read", 404, 200, ""},
	"POST /api/v1/boards/:board/tickets": {"/boards/DEMO/tickets", `{"title":"x"}`, "tickets:write", 404, 201,
		""},
	"GET /api/v1/tickets":         {"/tickets", "", "tickets:read", 200, 200, ""},
	"GET /api/v1/tickets/:key":    {"/tickets/DEMO-2", "", "tickets:read", 404, 200, ""},
	"PATCH /api/v1/tickets/:key":  {"/tickets/DEMO-3", `{"title":"x","version":1}`, "tickets:write", 404, 200, ""},
	"DELETE /api/v1/tickets/:key": {"/tickets/DEMO-4", "", "tickets:write", 404, 204, ""},
	"POST /api/v1/tickets/:key/position": {"/tickets/DEMO-5/position", `{"column":1,"after":null}`, "tickets:write", 404,
		200, ""},

	"PUT /api/v1/tickets/:key/closure":     {"/tickets/DEMO-6/closure", "", "tickets:write", 404, 200, ""},
	"DELETE /api/v1/tickets/:key/closure":  {"/tickets/DEMO-6/closure", "", "tickets:write", 404, 200, ""},
	"PUT /api/v1/tickets/:key/restoration": {"/tickets/DEMO-6/restoration", "", "tickets:write", 404, 200, ""},

	// A comment is its author's alone: this one is Ana's.
	"GET /api/v1/tickets/:key/comments": {"/tickets/DEMO-6/comments", "", "tickets:read", 404, 200, ""},
	"POST /api/v1/tickets/:key/comments": {"/tickets/DEMO-6/comments", `{"body":"x"}`, "tickets:write", 404,
		201, ""},
	"PATCH /api/v1/tickets/:key/comments/:comment": {"/tickets/DEMO-1/comments/1", `{"body":"x","version":1}`,
		"tickets:write", 404, 403, ""},
	"GET /api/v1/tickets/:key/comments/:comment/checklist": {"/tickets/DEMO-1/comments/1/checklist", "", "tickets:read",
		404, 200, ""},
	"PUT /api/v1/tickets/:key/comments/:comment/checklist": {"/tickets/DEMO-1/comments/1/checklist",
		`{"item":"0-0123456789abcdef-0-1","checked":true}`, "tickets:write", 404, 409, ""},
	"PUT /api/v1/tickets/:key/comments/:comment/reactions/:reaction": {"/tickets/DEMO-1/comments/1/reactions/heart", "", "tickets:write",
		404, 200, ""},
	"DELETE /api/v1/tickets/:key/comments/:comment/reactions/:reaction": {"/tickets/DEMO-1/comments/1/reactions/heart", "",
		"tickets:write", 404, 200, ""},
	"DELETE /api/v1/tickets/:key/comments/:comment": {"/tickets/DEMO-1/comments/1", "", "tickets:write", 404, 403, ""},
	"PUT /api/v1/tickets/:key/assignees": {"/tickets/DEMO-6/assignees", `{"assignees":["ana"]}`,
		"tickets:write", 404, 200, ""},

	// The stream itself does not end, so it is asked for what there is not.
	"GET /api/v1/feeds/:feed": {"/feeds/tickets", "", "tickets:read", 200, 200, ""},
	"GET /api/v1/feeds/:feed/stream": {"/feeds/tickets/stream?board=NOPE", "", "tickets:read", 404,
		404, ""},
	"GET /api/v1/feeds/:feed/snapshot": {"/feeds/boards/snapshot?board=DEMO", "", "boards:read", 404, 200, ""},
	"GET /api/v1/feeds/:feed/audit":    {"/feeds/boards/audit", "", "boards:read", 200, 200, ""},
	"POST /api/v1/feeds/:feed/republish": {"/feeds/tickets/republish", `{"ids":[1]}`, "tickets:write",
		200, 200, ""},
	"GET /api/v1/consumers": {"/consumers", "", "tickets:read", 200, 200, ""},
	"POST /api/v1/feeds/:feed/consumers": {"/feeds/tickets/consumers", `{"name":"archive"}`,
		"tickets:write", 201, 201, ""},
	"GET /api/v1/feeds/:feed/consumers/:consumer": {"/feeds/tickets/consumers/warehouse", "", "tickets:read", 404,
		200, ""},
	"DELETE /api/v1/feeds/:feed/consumers/:consumer": {"/feeds/tickets/consumers/warehouse", "", "tickets:write",
		404, 204, ""},
	"PUT /api/v1/feeds/:feed/consumers/:consumer/cursor": {"/feeds/tickets/consumers/warehouse/cursor", `{"to":"end"}`,
		"tickets:write", 404, 200, ""},
	"PUT /api/v1/feeds/:feed/consumers/:consumer/pause": {"/feeds/tickets/consumers/warehouse/pause", "",
		"tickets:write", 404, 200, ""},
	"DELETE /api/v1/feeds/:feed/consumers/:consumer/pause": {"/feeds/tickets/consumers/warehouse/pause", "",
		"tickets:write", 404, 200, ""},

	// Calls about the whole instance are for operators of any company, in any role. The run is not filled yet.
	"GET /api/v1/migrations": {"/migrations", "", accounts.Operate, 200, 200, ""},
	"POST /api/v1/migrations/:name/runs": {"/migrations/count-up/runs", `{"params":{"to":3,"mode":"up"}}`,
		accounts.Operate, 201, 201, ""},
	"GET /api/v1/runs":                   {"/runs", "", accounts.Operate, 200, 200, ""},
	"GET /api/v1/runs/:run":              {"/runs/1", "", accounts.Operate, 200, 200, ""},
	"PATCH /api/v1/runs/:run":            {"/runs/1", `{"rate":5}`, accounts.Operate, 200, 200, ""},
	"POST /api/v1/runs/:run/start":       {"/runs/1/start", "", accounts.Operate, 409, 409, ""},
	"POST /api/v1/runs/:run/pause":       {"/runs/1/pause", "", accounts.Operate, 409, 409, ""},
	"POST /api/v1/runs/:run/resume":      {"/runs/1/resume", "", accounts.Operate, 409, 409, ""},
	"POST /api/v1/runs/:run/cancel":      {"/runs/1/cancel", "", accounts.Operate, 200, 200, ""},
	"PUT /api/v1/runs/:run/dismissal":    {"/runs/1/dismissal", "", accounts.Operate, 409, 409, ""},
	"GET /api/v1/runs/:run/tasks":        {"/runs/1/tasks", "", accounts.Operate, 200, 200, ""},
	"GET /api/v1/runs/:run/tasks/:task":  {"/runs/1/tasks/1", "", accounts.Operate, 404, 404, ""},
	"GET /api/v1/runs/:run/events":       {"/runs/1/events", "", accounts.Operate, 200, 200, ""},
	"GET /api/v1/runs/:run/failures.csv": {"/runs/1/failures.csv", "", accounts.Operate, 200, 200, ""},
	"GET /api/v1/runs/:run/failures":     {"/runs/1/failures", "", accounts.Operate, 200, 200, ""},
	"GET /api/v1/runs/:run/rejections":   {"/runs/1/rejections", "", accounts.Operate, 200, 200, ""},
	"GET /api/v1/runs/:run/report.csv":   {"/runs/1/report.csv", "", accounts.Operate, 200, 200, ""},
	"POST /api/v1/runs/:run/retry":       {"/runs/1/retry", `{"all":true}`, accounts.Operate, 200, 200, ""},
	"POST /api/v1/runs/:run/skip":        {"/runs/1/skip", `{"task":9}`, accounts.Operate, 404, 404, ""},

	"GET /api/v1/runs/:run/rejections.csv":  {"/runs/1/rejections.csv", "", accounts.Operate, 200, 200, ""},
	"GET /api/v1/refs":                      {"/refs", "", accounts.Operate, 200, 200, ""},
	"POST /api/v1/refs/pop":                 {"/refs/pop", `{}`, accounts.PopRefs, 200, 200, ""},
	"GET /api/v1/refs/:code":                {"/refs/zzzzz", "", accounts.PopRefs, 404, 404, ""},
	"GET /api/v1/refs/lots":                 {"/refs/lots", "", accounts.Operate, 200, 200, ""},
	"PUT /api/v1/refs/lots/:lot/quarantine": {"/refs/lots/99/quarantine", "", accounts.Operate, 404, 404, ""},
	"GET /api/v1/audit":                     {"/audit", "", accounts.ReadAudit, 200, 200, "admin"},
	"GET /api/v1/audit.csv":                 {"/audit.csv", "", accounts.ReadAudit, 200, 200, "admin"},
	"GET /api/v1/instance/audit":            {"/instance/audit", "", accounts.Operate, 200, 200, ""},
	"GET /api/v1/instance/audit.csv":        {"/instance/audit.csv", "", accounts.Operate, 200, 200, ""},
	"GET /api/v1/workers":                   {"/workers", "", accounts.Operate, 200, 200, ""},
	"PUT /api/v1/workers/:worker/drain":     {"/workers/99/drain", "", accounts.Operate, 404, 404, ""},
	"DELETE /api/v1/workers/:worker/drain":  {"/workers/99/drain", "", accounts.Operate, 404, 404, ""},
}

// routes are the method and path of every route there is.
func routes() map[string]bool {
	known := map[string]bool{}
	for _, route := range web.Routes() {
		if route.Method != echo.RouteNotFound {
			known[route.Method+" "+route.Path] = true
		}
	}
	return known
}

// newEnvWithRoles has users of every role in acme, and two with a company of their own.
func newEnvWithRoles(t testing.TB, change ...func(*web.Config)) *env {
	t.Helper()
	e := newEnv(t, change...)
	e.account("sam", "rivals", accounts.Owner)
	e.account("otto", "rivals", accounts.Owner)
	e.account("vera", "acme", accounts.Viewer)
	e.account("mia", "acme", accounts.Member)
	e.account("adam", "acme", accounts.Admin)
	e.account("olga", "acme", accounts.Owner)
	e.account("opal", "acme", accounts.Member)
	e.account("gus", "acme", accounts.Guest)
	e.exec("UPDATE account SET operator = TRUE WHERE name IN ('otto', 'opal')")
	e.exec("UPDATE ref_policy SET canary_key = REPEAT('k', 16)") // the first look at a code would make it
	e.program().post("/tickets/DEMO-1/comments", object{"body": "Hello"}).is(t, http.StatusCreated)
	e.program().post("/feeds/tickets/consumers", object{"name": "warehouse"}).is(t, http.StatusCreated)
	e.openRun("count-up", migrations.Values{"to": "5", "mode": "up"})
	e.webhook()
	e.exec(`INSERT INTO label (company_id, name, color, live, ended_at, created_at) VALUES (1, 'Bug', 1, TRUE, NULL, UTC_TIMESTAMP(6)),
		(1, 'Idea', 2, TRUE, NULL, UTC_TIMESTAMP(6)), (1, 'Gone', 3, NULL, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))`)
	e.exec(`INSERT INTO ticket_template (board_id, name, title, description, column_id, priority, created_at, updated_at)
		SELECT id, 'Bug report', 'Crash: ', 'What did you do?', 0, 0, NOW(6), NOW(6) FROM board WHERE slug = 'DEMO'`)
	e.exec(`INSERT INTO saved_view (company_id, board_id, account_id, name, layout, query, lanes, shared, created_at, updated_at)
		SELECT b.company_id, b.id, a.id, 'Bugs', 'list', 'label:bug', '', TRUE, NOW(6), NOW(6) FROM board b, account a WHERE b.slug = 'DEMO' AND a.name = 'Ana'`)
	e.exec(`INSERT INTO bulk_edit (company_id, board_id, account_id, run_id, dry, query, edit, created_at)
		SELECT b.company_id, b.id, a.id, 1, FALSE, '', '{"kind":"close"}', NOW(6) FROM board b, account a WHERE b.slug = 'DEMO' AND a.name = 'Ana'`)
	e.exec(`INSERT INTO people_group (company_id, name, created_at)
		SELECT id, 'Pilots', NOW(6) FROM company WHERE slug = 'acme'`)
	e.exec("INSERT INTO people_group_member (group_id, account_id) SELECT 1, id FROM account WHERE name = 'vera'")
	e.exec(`INSERT INTO board_member (board_id, kind, member_id, level)
		SELECT id, 'group', 1, 1 FROM board WHERE slug = 'DEMO'`)
	e.exec(`INSERT INTO board_access (board_id, account_id, level)
		SELECT b.id, a.id, 1 FROM board b, account a WHERE b.slug = 'DEMO' AND a.name = 'vera'`)
	e.codes("ukrEP", "UkrEP")
	return e
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	known := routes()
	for name := range known {
		_, page := pages[name]
		_, call := calls[name]
		if !page && !call && !strings.HasSuffix(name, " /api/v1/*") {
			t.Errorf("%s has no line in this test: who may use it?", name)
		}
	}
	unchanging := newEnvWithRoles(t)
	for name, who := range pages {
		t.Run(name, func(t *testing.T) {
			if !known[name] {
				t.Fatal("there is no such route any more")
			}
			method, _, _ := strings.Cut(name, " ")
			if method == http.MethodGet {
				unchanging.exec("DELETE FROM public_limit") // else strangers are told to wait
				checkAccess(t, unchanging, method, who)
				return
			}
			t.Parallel()
			checkAccess(t, newEnvWithRoles(t), method, who)
		})
	}
}

// checkAccess has everyone use a route, the weakest first.
func checkAccess(t *testing.T, e *env, method string, who access) {
	ask := func(b *browser, path string) *answer {
		return b.send(newRequest(method, path, formKind, strings.NewReader(form(who.fields...).Encode())))
	}
	for _, visitor := range []struct {
		as, name string
		want     int
	}{
		{"signed out", "", who.signedOut},
		{"a stranger", "sam", who.stranger},
		{"an operator from elsewhere", "otto", who.foreignOperator},
		{"a guest", "gus", who.forGuest()},
		{"a viewer", "vera", who.viewer},
		{"a member", "mia", who.member},
		{"an operator who is a member", "opal", who.memberAsOperator},
		{"an admin", "adam", who.admin},
		{"an owner", "olga", who.owner},
	} {
		b := e.visitor()
		if visitor.name != "" {
			b = e.signedIn(visitor.name)
		}
		get := func() {
			if a := ask(b, who.path); a.code != visitor.want {
				t.Errorf("%s: %d, not %d: %s", visitor.as, a.code, visitor.want,
					strings.Join(strings.Fields(a.page().Find("main").Text()), " "))
			}
		}
		if visitor.want >= 400 || method == http.MethodGet || visitor.name == "" && who.viewer != who.signedOut {
			e.unchanged(t, get)
		} else {
			get()
		}
		outside := visitor.name == "sam" || visitor.name == "otto"
		if !outside || visitor.want != http.StatusNotFound || !strings.Contains(who.path, "/acme") {
			continue
		}
		here, nowhere := ask(b, who.path), ask(b, strings.Replace(who.path, "/acme", "/nobody", 1))
		if here.body != nowhere.body || nowhere.code != http.StatusNotFound {
			t.Errorf("%s can tell a company that is there from one that is not:\n%s\n%s", visitor.as, here.body, nowhere.body)
		}
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	known := routes()
	for name, c := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !known[name] {
				t.Fatal("there is no such route any more")
			}
			method, _, _ := strings.Cut(name, " ")
			e := newEnvWithRoles(t)
			column := e.count("SELECT MIN(id) FROM board_column")
			if column != 1 {
				t.Fatalf("the first column is %d", column)
			}
			var body any
			if c.body != "" {
				body = c.body
			}
			as := func(token string) *answer { return (&program{env: e, token: token}).call(method, c.path, body) }
			rest := slices.DeleteFunc(slices.Clone(accounts.Scopes), func(scope string) bool { return scope == c.scope })
			least := cmp.Or(c.least, map[bool]string{true: accounts.Viewer, false: accounts.Member}[method == http.MethodGet])
			roles := []struct{ name, role string }{
				{"vera", accounts.Viewer}, {"mia", accounts.Member}, {"opal", accounts.Member}, {"adam", accounts.Admin},
				{"olga", accounts.Owner},
			}
			from := slices.IndexFunc(roles, func(r struct{ name, role string }) bool { return r.role == least })

			e.unchanged(t, func() {
				for why, token := range map[string]string{"no token": "", "an unknown token": "cfl_nobody",
					"a session's cookie": " "} {
					a := as(token)
					if a.problem(t, http.StatusUnauthorized, ""); a.header.Get("WWW-Authenticate") != "Bearer" {
						t.Errorf("%s: no WWW-Authenticate", why)
					}
				}
				p := as(e.tokenOf("ana", "acme", rest...)).problem(t, http.StatusForbidden, "")
				if !strings.Contains(p.Detail, c.scope) {
					t.Errorf("it does not say that %s is missing: %s", c.scope, p.Detail)
				}
				if accounts.OperatorOnly(c.scope) {
					as(e.tokenOf("sam", "rivals", accounts.Scopes...)).problem(t, http.StatusForbidden, "")
				}
				for _, weak := range roles[:from] {
					as(e.tokenOf(weak.name, "acme", accounts.Scopes...)).problem(t, http.StatusForbidden, "")
				}
				if got, want := as(e.tokenOf("gus", "acme", accounts.Scopes...)), c.forGuest(method); got.code != want {
					t.Errorf("a guest: %d, not %d: %s", got.code, want, got.body)
				}
				for _, stranger := range []string{"sam", "otto"} {
					if c.foreign == http.StatusNotFound && !accounts.OperatorOnly(c.scope) {
						as(e.tokenOf(stranger, "rivals", accounts.Scopes...)).problem(t, http.StatusNotFound, "")
					}
				}
			})
			for i, may := range roles[from:] {
				if accounts.OperatorOnly(c.scope) && may.name != "opal" {
					e.unchanged(t, func() { as(e.tokenOf(may.name, "acme", accounts.Scopes...)).problem(t, http.StatusForbidden, "") })
					continue
				}
				a := as(e.tokenOf(may.name, "acme", accounts.Scopes...))
				done := i > 0 && method != http.MethodGet && (a.code == http.StatusConflict || a.code == http.StatusNotFound)
				if a.code != c.code && !done {
					t.Errorf("%s, %s: %d, not %d: %s", may.name, may.role, a.code, c.code, a.body)
				}
			}
			checkService(t, e, c, method, as)
			// No call takes more than its scope, and to write that to read what it answers with.
			enough := []string{c.scope}
			if noun, ok := strings.CutSuffix(c.scope, ":write"); ok {
				enough = append(enough, noun+":read")
			}
			if a := as(e.tokenOf("ana", "acme", enough...)); a.code == http.StatusForbidden || method == http.MethodGet && a.code != c.code {
				t.Errorf("a token with %v alone: %d: %s", enough, a.code, a.body)
			}
		})
	}
}

// checkService has service accounts use a call with its scope, and with another. Calls for owners and admins or for
// operators are for no service account, but pops with a budget.
func checkService(t *testing.T, e *env, c call, method string, as func(token string) *answer) {
	t.Helper()
	other := map[bool]string{true: "boards:read", false: "tickets:read"}[!strings.HasPrefix(c.scope, "boards:")]
	refused := []string{e.serviceToken(other, 5)}
	if c.least == accounts.Admin || accounts.OperatorOnly(c.scope) || c.scope == accounts.ReadAudit {
		refused = append(refused, e.serviceToken(c.scope, 0))
	}
	if accounts.OperatorOnly(c.scope) && c.scope != accounts.PopRefs {
		refused = append(refused, e.serviceToken(c.scope, 5))
	}
	e.unchanged(t, func() {
		for _, token := range refused {
			as(token).problem(t, http.StatusForbidden, "")
		}
	})
	if c.least == accounts.Admin || c.scope == accounts.Operate || c.scope == accounts.ReadAudit {
		return
	}
	e.codes("UkrEQ")
	a := as(e.serviceToken(c.scope, 5))
	done := method != http.MethodGet && (a.code == http.StatusConflict || a.code == http.StatusNotFound)
	if a.code != c.code && !done || strings.Contains(a.body, string(accounts.CodeNotMember)) {
		t.Errorf("a service account: %d, not %d: %s", a.code, c.code, a.body)
	}
}

func TestUnknownRoutes(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	for _, path := range []string{"/acme/x/y/z", "/acme/NINJA", "/acme/NINJA-0", "/acme/DEMO-01",
		"/acme/DEMO-99999999999999999999", "/acme/DEMO-99", "/acme/boards/NOPE",
		"/acme/boards/DEMO/columns/0", "/acme/boards/DEMO/columns/x", "/acme/boards/DEMO/columns/99", "/acme/..",
		"/acme/%2e%2e/DEMO-1", "/acme/boards/DEMO%2F",
		"/acme/boards/..%2FDEMO", "/acme%2Fboards", "//acme", "/acme//DEMO-1", "/acme/DEMO-1/", "/acme/DEMO-1/nope",
		"/acme/DEMO-1%00", "/acme/%ff", "/acme/boards/%ff",
		"/%ff", "/%00", "/%C3%A4cme", "/Acme", "/acme%20", "/ACME", "/acme/D\u00c9MO-1", "/acme/DEMO-1'", "/acme/DEMO-1;x",
		"/" + strings.Repeat("a", 30<<10), "/acme/" + strings.Repeat("A", 30<<10)} {
		if got := ana.get(path); got.code != http.StatusNotFound {
			t.Errorf("%.60s: %d", path, got.code)
		}
	}
	for path, code := range map[string]int{"/api/v1/nope": 401, "/api/v1/": 401} {
		e.visitor().get(path).problem(t, code, "")
	}
	for _, path := range []string{"/nope", "/boards/DEMO/nope", "/tickets/DEMO-1/nope", "/tickets/DEMO",
		"/tickets/DEMO-0", "/tickets/%ff", "/boards/%ff", "/boards/%2e%2e"} {
		e.program().get(path).problem(t, http.StatusNotFound, "")
	}
}

const formKind = "application/x-www-form-urlencoded"
