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

func (r *Responder) recentCookie(actor accounts.Actor, paths []string) *http.Cookie {
	words := append([]string{strconv.FormatUint(uint64(actor.Account.ID), 10)}, paths...)
	return &http.Cookie{Name: r.sessions.Cookie.Name + "-recent-" + actor.Company.Slug, Value: strings.Join(words, "."), Path: "/",
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.HTTPS(), MaxAge: int(accounts.SessionLife.Seconds())}
}

// Remember notes that the browser shows the page at a path of the company.
func (r *Responder) Remember(c echo.Context, path string) {
	actor := accounts.ActorFrom(c.Request().Context())
	path = strings.TrimPrefix(path, views.HomePath(actor.Company.Slug)+"/")
	keys, places := r.recent(c)
	list := &keys
	if place.MatchString(path) {
		list = &places
	}
	if len(*list) > 0 && (*list)[0] == path {
		return
	}
	*list = append([]string{path}, slices.DeleteFunc(*list, func(p string) bool { return p == path })...)
	*list = (*list)[:min(len(*list), maxRecent)]
	c.SetCookie(r.recentCookie(actor, slices.Concat(keys, places)))
}

// recent are the keys of tickets and the paths of other pages that the cookie has, the latest first.
func (r *Responder) recent(c echo.Context) (keys, places []string) {
	actor := accounts.ActorFrom(c.Request().Context())
	cookie, err := c.Request().Cookie(r.recentCookie(actor, nil).Name)
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
		} else if _, err := tickets.ParseKey(word); err == nil && len(keys) < maxRecent {
			keys = append(keys, word)
		}
	}
	return keys, places
}

// RecentTickets are the keys of the tickets that the member looked at last, the latest first.
func (r *Responder) RecentTickets(c echo.Context) (list []tickets.Key) {
	keys, _ := r.recent(c)
	for _, word := range keys {
		if key, err := tickets.ParseKey(word); err == nil {
			list = append(list, key)
		}
	}
	return list
}

// RecentPlaces are the paths of the boards, views and members that the member looked at last, the latest first.
func (r *Responder) RecentPlaces(c echo.Context) (list []string) {
	_, places := r.recent(c)
	for _, path := range places {
		list = append(list, views.HomePath(Company(c).Slug)+"/"+path)
	}
	return list
}
