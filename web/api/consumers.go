package api

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Consumers(c echo.Context) error {
	after, err := respond.Cursor[id.Consumer](c, "after")
	if err != nil {
		return badQuery("after", "what the page before gave as next")
	}
	list, more, err := h.workflows.Consumers(c.Request().Context(), after)
	if err != nil {
		return err
	}
	page := listResource[respond.ConsumerResource]{Items: make([]respond.ConsumerResource, len(list))}
	for i, one := range list {
		page.Items[i] = respond.ConsumerOf(one)
	}
	if more {
		next := strconv.FormatUint(uint64(list[len(list)-1].ID), 10)
		page.Next = &next
	}
	return answer(c, http.StatusOK, page)
}

func (h *Handlers) Consumer(c echo.Context) error {
	return showConsumer(c, func() (feeds.Consumer, error) {
		return h.workflows.Consumer(c.Request().Context(), c.Param("feed"), c.Param("consumer"))
	})
}

func showConsumer(c echo.Context, do func() (feeds.Consumer, error)) error {
	consumer, err := do()
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, respond.ConsumerOf(consumer))
}

func (h *Handlers) RegisterConsumer(c echo.Context) error {
	var in struct {
		Name string `json:"name"`
		From string `json:"from"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	consumer, err := h.workflows.RegisterConsumer(c.Request().Context(), c.Param("feed"), in.Name, in.From)
	if err != nil {
		return err
	}
	return answer(c, http.StatusCreated, respond.ConsumerOf(consumer))
}

// MoveConsumer advances a consumer from its cursor, or sets it to any if the request has no from.
func (h *Handlers) MoveConsumer(c echo.Context) error {
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
			return h.workflows.SeekConsumer(c.Request().Context(), c.Param("feed"), c.Param("consumer"), *in.To)
		}
		return h.workflows.AdvanceConsumer(c.Request().Context(), c.Param("feed"), c.Param("consumer"), *in.From, *in.To)
	})
}

func (h *Handlers) PauseConsumer(c echo.Context) error  { return h.pauseConsumer(c, true) }
func (h *Handlers) ResumeConsumer(c echo.Context) error { return h.pauseConsumer(c, false) }

func (h *Handlers) pauseConsumer(c echo.Context, paused bool) error {
	return showConsumer(c, func() (feeds.Consumer, error) {
		return h.workflows.PauseConsumer(c.Request().Context(), c.Param("feed"), c.Param("consumer"), paused)
	})
}

func (h *Handlers) DeleteConsumer(c echo.Context) error {
	if err := h.workflows.DeleteConsumer(c.Request().Context(), c.Param("feed"), c.Param("consumer")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
