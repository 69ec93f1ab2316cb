package pages

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Services(c echo.Context) error { return h.showServices(c, http.StatusOK, "", nil) }

func (h *Handlers) showServices(c echo.Context, code int, name string, errs views.Errors) error {
	before, err := respond.Cursor[accounts.ID](c, "before")
	if err != nil {
		return err
	}
	props := pages.ServicesProps{Name: name, Errors: errs}
	if props.Services, props.More, err = h.workflows.Services(c.Request().Context(), before); err != nil {
		return err
	}
	props.Page = h.respond.Page(c, "Service accounts")
	return respond.Render(c, code, pages.ServicesPage(props))
}

func (h *Handlers) OpenService(c echo.Context) error {
	name := c.FormValue("name")
	service, err := respond.Once(c, func(once *workflows.Once[accounts.Service]) (accounts.Service, error) {
		return h.workflows.OpenService(c.Request().Context(), name, once)
	})
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showServices(c, code, name, messages)
	}
	return h.respond.SeeOther(c, views.ServicePath(respond.Company(c).Slug, service.ID), "The service account is created.")
}

// serviceOfPath returns the service account that the path names.
func (h *Handlers) serviceOfPath(c echo.Context) (accounts.Service, error) {
	account, err := respond.RowID[accounts.ID](c.Param("account"), accounts.ServiceNotFound())
	if err != nil {
		return accounts.Service{}, err
	}
	return h.workflows.Service(c.Request().Context(), account)
}

func (h *Handlers) Service(c echo.Context) error {
	service, err := h.serviceOfPath(c)
	if err != nil {
		return err
	}
	return h.showService(c, http.StatusOK, service, pages.TokenForm{Days: accounts.DefaultTokenDays}, "")
}

// showService shows a service account; secret is a new token.
func (h *Handlers) showService(
	c echo.Context, code int, service accounts.Service, form pages.TokenForm, secret string,
) (err error) {
	props := pages.ServiceProps{Service: service, Form: form, Secret: secret}
	if props.Tokens, props.More, err = h.workflows.ServiceTokens(c.Request().Context(), service); err != nil {
		return err
	}
	props.Page = h.respond.Page(c, service.Name)
	return respond.Render(c, code, pages.ServicePage(props))
}

func (h *Handlers) MakeServiceToken(c echo.Context) error {
	service, err := h.serviceOfPath(c)
	if err != nil {
		return err
	}
	fields, err := c.FormParams()
	if err != nil {
		return echo.ErrBadRequest
	}
	form := pages.TokenForm{Name: c.FormValue("name"), Scopes: fields["scopes"]}
	if form.Days, err = strconv.Atoi(c.FormValue("days")); err != nil {
		form.Days = -1 // not one of the form
	}
	draft := accounts.TokenDraft{Name: form.Name, Scopes: form.Scopes, Days: form.Days}
	token, err := respond.Once(c, func(once *workflows.Once[string]) (string, error) {
		return h.workflows.MakeServiceToken(c.Request().Context(), service.ID, draft, once)
	})
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return h.showService(c, code, service, form, "")
	}
	// Not a redirect: the token is kept nowhere that another page could read it from.
	return h.showService(c, http.StatusCreated, service, pages.TokenForm{Days: accounts.DefaultTokenDays}, token)
}

func (h *Handlers) ServiceRemoval(c echo.Context) error {
	service, err := h.serviceOfPath(c)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK,
		pages.ServiceRemovalPage(h.respond.Page(c, "Delete a service account"), service))
}

func (h *Handlers) DeleteService(c echo.Context) error {
	service, err := h.serviceOfPath(c)
	if err != nil {
		return err
	}
	if err := h.workflows.DeleteService(c.Request().Context(), service.ID); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.ServicesPath(respond.Company(c).Slug), service.Name+" is deleted.")
}
