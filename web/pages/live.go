package pages

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/live"
	"github.com/counterfoil/counterfoil/static"
	"github.com/counterfoil/counterfoil/web/streams"
)

// The events of a stream, as static/js/connect.js reads them.
type (
	boardEvent struct {
		Board   id.Board  `json:"board"`
		At      string    `json:"at"`
		Own     bool      `json:"own,omitempty"` // its title, columns, limits or state
		Tickets [][3]uint `json:"tickets"`       // [id, column, stamp of the card]; null where that is not known
	}
	ticketEvent struct {
		Ticket id.Ticket `json:"ticket"`
		At     string    `json:"at"`
	}
	allEvent struct {
		At string `json:"at"`
	}
	helloEvent struct {
		At    string `json:"at"`
		Build string `json:"build"`
	}
	liveEvent struct {
		name string
		data any
	}
)

// MarshalJSON makes it {"name":…,"data":…}, for polls.
func (e liveEvent) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name string `json:"name"`
		Data any    `json:"data"`
	}{e.name, e.data})
}

// events are those of an update.
func events(news live.Update) (list []liveEvent) {
	if news.Missed {
		list = append(list, allChanged(news))
	}
	for _, change := range news.Changes {
		list = append(list, eventsOf(change)...)
	}
	return list
}

// anything is the event after which all may have changed.
func allChanged(news live.Update) liveEvent {
	return liveEvent{"all", allEvent{news.Position.String()}}
}

func eventsOf(change live.Change) (list []liveEvent) {
	at := change.Position.String()
	for _, b := range change.Boards {
		event := boardEvent{Board: b.ID, At: at, Own: b.Own}
		if !b.All {
			event.Tickets = make([][3]uint, len(b.Tickets))
		}
		for i := range event.Tickets {
			ticket := b.Tickets[i]
			event.Tickets[i] = [3]uint{uint(ticket.ID), uint(ticket.Column), uint(ticket.Stamp)}
		}
		list = append(list, liveEvent{"board", event})
	}
	for _, ticket := range change.Commented {
		list = append(list, liveEvent{"ticket", ticketEvent{ticket, at}})
	}
	return list
}

// written are events in the format of a stream.
func encodeEvents(list ...liveEvent) (b []byte) {
	for _, e := range list {
		data, err := json.Marshal(e.data)
		if err != nil {
			panic("web: an event that is no JSON: " + err.Error())
		}
		b = streams.Event(b, "", e.name, data)
	}
	return b
}

// encodeChange is a change in the bytes that all streams of its company send. Only its end has an id: a browser whose
// connection breaks before gets all of it again, with the changes for readers that boards name, which come first.
func encodeChange(change live.Change) []byte {
	if change.For == live.Named {
		return encodeEvents(eventsOf(change)...)
	}
	return append(encodeEvents(eventsOf(change)...), streams.Heartbeat(change.Position.String())...)
}

// seen is the browser's position.
func seenPosition(c echo.Context) live.Position {
	if last := c.Request().Header.Get("Last-Event-ID"); last != "" {
		return live.ParsePosition(last)
	}
	return live.ParsePosition(c.QueryParam("at"))
}

// liveAgain is the delay after which a browser reconnects.
const liveAgain = time.Second

// viewer is a browser that follows the changes of a company.
type viewer struct {
	*streams.Stream
	live.Reader
	slug   string
	cookie string // of its session
	news   live.Update
}

func readerOf(actor accounts.Actor) live.Reader {
	return live.Reader{Company: actor.Company.ID, Account: actor.Account.ID, Guest: actor.Role == accounts.Guest}
}

// Live streams the changes of a company to a browser.
func (h *Handlers) Live(c echo.Context) error {
	actor := accounts.ActorFrom(c.Request().Context())
	v := &viewer{Reader: readerOf(actor), slug: actor.Company.Slug}
	v.cookie = strings.Clone(h.respond.SessionCookie(c)) // without the other parameters
	var err error
	if v.Stream, err = h.streams.Stream(c, v.cookie); err != nil {
		return err
	}
	v.news = h.hub.After(v.Reader, seenPosition(c))
	return v.Run(liveAgain, func() error { return h.stream(v) })
}

// stream sends changes until the browser leaves or loses its access, or the server stops.
func (h *Handlers) stream(v *viewer) error {
	hello := helloEvent{v.news.Position.String(), static.Build()}
	if err := v.Send(encodeEvents(liveEvent{"hello", hello})); err != nil {
		return err
	}
	err := v.send(true)
	for err == nil {
		err = h.sendNext(v)
	}
	return err
}

// sendMore waits for the next change in a stream, and sends it.
func (h *Handlers) sendNext(v *viewer) error {
	select {
	case <-v.Context().Done():
		if v.Lost() {
			return errors.Join(accounts.SignedOut(), v.sendGone())
		}
		return v.Context().Err()
	case <-v.Check():
		if err := h.checkMember(v); err != nil {
			return errors.Join(err, v.sendGone())
		}
		return nil
	case <-v.Beat():
		v.news = h.hub.Read(v.Reader, v.news.Next)
		return v.send(true)
	case <-h.streams.Soon(streams.OfPages, v.news.More):
		v.news = h.hub.Read(v.Reader, v.news.Next)
		return v.send(false)
	}
}

// sendGone tells the browser that it has no access any more.
func (v *viewer) sendGone() error { return v.Send(streams.Event(nil, "", "gone", []byte("{}"))) }

// send sends the update; with always, also the position if nothing changed.
func (v *viewer) send(always bool) error {
	news := v.news
	v.news.Changes = nil // they need no memory while it waits
	if news.Missed {
		return v.Send(append(encodeEvents(allChanged(news)), streams.Heartbeat(news.Position.String())...))
	}
	for _, change := range news.Changes {
		if err := v.Send(change.Encoded(encodeChange)); err != nil {
			return err
		}
	}
	if !always {
		return nil
	}
	return v.Send(streams.Heartbeat(news.Position.String()))
}

// checkMember returns an error if the user lost access to the company. If the database does not answer, it returns nil:
// nothing is read then either.
func (h *Handlers) checkMember(v *viewer) error {
	ctx, cancel := context.WithTimeout(v.Context(), h.respond.Patience)
	defer cancel()
	ctx, err := h.respond.Session(ctx, v.cookie)
	if err != nil {
		return nil
	}
	account, _ := h.respond.SessionAccount(ctx)
	if account != v.Account {
		return accounts.SignedOut()
	}
	_, err = h.respond.EnterCompany(ctx, v.slug)
	if kind := fault.KindOf(err); errors.Is(err, accounts.CodeSignedOut) || kind == fault.NotFound ||
		kind == fault.Forbidden {
		return err
	}
	return nil
}

// LiveChanges is the poll of a browser without a stream.
func (h *Handlers) LiveChanges(c echo.Context) error {
	news := h.hub.After(readerOf(accounts.ActorFrom(c.Request().Context())), seenPosition(c))
	head := c.Response().Header()
	head.Set("Cache-Control", "private, no-store") // the script keeps the ETag, and no cache the response
	etag := `"` + news.Position.String() + "-" + static.Build() + `"`
	head.Set("ETag", etag)
	if c.Request().Header.Get("If-None-Match") == etag {
		return c.NoContent(http.StatusNotModified)
	}
	list := events(news)
	if list == nil {
		list = []liveEvent{}
	}
	return c.JSON(http.StatusOK, struct {
		helloEvent
		Events []liveEvent `json:"events"`
	}{helloEvent{news.Position.String(), static.Build()}, list})
}
