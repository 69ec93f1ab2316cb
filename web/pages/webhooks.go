package pages

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Webhooks(c echo.Context) error {
	return h.showWebhooks(c, http.StatusOK, pages.WebhookForm{Feeds: h.workflows.WebhookFeeds()})
}

func (h *Handlers) showWebhooks(c echo.Context, code int, form pages.WebhookForm) error {
	ctx := c.Request().Context()
	list, err := h.workflows.Webhooks(ctx)
	if err != nil {
		return err
	}
	boards, err := h.workflows.Boards(ctx)
	if err != nil {
		return err
	}
	return respond.Render(c, code, pages.WebhooksPage(pages.WebhooksProps{Page: h.respond.Page(c, "Webhooks"),
		Webhooks: list, Feeds: h.workflows.WebhookFeeds(), Boards: boards, Form: form}))
}

// webhookForm reads the form of a webhook.
func webhookForm(c echo.Context) (pages.WebhookForm, webhooks.Draft, error) {
	fields, err := c.FormParams()
	if err != nil {
		return pages.WebhookForm{}, webhooks.Draft{}, echo.ErrBadRequest
	}
	form := pages.WebhookForm{URL: c.FormValue("url"), Note: c.FormValue("note"), Board: c.FormValue("board"),
		Filter: c.FormValue("q"), Feeds: fields["feeds"]}
	return form, webhooks.Draft{URL: form.URL, Note: form.Note, Board: form.Board, Filter: form.Filter, Feeds: form.Feeds}, nil
}

// wrongWebhook returns all errors of a webhook's form, and their status.
func wrongWebhook(err error) (views.Errors, int, bool) {
	if errors.Is(err, fault.NotFound) && !errors.Is(err, webhooks.CodeNotFound) {
		return views.Errors{"board": "There is no such board. Choose one from the list."}, http.StatusUnprocessableEntity,
			true
	}
	return respond.Rejected(err)
}

