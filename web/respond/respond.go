// Package respond answers for the handlers of all audiences: a page or a fragment, a redirect with a message, a
// problem. Its invariant: an error becomes a status here and nowhere else. It has no route of its own. Start at Render
// and Responder.Page; then ShowError (errors.go), Rejected (forms.go), htmx.go, the only file that reads or writes HX-*
// headers, and session.go.
//
// # Errors
//
// A fault.Error's kind becomes a status, and the error a page, a form with its fields, or a problem+json with its code.
// fault.Join makes one error of all that is wrong with a request. An error without a kind is a server error: a 500 with
// a plain sentence, and the details in the log.
//
// # Sessions
//
// Sessions are in the database under a hash of their token. A handler that changes one saves it before the response.
// LoadSession stores that a session is used, once in five minutes.
package respond

import (
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Config is what a Responder works with.
type Config struct {
	Workflows     *workflows.Workflows
	Sessions      accounts.SessionStore
	Idle          time.Duration // how long a browser stays signed in without being used
	URL           *url.URL      // public base URL; nil: as each request says
	Log           *slog.Logger
	Patience      time.Duration // how long a request waits for a database that does not answer
	MaxUpload     int64         // the largest file of a run in bytes
	MaxAttachment int64         // that of a ticket
	Why           func() error  // the known trouble of the database; may be nil
}

// Responder responds for all handlers. Make one with New.
type Responder struct {
	Log           *slog.Logger
	Patience      time.Duration // how long a request waits for a database that does not answer
	MaxUpload     int64         // the largest file of a run in bytes
	MaxAttachment int64         // that of a ticket

	workflows *workflows.Workflows
	store     sessionStore
	sessions  *scs.SessionManager
	url       *url.URL
	why       func() error
	events    eventLimit
	installed atomic.Bool // once true, true for ever
}

// New returns a Responder.
func New(cfg Config) *Responder {
	r := &Responder{Log: cfg.Log, Patience: cfg.Patience, MaxUpload: cfg.MaxUpload, MaxAttachment: cfg.MaxAttachment, workflows: cfg.Workflows, url: cfg.URL,
		why: cfg.Why}
	r.store = sessionStore{cfg.Sessions, cfg.Idle}
	r.sessions = newSessions(r.store, r.HTTPS())
	return r
}

// HTTPS reports whether the server's public URL is one of HTTPS.
func (r *Responder) HTTPS() bool { return r.url != nil && r.url.Scheme == "https" }

// Base is the public URL of the server without a slash at its end.
func (r *Responder) Base(c echo.Context) string {
	if r.url != nil {
		return strings.TrimSuffix(r.url.String(), "/")
	}
	return "http://" + c.Request().Host
}

// IsURLHost reports whether a Host header is that of the configured public URL.
func (r *Responder) IsURLHost(host string) bool {
	return r.url != nil && strings.EqualFold((&url.URL{Host: host}).Hostname(), r.url.Hostname())
}
