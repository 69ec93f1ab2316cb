package respond

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/web/streams"
)

// Names of security events in the log. Rules of fail2ban and of a SIEM match them, so they stay.
const (
	EventSignInRefused = "sign_in_refused"
	EventTokenRefused  = "token_refused"
	EventTokenMisused  = "token_misused"
	EventUnauthorized  = "unauthorized"
	EventForbidden     = "forbidden"
	EventThrottled     = "throttled"
	EventsSuppressed   = "suppressed"
)

// securityEvent returns the event that a refusal is, "" if it is none.
func securityEvent(code int, err error) string {
	switch {
	case streams.IsTooMany(err): // many tabs are no attack; counterfoil_streams_refused_total counts them
		return ""
	case errors.Is(err, accounts.CodeWrongPassword), errors.Is(err, accounts.CodeWrongCurrentPassword),
		errors.Is(err, accounts.CodeWrongCode), errors.Is(err, accounts.CodeBadPasskey),
		errors.Is(err, accounts.CodeIssuerRefused), errors.Is(err, accounts.CodeNotLinked),
		errors.Is(err, accounts.CodeNotAdmitted), errors.Is(err, accounts.CodeOtherIdentity),
		errors.Is(err, accounts.CodePasskeyCloned):
		return EventSignInRefused
	case errors.Is(err, accounts.CodeBadToken):
		return EventTokenRefused
	case errors.Is(err, accounts.CodeMissingScope):
		return EventTokenMisused
	case code == http.StatusUnauthorized:
		return EventUnauthorized
	case code == http.StatusForbidden:
		return EventForbidden
	case code == http.StatusTooManyRequests:
		return EventThrottled
	}
	return ""
}

// LogSecurity logs a refusal that is a security event. ShowError does it; a handler that shows a form again calls it.
func (r *Responder) LogSecurity(c echo.Context, code int, err error) {
	event := securityEvent(code, err)
	if event == "" {
		return
	}
	ctx := c.Request().Context()
	address := accounts.AddressFrom(accounts.WithAddress(ctx, c.RealIP())) // a form from elsewhere is refused before it is set
	admit, suppressed := r.events.admit(event, address, time.Now())
	if suppressed > 0 {
		r.Log.InfoContext(ctx, "security", "event", EventsSuppressed, "count", suppressed)
	}
	if !admit {
		return
	}
	attrs := []any{"event", event, "address", address, "status", code, "code", string(fault.CodeOf(err)), "method",
		c.Request().Method, "path", loggedPath(c)}
	actor := accounts.MaybeActor(ctx)
	if actor.Account.ID != 0 {
		attrs = append(attrs, "account", uint64(actor.Account.ID))
	}
	if actor.Token != 0 {
		attrs = append(attrs, "token", uint64(actor.Token))
	}
	r.Log.InfoContext(ctx, "security", attrs...)
}

const (
	eventsEach = 20  // lines a minute about an event from an address,
	eventsAll  = 600 // and in all
)

// eventLimit bounds how many security events are logged, so that an attack fills neither the disk nor the memory.
type eventLimit struct {
	mu         sync.Mutex
	minute     time.Time
	count      map[[2]string]int
	all        int
	suppressed int
}

// admit reports whether an event is logged, and how many were not in the minutes before.
func (l *eventLimit) admit(event, address string, now time.Time) (ok bool, suppressed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if minute := now.Truncate(time.Minute); !minute.Equal(l.minute) {
		suppressed = l.suppressed
		l.minute, l.count, l.all, l.suppressed = minute, map[[2]string]int{}, 0, 0
	}
	key := [2]string{event, address}
	if l.all >= eventsAll || l.count[key] >= eventsEach {
		l.suppressed++
		return false, suppressed
	}
	l.all++
	l.count[key]++
	return true, suppressed
}
