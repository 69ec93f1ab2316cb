package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
)

// consumerResource is a consumer of a feed whose cursor is kept here.
type consumerResource struct {
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

func consumerOf(c feeds.Consumer) consumerResource {
	return consumerResource{
		Feed: c.Feed, Name: c.Name, Cursor: c.Cursor.String(), State: c.State, Paused: c.Paused,
		LagRows: c.LagRows, LagSeconds: c.LagSeconds, CreatedAt: c.CreatedAt, SeenAt: c.SeenAt,
	}
}

func (s *server) apiConsumers(c echo.Context) error {
	after, err := goesOn[id.Consumer](c, "after")
	if err != nil {
		return badQuery("after", "what the page before gave as next")
	}
	list, more, err := s.workflows.Consumers(c.Request().Context(), after)
	if err != nil {
		return err
	}
	page := listResource[consumerResource]{Items: make([]consumerResource, len(list))}
	for i, one := range list {
		page.Items[i] = consumerOf(one)
	}
	if more {
		next := strconv.FormatUint(uint64(list[len(list)-1].ID), 10)
		page.Next = &next
	}
	return answer(c, http.StatusOK, page)
}

func (s *server) apiConsumer(c echo.Context) error {
	return showConsumer(c, func() (feeds.Consumer, error) {
		return s.workflows.Consumer(c.Request().Context(), c.Param("feed"), c.Param("consumer"))
	})
}

func showConsumer(c echo.Context, do func() (feeds.Consumer, error)) error {
	consumer, err := do()
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, consumerOf(consumer))
}

func (s *server) apiRegisterConsumer(c echo.Context) error {
	var in struct {
		Name string `json:"name"`
		From string `json:"from"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	consumer, err := s.workflows.RegisterConsumer(c.Request().Context(), c.Param("feed"), in.Name, in.From)
	if err != nil {
		return err
	}
	return answer(c, http.StatusCreated, consumerOf(consumer))
}

// apiMoveConsumer advances a consumer from where it stands, or, where nobody says from where, sets it anywhere.
func (s *server) apiMoveConsumer(c echo.Context) error {
	var in struct {
		From *string `json:"from"`
		To   *string `json:"to"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	if in.To == nil {
		return badJSON("to is missing: send the cursor to go to", "to")
	}
	return showConsumer(c, func() (feeds.Consumer, error) {
		if in.From == nil {
			return s.workflows.SeekConsumer(c.Request().Context(), c.Param("feed"), c.Param("consumer"), *in.To)
		}
		return s.workflows.AdvanceConsumer(c.Request().Context(), c.Param("feed"), c.Param("consumer"), *in.From, *in.To)
	})
}

func (s *server) apiPauseConsumer(c echo.Context) error  { return s.pauseConsumer(c, true) }
func (s *server) apiResumeConsumer(c echo.Context) error { return s.pauseConsumer(c, false) }

func (s *server) pauseConsumer(c echo.Context, paused bool) error {
	return showConsumer(c, func() (feeds.Consumer, error) {
		return s.workflows.PauseConsumer(c.Request().Context(), c.Param("feed"), c.Param("consumer"), paused)
	})
}

func (s *server) apiDeleteConsumer(c echo.Context) error {
	if err := s.workflows.DeleteConsumer(c.Request().Context(), c.Param("feed"), c.Param("consumer")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
