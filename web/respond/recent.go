package respond

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// The pages that a member looked at last in this browser, of tickets, boards, views and members: a cookie of each
// company remembers their paths below the company. It opens nothing: each is read with the member's rights.

// maxRecent is how many tickets are remembered, and how many other pages.
const maxRecent = 8

// place is the path of a page that is no ticket's.
var place = regexp.MustCompile(`^(boards|views|people)/\w{1,20}$`)

func (r *Responder) recentCookie(actor accounts.Actor, keys []tickets.Key, places []string) *http.Cookie {
	words := []string{strconv.FormatUint(uint64(actor.Account.ID), 10)}
	for _, key := range keys {
		words = append(words, key.String())
	}
	return &http.Cookie{Name: r.sessions.Cookie.Name + "-recent-" + actor.Company.Slug,
		Value: strings.Join(append(words, places...), "."), Path: "/",
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.HTTPS(), MaxAge: int(accounts.SessionLife.Seconds())}
}

// RememberTicket notes that the browser shows a ticket.
func (r *Responder) RememberTicket(c echo.Context, key tickets.Key) {
	keys, places := r.recent(c)
	r.remember(c, first(key, keys), places)
}

// RememberPlace notes that the browser shows the page at the path of a board, a view or a member.
func (r *Responder) RememberPlace(c echo.Context, path string) {
	keys, places := r.recent(c)
	r.remember(c, keys, first(strings.TrimPrefix(path, views.HomePath(Company(c).Slug)+"/"), places))
}

// remember sends the cookie, unless the browser has it like this.
func (r *Responder) remember(c echo.Context, keys []tickets.Key, places []string) {
	cookie := r.recentCookie(accounts.ActorFrom(c.Request().Context()), keys, places)
	if was, err := c.Request().Cookie(cookie.Name); err == nil && was.Value == cookie.Value {
		return
	}
	c.SetCookie(cookie)
}

// first puts one of a list, or another, before all others.
func first[T comparable](one T, list []T) []T {
	list = append([]T{one}, slices.DeleteFunc(list, func(other T) bool { return other == one })...)
	return list[:min(len(list), maxRecent)]
}

// recent are the keys of tickets and the paths of other pages that the cookie has, the latest first.
func (r *Responder) recent(c echo.Context) (keys []tickets.Key, places []string) {
	actor := accounts.ActorFrom(c.Request().Context())
	cookie, err := c.Request().Cookie(r.recentCookie(actor, nil, nil).Name)
	if err != nil {
		return nil, nil
	}
	words := strings.Split(cookie.Value, ".")
	if words[0] != strconv.FormatUint(uint64(actor.Account.ID), 10) { // another account of this browser
		return nil, nil
	}
	for _, word := range words[1:] {
		if place.MatchString(word) && len(places) < maxRecent {
			places = append(places, word)
		} else if key, err := tickets.ParseKey(word); err == nil && len(keys) < maxRecent {
			keys = append(keys, key)
		}
	}
	return keys, places
}

// RecentTickets are the keys of the tickets that the member looked at last, the latest first.
func (r *Responder) RecentTickets(c echo.Context) []tickets.Key {
	keys, _ := r.recent(c)
	return keys
}

// RecentPlaces are the paths of the boards, views and members that the member looked at last, the latest first.
func (r *Responder) RecentPlaces(c echo.Context) (list []string) {
	_, places := r.recent(c)
	for _, path := range places {
		list = append(list, views.HomePath(Company(c).Slug)+"/"+path)
	}
	return list
}
