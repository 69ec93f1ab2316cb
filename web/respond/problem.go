package respond

import (
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Links makes the URLs of resources. It holds no request: a response may be encoded after its caller has left.
func (r *Responder) Links(c echo.Context) workflows.Links {
	return workflows.Links{Base: r.Base(c), Company: Company(c).Slug}
}

// ConsumerResource is a registered consumer of a feed.
type ConsumerResource struct {
	Feed       string    `json:"feed"`
	Name       string    `json:"name"`
	Cursor     string    `json:"cursor"`
	State      string    `json:"state"`
	Paused     bool      `json:"paused"`
	LagRows    uint64    `json:"lag_rows"`
	LagSeconds float64   `json:"lag_seconds"`
	CreatedAt  time.Time `json:"created_at"`
	SeenAt     time.Time `json:"seen_at"`
}

// ConsumerOf is a consumer as the API shows it.
func ConsumerOf(c feeds.Consumer) ConsumerResource {
	return ConsumerResource{
		Feed: c.Feed, Name: c.Name, Cursor: c.Cursor.String(), State: c.State, Paused: c.Paused,
		LagRows: c.LagRows, LagSeconds: c.LagSeconds, CreatedAt: c.CreatedAt, SeenAt: c.SeenAt,
	}
}

// problem responds to a program, see RFC 9457. type has the error's code; current is the state in a conflict; errors
// are all errors if there is more than one.
type problem struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	Status  int    `json:"status"`
	Detail  string `json:"detail"`
	Field   string `json:"field,omitempty"`
	Current any    `json:"current,omitempty"`
	Errors  []part `json:"errors,omitempty"`
}

// part is one of several errors of a request.
type part struct {
	Field   string     `json:"field"`
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

func (r *Responder) problem(c echo.Context, code int, message string, err error) {
	p := problem{Type: "about:blank", Title: headings[code], Status: code, Detail: message, Field: fault.Field(err)}
	if p.Title == "" {
		p.Title = http.StatusText(code)
	}
	if name := fault.CodeOf(err); name != "" {
		p.Type = "urn:counterfoil:problem:" + string(name)
	}
	if all := fault.Each(err); len(all) > 1 {
		for _, one := range all {
			p.Errors = append(p.Errors, part{Field: fault.Field(one), Code: fault.CodeOf(one), Message: fault.Message(one)})
		}
	}
	if code == http.StatusUnauthorized {
		c.Response().Header().Set("WWW-Authenticate", "Bearer")
	}
	var stale tickets.Stale
	var moved tickets.MovedSince
	var renamed boards.Stale
	var comment tickets.StaleComment
	var item tickets.ItemChanged
	var consumer feeds.ConsumerMoved
	switch {
	case errors.As(err, &consumer):
		p.Current = ConsumerOf(consumer.Current)
	case errors.As(err, &comment):
		p.Current = r.Links(c).Comment(comment.Key, comment.Current)
	case errors.As(err, &item) && item.Comment != nil:
		p.Current = r.Links(c).Comment(item.Current.Key, *item.Comment)
	case errors.As(err, &item):
		p.Current = r.Links(c).Ticket(item.Current)
	case errors.As(err, &renamed):
		p.Current = r.Links(c).Board(renamed.Current)
	case errors.As(err, &stale):
		p.Current = r.Links(c).Ticket(stale.Current)
	case errors.As(err, &moved):
		p.Current = r.Links(c).Ticket(moved.Current)
	}
	c.Response().Header().Set(echo.HeaderContentType, "application/problem+json")
	c.Response().Header().Set("Cache-Control", "no-store")
	c.Response().WriteHeader(code)
	if err := c.Echo().JSONSerializer.Serialize(c, p, ""); err != nil {
		r.Log.Debug("answer with a problem", "error", err)
	}
}
