package respond

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// The tickets that a member looked at last in this browser: a cookie of each company remembers their keys. It
// opens nothing, since each ticket is read with the member's rights.

// maxRecent is how many keys are remembered.
const maxRecent = 8

func (r *Responder) recentCookie(actor accounts.Actor, keys []tickets.Key) *http.Cookie {
	words := []string{strconv.FormatUint(uint64(actor.Account.ID), 10)}
	for _, key := range keys {
		words = append(words, key.String())
	}
	return &http.Cookie{Name: r.sessions.Cookie.Name + "-recent-" + actor.Company.Slug, Value: strings.Join(words, "."), Path: "/",
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.HTTPS(), MaxAge: int(accounts.SessionLife.Seconds())}
}

// RememberTicket notes that the browser shows a ticket.
func (r *Responder) RememberTicket(c echo.Context, key tickets.Key) {
	was := r.RecentTickets(c)
	if len(was) > 0 && was[0] == key {
		return
	}
	keys := append([]tickets.Key{key}, slices.DeleteFunc(was, func(k tickets.Key) bool { return k == key })...)
	c.SetCookie(r.recentCookie(accounts.ActorFrom(c.Request().Context()), keys[:min(len(keys), maxRecent)]))
}

// RecentTickets are the keys of the tickets that the member looked at last, the latest first.
func (r *Responder) RecentTickets(c echo.Context) (keys []tickets.Key) {
	actor := accounts.ActorFrom(c.Request().Context())
	cookie, err := c.Request().Cookie(r.recentCookie(actor, nil).Name)
	if err != nil {
		return nil
	}
	words := strings.Split(cookie.Value, ".")
	if words[0] != strconv.FormatUint(uint64(actor.Account.ID), 10) { // another account of this browser
		return nil
	}
	for _, word := range words[1:] {
		if key, err := tickets.ParseKey(word); err == nil && len(keys) < maxRecent {
			keys = append(keys, key)
		}
	}
	return keys
}
