package pages

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Tokens(c echo.Context) error {
	return h.showTokens(c, http.StatusOK, pages.TokenForm{Days: accounts.DefaultTokenDays}, "")
}

// showTokens shows the lists; secret is a new token.
func (h *Handlers) showTokens(c echo.Context, code int, form pages.TokenForm, secret string) error {
	ctx := c.Request().Context()
	before, err := respond.Cursor[id.Token](c, "before")
	if err != nil {
		return err
	}
	others, err := respond.Cursor[id.Token](c, "others")
	if err != nil {
		return err
	}
	props := pages.TokensProps{Form: form, Secret: secret}
	if props.Own, props.OwnMore, err = h.workflows.Tokens(ctx, before); err != nil {
		return err
	}
	if accounts.ActorFrom(ctx).Manages() {
		if props.Others, props.OthersMore, err = h.workflows.TokensOfOthers(ctx, others); err != nil {
			return err
		}
	}
	props.Page = h.respond.Page(c, "API tokens")
	return respond.Render(c, code, pages.TokensPage(props))
}

func (h *Handlers) MakeToken(c echo.Context) error {
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
		return h.workflows.MakeToken(c.Request().Context(), draft, once)
	})
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return h.showTokens(c, code, form, "")
	}
	// Not a redirect: the token is kept nowhere that another page could read it from.
	return h.showTokens(c, http.StatusCreated, pages.TokenForm{Days: accounts.DefaultTokenDays}, token)
}

func (h *Handlers) RevokeToken(c echo.Context) error {
	token, err := respond.RowID[id.Token](c.Param("token"), echo.ErrNotFound)
	if err != nil {
		return err
	}
	if err := h.workflows.RevokeToken(c.Request().Context(), token); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.TokensPath(respond.Company(c).Slug), "The token is revoked.")
}
