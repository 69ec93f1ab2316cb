package web

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/views"
)

func (s *server) webhooks(c echo.Context) error {
	return s.showWebhooks(c, http.StatusOK, views.WebhookForm{Feeds: s.workflows.WebhookFeeds()})
}

func (s *server) showWebhooks(c echo.Context, code int, form views.WebhookForm) error {
	ctx := c.Request().Context()
	list, err := s.workflows.Webhooks(ctx)
	if err != nil {
		return err
	}
	boards, err := s.workflows.Boards(ctx)
	if err != nil {
		return err
	}
	return render(c, code, views.WebhooksPage(views.WebhooksProps{Page: s.page(c, "Webhooks"), Webhooks: list, Feeds: s.workflows.WebhookFeeds(), Boards: boards, Form: form}))
}

// webhookForm reads the form of a webhook.
func webhookForm(c echo.Context) (views.WebhookForm, webhooks.Draft, error) {
	fields, err := c.FormParams()
	if err != nil {
		return views.WebhookForm{}, webhooks.Draft{}, echo.ErrBadRequest
	}
	form := views.WebhookForm{URL: c.FormValue("url"), Note: c.FormValue("note"), Board: c.FormValue("board"), Feeds: fields["feeds"]}
	return form, webhooks.Draft{URL: form.URL, Note: form.Note, Board: form.Board, Feeds: form.Feeds}, nil
}

// wrongWebhook returns all that is wrong with a webhook's form, and its status.
func wrongWebhook(err error) (views.Errors, int, bool) {
	if errors.Is(err, fault.NotFound) && !errors.Is(err, webhooks.CodeNotFound) {
		return views.Errors{"board": "There is no such board. Choose one from the list."}, http.StatusUnprocessableEntity, true
	}
	return rejected(err)
}

