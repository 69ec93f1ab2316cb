package pages

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// confirmField is the password on the page that asks for it again.
const confirmField = "current"

// Confirmed lets requests pass for what gives power if their user proved a short while ago who they are. Others are
// asked for the password. A form is sent again with what was typed and the password; a file is offered after that.
func (h *Handlers) Confirmed(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		fields, err := c.FormParams()
		if err != nil {
			return echo.ErrBadRequest
		}
		password := fields.Get(confirmField)
		fields.Del(confirmField)
		c.Request().PostForm.Del(confirmField)
		if accounts.Confirmed(respond.CurrentSession(c.Request().Context()), time.Now()) {
			return next(c)
		}
		if c.Request().Method == http.MethodGet {
			return respond.Redirect(c, views.ConfirmationForPath(c.Request().URL.RequestURI()))
		}
		form := pages.ConfirmForm{Action: c.Request().URL.RequestURI(), Fields: sentFields(fields), Back: respond.CameFrom(c)}
		if password == "" {
			return h.askToConfirm(c, http.StatusForbidden, form)
		}
		if refused, err := h.confirm(c, password, form); refused {
			return err
		}
		return next(c)
	}
}

// sentFields are the fields of a form in the order of their names.
func sentFields(fields url.Values) (list []pages.SentField) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for _, value := range fields[name] {
			list = append(list, pages.SentField{Name: name, Value: value})
		}
	}
	return list
}

func (h *Handlers) askToConfirm(c echo.Context, code int, form pages.ConfirmForm) error {
	ctx := c.Request().Context()
	if issuer := h.respond.Issuer(ctx); issuer != 0 {
		of, err := h.workflows.Issuer(ctx, issuer)
		if err != nil {
			return err
		}
		form.Issuer, form.IssuerName = issuer, of.Name
	}
	return respond.Render(c, code, pages.ConfirmPage(h.respond.Page(c, "Confirm"), form))
}

// confirm checks a password for the session. If it is wrong, it shows the form again.
func (h *Handlers) confirm(c echo.Context, password string, form pages.ConfirmForm) (refused bool, err error) {
	ctx := c.Request().Context()
	if h.respond.Issuer(ctx) != 0 { // its user may have no password, and none is of the company
		return true, h.askToConfirm(c, http.StatusForbidden, form)
	}
	session := respond.CurrentSession(ctx).ID
	err = h.workflows.ConfirmByPassword(ctx, respond.User(c), session, password, h.respond.Device(c))
	if err == nil {
		return false, nil
	}
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return true, err
	}
	h.respond.LogSecurity(c, code, err)
	respond.SetRetryAfter(c, err)
	form.Errors = messages
	return true, h.askToConfirm(c, code, form)
}

// ConfirmForm asks for the password before a file.
func (h *Handlers) ConfirmForm(c echo.Context) error {
	return h.askToConfirm(c, http.StatusOK, fileForm(c, c.QueryParam("next")))
}

func fileForm(c echo.Context, next string) pages.ConfirmForm {
	form := pages.ConfirmForm{Action: views.ConfirmationPath, Back: respond.CameFrom(c)}
	if next = respond.OwnPath(next); next != "" {
		form.Fields = []pages.SentField{{Name: "next", Value: next}}
	}
	return form
}

// Confirm checks the password and offers the file: a browser that is led to it stays at the form.
func (h *Handlers) Confirm(c echo.Context) error {
	next := respond.OwnPath(c.FormValue("next"))
	if refused, err := h.confirm(c, c.FormValue(confirmField), fileForm(c, next)); refused {
		return err
	}
	return respond.Render(c, http.StatusOK, pages.ConfirmedPage(h.respond.Page(c, "Confirmed"), next))
}
