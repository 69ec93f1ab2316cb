package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/live"
	"github.com/counterfoil/counterfoil/static"
)

// What a browser is told, as static/js/connect.js reads it.
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

// MarshalJSON makes it {"name":…,"data":…}, for those who ask now and then.
func (e liveEvent) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name string `json:"name"`
		Data any    `json:"data"`
	}{e.name, e.data})
}

// events are what is told of news.
func events(news live.News) (list []liveEvent) {
	if news.Missed {
		list = append(list, liveEvent{"all", allEvent{news.At.String()}})
	}
	for _, change := range news.Changes {
		at := change.At.String()
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
		for _, ticket := range change.Talk {
			list = append(list, liveEvent{"ticket", ticketEvent{ticket, at}})
		}
	}
	return list
}

// seen is how far the browser has come.
func seen(c echo.Context) live.At {
	if last := c.Request().Header.Get("Last-Event-ID"); last != "" {
		return live.ParseAt(last)
	}
	return live.ParseAt(c.QueryParam("at"))
}

// liveAgain is when a browser connects again that lost its stream.
const liveAgain = time.Second

// live tells a browser what changes in the company, for as long as it listens.
func (s *server) live(c echo.Context) error {
	actor := accounts.ActorFrom(c.Request().Context())
	st, err := s.openStream(c, reader(c))
	if err != nil {
		return err
	}
	defer st.close()
	news := s.Live().After(actor.Company.ID, seen(c))
	err = st.begin(liveAgain)
	if err == nil {
		hello, _ := json.Marshal(helloEvent{news.At.String(), static.Build()})
		err = st.tell(event(nil, "", "hello", hello), news)
	}
	for err == nil {
		news, err = s.tellMore(c, st, actor, news)
	}
	s.log.Debug("a live stream ended", "error", err)
	return nil
}

// errOver ends a stream that has nothing more to say.
var errOver = errors.New("it is over")

// tellMore waits for what comes next in a stream, and sends it.
func (s *server) tellMore(c echo.Context, st *stream, actor accounts.Actor, news live.News) (live.News, error) {
	select {
	case <-st.ctx.Done():
		return news, st.ctx.Err()
	case <-st.check.C:
		if err := s.stillMember(c, actor); err != nil {
			return news, errors.Join(errOver, err, st.send(event(nil, "", "gone", []byte("{}"))))
		}
		return news, nil
	case <-st.beat.C:
		news = s.Live().Read(actor.Company.ID, news.Next)
		return news, st.tell(nil, news)
	case <-news.More:
	}
	news = s.Live().Read(actor.Company.ID, news.Next)
	if len(news.Changes) == 0 && !news.Missed {
		return news, nil
	}
	return news, st.tell(nil, news)
}

// tell sends news after what is in b. Only its end has an id: who was cut off before it hears all of it again.
func (st *stream) tell(b []byte, news live.News) error {
	for _, e := range events(news) {
		data, err := json.Marshal(e.data)
		if err != nil {
			return err
		}
		b = event(b, "", e.name, data)
	}
	return st.send(append(b, heartbeat(news.At.String())...))
}

// stillMember returns why whoever opened a stream must not read it any longer. Where the database does not
// answer, nothing is known, and nothing is read either.
func (s *server) stillMember(c echo.Context, actor accounts.Actor) error {
	cookie, err := c.Request().Cookie(s.sessions.Cookie.Name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if ctx, err = s.sessions.Load(ctx, cookie.Value); err != nil {
		return nil
	}
	account, epoch := s.signedIn(ctx)
	if account != actor.Account.ID {
		return accounts.SignedOut{}
	}
	_, err = s.Enter(ctx, actor.Company.Slug, account, epoch)
	if kind := fault.Kind(err); errors.As(err, new(accounts.SignedOut)) || kind == fault.NotFound || kind == fault.Forbidden {
		return err
	}
	return nil
}

// liveChanges is what a browser without a stream asks now and then.
func (s *server) liveChanges(c echo.Context) error {
	news := s.Live().After(company(c).ID, seen(c))
	head := c.Response().Header()
	head.Set("Cache-Control", "private, no-store") // whoever asks keeps the ETag, and no browser the answer
	etag := `"` + news.At.String() + "-" + static.Build() + `"`
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
	}{helloEvent{news.At.String(), static.Build()}, list})
}