func (h *Handlers) OpenWebhook(c echo.Context) error {
	form, draft, err := webhookForm(c)
	if err != nil {
		return err
	}
	opened, err := respond.Once(c, func(once *workflows.Once[workflows.OpenedWebhook]) (workflows.OpenedWebhook, error) {
		return h.workflows.OpenWebhook(c.Request().Context(), draft, once)
	})
	if err != nil {
		messages, code, ok := wrongWebhook(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return h.showWebhooks(c, code, form)
	}
	// Not a redirect: the secret is kept nowhere that another page could read it from.
	return h.showWebhook(c, http.StatusCreated, opened.ID, nil, opened.Secret, true)
}

func (h *Handlers) Webhook(c echo.Context) error {
	webhook, err := respond.PathWebhook(c)
	if err != nil {
		return err
	}
	return h.showWebhook(c, http.StatusOK, webhook, nil, "", false)
}

// showWebhook shows a webhook's page; form is the input, nil for the present settings.
func (h *Handlers) showWebhook(c echo.Context, code int, webhook id.Webhook, form *pages.WebhookForm, secret string,
	opened bool) error {
	ctx := c.Request().Context()
	before, err := respond.Cursor[id.Delivery](c, "before")
	if err != nil {
		return err
	}
	w, err := h.workflows.Webhook(ctx, webhook)
	if err != nil {
		return err
	}
	props := pages.WebhookProps{Webhook: w, Feeds: h.workflows.WebhookFeeds(), Secret: secret, Opened: opened,
		Older: before != 0}
	if props.Boards, err = h.workflows.Boards(ctx); err != nil {
		return err
	}
	if props.Private, err = h.workflows.WebhookBoards(ctx, webhook); err != nil {
		return err
	}
	if props.Deliveries, props.More, err = h.workflows.Deliveries(ctx, webhook, before); err != nil {
		return err
	}
	props.Form = webhookSettings(w)
	if form != nil {
		props.Form = *form
	}
	props.Page = h.respond.Page(c, w.Host())
	return respond.Render(c, code, pages.WebhookPage(props))
}

// webhookSettings returns a form with the present settings.
func webhookSettings(w webhooks.Webhook) pages.WebhookForm {
	return pages.WebhookForm{URL: w.URL, Note: w.Note, Board: w.BoardSlug, Filter: w.Filter, Feeds: w.Feeds, Version: w.Version}
}

func (h *Handlers) SaveWebhook(c echo.Context) error {
	webhook, err := respond.PathWebhook(c)
	if err != nil {
		return err
	}
	form, draft, err := webhookForm(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if form.Version, err = respond.Version(c); err == nil {
		err = h.workflows.EditWebhook(ctx, webhook, form.Version, draft)
	}
	if err != nil {
		messages, code, ok := wrongWebhook(err)
		if !ok {
			return err
		}
		form.Errors = messages
		if errors.Is(err, webhooks.CodeStale) { // the input can be saved over the present settings
			if w, err := h.workflows.Webhook(ctx, webhook); err == nil {
				form.Version = w.Version
			}
		}
		return h.showWebhook(c, code, webhook, &form, "", false)
	}
	return h.respond.SeeOther(c, views.WebhookPath(respond.Company(c).Slug, webhook), "The webhook is saved.")
}

func (h *Handlers) SwitchWebhook(c echo.Context) error {
	webhook, err := respond.PathWebhook(c)
	if err != nil {
		return err
	}
	on := c.FormValue("on")
	if on != "yes" && on != "no" {
		return respond.BadSwitch()
	}
	ctx := c.Request().Context()
	err = h.workflows.EnableWebhook(ctx, webhook, on == "yes")
	if messages, code, ok := respond.Rejected(err); ok { // of its address
		w, err := h.workflows.Webhook(ctx, webhook)
		if err != nil {
			return err
		}
		form := webhookSettings(w)
		form.Errors = messages
		return h.showWebhook(c, code, webhook, &form, "", false)
	}
	if err != nil {
		return err
	}
	message := "The webhook is off."
	if on == "yes" {
		message = "The webhook is on, and resumes where it stopped."
	}
	return h.respond.SeeOther(c, views.WebhookPath(respond.Company(c).Slug, webhook), message)
}

func (h *Handlers) RotateSecret(c echo.Context) error {
	webhook, err := respond.PathWebhook(c)
	if err != nil {
		return err
	}
	secret, err := respond.Once(c, func(once *workflows.Once[string]) (string, error) {
		return h.workflows.RotateSecret(c.Request().Context(), webhook, once)
	})
	if err != nil {
		return err
	}
	return h.showWebhook(c, http.StatusCreated, webhook, nil, secret, false)
}

func (h *Handlers) TestWebhook(c echo.Context) error {
	webhook, err := respond.PathWebhook(c)
	if err != nil {
		return err
	}
	attempt, err := respond.Once(c, func(once *workflows.Once[webhooks.Attempt]) (webhooks.Attempt, error) {
		return h.workflows.TestWebhook(c.Request().Context(), webhook, once)
	})
	return h.answerDelivery(c, webhook, attempt, err)
}

func (h *Handlers) ResendDelivery(c echo.Context) error {
	webhook, delivery, err := pathDelivery(c)
	if err != nil {
		return err
	}
	attempt, err := respond.Once(c, func(once *workflows.Once[webhooks.Attempt]) (webhooks.Attempt, error) {
		return h.workflows.ResendDelivery(c.Request().Context(), webhook, delivery, once)
	})
	return h.answerDelivery(c, webhook, attempt, err)
}

// answerDelivery redirects to the webhook with the result of a delivery.
func (h *Handlers) answerDelivery(c echo.Context, webhook id.Webhook, attempt webhooks.Attempt, err error) error {
	said := views.Flash{Text: fmt.Sprintf("It answered %d after %d ms.", attempt.Outcome.Status,
		attempt.Outcome.Took.Milliseconds())}
	switch messages, _, ok := respond.Rejected(err); {
	case err != nil && !ok:
		return err
	case err != nil:
		said = views.Flash{Text: messages[""], Bad: true}
	case !attempt.Outcome.OK():
		said = views.Flash{Text: attempt.Outcome.Error, Bad: true}
	}
	if err := h.respond.Flash(c, said); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, views.WebhookPath(respond.Company(c).Slug, webhook))
}

func pathDelivery(c echo.Context) (webhook id.Webhook, delivery id.Delivery, err error) {
	if webhook, err = respond.PathWebhook(c); err != nil {
		return 0, 0, err
	}
	delivery, err = respond.RowID[id.Delivery](c.Param("delivery"), webhooks.AttemptNotFound())
	return webhook, delivery, err
}

func (h *Handlers) Delivery(c echo.Context) error {
	webhook, delivery, err := pathDelivery(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	w, err := h.workflows.Webhook(ctx, webhook)
	if err != nil {
		return err
	}
	attempt, err := h.workflows.Delivery(ctx, webhook, delivery)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK,
		pages.DeliveryPage(pages.DeliveryProps{Page: h.respond.Page(c, "Delivery"), Webhook: w, Attempt: attempt}))
}

func (h *Handlers) WebhookRemoval(c echo.Context) error {
	webhook, err := respond.PathWebhook(c)
	if err != nil {
		return err
	}
	w, err := h.workflows.Webhook(c.Request().Context(), webhook)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK,
		pages.WebhookRemovalPage(pages.WebhookRemovalProps{Page: h.respond.Page(c, "Delete a webhook"), Webhook: w}))
}

func (h *Handlers) DeleteWebhook(c echo.Context) error {
	webhook, err := respond.PathWebhook(c)
	if err != nil {
		return err
	}
	if err := h.workflows.DeleteWebhook(c.Request().Context(), webhook); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.WebhooksPath(respond.Company(c).Slug), "The webhook is deleted.")
}
