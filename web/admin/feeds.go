package admin

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Operators' pages of feeds and their consumers.

func (h *Handlers) Feeds(c echo.Context) error {
	return h.showFeeds(c, http.StatusOK, admin.RepublishForm{Feed: c.QueryParam("feed")})
}

func (h *Handlers) showFeeds(c echo.Context, code int, form admin.RepublishForm) error {
	ctx := c.Request().Context()
	props := admin.FeedsProps{Form: form}
	var err error
	if props.AfterConsumer, err = respond.Cursor[id.Consumer](c, "consumer"); err != nil {
		return err
	}
	if props.States, err = h.console.FeedStates(ctx); err != nil {
		return err
	}
	if props.Consumers, props.ConsumersMore, err = h.console.Consumers(ctx, props.AfterConsumer); err != nil {
		return err
	}
	props.Page = h.controlRoom(c, "Feeds")
	if respond.Target(c) == views.FeedsID {
		return respond.Render(c, code, admin.FeedList(props))
	}
	return respond.Render(c, code, admin.FeedsPage(props))
}

func (h *Handlers) Republish(c echo.Context) error {
	form := admin.RepublishForm{
		Feed: c.FormValue("feed"), Company: strings.TrimSpace(c.FormValue("company")),
		Board: strings.TrimSpace(c.FormValue("board")),
		IDs:   c.FormValue("ids"), All: c.FormValue("all") == "yes",
	}
	which := feeds.Selection{Board: form.Board, All: form.All}
	if err := which.Add(feeds.SplitIDs(form.IDs)...); err != nil {
		return h.rejectRepublishing(c, form, err)
	}
	done, err := respond.Once(c, func(once *workflows.Once[workflows.Republished]) (workflows.Republished, error) {
		return h.console.Republish(c.Request().Context(), form.Feed, form.Company, which, "", once)
	})
	rows, run := done.Rows, done.Run
	switch {
	case err != nil:
		return h.rejectRepublishing(c, form, err)
	case run != nil && run.Already:
		return h.respond.SeeOther(c, views.RunPath(run.ID),
			"This run, which has not started yet, already resends these rows. It starts automatically.")
	case run != nil:
		return h.respond.SeeOther(c, views.RunPath(run.ID), "This run resends the rows. It starts automatically.")
	case rows == 0:
		return h.respond.SeeOther(c, views.FeedsPath,
			fmt.Sprintf("Nothing was sent: %s has none of these %s.", form.Company, form.Feed))
	}
	return h.respond.SeeOther(c, views.FeedsPath,
		fmt.Sprintf("%s of %s sent again.", views.Counted(rows, "row", "rows"), form.Feed))
}

func (h *Handlers) rejectRepublishing(c echo.Context, form admin.RepublishForm, err error) error {
	messages, code, ok := respond.Rejected(err)
	if errors.Is(err, fault.NotFound) {
		field := "company"
		if errors.Is(err, feeds.CodeNotFound) {
			field = "feed"
		}
		messages, code, ok = views.Errors{field: fault.Message(err)}, http.StatusUnprocessableEntity, true
	}
	if !ok {
		return err
	}
	form.Errors = messages
	return h.showFeeds(c, code, form)
}

func pathConsumer(c echo.Context) (id.Consumer, error) {
	return respond.RowID[id.Consumer](c.Param("consumer"), echo.ErrNotFound)
}

// consumerOfPath returns the consumer that the path names.
func (h *Handlers) consumerOfPath(c echo.Context) (feeds.Consumer, error) {
	consumer, err := pathConsumer(c)
	if err != nil {
		return feeds.Consumer{}, err
	}
	return h.console.Consumer(c.Request().Context(), consumer)
}

func (h *Handlers) Consumer(c echo.Context) error {
	return h.showConsumer(c, http.StatusOK, admin.SeekForm{})
}

func (h *Handlers) showConsumer(c echo.Context, code int, form admin.SeekForm) error {
	consumer, err := h.consumerOfPath(c)
	if err != nil {
		return err
	}
	if respond.Target(c) == views.ConsumerID {
		return respond.Render(c, code, admin.ConsumerFacts(consumer))
	}
	return respond.Render(c, code,
		admin.ConsumerPage(admin.ConsumerProps{Page: h.controlRoom(c, consumer.Name), Consumer: consumer, Form: form}))
}

func (h *Handlers) SwitchConsumer(c echo.Context) error {
	consumer, err := pathConsumer(c)
	if err != nil {
		return err
	}
	paused := c.FormValue("paused")
	if paused != "yes" && paused != "no" {
		return respond.BadSwitch()
	}
	now, err := h.console.PauseConsumer(c.Request().Context(), consumer, paused == "yes")
	if err != nil {
		return err
	}
	message := fmt.Sprintf("The consumer %s is resumed.", now.Name)
	if now.Paused {
		message = fmt.Sprintf("The consumer %s is paused: it gets nothing.", now.Name)
	}
	return h.respond.SeeOther(c, cmp.Or(respond.OwnPath(c.FormValue("next")), views.ConsumerPath(consumer)), message)
}

// codeBadSeek: the form does not say where to set a consumer. Choose a position.
const codeBadSeek fault.Code = "Consumer.BadSeek"

func badSeek(field, why string) error {
	return fault.Invalid.New(codeBadSeek, field, why)
}

// times are layouts that a form accepts; a time without a zone is UTC.
var times = []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04",
	"2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly}

// seekTarget returns the cursor of a form, as feeds.Find takes it.
func seekTarget(form admin.SeekForm) (string, error) {
	switch form.Place {
	case "start", "end":
		return form.Place, nil
	case "at":
	default:
		return "", badSeek("place", "Choose where it continues.")
	}
	text := strings.TrimSpace(form.At)
	for _, layout := range times {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Format(time.RFC3339Nano), nil
		}
	}
	if text == "" || text == "start" || text == "end" {
		return "", badSeek("at", "Enter a time in UTC, such as 2026-01-31 12:00, or a cursor.")
	}
	return text, nil
}

func (h *Handlers) SeekConsumer(c echo.Context) error {
	consumer, err := pathConsumer(c)
	if err != nil {
		return err
	}
	form := admin.SeekForm{Place: c.FormValue("place"), At: c.FormValue("at")}
	place, err := seekTarget(form)
	if err == nil {
		_, err = h.console.SeekConsumer(c.Request().Context(), consumer, place)
	}
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		if errors.Is(err, feeds.CodeBadPosition) {
			messages = views.Errors{"at": "This is neither a time nor a cursor of this feed. Write a time in UTC, such as " +
				"2026-01-31 12:00."}
		}
		form.Errors = messages
		return h.showConsumer(c, code, form)
	}
	return h.respond.SeeOther(c, views.ConsumerPath(consumer), "The cursor is set.")
}

func (h *Handlers) ConsumerRemoval(c echo.Context) error {
	consumer, err := h.consumerOfPath(c)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK,
		admin.ConsumerRemovalPage(admin.ConsumerRemovalProps{Page: h.controlRoom(c, "Delete a consumer"),
			Consumer: consumer}))
}

func (h *Handlers) DeleteConsumer(c echo.Context) error {
	consumer, err := pathConsumer(c)
	if err != nil {
		return err
	}
	if err := h.console.DeleteConsumer(c.Request().Context(), consumer); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.FeedsPath, "The consumer is deleted.")
}