func (s *server) openWebhook(c echo.Context) error {
	form, draft, err := webhookForm(c)
	if err != nil {
		return err
	}
	webhook, secret, err := s.workflows.OpenWebhook(c.Request().Context(), draft)
	if err != nil {
		messages, code, ok := wrongWebhook(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return s.showWebhooks(c, code, form)
	}
	// Not a redirect: the secret is kept nowhere that another page could read it from.
	return s.showWebhook(c, http.StatusCreated, webhook, nil, secret, true)
}

func pathWebhook(c echo.Context) (id.Webhook, error) {
	return rowID[id.Webhook](c.Param("webhook"), webhooks.NotFound())
}

func (s *server) webhook(c echo.Context) error {
	webhook, err := pathWebhook(c)
	if err != nil {
		return err
	}
	return s.showWebhook(c, http.StatusOK, webhook, nil, "", false)
}

// showWebhook shows a webhook's page; form is what was typed, nil for what it is.
func (s *server) showWebhook(c echo.Context, code int, webhook id.Webhook, form *views.WebhookForm, secret string, opened bool) error {
	ctx := c.Request().Context()
	before, err := goesOn[id.Delivery](c, "before")
	if err != nil {
		return err
	}
	w, err := s.workflows.Webhook(ctx, webhook)
	if err != nil {
		return err
	}
	props := views.WebhookProps{Webhook: w, Feeds: s.workflows.WebhookFeeds(), Secret: secret, Opened: opened, Older: before != 0}
	if props.Boards, err = s.workflows.Boards(ctx); err != nil {
		return err
	}
	if props.Deliveries, props.More, err = s.workflows.Deliveries(ctx, webhook, before); err != nil {
		return err
	}
	props.Form = views.WebhookForm{URL: w.URL, Note: w.Note, Board: w.BoardSlug, Feeds: w.Feeds, Version: w.Version}
	if form != nil {
		props.Form = *form
	}
	props.Page = s.page(c, w.Host())
	return render(c, code, views.WebhookPage(props))
}

func (s *server) saveWebhook(c echo.Context) error {
	webhook, err := pathWebhook(c)
	if err != nil {
		return err
	}
	form, draft, err := webhookForm(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if form.Version, err = version(c); err == nil {
		err = s.workflows.EditWebhook(ctx, webhook, form.Version, draft)
	}
	if err != nil {
		messages, code, ok := wrongWebhook(err)
		if !ok {
			return err
		}
		form.Errors = messages
		if errors.Is(err, webhooks.CodeStale) { // what was typed can be saved over what is there now
			if w, err := s.workflows.Webhook(ctx, webhook); err == nil {
				form.Version = w.Version
			}
		}
		return s.showWebhook(c, code, webhook, &form, "", false)
	}
	return s.see(c, views.WebhookPath(company(c).Slug, webhook), "The webhook is changed.")
}

func (s *server) switchWebhook(c echo.Context) error {
	webhook, err := pathWebhook(c)
	if err != nil {
		return err
	}
	on := c.FormValue("on")
	if on != "yes" && on != "no" {
		return badSwitch()
	}
	if err := s.workflows.EnableWebhook(c.Request().Context(), webhook, on == "yes"); err != nil {
		return err
	}
	message := "The webhook is off."
	if on == "yes" {
		message = "The webhook is on, and goes on where it ended."
	}
	return s.see(c, views.WebhookPath(company(c).Slug, webhook), message)
}

// codeBadSwitch: the form says neither on nor off. Use the page's buttons.
const codeBadSwitch fault.Code = "HTTP.BadSwitch"

func badSwitch() error {
	return fault.Error{
		Kind: fault.Invalid, Code: codeBadSwitch,
		Message: "Use one of the buttons to say what you want.",
	}
}

func (s *server) rotateSecret(c echo.Context) error {
	webhook, err := pathWebhook(c)
	if err != nil {
		return err
	}
	secret, err := s.workflows.RotateSecret(c.Request().Context(), webhook)
	if err != nil {
		return err
	}
	return s.showWebhook(c, http.StatusCreated, webhook, nil, secret, false)
}

func (s *server) testWebhook(c echo.Context) error {
	webhook, err := pathWebhook(c)
	if err != nil {
		return err
	}
	attempt, err := s.workflows.TestWebhook(c.Request().Context(), webhook)
	return s.sentByHand(c, webhook, attempt, err)
}

func (s *server) resendDelivery(c echo.Context) error {
	webhook, delivery, err := pathDelivery(c)
	if err != nil {
		return err
	}
	attempt, err := s.workflows.ResendDelivery(c.Request().Context(), webhook, delivery)
	return s.sentByHand(c, webhook, attempt, err)
}

// sentByHand leads back to the webhook and says what came of it.
func (s *server) sentByHand(c echo.Context, webhook id.Webhook, attempt webhooks.Attempt, err error) error {
	said := views.Flash{Text: fmt.Sprintf("It answered %d after %d ms.", attempt.Outcome.Status, attempt.Outcome.Took.Milliseconds())}
	switch messages, _, ok := rejected(err); {
	case err != nil && !ok:
		return err
	case err != nil:
		said = views.Flash{Text: messages[""], Bad: true}
	case !attempt.Outcome.OK():
		said = views.Flash{Text: attempt.Outcome.Error, Bad: true}
	}
	if err := s.flash(c, said); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, views.WebhookPath(company(c).Slug, webhook))
}

func pathDelivery(c echo.Context) (webhook id.Webhook, delivery id.Delivery, err error) {
	if webhook, err = pathWebhook(c); err != nil {
		return 0, 0, err
	}
	delivery, err = rowID[id.Delivery](c.Param("delivery"), webhooks.AttemptNotFound())
	return webhook, delivery, err
}

func (s *server) delivery(c echo.Context) error {
	webhook, delivery, err := pathDelivery(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	w, err := s.workflows.Webhook(ctx, webhook)
	if err != nil {
		return err
	}
	attempt, err := s.workflows.Delivery(ctx, webhook, delivery)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.DeliveryPage(views.DeliveryProps{Page: s.page(c, "Delivery"), Webhook: w, Attempt: attempt}))
}

func (s *server) webhookRemoval(c echo.Context) error {
	webhook, err := pathWebhook(c)
	if err != nil {
		return err
	}
	w, err := s.workflows.Webhook(c.Request().Context(), webhook)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.WebhookRemovalPage(views.WebhookRemovalProps{Page: s.page(c, "Delete a webhook"), Webhook: w}))
}

func (s *server) deleteWebhook(c echo.Context) error {
	webhook, err := pathWebhook(c)
	if err != nil {
		return err
	}
	if err := s.workflows.DeleteWebhook(c.Request().Context(), webhook); err != nil {
		return err
	}
	return s.see(c, views.WebhooksPath(company(c).Slug), "The webhook is deleted.")
}
